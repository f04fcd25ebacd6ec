"""``forecast``: how a game played alone ends under its best play: the distribution of the score, line by line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import fsum, sqrt
from typing import Any, cast

import numpy as np

from rollwise.answers.forecast import FinalScore, ScoreQuantities, round_numbers
from rollwise.answers.labels import labelled
from rollwise.asking.again import command_of
from rollwise.asking.best_chance import at_once, best_chances, for_a_target
from rollwise.asking.question import understood
from rollwise.games.registry import WITH_SCORES
from rollwise.parsing.validate import as_said, check_board, checked, the_fields, the_game, whole_numbers
from rollwise.solutions.forecasts import kept_or_made
from rollwise.solutions.games import StoredSolution, with_solved
from rollwise.solutions.identity import plain_parameters
from rollwise.solver.kinds import kind_of
from rollwise.solver.model.errors import BadInput, ModelError, StateError
from rollwise.solver.model.game import Position, TurnGame
from rollwise.solver.model.rounding import down, up
from rollwise.solver.model.sheet import lines_held, lines_of
from rollwise.solver.model.solution import OneNumber, Quantity
from rollwise.solver.policy.flow import Forecast
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
    yes: bool = False,
    **fields: Any,
) -> FinalScore:
    """How a game played alone ends under its best play, from the start or from a state before a throw.

    The state is said by ``fields``, or by ``state``, the same in one mapping. ``at_least``, ``at_most``: scores whose
    chance of being reached, or not passed, is asked for, beside those of round numbers. ``yes`` as in ``ask``. Raises
    BadInput (one line) for a game without such a score, and for a state in the middle of a turn.

    >>> ends = forecast("shut-the-box", at_least=1).quantities
    >>> round(ends["mean_score"].value, 6), round(ends["at_least"].value["1"], 6)
    (24.630406, 0.995542)
    """
    made = the_game(game, params)
    least, most = _scores("at_least", at_least), _scores("at_most", at_most)
    known = the_fields(made, as_said(state, fields))
    position = made.locate(**known)
    board = check_board(made, position.board)

    def fits(graph: TurnGraph) -> None:
        why_not = kind_of(made).why_no_forecast(made, graph)
        if why_not:
            raise BadInput(f"forecast needs a solo game with a final score ({', '.join(WITH_SCORES)}); {why_not}")
        root = int(np.ravel(made.root(made.boards().columns(np.array([board]))))[0])
        if position.state != tuple(made.roots()[root]):
            raise StateError("a forecast begins before a throw; leave out what lies on the table")

    def ends(solved: StoredSolution) -> FinalScore:
        future, facts = kept_or_made(solved.opened, board)
        numbers = _numbers(made, future, known, int(position.points), least, most)
        return FinalScore(
            game=made.name,
            parameters=plain_parameters(made),
            state=understood(made, known, position),
            objective=made.measure,
            unit=made.unit,
            quantities=numbers,
            asked=least,
            facts=facts,
            sense=made.sense,
            asked_at_most=most,
        )

    return with_best(made, known, position, with_solved(made, fits, ends))


def with_best(game: TurnGame, fields: Mapping[str, Any], position: Position, ends: FinalScore) -> FinalScore:
    """The same with the best chances of the scores that were asked for, or the line that asks for them."""
    aimed = for_a_target(game)
    if aimed is None or not ends.asked:
        return ends
    if at_once(aimed, position.board):
        best = best_chances(aimed, fields, position, ends.asked)
        numbers = labelled({"best_at_least": _by(best, "probability")})
        return replace(ends, quantities=cast(ScoreQuantities, {**ends.quantities, **numbers}))
    filled = {name: value for name, value in ends.state.items() if value not in ({}, None)}
    usual, chosen = plain_parameters(game), plain_parameters(aimed)
    return replace(ends, ask=command_of(game.name, chosen, usual, {**filled, "target": ends.asked[0]}))


def _scores(name: str, scores: int | str | Iterable[int | str]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(whole_numbers(name, scores)))


def _numbers(
    game: TurnGame,
    future: Forecast,
    fields: Mapping[str, Any],
    points: int,
    least: Sequence[int],
    most: Sequence[int],
) -> ScoreQuantities:
    """All numbers of a forecast, with the points that the state has."""
    held = lines_held(game, fields)
    if held and sum(held.values()) != points:
        raise ModelError(f"{game} has {points} points, but {dict(held)} on its lines")
    mean, low, high = _sum(future.mean, future.off, future.lost * _most(game))
    mean_score: OneNumber = Quantity(points + mean, down(points + low), up(points + high), None, game.unit)
    of_score = _of_score(game, future, points, mean_score, least, most)
    numbers = {"mean_score": mean_score, **of_score, **_of_lines(game, future, held)}
    return cast(ScoreQuantities, labelled(numbers))


# --- the numbers, with their bounds --------------------------------------------------------------------------------


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


def _by(rows: Mapping[Any, Bounds], unit: str) -> Quantity:
    """Values and bounds by name, or by score."""
    value, lower, upper = ({str(name): row[part] for name, row in rows.items()} for part in range(3))
    return Quantity(value, lower, upper, None, unit)


def _most(game: TurnGame) -> int:
    """No game has more points on its lines."""
    return sum(line.most for line in lines_of(game).values())


def _of_score(
    game: TurnGame, future: Forecast, points: int, mean: OneNumber, least: Sequence[int], most: Sequence[int]
) -> dict[str, Quantity]:
    chances, lost = future.chances, future.lost
    above = np.append(np.cumsum(chances[::-1])[::-1], 0.0)  # of so many points or more
    below = np.insert(np.cumsum(chances), 0, 0.0)  # of fewer
    off = future.off + (len(chances) + 4) * UNIT

    def from_rarer(part: Any, rest: Any) -> Bounds:
        """A chance near 1, from its complement, is known as well as one near 0."""
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
    each = np.flatnonzero(chances).tolist()
    shares = {percent: 1 - percent / 100 for percent in PERCENTILES}
    return {
        "standard_deviation": _deviation(game, future, points, mean),
        "percentiles": _by(
            {
                percent: (passed(share), passed(share * (1 + off)), passed((share - lost) * (1 - off)))
                for percent, share in shares.items()
            },
            game.unit,
        ),
        "score_distribution": _by(
            {points + x: _chance(float(chances[x]), future.off, lost) for x in each}, "probability"
        ),
        "at_least": _by(
            {score: from_rarer(above[place(score)], below[place(score)]) for score in sorted({*least, *usual})},
            "probability",
        ),
        "at_most": _by(
            {score: from_rarer(below[place(score + 1)], above[place(score + 1)]) for score in sorted({*most, *usual})},
            "probability",
        ),
    }


def _deviation(game: TurnGame, future: Forecast, points: int, mean: OneNumber) -> OneNumber:
    """The root of the mean square about a whole number near the mean, less the square of how far that is from it."""
    middle = round(mean.value) - points
    squares = (np.arange(len(future.chances)) - float(middle)) ** 2
    square = fsum((future.chances * squares).tolist())
    off = future.off + 4 * UNIT
    farthest = max(middle, _most(game) - middle) ** 2 if future.lost else 0
    apart = [abs(number - points - middle) for number in (mean.lower, mean.upper)]
    least = 0.0 if mean.lower <= points + middle <= mean.upper else min(apart)
    low = max(0.0, square * (1 - off) - max(apart) ** 2 * (1 + 8 * UNIT))
    high = square * (1 + off) + future.lost * farthest - least**2 * (1 - 8 * UNIT)
    value = max(0.0, square - (mean.value - points - middle) ** 2)
    return Quantity(sqrt(value), max(0.0, down(sqrt(low))), up(sqrt(high)), None, game.unit)


def _of_lines(game: TurnGame, future: Forecast, held: Mapping[str, int]) -> dict[str, Quantity]:
    means: dict[str, Bounds] = {}
    chances: dict[str, Bounds] = {}
    numbers: dict[str, Bounds] = {}
    for name, line in lines_of(game).items():
        booked, before = future.lines[name], held.get(name, 0)
        mean, low, high = _sum(booked.mean, future.off_lines, future.lost * line.most)
        means[name] = (before + mean, down(before + low), up(before + high)) if high else (before, before, before)
        if before:
            chances[name] = 1.0, 1.0, 1.0
        elif not line.each:
            chances[name] = _chance(booked.chance, future.off_lines, future.lost)
        else:
            chances[name] = _complement(future.again[name], future.off_again, future.lost) if high else (0.0, 0.0, 0.0)
        if line.each:
            mean, low, high = means[name]
            numbers[name] = mean / line.each, max(0.0, down(low / line.each)), up(high / line.each) if high else 0.0
    quantities = {
        "lines": _by(means, game.unit),
        "line_chances": _by(chances, "probability"),
        "line_numbers": _by(numbers, "times"),
    }
    return {name: quantity for name, quantity in quantities.items() if quantity.value}
