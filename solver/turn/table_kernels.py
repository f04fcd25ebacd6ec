"""The compiled backup of a table: rows of lanes as in ``solver.turn.kernels``, one row a seat for every node.

``solver.turn.vectors`` is the slow twin that a test compares it with.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rollwise.solver.turn.kept_kernels import compiled
from rollwise.solver.turn.kernels import EVEN, MAX, MEAN, Operations
from rollwise.solver.turn.lots import LaidLots
from rollwise.solver.turn.vectors import NEXT_SEAT, REVERSED

LANES = 16  # boards side by side


@compiled(inside=True)
def _mean(ops: Any, o: int, args: Any, weights: Any, scale: Any, rows: Any, width: int) -> None:
    """A chance node: the weighted mean of all its rows."""
    to, first, end = ops[o, 1], ops[o, 2], ops[o, 2] + ops[o, 3]
    even = ops[o, 0] == EVEN
    place = args[first]
    weight = 1.0 if even else weights[first]
    for x in range(width):
        rows[to, x] = weight * rows[place, x]
    for k in range(first + 1, end):
        place = args[k]
        weight = 1.0 if even else weights[k]
        for x in range(width):
            rows[to, x] += weight * rows[place, x]
    by = scale[o]
    for x in range(width):
        rows[to, x] *= by


@compiled(inside=True)
def _choice(ops: Any, o: int, args: Any, slack: float, ties: int, rows: Any, width: int, best: Any, take: Any) -> None:
    """A choice: lane by lane a child within ``slack`` of the best in the mover's row, which is the first of a node."""
    to, first, end = ops[o, 1], ops[o, 2], ops[o, 2] + ops[o, 3]
    for lane in range(LANES):
        best[lane] = rows[args[first], lane]
    for k in range(first + 1, end):
        place = args[k]
        for lane in range(LANES):
            best[lane] = max(best[lane], rows[place, lane])
    for lane in range(LANES):
        best[lane] -= slack
        take[lane] = args[end - 1]
    if ties == NEXT_SEAT:
        for lane in range(LANES):
            most = -np.inf
            for k in range(first, end):
                if rows[args[k], lane] >= best[lane]:
                    most = max(most, rows[args[k], LANES + lane])
            for k in range(end - 1, first - 1, -1):
                if rows[args[k], lane] >= best[lane] and rows[args[k], LANES + lane] >= most - slack:
                    take[lane] = args[k]
    elif ties == REVERSED:
        for k in range(first, end):
            place = args[k]
            for lane in range(LANES):
                take[lane] = place if rows[place, lane] >= best[lane] else take[lane]
    else:
        for k in range(end - 1, first - 1, -1):
            place = args[k]
            for lane in range(LANES):
                take[lane] = place if rows[place, lane] >= best[lane] else take[lane]
    for x in range(0, width, LANES):
        for lane in range(LANES):
            rows[to, x + lane] = rows[take[lane], x + lane]


@compiled(inside=True)
def _draw(ops: Any, o: int, args: Any, lots: Any, next_lot: Any, last_lot: Any, rows: Any, width: int) -> None:
    """Lanes on which the node of ``o`` is drawn by lot get the mean, and it is noted what each edge is worth."""
    to, begin, many = ops[o, 1], ops[o, 2], ops[o, 3]
    for lane in range(LANES):
        lot = next_lot[lane]
        if lot == last_lot[lane] or lots.node[lot] != lots.node_of[o]:
            continue
        next_lot[lane] = lot + 1
        at = lots.at[lot]
        for x in range(lane, width, LANES):
            mean = 0.0
            for k in range(many):
                if lots.chances[at + k] > 0:
                    mean += lots.chances[at + k] * rows[args[begin + k], x]
            rows[to, x] = mean
        for k in range(many):
            lots.worths[at + k] = rows[args[begin + k], lane]


@compiled(inside=True)
def _lots_on(lots: Any, boards: Any, begin: int, last: int, next_lot: Any, last_lot: Any) -> bool:
    """Which lots are drawn on the boards from column ``begin`` to ``last``; are there any?"""
    found = False
    for lane in range(LANES):
        next_lot[lane] = last_lot[lane] = 0
        if begin + lane <= last:
            board = boards[begin + lane]
            next_lot[lane], last_lot[lane] = lots.first[board], lots.first[board + 1]
            found = found or lots.first[board] < lots.first[board + 1]
    return found


@compiled(inside=True)
def _gather(codes: Any, bits: int, values: Any, seats: int, rows: Any, e: int, at: int, begin: int, last: int) -> None:
    """One end of up to LANES boards from column ``begin`` on (the last one again after ``last``)."""
    mask = (1 << bits) - 1
    for lane in range(LANES):
        code = codes[e, min(begin + lane, last)]
        place, passes = code >> bits, code & mask
        for seat in range(seats):
            other = seat - passes
            rows[e, at + seat * LANES + lane] = values[place, other + seats if other < 0 else other]


