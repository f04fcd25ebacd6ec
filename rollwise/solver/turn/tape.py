"""Tapes: records of ``transition`` as ``solver.turn.tape_kernel`` runs them over boards.

A *tape* is a record without dead operations, its numbers in *registers* of BLOCK_BOARDS boards each, which stay in the
processor's first caches; a register is reused after its last reader.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.turn.record import CONST, GATHER, INPUT, MAX_INT31, Record

BLOCK_BOARDS = 512  # boards of a register: 2 KB
NO_RESULT_ON_TAPE = -MAX_INT31  # the output where a record does not hold


class Tape(NamedTuple):
    """One or several lists of steps that share their tables.

    ``steps``: int32, rows of (operation, register written, then up to three read); of a gather the third is where its
    table starts in ``tables``. ``constants``: (register, number). ``outputs``: the output registers. ``cuts``: the
    start of each list in these three, and the end of the last.
    """

    steps: NDArray[np.int32]
    constants: NDArray[np.int32]
    outputs: NDArray[np.int32]
    tables: NDArray[np.int32]
    cuts: NDArray[np.int64]
    n_inputs: int
    n_registers: int


def compile_tape(record: Record, *outputs: Sequence[int]) -> Tape:
    """The tape with these nodes as outputs, a list of steps for each list of them."""
    n_inputs = 1 + max((node[1] for node in record.nodes if node[0] == INPUT), default=-1)
    starts = np.cumsum([0, *(len(table) for table in record.tables)]).tolist()
    lists = [_steps(record, nodes, starts, n_inputs) for nodes in outputs]
    steps, constants, registers = ([row for listed in lists for row in listed[part]] for part in range(3))
    cuts = np.cumsum([(0, 0, 0), *([len(listed[part]) for part in range(3)] for listed in lists)], axis=0)
    return Tape(
        np.array(steps, dtype=np.int32).reshape(-1, 5),
        np.array(constants, dtype=np.int32).reshape(-1, 2),
        np.array(registers, dtype=np.int32),
        np.concatenate([*record.tables, np.zeros(1, dtype=np.int32)]),
        cuts.astype(np.int64),
        n_inputs,
        max(listed[3] for listed in lists),
    )


def _steps(record: Record, outputs: Sequence[int], starts: Sequence[int], n_inputs: int) -> Any:
    """Steps, constants, the registers of outputs, and the number of registers."""
    reads = [_reads(node) for node in record.nodes]
    needed = set(outputs)
    for node in range(len(reads) - 1, -1, -1):
        if node in needed:
            needed.update(reads[node])
    last = {}
    for node in sorted(needed):
        last.update(dict.fromkeys((*reads[node], node), node))
    last.update(dict.fromkeys(outputs, -1))
    register: dict[int, int] = {}
    free_registers: list[int] = []
    constants: list[tuple[int, int]] = []
    steps: list[tuple[int, ...]] = []
    n_registers = n_inputs
    for node in sorted(needed):
        op, *rest = record.nodes[node]
        if op == INPUT:
            register[node] = rest[0]
        elif op == CONST or not free_registers:
            register[node], n_registers = n_registers, n_registers + 1
        else:
            register[node] = free_registers.pop()
        if op == CONST:
            constants.append((register[node], rest[0]))
        elif op == GATHER:
            steps.append((op, register[node], register[rest[0]], starts[rest[1]], 0))
        elif op != INPUT:
            arguments = [register[argument] for argument in rest]
            steps.append((op, register[node], *arguments, *[0] * (3 - len(arguments))))
        for argument in {*reads[node], node}:
            if last[argument] == node and record.nodes[argument][0] not in (CONST, INPUT):
                free_registers.append(register[argument])
    return steps, constants, [register[node] for node in outputs], n_registers


def _reads(node: tuple[int, ...]) -> tuple[int, ...]:
    """The nodes that a node reads."""
    op, *rest = node
    return () if op in (INPUT, CONST) else (rest[0],) if op == GATHER else tuple(rest)
