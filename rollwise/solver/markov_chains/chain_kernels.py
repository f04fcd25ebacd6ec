"""Compiled loops that solve an absorbing Markov chain by elimination and Gauss-Seidel sweeps (numba, GIL released).

Arrays are those of ``solver.markov_chains.blocks.SuccessorCodes``: a code is a place times 16 plus a shift, or -1 less
the number of an ending. A run of places, a level or a piece of it, is solved at once: what leads out of it is folded
into a constant, edges inside are listed (``start``, ``stop``, ``target``, ``kind``; ``target`` is a place of the run
times 16 plus a shift) and solved by strongly connected components. Rows of ``values`` are shares from the mover to the
left, then the columns that do not rotate with the seats.

Where the turn passes on, a seat's share follows from shares in other columns: the next mover's column j is this one's
column j + shift. So columns are swept one after another, from the mover's on: one sweep of all of them carries values
around the whole table, while a sweep of whole rows carries them on by one turn.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rollwise.solver.turn.kernel_cache import compiled

MAX_ELIMINATED_MEMBERS = 64  # members of a component up to which it is solved by Gaussian elimination
MIN_PIVOT = 1e-9  # least pivot: the chance to leave a member, once those before it are eliminated


@compiled(inside=True)
def _add(row: Any, weight: float, other: Any, shift: int, n_standing: int, seats: int, columns: int) -> None:
    """Add another place's row, rotated by the shift, times a weight."""
    if shift == 0 or seats == 1:
        for j in range(columns):
            row[j] += weight * other[j]
        return
    for j in range(min(shift, n_standing)):
        row[j] += weight * other[n_standing - shift + j]
    for j in range(shift, n_standing):
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
    """Fill ``values`` of the places low..high - 1 of a run, which starts at ``first``, with what leads out of it.

    A row is the sum of ways times value, not yet divided by ``divisor``: the total less the ways of self-loops. Rows
    without edges inside are divided, and so solved. Edges inside are listed from ``start[b]`` to ``stop[b]``; ``kind``
    is root times results plus result. Places before ``done`` are solved, and so are those from ``begun`` to the run's
    first. Returns the last place up to which none leads past it; -1 where one leads to a place that is neither solved
    nor in the run.
    """
    columns = values.shape[1]
    size, width = codes.shape
    k = low * width
    reach = cut = low
    row = np.empty(columns)
    for b in range(low, high):
        if reach <= b:
            cut = b
        root_index, n_standing = root[b], standing[b]
        self_ways = 0.0
        start[b] = k
        for j in range(columns):
            row[j] = 0.0
        for c in range(width):
            weight = ways[root_index, c]
            if weight == 0.0:
                break
            code = codes[b, c]
            if code < 0:
                for j in range(columns):
                    row[j] += weight * endings[-1 - code, j]
                continue
            place, shift = code >> 4, code & 15
            if shift == n_standing:
                shift = 0
            after = place - first
            if after < 0:
                if done <= place < begun:
                    return -1
                _add(row, weight, values[place], shift, n_standing, seats, columns)
            elif after == b and shift == 0:
                self_ways += weight
            else:
                reach = max(reach, after + 1)
                target[k] = after << 4 | code & 15
                kind[k] = root_index * width + c
                k += 1
        stop[b] = k
        row[columns - 1] += total[root_index]
        divisor[b] = total[root_index] - self_ways if self_ways < total[root_index] else total[root_index]
        divided_by = divisor[b] if k == start[b] else 1.0
        for j in range(columns):
            values[first + b, j] = row[j] / divided_by
    return high if reach <= size else cut


@compiled()
def arrange(
    members: Any,
    component: int,
    component_of: Any,
    position: Any,
    start: Any,
    stop: Any,
    target: Any,
    standing: Any,
    queue: Any,
    seat: Any,
) -> bool:
    """Put the members of a component in Gauss-Seidel order: breadth-first from the last one, furthest first.

    Turns go round the table, so most successors of a member are then backed up just before it, and a sweep carries
    values around the table in any column. ``seat``, by member in that order: the seat of its mover, counted from that
    of the last one. Returns whether that is the same on every path, with as many seats playing on all members.
    """
    size = len(members)
    for b in members:
        position[b] = -1
    queue[0] = members[-1]
    position[queue[0]] = 0
    seat[size - 1] = 0
    n_standing = standing[queue[0]]
    n_queued = 1
    agrees = True
    for i in range(size):
        b = queue[i]
        agrees = agrees and standing[b] == n_standing
        for k in range(start[b], stop[b]):
            after = target[k] >> 4
            if component_of[after] == component:
                sits = seat[size - 1 - i] + (target[k] & 15)
                if sits >= n_standing:
                    sits -= n_standing
                if position[after] < 0:
                    position[after] = n_queued
                    queue[n_queued] = after
                    seat[size - 1 - n_queued] = sits
                    n_queued += 1
                agrees = agrees and seat[size - 1 - position[after]] == sits
    for i in range(size):
        members[i] = queue[size - 1 - i]
        position[members[i]] = i
    return agrees


