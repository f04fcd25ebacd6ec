"""What a review counts on its way, by seat: what each choice and each throw changed, and which numbers are odd."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import isclose
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rollwise.answers.review import Step
from rollwise.match.spots import Spot
from rollwise.parsing.records import Place, placed

CLOSE = 1e-6  # a value in a record that is further off is not what is computed
BySeat = NDArray[np.float64]  # shape (seats,)


@dataclass(frozen=True)
class ReviewedDecision:
    """A choice among several moves: where it stands, who made it, and what it lost."""

    place: Place
    seat: int
    spot: Spot
    move: str
    loss: float


class Ledger:
    """By seat the value at the ``start``, what its ``own`` choices and those of ``others`` changed, and ``luck``.

    They add up to the result, but for ``off``. ``bank`` is what was earned and no question can say, ``forced`` how many
    moves were the only ones. ``taken`` are words that fit several moves, and which was meant; ``strange`` the numbers
    of the record that are not what is computed; ``steps`` are all moves, and ``names`` those that were typed, by seat.
    """

    def __init__(self, n_seats: int) -> None:
        self.place = Place(1)
        self._throw: tuple[Place, Mapping[str, Any]] | None = None  # what the record says of the next one
        self.start, self.own, self.others, self.luck, self.bank = np.zeros((5, n_seats))
        self.off = 0.0
        self.forced = [0] * n_seats
        self.decisions: list[ReviewedDecision] = []
        self.taken: list[str] = []
        self.strange: list[str] = []
        self.steps: list[Step] = []
        self.names: dict[int, str] = {}

    def choose(self, seat: int, changes: BySeat, loss: float) -> None:
        """A choice of this seat changed so much for every seat."""
        if loss:
            self.own[seat] += changes[seat]
        if loss or len(changes) > 2:
            self.others += np.where(np.arange(len(changes)) == seat, 0.0, changes)

    def gain(self, seat: int, gained: float) -> None:
        """This seat gains so much, which the others lose."""
        self.bank += np.where(np.arange(len(self.bank)) == seat, gained, -gained)

    # --- the record ---------------------------------------------------------------------------------------------------

    @contextmanager
    def at(self, place: Place) -> Iterator[None]:
        """What is done in here stands at this place, and errors say so."""
        self.place = place
        with placed(place):
            yield

    def check(self, name: str, recorded: float | None, *computed: float) -> None:
        """Is a number of the record, if it is there, one of those that may be meant?"""
        if recorded is not None and not any(is_close(recorded, number) for number in computed):
            self.strange.append(f"{self.place}: {name} {recorded:.6g}, computed {computed[0]:.6g}")

    def expect(self, line: Mapping[str, Any]) -> None:
        """This line of the record is of the throw that comes next."""
        self._throw = self.place, line

    def compare(self, seat: int, before: BySeat, after: BySeat) -> None:
        """What the record says of a throw, counted from the question before it or from the start."""
        if self._throw is not None:
            here, (self.place, line) = self.place, self._throw
            for name, computed in {"before": before[seat], "after": after[seat]}.items():
                self.check(name, line.get(name), computed, computed + self.bank[seat])
            self.place, self._throw = here, None


def is_close(number: float, other: float) -> bool:
    """Is a number of the record what is computed?"""
    return isclose(number, other, rel_tol=CLOSE, abs_tol=CLOSE)


def are_close(numbers: Sequence[float], others: BySeat) -> bool:
    """The same of a number for every seat."""
    return len(numbers) == len(others) and all(map(is_close, numbers, others))
