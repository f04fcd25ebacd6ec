"""``review``: a game that was played, gone through again: what every choice lost, what was skill and what was luck."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from typing import Any

from rollwise.answers.labels import counted
from rollwise.answers.review import LIMITS, ChoiceReview, Moment, Review, SeatReview, grade_of
from rollwise.asking.again import asks_again
from rollwise.asking.question import reachable
from rollwise.match.review.course import Course
from rollwise.match.review.places import placed
from rollwise.match.review.recorded import game_of, play_again
from rollwise.match.review.sources import Source, source_of
from rollwise.match.review.spots import spots_of
from rollwise.match.review.steps import ReviewedDecision, Strange
from rollwise.match.review.typed import Head, Typist, head_of
from rollwise.match.review.walking import Walk
from rollwise.reading.door import checked, the_fields
from rollwise.solved.games import Stored, anything, with_solved
from rollwise.solved.identity import plain_parameters
from rollwise.solved.progress import Progress
from rollwise.solver.game.errors import BadInput
from rollwise.solver.game.model import TurnGame
from rollwise.solver.game.plain import plain, quoted
from rollwise.solver.kinds import kind_of
from rollwise.solver.turn.graph import TurnGraph

STRANGE = 3  # numbers that are not what is computed: so many are named


@checked
def review(
    path_or_lines: Any,
    *,
    params: Mapping[str, Any] | None = None,
    state: Mapping[str, Any] | None = None,
    game: str | None = None,
    anyway: bool = False,
    grades: str | Sequence[float] = LIMITS,
) -> Review:
    """Go through a game that was played: every choice with its loss and grade, and by seat what was skill and luck.

    ``path_or_lines``: the file of a record that ``Match.save`` wrote, or one typed by hand (docs/records.md); or its
    lines, or the ``Match``. Nothing in a record is believed: all is computed anew, by the rules of now where
    ``anyway`` says so for a record of other rules. ``grades``: an error is an inaccuracy, a mistake or a blunder from
    so many hundredths of the game's scale (1 for chances). ``game``, ``params`` and ``state``, as ``ask`` takes them,
    say what was typed by hand where its first line does not. A record that was cut is reviewed as far as it goes, and
    is then not ``complete``. Raises BadInput, which names the line, for anything that cannot be.

    >>> found = review(["pig target=10", "A: 5 hold", "B: 6 6"])
    >>> [(choice.move, round(choice.loss, 4), choice.grade) for choice in found.choices]
    [('hold', 0.4785, 'blunder')]
    """
    limits = limits_of(grades)
    source = source_of(path_or_lines)
    if not source.typed:
        if game is not None or params or state:
            raise BadInput("a record says itself what game it is of; leave out game, parameters and fields")
        made, notes = game_of(source, anyway)
        return _reviewed(made, source, None, notes, limits)
    head = head_of(source, game, params, state)
    return _reviewed(head.game, source, head, [], limits)


def limits_of(grades: Any) -> tuple[float, ...]:
    """Three limits of grades, each no lower than the one before; raises BadInput for others."""
    told = plain(grades)
    try:
        found = tuple(float(limit) for limit in (told.split(",") if isinstance(told, str) else told))
    except (TypeError, ValueError):
        found = ()
    if len(found) != len(LIMITS) or not all(math.isfinite(limit) and limit >= 0 for limit in found):
        raise BadInput(f"grades are three numbers like 0.5,2,5, got {quoted(told)}", field="grades")
    if list(found) != sorted(found):
        raise BadInput(f"grades rise from one to the next, got {quoted(told)}", field="grades")
    return found


def _reviewed(made: TurnGame, source: Source, head: Head | None, notes: list[str], limits: tuple[float, ...]) -> Review:
    """The review from the solved game."""

    def go_through(found: Stored) -> Review:
        walk = Walk(spots_of(found.opened))
        course = Course(walk, head.lines if head is not None else source.lines[1:])
        with Progress(str(made), verb="reviewing") as progress:
            if head is None:
                play_again(source.lines, walk, course.heard(progress.share))
            else:
                walk.begin(head.state, None, source.lines[0][0])
                Typist(walk).read(head.lines, course.heard(progress.share))
            walk.finish()
        course.note(source.lines[-1][0].line)
        return _summed_up(made, walk, source, notes, limits, tuple(course.moments))

    check = anything if head is None else _reachable(head)
    return with_solved(made, check, go_through)


def _reachable(head: Head) -> Callable[[TurnGraph], None]:
    """A look at the compiled turn: can play come to the state that was typed? It is taken before anything is solved."""
    with placed(head.place) if head.place else nullcontext():
        given = the_fields(head.game, head.state)
        return reachable(head.game, given, head.game.locate(**given))


def _summed_up(
    made: TurnGame,
    walk: Walk,
    source: Source,
    notes: list[str],
    limits: tuple[float, ...],
    course: tuple[Moment, ...],
) -> Review:
    complete = walk.over and not source.cut
    notes = [*notes, *_of_the_end(walk, source), *_of_words(walk.taken), *_of_numbers(walk.strange)]
    lost = [decision for decision in walk.decisions if decision.loss]
    choices = [_choice(made, decision, limits) for decision in sorted(lost, key=lambda each: -each.loss)]
    return Review(
        game=made.name,
        parameters=plain_parameters(made),
        unit=counted(made, plain_parameters(made)).unit,
        complete=complete,
        seats=[_seat(walk, seat, result) for seat, result in enumerate(walk.now)],
        choices=choices,
        notes=notes,
        limits=limits,
        scale=made.scale,
        objective=made.measure,
        chooses=kind_of(made).chooses,
        course=course,
    )


def _seat(walk: Walk, seat: int, result: float) -> SeatReview:
    losses = [decision.loss for decision in walk.decisions if decision.seat == seat]
    return SeatReview(
        start=walk.start[seat],
        own=walk.own[seat],
        others=walk.others[seat],
        luck=walk.luck[seat],
        result=result,
        luck_adjusted=result - walk.luck[seat],
        decisions=len(losses),
        forced=walk.forced[seat],
        mean_loss=math.fsum(losses) / len(losses) if losses else 0.0,
        off=walk.off,
    )


def _choice(made: TurnGame, decision: ReviewedDecision, limits: tuple[float, ...]) -> ChoiceReview:
    spot = decision.spot
    return ChoiceReview(
        at=decision.place.line,
        seat=decision.seat,
        state=spot.shown,
        move=decision.move,
        best=spot.best,
        loss=decision.loss,
        grade=grade_of(decision.loss, made.scale, limits),
        ask=asks_again(made, spot.shown, spot.position),
    )


def _of_the_end(walk: Walk, source: Source) -> list[str]:
    if source.cut:
        return [f"The record is cut after {source.lines[-1][0]}; what is whole is reviewed, as far as it goes."]
    return [] if walk.over else ["The record ends before the game does; the result is what it is worth there."]


def _of_words(taken: Sequence[str]) -> list[str]:
    """Moves of which others fitted too, as they were read."""
    return [f"Counted for most points: {_some(taken)}."] if taken else []


def _some(named: Sequence[str]) -> str:
    """The first few, and how many more there are."""
    more = f"; and {len(named) - STRANGE} more" if len(named) > STRANGE else ""
    return f"{'; '.join(named[:STRANGE])}{more}"


def _of_numbers(strange: Sequence[Strange]) -> list[str]:
    """Numbers of the record that are others than those computed, which count."""
    if not strange:
        return []
    named = [f"{each.place}: {each.name} {each.told:.6g}, computed {each.found:.6g}" for each in strange]
    n = len(strange)
    are = "number in the record is" if n == 1 else "numbers in the record are"
    return [f"{n} {are} not what is computed, which counts: {_some(named)}."]
