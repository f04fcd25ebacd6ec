"""Exact values of boards with hidden dice, where they are rational.

The stored mixes give the support of the optimal mixed strategies. With that, a turn is two systems of linear equations,
one for the values of throws and the replies, one for the calls, and both are solved in fractions. Values of boards that
lead to one another solve polynomial equations in general, and are irrational; only where these equations are linear
after all is there a solution, from as many trial values as there are unknowns and one more.
The result is verified: with these values, calls and replies must be best responses to each other, exactly, and play
must end under any strategies, or there is no answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.exact.equations import fraction, rational
from rollwise.solver.hidden_information.best_response import StoredRows
from rollwise.solver.hidden_information.one_player import MINIMISE, OnePlayerMDP
from rollwise.solver.hidden_information.stage import NONE, LaidBoards, reachable
from rollwise.solver.values.mixed_strategies import PARTS_PER_ONE

Ints = NDArray[np.int64]
MAX_BOARDS = 1000  # that a value may depend on
MAX_COUPLED_BOARDS = 3  # boards that lead to one another
TRIAL_STEP = Fraction(1, 1 << 20)  # between trial values
TIE_TOLERANCE = Fraction(1, 1 << 33)  # values that differ by less may be equal
MIN_PARTS = PARTS_PER_ONE >> 30  # parts; a move of the mix has more, less is rounding
Payoff = list[list[list[Fraction | None]]]  # by throw, call and reply


def exact_value(laid: LaidBoards, stored: StoredRows, board: int) -> Fraction | None:
    """P(the caller wins) on this board (by its entry) as a fraction; None where there is none or it is too costly."""
    needed = reachable(laid.n, *laid.edges(), board)
    if len(needed) > MAX_BOARDS:
        return None
    calls, replies = (stored.rows(name, laid.boards) for name in ("calls", "replies"))
    never = ~OnePlayerMDP(laid, (calls / PARTS_PER_ONE, replies / PARTS_PER_ONE), MINIMISE).may_win
    numbers = stored.rows("values", laid.boards)
    exact: dict[int, Fraction] = {}
    for some, coupled in laid.topological_blocks():
        together = some[np.isin(some, needed)].tolist()
        turns = [_ExactTurn(laid, one, calls[one], replies[one]) for one in together]
        values = _solve_coupled(turns, exact, numbers) if coupled and turns else [turn.value(exact) for turn in turns]
        if values is None or any(value is None for value in values):
            return None
        exact |= {one: value for one, value in zip(together, values, strict=True) if value is not None}
        if not all(turn.is_best(exact) for turn in turns):
            return None
    is_lost = all(exact[one] == 0 for one in needed[never[0, needed]].tolist())
    is_won = all(exact[one] == 1 for one in needed[never[1, needed]].tolist())
    return exact[board] if is_lost and is_won else None  # else play may go on for ever, and not be worth that


def _solve_coupled(
    turns: Sequence[_ExactTurn], exact: Mapping[int, Fraction], numbers: NDArray[np.float64]
) -> list[Fraction] | None:
    """Values of boards that lead to one another, where their backup is linear in them; None elsewhere."""
    if len(turns) > MAX_COUPLED_BOARDS:
        return None
    boards = [turn.board for turn in turns]
    near = [Fraction(float(numbers[board])) for board in boards]

    def after(values: Sequence[Fraction]) -> list[Fraction] | None:
        values_after = [turn.value({**exact, **dict(zip(boards, values, strict=True))}) for turn in turns]
        return None if None in values_after else [value for value in values_after if value is not None]

    base = after(near)
    columns = [after([value + TRIAL_STEP * (i == j) for j, value in enumerate(near)]) for i in range(len(near))]
    if base is None or any(column is None for column in columns):
        return None
    # v = base + A (v - near), so (I - A) (v - near) = base - near
    size = range(len(near))
    slopes = [[((columns[j] or base)[i] - base[i]) / TRIAL_STEP for j in size] for i in size]
    matrix = [[Fraction(i == j) - slopes[i][j] for j in size] for i in size]
    step = _solve(matrix, [base[i] - near[i] for i in size], [Fraction(0)] * len(near))
    if step is None:
        return None
    values = [near[i] + step[i] for i in size]
    return values if after(values) == values else None


class _ExactTurn:
    """One board's turn in fractions, with the support of its mixed strategies."""

    def __init__(self, laid: LaidBoards, board: int, calls: Ints, replies: Ints) -> None:
        self.laid, self.board = laid, board
        self.follows, self.passes = laid.unpack_codes(laid.leads[board])
        weights = laid.stage.weights.tolist()
        self.chances = [Fraction(weight, sum(weights)) for weight in weights]
        self.legal = laid.legal[board]
        self.allowed = np.flatnonzero(self.legal.any(axis=1)).tolist()
        self.ahead = set(self.follows[(self.follows >= 0) & (self.follows < laid.n)].tolist())
        self.stored_replies = replies
        self.support = [(throw, call) for throw, call in np.argwhere(calls > MIN_PARTS).tolist()]
        self.stored = {
            (throw, call): self.chances[throw] * int(calls[throw, call]) / PARTS_PER_ONE for throw, call in self.support
        }
        called = {call for _, call in self.support}
        self.mixed = [(call, reply) for call, reply in np.argwhere(replies > MIN_PARTS).tolist() if call in called]
        self._read: tuple[Any, Payoff] | None = None

    def payoff(self, exact: Mapping[int, Fraction]) -> Payoff:
        """Value to the caller by throw, call and reply."""
        key = {board: exact[board] for board in self.ahead}
        if self._read is not None and self._read[0] == key:
            return self._read[1]

        def value_to_caller(follows: int, passes: int) -> Fraction | None:
            if follows == NONE:
                return None
            over = follows >= self.laid.n
            value = Fraction(float(self.laid.shares[0, follows - self.laid.n])) if over else exact[follows]
            return 1 - value if passes else value

        table = [
            [[value_to_caller(*pair) for pair in zip(*cells, strict=True)] for cells in zip(*rows, strict=True)]
            for rows in zip(self.follows.tolist(), self.passes.tolist(), strict=True)
        ]
        self._read = key, table
        return table

    def _primal(self, payoff: Payoff) -> tuple[list[Fraction], dict[tuple[int, int], Fraction]] | None:
        """Primal solution: the value of each throw, and the replies to calls in the support."""
        n_throws, n = len(self.chances), len(self.chances) + len(self.mixed)
        matrix, right = [], []
        for throw, call in self.support:
            row = [Fraction(0)] * n
            row[throw] = Fraction(-1)
            for place, (called, reply) in enumerate(self.mixed):
                if called == call:
                    row[n_throws + place] = payoff[throw][call][reply] or Fraction(0)
            matrix.append(row)
            right.append(Fraction(0))
        for call in sorted({call for call, _ in self.mixed}):
            matrix.append([Fraction(0)] * n_throws + [Fraction(called == call) for called, _ in self.mixed])
            right.append(Fraction(1))
        stored = [Fraction(int(self.stored_replies[call, reply]), PARTS_PER_ONE) for call, reply in self.mixed]
        solution = _solve(matrix, right, [Fraction(0)] * n_throws + stored)
        if solution is None:
            return None
        return solution[:n_throws], dict(zip(self.mixed, solution[n_throws:], strict=True))

    def value(self, exact: Mapping[int, Fraction]) -> Fraction | None:
        """Value of the turn to the caller, given the support of the stored mixes."""
        solution = self._primal(self.payoff(exact))
        if solution is None:
            return None
        return sum((chance * of_throw for chance, of_throw in zip(self.chances, solution[0], strict=True)), Fraction(0))

    def _dual(self, payoff: Payoff, tied: Sequence[tuple[int, int]]) -> dict[tuple[int, int], Fraction] | None:
        """Dual solution: the joint probability of each throw and call that makes ``tied`` replies equally good."""
        matrix, right = [], []
        for throw, chance in enumerate(self.chances):
            matrix.append([Fraction(of_throw == throw) for of_throw, _ in self.support])
            right.append(chance)
        for (call, one), (other_call, two) in pairwise(tied):
            if call == other_call:
                gaps = [(payoff[throw][call][one] or 0) - (payoff[throw][call][two] or 0) for throw, _ in self.support]
                matrix.append(
                    [
                        Fraction(of) if of_call == call else Fraction(0)
                        for of, (_, of_call) in zip(gaps, self.support, strict=True)
                    ]
                )
                right.append(Fraction(0))
        solution = _solve(matrix, right, [self.stored[pair] for pair in self.support])
        return None if solution is None else dict(zip(self.support, solution, strict=True))

    def _by_reply(self, payoff: Payoff, often: Mapping[tuple[int, int], Fraction], call: int) -> dict[int, Fraction]:
        """Value to the caller of each reply to a call, weighted by the joint probabilities ``often``."""
        here = np.flatnonzero(self.legal[call]).tolist()
        calls = [(throw, part) for (throw, calls), part in often.items() if calls == call]
        return {reply: sum((part * (payoff[t][call][reply] or 0) for t, part in calls), Fraction(0)) for reply in here}

    def _tied(self, payoff: Payoff) -> list[tuple[int, int]]:
        """Calls of the support, with the replies that are equally good against the stored mix, or nearly so."""
        ties = []
        for call in sorted({call for _, call in self.support}):
            values = self._by_reply(payoff, self.stored, call)
            ties += [(call, reply) for reply, of in values.items() if of - min(values.values()) < TIE_TOLERANCE]
        return ties

    def is_best(self, exact: Mapping[int, Fraction]) -> bool:
        """True where calls and replies of this support are best responses to each other, so the value is right."""
        payoff = self.payoff(exact)
        primal = self._primal(payoff)
        if primal is None:
            return False
        of_throws = primal[0]
        if not all(self._has_replies(payoff, of_throws, call) for call in self.allowed):
            return False
        value = sum((chance * of for chance, of in zip(self.chances, of_throws, strict=True)), Fraction(0))
        for tied in (self._tied(payoff), self.mixed):
            often = self._dual(payoff, tied)
            if often is not None and min(often.values()) > 0:
                secured = sum(
                    min(self._by_reply(payoff, often, call).values()) for call in {call for _, call in self.support}
                )
                if secured == value:
                    return True
        return False

    def _has_replies(self, payoff: Payoff, of_throws: Sequence[Fraction], call: int) -> bool:
        """True where a mix of the stored replies makes a call worth no more than the value of any throw."""
        here = np.flatnonzero(self.legal[call]).tolist()
        stored = {reply: Fraction(int(self.stored_replies[call, reply]), PARTS_PER_ONE) for reply in here}
        if len(here) != 2 or 0 in stored.values():
            return self._is_bounded(payoff, of_throws, call, stored)
        # y of one and 1 - y of the other: every throw bounds y from below or from above
        one, two = here
        low, high = Fraction(0), Fraction(1)
        for throw_value, of_throw in zip(of_throws, payoff, strict=True):
            first, second = of_throw[call][one] or Fraction(0), of_throw[call][two] or Fraction(0)
            slope, slack = first - second, throw_value - second
            if slope == 0 and slack < 0:
                return False
            if slope > 0:
                high = min(high, slack / slope)
            elif slope < 0:
                low = max(low, slack / slope)
        return low <= high and low < 1 and high > 0  # so that both replies stay in the mix, and play ends as before

    def _is_bounded(self, payoff: Payoff, values: Sequence[Fraction], call: int, mix: Mapping[int, Fraction]) -> bool:
        return all(
            sum(often * (of_throw[call][reply] or 0) for reply, often in mix.items()) <= throw_value
            for throw_value, of_throw in zip(values, payoff, strict=True)
        )


def _solve(
    matrix: Sequence[Sequence[Fraction]], right: Sequence[Fraction], free: Sequence[Fraction]
) -> list[Fraction] | None:
    """A solution of linear equations, with undetermined unknowns as in ``free``; None where there is none."""
    from flint import fmpq_mat

    width = len(free)
    cells = [rational(cell) for row, end in zip(matrix, right, strict=True) for cell in (*row, end)]
    reduced, rank = fmpq_mat(len(matrix), width + 1, cells).rref()
    solution = list(free)
    leading = []
    for row in range(rank):
        lead = next(column for column in range(width + 1) if reduced[row, column] != 0)
        if lead == width:
            return None
        leading.append(lead)
    for row, lead in enumerate(leading):
        value = fraction(reduced[row, width])
        for column in range(lead + 1, width):
            if column not in leading and reduced[row, column] != 0:
                value -= fraction(reduced[row, column]) * free[column]
        solution[lead] = value
    return solution
