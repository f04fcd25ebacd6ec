"""``ask``: what to do in a state, what a move leads to, and why the best is better."""

from __future__ import annotations

import sys
from collections.abc import Mapping
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
    question_typed,
    show,
    show_json,
    tell,
    title,
)
from rollwise.solver.game.errors import BadInput

WHY_NOT = {  # options of ``ask`` that say nothing of what a move leads to
    "exact": "chances are fractions already, values have none",
    "all_moves": "any move may be named, those too that another one makes pointless",
    "lengths": "it tells of one move, not of the whole game",
    "draw": "name the move",
    "seed": "name the move",
}


def tell_next(
    game: str,
    parameters: Mapping[str, str],
    fields: Mapping[str, str],
    move: str | None,
    *,
    each: bool,
    top: int | None,
    as_json: bool,
    others: Mapping[str, Any],
) -> None:
    """Print every outcome of a move. ``others`` are options of ``ask`` that say nothing of outcomes."""
    from rollwise.asking.outcomes import outcomes

    if move is None:
        raise BadInput("--each lists the throws of a move; say which with --next MOVE", field="next")
    given = next((name for name, value in others.items() if value is not None and value is not False), None)
    if given is not None:
        raise BadInput(f"--next does not go with --{given.replace('_', '-')}: {WHY_NOT[given]}", field=given)
    found = outcomes(game, state=fields, move=move or None, params=parameters, each=each)
    from rollwise.asking.next_moves import next_moves
    from rollwise.reading.door import the_game

    made = the_game(game, parameters)
    moves = next_moves(made, found.rows, found.mover)
    if as_json:
        from rollwise.answers.labels import value_label

        told = {"label": value_label(made.measure, made.sense, found.parameters, found.state), **found.plain()}
        for row, best in zip(told["rows"], moves, strict=True):
            row["best"] = best or None
        show_json(told)
        return
    from rollwise.saying.outcome_lines import outcome_lines
    from rollwise.saying.screen import screen

    on = screen(sys.stdout)
    show(outcome_lines(found, moves, made.title, on, each=each, top=top), on.color)


def show_why(
    game: str,
    parameters: dict[str, str],
    fields: dict[str, str],
    move: str | None,
    *,
    lines: bool,
    as_json: bool,
    others: dict[str, Any],
) -> None:
    """Say what makes the difference; ``others`` are options of ``ask`` that do not go with it, where they are given."""
    given = [name for name, value in others.items() if value]
    if move is None:
        raise BadInput("--lines is for --why: say both", field="lines")
    if given:
        raise BadInput(f"--why compares two moves; leave out {' and '.join(given)}", field=given[0].strip("-"))
    from rollwise.asking.why import why
    from rollwise.saying.screen import screen
    from rollwise.saying.why import why_lines

    found, on = why(game, state=fields, move=move or None, params=parameters, lines=lines), screen(sys.stdout)
    tell(as_json, found.plain, lambda: why_lines(found, title(game), on), on.color)


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
    from rollwise.asking.ask import ask
    from rollwise.saying.advice import advice_lines

    parameters, fields = question_typed(game, p, state)
    if why is not None or lines:
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
        tell_next(game, parameters, fields, next_move, each=each, top=top, as_json=as_json, others=how)
        return
    advice = ask(game, params=parameters, **how, state=fields)
    tell(as_json, advice.plain, lambda: advice_lines(advice, title(game), top=top, height=height(), exact=exact))
