"""``odds`` of games with a turn: bust chances, the points of the turn, and the value of one more throw."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rollwise.parsing.validate import parse_fields, question_fields
from rollwise.questions.odds.data import BEST, BustChance, OneMoreThrow, TurnPoints, TurnRisk
from rollwise.questions.question import full_state, reachable, require_board
from rollwise.solutions.identity import plain_parameters
from rollwise.solutions.lookup import StoredSolution, answer_from_solution
from rollwise.solutions.turns import load_or_compile_turn
from rollwise.solver.kinds import kind_of
from rollwise.solver.model.errors import BadInput, StateError
from rollwise.solver.model.game import Position
from rollwise.solver.model.rounding import above, below
from rollwise.solver.model.solution import OneNumber, Quantity
from rollwise.solver.model.turn_points import PointGame, PointSpread
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

MAX_MEAN_GAP = Fraction(1, 1000)  # of a point: a mean with a wider interval is omitted
MAX_FRACTION_TERM = 10**30  # numerators and denominators from here on are not shown as fractions


def turn_risk(
    game: PointGame,
    policy: str | Path | Policy | None,
    dice: int | None,
    state: Mapping[str, Any] | None,
    fields: Mapping[str, Any],
) -> TurnRisk:
    """See ``rollwise.odds``."""
    values = dict(parse_fields(game, question_fields(state, fields)))
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
