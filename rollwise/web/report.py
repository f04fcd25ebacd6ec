"""The review of a game on the page: what was skill and what was luck, and which choices cost most."""

from __future__ import annotations

import re
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any, TypeAlias

from fastapi import APIRouter, Request
from starlette.responses import Response

from rollwise.answers.review import ChoiceReview, Review, Step
from rollwise.match.review import review
from rollwise.match.saved import as_lines
from rollwise.parsing.validate import the_game
from rollwise.solutions.games import Unsolved
from rollwise.solver.model.errors import RollwiseError
from rollwise.solver.model.game import TurnGame
from rollwise.text.html import Html, bar, element, scrolling, table
from rollwise.text.moves import order
from rollwise.text.numbers import loss, number
from rollwise.text.review import (
    NONE_LOST,
    WORST,
    amounts,
    changes,
    grading,
    meaning,
    more,
    tally,
    value_text,
    what_was_best,
)
from rollwise.web.address import page, written as written_pairs
from rollwise.web.charts import ChartBar, curves, drawn, rounded_ends, thinned, waterfall
from rollwise.web.guard import require_may_open
from rollwise.web.posted import TooLong, form_of
from rollwise.web.questions import the_record
from rollwise.web.records import from_address, in_address, in_textarea, match_of, require_short, unpacked
from rollwise.web.setup import rules_line
from rollwise.web.showing import board_of
from rollwise.web.sitting import seats_of
from rollwise.web.templating import templates
from rollwise.web.texts import text
from rollwise.web.unsolved import waits

router = APIRouter(include_in_schema=False)
Route: TypeAlias = Callable[[Request], Coroutine[Any, Any, Response]]
ADDRESS = "r"  # of an address: a record
ANYWAY = "anyway"  # that a record of other rules is reviewed by those of now
MOST_LISTED = 30
CARRIED = ("seats", "throws", "lot", "coach")  # what a table sends along with its record
MOST_MOVES = 1000  # that are drawn
FEW = 10.0  # a scale that is shorter has ends with digits behind the point
LETTERS = re.compile(r"[^a-z0-9-]")


def _form(request: Request, status: int = 200, error: object = "", record: str = "", anyway: bool = False) -> Response:
    example = in_address(text("review.example"))
    view = {"error": str(error), "record": in_textarea(record), "anyway": anyway}
    view["example"] = f"/review?{ADDRESS}={example}"
    return templates.TemplateResponse(request, "review_form.html", view, status)


def of_record(answer: Callable[[Request, Mapping[str, str]], Coroutine[Any, Any, Response]]) -> Route:
    """What answers to a record that was sent: else the form again, with what is wrong with it."""

    async def route(request: Request) -> Response:
        form: dict[str, str] = {}
        try:
            form = await form_of(request) if request.method == "POST" else _of_address(request)
            return _placed(await answer(request, form), form)
        except TooLong as error:
            return _form(request, 413, error)
        except Unsolved as error:
            return _placed(await waits(request, error, form), form)
        except RollwiseError as error:
            return _form(request, 400, error, form.get("record", ""), error.field == "rules_version")

    return route


def _placed(answer: Response, form: Mapping[str, str]) -> Response:
    """The same; into whatever page it is put, that can be loaded again, as after a new version of the server."""
    if place := address_of(form.get("record", ""), form.get("seats", ""), form.get(ANYWAY) == "on"):
        answer.headers["HX-Replace-Url"] = place
    return answer


def address_of(record: str, seats: str = "", anyway: bool = False) -> str:
    """Where a record is reviewed; empty where it is too long for an address."""
    written = in_address(record) if record else ""
    more = [(name, said) for name, said in (("seats", seats), (ANYWAY, "on" if anyway else "")) if said]
    return f"/review?{written_pairs([(ADDRESS, written), *more])}" if written else ""


