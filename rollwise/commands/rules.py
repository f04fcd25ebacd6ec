"""``rules``: our reading of a game's rules."""

from __future__ import annotations

from typing import Any

from rollwise.commands.options import Game, Json, Parameters, show, show_json


def rules_command(game: Game, p: Parameters = None, as_json: Json = False) -> None:
    """Print our reading of a game's rules, its parameters and the fields of a question."""
    from rollwise.answers.labels import short_label
    from rollwise.asking.catalogue import rules
    from rollwise.reading.door import split
    from rollwise.saying.layout import columns, wrapped

    told = rules(game, params=split(p or [], "parameter"))
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
