"""``card``: how to play a game well, on one page."""

from __future__ import annotations

from typing import Annotated

import typer

from rollwise.policy_tables.files import STDOUT
from rollwise.policy_tables.overwrite import CARD, writable_path, write_page
from rollwise.questions.card.compute import card
from rollwise.questions.card.text import card_format, card_texts, render
from rollwise.questions.options import Force, Game, Json, Parameters, parameters_typed, print_json
from rollwise.solver.model.errors import BadInput


def card_command(
    game: Game,
    form: Annotated[
        str | None,
        typer.Option("--format", help="text, markdown, html (one sheet of A4) or csv; by default from the file name"),
    ] = None,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="write a file; - for standard output")
    ] = "",
    force: Force = False,
    p: Parameters = None,
    as_json: Json = False,
) -> None:
    """Print a strategy card: how to play a game well, on one page, and the cost of playing by it."""
    if as_json and (form or output):
        raise BadInput("--json writes to standard output; leave out --format and --output", field="output")
    kind = card_format(form, output)
    is_csv, is_file = kind == "csv", output not in ("", STDOUT)
    path = writable_path(output, CARD, force=force, is_described=is_csv) if is_file else None
    strategy_card = card(game, params=parameters_typed(p))
    if as_json:
        print_json({**strategy_card.plain(), "words": card_texts(strategy_card)})
    elif path:
        write_page(path, render(strategy_card, kind), CARD, kind, force=force)
        typer.echo(f"{path}: the card of {strategy_card.title}")
    else:
        typer.echo(render(strategy_card, kind), nl=False)
