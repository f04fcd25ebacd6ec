"""From how many points of the turn on the best play stops, all else as it is: where that is proved of every total."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np

from rollwise.answers.advice import StopFrom
from rollwise.solver.kinds.kind import Question, Solution
from rollwise.solver.model.errors import StateError
from rollwise.solver.model.fields import Number
from rollwise.solver.model.game import Position, TurnGame
from rollwise.solver.turn.graph import CHOICE
from rollwise.solver.turn.query import LOWER, UPPER, moves_asked

STOPS, ROLL = ("hold", "stop"), "roll"
TURN = "turn"  # the field that tells the points of the turn
MOST = 1000  # totals, more than any turn has that is told apart
WON = "won"  # what stopping does,
NEARLY = 0.99  # and is at least worth then: what has ended is worth 1, or a share of it
APART = 50  # totals, one after the other, that no turn has: it has none beyond


def stop_from(opened: Solution, fields: Mapping[str, Any], position: Position, best: str) -> StopFrom | None:
    """Where to stop from, in this turn or, where much may be kept of a throw, right after the ``best`` move.

    Every total that the turn can have, all else as it is, is looked at: below the first at which one stops throwing on
    is proved to be better, from it on stopping; or up to a last one, and throwing on beyond, until stopping wins.
    None where it goes to and fro otherwise, is not proved of a single total, or the turn has more than the last one.
    ``fields`` are all of the question.
    """
    points = next((field for field in opened.game.fields() if field.name == TURN), None)
    if not isinstance(points, Number) or points.of != TURN:
        return None
    game = opened.game
    is_now = not game.two_steps or bool(_stop(game, position))
    asked = (fields, position) if is_now else _after(opened, fields, position, best)
    every = groupby(_totals(opened, points, *asked) if asked else (), itemgetter(1))
    runs = [(stops, [total for total, _ in some]) for stops, some in every]
    looked_at = max((totals[-1] for _, totals in runs), default=0)
    runs = runs[1:] if runs and runs[0][0] is False else runs
    runs = runs[:-1] if runs and runs[-1][0] is WON else runs
    if not asked or [stops for stops, _ in runs] not in ([True], [True, False]):
        return None
    totals = runs[0][1]
    to = totals[-1] if runs[1:] else None
    stop = _stop(game, game.locate(**{**asked[0], TURN: totals[0]}))
    if not stop or asked[0].get(TURN, 0) > (looked_at if to is None else to):
        return None
    return StopFrom(stop, totals[0], to, "" if is_now else best)


def _stop(game: TurnGame, position: Position) -> str:
    """How one stops where that is a move and all others throw; else empty."""
    moves = [move.name for move in moves_asked(game, position.state)]
    stop, *further = [move for move in moves if move.partition(" ")[0] != ROLL] or [""]
    return stop if stop in STOPS and not further and len(moves) > 1 else ""


def _after(opened: Solution, fields: Mapping[str, Any], position: Position, best: str) -> Question | None:
    """The question right after the best move, where no dice fall before it."""
    moves = [move for move in moves_asked(opened.game, position.state) if move.name == best]
    if not moves:
        return None
    fall, *others = opened.falls(fields, position, moves[0])
    return None if others or fall.thrown else opened.question(fields, best, fall, position.mover)


def _totals(
    opened: Solution, points: Number, fields: Mapping[str, Any], position: Position
) -> Iterator[tuple[int, bool | str | None]]:
    """Every total at which one may stop, and whether that is better than all else, or wins; None: it is not told."""
    graph, turn, sign = opened.graph, opened.turn_on(position.board), 1 if opened.game.sense == "max" else -1
    choices: list[tuple[int, list[int]]] = []  # totals with the nodes after them: that of stopping, and all others
    total = last = points.low
    before: int | None = None
    while total <= last + APART * points.step:
        node = _node(opened, {**fields, TURN: total}, position)
        if total > points.low + MOST * points.step or (node is not None and node == before):
            break  # one state for all of so many points
        before = node
        last = last if node is None else total
        is_choice = node is not None and node >= graph.n_leaves and graph.kind[node - graph.n_leaves] == CHOICE
        children = sorted(child for child, _ in graph.children(node)) if node is not None and is_choice else []
        if sum(child < graph.n_leaves for child in children) == 1:  # an end, which has a lower number than a throw
            choices.append((total, children))
        total += points.step
    after = [node for _, nodes in choices for node in nodes]
    rows = sign * turn.intervals(turn.rows()[after])
    bounds = dict(zip(after, np.sort(rows[:, [LOWER, UPPER]]).tolist(), strict=True))
    for total, (stop, *others) in choices:
        (low, high), rest = bounds[stop], [bounds[node] for node in others]
        if opened.game.unit == "probability" and low > NEARLY and _ends(opened, {**fields, TURN: total}):
            yield total, WON
        elif np.isfinite(low):
            yield total, True if low > max(end[1] for end in rest) else False if max(rest)[0] > high else None


def _ends(opened: Solution, fields: Mapping[str, Any]) -> bool:
    """Is the game over once one stops here?"""
    position = opened.game.locate(**fields)
    stop = next(move for move in moves_asked(opened.game, position.state) if move.name in STOPS)
    fall, *others = opened.falls(fields, position, stop)
    return not others and opened.question(fields, stop.name, fall, position.mover) is None


def _node(opened: Solution, fields: Mapping[str, Any], position: Position) -> int | None:
    """The node of these fields; None where no turn of this board comes to them."""
    try:
        there = opened.game.locate(**fields)
    except StateError:
        return None
    return opened.graph.node_of(there.state) if there.board == position.board else None
