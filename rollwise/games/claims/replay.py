"""Replay of an example of a rule sheet, throw by throw, through the nodes of a game's turn."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Any, TypeAlias

import numpy as np

from rollwise.games import registry
from rollwise.solver.model.dice import Faces, show, throws
from rollwise.solver.model.errors import ModelError
from rollwise.solver.model.game import Chance, Columns, Decision, End, Goto, Node, Transition, TurnGame, moves_by_name

DICE = re.compile("[1-6]{1,20}")
Step: TypeAlias = tuple[Faces | None, str | None]  # (dice thrown, move chosen); None where there is none
OutcomeOf: TypeAlias = Callable[..., Hashable]  # of a throw, as a game sees it: the result, or the state that follows


@dataclass(frozen=True)
class ReplayPosition:
    """Position that a replay has reached.

    ``board`` holds numbers, and tuples of them for lists; ``node`` is the next of the turn. ``points``: of all seats so
    far. ``mover`` is the seat that moves next, ``seats`` the seats by their place on the board, beginning with the
    mover (at tables: as the board has them). When the game is ``over``, ``mover`` is the seat that moved last, and
    ``shares`` are the shares of the win by seat (empty where nothing is won).
    """

    board: Mapping[str, Any]
    node: Node
    points: Fraction
    mover: int = 0
    seats: tuple[int, ...] = (0,)
    over: bool = False
    shares: tuple[Fraction, ...] = ()


def replay(
    game: TurnGame, state: Mapping[str, Any], steps: Sequence[Step], outcome_of: OutcomeOf | None = None
) -> ReplayPosition:
    """Position after these steps; ``positions`` has those between."""
    return list(positions(game, state, steps, outcome_of))[-1]


def positions(
    game: TurnGame, state: Mapping[str, Any], steps: Sequence[Step], outcome_of: OutcomeOf | None = None
) -> Iterator[ReplayPosition]:
    """Position of ``state`` (fields of a question; text is read as typed), and that after each of these steps.

    A step is a throw, a move, or a throw and the move chosen after it; a forced throw needs no move of its own. Where a
    turn sees less of a throw than its faces, ``outcome_of(dice, *state)`` returns it, the dice in the order thrown: the
    result that ends the turn, or the state of the turn that follows. (A game whose questions show the faces needs
    none.) Raises ModelError where the game does not allow a step, or is over before the last one.
    """
    played = begin(game, state)
    yield played
    for dice, move in steps:
        if played.over:
            raise ModelError(f"{game} is over before {show(dice) if dice else move}")
        if dice is not None:
            played = replace(played, node=_after_throw(game, played, tuple(dice), outcome_of))
        if move is not None:
            played = replace(played, node=_after_move(game, played, move))
        played = _end_turn(game, played)
        yield played


def parse_steps(text: str) -> list[Step]:
    """Steps of a text: a throw and a move, a throw, a move.

    >>> parse_steps("114: cross 2, 126, roll")
    [((1, 1, 4), 'cross 2'), ((1, 2, 6), None), (None, 'roll')]
    """
    steps: list[Step] = []
    for step in filter(None, (" ".join(part.split()) for part in text.split(","))):
        thrown, _, move = step.partition(": ")
        steps.append((tuple(map(int, thrown)), move or None) if DICE.fullmatch(thrown) else (None, step))
    return steps


def begin(game: TurnGame, state: Mapping[str, Any]) -> ReplayPosition:
    """Position of a question, before any step; fields that are text are read as typed."""
    fields = {field.name: field for field in game.fields()}
    values = {name: fields[name].parse(value) if isinstance(value, str) else value for name, value in state.items()}
    position = game.locate(**values)
    seats = position.seats or _rotate_seats(tuple(range(_n_seats(game))), position.mover)
    return ReplayPosition(dict(position.board), Goto(*position.state), Fraction(position.points), position.mover, seats)


def describe_position(game: TurnGame, played: ReplayPosition, **expected: Any) -> dict[str, Any]:
    """Fields of a question about this position that agree with the ``expected`` ones; lists by seat begin with the
    seat 0 of the game's ``describe`` (``by_seat`` puts them in the example's order).
    """
    node = played.node
    if played.over or not isinstance(node, Goto):
        raise ModelError(f"{game} has no question about {played.board}")
    for fields in game.describe(played.board, node.state):
        if all(fields.get(name) == value for name, value in expected.items()):
            return fields
    raise ModelError(f"{game} describes {played.board} in no way with {expected}")


def by_seat(game: TurnGame, played: ReplayPosition, name: str, **expected: Any) -> tuple[Any, ...]:
    """List of the question about this position, by seat of the example; None for seats that are out."""
    fields = describe_position(game, played, **expected)
    mover = fields.get("mover", 0)
    values = [*fields[name][mover:], *fields[name][:mover]]
    if game.kind == "seats":  # a seat that is out has no place on the board
        values = [value for value in values if value is not None]
    value_of_seat = dict(zip(played.seats, values, strict=False))
    return tuple(value_of_seat.get(seat) for seat in range(len(fields[name])))


def moves(game: TurnGame, played: ReplayPosition) -> list[str]:
    """Legal moves of the player to decide, in the game's own order; empty where a throw is next."""
    return list(_moves(game, played))


