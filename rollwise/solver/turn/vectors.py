"""One backup of a turn at a table: a board is worth a vector, one number a seat, from the mover to the left.

Whoever moves picks the child that is best for them; the others take what comes with it. Equally good children are told
apart by the game's own order alone: the first one within ``TIE`` of the best, which is more than rounding can make of a
tie. Where no choice of single moves is stable, a decision may be mixed: then what a node is worth is a mean.

Past a proven cut the policy never goes; somebody who deviates may, and is thought to gain the upper bound there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.model.errors import ModelError
from rollwise.solver.model.game import TurnGame
from rollwise.solver.turn.algebra import back_up, mean
from rollwise.solver.turn.graph import NO_RESULT, Layer, TurnGraph
from rollwise.solver.turn.perspective import ILLEGAL, Constants, read
from rollwise.solver.turn.transition_reader import Compiled, TransitionReader, Uses

Vectors = NDArray[np.float64]  # the last axis runs over the seats, the mover's first
Ints = NDArray[np.int64]
TIE = 2.0**-40  # of the mover's share: children so close to the best are equally good, and the first of them is taken
FEWEST = 3
ENDING = "ending_"  # before the name of a sort of endings: what is kept of it
IN_ORDER, REVERSED, NEXT_SEAT = 0, 1, 2  # which of equally good moves: the first, the last, the best for the next seat


# --- one turn ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class MixedStrategy:
    """Decisions that are drawn by lot: ``rows`` are (board, node, edge of the node, chance), float64, shape (n, 4)."""

    rows: Vectors

    @cached_property
    def boards(self) -> Ints:
        """The boards that have such decisions, ascending."""
        return np.unique(self.rows[:, 0].astype(np.int64))

    def on(self, boards: Ints) -> list[Draw]:
        """The decisions on these boards, one lane a board."""
        if not len(self.rows) or not np.isin(self.boards, boards).any():
            return []
        lane_of = {board: lane for lane, board in enumerate(boards.tolist())}
        found: dict[tuple[int, int], list[tuple[int, float]]] = {}
        for board, node, edge, chance in self.rows.tolist():
            if int(board) in lane_of:
                found.setdefault((int(node), lane_of[int(board)]), []).append((int(edge), chance))
        return [Draw(node, lane, dict(edges)) for (node, lane), edges in found.items()]


@dataclass(frozen=True)
class Draw:
    """On one lane a node draws its edge by lot: chances by edge."""

    node: int
    lane: int
    chances: dict[int, float]


UNMIXED = MixedStrategy(np.zeros((0, 4)))


def table_backup(
    graph: TurnGraph, leaves: Vectors, slack: Any = TIE, draws: list[Draw] | None = None, ties: int = IN_ORDER
) -> Vectors:
    """Every node's vector, float64, shape (n_nodes, lanes, seats).

    ``leaves``: shape (n_leaves, lanes, seats), -inf where a leaf is illegal or lies past a cut; ``slack``: a number, or
    one a lane: children this close to the mover's best are equally good, and ``ties`` says which of them is taken.
    """
    lanes = np.arange(leaves.shape[1])

    def first_best(children: Vectors, layer: Layer) -> Vectors:
        chosen: Vectors = children[edges_taken(children, layer.starts, slack, ties), lanes]
        return _drawn(chosen, children, layer, draws or [])

    return back_up(graph, leaves, mean, first_best)


def table_replies(
    graph: TurnGraph,
    leaves: Vectors,
    vectors: Vectors,
    slack: Any = TIE,
    draws: list[Draw] | None = None,
    ties: int = IN_ORDER,
) -> Vectors:
    """What each seat gets at every node if it alone plays its best and the others keep to the policy found.

    ``leaves`` holds those best replies on the boards that follow, ``vectors`` is ``table_backup`` of the policy's own
    values (with the same ``slack`` and ``draws``), which says what is chosen. Shapes as there. With waiting times in
    place of replies: how long each seat alone can make the game.
    """
    lanes = np.arange(leaves.shape[1])

    def reply(children: Vectors, layer: Layer) -> Vectors:
        chosen: Vectors = children[edges_taken(vectors[layer.child], layer.starts, slack, ties), lanes]
        chosen[:, :, 0] = np.maximum.reduceat(children[:, :, 0], layer.starts, axis=0)
        return _drawn(chosen, children, layer, draws or [], first=1)

    return back_up(graph, leaves, mean, reply)


def _drawn(chosen: Vectors, children: Vectors, layer: Layer, draws: list[Draw], first: int = 0) -> Vectors:
    """A node whose edge is drawn by lot is worth the mean, to all seats from the ``first`` on."""
    for draw in draws:
        if layer.first <= draw.node < layer.end:
            place = draw.node - layer.first
            below = children[layer.starts[place] :, draw.lane, first:]
            chosen[place, draw.lane, first:] = sum(chance * below[edge] for edge, chance in draw.chances.items())
    return chosen


def edges_taken(children: Vectors, starts: Ints, slack: Any, ties: int) -> Ints:
    """Of each node's edges within ``slack`` of its best the one that ``ties`` says; ``children``: (edges, lanes, n)."""
    own = children[:, :, 0]
    good = _near_best(own, starts, slack)
    if ties == NEXT_SEAT:
        good &= _near_best(np.where(good, children[:, :, 1], -np.inf), starts, slack)
    place = np.arange(len(own))[:, None]
    if ties == REVERSED:
        last: Ints = np.maximum.reduceat(np.where(good, place, -1), starts, axis=0)
        return last
    first: Ints = np.minimum.reduceat(np.where(good, place, len(own) - 1), starts, axis=0)
    return first


