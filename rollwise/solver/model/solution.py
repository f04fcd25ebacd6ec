"""Answers: values of moves and positions, and quantities (a number, or numbers by seat or outcome), with bounds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

from rollwise.solver.model.jsonable import Jsonable, fraction_text
from rollwise.solver.model.rounding import above, below, float_interval

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


@dataclass(frozen=True)
class FollowUpValue:
    """A move of the decision that follows at once in the same turn; ``loss``: its value below the best one's."""

    move: str
    value: float
    lower: float
    upper: float
    loss: float


@dataclass(frozen=True)
class ActionValue:
    """Value of a move to the mover, points already made included: ``lower <= true value <= upper``.

    ``exact`` where fractions are wanted; ``shares``: every seat's, where answers list seats; ``then``: the moves of a
    decision that follows at once in the same turn, best first; ``probability``: of the move, where the optimal strategy
    is mixed.
    """

    move: str
    value: float
    lower: float
    upper: float
    exact: Fraction | None = None
    shares: tuple[float, ...] | None = None
    then: tuple[FollowUpValue, ...] = ()
    probability: float | None = None

    def exactly(self, exact: Fraction) -> ActionValue:
        """The same with its fraction, from which value and bounds are rounded."""
        return ActionValue(self.move, *float_interval(exact), exact, self.shares, self.then, self.probability)


@dataclass(frozen=True)
class Answer:
    """Answer about a position: ``moves`` in the game's own order, none where there is no decision.

    ``shares``: every seat's, under the move that is played, with their lower and upper bounds, and as fractions where
    these are known (``shares_exact``). ``going_for``: by a move's name, the box that the turn then aims at, and the
    chance to score in it. ``note``: a sentence that the reader needs to read the numbers right, where there is one.
    """

    mover: int
    moves: tuple[ActionValue, ...] = ()
    shares: tuple[tuple[float, ...], tuple[float, ...], tuple[float, ...]] | None = None
    shares_exact: tuple[Fraction, ...] | None = None
    quantities: Mapping[str, Quantity] = field(default_factory=dict)
    going_for: Callable[[str], tuple[str, float] | None] = lambda move: None
    note: str = ""


@dataclass(frozen=True)
class PositionValue:
    """Value and certified bounds of a position for the seat that moved to it, points made on the way included.

    ``shares`` by seat, where answers list seats; games without decisions have nothing else.
    """

    value: float | None
    lower: float | None
    upper: float | None
    shares: tuple[float, ...] | None = None
