"""The JSON interface: what the commands answer with ``--json``, over HTTP."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Annotated, Any, NamedTuple, get_type_hints

from fastapi import APIRouter, Path, Request
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.responses import Response, StreamingResponse
from starlette.routing import Match

import rollwise
from rollwise.solutions.lookup import Unsolved
from rollwise.solver.model.errors import BadInput
from rollwise.web import endpoints, shapes
from rollwise.web.jobs import Job, Jobs
from rollwise.web.labels import RULE
from rollwise.web.problems import json_response
from rollwise.web.questions import parse_json
from rollwise.web.tables import SentTable

Handler = Callable[[Request], Coroutine[Any, Any, Response]]


class StrictRequest(Request):
    """A request with strict and bounded JSON."""

    async def json(self) -> Any:
        """The parsed body."""
        return parse_json(await self.body())


class StrictRoute(APIRoute):
    """A route with strict requests."""

    def get_route_handler(self) -> Handler:
        """See ``APIRoute``."""
        handle = super().get_route_handler()

        async def strictly(request: Request) -> Response:
            return await handle(StrictRequest(request.scope, request.receive))

        return strictly


Responses = dict[int | str, dict[str, Any]]


def _response(model: Any, description: str, status: int = 200) -> Responses:
    return {status: {"model": model, "description": description}}


PROBLEMS = {
    **_response(shapes.Problem, "invalid input; ``field`` names it", 400),
    **_response(shapes.Problem, "more than is read, or more than is sent", 413),
    **_response(shapes.Problem, "busy, or a game that is not solved here; ``hint`` is what to do instead", 503),
}
QUESTION_RESPONSES = {  # of questions, whose game may have to be solved first
    **_response(shapes.Job, "the game is being solved, or the answer takes longer; ask again when that is done", 202),
    **_response(shapes.Problem, "too many games, or long questions, are waiting", 429),
    **PROBLEMS,
}
NO_JOB_RESPONSE = _response(shapes.Problem, "no such job, or over for long", 404)

PARAMETERS = {  # rule parameters in an address
    "parameters": [
        {
            "name": f"{RULE}NAME",
            "in": "query",
            "style": "form",
            "explode": True,
            "description": f"rule parameters, each as {RULE}NAME=VALUE; those left out have their defaults",
            "schema": {"type": "object", "additionalProperties": {"type": "string"}},
            "example": {f"{RULE}target": "30"},
        }
    ]
}

router = APIRouter(route_class=StrictRoute)
GameName = Annotated[str, Path(description="a game, by any name of it", openapi_examples={"pig": {"value": "pig"}})]
JobName = Annotated[str, Path(description="a job, as the answer 202 names it")]


# --- what there is ----------------------------------------------------------------------------------------------------


@router.get("/games", responses=_response(list[shapes.GameLine], "the games by name"))
async def games(request: Request) -> Response:
    """List the games."""
    return json_response(await request.app.state.workers.run(rollwise.list_games))


@router.get(
    "/rules/{game}",
    openapi_extra=PARAMETERS,
    responses=_response(shapes.GameRules, "the rules as we read them") | PROBLEMS,
)
async def rules(request: Request, game: GameName) -> Response:
    """Rules of a game, its parameters and the fields of a question; ``p.NAME=VALUE`` chooses parameters."""
    return json_response(await request.app.state.workers.run(endpoints.rules, game, _parameters(request)))


@router.get("/plan/{game}", openapi_extra=PARAMETERS, responses=_response(shapes.PLAN, "what a solve takes") | PROBLEMS)
async def plan(request: Request, game: GameName) -> Response:
    """Estimated cost of a solve; ``p.NAME=VALUE`` chooses parameters."""
    state = request.app.state
    return json_response(await state.workers.run(endpoints.plan, game, _parameters(request), state.settings))


def _parameters(request: Request) -> dict[str, str]:
    """Parse the rule parameters of an address; raises BadInput for any other pair."""
    parameters: dict[str, str] = {}
    for name, value in request.query_params.multi_items():
        parameter = name.removeprefix(RULE)
        if parameter == name:
            wrong = f"is unknown; a rule parameter is {RULE}NAME=VALUE"
            raise BadInput(f"parameter '{name[:60]}' {wrong}", field=parameter[:60])
        if parameter in parameters:
            raise BadInput(f"parameter '{name[:60]}' appears twice", field=parameter[:60])
        parameters[parameter] = value
    return parameters


# --- questions --------------------------------------------------------------------------------------------------------


class Answer(NamedTuple):
    """What a route answers, by default as the command; its shape is by default what the function returns."""

    shape: Any = None
    description: str = ""


QUESTIONS = {  # functions of ``endpoints``, or of ``rollwise`` for any state, each a route
    "ask": Answer(shapes.ANSWER),
    "outcomes": Answer(description="as ``ask --next --json``"),
    "why": Answer(description="as ``ask --why --json``"),
    "solve": Answer(shapes.SOLVED),
    "review": Answer(),
    "throw": Answer(shapes.MatchAfter, "the match after the throw"),
}
TABLE_RESPONSE: Responses = {
    200: {
        "description": "a row for each decision, as ``rollwise export`` writes them",
        "content": {"application/jsonl": {"schema": {"type": "string"}}, "text/csv": {"schema": {"type": "string"}}},
    }
}


def _add_question_route(
    name: str, answers: Responses, send: Callable[[Any], Response] = json_response, pool: str = "workers", **how: Any
) -> None:
    """Add the route of a question by its name; ``send`` makes a response of its result.

    Both run in a thread of the pool, as long answers take long to write. If a game has to be solved first, the answer
    is the job of that solve.
    """
    function = getattr(endpoints, name, None) or endpoints.question_of_state(name)

    async def question(request: Request, body: Any) -> Response:
        state = request.app.state
        try:
            response: Response = await getattr(state, pool).run(
                lambda: send(getattr(endpoints, name, function)(body, state.jobs))
            )
        except Unsolved as error:
            job = await state.jobs.start(error.game, error.fields)
            return json_response(job.plain(), 202, {"Location": f"/api/jobs/{job.id}/events"})
        return response

    question.__annotations__["body"] = get_type_hints(function)["body"]
    how |= {"name": name, "description": function.__doc__, "responses": answers | QUESTION_RESPONSES}
    router.add_api_route(f"/{name}", question, methods=["POST"], **how)


def _table_response(table: SentTable) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{table.name}"'}
    media = "text/csv" if table.name.endswith(".csv") else "application/jsonl"
    return StreamingResponse(table.pieces(), media_type=media, headers=headers)


for name, (shape, description) in QUESTIONS.items():
    shape = shape or shapes.shape_of_answer(getattr(rollwise, name))
    _add_question_route(name, _response(shape, description or f"as ``rollwise {name} --json``"))
_add_question_route("export", TABLE_RESPONSE, _table_response, "exports", response_class=StreamingResponse)


# --- solves -----------------------------------------------------------------------------------------------------------


EVENTS_RESPONSE: Responses = {
    200: {
        "description": "``share`` as it grows, then one of ``done``, ``failed``, ``cancelled``; data is a job as JSON",
        "content": {"text/event-stream": {"schema": {"type": "string"}}},
    }
}


@router.get("/jobs/{job}/events", responses=EVENTS_RESPONSE | NO_JOB_RESPONSE, response_class=StreamingResponse)
async def events(request: Request, job: JobName) -> Response:
    """Progress of a job, as server-sent events."""
    jobs: Jobs = request.app.state.jobs
    return StreamingResponse(_event_lines(jobs, jobs.get(job)), media_type="text/event-stream")


async def _event_lines(jobs: Jobs, job: Job) -> AsyncIterator[str]:
    async for name in jobs.events(job):
        yield ": still there\n\n" if name == "quiet" else f"event: {name}\ndata: {json.dumps(job.plain())}\n\n"


@router.delete("/jobs/{job}", responses=_response(shapes.Job, "the job as it is now") | NO_JOB_RESPONSE)
async def cancel(request: Request, job: JobName) -> Response:
    """Stop a solve, for all who wait for it; what is done by then is kept."""
    return json_response(request.app.state.jobs.cancel(job).plain())


@router.api_route("/{place:path}", methods=["GET", "POST", "PUT", "PATCH", "DELETE"], include_in_schema=False)
async def unknown_address(request: Request) -> Response:
    """Answer 404 or 405 under /api, so that no page of a game called api takes the request."""
    here = {**request.scope, "path": f"/{request.path_params['place']}"}
    others = [route for route in router.routes if isinstance(route, APIRoute) and route.endpoint is not unknown_address]
    allowed = {name for route in others if route.matches(here)[0] is Match.PARTIAL for name in route.methods or ()}
    raise HTTPException(405, headers={"Allow": ", ".join(sorted(allowed))}) if allowed else HTTPException(404)
