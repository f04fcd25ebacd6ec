"""Review of a game on a page: skill and luck, the course of the game, and the costliest choices."""

from __future__ import annotations

import re
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any, TypeAlias

from fastapi import APIRouter, Request
from starlette.responses import Response

from rollwise.match.record_files import record_text
from rollwise.match.review.compute import review
from rollwise.match.review.data import ChoiceReview, Review, Step
from rollwise.match.review.text import (
    NO_LOSS,
    WORST_HEADING,
    amounts,
    best_words,
    changes,
    column_meanings,
    grade_limits,
    tally,
    unlisted_words,
    value_text,
)
from rollwise.parsing.validate import parse_game
from rollwise.solutions.lookup import Unsolved
from rollwise.solver.model.errors import RollwiseError
from rollwise.solver.model.game import TurnGame
from rollwise.text.html import Html, bar, element, scrolling, table
from rollwise.text.moves import infinitive
from rollwise.text.numbers import loss, number
from rollwise.web.address import encode_pairs as written_pairs, question_url
from rollwise.web.charts import ChartBar, draw_bar, draw_lines, scale_ends, thin_places, waterfall
from rollwise.web.guard import require_can_open
from rollwise.web.labels import text
from rollwise.web.play_view import board_of, table_dice
from rollwise.web.questions import checked_record
from rollwise.web.records import (
    TooLong,
    decode_record,
    encode_record,
    escape_textarea,
    match_of,
    parse_record,
    read_form,
    require_short,
)
from rollwise.web.setup import rules_line
from rollwise.web.sitting import parse_seats
from rollwise.web.templating import templates
from rollwise.web.unsolved import waiting_page

router = APIRouter(include_in_schema=False)
Route: TypeAlias = Callable[[Request], Coroutine[Any, Any, Response]]
RECORD_KEY = "r"  # parameter of an address: a record
ANYWAY_KEY = "anyway"  # parameter: review a record of other rules by the present ones
MAX_LISTED_CHOICES = 30
CARRIED_FIELDS = ("seats", "throws", "lot", "coach")  # sent by a table along with its record
MAX_DRAWN_MOVES = 1000  # that are drawn
SHORT_SCALE = 10.0  # a shorter scale has decimals at its ends
NON_NAME_CHARS = re.compile(r"[^a-z0-9-]")


def _form(request: Request, status: int = 200, error: object = "", record: str = "", anyway: bool = False) -> Response:
    example = encode_record(text("review.example"))
    view = {"error": str(error), "record": escape_textarea(record), "anyway": anyway}
    view["example"] = f"/review?{RECORD_KEY}={example}"
    return templates.TemplateResponse(request, "review_form.html", view, status)


def record_route(answer: Callable[[Request, Mapping[str, str]], Coroutine[Any, Any, Response]]) -> Route:
    """Route that answers a received record; an error shows the form again."""

    async def route(request: Request) -> Response:
        form: dict[str, str] = {}
        try:
            form = await read_form(request) if request.method == "POST" else _form_of_address(request)
            response = await answer(request, form)
        except TooLong as error:
            return _form(request, 413, error)
        except Unsolved as error:
            response = await waiting_page(request, error, form)
        except RollwiseError as error:
            return _form(request, 400, error, form.get("record", ""), error.field == "rules_version")
        if place := review_url(form.get("record", ""), form.get("seats", ""), form.get(ANYWAY_KEY) == "on"):
            response.headers["HX-Replace-Url"] = place  # so that the page can be loaded again
        return response

    return route


def review_url(record: str, seats: str = "", anyway: bool = False) -> str:
    """Address of a review; empty if the record is too long for one."""
    written = encode_record(record) if record else ""
    extra = [(name, value) for name, value in (("seats", seats), (ANYWAY_KEY, "on" if anyway else "")) if value]
    return f"/review?{written_pairs([(RECORD_KEY, written), *extra])}" if written else ""


def _form_of_address(request: Request) -> dict[str, str]:
    """Form fields of an address: a record, the seats of people, and ``anyway``."""
    query_params = request.query_params
    if RECORD_KEY in query_params:
        require_can_open(request)
    extra = {name: query_params.get(name, "") for name in ("seats", ANYWAY_KEY)}
    return {"record": decode_record(query_params[RECORD_KEY]), **extra} if RECORD_KEY in query_params else {}


