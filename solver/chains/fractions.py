"""The odds of small luck games in fractions: one linear system for each set of boards that lead to each other."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from rollwise.solver.chains.layout import BITS, Chain
from rollwise.solver.game.errors import TooLarge
from rollwise.solver.order.components import components

MOST_UNKNOWNS = 20_000
MOST_TOGETHER = 200  # unknowns of one linear system
QUICK = 600  # unknowns that take well under a second
QUICK_TOGETHER = 40

Rational = Any  # flint's fmpq
Row = dict[int, Rational]


@dataclass(frozen=True)
class ExactOdds:
    """Shares from the mover to the left, the chance of a shared win, and the expected number of turns."""

    shares: tuple[Fraction, ...]
    shared: Fraction
    turns: Fraction


def exact_odds(chain: Chain, place: int, *, quick: bool = False) -> ExactOdds | None:
    """The odds of one place of a chain; with ``quick``, None where they would take about a second or more.

    Raises TooLarge where there are too many unknowns.
    """
    seats = len(chain.exact_endings[0])
    unknowns = chain.n_boards * max(1, seats)
    if unknowns > (QUICK if quick else MOST_UNKNOWNS):
        if quick:
            return None
        raise TooLarge(f"TooLarge: {chain.game} has {unknowns:,} unknown chances, fractions take {MOST_UNKNOWNS:,}")
    together = QUICK_TOGETHER if quick else MOST_TOGETHER
    most = max(_largest(rows) for rows in (_of_seats(chain)[0], _of_boards(chain)[0]))
    if most > together:
        if quick:
            return None
        raise TooLarge(
            f"TooLarge: {most:,} chances of {chain.game} depend on each other, fractions take {MOST_TOGETHER}"
        )
    shares = _solve(*_of_seats(chain))
    shared, turns = _solve(*_of_boards(chain))[place]
    return ExactOdds(
        tuple(_fraction(shares[place * seats + seat][0]) for seat in range(seats)), _fraction(shared), _fraction(turns)
    )


def _of_seats(chain: Chain) -> tuple[list[Row], list[list[Rational]]]:
    """One unknown for each place and seat on it: the seat's share."""
    from flint import fmpq

    seats = len(chain.exact_endings[0])
    endings = chain.exact_endings
    rows: list[Row] = [{} for _ in range(chain.n_boards * seats)]
    constants = [[fmpq(0)] for _ in rows]
    for place, chance, code in _each(chain):
        around = int(chain.standing[place])
        for seat in range(seats):
            unknown = place * seats + seat
            if code < 0:
                share = endings[-1 - code][seat]
                constants[unknown][0] += chance * fmpq(share.numerator, share.denominator)
            elif seat < around:
                after = (code >> BITS) * seats + (seat - (code & (1 << BITS) - 1)) % around
                rows[unknown][after] = rows[unknown].get(after, fmpq(0)) + chance
    return rows, constants


def _of_boards(chain: Chain) -> tuple[list[Row], list[list[Rational]]]:
    """One unknown a place: the chance of a shared win, and the expected number of turns."""
    from flint import fmpq

    rows: list[Row] = [{} for _ in range(chain.n_boards)]
    constants = [[fmpq(0), fmpq(1)] for _ in rows]
    shared = chain.shared
    for place, chance, code in _each(chain):
        if code < 0:
            constants[place][0] += chance * int(shared[-1 - code])
        else:
            rows[place][code >> BITS] = rows[place].get(code >> BITS, fmpq(0)) + chance
    return rows, constants


def _each(chain: Chain) -> Any:
    """(place, chance, code) of every result of every place."""
    from flint import fmpq

    for place, (root, codes) in enumerate(zip(chain.root.tolist(), chain.codes.tolist(), strict=True)):
        total = int(chain.total[root])
        for ways, code in zip(chain.ways[root].astype(np.int64).tolist(), codes, strict=True):
            if ways:
                yield place, fmpq(ways, total), code


def _edges(rows: list[Row]) -> tuple[Any, Any]:
    source = np.array([i for i, row in enumerate(rows) for _ in row], dtype=np.int64)
    target = np.array([j for row in rows for j in row], dtype=np.int64)
    return source, target


def _largest(rows: list[Row]) -> int:
    component, _ = components(len(rows), *_edges(rows))
    return int(np.bincount(component).max())


def _solve(rows: list[Row], constants: list[list[Rational]]) -> list[list[Rational]]:
    """The values at which each unknown is its constant plus its row of the others."""
    from flint import fmpq, fmpq_mat

    component, rank = components(len(rows), *_edges(rows))
    order = np.lexsort((component, rank))
    groups = np.split(order, np.flatnonzero(np.diff(component[order])) + 1)
    width = len(constants[0])
    found: list[list[Rational]] = [[] for _ in rows]
    for group in (members.tolist() for members in groups):
        at = {unknown: i for i, unknown in enumerate(group)}
        left = fmpq_mat(len(group), len(group), [fmpq(int(i == j)) for i in at for j in at])
        right = fmpq_mat(len(group), width)
        for unknown, i in at.items():
            sums = list(constants[unknown])
            for other, chance in rows[unknown].items():
                if other in at:
                    left[i, at[other]] -= chance
                else:
                    sums = [total + chance * value for total, value in zip(sums, found[other], strict=True)]
            for column, total in enumerate(sums):
                right[i, column] = total
        solved = left.solve(right)
        for unknown, i in at.items():
            found[unknown] = [solved[i, column] for column in range(width)]
    return found


def _fraction(number: Rational) -> Fraction:
    return Fraction(int(number.numerator), int(number.denominator))
