"""Tracing of ``transition``: columns that record operations instead of computing them.

A game's ``transition`` is called once a result with ``Traced`` columns. The outcome is a *record* of whole-number
operations, each once however often the game repeats it, with interval bounds of its number. ``solver.turn.tape`` runs
records over boards. An operation outside a record's language (a column in an ``if``, counting the boards, numbers past
31 bits) raises ``CannotTrace``; nothing is guessed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.model.spaces import Boards, Columns, Span
from rollwise.solver.turn.record import (
    ADD,
    AND,
    AT_MOST,
    COMPARED,
    DIVIDE,
    EQUAL,
    LARGER,
    LESS,
    MAX_INT31,
    MAX_TABLE_ENTRIES,
    MUL,
    OR,
    REMAINDER,
    SHIFT_LEFT,
    SHIFT_RIGHT,
    SMALLER,
    SUB,
    UNEQUAL,
    XOR,
    CannotTrace,
    Record,
)

Ints: TypeAlias = NDArray[np.int64]


class Recording(Record):
    """A record under construction by traced columns."""

    def column(self, value: Any) -> Any:
        """A number, an array that is the same for all boards, rows or a column, as a column of this record."""
        if isinstance(value, Traced):
            return value
        if isinstance(value, list | tuple) and any(isinstance(row, Traced) for row in value):
            return stacked(self, value)
        numbers = np.asarray(value)
        if numbers.dtype.kind not in "biu":
            raise CannotTrace(f"a column of {numbers.dtype}")
        if numbers.ndim:
            if numbers.shape[-1] != 1:
                raise CannotTrace(f"an array of shape {numbers.shape} beside columns")
            numbers = numbers[..., 0]
        ids = np.array([self.constant(number) for number in numbers.ravel().tolist()], dtype=np.int64)
        return Traced(self, ids.reshape(numbers.shape), numbers.dtype.kind == "b")

    def each(self, work: Callable[..., int], *values: Any, is_bool: bool = False) -> Any:
        """Apply a function of nodes to every row."""
        rows = np.broadcast_arrays(*(self.column(value).ids for value in values))
        ids = np.array([work(*map(int, nodes)) for nodes in zip(*map(np.ravel, rows), strict=True)], dtype=np.int64)
        return Traced(self, ids.reshape(rows[0].shape), is_bool)

    def apply(self, op: int, lhs: Any, rhs: Any) -> Any:
        """Left op right as NumPy has it, row by row: of two bools + is or, * is and."""
        one, other = self.column(lhs), self.column(rhs)
        bools = one.is_bool and other.is_bool
        if bools and op == SUB:
            raise CannotTrace("a bool less a bool")
        if bools and op in (ADD, MUL):
            op = OR if op == ADD else AND
        is_bool = op in COMPARED or (bools and op in (AND, OR, XOR, SMALLER, LARGER))
        return self.each(lambda a, b: self.binary(op, a, b), one, other, is_bool=is_bool)


def stacked(record: Recording, rows: Iterable[Any]) -> Any:
    """Rows stacked, including those that are one number for all boards."""
    each = [record.column(row) for row in rows]
    ids = np.stack(np.broadcast_arrays(*(row.ids for row in each)))
    return Traced(record, ids, all(row.is_bool for row in each))


class Traced:
    """A traced column, or rows of them.

    ``ids``: the nodes, of the shape of an array without its last axis, that of the boards; a part of it is a view, as
    of an array. ``is_bool``: of bool in NumPy.
    """

    __array_priority__ = 1000
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, record: Recording, ids: Ints, is_bool: bool = False) -> None:
        self.record = record
        self.ids = np.asarray(ids)
        self.is_bool = is_bool

    # --- untraceable -----------------------------------------------------------------------------------------------

    def __bool__(self) -> bool:
        raise CannotTrace("a column in an if")

    def __int__(self) -> int:
        raise CannotTrace("a column as one number")

    __index__ = __int__

    def __float__(self) -> float:
        raise CannotTrace("a column as one number")

    def __array__(self, *how: Any, **more: Any) -> Any:
        raise CannotTrace("a column as an array")

    def __len__(self) -> int:
        if not self.ids.ndim:
            raise CannotTrace("how many boards there are")
        return len(self.ids)

    @property
    def shape(self) -> tuple[int, ...]:
        """Raises CannotTrace: the number of boards is unknown."""
        raise CannotTrace("how many boards there are")

    @property
    def ndim(self) -> int:
        """Axes, that of the boards included."""
        return self.ids.ndim + 1

    def __iter__(self) -> Any:
        return iter([self[row] for row in range(len(self))])

    # --- rows ------------------------------------------------------------------------------------------------------

    def _where(self, key: Any) -> Any:
        """An index of rows that keeps the axis of the boards."""
        parts = list(key) if isinstance(key, tuple) else [key]
        if any(isinstance(part, Traced) for part in parts):
            raise CannotTrace("a column as a key")
        if parts and parts[0] is Ellipsis and len(parts) > 1:
            raise CannotTrace("a key of boards")
        n_axes = sum(part is not None and part is not Ellipsis for part in parts)
        if n_axes > self.ids.ndim:
            if parts[-1] != slice(None):
                raise CannotTrace("a key of boards")
            parts.pop()
        return (*[part for part in parts if part is not Ellipsis], Ellipsis)

    def __getitem__(self, key: Any) -> Traced:
        return Traced(self.record, self.ids[self._where(key)], self.is_bool)

    def __setitem__(self, key: Any, value: Any) -> None:
        self._write(self._where(key), value)

    def _write(self, where: Any, value: Any) -> None:
        new = self.record.column(value)
        if self.is_bool and not new.is_bool:
            new = new.astype(bool)
        if not self.ids.flags.writeable:
            raise CannotTrace("writing on a board")
        self.ids[where] = new.ids

    def copy(self) -> Traced:
        """Rows of its own."""
        return Traced(self.record, self.ids.copy(), self.is_bool)

    def astype(self, kind: Any, **how: Any) -> Any:
        """As whole numbers or bools."""
        if np.dtype(kind).kind not in "biu":
            raise CannotTrace(f"a column as {np.dtype(kind)}")
        if np.dtype(kind).kind == "b" and not self.is_bool:
            return self.record.apply(UNEQUAL, self, 0)
        return Traced(self.record, self.ids.copy(), np.dtype(kind).kind == "b")

    def entries(self, table: Any) -> Any:
        """Numbers of a table that is the same for all boards."""
        numbers = np.asarray(table)
        column = self.record.each(lambda node: self.record.look_up(numbers, node), self)
        return Traced(self.record, column.ids, numbers.dtype.kind == "b")

    # --- NumPy -----------------------------------------------------------------------------------------------------

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **how: Any) -> Any:
        if method == "reduce" and ufunc in REDUCED:
            return reduced(self.record, REDUCED[ufunc], inputs[0], how.get("axis", 0), how.get("keepdims", False))
        if method != "__call__" or how or ufunc not in UFUNCS:
            raise CannotTrace(f"np.{ufunc.__name__}{'' if method == '__call__' else '.' + method}")
        return UFUNCS[ufunc](self.record, *inputs)

    def __array_function__(self, function: Any, types: Any, inputs: Any, how: Any) -> Any:
        if function not in FUNCTIONS:
            raise CannotTrace(f"np.{function.__name__}")
        try:
            return FUNCTIONS[function](self.record, *inputs, **how)
        except TypeError as error:
            raise CannotTrace(f"np.{function.__name__} so ({error})") from error

    def sum(self, axis: Any = None) -> Any:
        """Over rows."""
        return reduced(self.record, ADD, self, axis)

    def max(self, axis: Any = None) -> Any:
        """Over rows."""
        return reduced(self.record, LARGER, self, axis)

    def min(self, axis: Any = None) -> Any:
        """Over rows."""
        return reduced(self.record, SMALLER, self, axis)

    def any(self, axis: Any = None) -> Any:
        """Over rows."""
        return reduced(self.record, OR, self.astype(bool), axis)

    def all(self, axis: Any = None) -> Any:
        """Over rows."""
        return reduced(self.record, AND, self.astype(bool), axis)

    def argmax(self, axis: Any = None) -> Any:
        """Over rows."""
        return _argmax(self.record, self, axis)


def _operator(ufunc: Any, mirrored: bool) -> Callable[[Traced, Any], Any]:
    def operate(self: Traced, other: Any) -> Any:
        return UFUNCS[ufunc](self.record, *((other, self) if mirrored else (self, other)))

    return operate


def _in_place(ufunc: Any) -> Callable[[Traced, Any], Any]:
    def operate(self: Traced, other: Any) -> Traced:
        new: Traced = UFUNCS[ufunc](self.record, self, other)
        if self.is_bool and not new.is_bool:
            raise CannotTrace("a whole number written on bools")
        self._write(Ellipsis, new)
        return self

    return operate


def _binary(op: int, swapped: bool = False) -> Callable[..., Any]:
    return lambda record, lhs, rhs: record.apply(op, rhs, lhs) if swapped else record.apply(op, lhs, rhs)


def _logical(op: int) -> Callable[..., Any]:
    return lambda record, lhs, rhs: record.apply(op, record.column(lhs).astype(bool), record.column(rhs).astype(bool))


def _inverted(record: Recording, column: Any) -> Any:
    one = record.column(column)
    return record.apply(XOR, one, one.is_bool or -1)


def _count_bits(record: Recording, column: Any) -> Any:
    def look_up_bits(node: int) -> int:
        low, high = record.bounds[node]
        if high - low >= MAX_TABLE_ENTRIES:
            raise CannotTrace(f"the bits of numbers from {low:,} to {high:,}")
        return record.look_up([abs(number).bit_count() for number in range(low, high + 1)], node, low)

    return record.each(look_up_bits, column)


def _absolute(record: Recording, column: Any) -> Any:
    return record.apply(LARGER, column, record.apply(SUB, 0, column))


UFUNCS: dict[Any, Callable[..., Any]] = {
    np.add: _binary(ADD),
    np.subtract: _binary(SUB),
    np.multiply: _binary(MUL),
    np.floor_divide: _binary(DIVIDE),
    np.remainder: _binary(REMAINDER),
    np.less: _binary(LESS),
    np.less_equal: _binary(AT_MOST),
    np.greater: _binary(LESS, swapped=True),
    np.greater_equal: _binary(AT_MOST, swapped=True),
    np.equal: _binary(EQUAL),
    np.not_equal: _binary(UNEQUAL),
    np.bitwise_and: _binary(AND),
    np.bitwise_or: _binary(OR),
    np.bitwise_xor: _binary(XOR),
    np.left_shift: _binary(SHIFT_LEFT),
    np.right_shift: _binary(SHIFT_RIGHT),
    np.minimum: _binary(SMALLER),
    np.maximum: _binary(LARGER),
    np.logical_and: _logical(AND),
    np.logical_or: _logical(OR),
    np.invert: _inverted,
    np.logical_not: lambda record, column: _inverted(record, record.column(column).astype(bool)),
    np.negative: lambda record, column: record.apply(SUB, 0, column),
    np.absolute: _absolute,
    np.bitwise_count: _count_bits,
}
REDUCED = {np.add: ADD, np.maximum: LARGER, np.minimum: SMALLER, np.logical_or: OR, np.logical_and: AND}
_WORDS = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "floordiv": np.floor_divide,
    "mod": np.remainder,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "lshift": np.left_shift,
    "rshift": np.right_shift,
}
for _word, _ufunc in _WORDS.items():
    setattr(Traced, f"__{_word}__", _operator(_ufunc, mirrored=False))
    setattr(Traced, f"__r{_word}__", _operator(_ufunc, mirrored=True))
    setattr(Traced, f"__i{_word}__", _in_place(_ufunc))
for _word, _compare in (
    ("lt", np.less),
    ("le", np.less_equal),
    ("gt", np.greater),
    ("ge", np.greater_equal),
    ("eq", np.equal),
    ("ne", np.not_equal),
):
    setattr(Traced, f"__{_word}__", _operator(_compare, mirrored=False))
for _word, _one in (("invert", np.invert), ("neg", np.negative), ("abs", np.absolute)):
    setattr(Traced, f"__{_word}__", lambda self, ufunc=_one: UFUNCS[ufunc](self.record, self))


def _axis(column: Traced, axis: Any) -> int:
    """An axis of rows, counted from the first."""
    if not isinstance(axis, int):
        raise CannotTrace("all boards taken together")
    place = axis if axis >= 0 else axis + column.ids.ndim + 1
    if not 0 <= place < column.ids.ndim:
        raise CannotTrace("all boards taken together")
    return place


def reduced(record: Recording, op: int, column: Any, axis: Any, keepdims: bool = False) -> Any:
    """Rows taken together: as whole numbers where they are added."""
    rows = record.column(column)
    if op in (OR, AND):
        rows = rows.astype(bool)
    place = _axis(rows, axis)
    ids = np.moveaxis(rows.ids, place, 0)
    if not len(ids) and op in (SMALLER, LARGER):
        raise CannotTrace("the largest of no rows")
    total = Traced(record, ids[0].copy(), rows.is_bool) if len(ids) else record.column(int(op == AND))
    if op == ADD:
        total = total.astype(int)
    for row in ids[1:]:
        total = record.apply(op, total, Traced(record, row, rows.is_bool))
    return Traced(record, np.expand_dims(total.ids, place), total.is_bool) if keepdims else total


def _where(record: Recording, where: Any, yes: Any, no: Any) -> Any:
    one, other = record.column(yes), record.column(no)
    return record.each(record.select, where, one, other, is_bool=one.is_bool and other.is_bool)


def _choose(record: Recording, which: Any, choices: Any) -> Any:
    """The choice of each board; raises CannotTrace where a number may be past the choices."""
    each = [record.column(choice) for choice in choices]
    index = record.column(which)

    def chosen(node: int, *nodes: int) -> int:
        low, high = record.bounds[node]
        if low < 0 or high >= len(nodes):
            raise CannotTrace(f"choice {low:,} to {high:,} of {len(nodes)}")
        if all(record.value(option) is not None for option in nodes):
            return record.look_up([record.value(option) for option in nodes], node)
        chosen_node = nodes[low]
        for number in range(low + 1, high + 1):
            chosen_node = record.select(record.binary(EQUAL, node, record.constant(number)), nodes[number], chosen_node)
        return chosen_node

    return record.each(chosen, index, *each, is_bool=all(option.is_bool for option in each))


def _take_along(record: Recording, rows: Any, index: Any, axis: Any) -> Any:
    column, places = record.column(rows), record.column(index)
    if _axis(column, axis) or column.ids.ndim != 1 or places.ids.ndim != 1:
        raise CannotTrace("np.take_along_axis of more than rows")
    return stacked(record, [_choose(record, place, list(column)) for place in places])


def _argmax(record: Recording, column: Any, axis: Any = None) -> Any:
    """The first row with the largest number."""
    rows = record.column(column)
    if _axis(rows, axis) or rows.ids.ndim != 1:
        raise CannotTrace("np.argmax of more than rows")
    largest, place = rows[0], record.column(0)
    for number, row in enumerate(list(rows)[1:], start=1):
        place = _where(record, record.apply(LESS, largest, row), number, place)
        largest = record.apply(LARGER, largest, row)
    return place


def _roll(record: Recording, column: Any, shift: int, axis: Any = None) -> Any:
    rows = record.column(column)
    return Traced(record, np.roll(rows.ids, shift, axis=_axis(rows, axis)), rows.is_bool)


def _stack(record: Recording, rows: Any, axis: int = 0) -> Any:
    if axis:
        raise CannotTrace("np.stack along another axis")
    return stacked(record, rows)


def _concatenate(record: Recording, parts: Any, axis: int = 0) -> Any:
    each = [record.column(part) for part in parts]
    if axis or not all(part.ids.ndim for part in each):
        raise CannotTrace("np.concatenate of boards")
    return Traced(record, np.concatenate([part.ids for part in each]), all(part.is_bool for part in each))


def _clip(record: Recording, column: Any, low: Any, high: Any) -> Any:
    return record.apply(SMALLER, record.apply(LARGER, column, low), high)


def _reducing(op: int) -> Callable[..., Any]:
    return lambda record, column, axis=None: reduced(record, op, column, axis)


FUNCTIONS: dict[Any, Callable[..., Any]] = {
    np.where: _where,
    np.choose: _choose,
    np.take_along_axis: _take_along,
    np.argmax: _argmax,
    np.roll: _roll,
    np.stack: _stack,
    np.concatenate: _concatenate,
    np.clip: _clip,
    np.sum: _reducing(ADD),
    np.max: _reducing(LARGER),
    np.min: _reducing(SMALLER),
    np.any: _reducing(OR),
    np.all: _reducing(AND),
    np.count_nonzero: lambda record, column, axis=None: reduced(record, ADD, record.column(column).astype(bool), axis),
    np.zeros_like: lambda record, column: record.apply(MUL, column, 0),
    np.copy: lambda record, column: record.column(column).copy(),
}


class TracedBoards(Columns):
    """Boards as traced columns, whose number is unknown."""

    def __init__(self, columns: Mapping[str, Traced]) -> None:
        super().__init__(columns)  # type: ignore[arg-type]

    def __len__(self) -> int:
        raise CannotTrace("how many boards there are")


def traced_boards(record: Recording, space: Boards) -> TracedBoards:
    """The columns of a board space for a record; ``input_rows`` has the rows of some boards in the same order."""
    columns, row = {}, 0
    for name, part in space.parts.items():
        if not part.bounds:
            raise CannotTrace(f"the ranks of '{name}'")
        ids = np.array([record.input(row + place, *bounds) for place, bounds in enumerate(part.bounds)])
        row += len(part.bounds)
        ids = ids.reshape(()) if isinstance(part, Span) else ids
        ids.flags.writeable = False
        columns[name] = Traced(record, ids)
    return TracedBoards(columns)


def input_rows(columns: Columns) -> NDArray[np.int32]:
    """Boards as the rows that a record reads, shape (rows, boards)."""
    rows = [np.atleast_2d(column) for column in columns.as_dict().values()]
    return np.concatenate(rows, dtype=np.int32, casting="unsafe")


def traced_index(record: Recording, space: Boards, board: Mapping[str, Any]) -> tuple[Any, Any]:
    """The index of boards given as columns, within the space, and True where there is no such board."""
    if space.size > MAX_INT31:
        raise CannotTrace(f"the rank of one of {space.size:,} boards")
    index, outside = record.column(0), record.column(False)
    for name, part in space.parts.items():
        try:
            place = record.column(part.place(board[name]))
        except NotImplementedError:
            raise CannotTrace(f"the rank of '{name}'") from None
        outside = outside | (place < 0)
        index = index + np.clip(place, 0, part.size - 1) * space.place_of(name)[0]
    return index, outside
