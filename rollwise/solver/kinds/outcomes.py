"""What happens next: every outcome of a move, with its chance, the dice, the question that follows and its value."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from rollwise.solver.kinds.kind import PositionValue, Report, Solution, unheard
from rollwise.solver.model.fields import Number
from rollwise.solver.model.game import Position, TurnGame
from rollwise.solver.model.jsonable import Jsonable
from rollwise.solver.model.throws import Faces
from rollwise.solver.model.two_seats import is_duel
from rollwise.solver.turn.query import Move
from rollwise.solver.turn.successors import ThrowOutcome


@dataclass(frozen=True)
class Throw(Jsonable):
    """Dice that fall, and in how many ways they can; ``then`` are further throws without a choice between."""

    JSON = "dice then? ways"

    dice: Faces
    then: tuple[Faces, ...]
    ways: int


@dataclass(frozen=True)
class Outcome:
    """One outcome of a move, for who makes it.

    ``chance`` is None for what a call would lead to that nobody makes. ``fields`` and ``position`` are the next
    question, None where the game is over, and past a proven cut, where only bounds are known. ``mover`` is the seat
    that moves then, ``ended`` how the game ended: won, lost, shared or over. ``gained`` is what the move earns and the
    next question cannot say; it is counted in what the outcome is ``worth``. ``reply``: what a player replied who has
    not seen the dice.
    """

    chance: Fraction | None
    throws: tuple[Throw, ...]
    fields: Mapping[str, Any] | None
    position: Position | None
    mover: int
    ended: str | None
    gained: Fraction
    worth: PositionValue
    reply: str | None = None


def outcomes(
    opened: Solution, asked: Mapping[str, Any], position: Position, move: Move, report: Report = unheard
) -> list[Outcome]:
    """Every outcome of a move of this position, one a way that it falls; ``asked`` are all fields of the question."""
    falls = opened.falls(asked, position, move)
    made = replace(position, points=position.points + move.points)
    known: dict[Any, PositionValue] = {}  # throws that come to the same are worth the same
    found = []
    for number, fall in enumerate(falls):
        found.append(_outcome(opened, asked, made, move.name, fall, known))
        report((number + 1) / len(falls))
    return found


def one_by_one(
    opened: Solution, asked: Mapping[str, Any], position: Position, move: Move
) -> Callable[[ThrowOutcome], Outcome]:
    """What makes an outcome of each way that a move falls, for who does not want all of them."""
    made, known = replace(position, points=position.points + move.points), dict[Any, PositionValue]()
    return lambda fall: _outcome(opened, asked, made, move.name, fall, known)


def _outcome(
    opened: Solution,
    asked: Mapping[str, Any],
    made: Position,
    move: str,
    fall: ThrowOutcome,
    known: dict[Any, PositionValue],
) -> Outcome:
    game, seat = opened.game, opened.seat_after(made, fall.passed)
    throws = (Throw(fall.thrown[0], fall.thrown[1:], fall.ways),) if fall.thrown else ()
    if fall.board is None:
        worth = opened.stands_at_end(made, fall)
        ended = _ending(game, worth, made.mover)
        return Outcome(fall.chance, throws, None, None, seat, ended, fall.earned, worth, fall.reply)
    found = opened.question(asked, move, fall, seat)
    after = found[1] if found and _askable(game, found[0]) else None
    key = (fall.board, fall.passed, fall.earned, fall.shares, repr(found) if found else fall.word)
    if key not in known:
        known[key] = opened.stands(made, fall, found)
    worth = known[key]
    if found is None or after is None:
        past = replace(worth, value=None)
        return Outcome(fall.chance, throws, None, None, seat, None, fall.earned, past, fall.reply)
    turned = -1 if is_duel(game) and fall.passed % 2 else 1
    points = Fraction(made.points) - turned * Fraction(after.points) if opened.adds_points else 0
    gained = fall.earned + points
    mover = after.mover if opened.lists_seats or "mover" in found[0] else seat
    return Outcome(fall.chance, throws, found[0], after, mover, None, gained, worth, fall.reply)


def _askable(game: TurnGame, fields: Mapping[str, Any]) -> bool:
    """Are all numbers of a question such as can be asked about? Play knows no end, and fields have one."""
    for field in game.fields():
        number = fields.get(field.name)
        if isinstance(field, Number) and isinstance(number, int) and not field.low <= number <= field.high:
            return False
    return True


def _ending(game: TurnGame, worth: PositionValue, mover: int) -> str:
    """How a game has ended for who made the last move."""
    is_won = game.outcome in ("win", "lose") or game.team
    if not is_won if worth.shares else game.measure != "win":
        return "over"
    share = worth.shares[mover] if worth.shares else worth.value
    if share is None or len(game.worths) > 3:  # worth more than won, shared, lost: others go on
        return "over"
    won = 1 - share if game.outcome == "lose" else share
    return "won" if won == 1 else "lost" if won == 0 else "shared"
