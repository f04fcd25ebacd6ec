"""``compare``: what a rule of thumb costs against the best play, computed exactly and not simulated.

``rules`` finds the rule that is meant, ``seen`` shows it states and takes its moves, ``tables`` does that for a table
that ``export`` wrote; ``solver.play.contested`` plays it through.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rollwise.answer import Labelled
from rollwise.comparing.mixed import AskedMix, table_policy
from rollwise.comparing.rules import found, game_of
from rollwise.comparing.seen import Asked, root_of
from rollwise.comparing.tables import Sheet, TableRule
from rollwise.door import check_board, checked, the_fields
from rollwise.games.policies import Policy
from rollwise.labels import RULES, cost_label, short_label
from rollwise.progress import Progress
from rollwise.solver.game.errors import BadInput
from rollwise.solver.game.jsonable import Jsonable
from rollwise.solver.game.model import Position, TurnGame
from rollwise.solver.kinds import kind_of
from rollwise.solver.kinds.kind import ALONE, KNOWS, RULED, Cost, Tools
from rollwise.stored import Stored, anything, asked, plain_parameters

__all__ = ["Comparison", "compare"]

Bounds = tuple[float, float, float]  # value, lower, upper


@dataclass(frozen=True)
class Comparison(Jsonable):
    """What a rule is worth and what it costs, each as (value, lower, upper) in the game's unit.

    In a duel ``best`` and ``rule`` are by seat: P(win) or margin of the player in seat 0 and in seat 1, the rule's
    against a player who knows it and replies as well as can be, and ``cost`` is the mean difference over the seats.
    ``cost_to_best`` is the same against the best player, who does not know the rule, and of equally good moves makes
    the first in the game's own order; None where that takes too much, and in other games. Alone there is one seat. At
    a table of three or more all others play the solution, for there is no one best reply of several players. Where a
    table has no solution (Bluff), ``rule`` is what a seat wins where all play the rule, and ``best`` its best reply to
    that. ``others`` says which of these it is, ``label`` and ``label_to_best`` what each cost is in words.
    ``looks_at`` names the fields beside the turn that the rule looked at, ``state`` is where the game goes on from
    (what is not said is as at the start). ``table``: of a table, whether it says what it is of (``described``), and of
    how many decisions that play came to (``reached``) it has a row (``held``).
    """

    JSON = (
        "game parameters state policy help objective unit label=values best=told_best rule=told_rule differences "
        "cost=told_cost is_known?(cost_to_best=told_cost_to_best) looks_at table?"
    )

    game: str
    parameters: dict[str, Any]
    policy: str
    help: str
    objective: str
    unit: str
    best: tuple[Bounds, ...]
    rule: tuple[Bounds, ...]
    cost: Bounds
    looks_at: tuple[str, ...]
    state: dict[str, Any]
    table: dict[str, Any] | None = None
    others: str = ALONE
    cost_to_best: Bounds | None = None
    mixes: bool = False

    @property
    def label(self) -> str:
        """What ``cost`` is."""
        return cost_label(self.others)

    @property
    def label_to_best(self) -> str:
        """What ``cost_to_best`` is."""
        return cost_label("mixes" if self.mixes else "best")

    @property
    def heading(self) -> str:
        """What ``best`` is."""
        return "best reply" if self.others == RULED else "best play"

    @property
    def differences(self) -> list[float]:
        """By seat, the best play less the rule."""
        return [round(best[0] - rule[0], 9) + 0.0 for best, rule in zip(self.best, self.rule, strict=True)]

    @property
    def is_known(self) -> bool:
        """Is the rule compared with somebody who knows it, and with the best player beside?"""
        return self.others == KNOWS

    @property
    def values(self) -> str:
        """What ``best`` and ``rule`` count."""
        return short_label(self.objective, {})

    @property
    def told_best(self) -> list[Labelled]:
        """``best``, each with its heading."""
        return [Labelled(self.heading, *bounds) for bounds in self.best]

    @property
    def told_rule(self) -> list[Labelled]:
        """``rule``, each with its heading."""
        return [Labelled(RULES[self.others], *bounds) for bounds in self.rule]

    @property
    def told_cost(self) -> Labelled:
        """``cost`` with its label."""
        return Labelled(self.label, *self.cost)

    @property
    def told_cost_to_best(self) -> Labelled | None:
        """``cost_to_best`` with its label."""
        return self.cost_to_best and Labelled(self.label_to_best, *self.cost_to_best)


@checked
def compare(
    game: str,
    rule: str | Path | Policy,
    params: Mapping[str, Any] | None = None,
    *,
    state: Mapping[str, Any] | None = None,
    slice: bool = False,
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
    one, and the best is played outside its rows; one of a single sheet is compared from that sheet on.

    Raises BadInput for a rule that cannot be found, that fails, or that plays what is no move there, TooLarge for one
    that looks at more than can be asked about.

    >>> round(compare("pig", "hold-at-20", {"target": 40}).cost[0], 6)
    0.043401
    """
    made = game_of(game, params, rule)
    kind_of(made).require_comparable(made)
    meant = found(made.name, rule)
    given = the_fields(made, state or {})
    if slice and kind_of(made).mixes:
        raise BadInput(f"a table of {made.name} is compared whole, with the mixes of both players", field="slice")
    if slice and meant.table is None:
        raise BadInput(f"a slice is a part of a table that export wrote; {meant.name} is a rule for every decision")
    start, sheet = _start(made, given), Sheet()
    asks: Asked | TableRule | AskedMix
    if kind_of(made).mixes:
        asks = AskedMix(made, meant.function or table_policy(made, meant.table or Path()), meant.name)
    elif meant.table is not None:
        asks = TableRule(made, meant.table, slice)
        sheet = asks.sheet()
        if sheet.start is not None and not given:
            start, given = sheet.start, dict(sheet.said)
        asks.look(start)
    else:
        assert meant.function is not None
        asks = Asked(made, meant.function, meant.name)

    def cost_of(solved: Stored) -> Cost:
        with Progress(str(made), verb="comparing") as progress:
            tools = Tools(progress.share)
            return asks.whole(lambda: kind_of(made).compare(solved.opened, asks, start, tools, sheet.last_level))

    cost = asked(made, anything, cost_of)
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
        _shown(made, start, given),
        table,
        cost.others,
        cost.to_best,
        kind_of(made).mixes,
    )


def _start(game: TurnGame, given: Mapping[str, Any]) -> Position:
    """The board that the game goes on from; raises StateError for one that cannot be, BadInput inside a turn."""
    if not given:
        return Position(game.first_board(), ())
    position = game.locate(**given)
    index = check_board(game, position.board)
    root = tuple(game.roots()[root_of(game, index)])
    if position.state != root:
        said = ", ".join(given)
        raise BadInput(f"a comparison starts before a turn; {said} is inside one: leave out what belongs to the turn")
    return position


def _shown(game: TurnGame, start: Position, given: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of the start that are not those of every game's start."""
    if not start.state:
        return {}
    here, first = (next(iter(game.describe(board, start.state)), {}) for board in (start.board, game.first_board()))
    shown = {**{name: value for name, value in here.items() if first.get(name) != value}, **given}
    return {field.name: shown[field.name] for field in game.fields() if shown.get(field.name) is not None}