@router.get("/review")
@router.post("/review")
@record_route
async def review_page(request: Request, form: Mapping[str, str]) -> Response:
    """Review of a posted record, or of the one in the address; without one the form."""
    if request.method != "POST" and not form:
        return _form(request)
    work, record, anyway = request.app.state.workers.run, form.get("record", ""), form.get(ANYWAY_KEY) == "on"
    require_short(record)
    report = await work(review_record, record, anyway)
    again = None if report.complete else await work(resume_form, form)
    humans = parse_seats(form.get("seats", ""), len(report.seats))
    view = await work(review_view, report, humans)
    view |= {"record": escape_textarea(record), "again": again, "seats": ",".join(map(str, humans))}
    view["share"] = review_url(record, anyway=anyway)
    return templates.TemplateResponse(request, "review.html", view)


@router.post("/review/record")
@record_route
async def record_file(request: Request, form: Mapping[str, str]) -> Response:
    """Download of the record, a line of JSON each."""
    match = await request.app.state.workers.run(match_of, form.get("record", ""))
    name = NON_NAME_CHARS.sub("", match.game)
    headers = {"Content-Disposition": f'attachment; filename="{name}.jsonl"', "Cache-Control": "no-store"}
    return Response(record_text(match.record()), headers=headers, media_type="application/x-ndjson")


def resume_form(form: Mapping[str, str]) -> dict[str, str] | None:
    """Form fields to resume an unfinished game; None if its record cannot go on."""
    try:
        match = match_of(form.get("record", ""))
    except (RollwiseError, TooLong):
        return None
    return None if match.over else {name: form[name] for name in CARRIED_FIELDS if name in form} or {"resume": "1"}


# --- the review ------------------------------------------------------------------------------------------------------


def review_record(record: str, anyway: bool = False) -> Review:
    """Review a record, packed, saved or typed by hand; raises BadInput."""
    # A text of a single line would be read as the name of a file.
    lines: Any = checked_record(parse_record(record)) if record.lstrip().startswith("[{") else f"{record.strip()}\n\n"
    return review(lines, anyway=anyway)


def review_view(report: Review, humans: Sequence[int] = ()) -> dict[str, Any]:
    """Values of the template of a review."""
    seats = range(len(report.seats))
    names_by_seat = {**dict.fromkeys(humans, text("review.you") if len(humans) == 1 else ""), **report.names}
    names = [names_by_seat.get(seat) or text("form.seat", seat=seat) for seat in seats]
    falls = [_skill_and_luck_table(report, seat, name if len(names) > 1 else "") for seat, name in enumerate(names)]
    game, looked_at = parse_game(report.game, report.parameters), next(iter(humans), 0)
    steps, count = report.steps[:MAX_DRAWN_MOVES], len(report.steps)
    cut = [text("review.cut", drawn=len(steps), count=count)] if len(steps) < count else []
    rest = [element("h2", text("review.skill_and_luck")), element("div.falls", *falls)]
    rest.append(element("p.note", column_meanings(report)))
    if report.chooses:
        rest += [*_grades_blocks(report, names), *_worst_blocks(report, names)]
    return {
        "game": report.game,
        "title": game.title,
        "rules_text": rules_line(game, report.parameters),
        "notes": [*report.notes, *cut],
        "course": _course_blocks(report, steps, looked_at, names) if steps else [],
        "moments": [move_view(report, game, step, names) for step in steps],
        "names": names,
        "result": [value_text(seat.result, report) for seat in report.seats],
        "complete": report.complete,
        "blocks": rest,
    }


def move_view(report: Review, game: TurnGame, step: Step, names: Sequence[str]) -> dict[str, Any]:
    """A move for the template: its position, the values by seat before it, and its loss."""
    return {
        "step": step,
        "move": infinitive(step.move),
        "board": board_of(game, step.state, step.seat, names),
        "lying": table_dice(step.state),
        "worths": [value_text(value, report) for value in step.seats],
        "lost": f"−{loss(step.loss, report.unit)}; {best_words(step)}" if step.loss else "",
        "href": ask_url(game, step.state, step.move),
    }


