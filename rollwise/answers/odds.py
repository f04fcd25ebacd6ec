"""What ``odds`` answers with: single turns, by box or in points, as plain data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rollwise.solver.model.jsonable import Jsonable
from rollwise.solver.model.solution import ByOutcome, OneNumber
from rollwise.solver.model.turn_points import TurnWords

POINTS = "points"
BEST = "best"


@dataclass(frozen=True)
class BestOdds(Jsonable):
    """The best that so many rolls can do for one aim of one box: its chance, or (``aim`` is points) points on average.

    Aims are ``more than 0``, in number boxes ``at least 1``, ``at least 2``, ... dice of the face, and ``points``.
    """

    JSON = "box aim rolls *best"

    box: str
    aim: str
    rolls: int
    best: OneNumber


@dataclass(frozen=True)
class TurnOdds(Jsonable):
    """The odds of single turns: ``odds`` by box in the order of the sheet, aim, and number of rolls."""

    game: str
    parameters: dict[str, Any]
    odds: tuple[BestOdds, ...]


@dataclass(frozen=True)
class BustChance(Jsonable):
    """The chance that a throw of so many dice is a bust, beside the ``trio`` of this face, where one lies there."""

    JSON = "dice trio? chance"

    dice: int
    trio: int | None
    chance: OneNumber


@dataclass(frozen=True)
class TurnPoints(Jsonable):
    """What the turn will make: ``points``, the chance of each number of them, on average (``mean``), and the chance
    that it ends in a ``bust``. The last two are None where they mean nothing, or are not known.
    """

    JSON = "*points mean? bust?"

    points: ByOutcome
    mean: OneNumber | None
    bust: OneNumber | None


@dataclass(frozen=True)
class OneMoreThrow(Jsonable):
    """One more throw of so many ``dice`` with ``made`` in hand: what it gains and what it loses, on average.

    Both are told against stopping now: ``gain`` is what the throws that make things better add, ``loss`` what the
    others cost, each times its chance. Where only higher and lower count, as at Mexico, they are these chances.
    """

    dice: int
    made: str
    gain: OneNumber
    loss: OneNumber


@dataclass(frozen=True)
class TurnRisk(Jsonable):
    """The odds of a turn from a ``state`` of it on.

    ``bust``: the chance that a throw is a bust, by dice and by what lies on the table; empty where no throw is.
    ``turn``: what the turn will make, all of it, if it is played by ``policy`` (None where nobody chooses). ``again``:
    one more throw; None where there is none, or nothing is in hand yet. ``words`` are the game's own for all this.

    Chances and means are exact: ``exact`` holds the fraction where its numerator and denominator have up to 30 digits,
    else None, and ``lower`` and ``upper`` are the floats next to it. The distribution of the turn has the four by
    outcome. Its ``tail`` is what lies past the end to which a turn is followed: from so many points on, at most so
    likely; of this some may be lost all the same, which the upper bounds of the others hold.
    """

    JSON = "game parameters state policy bust turn again"

    game: str
    parameters: dict[str, Any]
    state: dict[str, Any]
    policy: str | None
    words: TurnWords
    bust: tuple[BustChance, ...]
    turn: TurnPoints
    again: OneMoreThrow | None
