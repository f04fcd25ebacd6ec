"""Ten Thousand: the chance of a first roll without a score."""

from __future__ import annotations

from fractions import Fraction

from rollwise.games.claims.replay import chance_to_end, turn_game


def first_roll_nothing() -> Fraction:
    """P(six dice show nothing that scores)."""
    return chance_to_end(turn_game("ten-thousand", players=1, objective="points"), {})
