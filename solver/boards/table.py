"""Tables: every seat maximises its own share, so a board is worth a vector, one number a seat.

The seats are absolute, and whoever moves picks the child that is best for them; the others take what comes with it.
Equally good children are told apart by the game's own order alone: the first one within a slack that covers all
rounding is taken, so that a tie never falls to the last bit of a sum. That is a Markov perfect equilibrium, and the
certificate says how nearly: no seat gains more than ``gain`` from any board by playing otherwise on its own.

Boards have to come in levels, each turn leading to a higher one; boards that lead back to each other are refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.game.errors import ModelError, TooLarge
from rollwise.solver.game.model import TurnGame
from rollwise.solver.game.rounding import round_up
from rollwise.solver.turn.arrays import UNIT, rounding
from rollwise.solver.turn.graph import TurnGraph
from rollwise.solver.turn.vectors import n_seats, table_backup, table_moves, table_replies, tie_slack

Vectors = NDArray[np.float64]  # the last axis runs over the seats
Ints = NDArray[np.int64]
ROOM = 1 << 22  # numbers that the nodes of one block of boards may fill


@dataclass(frozen=True)
class TableValues:
    """The shares that every board is worth under the policy found, and the proof that it is an equilibrium.

    ``values``: float64, shape (boards, seats), nan where no board can be. ``radius``: float32, shape (boards,): the
    policy's true shares lie within it. ``gain``: the largest gain of any one seat from any board by its best
    deviation, as computed. ``n_boards``: how many boards can be.
    """

    values: Vectors
    radius: NDArray[np.float32]
    gain: float
    method: str
    n_boards: int

    @property
    def gain_limit(self) -> float:
        """No seat can gain more than this: ``gain`` with the rounding of both sides of the comparison."""
        return self.gain + 2 * float(np.nanmax(self.radius))


# --- all boards -----------------------------------------------------------------------------------------------------


def solve_table(game: TurnGame, graph: TurnGraph, progress: Callable[[float], None] | None = None) -> TableValues:
    """Solve every board, last level first, and look for deviations on the way; ``progress(share)`` runs from 0 to 1.

    Raises TooLarge for a table whose boards lead back to each other, ModelError for a game file's mistake.
    """
    if game.cyclic:
        raise TooLarge(f"{game} is a table whose boards can come again; only tables without cycles are solved")
    return _Solve(game, graph).run(progress)


class _Solve:
    """The arrays of one solve."""

    def __init__(self, game: TurnGame, graph: TurnGraph) -> None:
        self.game = game
        self.graph = graph
        self.space = game.boards()
        columns = self.space.columns(np.arange(self.space.size))
        level = game.level(columns)
        self.level_of = np.where(game.possible(columns), 0 if level is None else level, -1)
        self.root_of = graph.roots[np.broadcast_to(game.root(columns), self.space.size)]
        self.mover_of = np.broadcast_to(game.mover(columns), self.space.size)
        self.values = np.full((self.space.size, n_seats(game)), np.nan)
        self.replies = self.values.copy()
        self.radius = np.full(self.space.size, np.nan, dtype=np.float32)

    def run(self, progress: Callable[[float], None] | None) -> TableValues:
        """Block by block."""
        n_possible, done = int((self.level_of >= 0).sum()), 0
        for root, boards in self.blocks():
            self.back_up(root, boards)
            done += len(boards)
            if progress is not None:
                progress(done / n_possible)
        gain = max(0.0, float(np.nanmax(self.replies - self.values)))
        method = "one backup a board, each seat for itself"
        return TableValues(self.values, self.radius, gain, method, n_possible)

    def blocks(self) -> Iterator[tuple[int, Ints]]:
        """Last level first, boards of one level whose turns start in the same root, as many as fit into memory."""
        lanes = max(1, ROOM // (self.graph.n_nodes * self.values.shape[1]))
        for level in np.unique(self.level_of[self.level_of >= 0])[::-1]:
            for root in np.unique(self.root_of[self.level_of == level]):
                boards = np.flatnonzero((self.level_of == level) & (self.root_of == root))
                for block in np.array_split(boards, -(-len(boards) // lanes)):
                    yield int(root), block

    def back_up(self, root: int, boards: Ints) -> None:
        """Values, radius and best replies of boards that lead only to solved ones."""
        graph, mover = self.graph, self.mover_of[boards]
        moves = table_moves(self.game, graph, root, boards)
        self.check_levels(boards, moves.following)
        leaves = moves.leaves(self.values)
        own = 4 * (rounding(graph, leaves).max(axis=-1) + 6 * UNIT)  # so that another order of sums is within it too
        self.radius[boards] = round_up(moves.radius(self.radius) + own)
        slack = tie_slack(self.radius[boards])
        vectors = table_backup(graph, leaves, mover, slack)
        replies = table_replies(graph, moves.leaves(self.replies), vectors, mover, slack)
        self.values[boards], self.replies[boards] = vectors[root], replies[root]
        if not np.isfinite(self.values[boards]).all():
            stuck = boards[~np.isfinite(self.values[boards]).all(axis=1)][0]
            raise ModelError(f"{self.game} has no legal result on {self.space.board(int(stuck))}")

    def check_levels(self, boards: Ints, following: Ints) -> None:
        """Raise ModelError where a turn does not lead to a later board."""
        wrong = (following >= 0) & (self.level_of[following] <= self.level_of[boards])
        if wrong.any():
            row, lane = np.argwhere(wrong)[0]
            source, target = (self.space.board(int(b)) for b in (boards[lane], following[row, lane]))
            raise ModelError(f"{self.game} goes from {source} to {target}, which comes no later")
