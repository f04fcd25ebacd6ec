"""``review``: a game that was played, gone through again: what every choice lost, what was skill and what was luck."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext, suppress
from typing import Any

from rollwise.answers.labels import counted
from rollwise.answers.review import LIMITS, ChoiceReview, Review, SeatReview, grade_of, side_by_side
from rollwise.asking.again import asks_again
from rollwise.asking.question import question, reachable
from rollwise.match.review.ledger import Ledger, ReviewedDecision
from rollwise.match.review.recorded import game_of, play_again
from rollwise.match.review.typed import TypedGame, Typist, head_of, sheets_of
from rollwise.match.review.walk import Walk
from rollwise.match.spots import spots_of
from rollwise.parsing.records import Source, placed, source_of
from rollwise.parsing.validate import checked, the_fields
from rollwise.solutions.games import StoredSolution, anything, with_solved
from rollwise.solutions.identity import plain_parameters
from rollwise.solutions.progress import Progress
from rollwise.solver.kinds import kind_of
from rollwise.solver.model.errors import BadInput
from rollwise.solver.model.game import TurnGame
from rollwise.solver.model.plain import count_of, plain, quoted
from rollwise.solver.turn.graph import TurnGraph

NAMED = 3  # moves, and numbers, that a note names
OF_ONE = "a record of this game is one player's, or each line begins with the name of one, as A: ..."


@checked
def review(
    path_or_lines: Any,
    *,
    params: Mapping[str, Any] | None = None,
    state: Mapping[str, Any] | None = None,
    game: str | None = None,
    anyway: bool = False,
    grades: str | Sequence[float] = LIMITS,
    yes: bool = False,
) -> Review:
    """Go through a game that was played: every choice with its loss and grade, and by seat what was skill and luck.

    ``path_or_lines``: the file of a record that ``Match.save`` wrote, or one typed by hand (docs/records.md); or its
    lines, or the ``Match``. Nothing in a record is believed: all is computed anew, by the rules of now where
    ``anyway`` says so for a record of other rules. ``grades``: an error is an inaccuracy, a mistake or a blunder from
    so many hundredths of the game's scale (1 for chances). ``game``, ``params`` and ``state``, as ``ask`` takes them,
    say what was typed by hand where its first line does not. A record that was cut is reviewed as far as it goes, and
    is then not ``complete``. ``yes`` as in ``ask``. Raises BadInput, which names the line, for anything that cannot be.

    >>> game = review(["pig target=10", "A: 5 hold", "B: 6 6"])
    >>> [(choice.move, round(choice.loss, 4), choice.grade) for choice in game.choices]
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
    limits: tuple[float, ...] = ()
    numbers = plain(grades)
    with suppress(TypeError, ValueError):
        limits = tuple(float(limit) for limit in (numbers.split(",") if isinstance(numbers, str) else numbers))
    if len(limits) != len(LIMITS) or not all(math.isfinite(limit) and limit >= 0 for limit in limits):
        raise BadInput(f"grades are three numbers like 0.5,2,5, got {quoted(numbers)}", field="grades")
    if list(limits) != sorted(limits):
        raise BadInput(f"grades rise from one to the next, got {quoted(numbers)}", field="grades")
    return limits


def _reviewed(
    made: TurnGame, source: Source, head: TypedGame | None, notes: list[str], limits: tuple[float, ...]
) -> Review:
    """The review from the solved game."""

    def go_through(stored: StoredSolution) -> Review:
        spots, sheets = spots_of(stored.opened), dict[str, Review]()
        of_one = head is not None and spots.n_seats == 1
        with Progress(str(made), verb="reviewing") as progress:
            whole = {"": head.lines if head else source.lines}
            for name, lines in (sheets_of(head) if head and of_one else whole).items():
                walk = Walk(spots)
                if head is None:
                    play_again(lines, walk, progress.share)
                else:
                    with walk.ledger.at(source.lines[0][0]):
                        walk.begin(head.state)
                    try:
                        Typist(walk).read(lines, progress.share)
                    except BadInput as error:
                        error.args = (f"{error}; {OF_ONE}",) if of_one and not name else error.args
                        raise
                walk.finish()
                sheets[name] = _summed_up(made, walk, source, notes, limits)
        return side_by_side(sheets) if len(sheets) > 1 else sheets.popitem()[1]

    check = _first(made, source) if head is None else _reachable(head)
    return with_solved(made, check, go_through)


