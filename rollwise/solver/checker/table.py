"""Proof of a table: shares within their radius, and nobody gains more by playing otherwise than is said.

One backup of every board is looked at. It carries three vectors, one number a seat from the mover: the shares V under
the policy, which is read from the stored shares; what a seat gets that alone plays its best (Q; where none is stored,
Q is V); and the radius R, each seat playing for the most of that. If on every board and for every seat

    R >= max(|T V - V|, T Q - Q) + rounding + T R,

then the policy ends the game (R falls by the rounding at least in every turn), its true shares are within R of V, and
no seat gets more than Q + R, whatever it does, the others keeping to the policy. At the end R is what the game itself
leaves uncertain: so much is on every board that can be come to, once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.checker.backup import UNIT
from rollwise.solver.checker.bounds import NUMBERS, Failures, excess, possible
from rollwise.solver.checker.transitions import told
from rollwise.solver.model.game import TurnGame
from rollwise.solver.turn.graph import CHANCE, NO_RESULT, TurnGraph

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
LIKELIEST = 1e-3  # no tie that is larger than this can have been meant


@dataclass(frozen=True)
class Claimed:
    """What is claimed of a table: shares and radius by board and seat, the best replies where they are not the shares.

    ``mixed``: rows (board, node, edge, chance) of decisions that are drawn by lot; ``tie``: how near to the best a move
    is as good; ``gain_limit``: nobody gains more.
    """

    values: Floats
    radius: NDArray[np.float32]
    replies: Floats | None
    mixed: Floats
    tie: object
    gain_limit: object


class TableProof:
    """One backup of every board; ``rows`` holds shares, replies and radius side by side, shape (boards, 3, seats)."""

    def __init__(self, game: TurnGame, graph: TurnGraph, claimed: Claimed, tie: float) -> None:
        self.game, self.graph, self.tie = game, graph, tie
        values = claimed.values
        replies = values if claimed.replies is None else claimed.replies
        self.rows = np.stack([values, replies, claimed.radius.astype(np.float64)], axis=1)
        self.seats = values.shape[1]
        space = game.boards()
        self.root_of = np.broadcast_to(game.root(space.columns(np.arange(space.size))), space.size)
        self.possible = possible(game)
        self.failures = Failures()
        self.lots: dict[tuple[int, int], dict[int, float]] = {}
        for board, node, edge, chance in claimed.mixed.tolist():
            self.lots.setdefault((int(board), int(node)), {})[int(edge)] = chance

    def lots_hold(self) -> bool:
        """Are all lots chances of edges that there are?"""
        graph = self.graph
        for (board, node), chances in self.lots.items():
            inside = 0 <= board < len(self.rows) and graph.n_leaves <= node < graph.n_nodes
            if not inside or graph.kind[node - graph.n_leaves] == CHANCE:
                return False
            count = len(list(graph.children(node)))
            fair = all(0 <= edge < count and 0 <= chance <= 1 for edge, chance in chances.items())
            if not fair or sum(map(Fraction, chances.values())) != 1:
                return False
        return True

    def run(self, report: Callable[[float], None]) -> None:
        """All boards, some at a time."""
        at_once = max(1, NUMBERS // (8 * self.graph.n_nodes * self.seats))
        n_boards, done = int(self.possible.sum()), 0
        for number in np.unique(self.root_of[self.possible]).tolist():
            of_root = np.flatnonzero(self.possible & (self.root_of == number))
            for boards in np.array_split(of_root, -(-len(of_root) // at_once)):
                self.back_up(int(self.graph.roots[number]), boards)
                done += len(boards)
                report(done / n_boards)

    def back_up(self, root: int, boards: Ints) -> None:
        """Look at the inequality on these boards."""
        graph, lanes = self.graph, np.arange(len(boards))
        needed = graph.reachable(root)
        at: dict[int, Floats] = {}  # shape (lanes, 3, seats)
        lost = np.zeros(len(boards), dtype=bool)
        for leaf in np.flatnonzero(needed[: graph.n_leaves]).tolist():
            at[leaf], off = self.leaf(leaf, boards)
            lost |= off
        lane_of = {board: lane for lane, board in enumerate(boards.tolist())}
        drawn = [(node, lane_of[board]) for board, node in self.lots if board in lane_of]
        for node in range(graph.n_leaves, root + 1):
            if not needed[node]:
                continue
            children = list(graph.children(node))
            below = np.array([at[child] for child, _ in children])
            kind = graph.kind[node - graph.n_leaves]
            if kind == CHANCE:
                weights = np.array([weight for _, weight in children], dtype=np.float64)
                at[node] = np.einsum("c,cslk->slk", weights, below) / weights.sum()
                continue
            mine = below[:, :, 0, 0]
            chosen = np.argmax(mine >= mine.max(axis=0) - self.tie, axis=0)
            found = below[chosen, lanes]
            for lane in [lane for other, lane in drawn if other == node]:
                lots = self.lots[int(boards[lane]), node]
                found[lane] = sum(chance * below[edge, lane] for edge, chance in lots.items())
            found[:, 1:, 0] = below[:, :, 1:, 0].max(axis=0)  # who deviates is the mover here
            at[node] = found
        self.compare(boards, at[root], lost)

    def compare(self, boards: Ints, after: Floats, lost: NDArray[np.bool_]) -> None:
        """Note the boards that a backup, which comes to ``after``, shows to be wrong."""
        here = self.rows[boards]
        rounding = (self.graph.terms + 8) * UNIT * (1 + np.abs(after[:, 2]))  # shares are at most 1
        moved = np.maximum(np.abs(after[:, 0] - here[:, 0]), after[:, 1] - here[:, 1])
        needed_radius = moved + rounding + after[:, 2]
        by = np.array([excess(wanted, there) for wanted, there in zip(needed_radius.T, here[:, 2].T, strict=True)])
        self.failures.add(
            boards, np.where(lost, np.inf, by.max(axis=0)), "the shares are further off than their radius,"
        )

    def leaf(self, number: int, boards: Ints) -> tuple[Floats, NDArray[np.bool_]]:
        """What a leaf is worth on these boards, shape (lanes, 3, seats), and where it leads to no board."""
        leaf = self.graph.leaves[number]
        if leaf.result == NO_RESULT:  # past a cut only somebody who deviates goes
            found = np.full((len(boards), 3, self.seats), -np.inf)
            found[:, 1, 0], found[:, 2, 0] = float(leaf.upper), self.game.uncertain
            return found, np.zeros(len(boards), dtype=bool)
        said = told(self.game, boards, self.graph.results[leaf.result], self.seats)
        around = (np.arange(self.seats) - said.passes[:, None]) % self.seats
        ahead = self.rows[np.maximum(said.following, 0)]
        found = np.take_along_axis(ahead, np.repeat(around[:, None, :], 3, axis=1), axis=2)
        ended = np.stack(
            [said.shares.T, said.shares.T, np.full((len(boards), self.seats), self.game.uncertain)], axis=1
        )
        found = np.where(said.over[:, None, None], ended, found)
        found[said.illegal] = -np.inf
        unfit = said.over & (np.abs(said.shares.sum(axis=0) - 1) > 8 * UNIT)
        return found, said.lost | unfit | bool(leaf.lower)


def table_holds(game: TurnGame, graph: TurnGraph, claimed: Claimed, report: Callable[[float], None]) -> str | None:
    """What is wrong with the shares of these boards, or with the gain that is said; None where all holds."""
    if not isinstance(claimed.tie, float) or not 0 <= claimed.tie <= LIKELIEST:
        return f"the entry says that moves within {claimed.tie} are as good as each other"
    table = TableProof(game, graph, claimed, claimed.tie)
    if not table.lots_hold():
        return "the lots by which decisions are drawn are no chances of moves"
    with np.errstate(invalid="ignore"):  # a stored nan is found by the comparison
        table.run(report)
    wrong = table.failures.told(game)
    if wrong is not None:
        return wrong
    gain = float(np.nanmax((table.rows[:, 1] - table.rows[:, 0] + 2 * table.rows[:, 2])[table.possible]))
    if not isinstance(claimed.gain_limit, float) or not gain <= claimed.gain_limit:
        return f"a seat can gain {gain:.3g} by playing otherwise, the entry says at most {claimed.gain_limit}"
    return None
