"""What a sheet may be played for: the parameters that say it, and the game that they make."""

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
    """What one player wants."""
    return parameter(
        SCORE,
        "score (the mean), reach (the chance to end with a target) or beat (to end ahead of others)",
        choices=OBJECTIVES,
        tacit=True,
    )


def players_parameter() -> Any:
    """One, or two against each other."""
    return parameter(1, "how many play; two play to win", low=1, high=2, tacit=True)


def played_for(
    parameters: Mapping[str, Any],
    mean: type[SheetGame],
    reach: type[ReachSheet],
    beat: type[BeatSheet],
    two: type[TwoSheets],
) -> SheetGame:
    """The game of these parameters, of one of four sorts; raises ParameterError for two who want something else."""
    objective = parameters.get("objective", SCORE)
    if parameters.get("players") != 2:
        return {REACH: reach, BEAT: beat}.get(objective, mean)(**parameters)
    if objective != SCORE:
        raise ParameterError(
            f"two play {mean.name} to win: leave objective out, or players",
            hint="-p objective=beat is for one who knows what the others have, or how they go on",
            field="objective",
        )
    return two(**parameters)
