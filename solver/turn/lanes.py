"""Rows of lanes as machine values: numba has no SIMD type, so this gives it one, through LLVM's own vectors.

Written as plain loops the kernels spend most of their time on checks that rows do not overlap; a row held as one value
stays in registers from the first operand to the store. ``load(flat, place, zero)`` and the like are ordinary functions
inside ``njit`` code; ``zero`` says how wide the row is.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic, models, register_model

_INFINITY = float("inf")


class Row(types.Type):
    """So many float64 side by side."""

    def __init__(self, width: int) -> None:
        self.width = width
        super().__init__(name=f"Row({width})")


@register_model(Row)
class _RowModel(models.PrimitiveModel):
    def __init__(self, dmm: Any, fe_type: Row) -> None:
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


def _width(literal: Any) -> int:
    return int(literal.literal_value)


@intrinsic(prefer_literal=True)
def _load(typing: Any, array: Any, place: Any, width: Any) -> Any:
    """The row of literal ``width`` that starts at ``array[place]``."""
    row = Row(_width(width))

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = _pointer(context, builder, signature.args[0], args[0], args[1], row.width)
        loaded = builder.load(pointer)
        loaded.align = 8
        return loaded

    return row(array, types.uint64, width), build


@intrinsic
def _store(typing: Any, array: Any, place: Any, row: Any) -> Any:
    """Write a row to ``array[place:]``."""

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = _pointer(context, builder, signature.args[0], args[0], args[1], signature.args[2].width)
        builder.store(args[2], pointer).align = 8
        return context.get_dummy_value()

    return types.void(array, types.uint64, row), build


def _pairwise(operation: str) -> Any:
    @intrinsic
    def both(typing: Any, left: Any, right: Any) -> Any:
        def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            if operation == "add":
                return builder.fadd(args[0], args[1])
            first = builder.fcmp_ordered(">" if operation == "max" else "<", args[0], args[1])
            return builder.select(first, args[0], args[1])

        return left(left, right), build

    return both


@intrinsic
def _times(typing: Any, row: Any, number: Any) -> Any:
    """Every lane times one number."""

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.fmul(args[0], _splat(builder, args[1], signature.args[0].width))

    return row(row, types.float64), build


@intrinsic
def _plus(typing: Any, row: Any, number: Any) -> Any:
    """Every lane plus one number."""

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.fadd(args[0], _splat(builder, args[1], signature.args[0].width))

    return row(row, types.float64), build


@intrinsic
def _pick(typing: Any, left: Any, right: Any, if_left: Any, if_right: Any) -> Any:
    """Lane by lane ``if_right`` where ``right > left``, else ``if_left``."""

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.select(builder.fcmp_ordered(">", args[1], args[0]), args[3], args[2])

    return if_left(left, right, if_left, if_right), build


@intrinsic
def _pick_longer(typing: Any, left: Any, right: Any, if_left: Any, if_right: Any, tie: Any) -> Any:
    """As ``pick``, but lanes within ``tie`` of each other take the larger of ``if_left`` and ``if_right``."""

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        left_, right_, if_left_, if_right_, tie_ = args
        band = _splat(builder, tie_, signature.args[0].width)
        better = builder.fcmp_ordered(">", right_, builder.fadd(left_, band))
        as_good = builder.fcmp_ordered(">=", right_, builder.fsub(left_, band))
        longer = builder.and_(as_good, builder.fcmp_ordered(">", if_right_, if_left_))
        return builder.select(builder.or_(better, longer), if_right_, if_left_)

    return if_left(left, right, if_left, if_right, types.float64), build


@intrinsic
def _where_reaches(typing: Any, left: Any, right: Any, if_so: Any, if_not: Any) -> Any:
    """Lane by lane ``if_so`` where ``left >= right``, else ``if_not``."""

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.select(builder.fcmp_ordered(">=", args[0], args[1]), args[2], args[3])

    return if_so(left, right, if_so, if_not), build


@intrinsic
def _any_above_zero(typing: Any, row: Any) -> Any:
    """Is any lane above zero?"""

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        width = signature.args[0].width
        above = builder.fcmp_ordered(">", args[0], ir.Constant(_vector(width), [0.0] * width))
        bits = ir.IntType(width)
        return builder.icmp_unsigned("!=", builder.bitcast(above, bits), ir.Constant(bits, 0))

    return types.boolean(row), build


@intrinsic
def _total(typing: Any, row: Any) -> Any:
    """The sum of all lanes (so many as are a power of two), halves onto each other."""

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
add: Any = _pairwise("add")
larger: Any = _pairwise("max")
smaller: Any = _pairwise("min")
times: Any = _times
plus: Any = _plus
pick: Any = _pick
pick_longer: Any = _pick_longer
where_reaches: Any = _where_reaches
any_above_zero: Any = _any_above_zero
total: Any = _total
