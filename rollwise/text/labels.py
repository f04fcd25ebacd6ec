"""The labels of all numbers of answers, in one place for Python, the terminal and JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from rollwise.solver.kinds import kind_of
from rollwise.solver.model.game import TurnGame
from rollwise.solver.model.solution import Quantity

LOW_IS_GOOD = "low is good"
VALUES = {  # by objective: a game's parameter ``objective``, else its measure
    "win": "win",
    "clear": "every box shut",
    "reach": "reach the target",
    "beat": "beat the others",
    "worth": "expected worth",  # of a user's own payoff of scores
    "score": "expected final score",
    "margin": "expected margin, mine less theirs",
    "turns": "expected turns to go, this one included",
    "points": "expected points of this turn",
}
SHORT = {"margin": "expected margin", "turns": "expected turns to go", "points": "expected points"}
SHORT_QUANTITIES = {"lose": "lose", "return": "return of a chip", "this_pot": "gain from this pot"}
FINAL_MARGIN = "expected final margin, mine less theirs"
MARGIN_TO_COME = "expected margin still to come, mine less theirs"
QUANTITIES = {
    "win": "win",
    "robbers": "the robbers win",
    "lose": "lose (the last one in)",
    "shared": "tie for first, split among the wins",
    "dead": "dead game, split among the wins of the last ones in",
    "length": "mean game length",
    "length_distribution": "game length, the chance of each",
    "turns_alone": "mean turns that the mover needs alone",
    "turns_alone_distribution": "turns that the mover needs alone, the chance of each",
    "rolls_alone": "mean rolls that the mover needs alone",
    "mean_score": "mean final score",
    "score_distribution": "final score, the chance of each",
    "standard_deviation": "standard deviation of the final score",
    "percentiles": "score that so many per cent of games do not pass",
    "at_least": "chance of this final score or more",
    "best_at_least": "the same, playing for just that score",
    "at_most": "chance of this final score or less",
    "lines": "mean points on this line at the end",
    "line_chances": "chance of more than 0 points on this line",
    "line_numbers": "mean number of times this line earns points",
    "gain": "the most that one seat could win more by playing otherwise",
    "chance": "chance to win the bet",
    "return": "mean return of a chip staked, the stake included",
    "edge": "house edge",
    "fair_pay": "return of a won chip that would be fair, the stake included",
    "pays": "return of a won chip, as the sheet states it",
    "assumed_pays": "the same where the sheet states nothing, as assumed",
    "per_roll": "mean gain of a roll",
    "per_pot": "mean gain of a pot",
    "rolls_per_pot": "mean rolls of a pot",
    "this_pot": "mean gain from this pot",
}
COSTS = {  # of a rule, by the policy of the others: see ``solver.kinds.kind.RuleCost``
    "nobody": "",
    "knows": " to a player who knows the rule, mean of both seats",
    "best": " to the best player, who of equally good moves makes the first, mean of both seats",
    "mixes": " to the best player, who keeps to its mix, mean of both seats",
    "solved": " while all others play the solution, mean of all seats",
    "ruled": ": what a seat wins less than by its best reply, where all others play the rule, mean of all seats",
}
RULES = {  # the value of a rule, likewise
    "nobody": "the rule",
    "knows": "the rule, against a player who knows it",
    "best": "the rule, against the best player",
    "solved": "the rule, while all others play the solution",
    "ruled": "the rule, where all play it",
}


def cost_label(others: str) -> str:
    """The label of a rule's cost."""
    return f"cost per game{COSTS[others]}"


def value_label(objective: str, sense: str | None, parameters: Mapping[str, Any], state: Mapping[str, Any]) -> str:
    """The label of the value of a position or a move.

    >>> value_label("score", "max", {}, {}), value_label("score", "min", {"objective": "score"}, {})
    ('expected final score', 'expected final score, low is good')
    """
    name = aim(objective, parameters, state)
    words = VALUES.get(name, name)
    if name == "margin":
        words = FINAL_MARGIN if state.get("difference") is not None else MARGIN_TO_COME
    return f"{words}, {LOW_IS_GOOD}" if sense == "min" else words


def short_label(objective: str, parameters: Mapping[str, Any], state: Mapping[str, Any]) -> str:
    """The label of a value in the fewest words, for a sentence or a column head."""
    name = aim(objective, parameters, state)
    return SHORT.get(name) or VALUES.get(name, name)


def aim(objective: str, parameters: Mapping[str, Any], state: Mapping[str, Any]) -> str:
    """The objective: from the question or the parameters, else the measure of the game."""
    if state.get("worth"):
        return "worth"
    chosen = parameters.get("objective", objective)
    return chosen if chosen in VALUES else objective


def quantity_label(name: str) -> str:
    """The label of a quantity, by its name in an answer."""
    return QUANTITIES.get(name, name.replace("_", " "))


def short_quantity_label(name: str) -> str:
    """The label of a quantity in the fewest words."""
    return SHORT_QUANTITIES.get(name) or quantity_label(name)


def with_labels(quantities: Mapping[str, Quantity]) -> dict[str, Quantity]:
    """Quantities with labels."""
    return {
        name: replace(quantity, label=quantity.label or quantity_label(name)) for name, quantity in quantities.items()
    }


@dataclass(frozen=True)
class Measure:
    """The measure of a game: ``name`` is that of its values, or of a quantity in a game without choices (for a seat of
    a team: that its team wins); ``sense`` is max or min, for what is good; ``label`` is short.
    """

    name: str
    unit: str
    sense: str
    label: str


def measure_of(game: TurnGame, parameters: Mapping[str, Any], state: Mapping[str, Any]) -> Measure:
    """The measure of a game.

    >>> from rollwise.games.registry import game
    >>> measure_of(game("pig"), {}, {}).label, measure_of(game("slam"), {}, {}).label
    ('win', 'lose')
    """
    if kind_of(game).has_decisions:
        return Measure(game.measure, game.unit, game.sense, short_label(game.measure, parameters, state))
    name = "win" if game.team else game.outcome
    return Measure(name, game.outcome_unit, game.outcome_sense, short_quantity_label(name))


@dataclass(frozen=True)
class Labelled:
    """A value with its bounds and a label."""

    label: str
    value: float
    lower: float
    upper: float
