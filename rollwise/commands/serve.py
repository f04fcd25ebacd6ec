"""``rollwise serve``: the local web page."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from rollwise.cache.settings import LIMIT, limit
from rollwise.solver.model.errors import BadInput
from rollwise.web.settings import ALLOWED, EVERYWHERE, HERE, PORT, Settings, room


def serve_command(
    port: Annotated[int, typer.Option("--port", help="where to listen", min=1, max=65535)] = PORT,
    host: Annotated[
        str, typer.Option("--host", metavar="ADDRESS", help="the address of this machine to listen at")
    ] = HERE,
    lan: Annotated[
        bool, typer.Option("--lan", help="for phones of the same network too; shows the address as a QR code")
    ] = False,
    open_page: Annotated[bool, typer.Option("--open", help="open the page in the browser")] = False,
    allow_host: Annotated[
        list[str] | None,
        typer.Option("--allow-host", metavar="NAME", help="a name that the page is called by; may be given again"),
    ] = None,
    allow_solve: Annotated[
        str,
        typer.Option(
            "--allow-solve",
            metavar="none|small|all",
            help="which unsolved games are solved for whoever asks; small: what takes 20 seconds and 1 GB at most",
        ),
    ] = "small",
    keep: Annotated[
        str | None,
        typer.Option("--keep", metavar="SIZE", help="so much of what the page had solved stays, the last used; 2GB"),
    ] = None,
    log_states: Annotated[bool, typer.Option("--log-states", help="what was asked is logged as well")] = False,
) -> None:
    """Open a local web page that answers and plays; Ctrl-C ends it."""
    try:
        from rollwise.web.serving import serve
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == "rollwise":
            raise
        raise BadInput(
            f"the page needs further packages ({error.name} is missing)", hint='pip install "rollwise[web]"'
        ) from None
    if allow_solve not in ALLOWED:
        raise BadInput(f"--allow-solve is one of {', '.join(ALLOWED)}, got '{allow_solve}'", field="allow-solve")
    if lan and host != HERE:
        raise BadInput("--lan listens at every address; leave out --host", field="host")
    kept = room(keep)
    if keep is not None and limit() is not None:
        os.environ[LIMIT] = keep  # as those who solve for this server have to know
    settings = Settings(
        host=EVERYWHERE if lan else host,
        port=port,
        lan=lan,
        allow_hosts=tuple(allow_host or ()),
        allow_solve=allow_solve,  # type: ignore[arg-type]
        log_states=log_states,
        keep=kept,
    )
    serve(settings, open_page=open_page)
