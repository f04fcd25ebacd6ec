"""Pages of questions: the form, the answer while it is filled in, reasons, outcomes of a move.

Every address is a whole page; htmx requests the part of it that changes. The address has the whole state.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import FileResponse, RedirectResponse, Response, StreamingResponse

from rollwise.games.registry import find
from rollwise.questions.forecast.compute import forecast
from rollwise.questions.outcomes.compute import outcomes_after
from rollwise.questions.outcomes.data import Outcomes
from rollwise.questions.question import reachable
from rollwise.questions.why.compute import why_of
from rollwise.solutions.lookup import Unsolved, answer_from_solution
from rollwise.solver.model.errors import BadInput, RollwiseError, TooLarge, UnknownGame
from rollwise.solver.model.fields import dice_in_text
from rollwise.solver.model.game import TurnGame
from rollwise.solver.model.moves import parse_move
from rollwise.solver.turn.questions import question_moves
from rollwise.web import address, forms
from rollwise.web.about import other_pages
from rollwise.web.address import PageProblem
from rollwise.web.answers import answer_of, digits_of, ends_of, reasons_of, samples
from rollwise.web.guard import require_can_open
from rollwise.web.home import game_groups, no_game
from rollwise.web.labels import in_words, relabel, text
from rollwise.web.page_question import PageQuestion, read_question
from rollwise.web.records import is_partial
from rollwise.web.templating import FOLDER, OVER, SHARE, templates
from rollwise.web.throws import FROM_KEY, all_throws, next_url, outcome_of_throw, throw_map
from rollwise.web.unsolved import Waiting, begin_solve, waiting_for

THROWN_KEY = "thrown"
PARTS = {  # template of a part of a page, and the header that updates the address
    "check": ("checked.html", "HX-Replace-Url"),  # the answer, while a form is being filled in
    "typed": ("formed.html", "HX-Replace-Url"),  # the answer and the fields, while a rule is being typed
    "form": ("formed.html", "HX-Replace-Url"),  # the same after it: fields that no longer exist are dropped
    "answer": ("checked.html", "HX-Push-Url"),  # the answer with a move open
    "sample": ("sample.html", ""),  # the verdict alone, for the home page
}
router = APIRouter()
View = dict[str, Any]


@router.get("/")
def home(request: Request, find: str = "") -> Response:
    """All games, or those that match a search."""
    groups = game_groups(find)
    nothing = "" if groups else no_game(find[:100], text("home.nothing", find=find[:100]))
    return _page(request, "home.html", {"groups": groups, "find": find[:100], "nothing": nothing})


@router.get("/kept")
def offline(request: Request) -> Response:
    """Page that browsers show while the server does not answer."""
    return _page(request, "kept.html", {"is_away": True})


@router.get("/sw.js")
def service_worker() -> Response:
    """The service worker that shows it."""
    return FileResponse(FOLDER / "static" / "sw.js", headers={"Cache-Control": "no-cache"})


@router.get("/components")
def components(request: Request) -> Response:
    """All components of pages at once, for work on their look."""
    return _page(request, "components.html", samples())


@router.get("/{name}")
async def ask(request: Request, name: str) -> Response:
    """Page of a question; a form without script redirects to the canonical address."""
    question = await _question(request, name)
    if isinstance(question, PageQuestion) and question.in_pieces and not question.problems:
        return RedirectResponse(question.url, 303)
    return question if isinstance(question, Response) else _page(request, "ask.html", await _view(request, question))


@router.get("/{name}/check")
@router.get("/{name}/typed")
@router.get("/{name}/form")
@router.get("/{name}/answer")
@router.get("/{name}/sample")
async def part(request: Request, name: str) -> Response:
    """A part of the page that changes; without htmx the whole page."""
    which = request.url.path.rpartition("/")[2]
    question = await _question(request, name, forgiving=which == "form")
    if isinstance(question, Response):
        return question
    view = await _view(request, question)
    template, header = PARTS[which]
    headers = {header: question.url} if header and all(problem.over for problem in question.problems) else {}
    if header and question.problems and all(problem.to_come for problem in question.problems):
        headers["HX-Reswap"] = "none"  # the last answer stays, greyed, until all dice are entered
    return _page(request, template if is_partial(request) else "ask.html", view, headers)


@router.get("/{name}/why")
@router.get("/{name}/next")
@router.get("/{name}/throws")
@router.get("/{name}/digits")
@router.get("/{name}/ends")
async def detail(request: Request, name: str) -> Response:
    """Page about one aspect of a question (``DETAILS``), or the part of it that htmx puts into a fold."""
    which = request.url.path.rpartition("/")[2]
    about, template, work = DETAILS[which]
    if which == "ends":
        require_can_open(request)
    question = await _question(request, name, leaving=FROM_KEY if which == "throws" else "")
    if isinstance(question, Response):
        return question
    if question.problems:  # shown by the page
        return RedirectResponse(f"/{question.game.name}?{request.url.query}", 303)
    if await _waiting(request, question) is not None:
        return RedirectResponse(question.url, 303)
    title, game = question.game.title, question.game.name
    view: View = {"title": title, "game": game, "url": question.url, "problem": None, "about": about, "part": template}
    try:
        view |= await request.app.state.workers.run(work, question, request.query_params.get(FROM_KEY, ""))
    except RollwiseError as error:
        view["problem"] = PageProblem("", str(error))
    is_whole = not is_partial(request)  # htmx shows no part with an error status
    status = 400 if view["problem"] and is_whole else 200
    return _page(request, "one.html" if is_whole else template, view, status=status)


@router.get("/{name}/after")
async def after(request: Request, name: str) -> Response:
    """Redirect to the question after the chosen move and a throw."""
    thrown = request.query_params.get(THROWN_KEY, "")
    question = await _question(request, name, leaving=THROWN_KEY)
    if isinstance(question, Response):
        return question
    problem = None
    if question.position is not None and await _waiting(request, question) is None:
        dice = [face for face in dice_in_text(thrown) if isinstance(face, int)]
        try:
            row = outcome_of_throw(await request.app.state.workers.run(_outcomes, question), dice)
        except RollwiseError:
            row = None
        if row is not None and row.state is not None:
            return RedirectResponse(next_url(question.game, row, question.position.mover), 303)
        problem = PageProblem(THROWN_KEY, text("throws.ended" if row else "throws.none", dice=thrown[:40]))
    return _page(request, "ask.html", {**await _view(request, question), "problem_thrown": problem})


@router.post("/{name}/solve")
@router.post("/{name}/stop")
async def change_solve(request: Request, name: str, job: str = "") -> Response:
    """The question again after its solve is started or stopped; the page shows its problems."""
    change: Callable[..., Awaitable[Waiting | None]] = begin_solve
    if request.url.path.endswith("/stop"):
        request.app.state.jobs.cancel(job)
        change = waiting_for
    question = await _question(request, name, leaving="job")
    if isinstance(question, Response):
        return question
    waiting = None
    with suppress(TooLarge):
        game = await request.app.state.workers.run(_unsolved_game, question)
        waiting = None if game is None else await change(request, game, question.values)
    if not is_partial(request) and (waiting is None or waiting.refusal is None):
        return RedirectResponse(question.url, 303)
    view = await _view(request, question)
    if view["waiting"] is not None and waiting is not None:
        view["waiting"] = waiting
    return _page(request, "checked.html" if is_partial(request) else "ask.html", view)


@router.get("/{name}/progress/{job}")
async def progress_events(request: Request, name: str, job: str) -> Response:
    """Progress of a job, as server-sent events whose data are parts of a page."""
    jobs = request.app.state.jobs
    waiting = Waiting(jobs.get(job))

    async def lines() -> AsyncIterator[str]:
        async for event in jobs.events(waiting.job):
            shown = templates.get_template("progress.html").render(waiting=waiting)
            part = f"event: {SHARE if event == 'share' else OVER}\ndata: {' '.join(shown.split())}\n\n"
            yield ": still there\n\n" if event == "quiet" else part

    return StreamingResponse(lines(), media_type="text/event-stream", headers={"Cache-Control": "no-store"})


# --- shared -----------------------------------------------------------------------------------------------------------


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
    """Question of an address without the pair ``leaving``, or the page for an unknown game."""
    pairs = [pair for pair in request.query_params.multi_items() if pair[0] != leaving]
    try:
        if (called := find(name).name) != name:
            return RedirectResponse(f"/{called}?{request.url.query}".removesuffix("?"), 303)
        question: PageQuestion = await request.app.state.workers.run(read_question, name, pairs, forgiving=forgiving)
    except UnknownGame:
        view = {"groups": game_groups(name) or game_groups(""), "find": "", "problem": PageProblem("", no_game(name))}
        return _page(request, "home.html", view, status=404)
    return question


async def _view(request: Request, question: PageQuestion) -> View:
    """Values of the templates of a question's page."""
    view: View = {"answer": None, "map": None, "waiting": None, "best": ""}
    if question.position is not None:
        try:
            view["waiting"] = await _waiting(request, question)
            if view["waiting"] is None:
                view |= await request.app.state.workers.run(_answer_view, question)
        except Unsolved as error:  # the cache was cleared just now, or is damaged
            view["waiting"] = await waiting_for(request, error.game, error.fields)
        except RollwiseError as error:
            names = [field.name for field in question.game.fields()]
            is_input = isinstance(error, BadInput)
            wrong = address.problem_of(error, names, ()) if is_input else PageProblem("", str(error), is_input=False)
            question = replace(question, problems=(replace(wrong, message=relabel(question.game, wrong.message)),))
    controls, rules = forms.field_controls(question), forms.parameter_controls(question)
    shown = {control.name for control in (*controls, *rules)}
    rules_query = address.encode_pairs(address.rule_pairs(question.game))
    from_here = question.position is not None and question.game.part() is not question.game  # play begins here
    labels = {control.name: control.label for control in (*controls, *rules)}
    question_pairs = address.query_pairs(question.game, question.values) if question.position is not None else []
    wrong_ones = [problem for problem in question.problems if problem.is_wrong]
    return view | {
        "game": question.game.name,
        "title": question.game.title,
        "rules_text": relabel(question.game, question.game.rules),
        "rules": rules,
        "controls": controls,
        "rules_are_open": any(control.problem for control in rules) or bool(question.parameters),
        "problems": question.problems,
        "wrong": wrong_ones,
        "stray": [problem for problem in wrong_ones if problem.where not in shown],
        "turned": address.is_relative(question.game) and address.TURNED_KEY in request.query_params,
        "url": question.url,
        "lit": ",".join(map(str, parse_move(view["best"]).kept)),
        "query": question.url.partition("?")[2],
        "rules_query": rules_query,
        "play_query": address.query_string(question.game, question.values) if from_here else rules_query,
        "others": other_pages(question.game),
        "problem_thrown": None,
        "question_text": " · ".join(
            f"{labels.get(name, name)} {in_words(value, name)}" for name, value in question_pairs
        ),
        "lying": [dice for name, dice in question.values.items() if dice and forms.is_dice(question.game, name)],
    }


