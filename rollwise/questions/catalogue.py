"""``list_games`` and ``rules``: the games, and our reading of their rules and parameters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rollwise.arguments import check_arguments
from rollwise.games.registry import REGISTRY, game_class
from rollwise.parsing.player_cost import unsolved_player_counts
from rollwise.parsing.validate import Parameter, parse_game, rule_parameters
from rollwise.questions.options import Game, Json, Parameters, parameters_typed, print_answer, print_json, print_lines
from rollwise.questions.question import full_state
from rollwise.solver.kinds import kind_of
from rollwise.solver.model.fields import NO_LIMIT, Form, choice_form, number_form
from rollwise.solver.model.game import TurnGame
from rollwise.solver.model.jsonable import as_json, pick
from rollwise.text.labels import short_label
from rollwise.text.layout import align_columns, wrap_text
from rollwise.text.spelling import shown_value


def list_games() -> list[dict[str, Any]]:
    """A row for each game: ``name``, ``title``, ``kind``, ``source`` and its ``source_title``.

    ``reference`` is True for those on no rule sheet.
    """
    return [
        {
            **pick(cls, "name", "title"),
            "kind": kind_of(cls).label(cls),
            "source": cls.source,
            "source_title": cls.source,
            "reference": cls.reference,
        }
        for cls in map(game_class, REGISTRY)
    ]


@check_arguments
def rules(game: str, *, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Our reading of a game's rules, its parameters and the fields of a question, as plain data.

    The ``form`` of a parameter or a field describes how it is filled in. The ``default`` of a field is its value at
    the start of the game; None where the start has none.

    ``unsolved``: numbers of players that the rules allow and that are too expensive to solve, with the cost of each.
    """
    cls = game_class(game)
    model = parse_game(game, params)
    return {
        "game": cls.name,
        "title": cls.title,
        "kind": kind_of(model).label(model),
        "objective": model.measure,
        "unit": model.unit,
        "source": cls.source,
        "source_title": cls.source,
        **pick(model, "rules", "rules_version"),
        "parameters": parameter_rows(cls.name),
        "fields": field_rows(model),
        "unsolved": unsolved_player_counts(model),
    }


def parameter_rows(game: str) -> list[dict[str, Any]]:
    """The rule parameters of a game: ``name``, ``default``, the ``allowed`` values in words, ``form`` and ``help``."""
    return [
        {
            "name": name,
            "default": as_json(parameter.default),
            "allowed": _allowed(parameter),
            "form": parameter_form(parameter),
            "help": parameter.metadata["help"],
        }
        for name, parameter in rule_parameters(game).items()
    ]


def field_rows(game: TurnGame) -> list[dict[str, Any]]:
    """The fields of a question: ``name``, ``help``, ``default`` and ``form``."""
    start = full_state(game, {}, game.locate())
    return [
        {"name": field.name, "help": field.help, "default": as_json(start.get(field.name)), "form": field.form}
        for field in game.fields()
    ]


def parameter_form(field: Parameter) -> Form:
    """The input form of a rule parameter, as for fields (``solver.model.fields``)."""
    metadata, default = field.metadata, field.default
    if metadata["form"] is not None:
        return dict(metadata["form"])
    if metadata["choices"]:
        return choice_form(metadata["choices"])
    if isinstance(default, bool):
        return {"form": "switch"}
    if isinstance(default, int):
        low, high = metadata["low"], metadata["high"]
        return number_form(-NO_LIMIT if low is None else low, NO_LIMIT if high is None else high, metadata["step"])
    like = ",".join(map(str, default)) if isinstance(default, tuple) else str(default)
    return {"form": "text", "like": like}


def _allowed(field: Parameter) -> str:
    metadata = field.metadata
    if metadata["choices"]:
        return "/".join(map(str, metadata["choices"]))
    if isinstance(field.default, bool):
        return "true/false"
    if metadata["low"] is not None:
        step = f", steps of {metadata['step']}" if metadata["step"] != 1 else ""
        return f"{metadata['low']} to {metadata['high']}{step}"
    return "a list" if isinstance(field.default, tuple) else "text"


def list_command(as_json: Json = False) -> None:
    """List the games."""
    games = list_games()
    rows = [["game", "title", "kind", "source"]]
    rows += [[game["name"], game["title"], game["kind"], game["source_title"]] for game in games]
    print_answer(as_json, lambda: games, lambda: align_columns(rows))


def rules_command(game: Game, p: Parameters = None, as_json: Json = False) -> None:
    """Print our reading of a game's rules, its parameters and the fields of a question."""
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
