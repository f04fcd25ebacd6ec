"""Which games there are, and what their rules and parameters are as we read them."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from rollwise.crowds import unsolved
from rollwise.door import the_game
from rollwise.games.registry import REGISTRY, game_class
from rollwise.solver.kinds import kind_of


def list_games() -> list[dict[str, Any]]:
    """One line a game: ``name``, ``title``, ``kind``, ``source``; ``reference`` is True for those on no rule sheet."""
    lines = []
    for listed in REGISTRY.values():
        cls = game_class(listed.name)
        lines.append(
            {
                "name": listed.name,
                "title": listed.title,
                "kind": kind_of(cls).called(cls),
                "source": cls.source,
                "reference": listed.reference,
            }
        )
    return lines


def rules(game: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Our reading of a game's rules, its parameters and the fields of a question, as plain data.

    ``unsolved``: numbers of players that the rules allow and that would take too much, with what each would cost.
    """
    cls = game_class(game)
    made = the_game(game, params)
    parameters = [
        {
            "name": field.name,
            "default": list(field.default) if isinstance(field.default, tuple) else field.default,
            "allowed": _allowed(field),
            "help": field.metadata["help"],
        }
        for field in dataclasses.fields(cls)
        if not field.metadata.get("trial")
    ]
    return {
        "game": cls.name,
        "title": cls.title,
        "kind": kind_of(made).called(made),
        "objective": made.measure,
        "unit": made.unit,
        "source": cls.source,
        "rules": cls.rules,
        "rules_version": cls.rules_version,
        "parameters": parameters,
        "fields": [{"name": field.name, "help": field.help} for field in made.fields()],
        "unsolved": unsolved(made),
    }


def _allowed(field: dataclasses.Field[Any]) -> str:
    metadata = field.metadata
    if metadata["choices"]:
        return "/".join(map(str, metadata["choices"]))
    if isinstance(field.default, bool):
        return "true/false"
    if metadata["low"] is not None:
        step = f", steps of {metadata['step']}" if metadata["step"] != 1 else ""
        return f"{metadata['low']} to {metadata['high']}{step}"
    return "a list" if isinstance(field.default, tuple) else "text"
