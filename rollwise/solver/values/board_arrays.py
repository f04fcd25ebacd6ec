"""Arrays over all boards that a solve reads and writes: values, bounds, expected turns."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.components.groups import RootGroup
from rollwise.solver.model.errors import ModelError
from rollwise.solver.model.game import TurnGame
from rollwise.solver.turn.arrays import UNIT
from rollwise.solver.turn.graph import TurnGraph
from rollwise.solver.turn.perspective import MAX_CONSTANTS
from rollwise.solver.turn.transition_reader import TransitionReader

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
NEVER = 2**31 - 1  # in the place of a constant's level: after all boards


@dataclass
class Work:
    """Work of a solve, for benchmarks and the manifest."""

    edge_operations: int = 0
    methods: set[str] = field(default_factory=set)


class BoardArrays:
    """Arrays with one number a board, by index, followed by one for each constant that a game can end with.

    ``value``, ``lower``, ``upper``: float64, from the side of the mover, nan while a board is not solved; without
    ``bounded`` all three are one array. ``expected_turns``: of the rest of the game, the present turn included.
    ``radius``: float32, boards only, the certified half-width. ``seeds`` and ``marks`` are zero on all boards between
    two uses; ``out`` and ``out_dual`` receive the results of a backup. Workers write to boards of their own only.
    """

    def __init__(
        self,
        game: TurnGame,
        graph: TurnGraph,
        reader: TransitionReader,
        level_of: NDArray[np.int32],
        order_of: NDArray[np.int32],
        *,
        bounded: bool,
    ) -> None:
        self.game = game
        self.space = game.boards()
        self.constants = reader.constants
        self.level_of = level_of
        self.order_of = order_of
        new_array = self.constants.room
        self.value = new_array(np.nan)
        self.lower, self.upper = (new_array(np.nan), new_array(np.nan)) if bounded else (self.value, self.value)
        self.expected_turns, self.seeds, self.marks, self.out, self.out_dual = (new_array(0.0) for _ in range(5))
        self.radius = np.full(len(level_of), np.nan, dtype=np.float32)
        self.slack = 0.0  # the g of U = F + g w, largest so far
        self.scale = 1.0  # no value so far is larger in size
        self.limits = (0.0, 1.0) if game.measure == "win" else (-np.inf, np.inf)  # no value lies outside
        self.guess: Floats | None = None  # values of an earlier run that was stopped
        self.work = Work()
        self._terms = graph.terms
        self._reader = reader
        self._work_lock = threading.Lock()

    @property
    def n_seats(self) -> int:
        """Number of players by whose side endings are read."""
        return self._reader.uses.seats

    @cached_property
    def padded_level(self) -> NDArray[np.int32]:
        """Levels by board, then those of the constants."""
        return np.concatenate([self.level_of, np.full(MAX_CONSTANTS, NEVER, dtype=np.int32)])

    def write_constants(self) -> None:
        """Write the values of the endings met so far behind the boards."""
        for values, side in ((self.value, -1), (self.lower, -1), (self.upper, 1)):
            self.constants.write(values, self.game.sense, side)

    def error(self, largest: float = 0.0) -> float:
        """Bound of the rounding of one backup of values up to ``largest``, reading and perspective included."""
        return (self._terms + 6) * UNIT * (max(self.scale, largest) + self._reader.largest)

    def bound(self, boards: Ints) -> None:
        """Set lower and upper bounds from value and radius."""
        self.lower[boards] = np.maximum(self.value[boards] - self.radius[boards], self.limits[0])
        self.upper[boards] = np.minimum(self.value[boards] + self.radius[boards], self.limits[1])

    def require_finite(self, boards: Ints, values: Floats) -> None:
        """Raise ModelError if one of these boards, with these backed-up values, has no legal result."""
        is_illegal = ~np.isfinite(values)
        if is_illegal.any():
            board = self.space.board(int(boards[is_illegal][0]))
            raise ModelError(f"{self.game} has no legal result on {board}")

    def back_up(self, group: RootGroup, same: Floats, other: Floats, out: Floats) -> None:
        """One Bellman backup of all boards of a group; ``same`` and ``other``: values read by the two sides."""
        total, columns = float(self.game.total), slice(0, len(group.boards))
        group.backup.values(group.moves, same, other, total, group.boards, out, columns)
        self.count(group, 1)

    def carry(self, groups: list[RootGroup], duals: Floats, sign: float) -> None:
        """Back up values under the greedy policy, and ``duals`` along the same moves, into ``out`` and ``out_dual``."""
        total, out = float(self.game.total), (self.out, self.out_dual)
        for group in groups:
            columns = slice(0, len(group.boards))
            group.backup.carry(group.moves, self.value, total, (duals, sign), group.boards, out, columns)
            self.count(group, 2)

    def count(self, group: RootGroup, n_backups: int) -> None:
        """Count the edge operations of so many backups."""
        with self._work_lock:
            self.work.edge_operations += n_backups * group.backup.n_edges * len(group.boards)
