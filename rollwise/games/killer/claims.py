"""Killer: the entries open to the turn that the sheet plays through."""

from __future__ import annotations

from fractions import Fraction

from rollwise.games.claims.replay import moves, parse_steps, replay, turn_game


def moves_with_ones() -> Fraction:
    """Share of the last moves of the example that enter the 1 among the ones."""
    game = turn_game("killer")
    names = moves(game, replay(game, {"mine": "threes"}, parse_steps("12455: keep 5 5, 135")))
    return Fraction(sum("ones" in move for move in names), len(names))
