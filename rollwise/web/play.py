"""Routes to play a game in the browser: the seats, then the table, step by step.

The page has the record of the game and sends it with each step: the back button works, and a game outlives the server.
Only games with hidden dice are stored (``MatchStore``), as a page must not have dice that its seat may not see.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from rollwise.games.registry import spelt
from rollwise.match.match import Match
from rollwise.match.play_lines import result_lines, seat_name
from rollwise.solutions.lookup import Unsolved
from rollwise.solver.model.errors import BadInput, RollwiseError
from rollwise.solver.model.jsonable import pick
from rollwise.solver.model.moves import keep_move
from rollwise.text.labels import measure_of
from rollwise.web import report
from rollwise.web.home import no_game
from rollwise.web.labels import text
from rollwise.web.play_view import board_of, box_buttons, buttons_of, can_tap, events, final_state, table_dice, visible
from rollwise.web.records import TooLong, escape_textarea, is_partial, pack_record, read_form
from rollwise.web.setup import MAX_INPUT_CHARS, NEW_KEYS, rules_line, setup_view, sitting_of_form
from rollwise.web.sitting import SCREEN, MatchStore, Sitting
from rollwise.web.templating import templates
from rollwise.web.unsolved import waiting_page

router = APIRouter(include_in_schema=False)
router.include_router(report.router)
MAX_TAPPED_DICE = 6
MATCH_KEY = "match"  # name of a stored game, in forms and addresses


class MatchExpired(Exception):
    """A game with hidden dice is no longer stored."""


@router.get("/play/{game}")
@router.post("/play/{game}")
async def play_page(request: Request, game: str) -> Response:
    """Page of seats and options, of a stored game its table; for a posted form the table after one step.

    A new game that is stored redirects to its own address.
    """
    name, query, form = spelt(game), request.query_params, dict[str, str]()
    if name is None:
        return refusal_page(request, BadInput(no_game(game)), 404)
    work = request.app.state.workers.run
    if request.method != "POST" and MATCH_KEY not in query:
        view = await work(setup_view, name, list(query.items()))
        return templates.TemplateResponse(request, "play_begin.html", view, 400 if view["error"] else 200)
    try:
        form = await read_form(request) if request.method == "POST" else {MATCH_KEY: query[MATCH_KEY]}
        view = await work(take_step, name, form, request.app.state.matches)
    except TooLong as error:
        return refusal_page(request, error, 413, name)
    except Unsolved as error:
        return await waiting_page(request, error, form)
    except MatchExpired:
        return refusal_page(request, BadInput(text("play.forgotten")), 410, name)
    except RollwiseError as error:
        if "start" not in form:
            return refusal_page(request, error, 400, name)
        view = setup_view(name, list(form.items())) | {"error": str(error)}  # with the typed values
        return templates.TemplateResponse(request, "play_begin.html", view, 400)
    if view["key"] and form.keys() & NEW_KEYS:
        return RedirectResponse(table_url(view), 303)
    return table_page(request, view)


def table_url(view: Mapping[str, Any]) -> str:
    """Address of the table of a stored game."""
    return f"/play/{view['game']}?{MATCH_KEY}={view['key'][0]}"


def table_page(request: Request, view: dict[str, Any]) -> Response:
    """The table as a page, or as a part for htmx."""
    part, status = is_partial(request), 400 if view["error"] else 200
    template = "play_part.html" if part else "play_table.html"
    answer = templates.TemplateResponse(request, template, {**view, "part": part}, status)
    if view["hides"]:
        answer.headers["Cache-Control"] = "no-store"
        if part and view["key"]:
            answer.headers["HX-Replace-Url"] = table_url(view)
    elif part and not view["error"]:
        answer.headers["HX-Push-Url"] = f"/play/{view['game']}?step={view['step']}"
    return answer


def refusal_page(request: Request, error: Exception, status: int, name: str = "") -> Response:
    """Page of an error, with the way back."""
    view = {"error": str(error), "game": name, "part": is_partial(request)}
    return templates.TemplateResponse(request, "play_refused.html", view, status)


# --- one step --------------------------------------------------------------------------------------------------------


def take_step(name: str, form: Mapping[str, str], matches: MatchStore) -> dict[str, Any]:
    """Restore the game of a form, apply its action, and return the values of the table's template."""
    is_new = bool(form.keys() & NEW_KEYS)
    if form.get(MATCH_KEY) and not is_new:
        return _hidden_step(form, matches)
    sitting = sitting_of_form(name, form)
    if is_new:
        if sitting.humans:
            sitting.go_on()
        key = matches.put(None, match_data(sitting)) if sitting.match.hides else None
        return table_view(sitting, key)
    if sitting.match.hides:  # the page has its whole record; it is stored from now on
        return _put(sitting, form, matches, None, 0)
    return _try_action(sitting, form, None)


def _hidden_step(form: Mapping[str, str], matches: MatchStore) -> dict[str, Any]:
    """The same for a stored game; an outdated page gets the present table."""
    name = form[MATCH_KEY]
    stored = matches.get(name)
    if stored is None:
        raise MatchExpired
    how = dict(stored.plain)
    sitting = Sitting(Match.of(how.pop("record")), **how, lot=name)
    if "at" not in form:  # no action
        return table_view(sitting, (name, stored.step))
    if form["at"] != str(stored.step):
        return {**table_view(sitting, (name, stored.step)), "error": text("play.earlier")}
    viewers = [seat for seat in sitting.humans if str(seat) == form.get("viewer")]
    sitting.viewer = viewers[0] if viewers else None
    return _put(sitting, form, matches, name, stored.step)


