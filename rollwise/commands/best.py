"""``best``: the row of an exported table for a state."""

from __future__ import annotations

from typing import Annotated

import typer

from rollwise.commands.options import Json, State, print_json, print_lines, title
from rollwise.solver.model.plain import count_of


def best_command(
    table: Annotated[str, typer.Argument(metavar="TABLE", help="a table (FILE, FOLDER/) that export wrote")],
    state: State = None,
    as_json: Json = False,
) -> None:
    """Show the row of an exported table for a state: its best move and values; nothing is solved."""
    from rollwise.answers.spelling import shown_state
    from rollwise.asking.best import best, open_table
    from rollwise.parsing.words import parse_typed_fields
    from rollwise.text.layout import align_columns, wrap_text
    from rollwise.text.numbers import number

    game = open_table(table)[1]
    answer = best(table, state=parse_typed_fields(game.name, game.parameters(), state or []))
    if as_json:
        print_json(answer)
        return
    row, state_text, points = shown_state(answer["row"]), shown_state(answer["state"]), answer["points"]
    more = f", with {count_of(int(points), 'point')} more here" if points else ""
    other = wrap_text(f"goes on as the row {row}{more}") if row != state_text else []
    moves = [
        [move, number(value, answer["unit"], 4)] for move, value in zip(answer["moves"], answer["values"], strict=True)
    ]
    head = f"{title(answer['game'])} ({shown_state(answer['parameters']).replace(' ', ', ')})"
    tie = ["", "All is decided: the first move is the best for the mean."] if "tie_break" in answer else []
    print_lines([head, *wrap_text(state_text), *other, "", *align_columns(moves, right=(1,)), *tie])
