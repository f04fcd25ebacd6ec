"""``ask --why [MOVE]``, as the command line tells it; the move after it is optional."""

from __future__ import annotations

import sys
from typing import Any

from rollwise.commands.options import tell, title
from rollwise.solver.game.errors import BadInput


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
    from rollwise.display import screen
    from rollwise.explaining import why
    from rollwise.why_text import why_lines

    found, on = why(game, fields, move or None, parameters, lines=lines), screen(sys.stdout)
    tell(as_json, found.plain, lambda: why_lines(found, title(game), on), on.color)
