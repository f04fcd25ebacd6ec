"""``best``: what a table has of a state."""

from __future__ import annotations

from typing import Annotated

import typer

from rollwise.commands.options import Json, State, show, show_json, title
from rollwise.solver.model.plain import count_of


def best_command(
    table: Annotated[str, typer.Argument(metavar="TABLE", help="a table (FILE, FOLDER/) that export wrote")],
    state: State = None,
    as_json: Json = False,
) -> None:
    """Say what a table has of a state: the row that stands for it, its best move and values; nothing is solved."""
    from rollwise.answers.spelling import shown_state
    from rollwise.asking.best import best, opened
    from rollwise.parsing.words import fields_typed
    from rollwise.text.layout import columns, wrapped
    from rollwise.text.numbers import number

    game = opened(table)[1]
    answer = best(table, state=fields_typed(game.name, game.parameters(), state or []))
    if as_json:
        show_json(answer)
        return
    row, state_text, points = shown_state(answer["row"]), shown_state(answer["state"]), answer["points"]
    more = f", with {count_of(int(points), 'point')} more here" if points else ""
    other = wrapped(f"goes on as the row {row}{more}") if row != state_text else []
    moves = [
        [move, number(value, answer["unit"], 4)] for move, value in zip(answer["moves"], answer["values"], strict=True)
    ]
    head = f"{title(answer['game'])} ({shown_state(answer['parameters']).replace(' ', ', ')})"
    tie = ["", "All is decided: the first move is the best for the mean."] if "tie_break" in answer else []
    show([head, *wrapped(state_text), *other, "", *columns(moves, right=(1,)), *tie])
