"""One backup of a turn at a table: the value of a board is a vector, one number a seat, from the mover to the left.

The mover takes the child with the largest own share. Ties are broken by the game's own order alone: the first child
within ``TIE`` of the best, a margin above rounding errors. Where no pure strategies are in equilibrium, a decision may
be mixed: then the value of a node is a mean.

The policy never goes past a proven cut; a deviating seat may, and is credited with the upper bound there.
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
from rollwise.solver.turn.perspective import ILLEGAL, Constants, unpack_codes
from rollwise.solver.turn.transition_reader import Compiled, TransitionReader
from rollwise.solver.turn.transitions import UsedFields

Vectors = NDArray[np.float64]  # the last axis runs over the seats, the mover's first
Ints = NDArray[np.int64]
TIE = 2.0**-40  # of the mover's share: children this close to the best are equally good
MIN_SEATS = 3
ENDING_PREFIX = "ending_"  # before the name of a class of endings, in names of arrays
IN_ORDER, REVERSED, NEXT_SEAT = 0, 1, 2  # which of equally good moves: the first, the last, the best for the next seat


# --- one turn ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class MixedStrategy:
    """Randomised decisions: ``rows`` are (board, node, edge of the node, chance), float64, shape (n, 4)."""

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
        edges_of: dict[tuple[int, int], list[tuple[int, float]]] = {}
        for board, node, edge, chance in self.rows.tolist():
            if int(board) in lane_of:
                edges_of.setdefault((int(node), lane_of[int(board)]), []).append((int(edge), chance))
        return [Draw(node, lane, dict(chances)) for (node, lane), chances in edges_of.items()]


@dataclass(frozen=True)
class Draw:
    """A randomised decision on one lane: chances by edge of a node."""

    node: int
    lane: int
    chances: dict[int, float]


PURE = MixedStrategy(np.zeros((0, 4)))


def table_backup(
    graph: TurnGraph, leaves: Vectors, slack: Any = TIE, draws: list[Draw] | None = None, ties: int = IN_ORDER
) -> Vectors:
    """Every node's vector, float64, shape (n_nodes, lanes, seats).

    ``leaves``: shape (n_leaves, lanes, seats), -inf where a leaf is illegal or lies past a cut; ``slack``: a number, or
    one a lane: children this close to the mover's best are equally good, and ``ties`` selects one of them.
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
    """Value of each seat's best response at every node, while the other seats keep to the policy.

    ``leaves`` holds values of best responses on the next boards, ``vectors`` is ``table_backup`` of the policy's own
    values (with the same ``slack`` and ``draws``), which determines its choices. Shapes as there. With expected turns
    in place of responses: the longest game that each seat alone can force.
    """
    lanes = np.arange(leaves.shape[1])

    def reply(children: Vectors, layer: Layer) -> Vectors:
        chosen: Vectors = children[edges_taken(vectors[layer.child], layer.starts, slack, ties), lanes]
        chosen[:, :, 0] = np.maximum.reduceat(children[:, :, 0], layer.starts, axis=0)
        return _drawn(chosen, children, layer, draws or [], first=1)

    return back_up(graph, leaves, mean, reply)


def _drawn(chosen: Vectors, children: Vectors, layer: Layer, draws: list[Draw], first: int = 0) -> Vectors:
    """Replace the values of randomised decisions by the mean, for all seats from ``first`` on."""
    for draw in draws:
        if layer.first <= draw.node < layer.end:
            place = draw.node - layer.first
            below = children[layer.starts[place] :, draw.lane, first:]
            chosen[place, draw.lane, first:] = sum(chance * below[edge] for edge, chance in draw.chances.items())
    return chosen


def edges_taken(children: Vectors, starts: Ints, slack: Any, ties: int) -> Ints:
    """Each node's edge by ``ties`` among those within ``slack`` of its best; ``children``: (edges, lanes, n)."""
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
    """True for edges within ``slack`` of their node's best, shape (edges, lanes)."""
    best = np.maximum.reduceat(own, starts, axis=0)
    is_near: NDArray[np.bool_] = own >= np.repeat(best, np.diff(starts, append=len(own)), axis=0) - slack
    return is_near


# --- from a turn's results to boards and shares -------------------------------------------------------------------


def n_seats(game: TurnGame) -> int:
    """Number of seats at the table: the game's ``players``, three or more; raises ModelError for fewer."""
    seats = int(game.parameters()["players"])
    if seats < MIN_SEATS:
        raise ModelError(f"{game} is a table of {seats}; two players are a duel, and a table has {MIN_SEATS} or more")
    return seats


def table_uses(game: TurnGame) -> UsedFields:
    """Fields of ``Transition`` at a table: shares at the end, seat by seat from the mover, and the next mover."""
    seats = n_seats(game)
    return UsedFields("a table", frozenset(("legal", "over", "shares")), seats=seats, n_shares=seats)


def table_reader(game: TurnGame, graph: TurnGraph, look_up: Compiled | None = None) -> TransitionReader:
    """The reader of a table's transitions; raises ModelError for a turn with rewards."""
    if any(leaf.result != NO_RESULT and leaf.lower for leaf in graph.leaves):
        raise ModelError(f"{game} is a table: a turn is worth shares, not points")
    constants = Constants(game.boards().size, (n_seats(game) - 1).bit_length())
    return TransitionReader(game, graph, constants, look_up, table_uses(game))


def rows_of_endings(constants: Constants, seats: int) -> tuple[Vectors, Vectors]:
    """Values of each ending to the seats, from the mover, and upper bounds of them to a deviating seat.

    Both float64, shape (endings, seats); -inf where a result is illegal. Only a deviating seat goes past a cut.
    """
    places = constants.place.copy()  # other threads may add constants meanwhile
    own, reply = (np.full((len(places), seats), -np.inf) for _ in range(2))
    for ending, place in places.items():
        if ending == ILLEGAL:
            continue
        if len(ending) == seats:
            own[place] = reply[place] = [float(share) for share in ending]
        else:
            reply[place, 0] = float(ending[1])
    return own, reply


def is_surely_zero(shares: Vectors) -> NDArray[np.bool_]:
    """True for shares of boards that are 0 under every policy; -0 marks those of this policy, up to rounding."""
    is_zero: NDArray[np.bool_] = (shares == 0) & ~np.signbit(shares)
    return is_zero


def ending_chances(constants: Constants, seats: int, counts: Callable[[tuple[Fraction, ...]], bool]) -> Any:
    """1 for each ending that counts, 0 for the others, float64, shape (endings,); 0 past a cut."""
    endings = list(constants.place)
    return np.array([float(ending != ILLEGAL and len(ending) == seats and counts(ending)) for ending in endings])


def rotated_to_mover(rows: Vectors, codes: NDArray[Any], bits: int) -> Vectors:
    """Vectors of the boards and endings of codes, rotated to the present mover: float64, shape (codes' shape, seats).

    ``rows``: shape (boards and then endings, seats), each from the mover there.
    """
    (following, passes), seats = unpack_codes(codes, bits), rows.shape[1]
    rotated = (np.arange(seats) - passes[..., None].astype(np.int64)) % seats
    vectors: Vectors = np.take_along_axis(rows[following], rotated, axis=-1)
    return vectors
