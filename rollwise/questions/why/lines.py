"""``why --lines``: the mean final points on every line of a score sheet, after the best move and the other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import fsum
from typing import Any

import numpy as np

from rollwise.questions.outcomes.compute import resolve_move
from rollwise.questions.why.data import LinePart, Why
from rollwise.questions.why.parts import parts_with_exact_sum
from rollwise.solutions.lookup import StoredSolution
from rollwise.solutions.notes import note
from rollwise.solutions.progress import Progress
from rollwise.solver.kinds import kind_of
from rollwise.solver.model.errors import BadInput
from rollwise.solver.model.game import Columns, Position
from rollwise.solver.model.sheet import ScoreSheet, lines_of
from rollwise.solver.policy.endings_of_turn import TurnEnd
from rollwise.text.numbers import time_in_words

FORECAST_BOARDS_PER_S = 25_000  # about as many as a forecast handles
VALUES_READ_PER_S = 10_000_000  # before the forecast begins
NOTE_FROM_S = 2  # a forecast of at least so many seconds is announced


def require_lines(stored: StoredSolution) -> None:
    """Raise BadInput where there are no lines to forecast."""
    game = stored.game
    why_not = kind_of(game).why_no_forecast(game, stored.graph)
    if why_not or not isinstance(game, ScoreSheet):
        raise BadInput(f"--lines is for a score sheet: {why_not or game.name + ' has none'}", field="lines")


def with_lines(why: Why, stored: StoredSolution, fields: Mapping[str, Any], position: Position) -> Why:
    """The same answer with every line of the sheet; a long forecast is announced in a note."""
    game = stored.game
    assert isinstance(game, ScoreSheet)
    still_open = len(game.played) - len(fields.get("filled") or {})
    each = game.boards().size / VALUES_READ_PER_S + boards_ahead(still_open, len(game.played)) / FORECAST_BOARDS_PER_S
    seconds = 2 * each
    if seconds >= NOTE_FROM_S:
        note(f"forecasting every line of the sheet after both moves takes about {time_in_words(seconds)}")
    points_by_line = dict(game.line_points(fields))
    moves = [resolve_move(game, position, name, [name]) for name in (why.best, why.other)]
    sides = []
    for move, endings in zip(moves, stored.solution.ends_of_turn(position, moves), strict=True):
        with Progress(f"{game} after {move.name}", verb="forecasting") as progress:
            ends = [end for ending in endings for end in ending.ends]
            sides.append(_line_means(stored, position, ends, progress.share))
    lines = list(lines_of(game))
    best, other = ([points_by_line.get(line, 0) + side.get(line, 0.0) for line in lines] for side in sides)
    parts, _ = parts_with_exact_sum([one - two for one, two in zip(best, other, strict=True)], why.difference)
    rows = zip(lines, best, other, parts, strict=True)
    return replace(why, lines=tuple(LinePart(line, one, two, part) for line, one, two, part in rows))


def _line_means(stored: StoredSolution, position: Position, ends: list[TurnEnd], report: Any) -> dict[str, float]:
    """Mean points that each line gets from here on: in this turn, and later."""
    game = stored.game
    assert isinstance(game, ScoreSheet)
    space = game.boards()
    board = space.columns(np.array([space.index_of(**position.board)]))
    points_by_line: dict[str, list[float]] = {}
    start: dict[int, float] = {}
    for end in ends:
        points_by_line.setdefault(game.line(end.result), []).append(end.chance * float(end.reward))
        for line, column in game.booked(Columns(board.as_dict()), end.result).items():
            points_by_line.setdefault(line, []).append(end.chance * float(np.ravel(column)[0]))
        if end.following is not None:
            following = space.index_of(**dict(zip(space.names, end.following, strict=True)))
            start[following] = start.get(following, 0.0) + end.chance
    means = {line: fsum(points) for line, points in points_by_line.items()}
    if start:
        whole = fsum(start.values())
        later = stored.solution.forecast({place: chance / whole for place, chance in start.items()}, report)
        for line, booked in later.lines.items():
            means[line] = means.get(line, 0.0) + whole * booked.mean
    return means


def boards_ahead(still_open: int, boxes: int) -> float:
    """The number of boards that play reaches with so many boxes open, within a factor of about 2: fitted to
    forecasts of Yahtzee and Sixzee, from 7 open boxes to all.

    >>> round(boards_ahead(13, 13), -4), round(boards_ahead(17, 17), -6)  # 188,068 and 3,657,280
    (120000.0, 4000000.0)
    """
    return float((2.1 + 0.36 * (still_open / boxes) ** 3) ** still_open)