@compiled()
def gather(
    members: Any,
    component: int,
    component_of: Any,
    position: Any,
    start: Any,
    stop: Any,
    target: Any,
    kind: Any,
    weight: Any,
    standing: Any,
    seats: int,
    values: Any,
    constant: Any,
    row_start: Any,
    edge_target: Any,
    edge_kind: Any,
) -> int:
    """Lay out the linear system of one component; ``values`` are the rows of the level, as ``fold`` fills them.

    ``constant``, shape (columns, members): what leads out of the component. Edges inside are listed as ``edge_target``
    (a member times 16 plus a shift) and ``edge_kind``, from ``row_start[i]`` on. Returns the number of edges.
    """
    columns = values.shape[1]
    row = np.empty(columns)
    n_edges = 0
    for i in range(len(members)):
        position[members[i]] = i
    row_start[0] = 0
    for i in range(len(members)):
        b = members[i]
        for j in range(columns):  # row[:] = values[b] would take numba a second more to compile, for its error messages
            row[j] = values[b, j]
        for k in range(start[b], stop[b]):
            after = target[k] >> 4
            if component_of[after] == component:
                edge_target[n_edges] = position[after] << 4 | target[k] & 15
                edge_kind[n_edges] = kind[k]
                n_edges += 1
            else:
                _add(row, weight[kind[k]], values[after], target[k] & 15, standing[b], seats, columns)
        row_start[i + 1] = n_edges
        for j in range(columns):
            constant[j, i] = row[j]
    return n_edges


