"""Backups modulo eight primes, under the policy of the floats: one turn of eight boards at a time.

The program of a turn is that of ``solver.turn.kernels``. Beside each float stand the residues of the exact value under
the same policy: of a throw the weighted mean, of a decision those of the child whose float is best. Where another
child's float is so near that it may be better, and its residues differ, the move is listed.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.exact import residue_rows
from rollwise.solver.exact.residue_rows import (
    N_PRIMES,
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
from rollwise.solver.turn.kernel_cache import compiled
from rollwise.solver.turn.kernels import EVEN, MEAN, SHIFT
from rollwise.solver.turn.lanes import add, any_above_zero, fetch, larger, plus, put, times, where_reaches

together, product = residue_rows.plus, residue_rows.times
LANES = 8  # boards side by side
WIDTH = (0,) * 3  # log2 of the width
UNKNOWN_RESIDUE = 0xFFFFFFFF  # marks boards without a value

Residues = NDArray[np.uint32]
Ints = NDArray[np.int64]


class ResidueField(NamedTuple):
    """Constants of arithmetic modulo eight primes: rows of residues, the first three twice, for two boards.

    ``inverses``: those of the primes modulo 2^32, negated; ``parts``, by operation, 2^64 over the total of a throw
    (else 0), ``shifts`` a leaf's reward (else 0), and ``total`` is the game's.
    """

    primes: Residues
    inverses: Residues
    parts: Residues
    shifts: Residues
    total: Residues


class ModularProgram(NamedTuple):
    """A program with floats that choose and whole weights for residues; ``places``: a row of each number of a move."""

    ops: Ints
    args: NDArray[np.uint32]
    weights: NDArray[np.float64]
    scale: NDArray[np.float64]
    whole: NDArray[np.uint64]
    places: NDArray[np.float64]
    n_rows: int


class TransitionArrays(NamedTuple):
    """Transitions of turns: codes and rewards as in ``solver.turn.transitions``; values of boards by index.

    Floats are negated (``sign`` -1) where low values are better. Rewards are whole numbers.
    """

    codes: NDArray[np.int32]
    extra: NDArray[np.float64]
    extra_of: Ints
    values: NDArray[np.float64]
    residues: Residues
    total: float
    sign: float


@compiled(inside=True)
def gather(arrays: Any, field: Any, block: Any, count: Any, rows: Any, exact: Any) -> int:
    """Read the values of eight boards' ends; returns how many residues are unknown."""
    codes, extra, extra_of, values, residues, total, sign = arrays
    lanes, none, n_unknown = np.uint64(LANES), np.uint64(0), 0
    primes, whole = read(field[0], none), read(field[4], none)
    for e in range(np.uint64(codes.shape[0])):
        has_reward = extra_of[e] >= 0
        for lane in range(lanes):
            column = np.uint64(min(block + np.int64(lane), count - 1))
            code = codes[e, column]
            place, at = np.uint64(code >> 1), e * lanes + lane
            value = values[place]
            row = read(residues, place)
            n_unknown += residues[place * np.uint64(N_PRIMES)] == UNKNOWN_RESIDUE
            if code & 1:
                value = total - value
                row = less(whole, row, primes)
            if has_reward:
                points = extra[np.uint64(extra_of[e]), column]
                value += points
                if points >= 0:
                    row = reduced(together(row, every(np.uint64(points), primes)), primes)
                else:
                    row = less(row, every(np.uint64(-points), primes), primes)
            rows[at] = sign * value
            write(exact, at, row)
    return n_unknown


@compiled(inside=True)
def move_played(overrides: Any, board: Any, op: Any, place: Any) -> Any:
    """The place of the move that is played: this one, unless it is overridden."""
    for i in range(len(overrides)):
        if overrides[i, 0] == board and overrides[i, 1] == op:
            place = overrides[i, 2]
    return place


@compiled()
def sweep(
    steps: Any, reads: Any, field: Any, others: Any, near: float, boards: Any, out: Any, listed: Any, differences: Any
) -> tuple[int, int]:
    """Fill in the residues ``out`` of these boards; returns the number of unknown ones read, and of listed moves.

    ``others``: moves that are played though their floats are not best, rows of (board, operation, place of the move);
    and a mask of operations that have any. ``listed``: moves whose floats are ``near`` that of the best, with other
    residues than the policy's move, rows of (board, operation, place of the policy's move, of the other);
    ``differences`` receives the residues of the one less those of the other. There may be less space than listed moves.

    A row has a source, the operation or end that it was chosen from: rows of one source are equal, whatever they are.
    Where all that come near the best so far have its source, all that are near the best in the end have one source.
    """
    ops, args, weights, scale, whole, places, n_rows = steps
    count, n_unknown, n_listed = len(boards), 0, 0
    lanes, two, one, none = np.uint64(LANES), np.uint64(2), np.uint64(1), np.uint64(0)
    primes, both_primes, both_inverses = read(field[0], none), read_two(field[0], none), read_two(field[1], none)
    rows = np.zeros(n_rows * LANES)
    exact = np.zeros(n_rows * LANES * N_PRIMES, dtype=np.uint32)
    sources = np.repeat(np.arange(np.float64(n_rows)), LANES)
    chosen, clashing = np.zeros(LANES), np.zeros(LANES)
    zero = fetch(places, none, LANES, WIDTH, None)
    span = plus(zero, near)
    for block in range(0, count, LANES):
        n_unknown += gather(reads, field, block, count, rows, exact)
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
                    choice = move_played(others[0], board, np.int64(o), np.int64(chosen[lane]))
                    chosen[lane] = choice
                    own_row = np.uint64(args[first + np.uint64(choice)]) * lanes + lane
                    sources[to * lanes + lane] = sources[own_row]
                    k = first
                    while k < end:
                        its = np.uint64(args[k]) * lanes + lane
                        if rows[its] >= rows[to * lanes + lane] - near and differ(exact, own_row, its):
                            if n_listed < len(listed):
                                listed[n_listed, 0], listed[n_listed, 1] = board, o
                                listed[n_listed, 2], listed[n_listed, 3] = choice, k - first
                                other = less(read(exact, own_row), read(exact, its), primes)
                                write(differences, np.uint64(n_listed), other)
                            n_listed += 1
                        k += one
            for lane in range(lanes):
                its = np.uint64(args[first + np.uint64(chosen[lane])]) * lanes + lane
                write(exact, to * lanes + lane, read(exact, its))
        root = np.uint64(ops[ops.shape[0] - 1, 1]) * lanes
        for lane in range(min(LANES, count - block)):
            write(out, np.uint64(boards[block + lane]), read(exact, root + np.uint64(lane)))
    return n_unknown, n_listed
