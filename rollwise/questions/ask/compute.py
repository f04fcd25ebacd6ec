"""``ask``: the best move in a state, and the loss of every other move."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from random import Random
from typing import Any

import numpy as np

from rollwise.arguments import check_arguments
from rollwise.parsing.validate import parse_game, question_fields
from rollwise.questions.ask.data import Advice, GoesFor, MoveAdvice, Then, TieBreak
from rollwise.questions.ask.stopping_threshold import stopping_threshold
from rollwise.questions.question import all_fields, assumed_throw, question, reachable
from rollwise.solutions.fractions import is_long_solve_allowed, load_or_compute_fractions
from rollwise.solutions.identity import plain_parameters
from rollwise.solutions.lookup import StoredSolution, answer_from_solution, forecast_other_games
from rollwise.solutions.progress import Progress
from rollwise.solutions.turns import load_or_compile_turn
from rollwise.solver.kinds import kind_of
from rollwise.solver.kinds.kind import QueryOptions, Solution
from rollwise.solver.model.errors import BadInput
from rollwise.solver.model.game import Goto, Position, TurnGame
from rollwise.solver.model.jsonable import as_json, pick
from rollwise.solver.model.solution import Answer
from rollwise.solver.turn.questions import question_moves
from rollwise.solver.turn.ranked_moves import RankedMoves
from rollwise.text.labels import value_label, with_labels
from rollwise.text.spelling import spelled

DECIDED = {1: "Decided: every move here is sure, with best play after it.", 0: "Decided: no move helps any more."}


@check_arguments
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
    where the game is small enough; an acyclic game for one player is then solved from this state only, in fractions,
    and nothing is stored. ``all_moves`` also lists moves that another move dominates on every board, where a game has
    such (Killer: the same boxes for fewer points); ``lengths`` adds the distribution of game lengths for luck games so
    large that it is omitted otherwise. ``draw`` draws a move where the best play is a mixed strategy (Bluff); the same
    ``seed`` always draws the same one. A warning announces a solve of more than 20 seconds or 1 GB. One of more than
    100 seconds or 2 GB, or more than the machine has, begins only with ``yes``; otherwise ``TooLarge`` states what it
    takes. Raises ``BadInput`` (one line) for an impossible question.

    >>> advice = ask("pig", params={"target": 10}, mine=7, theirs=9, turn=3)
    >>> advice.best, advice.value
    (['hold'], 1.0)
    >>> ask("pig", params={"target": 10}, state={"mine": 7, "theirs": 9, "turn": 3}).best
    ['hold']
    """
    model = parse_game(game, params)
    values, position = question(model, question_fields(state, fields))
    if draw and not kind_of(model).is_mixed:
        raise BadInput(f"draw is for games whose best play is a mix of moves; in {model.name} play the best move")
    if seed is not None and not draw:
        raise BadInput("a seed is for a draw: say draw too", field="seed")
    if exact:
        part = model.part(position.board, values, forecast_other_games(model, values))
        turn = partial(load_or_compile_turn, part, reachable(model, values, position))
        exactly = kind_of(part).ask_exactly(part, position, all_moves, turn)
        if exactly is not None:
            advice = _advice(model, values, position, exactly, {})
            return _break_ties(model, values, position, advice) if advice.decided else advice
    options = QueryOptions(exact, all_moves, lengths, load_or_compute_fractions, is_long_solve_allowed)
    advice = answer(model, values, position, options, stops=True)
    return replace(advice, drawn=draw_move(advice.moves, seed)) if draw else advice


def draw_move(moves: Sequence[MoveAdvice], seed: int | None) -> str:
    """One of these moves, sampled by probability; a move without one is certain.

    >>> moves = [MoveAdvice("accept", "win", 0.5, 0.5, 0.5, None, 0.0, probability=0.25)]
    >>> moves.append(MoveAdvice("challenge", "win", 0.5, 0.5, 0.5, None, 0.0, probability=0.75))
    >>> [draw_move(moves, seed) for seed in range(4)]
    ['challenge', 'accept', 'challenge', 'accept']
    """
    threshold = Random(seed).random()  # a multiple of 2^-53, as probabilities are: each part is as likely as any other
    cumulative = 0.0
    for move in moves:
        cumulative += 1.0 if move.probability is None else move.probability
        if threshold < cumulative:
            return move.move
    return moves[-1].move


