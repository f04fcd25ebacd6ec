"""The answer of ``review``: skill and luck by seat, and each choice that lost something."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from rollwise.solver.model.jsonable import HIDDEN, Jsonable

GRADES = ("fine", "inaccuracy", "mistake", "blunder")
GRADE_LIMITS = (0.5, 2.0, 5.0)  # least losses of the grades after the first, in hundredths of a game's scale


def grade_of(loss: float, scale: float, limits: tuple[float, ...]) -> str:
    """The grade of an error.

    >>> [grade_of(loss, 1, GRADE_LIMITS) for loss in (0.001, 0.005, 0.02, 0.05, 0.6)]
    ['fine', 'inaccuracy', 'mistake', 'blunder', 'blunder']
    """
    return GRADES[sum(loss >= limit * scale / 100 for limit in limits)]


@dataclass(frozen=True)
class SeatReview(Jsonable):
    """The result of one seat: ``start`` + ``own`` + ``others`` + ``luck`` = ``result``, but for ``off`` at most.

    All are changes of this seat's value, in the game's unit: ``start`` at first, ``own`` by its own choices,
    ``others`` by those of others, ``luck`` by throws. ``result`` is the final value, or that at the end of an
    unfinished record; ``luck_adjusted`` is that without luck. ``decisions`` are its choices among several moves,
    ``forced`` the others; ``mean_loss`` is that of a decision.
    """

    start: float
    own: float
    others: float
    luck: float
    result: float
    luck_adjusted: float
    decisions: int
    forced: int
    mean_loss: float
    off: float


@dataclass(frozen=True)
class ChoiceReview(Jsonable):
    """A choice that lost something: its line ``at`` in the record, and the command that asks about it again."""

    at: int
    seat: int
    state: dict[str, Any]
    move: str
    best: list[str]
    loss: float
    grade: str
    ask: str


@dataclass(frozen=True)
class Step:
    """A move that was made: its line, its loss, the values by ``seats`` before it, and the ``dice`` that fell."""

    at: int
    seat: int
    state: dict[str, Any]
    move: str
    loss: float
    best: list[str]
    seats: tuple[float, ...]
    dice: list[tuple[int, ...]]


@dataclass(frozen=True)
class Review(Jsonable):
    """A game reviewed: ``seats`` in their order, ``choices`` that lost something, the worst first.

    ``complete``: True if the record goes to the end of the game. ``notes`` are sentences about its oddities. ``grades``
    are the least losses of an inaccuracy, a mistake and a blunder, in the game's unit. ``chooses``:
    True for a game with choices. ``steps`` are all moves, forced ones too, and ``names`` the typed names by seat.
    ``apart``: True if each seat played a solo game of its own.
    """

    game: str
    parameters: dict[str, Any]
    unit: str
    grades: dict[str, float]
    complete: bool
    seats: list[SeatReview]
    choices: list[ChoiceReview]
    notes: list[str]
    objective: str = field(metadata=HIDDEN)
    chooses: bool = field(metadata=HIDDEN)
    steps: tuple[Step, ...] = field(default=(), metadata=HIDDEN)
    names: Mapping[int, str] = field(default_factory=dict, metadata=HIDDEN)
    apart: bool = field(default=False, metadata=HIDDEN)


def side_by_side(sheets: Mapping[str, Review]) -> Review:
    """One review of several sheets of a solo game, by name: each sheet is a seat, reviewed on its own."""
    reviews = list(sheets.values())
    steps = [replace(step, seat=seat) for seat, review in enumerate(reviews) for step in review.steps]
    values, ordered = [review.seats[0].start for review in reviews], list[Step]()
    for step in sorted(steps, key=lambda step: step.at):
        values[step.seat] = step.seats[0]
        ordered.append(replace(step, seats=tuple(values)))
    choices = [replace(choice, seat=seat) for seat, review in enumerate(reviews) for choice in review.choices]
    seats = ", ".join(f"seat {seat} is {name}" for seat, name in enumerate(sheets))
    notes = [f"{name}: {note}" for name, review in sheets.items() for note in review.notes]
    return replace(
        reviews[0],
        complete=all(review.complete for review in reviews),
        seats=[review.seats[0] for review in reviews],
        choices=sorted(choices, key=lambda choice: -choice.loss),
        notes=[f"A game for one: each sheet is reviewed by itself; {seats}.", *notes],
        steps=tuple(ordered),
        names=dict(enumerate(sheets)),
        apart=True,
    )
