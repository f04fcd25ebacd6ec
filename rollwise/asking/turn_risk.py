"""``odds`` of games with a turn: busts, what the turn will make, and what one more throw is worth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rollwise.answers.odds import BEST, BustChance, OneMoreThrow, TurnPoints, TurnRisk
from rollwise.answers.spelling import either, shown_state
from rollwise.asking.question import reachable, require_board, understood
from rollwise.reading.door import as_said, the_fields
from rollwise.solved.games import with_solved
from rollwise.solved.identity import plain_parameters
from rollwise.solver.game.errors import BadInput, StateError
from rollwise.solver.game.model import Position
from rollwise.solver.game.points import PointGame, PointSpread
from rollwise.solver.game.rounding import above, below
from rollwise.solver.game.solution import Quantity
from rollwise.solver.kinds import kind_of
from rollwise.solver.play.points import (
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
from rollwise.solver.turn.graph import TurnGraph, compile_turn

if TYPE_CHECKING:
    from rollwise.games.policies import Policy

SURE = Fraction(1, 1000)  # of a point: a mean that is less certain is not told
DIGITS = 30  # of a numerator or denominator that is shown; longer fractions are numbers with their bounds


def turn_risk(
    game: PointGame,
    policy: str | Path | Policy | None,
    dice: int | None,
    state: Mapping[str, Any] | None,
    fields: Mapping[str, Any],
) -> TurnRisk:
    """See ``rollwise.odds``."""
    given = dict(the_fields(game, as_said(state, fields)))
    position = _position(game, given, dice)
    require_board(game, given, position)
    check = reachable(game, given, position)

    told = partial(_risk, game, given, position, dice)
    chooses = kind_of(game).chooses
    if chooses and policy in (None, BEST):
        return with_solved(
            game, check, lambda found: told(BEST, found.graph, best_play(found.opened.turn_on(position.board)))
        )
    if policy is not None and not chooses:
        raise BadInput(f"nobody chooses at {game.title}, so there is no policy to name", field="policy")
    graph = compile_turn(game)
    check(graph)
    if policy is None:
        return told(None, graph, nobody)
    name, rule = _rule(game, policy)
    return told(name, graph, by_rule(game, position.board, rule, lambda state: _seen(game, given, position, state)))


def _position(game: PointGame, given: dict[str, Any], dice: int | None) -> Position:
    """Where the question stands; ``dice`` says how many are in hand, where a state may say so, too."""
    if dice is None or "dice" not in {field.name for field in game.fields()}:
        return game.locate(**given)
    if given.get("dice", dice) != dice:
        raise BadInput(f"dice is said twice, as {given['dice']} and as {dice}", field="dice")
    try:
        position = game.locate(**{**given, **the_fields(game, {"dice": dice})})
    except StateError as error:  # a throw of so many dice is asked about, but here others are thrown next
        try:
            return game.locate(**given)
        except StateError:
            raise error from None
    given["dice"] = dice
    return position


def _rule(game: PointGame, policy: str | Path | Policy) -> tuple[str, Policy]:
    """A rule as ``compare`` takes it: its name, and the function, of which every move is checked."""
    from rollwise.asking.compare.rules import function_of
    from rollwise.asking.compare.seen import listed, played_by

    name, function = function_of(game, policy)
    fields = {field.name for field in game.fields()}

    def shown(state: Mapping[str, Any]) -> str:
        return shown_state({field: value for field, value in state.items() if field in fields})

    def rule(state: Mapping[str, Any], moves: Sequence[str]) -> str:
        move: str = played_by(function, name, state, moves, lambda: shown(state), field="policy")
        if move not in moves:
            said = f"{name} plays {move!r} at {shown(state)}, which is none of the moves; {listed(moves)}"
            raise BadInput(said, field="policy")
        return move

    return name, rule


def _seen(game: PointGame, given: Mapping[str, Any], position: Position, state: Any) -> dict[str, Any] | None:
    """What a rule sees of a state; None where no question can stand."""
    told = next(iter(game.describe(position.board, state)), None)
    if state == position.state:
        told = {**(told or {}), **given}
    return None if told is None else {**game.parameters(), **told}


# --- what there is to tell -----------------------------------------------------------------------------------------


def _risk(
    game: PointGame,
    given: Mapping[str, Any],
    position: Position,
    dice: int | None,
    policy: str | None,
    graph: TurnGraph,
    choose: Choose,
) -> TurnRisk:
    board, state = game.board_asked(given, position), position.state
    hands = game.hands(board, state)
    if dice is not None:
        _require_dice(game, dice, {hand.dice for hand in hands}, position, choose)
    bust = tuple(
        BustChance(hand.dice, hand.trio, _quantity(chance_to_bust(game, board, hand), "probability"))
        for hand in hands
        if dice in (None, hand.dice)
    )
    found = game.go(graph, position) or spread(game, board, state, choose)
    more = one_more(game, board, state, choose, dice)
    again = None
    if more is not None:
        unit = "probability" if game.ranked else game.words.counted
        made = game.shown(int(more.made + position.points))
        again = OneMoreThrow(more.dice, made, _quantity(more.gain, unit), _quantity(more.loss, unit))
    return TurnRisk(
        game.name,
        plain_parameters(game),
        understood(game, given, position),
        policy,
        game.words,
        bust,
        _points(game, found),
        again,
    )


def _require_dice(game: PointGame, dice: int, known: set[int], position: Position, choose: Choose) -> None:
    """Raise BadInput for a number of dice that nobody throws here."""
    ahead = throw_ahead(game, position.board, position.state, choose)
    known = known | {dice_of(thrown) for *_, thrown in ahead}
    if dice not in known:
        if not known:
            raise BadInput(f"no throw at {game.title} can follow here, so leave dice out", field="dice")
        raise BadInput(f"dice is {either(sorted(known))} in {game.name}, got {dice}", field="dice")


def _points(game: PointGame, found: PointSpread) -> TurnPoints:
    """The distribution by outcome, written as the game writes it."""
    by_name = {game.shown(points): chance for points, chance in found.chances.items()}
    points = Quantity(
        {name: float(chance) for name, chance in by_name.items()},
        {name: below(chance) for name, chance in by_name.items()},
        {name: min(1.0, above(chance + found.open_)) for name, chance in by_name.items()},
        {name: None if found.open_ else _fraction(chance) for name, chance in by_name.items()},
        "probability",
        None if found.beyond is None else {"from": found.beyond[0], "upper": above(found.beyond[1])},
    )
    mean = None
    if found.mean is not None and found.mean[1] - found.mean[0] < SURE:
        low, high = found.mean
        mean = Quantity(
            float(low), below(low), above(high), _fraction(low) if low == high else None, game.words.counted
        )
    bust = None if found.bust is None else _quantity(found.bust, "probability", found.open_)
    return TurnPoints(points, mean, bust)


def _quantity(number: Fraction, unit: str, open_: Fraction = Fraction(0)) -> Quantity:
    """A number, or what it is at least if as much as ``open_`` may be missing."""
    exact = None if open_ else _fraction(number)
    return Quantity(float(number), below(number), above(number + open_), exact, unit)


def _fraction(number: Fraction) -> str | None:
    longest = 10**DIGITS
    return str(number) if abs(number.numerator) < longest and number.denominator < longest else None
