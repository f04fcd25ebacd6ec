"""Playing a game in the browser: who sits where, then the table, step by step.

The page carries the record of the game and sends it back with each step, so nothing is kept here, any page can be gone
back to, and a game outlives the server. Only games with hidden dice are kept here (``kept``), for what a seat may not
see must not be on its page; the address of their table names them, so that it can be loaded again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from rollwise.answers.advice import picked
from rollwise.answers.labels import counted
from rollwise.answers.moves import keeping
from rollwise.games.registry import spelt
from rollwise.match.looks import name_of, result_lines
from rollwise.match.match import Match
from rollwise.solutions.games import Unsolved
from rollwise.solver.model.errors import BadInput, RollwiseError
from rollwise.web import report
from rollwise.web.home import no_game
from rollwise.web.kept import Matches
from rollwise.web.posted import TooLong, form_of, is_part
from rollwise.web.records import in_textarea, match_of, packed
from rollwise.web.setup import from_record, rules_line, set_up, started
from rollwise.web.showing import board_of, buttons_of, dice_to_keep, events, in_boxes, last_seen, lying, seen
from rollwise.web.sitting import SCREEN, Sitting, new_lot, seats_of
from rollwise.web.templating import templates
from rollwise.web.texts import text
from rollwise.web.unsolved import waits

router = APIRouter(include_in_schema=False)
router.include_router(report.router)
MOST_TAPPED = 6
LONGEST = 200  # characters of a move, or of dice
MATCH = "match"  # what names a game that is kept, in forms and in addresses


class Gone(Exception):
    """A game with hidden dice that is not known here any more."""


@router.get("/play/{game}")
async def begin(request: Request, game: str) -> Response:
    """Who sits where; or, of a game that is kept here, its table as it stands."""
    name = spelt(game)
    if name is None:
        return refused(request, BadInput(no_game(game)), 404)
    if MATCH in request.query_params:
        return await answered(request, name, {MATCH: request.query_params[MATCH]})
    view = await request.app.state.workers.run(set_up, name, list(request.query_params.items()))
    return templates.TemplateResponse(request, "play_begin.html", view, 400 if view["error"] else 200)


@router.post("/play/{game}")
async def step(request: Request, game: str) -> Response:
    """One step of a game: the table after it."""
    name = spelt(game)
    if name is None:
        return refused(request, BadInput(no_game(game)), 404)
    try:
        form = await form_of(request)
    except TooLong as error:
        return refused(request, error, 413, name)
    return await answered(request, name, form)


async def answered(request: Request, name: str, form: Mapping[str, str]) -> Response:
    """What comes of a form. A game that is begun and kept here is shown at its own address."""
    try:
        view = await request.app.state.workers.run(stepped, name, form, request.app.state.matches)
    except TooLong as error:
        return refused(request, error, 413, name)
    except Unsolved as error:
        return await waits(request, error, form)
    except Gone:
        return refused(request, BadInput(text("play.forgotten")), 410, name)
    except RollwiseError as error:
        if "start" not in form:
            return refused(request, error, 400, name)
        view = set_up(name, list(form.items())) | {"error": str(error)}  # as it was filled in
        return templates.TemplateResponse(request, "play_begin.html", view, 400)
    if view["held"] and is_begun(form):
        return RedirectResponse(address_of(view), 303)
    return table(request, view)


def is_begun(form: Mapping[str, str]) -> bool:
    """Does a form begin a game, or take up one that was saved?"""
    return "start" in form or "resume" in form


def address_of(view: Mapping[str, Any]) -> str:
    """Where the table of a game that is kept here can be seen again."""
    return f"/play/{view['game']}?{MATCH}={view['held'][0]}"


def table(request: Request, view: dict[str, Any]) -> Response:
    """The table as a page, or as a part of the one that is there."""
    part, status = is_part(request), 400 if view["error"] else 200
    template = "play_part.html" if part else "play_table.html"
    answer = templates.TemplateResponse(request, template, {**view, "part": part}, status)
    if view["hides"]:
        answer.headers["Cache-Control"] = "no-store"
        if part and view["held"]:
            answer.headers["HX-Replace-Url"] = address_of(view)
    elif part and not view["error"]:
        answer.headers["HX-Push-Url"] = f"/play/{view['game']}?step={view['step']}"
    return answer


def refused(request: Request, error: Exception, status: int, name: str = "") -> Response:
    """A line that says what is wrong, and the way back."""
    view = {"error": str(error), "game": name, "part": is_part(request)}
    return templates.TemplateResponse(request, "play_refused.html", view, status)


# --- one step --------------------------------------------------------------------------------------------------------


def stepped(name: str, form: Mapping[str, str], matches: Matches) -> dict[str, Any]:
    """Take up the game that a form tells of, do what it says, and tell how the table looks then."""
    if is_begun(form):
        sitting = started(name, form) if "start" in form else from_record(form)
        if sitting.humans:
            sitting.go_on()
        held = matches.put(None, plain(sitting)) if sitting.match.hides else None
        return shown(sitting, held)
    if form.get(MATCH):
        return _hidden_step(form, matches)
    sitting = taken_up(form)
    if sitting.match.hides:  # its record came whole, and is kept here from now on
        return _kept(sitting, form, matches, None, 0)
    return _done(sitting, form, None)


def taken_up(form: Mapping[str, str]) -> Sitting:
    """The game of a page that carries its record."""
    match = match_of(form.get("record", ""))
    return Sitting(
        match,
        seats_of(form.get("seats", ""), match.seats),
        thrown=form.get("throws") != "typed",
        coach=form.get("coach") == "on",
        lot=form.get("lot", "")[:LONGEST] or new_lot(),
        since=len(match.record()) - 1,
    )


def _hidden_step(form: Mapping[str, str], matches: Matches) -> dict[str, Any]:
    """The same for a game that is kept here; a page of an earlier moment is told where the game stands."""
    name = form[MATCH]
    kept = matches.get(name)
    if kept is None:
        raise Gone
    how = dict(kept.plain)
    sitting = Sitting(Match.of(how.pop("record")), **how, lot=name)
    if "at" not in form:  # it is only looked at
        return shown(sitting, (name, kept.step))
    if form["at"] != str(kept.step):
        return {**shown(sitting, (name, kept.step)), "error": text("play.earlier")}
    viewers = [seat for seat in sitting.humans if str(seat) == form.get("viewer")]
    sitting.viewer = viewers[0] if viewers else None
    return _kept(sitting, form, matches, name, kept.step)


def _kept(sitting: Sitting, form: Mapping[str, str], matches: Matches, name: str | None, at: int) -> dict[str, Any]:
    if form.get("do") == "see":
        sitting.viewer = sitting.match.mover
        return shown(sitting, (name, at) if name else matches.put(None, plain(sitting)))
    sitting.since = sitting.lines
    view = _done(sitting, form, (name, at) if name else None)
    if view["error"] and name:
        return view
    held = matches.put(name, plain(sitting), at)
    return {**view, "held": held} if held else {**shown(sitting, (name or "", at)), "error": text("play.earlier")}


def plain(sitting: Sitting) -> dict[str, Any]:
    """What is kept of a game with hidden dice."""
    record = sitting.match.record()
    packed(record)
    return {"record": record, **picked(sitting, "humans", "thrown", "coach", "since")}


def _done(sitting: Sitting, form: Mapping[str, str], held: tuple[str, int] | None) -> dict[str, Any]:
    """Do what the form says; what cannot be is told, and the table is as it was."""
    before = sitting.match.record()
    try:
        tapped = _do(sitting, form)
    except BadInput as error:
        sitting.match = Match.of(before)
        return {**shown(sitting, held), "error": str(error)}
    return shown(sitting, held, tapped)


def _do(sitting: Sitting, form: Mapping[str, str]) -> list[int]:
    """One action; the dice that were tapped so far, where more are to come."""
    what = form.get("do", "")
    if "coach_is" in form:
        sitting.coach = form["coach_is"] == "on"
    elif "move" in form:
        sitting.play(form["move"][:LONGEST])
    elif form.get("dice", "").strip() and what not in ("undo", "throw"):
        sitting.throw(form["dice"][:LONGEST])
    elif what == "keep":
        sitting.play(keeping([face for place, face in enumerate(lying(sitting)) if f"keep.{place}" in form]))
    elif what == "undo":
        sitting.take_back()
    elif what == "throw":
        sitting.throw()
    elif what in ("on", "end"):
        sitting.go_on(what == "end")
    elif "die" in form:
        tapped = [*_faces(form.get("tapped", "")), *_faces(form["die"])][:MOST_TAPPED]
        if len(tapped) < min(sitting.falling()[0]):
            return tapped
        sitting.throw(" ".join(map(str, tapped)))
    elif what == "type":
        raise BadInput(text("play.which_dice"))
    return []


def _faces(typed: str) -> list[int]:
    return [int(sign) for sign in typed[:LONGEST] if sign in "123456"][:MOST_TAPPED]


# --- the table -------------------------------------------------------------------------------------------------------


def shown(sitting: Sitting, held: tuple[str, int] | None, tapped: Sequence[int] = ()) -> dict[str, Any]:
    """Everything that the table's template needs, and nothing that this page may not know."""
    match, covered = sitting.match, sitting.covered
    is_asked = not (match.over or match.waiting or covered) and match.mover in sitting.humans
    buttons, dice = buttons_of(sitting) if is_asked else [], lying(sitting)
    goes_on = not match.over and sitting.goes_on
    names = [name_of(match, seat, sitting.humans) for seat in range(match.seats)]
    state, mover, is_banked = last_seen(match) if match.over else (seen(sitting), match.mover, False)
    history = events(sitting)
    board = board_of(match.made, state, mover, names)
    boxes = in_boxes(buttons, board)
    return {
        **picked(match, "game", "title", "mover", "over", "luck", "hides", "seed"),
        **picked(sitting, "humans", "covered", "thrown", "coach", "lot", "viewer"),
        "rules": rules_line(match.made, match.parameters),
        "names": names,
        "winners": winners(match),
        "is_banked": is_banked,
        "seats": ",".join(map(str, sitting.humans)) or "none",
        "is_own": match.mover in sitting.humans,
        "board": board,
        "boxes": boxes,
        "dice": dice,
        "fallen": next((event for turn in history[::-1] for event in turn[::-1] if not event.moves), None),
        "here": "" if covered or match.over or not state else report.ask_address(match.made, state, match.move or ""),
        "keeps": dice_to_keep(buttons, dice),
        "buttons": [button for button in buttons if button not in boxes.values()],
        "made": match.move if match.waiting else None,
        "falling": _falling(sitting) if match.waiting and not (match.over or covered or goes_on) else None,
        "tapped": tapped,
        "goes_on": goes_on and not sitting.humans,
        "stopped": goes_on and bool(sitting.humans),
        "undo": not covered and bool(sitting.humans) and sitting.can_take_back,
        "cost": "" if covered else sitting.cost,
        "events": events(sitting, sitting.since),
        "history": history,
        "step": sitting.lines,
        "held": held,
        "record": in_textarea(packed(match.record())) if sitting.is_open else "",
        "result": " ".join(result_lines(match, sitting.humans, SCREEN)) if match.over else "",
        "error": "",
    }


def winners(match: Match) -> list[int]:
    """The seats that have most, where somebody wins against others."""
    result = match.result if match.over else None
    if result is None or match.seats == 1 or counted(match.made, match.parameters, {}).name == "lose":
        return []
    return [seat for seat, has in enumerate(result) if has == max(result) > min(result)]


def _falling(sitting: Sitting) -> dict[str, Any]:
    """Which dice are to be said, by how many faces a die has."""
    sizes, highest = sitting.falling()
    again = bool(sitting.match.thrown)
    return {"sizes": sizes, "faces": range(1, highest + 1), "again": again, "by_program": sitting.thrown}
