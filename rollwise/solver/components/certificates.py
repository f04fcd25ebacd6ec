"""The two certificates: however numbers were found, they say how far from the truth these can be (docs/method.md).

*Bounds.* All play ends, or what does not is worth what is said of it (``solver.components.exits``). Then U is nowhere below
the best value if one backup of it, rounding added, is nowhere above it; L mirrors it. ``lacks`` says by how much it is
not; ``widened`` (duels and games alone) and ``proved`` (hidden dice) see to that.

*Turns to come.* A policy, or a seat that alone leaves it, takes x to T x in a turn. If w falls by d or more in every
turn, d > 0, then the solution of x = T x is within max(|T x - x| / d) w of any x; w is the number of turns to come, or
more. That is ``off_by``: of shares and gains at tables, of chances of endings, of luck games.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.components.sweeping import sweep_until
from rollwise.solver.model.errors import NotConverged
from rollwise.solver.model.rounding import round_up
from rollwise.solver.turn.arrays import UNIT

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Numbers = TypeVar("Numbers", float, Floats)
ROUNDED = 2e-13  # more than what rounding can do to one turn of hidden dice: some hundred terms, in all at most 1
LARGEST_COST = 1e-10  # a turn may cost this much for the proof, and no more
DOUBLINGS = 30
MOST_WIDENINGS = 1000  # before g is doubled
MOST_SWEEPS = 3_000
ENOUGH = 0.5  # how much a sweep may still lengthen the game
SINGLE = 1 + 1e-6  # for a radius that is rounded to float32, and proved again as it is then


# --- bounds --------------------------------------------------------------------------------------------------------


def lacks(bound: Floats, after: Floats, side: float, limit: float) -> Floats:
    """By how much one backup, which comes to ``after``, passes a bound, below 0 where it does not.

    ``side``: 1 for upper bounds, -1 for lower ones. A bound that says no more than any chance does, its ``limit``,
    needs no proof.
    """
    found: Floats = np.where(bound == limit, -np.inf, side * (after - bound))
    return found


def proved(bound: Callable[[float], Floats], after: Callable[[Floats], Floats], side: float, what: str) -> Floats:
    """Bounds of chances that one backup is clear of: ``bound(cost)``, each turn costing so much, at the least cost.

    ``after(bound)`` is what one backup makes of them. Raises NotConverged that ``what`` was not proved.
    """
    cost = ROUNDED
    while cost <= LARGEST_COST:
        found = bound(cost)
        if (lacks(found, after(found), side, max(0.0, side)) <= -ROUNDED / 2).all():
            return found
        cost *= 4
    raise NotConverged(f"{what} was not proved", LARGEST_COST)


class Bounded(Protocol):
    """Boards whose bounds, of a radius about their values, are proved together."""

    @property
    def boards(self) -> Ints:
        """All of them."""

    def only(self, where: NDArray[np.bool_]) -> Bounded:
        """These of the boards, perhaps with others."""

    def lacking(self) -> Floats:
        """By how much one backup passes the present bounds, on either side, a number for each board."""


def widened(
    these: Bounded, radius: NDArray[np.float32], waits: Floats, slack: float, rounding: float, what: str
) -> float:
    """Set the ``radius`` of these boards so that one backup is clear of all bounds; returns the g that was needed.

    With w the turns that are left under the moves found (``waits``), values + g w is an upper bound for some g, from
    ``slack`` on. Where a bound is refused because a move as good as the best leads a longer way round, it is widened
    there by what it lacks. Raises NotConverged where no bound of ``what`` is proved.
    """
    for _ in range(DOUBLINGS):
        boards = these.boards
        radius[boards] = round_up(slack * waits[boards])
        for _ in range(MOST_WIDENINGS):
            lacking = these.lacking()
            refused = ~(lacking <= -rounding)
            if not refused.any():
                return slack
            wider = these.boards[refused]
            radius[wider] = round_up(radius[wider] + lacking[refused] + 2 * rounding)
            these = these.only(refused)
        slack *= 2
    widest = 2 * float(np.max(radius[boards]))
    raise NotConverged(f"no bound closer than {widest:.2g} for {what}", widest)


# --- turns to come -------------------------------------------------------------------------------------------------


def off_by(moved: float, waits: Numbers, later: float = 0.0, room: float = 1.0) -> Numbers:
    """How far off numbers are that one backup moves by ``moved`` for each turn that ``waits`` fall by, or less.

    ``later``: how far off those are that they lead to and that are not among them.
    """
    return (moved * waits + later) * room


def lasting(turns: Numbers, more: float, what: str) -> Numbers:
    """Waits that fall by 1 with every turn, from some that one backup, a turn added, lengthens by ``more`` at most.

    Raises NotConverged, that ``what`` can last for ever, where that is no less than 1.
    """
    if not more < 1:
        raise NotConverged(f"{what} can last for ever, so nothing is certified", np.inf)
    return turns / (1.0 - more) * (1 + 4 * UNIT)


def until_bounded(waits: Floats, boards: Ints, sweep: Callable[[], None], what: str) -> None:
    """Make ``waits`` fall by 1 and more with every turn, where ``sweep`` writes 1 and what a backup makes of them.

    Sweeps from 1 on never lower them. Raises as ``lasting``.
    """
    waits[boards] = 1.0
    before, left = waits[boards], MOST_SWEEPS

    def goes_on() -> bool:
        nonlocal before, left
        after = waits[boards]
        more, left = float(np.max(after - before)), left - 1
        if more <= ENOUGH:
            waits[boards] = before * ((1 + 1e-9) / (1 - max(more, 0.0)))
            return False
        if not left:
            lasting(1.0, np.inf, what)
        before = after
        return True

    sweep_until(sweep, goes_on)
