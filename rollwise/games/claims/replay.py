"""Play an example again, throw by throw, through a game's own words."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Any, TypeAlias

import numpy as np

from rollwise.games import registry
from rollwise.solver.model.dice import Faces, show, throws
from rollwise.solver.model.errors import ModelError
from rollwise.solver.model.game import Chance, Columns, Decision, End, Goto, Node, Transition, TurnGame, named_moves

Step: TypeAlias = tuple[Faces | None, str | None]  # (dice thrown, move chosen); None where there is none
Seen: TypeAlias = Callable[..., Hashable]  # what a game takes from a throw: the result, or the state that follows


@dataclass(frozen=True)
class Played:
    """How far an example came.

    ``board`` holds numbers, and tuples of them for lists; ``word`` is what is next there. ``points`` are those made so
    far, whoever made them. ``mover`` is the seat that moves next, ``seats`` the seats by their place on the board,
    beginning with the mover (at tables: as the board has them). When all is ``over``, ``mover`` is the seat that moved
    last, and ``shares`` tells, by seat, who has how much of the win (empty where nothing is won).
    """

    board: Mapping[str, Any]
    word: Node
    points: Fraction
    mover: int = 0
    seats: tuple[int, ...] = (0,)
    over: bool = False
    shares: tuple[Fraction, ...] = ()


def replay(game: TurnGame, state: Mapping[str, Any], steps: Sequence[Step], seen: Seen | None = None) -> Played:
    """The play that starts from ``state`` (fields of a question; text is read as typed) and takes these steps.

    A step is a throw, a move, or a throw and the move chosen after it; a throw that must be made needs no move of its
    own. Where a turn takes less from a throw than its faces, ``seen(dice, *state)`` says what, in the order in which
    the dice are given: the result that the turn ends with, or the state of the turn that follows. (A game that shows
    the faces in its questions needs none.) Raises ModelError where the game does not allow a step, or is over before
    the last one.
    """
    played = begin(game, state)
    for dice, move in steps:
        if played.over:
            raise ModelError(f"{game} is over before {show(dice) if dice else move}")
        if dice is not None:
            played = replace(played, word=_after_throw(game, played, tuple(dice), seen))
        if move is not None:
            played = replace(played, word=_after_move(game, played, move))
        played = _settled(game, played)
    return played


def begin(game: TurnGame, state: Mapping[str, Any]) -> Played:
    """Where a question stands, before anything is played; fields given as text are read as typed."""
    fields = {field.name: field for field in game.fields()}
    given = {name: fields[name].parse(value) if isinstance(value, str) else value for name, value in state.items()}
    position = game.locate(**given)
    seats = position.seats or _to_the_left(tuple(range(_n_seats(game))), position.mover)
    return Played(dict(position.board), Goto(*position.state), Fraction(position.points), position.mover, seats)


def told(game: TurnGame, played: Played, **known: Any) -> dict[str, Any]:
    """What a question about this position says, in the game's own fields, agreeing with those that are known.

    Lists by seat begin with whoever the game's ``describe`` puts in seat 0; ``by_seat`` puts them right.
    """
    word = played.word
    if played.over or not isinstance(word, Goto):
        raise ModelError(f"{game} has no question about {played.board}")
    for fields in game.describe(played.board, word.state):
        if all(fields.get(name) == value for name, value in known.items()):
            return fields
    raise ModelError(f"{game} describes {played.board} in no way with {known}")


def by_seat(game: TurnGame, played: Played, name: str, **known: Any) -> tuple[Any, ...]:
    """A list of the question about this position, by seat as the example counts them; None for seats that are out."""
    fields = told(game, played, **known)
    mover = fields.get("mover", 0)
    listed = [*fields[name][mover:], *fields[name][:mover]]
    if game.kind == "seats":  # who is out has no place on the board
        listed = [value for value in listed if value is not None]
    held = dict(zip(played.seats, listed, strict=False))
    return tuple(held.get(seat) for seat in range(len(fields[name])))


def as_typed(game: TurnGame, played: Played, name: str, **known: Any) -> str:
    """One field of the question about this position, as a user would type it."""
    value = told(game, played, **known)[name]
    return next(field for field in game.fields() if field.name == name).show(value)


def moves(game: TurnGame, played: Played) -> list[str]:
    """What the player who decides now may do, in the game's own order; none where a throw is next."""
    return list(_moves(game, played))