def _skill_and_luck_table(report: Review, seat: int, name: str) -> Html:
    """Table of a seat: start, changes and result, each with name, bar and number."""
    parts = report.seats[seat]
    *shown_with_bars, without_luck = amounts(report, parts)
    bars = waterfall(parts.start, [change for _, change in changes(report, parts)], parts.result)
    rows = [_amount_row(*amount, bar) for amount, bar in zip(shown_with_bars, bars, strict=True)]
    rows.append(_amount_row(*without_luck))
    caption = [element("caption", name)] if name else []
    return element("table.fall.panel", *caption, element("tbody", *rows))


def _amount_row(name: str, amount: str, bar: ChartBar | None = None) -> Html:
    """Row of the table; the last has no bar."""
    number = element(f"td.number.{bar.sort}" if bar else "td.number", amount)
    cells = element("th", name, scope="row"), element("td", *([draw_bar(bar)] if bar else [])), number
    return element("tr" if bar else "tr.quiet", *cells)


def _grades_blocks(report: Review, names: Sequence[str]) -> list[Html]:
    """Decisions, losses and errors of each grade by seat."""
    tallies = [tally(report, seat) for seat in range(len(names))]
    rows = [[name, *(each[name] for each in tallies)] for name in tallies[0]]
    grades = table("cells.graded", ["", *names], rows)
    return [
        element("h2", text("review.grades")),
        element("div.panel", scrolling(grades, text("review.grades")), element("p.note", grade_limits(report))),
    ]


def _worst_blocks(report: Review, names: Sequence[str]) -> list[Html]:
    """The costliest choices."""
    listed, unlisted = report.choices[:MAX_LISTED_CHOICES], len(report.choices) - MAX_LISTED_CHOICES
    heading = element("h2", WORST_HEADING)
    if not listed:
        return [heading, element("p", NO_LOSS)]
    choices = element("ol.worst", *(_choice_item(report, choice, names) for choice in listed))
    return [heading, choices, *([element("p.note", unlisted_words(unlisted))] if unlisted > 0 else [])]


def _choice_item(report: Review, choice: ChoiceReview, names: Sequence[str]) -> Html:
    """A choice with a loss: grade, loss, better move, and a link to its position."""
    share = choice.loss / report.choices[0].loss if report.choices[0].loss else 0.0
    grade, it = element(f"span.grade.{choice.grade}", choice.grade), (choice.at, choice.move, choice.state)
    place = [(step.at, step.move, step.state) for step in report.steps].index(it) + 1
    line = text("review.chose", name=names[choice.seat], move=infinitive(choice.move), what_was_best=best_words(choice))
    return element(
        "li.panel",
        element("p", grade, " ", element("strong", loss(choice.loss, report.unit))),
        bar(share),
        element("p", line),
        element("p.note", text("review.at_line", line=choice.at)),
        *([element("a.plain", text("review.see"), href=f"#move-{place}")] if place <= MAX_DRAWN_MOVES else []),
    )


def ask_url(game: TurnGame, state: Mapping[str, Any], move: str) -> str:
    """Address of the question with the move made."""
    fields = {each.name: each.parse(state[each.name]) for each in game.fields() if state.get(each.name) is not None}
    return question_url(game, fields, move)


def _course_blocks(report: Review, steps: Sequence[Step], seat: int, names: Sequence[str]) -> list[Html]:
    """Line chart of the game, for the seat of a person, or for each of more than two seats."""
    count, is_chance = len(names), report.unit == "probability"
    seats = [seat if seat < count else 0] if count <= 2 and not report.apart else range(count)
    at_steps = [*(step.seats for step in steps), tuple(seat.result for seat in report.seats)]
    at_steps = [at_steps[place] for place in thin_places(len(at_steps))]
    lines = [(each, names[each] if count > 1 else "", [values[each] for values in at_steps]) for each in seats]
    ends = scale_ends([value for *_, values in lines for value in values], is_chance)
    places = 0 if is_chance or ends[1] - ends[0] >= SHORT_SCALE else 2
    who = names[lines[0][0]] if len(lines) == 1 else text("review.every_seat")
    who = text("review.course_you") if who == text("review.you") and count > 1 else who
    label = text("review.course_chance" if is_chance else "review.course_value", who=who)
    return [
        element("h2", text("review.course")),
        draw_lines(label, lines, ends, [number(end, report.unit, places) for end in ends]),
    ]