def chance_to_end(game: TurnGame, played: ReplayPosition) -> Fraction:
    """P(the next throw ends the turn at once, with nothing to decide)."""
    outcomes = _throw(game, played.node).outcomes
    ends = sum(weight for weight, after in outcomes if isinstance(_resolve(game, after), End))
    return Fraction(ends, sum(weight for weight, _ in outcomes))


def share(cases: Iterable[bool]) -> Fraction:
    """Share of True cases."""
    flags = list(cases)
    return Fraction(sum(flags), len(flags))


def turn_game(name: str, **parameters: Any) -> TurnGame:
    """Game of turns by name; raises UnknownGame as ``games.registry.game``."""
    game = registry.game(name, parameters)
    if not isinstance(game, TurnGame):
        raise ModelError(f"{game} is not written in turns")
    return game


# --- boards and seats ----------------------------------------------------------------------------------------------


def _n_seats(game: TurnGame) -> int:
    """Number of seats that take turns on the board: one where each player plays alone."""
    at_a_table = game.parameters()["players"] if game.kind == "table" else 1
    return {"duel": 2, "hidden": 2, "seats": game.seats}.get(game.kind, at_a_table) or 1


def _rotate_seats(seats: tuple[int, ...], steps: int) -> tuple[int, ...]:
    """Seats rotated so that the one ``steps`` to the left of the first comes first."""
    steps %= len(seats)
    return seats[steps:] + seats[:steps]


def _columns(board: Mapping[str, Any]) -> Columns:
    """Board as columns: a list of numbers has shape (length, 1)."""
    return Columns({name: np.array(value)[..., None] for name, value in board.items()})


def _int(column: Any) -> int:
    """Entry of a column of one board, or the value for all boards."""
    return int(np.ravel(column)[0])


def _end_turn(game: TurnGame, played: ReplayPosition) -> ReplayPosition:
    """Position unchanged, or, where the turn has ended, the start of the next one."""
    end = _resolve(game, played.node)
    if not isinstance(end, End):
        return replace(played, node=_follow_gotos(game, played.node))
    columns = _columns(played.board)
    transition = game.transition(columns, end.result)
    if not _int(transition.legal):
        raise ModelError(f"{game} does not allow {end.result} on {played.board}")
    points = played.points + end.reward + Fraction(_int(transition.reward), transition.per)
    ends = (transition.over, transition.won, transition.drawn)
    if any(map(_int, ends)) or transition.next is None:
        return replace(played, node=end, points=points, over=True, shares=_shares(game, played, transition))
    space = game.boards()
    index = _int(space.index(transition.next, 1))
    if index < 0:
        raise ModelError(f"{end.result} on {played.board} leads off the boards of {game}")
    board = space.board(index)
    root = game.roots()[_int(game.root(_columns(board)))]
    played = replace(played, board=board, node=Goto(*root), points=points)
    if len(played.seats) == 1:
        return _skip_empty_turn(game, played)
    playing = played.seats[: _int(game.standing(columns)) if game.kind == "seats" else None]
    seats = _rotate_seats(playing, _int(transition.mover))
    if game.kind == "seats":
        seats = seats[: _int(game.standing(_columns(board)))]
    return _skip_empty_turn(game, replace(played, mover=seats[0], seats=seats))


def _skip_empty_turn(game: TurnGame, played: ReplayPosition) -> ReplayPosition:
    """Position unchanged, or the one after a turn without throw and choice."""
    return _end_turn(game, played) if isinstance(_resolve(game, played.node), End) else played


def _shares(game: TurnGame, played: ReplayPosition, transition: Transition) -> tuple[Fraction, ...]:
    """Shares of the win by seat."""
    if transition.shares is not None:
        by_place = [Fraction(_int(share), transition.per) for share in transition.shares]
        share_of_seat = dict(zip(played.seats, by_place, strict=False))
        return tuple(share_of_seat.get(seat, Fraction(0)) for seat in range(len(by_place)))
    if game.kind not in ("duel", "hidden") or game.measure != "win":
        return ()
    gain = Fraction(_int(transition.reward), transition.per)
    mover = gain + _int(transition.won) + Fraction(_int(transition.drawn), 2)
    return (mover, 1 - mover) if played.mover == 0 else (1 - mover, mover)


# --- nodes ---------------------------------------------------------------------------------------------------------