def answer(
    game: TurnGame,
    fields: Mapping[str, Any],
    position: Position,
    options: QueryOptions,
    *,
    of_all: bool = False,
    stops: bool = False,
) -> Advice:
    """The advice for a position from the solved game; ``of_all`` adds the quantities of the whole game, ``stops`` the
    stopping threshold.
    """

    no_lengths_error = BadInput(f"lengths are for games of luck that end; {game} is not one", field="lengths")
    if options.lengths and kind_of(game).has_decisions:
        raise no_lengths_error

    def ask_it(stored: StoredSolution) -> Advice:
        with Progress(str(game), verb="working out") as progress:
            value = stored.solution.ask(position, fields, options, progress.share)
        if options.lengths and "length_distribution" not in value.quantities:
            raise no_lengths_error
        if of_all:
            value = replace(value, quantities={**value.quantities, **stored.solution.quantities()})
        facts = {**stored.facts, "cached": stored.cached}
        return _advice(game, fields, position, value, facts, stored.solution if stops else None)

    advice = answer_from_solution(game, reachable(game, fields, position), ask_it)
    return _break_ties(game, fields, position, advice) if advice.decided else advice


def _break_ties(game: TurnGame, fields: Mapping[str, Any], position: Position, advice: Advice) -> Advice:
    """The decided advice with the move first that is best for the mean score, if that score is solved."""
    from rollwise.solutions.tie_break import SCORE, find_score_game, find_tie_break  # which loads score sheets

    mean = find_score_game(game)
    tie = find_tie_break(mean, all_fields(game, fields, position), advice.best) if mean else None
    if tie is None:
        return advice
    moves = sorted(advice.moves, key=lambda each: each.move != tie.move)
    tie_break = TieBreak(tie.move, SCORE, tie.value)
    return replace(advice, moves=moves, best=[each.move for each in moves], tie_break=tie_break)


def _advice(
    game: TurnGame,
    fields: Mapping[str, Any],
    position: Position,
    answer: Answer,
    facts: dict[str, Any],
    stops: Solution | None = None,
) -> Advice:
    """The advice made of a solver's answer: full state, moves best first, losses; ``stops``: the solution that the
    stopping threshold is computed from.
    """
    shares, lower, upper = as_json(answer.shares or (None, None, None))
    sense = game.sense if answer.moves else None
    parameters, every_field = plain_parameters(game), all_fields(game, fields, position)
    state = spelled(every_field)
    label = value_label(game.measure, sense, parameters, state)
    of_moves: dict[str, Any] = {"note": answer.note or game.caveat}
    if answer.moves:
        of_moves |= _move_fields(game, answer, label)
        if stops is not None:
            of_moves["stop_from"] = stopping_threshold(stops, every_field, position, of_moves["best"][0])
    return Advice(
        game=game.name,
        parameters=parameters,
        state=state,
        assumed=assumed_throw(game, fields, state),
        reachable=game.reachable(position.board) is not False,
        mover=answer.mover,
        objective=game.measure,
        unit=game.unit,
        sense=sense,
        quantities=with_labels(answer.quantities),
        facts=facts,
        why_only=_why_only(game, position) if len(answer.moves) == 1 else "",
        shares=shares,
        shares_lower=lower,
        shares_upper=upper,
        shares_exact=as_json(answer.shares_exact),
        **of_moves,
    )


def _why_only(game: TurnGame, position: Position) -> str:
    """The reason why there is a single move here, or at the decision right after it."""
    after = question_moves(game, position.state)[0].after
    follows = game.two_steps and isinstance(after, Goto)
    return game.why_only(position.board, after.state if follows and isinstance(after, Goto) else position.state)


def _move_fields(game: TurnGame, answer: Answer, label: str) -> dict[str, Any]:
    """The fields of ``Advice`` about its moves: best first, with losses, and those as good as the best."""
    moves = answer.moves
    judged = RankedMoves(np.array([[(move.value, move.lower, move.upper) for move in moves]]), game.sense)
    order, is_best, loss = judged.order[0].tolist(), judged.good[0].tolist(), judged.loss[0].tolist()
    exact = [move.exact for move in moves]
    if all(number is not None for number in exact):
        sign = 1 if game.sense == "max" else -1
        order = sorted(range(len(moves)), key=lambda i: -sign * (exact[i] or 0))
        is_best = [number == exact[order[0]] for number in exact]
        loss = [float(sign * (exact[order[0]] - number)) for number in exact]
    top = moves[order[0]]
    decided = bool(judged.decided[0]) and game.measure == "win" and len({move.shares for move in moves}) == 1
    is_sure = decided or (game.measure == "win" and len(moves) == 1 and top.lower == top.upper and top.value in DECIDED)
    goal = None if decided else answer.going_for(top.move)
    return {
        "decided": decided,
        "note": answer.note or (DECIDED[top.value] if is_sure else game.caveat),
        "label": label,
        **pick(top, "value", "lower", "upper"),
        "exact": as_json(top.exact),
        "best": [moves[i].move for i in order if is_best[i]],
        "moves": [
            MoveAdvice(
                **pick(moves[i], "move", "value", "lower", "upper", "probability"),
                loss=loss[i],
                exact=as_json(moves[i].exact),
                shares=as_json(moves[i].shares),
                label=label,
                then=Then.of(moves[i].then) if moves[i].then else None,
                goes_for=GoesFor(*goal) if goal is not None and i == order[0] else None,
            )
            for i in order
        ],
    }
