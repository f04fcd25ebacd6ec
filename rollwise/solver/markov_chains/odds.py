"""Odds of one board of a luck game of several seats, as quantities, and the choice of the method."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import inf
from typing import Any

import numpy as np

from rollwise.solver.components.checkpoints import Checkpointing, partial_report, without_checkpoints
from rollwise.solver.components.strongly_connected import components_in_order
from rollwise.solver.exact.equations import Rational, fraction, rational, solve
from rollwise.solver.markov_chains.forwards import LARGE_CHAIN_BOARDS, LengthDistribution, propagate
from rollwise.solver.markov_chains.layout import SHIFT_BITS, Chain
from rollwise.solver.markov_chains.rounds import LAYOUT_SHARE, is_solved_in_rounds, run_rounds
from rollwise.solver.markov_chains.values import ChainValues, eliminate
from rollwise.solver.model.cancellation import no_progress
from rollwise.solver.model.rounding import down, up
from rollwise.solver.model.sheet import no_fractions
from rollwise.solver.model.solution import Quantity
from rollwise.solver.turn.arrays import UNIT
from rollwise.solver.turn.perspective import unpack_codes

Report = Callable[[float], None]
Bounds = tuple[float, float, float]  # value, lower, upper

ELIMINATION_SHARE = 0.7  # share of the time that elimination takes, when lengths are propagated afterwards
TURNS, LENGTHS = "turns", "length_distribution"
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


@dataclass(frozen=True)
class SeatOdds:
    """Odds of one board: ``shares`` from the mover to the left, the chance of a shared win, the mean number of turns,
    and the distribution of lengths, None where it is not computed. ``eliminated``: the values that have this row.
    """

    shares: tuple[Bounds, ...]
    shared: Bounds
    turns: Bounds
    lengths: LengthDistribution | None
    method: str
    exact: ExactOdds | None
    eliminated: ChainValues

    def quantities(self, seats: Sequence[int], n_seats: int, outcome: str) -> dict[str, Quantity]:
        """Quantities by name: ``seats`` are those of the board's places, ``outcome`` names the shares."""
        named: dict[str, Quantity] = {}
        if n_seats > 1:
            named[outcome] = _by_seat(self.shares, self.exact, seats, n_seats)
            named["shared"] = _quantity(self.shared, self.exact.shared if self.exact else None, "probability")
        else:
            named[outcome] = _quantity(self.shares[0], self.exact.shares[0] if self.exact else None, "probability")
        named["length"] = _quantity(self.turns, self.exact.turns if self.exact else None, TURNS)
        if self.lengths is not None:
            named[LENGTHS] = _distribution(self.lengths)
        return named


def odds(
    chain: Chain,
    place: int,
    report: Report = no_progress,
    *,
    rows: ChainValues | None = None,
    rows_place: int = 0,
    exact: bool | None = None,
    lengths: bool | None = None,
    saving: Checkpointing = without_checkpoints,
) -> SeatOdds:
    """The odds of a place. ``rows`` is an earlier elimination, in which this board has ``rows_place``.

    ``exact``: True for fractions (raises TooLarge), False for none, None for fractions where they are quick.
    ``lengths``: True for the distribution of the length, False for none, None for it below a million boards; in
    larger chains it takes about as long as all else, and several times the memory. ``saving`` resumes a solve.
    """
    if lengths is None:
        lengths = chain.n_boards < LARGE_CHAIN_BOARDS
    fractions = exact_odds(chain, place, quick=not exact) if exact is not False else None
    eliminated, method = ELIMINATION_SHARE if lengths else 1.0, "elimination"
    if rows is None and is_solved_in_rounds(chain, partial_report(report, 0.0, LAYOUT_SHARE * eliminated)):
        method, rows_place = "rounds of all seats", place
        rows = run_rounds(chain, partial_report(report, LAYOUT_SHARE * eliminated, eliminated), saving)
    elif rows is None:
        rows, rows_place = eliminate(chain, partial_report(report, 0.0, eliminated), saving), place
    distribution = propagate(chain, place, report=partial_report(report, eliminated, 1.0)) if lengths else None
    method += f" of {chain.n_levels:,} levels" if chain.n_levels > 1 else ""
    method += ", propagation of lengths" if lengths else ""
    return replace(odds_of_row(rows, rows_place, chain.seats), lengths=distribution, method=method, exact=fractions)


