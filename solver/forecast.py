"""A forecast: how a game played alone ends under its best play, as the whole distribution of the final score.

Boards are taken level by level, from one board on. Each board of the present level has a *window*: the chances of the
points made on the way there. One turn of a board is backed up from the values of the boards that follow, chance runs
back through it to its ends, and each end carries the window on to the next board.

The forecast is that of one policy: of equally good moves it plays the first in the turn's own order, and moves count as
equally good where the certified intervals of their values cannot tell them apart. So it may lose what these intervals
hide, and its mean is the optimal value less at most that; that it is so is checked.

Every number in it is a sum of products of chances, none negative: it is known to within its number of roundings,
relative to itself. On levels of very many boards the least likely boards and points are left out; the chance of all
that was left out is ``lost``, and belongs to every upper bound.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import fsum

import numpy as np
from numpy.typing import NDArray

from solver.errors import BadInput
from solver.graph import NO_RESULT, PREFER, TurnGraph
from solver.model import TurnGame
from solver.query import Read

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Booked:
    """What a line gets of the points still to come: their mean, and the chance that there are any.

    A line that may earn points again and again has no such ``chance`` here (it counts every time).
    """

    mean: float
    chance: float


@dataclass(frozen=True)
class Forecast:
    """The points still to come, from a board to the end.

    ``chances``: float64, by number of points, within ``off`` of the truth, relative to themselves; ``lines``: by name,
    within ``off_lines``, likewise. All may lack ``lost``, the chance of everything that was left out (a mean lacks no
    more than that times the most points that its line holds). ``again``: the chance that lines which may earn points
    again and again earn some, within ``off_again`` in absolute terms, and lacking ``lost``, or having it too much.
    ``n_boards`` were come to.
    """

    chances: Floats
    lines: dict[str, Booked]
    again: dict[str, float]
    off: float
    off_lines: float
    off_again: float
    lost: float
    n_boards: int

    @property
    def mean(self) -> float:
        """The mean of what was not left out."""
        return fsum((self.chances * np.arange(len(self.chances))).tolist())


def forecast(
    game: TurnGame,
    graph: TurnGraph,
    read: Read,
    board: int,
    *,
    workers: int = 2,
    report: Callable[[float], None] = lambda share: None,
) -> Forecast:
    """The forecast from a board, before its turn. ``read`` gives the solved (values, radius) of boards by index.

    Raises BadInput for a game that has no such forecast, TooLarge where it does not fit, NotConverged if its mean is
    not the value.
    """
    from solver.flow import Pass  # and with it the compiler

    require_scores(game, graph)
    return Pass(game, graph, read, board, workers, report).run()


def require_scores(game: TurnGame, graph: TurnGraph) -> None:
    """Raise BadInput unless the game ends with a score after turns that never come back to a board."""
    if game.kind != "solo" or game.measure != "score" or game.cyclic:
        raise BadInput(
            "BadInput: a forecast is of the final score of a game played alone that never comes back to a board; "
            f"{game} is none"
        )
    if any(leaf.result == NO_RESULT for leaf in graph.leaves) or (graph.kind == PREFER).any():
        raise BadInput(f"BadInput: turns of {game} have a cut or a rule of thumb, and no forecast goes past these")
