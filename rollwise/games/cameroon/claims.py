"""Cameroon: when a number is closed."""

from __future__ import annotations

from fractions import Fraction

from rollwise.games.claims.replay import describe_position, parse_steps, replay, turn_game


def fives_closed() -> Fraction:
    """1 if the fives are closed to both after four and three of them, and not before."""
    game, steps = turn_game("cameroon"), parse_steps("55552: score fives, 55512: score fives")
    closed = ["fives" in describe_position(game, replay(game, {}, steps[:turns]))["closed"] for turns in (1, 2)]
    return Fraction(closed == [False, True])
