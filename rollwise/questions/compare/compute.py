"""``compare``: the cost of a rule of thumb against the best play, by exact policy evaluation, not simulation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from rollwise.arguments import check_arguments
from rollwise.games.objectives.reaching import ReachSheet
from rollwise.games.policies import Policy
from rollwise.games.sheets import FURTHER
from rollwise.parsing.validate import check_board, parse_fields
from rollwise.questions.compare.data import Comparison
from rollwise.questions.compare.function_policy import FunctionPolicy, root_of
from rollwise.questions.compare.mixed_policy import MixedFunctionPolicy, mixed_table_policy
from rollwise.questions.compare.resolve_policy import game_of, resolve_policy
from rollwise.questions.compare.table_policy import ExportedPolicy, SliceExtent
from rollwise.questions.forecast.compute import best_chances, forecast
from rollwise.questions.question import reachable
from rollwise.solutions.identity import plain_parameters
from rollwise.solutions.lookup import StoredSolution, accept_any_turn, answer_from_solution, forecast_other_games
from rollwise.solutions.progress import Progress
from rollwise.solver.kinds import kind_of
from rollwise.solver.kinds.kind import RuleCost, Tools
from rollwise.solver.model.errors import BadInput
from rollwise.solver.model.game import Position, TurnGame
from rollwise.solver.model.names import matched
from rollwise.solver.model.rounding import down, up

FOR_THE_MEAN = "for-the-mean"
HELP = "play for the mean score, whatever the target is"


@check_arguments
def compare(
    game: str,
    rule: str | Path | Policy,
    *,
    params: Mapping[str, Any] | None = None,
    state: Mapping[str, Any] | None = None,
    slice: bool = False,
    yes: bool = False,
) -> Comparison:
    """The cost of a rule of thumb per game: the best value minus the rule's, mean of seats; in a duel against a best
    response to the rule, and against the best player.

    ``rule`` is the name of one of the game's own (``games.policies``), a function of (state, moves) that returns a
    move, a file with such a function (``policy.py:function``), or a table that ``export`` wrote, perhaps edited (also a
    folder with one for each level), whose parameters are the defaults. A function gets all fields of a question and
    its legal moves; it is called for every decision that its play reaches, once for all boards that agree in the
    fields it reads. Equivalent rolls are one decision, shown by the first roll; so are sheets of equal value. A turn
    that has made all that counts is over, and the best is played where no question describes the decision.

    ``state``: fields of the board to start from, by default the start of the game. ``slice``: the table covers only
    some decisions, and the best is played in the others; one of a single sheet is compared from that sheet on. ``yes``
    as in ``ask``.

    Raises BadInput for a rule that does not exist, fails, or plays an illegal move, TooLarge for one that reads more
    fields than can be enumerated.

    >>> round(compare("pig", "hold-at-20", params={"target": 40}).cost[0], 6)
    0.043401
    """
    model = game_of(game, params, rule)
    kind_of(model).require_comparable(model)
    start_fields = parse_fields(model, state or {})
    if is_for_the_mean(model, rule):
        return against_the_mean(model, start_fields, _start(model, start_fields))
    resolved = resolve_policy(model.name, rule)
    if slice and kind_of(model).is_mixed:
        raise BadInput(f"a table of {model.name} is compared whole, with the mixes of both players", field="slice")
    if slice and resolved.table is None:
        raise BadInput(f"a slice is a part of a table that export wrote; {resolved.name} is a rule for every decision")
    start, sheet = _start(model, start_fields), SliceExtent()
    solves = _part_to_solve(model, start, start_fields)
    policy: FunctionPolicy | ExportedPolicy | MixedFunctionPolicy
    if kind_of(model).is_mixed:
        function = resolved.function or mixed_table_policy(model, resolved.table or Path())
        policy = MixedFunctionPolicy(model, function, resolved.name)
    elif resolved.table is not None:
        policy = ExportedPolicy(model, resolved.table, slice)
        sheet = policy.sheet()
        if sheet.start is not None and not start_fields:
            start, start_fields = sheet.start, dict(sheet.fields)
            solves = _part_to_solve(model, start, start_fields)
        if solves is not model:
            policy = ExportedPolicy(solves, resolved.table, slice)
            sheet = policy.sheet()
        policy.look(start)
    else:
        assert resolved.function is not None
        policy = FunctionPolicy(solves, resolved.function, resolved.name)

    def cost_of(solved: StoredSolution) -> RuleCost:
        with Progress(str(model), verb="comparing") as progress:
            tools = Tools(progress.share)
            return kind_of(model).compare(solved.solution, policy, start, tools, sheet.last_level)

    check = reachable(model, start_fields, start) if start.state else accept_any_turn
    cost = answer_from_solution(solves, check, cost_of)
    table = None
    if isinstance(policy, ExportedPolicy):
        table = {"described": policy.described, "slice": slice, "reached": policy.n_reached, "held": policy.n_with_row}
    return Comparison(
        model.name,
        plain_parameters(model),
        resolved.name,
        resolved.help,
        model.measure,
        model.unit,
        cost.best,
        cost.rule,
        cost.cost,
        tuple(sorted(policy.looks_at)),
        _start_fields_shown(model, start, start_fields),
        table,
        cost.others,
        cost.to_best,
        kind_of(model).is_mixed,
        cost.rule_to_best,
    )


def _part_to_solve(game: TurnGame, start: Position, fields: Mapping[str, Any]) -> TurnGame:
    """The part of the game to solve for a comparison from there on; the rule is called for its boards."""
    part: TurnGame = game.part(start.board, fields, forecast_other_games(game, fields)) if start.state else game.part()
    return part


def _start(game: TurnGame, fields: Mapping[str, Any]) -> Position:
    """The board to start from; raises StateError for an impossible one, BadInput inside a turn."""
    if not fields:
        return Position(game.first_board(), ())
    position = game.locate(**fields)
    index = check_board(game, position.board)
    root = tuple(game.roots()[root_of(game, index)])
    if position.state != root:
        names = ", ".join(fields)
        raise BadInput(f"a comparison starts before a turn; {names} is inside one: leave out what belongs to the turn")
    return position


def _start_fields_shown(game: TurnGame, start: Position, fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of the start that differ from the start of the game."""
    if not start.state:
        return {}
    here, first = (next(iter(game.describe(board, start.state)), {}) for board in (start.board, game.first_board()))
    shown = {**{name: value for name, value in here.items() if first.get(name) != value}, **fields}
    return {field.name: shown[field.name] for field in game.fields() if shown.get(field.name) is not None}


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