@compiled()
def eliminate(
    members: Any,
    component: int,
    component_of: Any,
    position: Any,
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
    """Solve a component by Gaussian elimination; False where a pivot vanishes, so play hardly ever leaves it.

    Every seat has a column of its own here, whoever moves, so all columns have the same matrix.
    """
    size, columns = len(members), values.shape[1]
    n_standing = standing[members[0]]
    row = np.empty(columns)
    for i in range(size):
        b = members[i]
        pivot_row = matrix[i]
        for k in range(size):
            pivot_row[k] = 0.0
        for j in range(columns):
            row[j] = values[b, j]
        for k in range(start[b], stop[b]):
            after = target[k] >> 4
            if component_of[after] == component:
                pivot_row[position[after]] += weight[kind[k]]
            else:
                _add(row, weight[kind[k]], values[after], target[k] & 15, n_standing, seats, columns)
        for j in range(columns):
            column = j + seat[i] if j < n_standing else j
            pivot_row[size + (column - n_standing if j < n_standing <= column else column)] = row[j]
        for j in range(seats, columns):
            pivot_row[size + columns + j - seats] = row[j]
    ahead = np.empty(size, dtype=np.int64)
    for i in range(size):
        pivot_row = matrix[i]
        pivot = divisor[members[i]] - pivot_row[i]
        if not pivot > MIN_PIVOT * divisor[members[i]]:
            return False
        pivots[i] = inverse = 1.0 / pivot
        n_ahead = 0
        for k in range(i + 1, size):
            if pivot_row[k] != 0.0:
                ahead[n_ahead] = k
                n_ahead += 1
        for other in range(i + 1, size):
            other_row = matrix[other]
            if other_row[i] != 0.0:
                times = other_row[i] * inverse
                for k in range(n_ahead):
                    other_row[ahead[k]] += times * pivot_row[ahead[k]]
                for j in range(size, size + columns):
                    other_row[j] += times * pivot_row[j]
    for i in range(size - 1, -1, -1):
        pivot_row = matrix[i]
        for k in range(i + 1, size):
            times = pivot_row[k]
            if times != 0.0:
                for j in range(size, size + columns):
                    pivot_row[j] += times * matrix[k, j]
        for j in range(size, size + columns):
            pivot_row[j] *= pivots[i]
    for i in range(size):  # one step of refinement, as numbers of turns are large, and their rounding with them
        b = members[i]
        for j in range(seats, columns):
            value = matrix[i, size + columns + j - seats]
            for k in range(start[b], stop[b]):
                after = target[k] >> 4
                if component_of[after] == component:
                    value += weight[kind[k]] * matrix[position[after], size + j]
            matrix[i, size + j] = value / divisor[b]
    for i in range(size):
        for j in range(columns):
            column = j + seat[i] if j < n_standing else j
            values[members[i], j] = matrix[i, size + (column - n_standing if j < n_standing <= column else column)]
    return True


@compiled()
def sweep_column(
    column: int,
    seats: int,
    low: int,
    high: int,
    row_start: Any,
    edge_target: Any,
    edge_kind: Any,
    weight: Any,
    n_standing: Any,
    divisor: Any,
    constant: Any,
    x: Any,
) -> float:
    """Back up one column of the members low..high - 1 in place (Gauss-Seidel); returns the largest change.

    In a column that does not rotate, changes of numbers above 1 are relative. ``weight``: the number of ways of each
    kind of result. ``divisor``: what a member's sum is divided by.
    """
    largest = 0.0
    solution = x[column]
    turns = column < seats
    for i in range(low, high):
        if turns and column >= n_standing[i]:
            continue
        value = constant[column, i]
        for k in range(row_start[i], row_start[i + 1]):
            other = column
            if turns:
                other -= edge_target[k] & 15
                if other < 0:
                    other += n_standing[i]
            value += weight[edge_kind[k]] * x[other, edge_target[k] >> 4]
        value /= divisor[i]
        change = abs(value - solution[i])
        largest = max(largest, change if turns or value <= 1.0 else change / value)
        solution[i] = value
    return largest


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
    """Solve a ring of ``size`` members, each of which leads to one other; False where play hardly ever leaves it.

    A share of the ``first`` member is followed around the ring until it is back in its own column.
    """
    n_standing = standing[first]
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
                if column < n_standing:
                    column -= target[start[b]] & 15
                    if column < 0:
                        column += n_standing
            laps += 1
        if not 1.0 - chance > MIN_PIVOT:
            return False
        row[j] = amount / (1.0 - chance)
    for i in range(size - 1, -1, -1):
        b = ring[i]
        shift, after, times = target[start[b]] & 15, target[start[b]] >> 4, weight[kind[start[b]]]
        next_row = row if i == size - 1 else values[after]
        for j in range(len(row)):
            column = j - shift if j < n_standing else j
            value = values[b, j] + times * next_row[column if column >= 0 else column + n_standing]
            values[b, j] = value / divisor[b]
    return True


@compiled()
def solve_few(
    low: int,
    high: int,
    chosen: Any,
    starts: Any,
    order: Any,
    component_of: Any,
    position: Any,
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
    """Solve the components chosen[low..high - 1] of a run in topological order, none leading to a later one.

    Returns ``high``, or the first number whose component has to be swept; its members are in order then.
    """
    columns = values.shape[1]
    largest = 0
    for c in chosen[low:high]:
        largest = max(largest, starts[c + 1] - starts[c])
    queue, seat = np.empty(largest, dtype=np.int32), np.empty(largest, dtype=np.int32)
    n_eliminated = min(largest, MAX_ELIMINATED_MEMBERS)
    matrices = np.empty(n_eliminated * (n_eliminated + 2 * columns))
    pivots, row = np.empty(n_eliminated), np.empty(columns)
    for number in range(low, high):
        c = chosen[number]
        size = starts[c + 1] - starts[c]
        members = order[starts[c] : starts[c + 1]]
        if size == 1 and start[members[0]] == stop[members[0]]:
            continue
        is_ring = True
        for b in members:
            is_ring = is_ring and stop[b] == start[b] + 1 and component_of[target[start[b]] >> 4] == c
            is_ring = is_ring and standing[b] == standing[members[0]]
        if is_ring and close_ring(members[0], size, start, target, kind, weight, standing, divisor, values, queue, row):
            continue
        agrees = arrange(members, c, component_of, position, start, stop, target, standing, queue, seat)
        if agrees and size <= MAX_ELIMINATED_MEMBERS:
            matrix = matrices[: size * (size + 2 * columns)].reshape((size, size + 2 * columns))
            if eliminate(
                members,
                c,
                component_of,
                position,
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
    """Raise ``change``, by column, to the largest change in one Bellman backup of the places low..high - 1 of a level.

    The backup follows the codes alone, whole rows at a time; ``values`` are not written.
    """
    columns = values.shape[1]
    width = codes.shape[1]
    row = np.empty(columns)
    for b in range(low, high):
        root_index = root[b]
        for j in range(columns):
            row[j] = 0.0
        for c in range(width):
            weight = ways[root_index, c]
            if weight == 0.0:
                break
            code = codes[b, c]
            if code < 0:
                for j in range(columns):
                    row[j] += weight * endings[-1 - code, j]
            else:
                _add(row, weight, values[code >> 4], code & 15, standing[b], seats, columns)
        row[columns - 1] += total[root_index]
        for j in range(columns):
            change[j] = max(change[j], abs(row[j] / total[root_index] - values[first + b, j]))
