"""Six By 6: set sixes aside until all six dice are posted; every roll after the first costs a point of carry.

Michael Williams (1977) calls this game one of pure luck. So it is where everything is posted that can be; but three
kinds of rolls only *may* be posted, and that is the one thing which a player can be asked. A round is played alone
(``six_by_6_round``), or one round each as a SET (``six_by_6_set``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rollwise.games.six_by_6_round import SixBy6Free, SixBy6Round
from rollwise.games.six_by_6_set import the_set, unsolved_sets
from rollwise.solver.game.model import Game, Position
from rollwise.solver.game.solution import Quantity
from rollwise.solver.turn.graph import TurnGraph


@dataclass(frozen=True)
class SixBy6(SixBy6Round):
    """Luck, played alone; the other forms of the game are found by their parameters."""

    @classmethod
    def of(cls, **parameters: Any) -> Game:
        """A game of luck, or one with a decision; for more players a SET."""
        if parameters.get("players", 1) != 1:
            return the_set(parameters)
        return (SixBy6Alone if parameters.get("posting") == "free" else SixBy6)(**parameters)

    def outcome_at(self, graph: TurnGraph, given: Mapping[str, Any], asked: Position) -> Any:
        """The mean score, of all questions that one leads to from one chain."""
        asked_at, at = (self.boards().index_of(**self.locate(**told).board) for told in (asked.board, given))
        low, high = (given["carry"] + more for more in self.means(graph, asked_at)[at])
        return Quantity.between(low, high, "points")


@dataclass(frozen=True)
class SixBy6Alone(SixBy6Free):
    """Alone, with a choice."""

    def unsolved(self) -> Mapping[int, int]:
        """A SET of more players who choose."""
        return {} if self.limit else unsolved_sets()
