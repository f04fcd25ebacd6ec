"""The kernel that runs tapes over boards (numba, without the GIL): an interpreter, so no game is compiled.

``solver.turn.transition_reader`` computes the same in NumPy, and each tape is compared with it;
``unrank`` turns indices of boards into their rows as ``solver.model.spaces`` does.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rollwise.solver.turn.kernel_cache import compiled
from rollwise.solver.turn.record import (
    ADD,
    AND,
    AT_MOST,
    DIVIDE,
    EQUAL,
    GATHER,
    LARGER,
    LESS,
    MUL,
    OR,
    PLACE,
    SELECT,
    SHIFT_LEFT,
    SHIFT_RIGHT,
    SMALLER,
    SUB,
    UNEQUAL,
    XOR,
)
from rollwise.solver.turn.tape import BLOCK_BOARDS, NO_RESULT_ON_TAPE

CHUNK_BOARDS = 4096  # boards whose successors are looked up together, close in memory


@compiled()
def run(tape: Any, part: Any, rows: Any, inside: Any, place: Any, columns: Any, stored: Any, is_missing: Any) -> None:
    """Run one list of a tape over the boards ``inside`` of these ``rows``: int32, shape (inputs, boards).

    The outputs of board i are written to ``stored[i, columns]``, int32. ``is_missing``, one for each column, is set
    where that is NO_RESULT_ON_TAPE on any board. PLACE reads ``place``.
    """
    first_step, first_constant, first_output = tape.cuts[part]
    last_step, last_constant, last_output = tape.cuts[part + 1]
    tables = tape.tables
    registers = np.empty((tape.n_registers, BLOCK_BOARDS), dtype=np.int32)
    for k in range(first_constant, last_constant):
        for i in range(BLOCK_BOARDS):
            registers[tape.constants[k, 0], i] = tape.constants[k, 1]
    for first in range(0, len(inside), BLOCK_BOARDS):
        count = min(BLOCK_BOARDS, len(inside) - first)
        for k in range(tape.n_inputs):
            for i in range(BLOCK_BOARDS):
                registers[k, i] = rows[k, inside[first + min(i, count - 1)]]
        for s in range(first_step, last_step):
            op, a = tape.steps[s, 0], registers[tape.steps[s, 2]]
            out, third = registers[tape.steps[s, 1]], tape.steps[s, 3]
            if op == GATHER:
                for i in range(BLOCK_BOARDS):
                    out[i] = tables[np.uint64(third + a[i])]
                continue
            if op == PLACE:
                for i in range(BLOCK_BOARDS):
                    out[i] = place[np.uint64(a[i])]
                continue
            b = registers[third]
            if op == ADD:
                for i in range(BLOCK_BOARDS):
                    out[i] = a[i] + b[i]
            elif op == SUB:
                for i in range(BLOCK_BOARDS):
                    out[i] = a[i] - b[i]
            elif op == MUL:
                for i in range(BLOCK_BOARDS):
                    out[i] = a[i] * b[i]
            elif op == LESS:
                for i in range(BLOCK_BOARDS):
                    out[i] = a[i] < b[i]
            elif op == AT_MOST:
                for i in range(BLOCK_BOARDS):
                    out[i] = a[i] <= b[i]
            elif op == EQUAL:
                for i in range(BLOCK_BOARDS):
                    out[i] = a[i] == b[i]
            elif op == UNEQUAL:
                for i in range(BLOCK_BOARDS):
                    out[i] = a[i] != b[i]
            elif op == AND:
                for i in range(BLOCK_BOARDS):
                    out[i] = a[i] & b[i]
            elif op == OR:
                for i in range(BLOCK_BOARDS):
                    out[i] = a[i] | b[i]
            elif op == XOR:
                for i in range(BLOCK_BOARDS):
                    out[i] = a[i] ^ b[i]
            elif op == SHIFT_LEFT:
                for i in range(BLOCK_BOARDS):
                    out[i] = a[i] << b[i]
            elif op == SHIFT_RIGHT:
                for i in range(BLOCK_BOARDS):
                    out[i] = a[i] >> b[i]
            elif op == SMALLER:
                for i in range(BLOCK_BOARDS):
                    out[i] = min(a[i], b[i])
            elif op == LARGER:
                for i in range(BLOCK_BOARDS):
                    out[i] = max(a[i], b[i])
            elif op == SELECT:  # of a, which is 0 or 1, without a branch
                c = registers[tape.steps[s, 4]]
                for i in range(BLOCK_BOARDS):
                    out[i] = c[i] ^ ((b[i] ^ c[i]) & -a[i])
            elif op == DIVIDE:
                for i in range(BLOCK_BOARDS):
                    out[i] = a[i] // b[i] if b[i] != 0 else 0
            else:
                for i in range(BLOCK_BOARDS):
                    out[i] = a[i] % b[i] if b[i] != 0 else 0
        for k in range(first_output, last_output):
            out = registers[tape.outputs[k]]
            least = 0
            for i in range(count):
                least = min(least, out[i])
            is_missing[columns[k]] |= least == NO_RESULT_ON_TAPE
        for i in range(count):
            for k in range(first_output, last_output):
                stored[inside[first + i], columns[k]] = registers[tape.outputs[k], i]


@compiled()
def follow(of_boards: Any, tape: Any, targets: Any, boards: Any, place: Any, follows: Any, is_missing: Any) -> None:
    """Transitions of each result on these boards, into ``follows``: ``solver.markov_chains.blocks.SuccessorCodes``.

    ``of_boards`` are the recorded methods of the game, the tape has a list for each root, ``targets`` the columns of
    its outputs. ``is_missing[root, column]`` is set where that is NO_RESULT_ON_TAPE on any board.
    """
    codes, roots, standing = follows
    rows = np.empty((of_boards.unranking.n_rows, CHUNK_BOARDS), dtype=np.int32)
    about, both, ignored = np.empty((CHUNK_BOARDS, 2), dtype=np.int32), np.arange(2), np.empty(2, dtype=np.bool_)
    chunk, inside = np.empty(CHUNK_BOARDS, dtype=np.int64), np.empty(CHUNK_BOARDS, dtype=np.int64)
    starts = np.empty(len(tape.cuts) + 1, dtype=np.int64)
    for first in range(0, len(boards), CHUNK_BOARDS):
        n = min(CHUNK_BOARDS, len(boards) - first)
        for i in range(n):
            chunk[i] = boards[first + i]
        unrank(of_boards.unranking, chunk[:n], rows)
        for i in range(n):
            inside[i] = i
        run(of_boards.about, np.int64(0), rows, inside[:n], place, both, about, ignored)
        starts[:] = 0
        for i in range(n):
            roots[first + i], standing[first + i] = about[i, 0], about[i, 1]
            starts[about[i, 0] + 2] += 1
        for root in range(len(starts) - 1):
            starts[root + 1] += starts[root]
        for i in range(n):
            inside[starts[about[i, 0] + 1]] = i
            starts[about[i, 0] + 1] += 1
        for root in range(len(starts) - 2):
            boards_of_root = inside[starts[root] : starts[root + 1]]
            rows_of_chunk = codes[first : first + n]
            if tape.cuts[root + 1, 2] - tape.cuts[root, 2] < codes.shape[1]:
                for i in boards_of_root:
                    for k in range(codes.shape[1]):
                        rows_of_chunk[i, k] = -1
            if len(boards_of_root):
                run(tape, root, rows, boards_of_root, place, targets, rows_of_chunk, is_missing[root])


@compiled(inside=True)
def quotient(number: Any, divisor: Any) -> Any:
    """number // divisor, for a number from 0 to 2**50 and a divisor of at least 1: quicker than by whole numbers."""
    return np.int64((number + 0.5) / divisor)


