"""``card``: how to play a game well, on one page."""

from __future__ import annotations

from typing import Annotated

import typer

from rollwise.commands.options import (
    Force,
    Game,
    Json,
    Parameters,
    parameters_typed,
    show_json,
)
from rollwise.solver.model.errors import BadInput


def card_command(
    game: Game,
    form: Annotated[
        str | None,
        typer.Option("--format", help="text, markdown, html (one sheet of A4) or csv; by default as the file is named"),
    ] = None,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="write a file; - for standard output")
    ] = "",
    force: Force = False,
    p: Parameters = None,
    as_json: Json = False,
) -> None:
    """Print a strategy card: how to play a game well, on one page, and what playing so costs."""
    from rollwise.asking.card import card
    from rollwise.policy_tables.files import STDOUT
    from rollwise.policy_tables.ours import CARD, to_write, write_page
    from rollwise.text.card import form_of, render, words_of

    if as_json and (form or output):
        raise BadInput("--json writes to standard output; leave out --format and --output", field="output")
    chosen = form_of(form, output)
    path = to_write(output, CARD, force=force, is_described=chosen == "csv") if output not in ("", STDOUT) else None
    made = card(game, params=parameters_typed(p))
    if as_json:
        show_json({**made.plain(), "words": words_of(made)})
    elif path:
        write_page(path, render(made, chosen), CARD, chosen, force=force)
        typer.echo(f"{path}: the card of {made.title}")
    else:
        typer.echo(render(made, chosen), nl=False)
