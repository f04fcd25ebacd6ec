"""The compiled loops of elimination (numba, they release the GIL).

Arrays are those of ``solver.chains.layout.Follows``: a code is a place times 16 plus a shift, or -1 less the number of
an ending. Elimination works on one run of places, a level: what leads out of it is folded into a constant once, what
stays inside is listed (``start``, ``target``, ``kind``; ``target`` is a place of the run times 16 plus a shift) and
swept over. ``values`` rows are shares from the mover to the left, then the columns that do not turn with the seats.

Where the turn passes on, a seat's share follows from shares in other columns: the next mover's column j is this one's
column j + shift. So columns are swept one after another, from the mover's on: one pass through all of them carries
values around the whole table, while a sweep of whole rows carries them on by one turn.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rollwise.solver.turn.kept_kernels import compiled

NEAR = 64.0  # times as much as need be is a small step
TOGETHER = 3  # seats from which all shares of a board are backed up together ...
SMALL = 256  # ... in components of up to so many boards
PATIENCE = 8  # sweeps without progress before a component is left to the certificate


@compiled(inside=True)
def _add(row: Any, weight: float, other: Any, shift: int, around: int, seats: int, columns: int) -> None:
    """Add another place's row, turned by the shift, times a weight."""
    for j in range(min(shift, around)):
        row[j] += weight * other[around - shift + j]
    for j in range(shift, around):
        row[j] += weight * other[j - shift]
    for j in range(seats, columns):
        row[j] += weight * other[j]


@compiled()
def fold(
    low: int,
    high: int,
    first: int,
    codes: Any,
    root: Any,
    standing: Any,
    ways: Any,
    total: Any,
    seats: int,
    endings: Any,
    values: Any,
    divisor: Any,
    inside: Any,
) -> int:
    """Fill ``values`` of the places low..high - 1 of a level, which starts at ``first``, from what lies outside it.

    What is filled in is ways times value, not yet divided by ``divisor``: the total less the ways that leave all as it
    is. Rows that have nothing inside are divided, and so done. ``inside[1 + b]``: how many results stay in the level.
    Returns a place of the level that leads behind it, -1 if none does.
    """
    columns = values.shape[1]
    for b in range(low, high):
        kind, around = root[b], standing[b]
        stays = 0.0
        inner = 0
        row = values[first + b]
        row[:] = 0.0
        for c in range(codes.shape[1]):
            weight = ways[kind, c]
            if weight == 0.0:
                break
            code = codes[b, c]
            if code < 0:
                for j in range(columns):
                    row[j] += weight * endings[-1 - code, j]
                continue
            after = (code >> 4) - first
            shift = code & 15
            if after >= codes.shape[0]:
                return b
            if after < 0:
                _add(row, weight, values[code >> 4], shift, around, seats, columns)
            elif after == b and (shift == 0 or shift == around):
                stays += weight
            else:
                inner += 1
        row[columns - 1] += total[kind]
        divisor[b] = total[kind] - stays if stays < total[kind] else total[kind]
        inside[1 + b] = inner
        if inner == 0:
            for j in range(columns):
                row[j] /= divisor[b]
    return -1


@compiled()
def list_inside(
    low: int,
    high: int,
    first: int,
    codes: Any,
    root: Any,
    standing: Any,
    ways: Any,
    start: Any,
    target: Any,
    kind: Any,
) -> None:
    """List the results that ``fold`` counted, from ``start[b]`` on; ``kind`` is root times results plus result."""
    for b in range(low, high):
        k = start[b]
        if k == start[b + 1]:
            continue
        for c in range(codes.shape[1]):
            if ways[root[b], c] == 0.0:
                break
            after = (codes[b, c] >> 4) - first
            shift = codes[b, c] & 15
            if codes[b, c] >= 0 and after >= 0 and not (after == b and (shift == 0 or shift == standing[b])):
                target[k] = after << 4 | shift
                kind[k] = root[b] * codes.shape[1] + c
                k += 1


@compiled()
def arrange(members: Any, component: int, of: Any, at: Any, start: Any, target: Any, queue: Any) -> None:
    """Put the members of a component in order, those furthest from the last one first.

    Turns go round the table, so most of what follows a member is then backed up just before it, and a sweep carries
    values around the table in any column.
    """
    for b in members:
        at[b] = -1
    queue[0] = members[-1]
    at[queue[0]] = 0
    found = 1
    for i in range(len(members)):
        b = queue[i]
        for k in range(start[b], start[b + 1]):
            after = target[k] >> 4
            if of[after] == component and at[after] < 0:
                at[after] = found
                queue[found] = after
                found += 1
    for i in range(len(members)):
        members[i] = queue[len(members) - 1 - i]


