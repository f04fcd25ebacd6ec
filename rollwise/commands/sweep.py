"""``sweep``: one game with several values of its rule parameters."""

from __future__ import annotations

from typing import Annotated

import typer

from rollwise.commands.options import Game, Json, MostSeconds, Scheduler, parameters_typed, print_rows


def sweep_command(
    game: Game,
    p: Annotated[
        list[str] | None,
        typer.Option("-p", metavar="NAME=VALUES", help="a rule of the game: 10..50, 10..50..5 or a,b,c; repeatable"),
    ] = None,
    most_seconds: MostSeconds = None,
    scheduler: Scheduler = None,
    as_json: Json = False,
) -> None:
    """Solve a game for several values of its rules, store all of them, and compare their starts."""
    from rollwise.asking.sweep import sweep
    from rollwise.solutions.plans import UNASKED_SECONDS

    params, most = parameters_typed(p), UNASKED_SECONDS if most_seconds is None else most_seconds
    print_rows(["sweep", game], as_json, lambda: sweep(game, params=params, most_seconds=most, scheduler=scheduler))
