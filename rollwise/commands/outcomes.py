"""``ask --next``: what a move leads to, as the command line tells it."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from rollwise.commands.options import show, show_json
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
    from rollwise.foreseeing import outcomes

    if move is None:
        raise BadInput("--each lists the throws of a move; say which with --next MOVE", field="next")
    given = next((name for name, value in others.items() if value is not None and value is not False), None)
    if given is not None:
        raise BadInput(f"--next does not go with --{given.replace('_', '-')}: {WHY_NOT[given]}", field=given)
    found = outcomes(game, fields, move or None, parameters, each=each)
    from rollwise.door import the_game

    made = the_game(game, parameters)
    if as_json:
        from rollwise.labels import value_label
        from rollwise.next_moves import next_moves

        told = {"label": value_label(made.measure, made.sense, found.parameters, found.state), **found.plain()}
        for row, best in zip(told["rows"], next_moves(made, found.rows, found.mover), strict=True):
            row["best"] = best or None
        show_json(told)
        return
    from rollwise.display import screen
    from rollwise.outcome_text import outcome_lines

    on = screen(sys.stdout)
    show(outcome_lines(found, made, made.title, on, each=each, top=top), on.color)
