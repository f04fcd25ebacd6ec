"""Luck games of several seats forwards: the chances of all boards after one turn, two turns, and so on.

*Propagation* gives the distribution of the length of a game from one board, and the winners too where seats always
follow each other in turn. All terms are chances, so sums grow from below and what has not ended is the only thing
missing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from rollwise.solver.chains.layout import BITS, Chain
from rollwise.solver.game.errors import NotConverged
from rollwise.solver.turn.arrays import UNIT

Floats = NDArray[np.float64]
Report = Callable[[float], None]

WORKERS = 2
TAIL, TAIL_IF_LARGE = 1e-12, 1e-10  # chance of longer games at which a distribution of lengths is cut
LARGE = 1_000_000  # boards of a large chain
UNDERFLOW = 1e-200  # far above what products too small for a float can add up to
MOST_TURNS = 100_000
NEARLY = 0.9  # of a turn may be missing where a bound on turns need not be close
PLAIN = 200_000  # boards times results up to which NumPy is quick enough


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


def propagate(chain: Chain, start: int, tail: float | None = None, report: Report = lambda done: None) -> Propagated:
    """Follow the chances of all boards from the place ``start`` until at most ``tail`` of them is left.

    By default that is TAIL, in large chains TAIL_IF_LARGE. Raises NotConverged for a game that does not end.
    """
    walk = _Walk(chain, start)
    cut = (TAIL if chain.n_boards < LARGE else TAIL_IF_LARGE) if tail is None else tail
    ended: list[Floats] = []
    left = 1.0
    with Parallel(n_jobs=WORKERS, backend="threading") as pool:
        while left > cut:
            if len(ended) >= MOST_TURNS:
                raise NotConverged(f"NotConverged: {chain.game}: {left:.1e} not over after {len(ended)} turns", left)
            ended.append(walk.step(pool))
            left = walk.left()
            report(float(np.log(max(left, cut)) / np.log(cut)))
    # a turn rounds each product twice and each sum once a term; sums over all boards are pairwise
    error = (len(ended) * (walk.fan_in + 4) + 64) * UNIT
    return Propagated(np.array(ended), error, left * (1 + error) * (1 + 1e-12) + UNDERFLOW)


class _Walk:
    """The chances of all boards, one turn after another, gathered by each board from those that lead to it."""

    def __init__(self, chain: Chain, start: int) -> None:
        self.chain = chain
        used = chain.ways > 0
        self.chance: Floats = chain.ways / chain.total[:, None]
        self.now: Floats = np.zeros(chain.n_boards)
        self.now[start] = 1.0
        self.plain = chain.codes.size <= PLAIN
        if self.plain:
            places = np.nonzero(used[chain.root] & (chain.codes >= 0))
            self.source, self.onward = places[0], self.chance[chain.root[places[0]], places[1]]
            self.following = chain.codes[places] >> BITS
            self.fan_in = int(np.bincount(self.following, minlength=1).max())
        else:
            self._compile(used)
        self.ending = [self._ends(ending) for ending in range(len(chain.endings))]

    def _compile(self, used: NDArray[np.bool_]) -> None:
        from rollwise.solver.chains import chain_kernels

        self.kernels = chain_kernels
        chain = self.chain
        self.next: Floats = np.zeros(chain.n_boards)
        before = np.zeros(chain.n_boards + 2, dtype=np.int64)
        self.fan_in = int(chain_kernels.count_before(chain.codes, chain.root, chain.ways, before))
        source = np.empty(int(before[-1]), dtype=np.int32)
        kind = np.empty(int(before[-1]), dtype=np.uint8 if used.size <= 256 else np.uint16)
        chain_kernels.list_before(chain.codes, chain.root, chain.ways, before, source, kind)
        self.table = (before, source, kind, self.chance.ravel())

    def _ends(self, ending: int) -> tuple[NDArray[np.int64], Floats]:
        """The places from which a turn can end so, and how likely it does."""
        chain = self.chain
        places, chances = [], []
        for first in range(0, chain.n_boards, 1 << 20):
            block, roots = chain.codes[first : first + (1 << 20)], chain.root[first : first + (1 << 20)]
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
        bounds = np.linspace(0, self.chain.n_boards, WORKERS + 1).astype(np.int64).tolist()
        pool(
            delayed(self.kernels.forward)(bounds[i], bounds[i + 1], *self.table, self.now, self.next)
            for i in range(WORKERS)
        )
        self.now, self.next = self.next, self.now
        return ended

    def left(self) -> float:
        """The chance that the game is not over."""
        return float(self.now.sum())


def longest(chain: Chain) -> float:
    """An upper bound on the expected number of turns still to come, from any board (not a close one)."""
    from rollwise.solver.chains import chain_kernels

    whole = chain.whole()
    table = (whole.codes, whole.root, chain.ways / chain.total[:, None])
    turns = np.zeros(chain.n_boards)
    bounds = np.linspace(0, chain.n_boards, WORKERS + 1).astype(np.int64).tolist()
    with Parallel(n_jobs=WORKERS, backend="threading") as pool:
        for _ in range(MOST_TURNS):
            for write in (True, True, True, False):
                found = pool(delayed(chain_kernels.wait)(*part, *table, write, turns) for part in pairwise(bounds))
            most = float(turns.max(initial=0.0))
            left = max(found) + (2 * chain.n_results + 6) * UNIT * (most + 1)
            if left < NEARLY:
                return float(most / (1 - left) * (1 + 4 * UNIT))
    raise NotConverged(f"NotConverged: {chain.game} may go on for ever", 1.0)
