"""Luck games of several seats forwards: the chances of all boards after one turn, two turns, and so on.

*Propagation* gives the distribution of the length of a game from one board, and the winners too where seats always
follow each other in turn. All terms are chances, so sums grow from below and what has not ended is the only thing
missing. *Visiting* counts how often each board is come to, for games too large for that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.chains.layout import BITS, Chain
from rollwise.solver.game.errors import NotConverged
from rollwise.solver.game.giving_up import unheard
from rollwise.solver.order.certificates import lasting
from rollwise.solver.order.processors import n_workers
from rollwise.solver.order.saving import KeptSolve, Saves, not_kept, part
from rollwise.solver.order.team import shared_out
from rollwise.solver.turn.arrays import UNIT
from rollwise.solver.turn.perspective import read

Floats = NDArray[np.float64]
Report = Callable[[float], None]

TAIL, TAIL_IF_LARGE = 1e-12, 1e-10  # chance of longer games at which a distribution of lengths is cut
LARGE = 1_000_000  # boards of a large chain
MISSING = 2e-11  # of all visits, when rounds are over
PLAIN_ROUNDS = 5
BELOW = 0.1  # how far below zero a part of what is missing may be multiplied with in a round
CHECKED = 8  # rounds after which Chebyshev's iteration must be ahead of plain ones
UNDERFLOW = 1e-200  # far above what products too small for a float can add up to
MOST_TURNS = 100_000
NEARLY = 0.9  # of a turn may be missing where a bound on turns need not be close
PACE = ("sizes", "first", "rounds", "ratio", "middle", "half")  # what Chebyshev's iteration goes on from
SLOW_AT_FIRST = 0.6  # what is missing falls slowly as long as the rounds are plain ones
LISTED = 0.07  # share of the time of visits that it takes to list what leads where
PLAIN = 200_000  # boards times results up to which NumPy is quick enough


class _Walk:
    """Chances of all boards carried on by a turn: each board gathers from those that lead to it."""

    def __init__(self, chain: Chain, pool: ThreadPoolExecutor) -> None:
        self.chain = chain
        self.pool = pool
        self.whole = chain.whole()
        self.used = chain.ways > 0
        self.chance: Floats = np.where(self.used, chain.ways / chain.total[:, None], 0.0)
        self.plain = self.whole.codes.size <= PLAIN
        if self.plain:
            root, codes = self.whole.root, self.whole.codes
            places = np.nonzero(self.used[root] & (codes >= 0))
            self.source, self.onward = places[0], self.chance[root[places[0]], places[1]]
            self.following, _ = read(codes[places], BITS)
            self.fan_in = int(np.bincount(self.following, minlength=1).max())
        else:
            self._compile()
        self.ending = self._ends()

    def _compile(self) -> None:
        from rollwise.solver.chains import forward_kernels

        self.kernels = forward_kernels
        codes, root, ways = self.whole.codes, self.whole.root, self.chain.ways
        before = np.zeros(len(codes) + 2, dtype=np.int32 if codes.size < 1 << 31 else np.int64)
        self.fan_in = int(forward_kernels.count_before(codes, root, ways, before))
        source = np.empty(int(before[-1]), dtype=np.int32)
        kind = np.empty(int(before[-1]), dtype=np.uint8 if ways.size <= 256 else np.uint16)
        forward_kernels.list_before(codes, root, ways, before, source, kind)
        self.table: tuple[Any, ...] = (before, source, kind, self.chance.ravel())
        even = np.unique(self.chance[self.used])
        if len(even) == 1:  # all results are equally likely, so they need not be told apart
            self.table = (before, source, float(even[0]))

    def _ends(self) -> list[tuple[NDArray[np.int32], NDArray[np.uint16]]]:
        """For each ending the places from which a turn can end so, and by which result of which root."""
        codes, root = self.whole.codes, self.whole.root
        found: list[list[Any]] = [[] for _ in self.chain.exact_endings]
        for first in range(0, len(codes), 1 << 18):
            block = codes[first : first + (1 << 18)]
            rows, results = np.nonzero((block < 0) & self.used[root[first : first + (1 << 18)]])
            order = np.argsort(block[rows, results], kind="stable")[::-1]
            rows, results = rows[order], results[order]
            starts = np.searchsorted(-1 - block[rows, results], np.arange(len(found) + 1))
            places = (first + rows).astype(np.int32)
            kinds = (root[places].astype(np.int64) * codes.shape[1] + results).astype(np.uint16)
            for ending, (low, high) in enumerate(pairwise(starts)):
                if high > low:
                    found[ending].append((places[low:high], kinds[low:high]))
        none = (np.empty(0, dtype=np.int32), np.empty(0, dtype=np.uint16))
        return [
            (np.concatenate([p for p, _ in some]), np.concatenate([k for _, k in some])) if some else none
            for some in found
        ]

    def ended(self, now: Floats) -> Floats:
        """The chance that the game ends with this turn, by ending, shape (endings,)."""
        chance = self.chance.ravel()
        return np.array([float((now[places] * chance[kinds]).sum()) for places, kinds in self.ending])

    def turn(self, now: Floats, after: Floats) -> Floats:
        """The chances after one turn more; ``after`` is an array to put them in."""
        if self.plain:
            flow = now[self.source] * self.onward
            return np.bincount(self.following, flow, len(now)).astype(np.float64)
        forward = self.kernels.forward if len(self.table) == 4 else self.kernels.forward_even
        bounds = np.linspace(0, len(now), n_workers() + 1).astype(np.int64).tolist()
        table: tuple[Any, ...] = (*self.table, now, after)
        shared_out(self.pool, lambda low, high: forward(low, high, *table), bounds)
        return after

    @property
    def rounding(self) -> float:
        """How far off a turn's chances are at most, as a part of their sum."""
        return (self.fan_in + 4) * UNIT  # each product is rounded twice and each sum once a term


