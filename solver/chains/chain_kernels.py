"""The two compiled loops over a chain of steps (numba, they release the GIL): values backwards, chances forwards.

``solver.chains.values`` has the slow twins that a test compares them with. Arrays are those of
``solver.chains.layout.Steps``; a code is a place times 16 plus a shift, or -1 less the number of an ending.
"""

from __future__ import annotations

from typing import Any

from rollwise.solver.turn.compiled import compiled

TILE = 512  # places that are swept over together


@compiled(inline="always")
def _back(
    b: int,
    codes: Any,
    root: Any,
    ways: Any,
    total: Any,
    standing: Any,
    endings: Any,
    extra: Any,
    values: Any,
    row: Any,
    out: bool,
) -> None:
    """What place ``b`` is worth by the values of what follows, into ``row``: seats, then the rest unturned.

    With ``out``, a turn that leaves everything as it was is divided out; else it counts with the place's own value.
    """
    seats = endings.shape[1]
    columns = values.shape[1]
    kind = root[b]
    around = standing[b]
    stays = 0.0
    for j in range(columns):
        row[j] = 0.0
    for c in range(codes.shape[1]):
        weight = ways[kind, c]
        if weight == 0.0:
            break
        code = codes[b, c]
        if code < 0:
            for j in range(seats):
                row[j] += weight * endings[-1 - code, j]
            for j in range(seats, columns):
                row[j] += weight * extra[-1 - code, j - seats]
            continue
        after = code >> 4
        shift = code & 15
        if out and after == b and (shift == 0 or shift == around):
            stays += weight
            continue
        for j in range(min(shift, around)):
            row[j] += weight * values[after, around - shift + j]
        for j in range(shift, around):
            row[j] += weight * values[after, j - shift]
        for j in range(seats, columns):
            row[j] += weight * values[after, j]
    row[columns - 1] += total[kind]
    for j in range(columns):
        row[j] /= total[kind] - stays


@compiled()
def sweep(
    first: int,
    end: int,
    again: int,
    close: float,
    codes: Any,
    root: Any,
    ways: Any,
    total: Any,
    standing: Any,
    endings: Any,
    extra: Any,
    values: Any,
    change: Any,
) -> None:
    """Back up the places first..end - 1 in turn, each from the newest values.

    They are taken in tiles that stay in the cache, and a tile up to ``again`` times more, until it changes by no more
    than ``close``. ``extra``, shape (endings, columns - seats): what an ending is worth in the columns after the seats;
    the last column counts turns. ``change``: float64, shape (columns,), the largest change of each column the first
    time through.
    """
    columns = values.shape[1]
    row = change.copy()
    for j in range(columns):
        change[j] = 0.0
    for tile in range(first, end, TILE):
        for time in range(1 + again):
            most = 0.0
            for b in range(tile, min(tile + TILE, end)):
                _back(b, codes, root, ways, total, standing, endings, extra, values, row, True)
                for j in range(columns):
                    moved = abs(row[j] - values[b, j])
                    if time == 0 and moved > change[j]:
                        change[j] = moved
                    if moved > most * row[j]:
                        most = moved / row[j]
                    values[b, j] = row[j]
            if most <= close:
                break


@compiled()
def residual(
    first: int,
    end: int,
    codes: Any,
    root: Any,
    ways: Any,
    total: Any,
    standing: Any,
    endings: Any,
    extra: Any,
    values: Any,
    change: Any,
) -> None:
    """The largest change that one backup of the places first..end - 1 would make, by column; nothing is written."""
    row = change.copy()
    for j in range(values.shape[1]):
        change[j] = 0.0
    for b in range(first, end):
        _back(b, codes, root, ways, total, standing, endings, extra, values, row, False)
        for j in range(values.shape[1]):
            moved = abs(row[j] - values[b, j])
            if moved > change[j]:
                change[j] = moved


@compiled()
def count_before(codes: Any, root: Any, ways: Any, start: Any) -> int:
    """How many results lead to each place: ``start``, shape (n + 2,), zeros before, holds running sums from 2 on.

    Returns the largest number.
    """
    for b in range(codes.shape[0]):
        for c in range(codes.shape[1]):
            if ways[root[b], c] > 0.0 and codes[b, c] >= 0:
                start[(codes[b, c] >> 4) + 2] += 1
    most = 0
    for b in range(codes.shape[0]):
        most = max(most, start[b + 2])
        start[b + 2] += start[b + 1]
    return most


@compiled()
def list_before(codes: Any, root: Any, ways: Any, start: Any, source: Any, kind: Any) -> None:
    """Who leads to each place: ``source`` from ``start[b]`` to ``start[b + 1]``, and by which result of which root.

    ``kind`` is root times results plus result. ``start`` is as ``count_before`` left it, and is moved into place.
    """
    for b in range(codes.shape[0]):
        for c in range(codes.shape[1]):
            if ways[root[b], c] > 0.0 and codes[b, c] >= 0:
                after = (codes[b, c] >> 4) + 1
                source[start[after]] = b
                kind[start[after]] = root[b] * codes.shape[1] + c
                start[after] += 1


@compiled()
def forward(first: int, end: int, start: Any, source: Any, kind: Any, chance: Any, before: Any, after: Any) -> None:
    """The chances of the places first..end - 1 one turn later, gathered from those that lead there."""
    for b in range(first, end):
        found = 0.0
        for k in range(start[b], start[b + 1]):
            found += before[source[k]] * chance[kind[k]]
        after[b] = found


@compiled()
def leads_inside(first: int, end: int, codes: Any, root: Any, ways: Any) -> bool:
    """True where a place of first..end - 1 leads to another of them, or to itself."""
    for b in range(first, end):
        for c in range(codes.shape[1]):
            if ways[root[b], c] > 0.0 and codes[b, c] >= 0 and first <= codes[b, c] >> 4 < end:
                return True
    return False
