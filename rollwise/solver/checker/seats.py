"""Check of the odds of luck games of several seats: one more backup of every row from its successors.

If no row changes by more than the stored error, then no chance is off by more than that error times the expected number
of turns, through which it accumulates. What is stored as 0 must be exactly 0. Most rows change by so little that the
rounding of the backup does not matter; the others are backed up in fractions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.checker.backup import UNIT
from rollwise.solver.checker.transitions import read_transition
from rollwise.solver.model.game import TurnGame
from rollwise.solver.turn.graph import TurnGraph

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
BOARDS_PER_BLOCK = 1 << 14
MAX_PARTS = 1_000_000  # of a share of a win
TO_FRACTIONS = np.vectorize(Fraction, otypes=[object])


@dataclass(frozen=True)
class StoredOdds:
    """Stored odds of all ``boards`` (indices, each once).

    ``values``: a row a board, shares from the mover to the left, then (where wins can be shared) the chance of a shared
    one, last the expected turns. Times these, ``chance_error`` and ``turn_error`` bound a row's errors.
    """

    values: Floats
    boards: NDArray[np.integer[Any]]
    chance_error: float
    turn_error: float


def rows_hold(
    rows: StoredOdds, game: TurnGame, graph: TurnGraph, seats: int, report: Callable[[float], None]
) -> str | None:
    """The error in these rows, in words; None where all hold."""
    throws = [throws_from(graph, int(root)) for root in graph.roots]
    space = game.boards()
    numbers = (rows.chance_error, rows.turn_error)
    if not all(isinstance(number, float) and 0 <= number < 0.5 for number in numbers):
        return f"the stored errors {numbers} are no small numbers"
    if not (rows.boards.ndim == 1 and len(rows.values) == len(rows.boards) and are_boards(rows.boards, space.size)):
        return f"the rows are not those of boards from 0 to {space.size - 1}"
    row_of = np.full(space.size, -1, dtype=np.int32)
    row_of[rows.boards] = np.arange(len(rows.boards))
    if np.count_nonzero(row_of >= 0) != len(rows.boards):
        return "a board has two rows"
    for first in range(0, len(rows.boards), BOARDS_PER_BLOCK):
        block = rows.boards[first : first + BOARDS_PER_BLOCK].astype(np.int64)
        roots = np.broadcast_to(game.root(space.columns(block)), len(block))
        for root in np.unique(roots):
            lanes = np.flatnonzero(roots == root)
            backup = _Backup(rows, row_of, game, graph, throws[int(root)], seats)
            holds = backup.holds(block[lanes], rows.values[first + lanes])
            if not holds.all():
                board = space.board(int(block[lanes][np.argmin(holds)]))
                return f"the odds of {board} are not those of what follows"
        report((first + len(block)) / len(rows.boards))
    return None


def throws_from(graph: TurnGraph, root: int) -> tuple[dict[int, int], int]:
    """Number of ways, and of all ways, in which a turn without decisions reaches each result."""
    chance_of = {root: Fraction(1)}
    for node in range(root, graph.n_leaves - 1, -1):
        chance = chance_of.pop(node, None)
        if chance is None:
            continue
        children = list(graph.children(node))
        total = sum(weight for _, weight in children)
        for child, weight in children:
            chance_of[child] = chance_of.get(child, Fraction(0)) + chance * Fraction(weight, total)
    denominator = lcm(*(chance.denominator for chance in chance_of.values()))
    ways: dict[int, int] = {}
    for leaf, chance in chance_of.items():
        result = graph.leaves[leaf].result
        ways[result] = ways.get(result, 0) + int(chance * denominator)
    return ways, denominator


def are_boards(boards: NDArray[np.integer[Any]], size: int) -> bool:
    """True if these are indices of boards."""
    return len(boards) > 0 and bool(boards.min() >= 0) and bool(boards.max() < size)


@dataclass(frozen=True)
class _Backup:
    """One backup of boards of one root: ``throws`` as in ``throws_from``, ``row_of`` the row of each board."""

    rows: StoredOdds
    row_of: NDArray[np.int32]
    game: TurnGame
    graph: TurnGraph
    throws: tuple[dict[int, int], int]
    seats: int

    def holds(self, boards: Ints, stored: Floats) -> NDArray[np.bool_]:
        """Mask of boards whose stored chances and turns change by no more than the stored errors.

        Nothing in a row is below 0, so a backup of n results rounds each number by less than n + 4 units of itself: a
        share, its product, n - 1 sums, the division, the turn that is added; past 2^53 the weight and their sum too.
        """
        ways, n_ways = self.throws
        units = (len(ways) + (4 if n_ways < 1 << 53 else 6)) * UNIT
        error = np.full(stored.shape[1], self.rows.chance_error)
        error[-1] = self.rows.turn_error
        with np.errstate(invalid="ignore"):  # the comparison catches a stored nan or a missing row
            after = self.after(boards)
            change, rounding = np.abs(after - stored), units * after
            right: NDArray[np.bool_] = (change <= error + rounding).all(axis=1) & (stored >= 0).all(axis=1)
            right &= ~((stored == 0) & (after > 0)).any(axis=1)  # a stored 0 is exact
            undecided = np.flatnonzero(right & ~(change + rounding <= error).all(axis=1))
        if len(undecided) and right.all():
            exact_changes = np.abs(self.after(boards[undecided], exactly=True) - TO_FRACTIONS(stored[undecided]))
            right[undecided] = (exact_changes <= TO_FRACTIONS(error)).all(axis=1)
        return right

    def after(self, boards: Ints, *, exactly: bool = False) -> Any:
        """Backed-up rows of these boards, nan where a successor has none; ``exactly``: in fractions, none missing."""
        space = self.game.boards()
        lanes, seated = np.arange(len(boards)), np.broadcast_to(self.game.standing(space.columns(boards)), len(boards))
        seats, (ways, n_ways) = self.seats, self.throws
        rows = np.zeros((len(boards), self.rows.values.shape[1]), dtype=object if exactly else np.float64)
        for result, weight in ways.items():
            transition = read_transition(self.game, boards, self.graph.results[result], seats)
            place = np.where(transition.following >= 0, self.row_of[transition.following], -1)
            is_valid = transition.over | (place >= 0)
            ahead, shares = self.rows.values[place], transition.shares
            if exactly:
                ahead = TO_FRACTIONS(ahead)
                shares = np.vectorize(lambda share: Fraction(share).limit_denominator(MAX_PARTS), [object])(shares)
            turned = np.zeros_like(ahead)
            turned[:, seats:] = ahead[:, seats:]
            for seat in range(seats):
                there = np.where(seat < seated, ahead[lanes, (seat - transition.passes) % seated], 0)
                turned[:, seat] = np.where(transition.over, shares[seat], there)
            turned[transition.over, seats:] = 0
            if turned.shape[1] > seats + 1:
                turned[transition.over, seats] = np.count_nonzero(transition.shares[:, transition.over], axis=0) > 1
            if not exactly:
                turned[~is_valid] = np.nan  # also where a result is illegal
            rows += weight * turned
        rows = rows / n_ways
        rows[:, -1] += 1
        return rows