def _of_address(request: Request) -> dict[str, str]:
    """What an address carries: a record, the seats of people, and whether other rules than its own are no matter."""
    said = request.query_params
    if ADDRESS in said:
        require_may_open(request)
    more = {name: said.get(name, "") for name in ("seats", ANYWAY)}
    return {"record": from_address(said[ADDRESS]), **more} if ADDRESS in said else {}


@router.get("/review")
@router.post("/review")
@of_record
async def reviewed(request: Request, form: Mapping[str, str]) -> Response:
    """The review of a record that was sent, or stands in the address; else one is asked for."""
    if request.method != "POST" and not form:
        return _form(request)
    work, record, anyway = request.app.state.workers.run, form.get("record", ""), form.get(ANYWAY) == "on"
    require_short(record)
    report = await work(gone_through, record, anyway)
    again = None if report.complete else await work(again_from, form)
    humans = seats_of(form.get("seats", ""), len(report.seats))
    view = await work(shown, report, humans)
    view |= {"record": in_textarea(record), "again": again, "seats": ",".join(map(str, humans))}
    view["share"] = address_of(record, anyway=anyway)
    return templates.TemplateResponse(request, "review.html", view)


@router.post("/review/record")
@of_record
async def saved(request: Request, form: Mapping[str, str]) -> Response:
    """The record as a file, a line of JSON each."""
    match = await request.app.state.workers.run(match_of, form.get("record", ""))
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


def gone_through(record: str, anyway: bool = False) -> Review:
    """The review of a record, packed, saved or typed by hand; raises BadInput."""
    # A text is a record only with more lines than one; a single one would be taken for the name of a file.
    lines: Any = the_record(unpacked(record)) if record.lstrip().startswith("[{") else f"{record.strip()}\n\n"
    return review(lines, anyway=anyway)


def shown(report: Review, humans: Sequence[int] = ()) -> dict[str, Any]:
    """Everything that the template of a review needs."""
    seats = range(len(report.seats))
    known = {**dict.fromkeys(humans, text("review.you") if len(humans) == 1 else ""), **report.names}
    names = [known.get(seat) or text("form.seat", seat=seat) for seat in seats]
    falls = [_fall(report, seat, name if len(names) > 1 else "") for seat, name in enumerate(names)]
    made, looked_at = the_game(report.game, report.parameters), next(iter(humans), 0)
    steps, count = report.steps[:MOST_MOVES], len(report.steps)
    cut = [text("review.cut", drawn=len(steps), count=count)] if len(steps) < count else []
    rest = [element("h2", text("review.skill_and_luck")), element("div.falls", *falls)]
    rest.append(element("p.note", meaning(report)))
    if report.chooses:
        rest += [*_grades(report, names), *_worst(report, names)]
    return {
        "game": report.game,
        "title": made.title,
        "rules_text": rules_line(made, report.parameters),
        "notes": [*report.notes, *cut],
        "course": _course(report, steps, looked_at, names) if steps else [],
        "moments": [moment(report, made, step, names) for step in steps],
        "names": names,
        "result": [value_text(seat.result, report) for seat in report.seats],
        "complete": report.complete,
        "blocks": rest,
    }


def moment(report: Review, made: TurnGame, step: Step, names: Sequence[str]) -> dict[str, Any]:
    """A move as the page draws it: the position, what was done, what everybody had before it, and what it cost."""
    return {
        "step": step,
        "move": order(step.move),
        "board": board_of(made, step.state, step.seat, names),
        "lying": [face for face in step.state.get("roll") or [] if isinstance(face, int)],
        "worths": [value_text(value, report) for value in step.seats],
        "lost": f"−{loss(step.loss, report.unit)}; {what_was_best(step)}" if step.loss else "",
        "href": ask_address(made, step.state, step.move),
    }


def _fall(report: Review, seat: int, name: str) -> Html:
    """A seat's start, what changed it, and what it came to: name, bar and number each."""
    parts = report.seats[seat]
    *shown_with_bars, without_luck = amounts(report, parts)
    bars = waterfall(parts.start, [change for _, change in changes(report, parts)], parts.result)
    rows = [_amount(*amount, bar) for amount, bar in zip(shown_with_bars, bars, strict=True)]
    rows.append(_amount(*without_luck))
    caption = [element("caption", name)] if name else []
    return element("table.fall.panel", *caption, element("tbody", *rows))


