"""Plain facts that answers are made of."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

from rollwise.solver.model.jsonable import Jsonable
from rollwise.solver.model.long_fractions import fraction_text
from rollwise.solver.model.rounding import above, below

if TYPE_CHECKING:  # Python 3.11 knows no defaults of type variables
    from typing_extensions import TypeVar as WithDefault

    Numbers = WithDefault("Numbers", covariant=True, default=Any)
    Fractions = WithDefault("Fractions", covariant=True, default=Any)
else:
    Numbers, Fractions = TypeVar("Numbers"), TypeVar("Fractions")


@dataclass(frozen=True)
class Quantity(Jsonable, Generic[Numbers, Fractions]):
    """One fact with its bounds: a number, a list by seat, or numbers by outcome, with what is known of the ``tail``.

    ``exact`` is a fraction as text (likewise by seat, by outcome), or None where none was computed. ``label`` says in
    words what it is; whoever shows it fills that in.
    """

    JSON = "label? value lower upper exact unit tail?"

    value: Numbers
    lower: Numbers
    upper: Numbers
    exact: Fractions
    unit: str
    tail: dict[str, Any] | None = None
    label: str = ""

    @staticmethod
    def between(low: Fraction, high: Fraction, unit: str) -> OneNumber:
        """A number known to lie from ``low`` to ``high``; exact where they are the same."""
        exact = fraction_text(low) if low == high else None
        return Quantity(float((low + high) / 2), below(low), above(high), exact, unit)


OneNumber: TypeAlias = Quantity[float, str | None]
BySeat: TypeAlias = Quantity[list[float], list[str] | None]
ByOutcome: TypeAlias = Quantity[dict[str, float], dict[str, str | None] | None]
AnyQuantity: TypeAlias = OneNumber | BySeat | ByOutcome
