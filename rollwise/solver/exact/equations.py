"""Exact linear systems in fractions: each unknown is a constant plus a sum of weight times unknown.

Expected points, shares of a win, visits of boards, a turn under a fixed policy: all are such systems, with few weights
a row (absorbing Markov chains: Kemeny and Snell 1960). Strongly connected unknowns are solved together, after all that
they need. In a large group, sparse Gaussian elimination takes out each unknown that makes no other row longer
(Markowitz 1957); if unknowns lead to their neighbours only, as the points of a purse do, that is all of them. The rest
is a dense matrix, solved by flint.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from heapq import heapify, heappop, heappush
from typing import Any, TypeVar

from rollwise.solver.components.strongly_connected import components_in_order

Rational = Any  # flint's fmpq
Row = dict[int, Rational]  # weights by place in a group
Key = TypeVar("Key", bound=Hashable)

MAX_DENSE_UNKNOWNS = 24  # up to so many are solved as a dense matrix at once
MAX_MARKOWITZ_COUNT = 1  # Markowitz's count up to which an unknown is eliminated: the number of weights does not grow


def rational(number: int | Fraction) -> Rational:
    """The number as flint's fmpq."""
    from flint import fmpq

    return fmpq(number.numerator, number.denominator)


def fraction(number: Rational) -> Fraction:
    """The number as Python's Fraction."""
    return Fraction(int(number.p), int(number.q))


def solve(
    weights: Mapping[Key, Mapping[Key, Rational]], constants: Mapping[Key, Sequence[Rational]]
) -> dict[Key, list[Rational]]:
    """The values at which every unknown x is constants[x] plus the sum of weights[x][y] * y, column by column.

    All unknowns have a row in ``weights`` and as many ``constants`` (flint's fmpq). Weights are chances, perhaps with a
    sign, of a chain that is absorbed almost surely: then unknowns may be eliminated in any order. Raises
    ZeroDivisionError where a part of the chain is never left.

    >>> from flint import fmpq
    >>> half, one = fmpq(1, 2), fmpq(1)
    >>> solution = solve({"toss": {"toss": half}, "start": {"toss": one}}, {"toss": [one], "start": [one]})
    >>> [str(solution[name][0]) for name in ("start", "toss")]
    ['3', '2']
    """
    solution: dict[Key, list[Rational]] = {}
    for group in components_in_order(weights):
        place_of = {key: number for number, key in enumerate(group)}
        rows: list[Row] = []
        totals = []
        for key in group:
            row: Row = {}
            constant = list(constants[key])
            for other, weight in weights[key].items():
                if other in place_of:
                    row[place_of[other]] = weight
                else:
                    _add(constant, weight, solution[other])
            rows.append(row)
            totals.append(constant)
        solution.update(zip(group, _solve_group(rows, totals), strict=True))
    return solution


def can_reach(successors: Mapping[Key, Iterable[Key]], targets: Iterable[Key]) -> set[Key]:
    """The ``targets``, and all keys from which play can reach one of them.

    >>> sorted(can_reach({"a": "bc", "b": "x", "c": "c"}, "x"))
    ['a', 'b', 'x']
    """
    predecessors: dict[Key, list[Key]] = {}
    for key, reached_keys in successors.items():
        for other in reached_keys:
            predecessors.setdefault(other, []).append(key)
    reached = set(targets)
    open_keys = list(reached)
    while open_keys:
        fresh = set(predecessors.get(open_keys.pop(), ())) - reached
        reached |= fresh
        open_keys += fresh
    return reached


def _solve_group(rows: list[Row], totals: list[list[Rational]]) -> list[list[Rational]]:
    """Values of unknowns that lead to each other; overwrites its arguments."""
    eliminated = _eliminate(rows, totals) if len(rows) > MAX_DENSE_UNKNOWNS else []
    is_gone = set(eliminated)
    remaining = [place for place in range(len(rows)) if place not in is_gone]
    if len(remaining) == 1:
        (unknown,) = remaining
        pivot = 1 - rows[unknown].get(unknown, 0)
        totals[unknown] = [part / pivot for part in totals[unknown]]
    elif remaining:
        for unknown, values in zip(remaining, _solve_dense(rows, totals, remaining), strict=True):
            totals[unknown] = values
    for place in reversed(eliminated):
        for other, weight in rows[place].items():
            _add(totals[place], weight, totals[other])
    return totals


def _eliminate(rows: list[Row], totals: list[list[Rational]]) -> list[int]:
    """Substitute unknowns into the rows of others as long as that is cheap; returns them in that order.

    The row and total of each are then in terms of those that were eliminated later, or not at all.
    """
    predecessors: list[set[int]] = [set() for _ in rows]
    for place, row in enumerate(rows):
        for other in row:
            predecessors[other].add(place)

    def count(place: int) -> int:
        itself = place in rows[place]
        return (len(rows[place]) - itself - 1) * (len(predecessors[place]) - itself - 1)

    queue = [(count(place), place) for place in range(len(rows))]
    heapify(queue)
    order: list[int] = []
    eliminated: set[int] = set()
    while queue and len(order) < len(rows) - 1:
        cost, place = heappop(queue)
        if cost > MAX_MARKOWITZ_COUNT:
            break
        if place in eliminated or cost != count(place):
            continue  # it is queued again at its present cost
        row, rows_into = rows[place], predecessors[place]
        pivot = 1 - row.pop(place, 0)
        rows_into.discard(place)
        for target in row:
            row[target] /= pivot
            predecessors[target].discard(place)
        totals[place] = [part / pivot for part in totals[place]]
        for other in rows_into:
            weight = rows[other].pop(place)
            _add(totals[other], weight, totals[place])
            for target, onward in row.items():
                if target in rows[other]:
                    rows[other][target] += weight * onward
                else:
                    rows[other][target] = weight * onward
                    predecessors[target].add(other)
        for changed in {*row, *rows_into}:
            heappush(queue, (count(changed), changed))
        order.append(place)
        eliminated.add(place)
    return order


def _solve_dense(rows: list[Row], totals: list[list[Rational]], unknowns: list[int]) -> list[list[Rational]]:
    """Values of the remaining unknowns, which lead to no others, by flint."""
    from flint import fmpq_mat

    matrix = fmpq_mat(len(unknowns), len(unknowns))
    place = {unknown: number for number, unknown in enumerate(unknowns)}
    for unknown, i in place.items():
        matrix[i, i] = 1
        for other, weight in rows[unknown].items():
            matrix[i, place[other]] -= weight
    width = len(totals[unknowns[0]])
    right_hand_side = fmpq_mat(len(unknowns), width, [part for unknown in unknowns for part in totals[unknown]])
    solution = matrix.solve(right_hand_side)
    return [[solution[i, column] for column in range(width)] for i in range(len(unknowns))]


def _add(totals: list[Rational], weight: Rational, added: list[Rational]) -> None:
    for column, part in enumerate(added):
        totals[column] += weight * part
