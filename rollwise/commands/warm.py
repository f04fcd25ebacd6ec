"""``warm``: compile and solve beforehand on a new machine."""

from __future__ import annotations

from typing import Annotated

import typer

from rollwise.commands.options import Json, print_answer


def warm_command(
    games: Annotated[list[str] | None, typer.Argument(metavar="GAME...", help="games to solve as well")] = None,
    as_json: Json = False,
) -> None:
    """Compile machine code before the first answers need it, and solve games: for installers and images."""
    from rollwise.asking.warm import warm
    from rollwise.games import warming
    from rollwise.text.layout import align_columns

    steps = warm(games or [], warming.SOLVED, warming.FORECAST)
    rows = [["done", "kernels compiled", "seconds"]]
    rows += [[step.done, str(step.kernels), f"{step.seconds:.1f}"] for step in steps]
    print_answer(as_json, lambda: [step.plain() for step in steps], lambda: align_columns(rows, right=(1, 2)))
