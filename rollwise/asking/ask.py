"""``ask``: the best move in a state, and what every other move loses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from rollwise.answers.advice import Advice, GoesFor, MoveAdvice, Then
from rollwise.answers.labels import labelled, value_label
from rollwise.asking.draw import drawn, require_drawn
from rollwise.asking.question import all_fields, assumed, question, reachable, understood
from rollwise.asking.stop_from import stop_from
from rollwise.parsing.validate import as_said, checked, the_fields, the_game
from rollwise.solutions.fractions import known_ahead, may_take
from rollwise.solutions.games import StoredSolution, endings_beside, with_solved
from rollwise.solutions.identity import plain_parameters
from rollwise.solutions.progress import Progress
from rollwise.solutions.turns import turn_of
from rollwise.solver.kinds import kind_of
from rollwise.solver.kinds.kind import Answer, QueryOptions
from rollwise.solver.model.errors import BadInput
from rollwise.solver.model.game import Goto, Position, TurnGame
from rollwise.solver.model.jsonable import as_json
from rollwise.solver.turn.judged import Judged
from rollwise.solver.turn.query import moves_asked

DECIDED = {1: "Decided: every move here is sure, with best play after it.", 0: "Decided: no move helps any more."}


@checked
def ask(
    game: str,
    *,
    params: Mapping[str, Any] | None = None,
    state: Mapping[str, Any] | None = None,
    exact: bool = False,
    all_moves: bool = False,
    lengths: bool = False,
    draw: bool = False,
    seed: int | None = None,
    yes: bool = False,
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
    the same ``seed`` always draws the same one. A solve of more than 20 seconds or 1 GB is told in a warning before it
    begins. One of more than 100 seconds or 2 GB, or than there is room for, begins only with ``yes``: else TooLarge
    says what it takes. Raises ``BadInput`` (one line) for anything that cannot be.

    >>> advice = ask("pig", params={"target": 10}, mine=7, theirs=9, turn=3)
    >>> advice.best, advice.value
    (['hold'], 1.0)
    >>> ask("pig", params={"target": 10}, state={"mine": 7, "theirs": 9, "turn": 3}).best
    ['hold']
    """
    made = the_game(game, params)
    known, position = question(made, as_said(state, fields))
    require_drawn(made, draw, seed)
    if exact:
        part = made.part(position.board, known, endings_beside(made, known))
        turn = partial(turn_of, part, reachable(made, known, position))
        exactly = kind_of(part).ask_exactly(part, position, all_moves, turn)
        if exactly is not None:
            return _tie_broken(made, known, position, _advice(made, known, position, exactly, {}))
    advice = answer(made, known, position, QueryOptions(exact, all_moves, lengths, known_ahead, may_take), stops=True)
    return replace(advice, drawn=drawn(advice.moves, seed)) if draw else advice


def answer(
    game: TurnGame,
    fields: Mapping[str, Any],
    position: Position,
    wanted: QueryOptions,
    *,
    of_all: bool = False,
    stops: bool = False,
) -> Advice:
    """The answer for a position from the solved game; with ``of_all``, also what there is to say of all of it, with
    ``stops`` where to stop from.
    """

    no_lengths = BadInput(f"lengths are told of games of luck that end; {game} is none", field="lengths")
    if wanted.lengths and kind_of(game).chooses:
        raise no_lengths

    def ask_it(solved: StoredSolution) -> Advice:
        with Progress(str(game), verb="working out") as progress:
            worth = solved.opened.ask(position, fields, wanted, progress.share)
        if wanted.lengths and "length_distribution" not in worth.quantities:
            raise no_lengths
        if of_all:
            worth = replace(worth, quantities={**worth.quantities, **solved.opened.quantities()})
        advice = _advice(game, fields, position, worth, {**solved.facts, "cached": solved.cached})
        if not stops or not advice.best:
            return advice
        return replace(
            advice, stop_from=stop_from(solved.opened, the_fields(game, advice.state), position, advice.best[0])
        )

    return _tie_broken(game, fields, position, with_solved(game, reachable(game, fields, position), ask_it))


