"""Thunderstorm, Cops and Robbers: small games against walks through the same written from the rules alone."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from math import comb
from typing import Any

import numpy as np
import pytest

from rollwise.games.cops_and_robbers.rules import CopsAndRobbers
from rollwise.games.thunderstorm.rules import Thunderstorm
from rollwise.solver.markov_chains.layout import lay_out
from rollwise.solver.markov_chains.odds import odds
from rollwise.solver.markov_chains.values import eliminate
from rollwise.solver.model.game import TurnGame
from rollwise.solver.turn.graph import compile_turn
from tests.solver.plain import After, PlainTurn, thorough, walked

FACES = range(1, 7)
ROBBERS = 0
MORE = [("bonus_too", 0, 2), ("bonus_only", 3, 2), ("bonus_only", 2, 2)]


def require_walk(game: TurnGame, start: Any, turn: PlainTurn, **question: Any) -> None:
    """What each seat wins, and the mean number of turns, from a state of the game written afresh, and from a question.

    The team of robbers is the one seat of its game.
    """
    position = game.locate(**question)
    board = game.boards().index_of(**position.board)
    steps = lay_out(game, compile_turn(game), board)
    found = odds(steps, steps.place(board), exact=False)
    ends, lengths = walked(start, turn)
    seats = position.seats if game.seats > 1 else (ROBBERS,)
    assert seats is not None
    for seat, (share, _, _) in zip(seats, found.shares, strict=False):
        assert share == pytest.approx(ends.get(seat, 0.0), abs=1e-11)
    assert found.turns[0] == pytest.approx(sum(n * chance for n, chance in enumerate(lengths, 1)), abs=1e-9)


# --- Thunderstorm --------------------------------------------------------------------------------------------------


def storm(last_failure: int) -> PlainTurn:
    """One throw: everybody's failures, the dice, whose turn it is; a game ends with the seat that is left."""

    def turn(state: Any) -> Iterable[After]:
        failures, dice, seat = state
        for ones in range(dice + 1):
            after = tuple(count + (other == seat and not ones) for other, count in enumerate(failures))
            still_in = [other for other, count in enumerate(after) if count < last_failure]
            following = next((other for other in still_in if other > seat), still_in[0])
            chance = comb(dice, ones) * 5 ** (dice - ones) / 6**dice
            yield chance, (after, dice - ones or 6, following) if len(still_in) > 1 else None, following

    return turn


@pytest.mark.parametrize(
    ("players", "house", "state"),
    [(3, 1, {}), (5, 0, {}), (3, 3, {"failures": (3, 1, 2), "dice": 4, "mover": 2}), (4, 1, {})],
)
def test_a_thunderstorm_is_worth_what_a_walk_through_it_says(players: int, house: int, state: dict[str, Any]) -> None:
    start = state.get("failures", (0,) * players), state.get("dice", 6), state.get("mover", 0)
    require_walk(Thunderstorm(players, house), start, storm(house + 1), **state)


# --- Cops and Robbers ----------------------------------------------------------------------------------------------

GONE = None  # the score of a caught robber
Scores = tuple[int | None, ...]  # cop, robber, cop, robber


def moved(scores: Scores, seat: int, points: int) -> tuple[Scores, bool | None]:
    """The scores after a move, and whether the robbers have won with it; None where nobody has."""
    after = list(scores)
    held = scores[seat]
    assert held is not None
    after[seat] = mine = held - points
    if seat in (1, 3):
        return tuple(after), mine <= 0 or None
    for robber in (1, 3):
        score = after[robber]
        if score is not GONE and mine <= score:
            after[robber] = GONE
    return tuple(after), False if after[1] is GONE and after[3] is GONE else None


def next_seat(scores: Scores, seat: int, missing: int = 0) -> int:
    for _ in range(missing + 1):
        seat = (seat + 1) % 4
        while scores[seat] is GONE:
            seat = (seat + 1) % 4
    return seat


def chase(six_counts: bool) -> PlainTurn:
    """One throw: scores, the throw before, whose turn it is, and how many have yet to move in the first round."""

    def after(scores: Scores, thrown: int, seat: int, points: int, to_come: int, missing: int) -> tuple[Any, Any]:
        held, won = moved(scores, seat, points)
        if won is not None:
            return None, ROBBERS if won else None
        following = (seat + 1) % 4 if to_come else next_seat(held, seat, missing)
        return (held, thrown, following, max(0, to_come - 1)), None

    def turn(state: Any) -> Iterable[After]:
        scores, last, seat, to_come = state
        for thrown in FACES:
            if to_come:
                yield 1 / 6, *after(scores, thrown, seat, thrown, to_come, 0)
            elif thrown == last:
                yield 1 / 6, (scores, last, next_seat(scores, seat), 0), None
            elif thrown < 6:
                yield 1 / 6, *after(scores, thrown, seat, thrown, 0, {5: 1, 4: 2}.get(thrown, 0))
            else:
                for bonus in FACES:
                    yield 1 / 36, *after(scores, thrown, seat, (1 if bonus <= 3 else 2) + 6 * six_counts, 0, 0)

    return turn


@pytest.mark.parametrize(
    ("six", "opener", "distance"),
    [("bonus_too", 1, 2), ("bonus_only", 0, 1), *thorough(*MORE)],
)
def test_a_small_chase_is_worth_what_a_walk_through_it_says(six: str, opener: int, distance: int) -> None:
    start = (distance + 11, distance, distance + 11, distance + 2), 0, opener, 4
    require_walk(CopsAndRobbers(six, opener, distance), start, chase(six == "bonus_too"))


@pytest.mark.parametrize(
    ("scores", "last", "mover"), [((5, 1, 9, None), 5, 0), ((5, 1, 9, 2), 6, 3), ((12, None, 4, 3), 4, 2)]
)
def test_so_is_one_from_the_middle(scores: Scores, last: int, mover: int) -> None:
    game = CopsAndRobbers("bonus_too", distance=2)
    require_walk(game, (scores, last, mover, 0), chase(True), scores=scores, last=last, mover=mover)


@pytest.mark.minutes
@pytest.mark.parametrize(("six", "robbers"), [("bonus_too", 0.359394382751), ("bonus_only", 0.405105515677)])
def test_the_mean_of_the_four_starts_is_the_number_found_beforehand(six: str, robbers: float) -> None:
    """The first is derived independently; both come out of a plain recursion over all seats' scores too.

    Games differ only in their first round, so one solution serves all starts.
    """
    game = CopsAndRobbers(six)
    steps = lay_out(game, compile_turn(game))
    values, space = eliminate(steps).values, game.boards()
    starts = [
        game.locate(scores=(75 - a, 64 - b, 75 - c, 66 - d), last=(a, b, c, d)[start - 1], mover=start)
        for start in range(4)
        for a, b, c, d in product(FACES, repeat=4)
    ]
    chances = [values[steps.place(space.index_of(**position.board)), 0] for position in starts]
    assert np.mean(chances) == pytest.approx(robbers, abs=1e-12)