def chance_to_end(game: TurnGame, state: Mapping[str, Any]) -> Fraction:
    """P(the throw that comes now ends the turn at once, leaving nothing to decide)."""
    outcomes = _throw(game, begin(game, state).word).outcomes
    ends = sum(weight for weight, after in outcomes if isinstance(_word(game, after), End))
    return Fraction(ends, sum(weight for weight, _ in outcomes))


def turn_game(name: str, **parameters: Any) -> TurnGame:
    """A game of turns by name; raises UnknownGame as ``games.registry.game``."""
    game = registry.game(name, parameters)
    if not isinstance(game, TurnGame):
        raise ModelError(f"{game} is not written in turns")
    return game


# --- boards and seats ----------------------------------------------------------------------------------------------


def _n_seats(game: TurnGame) -> int:
    """How many seats take turns on the board: one where each player plays alone."""
    at_a_table = game.parameters()["players"] if game.kind == "table" else 1
    return {"duel": 2, "hidden": 2, "seats": game.seats}.get(game.kind, at_a_table) or 1


def _to_the_left(seats: tuple[int, ...], by: int) -> tuple[int, ...]:
    """The same seats, beginning with the one that sits so many to the left of the first."""
    by %= len(seats)
    return seats[by:] + seats[:by]


def _columns(board: Mapping[str, Any]) -> Columns:
    """One board as columns: a list of numbers has shape (length, 1)."""
    return Columns({name: np.array(value)[..., None] for name, value in board.items()})


def _only(column: Any) -> int:
    """The one entry of a column of one board, or the value that stands for all boards."""
    return int(np.ravel(column)[0])


def _settled(game: TurnGame, played: Played) -> Played:
    """The same, or, where the turn has ended, the start of the next one."""
    end = _word(game, played.word)
    if not isinstance(end, End):
        return replace(played, word=_landed(game, played.word))
    columns = _columns(played.board)
    said = game.transition(columns, end.result)
    if not _only(said.legal):
        raise ModelError(f"{game} does not allow {end.result} on {played.board}")
    points = played.points + end.reward + Fraction(_only(said.reward), said.per)
    if _ends(said) or said.next is None:
        return replace(played, word=end, points=points, over=True, shares=_shares(game, played, said))
    space = game.boards()
    index = _only(space.index(said.next, 1))
    if index < 0:
        raise ModelError(f"{end.result} on {played.board} leads off the boards of {game}")
    board = space.board(index)
    root = game.roots()[_only(game.root(_columns(board)))]
    played = replace(played, board=board, word=Goto(*root), points=points)
    if len(played.seats) == 1:
        return _at_once(game, played)
    playing = played.seats[: _only(game.standing(columns)) if game.kind == "seats" else None]
    seats = _to_the_left(playing, _only(said.mover))
    if game.kind == "seats":
        seats = seats[: _only(game.standing(_columns(board)))]
    return _at_once(game, replace(played, mover=seats[0], seats=seats))


def _at_once(game: TurnGame, played: Played) -> Played:
    """The same, or what follows a turn in which nothing is thrown and nothing chosen."""
    return _settled(game, played) if isinstance(_word(game, played.word), End) else played


def _ends(said: Transition) -> bool:
    return any(_only(part) for part in (said.over, said.won, said.drawn))


def _shares(game: TurnGame, played: Played, said: Transition) -> tuple[Fraction, ...]:
    """Who has how much of the win, by seat."""
    if said.shares is not None:
        by_place = [Fraction(_only(share), said.per) for share in said.shares]
        held = dict(zip(played.seats, by_place, strict=False))
        return tuple(held.get(seat, Fraction(0)) for seat in range(len(by_place)))
    if game.kind not in ("duel", "hidden") or game.measure != "win":
        return ()
    mover = Fraction(_only(said.reward), said.per) + _only(said.won) + Fraction(_only(said.drawn), 2)
    return (mover, 1 - mover) if played.mover == 0 else (1 - mover, mover)


# --- words ---------------------------------------------------------------------------------------------------------


def _word(game: TurnGame, word: Node) -> Node:
    """What happens at a word: never a mere ``Goto``."""
    while isinstance(word, Goto):
        word = game.turn(*word.state)
    return word


