"""Thunderstorm: the failures that finish a house."""

from __future__ import annotations

from fractions import Fraction

from rollwise.games.claims.replay import replay, turn_game
from rollwise.solver.model.dice import Faces
from rollwise.solver.model.errors import ModelError
from rollwise.solver.model.game import TurnGame


def outcome_of(game: TurnGame, dice: Faces, n_dice: int) -> int:
    """Number of ones in a throw, all that the game sees of it."""
    return dice.count(1)


def last_failure() -> Fraction:
    """Number of the failure that puts a player out."""
    game = turn_game("thunderstorm", players=4)
    for before in range(10):
        state = {"failures": f"{before},0,0,0", "dice": 1}
        if 0 not in replay(game, state, [((2,), None)], lambda dice, n_dice: dice.count(1)).seats:
            return Fraction(before + 1)
    raise ModelError("nobody is out after ten failures")
