"""The objective of a score sheet: its parameters, and the game that they choose."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rollwise.games.objectives.beating import BeatSheet
from rollwise.games.objectives.reaching import ReachSheet
from rollwise.games.objectives.two_sheets import TwoSheets
from rollwise.games.sheets import SheetGame
from rollwise.solver.model.errors import ParameterError
from rollwise.solver.model.game import parameter

SCORE, REACH, BEAT = OBJECTIVES = ("score", "reach", "beat")


def objective_parameter() -> Any:
    """The parameter ``objective`` of one player."""
    return parameter(
        SCORE,
        "score (the mean), reach (the chance to end with a target) or beat (to end ahead of others)",
        choices=OBJECTIVES,
        tacit=True,
    )


def players_parameter() -> Any:
    """The parameter ``players``: one, or two against each other."""
    return parameter(1, "how many play; two play to win", low=1, high=2, tacit=True)


def game_with_objective(
    parameters: Mapping[str, Any],
    mean: type[SheetGame],
    reach: type[ReachSheet],
    beat: type[BeatSheet],
    two: type[TwoSheets],
) -> SheetGame:
    """The game of these parameters, of one of four classes; raises ParameterError where two have another objective."""
    objective = parameters.get("objective", SCORE)
    if parameters.get("players") != 2:
        return {REACH: reach, BEAT: beat}.get(objective, mean)(**parameters)
    if objective != SCORE:
        raise ParameterError(
            f"two play {mean.name} to win: leave objective out, or players",
            hint="-p objective=beat is for one player against final scores or sheets of others",
            field="objective",
        )
    return two(**parameters)
