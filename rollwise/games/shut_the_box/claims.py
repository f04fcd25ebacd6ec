"""Shut the Box: the highest score, and the first rolls that end a turn at once."""

from __future__ import annotations

from fractions import Fraction

from rollwise.games.claims.replay import replay, turn_game
from rollwise.solver.model.dice import throws

GAME = "shut-the-box"


def highest_score() -> Fraction:
    """The highest score that any turn can end with, over the whole turn."""
    from rollwise.solver.turn.graph import compile_turn

    return Fraction(max(compile_turn(turn_game(GAME)).results))


def first_rolls_that_end() -> str:
    """Every first roll that ends the turn."""
    game = turn_game(GAME)
    return ", ".join("-".join(map(str, dice)) for dice, _ in throws(2) if replay(game, {}, [(dice, None)]).over)
