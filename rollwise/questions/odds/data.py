"""The answer of ``odds``: the odds of single turns, by box or in points, as plain data."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from rollwise.solver.model.jsonable import HIDDEN, SPREAD, Jsonable
from rollwise.solver.model.solution import ByOutcome, OneNumber
from rollwise.solver.model.turn_points import TurnPhrases

POINTS = "points"
BEST = "best"


@dataclass(frozen=True)
class BestOdds(Jsonable):
    """The best odds of so many rolls for one aim of one box: its chance, or (``aim`` is points) its mean points.

    Aims are ``more than 0``, in number boxes ``at least 1``, ``at least 2``, ... dice of the face, and ``points``.
    """

    box: str
    aim: str
    rolls: int
    best: OneNumber = field(metadata=SPREAD)


@dataclass(frozen=True)
class TurnOdds(Jsonable):
    """The odds of single turns: ``odds`` by box in the order of the sheet, aim, and number of rolls."""

    game: str
    parameters: dict[str, Any]
    odds: tuple[BestOdds, ...]


@dataclass(frozen=True)
class BustChance(Jsonable):
    """The chance that a throw of so many dice is a bust, beside a ``trio`` of this face if there is one."""

    dice: int
    trio: int | None = field(default=None, kw_only=True)
    chance: OneNumber


@dataclass(frozen=True)
class TurnPoints(Jsonable):
    """The points of the turn: their distribution ``points``, their ``mean``, and the chance of a ``bust``. The last two
    are None where they do not apply, or are unknown.
    """

    points: ByOutcome = field(metadata=SPREAD)
    mean: OneNumber | None = None
    bust: OneNumber | None = None


@dataclass(frozen=True)
class OneMoreThrow(Jsonable):
    """One more throw of so many ``dice`` with ``made`` in hand: its mean gain and its mean loss against stopping now.

    ``gain`` sums the improvements of better throws, ``loss`` the costs of worse ones, each times its chance. In a game
    of ranks, as Mexico, they are the chances of better and of worse.
    """

    dice: int
    made: str
    gain: OneNumber
    loss: OneNumber


@dataclass(frozen=True)
class TurnRisk(Jsonable):
    """The odds of a turn from a ``state`` of it on.

    ``bust``: the chance that a throw is a bust, by dice and by the trio on the table; empty in games without busts.
    ``turn``: the points of the whole turn under ``policy`` (None in games without choices). ``again``: one more throw;
    None if none can follow, or nothing is in hand yet. ``words`` are the game's own terms.

    Chances and means are exact: ``exact`` is the fraction if its numerator and denominator have up to 30 digits, else
    None, and ``lower`` and ``upper`` are the floats next to it. The distribution of the turn has the four by outcome.
    Its ``tail`` covers the turns past the enumerated ones: ``from`` so many points on, with a chance of at most
    ``upper``. Some of them may still end in fewer points, which the upper bounds of the other outcomes include.
    """

    game: str
    parameters: dict[str, Any]
    state: dict[str, Any]
    policy: str | None
    words: TurnPhrases = field(metadata=HIDDEN)
    bust: tuple[BustChance, ...]
    turn: TurnPoints
    again: OneMoreThrow | None
