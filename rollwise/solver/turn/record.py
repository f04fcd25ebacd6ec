"""Whole-number operations on columns, written down: what ``transition`` does to boards, see ``solver.turn.tracing``.

Each operation is written once however often it is done, with the least and the largest number that can come of it. What
does not fit in 32 bits raises ``CannotTrace``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

INPUT, CONST, ADD, SUB, MUL, DIVIDE, REMAINDER, LESS, AT_MOST, EQUAL, UNEQUAL = range(11)
AND, OR, XOR, LEFT, RIGHT, SMALLER, LARGER, SELECT, GATHER, PLACE = range(11, 21)

LIMIT = (1 << 31) - 1
MOST_ENTRIES = 1 << 16  # of a table made for a function of one number
MOST_PLACES = 1 << 27
MOST_NODES = 20_000  # operations of one record

Node: TypeAlias = tuple[
    int, ...
]  # operation and its arguments: nodes by number, of CONST, INPUT and GATHER also a number


class CannotTrace(Exception):
    """What ``transition`` does with a column cannot be recorded; the text says what."""

    def __init__(self, what: str) -> None:
        super().__init__(f"{what} cannot be traced")


def _divided(left: int, right: int) -> int:
    return left // right if right else 0


def _remainder(left: int, right: int) -> int:
    return left % right if right else 0


PLAIN: dict[int, Callable[[int, int], int]] = {
    ADD: lambda left, right: left + right,
    SUB: lambda left, right: left - right,
    MUL: lambda left, right: left * right,
    DIVIDE: _divided,
    REMAINDER: _remainder,
    LESS: lambda left, right: int(left < right),
    AT_MOST: lambda left, right: int(left <= right),
    EQUAL: lambda left, right: int(left == right),
    UNEQUAL: lambda left, right: int(left != right),
    AND: lambda left, right: left & right,
    OR: lambda left, right: left | right,
    XOR: lambda left, right: left ^ right,
    LEFT: lambda left, right: left << right,
    RIGHT: lambda left, right: left >> right,
    SMALLER: min,
    LARGER: max,
}
SWAPPABLE = frozenset((ADD, MUL, EQUAL, UNEQUAL, AND, OR, XOR, SMALLER, LARGER))
COMPARED = frozenset((LESS, AT_MOST, EQUAL, UNEQUAL))


class Record:
    """Operations in an order in which each comes after those it reads; ``bounds``: (least, largest) of each.

    ``tables`` are what GATHER reads, int32. ``faults`` are nodes that are 1 on boards where the record does not hold
    and ``transition`` itself has to be asked.
    """

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.bounds: list[tuple[int, int]] = []
        self.tables: list[NDArray[np.int32]] = []
        self.faults: list[int] = []
        self._known: dict[Node, int] = {}
        self._table: dict[bytes, int] = {}

    def node(self, node: Node, low: int, high: int) -> int:
        """The number of a node, a new one if it is not there."""
        if node not in self._known:
            if low < -LIMIT or high > LIMIT:
                raise CannotTrace(f"a number that may be {low if low < -LIMIT else high:,}")
            if len(self.nodes) >= MOST_NODES:
                raise CannotTrace(f"more than {MOST_NODES:,} operations")
            self._known[node] = len(self.nodes)
            self.nodes.append(node)
            self.bounds.append((low, high))
        return self._known[node]

    def constant(self, number: int) -> int:
        """A number that is the same on every board."""
        return self.node((CONST, int(number)), int(number), int(number))

    def input(self, row: int, low: int, high: int) -> int:
        """A row of the boards that are settled."""
        return self.node((INPUT, row), low, high)

    def value(self, node: int) -> int | None:
        """The number that a node is on every board; None where it differs."""
        low, high = self.bounds[node]
        return low if low == high else None

    def binary(self, op: int, left: int, right: int) -> int:
        """Left op right."""
        (a, b), (c, d) = self.bounds[left], self.bounds[right]
        if op in (LEFT, RIGHT) and not (c >= 0 and d <= 31):
            raise CannotTrace(f"a shift by {c:,} to {d:,}")
        low, high = _bounds(op, a, b, c, d)
        if low == high:
            return self.constant(low)
        kept = self._simpler(op, left, right)
        if kept is not None:
            return kept
        if op in SWAPPABLE and left > right:
            left, right = right, left
        if op in (DIVIDE, REMAINDER) and c == d and b - a < MOST_ENTRIES:
            return self.look_up([PLAIN[op](number, c) for number in range(a, b + 1)], left, a)
        return self.node((op, left, right), low, high)

    def _simpler(self, op: int, left: int, right: int) -> int | None:
        """One of the two, where that is what comes of it."""
        (a, b), (c, d) = self.bounds[left], self.bounds[right]
        if right == self._zero(c, d) and op in (ADD, SUB, OR, XOR, LEFT, RIGHT):
            return left
        if left == self._zero(a, b) and op in (ADD, OR, XOR):
            return right
        if op == MUL and (c, d) == (1, 1):
            return left
        if op == MUL and (a, b) == (1, 1):
            return right
        if op in (AND, OR) and a >= 0 and b <= 1 and c >= 0 and d <= 1:
            same = 1 if op == AND else 0
            if (a, b) == (same, same):
                return right
            if (c, d) == (same, same) or left == right:
                return left
        if op in (SMALLER, LARGER):
            if left == right or (b <= c if op == SMALLER else a >= d):
                return left
            if d <= a if op == SMALLER else c >= b:
                return right
        if op == UNEQUAL and (c, d) == (0, 0) and a >= 0 and b <= 1:
            return left
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
        """``table[index - first]``; where that is outside, the record does not hold."""
        numbers = np.asarray(table)
        if numbers.ndim != 1 or numbers.dtype.kind not in "biu" or not len(numbers):
            raise CannotTrace(f"a table of {numbers.dtype}, {numbers.shape}")
        if max(-int(numbers.min()), int(numbers.max())) > LIMIT:
            raise CannotTrace(f"a table of numbers up to {int(numbers.max()):,}")
        place = self.binary(SUB, index, self.constant(first))
        low, high = self.bounds[place]
        if low < 0 or high >= len(numbers):
            wrong = self.binary(LESS, place, self.constant(0))
            self.faults.append(self.binary(OR, wrong, self.binary(LESS, self.constant(len(numbers) - 1), place)))
            place = self.within(place, 0, len(numbers) - 1)
            low, high = self.bounds[place]
        if low == high:
            return self.constant(int(numbers[low]))
        some = numbers[low : high + 1]
        return self.node((GATHER, place, self.table(numbers)), int(some.min()), int(some.max()))

    def place(self, index: int) -> int:
        """The place of a board by its index, -1 where it has none; see ``solver.markov_chains.layout``."""
        return self.node((PLACE, index), -1, MOST_PLACES - 1)

    def table(self, numbers: Any) -> int:
        """The number of a table."""
        kept = np.asarray(numbers).astype(np.int32)
        number = self._table.setdefault(kept.tobytes(), len(self.tables))
        if number == len(self.tables):
            self.tables.append(kept)
        return number

    def within(self, node: int, low: int, high: int) -> int:
        """A node, moved into a range."""
        return self.binary(LARGER, self.binary(SMALLER, node, self.constant(high)), self.constant(low))

    def any_of(self, nodes: Iterable[int]) -> int:
        """1 where one of these is."""
        found = self.constant(0)
        for node in nodes:
            found = self.binary(OR, found, node)
        return found


def _bounds(op: int, a: int, b: int, c: int, d: int) -> tuple[int, int]:
    """The least and the largest number that left op right can be, for a <= left <= b and c <= right <= d."""
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
        most = max(1 << max(-a - 1, b, 0).bit_length(), 1 << max(-c - 1, d, 0).bit_length()) - 1
        if op == AND and (a >= 0 or c >= 0):
            return 0, min(b if a >= 0 else most, d if c >= 0 else most)
        return (max(a, c) if op == OR else 0, most) if a >= 0 and c >= 0 else (-most - 1, most)
    if op == REMAINDER:
        if a == b and c == d:
            return _remainder(a, c), _remainder(a, c)
        if c > 0 and a >= 0:
            return 0, min(b, d - 1)
        return min(0, c + 1), max(0, d - 1)
    rights = {c, d, *(number for number in (-1, 1, 0) if op == DIVIDE and c <= number <= d)}
    corners = [PLAIN[op](left, right) for left in (a, b) for right in rights]
    return min(corners), max(corners)
