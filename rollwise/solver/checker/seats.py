"""Proof of the odds of luck games of several seats: every row backed up once more from the rows that follow.

If no row changes by more than the stored error, then no chance is off by more than that error times the expected number
of turns: that many times it can add up. What is stored as 0 has to be so exactly. Most rows change by so little that
the rounding of the backup does not matter; those of which it would decide are backed up in fractions.
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
from rollwise.solver.checker.transitions import told
from rollwise.solver.model.game import TurnGame
from rollwise.solver.turn.graph import TurnGraph

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
BLOCK = 1 << 14
LARGEST_PART = 1_000_000  # no win is shared in finer parts
TO_FRACTIONS = np.vectorize(Fraction, otypes=[object])


@dataclass(frozen=True)
class KeptOdds:
    """What is kept of every board: ``values``, a row a board: shares from the mover to the left, then (where wins can
    be shared) the chance of a shared one, last the expected number of turns.

    ``boards``: their indices, each once. ``chance_error`` and ``turn_error``, times a row's number of turns, are how
    far off it may be.
    """

    values: Floats
    boards: NDArray[np.integer[Any]]
    chance_error: float
    turn_error: float


def rows_hold(
    rows: KeptOdds, game: TurnGame, graph: TurnGraph, seats: int, report: Callable[[float], None]
) -> str | None:
    """What is wrong with these rows, in words; None where all hold."""
    throws = [throws_from(graph, int(root)) for root in graph.roots]
    space = game.boards()
    numbers = (rows.chance_error, rows.turn_error)
    if not all(isinstance(number, float) and 0 <= number < 0.5 for number in numbers):
        return f"the stored errors {numbers} are no small numbers"
    if not (rows.boards.ndim == 1 and len(rows.values) == len(rows.boards) and within(rows.boards, space.size)):
        return f"the rows are not those of boards from 0 to {space.size - 1}"
    where = np.full(space.size, -1, dtype=np.int32)
    where[rows.boards] = np.arange(len(rows.boards))
    if np.count_nonzero(where >= 0) != len(rows.boards):
        return "a board has two rows"
    for first in range(0, len(rows.boards), BLOCK):
        block = rows.boards[first : first + BLOCK].astype(np.int64)
        roots = np.broadcast_to(game.root(space.columns(block)), len(block))
        for root in np.unique(roots):
            inside = np.flatnonzero(roots == root)
            backup = _Backup(rows, where, game, graph, throws[int(root)], seats)
            right = backup.holds(block[inside], rows.values[first + inside])
            if not right.all():
                board = space.board(int(block[inside][np.argmin(right)]))
                return f"the odds of {board} are not those of what follows"
        report((first + len(block)) / len(rows.boards))
    return None


def throws_from(graph: TurnGraph, root: int) -> tuple[dict[int, int], int]:
    """In how many ways, of how many, a turn without choices comes to each result."""
    reached = {root: Fraction(1)}
    for node in range(root, graph.n_leaves - 1, -1):
        chance = reached.pop(node, None)
        if chance is None:
            continue
        children = list(graph.children(node))
        total = sum(weight for _, weight in children)
        for child, weight in children:
            reached[child] = reached.get(child, Fraction(0)) + chance * Fraction(weight, total)
    whole = lcm(*(chance.denominator for chance in reached.values()))
    ways: dict[int, int] = {}
    for leaf, chance in reached.items():
        result = graph.leaves[leaf].result
        ways[result] = ways.get(result, 0) + int(chance * whole)
    return ways, whole


def within(boards: NDArray[np.integer[Any]], size: int) -> bool:
    """Are these indices of boards?"""
    return len(boards) > 0 and bool(boards.min() >= 0) and bool(boards.max() < size)


@dataclass(frozen=True)
class _Backup:
    """One backup of boards of one root: ``throws`` as ``throws_from`` has them, ``where`` the row of each board."""

    rows: KeptOdds
    where: NDArray[np.int32]
    game: TurnGame
    graph: TurnGraph
    throws: tuple[dict[int, int], int]
    seats: int

    def holds(self, boards: Ints, stored: Floats) -> NDArray[np.bool_]:
        """For each board: do its stored chances and turns change by no more than the stored errors?

        Nothing in a row is below 0, so a backup of n results rounds each number by less than n + 4 units of itself: a
        share, its product, n - 1 sums, the division, the turn that is added; past 2^53 the weight and their sum too.
        """
        ways, whole = self.throws
        units = (len(ways) + (4 if whole < 1 << 53 else 6)) * UNIT
        error = np.full(stored.shape[1], self.rows.chance_error)
        error[-1] = self.rows.turn_error
        with np.errstate(invalid="ignore"):  # a stored nan, or a row that is not there, is found by the comparison
            after = self.after(boards)
            change, rounding = np.abs(after - stored), units * after
            right: NDArray[np.bool_] = (change <= error + rounding).all(axis=1) & (stored >= 0).all(axis=1)
            right &= ~((stored == 0) & (after > 0)).any(axis=1)  # what is 0 is so exactly
            close = np.flatnonzero(right & ~(change + rounding <= error).all(axis=1))
        if len(close) and right.all():
            exactly = np.abs(self.after(boards[close], exactly=True) - TO_FRACTIONS(stored[close]))
            right[close] = (exactly <= TO_FRACTIONS(error)).all(axis=1)
        return right

    def after(self, boards: Ints, *, exactly: bool = False) -> Any:
        """The rows of these boards from the rows of what follows; nan where one is not kept.

        ``exactly``: in fractions, for boards of which no row is missing.
        """
        space = self.game.boards()
        lanes, around = np.arange(len(boards)), np.broadcast_to(self.game.standing(space.columns(boards)), len(boards))
        seats, (ways, whole) = self.seats, self.throws
        found = np.zeros((len(boards), self.rows.values.shape[1]), dtype=object if exactly else np.float64)
        for result, weight in ways.items():
            said = told(self.game, boards, self.graph.results[result], seats)
            place = np.where(said.following >= 0, self.where[said.following], -1)
            here = said.over | (place >= 0)
            row, shares = self.rows.values[place], said.shares
            if exactly:
                row = TO_FRACTIONS(row)
                shares = np.vectorize(lambda share: Fraction(share).limit_denominator(LARGEST_PART), [object])(shares)
            turned = np.zeros_like(row)
            turned[:, seats:] = row[:, seats:]
            for seat in range(seats):
                there = np.where(seat < around, row[lanes, (seat - said.passes) % around], 0)
                turned[:, seat] = np.where(said.over, shares[seat], there)
            turned[said.over, seats:] = 0
            if turned.shape[1] > seats + 1:
                turned[said.over, seats] = np.count_nonzero(said.shares[:, said.over], axis=0) > 1
            if not exactly:
                turned[~here] = np.nan  # an illegal result leads nowhere either
            found += weight * turned
        found = found / whole
        found[:, -1] += 1
        return found