def _put(sitting: Sitting, form: Mapping[str, str], matches: MatchStore, name: str | None, step: int) -> dict[str, Any]:
    if form.get("do") == "see":
        sitting.viewer = sitting.match.mover
        return table_view(sitting, (name, step) if name else matches.put(None, match_data(sitting)))
    sitting.since = sitting.lines
    view = _try_action(sitting, form, (name, step) if name else None)
    if view["error"] and name:
        return view
    key = matches.put(name, match_data(sitting), step)
    return {**view, "key": key} if key else {**table_view(sitting, (name or "", step)), "error": text("play.earlier")}


def match_data(sitting: Sitting) -> dict[str, Any]:
    """Stored data of a game with hidden dice."""
    record = sitting.match.record()
    pack_record(record)
    return {"record": record, **pick(sitting, "humans", "thrown", "coach", "since")}


def _try_action(sitting: Sitting, form: Mapping[str, str], key: tuple[str, int] | None) -> dict[str, Any]:
    """Apply the action of a form; an error is shown, and the table stays as it was."""
    before = sitting.match.record()
    try:
        tapped = _do_action(sitting, form)
    except BadInput as error:
        sitting.match = Match.of(before)
        return {**table_view(sitting, key), "error": str(error)}
    return table_view(sitting, key, tapped)


def _do_action(sitting: Sitting, form: Mapping[str, str]) -> list[int]:
    """Apply one action; returns the dice tapped so far while more are expected."""
    action = form.get("do", "")
    if "coach_is" in form:
        sitting.coach = form["coach_is"] == "on"
    elif "move" in form:
        sitting.play(form["move"][:MAX_INPUT_CHARS])
    elif form.get("dice", "").strip() and action not in ("undo", "throw"):
        sitting.throw(form["dice"][:MAX_INPUT_CHARS])
    elif action == "keep":
        sitting.play(keep_move(tuple(die for n, die in enumerate(table_dice(visible(sitting))) if f"keep.{n}" in form)))
    elif action == "undo":
        sitting.take_back()
    elif action == "throw":
        sitting.throw()
    elif action in ("on", "end"):
        sitting.go_on(action == "end")
    elif "die" in form:
        tapped = [*_parse_faces(form.get("tapped", "")), *_parse_faces(form["die"])][:MAX_TAPPED_DICE]
        if len(tapped) < min(sitting.falling()[0]):
            return tapped
        sitting.throw(" ".join(map(str, tapped)))
    elif action == "type":
        raise BadInput(text("play.which_dice"))
    return []


def _parse_faces(typed: str) -> list[int]:
    return [int(sign) for sign in typed[:MAX_INPUT_CHARS] if sign in "123456"][:MAX_TAPPED_DICE]


# --- the table -------------------------------------------------------------------------------------------------------


def table_view(sitting: Sitting, key: tuple[str, int] | None, tapped: Sequence[int] = ()) -> dict[str, Any]:
    """Values of the table's template, without dice hidden from this page."""
    match, covered = sitting.match, sitting.covered
    is_choosing = not (match.over or match.waiting or covered) and match.mover in sitting.humans
    buttons, dice = buttons_of(sitting) if is_choosing else [], table_dice(visible(sitting))
    goes_on = not match.over and sitting.goes_on
    names = [seat_name(match, seat, sitting.humans) for seat in range(match.seats)]
    state, mover, is_banked = final_state(match) if match.over else (visible(sitting), match.mover, False)
    history = events(sitting)
    board = board_of(match.turn_game, state, mover, names)
    boxes = box_buttons(buttons, board)
    return {
        **pick(match, "game", "title", "mover", "over", "luck", "hides", "seed"),
        **pick(sitting, "humans", "covered", "thrown", "coach", "lot", "viewer"),
        "rules": rules_line(match.turn_game, match.parameters),
        "names": names,
        "winners": winners(match),
        "is_banked": is_banked,
        "seats": ",".join(map(str, sitting.humans)) or "none",
        "is_own": match.mover in sitting.humans,
        "board": board,
        "boxes": boxes,
        "dice": dice,
        "fallen": next((event for turn in history[::-1] for event in turn[::-1] if not event.moves), None),
        "here": "" if covered or match.over or not state else report.ask_url(match.turn_game, state, match.move or ""),
        "keeps": can_tap(buttons, dice),
        "buttons": [button for button in buttons if button not in boxes.values()],
        "last_move": match.move if match.waiting else None,
        "falling": _dice_view(sitting) if match.waiting and not (match.over or covered or goes_on) else None,
        "tapped": tapped,
        "goes_on": goes_on and not sitting.humans,
        "stopped": goes_on and bool(sitting.humans),
        "undo": not covered and bool(sitting.humans) and sitting.can_take_back,
        "cost": "" if covered else sitting.cost,
        "events": events(sitting, sitting.since),
        "history": history,
        "step": sitting.lines,
        "key": key,
        "record": escape_textarea(pack_record(match.record())) if sitting.is_open else "",
        "result": " ".join(result_lines(match, sitting.humans, SCREEN)) if match.over else "",
        "error": "",
    }


def winners(match: Match) -> list[int]:
    """Seats with the best result; empty without a winner."""
    result = match.result if match.over else None
    if result is None or match.seats == 1 or measure_of(match.turn_game, match.parameters, {}).name == "lose":
        return []
    return [seat for seat, has in enumerate(result) if has == max(result) > min(result)]


def _dice_view(sitting: Sitting) -> dict[str, Any]:
    """Numbers of dice and faces to tap."""
    sizes, highest = sitting.falling()
    again = bool(sitting.match.thrown)
    return {"sizes": sizes, "faces": range(1, highest + 1), "again": again, "by_program": sitting.thrown}
