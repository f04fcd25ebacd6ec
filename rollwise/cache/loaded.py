"""Modules as their import left them: source files do not tell of a constant that a program changes afterwards.

Seen are attributes of modules and of their classes that are set, added or removed, and lists, sets and dictionaries
among them whose items change; not what changes further inside, such as the numbers of an array.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable
from types import ModuleType
from typing import Any

BEGAN_NS = time.time_ns()  # a source file that is written later may not be the one that was imported
WATCHED = "rollwise.games."
LAZY = ("__annotations__", "__slotnames__", "__warningregistry__")  # Python adds them when it first needs them
MUTABLE = (dict, list, set)
CHANGES: list[str] = []  # the module of each change that was seen

Attributes = list[tuple[Any, dict[str, Any]]]  # of a module, and of each class that is defined there
_IMPORTED: dict[str, Attributes] = {}
_PRESENT: dict[str, Attributes] = {}  # as last seen: the same object where nothing is changed


class Package(ModuleType):
    """A package whose watched modules are remembered: Python sets them in it as the last step of their import."""

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        if isinstance(value, ModuleType) and (value.__name__ + ".").startswith(WATCHED):
            if hasattr(value, "__path__"):
                value.__class__ = Package
            remember(value)


def remember(module: ModuleType) -> None:
    """Take a module as its import has left it."""
    _IMPORTED[module.__name__] = _PRESENT[module.__name__] = _attributes(module)


def changed(names: Iterable[str] | None = None) -> list[str]:
    """The modules among these, or all that are remembered, that are not as their import left them.

    One that is seen for the first time is remembered. At each change the memos of functions are emptied.
    """
    known = list(_PRESENT) if names is None else [name for name in names if name in sys.modules]
    for name in known:
        if name not in _PRESENT:
            remember(sys.modules[name])
        as_before = next((each for each in (_IMPORTED[name], _PRESENT[name]) if _is_as(each)), None)
        if as_before is not _PRESENT[name]:
            _PRESENT[name] = as_before or _attributes(sys.modules[name])
            CHANGES.append(name)
            for module in [module for other, module in list(sys.modules.items()) if other.startswith("rollwise.")]:
                for memo in filter(callable, list(vars(module).values())):
                    getattr(memo, "cache_clear", int)()
    return [name for name in known if _PRESENT[name] is not _IMPORTED[name]]


def _attributes(module: ModuleType) -> Attributes:
    inside = [each for each in list(vars(module).values()) if getattr(each, "__module__", "") == module.__name__]
    all_of = [module, *{each for each in inside if isinstance(each, type)}]
    return [(each, {n: _as_is(n, v) for n, v in list(vars(each).items())}) for each in all_of]


def _as_is(name: str, value: Any) -> Any:
    """A value that later changes leave alone; but ``builtins`` are everybody's, and a prompt keeps its ``_`` there."""
    return value.copy() if type(value) in MUTABLE and name != "__builtins__" else value


def _is_as(known: Attributes) -> bool:
    try:
        return all(vars(each) == before or _without_lazy(each, before) == before for each, before in known)
    except ValueError:  # an array in place of another
        return False


def _without_lazy(each: Any, before: dict[str, Any]) -> dict[str, Any]:
    """All attributes, but for modules in a package and others that come later by themselves."""
    added = {n for n, v in list(vars(each).items()) if n in LAZY or isinstance(v, ModuleType)} - before.keys()
    return {n: v for n, v in list(vars(each).items()) if n not in added}
