"""The best chance of so many points, beside that of who plays for the mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rollwise.answers.comparison import Comparison
from rollwise.asking.question import reachable
from rollwise.games.reaching import ReachSheet
from rollwise.games.sheets import SheetGame
from rollwise.solved.games import Stored, is_kept, with_solved
from rollwise.solved.identity import plain_parameters
from rollwise.solver.game.model import Position, TurnGame
from rollwise.solver.game.names import matched
from rollwise.solver.game.rounding import around, down, up

FOR_THE_MEAN = "for-the-mean"
HELP = "play for the mean score, whatever the target is"
AT_ONCE = 10_000  # sheets that are solved within two seconds or so
Bounds = tuple[float, float, float]  # value, lower, upper


def for_a_target(game: TurnGame) -> ReachSheet | None:
    """The same game played for a target; None where there is none."""
    if not isinstance(game, SheetGame) or isinstance(game, ReachSheet):
        return None
    made = type(game).of(**{**game.parameters(), "objective": "reach"})
    return made if isinstance(made, ReachSheet) else None


def at_once(game: ReachSheet, board: Mapping[str, int]) -> bool:
    """Is the best chance from this board on solved already, or in a moment?"""
    return is_kept(game.part()) or game.n_below(board) <= AT_ONCE


def best_chances(
    game: ReachSheet, fields: Mapping[str, Any], position: Position, targets: Sequence[int]
) -> dict[int, Bounds]:
    """By target the best chance from a position before a throw, of the game with a target or of that for the mean."""
    board = {name: number for name, number in position.board.items() if name != "needed"}

    def read(solved: Stored) -> dict[int, Bounds]:
        space = solved.game.boards()
        wanted = [{**board, "needed": max(target - int(position.points), 0)} for target in targets]
        values, radius = solved.opened.read(np.array([space.index_of(**each) for each in wanted]))
        bounds = [around(*pair) for pair in zip(values.tolist(), radius.tolist(), strict=True)]
        return {
            target: (v, max(0.0, low), min(1.0, high)) for target, (v, low, high) in zip(targets, bounds, strict=True)
        }

    start = Position({**board, "needed": 0}, position.state)
    return with_solved(game, reachable(game, fields, start), read)


def is_reach(game: TurnGame) -> bool:
    """Is a sheet filled for a target here?"""
    return isinstance(game, ReachSheet)


def is_for_the_mean(game: TurnGame, rule: object) -> bool:
    """Is this the rule that plays for the mean, in a game for a target?"""
    return is_reach(game) and isinstance(rule, str) and bool(matched(rule, [FOR_THE_MEAN]))


def against_the_mean(game: TurnGame, fields: Mapping[str, Any], start: Position) -> Comparison:
    """What it costs to play for the mean where a target counts: what the forecast of that game says of the target."""
    from rollwise.asking.forecast import forecast

    assert isinstance(game, ReachSheet)
    if not start.state:
        start = replace(game.locate(), board=start.board)
    described = next(iter(game.describe(start.board, start.state)), {})
    said = {name: value for name, value in game.completed(fields, described).items() if value is not None}
    target = said["target"]
    made = game.made_so_far(game.whole(said["filled"]), said.get("mine"))
    mean = {name: value for name, value in plain_parameters(game.as_asked()).items() if name != "objective"}
    wanted = max(0, target - made + game.shown(game.whole(said["filled"])))  # less what only ``mine`` tells of
    ends = forecast(game.name, params=mean, state={"filled": said["filled"]}, at_least=wanted)
    chances = ends.quantities["at_least"]
    rule = chances.value[str(wanted)], chances.lower[str(wanted)], chances.upper[str(wanted)]
    best = best_chances(game, said, replace(start, points=made), [target])[target]
    cost = (max(0.0, best[0] - rule[0]), down(best[1] - rule[2]), up(best[2] - rule[1]))
    state = {name: said[name] for name in ("filled", "target", "mine") if name == "target" or said.get(name)}
    parameters = plain_parameters(game)
    return Comparison(
        game.name, parameters, FOR_THE_MEAN, HELP, game.measure, game.unit, (best,), (rule,), cost, (), state
    )
