"""Drop Dead: the turn that the sheet plays through."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

from rollwise.games.claims.replay import parse_steps, positions, turn_game
from rollwise.solver.model.errors import ModelError


def scoring_steps(play: str) -> tuple[Fraction, ...]:
    """The score after each throw of a turn that raises it; the last throw must end the turn."""
    played = list(positions(turn_game("drop-dead"), {}, parse_steps(play)))
    if not played[-1].over:
        raise ModelError("the example does not end the turn")
    return tuple(after.points for before, after in pairwise(played) if after.points > before.points)
