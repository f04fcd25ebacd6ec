"""``card``: how to play a game well, on one page."""

from __future__ import annotations

from typing import Annotated

import typer

from rollwise.commands.options import (
    Game,
    Json,
    Parameters,
    parameters_typed,
    show_json,
)
from rollwise.solver.game.errors import BadInput


def card_command(
    game: Game,
    form: Annotated[
        str | None,
        typer.Option("--format", help="text, markdown, html (one sheet of A4) or csv; by default as the file is named"),
    ] = None,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="write a file; - for standard output")
    ] = "",
    p: Parameters = None,
    as_json: Json = False,
) -> None:
    """Print a strategy card: how to play a game well, on one page, and what playing so costs."""
    from rollwise.asking.card import card
    from rollwise.saying.card import form_of, render, words_of
    from rollwise.tables.files import STDOUT, check_output, write_text

    if as_json and (form or output):
        raise BadInput("--json writes to standard output; leave out --format and --output", field="output")
    chosen = form_of(form, output)
    path = check_output(output) if output not in ("", STDOUT) else None
    made = card(game, params=parameters_typed(p))
    if as_json:
        show_json({**made.plain(), "words": words_of(made)})
    elif path:
        write_text(path, render(made, chosen))
        typer.echo(f"{path}: the card of {made.title}")
    else:
        typer.echo(render(made, chosen), nl=False)
