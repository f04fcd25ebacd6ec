"""Forecast of a game played alone: distribution of its final score under the optimal policy, by a forward pass.

The forward (Chapman-Kolmogorov) equation takes boards level by level. Each board of the present level has a *window*:
the probabilities of the points earned on the way there. The turn of a board is backed up from the values of the boards
that follow, probability runs from its root to its ends, and each end moves the window on to the next board.

The forecast is that of one policy: of equally good moves it plays the first in the turn's own order, and moves count as
equally good where the certified intervals of their values overlap. So it may lose the width of these intervals, and its
mean is the optimal value less at most that, which is checked.

Every number is a sum of products of chances, none negative, so the number of roundings bounds its relative error. On
levels of very many boards the least likely boards and points are left out; their probability is ``lost``, and belongs
to every upper bound.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from rollwise.solver.model.errors import BadInput
from rollwise.solver.model.game import TurnGame
from rollwise.solver.model.limits import n_workers
from rollwise.solver.turn.graph import NO_RESULT, TurnGraph
from rollwise.solver.turn.query import Read

if TYPE_CHECKING:
    from rollwise.solver.policy.flow import Forecast


def forecast(
    game: TurnGame,
    graph: TurnGraph,
    read: Read,
    board: int | Mapping[int, float],
    *,
    workers: int | None = None,
    report: Callable[[float], None] = lambda share: None,
) -> Forecast:
    """The forecast from a board, before its turn, or from several with their chances, which are 1 together.

    ``read`` gives the solved (values, radius) of boards by index.

    Raises BadInput for a game that has no such forecast, TooLarge where it does not fit, NotConverged if its mean is
    not the value.
    """
    from rollwise.solver.policy.flow import ForwardPass  # and with it the compiler

    why_not = why_no_scores(game, graph)
    if why_not:
        raise BadInput(f"no forecast: {why_not}")
    start = {board: 1.0} if isinstance(board, int) else board
    return ForwardPass(game, graph, read, start, workers or n_workers(), report).run()


def why_no_scores(game: TurnGame, graph: TurnGraph) -> str:
    """Reason why this game, played alone, has no forecast; empty where it has one."""
    if game.measure != "score":
        aim = getattr(game, "objective", None)
        return f"{game.name} is played {f'with objective={aim}' if aim else 'for the win'} here"
    if game.cyclic:
        return f"play of {game.name} can return to an earlier board"
    if any(leaf.result == NO_RESULT for leaf in graph.leaves):
        return f"turns of {game.name} have only bounds past a cut"
    return ""
