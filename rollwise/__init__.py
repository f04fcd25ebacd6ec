"""rollwise: exact answers to "should I roll again here?" for dice games.

>>> import rollwise
>>> advice = rollwise.ask("pig", {"target": 10}, mine=3, theirs=5, turn=4)
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

from typing import TYPE_CHECKING

__version__ = "0.1.0"  # the one place: the package's metadata read it here

if TYPE_CHECKING:
    from rollwise.answer import Advice, GoesFor, MoveAdvice, Then
    from rollwise.asking import ask
    from rollwise.cache.errors import DamagedEntry, EntryBusy, MissingSource, StoreError
    from rollwise.catalogue import list_games, rules
    from rollwise.comparing import Comparison, compare
    from rollwise.comparing.lookup import best
    from rollwise.explained import LinePart, Part, Why
    from rollwise.explaining import why
    from rollwise.exporting.writing import Exported, export
    from rollwise.forecasting import FinalScore, forecast
    from rollwise.foreseeing import Outcomes, Row, outcomes
    from rollwise.games.cards.facts import BestPlay, Cost
    from rollwise.games.claims import Verdict
    from rollwise.match.match import Match
    from rollwise.planning import SolvePlan, plan
    from rollwise.quizzing import QuizPosition, WrongRule, quiz
    from rollwise.reviewing import ChoiceReview, Review, SeatReview, review
    from rollwise.solver.game.errors import (
        BadInput,
        DiceError,
        ModelError,
        NotConverged,
        ParameterError,
        RollwiseError,
        StateError,
        TooLarge,
        UnknownGame,
        UnknownName,
    )
    from rollwise.solver.game.solution import Quantity
    from rollwise.solver.kinds.outcomes import Throw
    from rollwise.solving import solve
    from rollwise.strategy_card import Band, Card, Finish, Keep, Minimum, SimplerCard, card
    from rollwise.turn_odds import BestOdds, TurnOdds, odds
    from rollwise.turn_risk import BustChance, OneMoreThrow, TurnPoints, TurnRisk
    from rollwise.verifying import verify

__all__ = [
    "Advice",
    "BadInput",
    "Band",
    "BestOdds",
    "BestPlay",
    "BustChance",
    "Card",
    "ChoiceReview",
    "Comparison",
    "Cost",
    "DamagedEntry",
    "DiceError",
    "EntryBusy",
    "Exported",
    "FinalScore",
    "Finish",
    "GoesFor",
    "Keep",
    "LinePart",
    "Match",
    "Minimum",
    "MissingSource",
    "ModelError",
    "MoveAdvice",
    "NotConverged",
    "OneMoreThrow",
    "Outcomes",
    "ParameterError",
    "Part",
    "Quantity",
    "QuizPosition",
    "Review",
    "RollwiseError",
    "Row",
    "SeatReview",
    "SimplerCard",
    "SolvePlan",
    "StateError",
    "StoreError",
    "Then",
    "Throw",
    "TooLarge",
    "TurnOdds",
    "TurnPoints",
    "TurnRisk",
    "UnknownGame",
    "UnknownName",
    "Verdict",
    "Why",
    "WrongRule",
    "__version__",
    "ask",
    "best",
    "card",
    "compare",
    "export",
    "forecast",
    "list_games",
    "odds",
    "outcomes",
    "plan",
    "quiz",
    "review",
    "rules",
    "solve",
    "verify",
    "why",
]
# No module has the name of a function: importing it would put the module in the function's place.
_NAMES = {
    "answer": "Advice GoesFor MoveAdvice Then",
    "asking": "ask",
    "cache.errors": "DamagedEntry EntryBusy MissingSource StoreError",
    "catalogue": "list_games rules",
    "comparing": "Comparison compare",
    "comparing.lookup": "best",
    "explained": "LinePart Part Why",
    "explaining": "why",
    "exporting.writing": "Exported export",
    "forecasting": "FinalScore forecast",
    "foreseeing": "Outcomes Row outcomes",
    "games.cards.facts": "BestPlay Cost",
    "games.claims": "Verdict",
    "match.match": "Match",
    "planning": "SolvePlan plan",
    "quizzing": "QuizPosition WrongRule quiz",
    "reviewing": "ChoiceReview Review SeatReview review",
    "solver.game.errors": (
        "BadInput DiceError ModelError NotConverged ParameterError RollwiseError StateError TooLarge UnknownGame "
        "UnknownName"
    ),
    "solver.game.solution": "Quantity",
    "solver.kinds.outcomes": "Throw",
    "solving": "solve",
    "strategy_card": "Band Card Finish Keep Minimum SimplerCard card",
    "turn_odds": "BestOdds TurnOdds odds",
    "turn_risk": "BustChance OneMoreThrow TurnPoints TurnRisk",
    "verifying": "verify",
}
_HOME = {name: module for module, names in _NAMES.items() for name in names.split()}

if not TYPE_CHECKING:  # who reads types shall hear of a name that is not there

    def __getattr__(name: str) -> object:
        """Fetch a public name when it is first used, so that a question does not load what only an export needs."""
        from importlib import import_module

        if name not in _HOME:
            raise AttributeError(f"module 'rollwise' has no attribute '{name}'")
        found = getattr(import_module(f"rollwise.{_HOME[name]}"), name)
        globals()[name] = found
        return found


def __dir__() -> list[str]:
    """The public names too, before they are first used."""
    return sorted({*globals(), *__all__})
