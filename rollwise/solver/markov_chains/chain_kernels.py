"""The compiled loops of elimination (numba, they release the GIL).

Arrays are those of ``solver.markov_chains.blocks.Follows``: a code is a place times 16 plus a shift, or -1 less the number of
an ending. Elimination works on one run of places, a level or a piece of it: what leads out of it is folded into a
constant once, what stays inside is listed (``start``, ``stop``, ``target``, ``kind``; ``target`` is a place of the run
times 16 plus a shift) and solved by components. ``values`` rows are shares from the mover to the left, then the columns
that do not turn with the seats.

Where the turn passes on, a seat's share follows from shares in other columns: the next mover's column j is this one's
column j + shift. So columns are swept one after another, from the mover's on: one pass through all of them carries
values around the whole table, while a sweep of whole rows carries them on by one turn.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rollwise.solver.turn.kept_kernels import compiled

FEW = 64  # members of a component up to which they are eliminated one by one
LEAVES = 1e-9  # least chance to leave a member, once those before it are eliminated


@compiled(inside=True)
def _add(row: Any, weight: float, other: Any, shift: int, around: int, seats: int, columns: int) -> None:
    """Add another place's row, turned by the shift, times a weight."""
    if shift == 0 or seats == 1:
        for j in range(columns):
            row[j] += weight * other[j]
        return
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
    done: int,
    begun: int,
    codes: Any,
    root: Any,
    standing: Any,
    ways: Any,
    total: Any,
    seats: int,
    endings: Any,
    values: Any,
    divisor: Any,
    start: Any,
    stop: Any,
    target: Any,
    kind: Any,
) -> int:
    """Fill ``values`` of the places low..high - 1 of a run, which starts at ``first``, from what lies outside it.

    What is filled in is ways times value, not yet divided by ``divisor``: the total less the ways that leave all as it
    is. Rows that have nothing inside are divided, and so done. Results that stay in the run are listed from
    ``start[b]`` to ``stop[b]``; ``kind`` is root times results plus result. Places before ``done`` are solved, and so
    are those from ``begun`` to the run's first. Returns the last place up to which none leads past it; -1 where one
    leads to a place that is neither solved nor here.
    """
    columns = values.shape[1]
    size, width = codes.shape
    k = low * width
    reach = cut = low
    row = np.empty(columns)
    for b in range(low, high):
        if reach <= b:
            cut = b
        which, around = root[b], standing[b]
        stays = 0.0
        start[b] = k
        for j in range(columns):
            row[j] = 0.0
        for c in range(width):
            weight = ways[which, c]
            if weight == 0.0:
                break
            code = codes[b, c]
            if code < 0:
                for j in range(columns):
                    row[j] += weight * endings[-1 - code, j]
                continue
            place, shift = code >> 4, code & 15
            if shift == around:
                shift = 0
            after = place - first
            if after < 0:
                if done <= place < begun:
                    return -1
                _add(row, weight, values[place], shift, around, seats, columns)
            elif after == b and shift == 0:
                stays += weight
            else:
                reach = max(reach, after + 1)
                target[k] = after << 4 | code & 15
                kind[k] = which * width + c
                k += 1
        stop[b] = k
        row[columns - 1] += total[which]
        divisor[b] = total[which] - stays if stays < total[which] else total[which]
        by = divisor[b] if k == start[b] else 1.0
        for j in range(columns):
            values[first + b, j] = row[j] / by
    return high if reach <= size else cut


@compiled()
def arrange(
    members: Any,
    component: int,
    of: Any,
    at: Any,
    start: Any,
    stop: Any,
    target: Any,
    standing: Any,
    queue: Any,
    seat: Any,
) -> bool:
    """Put the members of a component in order, those furthest from the last one first.

    Turns go round the table, so most of what follows a member is then backed up just before it, and a sweep carries
    values around the table in any column. ``seat``, by member in that order: where its mover sits, seen from the last
    one. Returns whether that is the same whichever way play comes to it, and as many seats play on all.
    """
    size = len(members)
    for b in members:
        at[b] = -1
    queue[0] = members[-1]
    at[queue[0]] = 0
    seat[size - 1] = 0
    around = standing[queue[0]]
    found = 1
    agrees = True
    for i in range(size):
        b = queue[i]
        agrees = agrees and standing[b] == around
        for k in range(start[b], stop[b]):
            after = target[k] >> 4
            if of[after] == component:
                sits = seat[size - 1 - i] + (target[k] & 15)
                if sits >= around:
                    sits -= around
                if at[after] < 0:
                    at[after] = found
                    queue[found] = after
                    seat[size - 1 - found] = sits
                    found += 1
                agrees = agrees and seat[size - 1 - at[after]] == sits
    for i in range(size):
        members[i] = queue[size - 1 - i]
        at[members[i]] = i
    return agrees


