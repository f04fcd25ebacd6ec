"""Playing a game in the browser: who sits where, then the table, step by step.

The page carries the record of the game and sends it back with each step, so nothing is kept here, any page can be gone
back to, and a game outlives the server. Only games with hidden dice are kept here (``kept``), for what a seat may not
see must not be on its page; the address of their table names them, so that it can be loaded again.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from rollwise.answers.moves import keeping
from rollwise.games.registry import spelt
from rollwise.match.looks import name_of, result_lines
from rollwise.match.match import Match
from rollwise.solved.games import Unsolved
from rollwise.solver.game.errors import BadInput, RollwiseError
from rollwise.web import report
from rollwise.web.kept import Matches
from rollwise.web.posted import TooLong, form_of, is_part
from rollwise.web.records import in_textarea, match_of, packed
from rollwise.web.setup import from_record, rules_told, set_up, started
from rollwise.web.showing import board_of, buttons_of, dice_to_keep, events, lying
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
        return refused(request, BadInput(text("play.no_game")), 404)
    if MATCH in request.query_params:
        return await answered(request, name, {MATCH: request.query_params[MATCH]})
    told = await request.app.state.workers.run(set_up, name, list(request.query_params.items()))
    return templates.TemplateResponse(request, "play_begin.html", told, 400 if told["error"] else 200)


@router.post("/play/{game}")
async def step(request: Request, game: str) -> Response:
    """One step of a game: the table after it."""
    name = spelt(game)
    if name is None:
        return refused(request, BadInput(text("play.no_game")), 404)
    try:
        form = await form_of(request)
    except TooLong as error:
        return refused(request, error, 413, name)
    return await answered(request, name, form)


async def answered(request: Request, name: str, form: Mapping[str, str]) -> Response:
    """What comes of a form. A game that is begun and kept here is shown at its own address."""
    try:
        told = await request.app.state.workers.run(stepped, name, form, request.app.state.matches)
    except TooLong as error:
        return refused(request, error, 413, name)
    except Unsolved as error:
        return await waits(request, error.game, form)
    except Gone:
        return refused(request, BadInput(text("play.forgotten")), 410, name)
    except RollwiseError as error:
        return not_begun(request, error, name, form) if "start" in form else refused(request, error, 400, name)
    if told["held"] and is_begun(form):
        return RedirectResponse(address_of(told), 303)
    return table(request, told)


def not_begun(request: Request, error: Exception, name: str, form: Mapping[str, str]) -> Response:
    """The page before the first step again, as it was filled in, with what is wrong with it."""
    told = set_up(name, list(form.items())) | {"error": str(error)}
    return templates.TemplateResponse(request, "play_begin.html", told, 400)


def is_begun(form: Mapping[str, str]) -> bool:
    """Does a form begin a game, or take up one that was saved?"""
    return "start" in form or "resume" in form


def address_of(told: Mapping[str, Any]) -> str:
    """Where the table of a game that is kept here can be seen again."""
    return f"/play/{told['game']}?{MATCH}={told['held'][0]}"


def table(request: Request, told: dict[str, Any]) -> Response:
    """The table as a page, or as a part of the one that is there."""
    part = is_part(request)
    answer = templates.TemplateResponse(
        request, "play_part.html" if part else "play_table.html", {**told, "part": part}, 400 if told["error"] else 200
    )
    if told["hides"]:
        answer.headers["Cache-Control"] = "no-store"
        if part and told["held"]:
            answer.headers["HX-Replace-Url"] = address_of(told)
    elif part and not told["error"]:
        answer.headers["HX-Push-Url"] = f"/play/{told['game']}?step={told['step']}"
    return answer


def refused(request: Request, error: Exception, status: int, name: str = "") -> Response:
    """A line that says what is wrong, and the way back."""
    part = is_part(request)
    told = {"error": str(error), "game": name, "part": part}
    return templates.TemplateResponse(request, "play_refused.html", told, status)


# --- one step --------------------------------------------------------------------------------------------------------


def stepped(name: str, form: Mapping[str, str], matches: Matches) -> dict[str, Any]:
    """Take up the game that a form tells of, do what it says, and tell how the table looks then."""
    if is_begun(form):
        sitting = started(name, form) if "start" in form else from_record(form)
        sitting.go_on() if sitting.humans else None
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
    told = kept.plain
    match = Match.of(told["record"])
    sitting = Sitting(match, tuple(told["humans"]), told["thrown"], told["coach"], name, since=told["since"])
    if "at" not in form:  # it is only looked at
        return shown(sitting, (name, kept.step))
    if form["at"] != str(kept.step):
        return {**shown(sitting, (name, kept.step)), "error": text("play.earlier")}
    viewer = form.get("viewer", "")
    sitting.viewer = int(viewer) if viewer.isdigit() and len(viewer) < 3 and int(viewer) in sitting.humans else None
    return _kept(sitting, form, matches, name, kept.step)


def _kept(sitting: Sitting, form: Mapping[str, str], matches: Matches, name: str | None, at: int) -> dict[str, Any]:
    if form.get("do") == "see":
        sitting.viewer = sitting.match.mover
        return shown(sitting, (name, at) if name else matches.put(None, plain(sitting)))
    sitting.since = sitting.lines
    told = _done(sitting, form, (name, at) if name else None)
    if told["error"] and name:
        return told
    held = matches.put(name, plain(sitting), at)
    return {**told, "held": held} if held else {**shown(sitting, (name or "", at)), "error": text("play.earlier")}


def plain(sitting: Sitting) -> dict[str, Any]:
    """What is kept of a game with hidden dice."""
    record = sitting.match.record()
    packed(record)
    how = {"humans": sitting.humans, "thrown": sitting.thrown, "coach": sitting.coach, "since": sitting.since}
    return {"record": record, **how}


def _done(sitting: Sitting, form: Mapping[str, str], held: tuple[str, int] | None) -> dict[str, Any]:
    """Do what the form says; what cannot be is told, and the table is as it was."""
    before = sitting.match.record()
    tapped = _faces(form.get("tapped", ""))
    try:
        tapped = _do(sitting, form, tapped)
    except BadInput as error:
        sitting.match = Match.of(before)
        return {**shown(sitting, held), "error": str(error)}
    return shown(sitting, held, tapped)


def _do(sitting: Sitting, form: Mapping[str, str], tapped: list[int]) -> list[int]:
    """One action; the dice that were tapped so far, where more are to come."""
    what = form.get("do", "")
    if "coach_is" in form:
        sitting.coach = form["coach_is"] == "on"
    elif "move" in form:
        sitting.play(form["move"][:LONGEST])
    elif form.get("dice", "").strip() and what not in ("undo", "throw"):
        sitting.throw(form["dice"][:LONGEST])
    elif what == "keep":
        dice = lying(sitting)
        chosen = [face for place, face in enumerate(dice) if f"keep.{place}" in form]
        sitting.play(keeping(chosen))
    elif what == "undo":
        sitting.take_back()
    elif what == "throw":
        sitting.throw()
    elif what == "untap":
        return []
    elif what == "on" or what == "end":
        sitting.go_on(what == "end")
    elif "die" in form:
        tapped = [*tapped, *_faces(form["die"])][:MOST_TAPPED]
        if len(tapped) < min(sitting.falling()[0]):
            return tapped
        sitting.throw(" ".join(map(str, tapped)))
    elif what == "type":
        raise BadInput(text("play.which_dice"))
    return []


def _faces(said: str) -> list[int]:
    return [int(sign) for sign in said[:LONGEST] if sign in "123456"][:MOST_TAPPED]


# --- the table -------------------------------------------------------------------------------------------------------


def shown(sitting: Sitting, held: tuple[str, int] | None, tapped: list[int] | None = None) -> dict[str, Any]:
    """Everything that the table's template needs, and nothing that this page may not know."""
    match, covered = sitting.match, sitting.covered
    asked = not (match.over or match.waiting or covered) and match.mover in sitting.humans
    buttons = buttons_of(sitting) if asked else []
    dice = lying(sitting)
    typed = not (match.over or covered or sitting.goes_on) and match.waiting
    told = {
        "game": match.game,
        "title": match.title,
        "rules": rules_told(match),
        "names": [name_of(match, seat, sitting.humans) for seat in range(match.seats)],
        "seats": ",".join(map(str, sitting.humans)) or "none",
        "humans": sitting.humans,
        "mover": match.mover,
        "is_own": match.mover in sitting.humans,
        "over": match.over,
        "luck": match.luck,
        "hides": match.hides,
        "covered": covered,
        "thrown": sitting.thrown,
        "coach": sitting.coach,
        "seed": match.seed,
        "lot": sitting.lot,
        "viewer": sitting.viewer,
        "board": board_of(sitting),
        "dice": dice,
        "keeps": dice_to_keep(buttons, dice),
        "buttons": buttons,
        "made": match.move if match.waiting else None,
        "falling": _falling(sitting) if typed else None,
        "tapped": tapped or [],
        "goes_on": not sitting.humans and not match.over and sitting.goes_on,
        "stopped": bool(sitting.humans) and not match.over and sitting.goes_on,
        "undo": not covered and bool(sitting.humans) and sitting.can_take_back,
        "told": sitting.told if not covered else "",
        "events": events(sitting, sitting.since),
        "history": events(sitting),
        "step": sitting.lines,
        "held": held,
        "record": in_textarea(packed(match.record())) if sitting.is_open else "",
        "result": " ".join(result_lines(match, sitting.humans, SCREEN)) if match.over else "",
        "error": "",
    }
    return told


def _falling(sitting: Sitting) -> dict[str, Any]:
    """Which dice are to be said, by how many faces a die has."""
    sizes, highest = sitting.falling()
    again = bool(sitting.match.thrown)
    return {"sizes": sizes, "faces": range(1, highest + 1), "again": again, "by_program": sitting.thrown}
