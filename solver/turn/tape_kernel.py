"""The kernel that runs tapes over boards (numba, it releases the GIL). It knows the operations; no game is compiled.

``solver.turn.settled`` says the same in NumPy, and each tape is compared with it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rollwise.solver.turn.kept_kernels import compiled
from rollwise.solver.turn.record import (
    ADD,
    AND,
    AT_MOST,
    DIVIDE,
    EQUAL,
    GATHER,
    LARGER,
    LEFT,
    LESS,
    MUL,
    OR,
    PLACE,
    RIGHT,
    SELECT,
    SMALLER,
    SUB,
    UNEQUAL,
    XOR,
)
from rollwise.solver.turn.tape import BLOCK, STORE, UNSAID


@compiled()
def run(tape: Any, columns: Any, inside: Any, place: Any, targets: Any, stored: Any, unsaid: Any) -> None:
    """Run a tape over the boards ``inside``; ``columns``: int32, shape (inputs, boards). PLACE reads ``place``.

    What the k-th stored node is on board i is written to ``stored[i, targets[k]]``, int32; ``unsaid[k]`` is set where
    it is UNSAID on any board.
    """
    registers = np.empty((tape.n_registers, BLOCK), dtype=np.int32)
    for k in range(len(tape.constants)):
        registers[tape.constants[k, 0]][:] = tape.constants[k, 1]
    tables = tape.tables
    for first in range(0, len(inside), BLOCK):
        count = min(BLOCK, len(inside) - first)
        for k in range(tape.n_inputs):
            for i in range(BLOCK):
                registers[k, i] = columns[k, inside[first + min(i, count - 1)]]
        for s in range(len(tape.steps)):
            op, to = tape.steps[s, 0], tape.steps[s, 1]
            a = registers[tape.steps[s, 2]]
            if op == STORE:
                least = 0
                for i in range(count):
                    stored[inside[first + i], targets[to]] = a[i]
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
