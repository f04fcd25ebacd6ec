"""``ask --next``: what a move leads to, as the command line tells it."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from rollwise.options import show, show_json
from rollwise.solver.game.errors import BadInput


def tell_next(
    game: str,
    parameters: Mapping[str, str],
    fields: Mapping[str, str],
    move: str,
    *,
    each: bool,
    top: int | None,
    as_json: bool,
    others: Mapping[str, Any],
) -> None:
    """Print every outcome of a move. ``others`` are options of ``ask`` that say nothing of outcomes."""
    from rollwise.outcomes import outcomes

    given = next((name for name, value in others.items() if value not in (None, False)), None)
    if given is not None:
        raise BadInput(
            f"--{given} and --next do not go together: --next tells chances as fractions, of one move", field=given
        )
    found = outcomes(game, fields, move, parameters, each=each)
    if as_json:
        show_json(found.plain())
        return
    from rollwise.display import screen
    from rollwise.door import the_game
    from rollwise.outcome_text import outcome_lines

    made = the_game(game, parameters)
    show(outcome_lines(found, made, made.title, screen(sys.stdout), each=each, top=top))
