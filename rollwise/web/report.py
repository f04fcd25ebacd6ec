"""The review of a game on the page: what was skill and what was luck, and which choices cost most."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from rollwise.answers.review import ChoiceReview, Moment, Review
from rollwise.answers.spelling import shown_value
from rollwise.match.review import review
from rollwise.match.saved import as_lines
from rollwise.reading.door import the_game
from rollwise.saying.moves import order
from rollwise.saying.numbers import loss, number, signed
from rollwise.saying.review import NAMED, grading, meaning, tally, value_text
from rollwise.solved.games import Unsolved
from rollwise.solver.game.errors import RollwiseError
from rollwise.web.address import page
from rollwise.web.charts import HIGH, WIDE, line, rounded_ends, thinned, waterfall
from rollwise.web.posted import TooLong, form_of
from rollwise.web.questions import the_record
from rollwise.web.records import in_textarea, match_of, require_short, unpacked
from rollwise.web.setup import rules_told
from rollwise.web.showing import MINE, THEIRS, said
from rollwise.web.sitting import seats_of
from rollwise.web.templating import templates
from rollwise.web.texts import text
from rollwise.web.unsolved import waits

router = APIRouter(include_in_schema=False)
MOST_LISTED = 30
CARRIED = ("seats", "throws", "lot", "coach")  # what a table sends along with its record
MOST_ROWS = 200  # of the table of moments
FEW = 10.0  # a scale that is shorter has ends with digits behind the point
LETTERS = re.compile(r"[^a-z0-9-]")


@router.get("/review")
def empty(request: Request) -> Response:
    """A record is asked for."""
    return _form(request)


def _form(request: Request, status: int = 200, error: object = "", record: str = "", anyway: bool = False) -> Response:
    told = {"error": str(error), "record": record, "anyway": anyway}
    return templates.TemplateResponse(request, "review_form.html", told, status)


@router.post("/review")
async def reviewed(request: Request) -> Response:
    """The review of a record that was sent."""
    form: dict[str, str] = {}
    try:
        form = await form_of(request)
        record = form.get("record", "")
        require_short(record)
        found = await request.app.state.workers.run(gone_through, record, form.get("anyway") == "on")
        told = shown(found, seats_of(form.get("seats", ""), len(found.seats)))
        again = None if found.complete else await request.app.state.workers.run(again_from, form)
        told |= {"record": in_textarea(record), "again": again}
        return templates.TemplateResponse(request, "review.html", told)
    except TooLong as error:
        return _form(request, 413, error)
    except Unsolved as error:
        return await waits(request, error.game, form)
    except RollwiseError as error:
        return _form(request, 400, error, form.get("record", ""), error.field == "rules_version")


@router.post("/review/record")
async def saved(request: Request) -> Response:
    """The record as a file, a line of JSON each."""
    form: dict[str, str] = {}
    try:
        form = await form_of(request)
        match = await request.app.state.workers.run(match_of, form.get("record", ""))
    except TooLong as error:
        return _form(request, 413, error)
    except Unsolved as error:
        return await waits(request, error.game, form)
    except RollwiseError as error:
        return _form(request, 400, error)
    name = LETTERS.sub("", match.game)
    headers = {"Content-Disposition": f'attachment; filename="{name}.jsonl"', "Cache-Control": "no-store"}
    return Response(as_lines(match.record()), headers=headers, media_type="application/x-ndjson")


def again_from(form: Mapping[str, str]) -> dict[str, str] | None:
    """What a game that is not over is taken up with; None where nobody can go on from its record."""
    try:
        match = match_of(form.get("record", ""))
    except (RollwiseError, TooLong):
        return None
    return None if match.over else {name: form[name] for name in CARRIED if name in form} or {"resume": "1"}


# --- the review ------------------------------------------------------------------------------------------------------


def gone_through(told: str, anyway: bool = False) -> Review:
    """The review of a record, packed, saved or typed by hand; raises BadInput."""
    # A text is a record only with more lines than one; a single one would be taken for the name of a file.
    given: Any = the_record(unpacked(told)) if told.lstrip().startswith("[{") else f"{told.strip()}\n\n"
    return review(given, anyway=anyway)


def shown(found: Review, humans: Sequence[int] = ()) -> dict[str, Any]:
    """Everything that the template of a review needs."""
    made = the_game(found.game, found.parameters)
    several = len(found.seats) > 1
    names = [text("review.you") if list(humans) == [seat] else text("review.seat", seat=seat) for seat in _all(found)]
    return {
        "game": found.game,
        "title": made.title,
        "rules_told": rules_told(found),
        "notes": found.notes,
        "complete": found.complete,
        "chooses": found.chooses,
        "several": several,
        "meaning": meaning(found),
        "names": names,
        "seats": [_waterfall(found, each) for each in _all(found)],
        "grades": list(tally(found, 0)),
        "counts": [_counts(found, each) for each in _all(found)] if found.chooses else [],
        "grading": grading(found) if found.chooses else "",
        "choices": [_choice(found, choice, names) for choice in found.choices[:MOST_LISTED]],
        "more": max(0, len(found.choices) - MOST_LISTED),
        "course": _course(found, next(iter(humans), 0)) if len(found.course) > 1 else None,
        "error": "",
    }


def _all(found: Review) -> range:
    return range(len(found.seats))


def _waterfall(found: Review, seat: int) -> dict[str, Any]:
    """A seat's start, what changed it, and what it came to: name, number, bar each."""
    told = found.seats[seat]
    changes = [(text("review.own"), told.own)] if found.chooses else []
    changes += [(text("review.others"), told.others)] if found.chooses and len(found.seats) > 1 else []
    changes += [(text("review.luck"), told.luck)]
    bars = waterfall(told.start, [each for _, each in changes], told.result)
    rows = [(text("review.start"), value_text(told.start, found))]
    rows += [(name, signed(each, found.unit)) for name, each in changes]
    rows.append((text("review.result") if found.complete else text("review.so_far"), value_text(told.result, found)))
    named = [{"name": name, "shown": shown, "bar": bar} for (name, shown), bar in zip(rows, bars, strict=True)]
    return {"seat": seat, "rows": named, "without_luck": value_text(told.luck_adjusted, found)}