def _near_best(own: NDArray[np.float64], starts: Ints, slack: Any) -> NDArray[np.bool_]:
    """Which edges are within ``slack`` of their node's best, shape (edges, lanes)."""
    best = np.maximum.reduceat(own, starts, axis=0)
    near: NDArray[np.bool_] = own >= np.repeat(best, np.diff(starts, append=len(own)), axis=0) - slack
    return near


# --- from a turn's results to boards and shares -------------------------------------------------------------------


def n_seats(game: TurnGame) -> int:
    """How many sit at the table: the game's ``players``, three or more; raises ModelError for fewer."""
    seats = int(game.parameters()["players"])
    if seats < FEWEST:
        raise ModelError(f"{game} is a table of {seats}; two players are a duel, and a table has {FEWEST} or more")
    return seats


def table_uses(game: TurnGame) -> Uses:
    """What ``transition`` may say at a table: shares at the end, place by place from the mover, and where the dice go."""
    seats = n_seats(game)
    return Uses("a table", frozenset(("legal", "over", "shares")), seats=seats, n_shares=seats)


def table_settler(game: TurnGame, graph: TurnGraph, look_up: Compiled | None = None) -> TransitionReader:
    """Reads where results lead; raises ModelError for a turn that is worth points."""
    if any(leaf.result != NO_RESULT and leaf.lower for leaf in graph.leaves):
        raise ModelError(f"{game} is a table: a turn is worth shares, not points")
    constants = Constants(game.boards().size, (n_seats(game) - 1).bit_length())
    return TransitionReader(game, graph, constants, look_up, table_uses(game))


def rows_of_endings(constants: Constants, seats: int) -> tuple[Vectors, Vectors]:
    """What each ending is worth to the seats, from the mover, and what it may be worth to one that deviates.

    Both float64, shape (endings, seats); -inf where a result is illegal. Past a cut only somebody who deviates goes.
    """
    places = constants.place.copy()  # other threads may come to other ends meanwhile
    own, reply = (np.full((len(places), seats), -np.inf) for _ in range(2))
    for worth, place in places.items():
        if worth == ILLEGAL:
            continue
        if len(worth) == seats:
            own[place] = reply[place] = [float(share) for share in worth]
        else:
            reply[place, 0] = float(worth[1])
    return own, reply


def is_nothing(shares: Vectors) -> NDArray[np.bool_]:
    """Shares of boards that are 0 whatever anybody does; -0 is what comes of the policy alone, near enough."""
    found: NDArray[np.bool_] = (shares == 0) & ~np.signbit(shares)
    return found


def ending_chances(constants: Constants, seats: int, counts: Callable[[tuple[Fraction, ...]], bool]) -> Any:
    """1 for each ending that counts, 0 for the others, float64, shape (endings,); past a cut none is known."""
    worths = list(constants.place)
    return np.array([float(worth != ILLEGAL and len(worth) == seats and counts(worth)) for worth in worths])


def seen_from_mover(rows: Vectors, codes: NDArray[Any], bits: int) -> Vectors:
    """The vectors that codes name, seen from who moves now: float64, shape (codes' shape, seats).

    ``rows``: shape (boards and then endings, seats), each seen from who moves there.
    """
    (following, passes), seats = read(codes, bits), rows.shape[1]
    turned = (np.arange(seats) - passes[..., None].astype(np.int64)) % seats
    found: Vectors = np.take_along_axis(rows[following], turned, axis=-1)
    return found
