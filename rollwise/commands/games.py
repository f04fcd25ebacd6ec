"""Commands about the games that there are, before anything is solved: ``list``, ``rules``."""

from __future__ import annotations

from typing import Any

from rollwise.commands.options import (
    Game,
    Json,
    Parameters,
    show,
    show_json,
)


def list_command(as_json: Json = False) -> None:
    """List the games."""
    from rollwise.catalogue import list_games
    from rollwise.text import columns

    games = list_games()
    if as_json:
        show_json(games)
        return
    rows = [["game", "title", "kind", "source"]]
    rows += [[game["name"], game["title"], game["kind"], game["source_title"]] for game in games]
    show(columns(rows))


def rules_command(game: Game, p: Parameters = None, as_json: Json = False) -> None:
    """Print our reading of a game's rules, its parameters and the fields of a question."""
    from rollwise.catalogue import rules
    from rollwise.door import split
    from rollwise.labels import short_label
    from rollwise.text import columns, wrapped

    told = rules(game, split(p or [], "parameter"))
    if as_json:
        show_json(told)
        return
    parameters = [
        [f"  {item['name']}", f"{_default(item['default'])}", item["allowed"], item["help"]]
        for item in told["parameters"]
    ]
    fields = [[f"  {field['name']}", field["help"]] for field in told["fields"]]
    unsolved = told["unsolved"]
    show(
        [
            *wrapped(f"{told['title']} ({told['game']}), {told['kind']}: {short_label(told['objective'], {})}"),
            "",
            *wrapped(told["rules"]),
            "",
            "Parameters (-p name=value): name, default, allowed",
            *columns(parameters or [["  none"]]),
            "",
            "Fields of a question",
            *columns(fields),
            "",
            *(["Not solved: more players", *(f"  {each['cost']}" for each in unsolved), ""] if unsolved else []),
            *wrapped(f"Source: {told['source_title']}"),
        ]
    )


def _default(value: Any) -> str:
    return ",".join(map(str, value)) or "none" if isinstance(value, list) else str(value).lower()
