"""``list_games`` and ``rules``: the games, and our reading of their rules and parameters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rollwise.answers.advice import pick
from rollwise.asking.question import full_state
from rollwise.games.registry import REGISTRY, game_class
from rollwise.parsing.player_cost import unsolved_player_counts
from rollwise.parsing.validate import Parameter, check_arguments, parse_game, rule_parameters
from rollwise.solver.kinds import kind_of
from rollwise.solver.model.fields import NO_LIMIT, Form, choice_form, number_form
from rollwise.solver.model.game import TurnGame
from rollwise.solver.model.jsonable import as_json


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
