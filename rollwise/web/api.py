"""The JSON interface: what the commands answer with ``--json``, over HTTP."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Annotated, Any

from fastapi import APIRouter, Path, Request
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.responses import Response, StreamingResponse
from starlette.routing import Match

import rollwise
from rollwise.solved.games import Unsolved
from rollwise.solver.game.errors import BadInput
from rollwise.web import answering, bodies, shapes
from rollwise.web.jobs import Event, Job
from rollwise.web.problems import as_json
from rollwise.web.questions import read_json

PARAMETER = "p."  # before the name of a rule parameter in an address
Handler = Callable[[Request], Coroutine[Any, Any, Response]]


class Strictly(Request):
    """A request whose JSON is read as the standard has it, and bounded."""

    async def json(self) -> Any:
        """The body."""
        return read_json(await self.body())


class StrictRoute(APIRoute):
    """A route of such requests."""

    def get_route_handler(self) -> Handler:
        """See ``APIRoute``."""
        handle = super().get_route_handler()

        async def strictly(request: Request) -> Response:
            return await handle(Strictly(request.scope, request.receive))

        return strictly


Answers = dict[int | str, dict[str, Any]]


def _answers(model: Any, description: str, status: int = 200) -> Answers:
    return {status: {"model": model, "description": description}}


PROBLEMS = {
    **_answers(shapes.PROBLEM, "something does not fit; ``field`` says what", 400),
    **_answers(shapes.PROBLEM, "more than is read, or more than is sent", 413),
    **_answers(shapes.PROBLEM, "busy, or a game that is not solved here; ``hint`` says what to do instead", 503),
}
ASKED = {  # of a question, for which a game may have to be solved first
    **_answers(shapes.JOB, "the game is being solved; ask again when that is done", 202),
    **_answers(shapes.PROBLEM, "too many games are waiting to be solved", 429),
    **PROBLEMS,
}
NO_JOB = _answers(shapes.PROBLEM, "no such job, or over for long", 404)

CHOSEN = {  # in an address; any number of them
    "parameters": [
        {
            "name": f"{PARAMETER}NAME",
            "in": "query",
            "style": "form",
            "explode": True,
            "description": f"rule parameters, each as {PARAMETER}NAME=VALUE; those left out have their defaults",
            "schema": {"type": "object", "additionalProperties": {"type": "string"}},
            "example": {f"{PARAMETER}target": "30"},
        }
    ]
}

router = APIRouter(route_class=StrictRoute)
GameName = Annotated[str, Path(description="a game, by any name of it", openapi_examples={"pig": {"value": "pig"}})]
JobName = Annotated[str, Path(description="a job, as the answer 202 names it")]


# --- what there is ----------------------------------------------------------------------------------------------------


@router.get("/games", responses=_answers(list[shapes.GameLine], "the games by name"))
async def games(request: Request) -> Response:
    """List the games."""
    return as_json(await request.app.state.workers.run(rollwise.list_games))


@router.get(
    "/rules/{game}", openapi_extra=CHOSEN, responses=_answers(shapes.Rules, "the rules as we read them") | PROBLEMS
)
async def rules(request: Request, game: GameName) -> Response:
    """Tell a game's rules, its parameters and the fields of a question; ``p.NAME=VALUE`` chooses parameters."""
    return as_json(await request.app.state.workers.run(answering.rules, game, _parameters(request)))


@router.get("/plan/{game}", openapi_extra=CHOSEN, responses=_answers(shapes.PLAN, "what a solve takes") | PROBLEMS)
async def plan(request: Request, game: GameName) -> Response:
    """Tell what a solve of a game would take, roughly; ``p.NAME=VALUE`` chooses parameters."""
    state = request.app.state
    return as_json(await state.workers.run(answering.plan, game, _parameters(request), state.settings))


def _parameters(request: Request) -> dict[str, str]:
    """Rule parameters in an address; raises BadInput for anything else there."""
    found: dict[str, str] = {}
    for name, value in request.query_params.multi_items():
        said = name.removeprefix(PARAMETER)
        if said == name or said in found:
            wrong = "is said twice" if said in found else f"is none; a rule parameter is said as {PARAMETER}NAME=VALUE"
            raise BadInput(f"parameter '{name[:60]}' {wrong}", field=said[:60])
        found[said] = value
    return found


# --- questions --------------------------------------------------------------------------------------------------------


@router.post("/ask", responses=_answers(shapes.ANSWER, "as ``rollwise ask --json``") | ASKED)
async def ask(request: Request, body: bodies.Question) -> Response:
    """Say what to do in a state, and what every move is worth."""
    return await _told(request, answering.ask, body)


