"""Value iteration to a fixed point x = G(x): Anderson acceleration (Anderson 1965) and the stopping rule.

The result is an approximation, certified afterwards (``solver.components.certificates``), so nothing here has to be
rigorous: the coefficients of the past iterates are fitted on a sample of the numbers.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.components.team import sweep_until
from rollwise.solver.model.cancellation import no_progress
from rollwise.solver.model.errors import NotConverged
from rollwise.solver.turn.arrays import UNIT

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
MAX_SWEEPS = 20_000
CYCLE_SWEEPS = 32  # without progress, before best responses are examined for a cycle
ANDERSON_DEPTH = 6  # past iterates that are mixed
MAX_SAMPLE_NUMBERS = 20_000  # to which the coefficients are fitted, about
FIRST_PLAIN_SWEEPS = 16  # half of the plain sweeps that follow the first stall of mixing
STALL_SWEEPS = 12  # without progress, before mixing gives way to plain sweeps
NOISE_FACTOR = 1024  # after a stall, a change of so many roundings of one number counts as rounding
RESTART_FACTOR = 4.0  # mixing restarts when the residual grows so many times over its least


class AndersonMixer:
    """Anderson mixing (Anderson 1965): the next iterate x from past pairs (x, G(x))."""

    def __init__(self) -> None:
        self._images: list[Floats] = []
        self._residuals: list[Floats] = []
        self._least_norm = np.inf

    def next(self, x: Floats, image: Floats) -> Floats:
        """The next iterate, after ``image = G(x)``: images combined by least squares of the residuals' differences."""
        every = max(1, len(x) // MAX_SAMPLE_NUMBERS)
        residual = image[::every] - x[::every]
        norm = float(np.max(np.abs(residual)))
        if norm > RESTART_FACTOR * self._least_norm:
            self._images, self._residuals, self._least_norm = [], [], np.inf
        self._least_norm = min(self._least_norm, norm)
        self._images = [*self._images[-ANDERSON_DEPTH:], image]
        self._residuals = [*self._residuals[-ANDERSON_DEPTH:], residual]
        if len(self._images) == 1:
            return image
        changes = np.array([new - old for old, new in zip(self._residuals, self._residuals[1:], strict=False)])
        gram = np.einsum("in,jn->ij", changes, changes)
        coefficients, *_ = np.linalg.lstsq(gram, np.einsum("in,n->i", changes, residual), rcond=1e-14)
        # image - sum of coefficients[i] * (images[i + 1] - images[i]), as one weight an image
        weights = np.zeros(len(self._images))
        weights[-1] = 1.0
        weights[1:] -= coefficients
        weights[:-1] += coefficients
        mixed: Floats = weights[0] * self._images[0]
        for weight, past in zip(weights[1:], self._images[1:], strict=True):
            mixed += weight * past
        return mixed


class StoppingRule:
    """Stopping rule of value iteration, with Anderson acceleration between the sweeps.

    ``rows`` of ``boards`` are swept until no number changes by more than ``tolerance``, or by more than rounding does.
    Mixing can cycle between two policies for ever; then plain sweeps (value iteration alone) come first, twice as many
    each time. After ``patience`` sweeps without a smaller change the iteration ends too, and has not converged.
    """

    def __init__(
        self, rows: Floats, boards: Ints, what: str, tolerance: float = 0.0, limit: int = MAX_SWEEPS, patience: int = 0
    ) -> None:
        self.rows, self.boards, self.what = rows, boards, what
        self.tolerance, self.max_sweeps, self.patience = tolerance, limit, patience or limit
        self.before = rows[boards]
        self.n_sweeps = 0
        self.has_converged = False
        self._mixer = AndersonMixer()
        self._least_norm, self._n_stalled = np.inf, 0
        self._closest, self._since = np.inf, 0
        self._next_plain, self._n_plain = FIRST_PLAIN_SWEEPS, 0

    def goes_on(self, scale: float = 1.0) -> bool:
        """True if another sweep is needed; its start is then in ``rows``. ``scale``: the size of the numbers.

        Raises NotConverged, that ``what`` still move, after ``max_sweeps``.
        """
        after = self.rows[self.boards]
        change = float(np.max(np.abs(after - self.before)))
        self.n_sweeps += 1
        self.has_converged = self._is_within_tolerance(change, 4 * UNIT * scale)
        if self.has_converged:
            return False
        self._closest, self._since = (change, 0) if change < 0.9 * self._closest else (self._closest, self._since + 1)
        if self._n_plain:
            self._n_plain -= 1
            self._least_norm, self._n_stalled = np.inf, 0
        else:
            after = self._mixer.next(self.before.ravel(), after.ravel()).reshape(after.shape)
        self.rows[self.boards] = self.before = after
        if self.n_sweeps == self.max_sweeps:
            raise NotConverged(f"{self.what} still move by {change:.2g}", change)
        return self._since <= self.patience

    def _is_within_tolerance(self, change: float, rounding: float) -> bool:
        if change <= max(self.tolerance, rounding):
            return True
        self._n_stalled = 0 if change < self._least_norm else self._n_stalled + 1
        self._least_norm = min(self._least_norm, change)
        if self._n_stalled >= STALL_SWEEPS:
            if self._least_norm <= NOISE_FACTOR * rounding:
                return True
            self._mixer, self._next_plain = AndersonMixer(), 2 * self._next_plain
            self._n_plain = self._next_plain
        return False


def iterate_to_fixed_point(
    rows: Floats,
    boards: Ints,
    sweep: Callable[[], None],
    what: str,
    tolerance: float = 0.0,
    patience: int = 0,
    progress: Callable[[float], None] = no_progress,
) -> bool:
    """Value iteration until ``StoppingRule`` ends it: True where it converged to ``tolerance``.

    ``sweep`` backs up all ``boards`` once, in Gauss-Seidel order: a board reads the values that the same sweep wrote.
    """
    rule = StoppingRule(rows, boards, what, tolerance, patience=patience)

    def goes_on() -> bool:
        progress(0.9 * (1 - 1 / (1 + rule.n_sweeps / 20)))
        return rule.goes_on()

    sweep_until(sweep, goes_on)
    return rule.has_converged


def evaluate_linear(rows: Floats, boards: Ints, sweep: Callable[[], None], what: str, *, cyclic: bool) -> Floats:
    """Policy evaluation: solve the linear x = G(x) in ``rows``; returns by column the change of one more sweep.

    Unless boards lead to each other (``cyclic``), one sweep solves it.
    """
    if not cyclic:
        sweep()
        return np.zeros(rows.shape[1])
    iterate_to_fixed_point(rows, boards, sweep, what)
    before = rows[boards]
    sweep()
    change: Floats = np.max(np.abs(rows[boards] - before), axis=0)
    rows[boards] = before
    return change
