"""Boards that lead to each other within a level: Newton steps for a few of them, sweeps for many, then the proof.

The proof is the same for both (SOUND.md, step 4): with F the values found and w the expected number of turns left under
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

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.boards.mixing import Guide
from rollwise.solver.game.errors import NotConverged
from rollwise.solver.game.rounding import round_up
from rollwise.solver.order.exits import endless_play, trapped
from rollwise.solver.turn.perspective import leaf_values

if TYPE_CHECKING:
    from rollwise.solver.boards.sweep import BoardSolver, Part
    from rollwise.solver.order.team import Team

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
NEWTON_STEPS = 100
NEVER = 2**31 - 1
DOUBLINGS = 30
MOST_LENGTHENINGS = 10_000
FIRST = -1.0  # no ties: the first best move counts
MOST_SWEEPS = 1_000_000
SURE = 1e-12  # chances that differ by less may be equal


def require_exits(
    solver: BoardSolver, parts: list[Part], boards: Ints, room: tuple[Floats, Floats] | None = None
) -> None:
    """Raise ModelError if the players could together stay on these boards for ever; ``room`` as ``trapped`` has it."""
    board = trapped(solver.constants, parts, boards, room)
    if board is not None:
        raise endless_play(solver.game, board)


class Group(Protocol):
    """Components that are certified together; ``boards`` are those of all ``parts``."""

    @property
    def parts(self) -> list[Part]:
        """Boards by root."""

    @property
    def boards(self) -> Ints:
        """All boards."""

    def only(self, where: NDArray[np.bool_]) -> Group:
        """The components with one of these boards, perhaps with others."""


class SmallComponents:
    """Components of the same few boards each; ``members`` int64, shape (components, boards each)."""

    def __init__(self, solver: BoardSolver, parts: list[Part], members: Ints, follows: Ints | None) -> None:
        self.solver = solver
        self.parts = parts
        self.members = members
        self.size = members.shape[1]
        self.follows = follows  # where a board leads to one fellow only: that one's place, same shape; else None
        self.slack = 0.0
        self.scale = 1.0

    def run(self) -> None:
        """Solve and certify."""
        solver, members = self.solver, self.members
        if not solver.game.endless:
            require_exits(solver, self.parts, self.boards, (solver.marks, solver.out))
        self._guess()
        slopes = self._newton()
        waits = self._waits(slopes)
        solver.waits[members] = waits
        rounding = solver.error(2 * self.scale)
        gap = float(np.max(np.abs(solver.out[members] - solver.value[members])))
        self.slack = certify(solver, self, self.scale, 2 * (gap + rounding) / rounding)

    @property
    def boards(self) -> Ints:
        """All members."""
        return self.members.ravel()

    def only(self, where: NDArray[np.bool_]) -> SmallComponents:
        """The components with one of these boards (bool, one for each of ``boards``); all if these are the most."""
        chosen = np.asarray(where.reshape(self.members.shape).any(axis=1))
        if 2 * chosen.sum() > len(chosen):
            return self
        members = self.members[chosen]
        parts = [part.of(np.flatnonzero(np.isin(part.boards, members))) for part in self.parts]
        follows = None if self.follows is None else self.follows[chosen]
        return SmallComponents(self.solver, [part for part in parts if len(part.boards)], members, follows)

    def _guess(self) -> None:
        """Start from the value of the nearest board (by level) that is solved and can be reached."""
        solver = self.solver
        for part in self.parts:
            leads = part.moves.ends
            level = solver.padded_level[leads >> 1]
            level[level == solver.level_of[part.boards]] = NEVER
            nearest = np.argmin(level, axis=0)
            columns = np.arange(len(part.boards))
            found = leaf_values(leads[nearest, columns], solver.value, solver.value, solver.game.total)
            reachable = level[nearest, columns] < NEVER
            solver.value[part.boards] = np.where(reachable, found, solver.game.total / 2)

    def _newton(self) -> Floats:
        """Newton steps until no component moves any more; returns the slopes there.

        Most components need few steps: those that are as near as rounding lets them come are left out of the others.
        """
        solver, members = self.solver, self.members
        slopes = np.empty((*members.shape, self.size))
        moving, places = self, np.arange(len(members))
        best = np.inf
        for step in range(NEWTON_STEPS):
            slopes[places] = moving._slopes()
            gap = solver.out[moving.members] - solver.value[moving.members]
            self.scale = max(solver.scale, float(np.max(np.abs(solver.value[members]))))
            worst = float(np.max(np.abs(gap)))
            if worst <= 2 * solver.error(self.scale):
                return slopes
            far = np.abs(gap) > solver.error(self.scale) / 4
            fewer = moving.only(far.ravel())
            if fewer is not moving:
                moving, places, gap = fewer, places[far.any(axis=1)], gap[far.any(axis=1)]
            if worst > 0.9 * best and step > 20:  # two players' policies may chase each other: take plain steps
                solver.value[moving.members] += gap
            else:
                solver.value[moving.members] += self._newton_step(slopes[places], gap)
            best = min(best, worst)
        raise NotConverged(f"NotConverged: {solver.game} still moves by {worst:.2g} after {NEWTON_STEPS} steps", worst)

    def _newton_step(self, slopes: Floats, gap: Floats) -> Floats:
        """What the moves found now are worth, less the present values; a plain step where these moves never leave."""
        matrix = np.eye(self.size) - slopes
        if self.solver.game.endless:
            stays = np.abs(np.linalg.det(matrix)) < SURE
            matrix[stays] = np.eye(self.size)
        return np.asarray(np.linalg.solve(matrix, gap[..., None])[..., 0])

    def _slopes(self) -> Floats:
        """How each board's backup moves with its fellows' values; also leaves the backups in ``solver.out``."""
        solver, members = self.solver, self.members
        slopes = np.zeros((*members.shape, self.size))
        seeds = solver.seeds  # zero everywhere else; other workers' boards are never read from these
        if self.follows is not None:
            seeds[members] = 1.0
            carry(solver, self.parts, seeds, -1.0)
            seeds[members] = 0.0
            every = np.arange(members.size)
            slopes.reshape(-1, self.size)[every, self.follows.ravel()] = solver.out_dual[members.ravel()]
            return slopes
        for place in range(self.size):
            seeds[members] = 0.0
            seeds[members[:, place]] = 1.0
            carry(solver, self.parts, seeds, -1.0)
            slopes[:, :, place] = solver.out_dual[members]
        seeds[members] = 0.0
        return slopes

    def _waits(self, slopes: Floats) -> Floats:
        """Expected turns left under the moves found, the present one included."""
        solver, members = self.solver, self.members
        solver.waits[members] = 0.0
        carry(solver, self.parts, solver.waits, 1.0)
        here = 1.0 + solver.out_dual[members]
        matrix = np.eye(self.size) - np.abs(slopes)
        if solver.game.endless:
            stays = np.abs(np.linalg.det(matrix)) < SURE
            if stays.any():
                raise endless_play(solver.game, int(members[stays][0, 0]))
        return np.asarray(np.linalg.solve(matrix, here[..., None])[..., 0])


def carry(solver: BoardSolver, parts: list[Part], duals: Floats, sign: float, tie: float = FIRST) -> None:
    """Back up values and carry ``duals`` along, into ``solver.out`` and ``solver.out_dual``."""
    total = float(solver.game.total)
    for part in parts:
        part.backup.carry(
            part.moves,
            solver.value,
            total,
            duals,
            sign,
            part.boards,
            solver.out,
            solver.out_dual,
            0,
            len(part.boards),
            tie,
        )
        solver.count(part, 2)


def certify(solver: BoardSolver, group: Group, scale: float, slack: float) -> float:
    """Set the radius of these boards from ``solver.waits`` and prove it; returns the slack g that was needed.

    Where U is refused because a move as good as the best leads a longer way round, the waits are lengthened first.
    """
    solver.require_finite(group.boards)
    rounding = solver.error(2 * scale)
    if solver.game.endless:
        rounding *= 9 / 8  # strict, whatever the rounding is
    slack = max(solver.slack, slack * rounding)
    for _ in range(DOUBLINGS):
        boards = group.boards
        solver.radius[boards] = round_up(slack * solver.waits[boards])
        solver.bound(boards)
        refused = ~holds(solver, group, rounding)
        if not refused.any():
            return slack
        group = group.only(refused)
        if not lengthen(solver, group, 4 * slack * float(np.max(solver.waits[group.boards]))):
            slack *= 2
    widest = 2 * float(np.max(solver.radius[boards]))
    raise NotConverged(f"NotConverged: no bound closer than {widest:.2g} for {solver.game}", widest)


def lengthen(solver: BoardSolver, group: Group, tie: float) -> bool:
    """Make the waits those of the longest way among moves within ``tie`` of the best; False if they are already."""
    all_boards = group.boards
    before = solver.waits[all_boards].copy()
    for _ in range(MOST_LENGTHENINGS):
        boards = group.boards
        carry(solver, group.parts, solver.waits, 1.0, tie)
        longer = np.maximum(1.0 + solver.out_dual[boards], solver.waits[boards])
        grown = longer - solver.waits[boards] > 0.5
        solver.waits[boards] = longer
        if not grown.any():
            break
        group = group.only(grown)
    return bool(np.max(solver.waits[all_boards] - before) > 0.5)


def holds(solver: BoardSolver, group: Group, rounding: float) -> NDArray[np.bool_]:
    """Where one backup of the bounds stays within them, rounding added: bool, one for each of the boards."""
    total, boards = float(solver.game.total), group.boards
    held = np.ones(len(boards), dtype=bool)
    for bound, other, side in ((solver.upper, solver.lower, 1.0), (solver.lower, solver.upper, -1.0)):
        for part in group.parts:
            part.backup.values(part.moves, bound, other, total, part.boards, solver.out, 0, len(part.boards))
            solver.count(part, 1)
        held &= side * (bound[boards] - solver.out[boards]) >= rounding
    return held


class LargeComponent:
    """One component of many boards, swept by all workers together in the game's own order."""

    def __init__(self, solver: BoardSolver, parts: list[Part]) -> None:
        self.solver = solver
        self.boards = np.concatenate([part.boards for part in parts])
        self.parts = []
        orders = []
        for part in parts:
            by_order = np.argsort(-solver.order_of[part.boards], kind="stable")
            self.parts.append(part.of(by_order))
            orders.append(-solver.order_of[part.boards][by_order])
        self.runs = self._runs(orders)

    def only(self, where: NDArray[np.bool_]) -> LargeComponent:
        """All of it: its boards lead to each other."""
        return self

    def _runs(self, orders: list[Any]) -> list[tuple[int, int, int]]:
        """(part, begin, end) in sweeping order: one order value after the other, parts last to first."""
        if len(self.parts) == 1 and len(orders[0]) < 1024 * len(np.unique(orders[0])):
            return [(0, 0, len(orders[0]))]
        runs = []
        for value in np.unique(np.concatenate(orders)):
            for number in reversed(range(len(self.parts))):
                begin, end = np.searchsorted(orders[number], [value, value + 1])
                if end > begin:
                    runs.append((number, int(begin), int(end)))
        return runs

    def run(self, rank: int, team: Team) -> None:
        """Sweep, certify; if the bound is too wide, sweep on."""
        solver, boards = self.solver, self.boards
        if rank == 0:
            solver.work.methods.add("sweeps of a large component, certified")
            require_exits(solver, self.parts, boards)
            solver.value[boards] = solver.game.total / 2 if solver.settler.uses.seats > 1 else 0.0
            if solver.guess is not None and np.isfinite(solver.guess[boards]).all():
                solver.value[boards] = solver.guess[boards]
            solver.waits[boards] = 0.0
        team.sync()
        self._sweep_until(rank, team, self._value_pass, solver.value, 0.0)
        self._sweep_until(rank, team, self._wait_pass, solver.waits, 0.5)
        if rank == 0:
            self._certify()
        team.sync()

    def _sweep_until(self, rank: int, team: Team, sweep: Any, moving: Floats, enough: float) -> None:
        """Sweep until nothing moves by more than ``enough``, or only rounding does (the proof comes after)."""
        boards = self.boards
        if rank == 0:
            self.guide = Guide(enough)
        for _ in range(MOST_SWEEPS):
            before = moving[boards].copy() if rank == 0 else None
            team.sync()
            self._sweep(rank, team, sweep)
            if before is not None:
                after = moving[boards]
                self.solver.scale = max(self.solver.scale, float(np.max(np.abs(self.solver.value[boards]))))
                for part in self.parts:
                    self.solver.count(part, 1)
                ahead = self.guide.next(before, after, self.solver.scale)
                self.going_on = ahead is not None
                if ahead is not None:
                    moving[boards] = ahead
                self.solver.maybe_save()
            team.sync()
            if not self.going_on:
                return
        raise NotConverged(
            f"NotConverged: {self.solver.game} still moves by {self.guide.change:.2g}", self.guide.change
        )

    def _sweep(self, rank: int, team: Team, sweep: Any) -> None:
        """One sweep of all runs: a single run is one worker's, others are shared out, run by run."""
        alone = len(self.runs) == 1
        for number, begin, end in self.runs:
            if not alone:
                width = end - begin
                begin, end = begin + width * rank // team.workers, begin + width * (rank + 1) // team.workers
            if end > begin and (rank == 0 or not alone):
                sweep(self.parts[number], begin, end)
            team.sync()

    def _value_pass(self, part: Part, begin: int, end: int) -> None:
        solver = self.solver
        part.backup.values(
            part.moves, solver.value, solver.value, float(solver.game.total), part.boards, solver.value, begin, end
        )

    def _wait_pass(self, part: Part, begin: int, end: int) -> None:
        solver = self.solver
        part.backup.carry(
            part.moves,
            solver.value,
            float(solver.game.total),
            solver.waits,
            1.0,
            part.boards,
            solver.out,
            solver.out_dual,
            begin,
            end,
            FIRST,
        )
        boards = part.boards[begin:end]
        solver.waits[boards] = 1.0 + solver.out_dual[boards]

    def _certify(self) -> None:
        solver, boards = self.solver, self.boards
        scale = float(np.max(np.abs(solver.value[boards])))
        solver.slack = max(solver.slack, certify(solver, self, scale, 4.0))
