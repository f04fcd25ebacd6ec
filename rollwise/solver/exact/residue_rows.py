"""Rows of residues, each modulo its own prime below 2^31, as one SIMD value for the kernels.

In memory they have 32 bits, in registers 64: sums of weight times residue fit there, and are reduced once a node by
Montgomery's method (P. L. Montgomery, *Modular multiplication without trial division*, 1985). A row has eight of them,
for as many primes; two boards side by side have twice as many.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic, models, register_model

N_PRIMES = 8  # side by side
LOW_32_BITS = 0xFFFFFFFF


class ResidueRow(types.Type):
    """A vector of whole numbers of 64 bits."""

    def __init__(self, width: int) -> None:
        self.width = width
        super().__init__(name=f"Residues({width})")


@register_model(ResidueRow)
class _RowModel(models.PrimitiveModel):
    def __init__(self, dmm: Any, fe_type: ResidueRow) -> None:
        base: Any = super()
        base.__init__(dmm, fe_type, _wide(fe_type.width))


def _wide(width: int, bits: int = 64) -> ir.VectorType:
    return ir.VectorType(ir.IntType(bits), width)


def _all(number: int, like: Any) -> ir.Constant:
    return ir.Constant(like.type, [number] * like.type.count)


def _low(builder: Any, row: Any) -> Any:
    return builder.and_(row, _all(LOW_32_BITS, row))


def _pointer(context: Any, builder: Any, array_type: Any, array: Any, number: Any, width: int) -> Any:
    """Address of the row with this number (64 bits, not negative), as a vector of numbers of 32 bits."""
    data = context.make_array(array_type)(context, builder, array).data
    place = builder.mul(number, ir.Constant(ir.IntType(64), N_PRIMES))
    return builder.bitcast(builder.gep(data, [place]), _wide(width, 32).as_pointer())


def _load(context: Any, builder: Any, array_type: Any, array: Any, number: Any, width: int) -> Any:
    loaded = builder.load(_pointer(context, builder, array_type, array, number, width))
    loaded.align = 4
    return loaded


def _below(builder: Any, row: Any, primes: Any) -> Any:
    """Numbers below twice the primes, reduced."""
    return builder.select(builder.icmp_unsigned("<", row, primes), row, builder.sub(row, primes))


def _redc(builder: Any, row: Any, primes: Any, inverses: Any) -> Any:
    """Montgomery reduction: numbers below 2^32 times the primes, over 2^32 modulo these, below twice the primes."""
    times = _low(builder, builder.mul(_low(builder, row), inverses))
    return builder.lshr(builder.add(row, builder.mul(times, primes)), _all(32, row))


def _reading(width: int) -> Any:
    @intrinsic
    def reading(typing: Any, array: Any, number: Any) -> Any:
        """The residues from the row of this number on."""

        def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.zext(_load(context, builder, signature.args[0], args[0], args[1], width), _wide(width))

        return ResidueRow(width)(array, types.uint64), build

    return reading


@intrinsic
def _write(typing: Any, array: Any, number: Any, row: Any) -> Any:
    """Write residues from the row of this number on."""

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        width = signature.args[2].width
        pointer = _pointer(context, builder, signature.args[0], args[0], args[1], width)
        builder.store(builder.trunc(args[2], _wide(width, 32)), pointer).align = 4
        return context.get_dummy_value()

    return types.void(array, types.uint64, row), build


@intrinsic
def _differ(typing: Any, array: Any, number: Any, other: Any) -> Any:
    """True if two rows differ in any residue."""

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        both = [_load(context, builder, signature.args[0], args[0], one, N_PRIMES) for one in args[1:]]
        bits = ir.IntType(N_PRIMES)
        unlike = builder.bitcast(builder.icmp_unsigned("!=", *both), bits)
        return builder.icmp_unsigned("!=", unlike, ir.Constant(bits, 0))

    return types.boolean(array, types.uint64, types.uint64), build


@intrinsic
def _clashes(typing: Any, so_far: Any, near: Any, left: Any, right: Any, of_left: Any, of_right: Any) -> Any:
    """By lane 1 where two floats are ``near`` each other and have different sources; else the value so far."""

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        so_far, near, left, right, of_left, of_right = args
        gap = builder.fsub(left, right)
        within = [builder.fcmp_ordered("<=", each, near) for each in (gap, builder.fneg(gap))]
        mask = builder.and_(builder.and_(*within), builder.fcmp_ordered("!=", of_left, of_right))
        return builder.select(mask, _all(1.0, so_far), so_far)  # type: ignore[arg-type]

    return so_far(so_far, near, left, right, of_left, of_right), build


@intrinsic
def _every(typing: Any, number: Any, like: Any) -> Any:
    """A row of the same width filled with one number below 2^32."""

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        blank = ir.Constant(args[1].type, ir.Undefined)
        one = builder.insert_element(blank, args[0], ir.Constant(ir.IntType(32), 0))
        mask = ir.Constant(ir.VectorType(ir.IntType(32), like.width), [0] * like.width)
        return _low(builder, builder.shuffle_vector(one, blank, mask))

    return like(types.uint64, like), build


@intrinsic
def _times(typing: Any, left: Any, right: Any) -> Any:
    """The products of two rows of numbers below 2^32, not reduced."""

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.mul(_low(builder, args[0]), _low(builder, args[1]))

    return left(left, right), build


@intrinsic
def _plus(typing: Any, left: Any, right: Any) -> Any:
    """The sum of two rows, not reduced."""

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.add(args[0], args[1])

    return left(left, right), build


@intrinsic
def _less(typing: Any, left: Any, right: Any, primes: Any) -> Any:
    """The difference of two rows of residues, reduced."""

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _below(builder, builder.sub(builder.add(args[0], args[2]), args[1]), args[2])

    return left(left, right, primes), build


@intrinsic
def _reduced(typing: Any, row: Any, primes: Any) -> Any:
    """Sums of two residues, reduced."""

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _below(builder, *args)

    return row(row, primes), build


@intrinsic
def _parted(typing: Any, row: Any, by: Any, primes: Any, inverses: Any) -> Any:
    """Sums of weights times residues, over the sum of weights, of which ``by`` is 2^64 times the inverse.

    ``inverses``: those of the primes modulo 2^32, negated.
    """

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        row, by, primes, inverses = args
        once = _low(builder, _redc(builder, row, primes, inverses))
        again = _redc(builder, builder.mul(once, _low(builder, by)), primes, inverses)
        return _below(builder, again, primes)

    return row(row, by, primes, inverses), build


# Numba's decorator declares the signature of the builder, not of what kernels call: hence Any.
read: Any = _reading(N_PRIMES)
read_two: Any = _reading(2 * N_PRIMES)
write: Any = _write
differ: Any = _differ
clashes: Any = _clashes
every: Any = _every
times: Any = _times
plus: Any = _plus
less: Any = _less
reduced: Any = _reduced
parted: Any = _parted
