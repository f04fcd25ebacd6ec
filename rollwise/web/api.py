"""The JSON interface: what the commands answer with ``--json``, over HTTP."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Annotated, Any, get_type_hints

from fastapi import APIRouter, Path, Request
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.responses import Response, StreamingResponse
from starlette.routing import Match

import rollwise
from rollwise.solutions.games import Unsolved
from rollwise.solver.model.errors import BadInput
from rollwise.web import endpoints, shapes
from rollwise.web.jobs import Event
from rollwise.web.problems import as_json
from rollwise.web.questions import read_json
from rollwise.web.tables import SentTable

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
    **_answers(shapes.JOB, "the game is being solved, or the answer takes longer; ask again when that is done", 202),
    **_answers(shapes.PROBLEM, "too many games, or long questions, are waiting", 429),
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
    "/rules/{game}", openapi_extra=CHOSEN, responses=_answers(shapes.GameRules, "the rules as we read them") | PROBLEMS
)
async def rules(request: Request, game: GameName) -> Response:
    """Tell a game's rules, its parameters and the fields of a question; ``p.NAME=VALUE`` chooses parameters."""
    return as_json(await request.app.state.workers.run(endpoints.rules, game, _parameters(request)))


@router.get("/plan/{game}", openapi_extra=CHOSEN, responses=_answers(shapes.PLAN, "what a solve takes") | PROBLEMS)
async def plan(request: Request, game: GameName) -> Response:
    """Tell what a solve of a game would take, roughly; ``p.NAME=VALUE`` chooses parameters."""
    state = request.app.state
    return as_json(await state.workers.run(endpoints.plan, game, _parameters(request), state.settings))


def _parameters(request: Request) -> dict[str, str]:
    """Rule parameters in an address; raises BadInput for anything else there."""
    parameters: dict[str, str] = {}
    for name, value in request.query_params.multi_items():
        parameter = name.removeprefix(PARAMETER)
        if parameter == name:
            wrong = f"is none; a rule parameter is said as {PARAMETER}NAME=VALUE"
            raise BadInput(f"parameter '{name[:60]}' {wrong}", field=parameter[:60])
        if parameter in parameters:
            raise BadInput(f"parameter '{name[:60]}' is said twice", field=parameter[:60])
        parameters[parameter] = value
    return parameters


# --- questions --------------------------------------------------------------------------------------------------------


QUESTIONS = {  # functions of ``endpoints``, each a route of this name; the shape of its answer, and what that is
    "ask": (shapes.ANSWER, "as ``rollwise ask --json``"),
    "outcomes": (shapes.OUTCOMES, "as ``ask --next --json``"),
    "why": (shapes.WHY, "as ``ask --why --json``"),
    "solve": (shapes.SOLVED, "as ``rollwise solve --json``"),
    "review": (shapes.REVIEW, "as ``rollwise review --json``"),
    "throw": (shapes.MatchAfter, "the match after the throw"),
}
ROWS: Answers = {
    200: {
        "description": "a row for each decision, as ``rollwise export`` writes them",
        "content": {"application/jsonl": {"schema": {"type": "string"}}, "text/csv": {"schema": {"type": "string"}}},
    }
}


def _add_question(
    name: str, answers: Answers, send: Callable[[Any], Response] = as_json, pool: str = "workers", **how: Any
) -> None:
    """A route for the function of ``endpoints`` of this name, which takes its body; ``send`` makes a response of it.

    Both run in a thread of that pool: long answers are long to write. Where a game has to be solved first, the answer
    says who does that.
    """

    async def question(request: Request, body: Any) -> Response:
        state = request.app.state
        try:
            response: Response = await getattr(state, pool).run(
                lambda: send(getattr(endpoints, name)(body, state.jobs))
            )
        except Unsolved as error:
            job = await state.jobs.start(error.game, error.fields)
            return as_json(job.plain(), 202, {"Location": f"/api/jobs/{job.id}/events"})
        return response

    function = getattr(endpoints, name)
    question.__annotations__["body"] = get_type_hints(function)["body"]
    how |= {"name": name, "description": function.__doc__, "responses": answers | ASKED}
    router.add_api_route(f"/{name}", question, methods=["POST"], **how)


def _table(table: SentTable) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{table.name}"'}
    media = "text/csv" if table.name.endswith(".csv") else "application/jsonl"
    return StreamingResponse(table.pieces(), media_type=media, headers=headers)


for name, (model, description) in QUESTIONS.items():
    _add_question(name, _answers(model, description))
_add_question("export", ROWS, _table, "exports", response_class=StreamingResponse)


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


async def _lines(events: AsyncIterator[Event]) -> AsyncIterator[str]:
    async for name, data in events:
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