def _resolve(game: TurnGame, node: Node) -> Node:
    """Node behind any ``Goto``: a throw, a decision or an end."""
    while isinstance(node, Goto):
        node = game.turn(*node.state)
    return node


def _follow_gotos(game: TurnGame, node: Node) -> Node:
    """Node unchanged, or the last ``Goto`` of a chain of states without throw or choice between."""
    while isinstance(node, Goto) and isinstance(after := game.turn(*node.state), Goto):
        node = after
    return node


def _moves(game: TurnGame, played: ReplayPosition) -> dict[str, Node]:
    """Legal moves by name, without those that end the turn with a result the board forbids."""
    node = _resolve(game, played.node)
    by_name = moves_by_name(node, game.turn) if isinstance(node, Decision) else {}
    return {name: after for name, after in by_name.items() if _is_legal(game, played, after)}


def _is_legal(game: TurnGame, played: ReplayPosition, after: Node) -> bool:
    end = _resolve(game, after)
    return not isinstance(end, End) or bool(_int(game.transition(_columns(played.board), end.result).legal))


def _after_move(game: TurnGame, played: ReplayPosition, move: str) -> Node:
    allowed = _moves(game, played)
    if move not in allowed:
        raise ModelError(f"{game} has no move '{move}' here, but {', '.join(allowed) or 'none'}")
    return allowed[move]


def _throw(game: TurnGame, node: Node) -> Chance:
    """Next throw; forced moves are made."""
    here = _resolve(game, node)
    while isinstance(here, Decision) and len(here.moves) == 1:
        here = _resolve(game, here.moves[0][1])
    if not isinstance(here, Chance):
        raise ModelError(f"{game} throws no dice here")
    return here


def _after_throw(game: TurnGame, played: ReplayPosition, dice: Faces, outcome_of: OutcomeOf | None) -> Node:
    """Node after these dice; a game may throw them one by one."""
    node = _throw(game, played.node)
    ways = sum(weight for weight, _ in node.outcomes)
    if ways == 6 and len(dice) > 1:
        for place, die in enumerate(dice):
            after = _outcome(game, played, node, (die,), outcome_of)
            inner = _resolve(game, after)
            if place + 1 < len(dice) and not isinstance(inner, Chance):
                raise ModelError(f"{game} does not throw {len(dice)} dice here, got {show(dice)}")
            played = replace(played, node=after)
            node = inner if isinstance(inner, Chance) else node
        return played.node
    if ways != 6 ** len(dice):
        raise ModelError(f"{game} does not throw {len(dice)} dice here, got {show(dice)}")
    return _outcome(game, played, node, dice, outcome_of)


def _outcome(game: TurnGame, played: ReplayPosition, node: Chance, dice: Faces, outcome_of: OutcomeOf | None) -> Node:
    """Outcome of one throw."""
    if outcome_of is not None:
        return _match_outcome(game, played, node, dice, outcome_of)
    fallen = throws(len(dice))
    faces = tuple(sorted(dice))
    if [weight for weight, _ in node.outcomes] == [ways for _, ways in fallen]:
        return node.outcomes[[thrown for thrown, _ in fallen].index(faces)][1]
    return _grouped_outcome(game, played, node, faces)


def _match_outcome(game: TurnGame, played: ReplayPosition, node: Chance, dice: Faces, outcome_of: OutcomeOf) -> Node:
    """Outcome that ``outcome_of`` gives for the dice; its weight must be the number of throws that give it."""
    state = played.node.state if isinstance(played.node, Goto) else ()
    key = outcome_of(dice, *state)
    matches = [(weight, after) for weight, after in node.outcomes if key == _outcome_key(after)]
    ways = sum(outcome_of(thrown, *state) == key for thrown in product(range(1, 7), repeat=len(dice)))
    if not matches or sum(weight for weight, _ in matches) != ways:
        keys = ", ".join(str(_outcome_key(after)) for _, after in node.outcomes)
        raise ModelError(f"{game} does not see {key} in {show(dice)} in {ways} ways, but {keys}")
    return matches[0][1]


def _outcome_key(after: Node) -> Any:
    return after.result if isinstance(after, End) else after.state if isinstance(after, Goto) else None


def _grouped_outcome(game: TurnGame, played: ReplayPosition, node: Chance, dice: Faces) -> Node:
    """Outcome of a throw whose dice are seen in groups: its question shows the roll that it stands for. Outcomes that
    end the turn show none, so there may be only one of them: it has all other rolls.
    """
    ends = []
    for _, after in node.outcomes:
        if not isinstance(after, Goto):
            ends.append(after)
        elif any(tuple(fields.get("roll", ())) == dice for fields in game.describe(played.board, after.state)):
            return after
    if len(ends) != 1:
        raise ModelError(f"{game} does not tell what {show(dice)} leads to")
    return ends[0]
