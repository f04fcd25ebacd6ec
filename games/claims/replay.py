"""Play an example again, throw by throw, through a game's own words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from games import registry
from solver.dice import Faces, show, throws
from solver.errors import ModelError
from solver.model import Chance, Choice, Columns, End, Go, TurnGame, Word

Step = tuple[Faces | None, str | None]  # (dice thrown, move chosen); None where there is none


@dataclass(frozen=True)
class Played:
    """How far an example came: the board, what is next there, the points so far, and whether all is over."""

    board: Mapping[str, int]
    word: Word
    points: Fraction
    over: bool = False


def replay(game: TurnGame, state: Mapping[str, Any], steps: Sequence[Step]) -> Played:
    """The play that starts from ``state`` (fields of a question) and takes these steps.

    A step is a throw, a move, or a throw and the move chosen after it; a throw that must be made needs no move of its
    own. Raises ModelError where the game does not allow a step, or is over before the last one.
    """
    position = game.locate(**state)
    played = Played(dict(position.board), Go(*position.state), Fraction(position.points))
    for dice, move in steps:
        if played.over:
            raise ModelError(f"ModelError: {game} is over before {show(dice) if dice else move}")
        if dice is not None:
            played = replace(played, word=_after_throw(game, played, tuple(sorted(dice))))
        if move is not None:
            played = replace(played, word=_after_move(game, played.word, move))
        played = _settled(game, played)
    return played


def chance_to_end(game: TurnGame, state: Mapping[str, Any]) -> Fraction:
    """P(the throw that comes now ends the turn at once, leaving nothing to decide)."""
    outcomes = _throw(game, Go(*game.locate(**state).state)).outcomes
    ends = sum(weight for weight, after in outcomes if isinstance(_word(game, after), End))
    return Fraction(ends, sum(weight for weight, _ in outcomes))


def turn_game(name: str, **parameters: Any) -> TurnGame:
    """A game of turns by name; raises UnknownGame as ``games.registry.game``."""
    game = registry.game(name, parameters)
    if not isinstance(game, TurnGame):
        raise ModelError(f"ModelError: {game} is not written in turns")
    return game


def _word(game: TurnGame, word: Word) -> Word:
    return game.turn(*word.state) if isinstance(word, Go) else word


def _settled(game: TurnGame, played: Played) -> Played:
    """The same, or, where the turn has ended, the start of the next one."""
    end = _word(game, played.word)
    if not isinstance(end, End):
        return played
    said = game.settle(_columns(played.board), end.result)
    legal, over = (bool(np.all(part)) for part in (said.legal, np.asarray(said.over) | said.won | said.drawn))
    if not legal:
        raise ModelError(f"ModelError: {game} does not allow {end.result} on {played.board}")
    points = played.points + end.reward + Fraction(int(np.ravel(said.reward)[0]), said.per)
    if over or said.next is None:
        return Played(played.board, end, points, over=True)
    board = {name: int(np.ravel(column)[0]) for name, column in said.next.items()}
    root = int(np.ravel(game.root(_columns(board)))[0])
    return Played(board, Go(*game.roots()[root]), points)


def _columns(board: Mapping[str, int]) -> Columns:
    return Columns({name: np.array([value]) for name, value in board.items()})


def _after_move(game: TurnGame, word: Word, move: str) -> Word:
    moves = dict(_moves(game, word))
    if move not in moves:
        raise ModelError(f"ModelError: {game} has no move '{move}' here, but {', '.join(moves) or 'none'}")
    return moves[move]


def _moves(game: TurnGame, word: Word) -> Iterator[tuple[str, Word]]:
    here = _word(game, word)
    for name, after in here.moves if isinstance(here, Choice) else ():
        if name is None:
            yield from _moves(game, after)
        else:
            yield name, after


def _throw(game: TurnGame, word: Word) -> Chance:
    """The throw that comes now; a move that must be made is made."""
    here = _word(game, word)
    while isinstance(here, Choice) and len(here.moves) == 1:
        here = _word(game, here.moves[0][1])
    if not isinstance(here, Chance):
        raise ModelError(f"ModelError: {game} throws no dice here")
    return here


def _after_throw(game: TurnGame, played: Played, dice: Faces) -> Word:
    """What these dice lead to."""
    word = _throw(game, played.word)
    fallen = throws(len(dice))
    if sum(weight for weight, _ in word.outcomes) != 6 ** len(dice):
        raise ModelError(f"ModelError: {game} does not throw {len(dice)} dice here, got {show(dice)}")
    if [weight for weight, _ in word.outcomes] == [ways for _, ways in fallen]:
        return word.outcomes[[faces for faces, _ in fallen].index(dice)][1]
    return _grouped(game, played, word, dice)


def _grouped(game: TurnGame, played: Played, word: Chance, dice: Faces) -> Word:
    """The outcome of a throw whose dice are seen in groups: it says itself which rolls it stands for.

    Outcomes that end the turn say nothing, so they are told apart only if there is one: it has all other rolls.
    """
    silent = []
    for _, after in word.outcomes:
        if not isinstance(after, Go):
            silent.append(after)
        elif any(tuple(said.get("roll", ())) == dice for said in game.describe(played.board, after.state)):
            return after
    if len(silent) != 1:
        raise ModelError(f"ModelError: {game} does not tell what {show(dice)} leads to")
    return silent[0]
