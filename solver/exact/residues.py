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
from rollwise.solver.exact.residue_rows import PRIMES, clashes, differ, every, less, parted, read, read_two, reduced, write
from rollwise.solver.turn.kept_kernels import compiled
from rollwise.solver.turn.kernels import EVEN, MAX, MEAN, SHIFT
from rollwise.solver.turn.lanes import add, any_above_zero, fetch, larger, plus, put, times, where_reaches

together, product = residue_rows.plus, residue_rows.times
LANES = 8  # boards side by side
WIDTH = (0,) * 3  # two to the power of so many
UNKNOWN = 0xFFFFFFFF  # no residue: of boards that are not known yet

Residues = NDArray[np.uint32]
Ints = NDArray[np.int64]


class Field(NamedTuple):
    """What reckoning modulo eight primes takes, a row each: the primes, their inverses modulo 2^32 with a minus, and

    2^64 over the total of each chance operation (else 0), what each shift adds, and the game's total.
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

    Floats are turned over (``sign`` -1) where low values are wanted. ``earned``: the residues of rewards, as ``extra``.
    """

    codes: NDArray[np.int32]
    extra: NDArray[np.float64]
    extra_of: Ints
    values: NDArray[np.float64]
    residues: Residues
    total: float
    sign: float


class Others(NamedTuple):
    """Moves that are played though their floats are not best: rows of (board, operation, place of the move)."""

    rows: Ints
    of_op: NDArray[np.bool_]


@compiled()
def sweep(
    steps: Any, reads: Any, field: Any, others: Any, near: float, boards: Any, out: Any, listed: Any, differences: Any
) -> tuple[int, int]:
    """Fill in the residues ``out`` of these boards; returns how many residues that were read are unknown, and how many
    moves were to be listed: rows of ``listed`` (board, operation, place of the move chosen, of the other) and of
    ``differences``, the residues of the one less those of the other, as many as there is room for.
    """
    ops, args, weights, scale, whole, places, n_rows = steps
    codes, extra, extra_of, values, residues, total, sign = reads
    lanes, two, one, none = np.uint64(LANES), np.uint64(2), np.uint64(1), np.uint64(0)
    primes, both_primes, both_inverses = read(field[0], none), read_two(field[0], none), read_two(field[1], none)
    rows = np.zeros(n_rows * LANES)
    exact = np.zeros(n_rows * LANES * PRIMES, dtype=np.uint32)
    sources = np.repeat(np.arange(np.float64(n_rows)), LANES)  # of the operation or end whose row was chosen
    chosen, clashing = np.zeros(LANES), np.zeros(LANES)
    span = plus(fetch(places, np.uint64(0), LANES, WIDTH, None), near)
    unknown, found = 0, 0
    count = len(boards)
    for block in range(0, count, LANES):
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
                    row = less(read(field[4], none), row, primes)
                if adds:
                    points = extra[np.uint64(extra_of[e]), column]
                    worth += points
                    if points >= 0:
                        row = reduced(together(row, every(np.uint64(points), primes)), primes)
                    else:
                        row = less(row, every(np.uint64(-points), primes), primes)
                rows[at] = sign * worth
                write(exact, at, row)
        for o in range(np.uint64(ops.shape[0])):
            kind, to = ops[o, 0], np.uint64(ops[o, 1])
            first = np.uint64(ops[o, 2])
            end = first + np.uint64(ops[o, 3])
            source = plus(fetch(places, none, LANES, WIDTH, None), np.float64(n_rows + np.int64(o)))
            if kind == EVEN or kind == MEAN:
                row = times(fetch(rows, args[first], LANES, WIDTH, None), weights[first] if kind == MEAN else 1.0)
                k = first + one
                while k < end:
                    ahead = fetch(rows, args[k], LANES, WIDTH, None)
                    row = add(row, times(ahead, weights[k]) if kind == MEAN else ahead)
                    k += one
                put(rows, to, LANES, times(row, scale[o]))
                put(sources, to, LANES, source)
                part = read_two(field[2], np.uint64(2 * o))
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
            elif kind == SHIFT:
                put(rows, to, LANES, plus(fetch(rows, args[first], LANES, WIDTH, None), weights[first]))
                put(sources, to, LANES, source)
                shift = read(field[3], np.uint64(o))
                for lane in range(lanes):
                    moved = together(read(exact, np.uint64(args[first]) * lanes + lane), shift)
                    write(exact, to * lanes + lane, reduced(moved, primes))
            else:
                best = fetch(rows, args[first], LANES, WIDTH, None)
                source = fetch(sources, args[first], LANES, WIDTH, None)
                which = fetch(places, none, LANES, WIDTH, None)
                clash = which
                k = first + one
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
                        board, choice = boards[np.uint64(block) + lane], int(chosen[lane])
                        if others[1][o]:
                            for i in range(len(others[0])):
                                if others[0][i, 0] == board and others[0][i, 1] == o:
                                    choice = others[0][i, 2]
                            chosen[lane] = choice
                            its = np.uint64(args[first + np.uint64(choice)]) * lanes + lane
                            sources[to * lanes + lane] = sources[its]
                        least = rows[to * lanes + lane] - near
                        mine = np.uint64(args[first + np.uint64(choice)]) * lanes + lane
                        k = first
                        while k < end:
                            its = np.uint64(args[k]) * lanes + lane
                            if rows[its] >= least and differ(exact, mine, its):
                                if found < len(listed):
                                    listed[found, 0], listed[found, 1] = board, o
                                    listed[found, 2], listed[found, 3] = choice, k - first
                                    write(differences, np.uint64(found), less(read(exact, mine), read(exact, its), primes))
                                found += 1
                            k += one
                for lane in range(lanes):
                    its = np.uint64(args[first + np.uint64(chosen[lane])]) * lanes + lane
                    write(exact, to * lanes + lane, read(exact, its))
        root = np.uint64(ops[ops.shape[0] - 1, 1]) * lanes
        for lane in range(min(LANES, count - block)):
            write(out, np.uint64(boards[block + lane]), read(exact, root + np.uint64(lane)))
    return unknown, found