def _counts(found: Review, seat: int) -> dict[str, Any]:
    """A seat's decisions, what they lost, and how many errors of each grade there were."""
    told = found.seats[seat]
    return {
        "seat": seat,
        "decisions": told.decisions,
        "lost": loss(told.mean_loss * told.decisions, found.unit),
        "mean": loss(told.mean_loss, found.unit),
        "grades": list(tally(found, seat).values()),
    }


def _choice(found: Review, choice: ChoiceReview, names: Sequence[str]) -> dict[str, Any]:
    worst = found.choices[0].loss
    return {
        "grade": choice.grade,
        "lost": loss(choice.loss, found.unit),
        "share": round(100 * choice.loss / worst, 2) if worst else 0.0,
        "words": _words(choice, names),
        "line": choice.at,
        "dice": [face for face in choice.state.get("roll") or [] if isinstance(face, int)],
        "facts": _facts(choice, names),
        "address": ask_address(found, choice.state, choice.move),
    }


def _words(choice: ChoiceReview, names: Sequence[str]) -> str:
    """Who chose what, and what would have been better."""
    best = [order(move) for move in choice.best[:NAMED]]
    best += [text("review.others_too")] if choice.best[NAMED:] else []
    key = "review.chose" if len(choice.best) == 1 else "review.chose_of"
    return text(key, name=names[choice.seat], move=order(choice.move), best=text("review.or").join(best))


def _facts(choice: ChoiceReview, names: Sequence[str]) -> list[tuple[str, str]]:
    """How it stood, name and value each; who has what is told by the names of seats."""
    found = []
    for name, value in choice.state.items():
        if name == "roll" or value is None:
            continue
        seat = {MINE: choice.seat, THEIRS: 1 - choice.seat}.get(name) if len(names) == 2 else None
        found.append((said(name) if seat is None else names[seat], shown_value(value)))
    return found


def ask_address(found: Review, state: Mapping[str, Any], move: str) -> str:
    """Where the page asks this question again, with the move that was made."""
    game = the_game(found.game, found.parameters)
    fields = {each.name: each.parse(state[each.name]) for each in game.fields() if state.get(each.name) is not None}
    return page(game, fields, move)


def _course(found: Review, seat: int) -> dict[str, Any]:
    """How the game went: a line for the seat that is looked at, or for each of more than two, and a table of all."""
    count = len(found.seats)
    drawn = [seat if seat < count else 0] if count <= 2 else list(range(count))
    moments: Sequence[Moment] = [found.course[place] for place in thinned(len(found.course))]
    values = [moment.seats[each] for moment in moments for each in drawn]
    low, high = rounded_ends(values, found.unit == "probability")
    places = 0 if found.unit == "probability" or high - low >= FEW else 2
    listed = [moments[place] for place in thinned(len(moments), MOST_ROWS)]
    return {
        "wide": WIDE,
        "high": HIGH,
        "top": number(high, found.unit, places),
        "bottom": number(low, found.unit, places),
        "lines": [(each, line([moment.seats[each] for moment in moments], low, high)) for each in drawn],
        "rows": [(moment.at, [value_text(each, found) for each in moment.seats]) for moment in listed],
        "unit": found.unit,
    }
