"""``ask``: the best move in a state, and what every other move loses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from rollwise.answer import Advice, Assumed, GoesFor, MoveAdvice, Then, shown_state
from rollwise.door import as_said, check_board, checked, the_fields, the_game
from rollwise.drawing import drawn, require_drawn
from rollwise.labels import quantity_label, value_label
from rollwise.progress import Progress
from rollwise.solver.game.errors import BadInput, StateError
from rollwise.solver.game.fields import Faces, ThrowsLeft
from rollwise.solver.game.model import Go, Position, TurnGame
from rollwise.solver.game.solution import Quantity
from rollwise.solver.kinds import kind_of
from rollwise.solver.kinds.kind import Answer, Wanted, Worth
from rollwise.solver.turn.graph import TurnGraph
from rollwise.solver.turn.judged import Judged
from rollwise.solver.turn.query import can_be_asked, moves_asked
from rollwise.spelling import spelled
from rollwise.stored import Stored, asked, plain_parameters


@checked
def ask(
    game: str,
    params: Mapping[str, Any] | None = None,
    *,
    exact: bool = False,
    all_moves: bool = False,
    lengths: bool = False,
    draw: bool = False,
    seed: int | None = None,
    state: Mapping[str, Any] | None = None,
    **fields: Any,
) -> Advice:
    """The moves of a state, best first, each with its value, certified bounds and loss.

    ``params`` are rule parameters, ``fields`` say the state (``rollwise rules GAME`` lists both; fields left out have
    their value at the start), or ``state`` does, the same in one mapping: for programs, and for fields that have the
    name of an argument. Solves the game on first use and answers from the cache after that. ``exact`` adds fractions
    where the game is small enough; a game for one player that always moves on is then solved from this state only, in
    fractions, and nothing is kept. ``all_moves`` lists moves too that are worse than another on every board, where a
    game has such (Killer: the same boxes for fewer points); ``lengths`` wants the distribution of lengths of luck games
    so large that it is left out otherwise. ``draw``, where the best play is a mix of moves (Bluff), draws one of them;
    the same ``seed`` always draws the same one. Raises ``BadInput`` (one line) for anything that cannot be.

    >>> advice = ask("pig", {"target": 10}, mine=7, theirs=9, turn=3)
    >>> advice.best, advice.value
    (['hold'], 1.0)
    >>> ask("pig", {"target": 10}, state={"mine": 7, "theirs": 9, "turn": 3}).best
    ['hold']
    """
    made = the_game(game, params)
    given, position = question(made, as_said(state, fields))
    require_drawn(made, draw, seed)
    if exact:
        told = kind_of(made).ask_exactly(made, position, all_moves, reachable(made, given, position))
        if told is not None:
            return _advice(made, given, position, told, {})
    found = answer(made, given, position, Wanted(exact, all_moves, lengths))
    return replace(found, drawn=drawn(found.moves or [], seed)) if draw else found


def answer(
    game: TurnGame,
    fields: Mapping[str, Any],
    position: Position,
    wanted: Wanted,
    *,
    of_all: bool = False,
) -> Advice:
    """The answer for a position from the solved game; with ``of_all``, also what there is to say of all of it."""

    def ask_it(found: Stored) -> Advice:
        with Progress(str(game), verb="working out") as progress:
            told = found.opened.ask(position, fields, wanted, progress.share)
        if of_all:
            told = replace(told, quantities={**told.quantities, **found.opened.quantities()})
        return _advice(game, fields, position, told, {**found.facts, "cached": found.cached})

    return asked(game, reachable(game, fields, position), ask_it)


def reachable(game: TurnGame, fields: Mapping[str, Any], position: Position) -> Callable[[TurnGraph], None]:
    """A look at a compiled turn: StateError where no turn comes to this state."""

    def look(graph: TurnGraph) -> None:
        if not can_be_asked(game, graph, position.state):
            raise impossible(game, fields, position)

    return look


def question(game: TurnGame, said: Mapping[str, Any]) -> tuple[dict[str, Any], Position]:
    """Checked fields of a question, and where it stands; raises BadInput for fields, and a board, that cannot be."""
    given = the_fields(game, said)
    position = game.locate(**given)
    require_board(game, given, position)
    return given, position


def require_board(game: TurnGame, fields: Mapping[str, Any], position: Position) -> None:
    """Raise StateError, with the reason where the game can tell, for a board that no game comes to."""
    try:
        check_board(game, position.board)
    except StateError as error:
        raise impossible(game, fields, position) from error


def impossible(game: TurnGame, fields: Mapping[str, Any], position: Position) -> StateError:
    """What to say of a state that no play comes to: why not, where the game can tell."""
    why = game.impossible(position)
    if why:
        return StateError(why, field=why.partition("=")[0])
    shown = shown_state(understood(game, fields, position))
    return StateError(f"{shown} is impossible: no play of {game.title} comes to it")


def _advice(
    game: TurnGame, fields: Mapping[str, Any], position: Position, told: Answer, facts: dict[str, Any]
) -> Advice:
    """The answer as it is shown: the state as understood, moves best first, losses filled in."""
    shares: dict[str, Any] = {}
    if told.shares is not None:
        names = ("shares", "shares_lower", "shares_upper")
        shares = {name: list(row) for name, row in zip(names, told.shares, strict=True)}
    if told.shares_exact is not None:
        shares["shares_exact"] = [str(share) for share in told.shares_exact]
    sense = game.sense if kind_of(game).chooses else None
    parameters, state = plain_parameters(game), understood(game, fields, position)
    label = value_label(game.measure, sense, parameters, state)
    return Advice(
        game=game.name,
        parameters=parameters,
        state=state,
        assumed=assumed(game, fields, state),
        mover=told.mover,
        objective=game.measure,
        unit=game.unit,
        sense=sense,
        quantities=labelled(told.quantities),
        facts=facts,
        note=told.note,
        why_only=_why_only(game, position) if len(told.moves) == 1 else "",
        **(_judged(game, told, label) if told.moves else {}),
        **shares,
    )


def _why_only(game: TurnGame, position: Position) -> str:
    """Why the only move is the only one, or the only one that follows it at once."""
    after = moves_asked(game, position.state)[0].after
    follows = game.two_steps and isinstance(after, Go)
    return game.why_only(position.board, after.state if follows and isinstance(after, Go) else position.state)


def labelled(quantities: Mapping[str, Quantity]) -> dict[str, Quantity]:
    """Quantities that say what they are."""
    return {
        name: replace(quantity, label=quantity.label or quantity_label(name)) for name, quantity in quantities.items()
    }


def understood(game: TurnGame, fields: Mapping[str, Any], position: Position) -> dict[str, Any]:
    """The state as it was understood, in its one spelling: what was said, and what was left out."""
    return spelled(all_fields(game, fields, position))


def all_fields(game: TurnGame, fields: Mapping[str, Any], position: Position) -> dict[str, Any]:
    """All field values of a question, as ``locate`` takes them: those that were said, and those that were left out."""
    told = list(game.describe(position.board, position.state))
    implied = max(told, key=lambda each: sum(each.get(name) == said for name, said in fields.items()), default={})
    state = {**implied, **fields}
    return {field.name: state[field.name] for field in game.fields() if state.get(field.name) is not None}


def assumed(game: TurnGame, fields: Mapping[str, Any], state: Mapping[str, Any]) -> Assumed | None:
    """Which throw of the turn the dice of a question were taken for, where it was not said and could be another."""
    for field in game.fields():
        if isinstance(field, ThrowsLeft) and field.name not in fields and fields.get(field.dice) is not None:
            left = state.get(field.name, 0)
            return Assumed(field.name, left, throws_of_turn(game, field, fields) - left) if left else None
    return None


def throws_of_turn(game: TurnGame, field: ThrowsLeft, fields: Mapping[str, Any]) -> int:
    """How many throws the turn of a question has."""
    dice = {other.name for other in game.fields() if isinstance(other, Faces)}
    before = {name: value for name, value in fields.items() if name not in (*dice, field.name)}
    try:
        return int(all_fields(game, before, game.locate(**before)).get(field.name, field.throws))
    except BadInput:
        return field.throws


def _judged(game: TurnGame, told: Answer, label: str) -> dict[str, Any]:
    """Best moves first, losses filled in, and the moves that cannot be told from the best."""
    moves = told.moves
    judged = Judged(np.array([[(move.value, move.lower, move.upper) for move in moves]]), game.sense)
    order, good, loss = judged.order[0].tolist(), judged.good[0].tolist(), judged.loss[0].tolist()
    exact = [move.exact for move in moves]
    if all(number is not None for number in exact):
        sign = 1 if game.sense == "max" else -1
        order = sorted(range(len(moves)), key=lambda i: -sign * (exact[i] or 0))
        good = [number == exact[order[0]] for number in exact]
        loss = [0.0 if same else max(0.0, worse) for same, worse in zip(good, loss, strict=True)]
    top = moves[order[0]]
    listed = [_move(moves[i], loss[i], label) for i in order]
    aim = told.going_for(top.move)
    if aim is not None:
        listed[0] = replace(listed[0], goes_for=GoesFor(*aim))
    return {
        "label": label,
        "value": top.value,
        "lower": top.lower,
        "upper": top.upper,
        "exact": _told(top.exact),
        "best": [moves[i].move for i in order if good[i]],
        "moves": listed,
    }


def _move(move: Worth, loss: float, label: str) -> MoveAdvice:
    shares = None if move.shares is None else list(move.shares)
    then = Then(move.then) if move.then else None
    return MoveAdvice(
        *(move.move, move.value, move.lower, move.upper, loss, _told(move.exact), shares, label, then),
        probability=move.probability,
    )


def _told(exact: Fraction | None) -> str | None:
    return None if exact is None else str(exact)
