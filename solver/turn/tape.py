"""Records of ``settle`` run over boards: a small kernel knows the operations, and no game is compiled.

A *tape* is a record without what nobody reads, its numbers in *registers* of BLOCK boards each, which stay in the
processor's first caches; a register is used again once its last reader is done.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.turn.compiled import compiled
from rollwise.solver.turn.record import CONST, GATHER, INPUT, LIMIT, PLACE, Record

BLOCK = 512  # boards of a register: 2 KB
# operations, numbered as in ``solver.turn.record``
ADD, SUB, MUL, DIVIDE, REMAINDER, LESS, AT_MOST, EQUAL, UNEQUAL = range(2, 11)
AND, OR, XOR, LEFT, RIGHT, SMALLER, LARGER, SELECT = range(11, 19)
STORE = 100
UNSAID = -LIMIT  # stored where a record does not hold


class Tape(NamedTuple):
    """``steps``: int32, rows of (operation, register written, then up to three read); of a gather the third is where
    its table starts in ``tables``, of a store the first is the row that is written. ``constants``: (register, number).
    """

    steps: NDArray[np.int32]
    constants: NDArray[np.int32]
    tables: NDArray[np.int32]
    n_inputs: int
    n_registers: int


def tape_of(record: Record, outputs: Sequence[int]) -> Tape:
    """The tape that stores these nodes, each in a row of its own."""
    reads = [_reads(node) for node in record.nodes]
    needed = set(outputs)
    for node in range(len(reads) - 1, -1, -1):
        if node in needed:
            needed.update(reads[node])
    rows: dict[int, list[int]] = {}
    for row, node in enumerate(outputs):
        rows.setdefault(node, []).append(row)
    last = {}
    for node in sorted(needed):
        last.update(dict.fromkeys((*reads[node], node), node))
    n_inputs = 1 + max((record.nodes[node][1] for node in needed if record.nodes[node][0] == INPUT), default=-1)
    starts = np.cumsum([0, *(len(table) for table in record.tables)])
    register: dict[int, int] = {}
    free: list[int] = []
    constants: list[tuple[int, int]] = []
    steps: list[tuple[int, ...]] = []
    made = n_inputs
    for node in sorted(needed):
        op, *rest = record.nodes[node]
        if op == INPUT:
            register[node] = rest[0]
        elif op == CONST or not free:
            register[node], made = made, made + 1
        else:
            register[node] = free.pop()
        if op == CONST:
            constants.append((register[node], rest[0]))
        elif op == GATHER:
            steps.append((op, register[node], register[rest[0]], int(starts[rest[1]]), 0))
        elif op != INPUT:
            read = [register[argument] for argument in rest]
            steps.append((op, register[node], *read, *[0] * (3 - len(read))))
        steps += [(STORE, row, register[node], 0, 0) for row in rows.get(node, ())]
        for argument in {*reads[node], node}:
            if last[argument] == node and record.nodes[argument][0] not in (CONST, INPUT):
                free.append(register[argument])
    return Tape(
        np.array(steps, dtype=np.int32).reshape(-1, 5),
        np.array(constants, dtype=np.int32).reshape(-1, 2),
        np.concatenate([*record.tables, np.zeros(1, dtype=np.int32)]),
        n_inputs,
        made,
    )


def _reads(node: tuple[int, ...]) -> tuple[int, ...]:
    """The nodes that a node reads."""
    op, *rest = node
    return () if op in (INPUT, CONST) else (rest[0],) if op == GATHER else tuple(rest)


@compiled()
def run(tape: Any, columns: Any, place: Any, rows: Any, targets: Any, stored: Any, unsaid: Any) -> None:
    """Run a tape over boards; ``columns``: int32, shape (inputs, boards). PLACE reads ``place``.

    What the k-th stored node is on board i is written to ``stored[rows[i], targets[k]]``, int32; ``unsaid[k]`` is set
    where it is UNSAID on any board.
    """
    registers = np.empty((tape.n_registers, BLOCK), dtype=np.int32)
    for k in range(len(tape.constants)):
        registers[tape.constants[k, 0]][:] = tape.constants[k, 1]
    tables = tape.tables
    for first in range(0, columns.shape[1], BLOCK):
        count = min(BLOCK, columns.shape[1] - first)
        for k in range(tape.n_inputs):
            registers[k][:count] = columns[k, first : first + count]
            registers[k][count:] = columns[k, first]
        for s in range(len(tape.steps)):
            op, to = tape.steps[s, 0], tape.steps[s, 1]
            a = registers[tape.steps[s, 2]]
            if op == STORE:
                least = 0
                for i in range(count):
                    stored[rows[first + i], targets[to]] = a[i]
                    least = min(least, a[i])
                unsaid[to] |= least == UNSAID
                continue
            out = registers[to]
            third = tape.steps[s, 3]
            if op == GATHER:
                for i in range(BLOCK):
                    out[i] = tables[third + a[i]]
                continue
            if op == PLACE:
                for i in range(BLOCK):
                    out[i] = place[a[i]]
                continue
            b = registers[third]
            if op == ADD:
                for i in range(BLOCK):
                    out[i] = a[i] + b[i]
            elif op == SUB:
                for i in range(BLOCK):
                    out[i] = a[i] - b[i]
            elif op == MUL:
                for i in range(BLOCK):
                    out[i] = a[i] * b[i]
            elif op == LESS:
                for i in range(BLOCK):
                    out[i] = a[i] < b[i]
            elif op == AT_MOST:
                for i in range(BLOCK):
                    out[i] = a[i] <= b[i]
            elif op == EQUAL:
                for i in range(BLOCK):
                    out[i] = a[i] == b[i]
            elif op == UNEQUAL:
                for i in range(BLOCK):
                    out[i] = a[i] != b[i]
            elif op == AND:
                for i in range(BLOCK):
                    out[i] = a[i] & b[i]
            elif op == OR:
                for i in range(BLOCK):
                    out[i] = a[i] | b[i]
            elif op == XOR:
                for i in range(BLOCK):
                    out[i] = a[i] ^ b[i]
            elif op == LEFT:
                for i in range(BLOCK):
                    out[i] = a[i] << b[i]
            elif op == RIGHT:
                for i in range(BLOCK):
                    out[i] = a[i] >> b[i]
            elif op == SMALLER:
                for i in range(BLOCK):
                    out[i] = min(a[i], b[i])
            elif op == LARGER:
                for i in range(BLOCK):
                    out[i] = max(a[i], b[i])
            elif op == SELECT:  # of a, which is 0 or 1, without a branch
                c = registers[tape.steps[s, 4]]
                for i in range(BLOCK):
                    out[i] = c[i] ^ ((b[i] ^ c[i]) & -a[i])
            elif op == DIVIDE:
                for i in range(BLOCK):
                    out[i] = a[i] // b[i] if b[i] != 0 else 0
            else:
                for i in range(BLOCK):
                    out[i] = a[i] % b[i] if b[i] != 0 else 0
