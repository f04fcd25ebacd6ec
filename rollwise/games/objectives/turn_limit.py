"""A goal to be reached alone within a number of turns: board and question count the turns that are left."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from rollwise.solver.model.fields import Field, Number
from rollwise.solver.model.game import Columns, NodeKey, Position
from rollwise.solver.model.turn_points import PointGame

MAX_TURNS, USUAL_TURNS = 50, 20  # turns left: the most, and the default of a question
TURNS_LEFT = range(1, MAX_TURNS + 1)


class TurnLimit(PointGame):
    """Mixin before a game that counts its turns: it has a field ``mine``, and its ``boards`` have ``within`` too."""

    measure = "win"
    unit = "probability"
    sense = "max"
    scale = 1

    def first_board(self) -> dict[str, int]:
        """The board of an empty score, with the usual number of turns."""
        return {**super().first_board(), "within": USUAL_TURNS}

    def level(self, board: Columns) -> Any:
        """The number of turns taken."""
        return MAX_TURNS - board.within

    def fields(self) -> list[Field]:
        """The score, the turns left, and the fields of the turn."""
        mine, *turn = super().fields()
        return [mine, Number("within", "turns that are left, this one included", 1, MAX_TURNS), *turn]

    def locate(self, mine: int = 0, within: int = USUAL_TURNS, **turn: Any) -> Position:
        """The position of a question."""
        position = super().locate(mine=mine, **turn)
        return replace(position, board={**position.board, "within": within})

    def describe(self, board: Mapping[str, Any], state: NodeKey) -> Iterator[dict[str, Any]]:
        """The fields of a position."""
        for fields in super().describe(board, state):
            yield {"mine": fields["mine"], "within": board["within"], **fields}
