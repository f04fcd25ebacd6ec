"""``odds``: the odds of a single turn, by box on a score sheet and in points elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, overload

from rollwise.arguments import check_arguments
from rollwise.games.registry import REGISTRY, game_class
from rollwise.parsing.validate import parse_fields, parse_game, parse_names, question_fields
from rollwise.parsing.words import CommandLine
from rollwise.questions.odds.data import (
    BEST,
    POINTS,
    BestOdds,
    BustChance,
    OneMoreThrow,
    TurnOdds,
    TurnPoints,
    TurnRisk,
)
from rollwise.questions.question import full_state, reachable, require_board
from rollwise.solutions.identity import plain_parameters
from rollwise.solutions.lookup import StoredSolution, answer_from_solution
from rollwise.solutions.turns import load_or_compile_turn
from rollwise.solver.kinds import kind_of
from rollwise.solver.model.errors import BadInput, StateError, UnknownName
from rollwise.solver.model.game import Position, TurnGame
from rollwise.solver.model.names import did_you_mean, matched
from rollwise.solver.model.plain import quoted
from rollwise.solver.model.rounding import above, below
from rollwise.solver.model.sheet import Aim, BoxGame
from rollwise.solver.model.solution import OneNumber, Quantity
from rollwise.solver.model.turn_points import PointGame, PointSpread
from rollwise.solver.policy.aims import AimProspects, prospects
from rollwise.solver.policy.points_of_turn import (
    Choose,
    chance_to_bust,
    dice_of,
    one_more,
    only_move,
    optimal_choice,
    points_distribution,
    rule_choice,
    throw_ahead,
)
from rollwise.solver.turn.graph import TurnGraph
from rollwise.text.spelling import either, shown_state

if TYPE_CHECKING:
    from rollwise.games.policies import Policy

ROLLS = "rolls"
MAX_MEAN_GAP = Fraction(1, 1000)  # of a point: a mean with a wider interval is omitted
MAX_FRACTION_TERM = 10**30  # numerators and denominators from here on are not shown as fractions
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
        if rolls is not None and ROLLS in {field.name for field in model.fields()}:
            fields, rolls = {**fields, ROLLS: rolls}, None  # a field of that name
        if boxes or rolls is not None:
            named = "boxes to name" if boxes else "numbers of rolls to choose"
            raise BadInput(f"a turn of {model.name} has no {named}; say its state, field by field")
        return _turn_risk(model, policy, dice, question_fields(state, fields))
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


def _turn_risk(
    game: PointGame, policy: str | Path | Policy | None, dice: int | None, fields: Mapping[str, Any]
) -> TurnRisk:
    """The odds of a turn that makes points, from the state of these fields on."""
    values = parse_fields(game, fields)
    position = _position(game, values, dice)
    require_board(game, values, position)
    check = reachable(game, values, position)
    risk_of = partial(_risk, game, values, position, dice)
    chooses = kind_of(game).has_decisions
    if chooses and policy in (None, BEST):

        def played_best(solved: StoredSolution) -> TurnRisk:
            return risk_of(BEST, solved.graph, optimal_choice(solved.solution.turn_on(position.board)))

        return answer_from_solution(game, check, played_best)
    if policy is not None and not chooses:
        raise BadInput(f"{game.title} has no choices, so there is no policy to name", field="policy")
    graph = load_or_compile_turn(game, check)
    if policy is None:
        return risk_of(None, graph, only_move)
    name, rule = _rule(game, policy)
    choose = rule_choice(game, position.board, rule, lambda at: _rule_state(game, values, position, at))
    return risk_of(name, graph, choose)


def _position(game: PointGame, fields: dict[str, Any], dice: int | None) -> Position:
    """The position of the question; ``dice``: the number in hand, which the state may have too."""
    if dice is None or "dice" not in {field.name for field in game.fields()}:
        return game.locate(**fields)
    if fields.get("dice", dice) != dice:
        raise BadInput(f"dice is given twice, as {fields['dice']} and as {dice}", field="dice")
    try:
        position = game.locate(**{**fields, **parse_fields(game, {"dice": dice})})
    except StateError:  # a throw of so many dice is asked about, but here others are thrown next
        with suppress(StateError):
            return game.locate(**fields)
        raise
    fields["dice"] = dice
    return position


def _rule(game: PointGame, policy: str | Path | Policy) -> tuple[str, Policy]:
    """A rule of thumb as in ``compare``: its name, and a function that checks every move it plays."""
    from rollwise.questions.compare.function_policy import call_policy, require_legal
    from rollwise.questions.compare.resolve_policy import function_of

    name, function = function_of(game, policy)
    fields = {field.name for field in game.fields()}

    def shown(state: Mapping[str, Any]) -> str:
        return shown_state({field: value for field, value in state.items() if field in fields})

    def rule(state: Mapping[str, Any], moves: Sequence[str]) -> str:
        move = call_policy(function, name, state, moves, lambda: shown(state), field="policy")
        return require_legal(move, moves, f"{name} plays {move!r} at {shown(state)}", field="policy")

    return name, rule


def _rule_state(game: PointGame, fields: Mapping[str, Any], position: Position, state: Any) -> dict[str, Any] | None:
    """The fields that a rule of thumb sees; None where no question describes the state."""
    shown = next(iter(game.describe(position.board, state)), None)
    if state == position.state:
        shown = {**(shown or {}), **fields}
    return None if shown is None else {**game.parameters(), **shown}


# --- the numbers ---------------------------------------------------------------------------------------------------


def _risk(
    game: PointGame,
    fields: Mapping[str, Any],
    position: Position,
    dice: int | None,
    policy: str | None,
    graph: TurnGraph,
    choose: Choose,
) -> TurnRisk:
    board, state = game.question_board(fields, position), position.state
    hands = game.hands(board, state)
    if dice is not None:
        _require_dice(game, dice, {hand.dice for hand in hands}, position, choose)
    bust = tuple(
        BustChance(hand.dice, _number(chance_to_bust(game, board, hand), "probability"), trio=hand.trio)
        for hand in hands
        if dice in (None, hand.dice)
    )
    more, again = one_more(game, board, state, choose, dice), None
    if more is not None:
        unit = "probability" if game.ranked else game.words.counted
        in_hand = game.shown(int(more.in_hand + position.points))
        again = OneMoreThrow(more.dice, in_hand, _number(more.gain, unit), _number(more.loss, unit))
    return TurnRisk(
        game=game.name,
        parameters=plain_parameters(game),
        state=full_state(game, fields, position),
        policy=policy,
        words=game.words,
        bust=bust,
        turn=_points(game, game.chain_points(graph, position) or points_distribution(game, board, state, choose)),
        again=again,
    )


def _require_dice(game: PointGame, dice: int, numbers_of_dice: set[int], position: Position, choose: Choose) -> None:
    """Raise BadInput for a number of dice that cannot be thrown here."""
    throws = throw_ahead(game, position.board, position.state, choose)
    numbers_of_dice = numbers_of_dice | {dice_of(thrown) for *_, thrown in throws}
    if dice not in numbers_of_dice:
        if not numbers_of_dice:
            raise BadInput(f"no throw at {game.title} can follow here, so leave dice out", field="dice")
        raise BadInput(f"dice is {either(sorted(numbers_of_dice))} in {game.name}, got {dice}", field="dice")


def _points(game: PointGame, dist: PointSpread) -> TurnPoints:
    """The distribution of the turn's points, with outcomes in the game's notation."""
    chances = {game.shown(points): chance for points, chance in dist.chances.items()}
    numbers = {name: _number(chance, "probability", dist.open_) for name, chance in chances.items()}
    points = Quantity(
        {name: number.value for name, number in numbers.items()},
        {name: number.lower for name, number in numbers.items()},
        {name: min(1.0, number.upper) for name, number in numbers.items()},
        {name: number.exact for name, number in numbers.items()},
        "probability",
        None if dist.beyond is None else {"from": dist.beyond[0], "upper": above(dist.beyond[1])},
    )
    low, high = dist.mean or (Fraction(0), MAX_MEAN_GAP)
    mean = _number(low, game.words.counted, high - low) if high - low < MAX_MEAN_GAP else None
    bust = None if dist.bust is None else _number(dist.bust, "probability", dist.open_)
    return TurnPoints(points, mean, bust)


def _number(number: Fraction, unit: str, missing: Fraction = Fraction(0)) -> OneNumber:
    """A number with its bounds; the true one is larger by at most ``missing``."""
    is_shown = not missing and abs(number.numerator) < MAX_FRACTION_TERM and number.denominator < MAX_FRACTION_TERM
    return Quantity(float(number), below(number), above(number + missing), str(number) if is_shown else None, unit)
