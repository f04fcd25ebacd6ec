"""Quantities of answers: a number, or numbers by seat or outcome, with bounds."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

from rollwise.solver.model.jsonable import Jsonable, fraction_text
from rollwise.solver.model.rounding import above, below

if TYPE_CHECKING:  # Python 3.11 has no defaults of type variables
    from typing_extensions import TypeVar as WithDefault

    Numbers = WithDefault("Numbers", covariant=True, default=Any)
    Fractions = WithDefault("Fractions", covariant=True, default=Any)
else:
    Numbers, Fractions = TypeVar("Numbers"), TypeVar("Fractions")


@dataclass(frozen=True)
class Quantity(Jsonable, Generic[Numbers, Fractions]):
    """One quantity with its bounds: a number, a list by seat, or numbers by outcome, with bounds of the ``tail``.

    ``exact`` is a fraction as text (likewise by seat, by outcome), or None where none was computed. ``label`` is its
    description, which pages fill in.
    """

    label: str = field(default="", kw_only=True)
    value: Numbers
    lower: Numbers
    upper: Numbers
    exact: Fractions
    unit: str
    tail: dict[str, Any] | None = None

    @staticmethod
    def between(low: Fraction, high: Fraction, unit: str) -> OneNumber:
        """A number between ``low`` and ``high``; exact where they are equal."""
        exact = fraction_text(low) if low == high else None
        return Quantity(float((low + high) / 2), below(low), above(high), exact, unit)


OneNumber: TypeAlias = Quantity[float, str | None]
BySeat: TypeAlias = Quantity[list[float], list[str] | None]
ByOutcome: TypeAlias = Quantity[dict[str, float], dict[str, str | None] | None]
AnyQuantity: TypeAlias = OneNumber | BySeat | ByOutcome
