"""Board spaces: a product of named parts, each a range of numbers or a set of lists, and their ranks.

Boards are numbered from 0. A part turns its own numbers (its *ranks*) into a field and back: for one number a board the
field is an integer array of shape (n,), for a list of numbers (one a seat) an array of shape (length, n).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from math import comb
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Ints: TypeAlias = NDArray[np.int64]
Column: TypeAlias = Any  # an integer array, one entry a board (or a list of such, one a seat), or one value for all


class Columns:
    """Boards as columns: ``board.mine`` is the integer array of that field, one entry a board along its last axis."""

    def __init__(self, columns: Mapping[str, Ints]) -> None:
        self._columns = dict(columns)
        self._derived: dict[str, Any] = {}

    def __getattr__(self, name: str) -> Ints:
        try:
            return self._columns[name]
        except KeyError:
            raise AttributeError(f"boards have no field '{name}', only {', '.join(self._columns)}") from None

    def __len__(self) -> int:
        return int(next(iter(self._columns.values())).shape[-1])

    def as_dict(self) -> dict[str, Ints]:
        """The columns by name."""
        return self._columns

    def but(self, **changed: Column) -> Mapping[str, Column]:
        """These boards with some fields changed.

        A game that writes its next boards so may be called on all combinations of the fields that a result reads, even
        on impossible ones (``solver.turn.look_ups``): it must not fail on them.
        """
        return {**self.as_dict(), **changed}

    def derive(self, name: str, read: Callable[[Columns], Any]) -> Any:
        """A column computed once from the others; see ``derived``."""
        if name not in self._derived:
            self._derived[name] = read(self)
        return self._derived[name]


def derived(read: Callable[[Any, Columns], Any]) -> Callable[[Any, Columns], Any]:
    """Mark a method of a game that computes one number from many fields of a board, such as how many boxes are filled.

    On boards that all have the same number, ``transition`` can then read it without reading the fields.
    """

    @wraps(read)
    def column(game: Any, board: Columns) -> Any:
        return board.derive(read.__name__, lambda columns: read(game, columns))

    return column


class Part:
    """One field of a board space: ``size`` different values, numbered from 0."""

    size: int

    @property
    def bounds(self) -> list[tuple[int, int]]:
        """The least and the largest number of each row of the field; empty where they are unknown."""
        return []

    def column(self, ranks: Ints) -> Ints:
        """The values of these ranks."""
        raise NotImplementedError

    def rank(self, column: Column, count: int) -> Ints:
        """The ranks of these values, int64, shape (count,); -1 for a value that the part does not have."""
        return np.broadcast_to(self.place(column), count)

    def place(self, column: Column) -> Any:
        """The ranks as they come: one number where all values are equal, recorded where the values are."""
        raise NotImplementedError


def _whole(column: Column) -> Any:
    """Whole numbers; a recorded column (``solver.turn.tracing``) stays one, so that ranks are recorded as well."""
    return column.astype(np.int64, copy=False) if hasattr(column, "astype") else np.asarray(column, dtype=np.int64)


def entries(table: Any, index: Column) -> Any:
    """``table[index]``, of a table that is the same for all boards; NumPy's own indexing cannot be recorded."""
    return index.entries(table) if hasattr(index, "entries") else table[index]


def _outside(place: Any, size: int) -> Any:
    """True where a place is not one of 0..size - 1."""
    if isinstance(place, np.ndarray):
        return place.view(np.uint64) >= size  # negative numbers are very large ones here
    return (place < 0) | (place >= size)


def _but(outside: Any, place: Any, size: int) -> Any:
    """The place, clipped to 0..size - 1, or -1 where it is outside."""
    if not isinstance(place, np.ndarray):
        return np.where(outside, -1, np.clip(place, 0, size - 1))
    return np.where(outside, -1, place) if outside.any() else place


class Span(Part):
    """Whole numbers of a range."""

    def __init__(self, numbers: range) -> None:
        if numbers.step != 1 or len(numbers) == 0:
            raise ValueError("a board field needs a non-empty range of step 1")
        self.numbers = numbers
        self.size = len(numbers)

    @property
    def bounds(self) -> list[tuple[int, int]]:
        """Those of the range."""
        return [(self.numbers[0], self.numbers[-1])]

    def column(self, ranks: Ints) -> Ints:
        """The numbers."""
        return ranks + self.numbers.start if self.numbers.start else ranks

    def place(self, column: Column) -> Any:
        """Distance of each number from the start of the range."""
        place = _whole(column) if self.numbers.start == 0 else _whole(column) - self.numbers.start
        return _but(_outside(place, self.size), place, self.size)


