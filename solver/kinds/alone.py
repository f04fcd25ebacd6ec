"""Luck games that need no values of boards: races, most points, bets, pots.

Players who cannot touch each other's dice are followed alone, bets are counted: the game's own ``quantities`` say all
that there is to say, as fractions, whenever they are asked. So nothing is solved before, and nothing kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rollwise.solver.chains.chain import ALONE
from rollwise.solver.game.model import Game, Position, TurnGame
from rollwise.solver.kinds.kind import Answer, Kept, Kind, Opened, Plan, Report, Solved, Tools, Wanted, n_possible
from rollwise.solver.turn.graph import TurnGraph
from rollwise.solver.turn.settled import Uses

METHOD = "one player's chain, followed exactly when asked"


class OpenedOdds(Opened):
    """Nothing but the rules."""

    def ask(self, position: Position, given: Mapping[str, Any], wanted: Wanted, report: Report) -> Answer:
        """See ``Opened``."""
        return Answer(position.mover, quantities=self.game.quantities(self.graph, given))


class Alone(Kind):
    """Luck games whose quantities are worked out when asked."""

    keeps = False
    chooses = False

    def called(self, game: Game | type[Game]) -> str:
        """Nobody chooses: a luck game."""
        return "luck"

    def uses(self, game: TurnGame) -> Uses:
        """A pot pays shares to seats, which the game's own odds count; anything else is one player's."""
        if not game.pays_seats:
            return ALONE
        n = int(game.parameters()["players"])
        return Uses("a pot", ALONE.words | {"shares"}, seats=n, n_shares=n)

    def plan(self, game: TurnGame, graph: TurnGraph) -> Plan:
        """See ``Kind``."""
        return Plan(n_possible(game), graph.n_edges, 0, 0)

    def solve(self, game: TurnGame, graph: TurnGraph, tools: Tools) -> Solved:
        """See ``Kind``: there is nothing to do before a question."""
        return Solved({}, {"boards": n_possible(game), "method": METHOD}, 0.0)

    def restore(self, game: TurnGame, graph: TurnGraph, kept: Kept, facts: Mapping[str, Any]) -> OpenedOdds:
        """See ``Kind``."""
        return OpenedOdds(game, graph, kept, facts)

    def prove(self, game: TurnGame, graph: TurnGraph, kept: Kept, facts: Mapping[str, Any], tools: Tools) -> str | None:
        """See ``Kind``: nothing is kept that could be wrong."""
        return None


KIND = Alone()
