"""rollwise: exact answers to "should I roll again here?" for dice games.

>>> import rollwise
>>> advice = rollwise.ask("pig", params={"target": 10}, mine=3, theirs=5, turn=4)
>>> advice.best, round(advice.value, 6)
(['roll'], 0.84159)

The functions are all there is to learn:

    ask         the best move in a state, and what every other move loses
    outcomes    every throw that may follow a move, and what it leads to
    why         what makes the difference between two moves
    odds        how likely a turn busts, what it will make, what one more throw is worth
    solve       what the start of a game is worth
    plan        what solving it will take
    sweep       a game with several values of its rules
    solve_all   every game with every number of players
    forecast    how a game played alone ends
    export      every decision as a table
    best        what such a table has of a state
    compare     what a rule of thumb costs
    card        how to play a game well, on one page
    quiz        positions in which a mistake costs
    review      a game that was played: skill and luck
    verify      the claims of rule sheets, checked
    list_games  the games
    rules       our reading of a game's rules
    Match       a game at the table, for a program that plays

The other names below are what they return (``Advice``, made of ``MoveAdvice`` and ``Quantity``, and so on) and what
they raise: ``RollwiseError`` and its kinds, of which ``BadInput`` is anything from outside that does not fit, and
``StoreError`` and its kinds, from the cache.
"""

from __future__ import annotations

import re
import sys
from functools import lru_cache
from pathlib import Path

from rollwise.cache.loaded import Package

sys.modules[__name__].__class__ = Package  # before any game is imported

__version__ = "0.1.0"  # the one place: the package's metadata read it here


@lru_cache
def _homes() -> dict[str, str]:
    """The module of each public name, as ``__init__.pyi`` says it: type checkers read the same."""
    imports = re.findall(
        r"^from (\S+) import ([^(\n]+|\([^)]+\))", Path(__file__).with_suffix(".pyi").read_text(), re.M
    )
    return {name: module for module, names in imports for name in re.findall(r"(\w+) as", names)}


def __getattr__(name: str) -> object:
    """Fetch a public name when it is first used, so that a question does not load what only an export needs."""
    from importlib import import_module

    if name == "__all__":
        return __dir__()
    if name not in _homes():
        raise AttributeError(f"module 'rollwise' has no attribute '{name}'")
    public = globals()[name] = getattr(import_module(_homes()[name]), name)
    return public


def __dir__() -> list[str]:
    """The public names, before they are first used too, and no rooms that happen to be loaded."""
    # help(rollwise) lists the folders of any package, from its __path__, without asking: imports need that path.
    return sorted([*_homes(), "__version__"])
