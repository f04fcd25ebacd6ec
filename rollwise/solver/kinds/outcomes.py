"""Outcomes of a move, each with its chance, the dice, the next question and its value."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from rollwise.solver.kinds.kind import Report, Solution, no_progress
from rollwise.solver.model.duel_transition import is_duel
from rollwise.solver.model.fields import Number
from rollwise.solver.model.game import Position, TurnGame
from rollwise.solver.model.jsonable import Jsonable
from rollwise.solver.model.solution import PositionValue
from rollwise.solver.model.throws import Faces
from rollwise.solver.turn.questions import LegalMove
from rollwise.solver.turn.successors import ThrowOutcome


@dataclass(frozen=True, kw_only=True)
class Throw(Jsonable):
    """A throw of dice, and in how many ways it falls; ``then``: further throws without a decision between."""

    dice: Faces
    then: tuple[Faces, ...] = ()
    ways: int


@dataclass(frozen=True)
class Outcome:
    """One outcome of a move, from the side of the player who makes it.

    ``chance`` is None after a call with probability 0. ``fields`` and ``position`` are the next question, None where
    the game is over, and past a proven cut, where only bounds are known. ``mover`` is the seat that moves then,
    ``ended`` how the game ended: won, lost, shared or over. ``gained`` is the part of the move's gain that the next
    question does not express; it is included in ``worth``. ``reply``: the reply of a player who does not see the dice.
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
    solution: Solution, fields: Mapping[str, Any], position: Position, move: LegalMove, report: Report = no_progress
) -> list[Outcome]:
    """Outcomes of a move of this position, one for each way that it falls; ``fields``: of the question."""
    throw_outcomes = solution.throw_outcomes(fields, position, move)
    moved = replace(position, points=position.points + move.points)
    values: dict[Any, PositionValue] = {}  # equal results of different throws have one value
    results = []
    for number, throw_outcome in enumerate(throw_outcomes):
        results.append(_outcome(solution, fields, moved, move.name, throw_outcome, values))
        report((number + 1) / len(throw_outcomes))
    return results


def outcome_maker(
    solution: Solution, fields: Mapping[str, Any], position: Position, move: LegalMove
) -> Callable[[ThrowOutcome], Outcome]:
    """Function from a throw's outcome to an ``Outcome``, for callers that do not need all of them."""
    moved, values = replace(position, points=position.points + move.points), dict[Any, PositionValue]()
    return lambda throw_outcome: _outcome(solution, fields, moved, move.name, throw_outcome, values)


def _outcome(
    solution: Solution,
    fields: Mapping[str, Any],
    moved: Position,
    move: str,
    throw: ThrowOutcome,
    values: dict[Any, PositionValue],
) -> Outcome:
    game, seat = solution.game, solution.seat_after(moved, throw.passed)
    throws = (Throw(dice=throw.thrown[0], then=throw.thrown[1:], ways=throw.ways),) if throw.thrown else ()
    if throw.board is None:
        value = solution.value_at_end(moved, throw)
        ended = _ending(game, value, moved.mover)
        return Outcome(throw.chance, throws, None, None, seat, ended, throw.earned, value, throw.reply)
    question = solution.question(fields, move, throw, seat)
    next_position = question[1] if question and _is_valid_question(game, question[0]) else None
    key = (throw.board, throw.passed, throw.earned, throw.shares, repr(question) if question else throw.node)
    if key not in values:
        values[key] = solution.value_after(moved, throw, question)
    value = values[key]
    if question is None or next_position is None:
        bounds = replace(value, value=None)
        return Outcome(throw.chance, throws, None, None, seat, None, throw.earned, bounds, throw.reply)
    sign = -1 if is_duel(game) and throw.passed % 2 else 1
    points = Fraction(moved.points) - sign * Fraction(next_position.points) if solution.adds_points else 0
    gained = throw.earned + points
    mover = next_position.mover if solution.lists_seats or "mover" in question[0] else seat
    return Outcome(throw.chance, throws, question[0], next_position, mover, None, gained, value, throw.reply)


def _is_valid_question(game: TurnGame, fields: Mapping[str, Any]) -> bool:
    """True if all numbers of a question are within the limits of its fields, which play may exceed."""
    for field in game.fields():
        number = fields.get(field.name)
        if isinstance(field, Number) and isinstance(number, int) and not field.low <= number <= field.high:
            return False
    return True


def _ending(game: TurnGame, value: PositionValue, mover: int) -> str:
    """How the game ended for the player of the last move."""
    is_won = game.outcome in ("win", "lose") or game.team
    if not is_won if value.shares else game.measure != "win":
        return "over"
    share = value.shares[mover] if value.shares else value.value
    if share is None or len(game.worths) > 3:  # more values than won, shared, lost: others play on
        return "over"
    won = 1 - share if game.outcome == "lose" else share
    return "won" if won == 1 else "lost" if won == 0 else "shared"
