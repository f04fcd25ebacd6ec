"""One turn with hidden dice as a linear program, given the values of boards: minimax mixed strategies of both players.

The turn is a zero-sum game (von Neumann 1928): throw t, with chance p(t), call c and reply r give the caller
``payoff[t, c, r]``. Replies are mixed by y(r | c), and a caller with throw t makes the best call, of value u(t). So

    minimise sum p(t) u(t)  where  u(t) >= sum y(r | c) payoff[t, c, r]  for all t, c,  and  sum y(r | c) = 1 for all c.

The dual variables of these inequalities, divided by p(t), are the caller's mixed strategy. HiGHS solves the program to
about 1e-10, which is not enough; so its tight inequalities and the support of the mixes give linear equations, which
are solved once more.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.model.errors import NotConverged

Floats = NDArray[np.float64]
HIGHS_TOLERANCE = 1e-10  # the finest that HiGHS takes
SUPPORT_THRESHOLDS = (1e-9, 1e-8, 1e-7, 1e-6)  # least probability of a move in the support: tried in turn
GAP_TOLERANCE = 1e-14  # a gap of the mixes that needs no further try


@dataclass(frozen=True)
class MixedStrategies:
    """Mixed strategies of one turn: ``calls``, shape (throws, calls), each row adding up to 1; ``replies``, shape
    (calls, replies), likewise (an illegal call has a row of zeros). ``low`` is the caller's value against the best
    response to ``calls``, ``high`` against the best response to ``replies``.
    """

    calls: Floats
    replies: Floats
    low: float
    high: float

    @property
    def gap(self) -> float:
        """Duality gap; the true value lies between ``low`` and ``high``."""
        return self.high - self.low


def solve_turn(chances: Floats, payoff: Floats) -> MixedStrategies:
    """Solve the game of one turn; ``payoff`` is nan where a call or a reply is illegal."""
    legal = ~np.isnan(payoff[0])
    allowed = np.flatnonzero(legal.any(axis=1))
    small = _TurnProgram(chances, payoff[:, allowed], legal[allowed])
    solution = small.solve()
    calls, replies = np.zeros(payoff.shape[:2]), np.zeros(payoff.shape[1:])
    calls[:, allowed], replies[allowed] = solution.calls, solution.replies
    return MixedStrategies(calls, replies, solution.low, solution.high)


class _TurnProgram:
    """Linear program of one turn with legal calls alone. Its unknowns are u(t), then y(r | c) of legal replies."""

    def __init__(self, chances: Floats, payoff: Floats, legal: NDArray[np.bool_]) -> None:
        self.chances, self.legal = chances, legal
        self.payoff = np.where(legal, payoff, 0.0)
        self.n_throws, self.n_calls, _ = payoff.shape
        self.call_of, self.reply = np.nonzero(legal)  # call and reply of every y
        self.n_replies = len(self.call_of)

    def solve(self) -> MixedStrategies:
        """Solve the program, and refine the solution."""
        weights, replies = self._solve_program()
        best = self._mixes(weights, replies)
        for least in SUPPORT_THRESHOLDS:
            if best.gap <= GAP_TOLERANCE:
                break
            refined = self._mixes(*self._refine(weights, replies, least))
            best = min(best, refined, key=lambda mixes: mixes.gap)
        return self._deter_calls(best)

    def _deter_calls(self, mixes: MixedStrategies) -> MixedStrategies:
        """The same with best replies to calls that are never made, as far as they deter these calls.

        Such a call carries no information on the throw, so the best reply minimises the mean over the chances of all
        throws. Where that would make the call worth while after some throw, it is mixed with the other reply.
        """
        values = self._call_values(mixes.replies).max(axis=1)
        replies = mixes.replies.copy()
        for call in np.flatnonzero(~mixes.calls.any(axis=0) & self.legal.all(axis=1) & (self.legal.shape[1] == 2)):
            first, second = self.payoff[:, call].T
            slope, slack = first - second, values - second  # y first + (1 - y) second <= worth
            with np.errstate(divide="ignore", invalid="ignore"):
                ends = slack / slope
            low = float(np.max(ends[slope < 0], initial=0.0))
            high = float(np.min(ends[slope > 0], initial=1.0))
            if low <= high:
                y = high if self.chances @ slope < 0 else low
                replies[call] = y, 1.0 - y
        changed = self._mixes(mixes.calls * self.chances[:, None], replies[self.call_of, self.reply])
        return changed if changed.gap <= max(mixes.gap, GAP_TOLERANCE) else mixes

    def _solve_program(self) -> tuple[Floats, Floats]:
        """Dual weight of every (throw, call), and y, from HiGHS."""
        from scipy.optimize import linprog

        rows = self.n_throws * self.n_calls
        inequalities = np.zeros((rows, self.n_throws + self.n_replies))
        row = np.arange(rows)
        inequalities[row, row // self.n_calls] = -1.0
        for y in range(self.n_replies):
            there = row[row % self.n_calls == self.call_of[y]]
            inequalities[there, self.n_throws + y] = self.payoff[:, self.call_of[y], self.reply[y]]
        sums = np.zeros((self.n_calls, self.n_throws + self.n_replies))
        sums[self.call_of, self.n_throws + np.arange(self.n_replies)] = 1.0
        result = linprog(
            np.concatenate([self.chances, np.zeros(self.n_replies)]),
            A_ub=inequalities,
            b_ub=np.zeros(rows),
            A_eq=sums,
            b_eq=np.ones(self.n_calls),
            bounds=[(None, None)] * self.n_throws + [(0.0, None)] * self.n_replies,
            method="highs",
            options={"primal_feasibility_tolerance": HIGHS_TOLERANCE, "dual_feasibility_tolerance": HIGHS_TOLERANCE},
        )
        if result.status != 0:
            raise NotConverged(f"the program of a turn with hidden dice was not solved: {result.message}", np.inf)
        weights = -np.asarray(result.ineqlin.marginals).reshape(self.n_throws, self.n_calls)
        return weights, np.asarray(result.x)[self.n_throws :]

    def _refine(self, weights: Floats, replies: Floats, least: float) -> tuple[Floats, Floats]:
        """Refine weights and replies by the equations of the support: all moves with a probability above ``least``.

        Of the solutions of these equations it takes the one nearest to the given one.
        """
        throw, call = np.nonzero(weights > least * self.chances[:, None])
        mixed = np.flatnonzero(replies > least)
        # calls of the support have the value u(t): payoff . y - u = 0, and sum y = 1
        of_y = self.call_of[mixed]
        matrix = np.zeros((len(throw) + self.n_calls, self.n_throws + len(mixed)))
        matrix[np.arange(len(throw)), throw] = -1.0
        rows, columns = np.nonzero(call[:, None] == of_y[None, :])
        matrix[rows, self.n_throws + columns] = self.payoff[throw[rows], of_y[columns], self.reply[mixed][columns]]
        matrix[len(throw) + of_y, self.n_throws + np.arange(len(mixed))] = 1.0
        right = np.concatenate([np.zeros(len(throw)), np.ones(self.n_calls)])
        values = self._call_values(self._as_table(replies)).max(axis=1)
        solved = _nearest(matrix, right, np.concatenate([values, replies[mixed]]))
        refined = np.zeros(self.n_replies)
        refined[mixed] = solved[self.n_throws :]
        # replies of a mix have the same value: sum of w (payoff - payoff') = 0, and sum of w over calls = p(t)
        pairs = [(one, two) for one, two in pairwise(mixed.tolist()) if self.call_of[one] == self.call_of[two]]
        matrix = np.zeros((self.n_throws + len(pairs), len(throw)))
        matrix[throw, np.arange(len(throw))] = 1.0
        for place, (one, two) in enumerate(pairs):
            here = np.flatnonzero(call == self.call_of[one])
            at = throw[here], call[here]
            matrix[self.n_throws + place, here] = (
                self.payoff[(*at, self.reply[one])] - self.payoff[(*at, self.reply[two])]
            )
        right = np.concatenate([self.chances, np.zeros(len(pairs))])
        sharp_weights = np.zeros_like(weights)
        sharp_weights[throw, call] = _nearest(matrix, right, weights[throw, call])
        return sharp_weights, refined

    def _as_table(self, replies: Floats) -> Floats:
        table = np.zeros(self.legal.shape)
        table[self.call_of, self.reply] = replies
        return table

    def _call_values(self, table: Floats) -> Floats:
        """Value of each call after each throw, against these replies."""
        values: Floats = (self.payoff * table).sum(axis=2)
        return values

    def _mixes(self, weights: Floats, replies: Floats) -> MixedStrategies:
        """Normalise to mixed strategies: no number below 0, every row adding up to 1."""
        calls, table = np.maximum(weights, 0.0), np.maximum(self._as_table(replies), 0.0)
        calls /= calls.sum(axis=1, keepdims=True)
        table /= table.sum(axis=1, keepdims=True)
        reply_values = (self.chances[:, None, None] * calls[:, :, None] * self.payoff).sum(axis=0)
        low = float(np.where(self.legal, reply_values, np.inf).min(axis=1).sum())
        high = float(self.chances @ self._call_values(table).max(axis=1))
        return MixedStrategies(calls, table, low, high)


def _nearest(matrix: Floats, right: Floats, near: Floats) -> Floats:
    """The least-squares solution of ``left x = right`` that is nearest to ``near``."""
    step = np.linalg.lstsq(matrix, right - matrix @ near, rcond=1e-13)[0]
    solution: Floats = near + step
    return solution
