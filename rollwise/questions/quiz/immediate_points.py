"""The points that a move makes at once: those of a turn that goes on, or of its end, bonuses included."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from rollwise.solver.model.game import Goto, Position, TurnGame
from rollwise.solver.model.sheet import ScoreSheet
from rollwise.solver.turn.questions import LegalMove, next_question, node_after_move
from rollwise.solver.turn.successors import Successors

TURN = "turn"  # the field with the points of this turn


class ImmediatePoints:
    """Counts the immediate points of the moves of one game."""

    def __init__(self, game: TurnGame) -> None:
        self.game = game
        self.walker = Successors(game)

    def of(self, fields: Mapping[str, Any], position: Position, move: LegalMove) -> Fraction | None:
        """The points that a move adds to a turn that goes on, or scores at its end in a game for points.

        None where dice fall before the next decision.
        """
        outcomes = self.walker.outcomes(position.board, node_after_move(self.game, move))
        outcome = outcomes[0]
        if len(outcomes) > 1 or outcome.thrown:
            return None
        if outcome.result is None and isinstance(outcome.node, Goto):
            question = next_question(self.game, fields, move.name, outcome, outcome.node.state, None)
            return None if question is None else Fraction(question[0].get(TURN, 0) - fields.get(TURN, 0))
        if isinstance(self.game, ScoreSheet) and outcome.result is not None:
            return Fraction(self.game.scored(position.board, outcome.result, outcome.earned + move.points))
        is_played_for = self.game.unit == "points" and self.game.sense == "max"
        return outcome.earned + move.points if is_played_for else Fraction(0)
