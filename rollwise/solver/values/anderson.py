"""Anderson's mixing: a fixed point of x = G(x) from a few past steps instead of many plain ones.

What comes out is a guess like any other and is certified afterwards, so nothing here has to be rigorous: the best
combination of the last steps is found on a sample of the numbers.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.components.sweeping import sweep_until
from rollwise.solver.model.cancellation import no_progress
from rollwise.solver.model.errors import NotConverged
from rollwise.solver.turn.arrays import UNIT

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
MOST_SWEEPS = 20_000
CHASING = 32  # sweeps without progress after which it is looked whether moves chase each other
DEPTH = 6  # steps remembered
SAMPLE = 20_000  # numbers looked at to find the best combination
PLAIN = 16  # half as many plain sweeps as come first when mixing goes round
PATIENCE = 12  # sweeps without progress before something else is tried
NOISE = 1024  # a change this many times the rounding of one number is rounding
WORSE = 4.0  # a step that makes the residual so many times larger is forgotten, with all before it


class Mixer:
    """Proposes the next x from pairs (x, G(x))."""

    def __init__(self) -> None:
        self._images: list[Floats] = []
        self._residuals: list[Floats] = []
        self._least = np.inf

    def next(self, x: Floats, image: Floats) -> Floats:
        """The next x to try, after ``image = G(x)``."""
        every = max(1, len(x) // SAMPLE)
        residual = image[::every] - x[::every]
        size = float(np.max(np.abs(residual)))
        if size > WORSE * self._least:
            self._images, self._residuals, self._least = [], [], np.inf
        self._least = min(self._least, size)
        self._images = [*self._images[-DEPTH:], image]
        self._residuals = [*self._residuals[-DEPTH:], residual]
        if len(self._images) == 1:
            return image
        changes = np.array([new - old for old, new in zip(self._residuals, self._residuals[1:], strict=False)])
        gram = np.einsum("in,jn->ij", changes, changes)
        share, *_ = np.linalg.lstsq(gram, np.einsum("in,n->i", changes, residual), rcond=1e-14)
        # image - sum of share[i] * (images[i + 1] - images[i]), as one weight an image
        weights = np.zeros(len(self._images))
        weights[-1] = 1.0
        weights[1:] -= share
        weights[:-1] += share
        mixed: Floats = weights[0] * self._images[0]
        for weight, past in zip(weights[1:], self._images[1:], strict=True):
            mixed += weight * past
        return mixed


class Guide:
    """Says where to sweep on from after each sweep, or that nothing moves any more but the last bits.

    ``rows`` of ``boards`` are swept until none moves by more than ``enough``: a guess like any other. Mixing can go
    round between two policies for ever; then plain sweeps come first, each time twice as many. Where ``patience``
    sweeps come no nearer, it ends too, and nothing ``rests``.
    """

    def __init__(
        self, rows: Floats, boards: Ints, what: str, enough: float = 0.0, most: int = MOST_SWEEPS, patience: int = 0
    ) -> None:
        self.rows, self.boards, self.what = rows, boards, what
        self.enough, self.most, self.patience = enough, most, patience or most
        self.before = rows[boards]
        self.number = 0  # of sweeps
        self.rests = False
        self._mixer = Mixer()
        self._least, self._stalled = np.inf, 0
        self._nearest, self._since = np.inf, 0
        self._plain, self._rest = PLAIN, 0

    def goes_on(self, scale: float = 1.0) -> bool:
        """Is there to be another sweep? Then its rows are written; ``scale`` is the size of the numbers.

        Raises NotConverged, that ``what`` still move, after too many.
        """
        after = self.rows[self.boards]
        change = float(np.max(np.abs(after - self.before)))
        self.number += 1
        self.rests = self._is_settled(change, 4 * UNIT * scale)
        if self.rests:
            return False
        self._nearest, self._since = (change, 0) if change < 0.9 * self._nearest else (self._nearest, self._since + 1)
        if self._rest:
            self._rest -= 1
            self._least, self._stalled = np.inf, 0
        else:
            after = self._mixer.next(self.before.ravel(), after.ravel()).reshape(after.shape)
        self.rows[self.boards] = self.before = after
        if self.number == self.most:
            raise NotConverged(f"{self.what} still move by {change:.2g}", change)
        return self._since <= self.patience

    def _is_settled(self, change: float, rounding: float) -> bool:
        if change <= max(self.enough, rounding):
            return True
        self._stalled = 0 if change < self._least else self._stalled + 1
        self._least = min(self._least, change)
        if self._stalled >= PATIENCE:
            if self._least <= NOISE * rounding:
                return True
            self._mixer, self._plain = Mixer(), 2 * self._plain
            self._rest = self._plain
        return False


def until_still(
    rows: Floats,
    boards: Ints,
    sweep: Callable[[], None],
    what: str,
    enough: float = 0.0,
    patience: int = 0,
    progress: Callable[[float], None] = no_progress,
) -> bool:
    """Sweep until no number moves by more than ``enough``, as ``Guide`` has it; False where that comes no nearer.

    ``sweep`` backs up all of ``boards`` once, and writes what comes out into ``rows``, which what comes later reads.
    """
    guide = Guide(rows, boards, what, enough, patience=patience)

    def goes_on() -> bool:
        progress(0.9 * (1 - 1 / (1 + guide.number / 20)))
        return guide.goes_on()

    sweep_until(sweep, goes_on)
    return guide.rests


def solved(rows: Floats, boards: Ints, sweep: Callable[[], None], what: str, *, cyclic: bool) -> Floats:
    """The same where nothing is chosen; returns, by column, by how much one more sweep would move a number.

    Unless boards lead to each other (``cyclic``), one sweep is all.
    """
    if not cyclic:
        sweep()
        return np.zeros(rows.shape[1])
    until_still(rows, boards, sweep, what)
    before = rows[boards]
    sweep()
    moved: Floats = np.max(np.abs(rows[boards] - before), axis=0)
    rows[boards] = before
    return moved
