"""What a table of thresholds costs at Pig and Piggy Six, as fast as a search needs it: tens of milliseconds.

The numbers are those of ``rollwise compare`` to some 1e-9, without its bounds; what a card prints is computed by
``compare`` itself. A board where the rule moves and the board to which a bust hands the dice, where the other player
answers as well as possible, are solved together; the answering player's moves are found by policy iteration.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@njit(cache=True)
def _together(
    cw: float, bw: float, base: Floats, throw: Floats, lost: float, zz: float, guess: float
) -> tuple[float, float]:
    """(w, f): the rule's value, w = cw + bw (1 - f), and that of the best reply, whose bust is worth 1 - w.

    ``base[t]``: what holding at t is worth to the replying player, from 1 to the last total, where it must be held;
    ``throw[k]`` the chance that a throw adds k, ``lost`` that it busts; ``zz`` is worth what else may happen.
    """
    n, most = len(base) - 1, len(throw) - 1
    c, d = np.zeros(n + 1 + most), np.zeros(n + 1 + most)
    w, f = guess, 0.0
    for _ in range(50):
        z = 1.0 - w
        for t in range(n, -1, -1):
            if t == n:
                c[t], d[t] = base[t], 0.0
                continue
            cc, dd = zz, lost
            for k in range(1, most + 1):
                if throw[k] > 0.0:
                    over = min(t + k, n)
                    cc += throw[k] * c[over]
                    dd += throw[k] * d[over]
            if t > 0 and base[t] >= cc + dd * z:
                c[t], d[t] = base[t], 0.0
            else:
                c[t], d[t] = cc, dd
        before = w
        w = (cw + bw * (1.0 - c[0] - d[0])) / (1.0 - bw * d[0])
        f = c[0] + d[0] * (1.0 - w)
        if abs(w - before) < 1e-14:
            break
    return w, f


@njit(cache=True)
def pig_cost(hold: Ints, target: int) -> float:
    """The cost of holding at ``hold[mine, theirs]`` points, or as soon as that wins."""
    won, free = np.zeros((target, target)), np.zeros((target, target))
    throw = np.array([0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0]) / 6.0
    for s in range(2 * target - 2, -1, -1):
        for a in range(max(0, s - target + 1), min(s, target - 1) + 1):
            b = s - a
            need = target - a
            stop = min(hold[a, b], need)
            through = np.zeros(stop + 7)
            through[0] = 1.0
            cw, bw = 0.0, 0.0
            for t in range(stop):
                bw += through[t] / 6.0
                for k in range(2, 7):
                    through[t + k] += through[t] / 6.0
            for t in range(stop, stop + 7):
                if through[t] > 0.0:
                    cw += through[t] * (1.0 if t >= need else 1.0 - free[b, a + t])
            base = np.ones(target - b + 1)
            for t in range(1, target - b):
                base[t] = 1.0 - won[a, b + t]
            won[a, b], free[b, a] = _together(cw, bw, base, throw, 1.0 / 6.0, 0.0, 0.5)
    cost: float = (free[0, 0] - won[0, 0]) / 2.0
    return cost


TWO_DICE = np.array([0, 0, 1, 2, 3, 4, 5, 4, 3, 2, 1]) / 36.0  # the chance of each sum without a six
ONE_SIX, TWO_SIXES = 10 / 36.0, 1 / 36.0
FURTHEST = 60  # no turn is followed further past the target than this


@njit(cache=True)
def chases(most: int) -> Floats:
    """P(a last turn makes more than so many points), half for as many."""
    u, found = np.zeros(most + 1), np.zeros(most + 1)
    for lead in range(most + 1):
        total = 0.0
        for k in range(2, 11):
            total += TWO_DICE[k] * (1.0 if k > lead else u[lead - k])
        found[lead] = total
        u[lead] = max(total, 0.5) if lead == 0 else total
    return found


@njit(cache=True)
def _held(after: Floats, chase: Floats, mine: int, theirs: int, seat: int, target: int) -> float:
    """What it is worth to have come to a score of ``mine``; ``after``: the other player's values."""
    if mine < target:
        other: float = 1.0 - after[theirs, mine, 1 - seat]
        return other
    value: float = 1.0 if seat == 1 else 1.0 - chase[mine - theirs]
    return value


@njit(cache=True)
def piggy_six_pass(hold: Ints, enough: Ints, target: int, won: Floats, free: Floats, chase: Floats) -> float:
    """One pass over all boards, high scores first; returns the largest change."""
    worst = 0.0
    for s in range(2 * target - 2, -1, -1):
        for a in range(max(0, s - target + 1), min(s, target - 1) + 1):
            b = s - a
            for seat in range(2):
                other = 1 - seat
                need = (target if seat == 1 else enough[b]) - a
                stop = min(hold[a, b], need)
                through = np.zeros(stop + 11)
                through[0] = 1.0
                cw, bw = 0.0, 0.0
                for t in range(stop):
                    bw += through[t] * ONE_SIX
                    cw += through[t] * TWO_SIXES * (1.0 - free[b, 0, other])
                    for k in range(2, 11):
                        through[t + k] += through[t] * TWO_DICE[k]
                for t in range(stop, stop + 11):
                    if through[t] > 0.0:
                        cw += through[t] * _held(free, chase, a + t, b, seat, target)
                last = target - b + (FURTHEST if other == 0 else 0)
                base = np.zeros(last + 1)
                for t in range(1, last + 1):
                    base[t] = _held(won, chase, b + t, a, other, target)
                zz = TWO_SIXES * (1.0 - won[a, 0, seat])
                w, f = _together(cw, bw, base, TWO_DICE, ONE_SIX, zz, won[a, b, seat])
                worst = max(worst, abs(w - won[a, b, seat]), abs(f - free[b, a, other]))
                won[a, b, seat], free[b, a, other] = w, f
    return worst


def piggy_six_cost(
    hold: Ints, enough: Ints, target: int, guess: tuple[Floats, Floats] | None = None, tolerance: float = 1e-9
) -> tuple[float, tuple[Floats, Floats], int]:
    """The cost, the values it was found with (a guess for the next table), and how many passes it took.

    Held at ``hold[mine, theirs]``; who moves second as soon as the target is reached, who moves first as soon as
    ``enough[theirs]`` is; in the last turn as soon as the other is passed.
    """
    shape = target, target, 2
    won, free = (array.copy() for array in guess) if guess else (np.full(shape, 0.5), np.full(shape, 0.5))
    chase = chases(target + FURTHEST + 120)
    n = 0
    while True:
        n += 1
        if piggy_six_pass(hold, enough, target, won, free, chase) < tolerance:
            break
    return float(free[0, 0, 0] - won[0, 0, 0]) / 2, (won, free), n
