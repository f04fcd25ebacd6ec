"""Where every move wins, or every one loses, the mean score is a second criterion."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import suppress
from functools import lru_cache
from typing import Any

from rollwise.answers.advice import TieBreak
from rollwise.answers.plan import SMALL_MEMORY, SMALL_SECONDS
from rollwise.games.beating import BEATING
from rollwise.games.registry import game as registered
from rollwise.reading.door import check_board, the_fields
from rollwise.solved.games import Unsolved, anything, is_kept, is_only_kept, with_solved
from rollwise.solved.machine import rate
from rollwise.solved.turns import turn_of
from rollwise.solver.game.errors import BadInput, TooLarge
from rollwise.solver.game.model import TurnGame
from rollwise.solver.kinds import kind_of
from rollwise.solver.kinds.kind import Extras, unheard

SCORE = "score"


def score_game(game: TurnGame) -> TurnGame | None:
    """The game of one player with the same rules, for the mean score; None where it has none, or is one itself.

    None as well where that is not solved yet, and either takes so long that it would be announced or may not begin.
    """
    rules = game.as_asked().parameters()
    if game.measure == SCORE or "objective" not in rules:
        return None
    others = {name: value for name, value in rules.items() if name not in BEATING}
    with suppress(BadInput):
        mean: Any = registered(game.name, {**others, "objective": SCORE})
        return mean if is_kept(mean) or (not is_only_kept() and _is_small(mean)) else None
    return None


@lru_cache(16)
def _is_small(game: TurnGame) -> bool:
    plan = kind_of(game).plan(game, game.turn_size() or turn_of(game))
    return rate() * plan.seconds <= SMALL_SECONDS and plan.memory <= SMALL_MEMORY


def tie_break(score: TurnGame, fields: Mapping[str, Any], names: Collection[str]) -> TieBreak | None:
    """Of these moves that one which is best in a ``score_game``; None where all these fields are no question."""
    known = {field.name for field in score.fields()}
    with suppress(BadInput, TooLarge, Unsolved):
        given = the_fields(score, {name: value for name, value in fields.items() if name in known})
        there = score.locate(**given)
        check_board(score, there.board)
        moves = with_solved(score, anything, lambda solved: solved.opened.ask(there, given, Extras(), unheard).moves)
        better = max if score.sense == "max" else min
        best = better((move for move in moves if move.move in names), key=lambda move: move.value)
        return TieBreak(best.move, SCORE, best.value)
    return None
