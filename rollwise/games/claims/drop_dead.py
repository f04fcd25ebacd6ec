"""Drop Dead: the turn that the sheet plays through."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

from rollwise.games.claims.replay import replay, turn_game
from rollwise.solver.model.errors import ModelError

THROWS = ((2, 6, 6, 4, 3), (3, 1, 4, 6), (5, 5, 6, 3), (2, 4), (3,), (4,), (2,))


def scoring_steps() -> tuple[Fraction, ...]:
    """The score after each throw of the example that raises it; the last throw must end the turn."""
    game = turn_game("drop-dead")
    played = [replay(game, {}, [(dice, None) for dice in THROWS[:count]]) for count in range(len(THROWS) + 1)]
    if not played[-1].over:
        raise ModelError("the example does not end the turn")
    return tuple(after.points for before, after in pairwise(played) if after.points > before.points)
