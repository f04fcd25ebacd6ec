"""What a turn goes for from here: the ends that it comes to under the best play, and the likeliest box of them.

Of equally good moves (those whose intervals do not tell them apart) the first is played.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.model.game import Node
from rollwise.solver.model.sheet import Boxes
from rollwise.solver.policy.carried import carry
from rollwise.solver.turn.graph import NO_RESULT
from rollwise.solver.turn.query import ExactTurn, OneTurn

Floats = NDArray[np.float64]
EQUAL = 1e-12  # chances that are no further apart count as equal: they are sums of rounded ones


def going_for(turn: OneTurn | ExactTurn, word: Node) -> tuple[str, float] | None:
    """The box that is most likely scored in by the end of the turn once ``word`` is chosen, and how likely that is.

    Of equally likely boxes the first on the sheet. None where the game has no boxes, where the word ends
    the turn, where it is past the solved turn, and where nothing is ever scored.
    """
    game, node = turn.game, turn.node_of(word)
    if not isinstance(game, Boxes) or node is None or node < turn.graph.n_leaves:
        return None
    chances = ends(turn, node)
    space = game.boards()
    board = space.columns(np.array([space.index_of(**turn.board)]))
    found: dict[str, float] = {}
    for leaf in np.flatnonzero(chances).tolist():
        end = turn.graph.leaves[leaf]
        if end.result != NO_RESULT:
            for box in game.scored_in(board, turn.graph.results[end.result], end.lower):
                found[box] = found.get(box, 0.0) + float(chances[leaf])
    if not found:
        return None
    most = max(found.values())
    box = next(box for box in game.played if found.get(box, 0.0) >= most - EQUAL)
    return box, min(1.0, found[box])


def ends(turn: OneTurn | ExactTurn, node: int) -> Floats:
    """How likely the turn ends in each leaf, float64, shape (n_leaves,), from this node under the best play."""
    chance = np.zeros((turn.graph.n_nodes, 1))
    chance[node] = 1.0
    carry(turn, chance)
    found: Floats = chance[: turn.graph.n_leaves, 0]
    return found