async def _waiting(request: Request, question: PageQuestion) -> Waiting | None:
    """State of the solve that a question waits for; None if there is none."""
    game = await request.app.state.workers.run(_unsolved_game, question)
    return None if game is None else await waiting_for(request, game, question.values)


def _unsolved_game(question: PageQuestion) -> TurnGame | None:
    """The game of a question that may have to be solved, or the part that it needs; None if nothing has to be."""
    game, position = question.game, question.position
    if position is None:
        return None
    if game.part() is game:
        return question.game
    try:
        answer_from_solution(game, reachable(game, question.values, position), lambda solved: None)
    except Unsolved as error:
        return error.game
    return None


def _answer_view(question: PageQuestion) -> View:
    """The answer, and the map of the chosen move; the map of an only move is loaded later."""
    assert question.position is not None
    game, fields = question.game, question.values
    advice = question.advice(stops=True)
    link = partial(address.query_string, game, fields)
    only = advice.moves[0].move if len(advice.moves) == 1 and not question.move else ""
    can_throw = bool(question_moves(game, question.position.state))
    view: View = {"map": None, "map_problem": None, "only": link(only) if only else ""}
    view["roll_query"] = link("roll") if can_throw and not advice.moves else ""
    view["turn_end_url"] = "" if can_throw else _turn_end_url(game, fields)
    if question.move:
        try:
            view |= _map_view(question)
        except BadInput as error:
            view["map_problem"] = PageProblem(address.MOVE_KEY, str(error))
    move = view["map"].move if view["map"] else only
    view["best"] = advice.best[0] if advice.best else ""
    has_scores = game.has_final_score and game.measure == "score" and question.position.state in game.roots()
    return {**view, "answer": answer_of(advice, move, link, may_forecast=has_scores)}


