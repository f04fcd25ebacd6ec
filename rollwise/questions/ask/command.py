"""``ask``: the best move in a state, the outcomes of a move, and why the best is better."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from rollwise.questions.options import (
    Exact,
    Game,
    Json,
    Lengths,
    Parameters,
    State,
    print_answer,
    question_typed,
    terminal_lines,
    title,
)
from rollwise.solver.model.errors import BadInput

Words = dict[str, str]  # typed texts by name
NEXT_CONFLICTS = {  # options of ``ask`` that do not apply to the outcomes of a move
    "exact": "chances are fractions already, values have none",
    "all_moves": "any move may be named, also a dominated one",
    "lengths": "it is about one move, not the whole game",
    "draw": "name the move",
    "seed": "name the move",
}


def _used_options(options: Mapping[str, Any]) -> list[str]:
    """The names of the options that are set."""
    return [name for name, value in options.items() if value is not None and value is not False]


def _show_next(
    game: str, parameters: Words, fields: Words, move: str, *, each: bool, top: int | None, as_json: bool
) -> None:
    """Print every outcome of a move."""
    from rollwise.parsing.validate import parse_game
    from rollwise.questions.outcomes.compute import outcomes, with_best_moves
    from rollwise.text.screen import screen

    answer = outcomes(game, state=fields, move=move or None, params=parameters, each=each)
    answer, on = with_best_moves(parse_game(game, parameters), answer), screen()

    def lines() -> list[str]:
        from rollwise.questions.outcomes.text import outcome_lines  # which JSON needs not

        return outcome_lines(answer, title(game), on, each=each, top=top)

    print_answer(as_json, answer.plain, lines, on.color)


def _show_why(game: str, parameters: Words, fields: Words, move: str, *, lines: bool, as_json: bool) -> None:
    """Print the difference between the best move and another."""
    from rollwise.questions.why.compute import why
    from rollwise.questions.why.text import why_lines
    from rollwise.text.screen import screen

    answer, on = why(game, state=fields, move=move or None, params=parameters, lines=lines), screen()
    print_answer(as_json, answer.plain, lambda: why_lines(answer, title(game), on), on.color)


def ask_command(
    game: Game,
    state: State = None,
    all_moves: Annotated[
        bool, typer.Option("--all-moves", help="also list dominated moves, such as the same boxes for fewer points")
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
            "--next", metavar="MOVE", help="the outcomes of this move: chances, dice, next states and their values"
        ),
    ] = None,
    each: Annotated[
        bool, typer.Option("--each", help="with --next: one row for every throw, not for every next state")
    ] = False,
    why: Annotated[
        str | None,
        typer.Option("--why", metavar="[MOVE]", help="why the best move is better than this one, or than the second"),
    ] = None,
    lines: Annotated[
        bool, typer.Option("--lines", help="with --why on a score sheet: also every line of the sheet after both moves")
    ] = False,
    p: Parameters = None,
    as_json: Json = False,
    exact: Exact = False,
) -> None:
    """Show the best move in a state and the value of every move; 'rollwise rules GAME' lists the fields of a state."""
    from rollwise.questions.ask.compute import ask
    from rollwise.questions.ask.text import advice_lines

    parameters, fields = question_typed(game, p, state)
    options: dict[str, Any] = {"exact": exact, "all_moves": all_moves, "lengths": lengths, "draw": draw, "seed": seed}
    if why is not None:
        conflicting: dict[str, Any] = {"draw": draw, "seed": seed, "exact": exact, "lengths": lengths, "top": top}
        conflicting |= {"next": next_move, "each": each}
        others = [f"--{name}" for name in _used_options(conflicting)]
        if others:
            raise BadInput(f"--why compares two moves; leave out {' and '.join(others)}", field=others[0].strip("-"))
        _show_why(game, parameters, fields, why, lines=lines, as_json=as_json)
    elif lines:
        raise BadInput("--lines needs --why", field="lines")
    elif next_move is not None:
        for name in _used_options(options):
            raise BadInput(f"--next does not go with --{name.replace('_', '-')}: {NEXT_CONFLICTS[name]}", field=name)
        _show_next(game, parameters, fields, next_move, each=each, top=top, as_json=as_json)
    elif each:
        raise BadInput("--each lists the throws of a move; say which with --next MOVE", field="next")
    else:
        advice = ask(game, params=parameters, **options, state=fields)
        layout: dict[str, Any] = {"top": top, "height": terminal_lines(), "exact": exact}
        print_answer(as_json, advice.plain, lambda: advice_lines(advice, title(game), **layout))
