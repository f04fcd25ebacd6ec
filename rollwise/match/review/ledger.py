"""Accounts of a review by seat: value changes by choices and by throws, and numbers that do not match."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import isclose
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rollwise.match.review.data import Step
from rollwise.match.spots import Spot
from rollwise.parsing.records import Place, at_place

VALUE_TOLERANCE = 1e-6  # relative and absolute; a value of a record further off does not match
SeatValues = NDArray[np.float64]  # shape (seats,)


@dataclass(frozen=True)
class ReviewedDecision:
    """A choice among several moves: its place in the record, seat, spot, move and loss."""

    place: Place
    seat: int
    spot: Spot
    move: str
    loss: float


class Ledger:
    """Accounts by seat: the value at the ``start``, its changes by ``own`` choices, by ``others``, by ``luck``.

    They add up to the result within ``off``. ``bank`` are points that no state contains, ``forced`` is the number of
    moves without a choice. ``ambiguous`` are notes on words that fit several moves, ``mismatches`` notes on numbers of
    the record that differ from the computed ones, ``steps`` all moves, ``names`` the typed names of players by seat.
    """

    def __init__(self, n_seats: int) -> None:
        self.place = Place(1)
        self._throw_line: tuple[Place, Mapping[str, Any]] | None = None  # the line of the record about the next throw
        self.start, self.own, self.others, self.luck, self.bank = np.zeros((5, n_seats))
        self.off = 0.0
        self.forced = [0] * n_seats
        self.decisions: list[ReviewedDecision] = []
        self.ambiguous: list[str] = []
        self.mismatches: list[str] = []
        self.steps: list[Step] = []
        self.names: dict[int, str] = {}

    def add_choice(self, seat: int, changes: SeatValues, loss: float) -> None:
        """Add the value changes of a choice of this seat."""
        if loss:
            self.own[seat] += changes[seat]
        if loss or len(changes) > 2:
            self.others += np.where(np.arange(len(changes)) == seat, 0.0, changes)

    def add_gain(self, seat: int, gained: float) -> None:
        """Add points of this seat, which the others lose."""
        self.bank += np.where(np.arange(len(self.bank)) == seat, gained, -gained)

    # --- the record ---------------------------------------------------------------------------------------------------

    @contextmanager
    def at(self, place: Place) -> Iterator[None]:
        """Set the place in the record; errors raised inside name it."""
        self.place = place
        with at_place(place):
            yield

    def check_number(self, name: str, recorded: float | None, *computed: float) -> None:
        """Note a mismatch if the record's number is close to none of the computed ones."""
        if recorded is not None and not any(is_close(recorded, number) for number in computed):
            self.mismatches.append(f"{self.place}: {name} {recorded:.6g}, computed {computed[0]:.6g}")

    def set_throw_line(self, line: Mapping[str, Any]) -> None:
        """Store the line of the record about the next throw."""
        self._throw_line = self.place, line

    def check_throw(self, seat: int, before: SeatValues, after: SeatValues) -> None:
        """Check the record's values of a throw, with and without the points in the bank."""
        if self._throw_line is not None:
            here, (self.place, line) = self.place, self._throw_line
            for name, computed in {"before": before[seat], "after": after[seat]}.items():
                self.check_number(name, line.get(name), computed, computed + self.bank[seat])
            self.place, self._throw_line = here, None


def is_close(number: float, other: float) -> bool:
    """True if two numbers agree within the tolerance."""
    return isclose(number, other, rel_tol=VALUE_TOLERANCE, abs_tol=VALUE_TOLERANCE)


def are_close(numbers: Sequence[float], others: SeatValues) -> bool:
    """True if the numbers of all seats agree within the tolerance."""
    return len(numbers) == len(others) and all(map(is_close, numbers, others))