class Split(Part):
    """Lists of ``length`` whole numbers, each at least its ``low``, that add up to ``total`` (or to at most that).

    They are ranked by the first number, then the second, and so on.

    >>> chips = Split(3, 4)
    >>> chips.size, chips.column(np.array([0, 1, 14])).T.tolist()
    (15, [[0, 0, 4], [0, 1, 3], [4, 0, 0]])
    >>> chips.rank([0, 1, 3], 1).tolist(), chips.rank([0, 1, 2], 1).tolist()
    ([1], [-1])
    """

    def __init__(self, length: int, total: int, *, low: int | Sequence[int] = 0, at_most: bool = False) -> None:
        self.length = length
        self.low = np.full(length, low) if isinstance(low, int) else np.array(low)
        self.at_most = at_most
        self.room = total - int(self.low.sum())  # the amount to split
        if self.room < 0 or len(self.low) != length:
            raise ValueError(f"{total} cannot be split into {length} parts of at least {self.low.tolist()}")
        parts = length + at_most
        # ways[i][s]: lists of the numbers after the i-th, when they and it share s between them, for all i-th numbers
        self.ways = [np.array([comb(s + parts - 1 - i, s) for s in range(self.room + 1)]) for i in range(parts - 1)]
        self.size = int(self.ways[0][-1]) if self.ways else 1

    @property
    def bounds(self) -> list[tuple[int, int]]:
        """All of the amount may be in one place."""
        return [(low, low + self.room) for low in self.low.tolist()]

    def column(self, ranks: Ints) -> Ints:
        """The lists, shape (length, n)."""
        lists = np.empty((self.length, len(ranks)), dtype=np.int64)
        remaining, rank = np.full(len(ranks), self.room), np.array(ranks)
        for i, ways in enumerate(self.ways):
            after = np.searchsorted(ways, ways[remaining] - rank)
            rank -= ways[remaining] - ways[after]
            lists[i] = remaining - after + self.low[i]
            remaining = after
        if not self.at_most:
            lists[-1] = remaining + self.low[-1]
        return lists

    def place(self, column: Column) -> Any:
        """The rank of lists, given as rows: one array or number for each place of the list."""
        remaining: Any = self.room
        rank: Any = 0
        outside: Any = False
        for i in range(self.length):
            above = _whole(column[i]) - self.low[i]
            after = remaining - above
            outside = outside | (above < 0) | (after < 0)
            clipped = np.clip(after, 0, self.room)
            if i < len(self.ways):
                rank = rank + entries(self.ways[i], remaining) - entries(self.ways[i], clipped)
            remaining = clipped
        if not self.at_most:
            outside = outside | (remaining != 0)
        return _but(outside, rank, self.size)


class Standing(Part):
    """Lists of up to ``length`` numbers of a range, for those still in a game; places after them hold ``numbers.stop``.

    At least ``fewest`` are in. Lists of fewer come first.

    >>> failures = Standing(3, range(7))
    >>> failures.size, failures.column(np.array([0, 48, 49])).T.tolist()
    (392, [[0, 0, 7], [6, 6, 7], [0, 0, 0]])
    """

    def __init__(self, length: int, numbers: range, fewest: int = 2) -> None:
        self.length = length
        self.numbers = numbers
        self.fewest = fewest
        self.offsets = np.cumsum([0] + [len(numbers) ** n for n in range(fewest, length + 1)])
        self.size = int(self.offsets[-1])

    @property
    def bounds(self) -> list[tuple[int, int]]:
        """Those of the range, and ``numbers.stop`` of empty places."""
        return [(self.numbers.start, self.numbers.stop)] * self.length

    def column(self, ranks: Ints) -> Ints:
        """The lists, shape (length, n)."""
        group = np.searchsorted(self.offsets, ranks, side="right") - 1
        standing = group + self.fewest
        rank = ranks - self.offsets[group]
        base = len(self.numbers)
        lists = np.empty((self.length, len(ranks)), dtype=np.int64)
        for i in reversed(range(self.length)):
            stands = i < standing
            above = rank // base
            lists[i] = np.where(stands, rank - above * base + self.numbers.start, self.numbers.stop)
            rank = np.where(stands, above, rank)
        return lists

    def place(self, column: Column) -> Any:
        """The ranks of lists, given as rows."""
        rank: Any = 0
        standing: Any = 0
        outside: Any = False
        for i in range(self.length):
            row = _whole(column[i])
            stands = row != self.numbers.stop
            outside = outside | stands & ((standing < i) | (row < self.numbers.start) | (row > self.numbers.stop))
            rank = np.where(stands, rank * len(self.numbers) + row - self.numbers.start, rank)
            standing = standing + stands * 1
        outside = outside | (standing < self.fewest)
        rank = rank + entries(self.offsets, np.clip(standing - self.fewest, 0, len(self.offsets) - 2))
        return _but(outside, rank, self.size)


