"""Tables with hidden dice: not solved, but rules are compared.

With three or more there is no one optimal policy: each seat's depends on all others'. With the others fixed to a rule,
the best response of one seat is a Markov decision process, and its value gets certified bounds.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from rollwise.solver.components.checkpoints import partial_report
from rollwise.solver.kinds.cost_model import estimate_n_boards
from rollwise.solver.kinds.duel import mean_loss
from rollwise.solver.kinds.kind import (
    OTHERS_BY_RULE,
    Kind,
    Plan,
    QueryOptions,
    Report,
    RuleCost,
    Solution,
    SolveResult,
    Tools,
    count_possible,
    possible_boards,
)
from rollwise.solver.model.errors import BadInput, TooLarge
from rollwise.solver.model.game import Position, TurnGame, TurnSize
from rollwise.solver.model.solution import Answer
from rollwise.solver.turn.graph import TurnGraph
from rollwise.solver.turn.transitions import UsedFields

METHOD = "none: rules are compared"
MAX_COMPARED_BOARDS = 200_000  # half a gigabyte of memory, two minutes


class UnsolvedSolution(Solution):
    """Solution of an unsolved game: the rules alone."""

    def ask(self, position: Position, fields: Mapping[str, Any], options: QueryOptions, report: Report) -> Answer:
        """Raises BadInput, since there is no answer."""
        raise BadInput(
            f"with {n_players(self.game)} players each seat's best play of {self.game.name} depends on the others': "
            "only rules are compared",
            hint=f"rollwise compare {self.game.name} -p players={n_players(self.game)}",
            field="players",
        )


class HiddenTable(Kind):
    """Hidden dice with three or more players."""

    solution_type = UnsolvedSolution
    is_stored = False
    has_decisions = False  # no decision is solved
    is_mixed = True

    def label(self, game: Any) -> str:
        """See ``Kind``."""
        return "hidden-dice table"

    def uses(self, game: TurnGame) -> UsedFields:
        """See ``Kind``."""
        from rollwise.solver.hidden_information.stage import table_uses

        return table_uses(n_players(game))

    def plan(self, game: TurnGame, turn: TurnGraph | TurnSize) -> Plan:
        """See ``Kind``; the cost of a comparison."""
        from rollwise.solver.hidden_information.stage import read_stage

        assert isinstance(turn, TurnGraph)  # no game of this kind says more of it
        n_boards = estimate_n_boards(game)
        _, throws, calls, replies = read_stage(game, turn).leaf.shape
        return Plan(n_boards, turn.n_edges, 8 * n_boards * (throws * calls + calls * replies), 0)

    def solve(self, game: TurnGame, graph: TurnGraph, tools: Tools) -> SolveResult:
        """See ``Kind``: there is nothing to solve."""
        return SolveResult({}, {"boards": count_possible(game), "method": METHOD}, 0.0)

    def require_comparable(self, game: TurnGame) -> None:
        """See ``Kind``: rules are compared, mixed ones too."""

    def compare(
        self, solution: Solution, rule: Any, start: Position, tools: Tools, last_level: int | None = None
    ) -> RuleCost:
        """See ``Kind``: by seat the rule's chance where all play it, and that of the seat's best response."""
        from rollwise.solver.hidden_information.one_player import FIXED, MAXIMISE, OnePlayerMDP
        from rollwise.solver.hidden_information.policy_evaluation import mixes_of
        from rollwise.solver.hidden_information.stage import lay_out_boards

        game, n_seats = solution.game, n_players(solution.game)
        if count_possible(game) > MAX_COMPARED_BOARDS:
            plan = self.plan(game, solution.graph)
            raise TooLarge(
                f"{game} has {plan.boards:,} boards, of which mixes take {plan.memory / 1e9:.1f} GB; rules are "
                f"compared on up to {MAX_COMPARED_BOARDS:,}: with fewer chips"
            )
        layout = lay_out_boards(game, solution.graph, np.concatenate(list(possible_boards(game))), n_seats)
        entry = int(layout.place[game.boards().index_of(**start.board)])
        mixes = mixes_of(layout, rule, entry, partial_report(tools.report, 0.0, 0.5))
        by_policy = []
        for policy, first, last in ((MAXIMISE, 0.5, 0.8), (FIXED, 0.8, 1.0)):
            bounds = OnePlayerMDP(layout, mixes, policy).solve(partial_report(tools.report, first, last))[:, :, entry]
            by_place = [((low + high) / 2, low, high) for low, high in bounds.T.tolist()]
            by_policy.append(tuple(by_place[(seat - start.mover) % n_seats] for seat in range(n_seats)))
        best, by_rule = by_policy
        return RuleCost(best, by_rule, mean_loss("max", best, by_rule), OTHERS_BY_RULE)


def n_players(game: TurnGame) -> int:
    """Number of players."""
    return int(game.parameters()["players"])


KIND = HiddenTable()
