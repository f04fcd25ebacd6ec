"""What ``forecast`` answers with: how a game ends, as plain data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NotRequired, TypedDict

from rollwise.solver.model.jsonable import Jsonable
from rollwise.solver.model.solution import ByOutcome, OneNumber

ROUND = (1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500, 1000)
MOST_ROUND = 14  # round numbers that are told of
NOTE = "This is one best policy: of equally good moves it plays the first"


class ScoreQuantities(TypedDict):
    """The numbers of a forecast by name; ``FinalScore`` says what they are."""

    mean_score: OneNumber
    standard_deviation: OneNumber
    percentiles: ByOutcome
    score_distribution: ByOutcome
    at_least: ByOutcome
    at_most: ByOutcome
    lines: NotRequired[ByOutcome]
    line_chances: NotRequired[ByOutcome]
    line_numbers: NotRequired[ByOutcome]
    best_at_least: NotRequired[ByOutcome]


@dataclass(frozen=True)
class FinalScore(Jsonable):
    """How a game ends from a state, under one policy that is best (``solver.policy.forecast`` says which).

    ``quantities``: ``mean_score``, ``standard_deviation``, ``percentiles`` (the score that so many per cent of games
    do not pass), ``score_distribution``, ``at_least`` and ``at_most`` (chances by score), and, where there is a
    score sheet, by line ``lines`` (the mean of what it holds at the end), ``line_chances`` (that it then holds more
    than 0) and ``line_numbers`` (how often lines that may earn points again and again do so on average). Points that
    the state has are counted in all of them. ``facts`` tell of the work, and ``lost``: the chance of what was left out.
    ``best_at_least``: the chances of who plays for just that score; where that is not known at once, ``ask`` is the
    line that asks for the first of them.
    """

    JSON = "game parameters state objective unit sense quantities ask? *facts note"
    note = NOTE

    game: str
    parameters: dict[str, Any]
    state: dict[str, Any]
    objective: str
    unit: str
    quantities: ScoreQuantities
    asked: tuple[int, ...]
    facts: dict[str, Any]
    sense: str = "max"
    asked_at_most: tuple[int, ...] = ()
    ask: str = ""


def round_numbers(low: int, high: int, most: int = MOST_ROUND) -> range:
    """Round numbers from ``low`` up to ``high``, in even steps, not many more than ``most``.

    >>> list(round_numbers(137, 388)), list(round_numbers(0, 9))
    ([140, 160, 180, 200, 220, 240, 260, 280, 300, 320, 340, 360, 380], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    """
    step = next((step for step in ROUND if (high - low) / step <= most), ROUND[-1])
    return range(-(-low // step) * step, high + 1, step)