class Nested(Part):
    """Lists whose first numbers run through ``outer`` ranges and whose later ones have ranges that depend on those.

    ``inner(outer)`` gets the columns of the first numbers, shape (n_outer, n), and returns (low, count) for each of the
    later numbers, as columns.

    >>> pairs = Nested([range(3)], lambda outer: [(outer[0] + 1, 3 - outer[0])])
    >>> pairs.size, pairs.column(np.arange(6)).T.tolist()
    (6, [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]])
    """

    def __init__(self, outer: Sequence[range], inner: Callable[[Ints], Sequence[tuple[Column, Column]]]) -> None:
        self.outer = [Span(numbers) for numbers in outer]
        combinations = int(np.prod([span.size for span in self.outer]))
        self.outer_of = self._outer(np.arange(combinations))
        ranges = inner(self.outer_of)
        self.low = [np.broadcast_to(np.asarray(low, dtype=np.int64), combinations) for low, _ in ranges]
        self.count = [np.maximum(np.broadcast_to(np.asarray(n, dtype=np.int64), combinations), 0) for _, n in ranges]
        self.offsets = np.concatenate([[0], np.cumsum(np.prod(self.count, axis=0))])
        self.size = int(self.offsets[-1])

    @property
    def bounds(self) -> list[tuple[int, int]]:
        """The ranges, and the least and the largest of the later numbers."""
        is_group = np.prod(self.count, axis=0) > 0
        inner = [(low[is_group], count[is_group]) for low, count in zip(self.low, self.count, strict=True)]
        return [
            *[(span.numbers[0], span.numbers[-1]) for span in self.outer],
            *[(int(low.min()), int((low + count).max()) - 1) for low, count in inner],
        ]

    def _outer(self, ranks: Ints) -> Ints:
        rows = []
        for span in reversed(self.outer):
            rows.append(span.column(ranks % span.size))
            ranks = ranks // span.size
        return np.array(rows[::-1])

    def column(self, ranks: Ints) -> Ints:
        """The lists, shape (n_outer + n_inner, n)."""
        group = np.searchsorted(self.offsets, ranks, side="right") - 1
        rank = ranks - self.offsets[group]
        lists = np.empty((len(self.outer) + len(self.low), len(ranks)), dtype=np.int64)
        lists[: len(self.outer)] = self.outer_of.take(group, axis=1)
        for row in reversed(range(1, len(self.low))):
            count = self.count[row][group]
            above = rank // count
            lists[len(self.outer) + row] = rank - above * count + self.low[row][group]
            rank = above
        lists[len(self.outer)] = rank + self.low[0][group]
        return lists

    def place(self, column: Column) -> Any:
        """The ranks of lists, given as rows."""
        group: Any = 0
        outside: Any = False
        n_outer = len(self.outer)
        for span, row in zip(self.outer, column[:n_outer], strict=True):
            place = _whole(row) - span.numbers.start
            is_outside = _outside(place, span.size)
            outside = outside | is_outside
            group = group * span.size + np.clip(place, 0, span.size - 1)
        inside: Any = 0
        for low, count_of, row in zip(self.low, self.count, column[n_outer:], strict=True):
            above, width = _whole(row) - entries(low, group), entries(count_of, group)
            outside = outside | (above < 0) | (above >= width)
            inside = inside * width + above
        return _but(outside, inside + entries(self.offsets, group), self.size)


