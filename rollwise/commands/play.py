"""Commands for somebody who plays: ``ask``, and ``card`` to play by without asking."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from rollwise.commands.options import (
    Exact,
    Game,
    Json,
    Lengths,
    Parameters,
    State,
    height,
    said,
    show_json,
    tell,
    title,
)
from rollwise.solver.game.errors import BadInput


def ask_command(
    game: Game,
    state: State = None,
    all_moves: Annotated[
        bool,
        typer.Option("--all-moves", help="also moves that another one makes pointless, as the same boxes for less"),
    ] = False,
    lengths: Lengths = False,
    top: Annotated[
        int | None,
        typer.Option(
            "--top",
            metavar="N",
            min=1,
            help="list the N best moves (with --next outcomes) and count the others; by default as many as fit",
        ),
    ] = None,
    draw: Annotated[
        bool, typer.Option("--draw", help="where the best play is a mix of moves (bluff): draw one of them")
    ] = False,
    seed: Annotated[
        int | None, typer.Option("--seed", metavar="N", help="the same seed always draws the same move")
    ] = None,
    next_move: Annotated[
        str | None,
        typer.Option(
            "--next", metavar="MOVE", help="what this move leads to: chances, dice, states, what they are worth"
        ),
    ] = None,
    each: Annotated[
        bool, typer.Option("--each", help="with --next: every throw by itself, not what it leads to")
    ] = False,
    why: Annotated[
        str | None,
        typer.Option("--why", metavar="[MOVE]", help="why the best move is better than this one, or than the second"),
    ] = None,
    lines: Annotated[
        bool, typer.Option("--lines", help="(--why, score sheets) also every line of the sheet after both moves")
    ] = False,
    p: Parameters = None,
    as_json: Json = False,
    exact: Exact = False,
) -> None:
    """Say what to do in a state, and what every move is worth; 'rollwise rules GAME' lists the fields of a state."""
    from rollwise.advice_text import advice_lines
    from rollwise.asking import ask

    parameters, fields = said(game, p, state)
    if why is not None or lines:
        from rollwise.commands.why import show_why

        others: dict[str, Any] = {
            "--draw": draw,
            "--seed": seed is not None,
            "--exact": exact,
            "--lengths": lengths,
            "--top": top,
        }
        others |= {"--next": next_move, "--each": each}
        show_why(game, parameters, fields, why, lines=lines, as_json=as_json, others=others)
        return
    how: dict[str, Any] = {"exact": exact, "all_moves": all_moves, "lengths": lengths, "draw": draw, "seed": seed}
    if next_move is not None or each:
        from rollwise.commands.outcomes import tell_next

        tell_next(game, parameters, fields, next_move, each=each, top=top, as_json=as_json, others=how)
        return
    advice = ask(game, parameters, **how, state=fields)
    tell(as_json, advice.plain, lambda: advice_lines(advice, title(game), top=top, height=height(), exact=exact))


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
    from rollwise.card_pages import form_of, page, render
    from rollwise.door import split
    from rollwise.ledger import STDOUT, ledger_path, write_ledger
    from rollwise.strategy_card import card

    if as_json and (form or output):
        raise BadInput("--json writes to standard output; leave out --format and --output", field="output")
    chosen = form_of(form, output)
    path = ledger_path(output) if output not in ("", STDOUT) else None
    made = card(game, split(p or [], "parameter"))
    if as_json:
        words = page(made)
        show_json({**made.plain(), "words": [words.rule, *words.notes]})
    elif path:
        write_ledger(path, render(made, chosen))
        typer.echo(f"{path}: the card of {made.title}")
    else:
        typer.echo(render(made, chosen), nl=False)
