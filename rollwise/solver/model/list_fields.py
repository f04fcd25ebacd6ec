"""Fields that are lists of values of one sort, and the map from scores to values."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from rollwise.solver.model.errors import StateError
from rollwise.solver.model.fields import Field, Form
from rollwise.solver.model.plain import is_nothing, pairs, parts, quoted, unwrapped, whole

NUMBER = re.compile(r"[0-9]{1,9}(/[0-9]{1,9}|\.[0-9]{1,15})?|\.[0-9]{1,15}")


@dataclass(frozen=True)
class ListField(Field):
    """From one to ``most`` values of a field ``each``, in order, typed with the separator ``between``.

    With commas ``none`` is no value; with another separator it is one that is empty.
    """

    each: Field
    most: int
    between: str = ","

    @property
    def form(self) -> Form:
        """A list of numbers; else text."""
        if self.each.form["form"] == "number":
            return {"form": "list", "fewest": 1, "most": self.most, "each": self.each.form}
        return {"form": "text", "like": self.help.rpartition(", as ")[2]}

    def read(self, argument: Any) -> tuple[Any, ...]:
        """The values, in the order given."""
        members = self._members(argument)
        if not 1 <= len(members) <= self.most:
            raise StateError(f"{self.name} names 1 to {self.most}, got {len(members) or quoted(argument)}")
        return tuple(self.each.read(member) for member in members)

    def _members(self, argument: Any) -> list[Any]:
        if self.between == ",":
            members = [] if is_nothing(argument) else parts(argument)
            return [argument] if members is None else members
        if isinstance(argument, str):
            return unwrapped(argument).split(self.between)
        return argument if isinstance(argument, list) else [argument]

    def show(self, value: Any) -> str:
        """As typed: 231,187."""
        return self.between.join(map(self.each.show, value))

    def joins(self, word: str) -> bool:
        """As in each."""
        return self.each.joins(word)


@dataclass(frozen=True)
class ScoreValues(Field):
    """Values of scores from ``low`` to ``high``, each from that score on: numbers from 0 to 1, or fractions."""

    low: int
    high: int

    @property
    def form(self) -> Form:
        """Text."""
        return {"form": "text", "like": "200:1/2,250:1"}

    def read(self, argument: Any) -> dict[int, Fraction]:
        """Worths by score, ascending."""
        items = [] if is_nothing(argument) else pairs(argument)
        if not items:
            raise StateError(f"{self.name} is a list of score:worth like {self.form['like']}, got {quoted(argument)}")
        worths: dict[int, Fraction] = {}
        for key, value in items:
            score, worth = whole(key), fraction(value)
            if score is None or not self.low <= score <= self.high:
                raise StateError(f"{self.name} names scores from {self.low} to {self.high}, got {quoted(key)}")
            if score in worths:
                raise StateError(f"{self.name} names {score} twice")
            if worth is None or not 0 <= worth <= 1:
                raise StateError(f"{self.name} of {score} is from 0 to 1, got {quoted(value)}")
            worths[score] = worth
        return dict(sorted(worths.items()))

    def show(self, value: Mapping[int, Fraction]) -> str:
        """As typed: 200:1/2,250:1."""
        return ",".join(f"{score}:{worth}" for score, worth in value.items())


def fraction(argument: Any) -> Fraction | None:
    """A number that is not below 0, in figures as they are read: 0.1 is a tenth; None for anything else.

    >>> fraction("1/3"), fraction(0.1), fraction("1/0")
    (Fraction(1, 3), Fraction(1, 10), None)
    """
    if isinstance(argument, str) and not NUMBER.fullmatch(argument.strip()):
        return None
    if isinstance(argument, bool) or not isinstance(argument, str | int | float):
        return None
    try:
        return Fraction(str(argument).strip())
    except (ValueError, ZeroDivisionError):  # nan, inf; 1/0
        return None
