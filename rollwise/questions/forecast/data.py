"""The answer of ``forecast``: the distribution of the final score, as plain data."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NotRequired, TypedDict

from rollwise.solver.model.jsonable import HIDDEN, SPREAD, Jsonable
from rollwise.solver.model.solution import ByOutcome, OneNumber

ROUND_STEPS = (1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500, 1000)
MAX_ROUND_NUMBERS = 14  # of a forecast
NOTE = "This is one best policy: of equally good moves it plays the first"


class ScoreQuantities(TypedDict):
    """The numbers of a forecast by name; see ``FinalScore``."""

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


@dataclass(frozen=True, kw_only=True)
class FinalScore(Jsonable):
    """The final score of a game from a state, under one optimal policy (see ``solver.policy.forecast``).

    ``quantities``: ``mean_score``, ``standard_deviation``, ``percentiles`` (the score that so many per cent of games
    do not exceed), ``score_distribution``, ``at_least`` and ``at_most`` (chances by score), and, on a score sheet, by
    line ``lines`` (its mean at the end), ``line_chances`` (to end with more than 0) and ``line_numbers`` (how often, on
    average, a line earns points that may do so repeatedly). All include the points of the state. ``facts`` are those of
    the computation, and ``lost``, the chance of omitted outcomes. ``best_at_least``: the best chances to reach these
    scores; where they are not solved, ``ask`` is the command that asks for the first of them.
    """

    game: str
    parameters: dict[str, Any]
    state: dict[str, Any]
    objective: str
    unit: str
    sense: str
    quantities: ScoreQuantities
    ask: str = ""
    facts: dict[str, Any] = field(metadata=SPREAD)
    note: str
    asked: tuple[int, ...] = field(metadata=HIDDEN)
    asked_at_most: tuple[int, ...] = field(default=(), metadata=HIDDEN)


def round_numbers(low: int, high: int, most: int = MAX_ROUND_NUMBERS) -> range:
    """Round numbers from ``low`` up to ``high``, in even steps, not many more than ``most``.

    >>> list(round_numbers(137, 388)), list(round_numbers(0, 9))
    ([140, 160, 180, 200, 220, 240, 260, 280, 300, 320, 340, 360, 380], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    """
    step = next((step for step in ROUND_STEPS if (high - low) / step <= most), ROUND_STEPS[-1])
    return range(-(-low // step) * step, high + 1, step)
