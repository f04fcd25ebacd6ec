"""Target of a turn: the box in which the optimal policy most likely scores, by a forward pass to the ends of the turn.

Of equally good moves (those whose intervals overlap) the first is played.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.model.game import Node
from rollwise.solver.model.sheet import Boxes
from rollwise.solver.policy.forward_pass import push_forward
from rollwise.solver.turn.graph import NO_RESULT
from rollwise.solver.turn.query import ExactTurn, OneTurn

Floats = NDArray[np.float64]
EQUAL_TOLERANCE = 1e-12  # chances that differ by no more count as equal: they are sums of rounded ones


def going_for(turn: OneTurn | ExactTurn, node: Node) -> tuple[str, float] | None:
    """The box in which the turn most likely scores after ``node``, and its probability.

    Of equally likely boxes it is the first on the sheet. None where the game has no boxes, where the node ends the
    turn or is outside the solved turn, and where no box ever scores.
    """
    game, index = turn.game, turn.node_of(node)
    if not isinstance(game, Boxes) or index is None or index < turn.graph.n_leaves:
        return None
    chances = leaf_chances(turn, index)
    space = game.boards()
    board = space.columns(np.array([space.index_of(**turn.board)]))
    box_chances: dict[str, float] = {}
    for leaf in np.flatnonzero(chances).tolist():
        end = turn.graph.leaves[leaf]
        if end.result != NO_RESULT:
            for box in game.scored_in(board, turn.graph.results[end.result], end.lower):
                box_chances[box] = box_chances.get(box, 0.0) + float(chances[leaf])
    if not box_chances:
        return None
    highest = max(box_chances.values())
    box = next(box for box in game.played if box_chances.get(box, 0.0) >= highest - EQUAL_TOLERANCE)
    return box, min(1.0, box_chances[box])


def leaf_chances(turn: OneTurn | ExactTurn, node: int) -> Floats:
    """Probability of each leaf, float64, shape (n_leaves,), from this node by the optimal policy."""
    chance = np.zeros((turn.graph.n_nodes, 1))
    chance[node] = 1.0
    push_forward(turn, chance)
    leaves: Floats = chance[: turn.graph.n_leaves, 0]
    return leaves
