"""The odds of one board of a luck game of several seats, as quantities; which method finds them is chosen here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import inf
from typing import Any

import numpy as np

from rollwise.solver.components.saving import KeptSolve, not_kept, part
from rollwise.solver.markov_chains.forwards import LARGE, Propagated, propagate
from rollwise.solver.markov_chains.fractions import ExactOdds, exact_odds
from rollwise.solver.markov_chains.layout import Chain
from rollwise.solver.markov_chains.rounds import LAID_OUT, goes_round, in_rounds
from rollwise.solver.markov_chains.values import Eliminated, eliminate
from rollwise.solver.model.cancellation import no_progress
from rollwise.solver.model.rounding import down, up
from rollwise.solver.model.solution import Quantity
from rollwise.solver.turn.arrays import UNIT

Report = Callable[[float], None]
Bounds = tuple[float, float, float]  # value, lower, upper

ELIMINATED = 0.7  # share of the time that elimination takes, when lengths are propagated afterwards
TURNS, LENGTHS = "turns", "length_distribution"


@dataclass(frozen=True)
class SeatOdds:
    """What one board comes to: ``shares`` from the mover to the left, the chance of a shared win, the mean number of
    turns, and what propagation found of its distribution, None where that was not asked for. ``eliminated``: what this
    is a row of.
    """

    shares: tuple[Bounds, ...]
    shared: Bounds
    turns: Bounds
    lengths: Propagated | None
    method: str
    exact: ExactOdds | None
    eliminated: Eliminated

    def quantities(self, seats: Sequence[int], n_seats: int, outcome: str) -> dict[str, Quantity]:
        """As an answer tells them: ``seats`` are those of the board's places, ``outcome`` is what shares are of."""
        told: dict[str, Quantity] = {}
        if n_seats > 1:
            told[outcome] = _by_seat(self.shares, self.exact, seats, n_seats)
            told["shared"] = _one(self.shared, self.exact.shared if self.exact else None, "probability")
        else:
            told[outcome] = _one(self.shares[0], self.exact.shares[0] if self.exact else None, "probability")
        told["length"] = _one(self.turns, self.exact.turns if self.exact else None, TURNS)
        if self.lengths is not None:
            told[LENGTHS] = _distribution(self.lengths)
        return told


def odds(
    chain: Chain,
    place: int,
    report: Report = no_progress,
    *,
    known: Eliminated | None = None,
    known_place: int = 0,
    exact: bool | None = None,
    lengths: bool | None = None,
    kept: KeptSolve = not_kept,
) -> SeatOdds:
    """The odds of a place. ``known`` is an elimination done before, in which this board has ``known_place``.

    ``exact``: True asks for fractions (and raises TooLarge), False for none, None for them where they are quick.
    ``lengths``: True asks for the distribution of the length, False for none, None for it below a million boards; in
    larger chains it takes about as long as all else, and several times the memory. ``kept`` takes up a long solve.
    """
    if lengths is None:
        lengths = chain.n_boards < LARGE
    fractions = exact_odds(chain, place, quick=not exact) if exact is not False else None
    eliminated, method = ELIMINATED if lengths else 1.0, "elimination"
    if known is None and goes_round(chain, part(report, 0.0, LAID_OUT * eliminated)):
        method, known_place = "rounds of all seats", place
        known = in_rounds(chain, part(report, LAID_OUT * eliminated, eliminated), kept)
    elif known is None:
        known, known_place = eliminate(chain, part(report, 0.0, eliminated), kept), place
    found = propagate(chain, place, report=part(report, eliminated, 1.0)) if lengths else None
    method += f" of {chain.n_levels:,} levels" if chain.n_levels > 1 else ""
    method += ", propagation of lengths" if lengths else ""
    return replace(of_row(known, known_place, chain.seats), lengths=found, method=method, exact=fractions)


def of_row(known: Eliminated, place: int, seats: int) -> SeatOdds:
    """The odds of a place that an elimination tells, with ``seats`` shares a row; no fractions and no lengths."""
    chance_error, turn_error = known.radius(place)
    row = known.values[place].tolist()
    shared = _around(row[seats], chance_error) if len(row) > seats + 1 else (0.0, 0.0, 0.0)
    is_sure = seats > 1 and np.count_nonzero(row[:seats]) == 1  # who alone can win does
    one = (1.0, 1.0, 1.0) if is_sure else None
    return SeatOdds(
        tuple((one or _around(share, chance_error)) if share else (0.0, 0.0, 0.0) for share in row[:seats]),
        shared,
        _around(row[-1], turn_error, most=inf),
        None,
        "elimination",
        None,
        known,
    )


# --- bounds --------------------------------------------------------------------------------------------------------


def _around(value: float, error: float, most: float = 1.0) -> Bounds:
    return min(value, most), max(0.0, down(value - error)), min(most, up(value + error))


def _grown(value: float, error: float, missing: float) -> Bounds:
    """A sum of chances, of which at most ``missing`` is missing."""
    return min(value, 1.0), max(0.0, down(value * (1 - error))), min(1.0, up(value * (1 + error) + missing))


# --- quantities ----------------------------------------------------------------------------------------------------


def _one(bounds: Bounds, exact: Fraction | None, unit: str) -> Quantity:
    if exact is not None:
        return Quantity.between(exact, exact, unit)
    return Quantity(*bounds, "0" if bounds == (0.0, 0.0, 0.0) else None, unit)


def _by_seat(shares: Sequence[Bounds], exact: ExactOdds | None, seats: Sequence[int], n_seats: int) -> Quantity:
    """Shares by absolute seat; those who are out have none."""
    rows = [_one((0.0, 0.0, 0.0), Fraction(0), "probability")] * n_seats
    for place, seat in enumerate(seats):
        rows[seat] = _one(shares[place], exact.shares[place] if exact else None, "probability")
    return Quantity(
        [row.value for row in rows],
        [row.lower for row in rows],
        [row.upper for row in rows],
        [row.exact for row in rows] if exact else None,
        "probability",
    )


def as_quantities(told: Mapping[str, Mapping[str, Any]]) -> dict[str, Quantity]:
    """Quantities from what their ``plain`` said, in the order they are told in, whatever a file has done to it."""
    found = {name: Quantity(**plain) for name, plain in told.items()}
    rank = {"shared": 1, "length": 2, LENGTHS: 3}
    if LENGTHS in found:
        lengths = found[LENGTHS]
        value, lower, upper = (
            {turn: part[turn] for turn in sorted(part, key=int)}
            for part in (lengths.value, lengths.lower, lengths.upper)
        )
        found[LENGTHS] = Quantity(value, lower, upper, lengths.exact, lengths.unit, lengths.tail)
    return {name: found[name] for name in sorted(found, key=lambda name: rank.get(name, 0))}


def _distribution(found: Propagated) -> Quantity:
    """The chance of each length, and what is left beyond the cut."""
    bounds = {
        str(turn): _grown(float(chance), found.error + 64 * UNIT, 0.0)
        for turn, chance in enumerate(found.lengths, 1)
        if chance
    }
    value, lower, upper = ({turn: bound[part] for turn, bound in bounds.items()} for part in range(3))
    tail = {"from": len(found.ended) + 1, "upper": found.tail}
    return Quantity(value, lower, upper, None, "probability", tail)
