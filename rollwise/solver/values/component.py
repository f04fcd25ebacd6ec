"""Boards of a duel that lead to each other within a level: Newton steps for a few, sweeps for many, then the proof.

The proof is the same for both (docs/method.md): with F the values found and w the expected number of turns left under
the moves found, U = F + g w is an upper bound if one backup of U, rounding added, is nowhere above U; L mirrors it.
That needs every way of playing to leave the component some time, which is checked on the graph, not by numbers.

Games that are ``endless`` say instead that play without an end is worth, to each side on its own, the lower limit (as
the turns go on) of what it expects to have gained by then. There nothing is asked of the graph, and the same inequality
is the proof, where it is strict: if a backup of L lies above L by e > 0 on every board, then with the moves of that
backup the mover's expected gain after n turns, the L of the board then reached added, is at least the first L and e for
every turn that was played, whatever the other side does. So either play ends, and the gain is L or more; or the turns
played have no bound, and, L having one, the gain grows beyond it. U is the same for the other side. Where neither side
must end or gains (both pass for ever), no strict bound exists and none is given.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.components.certificates import ENOUGH, lacks, widened
from rollwise.solver.components.exits import endless_play, trapped
from rollwise.solver.components.groups import RootGroup
from rollwise.solver.components.sweeping import Sweeps
from rollwise.solver.components.team import Team
from rollwise.solver.model.errors import NotConverged
from rollwise.solver.turn.perspective import leaf_values
from rollwise.solver.values.anderson import Guide
from rollwise.solver.values.board_arrays import NEVER, BoardArrays

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Pass = Callable[[RootGroup, slice], None]
NEWTON_STEPS = 100
MOST_SWEEPS = 1_000_000
FEW = 16  # boards of an order value below which each group is one run: calls would take longer than more sweeps
SHARED = 1e5  # edges of a run, on average, from which on workers share it
SHORT = 32  # edges for each end of a turn: below that, backing up once more is quicker than a nearer first guess
SURE = 1e-12  # chances that differ by less may be equal


def require_exits(
    arrays: BoardArrays, groups: list[RootGroup], boards: Ints, room: tuple[Floats, Floats] | None = None
) -> None:
    """Raise ModelError if the players could together stay on these boards for ever; ``room`` as ``trapped`` has it."""
    board = trapped(arrays.constants, groups, boards, room)
    if board is not None:
        raise endless_play(arrays.game, board)


class Certified:
    """Components that are solved, and then certified together; ``boards`` are those of all ``groups``."""

    def __init__(self, arrays: BoardArrays, groups: list[RootGroup], boards: Ints) -> None:
        self.arrays, self.groups, self.boards = arrays, groups, boards

    def only(self, where: NDArray[np.bool_]) -> Certified:
        """The components with one of these boards, perhaps with others."""
        return self

    def certify(self, scale: float, slack: float) -> float:
        """Set the radius of these boards from ``arrays.waits`` and prove it; returns the slack g that was needed.

        Earlier levels read from ``arrays.waits`` how wide it became.
        """
        arrays, boards = self.arrays, self.boards
        arrays.require_finite(boards, arrays.value[boards])
        rounding = arrays.error(2 * scale)
        if arrays.game.endless:
            rounding *= 9 / 8  # strict, whatever the rounding is
        slack = max(arrays.slack, slack * rounding)
        slack = widened(self, arrays.radius, arrays.waits, slack, rounding, str(arrays.game))
        arrays.waits[boards] = np.maximum(arrays.waits[boards], arrays.radius[boards] / slack)
        return slack

    def lacking(self) -> Floats:
        """By how much one backup of the bounds passes them, a number for each board; below 0 where it does not."""
        arrays, boards, (low, high) = self.arrays, self.boards, self.arrays.limits
        arrays.bound(boards)
        most = np.full(len(boards), -np.inf)
        for bound, other, side, limit in (
            (arrays.upper, arrays.lower, 1.0, high),
            (arrays.lower, arrays.upper, -1.0, low),
        ):
            for group in self.groups:
                arrays.back_up(group, bound, other, arrays.out)
            most = np.maximum(most, lacks(bound[boards], arrays.out[boards], side, limit))
        return most


class SmallComponents(Certified):
    """Components of the same few boards each; ``members`` int64, shape (components, boards each)."""

    def __init__(self, arrays: BoardArrays, groups: list[RootGroup], members: Ints, follows: Ints | None) -> None:
        super().__init__(arrays, groups, members.ravel())
        self.members = members
        self.size = members.shape[1]
        self.follows = follows  # where a board leads to one fellow only: that one's place, same shape; else None
        self.slack = 0.0
        self.scale = 1.0

    def run(self) -> None:
        """Solve and certify."""
        arrays, members = self.arrays, self.members
        if not arrays.game.endless:
            require_exits(arrays, self.groups, self.boards, (arrays.marks, arrays.out))
        self._guess()
        slopes = self._newton()
        arrays.waits[members] = self._waits(slopes)
        rounding = arrays.error(2 * self.scale)
        gap = float(np.max(np.abs(arrays.out[members] - arrays.value[members])))
        self.slack = self.certify(self.scale, 2 * (gap + rounding) / rounding)

    def only(self, where: NDArray[np.bool_]) -> SmallComponents:
        """The components with one of these boards (bool, one for each of ``boards``); all if these are the most."""
        chosen = np.asarray(where.reshape(self.members.shape).any(axis=1))
        if 2 * chosen.sum() > len(chosen):
            return self
        members = self.members[chosen]
        groups = [group.of(np.flatnonzero(np.isin(group.boards, members))) for group in self.groups]
        follows = None if self.follows is None else self.follows[chosen]
        return SmallComponents(self.arrays, [group for group in groups if len(group.boards)], members, follows)

    def _guess(self) -> None:
        """Start from what the turn passed on with nothing gained would be worth: by what least gains are worth.

        Where nothing else can be reached, or turns are short, from half of the total.
        """
        arrays, total = self.arrays, self.arrays.game.total
        arrays.value[self.members], arrays.marks[self.members] = total / 2, 1.0
        for group in self.groups:
            if group.backup.n_edges < SHORT * len(group.moves.ends):
                continue
            leads, columns = group.moves.ends, np.arange(len(group.boards))
            here = arrays.level_of[group.boards]
            level = arrays.padded_level[leads >> 1]
            fellow = leads[np.argmax(level == here, axis=0), columns]
            level[(level == here) | ((leads ^ fellow) & 1 == 1)] = NEVER
            near = np.argmin(level, axis=0)
            first = level[near, columns]
            level[level == first] = NEVER
            after = np.argmin(level, axis=0)
            second = level[after, columns]
            worth, further = (leaf_values(leads[e, columns], *2 * (arrays.value,), total) for e in (near, after))
            with np.errstate(invalid="ignore"):
                worth += np.where(second < NEVER, (worth - further) * (first - here) / (second - first), 0.0)
            worth = np.clip(worth, *arrays.limits)
            known = (first < NEVER) & (arrays.marks[fellow >> 1] > 0)
            arrays.value[fellow[known] >> 1] = np.where(fellow & 1, total - worth, worth)[known]
        arrays.marks[self.members] = 0.0

    def _newton(self) -> Floats:
        """Newton steps until no component moves any more; returns the slopes there.

        Most components need few steps: those that are as near as rounding lets them come are left out of the others.
        """
        arrays, members = self.arrays, self.members
        slopes = np.empty((*members.shape, self.size))
        moving, places = self, np.arange(len(members))
        best = np.inf
        for step in range(NEWTON_STEPS):
            slopes[places] = moving._slopes()
            gap = arrays.out[moving.members] - arrays.value[moving.members]
            self.scale = max(arrays.scale, float(np.max(np.abs(arrays.value[members]))))
            worst = float(np.max(np.abs(gap)))
            if worst <= 2 * arrays.error(self.scale):
                arrays.value[moving.members] += self._newton_step(slopes[places], gap)
                return slopes
            far = np.abs(gap) > arrays.error(self.scale) / 4
            fewer = moving.only(far.ravel())
            if fewer is not moving:
                moving, places, gap = fewer, places[far.any(axis=1)], gap[far.any(axis=1)]
            if worst > 0.9 * best and step > 20:  # two players' policies may chase each other: take plain steps
                arrays.value[moving.members] += gap
            else:
                arrays.value[moving.members] += self._newton_step(slopes[places], gap)
            best = min(best, worst)
        raise NotConverged(f"{arrays.game} still moves by {worst:.2g} after {NEWTON_STEPS} steps", worst)

    def _newton_step(self, slopes: Floats, gap: Floats) -> Floats:
        """What the moves found now are worth, less the present values; a plain step where these moves never leave."""
        matrix = np.eye(self.size) - slopes
        if self.arrays.game.endless:
            stays = np.abs(np.linalg.det(matrix)) < SURE
            matrix[stays] = np.eye(self.size)
        return np.asarray(np.linalg.solve(matrix, gap[..., None])[..., 0])

    def _slopes(self) -> Floats:
        """How each board's backup moves with its fellows' values; also leaves the backups in ``arrays.out``."""
        arrays, members = self.arrays, self.members
        slopes = np.zeros((*members.shape, self.size))
        seeds = arrays.seeds  # zero everywhere else; other workers' boards are never read from these
        if self.follows is not None:
            seeds[members] = 1.0
            arrays.carry(self.groups, seeds, -1.0)
            seeds[members] = 0.0
            every = np.arange(members.size)
            slopes.reshape(-1, self.size)[every, self.follows.ravel()] = arrays.out_dual[members.ravel()]
            return slopes
        for place in range(self.size):
            seeds[members] = 0.0
            seeds[members[:, place]] = 1.0
            arrays.carry(self.groups, seeds, -1.0)
            slopes[:, :, place] = arrays.out_dual[members]
        seeds[members] = 0.0
        return slopes

    def _waits(self, slopes: Floats) -> Floats:
        """Expected turns left under the moves found, the present one included."""
        arrays, members = self.arrays, self.members
        arrays.waits[members] = 0.0
        arrays.carry(self.groups, arrays.waits, 1.0)
        here = 1.0 + arrays.out_dual[members]
        matrix = np.eye(self.size) - np.abs(slopes)
        if arrays.game.endless:
            stays = np.abs(np.linalg.det(matrix)) < SURE
            if stays.any():
                raise endless_play(arrays.game, int(members[stays][0, 0]))
        return np.asarray(np.linalg.solve(matrix, here[..., None])[..., 0])


class LargeComponent(Certified):
    """One component of many boards, swept by all workers together in the game's own order."""

    def __init__(self, arrays: BoardArrays, groups: list[RootGroup], pause: Callable[[], None]) -> None:
        super().__init__(arrays, [], np.concatenate([group.boards for group in groups]))
        self.pause = pause  # called between two sweeps
        orders = []
        for group in groups:
            by_order = np.argsort(-arrays.order_of[group.boards], kind="stable")
            self.groups.append(group.of(by_order))
            orders.append(-arrays.order_of[group.boards][by_order])
        self.runs = self._runs(orders)

    def _runs(self, orders: list[Any]) -> list[tuple[int, int, int]]:
        """(group, begin, end) in sweeping order: one order value after the other, groups last to first."""
        values = np.unique(np.concatenate(orders))
        if len(self.boards) < (1024 if len(orders) == 1 else FEW) * len(values):
            return [(number, 0, len(order)) for number, order in reversed(list(enumerate(orders)))]
        runs = []
        for value in values:
            for number in reversed(range(len(self.groups))):
                begin, end = np.searchsorted(orders[number], [value, value + 1])
                if end > begin:
                    runs.append((number, int(begin), int(end)))
        return runs

    def run(self, rank: int, team: Team) -> None:
        """Sweep, and certify."""
        arrays, boards = self.arrays, self.boards
        if rank == 0:
            arrays.work.methods.add("sweeps of a large component, certified")
            require_exits(arrays, self.groups, boards)
            arrays.value[boards] = arrays.game.total / 2 if arrays.n_seats > 1 else 0.0
            if arrays.guess is not None and np.isfinite(arrays.guess[boards]).all():
                arrays.value[boards] = arrays.guess[boards]
            arrays.waits[boards] = 0.0
        values, waits = f"the values of {arrays.game}", f"the waits of {arrays.game}"
        for passes in (self._value_pass, arrays.value, values, 0.0), (self._wait_pass, arrays.waits, waits, ENOUGH):
            if rank == 0:
                self.sweeps = self._sweeps(*passes)
            team.sync()
            self.sweeps.run(rank, team)
        if rank == 0:
            scale = float(np.max(np.abs(arrays.value[boards])))
            arrays.slack = max(arrays.slack, self.certify(scale, 4.0))

    def _sweeps(self, one_pass: Pass, moving: Floats, name: str, enough: float) -> Sweeps:
        """Sweeps of all runs until nothing moves by more than ``enough``, or only rounding does."""
        arrays = self.arrays
        guide = Guide(moving, self.boards, name, enough, MOST_SWEEPS)

        def goes_on(moved: float) -> bool:
            arrays.scale = max(arrays.scale, float(np.max(np.abs(arrays.value[self.boards]))))
            for group in self.groups:
                arrays.count(group, 1)
            more = guide.goes_on(arrays.scale)
            self.pause()
            return more

        edges = sum(len(group.boards) * group.backup.n_edges for group in self.groups)
        share = len(self.runs) > 1 and edges > SHARED * len(self.runs)
        return Sweeps([partial(self._share, one_pass, *run) for run in self.runs], goes_on, share)

    def _share(self, one_pass: Pass, number: int, begin: int, end: int, rank: int, workers: int) -> float:
        """One worker's share of a run."""
        width = end - begin
        begin, end = begin + width * rank // workers, begin + width * (rank + 1) // workers
        if end > begin:
            one_pass(self.groups[number], slice(begin, end))
        return 0.0

    def _value_pass(self, group: RootGroup, some: slice) -> None:
        value, total = self.arrays.value, float(self.arrays.game.total)
        group.backup.values(group.moves, value, value, total, group.boards, value, some)

    def _wait_pass(self, group: RootGroup, some: slice) -> None:
        arrays, boards, total = self.arrays, group.boards, float(self.arrays.game.total)
        out = arrays.out, arrays.out_dual
        group.backup.carry(group.moves, arrays.value, total, (arrays.waits, 1.0), boards, out, some)
        arrays.waits[boards[some]] = 1.0 + arrays.out_dual[boards[some]]
