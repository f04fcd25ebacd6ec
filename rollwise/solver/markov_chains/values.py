"""Absorption odds and expected turns of luck games of several seats, by elimination backwards over the boards.

The boards are the states of an absorbing Markov chain (Kemeny and Snell 1960). *Elimination* takes levels, and in a
level strongly connected components, one after the other: what leads out of one is a constant by then. Small ones are
solved by Gaussian elimination, others by Gauss-Seidel sweeps. ``solver.markov_chains.forwards`` has the forward pass.

The values are certified: where one more backup changes no value by more than r, none is off by more than r times the
expected number of turns t; where one more backup changes t by at most r < 1, it is at most t / (1 - r).
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

from rollwise.solver.components.certificates import MAX_TURNS_ADDED, bound_expected_turns, error_bound
from rollwise.solver.components.checkpoints import Checkpointing, CheckpointTimer, without_checkpoints
from rollwise.solver.components.strongly_connected import kernels, strong_components
from rollwise.solver.components.team import GoesOn, Sweeps, Team, run_in_parts
from rollwise.solver.markov_chains.layout import SHIFT_BITS, Chain, SuccessorCodes
from rollwise.solver.model.cancellation import no_progress
from rollwise.solver.model.errors import ModelError, NotConverged
from rollwise.solver.model.limits import n_workers
from rollwise.solver.turn.arrays import UNIT

Floats = NDArray[np.float64]
Report = Callable[[float], None]

MAX_INTERVAL_WIDTH = 1e-9  # of the certified interval of a chance
SWEEP_TOLERANCE = 1e-15  # of a component: change of a chance by one more sweep; of a length a quarter of it
LARGE_TOLERANCE = 1e-14  # the same for components that two threads share, in large chains
LARGE_CHAIN = 1_000_000
MAX_INTERPRETED_TERMS = 100_000  # boards x results x seats up to which Python is done sooner than the compiler
MAX_SWEEPS = 100_000
MAX_STALLED_SWEEPS = 8  # sweeps of a component without progress before the certificate decides
SMALL_STEP = 64.0  # times the tolerance: a change up to which the next one may be extrapolated
PIECE_PLACES = 4096  # places solved together in the processor's cache, where none leads past them
CUT_WINDOW_PLACES = 64  # places on either side of an even cut, among which threads look for one that no result crosses
PARALLEL_PLACES = 8192  # places from which two threads share a piece of work
PARALLEL_BOARDS = 32_768  # boards of a component from which two threads share it


@dataclass(frozen=True)
class ChainValues:
    """Absorption odds and expected turns of every place of a chain.

    ``values``: float64, shape (n, columns): shares from the mover to the left, then (where there are shared wins) the
    chance of one, last the expected number of turns. ``chance_error`` and ``turn_error``, times the expected number of
    turns of a place, bound the errors of its chances and of its turns.
    """

    values: Floats
    chance_error: float
    turn_error: float

    def radius(self, place: int) -> tuple[float, float]:
        """Error bounds of the chances and of the expected turns of a place."""
        turns = bound_expected_turns(float(self.values[place, -1]), self.turn_error, "a game")
        return error_bound(self.chance_error, turns), error_bound(self.turn_error, turns)


def eliminate(chain: Chain, report: Report = no_progress, saving: Checkpointing = without_checkpoints) -> ChainValues:
    """Solve all boards of a chain; raises NotConverged where the certified error stays too large.

    ``saving`` resumes from a checkpoint, and writes levels that are done.
    """
    elimination = Elimination(chain)
    with saving(elimination) as save:
        return elimination.solve(report, save)


class Elimination:
    """Values of a chain, level by level, with checkpoints between levels."""

    written_once = True

    def __init__(self, chain: Chain) -> None:
        self.chain = chain
        self.values: Floats = np.zeros((chain.n_boards, chain.seats + 1))
        self.change: Floats = np.zeros(self.values.shape[1])
        self.done = 0  # places of whole levels that are solved

    def solve(self, report: Report, save: Callable[[], None]) -> ChainValues:
        """Solve the levels that are not done."""
        saves = CheckpointTimer(save, written_once=True)
        chain = self.chain
        scratch = Scratch()
        with ThreadPoolExecutor(n_workers()) as pool:
            for first, end in pairwise(chain.levels.tolist()):
                if end <= self.done:
                    continue
                successors = chain.successors(first, end)
                if self.values.shape[1] == chain.seats + 1 and chain.shared.any():  # the first shared wins
                    self._add_shared_column()
                level = Level(chain, first, successors, self.values, pool, scratch)
                self.change = np.maximum(self.change, level.solve())
                self.done = end
                report(end / chain.n_boards)
                saves.save_if_due()
        return certify(chain, self.values, self.change)

    def _add_shared_column(self) -> None:
        """Insert a column for the chance of a shared win, 0 so far."""
        self.values = np.insert(self.values, self.chain.seats, 0.0, axis=1)
        self.change = np.insert(self.change, self.chain.seats, 0.0)

    def checkpoint(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """All rows, the number of them that are done, and the residual by column."""
        return {"values": self.values}, {"done": self.done, "change": self.change.tolist()}

    def fits(self, arrays: Mapping[str, Any], state: Mapping[str, Any]) -> bool:
        """True for rows of whole levels of this chain with finite numbers, none below 0."""
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


def certify(chain: Chain, values: Floats, change: Floats) -> ChainValues:
    """Certify values by their residual, the largest change of each column in one more backup; rounding is included."""
    turns = float(values[:, -1].max(initial=0.0))
    rounding = (chain.n_results + 4) * UNIT  # a product and a sum for each result, an ending's share, a division
    turn_error = float(change[-1]) + rounding * (turns + 1)
    chance_error = float(change[:-1].max(initial=0.0)) + rounding
    gap = 2 * error_bound(chance_error, bound_expected_turns(turns, min(turn_error, MAX_TURNS_ADDED), str(chain.game)))
    if not turn_error < MAX_TURNS_ADDED or not gap <= MAX_INTERVAL_WIDTH:
        raise NotConverged(f"{chain.game}: intervals of {gap:.1e} reached, {MAX_INTERVAL_WIDTH:.0e} wanted", gap)
    return ChainValues(values, chance_error, turn_error)


class Level:
    """One level of a chain: places from ``first`` on, which lead to each other and to places before them.

    ``values`` are those of the whole chain; the rows of this level are filled in. Threads take pieces that fit into
    the processor's cache where no result leads past a piece; else the level is solved as a whole.
    """

    def __init__(
        self, chain: Chain, first: int, ahead: SuccessorCodes, values: Floats, pool: ThreadPoolExecutor, work: Scratch
    ) -> None:
        from rollwise.solver.markov_chains import chain_kernels
        from rollwise.solver.turn.kernel_cache import interpreted, is_ready

        is_small = chain.n_boards * chain.n_results * chain.seats <= MAX_INTERPRETED_TERMS
        self.compiled = not is_small or is_ready(chain_kernels.solve_few)
        self.kernels: Any = chain_kernels if self.compiled else interpreted(chain_kernels)
        self.chain = chain
        self.first = first
        widened: Any = () if self.compiled else [column.astype(np.int64) for column in ahead]
        self.successors = ahead if self.compiled else SuccessorCodes(*widened)
        self.n = len(ahead.codes)
        self.values = values
        self.pool = pool
        self.scratch = work
        self.seats = chain.seats
        endings = chain.endings
        extra_columns = np.zeros((len(endings), values.shape[1] - chain.seats))
        extra_columns[:, :-1] = chain.shared[:, None]
        self.endings = np.concatenate([endings, extra_columns], axis=1)

    def solve(self) -> Floats:
        """Fill in the rows; returns the residual, the largest change by column in one more backup of the level."""
        if self.n > PIECE_PLACES:
            bounds = self._thread_bounds()
            changes = [change for change in run_in_parts(self.pool, self._solve_pieces, bounds) if change is not None]
            if len(changes) == len(bounds) - 1:
                largest: Floats = np.max(changes, axis=0)
                return largest
        run = Run(self, 0, self.n, 0)
        if not run.solve():
            ahead = self.successors.codes >> SHIFT_BITS >= self.first + self.n
            board = self.chain.board(self.first + int(np.flatnonzero(ahead.any(axis=1))[0]))
            raise ModelError(f"{self.chain.game} goes from {board} to a board of a lower level")
        return run.residual()

    def _thread_bounds(self) -> list[int]:
        """Bounds of one part a thread, about even, at places that no result near by crosses."""
        cuts = [0]
        for middle in np.linspace(0, self.n, n_workers() + 1).astype(np.int64).tolist()[1:-1]:
            low, high = max(middle - CUT_WINDOW_PLACES, 0), min(middle + CUT_WINDOW_PLACES, self.n)
            place = np.arange(low, high)[:, None]
            after = (self.successors.codes[low:high] >> SHIFT_BITS) - self.first
            after = np.where((after >= 0) & (after < self.n), after, place)
            across = np.zeros(high - low + 2, dtype=np.int64)
            np.add.at(across, np.clip(np.minimum(place, after) + 1 - low, 0, None), 1)
            np.add.at(across, np.clip(np.maximum(place, after) + 1 - low, None, high - low + 1), -1)
            free = low + np.flatnonzero(np.cumsum(across[: high - low]) == 0)
            free = free[free > cuts[-1]]
            if len(free):
                cuts.append(int(free[np.abs(free - middle).argmin()]))
        return [*cuts, self.n]

    def _solve_pieces(self, low: int, high: int) -> Floats | None:
        """Solve places piece by piece; returns their residual, None where one leads to a place that is not solved."""
        change: Floats = np.zeros(self.values.shape[1])
        begun = low
        while low < high:
            run = Run(self, low, min(low + PIECE_PLACES, high), begun)
            if not run.solve():
                return None
            change = np.maximum(change, run.residual())
            low += run.n
        return change


class Scratch(threading.local):
    """Scratch arrays of each thread, used again from piece to piece."""

    def __init__(self) -> None:
        self._arrays: dict[str, NDArray[Any]] = {}

    def array(self, name: str, size: int, dtype: Any) -> Any:
        """An array of ``size`` numbers with arbitrary contents."""
        scratch = self._arrays.get(name)
        if scratch is None or len(scratch) < size or scratch.dtype != dtype:
            self._arrays.pop(name, None)
            scratch = self._arrays[name] = np.empty(size, dtype=dtype)
        return scratch[:size]


class Run:
    """A run of places of a level, from its place ``low`` on: all of it, or a piece after those from ``begun`` on."""

    def __init__(self, level: Level, low: int, high: int, begun: int) -> None:
        self.level = level
        self.first = level.first + low
        self.begun = level.first + begun
        self.is_whole = high - low == level.n
        self._set_length(high - low)

    def _set_length(self, n: int) -> None:
        """Set the run to ``n`` places from its first one on."""
        self.n = n
        low = self.first - self.level.first
        codes, root, standing = self.level.successors
        self.successors = SuccessorCodes(codes[low : low + n], root[low : low + n], standing[low : low + n])
        self.rows = self.level.values[self.first : self.first + n]

    def solve(self) -> bool:
        """Fill in the rows; the run is cut before places that lead past its end. False where none remain."""
        level, n = self.level, self.n
        array, width = level.scratch.array, level.chain.n_results
        integer: Any = np.int32 if level.compiled else np.int64
        start, stop, divisor = array("start", n, integer), array("stop", n, integer), array("divisor", n, float)
        target = array("target", n * width, integer)
        kind = array("kind", n * width, np.uint8 if level.chain.ways.size <= 256 else np.uint16)
        arguments = (self.first, level.first, self.begun, *self._table(), divisor, start, stop, target, kind)

        def fold(low: int, high: int) -> int:
            cut = int(level.kernels.fold(low, high, *arguments))
            return n if cut == high else cut

        cut = min(self._in_parallel(fold, n))
        if cut <= 0 or (self.is_whole and cut < n):
            return False
        if cut < n:
            n = cut
            self._set_length(n)
            start, stop = start[:n], stop[:n]
        if (start == stop).all():
            return True
        at = array("at", n, np.int32)
        edges = (start, stop, target, kind, level.chain.ways.ravel(), self.successors.standing)
        if n < PARALLEL_PLACES:
            order, of, starts = array("order", n, np.int32), array("of", n, np.int32), array("starts", n + 1, np.int32)
            work = array("room", 4 * n, np.int32).reshape(4, n)
            count = kernels(level.compiled).strong(start, stop, target, SHIFT_BITS, order, starts, of, work)
            chosen = array("chosen", count, np.int64)
            chosen[:] = np.arange(count)
            self._solve_few((chosen, starts, order, of, at, *edges, divisor), 0, count)
            return True
        parts = strong_components(start, stop, target, SHIFT_BITS, level.compiled)
        sizes = parts.sizes
        for low, high in pairwise(parts.ranks.tolist()):
            chosen = parts.by_rank[low:high]
            small = chosen[sizes[chosen] < PARALLEL_BOARDS]
            if len(small):
                table = (small, parts.starts, parts.order, parts.of, at, *edges, divisor)
                self._in_parallel(partial(self._solve_few, table), len(small), int(sizes[small].sum()))
            for component in chosen[sizes[chosen] >= PARALLEL_BOARDS].tolist():
                members = np.sort(parts.order[parts.starts[component] : parts.starts[component + 1]])
                sweep_component(self, component, members, (parts.of, at, *edges), divisor)
        return True

    def residual(self) -> Floats:
        """The largest change by column in one more backup."""

        def of(low: int, high: int) -> Floats:
            change = np.zeros(self.rows.shape[1])
            self.level.kernels.residual(low, high, self.first, *self._table(), change)
            return change

        largest: Floats = np.max(self._in_parallel(of, self.n), axis=0)
        return largest

    def _table(self) -> tuple[Any, ...]:
        level = self.level
        return (*self.successors, level.chain.ways, level.chain.total, level.seats, level.endings, level.values)

    def _solve_few(self, table: tuple[Any, ...], low: int, high: int) -> None:
        """Solve small components in topological order; those that elimination cannot solve are swept."""
        while (low := self.level.kernels.solve_few(low, high, *table, self.level.seats, self.rows)) < high:
            chosen, starts, order, *listed, divisor = table
            component = int(chosen[low])
            members = order[starts[component] : starts[component + 1]]
            sweep_component(self, component, members, tuple(listed), divisor)
            low += 1

    def _in_parallel(self, work: Callable[[int, int], Any], count: int, weight: int | None = None) -> list[Any]:
        """Do the work on 0..count - 1, with two threads from PARALLEL_PLACES on."""
        if (count if weight is None else weight) < PARALLEL_PLACES:
            return [work(0, count)]
        bounds = np.linspace(0, count, n_workers() + 1).astype(np.int64).tolist()
        return run_in_parts(self.level.pool, work, bounds)


def sweep_component(
    run: Run, component: int, members: NDArray[np.int32], listed: tuple[Any, ...], divisor: Floats
) -> None:
    """Solve a component of a run by Gauss-Seidel sweeps, a large one with workers that sweep in step."""
    _, _, start, stop, _, kind, weight, standing = listed
    level, n, columns, seats = run.level, len(members), run.rows.shape[1], run.level.seats
    edges = int((stop[members] - start[members]).sum())
    constant, row_start = np.empty((columns, n)), np.empty(n + 1, dtype=np.int32)
    edge_target, edge_kind = np.empty(edges, dtype=np.int32), np.empty(edges, dtype=kind.dtype)
    level.kernels.gather(members, component, *listed, seats, run.rows, constant, row_start, edge_target, edge_kind)
    is_whole = n == len(run.rows)  # solved in the memory of its rows
    x = run.rows.reshape(columns, n) if is_whole else np.empty((columns, n))
    divisor = divisor[members]
    np.divide(constant, divisor, out=x)
    workers = n_workers() if n >= PARALLEL_BOARDS else 1
    cuts = [n * part // workers for part in range(workers + 1)]
    arguments = (row_start, edge_target, edge_kind, weight, standing[members], divisor, constant, x)

    def column(number: int, rank: int, workers: int) -> float:
        change: float = level.kernels.sweep_column(number, seats, cuts[rank], cuts[rank + 1], *arguments)
        return change

    tolerance = SWEEP_TOLERANCE if min(level.chain.n_boards / LARGE_CHAIN, n / PARALLEL_BOARDS) < 1 else LARGE_TOLERANCE
    parts = [partial(column, number) for number in range(columns)]
    share_sweeps = Sweeps(parts[:seats], until_converged(tolerance))
    Team(workers).run([share_sweeps, *(Sweeps([part], until_converged(tolerance / 4)) for part in parts[seats:])])
    if is_whole:
        constant[:] = x
        x = constant
    run.rows[members] = x.T


def until_converged(tolerance: float) -> GoesOn:
    """Stopping rule: one more sweep would change nothing by more than ``tolerance``, or changes no longer shrink.

    Convergence may slow down, so the last two changes are extrapolated only over a small step.
    """
    least, stalled, swept = np.inf, 0, 0

    def goes_on(change: float) -> bool:
        nonlocal least, stalled, swept
        stops = change <= tolerance or (change <= SMALL_STEP * tolerance and change * change <= tolerance * least)
        if stops or stalled >= MAX_STALLED_SWEEPS:
            return False
        least, stalled, swept = (change, 0, swept + 1) if change < least else (least, stalled + 1, swept + 1)
        return swept < MAX_SWEEPS

    return goes_on
