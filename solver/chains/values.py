"""Luck games of several seats backwards: what every board is worth to every seat, and how many turns it has to come.

*Elimination* goes level by level, and inside a level by components, sets of boards that lead to each other: what leads
out of one is a constant by then. Components are mostly small and are swept over in the cache until nothing moves; large
ones are shared by two threads. ``solver.chains.forwards`` has the other method.

The values are certified: if no backed-up value differs from its value by more than r, no value is off by more than r
times the expected number of turns (that many times r can add up), and that number t is itself bounded: where one more
backup changes it by at most r < 1, it is at most t / (1 - r).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.chains.layout import Chain, Follows
from rollwise.solver.game.errors import ModelError, NotConverged
from rollwise.solver.game.giving_up import unheard
from rollwise.solver.order.certificates import ENOUGH, lasting, off_by
from rollwise.solver.order.components import Strong, as_compiled, strong_components
from rollwise.solver.order.processors import n_workers
from rollwise.solver.order.saving import KeptSolve, Saves, not_kept
from rollwise.solver.order.team import Team, shared_out
from rollwise.solver.turn.arrays import UNIT

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Report = Callable[[float], None]

WIDEST = 1e-9  # of a certified interval of a chance
CLOSE = 1e-15  # a component is done when one more sweep would change no chance by more, and no length by a quarter
CLOSE_IF_LARGE = 1e-14  # the same for components that two threads share, in chains of MANY boards
MANY = 1_000_000
MOST_INTERPRETED = 100_000  # boards x results x seats that are through sooner than the compiler
MOST_SWEEPS = 100_000
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


def eliminate(chain: Chain, report: Report = unheard, kept: KeptSolve = not_kept) -> Eliminated:
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
        with ThreadPoolExecutor(n_workers()) as pool:
            for first, end in pairwise(chain.levels.tolist()):
                if end <= self.done:
                    continue
                onward = chain.onward(first, end)
                if self.values.shape[1] == chain.seats + 1 and chain.shared.any():  # the first shared wins
                    self._widen()
                level = Level(chain, first, onward, self.values, pool)
                level.solve()
                self.change = np.maximum(self.change, level.residual())
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

    ``values`` are those of the whole chain; the rows of this level are filled in.
    """

    def __init__(self, chain: Chain, first: int, onward: Follows, values: Floats, pool: ThreadPoolExecutor) -> None:
        from rollwise.solver.chains import chain_kernels
        from rollwise.solver.turn.kept_kernels import interpreted, is_ready

        is_small = chain.n_boards * chain.n_results * chain.seats <= MOST_INTERPRETED
        self.compiled = not is_small or is_ready(chain_kernels.solve_few)
        self.made = as_compiled if self.compiled else interpreted
        self.kernels = self.made(chain_kernels)
        self.chain = chain
        self.first = first
        long: Any = () if self.compiled else [column.astype(np.int64) for column in onward]
        self.onward = onward if self.compiled else Follows(*long)
        self.values = values
        self.pool = pool
        self.seats = chain.seats
        self.rows = values[first : first + len(onward.codes)]
        endings = chain.endings
        beside = np.zeros((len(endings), values.shape[1] - chain.seats))
        beside[:, :-1] = chain.shared[:, None]
        self.endings = np.concatenate([endings, beside], axis=1)
        self.swept = 0  # columns of single boards backed up so far, over and over

    def solve(self) -> None:
        """Fill in the rows."""
        n = len(self.rows)
        inside, divisor = np.zeros(n + 1, dtype=np.int32), np.empty(n)
        self._fold(divisor, inside)
        integer: Any = np.int32 if self.compiled else np.int64
        start = np.cumsum(inside, dtype=integer)
        if start[-1] == 0:
            return
        target = np.empty(start[-1], dtype=integer)
        kind = np.empty(start[-1], dtype=np.uint8 if self.chain.ways.size <= 256 else np.uint16)
        table = (self.first, *self.onward, self.chain.ways, start, target, kind)
        self._shared(lambda low, high: self.kernels.list_inside(low, high, *table), n)
        parts = strong_components(start, target, 4, self.made)
        at = np.empty(n, dtype=np.int32)
        listed = (parts.of, at, start, target, kind, self.chain.ways.ravel(), self.onward.standing)
        sizes = parts.sizes
        for low, high in pairwise(parts.ranks.tolist()):
            chosen = parts.by_rank[low:high]
            few = chosen[sizes[chosen] < FEW]
            self._solve_few(few, parts, (*listed, divisor), int(sizes[few].sum()))
            for component in chosen[sizes[chosen] >= FEW].tolist():
                members = np.sort(parts.order[parts.starts[component] : parts.starts[component + 1]])
                _Large(self, component, members, listed, divisor).solve()

    def residual(self) -> Floats:
        """The largest change that one more backup of the level would make, by column."""

        def of(low: int, high: int) -> Floats:
            change = np.zeros(self.values.shape[1])
            self.kernels.residual(low, high, *self._table(), change)
            return change

        found: Floats = np.max(self._shared(of, len(self.rows)), axis=0)
        return found

    def _table(self) -> tuple[Any, ...]:
        chain = self.chain
        return (self.first, *self.onward, chain.ways, chain.total, self.seats, self.endings, self.values)

    def _fold(self, divisor: Floats, inside: NDArray[np.int32]) -> None:
        behind = self._shared(
            lambda low, high: self.kernels.fold(low, high, *self._table(), divisor, inside), len(self.rows)
        )
        if max(behind) >= 0:
            game = self.chain.game
            board = self.chain.board(self.first + max(behind))
            raise ModelError(f"{game} goes from {board} to a board of a lower level")

    def _solve_few(self, chosen: Ints, parts: Strong, listed: tuple[Any, ...], boards: int) -> None:
        """Components that do not lead to each other, shared out."""

        def part(low: int, high: int) -> int:
            return int(
                self.kernels.solve_few(
                    low,
                    high,
                    chosen,
                    parts.starts,
                    parts.order,
                    *listed,
                    self.seats,
                    CLOSE,
                    MOST_SWEEPS,
                    self.rows,
                )
            )

        if len(chosen):
            self.swept += sum(self._shared(part, len(chosen), boards))

    def _shared(self, work: Callable[[int, int], Any], count: int, weight: int | None = None) -> list[Any]:
        """The work on 0..count - 1, by two threads where it is a lot."""
        if (count if weight is None else weight) < TOGETHER:
            return [work(0, count)]
        bounds = np.linspace(0, count, n_workers() + 1).astype(np.int64).tolist()
        return shared_out(self.pool, work, bounds)


