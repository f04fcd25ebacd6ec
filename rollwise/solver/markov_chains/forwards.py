"""Forward pass of luck games of several seats: probabilities of all boards after one turn, two turns, and so on.

By the forward (Chapman-Kolmogorov) equation, *propagation* gives the distribution of the length of a game from one
board. No term is negative, so sums grow from below, and only the games that have not ended are missing.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.components.team import run_in_parts
from rollwise.solver.markov_chains.layout import SHIFT_BITS, Chain
from rollwise.solver.model.cancellation import no_progress
from rollwise.solver.model.errors import NotConverged
from rollwise.solver.model.limits import n_workers
from rollwise.solver.turn.arrays import UNIT
from rollwise.solver.turn.perspective import unpack_codes

Floats = NDArray[np.float64]
Report = Callable[[float], None]

TAIL_CHANCE, LARGE_CHAIN_TAIL_CHANCE = 1e-12, 1e-10  # chance of longer games at which a distribution of lengths is cut
LARGE_CHAIN_BOARDS = 1_000_000  # boards of a large chain
UNDERFLOW = 1e-200  # far above the sum of all products too small for a float
MAX_TURNS = 100_000
MAX_NUMPY_CODES = 200_000  # boards times results up to which NumPy is quick enough


class _ForwardPass:
    """One turn of the forward pass: each board gathers the probabilities of its predecessors."""

    def __init__(self, chain: Chain, pool: ThreadPoolExecutor) -> None:
        self.chain = chain
        self.pool = pool
        self.whole = chain.whole()
        self.used = chain.ways > 0
        self.chance: Floats = np.where(self.used, chain.ways / chain.total[:, None], 0.0)
        self.uses_numpy = self.whole.codes.size <= MAX_NUMPY_CODES
        if self.uses_numpy:
            root, codes = self.whole.root, self.whole.codes
            places = np.nonzero(self.used[root] & (codes >= 0))
            self.source, self.onward = places[0], self.chance[root[places[0]], places[1]]
            self.following, _ = unpack_codes(codes[places], SHIFT_BITS)
            self.fan_in = int(np.bincount(self.following, minlength=1).max())
        else:
            self._compile()
        self.ending = self._ends()

    def _compile(self) -> None:
        from rollwise.solver.markov_chains import step_kernels

        self.kernels = step_kernels
        codes, root, ways = self.whole.codes, self.whole.root, self.chain.ways
        before = np.zeros(len(codes) + 2, dtype=np.int32 if codes.size < 1 << 31 else np.int64)
        self.fan_in = int(step_kernels.count_predecessors(codes, root, ways, before))
        source = np.empty(int(before[-1]), dtype=np.int32)
        kind = np.empty(int(before[-1]), dtype=np.uint8 if ways.size <= 256 else np.uint16)
        step_kernels.list_predecessors(codes, root, ways, before, source, kind)
        self.table: tuple[Any, ...] = (before, source, kind, self.chance.ravel())
        even = np.unique(self.chance[self.used])
        if len(even) == 1:  # all results are equally likely, so their kinds are not needed
            self.table = (before, source, float(even[0]))

    def _ends(self) -> list[tuple[NDArray[np.int32], NDArray[np.uint16]]]:
        """For each ending the places from which a turn can end so, and the kinds of the results that do."""
        codes, root = self.whole.codes, self.whole.root
        by_ending: list[list[Any]] = [[] for _ in self.chain.exact_endings]
        for first in range(0, len(codes), 1 << 18):
            block = codes[first : first + (1 << 18)]
            rows, results = np.nonzero((block < 0) & self.used[root[first : first + (1 << 18)]])
            order = np.argsort(block[rows, results], kind="stable")[::-1]
            rows, results = rows[order], results[order]
            starts = np.searchsorted(-1 - block[rows, results], np.arange(len(by_ending) + 1))
            places = (first + rows).astype(np.int32)
            kinds = (root[places].astype(np.int64) * codes.shape[1] + results).astype(np.uint16)
            for ending, (low, high) in enumerate(pairwise(starts)):
                if high > low:
                    by_ending[ending].append((places[low:high], kinds[low:high]))
        none = (np.empty(0, dtype=np.int32), np.empty(0, dtype=np.uint16))
        return [
            (np.concatenate([p for p, _ in some]), np.concatenate([k for _, k in some])) if some else none
            for some in by_ending
        ]

    def ended(self, now: Floats) -> Floats:
        """Probability that the game ends with this turn, by ending, shape (endings,)."""
        chance = self.chance.ravel()
        return np.array([float((now[places] * chance[kinds]).sum()) for places, kinds in self.ending])

    def turn(self, now: Floats, after: Floats) -> Floats:
        """Probabilities after one turn more; ``after`` is an array for them."""
        if self.uses_numpy:
            flow = now[self.source] * self.onward
            return np.bincount(self.following, flow, len(now)).astype(np.float64)
        forward = self.kernels.forward if len(self.table) == 4 else self.kernels.forward_even
        bounds = np.linspace(0, len(now), n_workers() + 1).astype(np.int64).tolist()
        table: tuple[Any, ...] = (*self.table, now, after)
        run_in_parts(self.pool, lambda low, high: forward(low, high, *table), bounds)
        return after

    @property
    def rounding(self) -> float:
        """Relative error bound of one turn."""
        return (self.fan_in + 4) * UNIT  # each product is rounded twice and each sum once a term


# --- turn by turn --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class LengthDistribution:
    """Distribution of length and ending of a game from one board.

    ``ended``: float64, shape (turns, endings): the chance that the game ends with that turn (the first row is the first
    turn) in that ending, with the relative error ``error``. ``tail`` bounds the chance that it lasts longer.
    """

    ended: Floats
    error: float
    tail: float

    @property
    def lengths(self) -> Floats:
        """The chance of each number of turns, 1 and up."""
        lengths_chances: Floats = self.ended.sum(axis=1)
        return lengths_chances


def propagate(chain: Chain, start: int, report: Report = no_progress) -> LengthDistribution:
    """Propagate the probabilities of all boards from the place ``start`` until a game lasts on with hardly any chance.

    That is TAIL_CHANCE, in large chains LARGE_CHAIN_TAIL_CHANCE. Raises NotConverged for a game that does not end.
    """
    cut = TAIL_CHANCE if chain.n_boards < LARGE_CHAIN_BOARDS else LARGE_CHAIN_TAIL_CHANCE
    ended: list[Floats] = []
    now, other = np.zeros(chain.n_boards), np.zeros(chain.n_boards)
    now[start] = remaining = 1.0
    with ThreadPoolExecutor(n_workers()) as pool:
        walk = _ForwardPass(chain, pool)
        while remaining > cut:
            if len(ended) >= MAX_TURNS:
                raise NotConverged(f"{chain.game}: {remaining:.1e} not over after {len(ended)} turns", remaining)
            ended.append(walk.ended(now))
            now, other = walk.turn(now, other), now
            remaining = float(now.sum())
            report(float(np.log(max(remaining, cut)) / np.log(cut)))
    error = len(ended) * walk.rounding + 64 * UNIT  # sums over all boards are pairwise
    return LengthDistribution(np.array(ended), error, remaining * (1 + error) * (1 + 1e-12) + UNDERFLOW)