@compiled()
def sweep(
    operations: Any,
    codes: Any,
    bits: int,
    values: Any,
    slack: float,
    ties: int,
    boards: Any,
    lots: Any,
    taken: Any,
    out: Any,
    begin: int,
    end: int,
) -> None:
    """Back up ``boards``, those of ``codes`` (int32, shape (ends, boards)), from column ``begin`` to ``end``.

    ``values``: float64, shape (boards and endings, seats); ``out``: float64, shape (``end - begin``, seats).
    ``taken``: int16, shape (choices, ``end - begin``), hears which edge each choice takes, unless it is empty.
    """
    operations, lots = Operations(*operations), LaidLots(*lots)
    ops, args, weights, scale = operations.ops, operations.args, operations.weights, operations.scale
    seats = values.shape[1]
    width = seats * LANES
    rows = np.zeros((operations.n_rows, width))
    best, take = np.zeros(LANES), np.zeros(LANES, dtype=np.int64)
    next_lot, last_lot = np.zeros(LANES, dtype=np.int64), np.zeros(LANES, dtype=np.int64)
    root = ops[ops.shape[0] - 1, 1]
    noted = taken.shape[0] > 0
    for block in range(begin, end, LANES):
        for e in range(codes.shape[0]):
            _gather(codes, bits, values, seats, rows, e, 0, block, end - 1)
        drawn = lots.node.shape[0] > 0 and _lots_on(lots, boards, block, end - 1, next_lot, last_lot)
        choice = 0
        for o in range(ops.shape[0]):
            if ops[o, 0] == MEAN or ops[o, 0] == EVEN:
                _mean(ops, o, args, weights, scale, rows, width)
            elif ops[o, 0] == MAX:
                _choice(ops, o, args, slack, ties, rows, width, best, take)
                if noted:
                    for lane in range(min(LANES, end - block)):
                        edge = 0
                        while args[ops[o, 2] + edge] != take[lane]:
                            edge += 1
                        taken[choice, block - begin + lane] = edge
                    choice += 1
                if drawn:
                    _draw(ops, o, args, lots, next_lot, last_lot, rows, width)
            else:
                for x in range(width):
                    rows[ops[o, 1], x] = rows[args[ops[o, 2]], x]
        for lane in range(min(LANES, end - block)):
            for seat in range(seats):
                out[block - begin + lane, seat] = rows[root, seat * LANES + lane]


@compiled()
def sweep_replies(
    operations: Any,
    codes: Any,
    bits: int,
    values: Any,
    replies: Any,
    slack: float,
    ties: int,
    boards: Any,
    lots: Any,
    out: Any,
    out_replies: Any,
    begin: int,
    end: int,
) -> None:
    """As ``sweep``, with what each seat gets (``replies``, same shape as ``values``) if it alone plays its best."""
    operations, lots = Operations(*operations), LaidLots(*lots)
    ops, args, weights, scale = operations.ops, operations.args, operations.weights, operations.scale
    seats = values.shape[1]
    width = 2 * seats * LANES
    mine = seats * LANES  # where the mover's reply stands
    rows = np.zeros((operations.n_rows, width))
    best, take, most = np.zeros(LANES), np.zeros(LANES, dtype=np.int64), np.zeros(LANES)
    next_lot, last_lot = np.zeros(LANES, dtype=np.int64), np.zeros(LANES, dtype=np.int64)
    root = ops[ops.shape[0] - 1, 1]
    for block in range(begin, end, LANES):
        for e in range(codes.shape[0]):
            _gather(codes, bits, values, seats, rows, e, 0, block, end - 1)
            _gather(codes, bits, replies, seats, rows, e, mine, block, end - 1)
        drawn = lots.node.shape[0] > 0 and _lots_on(lots, boards, block, end - 1, next_lot, last_lot)
        for o in range(ops.shape[0]):
            if ops[o, 0] == MEAN or ops[o, 0] == EVEN:
                _mean(ops, o, args, weights, scale, rows, width)
            elif ops[o, 0] == MAX:
                first, last = ops[o, 2], ops[o, 2] + ops[o, 3]
                for lane in range(LANES):
                    most[lane] = rows[args[first], mine + lane]
                for k in range(first + 1, last):
                    for lane in range(LANES):
                        most[lane] = max(most[lane], rows[args[k], mine + lane])
                _choice(ops, o, args, slack, ties, rows, width, best, take)
                if drawn:
                    _draw(ops, o, args, lots, next_lot, last_lot, rows, width)
                if ops[o, 0] == MAX:
                    for lane in range(LANES):
                        rows[ops[o, 1], mine + lane] = most[lane]
            else:
                for x in range(width):
                    rows[ops[o, 1], x] = rows[args[ops[o, 2]], x]
        for lane in range(min(LANES, end - block)):
            for seat in range(seats):
                out[block - begin + lane, seat] = rows[root, seat * LANES + lane]
                out_replies[block - begin + lane, seat] = rows[root, mine + seat * LANES + lane]
