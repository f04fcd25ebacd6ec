"""``forecast``: the distribution of the final score of a solo game under its best play, also line by line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import fsum, sqrt
from typing import Any, cast

import numpy as np

from rollwise.arguments import check_arguments
from rollwise.games.objectives.reaching import ReachSheet
from rollwise.games.registry import REGISTRY, game_class
from rollwise.games.sheets import SheetGame
from rollwise.parsing.validate import check_board, parse_fields, parse_game, parse_whole_numbers, question_fields
from rollwise.questions.forecast.data import NOTE, FinalScore, ScoreQuantities, round_numbers
from rollwise.questions.question import command_of, full_state, reachable
from rollwise.solutions.forecasts import load_or_compute_forecast
from rollwise.solutions.identity import plain_parameters
from rollwise.solutions.lookup import StoredSolution, answer_from_solution, is_solved
from rollwise.solver.kinds import kind_of
from rollwise.solver.model.errors import BadInput, ModelError, StateError
from rollwise.solver.model.game import Position, TurnGame
from rollwise.solver.model.rounding import down, outward_interval, up
from rollwise.solver.model.sheet import line_points, lines_of
from rollwise.solver.model.solution import OneNumber, Quantity
from rollwise.solver.policy.flow import Forecast
from rollwise.solver.turn.arrays import UNIT
from rollwise.solver.turn.graph import TurnCheck, TurnGraph
from rollwise.text.labels import with_labels

PERCENTILES = (1, 5, 10, 25, 50, 75, 90, 95, 99)
MAX_QUICK_SHEETS = 10_000  # number of sheets that are solved within two seconds or so
RARE_SHARE = 1e-3  # round numbers run between the scores that are missed, or reached, no more often
Bounds = tuple[float, float, float]  # value, lower, upper


@check_arguments
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
    """The final score of a solo game under its best play, from the start or from a state before a throw.

    ``fields`` say the state, or ``state`` does in one mapping. ``at_least``, ``at_most``: scores for which the chance
    to reach, or not to exceed, them is added to that of round numbers. ``yes`` as in ``ask``. Raises BadInput (one
    line) for a game without such a score, and for a state in the middle of a turn.

    >>> ends = forecast("shut-the-box", at_least=1).quantities
    >>> round(ends["mean_score"].value, 6), round(ends["at_least"].value["1"], 6)
    (24.630406, 0.995542)
    """
    model = parse_game(game, params)
    least, most = (
        tuple(dict.fromkeys(parse_whole_numbers(name, scores)))
        for name, scores in (("at_least", at_least), ("at_most", at_most))
    )
    values = parse_fields(model, question_fields(state, fields))
    position = model.locate(**values)
    board = check_board(model, position.board)

    def fits(graph: TurnGraph) -> None:
        why_not = kind_of(model).why_no_forecast(model, graph)
        if why_not:
            with_scores = sorted((name for name in REGISTRY if game_class(name).has_final_score), reverse=True)
            raise BadInput(f"forecast needs a solo game with a final score ({', '.join(with_scores)}); {why_not}")
        root = int(np.ravel(model.root(model.boards().columns(np.array([board]))))[0])
        if position.state != tuple(model.roots()[root]):
            raise StateError("a forecast begins before a throw; leave out what lies on the table")

    def ends(solved: StoredSolution) -> FinalScore:
        future, facts = load_or_compute_forecast(solved.solution, board)
        numbers = _numbers(model, future, values, int(position.points), least, most)
        return FinalScore(
            game=model.name,
            parameters=plain_parameters(model),
            state=full_state(model, values, position),
            objective=model.measure,
            unit=model.unit,
            quantities=numbers,
            asked=least,
            facts=facts,
            sense=model.sense,
            note=NOTE,
            asked_at_most=most,
        )

    return _with_best_chances(model, values, position, answer_from_solution(model, TurnCheck(fits), ends))


def _with_best_chances(game: TurnGame, fields: Mapping[str, Any], position: Position, score: FinalScore) -> FinalScore:
    """The forecast with the best chances to reach the scores ``at_least``, or the command that asks for them."""
    reach_game = _with_target(game)
    if reach_game is None or not score.asked:
        return score
    if is_solved(reach_game.part()) or reach_game.n_below(position.board) <= MAX_QUICK_SHEETS:
        best = best_chances(reach_game, fields, position, score.asked)
        numbers = with_labels({"best_at_least": _by_name(best, "probability")})
        return replace(score, quantities=cast(ScoreQuantities, {**score.quantities, **numbers}))
    filled = {name: value for name, value in score.state.items() if value not in ({}, None)}
    usual, chosen = plain_parameters(parse_game(game.name)), plain_parameters(reach_game)
    return replace(score, ask=command_of(game.name, chosen, usual, {**filled, "target": score.asked[0]}))


def _numbers(
    game: TurnGame, future: Forecast, fields: Mapping[str, Any], points: int, least: Sequence[int], most: Sequence[int]
) -> ScoreQuantities:
    """All numbers of a forecast, the points of the state included."""
    points_by_line = line_points(game, fields)
    if points_by_line and sum(points_by_line.values()) != points:
        raise ModelError(f"{game} has {points} points, but {dict(points_by_line)} on its lines")
    mean, low, high = _sum(future.mean, future.off, future.lost * _max_points(game))
    mean_score: OneNumber = Quantity(points + mean, down(points + low), up(points + high), None, game.unit)
    of_score = _of_score(game, future, points, mean_score, least, most)
    numbers = {"mean_score": mean_score, **of_score, **_of_lines(game, future, points_by_line)}
    return cast(ScoreQuantities, with_labels(numbers))


# --- the numbers, with their bounds --------------------------------------------------------------------------------


def _sum(value: float, off: float, lost: float) -> Bounds:
    """A sum with its bounds: its relative error is at most ``off``, and it may lack ``lost``."""
    if not value and not lost:
        return 0.0, 0.0, 0.0
    return value, max(0.0, down(value * (1 - off - 4 * UNIT))), up(value * (1 + off + 4 * UNIT) + lost)


def _chance(value: float, off: float, lost: float) -> Bounds:
    """A sum of chances with its bounds."""
    value, lower, upper = _sum(value, off, lost)
    return min(1.0, value), min(1.0, lower), min(1.0, upper)


def _complement(value: float, off: float, lost: float) -> Bounds:
    """One less a chance, with bounds: its error is at most ``off``, and it may lack ``lost``."""
    off += 4 * UNIT
    return max(0.0, value), max(0.0, value - off - lost), min(1.0, value + off)


def _by_name(rows: Mapping[Any, Bounds], unit: str) -> Quantity:
    """Values and bounds by name, or by score."""
    value, lower, upper = ({str(name): row[part] for name, row in rows.items()} for part in range(3))
    return Quantity(value, lower, upper, None, unit)


def _max_points(game: TurnGame) -> int:
    """The most points that the lines of a game can hold."""
    return sum(line.most for line in lines_of(game).values())


def _of_score(
    game: TurnGame, future: Forecast, points: int, mean: OneNumber, least: Sequence[int], most: Sequence[int]
) -> dict[str, Quantity]:
    chances, lost = future.chances, future.lost
    above = np.append(np.cumsum(chances[::-1])[::-1], 0.0)  # by points: the chance of as many or more
    below = np.insert(np.cumsum(chances), 0, 0.0)  # by points: the chance of fewer
    off = future.off + (len(chances) + 4) * UNIT

    def from_rarer(part: Any, rest: Any) -> Bounds:
        """A chance, from its complement where that is smaller: one near 1 is then as accurate as one near 0."""
        if part <= rest:
            return _chance(float(part), off, lost)
        value, lower, upper = _chance(float(rest), off, lost)
        return (1 - value, max(0.0, down(1 - upper)), min(1.0, up(1 - lower))) if upper else (1.0, 1.0, 1.0)

    def place(score: int) -> int:
        return min(max(score - points, 0), len(chances))

    def passed(share: float) -> int:
        """The least score that at most this share of games exceeds."""
        return points + int(np.argmax(above[1:] <= share))

    usual = round_numbers(passed(1 - RARE_SHARE), passed(RARE_SHARE))
    each = np.flatnonzero(chances).tolist()
    shares = {percent: 1 - percent / 100 for percent in PERCENTILES}
    return {
        "standard_deviation": _deviation(game, future, points, mean),
        "percentiles": _by_name(
            {
                percent: (passed(share), passed(share * (1 + off)), passed((share - lost) * (1 - off)))
                for percent, share in shares.items()
            },
            game.unit,
        ),
        "score_distribution": _by_name(
            {points + x: _chance(float(chances[x]), future.off, lost) for x in each}, "probability"
        ),
        "at_least": _by_name(
            {score: from_rarer(above[place(score)], below[place(score)]) for score in sorted({*least, *usual})},
            "probability",
        ),
        "at_most": _by_name(
            {score: from_rarer(below[place(score + 1)], above[place(score + 1)]) for score in sorted({*most, *usual})},
            "probability",
        ),
    }


def _deviation(game: TurnGame, future: Forecast, points: int, mean: OneNumber) -> OneNumber:
    """The standard deviation: root of the mean square about a whole number near the mean, less the squared shift."""
    middle = round(mean.value) - points
    squares = (np.arange(len(future.chances)) - float(middle)) ** 2
    square = fsum((future.chances * squares).tolist())
    off = future.off + 4 * UNIT
    farthest = max(middle, _max_points(game) - middle) ** 2 if future.lost else 0
    apart = [abs(number - points - middle) for number in (mean.lower, mean.upper)]
    least = 0.0 if mean.lower <= points + middle <= mean.upper else min(apart)
    low = max(0.0, square * (1 - off) - max(apart) ** 2 * (1 + 8 * UNIT))
    high = square * (1 + off) + future.lost * farthest - least**2 * (1 - 8 * UNIT)
    value = max(0.0, square - (mean.value - points - middle) ** 2)
    return Quantity(sqrt(value), max(0.0, down(sqrt(low))), up(sqrt(high)), None, game.unit)


def _of_lines(game: TurnGame, future: Forecast, points_by_line: Mapping[str, int]) -> dict[str, Quantity]:
    means: dict[str, Bounds] = {}
    chances: dict[str, Bounds] = {}
    numbers: dict[str, Bounds] = {}
    for name, line in lines_of(game).items():
        booked, before = future.lines[name], points_by_line.get(name, 0)
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
        "lines": _by_name(means, game.unit),
        "line_chances": _by_name(chances, "probability"),
        "line_numbers": _by_name(numbers, "times"),
    }
    return {name: quantity for name, quantity in quantities.items() if quantity.value}


def _with_target(game: TurnGame) -> ReachSheet | None:
    """The same game with a target as its objective; None where the game has no such variant."""
    if not isinstance(game, SheetGame) or isinstance(game, ReachSheet):
        return None
    reach_game = type(game).of(**{**game.parameters(), "objective": "reach"})
    return reach_game if isinstance(reach_game, ReachSheet) else None


def best_chances(
    game: ReachSheet, fields: Mapping[str, Any], position: Position, targets: Sequence[int]
) -> dict[int, Bounds]:
    """By target, the best chance from a position before a throw; the position may belong to either objective."""
    board = {name: number for name, number in position.board.items() if name != "needed"}

    def read(solved: StoredSolution) -> dict[int, Bounds]:
        space = solved.game.boards()
        boards = [{**board, "needed": max(target - int(position.points), 0)} for target in targets]
        values, radius = solved.solution.read(np.array([space.index_of(**each) for each in boards]))
        bounds = [outward_interval(*pair) for pair in zip(values.tolist(), radius.tolist(), strict=True)]
        return {
            target: (mid, max(0.0, low), min(1.0, high))
            for target, (mid, low, high) in zip(targets, bounds, strict=True)
        }

    start = Position({**board, "needed": 0}, position.state)
    return answer_from_solution(game, reachable(game, fields, start), read)
