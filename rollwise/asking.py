"""``ask``: the best move in a state, and what every other move loses."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from rollwise.answer import Advice, MoveAdvice
from rollwise.cache.store import DamagedEntry
from rollwise.door import check_board, the_fields, the_game
from rollwise.solver.game.errors import StateError, TooLarge
from rollwise.solver.game.model import Position, TurnGame
from rollwise.solver.game.solution import Quantity
from rollwise.solver.turn.graph import TurnGraph
from rollwise.solver.turn.query import LOWER, UPPER, VALUE, ExactTurn, OneTableTurn, OneTurn, can_be_asked
from rollwise.stored import Stored, forget, note, plain_parameters, seats_of, stored
from rollwise.text import shown_state

MOST_GUESSES = 1_000_000  # float values of so many boards are handed to the exact solver as a first guess


def ask(game: str, params: Mapping[str, Any] | None = None, *, exact: bool = False, **state: Any) -> Advice:
    """The moves of a state, best first, each with its value, certified bounds and loss.

    ``params`` are rule parameters, ``state`` the fields of the question (``rollwise rules GAME`` lists both; those left
    out have their value at the start). Solves the game on first use and answers from the cache after that. ``exact``
    adds fractions where the game is small enough; a game for one player that always moves on is then solved from this
    state only, in fractions, and nothing is kept. Raises ``BadInput`` (one line) for anything that cannot be.

    >>> advice = ask("pig", {"target": 10}, mine=7, theirs=9, turn=3)
    >>> advice.best, advice.value
    (['hold'], 1.0)
    """
    made = the_game(game, params)
    fields = the_fields(made, state)
    position = made.locate(**fields)
    check_board(made, position.board)
    if exact and fractions_suffice(made):
        return answer_in_fractions(made, fields, position)
    return answer(made, fields, position, exact)


def answer(game: TurnGame, fields: Mapping[str, Any], position: Position, exact: bool) -> Advice:
    """The answer for a position; an entry found damaged on the way is dropped and solved again."""

    def reachable(graph: TurnGraph) -> None:
        require_reachable(game, graph, fields, position)

    found = stored(game, reachable)
    try:
        return _answer(found, fields, position, exact)
    except DamagedEntry as error:
        note(str(error))
        forget(found.key)
        return _answer(stored(game, reachable), fields, position, exact)


def require_reachable(game: TurnGame, graph: TurnGraph, fields: Mapping[str, Any], position: Position) -> None:
    """Raise StateError where no turn comes to this state."""
    if not can_be_asked(game, graph, position.state):
        shown = shown_state(understood(game, fields, position))
        raise StateError(f"StateError: no turn of {game.name} can come to {shown}")


def fractions_suffice(game: TurnGame) -> bool:
    """Is the game's exact answer all that there is to say, and to be had without its floats to start from?"""
    beside = type(game).quantities_beside is not TurnGame.quantities_beside
    return game.kind == "solo" and not game.cyclic and not beside


def answer_in_fractions(game: TurnGame, fields: Mapping[str, Any], position: Position) -> Advice:
    """The answer for a position, from the boards that it leads to and nothing stored; raises TooLarge for too many."""
    from rollwise.solver.turn.graph import compile_turn

    graph = compile_turn(game)
    require_reachable(game, graph, fields, position)
    worth = {
        move: Quantity.between(value + position.points, value + position.points, game.unit)
        for move, value in exact_moves(game, graph, None, position).items()
    }
    moves = [MoveAdvice(move, told.value, told.lower, told.upper, 0.0, told.exact) for move, told in worth.items()]
    return Advice(**_head(game, fields, position), **_judged(game, moves))


def _head(game: TurnGame, fields: Mapping[str, Any], position: Position) -> dict[str, Any]:
    return {
        "game": game.name,
        "parameters": plain_parameters(game),
        "state": understood(game, fields, position),
        "mover": _mover(game, position),
        "objective": game.measure,
        "unit": game.unit,
        "sense": game.sense,
    }


def _answer(found: Stored, fields: Mapping[str, Any], position: Position, exact: bool) -> Advice:
    game = found.game
    head = _head(game, fields, position) | {"facts": {**found.facts, "cached": found.cached}}
    if game.seats:
        return Advice(**head, quantities=seat_odds(found, position, exact))
    if game.kind == "luck":
        return Advice(**head, quantities=game.quantities(found.graph, fields))
    if exact and game.kind == "table":
        raise TooLarge(f"TooLarge: {game} is a table, which is solved in floats only; leave --exact out")
    moves = table_moves(found, position) if game.kind == "table" else plain_moves(found, position, exact)
    beside = game.quantities_beside(found.graph, found.read, position)
    return Advice(**head, **_judged(game, moves), **_shares(found, position, moves), quantities=beside)


def seat_odds(found: Stored, position: Position, exact: bool) -> dict[str, Quantity]:
    """The odds of a luck game of several seats, from what is stored where that is enough."""
    game = found.game
    from rollwise.progress import Progress
    from rollwise.solver.chains.layout import lay_out
    from rollwise.solver.chains.odds import as_quantities, odds
    from rollwise.solver.chains.values import Eliminated

    if dict(position.board) == dict(game.first_board()) and position.mover == game.locate().mover and not exact:
        return as_quantities(found.facts["start"])

    board = game.boards().index_of(**position.board)
    row = found.rows(board) if found.rows is not None else None
    known = row if row is None else Eliminated(row[None], found.facts["chance_error"], found.facts["turn_error"])
    with Progress(str(game)) as progress:
        steps = lay_out(game, found.graph, board, lambda done: progress.share(0.2 * done))
        told = odds(
            steps, steps.place(board), lambda done: progress.share(0.2 + 0.8 * done), known=known, exact=exact or None
        )
    return told.quantities(seats_of(game, position), max(game.seats, 1), game.outcome)


