"""The compiled backup of a table: rows of lanes as in ``solver.turn.kernels``, one row a seat for every node.

With best responses of each seat, a node has as many rows more, its replies. ``solver.turn.vectors`` is the reference
implementation of a test.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rollwise.solver.turn.kernel_cache import compiled
from rollwise.solver.turn.kernels import HALF_LANES, HALF_ROW, MAX, MEAN, Operations
from rollwise.solver.turn.lanes import add, fetch, larger, plus, put, times, where_reaches
from rollwise.solver.turn.mixed_decisions import MixedDecisionArrays
from rollwise.solver.turn.vectors import NEXT_SEAT, REVERSED

LANES = HALF_LANES  # boards side by side
NONE, ONE, N_LANES = np.uint64(0), np.uint64(1), np.uint64(LANES)


@compiled(inside=True)
def _row(rows: Any, place: Any, columns: Any, column: Any) -> Any:
    return fetch(rows, np.uint64(place) * columns + column, LANES, HALF_ROW, None)


@compiled(inside=True)
def _mean(operations: Any, o: Any, first: Any, end: Any, rows: Any, columns: Any) -> None:
    """A chance node, or a leaf: the weighted mean of all its rows."""
    args, weights, even = operations.args, operations.weights, operations.ops[o, 0] != MEAN
    to = np.uint64(operations.ops[o, 1]) * columns
    for column in range(columns):
        row = _row(rows, args[first], columns, column)
        if even:
            for k in range(first + ONE, end):
                row = add(row, _row(rows, args[k], columns, column))
        else:
            row = times(row, weights[first])
            for k in range(first + ONE, end):
                row = add(row, times(_row(rows, args[k], columns, column), weights[k]))
        put(rows, to + column, LANES, times(row, operations.scale[o]))


@compiled(inside=True)
def _best(args: Any, first: Any, end: Any, rows: Any, columns: Any, column: Any) -> Any:
    """Lane by lane the maximum of the children in this column."""
    best = _row(rows, args[first], columns, column)
    for k in range(first + ONE, end):
        best = larger(best, _row(rows, args[k], columns, column))
    return best


@compiled(inside=True)
def _choice(
    operations: Any, o: Any, first: Any, end: Any, slack: float, ties: int, rows: Any, columns: Any, limits: Any
) -> None:
    """A choice: lane by lane a child within ``slack`` of the best in the mover's row, which is the first of a node.

    ``limits`` receives the thresholds of the child, in the mover's row, and then in that of the next seat.
    """
    args, to = operations.args, np.uint64(operations.ops[o, 1]) * columns
    mover, following = NONE, ONE
    limit = plus(_best(args, first, end, rows, columns, mover), -slack)
    next_limit = minus_infinity = plus(limit, -np.inf)
    if ties == NEXT_SEAT:
        for k in range(first, end):
            equal = where_reaches(
                _row(rows, args[k], columns, mover), limit, _row(rows, args[k], columns, following), minus_infinity
            )
            next_limit = larger(next_limit, equal)
        next_limit = plus(next_limit, -slack)
    put(limits, mover, LANES, limit)
    put(limits, following, LANES, next_limit)
    for column in range(columns):
        row = minus_infinity
        for step in range(end - first):
            k = first + step if ties == REVERSED else end - ONE - step
            child = _row(rows, args[k], columns, column)
            if ties == NEXT_SEAT:
                child = where_reaches(_row(rows, args[k], columns, following), next_limit, child, row)
            row = where_reaches(_row(rows, args[k], columns, mover), limit, child, row)
        put(rows, to + column, LANES, row)


@compiled(inside=True)
def _record_edges(args: Any, first: Any, end: Any, ties: int, rows: Any, columns: Any, limits: Any, out: Any) -> None:
    """Record the edge that the choice with these thresholds takes, lane by lane."""
    for lane in range(np.uint64(len(out))):
        for step in range(end - first):
            k = first + step if ties == REVERSED else end - ONE - step
            place = np.uint64(args[k]) * columns * N_LANES + lane
            reaches = ties != NEXT_SEAT or rows[place + N_LANES] >= limits[N_LANES + lane]
            if reaches and rows[place] >= limits[lane]:
                out[lane] = k - first


@compiled(inside=True)
def _draw(
    operations: Any, o: Any, decisions: Any, next_decision: Any, last_decision: Any, rows: Any, columns: Any
) -> None:
    """Write the mean on lanes where the node of ``o`` is a randomised decision, and record the value of each edge."""
    args, (_, to, begin, n_edges) = operations.args, operations.ops[o]
    for lane in range(LANES):
        decision = next_decision[lane]
        if decision == last_decision[lane] or decisions.node[decision] != decisions.node_of[o]:
            continue
        next_decision[lane] = decision + 1
        at = decisions.at[decision]
        for x in range(lane, columns * LANES, LANES):
            mean = 0.0
            for k in range(n_edges):
                if decisions.chances[at + k] > 0:
                    mean += decisions.chances[at + k] * rows[args[begin + k] * columns * LANES + x]
            rows[to * columns * LANES + x] = mean
        for k in range(n_edges):
            decisions.edge_values[at + k] = rows[args[begin + k] * columns * LANES + lane]


@compiled(inside=True)
def _mixed_on(decisions: Any, boards: Any, begin: int, last: int, next_decision: Any, last_decision: Any) -> bool:
    """Find the randomised decisions on the boards from column ``begin`` to ``last``; True where there are any."""
    has_any = False
    for lane in range(LANES):
        next_decision[lane] = last_decision[lane] = 0
        if begin + lane <= last:
            board = boards[begin + lane]
            next_decision[lane], last_decision[lane] = decisions.first[board], decisions.first[board + 1]
            has_any = has_any or decisions.first[board] < decisions.first[board + 1]
    return has_any


@compiled(inside=True)
def _gather(codes: Any, bits: int, values: Any, rows: Any, at: Any, begin: int, last: int) -> None:
    """Values of one end of LANES boards from column ``begin`` on (``last`` repeated), a row a seat from ``at``."""
    low, mask, seats = np.uint64(bits), np.uint64((1 << bits) - 1), np.uint64(values.shape[1])
    for lane in range(N_LANES):
        code = np.uint64(codes[min(begin + np.int64(lane), last)])
        place, seat = code >> low, seats - (code & mask)
        to = at * N_LANES + lane
        for _ in range(seats):
            seat -= seats if seat >= seats else NONE
            rows[to] = values[place, seat]
            seat += ONE
            to += N_LANES


@compiled()
def sweep(
    operations: Any,
    codes: Any,
    bits: int,
    values: Any,
    replies: Any,
    slack: float,
    ties: int,
    boards: Any,
    mixed: Any,
    taken: Any,
    out: Any,
    out_replies: Any,
    begin: int,
    end: int,
) -> None:
    """Back up ``boards``, those of ``codes`` (int32, shape (ends, boards)), from column ``begin`` to ``end``.

    ``values``: float64, shape (boards and endings, seats); ``out``: float64, shape (``end - begin``, seats).
    ``replies``: values of each seat's best response, same shape, with ``out_replies``; or both None.
    ``taken``: int16, shape (choices, ``end - begin``), receives the edge that each choice takes, unless it is empty.
    """
    operations, mixed = Operations(*operations), MixedDecisionArrays(*mixed)
    ops, args = operations.ops, operations.args
    seats = np.uint64(values.shape[1])
    columns = seats if replies is None else seats + seats
    rows, limits = np.zeros(operations.n_rows * np.int64(columns) * LANES), np.zeros(2 * LANES)
    next_decision, last_decision = np.zeros(LANES, dtype=np.int64), np.zeros(LANES, dtype=np.int64)
    root = ops[len(ops) - 1, 1] * np.int64(columns) * LANES
    is_recorded = len(taken) > 0
    for block in range(begin, end, LANES):
        lanes = min(LANES, end - block)
        for e in range(np.uint64(len(codes))):
            _gather(codes[e], bits, values, rows, e * columns, block, end - 1)
            if replies is not None:
                _gather(codes[e], bits, replies, rows, e * columns + seats, block, end - 1)
        is_mixed = len(mixed.node) > 0 and _mixed_on(mixed, boards, block, end - 1, next_decision, last_decision)
        choice = 0
        for o in range(np.uint64(len(ops))):
            first, last = np.uint64(ops[o, 2]), np.uint64(ops[o, 2] + ops[o, 3])
            if ops[o, 0] != MAX:
                _mean(operations, o, first, last, rows, columns)
                continue
            _choice(operations, o, first, last, slack, ties, rows, columns, limits)
            if is_recorded:
                low = block - begin
                _record_edges(args, first, last, ties, rows, columns, limits, taken[choice, low : low + lanes])
                choice += 1
            if is_mixed:
                _draw(operations, o, mixed, next_decision, last_decision, rows, np.int64(columns))
            if replies is not None:  # the mover's best response
                best = _best(args, first, last, rows, columns, seats)
                put(rows, np.uint64(ops[o, 1]) * columns + seats, LANES, best)
        for lane in range(lanes):
            for seat in range(values.shape[1]):
                out[block - begin + lane, seat] = rows[root + seat * LANES + lane]
                if replies is not None:
                    out_replies[block - begin + lane, seat] = rows[root + (values.shape[1] + seat) * LANES + lane]
