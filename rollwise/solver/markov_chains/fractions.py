"""Exact odds of small luck games: one rational linear system for each strongly connected component of boards."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from rollwise.solver.components.strongly_connected import components_in_order
from rollwise.solver.exact.equations import Rational, fraction, rational, solve
from rollwise.solver.markov_chains.layout import SHIFT_BITS, Chain
from rollwise.solver.model.sheet import no_fractions
from rollwise.solver.turn.perspective import unpack_codes

MAX_UNKNOWNS = 20_000
MAX_SYSTEM_UNKNOWNS = 200  # unknowns of one linear system
QUICK_UNKNOWNS = 600  # unknowns that take well under a second
QUICK_SYSTEM_UNKNOWNS = 40

Rows = dict[int, dict[int, Rational]]  # by unknown: the chances of others
System = tuple[Rows, dict[int, list[Rational]]]  # as ``solver.exact.equations`` solves it


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
    if unknowns > (QUICK_UNKNOWNS if quick else MAX_UNKNOWNS):
        if quick:
            return None
        raise no_fractions(chain.game)
    max_system = QUICK_SYSTEM_UNKNOWNS if quick else MAX_SYSTEM_UNKNOWNS
    by_seat, by_board = _share_system(chain), _board_system(chain)
    largest = max(len(group) for rows, _ in (by_seat, by_board) for group in components_in_order(rows))
    if largest > max_system:
        if quick:
            return None
        raise no_fractions(chain.game)
    shares = solve(*by_seat)
    shared, turns = solve(*by_board)[place]
    return ExactOdds(
        tuple(fraction(shares[place * seats + seat][0]) for seat in range(seats)), fraction(shared), fraction(turns)
    )


def _share_system(chain: Chain) -> System:
    """Linear system of the shares: one unknown for each place and seat on it."""
    from flint import fmpq

    seats = len(chain.exact_endings[0])
    rows: Rows = {unknown: {} for unknown in range(chain.n_boards * seats)}
    constants = {unknown: [fmpq(0)] for unknown in rows}
    endings = chain.exact_endings
    for place, chance, code in _each_result(chain):
        around = int(chain.standing[place])
        following, passes = unpack_codes(code, SHIFT_BITS)
        for seat in range(seats):
            unknown = place * seats + seat
            if code < 0:
                share = endings[-1 - code][seat]
                constants[unknown][0] += chance * rational(share)
            elif seat < around:
                after = following * seats + (seat - passes) % around
                rows[unknown][after] = rows[unknown].get(after, fmpq(0)) + chance
    return rows, constants


def _board_system(chain: Chain) -> System:
    """Linear system of the chance of a shared win and of the expected turns: one unknown a place."""
    from flint import fmpq

    rows: Rows = {place: {} for place in range(chain.n_boards)}
    constants = {place: [fmpq(0), fmpq(1)] for place in rows}
    shared = chain.shared
    for place, chance, code in _each_result(chain):
        if code < 0:
            constants[place][0] += chance * int(shared[-1 - code])
        else:
            following, _ = unpack_codes(code, SHIFT_BITS)
            rows[place][following] = rows[place].get(following, fmpq(0)) + chance
    return rows, constants


def _each_result(chain: Chain) -> Any:
    """(place, chance, code) of every result of every place."""
    from flint import fmpq

    for place, (root, codes) in enumerate(zip(chain.root.tolist(), chain.codes.tolist(), strict=True)):
        total = int(chain.total[root])
        for ways, code in zip(chain.ways[root].astype(np.int64).tolist(), codes, strict=True):
            if ways:
                yield place, fmpq(ways, total), code
