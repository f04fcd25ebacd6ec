"""Pay the Rent: effects of rolls on markers and pot in the sheet's examples, and the gain of a banker."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from rollwise.games.claims.replay import parse_steps, replay, turn_game
from rollwise.solver.model.errors import ModelError

EXAMPLE_PLAYERS = 4  # so that one player sits opposite


def rent(players: int, banker: str = "none") -> Any:
    """Game of this claim; raises UnknownGame where it does not exist."""
    return turn_game("pay-the-rent", players=players, banker=banker)


def shares(play: str, players: int = EXAMPLE_PLAYERS, banker: str = "none") -> tuple[Fraction, ...]:
    """Shares of the pot that the last of these rolls pays, by seat (all 0: none); seat 0 rolls first."""
    import numpy as np

    game, rolled = rent(players, banker), parse_steps(play)
    from rollwise.games.pay_the_rent.prospects import roll_effect
    from rollwise.solver.model.game import Columns

    before = replay(game, {}, rolled[:-1])
    if before.over:
        raise ModelError("the pot was paid before the last roll")
    columns = Columns({name: np.array([place]) for name, place in before.board.items()})
    transition = game.transition(columns, roll_effect(rolled[-1][0] or ()))
    if not np.all(transition.over) or transition.shares is None:
        return (Fraction(0),) * players
    places = [Fraction(int(np.ravel(part)[0]), transition.per) for part in transition.shares]
    return tuple(places[(seat - len(rolled) + 1) % players] for seat in range(players))


def part(play: str, seat: int, banker: str = "none") -> Fraction:
    """Share of a seat."""
    return shares(play, banker=banker)[seat]


def parts(play: str) -> tuple[Fraction, ...]:
    """Shares of those who get one."""
    return tuple(filter(None, shares(play)))


def marker_taken() -> Fraction:
    """Face of the marker that the roller of the first pair takes."""
    game = rent(EXAMPLE_PLAYERS)
    (marker,) = next(iter(game.describe(replay(game, {}, parse_steps("445")).board, ())))["markers"]
    return Fraction(marker)


def odd_chip() -> Fraction:
    """Chips that remain when three players' pot is halved after its third roll."""
    halved = shares("445, 126, 441", players=3)
    from rollwise.games.pay_the_rent.prospects import HALVES
    from rollwise.games.pay_the_rent.rules import pay_out

    return Fraction(pay_out(3 * 3, [int(part * HALVES) for part in halved])[1])


def first_paying_sixes(banker: str) -> Fraction:
    """Number of the first of a pot's pairs of sixes, rolled by others, that pays the banker."""
    play = "661"
    while not shares(play, EXAMPLE_PLAYERS, banker)[-1]:
        play += ", 661"
    return Fraction(len(parse_steps(play)))


def banker_earns(banker: str, players: int = EXAMPLE_PLAYERS) -> Fraction:
    """Mean gain of the banker per roll, in chips."""
    means = rent(players, banker).long_run
    return Fraction(means.net[-1] / means.rolls)


def banker_always_earns() -> Fraction:
    """Share of cases, numbers of players and kinds of bankers, in which the banker gains."""
    gains = [banker_earns(banker, players) for banker in ("always", "second_pair") for players in range(3, 7)]
    return Fraction(sum(gain > 0 for gain in gains), len(gains))


def in_one_hand(players: int) -> Fraction:
    """Share, of the rolls with two or more markers taken before, with all of them at one player (a Markov chain)."""
    rent(players)
    from rollwise.games.pay_the_rent.prospects import FREE, View, chain
    from rollwise.solver.markov_chains.longrun import expected_sums

    steps = chain(players)
    several = {
        view: [Fraction(view.own > 1 and not view.others), Fraction(view.own + view.others > 1)] for view in steps
    }
    sums = expected_sums(steps, several)
    starts = [sums[View(0, 0, FREE, wait)] for wait in range(players)]  # every seat's view of a new pot
    return sum((one for one, _ in starts), Fraction(0)) / starts[0][1]


def in_several_hands(players: int) -> Fraction:
    """Share of the other rolls."""
    return 1 - in_one_hand(players)
