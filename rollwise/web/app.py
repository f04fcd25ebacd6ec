"""The application: routes, guards and what they share."""

from __future__ import annotations

from fastapi import FastAPI
from starlette.staticfiles import StaticFiles

from rollwise import __version__
from rollwise.web import api, pages, play
from rollwise.web.guard import Guard
from rollwise.web.settings import Settings
from rollwise.web.templating import FOLDER
from rollwise.web.workers import Workers


def make_app(settings: Settings | None = None) -> FastAPI:
    """The whole application; ``app.state`` has ``settings`` and ``workers``."""
    app = FastAPI(title="rollwise", version=__version__, docs_url=None, redoc_url=None, openapi_url="/api/openapi.json")
    app.state.settings = settings or Settings()
    app.state.workers = Workers()
    app.add_middleware(Guard)
    app.mount("/static", StaticFiles(directory=FOLDER / "static"), name="static")
    app.include_router(api.router, prefix="/api")
    app.include_router(play.router)
    app.include_router(pages.router)  # the last: /GAME takes what is left
    return app
