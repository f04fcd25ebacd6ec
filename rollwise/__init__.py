"""rollwise: exact answers to "should I roll again here?" for dice games.

>>> import rollwise
>>> advice = rollwise.ask("pig", params={"target": 10}, mine=3, theirs=5, turn=4)
>>> advice.best, round(advice.value, 6)
(['roll'], 0.84159)

The functions are all there is to learn: ``ask``, ``outcomes``, ``why``, ``solve``, ``export``, ``best``,
``compare``, ``card``, ``odds``, ``forecast``, ``quiz``, ``review``, ``verify``, ``plan``, ``list_games``,
``rules``, and ``Match``, a game at the table.
The other names below are what they return (``Advice``, made of ``MoveAdvice`` and ``Quantity``, and so on) and what
they raise: ``RollwiseError`` and its kinds, of which ``BadInput`` is anything from outside that does not fit, and
``StoreError`` and its kinds, from the cache.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

__version__ = "0.1.0"  # the one place: the package's metadata read it here


@cache
def _homes() -> dict[str, str]:
    """The module of each public name, as ``__init__.pyi`` says it: type checkers read the same."""
    found = re.findall(r"^from (\S+) import ([^(\n]+|\([^)]+\))", Path(__file__).with_suffix(".pyi").read_text(), re.M)
    return {name: module for module, names in found for name in re.findall(r"(\w+) as", names)}


def __getattr__(name: str) -> object:
    """Fetch a public name when it is first used, so that a question does not load what only an export needs."""
    from importlib import import_module

    if name == "__all__":
        return sorted([*_homes(), "__version__"])
    if name not in _homes():
        raise AttributeError(f"module 'rollwise' has no attribute '{name}'")
    found = globals()[name] = getattr(import_module(_homes()[name]), name)
    return found


def __dir__() -> list[str]:
    """The public names too, before they are first used."""
    return sorted({*globals(), *_homes()})