@compiled()
def gather(
    members: Any,
    component: int,
    of: Any,
    at: Any,
    start: Any,
    target: Any,
    kind: Any,
    weight: Any,
    standing: Any,
    seats: int,
    values: Any,
    constant: Any,
    begin: Any,
    onward: Any,
    by: Any,
) -> int:
    """Lay out one component of a level for itself; ``values`` are the rows of the level, as ``fold`` left them.

    ``constant``, shape (columns, members): what leads out of the component. What stays inside is listed as ``onward``
    (a member times 16 plus a shift) and ``by``, its ``kind``, from ``begin[i]`` on. Returns how much that is.
    """
    columns = values.shape[1]
    row = np.empty(columns)
    edges = 0
    for i in range(len(members)):
        at[members[i]] = i
    begin[0] = 0
    for i in range(len(members)):
        b = members[i]
        for j in range(columns):  # numba words what would be wrong with row[:] = values[b] by a second of compiling
            row[j] = values[b, j]
        for k in range(start[b], start[b + 1]):
            after = target[k] >> 4
            if of[after] == component:
                onward[edges] = at[after] << 4 | target[k] & 15
                by[edges] = kind[k]
                edges += 1
            else:
                _add(row, weight[kind[k]], values[after], target[k] & 15, standing[b], seats, columns)
        begin[i + 1] = edges
        for j in range(columns):
            constant[j, i] = row[j]
    return edges


@compiled()
def sweep_seat(
    seat: int,
    low: int,
    high: int,
    begin: Any,
    onward: Any,
    by: Any,
    weight: Any,
    around: Any,
    divisor: Any,
    constant: Any,
    x: Any,
) -> float:
    """Back up one seat's shares of the members low..high - 1 from the newest ones; the largest change.

    ``weight``: in how many ways a result of each kind comes up. ``divisor``: what a member's sum is divided by.
    """
    most = 0.0
    mine = x[seat]
    for i in range(low, high):
        if seat >= around[i]:
            continue
        found = constant[seat, i]
        for k in range(begin[i], begin[i + 1]):
            column = seat - (onward[k] & 15)
            if column < 0:
                column += around[i]
            found += weight[by[k]] * x[column, onward[k] >> 4]
        found /= divisor[i]
        most = max(most, abs(found - mine[i]))
        mine[i] = found
    return most


@compiled()
def sweep_beside(
    low: int, high: int, begin: Any, onward: Any, by: Any, weight: Any, divisor: Any, constant: Any, x: Any
) -> float:
    """The same for a column that does not turn; the largest change as a part of the number, if that is above 1."""
    most = 0.0
    for i in range(low, high):
        found = constant[i]
        for k in range(begin[i], begin[i + 1]):
            found += weight[by[k]] * x[onward[k] >> 4]
        found /= divisor[i]
        most = max(most, abs(found - x[i]) / max(1.0, found))
        x[i] = found
    return most


@compiled()
def sweep_rows(
    size: int,
    around: int,
    begin: Any,
    onward: Any,
    by: Any,
    weight: Any,
    divisor: Any,
    constant: Any,
    stride: int,
    rows: Any,
) -> float:
    """Back up the shares of all members, all seats together, eight at a time; the largest change.

    Where ``around`` seats play on every board of the component. ``rows``: a member's shares twice over, from its number
    times ``stride`` on, so that they stand in order wherever one begins; behind them is room for seven more.
    """
    most = 0.0
    found = np.empty(16)
    for i in range(size):
        for low in range(0, around, 8):
            a = b = c = d = e = f = g = h = 0.0
            for k in range(begin[i], begin[i + 1]):
                at = (onward[k] >> 4) * stride + around - (onward[k] & 15) + low
                times = weight[by[k]]
                a += times * rows[at]
                b += times * rows[at + 1]
                c += times * rows[at + 2]
                d += times * rows[at + 3]
                e += times * rows[at + 4]
                f += times * rows[at + 5]
                g += times * rows[at + 6]
                h += times * rows[at + 7]
            found[low], found[low + 1], found[low + 2], found[low + 3] = a, b, c, d
            found[low + 4], found[low + 5], found[low + 6], found[low + 7] = e, f, g, h
        at = i * stride
        for j in range(around):
            value = (constant[j, i] + found[j]) / divisor[i]
            most = max(most, abs(value - rows[at + j]))
            rows[at + j] = rows[at + around + j] = value
    return most


