"""What the numbers of outcomes, matches and reviews are: what is played for, or what falls to who never chooses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rollwise.answers.labels import short_label, short_quantity_label
from rollwise.solver.game.model import TurnGame
from rollwise.solver.kinds import kind_of


@dataclass(frozen=True)
class Counted:
    """``name`` is what a value measures, or a quantity where nobody chooses (of a seat: that its side wins, where there
    are sides); ``sense`` is max or min, what is good; ``label`` says it in a few words.
    """

    name: str
    unit: str
    sense: str
    label: str


def counted(game: TurnGame, parameters: Mapping[str, Any]) -> Counted:
    """What is counted in a game.

    >>> from rollwise.games.registry import game
    >>> counted(game("pig"), {}).label, counted(game("slam"), {}).label, counted(game("slam"), {}).sense
    ('win', 'lose', 'min')
    """
    if kind_of(game).chooses:
        return Counted(game.measure, game.unit, game.sense, short_label(game.measure, parameters))
    name = "win" if game.team else game.outcome
    return Counted(name, game.outcome_unit, game.outcome_sense, short_quantity_label(name))
