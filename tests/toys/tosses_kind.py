"""A kind of game, all in one file: games of one turn, where a board is worth the most points that the turn can bring.

It stands here to show that a new kind is a file and a line of ``rollwise.solver.kinds.KINDS``, and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from rollwise.solver.kinds.kind import (
    Kind,
    Plan,
    QueryOptions,
    Report,
    Solution,
    SolutionArrays,
    SolveResult,
    Tools,
    count_possible,
)
from rollwise.solver.model.game import Chance, Decision, End, Goto, Node, Position, TurnGame, TurnSize
from rollwise.solver.model.rounding import above, below
from rollwise.solver.model.solution import ActionValue, Answer, Quantity
from rollwise.solver.turn.graph import TurnGraph
from rollwise.solver.turn.transitions import UsedFields


def worth(game: TurnGame, word: Node) -> Fraction:
    """What the turn brings from this word on, if played for the most points."""
    if isinstance(word, Chance):
        total = sum(weight for weight, _ in word.outcomes)
        return sum((Fraction(weight, total) * worth(game, after) for weight, after in word.outcomes), Fraction(0))
    if isinstance(word, Decision):
        return max(worth(game, after) for _, after in word.moves)
    if isinstance(word, Goto):
        return worth(game, game.turn(*word.state))
    assert isinstance(word, End)
    return Fraction(word.reward)


class TossesSolution(Solution):
    """What every board is worth."""

    def ask(self, position: Position, fields: Mapping[str, Any], options: QueryOptions, report: Report) -> Answer:
        """See ``Solution``: worked out again, and the best move is as good as what is kept."""
        word = self.game.turn(*position.state)
        assert isinstance(word, Decision)
        worths = {str(name): worth(self.game, after) for name, after in word.moves}
        value = self.arrays.rows("values", np.array([self.game.boards().index_of(**position.board)]))[0]
        assert value == float(max(worths.values()))
        return Answer(
            position.mover,
            tuple(
                ActionValue(name, float(of), below(of), above(of), of if options.exact else None)
                for name, of in worths.items()
            ),
        )

    def quantities(self) -> dict[str, Quantity]:
        """See ``Solution``: the most that any board is worth."""
        most = Fraction(float(max(self.arrays.whole("values"))))
        return {"most": Quantity.between(most, most, self.game.unit)}


class Tosses(Kind):
    """Games of one turn."""

    solution_type = TossesSolution

    def uses(self, game: TurnGame) -> UsedFields:
        """See ``Kind``: every result ends the game."""
        return UsedFields("a game of one turn", frozenset(("over", "reward")))

    def plan(self, game: TurnGame, turn: TurnGraph | TurnSize) -> Plan:
        """See ``Kind``."""
        return Plan(count_possible(game), turn.n_edges, 0, 8 * game.boards().size)

    def solve(self, game: TurnGame, graph: TurnGraph, tools: Tools) -> SolveResult:
        """See ``Kind``."""
        values = _values(game)
        tools.report(1.0)
        return SolveResult({"values": values}, {"boards": len(values), "method": "by hand"}, 0.0)

    def prove(
        self, game: TurnGame, graph: TurnGraph, arrays: SolutionArrays, facts: Mapping[str, Any], tools: Tools
    ) -> str | None:
        """See ``Kind``."""
        wrong = self.require_arrays(arrays, {"values": (game.boards().size,)})
        if wrong is None and not np.array_equal(arrays.whole("values"), _values(game)):
            return "values are not what the turn brings"
        return wrong


def _values(game: TurnGame) -> np.ndarray[Any, np.dtype[np.float64]]:
    return np.array([float(worth(game, game.turn(*root))) for root in game.roots()])


KIND = Tosses()