def _amount(name: str, amount: str, bar: ChartBar | None = None) -> Html:
    """A line of it; the last has no bar."""
    number = element(f"td.number.{bar.sort}" if bar else "td.number", amount)
    cells = element("th", name, scope="row"), element("td", *([drawn(bar)] if bar else [])), number
    return element("tr" if bar else "tr.quiet", *cells)


def _grades(report: Review, names: Sequence[str]) -> list[Html]:
    """How many decisions each seat had, what they lost, and how many errors of each grade there were."""
    tallies = [tally(report, seat) for seat in range(len(names))]
    rows = [[name, *(each[name] for each in tallies)] for name in tallies[0]]
    grades = table("cells.graded", ["", *names], rows)
    return [
        element("h2", text("review.grades")),
        element("div.panel", scrolling(grades, text("review.grades")), element("p.note", grading(report))),
    ]


def _worst(report: Review, names: Sequence[str]) -> list[Html]:
    """The choices that lost most."""
    listed, unlisted = report.choices[:MOST_LISTED], len(report.choices) - MOST_LISTED
    heading = element("h2", WORST)
    if not listed:
        return [heading, element("p", NONE_LOST)]
    choices = element("ol.worst", *(_choice(report, choice, names) for choice in listed))
    return [heading, choices, *([element("p.note", more(unlisted))] if unlisted > 0 else [])]


def _choice(report: Review, choice: ChoiceReview, names: Sequence[str]) -> Html:
    """A choice that lost something: how much, what would have been better, how it stood, and its question."""
    share = choice.loss / report.choices[0].loss if report.choices[0].loss else 0.0
    grade, it = element(f"span.grade.{choice.grade}", choice.grade), (choice.at, choice.move, choice.state)
    place = [(step.at, step.move, step.state) for step in report.steps].index(it) + 1
    said = text("review.chose", name=names[choice.seat], move=order(choice.move), what_was_best=what_was_best(choice))
    return element(
        "li.panel",
        element("p", grade, " ", element("strong", loss(choice.loss, report.unit))),
        bar(share),
        element("p", said),
        element("p.note", text("review.at_line", line=choice.at)),
        *([element("a.plain", text("review.see"), href=f"#move-{place}")] if place <= MOST_MOVES else []),
    )


def ask_address(game: TurnGame, state: Mapping[str, Any], move: str) -> str:
    """Where the page asks this question again, with the move that was made."""
    fields = {each.name: each.parse(state[each.name]) for each in game.fields() if state.get(each.name) is not None}
    return page(game, fields, move)


def _course(report: Review, steps: Sequence[Step], seat: int, names: Sequence[str]) -> list[Html]:
    """How the game went: a line for the seat that is looked at, or for each of more than two."""
    count, is_chance = len(names), report.unit == "probability"
    seats = [seat if seat < count else 0] if count <= 2 and not report.apart else range(count)
    at_steps = [*(step.seats for step in steps), tuple(seat.result for seat in report.seats)]
    at_steps = [at_steps[place] for place in thinned(len(at_steps))]
    lines = [(each, names[each] if count > 1 else "", [values[each] for values in at_steps]) for each in seats]
    ends = rounded_ends([value for *_, values in lines for value in values], is_chance)
    places = 0 if is_chance or ends[1] - ends[0] >= FEW else 2
    who = names[lines[0][0]] if len(lines) == 1 else text("review.every_seat")
    who = text("review.course_you") if who == text("review.you") and count > 1 else who
    label = text("review.course_chance" if is_chance else "review.course_value", who=who)
    return [
        element("h2", text("review.course")),
        curves(label, lines, ends, [number(end, report.unit, places) for end in ends]),
    ]
