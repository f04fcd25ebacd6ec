"""``warm``: the first answers of a new machine, prepared."""

from __future__ import annotations

from typing import Annotated

import typer

from rollwise.commands.options import Json, tell


def warm_command(
    games: Annotated[list[str] | None, typer.Argument(metavar="GAME...", help="games to solve as well")] = None,
    as_json: Json = False,
) -> None:
    """Compile beforehand what first answers wait for, and solve games: for installers and images."""
    from rollwise.asking.warm import warm
    from rollwise.games import warming
    from rollwise.text.layout import columns

    warmed = warm(games or [], warming.SOLVED, warming.FORECAST)
    rows = [["done", "kernels compiled", "seconds"]]
    rows += [[one.done, str(one.kernels), f"{one.seconds:.1f}"] for one in warmed]
    tell(as_json, lambda: [one.plain() for one in warmed], lambda: columns(rows, right=(1, 2)))
