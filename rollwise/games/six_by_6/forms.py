"""Six By 6: set sixes aside until all six dice are posted; every roll after the first costs a point of carry.

Michael Williams (1977) calls this game one of pure luck. So it is where players post all that they can; but three
kinds of rolls only *may* be posted, and that is the only choice of a player. A round is played alone
(``six_by_6_round``), or one round each as a SET (``six_by_6_set``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rollwise.games.six_by_6.reach import SixBy6Reach
from rollwise.games.six_by_6.rules import SixBy6Free, SixBy6Round
from rollwise.games.six_by_6.set import the_set, unsolved_sets
from rollwise.solver.model.errors import ParameterError
from rollwise.solver.model.game import Game, Position
from rollwise.solver.model.solution import Quantity
from rollwise.solver.turn.graph import TurnGraph


@dataclass(frozen=True)
class SixBy6(SixBy6Round):
    """Luck, played alone; ``of`` chooses the other forms of the game by their parameters."""

    @classmethod
    def of(cls, **parameters: Any) -> Game:
        """A game of luck, or one with a choice, for the mean or for a target; for more players a SET."""
        alone, free = parameters.get("players", 1) == 1, parameters.get("posting") == "free"
        fitting = (("score", "reach") if free else ("score",)) if alone else ("win",)
        objective = parameters.setdefault("objective", fitting[0])
        if objective not in fitting:
            raise ParameterError(
                f"'six-by-6' has objective score or reach alone with posting=free, score alone with posting=forced, "
                f"win in a SET; got {objective}",
                hint="-p posting=free" if objective == "reach" and alone else "leave objective out",
                field="objective",
            )
        if not alone:
            return the_set(parameters)
        return (SixBy6Reach if objective == "reach" else SixBy6Alone if free else SixBy6)(**parameters)

    def outcome_at(self, graph: TurnGraph, fields: Mapping[str, Any], parent: Position) -> Any:
        """The mean score, of all positions that one question leads to from one Markov chain."""
        start, index = (self.boards().index_of(**self.locate(**each).board) for each in (parent.board, fields))
        low, high = (fields["carry"] + more for more in self.means(graph, start)[index])
        return Quantity.between(low, high, "points")


@dataclass(frozen=True)
class SixBy6Alone(SixBy6Free):
    """Alone, with a choice."""

    def unsolved(self) -> Mapping[int, int]:
        """SETs of too many players who choose."""
        return {} if self.limit else unsolved_sets()