# --- turn by turn --------------------------------------------------------------------------------------------------


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


def propagate(chain: Chain, start: int, tail: float | None = None, report: Report = unheard) -> Propagated:
    """Follow the chances of all boards from the place ``start`` until at most ``tail`` of them is left.

    By default that is TAIL, in large chains TAIL_IF_LARGE. Raises NotConverged for a game that does not end.
    """
    cut = (TAIL if chain.n_boards < LARGE else TAIL_IF_LARGE) if tail is None else tail
    ended: list[Floats] = []
    now, other = np.zeros(chain.n_boards), np.zeros(chain.n_boards)
    now[start] = left = 1.0
    with ThreadPoolExecutor(n_workers()) as pool:
        walk = _Walk(chain, pool)
        while left > cut:
            if len(ended) >= MOST_TURNS:
                raise NotConverged(f"{chain.game}: {left:.1e} not over after {len(ended)} turns", left)
            ended.append(walk.ended(now))
            now, other = walk.turn(now, other), now
            left = float(now.sum())
            report(float(np.log(max(left, cut)) / np.log(cut)))
    error = len(ended) * walk.rounding + 64 * UNIT  # sums over all boards are pairwise
    return Propagated(np.array(ended), error, left * (1 + error) * (1 + 1e-12) + UNDERFLOW)


# --- round by round ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Visited:
    """How a game from one board ends where the turn always passes on by the same number of seats.

    ``ended``: float64, shape (seats, endings): the chance that the game ends so with a turn of that number, counted
    modulo seats (the first turn is 0). ``turns``: the expected number of turns. ``missing``: no chance is off by more,
    and ``turns`` by no more than that times the longest a game can be expected to take.
    """

    ended: Floats
    turns: float
    missing: float