def _first(made: TurnGame, source: Source) -> Callable[[TurnGraph], None]:
    """The first question of a record, where no more of a game need be solved than what follows it."""
    for place, line in [] if made.part() is made else source.lines:
        state = line.get("state") or (line.get("next") or {}).get("state")
        if state is not None:
            with placed(str(place)):
                return reachable(made, *question(made, state))
    return anything


def _reachable(head: TypedGame) -> Callable[[TurnGraph], None]:
    """A look at the compiled turn: can play come to the state that was typed? It is taken before anything is solved."""
    with placed(head.place) if head.place else nullcontext():
        fields = the_fields(head.game, head.state)
        return reachable(head.game, fields, head.game.locate(**fields))


def _summed_up(made: TurnGame, walk: Walk, source: Source, notes: list[str], limits: tuple[float, ...]) -> Review:
    ledger = walk.ledger
    lost = [decision for decision in ledger.decisions if decision.loss]
    return Review(
        game=made.name,
        parameters=plain_parameters(made),
        unit=counted(made, plain_parameters(made), {}).unit,
        complete=walk.over and not source.cut,
        seats=[_seat(ledger, seat, result) for seat, result in enumerate(walk.now.tolist())],
        choices=[_choice(made, decision, limits) for decision in sorted(lost, key=lambda each: -each.loss)],
        notes=[*notes, *_notes(walk, source)],
        limits=limits,
        scale=made.scale,
        objective=made.measure,
        chooses=kind_of(made).chooses,
        steps=tuple(ledger.steps),
        names=ledger.names,
    )


def _seat(ledger: Ledger, seat: int, result: float) -> SeatReview:
    losses = [decision.loss for decision in ledger.decisions if decision.seat == seat]
    luck = float(ledger.luck[seat])
    return SeatReview(
        start=float(ledger.start[seat]),
        own=float(ledger.own[seat]),
        others=float(ledger.others[seat]),
        luck=luck,
        result=result,
        luck_adjusted=result - luck,
        decisions=len(losses),
        forced=ledger.forced[seat],
        mean_loss=math.fsum(losses) / len(losses) if losses else 0.0,
        off=ledger.off,
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


def _notes(walk: Walk, source: Source) -> list[str]:
    """What is odd about the record: its end, moves of which others fitted too, numbers that are not what counts."""
    notes, taken, strange = [], walk.ledger.taken, walk.ledger.strange
    if source.cut:
        notes.append(f"The record is cut after {source.lines[-1][0]}; what is whole is reviewed, as far as it goes.")
    elif not walk.over:
        notes.append("The record ends before the game does; the result is what it is worth there.")
    n_decided = sum(decision.spot.is_decided for decision in walk.ledger.decisions)
    if n_decided:
        at = f"At {count_of(n_decided, 'choice')} all was decided"
        notes.append(f"{at}: every move was sure to win, or none could, so none cost anything.")
    if taken:
        notes.append(f"Counted for most points: {_some(taken)}.")
    if strange:
        are = "number in the record is" if len(strange) == 1 else "numbers in the record are"
        notes.append(f"{len(strange)} {are} not what is computed, which counts: {_some(strange)}.")
    return notes


def _some(named: Sequence[str]) -> str:
    """The first few, and how many more there are."""
    more = f"; and {len(named) - NAMED} more" if len(named) > NAMED else ""
    return f"{'; '.join(named[:NAMED])}{more}"
