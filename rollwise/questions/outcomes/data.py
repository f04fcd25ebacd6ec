"""The answer of ``outcomes``: the outcomes of a move, as plain data."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Annotated, Any, Literal

from rollwise.questions.question import Assumed
from rollwise.solver.kinds.outcomes import Throw
from rollwise.solver.model.jsonable import HIDDEN, Jsonable


def int_if_whole(number: Fraction | float) -> float:
    """The number as an int if it is whole, else as a float."""
    return int(number) if number == int(number) else float(number)


def _none_if_empty(text: str) -> str | None:
    return text or None


@dataclass(frozen=True, kw_only=True)
class OutcomeRow(Jsonable):
    """One outcome of a move: its ``chance``, the dice, the state that follows or how the game ended, and its value.

    ``thrown`` are the throws that lead to it. ``state`` has the fields of the next question (``-`` in a list is a seat
    that is out, or has nothing there yet), None where the game is over (``ended``: won, lost, shared or over, for the
    player of the move) and past a proven cut, where ``value`` is None too. ``mover`` is the seat that moves next.
    ``value``, ``lower`` and ``upper`` are for the mover of the question, ``gained`` is the part of it that the next
    state does not show. ``shares`` are by seat, where answers list seats; games without choices have nothing else.
    ``chance`` is None for the outcome of a call that is never made; ``reply``: the reply of the other player, where
    dice are hidden. ``best`` is the best next move, in short, empty without a choice; None if not computed.
    """

    chance: Fraction | None
    thrown: tuple[Throw, ...]
    state: dict[str, Any] | None
    mover: int
    ended: Annotated[str, Literal["won", "lost", "shared", "over"]] | None
    gained: Fraction = field(metadata={"show": int_if_whole})
    reply: str | None = None
    value: float | None = field(default=None, metadata={"when": "lower"})
    lower: float | None = None
    upper: float | None = None
    shares: tuple[float, ...] | None = None
    best: str | None = field(default=None, metadata={"show": _none_if_empty})


@dataclass(frozen=True, kw_only=True)
class Outcomes(Jsonable):
    """The outcomes of a move; ``value`` with its bounds is that of the move, None in games without choices.

    ``unit``, ``sense`` (max or min, what is good) and ``label`` are those of the values, or of the shares, of the rows.
    ``value_label``: the label in full, if ``best`` was computed. ``note``: the move chosen, if the typed words fit
    several.
    """

    value_label: str = field(default="", metadata={"key": "label"})
    game: str
    parameters: dict[str, Any]
    state: dict[str, Any]
    assumed: Assumed | None = None
    mover: int
    move: str
    unit: str
    value: float | None = None
    lower: float | None = None
    upper: float | None = None
    note: str = ""
    rows: tuple[OutcomeRow, ...]
    sense: str = field(metadata=HIDDEN)
    label: str = field(metadata=HIDDEN)

    def of(self, row: OutcomeRow) -> float | None:
        """The value of an outcome for the player of the move, or that seat's share."""
        return row.value if row.shares is None or row.value is not None else row.shares[self.mover]

    @cached_property
    def mean(self) -> float | None:
        """The value of the move, or in games without choices the mean of its outcomes; None past a cut."""
        worths = [(row.chance, self.of(row)) for row in self.rows]
        if self.value is not None or any(chance is None or worth is None for chance, worth in worths):
            return self.value
        return sum(float(chance or 0) * (worth or 0.0) for chance, worth in worths)
