"""What else comes of the best play: the chance of some kind of ending while everybody plays as the solution does.

The solution is followed move by move: of equally good moves the first in the game's own order is played, and moves
count as equally good where their values cannot be told apart. Under that policy the boards are a chain, and the chance
x solves x = T x, where T takes one turn. How far off it may be comes from the turns that are still to come.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.boards.mixing import solved
from rollwise.solver.game.errors import TooLarge
from rollwise.solver.game.model import State, TurnGame
from rollwise.solver.game.solution import Quantity
from rollwise.solver.order.certificates import lasting, off_by
from rollwise.solver.turn.arrays import UNIT, rounding
from rollwise.solver.turn.graph import TurnGraph
from rollwise.solver.turn.perspective import ILLEGAL, ROOM, Constants, among, leaf_values, read
from rollwise.solver.turn.query import Read
from rollwise.solver.turn.settled import Settler
from rollwise.solver.turn.transitions import Transitions
from rollwise.solver.turn.vectors import table_backup

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Endings = Callable[[Fraction], bool]  # whether an ending counts, by what it is worth to the mover
AT_ONCE = 1 << 21  # numbers that the nodes of one block of boards may fill
MOST_CODES = 1 << 25  # leaves x boards that are kept
VALUE, CHANCE = 0, 1  # what is carried through a turn; behind these the turns


@dataclass(frozen=True)
class FollowedBoards:
    """Boards of one level whose turns start in the same root, where their leaves lead, and what these are worth."""

    root: int
    boards: Ints
    leaves: Ints
    moves: Transitions
    values: Floats
    slack: Any


class EndingChances:
    """The chance of endings for which ``counts(worth)`` holds, under the solution of a duel or of a game played alone.

    ``read`` gives the stored (values, radius) of boards by index. What an ending is worth to the mover says whether it
    counts, and it must count, or not, for both players (a draw does, a win does not). ``board`` is where the question
    stands. Raises TooLarge where that leads to too many boards or past a proven cut, NotConverged where the chain goes
    round for too long.

    ``chances``: float64, one a board of the game, nan for boards that are not looked at; ``off``: how far off they are.
    """

    def __init__(self, game: TurnGame, graph: TurnGraph, read: Read, counts: Endings, board: Mapping[str, Any]) -> None:
        self.game, self.graph, self.read, self.counts = game, graph, read, counts
        self.space = game.boards()
        self.constants = Constants(self.space.size)
        self.board = self.space.index_of(**board)
        self.rows = np.stack([self.constants.room(np.nan)] * 2, axis=1)
        self.chances, self.turns = self.rows.T
        self.blocks = [[self._block(root, boards) for root, boards in level] for level in self._levels()]
        for worth, place in self.constants.place.items():
            at = self.constants.n_boards + place
            self.chances[at], self.turns[at] = self._counted(worth), 0.0
        self.off = self._certified(np.max([self._solve(blocks) for blocks in self.blocks], axis=0))

    def quantity(self, state: State, unit: str) -> Quantity:
        """The chance in a state of the turn on the board of the question."""
        node = self.graph.node_of(state)
        block = next(block for level in self.blocks for block in level if self.board in block.boards)
        lane = np.flatnonzero(block.boards == self.board)
        of_board = block.boards[lane], block.leaves, block.moves.of(lane), block.values[:, lane], block.slack[lane]
        alone = FollowedBoards(block.root, *of_board)
        chance = float(self._nodes(alone)[node, 0, CHANCE])
        following, _ = read(alone.moves.codes)
        off = float(np.max(self.off[following])) + 2 * self.graph.terms * UNIT
        return Quantity(chance, max(0.0, chance - off), min(1.0, chance + off), None, unit)

    # --- boards ------------------------------------------------------------------------------------------------------

    def _levels(self) -> Iterator[list[tuple[int, Ints]]]:
        """(root, boards) by level, from the last one down to that of the question."""
        columns = self.space.columns(np.arange(self.space.size))
        levels = self.game.level(columns)
        level = np.broadcast_to(np.asarray(0 if levels is None else levels), self.space.size)
        here = self.game.possible(columns) & (level >= level[self.board])
        if int(here.sum()) * self.graph.n_leaves > MOST_CODES:
            raise TooLarge(f"following {self.game} from here on would take {int(here.sum()):,} boards")
        roots = np.broadcast_to(self.game.root(columns), self.space.size)
        lanes = max(1, AT_ONCE // (3 * self.graph.n_nodes))
        for number in np.unique(level[here])[::-1]:
            found = []
            for root in np.unique(roots[here & (level == number)]).tolist():
                boards = np.flatnonzero(here & (level == number) & (roots == root))
                found += [(root, part) for part in np.array_split(boards, -(-len(boards) // lanes))]
            yield found

    def _block(self, root: int, boards: Ints) -> FollowedBoards:
        leaves = np.flatnonzero(self.graph.root_leaves[root])
        moves = Settler(self.game, self.graph, self.constants).transitions(leaves, boards)
        ahead, small = among(moves.codes, self.constants)
        values, radius = self.read(ahead) if len(ahead) else (np.zeros(0), np.zeros(0))
        ended, total = self.constants.room(0.0), float(self.game.total)
        self.constants.write(ended, self.game.sense, -1)
        known, off_known = np.append(values, ended[self.space.size :]), np.append(radius, np.zeros(ROOM))
        seen = leaf_values(small, known, known, total)
        seen = seen + moves.rewards if len(moves.rewards) else seen
        seen = seen if self.game.sense == "max" else -seen
        off = off_known[read(small)[0]].max(axis=0) + rounding(self.graph, seen) + 2 * UNIT * np.abs(total)
        return FollowedBoards(root, boards, leaves, moves, seen, 2 * off)

    def _counted(self, worth: Any) -> float:
        if worth == ILLEGAL:
            return 0.0
        if not isinstance(worth, Fraction):
            raise TooLarge(f"what comes of {self.game} past its cut is not followed")
        return float(self.counts(worth))

    # --- the chain ---------------------------------------------------------------------------------------------------

    def _nodes(self, block: FollowedBoards) -> Floats:
        """(value, chance, turns still to come) of every node, shape (n_nodes, lanes, 3), under the policy."""
        rows = np.zeros((self.graph.n_leaves, len(block.boards), 3))
        rows[block.leaves, :, VALUE] = block.values
        rows[block.leaves, :, CHANCE:] = self.rows[read(block.moves.codes)[0]]
        return table_backup(self.graph, rows, block.slack)

    def _solve(self, blocks: list[FollowedBoards]) -> Floats:
        """A level; returns how much its chances and turns still move."""
        boards = np.concatenate([block.boards for block in blocks])
        self.rows[boards] = 0.0

        def sweep() -> None:
            for block in blocks:
                self.rows[block.boards] = self._nodes(block)[self.graph.roots[block.root], :, CHANCE:] + (0.0, 1.0)

        return solved(self.rows, boards, sweep, f"the chances of {self.game}", cyclic=self.game.cyclic)

    def _certified(self, moved: Floats) -> Floats:
        """How far off each board's chance may be; 0 for endings. ``moved``: chances and turns by one more sweep."""
        rounding = (self.graph.terms + 6) * UNIT
        waits = lasting(self.turns, moved[1] + rounding * float(np.nanmax(self.turns)), f"a game of {self.game}")
        return off_by(moved[0] + rounding, waits)