@compiled()
def unrank(unranking: Any, boards: Any, rows: Any) -> None:
    """The numbers of boards by index, into ``rows``: int32, shape (rows, boards or more); see ``Unranking``."""
    parts, table = unranking.parts, unranking.table
    remaining = np.empty(len(boards), dtype=np.int64)
    rank = np.empty(len(boards), dtype=np.int64)
    for i in range(len(boards)):
        remaining[i] = boards[i]
    for p in range(len(parts) - 1, -1, -1):
        size = parts[p, 0]
        for i in range(len(remaining)):
            above = quotient(remaining[i], size)
            rank[i] = remaining[i] - above * size
            remaining[i] = above
        if parts[p, 2] < 0:
            split(parts[p], table, rank, rows)
        else:
            grouped(parts[p], table, rank, rows)


@compiled()
def grouped(part: Any, table: Any, rank: Any, rows: Any) -> None:
    """Unrank a part in groups, first trying the group of the board before, which successive boards mostly share."""
    row, fixed, later, groups, start = part[1], part[2], part[3], part[4], part[5]
    wide = 1 + fixed + 2 * later
    group = 0
    for i in range(len(rank)):
        at = start + group * wide
        if not table[at] <= rank[i] < table[at + wide]:
            if groups == part[0]:
                group = rank[i]
            else:
                group, end = 0, groups
                while end - group > 1:
                    middle = (group + end) // 2
                    if table[start + middle * wide] <= rank[i]:
                        group = middle
                    else:
                        end = middle
            at = start + group * wide
        inside = rank[i] - table[at]
        at += 1
        for k in range(fixed):
            rows[row + k, i] = table[at + k]
        at += fixed
        for k in range(later - 1, 0, -1):
            count = table[at + 2 * k + 1]
            above = quotient(inside, count)
            rows[row + fixed + k, i] = table[at + 2 * k] + inside - above * count
            inside = above
        if later:
            rows[row + fixed, i] = table[at] + inside


@compiled()
def split(part: Any, table: Any, rank: Any, rows: Any) -> None:
    """Unrank a split, place by place the remainder after it, first trying that of the board before."""
    row, places, length, start = part[1], part[3], part[4], part[5]
    room = table[start + length]
    last_after = np.zeros(places, dtype=np.int64)
    for i in range(len(rank)):
        remaining, inside = room, rank[i]
        for k in range(places):
            ways = start + length + 1 + k * (room + 1)
            behind = table[ways + remaining] - inside
            after = last_after[k]
            if not (table[ways + after] >= behind and (after == 0 or table[ways + after - 1] < behind)):
                low, after = -1, remaining
                while after - low > 1:
                    middle = (low + after) // 2
                    if table[ways + middle] >= behind:
                        after = middle
                    else:
                        low = middle
                last_after[k] = after
            inside -= table[ways + remaining] - table[ways + after]
            rows[row + k, i] = remaining - after + table[start + k]
            remaining = after
        if places < length:
            rows[row + places, i] = remaining + table[start + places]
