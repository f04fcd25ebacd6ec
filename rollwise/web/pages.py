"""The pages on which questions are asked: a form, the answer while it is filled in, why, and what comes next.

Every address is a whole page; what htmx asks for is the part of it that changes. The state stands in the address.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response, StreamingResponse

from rollwise.answers.spelling import shown_state
from rollwise.asking.ask import answer
from rollwise.asking.outcomes import what_follows
from rollwise.asking.why import why_of
from rollwise.games.registry import find
from rollwise.solved.games import Unsolved
from rollwise.solver.game.errors import BadInput, RollwiseError, UnknownGame
from rollwise.solver.game.fields import dice_said
from rollwise.solver.game.model import TurnGame
from rollwise.solver.kinds.kind import Wanted
from rollwise.solver.turn.query import moves_asked
from rollwise.web import address, forms
from rollwise.web.address import Problem
from rollwise.web.answers import answer_of
from rollwise.web.home import games
from rollwise.web.page_question import PageQuestion, read_question
from rollwise.web.posted import is_part
from rollwise.web.reasons import reasons_of
from rollwise.web.templating import templates
from rollwise.web.texts import text
from rollwise.web.throws import after_throw, followed, map_of
from rollwise.web.unsolved import Waiting, begun, progress, waiting_for

THROWN = "thrown"
router = APIRouter()
View = dict[str, Any]


@router.get("/")
def home(request: Request, find: str = "") -> Response:
    """All games, or those that fit what was typed."""
    return _page(request, "home.html", {"groups": games(find), "find": find[:100]})


@router.get("/{name}")
async def ask(request: Request, name: str) -> Response:
    """The page of a question; what a form without script sends is put in its one spelling first."""
    return await _told(request, name, "ask.html", tidy=True)


@router.get("/{name}/check")
async def check(request: Request, name: str) -> Response:
    """The answer while a form is filled in: the address goes along."""
    return await _told(request, name, "checked.html", header="HX-Replace-Url")


@router.get("/{name}/typed")
@router.get("/{name}/form")
async def form(request: Request, name: str) -> Response:
    """The answer and the fields while a rule is typed; once that is done, fields that there are no more are dropped."""
    is_changed = request.url.path.endswith("/form")
    return await _told(request, name, "formed.html", header="HX-Replace-Url", forgiving=is_changed)


@router.get("/{name}/answer")
async def look(request: Request, name: str) -> Response:
    """The answer with a move looked at."""
    return await _told(request, name, "checked.html", header="HX-Push-Url")


@router.get("/{name}/why")
async def why(request: Request, name: str) -> Response:
    """Why the best move is better than the chosen one, or the second best."""
    return await _one(request, name, "why", "reasons.html", _why)


@router.get("/{name}/next")
async def next_throw(request: Request, name: str) -> Response:
    """What the chosen move leads to, alone."""
    return await _one(request, name, "throws", "map.html", _map)


@router.get("/{name}/throws")
async def throws(request: Request, name: str) -> Response:
    """Every outcome of the chosen move, however many there are."""
    return await _one(request, name, "throws", "outcomes.html", _throws)


@router.get("/{name}/after")
async def after(request: Request, name: str) -> Response:
    """On to the question that follows the chosen move and what was thrown."""
    items = request.query_params.multi_items()
    thrown = next((value for key, value in items if key == THROWN), "")
    told = await _asked(request, name, [pair for pair in items if pair[0] != THROWN])
    if isinstance(told, Response):
        return told
    problem = None
    if told.position is not None and await waiting_for(request, told.game) is None:
        dice = [face for face in dice_said(thrown) if isinstance(face, int)]
        try:
            row = after_throw(await request.app.state.workers.run(_follow, told), dice)
        except RollwiseError:
            row = None
        if row is not None and row.state is not None:
            return RedirectResponse(followed(told.game, row, told.position.mover), 303)
        key = "throws.ended" if row is not None else "throws.none"
        problem = Problem(THROWN, text(key, dice=thrown[:40]))
    view = await _answered(request, told)
    return _page(request, "ask.html", {**view, "problem_thrown": problem})


@router.post("/{name}/solve")
async def solve(request: Request, name: str) -> Response:
    """Begin the solve that a question waits for."""
    return await _changed(request, name, begun)


@router.post("/{name}/stop")
async def stop(request: Request, name: str, job: str = "") -> Response:
    """Stop the solve that a question waits for, for all who do."""

    async def stopped(request: Request, game: TurnGame) -> Waiting | None:
        request.app.state.jobs.cancel(job)
        return await waiting_for(request, game)

    return await _changed(request, name, stopped, leaving=("job",))


@router.get("/{name}/progress/{job}")
async def news(request: Request, name: str, job: str) -> Response:
    """Tell of a solve as it goes on, as events whose data are parts of a page."""
    jobs = request.app.state.jobs
    jobs.get(job)

    async def lines() -> AsyncIterator[str]:
        async for event, waiting in progress(jobs, job):
            if waiting is None:
                yield ": still there\n\n"
            else:
                part = templates.get_template("progress.html").render(waiting=waiting)
                yield f"event: {event}\ndata: {' '.join(part.split())}\n\n"

    return StreamingResponse(lines(), media_type="text/event-stream", headers={"Cache-Control": "no-store"})


async def _changed(
    request: Request,
    name: str,
    change: Callable[[Request, TurnGame], Awaitable[Waiting | None]],
    leaving: tuple[str, ...] = (),
) -> Response:
    """The question again, after something was done about its solve."""
    told = await _asked(request, name, [pair for pair in request.query_params.multi_items() if pair[0] not in leaving])
    if isinstance(told, Response):
        return told
    waiting = await change(request, told.game)
    if not is_part(request) and (waiting is None or not waiting.refused):
        return RedirectResponse(told.url, 303)
    view = await _answered(request, told)
    if view["waiting"] is not None and waiting is not None:
        view["waiting"] = waiting
    return _page(request, "checked.html" if is_part(request) else "ask.html", view)


# --- what all of them do ---------------------------------------------------------------------------------------------


def _page(
    request: Request, template: str, view: Mapping[str, Any], headers: Mapping[str, str] | None = None
) -> Response:
    told = {"Vary": "HX-Request", "Cache-Control": "no-cache", **(headers or {})}
    return templates.TemplateResponse(request, template, dict(view), headers=told)


async def _asked(
    request: Request, name: str, items: list[tuple[str, str]] | None = None, forgiving: bool = False
) -> PageQuestion | Response:
    """The question of an address, or the page that says that there is no such game."""
    pairs = request.query_params.multi_items() if items is None else items
    try:
        if find(name).name != name:
            asked_for = f"?{request.url.query}" if request.url.query else ""
            return RedirectResponse(f"/{find(name).name}{asked_for}", 303)
        told: PageQuestion = await request.app.state.workers.run(read_question, name, pairs, forgiving=forgiving)
    except UnknownGame as error:
        view = {"groups": games(""), "find": "", "problem": Problem("", str(error))}
        response = _page(request, "home.html", view)
        response.status_code = 404
        return response
    return told


async def _told(
    request: Request, name: str, template: str, *, tidy: bool = False, header: str = "", forgiving: bool = False
) -> Response:
    """A question and its answer, as a whole page or as the part that was asked for."""
    told = await _asked(request, name, forgiving=forgiving)
    if isinstance(told, Response):
        return told
    if tidy and told.in_pieces and not told.problems:
        return RedirectResponse(told.url, 303)
    view = await _answered(request, told)
    is_whole = tidy or not is_part(request)
    headers = {header: told.url} if header and all(problem.over for problem in told.problems) else {}
    if told.problems and all(problem.to_come for problem in told.problems):
        headers["HX-Reswap"] = "none"  # the answer before stays, greyed, until all dice lie
    return _page(request, "ask.html" if is_whole else template, view, headers)


async def _answered(request: Request, told: PageQuestion) -> View:
    """All that a page of a question shows."""
    view: View = {"answer": None, "map": None, "waiting": None}
    if told.position is not None:
        waiting = await waiting_for(request, told.game)
        if waiting is not None:
            view["waiting"] = waiting
        else:
            try:
                view |= await request.app.state.workers.run(_answer, told)
            except Unsolved:  # just now somebody has cleared the cache, or it is damaged
                view["waiting"] = await waiting_for(request, told.game)
            except BadInput as error:
                names = [field.name for field in told.game.fields()]
                told = replace(told, problems=(address.problem(error, names, ()),))
            except RollwiseError as error:
                told = replace(told, problems=(Problem("", str(error)),))
    controls, rules = forms.fields(told), forms.parameters(told)
    shown = {control.name for control in (*controls, *rules)}
    return view | {
        "game": told.game.name,
        "title": find(told.game.name).title,
        "rules_text": told.game.rules,
        "rules": rules,
        "controls": controls,
        "rules_are_open": any(control.problem for control in rules) or bool(told.parameters),
        "problems": told.problems,
        "wrong": [problem for problem in told.problems if problem.is_wrong],
        "stray": [problem for problem in told.problems if problem.where not in shown and problem.is_wrong],
        "turned": address.swaps(told.game) and address.TURNED in request.query_params,
        "url": told.url,
        "query": told.url.partition("?")[2],
        "move": told.move,
        "rules_query": address.written(address.rules(told.game)),
        "problem_thrown": None,
        "state": shown_state(told.given),
    }


def _answer(told: PageQuestion) -> View:
    """The answer, and the map of the move that is looked at; that of the only move comes after it."""
    assert told.position is not None
    found = answer(told.game, told.given, told.position, Wanted())
    moves = [move.move for move in found.moves]
    only = moves[0] if len(moves) == 1 and not told.move else ""
    link = partial(address.query, told.game, told.given)
    view: View = {"map": None, "map_problem": None, "only": link(only) if only else ""}
    can_throw = bool(moves_asked(told.game, told.position.state))
    view |= {"thrown": link("roll") if can_throw else "", "settled": "" if can_throw else _settled(told)}
    if told.move:
        try:
            view |= _map(told)
        except BadInput as error:
            view["map_problem"] = Problem(address.MOVE, str(error))
    move = view["map"].move if view["map"] else ""
    shown = answer_of(found, find(told.game.name).title, move or only, link)
    return {**view, "answer": shown, "looked_at": link(move)}


def _settled(told: PageQuestion) -> str:
    """The address of what the dice on the table leave, where nobody chooses any more: of the throw that they were."""
    assert told.position is not None
    for name, dice in told.given.items():
        before = {other: value for other, value in told.given.items() if other != name}
        if forms.is_dice(told.game, name) and moves_asked(told.game, told.game.locate(**before).state):
            pairs = [*address.pairs(told.game, before, "roll"), (THROWN, ",".join(map(str, dice)))]
            return f"/{told.game.name}/after?{address.written(pairs)}"
    return ""


def _map(told: PageQuestion) -> View:
    """What the move leads to."""
    drawn = map_of(_follow(told), told.game)
    pairs = address.pairs(told.game, told.given, drawn.move)
    return {"map": drawn, "state_pairs": pairs, "looked_at": address.written(pairs), "problem_thrown": None}


def _follow(told: PageQuestion) -> Any:
    assert told.position is not None
    return what_follows(told.game, told.given, told.position, told.move or None)


def _throws(told: PageQuestion) -> View:
    return {"map": map_of(_follow(told), told.game, all_of_it=True)}


def _why(told: PageQuestion) -> View:
    """The reasons; compared with the second best where the best move is looked at."""
    assert told.position is not None
    found = answer(told.game, told.given, told.position, Wanted())
    other = told.move if told.move and told.move not in found.best[:1] else None
    return {"reasons": reasons_of(why_of(told.game, told.given, told.position, other))}


async def _one(request: Request, name: str, about: str, part: str, work: Callable[[PageQuestion], View]) -> Response:
    """A page about one thing of a question, or the part of it that htmx puts into a fold."""
    told = await _asked(request, name)
    if isinstance(told, Response):
        return told
    view: View = {"title": find(told.game.name).title, "game": told.game.name, "url": told.url, "problem": None}
    if told.problems:  # which the page says
        return RedirectResponse(f"/{told.game.name}?{request.url.query}", 303)
    if await waiting_for(request, told.game) is not None:
        return RedirectResponse(told.url, 303)
    try:
        view |= await request.app.state.workers.run(work, told)
    except RollwiseError as error:
        view["problem"] = Problem("", str(error))
    is_whole = not is_part(request)  # a part shows nothing of an answer that is an error
    response = _page(request, "one.html" if is_whole else part, {**view, "about": about, "part": part})
    response.status_code = 400 if view["problem"] and is_whole else 200
    return response
