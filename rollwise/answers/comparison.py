"""What ``compare`` answers with: what a rule is worth and what it costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rollwise.answers.advice import Labelled
from rollwise.answers.labels import RULES, cost_label, short_label
from rollwise.solver.kinds.kind import ALONE, KNOWS, RULED
from rollwise.solver.model.jsonable import Jsonable

Bounds = tuple[float, float, float]  # value, lower, upper


@dataclass(frozen=True)
class Comparison(Jsonable):
    """What a rule is worth and what it costs, each as (value, lower, upper) in the game's unit.

    In a duel ``best`` and ``rule`` are by seat: P(win) or margin of the player in seat 0 and in seat 1, the rule's
    against a player who knows it and replies as well as can be, and ``cost`` is the mean difference over the seats.
    ``cost_to_best`` is the same against the best player, who does not know the rule, and of equally good moves makes
    the first in the game's own order, and ``rule_to_best`` the rule by seat in such play; both None where that takes
    too much, and in other games. Alone there is one seat. At
    a table of three or more all others play the solution, for there is no one best reply of several players. Where a
    table has no solution (Bluff), ``rule`` is what a seat wins where all play the rule, and ``best`` its best reply to
    that. ``others`` says which of these it is, ``label`` and ``label_to_best`` what each cost is in words.
    ``looks_at`` names the fields beside the turn that the rule looked at, ``state`` is where the game goes on from
    (what is not said is as at the start). ``table``: of a table, whether it says what it is of (``described``), and of
    how many decisions that play came to (``reached``) it has a row (``held``).
    """

    JSON = (
        "game parameters state policy help objective unit label=values best=labelled_best rule=labelled_rule "
        "differences cost=labelled_cost is_known?(cost_to_best=labelled_cost_to_best "
        "rule_to_best=labelled_rule_to_best differences_to_best) looks_at table?"
    )

    game: str
    parameters: dict[str, Any]
    policy: str
    help: str
    objective: str
    unit: str
    best: tuple[Bounds, ...]
    rule: tuple[Bounds, ...]
    cost: Bounds
    looks_at: tuple[str, ...]
    state: dict[str, Any]
    table: dict[str, Any] | None = None
    others: str = ALONE
    cost_to_best: Bounds | None = None
    mixes: bool = False
    rule_to_best: tuple[Bounds, ...] | None = None

    @property
    def label(self) -> str:
        """What ``cost`` is."""
        return cost_label(self.others)

    @property
    def label_to_best(self) -> str:
        """What ``cost_to_best`` is."""
        return cost_label("mixes" if self.mixes else "best")

    @property
    def heading(self) -> str:
        """What ``best`` is."""
        return "best reply" if self.others == RULED else "best play"

    @property
    def differences(self) -> list[float]:
        """By seat, the best play less the rule."""
        return self._less(self.rule)

    @property
    def differences_to_best(self) -> list[float]:
        """The same against the best player."""
        return self._less(self.rule_to_best or ())

    def _less(self, rule: tuple[Bounds, ...]) -> list[float]:
        return [round(best[0] - played[0], 9) + 0.0 for best, played in zip(self.best, rule, strict=False)]

    @property
    def is_known(self) -> bool:
        """Is the rule compared with somebody who knows it, and with the best player beside?"""
        return self.others == KNOWS

    @property
    def values(self) -> str:
        """What ``best`` and ``rule`` count."""
        return short_label(self.objective, self.parameters, self.state)

    @property
    def labelled_best(self) -> list[Labelled]:
        """``best``, each with its heading."""
        return [Labelled(self.heading, *bounds) for bounds in self.best]

    @property
    def labelled_rule(self) -> list[Labelled]:
        """``rule``, each with its heading."""
        return [Labelled(RULES[self.others], *bounds) for bounds in self.rule]

    @property
    def labelled_cost(self) -> Labelled:
        """``cost`` with its label."""
        return Labelled(self.label, *self.cost)

    @property
    def labelled_cost_to_best(self) -> Labelled | None:
        """``cost_to_best`` with its label."""
        return self.cost_to_best and Labelled(self.label_to_best, *self.cost_to_best)

    @property
    def labelled_rule_to_best(self) -> list[Labelled] | None:
        """``rule_to_best``, each with its heading."""
        seats = self.rule_to_best
        return None if seats is None else [Labelled(RULES["best"], *bounds) for bounds in seats]