@compiled(inside=True)
def is_still(most: float, least: float, close: float) -> bool:
    """Would one more sweep move nothing by more than ``close``? The last ones moved ``least``, then ``most``.

    Sweeps may slow down, so what they did is believed of one more step only where that is a small one.
    """
    return most <= close or (most <= NEAR * close and most * most <= close * least)


@compiled()
def solve_few(
    low: int,
    high: int,
    chosen: Any,
    starts: Any,
    order: Any,
    of: Any,
    at: Any,
    start: Any,
    target: Any,
    kind: Any,
    weight: Any,
    standing: Any,
    divisor: Any,
    seats: int,
    close: float,
    most_sweeps: int,
    values: Any,
) -> int:
    """Solve the components chosen[low..high - 1] of a level, which do not lead to each other, each in the cache.

    Returns the number of backups of single members' columns.
    """
    columns = values.shape[1]
    largest = most_edges = 0
    for c in chosen[low:high]:
        edges = 0
        for i in range(starts[c], starts[c + 1]):
            edges += start[order[i] + 1] - start[order[i]]
        largest = max(largest, starts[c + 1] - starts[c])
        most_edges = max(most_edges, edges)
    constant, x = np.empty((columns, largest)), np.empty((columns, largest))
    around, total = np.empty(largest, dtype=standing.dtype), np.empty(largest)
    begin, onward = np.empty(largest + 1, dtype=np.int32), np.empty(most_edges, dtype=np.int32)
    by = np.empty(most_edges, dtype=kind.dtype)
    queue = np.empty(largest, dtype=np.int32)
    stride = 2 * seats + 8
    rows = np.zeros(largest * stride)
    done = 0
    for c in chosen[low:high]:
        size = starts[c + 1] - starts[c]
        members = order[starts[c] : starts[c + 1]]
        if size == 1 and start[members[0]] == start[members[0] + 1]:
            continue
        arrange(members, c, of, at, start, target, queue)
        edges = gather(
            members, c, of, at, start, target, kind, weight, standing, seats, values, constant, begin, onward, by
        )
        for i in range(size):
            around[i] = standing[members[i]]
            total[i] = divisor[members[i]]
            for j in range(columns):
                x[j, i] = constant[j, i] / total[i]
        if edges > 0:
            together = seats >= TOGETHER and size <= SMALL
            for i in range(size):
                together = together and around[i] == around[0]
            if together:
                for i in range(size):
                    for j in range(around[0]):
                        rows[i * stride + j] = rows[i * stride + around[0] + j] = x[j, i]
            least, waited = np.inf, 0
            for _ in range(most_sweeps):
                most = 0.0
                if together:
                    most = sweep_rows(size, around[0], begin, onward, by, weight, total, constant, stride, rows)
                else:
                    for seat in range(seats):
                        most = max(
                            most, sweep_seat(seat, 0, size, begin, onward, by, weight, around, total, constant, x)
                        )
                done += size * seats
                if is_still(most, least, close) or waited >= PATIENCE:
                    break
                waited = 0 if most < least else waited + 1
                least = min(least, most)
            if together:
                for i in range(size):
                    for j in range(around[0]):
                        x[j, i] = rows[i * stride + j]
            for j in range(seats, columns):
                least, waited = np.inf, 0
                for _ in range(most_sweeps):
                    most = sweep_beside(0, size, begin, onward, by, weight, total, constant[j], x[j])
                    done += size
                    if is_still(most, least, close / 4) or waited >= PATIENCE:
                        break
                    waited = 0 if most < least else waited + 1
                    least = min(least, most)
        for i in range(size):
            for j in range(columns):
                values[members[i], j] = x[j, i]
    return done


@compiled()
def residual(
    low: int,
    high: int,
    first: int,
    codes: Any,
    root: Any,
    standing: Any,
    ways: Any,
    total: Any,
    seats: int,
    endings: Any,
    values: Any,
    change: Any,
) -> None:
    """The largest change that one backup of the places low..high - 1 of a level would make, into ``change``, by column.

    It is worked out from the codes alone, whole rows at a time; nothing is written.
    """
    columns = values.shape[1]
    row = np.empty(columns)
    for b in range(low, high):
        kind = root[b]
        row[:] = 0.0
        for c in range(codes.shape[1]):
            weight = ways[kind, c]
            if weight == 0.0:
                break
            code = codes[b, c]
            if code < 0:
                for j in range(columns):
                    row[j] += weight * endings[-1 - code, j]
            else:
                _add(row, weight, values[code >> 4], code & 15, standing[b], seats, columns)
        row[columns - 1] += total[kind]
        for j in range(columns):
            change[j] = max(change[j], abs(row[j] / total[kind] - values[first + b, j]))
