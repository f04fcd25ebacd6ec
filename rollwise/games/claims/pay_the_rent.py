"""Pay the Rent: effects of rolls on markers and pot in the sheet's examples, and the gain of a banker."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from rollwise.games.claims import ALWAYS, EXACTLY, Claim, equal_to, more_than
from rollwise.games.claims.replay import replay, turn_game
from rollwise.solver.model.dice import Faces
from rollwise.solver.model.errors import ModelError

if TYPE_CHECKING:
    from rollwise.games.pay_the_rent.rules import PayTheRent

GAME = "pay-the-rent"
SOURCE = "TACTIC rules for dice games"
PAIR, SAME_PAIR, NOTHING, TRIPLE = (4, 4, 5), (4, 4, 1), (1, 2, 6), (3, 3, 3)
SIXES = (6, 6, 1)
BANKERS = ("always", "second_pair")
PLAYERS = range(3, 7)
MIN_PLAYERS = 3
EXAMPLE_PLAYERS = 4  # so that one player sits opposite


def rent(players: int, banker: str = "none") -> PayTheRent:
    """Game of this claim; raises UnknownGame where it does not exist."""
    game = turn_game(GAME, players=players, banker=banker)
    from rollwise.games.pay_the_rent.rules import PayTheRent

    assert isinstance(game, PayTheRent)
    return game


def shares(rolled: Sequence[Faces], players: int = EXAMPLE_PLAYERS, banker: str = "none") -> tuple[Fraction, ...]:
    """Shares of the pot that the last of these rolls pays, by seat (all 0: none); seat 0 rolls first."""
    import numpy as np

    from rollwise.games.pay_the_rent.prospects import roll_effect
    from rollwise.solver.model.game import Columns

    game = rent(players, banker)
    before = replay(game, {}, [(dice, None) for dice in rolled[:-1]])
    if before.over:
        raise ModelError("the pot was paid before the last roll")
    transition = game.transition(
        Columns({name: np.array([place]) for name, place in before.board.items()}), roll_effect(rolled[-1])
    )
    if not np.all(transition.over) or transition.shares is None:
        return (Fraction(0),) * players
    places = [Fraction(int(np.ravel(part)[0]), transition.per) for part in transition.shares]
    return tuple(places[(seat - len(rolled) + 1) % players] for seat in range(players))


def marker_taken() -> Fraction:
    """Face of the marker that the roller of the first pair takes."""
    game = rent(EXAMPLE_PLAYERS)
    markers = next(iter(game.describe(replay(game, {}, [(PAIR, None)]).board, ())))["markers"]
    if len(markers) != 1:
        raise ModelError("one pair does not take one marker")
    return Fraction(next(iter(markers)))


def pot_divided() -> tuple[Fraction, ...]:
    """Shares of the two in the example: the holder, and the player opposite, two rolls later."""
    parts = shares([PAIR, NOTHING, SAME_PAIR])
    return tuple(part for part in parts if part)


def odd_chip() -> Fraction:
    """Chips that remain when three players' pot is halved after its third roll."""
    from rollwise.games.pay_the_rent.prospects import HALVES
    from rollwise.games.pay_the_rent.rules import pay_out

    rolled, players = [PAIR, NOTHING, SAME_PAIR], 3
    halves = [int(part * HALVES) for part in shares(rolled, players)]
    return Fraction(pay_out(players * len(rolled), halves)[1])


def first_paying_sixes(banker: str) -> Fraction:
    """Number of the first of a pot's pairs of sixes, rolled by others, that pays the banker."""
    rolled = [SIXES]
    while not shares(rolled, EXAMPLE_PLAYERS, banker)[-1]:
        rolled.append(SIXES)
    return Fraction(len(rolled))


def bankers_half() -> Fraction:
    """Share of the banker when another player's pair of sixes pays."""
    return shares([SIXES, SIXES], EXAMPLE_PLAYERS, "second_pair")[-1]


