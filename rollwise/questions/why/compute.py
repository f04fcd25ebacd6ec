"""``why``: the difference between the best move and another, in parts by the ending of the turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import frexp, fsum
from typing import Any

import numpy as np

from rollwise.arguments import check_arguments
from rollwise.games.move_aliases import meaning
from rollwise.parsing.validate import parse_game, question_fields
from rollwise.questions.ask.compute import answer
from rollwise.questions.ask.data import Advice, MoveAdvice
from rollwise.questions.outcomes.compute import outcomes_after, resolve_move
from rollwise.questions.question import command_for_question, question, reachable
from rollwise.questions.why.data import LinePart, Why, WhyPart
from rollwise.questions.why.text import paragraph
from rollwise.solutions.lookup import StoredSolution, answer_from_solution
from rollwise.solutions.notes import note
from rollwise.solutions.progress import Progress
from rollwise.solver.kinds import kind_of
from rollwise.solver.kinds.kind import QueryOptions
from rollwise.solver.model.errors import BadInput, ModelError
from rollwise.solver.model.game import Columns, Position, TurnGame
from rollwise.solver.model.jsonable import pick
from rollwise.solver.model.sheet import ScoreSheet, lines_of
from rollwise.solver.policy.endings_of_turn import Ending, TurnEnd, has_point_boxes
from rollwise.solver.turn.questions import LegalMove
from rollwise.text.numbers import time_in_words

MAX_MEAN_GAP = 1e-9  # the mean over all endings may lie so far outside the interval of the move's value, by rounding
FORECAST_BOARDS_PER_S = 25_000  # about as many as a forecast handles
VALUES_READ_PER_S = 10_000_000  # before the forecast begins
NOTE_FROM_S = 2  # a forecast of at least so many seconds is announced
SUM_BITS = 52  # of a sum; a float has one more


@check_arguments
def why(
    game: str,
    move: str | None = None,
    *,
    params: Mapping[str, Any] | None = None,
    state: Mapping[str, Any] | None = None,
    lines: bool = False,
    yes: bool = False,
    **fields: Any,
) -> Why:
    """The difference between the best move and another one, in parts by the ending of the turn.

    ``fields`` say the state, or ``state`` does in one mapping. ``move`` is the other move, in any spelling: by default
    the second best. The best play finishes the turn after both. ``lines``: also forecast every line of a score sheet
    after both moves, which takes long with many open boxes. ``yes`` as in ``ask``. Raises ``BadInput`` for an
    impossible question, for a state without a choice, and for the best move compared with itself.

    >>> answer = why("pig", state={"mine": 94, "theirs": 90, "turn": 2}, params={"target": 100})
    >>> answer.best, answer.other, [part.called for part in answer.parts]
    ('roll', 'hold', ['won at once', 'banked', 'bust'])
    >>> sum(part.part for part in answer.parts) == answer.difference
    True
    """
    model = parse_game(game, params)
    return why_of(model, *question(model, question_fields(state, fields)), move, lines=lines)


def why_of(
    game: TurnGame, fields: Mapping[str, Any], position: Position, move: str | None = None, *, lines: bool = False
) -> Why:
    """The explanation for a position, from the solved game."""
    if not kind_of(game).has_decisions:
        raise BadInput(f"there is nothing to compare: {game.name} has no choices", field="game")

    def ask_it(stored: StoredSolution) -> Why:
        if lines:
            _require_lines(stored)
        advice = answer(game, fields, position, QueryOptions())
        listed = advice.moves
        match = meaning(move, [each.move for each in listed])
        if move is not None and not match.fits:  # perhaps a dominated move
            listed = answer(game, fields, position, QueryOptions(all_moves=True)).moves or []
        best, other = _moves_compared(game, position, advice, listed, move)
        reasons = _explain(stored, position, advice, listed, best, other)
        if lines:
            reasons = _with_lines(reasons, stored, fields, position)
        return replace(reasons, words=f"{match.note}. {paragraph(reasons)}" if match.note else paragraph(reasons))

    return answer_from_solution(game, reachable(game, fields, position), ask_it)


def _moves_compared(
    game: TurnGame, position: Position, advice: Advice, listed: Sequence[MoveAdvice], move: str | None
) -> tuple[LegalMove, LegalMove]:
    """The best move, and the move to compare it with."""
    names = [move.move for move in advice.moves]
    best = resolve_move(game, position, names[0], names)
    if move is None and names[1:]:
        return best, resolve_move(game, position, names[1], names)
    other = best if move is None else resolve_move(game, position, move, [move.move for move in listed])
    if not names[1:] and other.name == best.name:
        only = f"there is nothing to compare: the only move here is {best.name}"
        raise BadInput(only, hint=_hint_after_only_move(game, advice), field="move")
    if other.name == best.name:
        raise BadInput(f"{best.name} is the best move itself; compare it with {', '.join(names[1:])}", field="move")
    return best, other


def _hint_after_only_move(game: TurnGame, advice: Advice) -> str:
    """The command that compares the choices right after the only move; empty where there are none."""
    (move,) = advice.moves
    if move.then is None or move.then.other is None:
        return ""
    state = outcomes_after(game, *question(game, advice.state), move.move).rows[0].state or {}
    return f"{command_for_question(game, state, question(game, state)[1])} --why"


def _explain(
    stored: StoredSolution,
    position: Position,
    advice: Advice,
    listed: Sequence[MoveAdvice],
    best: LegalMove,
    other: LegalMove,
) -> Why:
    """The answer, from the endings after both moves."""
    game, solution = stored.game, stored.solution
    by_name = {move.move: move for move in listed}
    first, second = by_name[best.name], by_name[other.name]
    sides = solution.ends_of_turn(position, [best, other])
    for worth, endings in zip((first, second), sides, strict=True):
        _require_mean(game, worth, endings)
    sign = 1.0 if game.sense == "max" else -1.0
    reference = first.value if len(sides[0]) < len(sides[1]) else second.value
    before = _before(stored, position) if has_point_boxes(game) else None
    pairs = _pairs(*sides)
    rough = [sign * part for part in _parts(pairs, reference)]
    numbers, difference = parts_with_exact_sum(rough, sign * (first.value - second.value))
    losses, seats = _losses(pairs, first, second, [sign * number for number in numbers], advice.mover)
    parts = [
        WhyPart(
            name,
            one.chance if one else 0.0,
            one.value if one else None,
            two.chance if two else 0.0,
            two.value if two else None,
            number,
            *_points(one, before),
            *_points(two, before),
            loss,
        )
        for (name, (one, two)), number, loss in zip(pairs.items(), numbers, losses, strict=True)
    ]
    return Why(
        **pick(advice, "game", "parameters", "state", "mover", "unit", "sense", "label", "objective", "assumed"),
        best=best.name,
        other=other.name,
        value=first.value,
        other_value=second.value,
        difference=difference,
        reference=reference,
        parts=tuple(sorted(parts, key=lambda part: -part.part)),
        seats=seats,
        words="",
    )


Pair = tuple[Ending | None, Ending | None]  # a class under the best move, and under the other


def _pairs(best: Sequence[Ending], other: Sequence[Ending]) -> dict[str, Pair]:
    """Classes by name."""
    first, second = ({ending.ending_class: ending for ending in side} for side in (best, other))
    return {name: (first.get(name), second.get(name)) for name in dict.fromkeys([*first, *second])}


def _parts(pairs: Mapping[str, Pair], reference: float, seat: int | None = None) -> list[float]:
    """p (v - r) - q (w - r) of each class (as in ``Why``), for the mover or for a seat at a table."""

    def apart(ending: Ending | None) -> float:
        if ending is None or not ending.chance:
            return 0.0
        mean = ending.value if seat is None or ending.shares is None else ending.shares[seat]
        return ending.chance * (mean - reference)

    return [apart(one) - apart(two) for one, two in pairs.values()]


def _losses(
    pairs: Mapping[str, Pair], best: MoveAdvice, other: MoveAdvice, gains: Sequence[float], mover: int
) -> tuple[list[tuple[float, ...] | None], tuple[float, ...] | None]:
    """At tables, by class and in total, the loss of each seat; that of the mover is minus its ``gains``."""
    at_table = all(ending.shares for pair in pairs.values() for ending in pair if ending)
    if not at_table or not best.shares or not other.shares:
        return [None] * len(pairs), None
    by_seat, totals = [], []
    counts = [sum(pair[side] is not None for pair in pairs.values()) for side in (0, 1)]
    references = best.shares if counts[0] < counts[1] else other.shares
    for seat, reference in enumerate(references):
        if seat == mover:
            numbers, total = [-gain for gain in gains], -sum(gains)
        else:
            rough = [-part for part in _parts(pairs, reference, seat)]
            numbers, total = parts_with_exact_sum(rough, other.shares[seat] - best.shares[seat])
        by_seat.append(numbers)
        totals.append(total)
    return list(zip(*by_seat, strict=True)), tuple(totals)


def _points(ending: Ending | None, before: float | None) -> tuple[float | None, float | None]:
    """The points of the turn, and the value of the rest less the value before the turn."""
    if ending is None or ending.points is None or before is None:
        return None, None
    return ending.points, ending.value - ending.points - before


def _before(stored: StoredSolution, position: Position) -> float:
    """The value before the turn, points made by then included."""
    board = np.array([stored.game.boards().index_of(**position.board)])
    return float(stored.solution.read(board)[0][0]) + float(position.points)


def _require_mean(game: TurnGame, move: MoveAdvice, endings: Sequence[Ending]) -> None:
    """Raise ModelError unless the chances sum to 1 and the mean of the values is that of the move."""
    whole = fsum(ending.chance for ending in endings)
    mean = fsum(ending.chance * ending.value for ending in endings)
    slack = MAX_MEAN_GAP * max(1.0, *(abs(ending.value) for ending in endings))
    if abs(whole - 1) > MAX_MEAN_GAP or not move.lower - slack <= mean <= move.upper + slack:
        raise ModelError(f"the ends of a turn of {game} after {move.move} come to {mean!r}, not to {move.value!r}")


def parts_with_exact_sum(parts: Sequence[float], total: float) -> tuple[list[float], float]:
    """Parts and their total as multiples of one power of 2, so that adding in any order gives the total.

    They change by at most the rounding of the largest sum; the largest part takes the remainder.

    >>> parts, total = parts_with_exact_sum([0.1, 0.2, -0.05], 0.25)
    >>> sum(parts) == sum(reversed(parts)) == total
    True
    """
    largest = fsum(map(abs, [*parts, total]))
    if not parts or largest == 0:
        return list(parts), total
    step = 2.0 ** (frexp(largest)[1] - SUM_BITS)
    rounded, target = [round(part / step) for part in parts], round(total / step)
    place = max(range(len(parts)), key=lambda i: abs(parts[i]))
    rounded[place] += target - sum(rounded)
    return [number * step for number in rounded], target * step


def _require_lines(stored: StoredSolution) -> None:
    """Raise BadInput where there are no lines to forecast."""
    game = stored.game
    why_not = kind_of(game).why_no_forecast(game, stored.graph)
    if why_not or not isinstance(game, ScoreSheet):
        raise BadInput(f"--lines is for a score sheet: {why_not or game.name + ' has none'}", field="lines")


def _with_lines(why: Why, stored: StoredSolution, fields: Mapping[str, Any], position: Position) -> Why:
    """The same answer with every line of the sheet; a long forecast is announced in a note."""
    game = stored.game
    assert isinstance(game, ScoreSheet)
    still_open = len(game.played) - len(fields.get("filled") or {})
    each = game.boards().size / VALUES_READ_PER_S + _boards_ahead(still_open, len(game.played)) / FORECAST_BOARDS_PER_S
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


def _boards_ahead(still_open: int, boxes: int) -> float:
    """The number of boards that play reaches with so many boxes open, within a factor of about 2: fitted to
    forecasts of Yahtzee and Sixzee, from 7 open boxes to all.

    >>> round(_boards_ahead(13, 13), -4), round(_boards_ahead(17, 17), -6)  # 188,068 and 3,657,280
    (120000.0, 4000000.0)
    """
    return float((2.1 + 0.36 * (still_open / boxes) ** 3) ** still_open)