def odds_of_row(rows: ChainValues, place: int, seats: int) -> SeatOdds:
    """The odds of a place from a row of an elimination, with ``seats`` shares a row; no fractions and no lengths."""
    chance_error, turn_error = rows.radius(place)
    row = rows.values[place].tolist()
    shared = _interval(row[seats], chance_error) if len(row) > seats + 1 else (0.0, 0.0, 0.0)
    is_certain = seats > 1 and np.count_nonzero(row[:seats]) == 1  # the only seat that can win wins almost surely
    one = (1.0, 1.0, 1.0) if is_certain else None
    return SeatOdds(
        tuple((one or _interval(share, chance_error)) if share else (0.0, 0.0, 0.0) for share in row[:seats]),
        shared,
        _interval(row[-1], turn_error, most=inf),
        None,
        "elimination",
        None,
        rows,
    )


# --- bounds --------------------------------------------------------------------------------------------------------


def _interval(value: float, error: float, most: float = 1.0) -> Bounds:
    return min(value, most), max(0.0, down(value - error)), min(most, up(value + error))


def _relative_interval(value: float, error: float, missing: float) -> Bounds:
    """(value, lower, upper) of a sum of chances with a relative error, which lacks at most ``missing``."""
    return min(value, 1.0), max(0.0, down(value * (1 - error))), min(1.0, up(value * (1 + error) + missing))


# --- quantities ----------------------------------------------------------------------------------------------------


def _quantity(bounds: Bounds, exact: Fraction | None, unit: str) -> Quantity:
    if exact is not None:
        return Quantity.between(exact, exact, unit)
    return Quantity(*bounds, "0" if bounds == (0.0, 0.0, 0.0) else None, unit)


def _by_seat(shares: Sequence[Bounds], exact: ExactOdds | None, seats: Sequence[int], n_seats: int) -> Quantity:
    """Shares by absolute seat; seats that are out have none."""
    rows = [_quantity((0.0, 0.0, 0.0), Fraction(0), "probability")] * n_seats
    for place, seat in enumerate(seats):
        rows[seat] = _quantity(shares[place], exact.shares[place] if exact else None, "probability")
    return Quantity(
        [row.value for row in rows],
        [row.lower for row in rows],
        [row.upper for row in rows],
        [row.exact for row in rows] if exact else None,
        "probability",
    )


def as_quantities(plain_quantities: Mapping[str, Mapping[str, Any]]) -> dict[str, Quantity]:
    """Quantities from their ``plain`` data, in the order of answers, since a file may have changed the order."""
    quantities = {name: Quantity(**plain) for name, plain in plain_quantities.items()}
    rank = {"shared": 1, "length": 2, LENGTHS: 3}
    if LENGTHS in quantities:
        lengths = quantities[LENGTHS]
        value, lower, upper = (
            {turn: part[turn] for turn in sorted(part, key=int)}
            for part in (lengths.value, lengths.lower, lengths.upper)
        )
        quantities[LENGTHS] = Quantity(value, lower, upper, lengths.exact, lengths.unit, lengths.tail)
    return {name: quantities[name] for name in sorted(quantities, key=lambda name: rank.get(name, 0))}


def _distribution(lengths: LengthDistribution) -> Quantity:
    """The chance of each length, and the tail beyond the cut."""
    bounds = {
        str(turn): _relative_interval(float(chance), lengths.error + 64 * UNIT, 0.0)
        for turn, chance in enumerate(lengths.lengths, 1)
        if chance
    }
    value, lower, upper = ({turn: bound[part] for turn, bound in bounds.items()} for part in range(3))
    tail = {"from": len(lengths.ended) + 1, "upper": lengths.tail}
    return Quantity(value, lower, upper, None, "probability", tail)
