"""What else comes of the best play: the chance of some kind of ending while everybody plays as the solution does.

The solution is followed move by move: of equally good moves the first in the game's own order is played, and moves
count as equally good where their values cannot be told apart. Under that policy the boards are a chain, and the chance
x solves x = T x, where T takes one turn. How far off it may be comes from the turns that are still to come.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.components.certificates import lasting, off_by
from rollwise.solver.components.groups import by_root
from rollwise.solver.components.topological_levels import columns_of, last_level_first
from rollwise.solver.model.errors import TooLarge
from rollwise.solver.model.game import NodeKey, TurnGame
from rollwise.solver.model.solution import Quantity
from rollwise.solver.turn.arrays import UNIT
from rollwise.solver.turn.graph import TurnGraph
from rollwise.solver.turn.perspective import ILLEGAL, Constants, read
from rollwise.solver.turn.query import Read, Turns
from rollwise.solver.turn.transition_reader import TransitionReader
from rollwise.solver.turn.vectors import table_replies
from rollwise.solver.values.anderson import solved

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Endings = Callable[[Fraction], bool]  # whether an ending counts, by what it is worth to the mover
AT_ONCE = 1 << 21  # numbers that the nodes of one block of boards may fill
MOST_NUMBERS = 1 << 26  # nodes x boards that are kept


@dataclass(frozen=True)
class FollowedBoards:
    """Boards of one level whose turns start in the same root, and where their ``leaves`` lead.

    ``own``: what each node is worth to the mover; ``tie``: moves that are no further below the best are as good.
    """

    root: int
    boards: Ints
    own: Floats
    tie: Floats
    leaves: Ints
    codes: NDArray[np.int32]


class EndingChances:
    """The chance of endings for which ``counts(worth)`` holds, under the solution of a duel or of a game played alone.

    ``read`` gives the stored (values, radius) of boards by index. What an ending is worth to the mover says whether it
    counts, and it must count, or not, for both players (a draw does, a win does not). ``board`` is where the question
    stands. Raises TooLarge where that leads to too many boards or past a proven cut, NotConverged where the chain goes
    round for too long.

    ``chances``: float64, one a board of the game, nan for boards that are not looked at; ``off``: how far off they are.
    """

    def __init__(self, game: TurnGame, graph: TurnGraph, read: Read, counts: Endings, board: Mapping[str, Any]) -> None:
        self.game, self.graph, self.counts = game, graph, counts
        self.space, self.constants = game.boards(), Constants(game.boards().size)
        self.settler = TransitionReader(game, graph, self.constants)
        self.board = self.space.index_of(**board)
        self.rows = np.stack([self.constants.room(np.nan)] * 2, axis=1)
        self.chances, self.turns = self.rows.T
        levels = columns_of(game, 1)[0]
        levels[levels < levels[self.board]] = -1
        n_boards = int((levels >= 0).sum())
        if n_boards * graph.n_nodes > MOST_NUMBERS:
            raise TooLarge(f"following {game} from here on would take {n_boards:,} boards")
        lanes = max(1, AT_ONCE // (3 * graph.n_nodes))
        self.levels = [
            [self._block(root, boards[some], read) for root, some in by_root(game, boards, lanes)]
            for boards in last_level_first(levels)
        ]
        for worth, place in self.constants.place.items():
            at = self.constants.n_boards + place
            self.chances[at], self.turns[at] = self._counted(worth), 0.0
        self.off = self._certified(np.max([self._solve(blocks) for blocks in self.levels], axis=0))

    def quantity(self, state: NodeKey, unit: str) -> Quantity:
        """The chance in a state of the turn on the board of the question."""
        node = self.graph.node_of(state)
        block = next(block for level in self.levels for block in level if self.board in block.boards)
        lane = int(np.flatnonzero(block.boards == self.board)[0])
        chance = float(self._nodes(block)[node, lane, 0])
        off = float(np.max(self.off[read(block.codes[:, lane])[0]])) + 2 * self.graph.terms * UNIT
        return Quantity(chance, max(0.0, chance - off), min(1.0, chance + off), None, unit)

    def _block(self, root: int, boards: Ints, known: Read) -> FollowedBoards:
        own, tie = Turns(self.game, self.graph, boards, known, self.settler).own()
        own[np.isnan(own)] = 0.0  # what other turns than these come to
        leaves = np.flatnonzero(self.graph.root_leaves[root])
        codes = self.settler.transitions(leaves, boards).codes
        return FollowedBoards(int(self.graph.roots[root]), boards, own, tie, leaves, codes)

    def _counted(self, worth: Any) -> float:
        if worth == ILLEGAL:
            return 0.0
        if not isinstance(worth, Fraction):
            raise TooLarge(f"what comes of {self.game} past its cut is not followed")
        return float(self.counts(worth))

    # --- the chain ---------------------------------------------------------------------------------------------------

    def _nodes(self, block: FollowedBoards) -> Floats:
        """(chance, turns still to come) of every node, shape (n_nodes, lanes, 2), under the policy."""
        rows = np.zeros((self.graph.n_leaves, len(block.boards), 3))  # the first is what the mover may prefer
        rows[block.leaves, :, 1:] = self.rows[read(block.codes)[0]]
        return table_replies(self.graph, rows, block.own[..., None], block.tie)[..., 1:]

    def _solve(self, blocks: list[FollowedBoards]) -> Floats:
        """A level; returns how much its chances and turns still move."""
        boards = np.concatenate([block.boards for block in blocks])
        self.rows[boards] = 0.0

        def sweep() -> None:
            for block in blocks:
                self.rows[block.boards] = self._nodes(block)[block.root] + (0.0, 1.0)

        return solved(self.rows, boards, sweep, f"the chances of {self.game}", cyclic=self.game.cyclic)

    def _certified(self, moved: Floats) -> Floats:
        """How far off each board's chance may be; 0 for endings. ``moved``: chances and turns by one more sweep."""
        rounding = (self.graph.terms + 6) * UNIT
        waits = lasting(self.turns, moved[1] + rounding * float(np.nanmax(self.turns)), f"a game of {self.game}")
        return off_by(moved[0] + rounding, waits)
