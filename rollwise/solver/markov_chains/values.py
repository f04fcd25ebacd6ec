"""Luck games of several seats backwards: what every board is worth to every seat, and how many turns it has to come.

*Elimination* goes level by level, and inside a level by components, sets of boards that lead to each other: what leads
out of one is a constant by then. Small ones are solved directly, others are swept over until nothing moves, large ones
by two threads. ``solver.markov_chains.forwards`` has the other method.

The values are certified: if no backed-up value differs from its value by more than r, no value is off by more than r
times the expected number of turns (that many times r can add up), and that number t is itself bounded: where one more
backup changes it by at most r < 1, it is at most t / (1 - r).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.components.certificates import ENOUGH, lasting, off_by
from rollwise.solver.components.processors import n_workers
from rollwise.solver.components.saving import KeptSolve, Saves, not_kept
from rollwise.solver.components.strongly_connected import kernels, strong_components
from rollwise.solver.components.sweeping import GoesOn, Sweeps
from rollwise.solver.components.team import Team, shared_out
from rollwise.solver.markov_chains.layout import BITS, Chain, Follows
from rollwise.solver.model.cancellation import no_progress
from rollwise.solver.model.errors import ModelError, NotConverged
from rollwise.solver.turn.arrays import UNIT

Floats = NDArray[np.float64]
Report = Callable[[float], None]

WIDEST = 1e-9  # of a certified interval of a chance
CLOSE = 1e-15  # a component is done when one more sweep would change no chance by more, and no length by a quarter
CLOSE_IF_LARGE = 1e-14  # the same for components that two threads share, in chains of MANY boards
MANY = 1_000_000
MOST_INTERPRETED = 100_000  # boards x results x seats that are through sooner than the compiler
MOST_SWEEPS = 100_000
PATIENCE = 8  # sweeps without progress before a component is left to the certificate
SMALL_STEP = 64.0  # times as much as need be is a small step
PIECE = 4096  # places that are solved together, in the cache, where they lead to each other alone
NEAR = 64  # places that do so in pieces are no further apart
TOGETHER = 8192  # places from which two threads share a piece of work
FEW = 32_768  # boards of a component from which two threads share it


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
        turns = lasting(float(self.values[place, -1]), self.turn_error, "a game")
        return off_by(self.chance_error, turns), off_by(self.turn_error, turns)


def eliminate(chain: Chain, report: Report = no_progress, kept: KeptSolve = not_kept) -> Eliminated:
    """Solve all boards of a chain; raises NotConverged where the certified error stays too large.

    ``kept`` takes up what an earlier run has left, and keeps levels that are done.
    """
    elimination = Elimination(chain)
    with kept(elimination) as save:
        return elimination.solve(report, save)


class Elimination:
    """The values of a chain, level by level; what is done so far can be kept."""

    written_once = True

    def __init__(self, chain: Chain) -> None:
        self.chain = chain
        self.values: Floats = np.zeros((chain.n_boards, chain.seats + 1))
        self.change: Floats = np.zeros(self.values.shape[1])
        self.done = 0  # places that are done, those of whole levels

    def solve(self, report: Report, save: Callable[[], None]) -> Eliminated:
        """All levels that are not done."""
        saves = Saves(save, written_once=True)
        chain = self.chain
        room = Room()
        with ThreadPoolExecutor(n_workers()) as pool:
            for first, end in pairwise(chain.levels.tolist()):
                if end <= self.done:
                    continue
                onward = chain.onward(first, end)
                if self.values.shape[1] == chain.seats + 1 and chain.shared.any():  # the first shared wins
                    self._widen()
                level = Level(chain, first, onward, self.values, pool, room)
                self.change = np.maximum(self.change, level.solve())
                self.done = end
                report(end / chain.n_boards)
                saves.maybe()
        return certified(chain, self.values, self.change)

    def _widen(self) -> None:
        """A column for the chance of a shared win: none so far."""
        self.values = np.insert(self.values, self.chain.seats, 0.0, axis=1)
        self.change = np.insert(self.change, self.chain.seats, 0.0)

    def checkpoint(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """All rows, how many are done, and how much they change in one more backup."""
        return {"values": self.values}, {"done": self.done, "change": self.change.tolist()}

    def fits(self, arrays: Mapping[str, Any], state: Mapping[str, Any]) -> bool:
        """Rows of whole levels of this chain, and numbers that can be."""
        if state.keys() != {"done", "change"} or arrays.keys() != {"values"}:
            return False
        done, change, rows = state["done"], state["change"], arrays["values"]
        if not isinstance(done, int) or done not in self.chain.levels.tolist():
            return False
        if not isinstance(change, list) or len(change) not in (self.chain.seats + 1, self.chain.seats + 2):
            return False
        if not all(isinstance(number, float) and 0 <= number < np.inf for number in change):
            return False
        if rows.dtype != np.float64 or rows.shape != (done, len(change)):
            return False
        return bool(np.isfinite(rows).all() and (rows >= 0).all())

    def resume(self, arrays: dict[str, Any], state: dict[str, Any]) -> None:
        """Go on from a checkpoint."""
        self.done, self.change = state["done"], np.array(state["change"])
        if len(self.change) > self.values.shape[1]:
            self.values = np.zeros((self.chain.n_boards, len(self.change)))
        self.values[: self.done] = arrays.pop("values")


def certified(chain: Chain, values: Floats, change: Floats) -> Eliminated:
    """The bounds that follow from the largest change of each column in one more backup, rounding included."""
    most_turns = float(values[:, -1].max(initial=0.0))
    rounding = (chain.n_results + 4) * UNIT  # a product and a sum for each result, an ending's share, a division
    turn_error = float(change[-1]) + rounding * (most_turns + 1)
    chance_error = float(change[:-1].max(initial=0.0)) + rounding
    gap = 2 * off_by(chance_error, lasting(most_turns, min(turn_error, ENOUGH), str(chain.game)))
    if not turn_error < ENOUGH or not gap <= WIDEST:
        raise NotConverged(f"{chain.game}: intervals of {gap:.1e} reached, {WIDEST:.0e} wanted", gap)
    return Eliminated(values, chance_error, turn_error)


class Level:
    """One level of a chain: places from ``first`` on, which lead to each other and to places before them.

    ``values`` are those of the whole chain; the rows of this level are filled in, piece by piece where what leads to
    each other stands together, each piece in the cache and threads sharing them out; else the level as a whole.
    """

    def __init__(
        self, chain: Chain, first: int, onward: Follows, values: Floats, pool: ThreadPoolExecutor, room: Room
    ) -> None:
        from rollwise.solver.markov_chains import chain_kernels
        from rollwise.solver.turn.kept_kernels import interpreted, is_ready

        is_small = chain.n_boards * chain.n_results * chain.seats <= MOST_INTERPRETED
        self.compiled = not is_small or is_ready(chain_kernels.solve_few)
        self.kernels: Any = chain_kernels if self.compiled else interpreted(chain_kernels)
        self.chain = chain
        self.first = first
        long: Any = () if self.compiled else [column.astype(np.int64) for column in onward]
        self.onward = onward if self.compiled else Follows(*long)
        self.n = len(onward.codes)
        self.values = values
        self.pool = pool
        self.room = room
        self.seats = chain.seats
        endings = chain.endings
        beside = np.zeros((len(endings), values.shape[1] - chain.seats))
        beside[:, :-1] = chain.shared[:, None]
        self.endings = np.concatenate([endings, beside], axis=1)

    def solve(self) -> Floats:
        """Fill in the rows; the largest change that one more backup of the level would make, by column."""
        if self.n > PIECE:
            cuts = self._cuts()
            changes = [change for change in shared_out(self.pool, self._in_pieces, cuts) if change is not None]
            if len(changes) == len(cuts) - 1:
                found: Floats = np.max(changes, axis=0)
                return found
        run = Run(self, 0, self.n, 0)
        if not run.solve():
            ahead = self.onward.codes >> BITS >= self.first + self.n
            board = self.chain.board(self.first + int(np.flatnonzero(ahead.any(axis=1))[0]))
            raise ModelError(f"{self.chain.game} goes from {board} to a board of a lower level")
        return run.residual()

    def _cuts(self) -> list[int]:
        """Where the level is cut for threads: in about even parts, where no places near by lead past each other."""
        cuts = [0]
        for middle in np.linspace(0, self.n, n_workers() + 1).astype(np.int64).tolist()[1:-1]:
            low, high = max(middle - NEAR, 0), min(middle + NEAR, self.n)
            place = np.arange(low, high)[:, None]
            after = (self.onward.codes[low:high] >> BITS) - self.first
            after = np.where((after >= 0) & (after < self.n), after, place)
            across = np.zeros(high - low + 2, dtype=np.int64)
            np.add.at(across, np.clip(np.minimum(place, after) + 1 - low, 0, None), 1)
            np.add.at(across, np.clip(np.maximum(place, after) + 1 - low, None, high - low + 1), -1)
            free = low + np.flatnonzero(np.cumsum(across[: high - low]) == 0)
            free = free[free > cuts[-1]]
            if len(free):
                cuts.append(int(free[np.abs(free - middle).argmin()]))
        return [*cuts, self.n]

    def _in_pieces(self, low: int, high: int) -> Floats | None:
        """The same for these places, piece by piece; None where one leads to a place that is not solved."""
        change: Floats = np.zeros(self.values.shape[1])
        begun = low
        while low < high:
            run = Run(self, low, min(low + PIECE, high), begun)
            if not run.solve():
                return None
            change = np.maximum(change, run.residual())
            low += run.n
        return change


class Room(threading.local):
    """Arrays that are used again, of each thread its own."""

    def __init__(self) -> None:
        self._arrays: dict[str, NDArray[Any]] = {}

    def array(self, name: str, size: int, dtype: Any) -> Any:
        """An array of so many numbers, whatever they are."""
        kept = self._arrays.get(name)
        if kept is None or len(kept) < size or kept.dtype != dtype:
            self._arrays.pop(name, None)
            kept = self._arrays[name] = np.empty(size, dtype=dtype)
        return kept[:size]


class Run:
    """A run of places of a level, from its place ``low`` on: all of it, or a piece after those from ``begun`` on."""

    def __init__(self, level: Level, low: int, high: int, begun: int) -> None:
        self.level = level
        self.first = level.first + low
        self.begun = level.first + begun
        self.is_whole = high - low == level.n
        self._take(high - low)

    def _take(self, n: int) -> None:
        """So many places from the first on."""
        self.n = n
        low = self.first - self.level.first
        codes, root, standing = self.level.onward
        self.onward = Follows(codes[low : low + n], root[low : low + n], standing[low : low + n])
        self.rows = self.level.values[self.first : self.first + n]

    def solve(self) -> bool:
        """Fill in the rows; where the last ones lead past the run, it becomes shorter. False where nothing is left."""
        level, n = self.level, self.n
        array, width = level.room.array, level.chain.n_results
        integer: Any = np.int32 if level.compiled else np.int64
        start, stop, divisor = array("start", n, integer), array("stop", n, integer), array("divisor", n, float)
        target = array("target", n * width, integer)
        kind = array("kind", n * width, np.uint8 if level.chain.ways.size <= 256 else np.uint16)
        known = (self.first, level.first, self.begun, *self._table(), divisor, start, stop, target, kind)

        def fold(low: int, high: int) -> int:
            cut = int(level.kernels.fold(low, high, *known))
            return n if cut == high else cut

        cut = min(self._shared(fold, n))
        if cut <= 0 or (self.is_whole and cut < n):
            return False
        if cut < n:
            n = cut
            self._take(n)
            start, stop = start[:n], stop[:n]
        if (start == stop).all():
            return True
        at = array("at", n, np.int32)
        beside = (start, stop, target, kind, level.chain.ways.ravel(), self.onward.standing)
        if n < TOGETHER:
            order, of, starts = array("order", n, np.int32), array("of", n, np.int32), array("starts", n + 1, np.int32)
            room = array("room", 4 * n, np.int32).reshape(4, n)
            count = kernels(level.compiled).strong(start, stop, target, BITS, order, starts, of, room)
            chosen = array("chosen", count, np.int64)
            chosen[:] = np.arange(count)
            self._solve_few((chosen, starts, order, of, at, *beside, divisor), 0, count)
            return True
        parts = strong_components(start, stop, target, BITS, level.compiled)
        sizes = parts.sizes
        for low, high in pairwise(parts.ranks.tolist()):
            chosen = parts.by_rank[low:high]
            few = chosen[sizes[chosen] < FEW]
            if len(few):
                table = (few, parts.starts, parts.order, parts.of, at, *beside, divisor)
                self._shared(partial(self._solve_few, table), len(few), int(sizes[few].sum()))
            for component in chosen[sizes[chosen] >= FEW].tolist():
                members = np.sort(parts.order[parts.starts[component] : parts.starts[component + 1]])
                sweep_component(self, component, members, (parts.of, at, *beside), divisor)
        return True

    def residual(self) -> Floats:
        """The largest change that one more backup would make, by column."""

        def of(low: int, high: int) -> Floats:
            change = np.zeros(self.rows.shape[1])
            self.level.kernels.residual(low, high, self.first, *self._table(), change)
            return change

        found: Floats = np.max(self._shared(of, self.n), axis=0)
        return found

    def _table(self) -> tuple[Any, ...]:
        level = self.level
        return (*self.onward, level.chain.ways, level.chain.total, level.seats, level.endings, level.values)

    def _solve_few(self, table: tuple[Any, ...], low: int, high: int) -> None:
        """Components that do not lead to later ones."""
        while (low := self.level.kernels.solve_few(low, high, *table, self.level.seats, self.rows)) < high:
            chosen, starts, order, *listed, divisor = table
            component = int(chosen[low])
            members = order[starts[component] : starts[component + 1]]
            sweep_component(self, component, members, tuple(listed), divisor)
            low += 1

    def _shared(self, work: Callable[[int, int], Any], count: int, weight: int | None = None) -> list[Any]:
        """The work on 0..count - 1, by two threads where it is a lot."""
        if (count if weight is None else weight) < TOGETHER:
            return [work(0, count)]
        bounds = np.linspace(0, count, n_workers() + 1).astype(np.int64).tolist()
        return shared_out(self.level.pool, work, bounds)


def sweep_component(
    run: Run, component: int, members: NDArray[np.int32], listed: tuple[Any, ...], divisor: Floats
) -> None:
    """Fill in the rows of a component of a run by sweeps, those of a large one by workers in step."""
    _, _, start, stop, _, kind, weight, standing = listed
    level, n, columns, seats = run.level, len(members), run.rows.shape[1], run.level.seats
    edges = int((stop[members] - start[members]).sum())
    constant, begin = np.empty((columns, n)), np.empty(n + 1, dtype=np.int32)
    ahead, by = np.empty(edges, dtype=np.int32), np.empty(edges, dtype=kind.dtype)
    level.kernels.gather(members, component, *listed, seats, run.rows, constant, begin, ahead, by)
    is_whole = n == len(run.rows)  # solved in the place of its rows
    x = run.rows.reshape(columns, n) if is_whole else np.empty((columns, n))
    divisor = divisor[members]
    np.divide(constant, divisor, out=x)
    workers = n_workers() if n >= FEW else 1
    cuts = [n * part // workers for part in range(workers + 1)]
    known = (begin, ahead, by, weight, standing[members], divisor, constant, x)

    def column(number: int, rank: int, workers: int) -> float:
        moved: float = level.kernels.sweep_column(number, seats, cuts[rank], cuts[rank + 1], *known)
        return moved

    close = CLOSE if min(level.chain.n_boards / MANY, n / FEW) < 1 else CLOSE_IF_LARGE
    parts = [partial(column, number) for number in range(columns)]
    around = Sweeps(parts[:seats], until_still(close))
    Team(workers).run([around, *(Sweeps([part], until_still(close / 4)) for part in parts[seats:])])
    if is_whole:
        constant[:] = x
        x = constant
    run.rows[members] = x.T


def until_still(close: float) -> GoesOn:
    """Until one more sweep would move nothing by more than ``close``, or sweeps come no nearer to that.

    Sweeps may slow down, so what the last two did is believed of one more only where that is a small step.
    """
    least, waited, swept = np.inf, 0, 0

    def goes_on(moved: float) -> bool:
        nonlocal least, waited, swept
        still = moved <= close or (moved <= SMALL_STEP * close and moved * moved <= close * least)
        if still or waited >= PATIENCE:
            return False
        least, waited, swept = (moved, 0, swept + 1) if moved < least else (least, waited + 1, swept + 1)
        return swept < MOST_SWEEPS

    return goes_on
