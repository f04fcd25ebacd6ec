"""Games to a goal: the objectives of one player, and a mixin for a goal to be reached within a number of turns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from rollwise.solver.model.errors import ParameterError
from rollwise.solver.model.fields import Field, Number
from rollwise.solver.model.game import Columns, NodeKey, Position
from rollwise.solver.model.turn_points import PointGame

MAX_TURNS, USUAL_TURNS = 50, 20  # turns left: the most, and the default of a question
TURNS_LEFT = range(1, MAX_TURNS + 1)


def game_to_goal(
    parameters: dict[str, Any],
    duel: type[PointGame],
    turns: type[PointGame],
    reach: type[PointGame],
    points: type[PointGame],
) -> PointGame:
    """The duel, or alone the fewest turns, the best chance of a few turns or the best single turn.

    Raises ParameterError for an objective of another number of players.
    """
    alone, alone_for = parameters.get("players") == 1, {"turns": turns, "reach": reach, "points": points}
    objective = parameters.setdefault("objective", "turns" if alone else "win")
    if alone != (objective in alone_for):
        fitting = "turns, reach or points" if alone else "win"
        raise ParameterError(
            f"'{duel.name}' with players={parameters.get('players', 2)} has objective {fitting}, got {objective}"
        )
    return alone_for.get(objective, duel)(**parameters)


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
