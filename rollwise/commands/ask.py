"""``ask``: what to do in a state, what a move leads to, and why the best is better."""

from __future__ import annotations

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
from rollwise.solver.model.errors import BadInput

Words = dict[str, str]  # words by name
WHY_NOT = {  # options of ``ask`` that say nothing of what a move leads to
    "exact": "chances are fractions already, values have none",
    "all_moves": "any move may be named, those too that another one makes pointless",
    "lengths": "it tells of one move, not of the whole game",
    "draw": "name the move",
    "seed": "name the move",
}


def _given(options: Mapping[str, Any]) -> list[str]:
    """Which of these options were given."""
    return [name for name, value in options.items() if value is not None and value is not False]


def _show_next(
    game: str, parameters: Words, fields: Words, move: str, *, each: bool, top: int | None, as_json: bool
) -> None:
    """Print every outcome of a move."""
    from rollwise.asking.outcomes import outcomes, with_next_moves
    from rollwise.parsing.validate import the_game

    answer = outcomes(game, state=fields, move=move or None, params=parameters, each=each)
    answer = with_next_moves(the_game(game, parameters), answer)
    if as_json:
        show_json(answer.plain())
        return
    from rollwise.text.outcomes import outcome_lines
    from rollwise.text.screen import screen

    on = screen()
    show(outcome_lines(answer, title(game), on, each=each, top=top), on.color)


def _show_why(game: str, parameters: Words, fields: Words, move: str, *, lines: bool, as_json: bool) -> None:
    """Say what makes the difference between the best move and another."""
    from rollwise.asking.why import why
    from rollwise.text.screen import screen
    from rollwise.text.why import why_lines

    answer, on = why(game, state=fields, move=move or None, params=parameters, lines=lines), screen()
    tell(as_json, answer.plain, lambda: why_lines(answer, title(game), on), on.color)


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
    from rollwise.text.advice import advice_lines

    parameters, fields = question_typed(game, p, state)
    how: dict[str, Any] = {"exact": exact, "all_moves": all_moves, "lengths": lengths, "draw": draw, "seed": seed}
    if why is not None:
        beside: dict[str, Any] = {"draw": draw, "seed": seed, "exact": exact, "lengths": lengths, "top": top}
        beside |= {"next": next_move, "each": each}
        others = [f"--{name}" for name in _given(beside)]
        if others:
            raise BadInput(f"--why compares two moves; leave out {' and '.join(others)}", field=others[0].strip("-"))
        _show_why(game, parameters, fields, why, lines=lines, as_json=as_json)
    elif lines:
        raise BadInput("--lines is for --why: say both", field="lines")
    elif next_move is not None:
        for name in _given(how):
            raise BadInput(f"--next does not go with --{name.replace('_', '-')}: {WHY_NOT[name]}", field=name)
        _show_next(game, parameters, fields, next_move, each=each, top=top, as_json=as_json)
    elif each:
        raise BadInput("--each lists the throws of a move; say which with --next MOVE", field="next")
    else:
        advice = ask(game, params=parameters, **how, state=fields)
        tell(as_json, advice.plain, lambda: advice_lines(advice, title(game), top=top, height=height(), exact=exact))
