"""``forecast``: how a game played alone ends under its best play: the distribution of the score, line by line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import fsum, sqrt
from typing import Any

import numpy as np

from rollwise.answers.forecast import FinalScore, round_numbers
from rollwise.answers.labels import labelled
from rollwise.asking.question import understood
from rollwise.games.registry import WITH_SCORES
from rollwise.reading.door import as_said, check_board, checked, the_fields, the_game, whole_numbers
from rollwise.solved.forecasts import kept_or_made
from rollwise.solved.games import Stored, with_solved
from rollwise.solved.identity import plain_parameters
from rollwise.solver.game.errors import BadInput, ModelError, StateError
from rollwise.solver.game.model import Position, TurnGame
from rollwise.solver.game.rounding import down, up
from rollwise.solver.game.sheet import lines_held, lines_of
from rollwise.solver.game.solution import Quantity
from rollwise.solver.kinds import kind_of
from rollwise.solver.play.flow import Forecast
from rollwise.solver.turn.arrays import UNIT
from rollwise.solver.turn.graph import TurnGraph

PERCENTILES = (1, 5, 10, 25, 50, 75, 90, 95, 99)
RARE = 1e-3  # they lie between scores that are missed, or reached, no more often
Bounds = tuple[float, float, float]  # value, lower, upper


@checked
def forecast(
    game: str,
    *,
    params: Mapping[str, Any] | None = None,
    state: Mapping[str, Any] | None = None,
    at_least: int | str | Iterable[int | str] = (),
    at_most: int | str | Iterable[int | str] = (),
    **fields: Any,
) -> FinalScore:
    """How a game played alone ends under its best play, from the start or from a state before a throw.

    The state is said by ``fields``, or by ``state``, the same in one mapping. ``at_least``, ``at_most``: scores whose
    chance of being reached, or not passed, is asked for, beside those of round numbers. Raises BadInput (one line) for
    a game without such a score, and for a state in the middle of a turn.

    >>> told = forecast("shut-the-box", at_least=1)
    >>> round(told.quantities["mean_score"].value, 6), round(told.quantities["at_least"].value["1"], 6)
    (24.630406, 0.995542)
    """
    made = the_game(game, params)
    scores, most = _scores("at_least", at_least), _scores("at_most", at_most)
    given = the_fields(made, as_said(state, fields))
    position = made.locate(**given)
    board = check_board(made, position.board)

    def fits(graph: TurnGraph) -> None:
        why_not = kind_of(made).why_no_forecast(made, graph)
        if why_not:
            raise BadInput(f"forecast needs a solo game with a final score ({', '.join(WITH_SCORES)}); {why_not}")
        _require_turn_start(made, position, board)

    return with_solved(made, fits, lambda solved: _final_score(solved, given, position, board, scores, most))


def _scores(name: str, given: int | str | Iterable[int | str]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(whole_numbers(name, given)))


def _require_turn_start(game: TurnGame, position: Position, board: int) -> None:
    root = int(np.ravel(game.root(game.boards().columns(np.array([board]))))[0])
    if position.state != tuple(game.roots()[root]):
        raise StateError("a forecast begins before a throw; leave out what lies on the table")


def _final_score(
    solved: Stored,
    fields: Mapping[str, Any],
    position: Position,
    board: int,
    asked: tuple[int, ...],
    most: tuple[int, ...],
) -> FinalScore:
    game = solved.game
    found, facts = kept_or_made(solved, board)
    held = dict(lines_held(game, fields))
    points = int(position.points)
    if held and sum(held.values()) != points:
        raise ModelError(f"{game} has {points} points, but {held} on its lines")
    mean, low, high = _sum(found.mean, found.off, found.lost * _most(game))
    mean_score = Quantity(points + mean, down(points + low), up(points + high), None, game.unit)
    return FinalScore(
        game.name,
        plain_parameters(game),
        understood(game, fields, position),
        game.measure,
        game.unit,
        labelled(
            {
                "mean_score": mean_score,
                **_of_score(game, found, points, mean_score, asked, most),
                **_of_lines(game, found, held),
            }
        ),
        asked,
        facts,
        game.sense,
        most,
    )


# --- what there is to tell -------------------------------------------------------------------------------------------


def _sum(value: float, off: float, lost: float) -> Bounds:
    """A sum with its bounds: it is within ``off`` of the truth, relative to itself, and may lack ``lost``."""
    if not value and not lost:
        return 0.0, 0.0, 0.0
    return value, max(0.0, down(value * (1 - off - 4 * UNIT))), up(value * (1 + off + 4 * UNIT) + lost)


def _chance(value: float, off: float, lost: float) -> Bounds:
    """A sum of chances with its bounds."""
    value, lower, upper = _sum(value, off, lost)
    return min(1.0, value), min(1.0, lower), min(1.0, upper)


def _complement(value: float, off: float, lost: float) -> Bounds:
    """One less a chance that is within ``off`` of the truth, and may lack ``lost``."""
    off += 4 * UNIT
    return max(0.0, value), max(0.0, value - off - lost), min(1.0, value + off)


def _by(rows: Mapping[str, Bounds], unit: str) -> Quantity:
    """Values and bounds by name."""
    value, lower, upper = ({name: row[part] for name, row in rows.items()} for part in range(3))
    return Quantity(value, lower, upper, None, unit)


def _most(game: TurnGame) -> int:
    """No game has more points on its lines."""
    return sum(line.most for line in lines_of(game).values())


def _of_score(
    game: TurnGame, found: Forecast, points: int, mean: Quantity, asked: Sequence[int], most: Sequence[int]
) -> dict[str, Quantity]:
    chances, lost = found.chances, found.lost
    single = {str(points + x): _chance(float(chances[x]), found.off, lost) for x in np.flatnonzero(chances).tolist()}
    above = np.append(np.cumsum(chances[::-1])[::-1], 0.0)  # of so many points or more
    below = np.insert(np.cumsum(chances), 0, 0.0)  # of fewer
    off = found.off + (len(chances) + 4) * UNIT

    def told(part: Any, rest: Any) -> Bounds:
        """Told from the rarer side: a chance near 1 is then known as well as one near 0."""
        if part <= rest:
            return _chance(float(part), off, lost)
        value, lower, upper = _chance(float(rest), off, lost)
        return (1 - value, max(0.0, down(1 - upper)), min(1.0, up(1 - lower))) if upper else (1.0, 1.0, 1.0)

    def place(score: int) -> int:
        return min(max(score - points, 0), len(chances))

    def passed(share: float) -> int:
        """The least score that no larger share of games passes."""
        return points + int(np.argmax(above[1:] <= share))

    usual = round_numbers(passed(1 - RARE), passed(RARE))
    reached = {score: told(above[place(score)], below[place(score)]) for score in sorted({*asked, *usual})}
    kept_to = {score: told(below[place(score + 1)], above[place(score + 1)]) for score in sorted({*most, *usual})}
    percentiles: dict[str, Bounds] = {}
    for percent in PERCENTILES:
        share = 1 - percent / 100
        percentiles[str(percent)] = passed(share), passed(share * (1 + off)), passed((share - lost) * (1 - off))
    return {
        "standard_deviation": _deviation(game, found, points, mean),
        "percentiles": _by(percentiles, game.unit),
        "score_distribution": _by(single, "probability"),
        "at_least": _by({str(score): row for score, row in reached.items()}, "probability"),
        "at_most": _by({str(score): row for score, row in kept_to.items()}, "probability"),
    }


def _deviation(game: TurnGame, found: Forecast, points: int, mean: Quantity) -> Quantity:
    """The root of the mean square about a whole number near the mean, less the square of how far that is from it."""
    middle = round(mean.value) - points
    squares = (np.arange(len(found.chances)) - float(middle)) ** 2
    square = fsum((found.chances * squares).tolist())
    off = found.off + 4 * UNIT
    farthest = max(middle, _most(game) - middle) ** 2 if found.lost else 0
    apart = [abs(number - points - middle) for number in (mean.lower, mean.upper)]
    least = 0.0 if mean.lower <= points + middle <= mean.upper else min(apart)
    low = max(0.0, square * (1 - off) - max(apart) ** 2 * (1 + 8 * UNIT))
    high = square * (1 + off) + found.lost * farthest - least**2 * (1 - 8 * UNIT)
    value = max(0.0, square - (mean.value - points - middle) ** 2)
    return Quantity(sqrt(value), max(0.0, down(sqrt(low))), up(sqrt(high)), None, game.unit)


def _of_lines(game: TurnGame, found: Forecast, held: Mapping[str, int]) -> dict[str, Quantity]:
    lines = lines_of(game)
    if not lines:
        return {}
    means: dict[str, Bounds] = {}
    chances: dict[str, Bounds] = {}
    numbers: dict[str, Bounds] = {}
    for name, line in lines.items():
        got, more = found.lines[name], held.get(name, 0)
        mean, low, high = _sum(got.mean, found.off_lines, found.lost * line.most)
        means[name] = (more + mean, down(more + low), up(more + high)) if high else (more, more, more)
        if more:
            chances[name] = 1.0, 1.0, 1.0
        elif not line.each:
            chances[name] = _chance(got.chance, found.off_lines, found.lost)
        else:
            chances[name] = _complement(found.again[name], found.off_again, found.lost) if high else (0.0, 0.0, 0.0)
        if line.each:
            mean, low, high = means[name]
            numbers[name] = mean / line.each, max(0.0, down(low / line.each)), up(high / line.each) if high else 0.0
    told = {"lines": _by(means, game.unit), "line_chances": _by(chances, "probability")}
    return {**told, "line_numbers": _by(numbers, "times")} if numbers else told
