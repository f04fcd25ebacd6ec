"""``rollwise serve``: the local web page."""

from __future__ import annotations

from typing import Annotated

import typer

from rollwise.solver.game.errors import BadInput

PORT = 8606


def serve_command(
    port: Annotated[int, typer.Option("--port", help="where to listen", min=1, max=65535)] = PORT,
) -> None:
    """Open a local web page that answers and plays."""
    try:
        import uvicorn

        from rollwise.web.app import make_app
        from rollwise.web.settings import Settings
    except ModuleNotFoundError as error:
        raise BadInput(
            f"the page needs further packages ({error.name} is missing)", hint='pip install "rollwise[web]"'
        ) from None
    settings = Settings(port=port)
    typer.echo(f"http://{settings.host}:{settings.port}")
    uvicorn.run(make_app(settings), host=settings.host, port=settings.port, log_level="warning")
