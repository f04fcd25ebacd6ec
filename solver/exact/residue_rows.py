"""Eight residues side by side, each modulo a prime of its own below 2^31, as one machine value for the kernels.

In memory they are 32 bits wide, in registers 64: sums of weight times residue have room there, and are reduced once a
node by Montgomery's method (P. L. Montgomery, *Modular multiplication without trial division*, 1985).
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic, models, register_model

PRIMES = 8  # side by side


class ResidueRow(types.Type):
    """So many whole numbers of 64 bits."""

    def __init__(self) -> None:
        super().__init__(name="Residues")


ROW = ResidueRow()
WIDE, NARROW = (ir.VectorType(ir.IntType(bits), PRIMES) for bits in (64, 32))
LOW = ir.Constant(WIDE, [0xFFFFFFFF] * PRIMES)


@register_model(ResidueRow)
class _RowModel(models.PrimitiveModel):
    def __init__(self, dmm: Any, fe_type: ResidueRow) -> None:
        base: Any = super()
        base.__init__(dmm, fe_type, WIDE)


def _pointer(context: Any, builder: Any, array_type: Any, array: Any, number: Any) -> Any:
    """Where the row of this number (64 bits, not negative) stands."""
    data = context.make_array(array_type)(context, builder, array).data
    place = builder.mul(number, ir.Constant(ir.IntType(64), PRIMES))
    return builder.bitcast(builder.gep(data, [place]), NARROW.as_pointer())


def _below(builder: Any, row: Any, primes: Any) -> Any:
    """Numbers below twice the primes, reduced."""
    less = builder.sub(row, primes)
    return builder.select(builder.icmp_unsigned("<", row, primes), row, less)


def _redc(builder: Any, row: Any, primes: Any, inverses: Any) -> Any:
    """Numbers below 2^32 times the primes, over 2^32 modulo these: below twice the primes."""
    times = builder.and_(builder.mul(builder.and_(row, LOW), inverses), LOW)
    return builder.lshr(builder.add(row, builder.mul(times, primes)), ir.Constant(WIDE, [32] * PRIMES))


@intrinsic
def _read(typing: Any, array: Any, number: Any) -> Any:
    """The row of this number."""

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        loaded = builder.load(_pointer(context, builder, signature.args[0], *args))
        loaded.align = 4
        return builder.zext(loaded, WIDE)

    return ROW(array, types.uint64), build


@intrinsic
def _write(typing: Any, array: Any, number: Any, row: Any) -> Any:
    """Write a row of residues."""

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = _pointer(context, builder, signature.args[0], *args[:2])
        builder.store(builder.trunc(args[2], NARROW), pointer).align = 4
        return context.get_dummy_value()

    return types.void(array, types.uint64, row), build


@intrinsic
def _every(typing: Any, number: Any) -> Any:
    """A row of one number below 2^32."""

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        one = builder.insert_element(ir.Constant(WIDE, ir.Undefined), args[0], ir.Constant(ir.IntType(32), 0))
        mask = ir.Constant(ir.VectorType(ir.IntType(32), PRIMES), [0] * PRIMES)
        return builder.and_(builder.shuffle_vector(one, ir.Constant(WIDE, ir.Undefined), mask), LOW)

    return ROW(types.uint64), build


@intrinsic
def _times(typing: Any, left: Any, right: Any) -> Any:
    """The products of two rows of numbers below 2^32, not reduced."""

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.mul(builder.and_(args[0], LOW), builder.and_(args[1], LOW))

    return ROW(left, right), build


@intrinsic
def _plus(typing: Any, left: Any, right: Any) -> Any:
    """The sum of two rows, not reduced."""

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.add(args[0], args[1])

    return ROW(left, right), build


@intrinsic
def _less(typing: Any, left: Any, right: Any, primes: Any) -> Any:
    """The difference of two rows of residues, reduced."""

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _below(builder, builder.sub(builder.add(args[0], args[2]), args[1]), args[2])

    return ROW(left, right, primes), build


@intrinsic
def _reduced(typing: Any, row: Any, primes: Any) -> Any:
    """Sums of two residues, reduced."""

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _below(builder, *args)

    return ROW(row, primes), build


@intrinsic
def _parted(typing: Any, row: Any, by: Any, primes: Any, inverses: Any) -> Any:
    """Sums of weights times residues, over the sum of weights, of which ``by`` is 2^64 times the inverse.

    ``inverses``: those of the primes modulo 2^32, with a minus.
    """

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        row, by, primes, inverses = args
        once = builder.and_(_redc(builder, row, primes, inverses), LOW)
        again = _redc(builder, builder.mul(once, builder.and_(by, LOW)), primes, inverses)
        return _below(builder, again, primes)

    return ROW(row, by, primes, inverses), build


# Numba's decorator declares the signature of the builder, not of what kernels call: hence Any.
read: Any = _read
write: Any = _write
every: Any = _every
times: Any = _times
plus: Any = _plus
less: Any = _less
reduced: Any = _reduced
parted: Any = _parted
