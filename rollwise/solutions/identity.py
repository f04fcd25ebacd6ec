"""What a stored answer depends on: the rules asked for, and every source file that made it."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Mapping, Sequence
from contextlib import suppress
from operator import attrgetter
from secrets import token_hex
from typing import Any

from rollwise.cache.errors import MissingSource
from rollwise.cache.fingerprint import traced
from rollwise.cache.loaded import CHANGES, changed
from rollwise.games.registry import find
from rollwise.solver.kinds import kind_of
from rollwise.solver.model.game import TurnGame
from rollwise.solver.model.jsonable import as_json

PACKAGES = ("rollwise.games", "rollwise.solver")
PROCESS = token_hex(8)  # what is solved for this process alone is found by no other


def identity(game: TurnGame, sources: Sequence[str] | None = None) -> dict[str, Any]:
    """What a stored answer depends on: the rules asked for and every source file that made it.

    ``sources``: the modules beside the game's own that made it, if they are not those that solve the game. The
    fingerprint is None where sources do not tell all: what is solved then is for this process, and for this game object
    or this state of the changed constants, and a warning says so.
    """
    made_by = kind_of(game).sources(game) if sources is None else sources
    about = {"game": game.name, "parameters": plain_parameters(game), "rules_version": game.rules_version}
    own = [cls for cls in type(game).__mro__[:-1] if not cls.__module__.startswith(PACKAGES)]
    try:
        for cls in own:
            require_findable(cls)
        modules = dict.fromkeys([find(game.name).module, *(cls.__module__ for cls in own), *made_by])
        of_now = traced(modules, PACKAGES)
        watched = [name for name in of_now.names if not name.startswith((PACKAGES[1], find.__module__))]
        others = changed(watched)
        if not others:
            return {**about, "fingerprint": " ".join([of_now.digits, *(cls.__qualname__ for cls in own)])}
        why = f"this program has changed {', '.join(others)} since it was imported"
    except MissingSource as error:
        why = str(error)
    warnings.warn(f"{game.name} is solved for this program alone, and not kept: {why}", RuntimeWarning, stacklevel=1)
    return {**about, "fingerprint": None, "process": PROCESS, "state": [len(CHANGES), id(game) if own else 0]}


def is_here_alone(about: Mapping[str, Any]) -> bool:
    """True for the identity of what no other process may use, so that it is not kept."""
    return about["fingerprint"] is None


def require_findable(cls: type) -> None:
    """Raise ``MissingSource`` for a class that its module has not, such as one that a function has made."""
    with suppress(AttributeError, KeyError):
        if attrgetter(cls.__qualname__)(sys.modules[cls.__module__]) is cls:
            return
    raise MissingSource(f"module {cls.__module__!r} has no such class {cls.__qualname__!r}")


def plain_parameters(game: TurnGame) -> dict[str, Any]:
    """Rule parameters as JSON holds them."""
    return dict(as_json(game.parameters()))


def versions() -> dict[str, str]:
    """What an answer was computed with."""
    from importlib.metadata import version

    from rollwise import __version__

    return {"rollwise": __version__, **{name: version(name) for name in ("numpy", "numba")}}