def banker_earns(banker: str, players: int) -> Fraction:
    """Mean gain of the banker per roll, in chips."""
    means = rent(players, banker).long_run
    return means.net[-1] / means.rolls


def banker_always_earns() -> Fraction:
    """Share of cases, numbers of players and kinds of bankers, in which the banker gains."""
    gains = [banker_earns(banker, players) for banker in BANKERS for players in PLAYERS]
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


CLAIMS = (
    Claim(
        "pay-the-rent/example-marker",
        GAME,
        SOURCE,
        "A roll of 4-4-5 brings the roller the marker of this face.",
        "4",
        EXACTLY,
        marker_taken,
    ),
    Claim(
        "pay-the-rent/example-division",
        GAME,
        SOURCE,
        "When you hold the Four and the player opposite rolls 4-4-1, you two get these parts of the pot, others none.",
        "1/2, 1/2",
        EXACTLY,
        pot_divided,
        "stated in words: the two divide the pot evenly",
    ),
    Claim(
        "pay-the-rent/odd-chip",
        GAME,
        SOURCE,
        "What stays on the table for the next pot when two players divide a pot of 9 chips.",
        "the remainder",
        equal_to(1, "one chip"),
        odd_chip,
    ),
    Claim(
        "pay-the-rent/own-marker",
        GAME,
        SOURCE,
        "The part of the pot for a player who rolls 4-4-1 holding the Four.",
        "the whole pot",
        equal_to(1, "all of it"),
        lambda: shares([PAIR, NOTHING, NOTHING, NOTHING, SAME_PAIR])[0],
    ),
    Claim(
        "pay-the-rent/triple",
        GAME,
        SOURCE,
        "The part of the pot for a player who rolls 3-3-3.",
        "the entire pot",
        equal_to(1, "all of it"),
        lambda: shares([TRIPLE])[0],
    ),
    Claim(
        "pay-the-rent/markers-spread",
        GAME,
        SOURCE,
        "How often the markers, once two or more are taken, lie before more than one player.",
        "usually",
        more_than(Fraction(1, 2), "in more than half of all rolls"),
        lambda: 1 - in_one_hand(MIN_PLAYERS),
        "counted before every roll, with three players and no banker",
    ),
    Claim(
        "pay-the-rent/markers-together",
        GAME,
        SOURCE,
        "One player can also come to hold several markers: how often one holds all, once two or more are taken.",
        "may happen",
        more_than(0, "more than never"),
        lambda: in_one_hand(MIN_PLAYERS),
        "counted before every roll, with three players and no banker",
    ),
    Claim(
        "pay-the-rent/banker-second-time",
        GAME,
        SOURCE,
        "The first of a pot's pairs of sixes that pays the banker.",
        "the second time",
        equal_to(2, "the second"),
        lambda: {f"banker={banker}": first_paying_sixes(banker) for banker in BANKERS},
        "a banker who always has the marker, as the same sentence says, is paid from the first pair on",
    ),
    Claim(
        "pay-the-rent/banker-half",
        GAME,
        SOURCE,
        "The banker's part of the pot when another player rolls the paying pair of sixes.",
        "half (1/2)",
        EXACTLY,
        bankers_half,
    ),
    Claim(
        "pay-the-rent/banker-earns",
        GAME,
        SOURCE,
        "What the banker gains per roll on average among four players, in chips: the inventor's income.",
        "pays the rent",
        more_than(0, "more than 0"),
        lambda: {f"banker={banker}": banker_earns(banker, EXAMPLE_PLAYERS) for banker in BANKERS},
        "every player, the banker too, bets one chip per roll; no sum is stated",
    ),
    Claim(
        "pay-the-rent/banker-always-earns",
        GAME,
        SOURCE,
        "The banker gains in the long run, with any number of players.",
        "pays the rent",
        ALWAYS,
        banker_always_earns,
        "checked for three to six players, and for both kinds of banker",
    ),
)
