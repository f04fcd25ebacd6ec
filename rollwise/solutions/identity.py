"""Identity of a stored answer: the rules, and a fingerprint of every source file that produced it."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Mapping, Sequence
from contextlib import suppress
from operator import attrgetter
from secrets import token_hex
from typing import Any

from rollwise.cache.errors import MissingSource
from rollwise.cache.fingerprint import trace_sources
from rollwise.cache.loaded import CHANGES, changed_modules
from rollwise.games import registry
from rollwise.solver.kinds import kind_of
from rollwise.solver.model.game import TurnGame
from rollwise.solver.model.jsonable import as_json

TRACED_PACKAGES = ("rollwise.games", "rollwise.solver")
PROCESS_TOKEN = token_hex(8)  # in the keys of process-local solutions: no other process finds them


def identity(game: TurnGame, sources: Sequence[str] | None = None) -> dict[str, Any]:
    """Identity of a stored answer: game, parameters, solver options, rules version and fingerprint of the sources.

    ``sources``: the modules beside the game's own that produce it, by default those that solve the game. Fingerprint
    None, with a warning: for this process and this game object, or this state of changed constants, alone.
    """
    solving_modules = kind_of(game).sources(game) if sources is None else sources
    settings = {"parameters": plain_parameters(game), "solver_options": dict(as_json(game.solver_options()))}
    about = {"game": game.name, **settings, "rules_version": game.rules_version}
    user_classes = [cls for cls in type(game).__mro__[:-1] if not cls.__module__.startswith(TRACED_PACKAGES)]
    try:
        for cls in user_classes:
            require_importable(cls)
        modules = dict.fromkeys(
            [registry.REGISTRY[game.name].module, *(cls.__module__ for cls in user_classes), *solving_modules]
        )
        traced_sources = trace_sources(modules, TRACED_PACKAGES)
        watched = [
            name for name in traced_sources.names if not name.startswith((TRACED_PACKAGES[1], registry.__name__))
        ]
        others = changed_modules(watched)
        if not others:
            class_names = [cls.__qualname__ for cls in user_classes]
            return {**about, "fingerprint": " ".join([traced_sources.digits, *class_names])}
        reason = f"this program has changed {', '.join(others)} since it was imported"
    except MissingSource as error:
        reason = str(error)
    warnings.warn(f"{game.name} is solved for this program alone, and not kept: {reason}", RuntimeWarning, stacklevel=1)
    state = [len(CHANGES), id(game) if user_classes else 0]
    return {**about, "fingerprint": None, "process": PROCESS_TOKEN, "state": state}


def is_process_local(about: Mapping[str, Any]) -> bool:
    """True for the identity of a solution that no other process may use, so that it is not stored."""
    return about["fingerprint"] is None


def require_importable(cls: type) -> None:
    """Raise ``MissingSource`` for a class that is no attribute of its module, such as one defined inside a function."""
    with suppress(AttributeError, KeyError):
        if attrgetter(cls.__qualname__)(sys.modules[cls.__module__]) is cls:
            return
    raise MissingSource(f"module {cls.__module__!r} has no such class {cls.__qualname__!r}")


def plain_parameters(game: TurnGame) -> dict[str, Any]:
    """Rule parameters as plain JSON."""
    return dict(as_json(game.parameters()))


def stored_settings(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Rule parameters and solver options of a stored answer, for ``registry.game``. Raises one of FIELD_ERRORS."""
    return {**manifest["parameters"], **(manifest.get("solver_options") or {})}


def versions() -> dict[str, str]:
    """Versions of rollwise, numpy and numba."""
    from importlib.metadata import version

    from rollwise import __version__

    return {"rollwise": __version__, **{name: version(name) for name in ("numpy", "numba")}}