def _tie_broken(game: TurnGame, fields: Mapping[str, Any], position: Position, advice: Advice) -> Advice:
    """The same; where all is decided, with the move first that is best for the mean score, where that is known."""
    if not advice.decided:
        return advice
    from rollwise.solutions.tie_break import score_game, tie_break  # which loads score sheets

    mean = score_game(game)
    tie = tie_break(mean, all_fields(game, fields, position), advice.best) if mean else None
    if tie is None:
        return advice
    moves = sorted(advice.moves, key=lambda each: each.move != tie.move)
    return replace(advice, moves=moves, best=[each.move for each in moves], tie_break=tie)


def _advice(
    game: TurnGame, fields: Mapping[str, Any], position: Position, worth: Answer, facts: dict[str, Any]
) -> Advice:
    """The answer as it is shown: the state as understood, moves best first, losses filled in."""
    shares, lower, upper = as_json(worth.shares or (None, None, None))
    sense = game.sense if kind_of(game).chooses else None
    parameters, state = plain_parameters(game), understood(game, fields, position)
    label = value_label(game.measure, sense, parameters, state)
    return Advice(
        game=game.name,
        parameters=parameters,
        state=state,
        assumed=assumed(game, fields, state),
        reachable=game.reachable(position.board) is not False,
        mover=worth.mover,
        objective=game.measure,
        unit=game.unit,
        sense=sense,
        quantities=labelled(worth.quantities),
        facts=facts,
        why_only=_why_only(game, position) if len(worth.moves) == 1 else "",
        shares=shares,
        shares_lower=lower,
        shares_upper=upper,
        shares_exact=as_json(worth.shares_exact),
        **({"note": worth.note or game.caveat} | (_judged(game, worth, label) if worth.moves else {})),
    )


def _why_only(game: TurnGame, position: Position) -> str:
    """Why the only move is the only one, or the only one that follows it at once."""
    after = moves_asked(game, position.state)[0].after
    follows = game.two_steps and isinstance(after, Goto)
    return game.why_only(position.board, after.state if follows and isinstance(after, Goto) else position.state)


def _judged(game: TurnGame, worth: Answer, label: str) -> dict[str, Any]:
    """Best moves first, losses filled in, and the moves that cannot be told from the best."""
    moves = worth.moves
    judged = Judged(np.array([[(move.value, move.lower, move.upper) for move in moves]]), game.sense)
    order, good, loss = judged.order[0].tolist(), judged.good[0].tolist(), judged.loss[0].tolist()
    exact = [move.exact for move in moves]
    if all(number is not None for number in exact):
        sign = 1 if game.sense == "max" else -1
        order = sorted(range(len(moves)), key=lambda i: -sign * (exact[i] or 0))
        good = [number == exact[order[0]] for number in exact]
        loss = [float(sign * (exact[order[0]] - number)) for number in exact]
    top = moves[order[0]]
    decided = bool(judged.decided[0]) and game.measure == "win" and len({move.shares for move in moves}) == 1
    is_sure = decided or (game.measure == "win" and len(moves) == 1 and top.lower == top.upper and top.value in DECIDED)
    aim = None if decided else worth.going_for(top.move)
    return {
        "decided": decided,
        "note": worth.note or (DECIDED[top.value] if is_sure else game.caveat),
        "label": label,
        "value": top.value,
        "lower": top.lower,
        "upper": top.upper,
        "exact": as_json(top.exact),
        "best": [moves[i].move for i in order if good[i]],
        "moves": [
            MoveAdvice(
                move=moves[i].move,
                value=moves[i].value,
                lower=moves[i].lower,
                upper=moves[i].upper,
                loss=loss[i],
                exact=as_json(moves[i].exact),
                shares=as_json(moves[i].shares),
                label=label,
                then=Then(moves[i].then) if moves[i].then else None,
                goes_for=GoesFor(*aim) if aim is not None and i == order[0] else None,
                probability=moves[i].probability,
            )
            for i in order
        ],
    }
