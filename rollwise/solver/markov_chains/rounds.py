"""Large luck games without levels, backwards, in rounds of as many turns as there are seats.

Where the turn always passes on by the same number of seats, a seat's share follows from the share of the seat before it
one turn later, and after a turn of every seat from itself. So of all shares one column is enough to iterate, and the
others come of it by a backup each; ``solver.markov_chains.values.certified`` proves whatever comes out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from math import gcd, log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.components.processors import n_workers
from rollwise.solver.components.saving import KeptSolve, Saves, not_kept
from rollwise.solver.components.team import shared_out
from rollwise.solver.markov_chains.forwards import LARGE
from rollwise.solver.markov_chains.layout import Chain
from rollwise.solver.markov_chains.values import Eliminated, Level, Room, Run, certified
from rollwise.solver.model.cancellation import no_progress
from rollwise.solver.model.errors import NotConverged

Floats = NDArray[np.float64]
Report = Callable[[float], None]

ONE_LEVEL = 200_000  # boards of a single level from which on that is quicker than elimination
SHARE, SHARED, TURNS = 0, 1, 2  # numbers that are iterated for each board,
TURN = 1 / 64  # the turns so many times as small, so that all of them are about as large
MISSING, MISSING_IF_LARGE = 1e-14, 3e-13  # of each of these numbers, when rounds are over
PLAIN_ROUNDS = 5
BELOW = 0.1  # how far below zero a part of what is missing may be multiplied with in a round
CHECKED = 8  # rounds after which Chebyshev's iteration must be ahead of plain ones
STUCK = 30  # rounds without progress after which the rest is left to the certificate
MOST_ROUNDS = 100_000
PACE = ("sizes", "first", "rounds", "ratio", "middle", "half")  # what Chebyshev's iteration goes on from
LAID_OUT = 0.1  # share of the time that it takes to lay out what follows each board
SLOW_AT_FIRST = 0.6  # what is missing falls slowly as long as the rounds are plain ones


def goes_round(chain: Chain, report: Report = no_progress) -> bool:
    """Is this a large chain without levels in which all seats take turns, each after the same one?

    ``report`` hears of the laying out that this takes.
    """
    if chain.n_levels > 1 or chain.n_boards <= ONE_LEVEL:
        return False
    if not bool((chain.whole(report).standing == chain.seats).all()):
        return False
    shift = chain.shift()
    return shift is not None and gcd(shift, chain.seats) == 1


def in_rounds(chain: Chain, report: Report = no_progress, kept: KeptSolve = not_kept) -> Eliminated:
    """Solve all boards of such a chain; raises NotConverged. ``kept`` takes up what an earlier run has left."""
    rounds = Rounds(chain)
    with kept(rounds) as save, ThreadPoolExecutor(n_workers()) as pool:
        rounds.run(pool, report, save)
        values = rounds.values(pool)
        level = Level(chain, 0, chain.onward(0, chain.n_boards), values, pool, Room())
        return certified(chain, values, Run(level, 0, chain.n_boards, 0).residual())


class Rounds:
    """Chebyshev's iteration for the three numbers of each board, ``x``; the last step is what it goes on from."""

    written_once = False

    def __init__(self, chain: Chain) -> None:
        self.chain = chain
        self.chance = chain.ways / chain.total[:, None]
        self.onward, self.endings = chain.whole(), chain.endings
        self.n = chain.n_boards  # the endings stand behind the boards
        self.x, self.one, self.two = (np.zeros((self.n + len(self.endings), 3)) for _ in range(3))
        for rows in (self.x, self.one, self.two):
            rows[self.n :, SHARED] = chain.shared
        self.step = np.zeros((0, 3))
        self.pace = Pace()
        shift = chain.shift() or 0
        self.seats = [turn * shift % chain.seats for turn in range(1, chain.seats + 1)]  # whose share each turn tells
        self.bounds = np.linspace(0, self.n, n_workers() + 1).astype(np.int64).tolist()

    def run(self, pool: ThreadPoolExecutor, report: Report, save: Callable[[], None]) -> None:
        """Rounds until nearly nothing is missing, or no less any more."""
        from rollwise.solver.markov_chains.round_kernels import missing, step_on

        saves, least, stuck = Saves(save), np.inf, 0
        enough = MISSING if self.n < LARGE else MISSING_IF_LARGE
        for _ in range(MOST_ROUNDS):
            left = self._round(pool)
            size = float(max(self._all(pool, missing, self.x, left)))
            least, stuck = (size, 0) if size < least else (least, stuck + 1)
            if size <= enough or stuck >= STUCK:
                return
            report(min(1.0, max(0.0, log(size) / log(enough))) ** SLOW_AT_FIRST)
            pace = self.pace.next(size)
            if not len(self.step):
                self.step = np.zeros((self.n, 3))
            self._all(pool, step_on, *pace, left, self.step, self.x)
            saves.maybe()
        raise NotConverged(f"{self.chain.game}: {size:.1e} is still missing", size)

    def values(self, pool: ThreadPoolExecutor) -> Floats:
        """A row for each board, as ``Eliminated`` has them."""
        self.step = np.zeros((0, 3))
        seats, is_shared = self.chain.seats, bool(self.chain.shared.any())
        found = np.empty((self.n, seats + is_shared + 1))

        def tell(seat: int, now: Floats) -> None:
            found[:, seat] = now[: self.n, SHARE]

        last = self._round(pool, tell)[: self.n]
        if is_shared:
            found[:, seats] = last[:, SHARED]
        np.divide(last[:, TURNS], TURN, out=found[:, -1])
        return found

    def _round(self, pool: ThreadPoolExecutor, told: Callable[[int, Floats], None] = lambda seat, now: None) -> Floats:
        """The numbers as a turn of every seat makes them of ``x``, in ``one`` or ``two``."""
        from rollwise.solver.markov_chains.round_kernels import back_up

        now, after = self.x, self.one
        for seat in self.seats:
            now[self.n :, SHARE] = self.endings[:, seat]
            self._all(pool, back_up, self.onward.codes, self.onward.root, self.chance, TURN, now, after)
            told(seat, after)
            now, after = after, self.two if after is self.one else self.one
        return now

    def _all(self, pool: ThreadPoolExecutor, kernel: Callable[..., Any], *table: Any) -> list[Any]:
        """A kernel on all places, shared out."""
        return shared_out(pool, lambda low, high: kernel(low, high, *table), self.bounds)

    def checkpoint(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """The numbers and the last step (no rows: none yet), and the pace."""
        return {"numbers": self.x[: self.n], "step": self.step}, {"pace": self.pace.plain()}

    def fits(self, arrays: Mapping[str, Any], state: Mapping[str, Any]) -> bool:
        """As many boards, and numbers that can be."""
        if arrays.keys() != {"numbers", "step"} or state.keys() != {"pace"}:
            return False
        if arrays["numbers"].shape != (self.n, 3) or arrays["step"].shape not in ((0, 3), (self.n, 3)):
            return False
        whole = all(array.dtype == np.float64 and bool(np.isfinite(array).all()) for array in arrays.values())
        return whole and self.pace.fits(state["pace"])

    def resume(self, arrays: dict[str, Any], state: dict[str, Any]) -> None:
        """Go on from a checkpoint: whatever the numbers are, what is missing is counted afresh."""
        self.x[: self.n], self.step = arrays["numbers"], arrays["step"]
        self.pace.resume(state["pace"])


class Pace:
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
