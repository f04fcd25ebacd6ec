"""The cost of maximising the mean in a game with a target."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from rollwise.games.objectives.reaching import ReachSheet
from rollwise.games.sheets import FURTHER
from rollwise.questions.compare.data import Comparison
from rollwise.questions.forecast.best_chance import best_chances
from rollwise.questions.forecast.compute import forecast
from rollwise.solutions.identity import plain_parameters
from rollwise.solver.model.game import Position, TurnGame
from rollwise.solver.model.names import matched
from rollwise.solver.model.rounding import down, up

FOR_THE_MEAN = "for-the-mean"
HELP = "play for the mean score, whatever the target is"


def is_reach(game: TurnGame) -> bool:
    """True if the game is a score sheet with a target."""
    return isinstance(game, ReachSheet) and "target" in game.wants


def is_for_the_mean(game: TurnGame, rule: object) -> bool:
    """True for the rule that maximises the mean, in a game with a target."""
    return is_reach(game) and isinstance(rule, str) and bool(matched(rule, [FOR_THE_MEAN]))


def against_the_mean(game: TurnGame, fields: Mapping[str, Any], start: Position) -> Comparison:
    """The cost of maximising the mean in a game with a target, from the forecast of the game for the mean."""
    assert isinstance(game, ReachSheet)
    if not start.state:
        start = replace(game.locate(), board=start.board)
    described = next(iter(game.describe(start.board, start.state)), {})
    values = {name: value for name, value in game.completed(fields, described).items() if value is not None}
    target = values["target"]
    points = game.points_so_far(game.whole(values["filled"]), values.get("mine"), values.get(FURTHER))
    mean = {name: value for name, value in plain_parameters(game.whole_game()).items() if name != "objective"}
    sheet = {name: values[name] for name in ("filled", FURTHER) if name in values}
    chances = forecast(game.name, params=mean, state=sheet, at_least=target).quantities["at_least"]
    rule = chances.value[str(target)], chances.lower[str(target)], chances.upper[str(target)]
    best = best_chances(game, values, replace(start, points=points), [target])[target]
    cost = (max(0.0, best[0] - rule[0]), down(best[1] - rule[2]), up(best[2] - rule[1]))
    shown = ("filled", FURTHER, "target", "mine")
    state = {name: values[name] for name in shown if name == "target" or values.get(name)}
    parameters = plain_parameters(game)
    return Comparison(
        game.name, parameters, FOR_THE_MEAN, HELP, game.measure, game.unit, (best,), (rule,), cost, (), state
    )
