"""The points that a move makes at once: of its turn, where that goes on, or of what it ends with, bonuses and all."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from rollwise.solver.model.game import Goto, Position, TurnGame
from rollwise.solver.model.sheet import ScoreSheet
from rollwise.solver.turn.query import Move, followed
from rollwise.solver.turn.questions import next_question
from rollwise.solver.turn.successors import Successors

TURN = "turn"  # the field that tells the points gathered this turn


class PointsNow:
    """Counts for the moves of one game."""

    def __init__(self, game: TurnGame) -> None:
        self.game = game
        self.walker = Successors(game)

    def of(self, fields: Mapping[str, Any], position: Position, move: Move) -> Fraction | None:
        """The points that a move counts: for its turn, where that goes on, or, where points are played for, at its end.

        None where dice fall before anybody is asked again.
        """
        falls = self.walker.falls(position.board, followed(self.game, move))
        fall = falls[0]
        if len(falls) > 1 or fall.thrown:
            return None
        if fall.result is None and isinstance(fall.word, Goto):
            question = next_question(self.game, fields, move.name, fall, fall.word.state, None)
            return None if question is None else Fraction(question[0].get(TURN, 0) - fields.get(TURN, 0))
        if isinstance(self.game, ScoreSheet) and fall.result is not None:
            return Fraction(self.game.scored(position.board, fall.result, fall.earned + move.points))
        is_played_for = self.game.unit == "points" and self.game.sense == "max"
        return fall.earned + move.points if is_played_for else Fraction(0)
