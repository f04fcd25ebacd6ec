"""The application: routes, middleware and shared state."""

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
from rollwise.web.late import LateAnswers
from rollwise.web.problems import HANDLERS
from rollwise.web.settings import Settings
from rollwise.web.sitting import MatchStore
from rollwise.web.templating import FOLDER
from rollwise.web.workers import Workers


@asynccontextmanager
async def end_with_server(app: FastAPI) -> AsyncIterator[None]:
    """End jobs and questions when the server ends."""
    yield
    await app.state.jobs.close()
    app.state.workers.close()
    app.state.exports.close()


def make_app(settings: Settings | None = None, *, is_inner: bool = False) -> FastAPI:
    """The application: ``app.state`` has ``settings``, ``workers`` (``exports`` for tables, so that questions need not
    wait for them), ``jobs`` and ``matches``. ``is_inner``: without middleware, for a process of long questions."""
    app = FastAPI(
        title="rollwise",
        version=__version__,
        summary="Exact answers for dice games: the best move, the whole policy, the odds.",
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
        lifespan=end_with_server,
        exception_handlers=HANDLERS,
        telemetry={"auto_configure": False},  # whatever the environment sets: nothing is sent to any host
    )
    app.state.settings = settings or Settings()
    app.state.workers = Workers()
    app.state.exports = Workers(n_threads=1, max_waiting=4)
    app.state.jobs = Jobs(app.state.settings, app.state.workers)
    app.state.matches = MatchStore()
    if not is_inner:
        app.add_middleware(LateAnswers, jobs=app.state.jobs)
        app.add_middleware(GZipMiddleware, minimum_size=2000, compresslevel=4)
        app.add_middleware(Guard, settings=app.state.settings)
    app.mount("/static", StaticFiles(directory=FOLDER / "static"), name="static")
    app.add_api_route("/healthz", health, include_in_schema=False, response_class=PlainTextResponse)
    app.include_router(api.router, prefix="/api")
    app.include_router(play.router, include_in_schema=False)
    app.include_router(about.router)
    app.include_router(pages.router, include_in_schema=False)  # the last, as /GAME takes all other addresses
    app.openapi = partial(openapi_description, app)  # type: ignore[method-assign]
    return app


def openapi_description(app: FastAPI) -> dict[str, Any]:
    """OpenAPI description of the interface; bad input is a 400 here, never the framework's 422."""
    if app.openapi_schema is None:
        description = FastAPI.openapi(app)
        for item in description["paths"].values():
            for operation in item.values():
                operation["responses"].pop("422", None)
        for name in ("HTTPValidationError", "ValidationError"):
            description["components"]["schemas"].pop(name, None)
    assert app.openapi_schema is not None
    return app.openapi_schema


async def health() -> str:
    """Health check: answers while the server runs."""
    return "ok\n"
