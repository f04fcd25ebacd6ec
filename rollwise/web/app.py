"""The application: routes, guards and what they share."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

from fastapi import FastAPI
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import PlainTextResponse
from starlette.staticfiles import StaticFiles

from rollwise import __version__
from rollwise.web import about, api, pages, play
from rollwise.web.guard import Guard
from rollwise.web.jobs import Jobs
from rollwise.web.kept import Matches
from rollwise.web.late import LateAnswers
from rollwise.web.problems import say_problems
from rollwise.web.settings import Settings
from rollwise.web.templating import FOLDER
from rollwise.web.workers import Workers


@asynccontextmanager
async def until_the_end(app: FastAPI) -> AsyncIterator[None]:
    """When the server ends, its solves and questions end too."""
    yield
    app.state.jobs.close()
    app.state.workers.close()
    app.state.exports.close()


def make_app(settings: Settings | None = None, *, is_inner: bool = False) -> FastAPI:
    """The whole application: ``app.state`` has ``settings``, ``workers`` (``exports`` for tables, so that questions
    need not wait for them), ``jobs`` and ``matches``. ``is_inner``: nothing stands before it, and nothing is late."""
    app = FastAPI(
        title="rollwise",
        version=__version__,
        summary="Exact answers for dice games: the best move, the whole policy, the odds.",
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
        lifespan=until_the_end,
        telemetry={"auto_configure": False},  # whatever the environment says: nothing is told to any host
    )
    app.state.settings = settings or Settings()
    app.state.workers = Workers()
    app.state.exports = Workers(at_once=1, most_waiting=4)
    app.state.jobs = Jobs(app.state.settings, app.state.workers)
    app.state.matches = Matches()
    if not is_inner:
        app.add_middleware(LateAnswers, jobs=app.state.jobs)
        app.add_middleware(GZipMiddleware, minimum_size=2000, compresslevel=4)
        app.add_middleware(Guard, settings=app.state.settings)
    say_problems(app)
    app.mount("/static", StaticFiles(directory=FOLDER / "static"), name="static")
    app.add_api_route("/healthz", healthy, include_in_schema=False, response_class=PlainTextResponse)
    app.include_router(api.router, prefix="/api")
    app.include_router(play.router, include_in_schema=False)
    app.include_router(about.router)
    app.include_router(pages.router, include_in_schema=False)  # the last: /GAME takes what is left
    app.openapi = partial(described, app)  # type: ignore[method-assign]
    return app


def described(app: FastAPI) -> dict[str, Any]:
    """The interface as OpenAPI has it; bad input is a 400 here, and never the 422 that the framework would say."""
    if app.openapi_schema is None:
        description = FastAPI.openapi(app)
        for item in description["paths"].values():
            for operation in item.values():
                operation["responses"].pop("422", None)
        for name in ("HTTPValidationError", "ValidationError"):
            description["components"]["schemas"].pop(name, None)
    assert app.openapi_schema is not None
    return app.openapi_schema


async def healthy() -> str:
    """The server hears."""
    return "ok\n"
