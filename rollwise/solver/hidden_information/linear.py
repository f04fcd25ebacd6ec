"""One turn as a linear program, when what follows is known: the replies that hold the caller to the least.

The caller sees throw t, with chance p(t), and makes call c; ``payoff[t, c, r]`` is what reply r then leaves the caller.
Replies are mixed by y(r | c), and a caller who sees t then takes the best call, worth u(t). So

    least of sum p(t) u(t)  where  u(t) >= sum y(r | c) payoff[t, c, r]  for all t, c,  and  sum y(r | c) = 1 for all c.

What those inequalities weigh in the optimum (their duals, divided by p(t)) is how the caller mixes the calls. The
program is solved to about 1e-10, which is not enough; so it is read off which inequalities are tight and which moves
are in the mix, and these equations are solved once more.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.model.errors import NotConverged

Floats = NDArray[np.float64]
TOLERANCE = 1e-10  # the finest that HiGHS takes
IN_THE_MIX = (1e-9, 1e-8, 1e-7, 1e-6)  # what is less likely is taken to be out of the mix: tried in turn
GOOD = 1e-14  # a mix this close to the other needs no further try


@dataclass(frozen=True)
class MixedStrategies:
    """How both play one turn: ``calls``, shape (throws, calls), each row adding up to 1; ``replies``, shape (calls,
    replies), likewise (a call that is not allowed has a row of zeros). ``low`` is what the calls secure against every
    reply, ``high`` what the replies leave at most.
    """

    calls: Floats
    replies: Floats
    low: float
    high: float

    @property
    def gap(self) -> float:
        """How far the two are apart; the true value lies between them."""
        return self.high - self.low


def solve_turn(chances: Floats, payoff: Floats) -> MixedStrategies:
    """The best mixes of a turn; ``payoff`` is nan where a call or a reply is not allowed."""
    legal = ~np.isnan(payoff[0])
    allowed = np.flatnonzero(legal.any(axis=1))
    small = _TurnProgram(chances, payoff[:, allowed], legal[allowed])
    found = small.solve()
    calls, replies = np.zeros(payoff.shape[:2]), np.zeros(payoff.shape[1:])
    calls[:, allowed], replies[allowed] = found.calls, found.replies
    return MixedStrategies(calls, replies, found.low, found.high)


class _TurnProgram:
    """The program of one turn, of calls that are all allowed. Its unknowns are u(t), then y(r | c) of legal replies."""

    def __init__(self, chances: Floats, payoff: Floats, legal: NDArray[np.bool_]) -> None:
        self.chances, self.legal = chances, legal
        self.payoff = np.where(legal, payoff, 0.0)
        self.n_throws, self.n_calls, _ = payoff.shape
        self.heard, self.reply = np.nonzero(legal)  # of every y: its call and its reply
        self.n_replies = len(self.heard)

    def solve(self) -> MixedStrategies:
        """Solve it, and sharpen what comes out."""
        weights, replies = self._roughly()
        best = self._mixes(weights, replies)
        for least in IN_THE_MIX:
            if best.gap <= GOOD:
                break
            sharper = self._mixes(*self._sharpened(weights, replies, least))
            best = min(best, sharper, key=lambda mixes: mixes.gap)
        return self._unheard(best)

    def _unheard(self, found: MixedStrategies) -> MixedStrategies:
        """The same, with the best replies to calls that are never made, as far as these leave them unmade.

        Such a call says nothing of the throw, so the best reply is the one that leaves the least of all throws as they
        fall. Where that would make the call worth while after some throw, it is mixed with the other reply.
        """
        worth = self._worth(found.replies).max(axis=1)
        replies = found.replies.copy()
        for call in np.flatnonzero(~found.calls.any(axis=0) & self.legal.all(axis=1) & (self.legal.shape[1] == 2)):
            first, second = self.payoff[:, call].T
            slope, room = first - second, worth - second  # y first + (1 - y) second <= worth
            with np.errstate(divide="ignore", invalid="ignore"):
                ends = room / slope
            low = float(np.max(ends[slope < 0], initial=0.0))
            high = float(np.min(ends[slope > 0], initial=1.0))
            if low <= high:
                y = high if self.chances @ slope < 0 else low
                replies[call] = y, 1.0 - y
        changed = self._mixes(found.calls * self.chances[:, None], replies[self.heard, self.reply])
        return changed if changed.gap <= max(found.gap, GOOD) else found

    def _roughly(self) -> tuple[Floats, Floats]:
        """The weight of every (throw, call), and y, as HiGHS finds them."""
        from scipy.optimize import linprog

        rows = self.n_throws * self.n_calls
        tight = np.zeros((rows, self.n_throws + self.n_replies))
        row = np.arange(rows)
        tight[row, row // self.n_calls] = -1.0
        for y in range(self.n_replies):
            there = row[row % self.n_calls == self.heard[y]]
            tight[there, self.n_throws + y] = self.payoff[:, self.heard[y], self.reply[y]]
        sums = np.zeros((self.n_calls, self.n_throws + self.n_replies))
        sums[self.heard, self.n_throws + np.arange(self.n_replies)] = 1.0
        found = linprog(
            np.concatenate([self.chances, np.zeros(self.n_replies)]),
            A_ub=tight,
            b_ub=np.zeros(rows),
            A_eq=sums,
            b_eq=np.ones(self.n_calls),
            bounds=[(None, None)] * self.n_throws + [(0.0, None)] * self.n_replies,
            method="highs",
            options={"primal_feasibility_tolerance": TOLERANCE, "dual_feasibility_tolerance": TOLERANCE},
        )
        if found.status != 0:
            raise NotConverged(f"the program of a turn with hidden dice was not solved: {found.message}", np.inf)
        weights = -np.asarray(found.ineqlin.marginals).reshape(self.n_throws, self.n_calls)
        return weights, np.asarray(found.x)[self.n_throws :]

    def _sharpened(self, weights: Floats, replies: Floats, least: float) -> tuple[Floats, Floats]:
        """The same, from the equations that hold when what is in the mix by more than ``least`` is all of it.

        Of the solutions of these equations the one next to what is known.
        """
        throw, call = np.nonzero(weights > least * self.chances[:, None])
        mixed = np.flatnonzero(replies > least)
        # what is called is worth u(t): payoff . y - u = 0, and sum y = 1
        of_y = self.heard[mixed]
        left = np.zeros((len(throw) + self.n_calls, self.n_throws + len(mixed)))
        left[np.arange(len(throw)), throw] = -1.0
        rows, columns = np.nonzero(call[:, None] == of_y[None, :])
        left[rows, self.n_throws + columns] = self.payoff[throw[rows], of_y[columns], self.reply[mixed][columns]]
        left[len(throw) + of_y, self.n_throws + np.arange(len(mixed))] = 1.0
        right = np.concatenate([np.zeros(len(throw)), np.ones(self.n_calls)])
        worth = self._worth(self._as_table(replies)).max(axis=1)
        solved = _nearest(left, right, np.concatenate([worth, replies[mixed]]))
        sharper = np.zeros(self.n_replies)
        sharper[mixed] = solved[self.n_throws :]
        # what is replied in a mix is worth the same: sum of w (payoff - payoff') = 0, and sum of w over calls = p(t)
        pairs = [(one, two) for one, two in pairwise(mixed.tolist()) if self.heard[one] == self.heard[two]]
        left = np.zeros((self.n_throws + len(pairs), len(throw)))
        left[throw, np.arange(len(throw))] = 1.0
        for place, (one, two) in enumerate(pairs):
            here = np.flatnonzero(call == self.heard[one])
            at = throw[here], call[here]
            left[self.n_throws + place, here] = (
                self.payoff[(*at, self.reply[one])] - self.payoff[(*at, self.reply[two])]
            )
        right = np.concatenate([self.chances, np.zeros(len(pairs))])
        sharp_weights = np.zeros_like(weights)
        sharp_weights[throw, call] = _nearest(left, right, weights[throw, call])
        return sharp_weights, sharper

    def _as_table(self, replies: Floats) -> Floats:
        table = np.zeros(self.legal.shape)
        table[self.heard, self.reply] = replies
        return table

    def _worth(self, table: Floats) -> Floats:
        """What each call is worth after each throw, against these replies."""
        found: Floats = (self.payoff * table).sum(axis=2)
        return found

    def _mixes(self, weights: Floats, replies: Floats) -> MixedStrategies:
        """As mixes: nothing below 0, every row adding up to 1."""
        calls, table = np.maximum(weights, 0.0), np.maximum(self._as_table(replies), 0.0)
        calls /= calls.sum(axis=1, keepdims=True)
        table /= table.sum(axis=1, keepdims=True)
        left = (self.chances[:, None, None] * calls[:, :, None] * self.payoff).sum(axis=0)
        low = float(np.where(self.legal, left, np.inf).min(axis=1).sum())
        high = float(self.chances @ self._worth(table).max(axis=1))
        return MixedStrategies(calls, table, low, high)


def _nearest(left: Floats, right: Floats, near: Floats) -> Floats:
    """The solution of ``left x = right`` that is next to ``near``."""
    step = np.linalg.lstsq(left, right - left @ near, rcond=1e-13)[0]
    found: Floats = near + step
    return found
