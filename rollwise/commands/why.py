"""``ask --why [MOVE]``, as the command line tells it; the move after it is optional."""

from __future__ import annotations

import sys
from typing import Any

from rollwise.commands.options import show, show_json, title
from rollwise.solver.game.errors import BadInput

WHY = "--why"


def why_alone(words: list[str]) -> list[str]:
    """The words of the command line; ``--why`` without a move after it, or before the game is named, has none.

    >>> why_alone(["ask", "pig", "--why", "turn=4"]), why_alone(["ask", "pig", "--why", "hold"])
    (['ask', 'pig', '--why=', 'turn=4'], ['ask', 'pig', '--why', 'hold'])
    """
    place = words.index(WHY) if WHY in words else len(words)
    has_move = sum(map(_is_bare, words[:place])) > 1 and any(map(_is_bare, words[place + 1 : place + 2]))
    return words if place == len(words) or has_move else [*words[:place], f"{WHY}=", *words[place + 1 :]]


def _is_bare(word: str) -> bool:
    return "=" not in word and not word.startswith("-")


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
    from rollwise.explaining import why
    from rollwise.why_text import why_lines

    found = why(game, fields, move or None, parameters, lines=lines)
    if as_json:
        show_json(found.plain())
    else:
        from rollwise.display import screen

        on = screen(sys.stdout)
        show(why_lines(found, title(game), on), on.color)
