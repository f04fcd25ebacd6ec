"""``odds``: the odds of a single turn, by box on a score sheet and in points elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, overload

from rollwise.arguments import check_arguments
from rollwise.games.registry import REGISTRY, game_class
from rollwise.parsing.validate import parse_game, parse_names
from rollwise.parsing.words import CommandLine
from rollwise.questions.odds.data import POINTS, BestOdds, TurnOdds
from rollwise.solutions.identity import plain_parameters
from rollwise.solutions.turns import load_or_compile_turn
from rollwise.solver.model.errors import BadInput, UnknownName
from rollwise.solver.model.game import TurnGame
from rollwise.solver.model.names import did_you_mean, matched
from rollwise.solver.model.plain import quoted
from rollwise.solver.model.sheet import Aim, BoxGame
from rollwise.solver.model.solution import Quantity
from rollwise.solver.model.turn_points import PointGame
from rollwise.solver.policy.aims import AimProspects, prospects
from rollwise.text.spelling import either

if TYPE_CHECKING:
    from rollwise.games.policies import Policy
    from rollwise.questions.odds.data import TurnRisk

ROLLS = "rolls"
# Games with odds of a turn, by box and in points; type checkers infer the type of an answer from these names.
SheetName: TypeAlias = Literal["cameroon", "sixzee", "yahtzee"]
TurnName: TypeAlias = Literal[
    "drop-dead", "mexico", "pig", "piggy-six", "sevens", "shut-the-box", "slam", "ten-thousand", "thunderstorm", "zilch"
]


@overload
def odds(
    game: SheetName,
    *,
    params: Mapping[str, Any] | None = None,
    boxes: str | Sequence[str] | None = None,
    rolls: int | None = None,
    yes: bool = False,
) -> TurnOdds: ...


@overload
def odds(
    game: TurnName,
    *,
    params: Mapping[str, Any] | None = None,
    state: Mapping[str, Any] | None = None,
    policy: str | Path | Policy | None = None,
    dice: int | None = None,
    yes: bool = False,
    **fields: Any,
) -> TurnRisk: ...


@overload
def odds(
    game: str,
    *,
    params: Mapping[str, Any] | None = None,
    state: Mapping[str, Any] | None = None,
    boxes: str | Sequence[str] | None = None,
    rolls: int | None = None,
    policy: str | Path | Policy | None = None,
    dice: int | None = None,
    yes: bool = False,
    **fields: Any,
) -> TurnOdds | TurnRisk: ...


@check_arguments
def odds(
    game: str,
    *,
    params: Mapping[str, Any] | None = None,
    state: Mapping[str, Any] | None = None,
    boxes: str | Sequence[str] | None = None,
    rolls: int | None = None,
    policy: str | Path | Policy | None = None,
    dice: int | None = None,
    yes: bool = False,
    **fields: Any,
) -> TurnOdds | TurnRisk:
    """The odds of one turn.

    On a score sheet: the best chance to score in a box, and the largest mean of points there, for a player who goes
    only for that. ``boxes`` are the boxes to list (by default all), ``rolls`` is the number of rolls (by default each
    possible one). Every chance and every mean has its own best policy. Points are the plain scores of the dice, without
    jokers and bonuses of the board.

    In a game whose turn makes points (docs/odds.md explains them game by game): the chance that a throw is a bust, the
    points that the turn will make, and the gain and loss of one more throw. ``fields`` say the state of the turn, or
    ``state`` does, as for ``ask``. ``policy`` plays the turn: by default the best play, else a rule of thumb as in
    ``compare``. ``dice`` is the number of dice in hand: bust chance and further throw are then theirs alone. Where a
    state has a field of that name ``dice=`` sets both; ``state`` sets the field alone, and two different numbers are
    refused. ``yes`` as in ``ask``.

    Raises BadInput for a game without such a turn, for a number of rolls or dice that a turn does not have, and as
    ``ask`` and ``compare`` do; UnknownName for an unknown box.

    >>> odds("yahtzee", boxes="yahtzee", rolls=3).odds[0].best.exact
    '347897/7558272'
    >>> odds("ten-thousand", policy=lambda state, moves: moves[0], turn=300, dice=3).bust[0].chance.exact
    '5/18'
    """
    if policy is None:
        model = parse_game(game, params)
    else:
        from rollwise.questions.compare.resolve_policy import game_of

        model = game_of(game, params, policy)
    boxes = None if boxes is None else parse_names("boxes", boxes)
    if isinstance(model, PointGame):
        from rollwise.questions.odds.turn_risk import turn_risk

        if rolls is not None and ROLLS in {field.name for field in model.fields()}:
            fields, rolls = {**fields, ROLLS: rolls}, None  # a field of that name
        if boxes or rolls is not None:
            named = "boxes to name" if boxes else "numbers of rolls to choose"
            raise BadInput(f"a turn of {model.name} has no {named}; say its state, field by field")
        return turn_risk(model, policy, dice, state, fields)
    if not isinstance(model, BoxGame):
        raise BadInput(
            f"there are no odds of a turn of {model.name}; games that have them: {', '.join(games_with(PointGame))}, "
            f"and, by box, {', '.join(games_with(BoxGame))}"
        )
    if state or fields or policy is not None or dice is not None:
        raise BadInput(
            f"odds of {model.name} are those of a turn that goes for one box, from its first roll on: name boxes, and "
            "rolls, and nothing else",
            hint=CommandLine("odds", [model.name, *(boxes or [next(iter(model.aims()))])]).text(),
            field="dice" if dice is not None else "policy" if policy is not None else "",
        )
    aims, before = model.aims(), model.before_rolls()
    if rolls is not None and rolls not in before:
        raise BadInput(f"rolls is {either(list(before))} in {game}, got {rolls}")
    states = before if rolls is None else {rolls: before[rolls]}
    by_box = prospects(load_or_compile_turn(model), _chosen(game, aims, boxes), states)
    rows = tuple(row for box, by_rolls in by_box.items() for row in _rows(box, by_rolls))
    return TurnOdds(model.name, plain_parameters(model), rows)


def boxes_of(game: str, params: Mapping[str, Any]) -> list[str]:
    """The boxes that a turn can go for; none where turns do not fill boxes."""
    model = parse_game(game, params)
    return list(model.aims()) if isinstance(model, BoxGame) else []


def games_with(kind: type[TurnGame]) -> list[str]:
    """The games of this kind by name."""
    return [name for name in sorted(REGISTRY) if issubclass(game_class(name), kind)]


def _chosen(game: str, aims: Mapping[str, Aim], boxes: Sequence[str] | None) -> dict[str, Aim]:
    """The aims of these boxes, in the order of the sheet."""
    if not boxes:
        return dict(aims)
    named = {box: matched(box, aims) for box in boxes}
    for box, name in named.items():
        if name is None:
            raise UnknownName(f"{game} has no box {quoted(box)}{did_you_mean(box, aims)}; boxes: {', '.join(aims)}")
    return {box: aim for box, aim in aims.items() if box in named.values()}


def _rows(box: str, by_rolls: Mapping[int, AimProspects]) -> Iterator[BestOdds]:
    """The odds of one box, aim by aim."""
    for mark in next(iter(by_rolls.values())).chances:
        for rolls, best in by_rolls.items():
            chance = best.chances[mark]
            yield BestOdds(box, mark, rolls, Quantity.between(chance, chance, "probability"))
    for rolls, best in by_rolls.items():
        yield BestOdds(box, POINTS, rolls, Quantity.between(best.points, best.points, POINTS))
