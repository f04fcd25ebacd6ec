"""``review`` of a finished game: the loss of every choice, and each result split into skill and luck."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import nullcontext, suppress
from typing import Any

from rollwise.arguments import check_arguments
from rollwise.match.record_files import RULES, describe_other_rules, upgrade_lines
from rollwise.match.review.data import GRADE_LIMITS, GRADES, ChoiceReview, Review, SeatReview, grade_of, side_by_side
from rollwise.match.review.replay import Ledger, Replay
from rollwise.match.review.typed import TypedGame, TypedGameReader, lines_by_player, parse_head
from rollwise.match.spots import spot_cache_of
from rollwise.parsing.records import Line, Source, at_place, read_source, require_lines
from rollwise.parsing.validate import parse_fields, parse_game
from rollwise.questions.question import command_for_question, question, reachable
from rollwise.solutions.identity import plain_parameters
from rollwise.solutions.lookup import StoredSolution, accept_any_turn, answer_from_solution
from rollwise.solutions.progress import Progress
from rollwise.solver.kinds import kind_of
from rollwise.solver.kinds.kind import Report, no_progress
from rollwise.solver.model.errors import BadInput
from rollwise.solver.model.game import TurnGame
from rollwise.solver.model.jsonable import pick
from rollwise.solver.model.plain import count_of, plain, quoted
from rollwise.solver.turn.graph import TurnCheck
from rollwise.text.labels import measure_of

MAX_NOTE_EXAMPLES = 3  # moves or numbers listed in a note
ONE_PLAYER_HINT = "a record of this game is one player's, or each line begins with the name of one, as A: ..."


@check_arguments
def review(
    path_or_lines: Any,
    *,
    params: Mapping[str, Any] | None = None,
    state: Mapping[str, Any] | None = None,
    game: str | None = None,
    anyway: bool = False,
    grades: str | Sequence[float] = GRADE_LIMITS,
    yes: bool = False,
) -> Review:
    """Review a game: every choice with its loss and grade, and by seat the split into skill and luck.

    ``path_or_lines``: the file of a record that ``Match.save`` wrote, or one typed by hand (docs/records.md); or its
    lines, or the ``Match``. All values are computed anew, none is taken from the record; a record of other rules is
    reviewed by the present rules only with ``anyway``. ``grades``: the losses, in hundredths of the game's scale (1 for
    chances), from which an error is an inaccuracy, a mistake or a blunder. ``game``, ``params`` and ``state`` are as in
    ``ask``, for a game typed by hand without them in its first line. A cut record is reviewed as far as it goes, and is
    then not ``complete``. ``yes`` as in ``ask``. Raises BadInput, which names the line, for an impossible record.

    >>> game = review(["pig target=10", "A: 5 hold", "B: 6 6"])
    >>> [(choice.move, round(choice.loss, 4), choice.grade) for choice in game.choices]
    [('hold', 0.4785, 'blunder')]
    """
    limits = parse_grade_limits(grades)
    source = read_source(path_or_lines)
    if not source.typed:
        if game is not None or params or state:
            raise BadInput("a record says itself what game it is of; leave out game, parameters and fields")
        turn_game, notes = game_of_record(source, anyway)
        return _review_source(turn_game, source, None, notes, limits)
    head = parse_head(source, game, params, state)
    return _review_source(head.game, source, head, [], limits)


def parse_grade_limits(grades: Any) -> tuple[float, ...]:
    """Parse the three limits of grades, in ascending order; raises BadInput for others."""
    limits: tuple[float, ...] = ()
    numbers = plain(grades)
    with suppress(TypeError, ValueError):
        limits = tuple(float(limit) for limit in (numbers.split(",") if isinstance(numbers, str) else numbers))
    if len(limits) != len(GRADE_LIMITS) or not all(math.isfinite(limit) and limit >= 0 for limit in limits):
        raise BadInput(f"grades are three numbers like 0.5,2,5, got {quoted(numbers)}", field="grades")
    if list(limits) != sorted(limits):
        raise BadInput(f"grades rise from one to the next, got {quoted(numbers)}", field="grades")
    return limits


def _review_source(
    turn_game: TurnGame, source: Source, head: TypedGame | None, notes: list[str], limits: tuple[float, ...]
) -> Review:
    """Review a source in the solved game; several score sheets are set side by side."""

    def go_through(stored: StoredSolution) -> Review:
        spots, sheets = spot_cache_of(stored.solution), dict[str, Review]()
        of_one = head is not None and spots.n_seats == 1
        with Progress(str(turn_game), verb="reviewing") as progress:
            whole = {"": head.lines if head else source.lines}
            for name, lines in (lines_by_player(head) if head and of_one else whole).items():
                replay = Replay(spots)
                if head is None:
                    replay_record(lines, replay, progress.share)
                else:
                    with replay.ledger.at(source.lines[0][0]):
                        replay.begin(head.state)
                    try:
                        TypedGameReader(replay).read(lines, progress.share)
                    except BadInput as error:
                        error.args = (f"{error}; {ONE_PLAYER_HINT}",) if of_one and not name else error.args
                        raise
                replay.finish()
                sheets[name] = _build_review(turn_game, replay, source, notes, limits)
        return side_by_side(sheets) if len(sheets) > 1 else sheets.popitem()[1]

    if head is None:
        return answer_from_solution(turn_game, _first_state_check(turn_game, source), go_through)
    with at_place(head.place) if head.place else nullcontext():  # before anything is solved
        fields = parse_fields(turn_game, head.state)
        check = reachable(turn_game, fields, turn_game.locate(**fields))
    return answer_from_solution(turn_game, check, go_through)


def _first_state_check(game: TurnGame, source: Source) -> TurnCheck:
    """Check on the first question of a record, so that only the part of the game after it must be solved."""
    for place, line in [] if game.part() is game else source.lines:
        state = line.get("state") or (line.get("next") or {}).get("state")
        if state is not None:
            with at_place(str(place)):
                return reachable(game, *question(game, state))
    return accept_any_turn


def _build_review(
    game: TurnGame, replay: Replay, source: Source, notes: list[str], limits: tuple[float, ...]
) -> Review:
    ledger = replay.ledger
    lost = sorted((each for each in ledger.decisions if each[0].loss), key=lambda each: -each[0].loss)
    return Review(
        game=game.name,
        parameters=plain_parameters(game),
        unit=measure_of(game, plain_parameters(game), {}).unit,
        grades={name: limit * game.scale / 100 for name, limit in zip(GRADES[1:], limits, strict=True)},
        complete=replay.over and not source.truncated,
        seats=[_seat_review(ledger, seat, result) for seat, result in enumerate(replay.now.tolist())],
        choices=[
            ChoiceReview(
                **pick(step, "at", "seat", "state", "move", "best", "loss"),
                grade=grade_of(step.loss, game.scale, limits),
                ask=command_for_question(game, spot.shown, spot.position),
            )
            for step, spot in lost
        ],
        notes=[*notes, *_notes(replay, source)],
        objective=game.measure,
        chooses=kind_of(game).has_decisions,
        steps=tuple(ledger.steps),
        names=ledger.names,
    )


def _seat_review(ledger: Ledger, seat: int, result: float) -> SeatReview:
    losses = [step.loss for step, _ in ledger.decisions if step.seat == seat]
    start, own, others, luck = (float(each[seat]) for each in (ledger.start, ledger.own, ledger.others, ledger.luck))
    mean_loss, forced = math.fsum(losses) / max(1, len(losses)), ledger.forced[seat]
    return SeatReview(start, own, others, luck, result, result - luck, len(losses), forced, mean_loss, ledger.off)


def _notes(replay: Replay, source: Source) -> list[str]:
    """Notes on the record: a missing end, ambiguous moves, numbers that differ from the computed ones."""
    notes, ambiguous, mismatches = [], replay.ledger.ambiguous, replay.ledger.mismatches
    if source.truncated:
        notes.append(f"The record is cut after {source.lines[-1][0]}; what is whole is reviewed, as far as it goes.")
    elif not replay.over:
        notes.append("The record ends before the game does; the result is what it is worth there.")
    n_decided = sum(spot.is_decided for _, spot in replay.ledger.decisions)
    if n_decided:
        at = f"At {count_of(n_decided, 'choice')} all was decided"
        notes.append(f"{at}: every move was sure to win, or none could, so none cost anything.")
    if ambiguous:
        notes.append(f"Counted for most points: {_first_few(ambiguous)}.")
    if mismatches:
        are = "number in the record is" if len(mismatches) == 1 else "numbers in the record are"
        notes.append(f"{len(mismatches)} {are} not what is computed, which counts: {_first_few(mismatches)}.")
    return notes


def _first_few(named: Sequence[str]) -> str:
    """The first few items, and the number of further ones."""
    more = f"; and {len(named) - MAX_NOTE_EXAMPLES} more" if len(named) > MAX_NOTE_EXAMPLES else ""
    return f"{'; '.join(named[:MAX_NOTE_EXAMPLES])}{more}"


def game_of_record(source: Source, anyway: bool) -> tuple[TurnGame, list[str]]:
    """The game of a record, and notes on its rules; raises BadInput for outdated rules without ``anyway``."""
    require_lines(source.lines)
    place, head = source.lines[0]
    with at_place(place):
        game = parse_game(head["game"], head.get("parameters"))
    version = head.get("rules_version")
    if version == game.rules_version:
        return game, []
    others = describe_other_rules(game, version)
    if anyway:
        return game, [f"The record is of {others}."]
    hint = f"rollwise review {source.file} --anyway" if source.file else "anyway=True"
    raise BadInput(f"{place}: the record is of {others}", hint=hint, field=RULES)


def replay_record(lines: list[Line], replay: Replay, report: Report = no_progress) -> None:
    """Replay the lines of a record; raises BadInput for the first impossible one."""
    at, (first, head), last = replay.ledger.at, lines[0], lines[-1][0]
    *played, here = upgrade_lines(replay.game, [*(line for _, line in lines[1:]), head.get("next") or {}])
    for number, ((place, _), line) in enumerate(zip(lines[1:], played, strict=True)):
        report(number / len(played))
        with at(place):
            _replay_line(line, replay)
    with at(first):
        _begin(replay)
    if here and "choice" not in here:  # it may contain dice that no line has
        try:
            with at(last):
                replay.enter_state(here["state"])
        except BadInput:  # of another moment: the record was cut later
            pass
    seats = head.get("seats")
    if seats is not None and seats != replay.n_seats:
        raise BadInput(f"{first}: {replay.game.name} has {replay.n_seats} seats here, got {quoted(plain(seats))}")


def _begin(replay: Replay) -> None:
    if not replay.is_begun:
        replay.begin({})


def _replay_line(line: Mapping[str, Any], replay: Replay) -> None:
    """A choice, a throw, or the result."""
    if "result" in line:
        _begin(replay)
        replay.end(line["result"])
        return
    state, seat = line.get("state"), line.get("seat")
    if state is not None or not replay.is_begun:
        replay.enter_state(state or {}, seat)
    if "choice" in line:
        replay.choose(line["choice"], line)
        return
    throws = [line["thrown"], *line.get("then", [])]
    if not any(throws) and not replay.move:
        return  # an event without visible dice that changed nothing
    if seat is not None and seat != replay.seat:
        raise BadInput(f"it is seat {replay.seat} that throws here, got seat {seat}", field="seat")
    replay.ledger.throw_line = replay.ledger.place, line
    for dice in filter(None, throws):
        replay.throw(tuple(dice))
