"""Tables with hidden dice: nothing is solved, rules are compared.

With three or more there is no one best play: each seat's depends on what all others do. But with the others fixed to a
rule, what one seat can win against them is an ordinary question, and answered with bounds.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from rollwise.solver.components.saving import part
from rollwise.solver.kinds.cost_model import about_possible
from rollwise.solver.kinds.duel import mean_loss
from rollwise.solver.kinds.kind import (
    RULED,
    Answer,
    Kind,
    Plan,
    QueryOptions,
    Report,
    RuleCost,
    Solution,
    Solved,
    Tools,
    n_possible,
    possible_boards,
)
from rollwise.solver.model.errors import BadInput, TooLarge
from rollwise.solver.model.game import Position, TurnGame, TurnSize
from rollwise.solver.turn.graph import TurnGraph
from rollwise.solver.turn.transition_reader import Uses

METHOD = "none: rules are compared"
MOST_BOARDS = 200_000  # half a gigabyte, and two minutes


class OpenedTable(Solution):
    """Nothing but the rules."""

    def ask(self, position: Position, given: Mapping[str, Any], wanted: QueryOptions, report: Report) -> Answer:
        """There is no answer; raises BadInput that says why."""
        raise BadInput(
            f"with {players(self.game)} players each seat's best play of {self.game.name} depends on the others': "
            "only rules are compared",
            hint=f"rollwise compare {self.game.name} -p players={players(self.game)}",
            field="players",
        )


class HiddenTable(Kind):
    """Three or more with hidden dice."""

    opened = OpenedTable
    keeps = False
    chooses = False  # nothing that anybody could choose is solved
    mixes = True

    def called(self, game: Any) -> str:
        """All are against all."""
        return "hidden-dice table"

    def uses(self, game: TurnGame) -> Uses:
        """See ``Kind``."""
        from rollwise.solver.hidden_information.stage import table_uses

        return table_uses(players(game))

    def plan(self, game: TurnGame, turn: TurnGraph | TurnSize) -> Plan:
        """See ``Kind``; what a comparison takes."""
        from rollwise.solver.hidden_information.stage import read_stage

        assert isinstance(turn, TurnGraph)  # no game of this kind says more of it
        n_boards = about_possible(game)
        _, throws, calls, replies = read_stage(game, turn).leaf.shape
        return Plan(n_boards, turn.n_edges, 8 * n_boards * (throws * calls + calls * replies), 0)

    def solve(self, game: TurnGame, graph: TurnGraph, tools: Tools) -> Solved:
        """Nothing."""
        return Solved({}, {"boards": n_possible(game), "method": METHOD}, 0.0)

    def require_comparable(self, game: TurnGame) -> None:
        """Rules are compared, mixed ones too."""

    def compare(
        self, opened: Solution, rule: Any, start: Position, tools: Tools, last_level: int | None = None
    ) -> RuleCost:
        """See ``Kind``: by seat what the rule wins where all play it, and what the best reply of that seat wins."""
        from rollwise.solver.hidden_information.one_player import BEST, NOTHING, OnePlayer
        from rollwise.solver.hidden_information.ruled import mixes_of
        from rollwise.solver.hidden_information.stage import lay_out

        game, n_seats = opened.game, players(opened.game)
        if n_possible(game) > MOST_BOARDS:
            plan = self.plan(game, opened.graph)
            raise TooLarge(
                f"{game} has {plan.boards:,} boards, of which mixes take {plan.memory / 1e9:.1f} GB; rules are "
                f"compared on up to {MOST_BOARDS:,}: with fewer chips"
            )
        laid = lay_out(game, opened.graph, np.concatenate(list(possible_boards(game))), n_seats)
        entry = int(laid.place[game.boards().index_of(**start.board)])
        mixes = mixes_of(laid, rule, entry, part(tools.report, 0.0, 0.5))
        found = []
        for chosen, first, last in ((BEST, 0.5, 0.8), (NOTHING, 0.8, 1.0)):
            bounds = OnePlayer(laid, mixes, chosen).solve(part(tools.report, first, last))[:, :, entry]
            by_place = [((low + high) / 2, low, high) for low, high in bounds.T.tolist()]
            found.append(tuple(by_place[(seat - start.mover) % n_seats] for seat in range(n_seats)))
        best, ruled = found
        return RuleCost(best, ruled, mean_loss("max", best, ruled), RULED)


def players(game: TurnGame) -> int:
    """How many play."""
    return int(game.parameters()["players"])


KIND = HiddenTable()
