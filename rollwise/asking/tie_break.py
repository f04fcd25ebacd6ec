"""Where every move wins, or every one loses, the mean score is a second criterion: the game that tells it."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from rollwise.asking.plan import plan_of
from rollwise.games.beating import BEATING
from rollwise.games.registry import game as registered
from rollwise.solved.games import is_kept, is_only_kept
from rollwise.solver.game.errors import ParameterError
from rollwise.solver.game.model import TurnGame
from rollwise.solver.kinds import kind_of

SCORE = "score"


def score_game(game: TurnGame) -> TurnGame | None:
    """The game of one player with the same rules, for the mean score; None where it has none, or is one itself.

    None as well where that is not solved yet, and either takes so long that it would be announced or may not begin.
    """
    rules = game.as_asked().parameters()
    if game.measure == SCORE or "objective" not in rules or kind_of(game).n_seats(game) > 1:
        return None
    others = {name: value for name, value in rules.items() if name not in BEATING}
    with suppress(ParameterError):
        mean: Any = registered(game.name, {**others, "objective": SCORE})
        return mean if is_kept(mean) or (not is_only_kept() and plan_of(mean).is_small) else None
    return None
