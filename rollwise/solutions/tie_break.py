"""Tie-break by the mean score, where every move wins or every move loses."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import suppress
from typing import Any

from rollwise.games.objectives.beating import BEATING
from rollwise.games.registry import game as registered
from rollwise.parsing.validate import check_board, parse_fields
from rollwise.solutions.lookup import Unsolved, accept_any_turn, answer_from_solution, is_cache_only, is_solved
from rollwise.solutions.plans import plan_solve
from rollwise.solver.kinds.kind import QueryOptions, no_progress
from rollwise.solver.model.errors import BadInput, TooLarge
from rollwise.solver.model.game import TurnGame
from rollwise.solver.model.solution import ActionValue

SCORE = "score"


def find_score_game(game: TurnGame) -> TurnGame | None:
    """Game of one player with the same rules, for the mean score; None where there is none, ``game`` is one itself, or
    it is not solved and a solve may not begin here, or would be announced.
    """
    rules = game.whole_game().parameters()
    if game.measure == SCORE or "objective" not in rules:
        return None
    rules_alone = {name: value for name, value in rules.items() if name not in BEATING}
    with suppress(BadInput):
        score_rules: Any = registered(game.name, {**rules_alone, "objective": SCORE})
        is_at_hand = is_solved(score_rules) or (not is_cache_only() and plan_solve(score_rules).is_small)
        return score_rules if is_at_hand else None
    return None


def find_tie_break(score: TurnGame, fields: Mapping[str, Any], names: Collection[str]) -> ActionValue | None:
    """Best of these moves by the mean score; None where the fields are no question of the game for the mean score."""
    field_names = {field.name for field in score.fields()}
    with suppress(BadInput, TooLarge, Unsolved):
        values = parse_fields(score, {name: value for name, value in fields.items() if name in field_names})
        position = score.locate(**values)
        check_board(score, position.board)
        moves = answer_from_solution(
            score,
            accept_any_turn,
            lambda solved: solved.solution.ask(position, values, QueryOptions(), no_progress).moves,
        )
        better = max if score.sense == "max" else min
        return better((move for move in moves if move.move in names), key=lambda move: move.value)
    return None
