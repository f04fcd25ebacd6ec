"""What boards are worth modulo eight primes, under the moves that floats choose: one turn of eight boards at a time.

The program of a turn is that of ``solver.turn.kernels``. Beside each float stand the residues of the exact value that
the same moves have: of a throw the weighted mean, of a choice those of the child whose float is best. Where another
child's float comes so near that it may be better in truth, and its residues are others, that is listed.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.exact import residue_rows
from rollwise.solver.exact.residue_rows import (
    PRIMES,
    clashes,
    differ,
    every,
    less,
    parted,
    read,
    read_two,
    reduced,
    write,
)
from rollwise.solver.turn.kept_kernels import compiled
from rollwise.solver.turn.kernels import EVEN, MEAN, SHIFT
from rollwise.solver.turn.lanes import add, any_above_zero, fetch, larger, plus, put, times, where_reaches

together, product = residue_rows.plus, residue_rows.times
LANES = 8  # boards side by side
WIDTH = (0,) * 3  # two to the power of so many
UNKNOWN = 0xFFFFFFFF  # no residue: of boards that are not known yet

Residues = NDArray[np.uint32]
Ints = NDArray[np.int64]


class Field(NamedTuple):
    """What reckoning modulo eight primes takes: rows of residues, the first three twice, for two boards at a time.

    ``inverses`` are those of the primes modulo 2^32, with a minus; ``parts``, by operation, 2^64 over the total of a
    throw (else 0), ``shifts`` what a leaf earns (else 0), and ``total`` is the game's.
    """

    primes: Residues
    inverses: Residues
    parts: Residues
    shifts: Residues
    total: Residues


class Steps(NamedTuple):
    """A program with floats for moves and whole weights for residues; ``places`` has a row of each number of a move."""

    ops: Ints
    args: NDArray[np.uint32]
    weights: NDArray[np.float64]
    scale: NDArray[np.float64]
    whole: NDArray[np.uint64]
    places: NDArray[np.float64]
    n_rows: int


class Reads(NamedTuple):
    """Where turns lead: codes and rewards as ``solver.turn.transitions`` has them; what boards are worth by index.

    Floats are turned over (``sign`` -1) where low values are wanted. Rewards are whole numbers.
    """

    codes: NDArray[np.int32]
    extra: NDArray[np.float64]
    extra_of: Ints
    values: NDArray[np.float64]
    residues: Residues
    total: float
    sign: float


@compiled(inside=True)
def gather(reads: Any, field: Any, block: Any, count: Any, rows: Any, exact: Any) -> int:
    """What the ends of eight boards are worth; how many residues are unknown."""
    codes, extra, extra_of, values, residues, total, sign = reads
    lanes, none, unknown = np.uint64(LANES), np.uint64(0), 0
    primes, whole = read(field[0], none), read(field[4], none)
    for e in range(np.uint64(codes.shape[0])):
        adds = extra_of[e] >= 0
        for lane in range(lanes):
            column = np.uint64(min(block + np.int64(lane), count - 1))
            code = codes[e, column]
            place, at = np.uint64(code >> 1), e * lanes + lane
            worth = values[place]
            row = read(residues, place)
            unknown += residues[place * np.uint64(PRIMES)] == UNKNOWN
            if code & 1:
                worth = total - worth
                row = less(whole, row, primes)
            if adds:
                points = extra[np.uint64(extra_of[e]), column]
                worth += points
                if points >= 0:
                    row = reduced(together(row, every(np.uint64(points), primes)), primes)
                else:
                    row = less(row, every(np.uint64(-points), primes), primes)
            rows[at] = sign * worth
            write(exact, at, row)
    return unknown


@compiled(inside=True)
def played(others: Any, board: Any, op: Any, place: Any) -> Any:
    """The place of the move that is played: this one, unless another is to be."""
    for i in range(len(others)):
        if others[i, 0] == board and others[i, 1] == op:
            place = others[i, 2]
    return place


@compiled()
def sweep(
    steps: Any, reads: Any, field: Any, others: Any, near: float, boards: Any, out: Any, listed: Any, differences: Any
) -> tuple[int, int]:
    """Fill in the residues ``out`` of these boards; how many that were read are unknown, how many moves are listed.

    ``others``: moves that are played though their floats are not best, rows of (board, operation, place of the move);
    and which operations have any. ``listed``: moves whose floats are ``near`` that of the best, and whose residues are
    not those of the move chosen, rows of (board, operation, place of the move chosen, of the other); in ``differences``
    stand the residues of the one less those of the other. There may be room for fewer than there are.

    A row has a source, the operation or end that it was chosen from: rows of one source are equal, whatever they are.
    Where all that come near the best so far have its source, all that are near the best in the end have one source.
    """
    ops, args, weights, scale, whole, places, n_rows = steps
    count, unknown, found = len(boards), 0, 0
    lanes, two, one, none = np.uint64(LANES), np.uint64(2), np.uint64(1), np.uint64(0)
    primes, both_primes, both_inverses = read(field[0], none), read_two(field[0], none), read_two(field[1], none)
    rows = np.zeros(n_rows * LANES)
    exact = np.zeros(n_rows * LANES * PRIMES, dtype=np.uint32)
    sources = np.repeat(np.arange(np.float64(n_rows)), LANES)
    chosen, clashing = np.zeros(LANES), np.zeros(LANES)
    zero = fetch(places, none, LANES, WIDTH, None)
    span = plus(zero, near)
    for block in range(0, count, LANES):
        unknown += gather(reads, field, block, count, rows, exact)
        for o in range(np.uint64(ops.shape[0])):
            kind, to, first = ops[o, 0], np.uint64(ops[o, 1]), np.uint64(ops[o, 2])
            end, k = first + np.uint64(ops[o, 3]), first + one
            best = fetch(rows, args[first], LANES, WIDTH, None)
            if kind == SHIFT:
                put(rows, to, LANES, plus(best, weights[first]))
                put(sources, to, LANES, plus(zero, np.float64(n_rows + np.int64(o))))
                shift = read(field[3], o)
                for lane in range(lanes):
                    moved = together(read(exact, np.uint64(args[first]) * lanes + lane), shift)
                    write(exact, to * lanes + lane, reduced(moved, primes))
                continue
            if kind in (EVEN, MEAN):
                if kind == MEAN:
                    best = times(best, weights[first])
                while k < end:
                    ahead = fetch(rows, args[k], LANES, WIDTH, None)
                    best = add(best, times(ahead, weights[k]) if kind == MEAN else ahead)
                    k += one
                put(rows, to, LANES, times(best, scale[o]))
                put(sources, to, LANES, plus(zero, np.float64(n_rows + np.int64(o))))
                part = read_two(field[2], two * o)
                for lane in range(none, lanes, two):
                    sums = read_two(exact, np.uint64(args[first]) * lanes + lane)
                    if kind == MEAN:
                        sums = product(sums, every(whole[first], sums))
                    k = first + one
                    while k < end:
                        its = read_two(exact, np.uint64(args[k]) * lanes + lane)
                        sums = together(sums, its if kind == EVEN else product(its, every(whole[k], its)))
                        k += one
                    write(exact, to * lanes + lane, parted(sums, part, both_primes, both_inverses))
                continue
            source, which, clash = fetch(sources, args[first], LANES, WIDTH, None), zero, zero
            while k < end:
                ahead = fetch(rows, args[k], LANES, WIDTH, None)
                its_source = fetch(sources, args[k], LANES, WIDTH, None)
                clash = clashes(clash, span, best, ahead, source, its_source)
                which = where_reaches(best, ahead, which, fetch(places, k - first, LANES, WIDTH, None))
                source = where_reaches(best, ahead, source, its_source)
                best = larger(best, ahead)
                k += one
            put(rows, to, LANES, best)
            put(sources, to, LANES, source)
            put(chosen, none, LANES, which)
            if others[1][o] or any_above_zero(clash):
                put(clashing, none, LANES, clash)
                for lane in range(np.uint64(min(LANES, count - block))):
                    if not (clashing[lane] > 0 or others[1][o]):
                        continue
                    board = boards[np.uint64(block) + lane]
                    choice = played(others[0], board, np.int64(o), np.int64(chosen[lane]))
                    chosen[lane] = choice
                    mine = np.uint64(args[first + np.uint64(choice)]) * lanes + lane
                    sources[to * lanes + lane] = sources[mine]
                    k = first
                    while k < end:
                        its = np.uint64(args[k]) * lanes + lane
                        if rows[its] >= rows[to * lanes + lane] - near and differ(exact, mine, its):
                            if found < len(listed):
                                listed[found, 0], listed[found, 1] = board, o
                                listed[found, 2], listed[found, 3] = choice, k - first
                                other = less(read(exact, mine), read(exact, its), primes)
                                write(differences, np.uint64(found), other)
                            found += 1
                        k += one
            for lane in range(lanes):
                its = np.uint64(args[first + np.uint64(chosen[lane])]) * lanes + lane
                write(exact, to * lanes + lane, read(exact, its))
        root = np.uint64(ops[ops.shape[0] - 1, 1]) * lanes
        for lane in range(min(LANES, count - block)):
            write(out, np.uint64(boards[block + lane]), read(exact, root + np.uint64(lane)))
    return unknown, found
