"""What tests of rules share: a play and what follows it, what may be done, what is refused, what boards are worth.

A play is written as it would be told, steps by commas: "114: cross 2, 356: cross 1, 126" throws 1 1 4 and crosses off
two, throws 3 5 6 and crosses off one, throws 1 2 6; "roll" is a move without a throw before it. A question is a mapping
of the game's fields; text in it is read as typed.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from fractions import Fraction
from functools import cache
from typing import Any

import pytest

from rollwise.games import registry
from rollwise.games.claims.replay import ReplayPosition, begin, moves, parse_steps, replay
from rollwise.parsing.validate import parse_fields
from rollwise.solutions.lookup import load_or_solve
from rollwise.solver.exact.optimal import solve_exact
from rollwise.solver.kinds.kind import Solution
from rollwise.solver.model.errors import BadInput, ParameterError, StateError
from rollwise.solver.model.game import Goto, TurnGame
from rollwise.solver.model.outcome import outcome
from rollwise.solver.turn.graph import TurnGraph, compile_turn
from rollwise.solver.values.board_solver import BoardSolver, BoardValues

Question = Mapping[str, Any]
Seen = Callable[..., Hashable]  # what a turn takes from a throw, as ``replay`` has it


def rules(names: str, rows: Mapping[str, Any]) -> pytest.MarkDecorator:
    """One test for many rules: each row is the test's arguments under what the rule sheet says, which is its id."""
    return pytest.mark.parametrize(names.split(", "), list(rows.values()), ids=list(rows))


def thorough(*cases: Any) -> list[Any]:
    """Further cases of a parametrized test, which are no quick ones; a tuple has an argument each."""
    given = [case if isinstance(case, tuple) else (case,) for case in cases]
    return [pytest.param(*case, marks=pytest.mark.thorough) for case in given]


# --- plays -----------------------------------------------------------------------------------------------------------


def played(game: TurnGame, question: Question, play: str = "", seen: Seen | None = None) -> ReplayPosition:
    """The position where a play has come to; raises ModelError where the game does not allow it."""
    return replay(game, question, parse_steps(play), seen) if play else begin(game, question)


def follows(game: TurnGame, question: Question, play: str = "", seen: Seen | None = None) -> dict[str, Any]:
    """All that can be said of where a play has come to.

    The columns of the board by name; ``state`` of the turn there (None in the midst of a throw), ``moves`` that may be
    made, ``mover``, ``points`` so far, ``over``, and ``shares`` of the win by seat.
    """
    at = played(game, question, play, seen)
    state = at.node.state if isinstance(at.node, Goto) else None
    now = {"mover": at.mover, "points": at.points, "over": at.over, "shares": at.shares, "state": state}
    return {**at.board, **now, "moves": moves(game, at)}


def plays_out(game: TurnGame, question: Question, play: str, then: Question, seen: Seen | None = None) -> None:
    """The play leads to what ``then`` says of it, in the words of ``follows``; of other things it says nothing."""
    found = follows(game, question, play, seen)
    assert {name: found[name] for name in then} == dict(then)


def may(game: TurnGame, question: Question, play: str = "") -> list[str]:
    """The moves that may be made after this play, in the game's order; none where a throw is next."""
    return moves(game, played(game, question, play))


def by_place(at: ReplayPosition, column: str, players: int) -> tuple[int, ...]:
    """What a column of the board has for each seat; 0 for those who are out."""
    held = dict(zip(at.seats, at.board[column], strict=True))
    return tuple(held.get(seat, 0) for seat in range(players))


def settles(game: TurnGame, result: Any, /, **board: Any) -> dict[str, Any]:
    """What the result of a turn does to one board.

    ``legal``, ``over``, ``passed`` (seats to the left that move next), ``worth`` to the mover, ``shares`` from the
    mover to the left, and the columns of the next board, if there is one.
    """
    said = outcome(game, tuple(board[name] for name in game.boards().names), result)
    following = said.following if said.following is not None else ()
    after = {"legal": said.legal, "over": said.legal and said.following is None, "passed": said.passed}
    ends = {"worth": said.value, "shares": said.shares}
    return {**after, **ends, **dict(zip(game.boards().names, following, strict=False))}


# --- what is refused -------------------------------------------------------------------------------------------------


def refused(game: TurnGame, question: Question, kind: type[BadInput] = StateError) -> BadInput:
    """The error that a question meets, in one line."""
    with pytest.raises(kind) as error:
        game.locate(**parse_fields(game, question))
    assert "\n" not in str(error.value)
    return error.value


def no_game(name: str, **parameters: Any) -> ParameterError:
    """The error that these parameters meet, in one line."""
    with pytest.raises(ParameterError) as error:
        registry.game(name, parameters)
    assert "\n" not in str(error.value)
    return error.value


# --- boards and what they are worth ----------------------------------------------------------------------------------


def made(name: str, **parameters: Any) -> TurnGame:
    """A game by its name."""
    found = registry.game(name, parameters)
    assert isinstance(found, TurnGame)
    return found


@cache
def solved(game: TurnGame) -> tuple[TurnGraph, BoardValues]:
    """The turn of a game, and all its boards, solved once."""
    graph = compile_turn(game)
    return graph, BoardSolver(game, graph).solve()


def reads(game: TurnGame) -> Callable[[Any], Any]:
    """Values and radii of boards, as questions about a turn take them."""
    _, found = solved(game)
    return lambda boards: (found.values[boards], found.radius[boards].astype(float))


def kept(game: TurnGame) -> Solution:
    """The game as it is solved for users, once a run for all tests: its ``read`` tells values and radii of boards."""
    return load_or_solve(game, quiet=True).solution


def holds(found: Any, at: Any, exact: Fraction) -> bool:
    """Does the certified interval of a solution hold what was found in another way?"""
    return abs(Fraction(float(found.values[at])) - exact) <= Fraction(float(found.radius[at]))


@cache
def in_fractions(game: TurnGame) -> Mapping[int, Fraction]:
    """Exact values by board."""
    return solve_exact(game, compile_turn(game)).values


def quantities(game: TurnGame, /, **question: Any) -> dict[str, Any]:
    """What a game of luck says of a question, each quantity with its bounds."""
    fields = parse_fields(game, question)
    game.locate(**fields)
    return dict(game.quantities(compile_turn(game), fields))
