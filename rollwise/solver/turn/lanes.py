"""Rows of lanes as a SIMD type for numba, which has none, through LLVM's vectors.

As plain loops the kernels would spend most of their time on checks that rows do not overlap; a row as one value stays
in registers from the first operand to the store. ``load(flat, place, width)`` and the like are ordinary functions
inside ``njit`` code; the literal ``width`` is the number of lanes.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic, models, register_model


class LaneRow(types.Type):
    """A row of float64 lanes; of ``halves`` the first half is compared, and the second follows its choice."""

    def __init__(self, width: int, halves: bool = False) -> None:
        self.width = width
        self.halves = halves
        super().__init__(name=f"Row({width}, {halves})")


@register_model(LaneRow)
class _RowModel(models.PrimitiveModel):
    def __init__(self, dmm: Any, fe_type: LaneRow) -> None:
        base: Any = super()
        base.__init__(dmm, fe_type, ir.VectorType(ir.DoubleType(), fe_type.width))


def _vector(width: int) -> ir.VectorType:
    return ir.VectorType(ir.DoubleType(), width)


def _pointer(context: Any, builder: Any, array_type: Any, array: Any, place: Any, width: int) -> Any:
    data = context.make_array(array_type)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [place]), _vector(width).as_pointer())


def _splat(builder: Any, number: Any, width: int) -> Any:
    vector = builder.insert_element(ir.Constant(_vector(width), ir.Undefined), number, ir.Constant(ir.IntType(32), 0))
    mask = ir.Constant(ir.VectorType(ir.IntType(32), width), [0] * width)
    return builder.shuffle_vector(vector, ir.Constant(_vector(width), ir.Undefined), mask)


def _literal(literal: Any) -> int:
    return int(literal.literal_value)


def _read(context: Any, builder: Any, array_type: Any, array: Any, place: Any, row: LaneRow) -> Any:
    loaded = builder.load(_pointer(context, builder, array_type, array, place, row.width))
    loaded.align = 8
    return loaded


def _from(builder: Any, number: Any, stride: int) -> Any:
    """The place where the row of this number (a non-negative integer of any size) starts."""
    place = ir.IntType(64)
    return builder.mul(number if number.type == place else builder.zext(number, place), ir.Constant(place, stride))


@intrinsic(prefer_literal=True)
def _load(typing: Any, array: Any, place: Any, width: Any) -> Any:
    """The row of literal ``width`` that starts at ``array[place]``."""
    row = LaneRow(_literal(width))

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _read(context, builder, signature.args[0], args[0], args[1], row)

    return row(array, types.uint64, width), build


@intrinsic(prefer_literal=True)
def _fetch(typing: Any, array: Any, number: Any, stride: Any, width: Any, carried: Any) -> Any:
    """The row that starts at ``array[number * stride]``, one of halves where ``carried`` is not None.

    ``width`` is a tuple: the row has two to the power of its length lanes.
    """
    row = LaneRow(1 << len(width), not isinstance(carried, types.NoneType))

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        place = _from(builder, args[1], _literal(stride))
        return _read(context, builder, signature.args[0], args[0], place, row)

    return row(array, number, stride, width, carried), build


@intrinsic
def _store(typing: Any, array: Any, place: Any, row: Any) -> Any:
    """Write a row to ``array[place:]``."""

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = _pointer(context, builder, signature.args[0], args[0], args[1], signature.args[2].width)
        builder.store(args[2], pointer).align = 8
        return context.get_dummy_value()

    return types.void(array, types.uint64, row), build


@intrinsic(prefer_literal=True)
def _put(typing: Any, array: Any, number: Any, stride: Any, row: Any) -> Any:
    """Write a row to ``array[number * stride:]``."""

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        place = _from(builder, args[1], _literal(stride))
        pointer = _pointer(context, builder, signature.args[0], args[0], place, signature.args[3].width)
        builder.store(args[3], pointer).align = 8
        return context.get_dummy_value()

    return types.void(array, number, stride, row), build


def _half(builder: Any, row: Any, which: int) -> Any:
    width = row.type.count // 2
    mask = ir.Constant(ir.VectorType(ir.IntType(32), width), list(range(which * width, which * width + width)))
    return builder.shuffle_vector(row, ir.Constant(row.type, ir.Undefined), mask)


def _select(builder: Any, kind: LaneRow, by: Any, lhs: Any, rhs: Any) -> Any:
    """Lane by lane ``lhs`` where ``by(left, right)``, else ``rhs``; of halves the first half decides."""
    if not kind.halves:
        return builder.select(by(lhs, rhs), lhs, rhs)
    low, high = ([_half(builder, row, which) for row in (lhs, rhs)] for which in (0, 1))
    mask = by(*low)
    every = ir.Constant(ir.VectorType(ir.IntType(32), kind.width), list(range(kind.width)))
    return builder.shuffle_vector(builder.select(mask, *low), builder.select(mask, *high), every)


@intrinsic
def _add(typing: Any, lhs: Any, rhs: Any) -> Any:
    """The sum of two rows."""

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.fadd(args[0], args[1])

    return lhs(lhs, rhs), build


def _extreme(beyond: str) -> Any:
    @intrinsic
    def better(typing: Any, lhs: Any, rhs: Any) -> Any:
        """Lane by lane the better one; of halves the right one only where it is strictly better."""

        def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            rows = args[::-1] if lhs.halves else args  # else the right one can be a memory operand
            return _select(builder, lhs, lambda a, b: builder.fcmp_ordered(beyond, a, b), *rows)

        return lhs(lhs, rhs), build

    return better


@intrinsic
def _times(typing: Any, row: Any, number: Any) -> Any:
    """Every lane times one number."""

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.fmul(args[0], _splat(builder, args[1], signature.args[0].width))

    return row(row, types.float64), build


@intrinsic
def _plus(typing: Any, row: Any, number: Any) -> Any:
    """Every lane, of halves those of the first, plus one number."""

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        moved = builder.fadd(args[0], _splat(builder, args[1], row.width))
        if not row.halves:
            return moved
        mask = [i if 2 * i < row.width else row.width + i for i in range(row.width)]
        return builder.shuffle_vector(moved, args[0], ir.Constant(ir.VectorType(ir.IntType(32), row.width), mask))

    return row(row, types.float64), build


@intrinsic
def _where_reaches(typing: Any, lhs: Any, rhs: Any, if_so: Any, if_not: Any) -> Any:
    """Lane by lane ``if_so`` where ``left >= right``, else ``if_not``."""

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.select(builder.fcmp_ordered(">=", args[0], args[1]), args[2], args[3])

    return if_so(lhs, rhs, if_so, if_not), build


@intrinsic
def _any_above_zero(typing: Any, row: Any) -> Any:
    """True where any lane is above zero."""

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        width = signature.args[0].width
        above = builder.fcmp_ordered(">", args[0], ir.Constant(_vector(width), [0.0] * width))
        bits = ir.IntType(width)
        return builder.icmp_unsigned("!=", builder.bitcast(above, bits), ir.Constant(bits, 0))

    return types.boolean(row), build


@intrinsic
def _total(typing: Any, row: Any) -> Any:
    """The sum of all lanes (a power of two of them), by pairwise halves."""

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        (row,) = args
        width = signature.args[0].width
        while width > 1:
            width //= 2
            half = [ir.Constant(ir.VectorType(ir.IntType(32), width), list(range(i, i + width))) for i in (0, width)]
            low, high = (builder.shuffle_vector(row, ir.Constant(row.type, ir.Undefined), mask) for mask in half)
            row = builder.fadd(low, high)
        return builder.extract_element(row, ir.Constant(ir.IntType(32), 0))

    return types.float64(row), build


# Numba's decorator declares the signature of the builder, not of what kernels call: hence Any.
load: Any = _load
store: Any = _store
fetch: Any = _fetch
put: Any = _put
add: Any = _add
larger: Any = _extreme(">")
smaller: Any = _extreme("<")
times: Any = _times
plus: Any = _plus
where_reaches: Any = _where_reaches
any_above_zero: Any = _any_above_zero
total: Any = _total