class _Large:
    """A large component of a level, swept by threads in step."""

    def __init__(
        self, level: Level, component: int, members: NDArray[np.int32], listed: tuple[Any, ...], divisor: Floats
    ) -> None:
        _, _, start, _, kind, self.weight, standing = listed
        self.level = level
        self.members = members
        self.close = CLOSE if level.chain.n_boards < MANY else CLOSE_IF_LARGE
        n, columns = len(members), level.values.shape[1]
        edges = int((start[members + 1] - start[members]).sum())
        self.constant = np.empty((columns, n))
        self.begin = np.empty(n + 1, dtype=np.int32)
        self.ahead, self.by = np.empty(edges, dtype=np.int32), np.empty(edges, dtype=kind.dtype)
        level.kernels.gather(
            members, component, *listed, level.seats, level.rows, self.constant, self.begin, self.ahead, self.by
        )
        self.around = standing[members]
        self.divisor = divisor[members]
        # a component that is all of its level is solved in the place of its rows
        self.x = level.rows.reshape(columns, n) if n == len(level.rows) else np.empty((columns, n))
        np.divide(self.constant, self.divisor, out=self.x)

    def solve(self) -> None:
        """Fill in the rows of the members."""
        Team(n_workers()).run([self], lambda number: None)
        if len(self.members) == len(self.level.rows):
            self.constant[:] = self.x
            self.level.rows[:] = self.constant.T
        else:
            self.level.rows[self.members] = self.x.T

    def run(self, rank: int, team: Team) -> None:
        """One worker's part of the sweeps."""
        kernels, seats = self.level.kernels, self.level.seats
        low, high = (len(self.members) * part // team.workers for part in (rank, rank + 1))
        listed = (self.begin, self.ahead, self.by, self.weight)

        def around() -> float:
            most = 0.0
            for seat in range(seats):
                most = max(
                    most,
                    kernels.sweep_seat(seat, low, high, *listed, self.around, self.divisor, self.constant, self.x),
                )
                team.sync()
            return most

        self._until_still(rank, team, self.close, around)
        for column in range(seats, len(self.x)):
            beside = (low, high, *listed, self.divisor, self.constant[column], self.x[column])
            self._until_still(rank, team, self.close / 4, partial(kernels.sweep_beside, *beside))

    def _until_still(self, rank: int, team: Team, close: float, sweep: Callable[[], float]) -> None:
        """Sweep until one more sweep would move nothing by more than ``close``."""
        if rank == 0:
            self._moved = np.zeros(team.workers)
        least, waited = np.inf, 0
        team.sync()
        for _ in range(MOST_SWEEPS):
            most = sweep()
            self._moved[rank] = most
            team.sync()
            most = float(self._moved.max())
            team.sync()
            self.level.swept += len(self.members) if rank == 0 else 0
            if self.level.kernels.is_still(most, least, close) or waited >= self.level.kernels.PATIENCE:
                return
            waited = 0 if most < least else waited + 1
            least = min(least, most)
