"""Components of boards of a duel that lead to each other: policy iteration for a few boards, value iteration for many.

Both are certified the same way (docs/method.md): with F the values computed and w the expected number of turns under
the greedy policies, U = F + g w is an upper bound if one Bellman backup of U, rounding added, is nowhere above U; L
mirrors it. That needs every play to leave the component at some time, which the graph proves, not numbers.

In games that are ``endless``, play without an end is worth, to each side on its own, the lower limit (as the turns go
on) of its expected gain so far. The same inequality is the proof, where it is strict: if a backup of L lies above L by
e > 0 on every board, then with the moves of that backup the mover's expected gain after n turns, the L of the board
then reached added, is at least the first L and e for every turn that was played, whatever the other side does. So
either play ends, and the gain is L or more; or the turns played have no bound, and, L having one, the gain grows beyond
it. U is the same for the other side. Where neither side must end or gains (both pass for ever), no strict bound exists
and none is given.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.components.certificates import MAX_TURNS_ADDED, bound_violation, widen_bounds
from rollwise.solver.components.exits import endless_play_error, find_endless_board
from rollwise.solver.components.groups import RootGroup
from rollwise.solver.components.team import Sweeps, Team
from rollwise.solver.model.errors import NotConverged
from rollwise.solver.turn.perspective import leaf_values
from rollwise.solver.values.anderson import StoppingRule
from rollwise.solver.values.board_arrays import NEVER, BoardArrays

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
RunBackup = Callable[[RootGroup, slice], None]
MAX_NEWTON_STEPS = 100
MAX_SWEEPS = 1_000_000
MIN_BOARDS_PER_RUN = 16  # of an order value; with fewer each group is one run, since calls cost more than sweeps
MIN_SHARED_EDGES = 1e5  # of a run, on average; workers share larger ones
MIN_EDGES_PER_END = 32  # with fewer edges for each end of a turn, a better first guess costs more than it saves
SINGULAR_DETERMINANT = 1e-12  # below, the greedy moves may never leave the component


def require_exits(
    arrays: BoardArrays, groups: list[RootGroup], boards: Ints, work: tuple[Floats, Floats] | None = None
) -> None:
    """Raise ModelError if play can stay on these boards for ever; ``work``: see ``find_endless_board``."""
    board = find_endless_board(arrays.constants, groups, boards, work)
    if board is not None:
        raise endless_play_error(arrays.game, board)


class ComponentSolver:
    """Solver of components that are certified together; ``boards`` are those of all ``groups``."""

    def __init__(self, arrays: BoardArrays, groups: list[RootGroup], boards: Ints) -> None:
        self.arrays, self.groups, self.boards = arrays, groups, boards

    def containing(self, is_needed: NDArray[np.bool_]) -> ComponentSolver:
        """The components with one of these boards, perhaps with others."""
        return self

    def certify(self, scale: float, slack: float) -> float:
        """Set and prove the radius of these boards, and widen ``arrays.expected_turns``; returns the slack g."""
        arrays, boards = self.arrays, self.boards
        arrays.require_finite(boards, arrays.value[boards])
        rounding = arrays.error(2 * scale)
        if arrays.game.endless:
            rounding *= 9 / 8  # strict, whatever the rounding is
        slack = max(arrays.slack, slack * rounding)
        slack = widen_bounds(self, arrays.radius, arrays.expected_turns, slack, rounding, str(arrays.game))
        arrays.expected_turns[boards] = np.maximum(arrays.expected_turns[boards], arrays.radius[boards] / slack)
        return slack

    def bound_violations(self) -> Floats:
        """By how much one backup of the bounds passes them, a number for each board; below 0 where it does not."""
        arrays, boards, (lowest, highest) = self.arrays, self.boards, self.arrays.limits
        arrays.bound(boards)
        violations = np.full(len(boards), -np.inf)
        for bound, other, side, limit in (
            (arrays.upper, arrays.lower, 1.0, highest),
            (arrays.lower, arrays.upper, -1.0, lowest),
        ):
            for group in self.groups:
                arrays.back_up(group, bound, other, arrays.out)
            violations = np.maximum(violations, bound_violation(bound[boards], arrays.out[boards], side, limit))
        return violations


class SmallComponents(ComponentSolver):
    """Components of the same few boards each; ``members`` int64, shape (components, boards each)."""

    def __init__(self, arrays: BoardArrays, groups: list[RootGroup], members: Ints, successor: Ints | None) -> None:
        super().__init__(arrays, groups, members.ravel())
        self.members = members
        self.size = members.shape[1]
        self.successor = successor  # if each board has one in its component: its place, same shape; else None
        self.slack = 0.0
        self.scale = 1.0

    def run(self) -> None:
        """Solve and certify."""
        arrays, members = self.arrays, self.members
        if not arrays.game.endless:
            require_exits(arrays, self.groups, self.boards, (arrays.marks, arrays.out))
        self._set_first_guess()
        jacobian = self._newton()
        arrays.expected_turns[members] = self._expected_turns(jacobian)
        rounding = arrays.error(2 * self.scale)
        gap = float(np.max(np.abs(arrays.out[members] - arrays.value[members])))
        self.slack = self.certify(self.scale, 2 * (gap + rounding) / rounding)

    def containing(self, is_needed: NDArray[np.bool_]) -> SmallComponents:
        """The components with one of these boards (bool, one for each of ``boards``); all if these are the most."""
        is_chosen = np.asarray(is_needed.reshape(self.members.shape).any(axis=1))
        if 2 * is_chosen.sum() > len(is_chosen):
            return self
        members = self.members[is_chosen]
        groups = [group.of(np.flatnonzero(np.isin(group.boards, members))) for group in self.groups]
        successor = None if self.successor is None else self.successor[is_chosen]
        return SmallComponents(self.arrays, [group for group in groups if len(group.boards)], members, successor)

    def _set_first_guess(self) -> None:
        """First guess: the turn passed on without a gain, by extrapolation from the values after the least gains.

        Half of the total where no board outside is reached, or where turns are short.
        """
        arrays, total = self.arrays, self.arrays.game.total
        arrays.value[self.members], arrays.marks[self.members] = total / 2, 1.0
        for group in self.groups:
            if group.backup.n_edges < MIN_EDGES_PER_END * len(group.moves.ends):
                continue
            codes, columns = group.moves.ends, np.arange(len(group.boards))
            own = arrays.level_of[group.boards]
            level = arrays.padded_level[codes >> 1]
            code_inside = codes[np.argmax(level == own, axis=0), columns]
            level[(level == own) | ((codes ^ code_inside) & 1 == 1)] = NEVER
            end = np.argmin(level, axis=0)
            first = level[end, columns]
            level[level == first] = NEVER
            next_end = np.argmin(level, axis=0)
            second = level[next_end, columns]
            guess, further = (leaf_values(codes[e, columns], *2 * (arrays.value,), total) for e in (end, next_end))
            with np.errstate(invalid="ignore"):
                guess += np.where(second < NEVER, (guess - further) * (first - own) / (second - first), 0.0)
            guess = np.clip(guess, *arrays.limits)
            is_guessed = (first < NEVER) & (arrays.marks[code_inside >> 1] > 0)
            arrays.value[code_inside[is_guessed] >> 1] = np.where(code_inside & 1, total - guess, guess)[is_guessed]
        arrays.marks[self.members] = 0.0

    def _newton(self) -> Floats:
        """Policy iteration (Howard 1960) as Newton's method, until no component moves; returns the Jacobian there.

        Both players' moves change at once and can cycle (Pollatschek and Avi-Itzhak 1969): then plain backups follow.
        """
        arrays, members = self.arrays, self.members
        jacobian = np.empty((*members.shape, self.size))
        unsolved, places = self, np.arange(len(members))
        least = np.inf
        for step in range(MAX_NEWTON_STEPS):
            jacobian[places] = unsolved._jacobian()
            residual = arrays.out[unsolved.members] - arrays.value[unsolved.members]
            self.scale = max(arrays.scale, float(np.max(np.abs(arrays.value[members]))))
            largest = float(np.max(np.abs(residual)))
            if largest <= 2 * arrays.error(self.scale):
                arrays.value[unsolved.members] += self._newton_step(jacobian[places], residual)
                return jacobian
            is_far = np.abs(residual) > arrays.error(self.scale) / 4
            fewer = unsolved.containing(is_far.ravel())
            if fewer is not unsolved:
                unsolved, places, residual = fewer, places[is_far.any(axis=1)], residual[is_far.any(axis=1)]
            if largest > 0.9 * least and step > 20:  # the two players' policies may cycle
                arrays.value[unsolved.members] += residual
            else:
                arrays.value[unsolved.members] += self._newton_step(jacobian[places], residual)
            least = min(least, largest)
        raise NotConverged(f"{arrays.game} still moves by {largest:.2g} after {MAX_NEWTON_STEPS} steps", largest)

    def _newton_step(self, jacobian: Floats, residual: Floats) -> Floats:
        """Values of the greedy moves less the present ones; a plain step where these moves never leave."""
        matrix = np.eye(self.size) - jacobian
        if self.arrays.game.endless:
            is_singular = np.abs(np.linalg.det(matrix)) < SINGULAR_DETERMINANT
            matrix[is_singular] = np.eye(self.size)
        return np.asarray(np.linalg.solve(matrix, residual[..., None])[..., 0])

    def _jacobian(self) -> Floats:
        """Derivatives of each board's backup by the component's values; the backups are then in ``arrays.out``."""
        arrays, members = self.arrays, self.members
        jacobian = np.zeros((*members.shape, self.size))
        seeds = arrays.seeds  # zero elsewhere; boards of other workers are never read from it
        if self.successor is not None:
            seeds[members] = 1.0
            arrays.carry(self.groups, seeds, -1.0)
            seeds[members] = 0.0
            all_places = np.arange(members.size)
            jacobian.reshape(-1, self.size)[all_places, self.successor.ravel()] = arrays.out_dual[members.ravel()]
            return jacobian
        for place in range(self.size):
            seeds[members] = 0.0
            seeds[members[:, place]] = 1.0
            arrays.carry(self.groups, seeds, -1.0)
            jacobian[:, :, place] = arrays.out_dual[members]
        seeds[members] = 0.0
        return jacobian

    def _expected_turns(self, jacobian: Floats) -> Floats:
        """Expected turns left under the greedy moves, the present one included (Kemeny and Snell 1960)."""
        arrays, members = self.arrays, self.members
        arrays.expected_turns[members] = 0.0
        arrays.carry(self.groups, arrays.expected_turns, 1.0)
        constants = 1.0 + arrays.out_dual[members]
        matrix = np.eye(self.size) - np.abs(jacobian)
        if arrays.game.endless:
            is_singular = np.abs(np.linalg.det(matrix)) < SINGULAR_DETERMINANT
            if is_singular.any():
                raise endless_play_error(arrays.game, int(members[is_singular][0, 0]))
        return np.asarray(np.linalg.solve(matrix, constants[..., None])[..., 0])


class LargeComponent(ComponentSolver):
    """One component of many boards, solved by value iteration: all workers sweep it together in Gauss-Seidel order."""

    def __init__(self, arrays: BoardArrays, groups: list[RootGroup], checkpoint: Callable[[], None]) -> None:
        super().__init__(arrays, [], np.concatenate([group.boards for group in groups]))
        self.checkpoint = checkpoint  # called between two sweeps, writes one if it is due
        orders = []
        for group in groups:
            by_order = np.argsort(-arrays.order_of[group.boards], kind="stable")
            self.groups.append(group.of(by_order))
            orders.append(-arrays.order_of[group.boards][by_order])
        self.runs = self._runs(orders)

    def _runs(self, orders: list[Any]) -> list[tuple[int, int, int]]:
        """(group, begin, end) in the order of a sweep: one order value after the other, groups last to first."""
        values = np.unique(np.concatenate(orders))
        if len(self.boards) < (1024 if len(orders) == 1 else MIN_BOARDS_PER_RUN) * len(values):
            return [(number, 0, len(order)) for number, order in reversed(list(enumerate(orders)))]
        runs = []
        for value in values:
            for number in reversed(range(len(self.groups))):
                begin, end = np.searchsorted(orders[number], [value, value + 1])
                if end > begin:
                    runs.append((number, int(begin), int(end)))
        return runs

    def run(self, rank: int, team: Team) -> None:
        """Sweep until the stopping rule ends it, values first, then expected turns, and certify."""
        arrays, boards = self.arrays, self.boards
        if rank == 0:
            arrays.work.methods.add("sweeps of a large component, certified")
            require_exits(arrays, self.groups, boards)
            arrays.value[boards] = arrays.game.total / 2 if arrays.n_seats > 1 else 0.0
            if arrays.guess is not None and np.isfinite(arrays.guess[boards]).all():
                arrays.value[boards] = arrays.guess[boards]
            arrays.expected_turns[boards] = 0.0
        values, turns = f"the values of {arrays.game}", f"the expected turns of {arrays.game}"
        for arguments in (
            (self._back_up_values, arrays.value, values, 0.0),
            (self._back_up_turns, arrays.expected_turns, turns, MAX_TURNS_ADDED),
        ):
            if rank == 0:
                self.sweeps = self._sweeps(*arguments)
            team.sync()
            self.sweeps.run(rank, team)
        if rank == 0:
            scale = float(np.max(np.abs(arrays.value[boards])))
            arrays.slack = max(arrays.slack, self.certify(scale, 4.0))

    def _sweeps(self, backup: RunBackup, rows: Floats, name: str, tolerance: float) -> Sweeps:
        """Sweeps of all runs until no number changes by more than ``tolerance``, or only rounding does."""
        arrays = self.arrays
        rule = StoppingRule(rows, self.boards, name, tolerance, MAX_SWEEPS)

        def goes_on(change: float) -> bool:
            arrays.scale = max(arrays.scale, float(np.max(np.abs(arrays.value[self.boards]))))
            for group in self.groups:
                arrays.count(group, 1)
            goes_on_sweeping = rule.goes_on(arrays.scale)
            self.checkpoint()
            return goes_on_sweeping

        n_edges = sum(len(group.boards) * group.backup.n_edges for group in self.groups)
        is_shared = len(self.runs) > 1 and n_edges > MIN_SHARED_EDGES * len(self.runs)
        return Sweeps([partial(self._back_up_part, backup, *run) for run in self.runs], goes_on, is_shared)

    def _back_up_part(self, backup: RunBackup, number: int, begin: int, end: int, rank: int, workers: int) -> float:
        """One worker's share of a run."""
        width = end - begin
        begin, end = begin + width * rank // workers, begin + width * (rank + 1) // workers
        if end > begin:
            backup(self.groups[number], slice(begin, end))
        return 0.0

    def _back_up_values(self, group: RootGroup, columns: slice) -> None:
        value, total = self.arrays.value, float(self.arrays.game.total)
        group.backup.values(group.moves, value, value, total, group.boards, value, columns)

    def _back_up_turns(self, group: RootGroup, columns: slice) -> None:
        arrays, boards, total = self.arrays, group.boards, float(self.arrays.game.total)
        out = arrays.out, arrays.out_dual
        group.backup.carry(group.moves, arrays.value, total, (arrays.expected_turns, 1.0), boards, out, columns)
        arrays.expected_turns[boards[columns]] = 1.0 + arrays.out_dual[boards[columns]]
