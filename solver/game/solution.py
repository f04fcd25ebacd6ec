"""Plain facts that answers are made of."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from rollwise.solver.game.jsonable import Jsonable
from rollwise.solver.game.rounding import above, below


@dataclass(frozen=True)
class Quantity(Jsonable):
    """One fact with its bounds: numbers, lists by seat, or chances by outcome, with what is known of the ``tail``.

    ``exact`` is a fraction as text (a list of them by seat), or None where none was computed. ``label`` says in words
    what it is; whoever shows it fills that in.
    """

    JSON = "label? value lower upper exact unit tail?"

    value: Any
    lower: Any
    upper: Any
    exact: Any
    unit: str
    tail: dict[str, Any] | None = None
    label: str = ""

    @classmethod
    def between(cls, low: Fraction, high: Fraction, unit: str) -> Quantity:
        """A number known to lie from ``low`` to ``high``; exact where they are the same."""
        exact = str(low) if low == high else None
        return cls(float((low + high) / 2), below(low), above(high), exact, unit)
