"""Odds of one board of a luck game of several seats, as quantities, and the choice of the method."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import inf
from typing import Any

import numpy as np

from rollwise.solver.components.checkpoints import Checkpointing, partial_report, without_checkpoints
from rollwise.solver.markov_chains.forwards import LARGE_CHAIN_BOARDS, LengthDistribution, propagate
from rollwise.solver.markov_chains.fractions import ExactOdds, exact_odds
from rollwise.solver.markov_chains.layout import Chain
from rollwise.solver.markov_chains.rounds import LAYOUT_SHARE, is_solved_in_rounds, run_rounds
from rollwise.solver.markov_chains.values import ChainValues, eliminate
from rollwise.solver.model.cancellation import no_progress
from rollwise.solver.model.rounding import down, up
from rollwise.solver.model.solution import Quantity
from rollwise.solver.turn.arrays import UNIT

Report = Callable[[float], None]
Bounds = tuple[float, float, float]  # value, lower, upper

ELIMINATION_SHARE = 0.7  # share of the time that elimination takes, when lengths are propagated afterwards
TURNS, LENGTHS = "turns", "length_distribution"


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
