"""Records of whole-number operations on columns, those of a traced ``transition`` (``solver.turn.tracing``).

Each operation is recorded once (common subexpressions), with interval bounds of its number. A number that does not fit
in 32 bits raises ``CannotTrace``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

INPUT, CONST, ADD, SUB, MUL, DIVIDE, REMAINDER, LESS, AT_MOST, EQUAL, UNEQUAL = range(11)
AND, OR, XOR, SHIFT_LEFT, SHIFT_RIGHT, SMALLER, LARGER, SELECT, GATHER, PLACE = range(11, 21)

MAX_INT31 = (1 << 31) - 1
MAX_TABLE_ENTRIES = 1 << 16  # of a table for a function of one number
MAX_PLACES = 1 << 27
MAX_NODES = 20_000  # operations of one record

Node: TypeAlias = tuple[
    int, ...
]  # operation and its arguments: nodes by number, of CONST, INPUT and GATHER also a number


class CannotTrace(Exception):
    """An operation of ``transition`` on a column that cannot be recorded, named in the text."""

    def __init__(self, operation: str) -> None:
        super().__init__(f"{operation} cannot be traced")


def _divided(lhs: int, rhs: int) -> int:
    return lhs // rhs if rhs else 0


def _remainder(lhs: int, rhs: int) -> int:
    return lhs % rhs if rhs else 0


PLAIN: dict[int, Callable[[int, int], int]] = {
    ADD: lambda lhs, rhs: lhs + rhs,
    SUB: lambda lhs, rhs: lhs - rhs,
    MUL: lambda lhs, rhs: lhs * rhs,
    DIVIDE: _divided,
    REMAINDER: _remainder,
    LESS: lambda lhs, rhs: int(lhs < rhs),
    AT_MOST: lambda lhs, rhs: int(lhs <= rhs),
    EQUAL: lambda lhs, rhs: int(lhs == rhs),
    UNEQUAL: lambda lhs, rhs: int(lhs != rhs),
    AND: lambda lhs, rhs: lhs & rhs,
    OR: lambda lhs, rhs: lhs | rhs,
    XOR: lambda lhs, rhs: lhs ^ rhs,
    SHIFT_LEFT: lambda lhs, rhs: lhs << rhs,
    SHIFT_RIGHT: lambda lhs, rhs: lhs >> rhs,
    SMALLER: min,
    LARGER: max,
}
SWAPPABLE = frozenset((ADD, MUL, EQUAL, UNEQUAL, AND, OR, XOR, SMALLER, LARGER))
COMPARED = frozenset((LESS, AT_MOST, EQUAL, UNEQUAL))


class Record:
    """Operations in topological order; ``bounds``: (least, largest) of each.

    ``tables`` are those of GATHER, int32. ``faults`` are nodes that are 1 on boards where the record does not hold and
    ``transition`` itself must be called.
    """

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.bounds: list[tuple[int, int]] = []
        self.tables: list[NDArray[np.int32]] = []
        self.faults: list[int] = []
        self._number_of: dict[Node, int] = {}
        self._table: dict[bytes, int] = {}

    def node(self, node: Node, low: int, high: int) -> int:
        """The number of a node, a new one if it is not in the record."""
        if node not in self._number_of:
            if low < -MAX_INT31 or high > MAX_INT31:
                raise CannotTrace(f"a number that may be {low if low < -MAX_INT31 else high:,}")
            if len(self.nodes) >= MAX_NODES:
                raise CannotTrace(f"more than {MAX_NODES:,} operations")
            self._number_of[node] = len(self.nodes)
            self.nodes.append(node)
            self.bounds.append((low, high))
        return self._number_of[node]

    def constant(self, number: int) -> int:
        """A number that is the same on every board."""
        return self.node((CONST, int(number)), int(number), int(number))

    def input(self, row: int, low: int, high: int) -> int:
        """An input row of the boards."""
        return self.node((INPUT, row), low, high)

    def value(self, node: int) -> int | None:
        """The number of a node that is the same on every board; None where it differs."""
        low, high = self.bounds[node]
        return low if low == high else None

    def binary(self, op: int, lhs: int, rhs: int) -> int:
        """Left op right."""
        (a, b), (c, d) = self.bounds[lhs], self.bounds[rhs]
        if op in (SHIFT_LEFT, SHIFT_RIGHT) and not (c >= 0 and d <= 31):
            raise CannotTrace(f"a shift by {c:,} to {d:,}")
        low, high = _bounds(op, a, b, c, d)
        if low == high:
            return self.constant(low)
        operand = self._simpler(op, lhs, rhs)
        if operand is not None:
            return operand
        if op in SWAPPABLE and lhs > rhs:
            lhs, rhs = rhs, lhs
        if op in (DIVIDE, REMAINDER) and c == d and b - a < MAX_TABLE_ENTRIES:
            return self.look_up([PLAIN[op](number, c) for number in range(a, b + 1)], lhs, a)
        return self.node((op, lhs, rhs), low, high)

    def _simpler(self, op: int, lhs: int, rhs: int) -> int | None:
        """One of the two operands, where the operation always returns it."""
        (a, b), (c, d) = self.bounds[lhs], self.bounds[rhs]
        if rhs == self._zero(c, d) and op in (ADD, SUB, OR, XOR, SHIFT_LEFT, SHIFT_RIGHT):
            return lhs
        if lhs == self._zero(a, b) and op in (ADD, OR, XOR):
            return rhs
        if op == MUL and (c, d) == (1, 1):
            return lhs
        if op == MUL and (a, b) == (1, 1):
            return rhs
        if op in (AND, OR) and a >= 0 and b <= 1 and c >= 0 and d <= 1:
            same = 1 if op == AND else 0
            if (a, b) == (same, same):
                return rhs
            if (c, d) == (same, same) or lhs == rhs:
                return lhs
        if op in (SMALLER, LARGER):
            if lhs == rhs or (b <= c if op == SMALLER else a >= d):
                return lhs
            if d <= a if op == SMALLER else c >= b:
                return rhs
        if op == UNEQUAL and (c, d) == (0, 0) and a >= 0 and b <= 1:
            return lhs
        return None

    def _zero(self, low: int, high: int) -> int:
        return self.constant(0) if low == high == 0 else -1

    def select(self, where: int, yes: int, no: int) -> int:
        """``yes`` where ``where`` is not 0, elsewhere ``no``."""
        low, high = self.bounds[where]
        if low > 0 or high < 0 or yes == no:
            return yes
        if low == high == 0:
            return no
        if low < 0 or high > 1:
            where = self.binary(UNEQUAL, where, self.constant(0))
        if self.value(yes) == 1 and self.value(no) == 0:
            return where
        (a, b), (c, d) = self.bounds[yes], self.bounds[no]
        return self.node((SELECT, where, yes, no), min(a, c), max(b, d))

    def look_up(self, table: Any, index: int, first: int = 0) -> int:
        """``table[index - first]``; an index outside is a fault."""
        numbers = np.asarray(table)
        if numbers.ndim != 1 or numbers.dtype.kind not in "biu" or not len(numbers):
            raise CannotTrace(f"a table of {numbers.dtype}, {numbers.shape}")
        if max(-int(numbers.min()), int(numbers.max())) > MAX_INT31:
            raise CannotTrace(f"a table of numbers up to {int(numbers.max()):,}")
        place = self.binary(SUB, index, self.constant(first))
        low, high = self.bounds[place]
        if low < 0 or high >= len(numbers):
            is_below = self.binary(LESS, place, self.constant(0))
            self.faults.append(self.binary(OR, is_below, self.binary(LESS, self.constant(len(numbers) - 1), place)))
            place = self.within(place, 0, len(numbers) - 1)
            low, high = self.bounds[place]
        if low == high:
            return self.constant(int(numbers[low]))
        entries = numbers[low : high + 1]
        return self.node((GATHER, place, self.table(numbers)), int(entries.min()), int(entries.max()))

    def place(self, index: int) -> int:
        """The place of a board by its index, -1 where it has none; see ``solver.markov_chains.layout``."""
        return self.node((PLACE, index), -1, MAX_PLACES - 1)

    def table(self, numbers: Any) -> int:
        """The number of a table."""
        entries = np.asarray(numbers).astype(np.int32)
        number = self._table.setdefault(entries.tobytes(), len(self.tables))
        if number == len(self.tables):
            self.tables.append(entries)
        return number

    def within(self, node: int, low: int, high: int) -> int:
        """A node, clipped to a range."""
        return self.binary(LARGER, self.binary(SMALLER, node, self.constant(high)), self.constant(low))


def _bounds(op: int, a: int, b: int, c: int, d: int) -> tuple[int, int]:
    """Interval bounds of left op right, for a <= left <= b and c <= right <= d."""
    if op in COMPARED:
        never, always = {
            LESS: (a >= d, b < c),
            AT_MOST: (a > d, b <= c),
            EQUAL: (b < c or d < a, a == b == c == d),
            UNEQUAL: (a == b == c == d, b < c or d < a),
        }[op]
        return (0, 0) if never else (1, 1) if always else (0, 1)
    if op == ADD:
        return a + c, b + d
    if op == SUB:
        return a - d, b - c
    if op == SMALLER:
        return min(a, c), min(b, d)
    if op == LARGER:
        return max(a, c), max(b, d)
    if op in (AND, OR, XOR):
        if a == b and c == d:
            return PLAIN[op](a, c), PLAIN[op](a, c)
        mask = max(1 << max(-a - 1, b, 0).bit_length(), 1 << max(-c - 1, d, 0).bit_length()) - 1
        if op == AND and (a >= 0 or c >= 0):
            return 0, min(b if a >= 0 else mask, d if c >= 0 else mask)
        return (max(a, c) if op == OR else 0, mask) if a >= 0 and c >= 0 else (-mask - 1, mask)
    if op == REMAINDER:
        if a == b and c == d:
            return _remainder(a, c), _remainder(a, c)
        if c > 0 and a >= 0:
            return 0, min(b, d - 1)
        return min(0, c + 1), max(0, d - 1)
    rights = {c, d, *(number for number in (-1, 1, 0) if op == DIVIDE and c <= number <= d)}
    corners = [PLAIN[op](lhs, rhs) for lhs in (a, b) for rhs in rights]
    return min(corners), max(corners)
