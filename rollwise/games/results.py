"""A field of a question: the results of a round so far, by seat, each a throw by its name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from rollwise.solver.model.dice import Faces
from rollwise.solver.model.errors import DiceError, StateError
from rollwise.solver.model.fields import Field, Form, dice_form, dice_in_text, seats_form
from rollwise.solver.model.plain import Unordered, is_nothing, parts, quoted, whole

FACES = 6
COUNTS = {2: "two", 3: "three"}


@dataclass(frozen=True)
class RoundResults(Field):
    """The results of a round by seat, as throws like 6-5; ``-`` for a seat without one (at the end it may be left out).

    ``dice`` make a throw, ``called`` names it; ``bare``: dice may be typed without separators. ``read`` returns one
    entry a seat, the name of the throw or None; an empty tuple where no seat has a result.
    """

    seats: int
    dice: ClassVar[int]
    bare: ClassVar[bool] = False
    like: ClassVar[str]  # a throw, for errors

    @property
    def by_seat(self) -> bool:
        """Always true: one entry for each seat."""
        return True

    @property
    def form(self) -> Form:
        """A throw for each seat, or none."""
        return seats_form(self.seats, dice_form(self.dice, self.dice), out=True)

    @staticmethod
    def called(dice: Faces) -> str:
        """The name of a throw."""
        raise NotImplementedError

    def read(self, value: Any) -> tuple[str | None, ...]:
        """The throws by their names."""
        listed = [] if is_nothing(value) else self._seats(value)
        if listed is None or isinstance(listed, Unordered):
            raise StateError(f"{self.name} is a list by seat like {self.like},-, got {quoted(value)}")
        if len(listed) > self.seats:
            raise StateError(f"{self.name} is a list of up to {self.seats} throws, got {len(listed)}")
        results = [self._throw(part) for part in listed]
        return (*results, *[None] * (self.seats - len(results))) if any(results) else ()

    def _seats(self, value: Any) -> list[Any] | None:
        """The entries seat by seat: spaces part seats, or the dice of the only one."""
        apart = parts(value, at_spaces=False)
        if isinstance(value, str) and apart and len(apart) == 1:
            words = parts(value) or []
            return apart if len(words) == self.dice and all(len(word) == 1 and word != "-" for word in words) else words
        return apart

    def _throw(self, part: Any) -> str | None:
        if part is None or part == "-":
            return None
        dice = dice_in_text(part) if self.bare or whole(part) is None else []
        if len(dice) != self.dice or not all(1 <= (whole(die) or 0) <= FACES for die in dice):
            typed = quoted(part).strip("'")
            raise DiceError(
                f"{self.name} names throws of {COUNTS[self.dice]} faces in 1..6 like {self.like}, got {typed}"
            )
        return self.called(tuple(dice))

    def show(self, value: Any) -> str:
        """As typed: 6-5,- or none."""
        return ",".join(name or "-" for name in value) if value else "none"

    def joins(self, word: str) -> bool:
        """True for words that can be further throws."""
        return re.fullmatch(r"[-0-9,\[\](){}]+", word) is not None


def with_result(results: Sequence[str | None], seats: int, seat: int, thrown: str) -> tuple[str | None, ...]:
    """The results by seat once this seat has one too.

    >>> with_result((), 3, 1, "6-5"), with_result(("4-4", "6-5", None), 3, 2, "2-1")
    ((None, '6-5', None), ('4-4', '6-5', '2-1'))
    """
    before = {place: each for place, each in enumerate(results)}
    return tuple(thrown if place == seat else before.get(place) for place in range(seats))