def visit(chain: Chain, start: int, report: Report = unheard, kept: KeptSolve = not_kept) -> Visited:
    """How often each board is come to in a turn of each number modulo seats, without following game by game.

    With e the start and P a turn, the visits N by turns 0, seats, 2 seats and so on are e + N P^seats. Rounds of so
    many turns would come to them in time; Chebyshev's iteration comes there sooner. Whatever N is, with what is
    missing, r = e + N P^seats - N, the visits are off by what comes of r, and all that comes of a board ends once: no
    ending is off by more than the sum of all abs(r). ``kept`` takes up what an earlier run has left, and keeps rounds.
    """
    rounds = _Rounds(chain, start)
    with kept(rounds) as save, ThreadPoolExecutor(n_workers()) as pool:
        walk = _Walk(chain, pool)
        report(LISTED)
        return rounds.run(walk, part(report, LISTED, 1.0), save)


class _Rounds:
    """Chebyshev's iteration for the visits ``x``; the last step taken is what it goes on from."""

    written_once = False

    def __init__(self, chain: Chain, start: int) -> None:
        self.chain, self.start = chain, start
        self.x, self.other, self.spare = (np.zeros(chain.n_boards) for _ in range(3))
        self.step: Floats | None = None
        self.pace = _Pace()

    def run(self, walk: _Walk, report: Report, save: Callable[[], None]) -> Visited:
        """Rounds until nearly nothing is missing."""
        saves = Saves(save)
        for _ in range(MOST_TURNS):
            left = self._missing(walk)
            size = float(np.abs(left).sum())
            if size <= MISSING:
                break
            report(min(1.0, max(0.0, float(np.log(size) / np.log(MISSING)))) ** SLOW_AT_FIRST)
            old, new = self.pace.next(size)
            if old and self.step is not None:
                self.step *= old
                left *= new
                self.step += left
            else:
                self.step = left * new
            self.x += self.step
            saves.maybe()
        else:
            raise NotConverged(f"{self.chain.game}: {size:.1e} is still missing", size)
        self.step = None
        ended: list[Floats] = []
        turns: list[float] = []

        def tell(now: Floats) -> None:
            ended.append(walk.ended(now))
            turns.append(float(now.sum()))

        self._missing(walk, tell)
        rounding = (walk.rounding + 64 * UNIT) * 2 * sum(turns)
        return Visited(np.array(ended), sum(turns), size * (1 + 64 * UNIT) + rounding)

    def _missing(self, walk: _Walk, told: Callable[[Floats], None] = lambda now: None) -> Floats:
        """What is missing to the visits ``x``, in ``other`` or ``spare``."""
        now, after = self.x, self.other
        for turn in range(self.chain.seats):
            told(now)
            found = walk.turn(now, after)
            now, after = found, (self.spare if turn == 0 else now)
        now[self.start] += 1.0
        now -= self.x
        return now

    def checkpoint(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """The visits and the last step (no rows: none yet), and the pace."""
        step = np.zeros(0) if self.step is None else self.step
        return {"visits": self.x, "step": step}, {"start": self.start, "pace": self.pace.plain()}

    def fits(self, arrays: Mapping[str, Any], state: Mapping[str, Any]) -> bool:
        """As many boards, from the same start, and numbers that can be."""
        if arrays.keys() != {"visits", "step"} or state.keys() != {"start", "pace"} or state["start"] != self.start:
            return False
        n = len(self.x)
        if arrays["visits"].shape != (n,) or arrays["step"].shape not in ((0,), (n,)):
            return False
        whole = all(array.dtype == np.float64 and bool(np.isfinite(array).all()) for array in arrays.values())
        return whole and self.pace.fits(state["pace"])

    def resume(self, arrays: dict[str, Any], state: dict[str, Any]) -> None:
        """Go on from a checkpoint: whatever the visits are, what is missing is counted afresh."""
        self.x, step = arrays["visits"], arrays["step"]
        self.step = step if len(step) else None
        self.pace.resume(state["pace"])


class _Pace:
    """Chebyshev's iteration for x = G(x): each step is a part of the last one and of what is missing.

    How fast plain rounds converge is seen in the first ones; where the iteration does not do better, plain rounds are
    taken again.
    """

    def __init__(self) -> None:
        self.first = self.middle = self.half = 0.0
        self._start_again()

    def plain(self) -> dict[str, Any]:
        """All that ``resume`` needs."""
        return {name: getattr(self, name) for name in PACE} | {"sizes": list(self.sizes)}

    def fits(self, plain: Any) -> bool:
        """Could this be what ``plain`` has told?"""
        if not isinstance(plain, dict) or plain.keys() != set(PACE) or not isinstance(plain["sizes"], list):
            return False
        numbers = [*plain["sizes"], *(plain[name] for name in PACE if name != "sizes")]
        if not all(isinstance(number, float | int) and 0 <= number < np.inf for number in numbers):
            return False
        begun = bool(plain["rounds"])
        return isinstance(plain["rounds"], int) and (not begun or (len(plain["sizes"]) > 1 and plain["half"] > 0))

    def resume(self, plain: Mapping[str, Any]) -> None:
        """Go on at this pace."""
        for name, number in plain.items():
            setattr(self, name, number)

    def _start_again(self) -> None:
        self.sizes: list[float] = []
        self.rounds = 0
        self.ratio = 0.0

    def next(self, size: float) -> tuple[float, float]:
        """What the last step and what is missing (its size is told) are multiplied with to make the next step."""
        if not self.rounds:
            self.sizes.append(size)
            if not self._is_even():
                return 0.0, 1.0
            low, high = 1 - self.sizes[-1] / self.sizes[-2], 1 + BELOW
            self.middle, self.half = (high + low) / 2, (high - low) / 2
            self.first, self.rounds, self.ratio = size, 1, self.half / self.middle
            return 0.0, 1 / self.middle
        self.rounds += 1
        if self.rounds % CHECKED == 0 and size > self.first * (self.sizes[-1] / self.sizes[-2]) ** self.rounds:
            self._start_again()
            return 0.0, 1.0
        last, self.ratio = self.ratio, 1 / (2 * self.middle / self.half - self.ratio)
        return self.ratio * last, 2 * self.ratio / self.half

    def _is_even(self) -> bool:
        """True where the last plain rounds have left the same part of what was missing."""
        if len(self.sizes) < PLAIN_ROUNDS:
            return False
        before, last = self.sizes[-2] / self.sizes[-3], self.sizes[-1] / self.sizes[-2]
        return 0 < last < 1 and abs(before - last) < 0.1 * (1 - last)


def longest(chain: Chain, report: Report = unheard) -> float:
    """An upper bound on the expected number of turns still to come, from any board (not a close one)."""
    from rollwise.solver.chains import forward_kernels

    whole = chain.whole()
    table = (whole.codes, whole.root, chain.ways / chain.total[:, None])
    turns, first = np.zeros(chain.n_boards), 0.0
    bounds = np.linspace(0, chain.n_boards, n_workers() + 1).astype(np.int64).tolist()

    def backed_up(low: int, high: int) -> float:
        return float(forward_kernels.wait(low, high, *table, True, turns))

    def missing(low: int, high: int) -> float:
        return float(forward_kernels.wait(low, high, *table, False, turns))

    with ThreadPoolExecutor(n_workers()) as pool:
        for _ in range(MOST_TURNS):
            for _ in range(3):
                shared_out(pool, backed_up, bounds)
            grown = max(shared_out(pool, missing, bounds))
            most = float(turns.max(initial=0.0))
            left = grown + (2 * chain.n_results + 6) * UNIT * (most + 1)
            if left < NEARLY:
                return lasting(most, left, str(chain.game))
            first = first or left
            report(min(1.0, float(np.log(first / left) / np.log(first / NEARLY))) if first > left else 0.0)
    raise NotConverged(f"{chain.game} may go on for ever", 1.0)
