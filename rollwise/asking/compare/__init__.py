"""``compare``: what a rule of thumb costs against the best play, computed exactly and not simulated.

``rules`` finds the rule that is meant, ``seen`` shows it states and takes its moves, ``tables`` does that for a table
that ``export`` wrote; ``solver.policy.policy_in_duel`` plays it through.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rollwise.answers.comparison import Comparison
from rollwise.asking.compare.for_the_mean import against_the_mean, is_for_the_mean
from rollwise.asking.compare.mixed import AskedMix, table_policy
from rollwise.asking.compare.rules import game_of, rule_meant
from rollwise.asking.compare.seen import AskedRule, root_of
from rollwise.asking.compare.tables import OneSheet, TableRule
from rollwise.asking.question import reachable
from rollwise.games.policies import Policy
from rollwise.parsing.validate import check_board, checked, the_fields
from rollwise.solutions.games import StoredSolution, anything, endings_beside, with_solved
from rollwise.solutions.identity import plain_parameters
from rollwise.solutions.progress import Progress
from rollwise.solver.kinds import kind_of
from rollwise.solver.kinds.kind import RuleCost, Tools
from rollwise.solver.model.errors import BadInput
from rollwise.solver.model.game import Position, TurnGame


@checked
def compare(
    game: str,
    rule: str | Path | Policy,
    *,
    params: Mapping[str, Any] | None = None,
    state: Mapping[str, Any] | None = None,
    slice: bool = False,
    yes: bool = False,
) -> Comparison:
    """What a rule of thumb costs per game: the best value minus the rule's, mean of seats; in a duel twice, to a player
    who knows the rule and to the best player.

    ``rule`` is the name of one of the game's own (``games.policies``), a function of (state, moves) that returns a
    move, a file with such a function (``policy.py:function``), or a table that ``export`` wrote and somebody edited
    (a folder of one for each level, too), whose parameters are taken where none are said. A function is shown all
    fields of a question, and the moves that are legal there; it is asked about every decision that its play comes
    to, once for all boards that agree in what it looks at. Rolls that a game sees alike are one decision, of which
    it is shown the first; so are sheets that are worth the same. A turn that has made all that counts is over, and
    where no question can stand the best is played.

    ``state``: fields of the board that the game goes on from, by default its start. ``slice``: the table is a part of
    one, and the best is played outside its rows; one of a single sheet is compared from that sheet on. ``yes`` as in
    ``ask``.

    Raises BadInput for a rule that cannot be found, that fails, or that plays what is no move there, TooLarge for one
    that looks at more than can be asked about.

    >>> round(compare("pig", "hold-at-20", params={"target": 40}).cost[0], 6)
    0.043401
    """
    made = game_of(game, params, rule)
    kind_of(made).require_comparable(made)
    start_fields = the_fields(made, state or {})
    if is_for_the_mean(made, rule):
        return against_the_mean(made, start_fields, _start(made, start_fields))
    meant = rule_meant(made.name, rule)
    if slice and kind_of(made).mixes:
        raise BadInput(f"a table of {made.name} is compared whole, with the mixes of both players", field="slice")
    if slice and meant.table is None:
        raise BadInput(f"a slice is a part of a table that export wrote; {meant.name} is a rule for every decision")
    start, sheet = _start(made, start_fields), OneSheet()
    solves = _part(made, start, start_fields)
    asks: AskedRule | TableRule | AskedMix
    if kind_of(made).mixes:
        asks = AskedMix(made, meant.function or table_policy(made, meant.table or Path()), meant.name)
    elif meant.table is not None:
        asks = TableRule(made, meant.table, slice)
        sheet = asks.sheet()
        if sheet.start is not None and not start_fields:
            start, start_fields = sheet.start, dict(sheet.fields)
            solves = _part(made, start, start_fields)
        if solves is not made:
            asks = TableRule(solves, meant.table, slice)
            sheet = asks.sheet()
        asks.look(start)
    else:
        assert meant.function is not None
        asks = AskedRule(solves, meant.function, meant.name)

    def cost_of(solved: StoredSolution) -> RuleCost:
        with Progress(str(made), verb="comparing") as progress:
            tools = Tools(progress.share)
            return kind_of(made).compare(solved.opened, asks, start, tools, sheet.last_level)

    check = reachable(made, start_fields, start) if start.state else anything
    cost = with_solved(solves, check, cost_of)
    table = None
    if isinstance(asks, TableRule):
        table = {"described": asks.described, "slice": slice, "reached": asks.reached, "held": asks.held}
    return Comparison(
        made.name,
        plain_parameters(made),
        meant.name,
        meant.help,
        made.measure,
        made.unit,
        cost.best,
        cost.rule,
        cost.cost,
        tuple(sorted(asks.looks_at)),
        _shown(made, start, start_fields),
        table,
        cost.others,
        cost.to_best,
        kind_of(made).mixes,
        cost.rule_to_best,
    )


def _part(game: TurnGame, start: Position, fields: Mapping[str, Any]) -> TurnGame:
    """What has to be solved for a comparison from there on: its boards are those that a rule is asked about."""
    part: TurnGame = game.part(start.board, fields, endings_beside(game, fields)) if start.state else game.part()
    return part


def _start(game: TurnGame, fields: Mapping[str, Any]) -> Position:
    """The board that the game goes on from; raises StateError for one that cannot be, BadInput inside a turn."""
    if not fields:
        return Position(game.first_board(), ())
    position = game.locate(**fields)
    index = check_board(game, position.board)
    root = tuple(game.roots()[root_of(game, index)])
    if position.state != root:
        names = ", ".join(fields)
        raise BadInput(f"a comparison starts before a turn; {names} is inside one: leave out what belongs to the turn")
    return position


def _shown(game: TurnGame, start: Position, fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of the start that are not those of every game's start."""
    if not start.state:
        return {}
    here, first = (next(iter(game.describe(board, start.state)), {}) for board in (start.board, game.first_board()))
    shown = {**{name: value for name, value in here.items() if first.get(name) != value}, **fields}
    return {field.name: shown[field.name] for field in game.fields() if shown.get(field.name) is not None}
