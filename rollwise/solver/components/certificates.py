"""The two certificates: error bounds of values, whichever method computed these (docs/method.md).

*Interval bounds.* Play ends, or an endless play has a declared value (``solver.components.exits``). Then U is an upper
bound of the optimal value if one Bellman backup of U, rounding added, is nowhere above U; L mirrors it (interval
iteration: Haddad and Monmege 2018). ``widen_bounds`` and ``prove_bounds`` (hidden dice) find such bounds.

*Expected turns.* A policy, or a seat that deviates from it alone, takes x to T x in a turn. If w falls by d or more in
every turn, d > 0, then the solution of x = T x is within max(|T x - x| / d) w of any x; w bounds the expected number of
turns. ``error_bound`` computes that for shares and gains at tables, chances of endings, and luck games.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.components.team import sweep_until
from rollwise.solver.model.errors import NotConverged
from rollwise.solver.model.rounding import round_up
from rollwise.solver.turn.arrays import UNIT

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Numbers = TypeVar("Numbers", float, Floats)
TURN_ROUNDING = 2e-13  # more than what rounding can do to one turn of hidden dice: some hundred terms, in all at most 1
MAX_TURN_COST = 1e-10  # a turn may cost this much for the proof, and no more
MAX_DOUBLINGS = 30
MAX_WIDENINGS = 1000  # before g is doubled
MAX_SWEEPS = 3_000
MAX_TURNS_ADDED = 0.5  # how much a sweep may still lengthen the game
FLOAT32_MARGIN = 1 + 1e-6  # for a radius that is rounded to float32, and proved again as it is then


# --- bounds --------------------------------------------------------------------------------------------------------


def bound_violation(bound: Floats, backed_up: Floats, side: float, limit: float) -> Floats:
    """By how much one backup, with the result ``backed_up``, passes a bound; below 0 where the bound holds.

    ``side``: 1 for upper bounds, -1 for lower ones. A bound at ``limit``, which holds for any chance, needs no proof.
    """
    violation: Floats = np.where(bound == limit, -np.inf, side * (backed_up - bound))
    return violation


def prove_bounds(bound: Callable[[float], Floats], after: Callable[[Floats], Floats], side: float, what: str) -> Floats:
    """Bounds of chances that hold after one backup, at the least cost a turn: ``bound(cost)``.

    ``after(bounds)``: their backup. Raises NotConverged, naming ``what``, where no cost up to MAX_TURN_COST works.
    """
    cost = TURN_ROUNDING
    while cost <= MAX_TURN_COST:
        bounds = bound(cost)
        if (bound_violation(bounds, after(bounds), side, max(0.0, side)) <= -TURN_ROUNDING / 2).all():
            return bounds
        cost *= 4
    raise NotConverged(f"{what} was not proved", MAX_TURN_COST)


class BoundedBoards(Protocol):
    """Boards whose interval bounds, a radius about their values, are certified together."""

    @property
    def boards(self) -> Ints:
        """Indices of the boards."""

    def containing(self, is_needed: NDArray[np.bool_]) -> BoundedBoards:
        """A subset with at least the boards of this mask."""

    def bound_violations(self) -> Floats:
        """By how much one backup passes the present bounds, on either side, a number for each board."""


def widen_bounds(
    problem: BoundedBoards, radius: NDArray[np.float32], turns: Floats, slack: float, rounding: float, what: str
) -> float:
    """Set the ``radius`` of these boards so that their interval bounds hold; returns the g of the certificate.

    With w the expected ``turns`` under the greedy policy, values + g w is an upper bound for some g, tried from
    ``slack`` on. Where a bound fails because a move as good as the best takes more turns, it is widened there by the
    violation. Raises NotConverged where no bound of ``what`` is proved.
    """
    for _ in range(MAX_DOUBLINGS):
        boards = problem.boards
        radius[boards] = round_up(slack * turns[boards])
        for _ in range(MAX_WIDENINGS):
            violations = problem.bound_violations()
            is_violated = ~(violations <= -rounding)
            if not is_violated.any():
                return slack
            violated = problem.boards[is_violated]
            radius[violated] = round_up(radius[violated] + violations[is_violated] + 2 * rounding)
            problem = problem.containing(is_violated)
        slack *= 2
    widest = 2 * float(np.max(radius[boards]))
    raise NotConverged(f"no bound closer than {widest:.2g} for {what}", widest)


# --- turns to come -------------------------------------------------------------------------------------------------


def error_bound(moved: float, expected_turns: Numbers, later: float = 0.0, margin: float = 1.0) -> Numbers:
    """Error of numbers that one backup moves by ``moved``, where ``expected_turns`` fall by 1 or more in every turn.

    ``later``: the error of boards outside this set that they lead to; ``margin``: a factor on all of it.
    """
    return (moved * expected_turns + later) * margin


def bound_expected_turns(turns: Numbers, added: float, what: str) -> Numbers:
    """Expected turns that fall by 1 in every turn, from some that a backup raises by ``added``.

    Raises NotConverged, that ``what`` can last for ever, where ``added`` is not below 1.
    """
    if not added < 1:
        raise NotConverged(f"{what} can last for ever, so nothing is certified", np.inf)
    return turns / (1.0 - added) * (1 + 4 * UNIT)


def iterate_expected_turns(expected_turns: Floats, boards: Ints, sweep: Callable[[], None], what: str) -> None:
    """Iterate ``expected_turns`` until a backup lets them fall by 1 or more in every turn.

    ``sweep`` writes 1 plus the backup. Starting from 1, sweeps never lower them. Raises as ``bound_expected_turns``.
    """
    expected_turns[boards] = 1.0
    before, n_left = expected_turns[boards], MAX_SWEEPS

    def goes_on() -> bool:
        nonlocal before, n_left
        after = expected_turns[boards]
        added, n_left = float(np.max(after - before)), n_left - 1
        if added <= MAX_TURNS_ADDED:
            expected_turns[boards] = before * ((1 + 1e-9) / (1 - max(added, 0.0)))
            return False
        if not n_left:
            bound_expected_turns(1.0, np.inf, what)
        before = after
        return True

    sweep_until(sweep, goes_on)
