"""rollwise: exact answers to "should I roll again here?" for dice games.

>>> import rollwise
>>> advice = rollwise.ask("pig", {"target": 10}, mine=3, theirs=5, turn=4)
>>> advice.best, round(advice.value, 6)
(['roll'], 0.84159)

The names below are all there is to learn: ``ask``, ``solve``, ``export``, ``compare``, ``odds``, ``forecast``,
``verify``, ``list_games``.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rollwise.asking import ask
    from rollwise.catalogue import list_games
    from rollwise.comparing import compare
    from rollwise.exporting.writing import export
    from rollwise.forecasting import forecast
    from rollwise.solving import solve
    from rollwise.turn_odds import odds
    from rollwise.verifying import verify

__all__ = ["ask", "compare", "export", "forecast", "list_games", "odds", "solve", "verify"]
# No module has the name of a function: importing it would put the module in the function's place.
_HOME = {
    "ask": "asking",
    "compare": "comparing",
    "export": "exporting.writing",
    "forecast": "forecasting",
    "list_games": "catalogue",
    "odds": "turn_odds",
    "solve": "solving",
    "verify": "verifying",
}


def __getattr__(name: str) -> Any:
    """Fetch a public name when it is first used, so that a question does not load what only an export needs."""
    if name not in _HOME:
        raise AttributeError(f"module 'rollwise' has no attribute '{name}'")
    function = getattr(import_module(f"rollwise.{_HOME[name]}"), name)
    globals()[name] = function
    return function


def __dir__() -> list[str]:
    """The public names too, before they are first used."""
    return sorted({*globals(), *__all__})
