"""What ``card`` answers with: a policy on one page, as plain data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

from rollwise.answers.advice import Labelled
from rollwise.answers.labels import cost_label
from rollwise.games.cards.facts import BestPlay, Cost
from rollwise.solver.model.jsonable import Jsonable

READ_OFF, EXACT = "read off the best play", "the best play itself"


@dataclass(frozen=True)
class Band:
    """Pig, Piggy Six: with scores in these bands (both ends belong to them) hold at so many points in the turn.

    ``hold_at`` None: roll on until the target is reached.
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
    """Ten Thousand, Zilch: with so many dice left stop with at least so many points; ``near``: the other lacks few.

    ``stop_at`` None: never, but to reach the goal. ``worth``: what so many dice in hand count when dice are kept to
    throw on.
    """

    dice: int
    near: bool
    stop_at: int | None
    worth: int


@dataclass(frozen=True)
class Keep:
    """Yahtzee: what to do with this throw of the first turn while so many throws are left."""

    roll: tuple[int, ...]
    rolls_left: int
    move: str


CardRow: TypeAlias = Band | FinishBand | Minimum | Keep


@dataclass(frozen=True)
class SimplerCard(Jsonable):
    """The same card with one term less, and what that costs."""

    JSON = "rows cost=labelled_cost cost_to_best=labelled_cost_to_best"

    rows: tuple[CardRow, ...]
    cost: Cost
    cost_to_best: Cost | None

    @property
    def labelled_cost(self) -> Labelled | None:
        """``cost`` with its label."""
        return _labelled("knows", self.cost)

    @property
    def labelled_cost_to_best(self) -> Labelled | None:
        """``cost_to_best`` with its label."""
        return _labelled("best", self.cost_to_best)


@dataclass(frozen=True)
class Card(Jsonable):
    """A policy on one page.

    ``found`` says how good the numbers are known to be: ``best`` (every card of this form was tried), ``best found``
    (by a search from so many ``starts``), ``read off the best play``, or ``the best play itself``. ``cost`` (in a duel
    to a player who knows the card) and ``cost_to_best`` (to the best player) are None where they would take too long to
    work out, the second in games played alone too; ``best_play`` is None where the card has no thresholds. Rows with
    ``near`` hold when the other player lacks so many points or fewer.
    """

    JSON = (
        "game title parameters rules_version found rows cost=labelled_cost unit best_play simpler? near? starts? "
        "cost_to_best?(cost_to_best=labelled_cost_to_best)"
    )

    game: str
    title: str
    parameters: dict[str, Any]
    rules_version: int
    found: str
    rows: tuple[CardRow, ...]
    cost: Cost | None
    unit: str
    best_play: BestPlay | None = None
    simpler: SimplerCard | None = None
    near: int | None = None
    starts: int | None = None
    cost_to_best: Cost | None = None

    @property
    def labelled_cost(self) -> Labelled | None:
        """``cost`` with its label."""
        return _labelled("nobody" if self.found == EXACT else "knows", self.cost)

    @property
    def labelled_cost_to_best(self) -> Labelled | None:
        """``cost_to_best`` with its label."""
        return _labelled("best", self.cost_to_best)


def _labelled(whom: str, cost: Cost | None) -> Labelled | None:
    return None if cost is None else Labelled(cost_label(whom), cost.value, cost.lower, cost.upper)
