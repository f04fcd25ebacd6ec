"""What a walk through a record notes down on its way."""

from __future__ import annotations

from dataclasses import dataclass

from rollwise.match.review.places import Place
from rollwise.match.review.spots import Spot


@dataclass(frozen=True)
class ReviewedDecision:
    """A choice among several moves: where it stands, who made it, and what it lost."""

    place: Place
    seat: int
    spot: Spot
    move: str
    loss: float


@dataclass(frozen=True)
class Strange:
    """A number of the record that is not what is computed."""

    place: Place
    name: str
    told: float
    found: float


@dataclass(frozen=True)
class Made:
    """The last choice: what it is worth to who made it, what the question was worth before it, and the loss."""

    own: float
    before: float
    loss: float
