"""Luck games that need no values of boards: races, most points, bets, pots.

Players who cannot touch each other's dice are followed alone, bets are counted: the game's own ``quantities`` say all
that there is to say, as fractions, whenever they are asked. So nothing is solved before, and nothing kept.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from rollwise.solver.kinds.cost_model import about_possible
from rollwise.solver.kinds.kind import (
    Answer,
    Kind,
    Plan,
    PositionValue,
    QueryOptions,
    Question,
    Report,
    Solution,
    Solved,
    Tools,
    n_possible,
)
from rollwise.solver.markov_chains.chain import ALONE
from rollwise.solver.model.game import Chance, Goto, Position, TurnGame, TurnSize
from rollwise.solver.model.rounding import above, below
from rollwise.solver.turn.graph import TurnGraph
from rollwise.solver.turn.query import Move
from rollwise.solver.turn.successors import ThrowOutcome
from rollwise.solver.turn.transition_reader import Uses

METHOD = "one player's chain, followed exactly when asked"


class OpenedOdds(Solution):
    """Nothing but the rules."""

    adds_points = False

    def ask(self, position: Position, given: Mapping[str, Any], wanted: QueryOptions, report: Report) -> Answer:
        """See ``Solution``."""
        return Answer(position.mover, quantities=self.game.quantities(self.graph, given))

    @property
    def lists_seats(self) -> bool:
        """See ``Solution``."""
        return any(field.name == "mover" for field in self.game.fields())

    def falls(self, asked: Mapping[str, Any], position: Position, move: Move) -> list[ThrowOutcome]:
        """See ``Solution``: one throw, and what it does to everybody."""
        found = []
        word = move.after
        while not isinstance(word, Chance):
            assert isinstance(word, Goto)
            word = self.game.turn(*word.state)
        assert word.falls is not None
        whole = sum(weight for weight, _ in word.outcomes)
        for faces, ways in sorted(throw for throws in word.falls.shown for throw in throws):
            onward = self.game.onward(asked, faces)
            board = None if onward.fields is None else ()
            chance, earned = Fraction(ways, whole), Fraction(0) if self.lists_seats else onward.earned[0]
            found.append(ThrowOutcome(chance, (faces,), ways, board, word, 0, earned, onward.earned, onward))
        return found

    def question(self, asked: Mapping[str, Any], move: str, fall: ThrowOutcome, seat: int) -> Question | None:
        """See ``Solution``."""
        fields = dict(fall.result.fields)
        return fields, self.game.locate(**fields)

    def stands(self, position: Position, fall: ThrowOutcome, question: Question | None) -> PositionValue:
        """See ``Solution``."""
        assert question is not None
        if not fall.result.counting:
            return self._stands(fall.shares or ())
        told = self.game.outcome_at(self.graph, question[0], position)
        if self.lists_seats:
            return self._stands([own + more for own, more in zip(fall.shares or (), told.value, strict=True)])
        own = Fraction(sum(fall.shares or ()))
        value, lower, upper = (own + Fraction(_only(part)) for part in (told.value, told.lower, told.upper))
        return PositionValue(float(value), below(lower), above(upper))

    def stands_at_end(self, position: Position, fall: ThrowOutcome) -> PositionValue:
        """See ``Solution``."""
        return self._stands(fall.shares or ())

    def _stands(self, earned: Sequence[Any]) -> PositionValue:
        """What each seat has for certain, or what a bet brings."""
        if self.lists_seats:
            return PositionValue(None, None, None, tuple(float(number) for number in earned))
        number = Fraction(earned[0])
        return PositionValue(float(number), below(number), above(number))


def _only(told: Any) -> Any:
    """A number; that of a bet stands under its name."""
    return next(iter(told.values())) if isinstance(told, Mapping) else told


class Alone(Kind):
    """Luck games whose quantities are worked out when asked."""

    opened = OpenedOdds
    keeps = False
    chooses = False

    def uses(self, game: TurnGame) -> Uses:
        """A pot pays shares to seats, which the game's own odds count; anything else is one player's."""
        if not game.pays_seats:
            return ALONE
        n = int(game.parameters()["players"])
        return Uses("a pot", ALONE.words | {"shares"}, seats=n, n_shares=n)

    def plan(self, game: TurnGame, turn: TurnGraph | TurnSize) -> Plan:
        """See ``Kind``."""
        return Plan(about_possible(game), turn.n_edges, 0, 0)

    def solve(self, game: TurnGame, graph: TurnGraph, tools: Tools) -> Solved:
        """See ``Kind``: there is nothing to do before a question."""
        return Solved({}, {"boards": n_possible(game), "method": METHOD}, 0.0)


KIND = Alone()
