"""Luck games without board values: races, most points, bets, pots.

Players whose dice do not interact are followed one by one, bets are counted: the game's own ``quantities`` compute the
whole answer in fractions for each question. So nothing is solved or stored.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from rollwise.solver.kinds.cost_model import estimate_n_boards
from rollwise.solver.kinds.kind import (
    Kind,
    Plan,
    QueryOptions,
    Question,
    Report,
    Solution,
    SolveResult,
    Tools,
    count_possible,
)
from rollwise.solver.markov_chains.chain import ONE_PLAYER_FIELDS
from rollwise.solver.model.game import Chance, Goto, Position, TurnGame, TurnSize
from rollwise.solver.model.rounding import above, below
from rollwise.solver.model.solution import Answer, PositionValue
from rollwise.solver.turn.graph import TurnGraph
from rollwise.solver.turn.questions import LegalMove
from rollwise.solver.turn.successors import ThrowOutcome
from rollwise.solver.turn.transitions import UsedFields

METHOD = "one player's chain, followed exactly when asked"


class OddsSolution(Solution):
    """Solution without arrays: the rules alone."""

    adds_points = False

    def ask(self, position: Position, fields: Mapping[str, Any], options: QueryOptions, report: Report) -> Answer:
        """See ``Solution``."""
        return Answer(position.mover, quantities=self.game.quantities(self.graph, fields))

    @property
    def lists_seats(self) -> bool:
        """See ``Solution``."""
        return any(field.name == "mover" for field in self.game.fields())

    def throw_outcomes(self, fields: Mapping[str, Any], position: Position, move: LegalMove) -> list[ThrowOutcome]:
        """See ``Solution``: one throw, and its effect on all seats."""
        outcomes = []
        node = move.after
        while not isinstance(node, Chance):
            assert isinstance(node, Goto)
            node = self.game.turn(*node.state)
        assert node.throws is not None
        n_ways = sum(weight for weight, _ in node.outcomes)
        for faces, ways in sorted(throw for throws in node.throws.dice_by_outcome for throw in throws):
            after = self.game.onward(fields, faces)
            board = None if after.fields is None else ()
            chance, earned = Fraction(ways, n_ways), Fraction(0) if self.lists_seats else after.earned[0]
            outcomes.append(ThrowOutcome(chance, (faces,), ways, board, node, 0, earned, after.earned, after))
        return outcomes

    def question(self, values: Mapping[str, Any], move: str, outcome: ThrowOutcome, seat: int) -> Question | None:
        """See ``Solution``."""
        next_fields = dict(outcome.result.fields)
        return next_fields, self.game.locate(**next_fields)

    def value_after(self, position: Position, outcome: ThrowOutcome, question: Question | None) -> PositionValue:
        """See ``Solution``."""
        assert question is not None
        if not outcome.result.counting:
            return self._value_of(outcome.shares or ())
        odds = self.game.outcome_at(self.graph, question[0], position)
        if self.lists_seats:
            return self._value_of([own + more for own, more in zip(outcome.shares or (), odds.value, strict=True)])
        own = Fraction(sum(outcome.shares or ()))
        value, lower, upper = (own + Fraction(_only(part)) for part in (odds.value, odds.lower, odds.upper))
        return PositionValue(float(value), below(lower), above(upper))

    def value_at_end(self, position: Position, outcome: ThrowOutcome) -> PositionValue:
        """See ``Solution``."""
        return self._value_of(outcome.shares or ())

    def _value_of(self, earned: Sequence[Any]) -> PositionValue:
        """Certain shares of the seats, or the profit of a bet."""
        if self.lists_seats:
            return PositionValue(None, None, None, tuple(float(number) for number in earned))
        number = Fraction(earned[0])
        return PositionValue(float(number), below(number), above(number))


def _only(numbers: Any) -> Any:
    """The number, out of a mapping with one entry for a bet."""
    return next(iter(numbers.values())) if isinstance(numbers, Mapping) else numbers


class Alone(Kind):
    """Luck games whose quantities are computed for each question."""

    solution_type = OddsSolution
    is_stored = False
    has_decisions = False

    def uses(self, game: TurnGame) -> UsedFields:
        """See ``Kind``: a pot pays shares to seats; all else is one player's."""
        if not game.pays_seats:
            return ONE_PLAYER_FIELDS
        n = int(game.parameters()["players"])
        return UsedFields("a pot", ONE_PLAYER_FIELDS.names | {"shares"}, seats=n, n_shares=n)

    def plan(self, game: TurnGame, turn: TurnGraph | TurnSize) -> Plan:
        """See ``Kind``."""
        return Plan(estimate_n_boards(game), turn.n_edges, 0, 0)

    def solve(self, game: TurnGame, graph: TurnGraph, tools: Tools) -> SolveResult:
        """See ``Kind``: nothing to solve."""
        return SolveResult({}, {"boards": count_possible(game), "method": METHOD}, 0.0)


KIND = Alone()
