"""Which games there are, and what their rules and parameters are as we read them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rollwise.answers.advice import picked
from rollwise.asking.question import understood
from rollwise.games.registry import REGISTRY, game_class
from rollwise.parsing.crowds import unsolved
from rollwise.parsing.validate import Parameter, checked, known_parameters, the_game
from rollwise.solver.kinds import kind_of
from rollwise.solver.model.fields import FAR, Form, choice_form, number_form
from rollwise.solver.model.game import TurnGame
from rollwise.solver.model.jsonable import as_json


def list_games() -> list[dict[str, Any]]:
    """One line a game: ``name``, ``title``, ``kind``, ``source`` and its ``source_title``.

    ``reference`` is True for those on no rule sheet.
    """
    return [
        {
            **picked(cls, "name", "title"),
            "kind": kind_of(cls).called(cls),
            "source": cls.source,
            "source_title": cls.source,
            "reference": REGISTRY[cls.name].reference,
        }
        for cls in map(game_class, REGISTRY)
    ]


@checked
def rules(game: str, *, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Our reading of a game's rules, its parameters and the fields of a question, as plain data.

    Of a parameter and of a field ``form`` says how it is filled in. The ``default`` of a field is what it is at the
    start of the game, where it is left out; None where the start has no such thing.

    ``unsolved``: numbers of players that the rules allow and that would take too much, with what each would cost.
    """
    cls = game_class(game)
    made = the_game(game, params)
    return {
        "game": cls.name,
        "title": cls.title,
        "kind": kind_of(made).called(made),
        "objective": made.measure,
        "unit": made.unit,
        "source": cls.source,
        "source_title": cls.source,
        **picked(made, "rules", "rules_version"),
        "parameters": parameter_rows(cls.name),
        "fields": field_rows(made),
        "unsolved": unsolved(made),
    }


def parameter_rows(game: str) -> list[dict[str, Any]]:
    """The rule parameters of a game: ``name``, ``default``, what is ``allowed`` in words, ``form`` and ``help``."""
    return [
        {
            "name": name,
            "default": as_json(parameter.default),
            "allowed": _allowed(parameter),
            "form": parameter_form(parameter),
            "help": parameter.metadata["help"],
        }
        for name, parameter in known_parameters(game).items()
    ]


def field_rows(game: TurnGame) -> list[dict[str, Any]]:
    """The fields of a question: ``name``, ``help``, ``default`` and ``form``."""
    start = understood(game, {}, game.locate())
    return [
        {"name": field.name, "help": field.help, "default": as_json(start.get(field.name)), "form": field.form}
        for field in game.fields()
    ]


def parameter_form(field: Parameter) -> Form:
    """How a rule parameter is filled in, in the words of a field's form (``solver.model.fields``)."""
    metadata, default = field.metadata, field.default
    if metadata["form"] is not None:
        return dict(metadata["form"])
    if metadata["choices"]:
        return choice_form(metadata["choices"])
    if isinstance(default, bool):
        return {"form": "switch"}
    if isinstance(default, int):
        low, high = metadata["low"], metadata["high"]
        return number_form(-FAR if low is None else low, FAR if high is None else high, metadata["step"])
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