def _landed(game: TurnGame, word: Node) -> Node:
    """The same word, or the last of the states that lead on to one another without anything happening between."""
    while isinstance(word, Goto) and isinstance(after := game.turn(*word.state), Goto):
        word = after
    return word


def _moves(game: TurnGame, played: Played) -> dict[str, Node]:
    """What may be done now: moves by name, without those that end the turn in a way the board forbids."""
    here = _word(game, played.word)
    found = named_moves(here, game.turn) if isinstance(here, Decision) else {}
    return {name: after for name, after in found.items() if _allowed(game, played, after)}


def _allowed(game: TurnGame, played: Played, after: Node) -> bool:
    end = _word(game, after)
    return not isinstance(end, End) or bool(_only(game.transition(_columns(played.board), end.result).legal))


def _after_move(game: TurnGame, played: Played, move: str) -> Node:
    found = _moves(game, played)
    if move not in found:
        raise ModelError(f"{game} has no move '{move}' here, but {', '.join(found) or 'none'}")
    return found[move]


def _throw(game: TurnGame, word: Node) -> Chance:
    """The throw that comes now; a move that must be made is made."""
    here = _word(game, word)
    while isinstance(here, Decision) and len(here.moves) == 1:
        here = _word(game, here.moves[0][1])
    if not isinstance(here, Chance):
        raise ModelError(f"{game} throws no dice here")
    return here


def _after_throw(game: TurnGame, played: Played, dice: Faces, seen: Seen | None) -> Node:
    """What these dice lead to; a game may throw them one by one."""
    word = _throw(game, played.word)
    ways = sum(weight for weight, _ in word.outcomes)
    if ways == 6 and len(dice) > 1:
        for place, die in enumerate(dice):
            after = _outcome(game, played, word, (die,), seen)
            inner = _word(game, after)
            if place + 1 < len(dice) and not isinstance(inner, Chance):
                raise ModelError(f"{game} does not throw {len(dice)} dice here, got {show(dice)}")
            played = replace(played, word=after)
            word = inner if isinstance(inner, Chance) else word
        return played.word
    if ways != 6 ** len(dice):
        raise ModelError(f"{game} does not throw {len(dice)} dice here, got {show(dice)}")
    return _outcome(game, played, word, dice, seen)


def _outcome(game: TurnGame, played: Played, word: Chance, dice: Faces, seen: Seen | None) -> Node:
    """The outcome of one throw."""
    if seen is not None:
        return _seen(game, played, word, dice, seen)
    fallen = throws(len(dice))
    faces = tuple(sorted(dice))
    if [weight for weight, _ in word.outcomes] == [ways for _, ways in fallen]:
        return word.outcomes[[thrown for thrown, _ in fallen].index(faces)][1]
    return _grouped(game, played, word, faces)


def _seen(game: TurnGame, played: Played, word: Chance, dice: Faces, seen: Seen) -> Node:
    """The outcome that is what ``seen`` makes of the dice; it must have as many ways as ``seen`` gives it."""
    state = played.word.state if isinstance(played.word, Goto) else ()
    wanted = seen(dice, *state)
    leads = [(weight, after) for weight, after in word.outcomes if wanted == _named(after)]
    ways = sum(seen(thrown, *state) == wanted for thrown in product(range(1, 7), repeat=len(dice)))
    if not leads or sum(weight for weight, _ in leads) != ways:
        named = ", ".join(str(_named(after)) for _, after in word.outcomes)
        raise ModelError(f"{game} does not see {wanted} in {show(dice)} in {ways} ways, but {named}")
    return leads[0][1]


def _named(after: Node) -> Any:
    return after.result if isinstance(after, End) else after.state if isinstance(after, Goto) else None


def _grouped(game: TurnGame, played: Played, word: Chance, dice: Faces) -> Node:
    """The outcome of a throw whose dice are seen in groups: it says itself which rolls it stands for.

    Outcomes that end the turn say nothing, so they are told apart only if there is one: it has all other rolls.
    """
    silent = []
    for _, after in word.outcomes:
        if not isinstance(after, Goto):
            silent.append(after)
        elif any(tuple(said.get("roll", ())) == dice for said in game.describe(played.board, after.state)):
            return after
    if len(silent) != 1:
        raise ModelError(f"{game} does not tell what {show(dice)} leads to")
    return silent[0]
