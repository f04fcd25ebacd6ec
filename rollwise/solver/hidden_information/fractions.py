"""Values of boards with hidden dice as fractions, where they are fractions.

Which calls and replies are mixed is known from the stored mixes. With that, a turn is two systems of linear equations,
one for what each throw is worth and the replies, one for the calls, and both are solved in fractions. Boards that lead
to one another have values that solve equations of a higher degree in general, which no fraction solves; only where the
equations are linear after all is the solution found, from as many trial values as there are unknowns and one more.
Nothing is believed: with the values that come out, the calls and the replies must be best against each other, exactly,
and play must end whatever either does, or there is no answer.
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
from rollwise.solver.hidden_information.one_player import WORST, OnePlayer
from rollwise.solver.hidden_information.stage import NONE, LaidBoards, reachable
from rollwise.solver.turn.exact_mixes import PARTS

Ints = NDArray[np.int64]
MOST_BOARDS = 1000  # that a value may depend on
MOST_COUPLED = 3  # boards that lead to one another
APART = Fraction(1, 1 << 20)  # trial values
SAME = Fraction(1, 1 << 33)  # what differs by less may be the same
LEAST = PARTS >> 30  # parts; what is less likely is out of the mix, and left there by rounding
Payoff = list[list[list[Fraction | None]]]  # by throw, call and reply


def exact_value(laid: LaidBoards, kept: StoredRows, board: int) -> Fraction | None:
    """P(the caller wins) on this board (by its entry) as a fraction; None where none is found."""
    needed = reachable(laid.n, *laid.edges(), board)
    if len(needed) > MOST_BOARDS:
        return None
    calls, replies = (kept.rows(name, laid.boards) for name in ("calls", "replies"))
    never = ~OnePlayer(laid, (calls / PARTS, replies / PARTS), WORST).may_win
    numbers = kept.rows("values", laid.boards)
    known: dict[int, Fraction] = {}
    for some, coupled in laid.in_order():
        together = some[np.isin(some, needed)].tolist()
        turns = [_ExactTurn(laid, one, calls[one], replies[one]) for one in together]
        found = _coupled(turns, known, numbers) if coupled and turns else [turn.worth(known) for turn in turns]
        if found is None or any(value is None for value in found):
            return None
        known |= {one: value for one, value in zip(together, found, strict=True) if value is not None}
        if not all(turn.is_best(known) for turn in turns):
            return None
    lost = all(known[one] == 0 for one in needed[never[0, needed]].tolist())
    won = all(known[one] == 1 for one in needed[never[1, needed]].tolist())
    return known[board] if lost and won else None  # else play may go on for ever, and not be worth that


def _coupled(
    turns: Sequence[_ExactTurn], known: Mapping[int, Fraction], numbers: NDArray[np.float64]
) -> list[Fraction] | None:
    """Values of boards that lead to one another, if what a turn makes of them is linear in them; None if it is not."""
    if len(turns) > MOST_COUPLED:
        return None
    boards = [turn.board for turn in turns]
    near = [Fraction(float(numbers[board])) for board in boards]

    def after(values: Sequence[Fraction]) -> list[Fraction] | None:
        worth = [turn.worth({**known, **dict(zip(boards, values, strict=True))}) for turn in turns]
        return None if None in worth else [value for value in worth if value is not None]

    base = after(near)
    columns = [after([value + APART * (i == j) for j, value in enumerate(near)]) for i in range(len(near))]
    if base is None or any(column is None for column in columns):
        return None
    # v = base + A (v - near), so (I - A) (v - near) = base - near
    size = range(len(near))
    slopes = [[((columns[j] or base)[i] - base[i]) / APART for j in size] for i in size]
    left = [[Fraction(i == j) - slopes[i][j] for j in size] for i in size]
    step = _solve(left, [base[i] - near[i] for i in size], [Fraction(0)] * len(near))
    if step is None:
        return None
    values = [near[i] + step[i] for i in size]
    return values if after(values) == values else None


class _ExactTurn:
    """One board's turn in fractions, and which calls and replies are in the mix."""

    def __init__(self, laid: LaidBoards, board: int, calls: Ints, replies: Ints) -> None:
        self.laid, self.board = laid, board
        self.follows, self.passes = laid.read(laid.leads[board])
        weights = laid.stage.weights.tolist()
        self.chances = [Fraction(weight, sum(weights)) for weight in weights]
        self.legal = laid.legal[board]
        self.allowed = np.flatnonzero(self.legal.any(axis=1)).tolist()
        self.ahead = set(self.follows[(self.follows >= 0) & (self.follows < laid.n)].tolist())
        self.stored_replies = replies
        self.made = [(throw, call) for throw, call in np.argwhere(calls > LEAST).tolist()]
        self.stored = {
            (throw, call): self.chances[throw] * int(calls[throw, call]) / PARTS for throw, call in self.made
        }
        heard = {call for _, call in self.made}
        self.mixed = [(call, reply) for call, reply in np.argwhere(replies > LEAST).tolist() if call in heard]
        self._read: tuple[Any, Payoff] | None = None

    def payoff(self, known: Mapping[int, Fraction]) -> Payoff:
        """What each throw, call and reply leaves the caller."""
        key = {board: known[board] for board in self.ahead}
        if self._read is not None and self._read[0] == key:
            return self._read[1]

        def left(follows: int, passes: int) -> Fraction | None:
            if follows == NONE:
                return None
            over = follows >= self.laid.n
            value = Fraction(float(self.laid.shares[0, follows - self.laid.n])) if over else known[follows]
            return 1 - value if passes else value

        found = [
            [[left(*pair) for pair in zip(*cells, strict=True)] for cells in zip(*rows, strict=True)]
            for rows in zip(self.follows.tolist(), self.passes.tolist(), strict=True)
        ]
        self._read = key, found
        return found

    def _primal(self, payoff: Payoff) -> tuple[list[Fraction], dict[tuple[int, int], Fraction]] | None:
        """What each throw is worth, and the replies to calls that are made."""
        n_throws, n = len(self.chances), len(self.chances) + len(self.mixed)
        left, right = [], []
        for throw, call in self.made:
            row = [Fraction(0)] * n
            row[throw] = Fraction(-1)
            for place, (heard, reply) in enumerate(self.mixed):
                if heard == call:
                    row[n_throws + place] = payoff[throw][call][reply] or Fraction(0)
            left.append(row)
            right.append(Fraction(0))
        for call in sorted({call for call, _ in self.mixed}):
            left.append([Fraction(0)] * n_throws + [Fraction(heard == call) for heard, _ in self.mixed])
            right.append(Fraction(1))
        stored = [Fraction(int(self.stored_replies[call, reply]), PARTS) for call, reply in self.mixed]
        found = _solve(left, right, [Fraction(0)] * n_throws + stored)
        if found is None:
            return None
        return found[:n_throws], dict(zip(self.mixed, found[n_throws:], strict=True))

    def worth(self, known: Mapping[int, Fraction]) -> Fraction | None:
        """What the turn is worth to the caller, if the mixes are of the stored moves."""
        found = self._primal(self.payoff(known))
        if found is None:
            return None
        return sum((chance * worth for chance, worth in zip(self.chances, found[0], strict=True)), Fraction(0))

    def _dual(self, payoff: Payoff, tied: Sequence[tuple[int, int]]) -> dict[tuple[int, int], Fraction] | None:
        """How often each throw comes and is called so, when ``tied`` replies to a call are equally good."""
        left, right = [], []
        for throw, chance in enumerate(self.chances):
            left.append([Fraction(seen == throw) for seen, _ in self.made])
            right.append(chance)
        for (call, one), (other_call, two) in pairwise(tied):
            if call == other_call:
                apart = [(payoff[throw][call][one] or 0) - (payoff[throw][call][two] or 0) for throw, _ in self.made]
                left.append(
                    [
                        Fraction(of) if made == call else Fraction(0)
                        for of, (_, made) in zip(apart, self.made, strict=True)
                    ]
                )
                right.append(Fraction(0))
        found = _solve(left, right, [self.stored[pair] for pair in self.made])
        return None if found is None else dict(zip(self.made, found, strict=True))

    def _left(self, payoff: Payoff, often: Mapping[tuple[int, int], Fraction], call: int) -> dict[int, Fraction]:
        """What each reply to a call leaves a caller who calls so often."""
        here = np.flatnonzero(self.legal[call]).tolist()
        made = [(throw, part) for (throw, made), part in often.items() if made == call]
        return {reply: sum((part * (payoff[t][call][reply] or 0) for t, part in made), Fraction(0)) for reply in here}

    def _tied(self, payoff: Payoff) -> list[tuple[int, int]]:
        """Calls that are made, with the replies that the stored mix makes equally good, or all but so."""
        found = []
        for call in sorted({call for _, call in self.made}):
            left = self._left(payoff, self.stored, call)
            found += [(call, reply) for reply, of in left.items() if of - min(left.values()) < SAME]
        return found

    def is_best(self, known: Mapping[int, Fraction]) -> bool:
        """Are there calls and replies of these moves that are best against each other? Then the worth is right."""
        payoff = self.payoff(known)
        primal = self._primal(payoff)
        if primal is None:
            return False
        worth = primal[0]
        if not all(self._can_reply(payoff, worth, call) for call in self.allowed):
            return False
        wanted = sum((chance * of for chance, of in zip(self.chances, worth, strict=True)), Fraction(0))
        for tied in (self._tied(payoff), self.mixed):
            often = self._dual(payoff, tied)
            if often is not None and min(often.values()) > 0:
                sure = sum(min(self._left(payoff, often, call).values()) for call in {call for _, call in self.made})
                if sure == wanted:
                    return True
        return False

    def _can_reply(self, payoff: Payoff, worth: Sequence[Fraction], call: int) -> bool:
        """Is there a mix of the stored replies to a call that makes it worth no more than any throw is?"""
        here = np.flatnonzero(self.legal[call]).tolist()
        stored = {reply: Fraction(int(self.stored_replies[call, reply]), PARTS) for reply in here}
        if len(here) != 2 or 0 in stored.values():
            return self._holds(payoff, worth, call, stored)
        # y of one and 1 - y of the other: every throw says from where on, or up to where, y will do
        one, two = here
        low, high = Fraction(0), Fraction(1)
        for of, of_throw in zip(worth, payoff, strict=True):
            first, second = of_throw[call][one] or Fraction(0), of_throw[call][two] or Fraction(0)
            slope, room = first - second, of - second
            if slope == 0 and room < 0:
                return False
            if slope > 0:
                high = min(high, room / slope)
            elif slope < 0:
                low = max(low, room / slope)
        return low <= high and low < 1 and high > 0  # so that both replies stay in the mix, and play ends as before

    def _holds(self, payoff: Payoff, worth: Sequence[Fraction], call: int, mix: Mapping[int, Fraction]) -> bool:
        return all(
            sum(often * (of_throw[call][reply] or 0) for reply, often in mix.items()) <= of
            for of, of_throw in zip(worth, payoff, strict=True)
        )


def _solve(
    left: Sequence[Sequence[Fraction]], right: Sequence[Fraction], free: Sequence[Fraction]
) -> list[Fraction] | None:
    """A solution of linear equations; what they leave open is as in ``free``. None where there is none."""
    from flint import fmpq_mat

    width = len(free)
    cells = [rational(cell) for row, end in zip(left, right, strict=True) for cell in (*row, end)]
    reduced, rank = fmpq_mat(len(left), width + 1, cells).rref()
    found = list(free)
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
        found[lead] = value
    return found
