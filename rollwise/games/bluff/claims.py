"""Bluff: the calls that may follow a call."""

from __future__ import annotations

from fractions import Fraction

from rollwise.games.claims.replay import begin, moves, turn_game
from rollwise.solver.model.moves import parse_move


def calls_are_higher() -> Fraction:
    """Share of the calls after a call of 10 that are higher."""
    game = turn_game("bluff")
    accepted = {"mine": 5, "theirs": 4, "last": 10, "total": 9}  # the chip of the first caller is in the pot
    calls = [parse_move(move).dice[0] for move in moves(game, begin(game, accepted))]
    return Fraction(sum(call > 10 for call in calls), len(calls))
