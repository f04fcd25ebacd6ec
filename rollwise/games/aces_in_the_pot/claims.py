"""Aces in the Pot: where ones and sixes send the coins."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from rollwise.games.claims.plays import read_play
from rollwise.games.claims.replay import turn_game
from rollwise.solver.model.dice import Faces, throws
from rollwise.solver.model.game import TurnGame


def outcome_of(game: TurnGame, dice: Faces, stage: str) -> Any:
    """Coins that a throw moves, or its effect on the last coin."""
    from rollwise.games.aces_in_the_pot.rules import LAST, coins_moved, last_coin_fate

    return last_coin_fate(dice) if stage == LAST else coins_moved(dice)


def gone(play: str, coins: str = "2,2,2,2") -> tuple[Fraction, ...]:
    """Coins that a throw of seat 0 sends into the pot, and to the player on the left."""
    after = read_play(turn_game("aces-in-the-pot"), {"state": {"coins": coins}, "steps": play, "read": ["coins"]})
    before = [int(number) for number in coins.split(",")]
    return sum(before) - sum(after[0]), after[0][1] - before[1]


def other_throws_do_nothing() -> Fraction:
    """Share of throws without 1 and 6 that leave all coins where they are."""
    others = [faces for faces, _ in throws(2) if not {1, 6} & set(faces)]
    return Fraction(sum(not any(gone("".join(map(str, faces)))) for faces in others), len(others))
