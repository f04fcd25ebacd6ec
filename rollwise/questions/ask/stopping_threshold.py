"""The stopping threshold of a turn: the total from which the best play stops, if that is proved of every total."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np

from rollwise.questions.ask.data import StopFrom
from rollwise.solver.kinds.kind import Question, Solution
from rollwise.solver.model.errors import StateError
from rollwise.solver.model.fields import Number
from rollwise.solver.model.game import Position, TurnGame
from rollwise.solver.model.moves import parse_move
from rollwise.solver.turn.graph import CHOICE
from rollwise.solver.turn.query import LOWER, UPPER
from rollwise.solver.turn.questions import question_moves

STOPS, ROLL = ("hold", "stop"), "roll"
TURN = "turn"  # the field with the points of the turn
MAX_TOTALS = 1000  # more totals than a turn distinguishes
WINS = "won"  # the outcome of stopping
MIN_WIN_VALUE = 0.99  # a won game is worth 1, or a share of it
MAX_GAP = 50  # consecutive totals without a node, after which no turn has a larger one


def stopping_threshold(solution: Solution, fields: Mapping[str, Any], position: Position, best: str) -> StopFrom | None:
    """The stopping threshold of this turn, or of the decision right after ``best`` where a throw leaves several.

    Every possible total is checked, all else equal: below the first stopping total throwing on is proved better, from
    it on stopping; or up to a last one, with throwing on beyond, until stopping wins. None where the best play
    alternates otherwise, where one total is not proved, or where the turn is past the last one.
    ``fields`` are all fields of the question.
    """
    points = next((field for field in solution.game.fields() if field.name == TURN), None)
    if not isinstance(points, Number) or points.of != TURN:
        return None
    game = solution.game
    is_now = not game.two_steps or bool(_stop_move(game, position))
    question = (fields, position) if is_now else _question_after(solution, fields, position, best)
    every = groupby(_totals(solution, points, *question) if question else (), itemgetter(1))
    runs = [(stops, [total for total, _ in some]) for stops, some in every]
    looked_at = max((totals[-1] for _, totals in runs), default=0)
    runs = runs[1:] if runs and runs[0][0] is False else runs
    runs = runs[:-1] if runs and runs[-1][0] is WINS else runs
    if not question or [stops for stops, _ in runs] not in ([True], [True, False]):
        return None
    totals = runs[0][1]
    to = totals[-1] if runs[1:] else None
    stop = _stop_move(game, game.locate(**{**question[0], TURN: totals[0]}))
    if not stop or question[0].get(TURN, 0) > (looked_at if to is None else to):
        return None
    return StopFrom(stop, totals[0], to, "" if is_now else best)


def _stop_move(game: TurnGame, position: Position) -> str:
    """The name of the stopping move where all other moves throw; else empty."""
    moves = [move.name for move in question_moves(game, position.state)]
    stop, *further = [move for move in moves if parse_move(move).kind != ROLL] or [""]
    return stop if stop in STOPS and not further and len(moves) > 1 else ""


def _question_after(solution: Solution, fields: Mapping[str, Any], position: Position, best: str) -> Question | None:
    """The question right after the best move; None where dice fall first."""
    moves = [move for move in question_moves(solution.game, position.state) if move.name == best]
    if not moves:
        return None
    outcome, *others = solution.throw_outcomes(fields, position, moves[0])
    return None if others or outcome.thrown else solution.question(fields, best, outcome, position.mover)


def _totals(
    solution: Solution, points: Number, fields: Mapping[str, Any], position: Position
) -> Iterator[tuple[int, bool | str | None]]:
    """Totals with a stopping move: True if stopping is proved best, False if not, ``WINS``, None if unproved."""
    graph, turn, sign = solution.graph, solution.turn_on(position.board), 1 if solution.game.sense == "max" else -1
    choices: list[tuple[int, list[int]]] = []  # total, nodes after it: stopping, then the others
    total = last = points.low
    before: int | None = None
    while total <= last + MAX_GAP * points.step:
        node = _node(solution, {**fields, TURN: total}, position)
        if total > points.low + MAX_TOTALS * points.step or (node is not None and node == before):
            break  # all totals from here on share one state
        before = node
        last = last if node is None else total
        is_choice = node is not None and node >= graph.n_leaves and graph.kind[node - graph.n_leaves] == CHOICE
        children = sorted(child for child, _ in graph.children(node)) if node is not None and is_choice else []
        if sum(child < graph.n_leaves for child in children) == 1:  # a leaf (an end) has a lower number than a throw
            choices.append((total, children))
        total += points.step
    after = [node for _, nodes in choices for node in nodes]
    rows = sign * turn.intervals(turn.rows()[after])
    bounds = dict(zip(after, np.sort(rows[:, [LOWER, UPPER]]).tolist(), strict=True))
    for total, (stop, *others) in choices:
        (low, high), rest = bounds[stop], [bounds[node] for node in others]
        may_win = solution.game.unit == "probability" and low > MIN_WIN_VALUE
        if may_win and _wins_now(solution, {**fields, TURN: total}):
            yield total, WINS
        elif np.isfinite(low):
            yield total, True if low > max(end[1] for end in rest) else False if max(rest)[0] > high else None


def _wins_now(solution: Solution, fields: Mapping[str, Any]) -> bool:
    """True if the game is over after stopping here."""
    position = solution.game.locate(**fields)
    stop = next(move for move in question_moves(solution.game, position.state) if move.name in STOPS)
    outcome, *others = solution.throw_outcomes(fields, position, stop)
    return not others and solution.question(fields, stop.name, outcome, position.mover) is None


def _node(solution: Solution, fields: Mapping[str, Any], position: Position) -> int | None:
    """The node of these fields; None where no turn of this board reaches them."""
    try:
        there = solution.game.locate(**fields)
    except StateError:
        return None
    return solution.graph.node_of(there.state) if there.board == position.board else None
