"""A goal to be reached alone within so many turns: the turns that are left stand on the board and in the question."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from rollwise.solver.model.fields import Field, Number
from rollwise.solver.model.game import Columns, NodeKey, Position
from rollwise.solver.model.turn_points import PointGame

MOST_TURNS, USUAL_TURNS = 50, 20  # that are left: at most, and where a question does not say
WITHIN = range(1, MOST_TURNS + 1)


class InTime(PointGame):
    """Goes before a game that counts its turns; that has a field ``mine``, and ``boards`` here ``within`` as well."""

    measure = "win"
    unit = "probability"
    sense = "max"
    scale = 1

    def first_board(self) -> dict[str, int]:
        """Nothing is made yet."""
        return {**super().first_board(), "within": USUAL_TURNS}

    def level(self, board: Columns) -> Any:
        """Turns taken."""
        return MOST_TURNS - board.within

    def fields(self) -> list[Field]:
        """The score, the turns that are left, and the turn."""
        mine, *turn = super().fields()
        return [mine, Number("within", "turns that are left, this one included", 1, MOST_TURNS), *turn]

    def locate(self, mine: int = 0, within: int = USUAL_TURNS, **turn: Any) -> Position:
        """The position of a question."""
        here = super().locate(mine=mine, **turn)
        return replace(here, board={**here.board, "within": within})

    def describe(self, board: Mapping[str, Any], state: NodeKey) -> Iterator[dict[str, Any]]:
        """The fields of a position."""
        for turn in super().describe(board, state):
            yield {"mine": turn["mine"], "within": board["within"], **turn}