def _turn_end_url(game: TurnGame, fields: Mapping[str, Any]) -> str:
    """Address after a final throw: the question with the dice on the table as the outcome of roll; else empty."""
    for name, dice in fields.items():
        before = {other: value for other, value in fields.items() if other != name}
        if forms.is_dice(game, name) and question_moves(game, game.locate(**before).state):
            pairs = [*address.query_pairs(game, before, "roll"), (THROWN_KEY, ",".join(map(str, dice)))]
            return f"/{game.name}/after?{address.encode_pairs(pairs)}"
    return ""


def _outcomes(question: PageQuestion) -> Outcomes:
    assert question.position is not None
    return outcomes_after(question.game, question.values, question.position, question.move or None)


def _map_view(question: PageQuestion, start: str = "") -> View:
    """Map of the outcomes of the move."""
    outcomes = _outcomes(question)
    pairs = address.query_pairs(question.game, question.values, outcomes.move)
    shown = throw_map(outcomes, question.game, address.encode_pairs(pairs))
    return {"map": shown, "state_pairs": pairs, "problem_thrown": None}


def _throws_view(question: PageQuestion, start: str) -> View:
    """Outcomes of the move, best first, some at a time."""
    first = int(start) if start.isdecimal() and len(start) < 9 else 0
    query = address.query_string(question.game, question.values, question.move)
    return {"blocks": all_throws(_outcomes(question), question.game, query, first)}


def _digits_view(question: PageQuestion, start: str) -> View:
    return {"blocks": digits_of(question.advice())}


def _ends_view(question: PageQuestion, start: str) -> View:
    game = question.game
    return {"blocks": ends_of(forecast(game.name, params=game.parameters(), state=question.values))}


def _why_view(question: PageQuestion, start: str) -> View:
    """Reasons against the chosen move, or against the second best if the best is chosen."""
    assert question.position is not None
    best = question.advice().best[:1]
    other = question.move if question.move and question.move not in best else None
    return {"blocks": reasons_of(why_of(question.game, question.values, question.position, other))}


DETAILS: dict[str, tuple[str, str, Callable[[PageQuestion, str], View]]] = {  # its name on the page, template, values
    "why": ("why", "blocks.html", _why_view),
    "next": ("throws", "map.html", _map_view),
    "throws": ("throws", "blocks.html", _throws_view),
    "digits": ("digits", "blocks.html", _digits_view),
    "ends": ("ends", "blocks.html", _ends_view),
}
