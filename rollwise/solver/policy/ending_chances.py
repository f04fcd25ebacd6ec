"""Absorption probability of a kind of ending while all players follow the solution, by policy evaluation.

Of equally good moves the first in the game's own order is played, and moves count as equally good where their intervals
overlap. Under that policy the boards are an absorbing Markov chain (Kemeny and Snell 1960), and the chance x solves
x = T x, where T is one turn. The expected turns bound its error.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.components.certificates import bound_expected_turns, error_bound
from rollwise.solver.components.groups import split_by_root
from rollwise.solver.components.topological_levels import board_columns, last_level_first
from rollwise.solver.model.errors import TooLarge
from rollwise.solver.model.game import NodeKey, TurnGame
from rollwise.solver.model.solution import Quantity
from rollwise.solver.turn.arrays import UNIT
from rollwise.solver.turn.graph import TurnGraph
from rollwise.solver.turn.perspective import ILLEGAL, Constants, unpack_codes
from rollwise.solver.turn.query import Read, Turns
from rollwise.solver.turn.transition_reader import TransitionReader
from rollwise.solver.turn.vectors import table_replies
from rollwise.solver.values.anderson import evaluate_linear

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Endings = Callable[[Fraction], bool]  # whether an ending counts, by its value to the mover
BLOCK_NUMBERS = 1 << 21  # numbers in the nodes of one block of boards
MAX_NUMBERS = 1 << 26  # nodes x boards in memory


@dataclass(frozen=True)
class FollowedBoards:
    """Boards of one level whose turns start in the same root, and the successors of their ``leaves``.

    ``own``: value of each node to the mover; ``tie``: moves that are no further below the best are as good.
    """

    root: int
    boards: Ints
    own: Floats
    tie: Floats
    leaves: Ints
    codes: NDArray[np.int32]


class EndingChances:
    """The chance of endings for which ``counts(worth)`` holds, under the solution of a duel or of a game played alone.

    ``read`` gives the stored (values, radius) of boards by index. The value of an ending to the mover decides whether
    it counts, and it must count, or not, for both players (a draw does, a win does not). ``board`` is that of the
    question. Raises TooLarge where that leads to too many boards or past a proven cut, NotConverged where sweeps
    converge too slowly.

    ``chances``: float64, one a board of the game, nan for boards that are not needed; ``error``: their error bounds.
    """

    def __init__(self, game: TurnGame, graph: TurnGraph, read: Read, counts: Endings, board: Mapping[str, Any]) -> None:
        self.game, self.graph, self.counts = game, graph, counts
        self.space, self.constants = game.boards(), Constants(game.boards().size)
        self.reader = TransitionReader(game, graph, self.constants)
        self.board = self.space.index_of(**board)
        self.rows = np.stack([self.constants.room(np.nan)] * 2, axis=1)
        self.chances, self.turns = self.rows.T
        levels = board_columns(game, 1)[0]
        levels[levels < levels[self.board]] = -1
        n_boards = int((levels >= 0).sum())
        if n_boards * graph.n_nodes > MAX_NUMBERS:
            raise TooLarge(f"following {game} from here on would take {n_boards:,} boards")
        lanes = max(1, BLOCK_NUMBERS // (3 * graph.n_nodes))
        self.levels = [
            [self._block(root, boards[some], read) for root, some in split_by_root(game, boards, lanes)]
            for boards in last_level_first(levels)
        ]
        for worth, place in self.constants.place.items():
            at = self.constants.n_boards + place
            self.chances[at], self.turns[at] = self._is_counted(worth), 0.0
        self.error = self._error_bounds(np.max([self._solve(blocks) for blocks in self.levels], axis=0))

    def quantity(self, state: NodeKey, unit: str) -> Quantity:
        """The chance from a state of the turn on the board of the question."""
        node = self.graph.node_of(state)
        block = next(block for level in self.levels for block in level if self.board in block.boards)
        lane = int(np.flatnonzero(block.boards == self.board)[0])
        chance = float(self._nodes(block)[node, lane, 0])
        error = float(np.max(self.error[unpack_codes(block.codes[:, lane])[0]])) + 2 * self.graph.terms * UNIT
        return Quantity(chance, max(0.0, chance - error), min(1.0, chance + error), None, unit)

    def _block(self, root: int, boards: Ints, read: Read) -> FollowedBoards:
        own, tie = Turns(self.game, self.graph, boards, read, self.reader).own()
        own[np.isnan(own)] = 0.0  # nodes of other turns
        leaves = np.flatnonzero(self.graph.root_leaves[root])
        codes = self.reader.transitions(leaves, boards).codes
        return FollowedBoards(int(self.graph.roots[root]), boards, own, tie, leaves, codes)

    def _is_counted(self, value: Any) -> float:
        if value == ILLEGAL:
            return 0.0
        if not isinstance(value, Fraction):
            raise TooLarge(f"the endings of {self.game} past its cut have no chances")
        return float(self.counts(value))

    # --- the chain ---------------------------------------------------------------------------------------------------

    def _nodes(self, block: FollowedBoards) -> Floats:
        """(chance, turns still to come) of every node, shape (n_nodes, lanes, 2), under the policy."""
        rows = np.zeros((self.graph.n_leaves, len(block.boards), 3))  # the first is what the mover may prefer
        rows[block.leaves, :, 1:] = self.rows[unpack_codes(block.codes)[0]]
        return table_replies(self.graph, rows, block.own[..., None], block.tie)[..., 1:]

    def _solve(self, blocks: list[FollowedBoards]) -> Floats:
        """Solve a level; returns its residual, of chances and of turns."""
        boards = np.concatenate([block.boards for block in blocks])
        self.rows[boards] = 0.0

        def sweep() -> None:
            for block in blocks:
                self.rows[block.boards] = self._nodes(block)[block.root] + (0.0, 1.0)

        return evaluate_linear(self.rows, boards, sweep, f"the chances of {self.game}", cyclic=self.game.cyclic)

    def _error_bounds(self, change: Floats) -> Floats:
        """Error bound of each board's chance, 0 for endings; ``change``: residual of chances and of turns."""
        rounding = (self.graph.terms + 6) * UNIT
        turns = bound_expected_turns(
            self.turns, change[1] + rounding * float(np.nanmax(self.turns)), f"a game of {self.game}"
        )
        return error_bound(change[0] + rounding, turns)
