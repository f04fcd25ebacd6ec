"""``solve-all``: every game with every number of players."""

from __future__ import annotations

from typing import Annotated

import typer

from rollwise.commands.options import Json, MostSeconds, Scheduler, print_rows


def solve_all_command(
    games: Annotated[list[str] | None, typer.Argument(metavar="GAME...", help="only these games")] = None,
    most_seconds: MostSeconds = None,
    scheduler: Scheduler = None,
    as_json: Json = False,
) -> None:
    """Solve every game with every number of players, and store all of them; a stopped run continues where it was."""
    from rollwise.asking.sweep import solve_all
    from rollwise.solutions.plans import UNASKED_SECONDS

    most, some = UNASKED_SECONDS if most_seconds is None else most_seconds, games or []
    command = ["solve-all", *some]
    print_rows(command, as_json, lambda: solve_all(games=some, most_seconds=most, scheduler=scheduler))
