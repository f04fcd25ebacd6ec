"""``odds`` of games with a turn: busts, what the turn will make, and what one more throw is worth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rollwise.answers.odds import BEST, BustChance, OneMoreThrow, TurnPoints, TurnRisk
from rollwise.answers.spelling import either, shown_state
from rollwise.asking.question import reachable, require_board, understood
from rollwise.parsing.validate import as_said, the_fields
from rollwise.solutions.games import StoredSolution, with_solved
from rollwise.solutions.identity import plain_parameters
from rollwise.solutions.turns import turn_of
from rollwise.solver.kinds import kind_of
from rollwise.solver.model.errors import BadInput, StateError
from rollwise.solver.model.game import Position
from rollwise.solver.model.rounding import above, below
from rollwise.solver.model.solution import OneNumber, Quantity
from rollwise.solver.model.turn_points import PointGame, PointSpread
from rollwise.solver.policy.points_of_turn import (
    Choose,
    best_play,
    by_rule,
    chance_to_bust,
    dice_of,
    nobody,
    one_more,
    spread,
    throw_ahead,
)
from rollwise.solver.turn.graph import TurnGraph

if TYPE_CHECKING:
    from rollwise.games.policies import Policy

SURE = Fraction(1, 1000)  # of a point: a mean that is less certain is not told
LONGEST = 10**30  # above any numerator or denominator that is shown; longer fractions are numbers with their bounds


def turn_risk(
    game: PointGame,
    policy: str | Path | Policy | None,
    dice: int | None,
    state: Mapping[str, Any] | None,
    fields: Mapping[str, Any],
) -> TurnRisk:
    """See ``rollwise.odds``."""
    known = dict(the_fields(game, as_said(state, fields)))
    position = _position(game, known, dice)
    require_board(game, known, position)
    check = reachable(game, known, position)
    risk_of = partial(_risk, game, known, position, dice)
    chooses = kind_of(game).chooses
    if chooses and policy in (None, BEST):

        def played_best(solved: StoredSolution) -> TurnRisk:
            return risk_of(BEST, solved.graph, best_play(solved.opened.turn_on(position.board)))

        return with_solved(game, check, played_best)
    if policy is not None and not chooses:
        raise BadInput(f"nobody chooses at {game.title}, so there is no policy to name", field="policy")
    graph = turn_of(game, check)
    if policy is None:
        return risk_of(None, graph, nobody)
    name, rule = _rule(game, policy)
    return risk_of(name, graph, by_rule(game, position.board, rule, lambda at: _seen(game, known, position, at)))


def _position(game: PointGame, fields: dict[str, Any], dice: int | None) -> Position:
    """Where the question stands; ``dice`` says how many are in hand, where a state may say so, too."""
    if dice is None or "dice" not in {field.name for field in game.fields()}:
        return game.locate(**fields)
    if fields.get("dice", dice) != dice:
        raise BadInput(f"dice is said twice, as {fields['dice']} and as {dice}", field="dice")
    try:
        position = game.locate(**{**fields, **the_fields(game, {"dice": dice})})
    except StateError:  # a throw of so many dice is asked about, but here others are thrown next
        with suppress(StateError):
            return game.locate(**fields)
        raise
    fields["dice"] = dice
    return position


def _rule(game: PointGame, policy: str | Path | Policy) -> tuple[str, Policy]:
    """A rule as ``compare`` takes it: its name, and the function, of which every move is checked."""
    from rollwise.asking.compare.rules import function_of
    from rollwise.asking.compare.seen import legal, played_by

    name, function = function_of(game, policy)
    fields = {field.name for field in game.fields()}

    def shown(state: Mapping[str, Any]) -> str:
        return shown_state({field: value for field, value in state.items() if field in fields})

    def rule(state: Mapping[str, Any], moves: Sequence[str]) -> str:
        move = played_by(function, name, state, moves, lambda: shown(state), field="policy")
        return legal(move, moves, f"{name} plays {move!r} at {shown(state)}", field="policy")

    return name, rule


def _seen(game: PointGame, fields: Mapping[str, Any], position: Position, state: Any) -> dict[str, Any] | None:
    """What a rule sees of a state; None where no question can stand."""
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
    board, state = game.board_asked(fields, position), position.state
    hands = game.hands(board, state)
    if dice is not None:
        _require_dice(game, dice, {hand.dice for hand in hands}, position, choose)
    bust = tuple(
        BustChance(hand.dice, hand.trio, _number(chance_to_bust(game, board, hand), "probability"))
        for hand in hands
        if dice in (None, hand.dice)
    )
    more, again = one_more(game, board, state, choose, dice), None
    if more is not None:
        unit = "probability" if game.ranked else game.words.counted
        made = game.shown(int(more.made + position.points))
        again = OneMoreThrow(more.dice, made, _number(more.gain, unit), _number(more.loss, unit))
    return TurnRisk(
        game=game.name,
        parameters=plain_parameters(game),
        state=understood(game, fields, position),
        policy=policy,
        words=game.words,
        bust=bust,
        turn=_points(game, game.go(graph, position) or spread(game, board, state, choose)),
        again=again,
    )


def _require_dice(game: PointGame, dice: int, known: set[int], position: Position, choose: Choose) -> None:
    """Raise BadInput for a number of dice that nobody throws here."""
    ahead = throw_ahead(game, position.board, position.state, choose)
    known = known | {dice_of(thrown) for *_, thrown in ahead}
    if dice not in known:
        if not known:
            raise BadInput(f"no throw at {game.title} can follow here, so leave dice out", field="dice")
        raise BadInput(f"dice is {either(sorted(known))} in {game.name}, got {dice}", field="dice")


def _points(game: PointGame, spread: PointSpread) -> TurnPoints:
    """The distribution by outcome, written as the game writes it."""
    chances = {game.shown(points): chance for points, chance in spread.chances.items()}
    numbers = {name: _number(chance, "probability", spread.open_) for name, chance in chances.items()}
    points = Quantity(
        {name: number.value for name, number in numbers.items()},
        {name: number.lower for name, number in numbers.items()},
        {name: min(1.0, number.upper) for name, number in numbers.items()},
        {name: number.exact for name, number in numbers.items()},
        "probability",
        None if spread.beyond is None else {"from": spread.beyond[0], "upper": above(spread.beyond[1])},
    )
    low, high = spread.mean or (Fraction(0), SURE)
    mean = _number(low, game.words.counted, high - low) if high - low < SURE else None
    bust = None if spread.bust is None else _number(spread.bust, "probability", spread.open_)
    return TurnPoints(points, mean, bust)


def _number(number: Fraction, unit: str, missing: Fraction = Fraction(0)) -> OneNumber:
    """A number, or what it is at least if as much as this may be ``missing``."""
    is_shown = not missing and abs(number.numerator) < LONGEST and number.denominator < LONGEST
    return Quantity(float(number), below(number), above(number + missing), str(number) if is_shown else None, unit)
