"""``ask --why [MOVE]``: the move after it is optional, and may be said in several words."""

from __future__ import annotations

from typing import Any

from rollwise.commands.options import show, show_json, title
from rollwise.solver.game.errors import BadInput

WHY = "--why"


def with_move(words: list[str]) -> list[str]:
    """The words of the command line, with those of the move as one: ``--why keep 5 5``, and ``--why`` alone too.

    A move ends where a field or an option begins; before the game has been named there is none.

    >>> with_move(["ask", "pig", "--why", "hold", "turn=4"]), with_move(["ask", "--why", "pig", "turn=4"])
    (['ask', 'pig', '--why=hold', 'turn=4'], ['ask', '--why=', 'pig', 'turn=4'])
    """
    if WHY not in words:
        return words
    place = words.index(WHY)
    end = place + 1
    if sum(_is_bare(word) for word in words[:place]) > 1:
        while end < len(words) and _is_bare(words[end]):
            end += 1
    return [*words[:place], f"{WHY}={' '.join(words[place + 1 : end])}", *words[end:]]


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
        show(why_lines(found, title(game)))
