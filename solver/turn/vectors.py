"""One backup of a turn at a table: a board is worth a vector, one number a seat.

Whoever moves picks the child that is best for them; the others take what comes with it. Equally good children are told
apart by the game's own order alone: the first one within a slack that covers all rounding.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.game.errors import ModelError
from rollwise.solver.game.model import TurnGame
from rollwise.solver.turn.graph import CHANCE, NO_RESULT, TurnGraph
from rollwise.solver.turn.perspective import ILLEGAL, Constants
from rollwise.solver.turn.settled import Settler, Uses

Vectors = NDArray[np.float64]  # the last axis runs over the seats
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class TableMoves:
    """Where leaves lead from a block of boards, one column (lane) a board.

    ``following``: int64, shape (leaves, lanes): the next board, -1 where there is none. ``ended``: float64, shape
    (leaves, lanes, seats): there the final shares, or -inf where the result is illegal; 0 elsewhere.
    """

    following: Ints
    ended: Vectors

    def leaves(self, values: Vectors) -> Vectors:
        """What every leaf is worth to every seat, float64, shape (leaves, lanes, seats)."""
        worth: Vectors = np.where((self.following >= 0)[..., None], values[self.following], self.ended)
        return worth

    def radius(self, radius: NDArray[np.float32]) -> NDArray[np.float64]:
        """How far off any leaf's worth may be, per lane."""
        off: NDArray[np.float64] = np.where(self.following >= 0, radius[self.following].astype(np.float64), 0.0)
        widest: NDArray[np.float64] = off.max(axis=0)
        return widest


# --- one turn ----------------------------------------------------------------------------------------------------


def table_backup(graph: TurnGraph, leaves: Vectors, mover: Ints, slack: Any = 0.0) -> Vectors:
    """Every node's vector, float64, shape (n_nodes, lanes, seats).

    ``leaves``: as from ``TableMoves.leaves``; ``mover``: shape (lanes,); ``slack``: a number, or one a lane: children
    this close to the mover's best are equally good, and the first of them is taken.
    """
    lanes = np.arange(len(mover))

    def first_best(children: Vectors, _: Any, starts: Ints) -> Vectors:
        chosen: Vectors = children[_first_best(children[:, lanes, mover], starts, slack), lanes]
        return chosen

    return _by_layers(graph, leaves, first_best)


def table_replies(graph: TurnGraph, leaves: Vectors, vectors: Vectors, mover: Ints, slack: Any = 0.0) -> Vectors:
    """What each seat gets at every node if it alone plays its best and the others keep to the policy found.

    ``leaves`` holds those best replies on the boards that follow, ``vectors`` is ``table_backup`` of the policy's own
    values (with the same ``slack``), which says what is chosen. Shapes as there.
    """
    lanes = np.arange(len(mover))

    def reply(children: Vectors, rows: Ints, starts: Ints) -> Vectors:
        chosen: Vectors = children[_first_best(vectors[rows[:, None], lanes, mover], starts, slack), lanes]
        chosen[:, lanes, mover] = np.maximum.reduceat(children[:, lanes, mover], starts, axis=0)
        return chosen

    return _by_layers(graph, leaves, reply)


def _by_layers(graph: TurnGraph, leaves: Vectors, choose: Callable[[Vectors, Ints, Ints], Vectors]) -> Vectors:
    """Chance nodes take the weighted mean; ``choose(children, their rows, where each node's begin)`` does the rest."""
    vectors = np.empty((graph.n_nodes, *leaves.shape[1:]))
    vectors[: graph.n_leaves] = leaves
    for kind, first, end in graph.segments.tolist():
        i, j = first - graph.n_leaves, end - graph.n_leaves
        edges = slice(int(graph.start[i]), int(graph.start[j]))
        starts = graph.start[i:j] - graph.start[i]
        children = vectors[graph.child[edges]]
        if kind == CHANCE:
            children *= graph.weight[edges, None, None]
            np.add.reduceat(children, starts, axis=0, out=vectors[first:end])
            vectors[first:end] /= graph.total[i:j, None, None]
        else:
            vectors[first:end] = choose(children, graph.child[edges].astype(np.int64), starts)
    return vectors


def _first_best(own: NDArray[np.float64], starts: Ints, slack: Any) -> Ints:
    """The first edge of each node within ``slack`` of the node's best; ``own``: shape (edges, lanes)."""
    best = np.maximum.reduceat(own, starts, axis=0)
    good = own >= np.repeat(best, np.diff(starts, append=len(own)), axis=0) - slack
    place = np.where(good, np.arange(len(own))[:, None], len(own))
    first: Ints = np.minimum.reduceat(place, starts, axis=0)
    return first


# --- from a turn's results to boards and shares -------------------------------------------------------------------


def n_seats(game: TurnGame) -> int:
    """How many sit at the table: the game's ``players``."""
    return int(game.parameters()["players"])


def table_uses(game: TurnGame) -> Uses:
    """What ``settle`` may say at a table: shares at the end, seat by seat; the board says who moves."""
    return Uses("a table", frozenset(("legal", "over", "shares")), n_shares=n_seats(game))


def table_moves(game: TurnGame, graph: TurnGraph, root: int, boards: Ints) -> TableMoves:
    """Where the leaves below the node ``root`` lead from boards whose turns start there (other leaves: worth 0).

    Raises ModelError where ``settle`` says what a table cannot use.
    """
    constants = Constants(game.boards().size)
    settler = Settler(game, graph, constants, uses=table_uses(game))
    rows = np.flatnonzero(graph.reachable(root)[: graph.n_leaves])
    for row in rows.tolist():
        leaf = graph.leaves[row]
        if leaf.result == NO_RESULT or leaf.lower:
            raise ModelError(f"{game} is a table: a turn is worth shares, not points or bounds of its own")
    following = settler.transitions(rows, boards).codes >> constants.bits
    over = following >= constants.n_boards
    worths = np.array([_shares(worth, n_seats(game)) for worth in constants.place])
    shape = (graph.n_leaves, len(boards))
    moves = TableMoves(np.full(shape, -1, dtype=np.int64), np.zeros((*shape, n_seats(game))))
    moves.following[rows] = np.where(over, -1, following)
    moves.ended[rows] = np.where(over[..., None], worths[np.where(over, following - constants.n_boards, 0)], 0.0)
    return moves


def _shares(worth: Any, seats: int) -> list[float]:
    """What an end of the game is worth to each seat; -inf where it is illegal."""
    return [-np.inf] * seats if worth == ILLEGAL else [float(share) for share in worth]


def tie_slack(radius: NDArray[np.float32]) -> NDArray[np.float64]:
    """The ``slack`` of boards with this radius: two exact ties never look further apart, whatever was rounded."""
    return 2.0 * radius.astype(np.float64)
