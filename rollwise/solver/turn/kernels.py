"""The compiled backup: a turn graph as a short program over rows of lanes (numba, releases the GIL).

A *program* is one root's part of a turn graph: the ends of the turn are the first rows of a buffer, every node, and
every leaf with a reward, writes one row, and a row is reused after its last reader, so that the buffer stays in the
second-level cache. A *lane* is a board. ``solver.turn.arrays.backup`` is the reference implementation of a test.

Rows are read in the order of completion of nodes, close to their readers. Common subexpressions of choices are computed
once where a program runs on many boards. Operations sorted by kind and number of
arguments, unrolled loops for two to six of them, 16 or 64 lanes: all were measured on the turn of Sixzee, and none was
worth its lines. docs/performance.md has the limits that the caches set.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.turn.graph import TurnGraph, edges_of
from rollwise.solver.turn.kernel_cache import compiled
from rollwise.solver.turn.lanes import add, fetch, larger, plus, put, smaller, times
from rollwise.solver.turn.look_ups import JoinedLookUps
from rollwise.solver.turn.transitions import Ends, ends_of

LANES = 32  # boards side by side: 256 bytes a row
HALF_LANES = LANES // 2  # boards side by side where each carries a second number
FEW_LANES = 8  # up to so many boards use only the first lanes of a row
# The number of lanes is two to the power of the length: kernels are compiled for types, and a tuple's has its length.
WHOLE_ROW, HALF_ROW, NARROW_ROW = (0,) * 5, (0,) * 4, (0,) * 3
MIN_EDGES_NARROW = 10_000  # in smaller programs narrow rows save less than their compilation costs
MIN_SHARED_CHOICES = 4  # with a maximum in common, which is then computed once
MIN_BACKUPS_SHARED = 100_000  # times the share of edges saved: from here on sharing pays for the search
EVEN, MEAN, MAX, MIN, SHIFT = 0, 1, 2, 3, 4

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Pair = tuple[int, int]


class Operations(NamedTuple):
    """Operations of a program, for the kernels.

    ``ops`` rows are (kind, row written, first argument, number of arguments); ``args`` are rows read, ``weights`` go
    with them (a leaf's reward, where an operation adds it to its end; else chance only), ``scale`` is one over the sum
    of an operation's weights. The last operation writes the root. ``n_rows`` counts the rows of ends and
    scratch rows.
    """

    ops: NDArray[np.int64]
    args: NDArray[np.uint32]
    weights: Floats
    scale: Floats
    n_rows: int


class TurnEnds(NamedTuple):
    """Transitions of the ends of a turn on some boards: ``ends``, ``extra``, ``extra_of`` of ``turn.transitions``.

    A code is twice the next board, plus one where the other player moves there.
    """

    codes: NDArray[np.int32]
    extra: Floats
    extra_of: NDArray[np.int64]


class NextValues(NamedTuple):
    """Values of next boards: ``same[next]``, or where the other player moves ``total + sign * other[next]``."""

    same: Floats
    other: Floats
    total: float
    sign: float


@dataclass(frozen=True)
class Program:
    """One root's backup: the graph's leaves that it reads, the ends that they share, and the operations."""

    leaves: NDArray[np.int64]
    ends: Ends
    operations: Operations

    @property
    def n_edges(self) -> int:
        """Edge operations of one backup of one board."""
        return len(self.operations.args)


def compile_program(graph: TurnGraph, root: int, sense: str, reuse: bool = True, backups: int = 0) -> Program:
    """The program of one root node of a turn graph; without ``reuse`` every node has a row of its own.

    Common maxima of choices are operations of their own where ``backups``, the uses on all boards, pay for it.
    """
    needed, n_leaves = graph.reachable(root), graph.n_leaves
    leaves = np.flatnonzero(needed[:n_leaves])
    ends = ends_of(graph, leaves)
    steps = _ordered_steps(graph, needed, backups)
    count = steps.n_children
    begin = np.cumsum(count) - count
    child, nodes = steps.child.tolist(), steps.nodes.tolist()
    last_read = dict(zip(child, np.repeat(steps.nodes, count).tolist(), strict=True))
    shifts: list[tuple[int, int, int, int]] = []
    args: list[int] = []
    free_rows: list[int] = []
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
        if free_rows:
            row[node] = free_rows.pop()
        else:
            row[node] = n_rows
            n_rows += 1
        ahead = child[low : low + n]
        args += [row[after] for after in ahead]
        if reuse:
            free_rows += [row[after] for after in ahead if row[after] >= n_ends and last_read[after] == node]
    kinds = _operation_kinds(steps, begin, sense)
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
    """Inner nodes in the order of their backup; ``child`` and ``weight`` are those of one after the other.

    ``total`` is 0 of choices. Choices that the graph does not have are numbered from its last node on.
    """

    nodes: Ints
    n_children: Ints
    total: Ints
    child: Ints
    weight: Ints


def _ordered_steps(graph: TurnGraph, needed: NDArray[np.bool_], backups: int) -> _Steps:
    """The needed nodes in the order of their completion, common maxima before their first reader."""
    inner = graph.made[needed[graph.n_leaves :][graph.made]].astype(np.int64)
    edges = edges_of(graph.start, inner)
    nodes, count, total = graph.n_leaves + inner, np.diff(graph.start)[inner], graph.total[inner]
    child, weight = graph.child[edges].astype(np.int64), graph.weight[edges]
    steps = _Steps(nodes, count, total, child, weight)
    if not backups or backups * _shared_edges(steps) < MIN_BACKUPS_SHARED:
        return steps
    sequences = [children.tolist() for children in np.split(child, np.cumsum(count)[:-1])]
    pairs = share_pairs(
        [children for children, ways in zip(sequences, total.tolist(), strict=True) if not ways],
        MIN_SHARED_CHOICES,
        graph.n_nodes,
    )
    ordered: list[tuple[int, int, list[int]]] = []
    pending = dict(enumerate(pairs, graph.n_nodes))

    def append(node: int, ways: int, children: list[int]) -> None:
        for child_node in children:
            pair = pending.pop(child_node, None)
            if pair is not None:
                append(child_node, 0, list(pair))
        ordered.append((node, ways, children))

    for node, ways, children in zip(nodes.tolist(), total.tolist(), sequences, strict=True):
        append(node, ways, children)
    nodes, total = (np.array(column, dtype=np.int64) for column in zip(*((n, t) for n, t, _ in ordered), strict=True))
    count = np.array([len(children) for *_, children in ordered])
    child = np.array([child_node for *_, children in ordered for child_node in children])
    chance = np.repeat(total > 0, count)
    weights = np.zeros(len(child), dtype=np.int64)
    weights[chance] = weight[weight > 0]
    return _Steps(nodes, count, total, child, weights)


def _shared_edges(steps: _Steps) -> float:
    """The share of edges that repeat a pair of neighbours of many choices, half as many more than sharing removes."""
    sequence = np.repeat(np.arange(len(steps.nodes)), np.where(steps.total > 0, 0, steps.n_children))
    child = steps.child[np.repeat(steps.total == 0, steps.n_children)]
    pairs = (child[:-1] * (1 + steps.nodes.max(initial=0)) + child[1:])[sequence[:-1] == sequence[1:]]
    counts = np.unique(pairs, return_counts=True)[1]
    return float((counts[counts >= MIN_SHARED_CHOICES] - 1).sum() / max(1, len(steps.child)))


def _operation_kinds(steps: _Steps, begin: Ints, sense: str) -> Ints:
    """The kind of operation at each of these nodes, whose edges begin at ``begin``."""
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
    one, k = np.uint64(1), np.uint64(0)  # unsigned: numba checks signed indices for wraparound
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
def look_up(tables: JoinedLookUps, entries: Any, twice: Any, out: Any, extra: Any, extra_of: Any) -> int:
    """Codes and rewards of some boards from the look-ups of all ends; returns the number of ends with rewards."""
    codes, relative, rewards = tables.codes, tables.relative, tables.rewards
    starts, has_rewards, names = tables.starts, tables.has_rewards, tables.names
    n_extra, columns = 0, np.uint64(len(twice))  # see run
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
                extra[np.uint64(n_extra), i] = reward
            if adds:
                extra_of[end] = n_extra
                n_extra += 1
    return n_extra


@compiled(inside=True)
def gather(
    codes: Any,
    extra: Any,
    extra_row: int,
    next_values: NextValues,
    rows: Any,
    to: int,
    first: int,
    last: int,
    lanes: int,
) -> int:
    """Values of one end of ``lanes`` boards from column ``first`` on (``last`` repeated); returns the count of nans."""
    same, other, total, sign = next_values.same, next_values.other, next_values.total, next_values.sign
    n_nan = 0
    is_mixed = 1
    if first + lanes - 1 <= last:  # without a branch in the loop the processor reads several boards at once
        side = codes[first] & 1
        is_mixed = 0
        for lane in range(lanes):
            code = codes[first + lane]
            is_mixed |= (code & 1) ^ side
            place = np.uint64(code) >> np.uint64(1)
            x = total + sign * other[place] if side else same[place]
            n_nan += x != x
            rows[to + lane] = x
    if is_mixed:
        n_nan = 0
        for lane in range(lanes):
            code = codes[min(first + lane, last)]
            x = total + sign * other[code >> 1] if code & 1 else same[code >> 1]
            n_nan += x != x
            rows[to + lane] = x
    if extra_row >= 0:
        for lane in range(lanes):
            rows[to + lane] += extra[extra_row, min(first + lane, last)]
    return n_nan


@compiled()
def sweep(
    operations: Any,
    moves: Any,
    next_values: Any,
    carried: Any,
    width: tuple[int, ...],
    boards: Any,
    out: Any,
    out_carried: Any,
    begin: int,
    end: int,
) -> int:
    """Back up the boards of ``moves`` from column ``begin`` to ``end``, in order: ``out[boards]``.

    ``operations``, ``moves`` and ``next_values`` may be plain tuples, which numba dispatches faster: a small game calls
    this twenty thousand times a second.

    Rewards of the boards are added to the values of the next ones. ``out`` may be ``next_values.same`` itself: later
    blocks then read values of earlier ones (Gauss-Seidel order). Returns the number of nans among the values read.

    ``carried``: None, or a second number a board and a sign, for ``out_carried``. It is the number of the next board,
    times the sign where the other player moves; a choice takes that of the first best move. ``width``: WHOLE_ROW, or a
    narrower one with enough lanes. numba compiles each width, with or without a second number, separately.
    """
    operations, moves, next_values = Operations(*operations), TurnEnds(*moves), NextValues(*next_values)
    codes, extra, extra_of = moves.codes, moves.extra, moves.extra_of
    rows = np.zeros(operations.n_rows * LANES)
    root = operations.ops[operations.ops.shape[0] - 1, 1] * LANES
    n_nan = 0
    lanes = 1 << len(width) if carried is None else 1 << len(width) >> 1
    for block in range(begin, end, lanes):
        for e in range(codes.shape[0]):
            n_nan += gather(codes[e], extra, extra_of[e], next_values, rows, e * LANES, block, end - 1, lanes)
            if carried is not None:
                for lane in range(lanes):
                    code = codes[e, min(block + lane, end - 1)]
                    rows[e * LANES + lanes + lane] = (carried[1] if code & 1 else 1.0) * carried[0][code >> 1]
        run(operations, rows, width, carried)
        for lane in range(min(lanes, end - block)):
            out[boards[block + lane]] = rows[root + lane]
            if carried is not None:
                out_carried[boards[block + lane]] = rows[root + lanes + lane]
    return n_nan


def share_pairs(words: list[list[int]], least: int, first_new: int) -> list[Pair]:
    """Shorten words without repeated letters in place; returns the pairs of the new letters ``first_new`` and so on.

    Words are choices, their letters the children; they are shortened as Re-Pair compresses texts (Larsson and Moffat
    1999): the pair of neighbours in most words becomes a letter of its own, a choice of two, until no pair is in
    ``least`` words. Only neighbours are paired, so of equally good children the first is still the first.
    """
    words_of_pair: defaultdict[Pair, set[int]] = defaultdict(set)
    for number, word in enumerate(words):
        for pair in pairwise(word):
            words_of_pair[pair].add(number)
    heap = [(-len(numbers), pair) for pair, numbers in words_of_pair.items() if len(numbers) >= least]
    heapify(heap)
    pairs: list[Pair] = []
    while heap:
        count, pair = heappop(heap)
        numbers = words_of_pair[pair]
        if len(numbers) != -count:  # others took some of them
            if len(numbers) >= least:
                heappush(heap, (-len(numbers), pair))
            continue
        letter = first_new + len(pairs)
        pairs.append(pair)
        changed: set[Pair] = set()
        for number in numbers:
            word = words[number]
            place = word.index(pair[0])
            if place:
                words_of_pair[word[place - 1], pair[0]].discard(number)
                changed.add((word[place - 1], letter))
                words_of_pair[word[place - 1], letter].add(number)
            if place + 2 < len(word):
                words_of_pair[pair[1], word[place + 2]].discard(number)
                changed.add((letter, word[place + 2]))
                words_of_pair[letter, word[place + 2]].add(number)
            word[place : place + 2] = [letter]
        del words_of_pair[pair]
        for pair in changed:
            if len(words_of_pair[pair]) >= least:
                heappush(heap, (-len(words_of_pair[pair]), pair))
    return pairs
