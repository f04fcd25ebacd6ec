"""The pages on which questions are asked: a form, the answer while it is filled in, why, and what comes next.

Every address is a whole page; what htmx asks for is the part of it that changes. The state stands in the address.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import FileResponse, RedirectResponse, Response, StreamingResponse

from rollwise.answers.moves import does
from rollwise.answers.outcomes import Outcomes
from rollwise.asking.ask import answer
from rollwise.asking.forecast import forecast
from rollwise.asking.outcomes import what_follows
from rollwise.asking.question import reachable
from rollwise.asking.why import why_of
from rollwise.games.registry import WITH_SCORES, find
from rollwise.solutions.games import Unsolved, with_solved
from rollwise.solver.kinds.kind import QueryOptions
from rollwise.solver.model.errors import BadInput, RollwiseError, TooLarge, UnknownGame
from rollwise.solver.model.fields import dice_said
from rollwise.solver.model.game import TurnGame
from rollwise.solver.turn.query import moves_asked
from rollwise.web import address, forms
from rollwise.web.about import others
from rollwise.web.address import PageProblem
from rollwise.web.answers import answer_of, digits_of, ends_of, reasons_of, samples
from rollwise.web.guard import require_may_open
from rollwise.web.home import games, no_game
from rollwise.web.labels import in_words, told
from rollwise.web.page_question import PageQuestion, read_question
from rollwise.web.posted import is_part
from rollwise.web.templating import FOLDER, templates
from rollwise.web.texts import text
from rollwise.web.throws import FROM, after_throw, all_throws, followed, map_of
from rollwise.web.unsolved import Waiting, begun, progress, waiting_for

THROWN = "thrown"
PARTS = {  # what is put into the page that is there, and the header that takes the address along
    "check": ("checked.html", "HX-Replace-Url"),  # the answer, while a form is filled in
    "typed": ("formed.html", "HX-Replace-Url"),  # and the fields, while a rule is typed,
    "form": ("formed.html", "HX-Replace-Url"),  # and once that is done: fields that there are no more are dropped
    "answer": ("checked.html", "HX-Push-Url"),  # the answer with a move looked at
}
router = APIRouter()
View = dict[str, Any]


@router.get("/")
def home(request: Request, find: str = "") -> Response:
    """All games, or those that fit what was typed."""
    groups = games(find)
    nothing = "" if groups else no_game(find[:100], text("home.nothing", find=find[:100]))
    return _page(request, "home.html", {"groups": groups, "find": find[:100], "nothing": nothing})


@router.get("/kept")
def kept(request: Request) -> Response:
    """What browsers show in place of a page while the server does not answer."""
    return _page(request, "kept.html", {"is_away": True})


@router.get("/sw.js")
def worker() -> Response:
    """What has them do so."""
    return FileResponse(FOLDER / "static" / "sw.js", headers={"Cache-Control": "no-cache"})


@router.get("/components")
def components(request: Request) -> Response:
    """What pages are made of, all of it at once: for who works on the look."""
    return _page(request, "components.html", samples())


@router.get("/{name}")
async def ask(request: Request, name: str) -> Response:
    """The page of a question; what a form without script sends is put in its one spelling first."""
    question = await _question(request, name)
    if isinstance(question, PageQuestion) and question.in_pieces and not question.problems:
        return RedirectResponse(question.url, 303)
    return question if isinstance(question, Response) else _page(request, "ask.html", await _view(request, question))


@router.get("/{name}/check")
@router.get("/{name}/typed")
@router.get("/{name}/form")
@router.get("/{name}/answer")
async def part(request: Request, name: str) -> Response:
    """A part of it that changes; asked for as a page it is one."""
    which = request.url.path.rpartition("/")[2]
    question = await _question(request, name, forgiving=which == "form")
    if isinstance(question, Response):
        return question
    view = await _view(request, question)
    template, header = PARTS[which]
    headers = {header: question.url} if all(problem.over for problem in question.problems) else {}
    if question.problems and all(problem.to_come for problem in question.problems):
        headers["HX-Reswap"] = "none"  # the answer before stays, greyed, until all dice lie
    return _page(request, template if is_part(request) else "ask.html", view, headers)


@router.get("/{name}/sample")
async def sample(request: Request, name: str) -> Response:
    """The verdict alone, as the first page has it; asked for as a page it is the whole question."""
    question = await _question(request, name)
    if isinstance(question, Response):
        return question
    return _page(request, "sample.html" if is_part(request) else "ask.html", await _view(request, question))


@router.get("/{name}/why")
async def why(request: Request, name: str) -> Response:
    """Why the best move is better than the chosen one, or the second best."""
    return await _one(request, name, "why", "blocks.html", _why)


@router.get("/{name}/next")
async def next_throw(request: Request, name: str) -> Response:
    """What the chosen move leads to, alone."""
    return await _one(request, name, "throws", "map.html", _map)


@router.get("/{name}/throws")
async def throws(request: Request, name: str) -> Response:
    """Outcomes of the chosen move, the best first; of very many a part."""
    start = request.query_params.get(FROM, "")
    throws = partial(_throws, start=int(start) if start.isdecimal() and len(start) < 9 else 0)
    return await _one(request, name, "throws", "blocks.html", throws, leaving=FROM)


@router.get("/{name}/digits")
async def digits(request: Request, name: str) -> Response:
    """All digits of an answer, and how far each number is off at most."""
    return await _one(request, name, "digits", "blocks.html", _digits)


@router.get("/{name}/ends")
async def ends(request: Request, name: str) -> Response:
    """How likely each final score is."""
    require_may_open(request)
    return await _one(request, name, "ends", "blocks.html", _ends)


@router.get("/{name}/after")
async def after(request: Request, name: str) -> Response:
    """On to the question that follows the chosen move and what was thrown."""
    thrown = request.query_params.get(THROWN, "")
    question = await _question(request, name, leaving=THROWN)
    if isinstance(question, Response):
        return question
    problem = None
    if question.position is not None and await _waiting(request, question) is None:
        dice = [face for face in dice_said(thrown) if isinstance(face, int)]
        try:
            row = after_throw(await request.app.state.workers.run(_outcomes, question), dice)
        except RollwiseError:
            row = None
        if row is not None and row.state is not None:
            return RedirectResponse(followed(question.game, row, question.position.mover), 303)
        problem = PageProblem(THROWN, text("throws.ended" if row else "throws.none", dice=thrown[:40]))
    return _page(request, "ask.html", {**await _view(request, question), "problem_thrown": problem})


@router.post("/{name}/solve")
async def solve(request: Request, name: str) -> Response:
    """Begin the solve that a question waits for."""
    return await _changed(request, name, begun)


@router.post("/{name}/stop")
async def stop(request: Request, name: str, job: str = "") -> Response:
    """Stop the solve that a question waits for, for all who do."""
    request.app.state.jobs.cancel(job)
    return await _changed(request, name, waiting_for)


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
                shown = templates.get_template("progress.html").render(waiting=waiting)
                yield f"event: {event}\ndata: {' '.join(shown.split())}\n\n"

    return StreamingResponse(lines(), media_type="text/event-stream", headers={"Cache-Control": "no-store"})


async def _changed(
    request: Request, name: str, change: Callable[[Request, TurnGame, Mapping[str, Any]], Awaitable[Waiting | None]]
) -> Response:
    """The question again, after something was done about its solve; what is wrong with it the page says."""
    question = await _question(request, name, leaving="job")
    if isinstance(question, Response):
        return question
    waiting = None
    with suppress(TooLarge):
        game = await request.app.state.workers.run(_to_solve, question)
        waiting = None if game is None else await change(request, game, question.given)
    if not is_part(request) and (waiting is None or not waiting.refused):
        return RedirectResponse(question.url, 303)
    view = await _view(request, question)
    if view["waiting"] is not None and waiting is not None:
        view["waiting"] = waiting
    return _page(request, "checked.html" if is_part(request) else "ask.html", view)


# --- what all of them do ---------------------------------------------------------------------------------------------


def _page(
    request: Request,
    template: str,
    view: Mapping[str, Any],
    headers: Mapping[str, str] | None = None,
    status: int = 200,
) -> Response:
    headers = {"Vary": "HX-Request", "Cache-Control": "no-cache", **(headers or {})}
    return templates.TemplateResponse(request, template, dict(view), status, headers)


async def _question(
    request: Request, name: str, *, leaving: str = "", forgiving: bool = False
) -> PageQuestion | Response:
    """The question of an address without the pair ``leaving``, or the page that says that there is no such game."""
    pairs = [pair for pair in request.query_params.multi_items() if pair[0] != leaving]
    try:
        if (called := find(name).name) != name:
            return RedirectResponse(f"/{called}?{request.url.query}".removesuffix("?"), 303)
        question: PageQuestion = await request.app.state.workers.run(read_question, name, pairs, forgiving=forgiving)
    except UnknownGame:
        view = {"groups": games(name) or games(""), "find": "", "problem": PageProblem("", no_game(name))}
        return _page(request, "home.html", view, status=404)
    return question


async def _view(request: Request, question: PageQuestion) -> View:
    """All that a page of a question shows."""
    view: View = {"answer": None, "map": None, "waiting": None, "best": ""}
    if question.position is not None:
        try:
            view["waiting"] = await _waiting(request, question)
            if view["waiting"] is None:
                view |= await request.app.state.workers.run(_answer, question)
        except Unsolved as error:  # just now somebody has cleared the cache, or it is damaged
            view["waiting"] = await waiting_for(request, error.game, error.fields)
        except RollwiseError as error:
            names = [field.name for field in question.game.fields()]
            is_input = isinstance(error, BadInput)
            wrong = address.problem(error, names, ()) if is_input else PageProblem("", str(error), is_input=False)
            question = replace(question, problems=(replace(wrong, message=told(question.game, wrong.message)),))
    controls, rules = forms.fields(question), forms.parameters(question)
    shown = {control.name for control in (*controls, *rules)}
    rules_query = address.written(address.rules(question.game))
    from_here = question.position is not None and question.game.part() is not question.game  # earlier is too much
    labels = {control.name: control.label for control in (*controls, *rules)}
    asked = address.pairs(question.game, question.given) if question.position is not None else []
    wrong_ones = [problem for problem in question.problems if problem.is_wrong]
    return view | {
        "game": question.game.name,
        "title": find(question.game.name).title,
        "rules_text": told(question.game, question.game.rules),
        "rules": rules,
        "controls": controls,
        "rules_are_open": any(control.problem for control in rules) or bool(question.parameters),
        "problems": question.problems,
        "wrong": wrong_ones,
        "stray": [problem for problem in wrong_ones if problem.where not in shown],
        "turned": address.swaps(question.game) and address.TURNED in request.query_params,
        "url": question.url,
        "lit": ",".join(map(str, does(view["best"]).kept)),
        "query": question.url.partition("?")[2],
        "rules_query": rules_query,
        "play_query": address.query(question.game, question.given) if from_here else rules_query,
        "others": others(question.game),
        "problem_thrown": None,
        "asked": " · ".join(f"{labels.get(name, name)} {in_words(value, name)}" for name, value in asked),
        "lying": [dice for name, dice in question.given.items() if dice and forms.is_dice(question.game, name)],
    }


async def _waiting(request: Request, question: PageQuestion) -> Waiting | None:
    """What a question waits for before it can be answered."""
    game = await request.app.state.workers.run(_to_solve, question)
    return None if game is None else await waiting_for(request, game, question.given)


def _to_solve(question: PageQuestion) -> TurnGame | None:
    """The game of a question that may have to be solved, or what it needs of that; None where nothing has to be."""
    game, position = question.game, question.position
    if position is None:
        return None
    if game.part() is game:
        return question.game
    try:
        with_solved(game, reachable(game, question.given, position), lambda solved: None)
    except Unsolved as error:
        return error.game
    return None


def _answer(question: PageQuestion) -> View:
    """The answer, and the map of the move that is looked at; that of the only move comes after it."""
    assert question.position is not None
    game, fields = question.game, question.given
    advice = answer(game, fields, question.position, QueryOptions(), stops=True)
    link = partial(address.query, game, fields)
    only = advice.moves[0].move if len(advice.moves) == 1 and not question.move else ""
    can_throw = bool(moves_asked(game, question.position.state))
    view: View = {"map": None, "map_problem": None, "only": link(only) if only else ""}
    view["thrown"] = link("roll") if can_throw and not advice.moves else ""
    view["settled"] = "" if can_throw else _settled(game, fields)
    if question.move:
        try:
            view |= _map(question)
        except BadInput as error:
            view["map_problem"] = PageProblem(address.MOVE, str(error))
    move = view["map"].move if view["map"] else only
    view["best"] = advice.best[0] if advice.best else ""
    has_scores = game.name in WITH_SCORES and game.measure == "score" and question.position.state in game.roots()
    return {**view, "answer": answer_of(advice, move, link, may_forecast=has_scores)}


def _settled(game: TurnGame, fields: Mapping[str, Any]) -> str:
    """The address of what the dice on the table leave, where nobody chooses any more: of the throw that they were."""
    for name, dice in fields.items():
        before = {other: value for other, value in fields.items() if other != name}
        if forms.is_dice(game, name) and moves_asked(game, game.locate(**before).state):
            pairs = [*address.pairs(game, before, "roll"), (THROWN, ",".join(map(str, dice)))]
            return f"/{game.name}/after?{address.written(pairs)}"
    return ""


def _outcomes(question: PageQuestion) -> Outcomes:
    assert question.position is not None
    return what_follows(question.game, question.given, question.position, question.move or None)


def _map(question: PageQuestion) -> View:
    """What the move leads to."""
    outcomes = _outcomes(question)
    pairs = address.pairs(question.game, question.given, outcomes.move)
    shown = map_of(outcomes, question.game, address.written(pairs))
    return {"map": shown, "state_pairs": pairs, "problem_thrown": None}


def _throws(question: PageQuestion, start: int) -> View:
    query = address.query(question.game, question.given, question.move)
    return {"blocks": all_throws(_outcomes(question), question.game, query, start)}


def _digits(question: PageQuestion) -> View:
    assert question.position is not None
    return {"blocks": digits_of(answer(question.game, question.given, question.position, QueryOptions()))}


def _ends(question: PageQuestion) -> View:
    """How the game ends."""
    game = question.game
    return {"blocks": ends_of(forecast(game.name, params=game.parameters(), state=question.given))}


def _why(question: PageQuestion) -> View:
    """The reasons; compared with the second best where the best move is looked at."""
    assert question.position is not None
    best = answer(question.game, question.given, question.position, QueryOptions()).best[:1]
    other = question.move if question.move and question.move not in best else None
    return {"blocks": reasons_of(why_of(question.game, question.given, question.position, other))}


async def _one(
    request: Request,
    name: str,
    about: str,
    template: str,
    work: Callable[[PageQuestion], View],
    leaving: str = "",
) -> Response:
    """A page about one thing of a question, or the part of it that htmx puts into a fold."""
    question = await _question(request, name, leaving=leaving)
    if isinstance(question, Response):
        return question
    if question.problems:  # which the page says
        return RedirectResponse(f"/{question.game.name}?{request.url.query}", 303)
    if await _waiting(request, question) is not None:
        return RedirectResponse(question.url, 303)
    title, game = find(question.game.name).title, question.game.name
    view: View = {"title": title, "game": game, "url": question.url, "problem": None, "about": about, "part": template}
    try:
        view |= await request.app.state.workers.run(work, question)
    except RollwiseError as error:
        view["problem"] = PageProblem("", str(error))
    is_whole = not is_part(request)  # a part shows nothing of an answer that is an error
    return _page(
        request, "one.html" if is_whole else template, view, status=400 if view["problem"] and is_whole else 200
    )