@compiled()
def gather(
    members: Any,
    component: int,
    of: Any,
    at: Any,
    start: Any,
    stop: Any,
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
        for k in range(start[b], stop[b]):
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
def eliminate(
    members: Any,
    component: int,
    of: Any,
    at: Any,
    start: Any,
    stop: Any,
    target: Any,
    kind: Any,
    weight: Any,
    standing: Any,
    divisor: Any,
    seats: int,
    values: Any,
    seat: Any,
    matrix: Any,
    pivots: Any,
) -> bool:
    """Solve a component by elimination of its members one by one; False where they never leave it, by these numbers.

    Every seat keeps its column here, whoever moves, so all columns have the same equations.
    """
    size, columns = len(members), values.shape[1]
    around = standing[members[0]]
    row = np.empty(columns)
    for i in range(size):
        b = members[i]
        mine = matrix[i]
        for k in range(size):
            mine[k] = 0.0
        for j in range(columns):
            row[j] = values[b, j]
        for k in range(start[b], stop[b]):
            after = target[k] >> 4
            if of[after] == component:
                mine[at[after]] += weight[kind[k]]
            else:
                _add(row, weight[kind[k]], values[after], target[k] & 15, around, seats, columns)
        for j in range(columns):
            column = j + seat[i] if j < around else j
            mine[size + (column - around if j < around <= column else column)] = row[j]
        for j in range(seats, columns):
            mine[size + columns + j - seats] = row[j]
    ahead = np.empty(size, dtype=np.int64)
    for i in range(size):
        mine = matrix[i]
        pivot = divisor[members[i]] - mine[i]
        if not pivot > LEAVES * divisor[members[i]]:
            return False
        pivots[i] = inverse = 1.0 / pivot
        found = 0
        for k in range(i + 1, size):
            if mine[k] != 0.0:
                ahead[found] = k
                found += 1
        for other in range(i + 1, size):
            theirs = matrix[other]
            if theirs[i] != 0.0:
                times = theirs[i] * inverse
                for k in range(found):
                    theirs[ahead[k]] += times * mine[ahead[k]]
                for j in range(size, size + columns):
                    theirs[j] += times * mine[j]
    for i in range(size - 1, -1, -1):
        mine = matrix[i]
        for k in range(i + 1, size):
            times = mine[k]
            if times != 0.0:
                for j in range(size, size + columns):
                    mine[j] += times * matrix[k, j]
        for j in range(size, size + columns):
            mine[j] *= pivots[i]
    for i in range(size):  # once more, as numbers of turns are large, and their rounding with them
        b = members[i]
        for j in range(seats, columns):
            value = matrix[i, size + columns + j - seats]
            for k in range(start[b], stop[b]):
                after = target[k] >> 4
                if of[after] == component:
                    value += weight[kind[k]] * matrix[at[after], size + j]
            matrix[i, size + j] = value / divisor[b]
    for i in range(size):
        for j in range(columns):
            column = j + seat[i] if j < around else j
            values[members[i], j] = matrix[i, size + (column - around if j < around <= column else column)]
    return True


@compiled()
def sweep_column(
    column: int,
    seats: int,
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
    """Back up one column of the members low..high - 1 from the newest ones; the largest change.

    Of a column that does not turn it is told as a part of the number, if that is above 1. ``weight``: in how many ways
    a result of each kind comes up. ``divisor``: what a member's sum is divided by.
    """
    most = 0.0
    mine = x[column]
    turns = column < seats
    for i in range(low, high):
        if turns and column >= around[i]:
            continue
        found = constant[column, i]
        for k in range(begin[i], begin[i + 1]):
            other = column
            if turns:
                other -= onward[k] & 15
                if other < 0:
                    other += around[i]
            found += weight[by[k]] * x[other, onward[k] >> 4]
        found /= divisor[i]
        change = abs(found - mine[i])
        most = max(most, change if turns or found <= 1.0 else change / found)
        mine[i] = found
    return most


@compiled()
def close_ring(
    first: int,
    size: int,
    start: Any,
    target: Any,
    kind: Any,
    weight: Any,
    standing: Any,
    divisor: Any,
    values: Any,
    ring: Any,
    row: Any,
) -> bool:
    """Solve a ring of so many members, each of which leads to one other; False where they never leave it.

    A share of the ``first`` member is followed from column to column until it has come back.
    """
    around = standing[first]
    b = first
    for i in range(size):
        ring[i] = b
        b = target[start[b]] >> 4
    for j in range(len(row)):
        amount, chance, column, laps = 0.0, 1.0, j, 0
        while laps == 0 or column != j:
            for i in range(size):
                b = ring[i]
                chance /= divisor[b]
                amount += chance * values[b, column]
                chance *= weight[kind[start[b]]]
                if column < around:
                    column -= target[start[b]] & 15
                    if column < 0:
                        column += around
            laps += 1
        if not 1.0 - chance > LEAVES:
            return False
        row[j] = amount / (1.0 - chance)
    for i in range(size - 1, -1, -1):
        b = ring[i]
        shift, after, times = target[start[b]] & 15, target[start[b]] >> 4, weight[kind[start[b]]]
        known = row if i == size - 1 else values[after]
        for j in range(len(row)):
            column = j - shift if j < around else j
            value = values[b, j] + times * known[column if column >= 0 else column + around]
            values[b, j] = value / divisor[b]
    return True


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
    stop: Any,
    target: Any,
    kind: Any,
    weight: Any,
    standing: Any,
    divisor: Any,
    seats: int,
    values: Any,
) -> int:
    """Solve the components chosen[low..high - 1] of a run, none of which leads to a later one, each in the cache.

    Returns ``high``, or the first number whose component has to be swept; its members stand in order then.
    """
    columns = values.shape[1]
    largest = 0
    for c in chosen[low:high]:
        largest = max(largest, starts[c + 1] - starts[c])
    queue, seat = np.empty(largest, dtype=np.int32), np.empty(largest, dtype=np.int32)
    few = min(largest, FEW)
    matrices = np.empty(few * (few + 2 * columns))
    pivots, row = np.empty(few), np.empty(columns)
    for number in range(low, high):
        c = chosen[number]
        size = starts[c + 1] - starts[c]
        members = order[starts[c] : starts[c + 1]]
        if size == 1 and start[members[0]] == stop[members[0]]:
            continue
        is_ring = True
        for b in members:
            is_ring = is_ring and stop[b] == start[b] + 1 and of[target[start[b]] >> 4] == c
            is_ring = is_ring and standing[b] == standing[members[0]]
        if is_ring and close_ring(members[0], size, start, target, kind, weight, standing, divisor, values, queue, row):
            continue
        agrees = arrange(members, c, of, at, start, stop, target, standing, queue, seat)
        if agrees and size <= FEW:
            matrix = matrices[: size * (size + 2 * columns)].reshape((size, size + 2 * columns))
            if eliminate(
                members,
                c,
                of,
                at,
                start,
                stop,
                target,
                kind,
                weight,
                standing,
                divisor,
                seats,
                values,
                seat,
                matrix,
                pivots,
            ):
                continue
        return number
    return high


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
    width = codes.shape[1]
    row = np.empty(columns)
    for b in range(low, high):
        which = root[b]
        for j in range(columns):
            row[j] = 0.0
        for c in range(width):
            weight = ways[which, c]
            if weight == 0.0:
                break
            code = codes[b, c]
            if code < 0:
                for j in range(columns):
                    row[j] += weight * endings[-1 - code, j]
            else:
                _add(row, weight, values[code >> 4], code & 15, standing[b], seats, columns)
        row[columns - 1] += total[which]
        for j in range(columns):
            change[j] = max(change[j], abs(row[j] / total[which] - values[first + b, j]))
