"""Detection of modules changed after their import, such as a constant set by a program: no source file shows it.

It covers attributes of modules and of their classes that are set, added or removed, and lists, sets and dictionaries
among them whose items change; not changes further inside, such as the numbers of an array.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable
from types import ModuleType
from typing import Any

IMPORT_NS = time.time_ns()  # a source file that is written later may not be the one that was imported
WATCHED_PREFIX = "rollwise.games."
LATE_NAMES = ("__annotations__", "__slotnames__", "__warningregistry__")  # Python adds them when it first needs them
MUTABLE = (dict, list, set)
CHANGES: list[str] = []  # the module of each change detected

Attributes = list[tuple[Any, dict[str, Any]]]  # of a module, and of each class that is defined there
_IMPORTED: dict[str, Attributes] = {}
_CURRENT: dict[str, Attributes] = {}  # at the last check: the same object where nothing changed


class Package(ModuleType):
    """Package that records its watched modules: Python sets them in it as the last step of their import."""

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        if isinstance(value, ModuleType) and (value.__name__ + ".").startswith(WATCHED_PREFIX):
            if hasattr(value, "__path__"):
                value.__class__ = Package
            record_import(value)


def record_import(module: ModuleType) -> None:
    """Record a module as its import left it."""
    _IMPORTED[module.__name__] = _CURRENT[module.__name__] = _snapshot(module)


def changed_modules(names: Iterable[str] | None = None) -> list[str]:
    """Modules among these, or among all recorded ones, that differ from their import.

    A module not recorded yet is recorded. At each change the caches of functions are cleared.
    """
    watched = list(_CURRENT) if names is None else [name for name in names if name in sys.modules]
    for name in watched:
        if name not in _CURRENT:
            record_import(sys.modules[name])
        unchanged = next((each for each in (_IMPORTED[name], _CURRENT[name]) if _is_unchanged(each)), None)
        if unchanged is not _CURRENT[name]:
            _CURRENT[name] = unchanged or _snapshot(sys.modules[name])
            CHANGES.append(name)
            for module in [module for other, module in list(sys.modules.items()) if other.startswith("rollwise.")]:
                for cached_function in filter(callable, list(vars(module).values())):
                    getattr(cached_function, "cache_clear", int)()
    return [name for name in watched if _CURRENT[name] is not _IMPORTED[name]]


def _snapshot(module: ModuleType) -> Attributes:
    inside = [each for each in list(vars(module).values()) if getattr(each, "__module__", "") == module.__name__]
    all_of = [module, *{each for each in inside if isinstance(each, type)}]
    return [(each, {n: _copy_value(n, v) for n, v in list(vars(each).items())}) for each in all_of]


def _copy_value(name: str, value: Any) -> Any:
    """Copy of a mutable value; not of ``builtins``, which all modules share, and where a prompt sets its ``_``."""
    return value.copy() if type(value) in MUTABLE and name != "__builtins__" else value


def _is_unchanged(attributes: Attributes) -> bool:
    try:
        return all(vars(each) == before or _lasting(each, before) == before for each, before in attributes)
    except ValueError:  # arrays, whose comparison is no bool
        return False


def _lasting(each: Any, before: dict[str, Any]) -> dict[str, Any]:
    """All attributes but submodules and others that Python adds later."""
    added = {n for n, v in list(vars(each).items()) if n in LATE_NAMES or isinstance(v, ModuleType)} - before.keys()
    return {n: v for n, v in list(vars(each).items()) if n not in added}
