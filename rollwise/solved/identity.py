"""What a stored answer depends on: the rules asked for, and every source file that made it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rollwise.cache.fingerprint import fingerprint
from rollwise.games.registry import find
from rollwise.solver.game.jsonable import as_json
from rollwise.solver.game.model import TurnGame
from rollwise.solver.kinds import kind_of

PACKAGES = ("rollwise.games", "rollwise.solver")


def identity(game: TurnGame, sources: Sequence[str] | None = None) -> dict[str, Any]:
    """What a stored answer depends on: the rules asked for and every source file that made it.

    ``sources``: the modules beside the game's own that made it, if they are not those that solve the game.
    """
    made_by = kind_of(game).sources(game) if sources is None else sources
    return {
        "game": game.name,
        "parameters": plain_parameters(game),
        "rules_version": game.rules_version,
        "fingerprint": fingerprint([find(game.name).module, *made_by], PACKAGES),
    }


def plain_parameters(game: TurnGame) -> dict[str, Any]:
    """Rule parameters as JSON holds them."""
    return dict(as_json(game.parameters()))


def versions() -> dict[str, str]:
    """What an answer was computed with."""
    from importlib.metadata import version

    from rollwise import __version__

    return {"rollwise": __version__, **{name: version(name) for name in ("numpy", "numba")}}