class Enumerated(Part):
    """Lists of whole numbers, listed one by one in the order in which they are numbered.

    >>> pairs = Enumerated([(0, 0), (2, 0), (2, 1)])
    >>> pairs.column(np.array([2, 1])).T.tolist(), pairs.rank([2, 1], 1).tolist(), pairs.rank([1, 0], 1).tolist()
    ([[2, 1], [2, 0]], [2], [-1])
    """

    def __init__(self, lists: Sequence[Sequence[int]]) -> None:
        self.lists = np.array(lists, dtype=np.int64).T.copy()
        self.size = self.lists.shape[1]
        self.low = self.lists.min(axis=1)
        self.count = self.lists.max(axis=1) - self.low + 1
        self.ranked = np.full(int(self.count.prod()), -1)  # the rank of every list within these limits
        self.ranked[self._key(self.lists)[0]] = np.arange(self.size)

    @property
    def bounds(self) -> list[tuple[int, int]]:
        """The least and the largest of each place."""
        return list(zip(self.low.tolist(), self.lists.max(axis=1).tolist(), strict=True))

    def _key(self, column: Column) -> tuple[Any, Any]:
        key: Any = 0
        outside: Any = False
        for row, low, width in zip(column, self.low.tolist(), self.count.tolist(), strict=True):
            above = _whole(row) - low
            outside = outside | (above < 0) | (above >= width)
            key = key * width + np.clip(above, 0, width - 1)
        return key, outside

    def column(self, ranks: Ints) -> Ints:
        """The lists, shape (length, n)."""
        lists: Ints = self.lists.take(ranks, axis=1)
        return lists

    def place(self, column: Column) -> Any:
        """The ranks of lists, given as rows."""
        key, outside = self._key(column)
        return np.where(outside, -1, entries(self.ranked, key))


class Boards:
    """A board space: the product of named parts, counted with the last field fastest.

    >>> space = Boards(mine=100, theirs=range(0, 250), seat=2)
    >>> space.size, space.index_of(mine=3, theirs=7, seat=1)
    (50000, 1515)
    >>> Boards(chips=Split(2, 5), last=range(1, 7)).board(17)
    {'chips': (2, 3), 'last': 6}
    """

    is_product = True  # False: of the combinations of its parts only some are boards

    def __init__(self, **parts: int | range | Part) -> None:
        self.parts: dict[str, Part] = {
            name: part if isinstance(part, Part) else Span(range(part) if isinstance(part, int) else part)
            for name, part in parts.items()
        }
        self.names = tuple(self.parts)
        self.size = 1
        self._strides: dict[str, int] = {}
        for name in reversed(self.names):
            self._strides[name] = self.size
            self.size *= self.parts[name].size

    def place_of(self, name: str) -> tuple[int, int]:
        """(stride, size): board ``i`` has rank ``i // stride % size`` in the part of this name."""
        return self._strides[name], self.parts[name].size

    @property
    def ranges(self) -> dict[str, range]:
        """The ranges of the fields that are single numbers."""
        return {name: part.numbers for name, part in self.parts.items() if isinstance(part, Span)}

    def ranks(self, indices: Ints) -> dict[str, Ints]:
        """The rank that each of these boards has in each part."""
        rank_of = {}
        remaining = np.asarray(indices)
        for name in reversed(self.names[1:]):
            above = remaining // self.parts[name].size
            rank_of[name] = remaining - above * self.parts[name].size  # NumPy takes far longer for a remainder
            remaining = above
        return {self.names[0]: remaining, **rank_of} if self.names else {}

    def columns(self, indices: Ints) -> Columns:
        """The boards of these indices, as columns."""
        ranks = self.ranks(indices)
        return Columns({name: part.column(ranks[name]) for name, part in self.parts.items()})

    def index(self, columns: Mapping[str, Column], count: int) -> Ints:
        """Indices, int64, shape (count,), of boards given as columns; -1 where a field lies outside its part."""
        total = np.zeros(count, dtype=np.int64)
        outside: Any = None
        for name, part in self.parts.items():
            place = part.rank(columns[name], count)
            total += place * self._strides[name]
            is_outside = place < 0
            if is_outside.any():
                outside = is_outside if outside is None else outside | is_outside
        if outside is not None:
            total[np.broadcast_to(outside, count)] = -1
        return total

    def index_of(self, **board: Any) -> int:
        """The index of one board."""
        return int(self.index(board, 1)[0])

    def board(self, index: int) -> dict[str, Any]:
        """One board by its index, as plain integers (tuples of them for lists) by field name."""
        columns = self.columns(np.array([index])).as_dict()
        return {
            name: int(column[0]) if column.ndim == 1 else tuple(column[:, 0].tolist())
            for name, column in columns.items()
        }