@router.post("/outcomes", responses=_answers(shapes.OUTCOMES, "as ``ask --next --json``") | ASKED)
async def outcomes(request: Request, body: bodies.OfAMove) -> Response:
    """Tell everything that a move leads to, with its chances; the move may be left out where there is only one."""
    return await _told(request, answering.outcomes, body)


@router.post("/why", responses=_answers(shapes.WHY, "as ``ask --why --json``") | ASKED)
async def why(request: Request, body: bodies.Compared) -> Response:
    """Tell what makes the difference between the best move and another."""
    return await _told(request, answering.why, body)


@router.post("/solve", responses=_answers(shapes.SOLVED, "as ``rollwise solve --json``") | ASKED)
async def solve(request: Request, body: bodies.TheGame) -> Response:
    """Say what the start of a game is worth; a game that is not solved is solved, where this server does that."""
    return await _told(request, answering.solve, body)


@router.post("/review", responses=_answers(shapes.REVIEW, "as ``rollwise review --json``") | ASKED)
async def review(request: Request, body: bodies.Played) -> Response:
    """Go through a game that was played."""
    return await _told(request, answering.review, body)


@router.post("/throw", responses=_answers(shapes.Match, "the match after the throw") | ASKED)
async def throw(request: Request, body: bodies.Thrown) -> Response:
    """Let the dice of a match fall."""
    return await _told(request, answering.throw, body)


async def _told(request: Request, answer: Callable[..., Any], body: Any) -> Response:
    """The answer; or, where the game has to be solved first, who does that."""
    try:
        answered: Response = await request.app.state.workers.run(_as_response, answer, body, request.app.state.jobs)
        return answered
    except Unsolved as error:
        return _under_way(await request.app.state.jobs.start(error.game))


def _as_response(answer: Callable[..., Any], *asked: Any) -> Response:
    """Made in the thread of a question: long answers are long to write."""
    return as_json(answer(*asked))


def _under_way(job: Job) -> Response:
    return as_json(job.plain(), 202, {"Location": f"/api/jobs/{job.id}/events"})


# --- tables -----------------------------------------------------------------------------------------------------------


ROWS: Answers = {
    200: {
        "description": "a row for each decision, as ``rollwise export`` writes them",
        "content": {"application/jsonl": {"schema": {"type": "string"}}, "text/csv": {"schema": {"type": "string"}}},
    }
}


@router.post("/export", responses=ROWS | ASKED, response_class=StreamingResponse)
async def export(request: Request, body: bodies.Table) -> Response:
    """Send every decision of a slice, at most 100,000 rows."""
    state = request.app.state
    try:
        table = await state.exports.run(answering.export, body, state.jobs)
    except Unsolved as error:
        return _under_way(await state.jobs.start(error.game))
    media = "text/csv" if body.format == "csv" else "application/jsonl"
    named = {"Content-Disposition": f'attachment; filename="{table.name}"'}
    return StreamingResponse(table.pieces(), media_type=media, headers=named)


# --- solves -----------------------------------------------------------------------------------------------------------


EVENTS: Answers = {
    200: {
        "description": "``share`` as it grows, then one of ``done``, ``failed``, ``cancelled``; data is a job as JSON",
        "content": {"text/event-stream": {"schema": {"type": "string"}}},
    }
}


@router.get("/jobs/{job}/events", responses=EVENTS | NO_JOB, response_class=StreamingResponse)
async def events(request: Request, job: JobName) -> Response:
    """Tell of a solve as it goes on, as server-sent events."""
    request.app.state.jobs.get(job)
    return StreamingResponse(_lines(request.app.state.jobs.events(job)), media_type="text/event-stream")


async def _lines(told: AsyncIterator[Event]) -> AsyncIterator[str]:
    async for name, data in told:
        yield ": still there\n\n" if name == "quiet" else f"event: {name}\ndata: {json.dumps(data)}\n\n"


@router.delete("/jobs/{job}", responses=_answers(shapes.JOB, "the job as it is now") | NO_JOB)
async def cancel(request: Request, job: JobName) -> Response:
    """Stop a solve, for all who wait for it; what is done by then is kept."""
    return as_json(request.app.state.jobs.cancel(job).plain())


@router.api_route("/{place:path}", methods=["GET", "POST", "PUT", "PATCH", "DELETE"], include_in_schema=False)
async def nothing(request: Request) -> Response:
    """Say what is not here to a program: no page of a game called api takes what is left."""
    here = {**request.scope, "path": f"/{request.path_params['place']}"}
    others = [route for route in router.routes if isinstance(route, APIRoute) and route.endpoint is not nothing]
    allowed = {name for route in others if route.matches(here)[0] is Match.PARTIAL for name in route.methods or ()}
    raise HTTPException(405, headers={"Allow": ", ".join(sorted(allowed))}) if allowed else HTTPException(404)
