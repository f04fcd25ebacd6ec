"""Exact linear systems: unknowns that are each a constant plus a sum of weight times unknown, in fractions.

Expected points, shares of a win, visits of boards, a turn under fixed moves: all of them are such systems, with few
weights a row. Unknowns that need each other are solved together, after all that they need. Where these are many,
each one that can go without making the others longer is put into the others' places, as in Gauss's method; if unknowns
lead to their neighbours only, as the points of a purse do, that is all of them. What is left is a dense matrix, for
flint.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from heapq import heapify, heappop, heappush
from typing import Any, TypeVar

from rollwise.solver.components.strongly_connected import in_order

Rational = Any  # flint's fmpq
Row = dict[int, Rational]  # weights by place in a group
Key = TypeVar("Key", bound=Hashable)

FEW = 24  # unknowns that are a small matrix, whatever leads where
FILL = 1  # Markowitz's count up to which an unknown is taken out: no more weights come than go


def rational(number: int | Fraction) -> Rational:
    """The number as flint has it."""
    from flint import fmpq

    return fmpq(number.numerator, number.denominator)


def fraction(number: Rational) -> Fraction:
    """The number as Python has it."""
    return Fraction(int(number.p), int(number.q))


def solve(
    weights: Mapping[Key, Mapping[Key, Rational]], constants: Mapping[Key, Sequence[Rational]]
) -> dict[Key, list[Rational]]:
    """The values at which every unknown x is constants[x] plus the sum of weights[x][y] * y, column by column.

    All unknowns have a row in ``weights`` and as many ``constants`` (flint's fmpq). Weights are chances, perhaps with a
    sign, and whoever follows them comes to an end: then any unknown may be taken out before any other. Raises
    ZeroDivisionError where they go round for ever.

    >>> from flint import fmpq
    >>> half, one = fmpq(1, 2), fmpq(1)
    >>> found = solve({"toss": {"toss": half}, "start": {"toss": one}}, {"toss": [one], "start": [one]})
    >>> [str(found[name][0]) for name in ("start", "toss")]
    ['3', '2']
    """
    found: dict[Key, list[Rational]] = {}
    for group in in_order(weights):
        place = {key: number for number, key in enumerate(group)}
        rows: list[Row] = []
        sums = []
        for key in group:
            row: Row = {}
            total = list(constants[key])
            for other, weight in weights[key].items():
                if other in place:
                    row[place[other]] = weight
                else:
                    _add(total, weight, found[other])
            rows.append(row)
            sums.append(total)
        found.update(zip(group, _together(rows, sums), strict=True))
    return found


def reaching(leads: Mapping[Key, Iterable[Key]], ends: Iterable[Key]) -> set[Key]:
    """The ``ends``, and all keys from which one of them can be come to.

    >>> sorted(reaching({"a": "bc", "b": "x", "c": "c"}, "x"))
    ['a', 'b', 'x']
    """
    before: dict[Key, list[Key]] = {}
    for key, following in leads.items():
        for other in following:
            before.setdefault(other, []).append(key)
    found = set(ends)
    ahead = list(found)
    while ahead:
        new = set(before.get(ahead.pop(), ())) - found
        found |= new
        ahead += new
    return found


def _together(rows: list[Row], sums: list[list[Rational]]) -> list[list[Rational]]:
    """The values of unknowns that lead to each other; takes its arguments to pieces."""
    taken = _take_out(rows, sums) if len(rows) > FEW else []
    gone = set(taken)
    left = [place for place in range(len(rows)) if place not in gone]
    if len(left) == 1:
        (last,) = left
        stays = 1 - rows[last].get(last, 0)
        sums[last] = [part / stays for part in sums[last]]
    elif left:
        for last, values in zip(left, _dense(rows, sums, left), strict=True):
            sums[last] = values
    for place in reversed(taken):
        for other, weight in rows[place].items():
            _add(sums[place], weight, sums[other])
    return sums


def _take_out(rows: list[Row], sums: list[list[Rational]]) -> list[int]:
    """Put unknowns into the places of others, as long as that is cheap; returns them in the order in which they went.

    The row and sum of each are then in terms of those that went after it, or did not go.
    """
    before: list[set[int]] = [set() for _ in rows]
    for place, row in enumerate(rows):
        for other in row:
            before[other].add(place)

    def count(place: int) -> int:
        itself = place in rows[place]
        return (len(rows[place]) - itself - 1) * (len(before[place]) - itself - 1)

    waiting = [(count(place), place) for place in range(len(rows))]
    heapify(waiting)
    taken: list[int] = []
    gone: set[int] = set()
    while waiting and len(taken) < len(rows) - 1:
        cost, place = heappop(waiting)
        if cost > FILL:
            break
        if place in gone or cost != count(place):
            continue  # it stands there again with what it costs now
        row, into = rows[place], before[place]
        stays = 1 - row.pop(place, 0)
        into.discard(place)
        for target in row:
            row[target] /= stays
            before[target].discard(place)
        sums[place] = [part / stays for part in sums[place]]
        for other in into:
            weight = rows[other].pop(place)
            _add(sums[other], weight, sums[place])
            for target, onward in row.items():
                if target in rows[other]:
                    rows[other][target] += weight * onward
                else:
                    rows[other][target] = weight * onward
                    before[target].add(other)
        for changed in {*row, *into}:
            heappush(waiting, (count(changed), changed))
        taken.append(place)
        gone.add(place)
    return taken


def _dense(rows: list[Row], sums: list[list[Rational]], left: list[int]) -> list[list[Rational]]:
    """The values of those that are ``left``, which lead to nothing else, by flint."""
    from flint import fmpq_mat

    matrix = fmpq_mat(len(left), len(left))
    place = {unknown: number for number, unknown in enumerate(left)}
    for unknown, i in place.items():
        matrix[i, i] = 1
        for other, weight in rows[unknown].items():
            matrix[i, place[other]] -= weight
    width = len(sums[left[0]])
    right = fmpq_mat(len(left), width, [part for unknown in left for part in sums[unknown]])
    solved = matrix.solve(right)
    return [[solved[i, column] for column in range(width)] for i in range(len(left))]


def _add(total: list[Rational], weight: Rational, more: list[Rational]) -> None:
    for column, part in enumerate(more):
        total[column] += weight * part
