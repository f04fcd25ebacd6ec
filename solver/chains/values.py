"""Luck games of several seats: who wins how often, and how long a game takes, by two methods over one chain.

*Elimination* goes backwards, level by level: what every board is worth to every seat, and how many turns it has to
come. *Propagation* goes forwards from one board: the chances of all boards after one turn, two turns, and so on, which
gives the distribution of the length, and the winners too where seats always follow each other in turn. Elimination
answers every question of a game at once and needs a row of numbers a board; propagation needs one.

Both are certified. Elimination: if no backed-up value differs from its value by more than r, no value is off by more
than r times the expected number of turns (that many times r can add up), and that number t is itself bounded: where one
more backup changes it by at most r < 1, it is at most t / (1 - r). Propagation: all terms are chances, so sums grow
from below and what has not ended is the only thing missing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from rollwise.solver.chains.layout import BITS, Steps
from rollwise.solver.game.errors import NotConverged
from rollwise.solver.turn.arrays import UNIT

Floats = NDArray[np.float64]
Report = Callable[[float], None]

WORKERS = 2
TAIL, TAIL_IF_LARGE = 1e-12, 1e-10  # chance of longer games at which a distribution of lengths is cut
UNDERFLOW = 1e-200  # far above what products too small for a float can add up to
WIDEST = 1e-9  # of a certified interval of a chance
CLOSE, CLOSE_IF_LARGE = 1e-15, 2e-13  # a level is done when a sweep changes no chance by more
LARGE = 1_000_000  # boards of a large chain
MOST_SWEEPS = 100_000
PATIENCE = 40  # sweeps without progress before a level is left to the certificate
TILE_SWEEPS = 12  # times that a tile is swept again before the next one is
TOGETHER = 8192  # places of a level from which two threads share it
PLAIN = 200_000  # boards times results up to which NumPy is quick enough


# --- backwards -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Eliminated:
    """What every place of a chain is worth.

    ``values``: float64, shape (n, columns): shares from the mover to the left, then (where there are shared wins) the
    chance of one, last the expected number of turns. ``chance_error`` and ``turn_error``, times the expected number of
    turns of a place, are how far off its chances and its turns may be.
    """

    values: Floats
    chance_error: float
    turn_error: float

    def radius(self, place: int) -> tuple[float, float]:
        """How far off the chances and the number of turns of a place may be."""
        turns = float(self.values[place, -1]) / (1.0 - self.turn_error) * (1 + 4 * UNIT)
        return self.chance_error * turns, self.turn_error * turns


def eliminate(steps: Steps, report: Report = lambda done: None) -> Eliminated:
    """Solve all boards of a chain; raises NotConverged where the certified error stays too large."""
    extra = _beside_shares(steps)
    values = np.zeros((steps.n_boards, steps.endings.shape[1] + extra.shape[1]))
    loop = _Loop(steps, steps.endings, steps.standing, extra, values)
    done = 0
    with Parallel(n_jobs=WORKERS, backend="threading") as pool:
        for first, end in zip(steps.levels, steps.levels[1:], strict=False):
            loop.settle(pool, int(first), int(end))
            done += int(end - first)
            report(done / steps.n_boards)
        return certified(steps, values, loop.residual(pool))


def _beside_shares(steps: Steps) -> Floats:
    """What endings are worth in the columns beside the shares: a shared win where there are any, and no more turns."""
    shared = steps.shared
    return (
        np.stack([shared.astype(float), np.zeros(len(shared))], axis=1) if shared.any() else np.zeros((len(shared), 1))
    )


def certified(steps: Steps, values: Floats, change: Floats) -> Eliminated:
    """The bounds that follow from the largest change of each column in one more backup, rounding included."""
    most_turns = float(values[:, -1].max(initial=0.0))
    rounding = (2 * steps.codes.shape[1] + 6) * UNIT
    turn_error = float(change[-1]) + rounding * (most_turns + 1)
    chance_error = float(change[:-1].max(initial=0.0)) + 2 * rounding
    gap = 2 * chance_error * most_turns / max(1 - turn_error, 1e-9)
    if not turn_error < 0.5 or gap > WIDEST:
        raise NotConverged(f"NotConverged: {steps.game}: intervals of {gap:.1e} reached, {WIDEST:.0e} wanted", gap)
    return Eliminated(values, chance_error, turn_error)


def longest(steps: Steps) -> float:
    """An upper bound on the expected number of turns still to come, from any board (not a close one)."""
    none = np.zeros((len(steps.endings), 0))
    values = np.zeros((steps.n_boards, 1))
    loop = _Loop(steps, none, np.zeros_like(steps.standing), np.zeros((len(none), 1)), values)
    with Parallel(n_jobs=WORKERS, backend="threading") as pool:
        for _ in range(MOST_SWEEPS):
            for _ in range(4):
                loop.sweep(pool, 0, steps.n_boards, 0)
            most = float(values.max(initial=0.0))
            left = float(loop.residual(pool)[-1]) + (2 * steps.codes.shape[1] + 6) * UNIT * (most + 1)
            if left < 0.5:
                return float(most / (1 - left) * (1 + 4 * UNIT))
    raise NotConverged(f"NotConverged: {steps.game} may go on for ever", 1.0)


class _Loop:
    """Sweeps over the places of one chain, shared by two threads where there are many."""

    def __init__(
        self, steps: Steps, endings: Floats, standing: NDArray[np.uint8], extra: Floats, values: Floats
    ) -> None:
        from rollwise.solver.chains import chain_kernels

        self.kernels = chain_kernels
        self.values = values
        self.seats = endings.shape[1]
        self.table = (steps.codes, steps.root, steps.ways, steps.total, standing, endings, extra, values)
        self.close = CLOSE if steps.n_boards < LARGE else CLOSE_IF_LARGE
        self.swept = 0  # places backed up so far, over and over

    def settle(self, pool: Any, first: int, end: int) -> None:
        """Sweep one level until a sweep changes nothing that matters; once where no board leads to its own level.

        At first tiles are swept again at once, for that may be all that a level needs.
        """
        if not self.kernels.leads_inside(first, end, *self.table[:3]):
            self.sweep(pool, first, end, 0)
            return
        least, waited = np.inf, 0
        for number in range(MOST_SWEEPS):
            change = self.sweep(pool, first, end, TILE_SWEEPS if number < 3 else 0)
            turns = float(change[-1]) / max(1.0, float(self.values[first, -1]))
            most = max(float(change[:-1].max(initial=0.0)), turns)
            if most <= self.close:
                return
            waited = 0 if most < least else waited + 1
            least = min(least, most)
            if waited >= PATIENCE:
                return

    def sweep(self, pool: Any, first: int, end: int, again: int) -> Floats:
        """One sweep, each tile up to so many times more; the largest change of each column."""
        if end - first < TOGETHER:
            return self._sweep(first, end, again)
        bounds = np.linspace(first, end, WORKERS + 1).astype(np.int64).tolist()
        jobs = (delayed(self._sweep)(bounds[i], bounds[i + 1], again) for i in range(WORKERS))
        found: Floats = np.max(pool(jobs), axis=0)
        return found

    def _sweep(self, first: int, end: int, again: int) -> Floats:
        change = np.zeros(self.values.shape[1])
        self.kernels.sweep(first, end, again, self.close / 4, *self.table, change)
        self.swept += end - first
        return change

    def residual(self, pool: Any) -> Floats:
        """The largest change that one more backup of all places would make, by column."""

        def of(first: int, end: int) -> Floats:
            change = np.zeros(self.values.shape[1])
            self.kernels.residual(first, end, *self.table, change)
            return change

        half = len(self.values) // 2
        parts = [(0, half), (half, len(self.values))] if len(self.values) >= TOGETHER else [(0, len(self.values))]
        found: Floats = np.max(pool(delayed(of)(*part) for part in parts), axis=0)
        return found


# --- forwards ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Propagated:
    """How a game from one board ends.

    ``ended``: float64, shape (turns, endings): the chance that the game ends with that turn (the first row is the first
    turn) in that way, right but for the part ``error`` of it. ``tail``: no more than this is the chance that it lasts
    longer.
    """

    ended: Floats
    error: float
    tail: float

    @property
    def lengths(self) -> Floats:
        """The chance of each number of turns, 1 and up."""
        found: Floats = self.ended.sum(axis=1)
        return found


def propagate(steps: Steps, start: int, tail: float | None = None, report: Report = lambda done: None) -> Propagated:
    """Follow the chances of all boards from the place ``start`` until at most ``tail`` of them is left.

    By default that is TAIL, in large chains TAIL_IF_LARGE. Raises NotConverged for a game that does not end.
    """
    walk = _Walk(steps, start)
    cut = (TAIL if steps.n_boards < LARGE else TAIL_IF_LARGE) if tail is None else tail
    ended: list[Floats] = []
    left = 1.0
    with Parallel(n_jobs=WORKERS, backend="threading") as pool:
        while left > cut:
            if len(ended) >= MOST_SWEEPS:
                raise NotConverged(f"NotConverged: {steps.game}: {left:.1e} not over after {len(ended)} turns", left)
            ended.append(walk.step(pool))
            left = walk.left()
            report(float(np.log(max(left, cut)) / np.log(cut)))
    # a turn rounds each product twice and each sum once a term; sums over all boards are pairwise
    error = (len(ended) * (walk.fan_in + 4) + 64) * UNIT
    return Propagated(np.array(ended), error, left * (1 + error) * (1 + 1e-12) + UNDERFLOW)


class _Walk:
    """The chances of all boards, one turn after another, gathered by each board from those that lead to it."""

    def __init__(self, steps: Steps, start: int) -> None:
        self.steps = steps
        used = steps.ways > 0
        self.chance: Floats = steps.ways / steps.total[:, None]
        self.now: Floats = np.zeros(steps.n_boards)
        self.now[start] = 1.0
        self.plain = steps.codes.size <= PLAIN
        if self.plain:
            places = np.nonzero(used[steps.root] & (steps.codes >= 0))
            self.source, self.onward = places[0], self.chance[steps.root[places[0]], places[1]]
            self.following = steps.codes[places] >> BITS
            self.fan_in = int(np.bincount(self.following, minlength=1).max())
        else:
            self._compile(used)
        self.ending = [self._ends(ending) for ending in range(len(steps.endings))]

    def _compile(self, used: NDArray[np.bool_]) -> None:
        from rollwise.solver.chains import chain_kernels

        self.kernels = chain_kernels
        steps = self.steps
        self.next: Floats = np.zeros(steps.n_boards)
        before = np.zeros(steps.n_boards + 2, dtype=np.int64)
        self.fan_in = int(chain_kernels.count_before(steps.codes, steps.root, steps.ways, before))
        source = np.empty(int(before[-1]), dtype=np.int32)
        kind = np.empty(int(before[-1]), dtype=np.uint8 if used.size <= 256 else np.uint16)
        chain_kernels.list_before(steps.codes, steps.root, steps.ways, before, source, kind)
        self.table = (before, source, kind, self.chance.ravel())

    def _ends(self, ending: int) -> tuple[NDArray[np.int64], Floats]:
        """The places from which a turn can end so, and how likely it does."""
        steps = self.steps
        places, chances = [], []
        for first in range(0, steps.n_boards, 1 << 20):
            block, roots = steps.codes[first : first + (1 << 20)], steps.root[first : first + (1 << 20)]
            rows, results = np.nonzero(block == -1 - ending)
            found = self.chance[roots[rows], results]
            places.append(first + rows[found > 0])
            chances.append(found[found > 0])
        return np.concatenate(places), np.concatenate(chances)

    def step(self, pool: Any) -> Floats:
        """One turn: what ends with it, by ending."""
        ended = np.array([float((self.now[places] * chances).sum()) for places, chances in self.ending])
        if self.plain:
            flow = self.now[self.source] * self.onward
            self.now = np.bincount(self.following, flow, len(self.now)).astype(np.float64)
            return ended
        bounds = np.linspace(0, self.steps.n_boards, WORKERS + 1).astype(np.int64).tolist()
        pool(
            delayed(self.kernels.forward)(bounds[i], bounds[i + 1], *self.table, self.now, self.next)
            for i in range(WORKERS)
        )
        self.now, self.next = self.next, self.now
        return ended

    def left(self) -> float:
        """The chance that the game is not over."""
        return float(self.now.sum())
