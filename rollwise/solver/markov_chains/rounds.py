"""Large luck games without levels, solved by Chebyshev iteration in rounds of one turn a seat (Golub and Varga 1961).

Where the turn always passes on by the same number of seats, a seat's share follows from the share of the seat before it
one turn later, and after a turn of every seat from itself. So one column of shares is enough to iterate, and one backup
each gives the others; ``solver.markov_chains.values.certify`` proves the result.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from math import gcd, log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.components.checkpoints import Checkpointing, CheckpointTimer, without_checkpoints
from rollwise.solver.components.team import run_in_parts
from rollwise.solver.markov_chains.forwards import LARGE_CHAIN_BOARDS
from rollwise.solver.markov_chains.layout import Chain
from rollwise.solver.markov_chains.values import ChainValues, Level, Run, Scratch, certify
from rollwise.solver.model.cancellation import no_progress
from rollwise.solver.model.errors import NotConverged
from rollwise.solver.model.limits import n_workers

Floats = NDArray[np.float64]
Report = Callable[[float], None]

MIN_ROUNDS_BOARDS = 200_000  # boards of a single level from which on rounds are quicker than elimination
SHARE, SHARED, TURNS = 0, 1, 2  # numbers that are iterated for each board,
TURN_SCALE = 1 / 64  # the turns so many times as small, so that all of them are about as large
RESIDUAL_TOLERANCE, LARGE_CHAIN_RESIDUAL_TOLERANCE = 1e-14, 3e-13  # largest residual when rounds are over
PLAIN_ROUNDS = 5
SPECTRUM_MARGIN = 0.1  # the eigenvalues of a round are taken to be no further below 0
CHECK_ROUNDS = 8  # rounds after which Chebyshev iteration must be ahead of plain ones
MAX_STALLED_ROUNDS = 30  # rounds without progress after which the certificate decides
MAX_ROUNDS = 100_000
PACE_FIELDS = ("sizes", "first", "rounds", "ratio", "middle", "half")  # state of Chebyshev iteration, in checkpoints
LAYOUT_SHARE = 0.1  # share of the time that it takes to lay out the transition table
PROGRESS_EXPONENT = 0.6  # exponent of progress: the residual falls slowly as long as the rounds are plain ones


def is_solved_in_rounds(chain: Chain, report: Report = no_progress) -> bool:
    """True for a large chain without levels in which all seats take turns, each after the same one; lays it out."""
    if chain.n_levels > 1 or chain.n_boards <= MIN_ROUNDS_BOARDS:
        return False
    if not bool((chain.whole(report).standing == chain.seats).all()):
        return False
    shift = chain.shift()
    return shift is not None and gcd(shift, chain.seats) == 1


def run_rounds(chain: Chain, report: Report = no_progress, saving: Checkpointing = without_checkpoints) -> ChainValues:
    """Solve all boards of such a chain; raises NotConverged. ``saving`` resumes from a checkpoint."""
    rounds = Rounds(chain)
    with saving(rounds) as save, ThreadPoolExecutor(n_workers()) as pool:
        rounds.run(pool, report, save)
        values = rounds.values(pool)
        level = Level(chain, 0, chain.successors(0, chain.n_boards), values, pool, Scratch())
        return certify(chain, values, Run(level, 0, chain.n_boards, 0).residual())


class Rounds:
    """Chebyshev iteration for the three numbers of each board, ``x``; checkpoints have ``x``, last step, and pace."""

    written_once = False

    def __init__(self, chain: Chain) -> None:
        self.chain = chain
        self.chance = chain.ways / chain.total[:, None]
        self.successors, self.endings = chain.whole(), chain.endings
        self.n = chain.n_boards  # the endings stand behind the boards
        self.x, self.one, self.two = (np.zeros((self.n + len(self.endings), 3)) for _ in range(3))
        for rows in (self.x, self.one, self.two):
            rows[self.n :, SHARED] = chain.shared
        self.step = np.zeros((0, 3))
        self.pace = ChebyshevPace()
        shift = chain.shift() or 0
        self.seats = [turn * shift % chain.seats for turn in range(1, chain.seats + 1)]  # by turn: whose share it gives
        self.bounds = np.linspace(0, self.n, n_workers() + 1).astype(np.int64).tolist()

    def run(self, pool: ThreadPoolExecutor, report: Report, save: Callable[[], None]) -> None:
        """Iterate until the residual is within tolerance or no longer shrinks."""
        from rollwise.solver.markov_chains.step_kernels import chebyshev_step, residual

        saves, smallest, n_stalled = CheckpointTimer(save), np.inf, 0
        tolerance = RESIDUAL_TOLERANCE if self.n < LARGE_CHAIN_BOARDS else LARGE_CHAIN_RESIDUAL_TOLERANCE
        for _ in range(MAX_ROUNDS):
            residuals = self._round(pool)
            size = float(max(self._map(pool, residual, self.x, residuals)))
            smallest, n_stalled = (size, 0) if size < smallest else (smallest, n_stalled + 1)
            if size <= tolerance or n_stalled >= MAX_STALLED_ROUNDS:
                return
            report(min(1.0, max(0.0, log(size) / log(tolerance))) ** PROGRESS_EXPONENT)
            pace = self.pace.next(size)
            if not len(self.step):
                self.step = np.zeros((self.n, 3))
            self._map(pool, chebyshev_step, *pace, residuals, self.step, self.x)
            saves.save_if_due()
        raise NotConverged(f"{self.chain.game}: {size:.1e} is still missing", size)

    def values(self, pool: ThreadPoolExecutor) -> Floats:
        """A row for each board, as ``ChainValues`` has them."""
        self.step = np.zeros((0, 3))
        seats, is_shared = self.chain.seats, bool(self.chain.shared.any())
        rows = np.empty((self.n, seats + is_shared + 1))

        def store_share(seat: int, now: Floats) -> None:
            rows[:, seat] = now[: self.n, SHARE]

        last = self._round(pool, store_share)[: self.n]
        if is_shared:
            rows[:, seats] = last[:, SHARED]
        np.divide(last[:, TURNS], TURN_SCALE, out=rows[:, -1])
        return rows

    def _round(self, pool: ThreadPoolExecutor, store: Callable[[int, Floats], None] = lambda seat, now: None) -> Floats:
        """One round, a backup for the turn of every seat: ``x`` backed up, in ``one`` or ``two``."""
        from rollwise.solver.markov_chains.step_kernels import back_up

        now, after = self.x, self.one
        for seat in self.seats:
            now[self.n :, SHARE] = self.endings[:, seat]
            self._map(pool, back_up, self.successors.codes, self.successors.root, self.chance, TURN_SCALE, now, after)
            store(seat, after)
            now, after = after, self.two if after is self.one else self.one
        return now

    def _map(self, pool: ThreadPoolExecutor, kernel: Callable[..., Any], *table: Any) -> list[Any]:
        """Run a kernel on all places, a part a thread."""
        return run_in_parts(pool, lambda low, high: kernel(low, high, *table), self.bounds)

    def checkpoint(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """The numbers and the last step (without rows before the first one), and the pace."""
        return {"numbers": self.x[: self.n], "step": self.step}, {"pace": self.pace.plain()}

    def fits(self, arrays: Mapping[str, Any], state: Mapping[str, Any]) -> bool:
        """True for arrays of as many boards with finite numbers, and a valid pace."""
        if arrays.keys() != {"numbers", "step"} or state.keys() != {"pace"}:
            return False
        if arrays["numbers"].shape != (self.n, 3) or arrays["step"].shape not in ((0, 3), (self.n, 3)):
            return False
        whole = all(array.dtype == np.float64 and bool(np.isfinite(array).all()) for array in arrays.values())
        return whole and self.pace.fits(state["pace"])

    def resume(self, arrays: dict[str, Any], state: dict[str, Any]) -> None:
        """Go on from a checkpoint; any numbers will do, since residuals are computed anew."""
        self.x[: self.n], self.step = arrays["numbers"], arrays["step"]
        self.pace.resume(state["pace"])


class ChebyshevPace:
    """Step sizes of Chebyshev iteration for x = G(x): each step combines the last one and the residual.

    The first rounds are plain and give the rate of convergence; where the iteration is no faster, plain rounds are
    taken again.
    """

    def __init__(self) -> None:
        self.first = self.middle = self.half = 0.0
        self._start_again()

    def plain(self) -> dict[str, Any]:
        """All that ``resume`` needs."""
        return {name: getattr(self, name) for name in PACE_FIELDS} | {"sizes": list(self.sizes)}

    def fits(self, plain: Any) -> bool:
        """True for valid data of ``plain``."""
        if not isinstance(plain, dict) or plain.keys() != set(PACE_FIELDS) or not isinstance(plain["sizes"], list):
            return False
        numbers = [*plain["sizes"], *(plain[name] for name in PACE_FIELDS if name != "sizes")]
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
        """Factors of the last step and of the residual, whose largest number is ``size``, in the next step."""
        if not self.rounds:
            self.sizes.append(size)
            if not self._is_even():
                return 0.0, 1.0
            low, high = 1 - self.sizes[-1] / self.sizes[-2], 1 + SPECTRUM_MARGIN
            self.middle, self.half = (high + low) / 2, (high - low) / 2
            self.first, self.rounds, self.ratio = size, 1, self.half / self.middle
            return 0.0, 1 / self.middle
        self.rounds += 1
        if self.rounds % CHECK_ROUNDS == 0 and size > self.first * (self.sizes[-1] / self.sizes[-2]) ** self.rounds:
            self._start_again()
            return 0.0, 1.0
        last, self.ratio = self.ratio, 1 / (2 * self.middle / self.half - self.ratio)
        return self.ratio * last, 2 * self.ratio / self.half

    def _is_even(self) -> bool:
        """True where the last plain rounds have shrunk the residual at the same rate."""
        if len(self.sizes) < PLAIN_ROUNDS:
            return False
        before, last = self.sizes[-2] / self.sizes[-3], self.sizes[-1] / self.sizes[-2]
        return 0 < last < 1 and abs(before - last) < 0.1 * (1 - last)