def _mover(game: TurnGame, position: Position) -> int:
    """The seat to move: a board of a table says it."""
    if game.kind != "table":
        return position.mover
    space = game.boards()
    return int(game.mover(space.columns(np.array([space.index_of(**position.board)])))[0])


def understood(game: TurnGame, fields: Mapping[str, Any], position: Position) -> dict[str, Any]:
    """The state as it was understood: what was said, and what was left out."""
    implied = next(iter(game.describe(position.board, position.state)), {})
    state = {**implied, **fields}
    return {field.name: _by_seat(state[field.name]) for field in game.fields() if state.get(field.name) is not None}


def _by_seat(value: Any) -> Any:
    """A list in which seats that are out are ``-``; anything else as it is."""
    return tuple("-" if part is None else part for part in value) if isinstance(value, tuple) else value


def plain_moves(found: Stored, position: Position, exact: bool) -> list[MoveAdvice]:
    """Every legal move with its value and bounds, in the game's own order; ``loss`` is not filled in yet."""
    turn = OneTurn(found.game, found.graph, position.board, found.read)
    fractions: dict[str, Fraction] = {}
    if exact:
        size = found.game.boards().size
        values = found.read(np.arange(size))[0] if size <= MOST_GUESSES else None
        fractions = exact_moves(found.game, found.graph, values, position)
    return [
        MoveAdvice(
            name,
            *_with_points(found.game, row, position.points),
            0.0,
            str(fractions[name] + position.points) if name in fractions else None,
        )
        for name, row in turn.moves(position.state)
    ]


def _with_points(game: TurnGame, row: Any, points: Any) -> tuple[float, float, float]:
    """(value, lower, upper) with points that are already made, rounded outward; chances stay within 0..1."""
    value, lower, upper = float(row[VALUE]), float(row[LOWER]), float(row[UPPER])
    if points:
        value += float(points)
        lower, upper = np.nextafter(lower + float(points), -np.inf), np.nextafter(upper + float(points), np.inf)
    return _within(game, value), _within(game, float(lower)), _within(game, float(upper))


def _within(game: TurnGame, number: float) -> float:
    return min(max(number, 0.0), 1.0) if game.measure == "win" else number


def exact_moves(game: TurnGame, graph: TurnGraph, values: Any, position: Position) -> dict[str, Fraction]:
    """Every legal move's exact value, in the game's own order; raises TooLarge where fractions would take too long.

    ``values``: float values by board index to start from, or None.
    """
    from rollwise.solver.exact.exact import solve_exact

    sys.set_int_max_str_digits(0)  # exact values may have many thousand digits
    board = game.boards().index_of(**position.board)
    exact = solve_exact(game, graph, values, boards=[board])
    return ExactTurn(game, graph, exact.nodes(board), position.board, exact.values).fractions(position.state)


def table_moves(found: Stored, position: Position) -> list[MoveAdvice]:
    """The same at a table: the mover's share, and everybody's."""
    turn = OneTableTurn(found.game, found.graph, position.board, found.read)
    return [
        MoveAdvice(
            name,
            _within(found.game, float(shares[turn.seat])),
            _within(found.game, float(shares[turn.seat]) - turn.radius),
            _within(found.game, float(shares[turn.seat]) + turn.radius),
            0.0,
            shares=[float(share) for share in shares],
        )
        for name, shares in turn.moves(position.state)
    ]


def _judged(game: TurnGame, moves: list[MoveAdvice]) -> dict[str, Any]:
    """Best moves first, losses filled in, and the moves that cannot be told from the best."""
    sign = 1 if game.sense == "max" else -1
    ranked = sorted(moves, key=lambda move: -sign * move.value)
    top = ranked[0]
    if all(move.exact is not None for move in moves):
        ranked = sorted(moves, key=lambda move: -sign * Fraction(move.exact or 0))
        top = ranked[0]
        best = [move.move for move in ranked if move.exact == top.exact]
    else:
        best = [move.move for move in ranked if move.upper >= top.lower and move.lower <= top.upper]
    judged = [
        MoveAdvice(**{**move.__dict__, "loss": 0.0 if move.move in best else max(0.0, sign * (top.value - move.value))})
        for move in ranked
    ]
    return {
        "value": top.value,
        "lower": top.lower,
        "upper": top.upper,
        "exact": top.exact,
        "best": best,
        "moves": judged,
    }


def _shares(found: Stored, position: Position, moves: list[MoveAdvice]) -> dict[str, Any]:
    """Everybody's shares at a table: those of the move that the equilibrium plays, the first of equally good ones."""
    if found.game.kind != "table":
        return {}
    index = np.array([found.game.boards().index_of(**position.board)])
    radius = 2 * float(found.read(index)[1][0])
    best = max(move.value for move in moves)
    shares = next(move.shares for move in moves if move.value >= best - radius)
    assert shares is not None
    return {
        "shares": [_within(found.game, share) for share in shares],
        "shares_lower": [_within(found.game, share - radius) for share in shares],
        "shares_upper": [_within(found.game, share + radius) for share in shares],
    }
