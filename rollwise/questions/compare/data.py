"""The answer of ``compare``: the value and cost of a rule of thumb."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rollwise.solver.kinds.kind import BEST_RESPONSE, NO_OTHERS, OTHERS_BY_RULE
from rollwise.solver.model.jsonable import as_json, pick
from rollwise.text.labels import RULES, Labelled, cost_label, short_label

Bounds = tuple[float, float, float]  # value, lower, upper


@dataclass(frozen=True)
class Comparison:
    """The value and the cost of a rule of thumb, each as (value, lower, upper) in the game's unit.

    In a duel ``best`` and ``rule`` are by seat: P(win) or margin of the player in seat 0 and in seat 1, the rule's
    against a best response to it, and ``cost`` is the mean difference over the seats. ``cost_to_best`` is the same
    against the best player, who does not know the rule and plays the first of equally good moves in the game's own
    order, and ``rule_to_best`` the rule's value by seat in such play; both None where that takes too long, and in other
    games. Alone there is one seat. At a table of three or more all others play the solution, as several players have no
    joint best response. Where a table has no solution (Bluff), ``rule`` is the value of a seat if all play the rule,
    and ``best`` its best response to that. ``others`` says which of these it is, ``label`` and ``label_to_best`` name
    each cost. ``looks_at`` names the fields beside the turn that the rule has read, ``state`` is the start of the
    comparison (other fields as at the start of the game). ``table``, for a table: whether it has a description
    (``described``), and for how many of the decisions that play reached (``reached``) it has a row (``held``).
    """

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
    others: str = NO_OTHERS
    cost_to_best: Bounds | None = None
    mixes: bool = False
    rule_to_best: tuple[Bounds, ...] | None = None

    @property
    def label(self) -> str:
        """The label of ``cost``."""
        return cost_label(self.others)

    @property
    def label_to_best(self) -> str:
        """The label of ``cost_to_best``."""
        return cost_label("mixes" if self.mixes else "best")

    @property
    def heading(self) -> str:
        """The heading of ``best``."""
        return "best reply" if self.others == OTHERS_BY_RULE else "best play"

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
    def values(self) -> str:
        """The label of the values ``best`` and ``rule``."""
        return short_label(self.objective, self.parameters, self.state)

    def plain(self) -> dict[str, Any]:
        """As JSON: bounds have labels; those against the best player are in duels only, where both are met."""
        to_best = {
            "cost_to_best": self.cost_to_best and Labelled(self.label_to_best, *self.cost_to_best),
            "rule_to_best": self.rule_to_best and [Labelled(RULES["best"], *bounds) for bounds in self.rule_to_best],
            "differences_to_best": self.differences_to_best,
        }
        keys = {
            **pick(self, "game", "parameters", "state", "policy", "help", "objective", "unit"),
            "label": self.values,
            "best": [Labelled(self.heading, *bounds) for bounds in self.best],
            "rule": [Labelled(RULES[self.others], *bounds) for bounds in self.rule],
            "differences": self.differences,
            "cost": Labelled(self.label, *self.cost),
            **(to_best if self.others == BEST_RESPONSE else {}),
            "looks_at": self.looks_at,
            **({"table": self.table} if self.table else {}),
        }
        return dict(as_json(keys))
