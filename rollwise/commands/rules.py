"""``rules``: our reading of a game's rules."""

from __future__ import annotations

from rollwise.commands.options import Game, Json, Parameters, parameters_typed, print_json, print_lines


def rules_command(game: Game, p: Parameters = None, as_json: Json = False) -> None:
    """Print our reading of a game's rules, its parameters and the fields of a question."""
    from rollwise.answers.labels import short_label
    from rollwise.answers.spelling import shown_value
    from rollwise.asking.catalogue import rules
    from rollwise.text.layout import align_columns, wrap_text

    chosen = parameters_typed(p)
    reading = rules(game, params=chosen)
    if as_json:
        print_json(reading)
        return
    aim = short_label(reading["objective"], chosen or {}, {})
    parameters = [
        [f"  {item['name']}", shown_value(item["default"]), item["allowed"], item["help"]]
        for item in reading["parameters"]
    ]
    unsolved = [f"  {each['cost']}" for each in reading["unsolved"]]
    print_lines(
        [
            *wrap_text(f"{reading['title']} ({reading['game']}), {reading['kind']}: {aim}"),
            "",
            *wrap_text(reading["rules"]),
            "",
            "Parameters (-p name=value): name, default, allowed",
            *align_columns(parameters or [["  none"]]),
            "",
            "Fields of a question",
            *align_columns([[f"  {field['name']}", field["help"]] for field in reading["fields"]]),
            "",
            *(["Not solved: more players", *unsolved, ""] if unsolved else []),
            *wrap_text(f"Source: {reading['source_title']}"),
        ]
    )
