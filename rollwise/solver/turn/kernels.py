"""The compiled backup: a turn graph as a short program over rows of lanes (numba, releases the GIL).

A *program* is one root's part of a turn graph: the ends of the turn are the first rows of a buffer, every node, and
every leaf that earns something, writes one row, and a row is used again once its last reader is done, so that the
buffer stays in the second-level cache. A *lane* is a board. ``solver.turn.arrays.backup`` is the slow twin that a test
compares it with.

Rows are read in the order in which nodes were made, close to their readers. What choices have in common is taken once
where a program runs on many boards (``solver.turn.shared_maxima``). Operations sorted by kind and number of arguments,
loops written out for two to six of them, 16 or 64 lanes: that was measured on the turn of Sixzee, and none of it was
worth its lines. docs/performance.md has what the caches allow.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.turn.graph import TurnGraph, edges_of
from rollwise.solver.turn.kept_kernels import compiled
from rollwise.solver.turn.lanes import add, fetch, larger, plus, put, smaller, times
from rollwise.solver.turn.look_ups import SideBySide
from rollwise.solver.turn.shared_maxima import share
from rollwise.solver.turn.transitions import Ends, ends_of

LANES = 32  # boards side by side: 256 bytes a row
HALF = LANES // 2  # boards side by side where each carries a second number
FEW = 8  # so few boards fill only the first lanes of a row
# Two to the power of so many are the lanes in use. Kernels are compiled for types, and a tuple's length is in its type.
WHOLE, HALF_WIDE, FEW_WIDE = (0,) * 5, (0,) * 4, (0,) * 3
MANY_EDGES = 10_000  # in smaller programs that saves less than compiling it costs
IN_COMMON = 4  # so many choices have a maximum in common that is then taken once
MANY_BACKUPS = 100_000  # times the share of edges that may be saved: from there on that pays for finding them
EVEN, MEAN, MAX, MIN, SHIFT = 0, 1, 2, 3, 4

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Operations(NamedTuple):
    """What a program does, as the kernels read it.

    ``ops`` rows are (kind, row written, first argument, number of arguments); ``args`` are rows read, ``weights`` go
    with them (what a leaf earns, where an operation shifts its end by that; else chance only), ``scale`` is one over
    the sum of an operation's weights. The last operation writes the root. ``n_rows`` counts the rows of ends and
    scratch rows.
    """

    ops: NDArray[np.int64]
    args: NDArray[np.uint32]
    weights: Floats
    scale: Floats
    n_rows: int


class Reached(NamedTuple):
    """Where the ends of a turn lead from some boards: ``ends``, ``extra``, ``extra_of`` of ``turn.transitions``.

    A code is twice the next board, plus one where the other player moves there.
    """

    codes: NDArray[np.int32]
    extra: Floats
    extra_of: NDArray[np.int64]


class NextValues(NamedTuple):
    """What the next board is worth: ``same[next]``, or where the other player moves ``total + sign * other[next]``."""

    same: Floats
    other: Floats
    total: float
    sign: float


@dataclass(frozen=True)
class Program:
    """One root's backup: the graph's leaves that it reads, how they share the first rows, and what comes then."""

    leaves: NDArray[np.int64]
    ends: Ends
    operations: Operations

    @property
    def n_edges(self) -> int:
        """Edge operations of one backup of one board."""
        return len(self.operations.args)


def compile_program(graph: TurnGraph, root: int, sense: str, reuse: bool = True, backups: int = 0) -> Program:
    """The program of one root node of a turn graph; without ``reuse`` every node keeps a row of its own.

    Maxima that choices have in common are operations of their own where ``backups``, of all boards, pay for it.
    """
    needed, n_leaves = graph.reachable(root), graph.n_leaves
    leaves = np.flatnonzero(needed[:n_leaves])
    ends = ends_of(graph, leaves)
    steps = _in_order(graph, needed, backups)
    count = steps.n_children
    begin = np.cumsum(count) - count
    child, nodes = steps.child.tolist(), steps.nodes.tolist()
    last_read = dict(zip(child, np.repeat(steps.nodes, count).tolist(), strict=True))
    shifts: list[tuple[int, int, int, int]] = []
    args: list[int] = []
    free: list[int] = []
    row = [0] * (int(steps.nodes.max(initial=n_leaves)) + 1)
    n_ends = n_rows = len(ends.first)
    of_leaf, own = ends.of_leaf.tolist(), []
    for place, leaf in enumerate(leaves.tolist()):
        row[leaf] = of_leaf[place]
        if ends.own[place] or leaf == root:
            shifts.append((SHIFT, n_rows, len(args), 1))
            args.append(row[leaf])
            own.append(float(ends.own[place]))
            row[leaf] = n_rows
            n_rows += 1
    for node, low, n in zip(nodes, begin.tolist(), count.tolist(), strict=True):
        if free:
            row[node] = free.pop()
        else:
            row[node] = n_rows
            n_rows += 1
        ahead = child[low : low + n]
        args += [row[after] for after in ahead]
        if reuse:
            free += [row[after] for after in ahead if row[after] >= n_ends and last_read[after] == node]
    kinds = _kinds(steps, begin, sense)
    ops = np.stack([kinds, np.array(row, dtype=np.int64)[nodes], len(shifts) + begin, count], axis=1)
    scale = 1.0 / np.where(kinds == EVEN, count, np.maximum(1, steps.total))  # an even chance adds plain rows
    operations = Operations(
        np.concatenate([np.array(shifts, dtype=np.int64).reshape(-1, 4), ops]),
        np.array(args, dtype=np.uint32),
        np.concatenate([own, steps.weight]),
        np.concatenate([np.ones(len(shifts)), scale]),
        n_rows,
    )
    return Program(leaves, ends, operations)


class _Steps(NamedTuple):
    """Inner nodes in the order in which they are backed up; ``child`` and ``weight`` are those of one after the other.

    ``total`` is 0 of choices. Choices that the graph does not have are numbered from its last node on.
    """

    nodes: Ints
    n_children: Ints
    total: Ints
    child: Ints
    weight: Ints


def _in_order(graph: TurnGraph, needed: NDArray[np.bool_], backups: int) -> _Steps:
    """The nodes that are needed, in the order in which they were made, what choices share before the first of them."""
    inner = graph.made[needed[graph.n_leaves :][graph.made]].astype(np.int64)
    edges = edges_of(graph.start, inner)
    nodes, count, total = graph.n_leaves + inner, np.diff(graph.start)[inner], graph.total[inner]
    child, weight = graph.child[edges].astype(np.int64), graph.weight[edges]
    steps = _Steps(nodes, count, total, child, weight)
    if not backups or backups * _in_common(steps) < MANY_BACKUPS:
        return steps
    words = [word.tolist() for word in np.split(child, np.cumsum(count)[:-1])]
    pairs = share(
        [word for word, ways in zip(words, total.tolist(), strict=True) if not ways], IN_COMMON, graph.n_nodes
    )
    listed: list[tuple[int, int, list[int]]] = []
    waiting = dict(enumerate(pairs, graph.n_nodes))

    def take(node: int, ways: int, word: list[int]) -> None:
        for letter in word:
            pair = waiting.pop(letter, None)
            if pair is not None:
                take(letter, 0, list(pair))
        listed.append((node, ways, word))

    for node, ways, word in zip(nodes.tolist(), total.tolist(), words, strict=True):
        take(node, ways, word)
    nodes, total = (np.array(column, dtype=np.int64) for column in zip(*((n, t) for n, t, _ in listed), strict=True))
    count = np.array([len(word) for *_, word in listed])
    child = np.array([letter for *_, word in listed for letter in word])
    chance = np.repeat(total > 0, count)
    weights = np.zeros(len(child), dtype=np.int64)
    weights[chance] = weight[weight > 0]
    return _Steps(nodes, count, total, child, weights)


def _in_common(steps: _Steps) -> float:
    """The share of edges that neighbours in many choices have, at each but one of these: half as many more than go."""
    word = np.repeat(np.arange(len(steps.nodes)), np.where(steps.total > 0, 0, steps.n_children))
    child = steps.child[np.repeat(steps.total == 0, steps.n_children)]
    pairs = (child[:-1] * (1 + steps.nodes.max(initial=0)) + child[1:])[word[:-1] == word[1:]]
    times = np.unique(pairs, return_counts=True)[1]
    return float((times[times >= IN_COMMON] - 1).sum() / max(1, len(steps.child)))


def _kinds(steps: _Steps, begin: Ints, sense: str) -> Ints:
    """What is done at each of these nodes, whose edges begin there."""
    if not len(begin):
        return np.zeros(0, dtype=np.int64)
    is_even = np.minimum.reduceat(steps.weight, begin) == np.maximum.reduceat(steps.weight, begin)
    mean = np.where(is_even, EVEN, MEAN)
    return np.where(steps.total > 0, mean, MAX if sense == "max" else MIN)


@compiled(inside=True)
def run(operations: Operations, rows: Any, width: tuple[int, ...], carried: Any) -> None:
    """Fill the first lanes (``width``: see WHOLE) of the scratch rows of ``rows``, LANES numbers a row, in order.

    Where ``carried`` is not None, the first half of these lanes holds values, and the second a number carried along:
    chance takes the mean of both, a choice the number of the first best move.
    """
    ops, args, weights, scale = operations.ops, operations.args, operations.weights, operations.scale
    one, k = np.uint64(1), np.uint64(0)  # numba looks whether a signed number counts from the end
    for o in range(np.uint64(ops.shape[0])):
        kind = ops[o, 0]
        end = k + np.uint64(ops[o, 3])
        first = k
        row = fetch(rows, args[k], LANES, width, carried)
        k += one
        if kind == MAX:
            while k < end:
                row = larger(row, fetch(rows, args[k], LANES, width, carried))
                k += one
        elif kind == MEAN:
            row = times(row, weights[first])
            while k < end:
                row = add(row, times(fetch(rows, args[k], LANES, width, carried), weights[k]))
                k += one
            row = times(row, scale[o])
        elif kind == EVEN:
            while k < end:
                row = add(row, fetch(rows, args[k], LANES, width, carried))
                k += one
            row = times(row, scale[o])
        elif kind == SHIFT:
            row = plus(row, weights[first])
        else:
            while k < end:
                row = smaller(row, fetch(rows, args[k], LANES, width, carried))
                k += one
        put(rows, ops[o, 1], LANES, row)


@compiled()
def look_up(tables: SideBySide, entries: Any, twice: Any, out: Any, extra: Any, extra_of: Any) -> int:
    """Codes and rewards of some boards from the look-ups of all ends; how many add something."""
    codes, relative, rewards = tables.codes, tables.relative, tables.rewards
    starts, has_rewards, names = tables.starts, tables.has_rewards, tables.names
    used, columns = 0, np.uint64(len(twice))  # see run
    for end in range(len(starts)):
        start, entry_of = np.uint64(starts[end]), entries[names[end]]
        for i in range(columns):
            entry = start + np.uint64(entry_of[i])
            out[np.uint64(end), i] = codes[entry] + relative[entry] * twice[i]
        if has_rewards[end]:
            adds = False
            for i in range(columns):
                reward = rewards[start + np.uint64(entry_of[i])]
                adds |= reward != 0.0
                extra[np.uint64(used), i] = reward
            if adds:
                extra_of[end] = used
                used += 1
    return used


@compiled(inside=True)
def gather(
    codes: Any,
    extra: Any,
    extra_row: int,
    worth: NextValues,
    rows: Any,
    to: int,
    first: int,
    last: int,
    lanes: int,
) -> int:
    """One end of ``lanes`` boards from column ``first`` on (the last one again after ``last``): how many are nan."""
    same, other, total, sign = worth.same, worth.other, worth.total, worth.sign
    unknown = 0
    mixed = 1
    if first + lanes - 1 <= last:  # without a branch in the loop the processor reads several boards at once
        side = codes[first] & 1
        mixed = 0
        for lane in range(lanes):
            code = codes[first + lane]
            mixed |= (code & 1) ^ side
            place = np.uint64(code) >> np.uint64(1)
            x = total + sign * other[place] if side else same[place]
            unknown += x != x
            rows[to + lane] = x
    if mixed:
        unknown = 0
        for lane in range(lanes):
            code = codes[min(first + lane, last)]
            x = total + sign * other[code >> 1] if code & 1 else same[code >> 1]
            unknown += x != x
            rows[to + lane] = x
    if extra_row >= 0:
        for lane in range(lanes):
            rows[to + lane] += extra[extra_row, min(first + lane, last)]
    return unknown


@compiled()
def sweep(
    operations: Any,
    moves: Any,
    worth: Any,
    carried: Any,
    width: tuple[int, ...],
    boards: Any,
    out: Any,
    out_carried: Any,
    begin: int,
    end: int,
) -> int:
    """Back up the boards of ``moves`` from column ``begin`` to ``end``, in order: ``out[boards]``.

    ``operations``, ``moves`` and ``worth`` may be plain tuples, which numba is quicker to recognise: a small game comes
    here twenty thousand times a second.

    What the boards add comes on top of what the next ones are worth. ``out`` may be ``worth.same`` itself: later
    blocks then read what earlier ones wrote. Returns how many of the values that were read are nan.

    ``carried``: None, or a second number and a sign, for ``out_carried``. Of a next board it is the number of that,
    times the sign where the other player moves; of a choice that of the first best move. ``width``: WHOLE, or a
    narrower one that has lanes enough. What is compiled is what a width, with or without a second number, needs.
    """
    operations, moves, worth = Operations(*operations), Reached(*moves), NextValues(*worth)
    codes, extra, extra_of = moves.codes, moves.extra, moves.extra_of
    rows = np.zeros(operations.n_rows * LANES)
    root = operations.ops[operations.ops.shape[0] - 1, 1] * LANES
    unknown = 0
    lanes = 1 << len(width) if carried is None else 1 << len(width) >> 1
    for block in range(begin, end, lanes):
        for e in range(codes.shape[0]):
            unknown += gather(codes[e], extra, extra_of[e], worth, rows, e * LANES, block, end - 1, lanes)
            if carried is not None:
                for lane in range(lanes):
                    code = codes[e, min(block + lane, end - 1)]
                    rows[e * LANES + lanes + lane] = (carried[1] if code & 1 else 1.0) * carried[0][code >> 1]
        run(operations, rows, width, carried)
        for lane in range(min(lanes, end - block)):
            out[boards[block + lane]] = rows[root + lane]
            if carried is not None:
                out_carried[boards[block + lane]] = rows[root + lanes + lane]
    return unknown
