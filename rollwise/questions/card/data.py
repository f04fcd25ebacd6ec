"""The answer of ``card``: a policy on one page, as plain data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

from rollwise.games.cards import BestPlay
from rollwise.solver.model.jsonable import Jsonable
from rollwise.text.labels import Labelled

READ_OFF, EXACT = "read off the best play", "the best play itself"


@dataclass(frozen=True)
class Band:
    """Pig, Piggy Six: with scores in these bands (ends included) hold at so many points of the turn.

    ``hold_at`` None: roll until the target is reached.
    """

    mine: tuple[int, int]
    theirs: tuple[int, int]
    hold_at: int | None


@dataclass(frozen=True)
class FinishBand:
    """Piggy Six, first in the round: against this band hold past the target with so many points in all."""

    theirs: tuple[int, int]
    hold_with: int


@dataclass(frozen=True)
class Minimum:
    """Ten Thousand, Zilch: with so many dice left stop at so many points or more; ``near``: if the opponent lacks few.

    ``stop_at`` None: stop only to reach the goal. ``worth``: the points that so many dice in hand count in the choice
    of dice to keep.
    """

    dice: int
    near: bool
    stop_at: int | None
    worth: int


@dataclass(frozen=True)
class Keep:
    """Yahtzee: the move for this throw of the first turn with so many throws left."""

    roll: tuple[int, ...]
    rolls_left: int
    move: str


CardRow: TypeAlias = Band | FinishBand | Minimum | Keep


@dataclass(frozen=True)
class SimplerCard(Jsonable):
    """A card with one term less, and its cost."""

    rows: tuple[CardRow, ...]
    cost: Labelled | None
    cost_to_best: Labelled | None


@dataclass(frozen=True)
class Card(Jsonable):
    """A policy on one page.

    ``found`` says how the numbers were found: ``best`` (of all cards of this form), ``best found`` (by a search from so
    many ``starts``), ``read off the best play``, or ``the best play itself``. ``cost`` (in a duel against a player who
    knows the card) and ``cost_to_best`` (against the best player) are None where they take too long to compute, the
    second in solo games too; ``best_play`` is None for a card without thresholds. Rows with ``near`` apply when the
    opponent lacks so many points or fewer.
    """

    game: str
    title: str
    parameters: dict[str, Any]
    rules_version: int
    found: str
    rows: tuple[CardRow, ...]
    cost: Labelled | None
    unit: str
    best_play: BestPlay | None
    simpler: SimplerCard | None = None
    near: int | None = None
    starts: int | None = None
    cost_to_best: Labelled | None = None
