"""Where every move wins, or every one loses, the mean score is a second criterion."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import suppress
from typing import Any

from rollwise.answers.advice import TieBreak
from rollwise.games.objectives.beating import BEATING
from rollwise.games.registry import game as registered
from rollwise.parsing.validate import check_board, the_fields
from rollwise.solutions.games import Unsolved, anything, is_kept, is_only_kept, with_solved
from rollwise.solutions.plans import planned
from rollwise.solver.kinds.kind import QueryOptions, unheard
from rollwise.solver.model.errors import BadInput, TooLarge
from rollwise.solver.model.game import TurnGame

SCORE = "score"


def score_game(game: TurnGame) -> TurnGame | None:
    """The game of one player with the same rules, for the mean score; None for one that has none or is one itself.

    None as well for one that is not solved yet, if a solve may not begin here, or would be announced.
    """
    rules = game.as_asked().parameters()
    if game.measure == SCORE or "objective" not in rules:
        return None
    others = {name: value for name, value in rules.items() if name not in BEATING}
    with suppress(BadInput):
        mean: Any = registered(game.name, {**others, "objective": SCORE})
        return mean if is_kept(mean) or (not is_only_kept() and planned(mean).is_small) else None
    return None


def tie_break(score: TurnGame, fields: Mapping[str, Any], names: Collection[str]) -> TieBreak | None:
    """The best of these moves in a ``score_game``; None where the fields are no question there."""
    known = {field.name for field in score.fields()}
    with suppress(BadInput, TooLarge, Unsolved):
        given = the_fields(score, {name: value for name, value in fields.items() if name in known})
        there = score.locate(**given)
        check_board(score, there.board)
        moves = with_solved(
            score, anything, lambda solved: solved.opened.ask(there, given, QueryOptions(), unheard).moves
        )
        better = max if score.sense == "max" else min
        best = better((move for move in moves if move.move in names), key=lambda move: move.value)
        return TieBreak(best.move, SCORE, best.value)
    return None
