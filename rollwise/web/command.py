"""``rollwise serve``: the local web page."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from rollwise.cache.settings import LIMIT_VARIABLE, read_limit
from rollwise.solver.model.errors import BadInput
from rollwise.web.settings import ALL_INTERFACES, ALLOWED, LOOPBACK, PORT, Settings, parse_keep


def serve_command(
    port: Annotated[int, typer.Option("--port", help="the port to listen on", min=1, max=65535)] = PORT,
    host: Annotated[
        str, typer.Option("--host", metavar="ADDRESS", help="the address of this machine to listen on")
    ] = LOOPBACK,
    lan: Annotated[
        bool, typer.Option("--lan", help="also serve phones on the same network; shows the address as a QR code")
    ] = False,
    open_page: Annotated[bool, typer.Option("--open", help="open the page in the browser")] = False,
    allow_host: Annotated[
        list[str] | None, typer.Option("--allow-host", metavar="NAME", help="another host name of the page; repeatable")
    ] = None,
    allow_solve: Annotated[
        str,
        typer.Option(
            "--allow-solve",
            metavar="none|small|all",
            help="which unsolved games visitors may have solved; small: those of at most 20 seconds and 1 GB",
        ),
    ] = "small",
    keep: Annotated[
        str | None,
        typer.Option("--keep", metavar="SIZE", help="limit of the games solved for the page; the last used stay; 2GB"),
    ] = None,
    log_states: Annotated[bool, typer.Option("--log-states", help="also log the states in question")] = False,
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
    if lan and host != LOOPBACK:
        raise BadInput("--lan listens at every address; leave out --host", field="host")
    max_bytes = parse_keep(keep)
    if keep is not None and read_limit() is not None:
        os.environ[LIMIT_VARIABLE] = keep  # the worker processes read it
    settings = Settings(
        host=ALL_INTERFACES if lan else host,
        port=port,
        lan=lan,
        allow_hosts=tuple(allow_host or ()),
        allow_solve=allow_solve,  # type: ignore[arg-type]
        log_states=log_states,
        keep=max_bytes,
    )
    serve(settings, open_page=open_page)
