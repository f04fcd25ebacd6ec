"""Luck games of several seats, played by drawing from ``settle`` one board at a time, end as the solver says."""

from __future__ import annotations

from bisect import bisect_right
from functools import cache
from itertools import accumulate
from typing import Any

import numpy as np
import pytest

import rollwise
from rollwise.games.registry import game
from rollwise.solver.game.model import TurnGame
from rollwise.solver.kinds.kind import Wanted
from rollwise.solver.reference.flatten import SeatOutcome, seat_turn

N_GAMES = 8_000
AT_9999 = 3.8906  # standard errors to either side that hold 99.99 % of a normal distribution

PLAYED: list[tuple[str, dict[str, Any]]] = [
    ("aces-in-the-pot", {}),
    ("big-six", {}),
    ("bouncer", {}),
    ("cops-and-robbers", {"distance": 3}),
    ("finish", {"chips": 2}),
    ("thunderstorm", {}),
]


@pytest.mark.parametrize(("name", "parameters"), PLAYED, ids=[name for name, _ in PLAYED])
def test_games_end_as_often_as_the_odds_say(name: str, parameters: dict[str, Any]) -> None:
    made = game(name, parameters)
    assert isinstance(made, TurnGame)
    draw = np.random.default_rng(7)

    @cache
    def follow(board: Any, seats: tuple[int, ...]) -> tuple[list[float], list[SeatOutcome]]:
        outcomes = seat_turn(made, dict(board), seats)
        return list(accumulate(float(outcome.chance) for outcome in outcomes)), outcomes

    n_seats = max(1, made.seats)
    first = tuple(made.first_board().items()), tuple(range(n_seats))
    shares, lengths = np.zeros((N_GAMES, n_seats)), np.zeros(N_GAMES)
    for number in range(N_GAMES):
        at, turns, over = first, 0, False
        while not over:
            chances, outcomes = follow(*at)
            outcome = outcomes[min(bisect_right(chances, float(draw.random())), len(outcomes) - 1)]
            turns += 1
            if outcome.board is None:
                for seat, share in zip(outcome.seats, outcome.shares, strict=False):
                    shares[number, seat] += float(share)
                over = True
            else:
                at = tuple(outcome.board.items()), outcome.seats
        lengths[number] = turns
    from rollwise.asking import answer

    told = answer(made, {}, made.locate(), Wanted()).quantities
    expected = told[made.outcome].value
    for seat, share in enumerate(expected if isinstance(expected, list) else [expected]):
        spread = max(float(shares[:, seat].std()), 0.01) / N_GAMES**0.5
        assert abs(shares[:, seat].mean() - share) < AT_9999 * spread
    assert abs(lengths.mean() - told["length"].value) < AT_9999 * float(lengths.std()) / N_GAMES**0.5


def test_the_games_played_are_all_there_are() -> None:
    listed = (row["name"] for row in rollwise.list_games())
    of_seats = {name for name in listed if getattr(game(name), "kind", "") == "seats"}
    assert {name for name, _ in PLAYED} == of_seats
