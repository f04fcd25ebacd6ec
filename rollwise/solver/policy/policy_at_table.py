"""Policy evaluation at a table: the chance of a seat that plays by a rule of thumb, while all others play the solution.

Several opponents with aims of their own have no common best response, so their policy stays fixed. Then play is a
Markov chain, and the chance of the rule's seat solves x = T x, where T is one turn (Puterman 1994): a backup of
the solution's turns, and the mean over the ends of the rule's own turns. With expected turns w >= 1 + T w, the error of
x is at most its residual times w.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.components.certificates import FLOAT32_MARGIN, error_bound, iterate_expected_turns
from rollwise.solver.model.errors import BadInput, TooLarge
from rollwise.solver.model.rounding import up
from rollwise.solver.policy.policy_in_duel import Optimum, Policy, PolicyInDuel
from rollwise.solver.turn.arrays import UNIT
from rollwise.solver.turn.graph import TurnGraph
from rollwise.solver.turn.perspective import ILLEGAL, unpack_codes
from rollwise.solver.turn.policy_turn import PolicyTurn
from rollwise.solver.turn.vectors import MixedStrategy, Vectors, n_seats, rows_of_endings, table_reader, table_uses
from rollwise.solver.values.anderson import evaluate_linear
from rollwise.solver.values.policy_evaluation import EndsBySituation, PolicyBackup
from rollwise.solver.values.table import TableSolve
from rollwise.solver.values.table_backups import Group

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Rows: TypeAlias = tuple[Ints, Ints, Floats, Ints]
MAX_BYTES = 3_000_000_000  # of arrays by board; those of the level at work take as much again, or less
BY_POLICY, OTHERS = 0, 1  # places of the rule's seat, from the mover: the mover's, or (this and all later) others


@dataclass(frozen=True)
class TableSolution:
    """The solution that the others play: shares by board, mixed decisions, and the width of a tie."""

    values: Vectors
    mixed: MixedStrategy
    tie: float


def array_bytes(boards: int, seats: int) -> int:
    """Bytes of all arrays by board, for a game of so many boards.

    Of each board its level, root, order, row and place in two lists and the widest radius; by seat five numbers (the
    solution and the solve's copy of it, its expected turns, and chances and expected turns of the rule's seat), a
    radius, and whether play reaches it.
    """
    return boards * (4 + 2 + 8 + 4 + 2 * 8 + 4 + (5 * 8 + 4 + 1) * seats)


class PolicyAtTable(PolicyInDuel):
    """Reachable boards from one board on, for every place of the rule's seat there, and the seat's chances."""

    free_role, policy_role = OTHERS, BY_POLICY
    max_places = MAX_BYTES  # memory is the limit

    def __init__(
        self, played: PolicyTurn, graph: TurnGraph, rule: Policy, others: TableSolution, report: Callable[[float], None]
    ) -> None:
        no_solution = Optimum(lambda board: np.zeros((0, 3)), lambda boards: (np.zeros(0), np.zeros(0)))
        super().__init__(played, graph, table_uses(played.game), rule, report, no_solution)
        self.others = others
        self.seats = n_seats(self.game)
        self.reader = table_reader(self.game, graph)
        self.illegal = self.reader.constants.code(ILLEGAL)
        self.visited = [np.zeros(self.space.size, dtype=bool) for _ in range(self.seats)]

    def by_place(self, start: Mapping[str, Any]) -> tuple[Floats, float]:
        """The chances of the rule's seat from this board, by its place there from the mover, and their error bound.

        Raises TooLarge for a game of too many boards or where play goes past a proven cut, NotConverged where the rule
        lets a game last for ever.
        """
        n_bytes = array_bytes(self.space.size, self.seats)
        if n_bytes > MAX_BYTES:
            raise TooLarge(f"comparing takes {self.space.size:,} boards of {self.game}: {n_bytes / 1e9:.1f} GB or more")
        self.start = self.space.index_of(**start)
        self.rule.begin(lambda most: self._reachable(self.start, most), list(self.played.decided.values()))
        self._walk(self.start, range(self.seats))
        return self._chances()

    def can_decide(self, board: int) -> bool:
        """True: the rule decides on all boards; those without a question have no decisions."""
        return True

    def _best(self, board: int, node: int, names: tuple[str, ...]) -> str:
        raise BadInput(f"at a table a rule has a move for every decision; this one has none at {names[0]}, ...")

    # --- the chances -------------------------------------------------------------------------------------------------

    def _chances(self) -> tuple[Floats, float]:
        solve = TableSolve(self.game, self.graph, tie=self.others.tie)
        solve.mixed = self.others.mixed
        solve.values[: self.space.size] = self.others.values
        chances, expected_turns = (np.zeros_like(solve.values) for _ in range(2))
        rows, error = EndsBySituation.of(self.rows), self.game.uncertain
        self.policy_backups = cache(lambda root: PolicyBackup(self.graph, root, self.game.sense, rows, self.row_of))
        with solve.worker_pool():
            for boards, report, _ in solve.by_level(self.report):
                error = max(error, self._level(solve, boards, chances, expected_turns, error))
                report(1.0)
        return chances[self.start], error

    def _level(self, solve: TableSolve, boards: Ints, chances: Vectors, turns: Vectors, error: float) -> float:
        """Solve the chances on the boards of one level; returns their error bound, given that of later boards.

        ``turns`` are those of this level alone.
        """
        groups = list(solve.groups(boards))
        solve.write_endings()
        endings = slice(self.space.size, self.space.size + len(solve.response_endings))
        chances[endings] = rows_of_endings(solve.reader.constants, self.seats)[0]
        turns[endings] = np.where(np.isneginf(chances[endings]), -np.inf, 0.0)
        rows = list(self._policy_turns(groups))

        def sweep() -> None:
            self._sweep(solve, groups, rows, chances, 0.0)

        change = evaluate_linear(chances, boards, sweep, f"the chances of {self.game}", cyclic=self.game.cyclic)
        policy_name = f"by this rule a game of {self.game}"
        iterate_expected_turns(turns, boards, lambda: self._sweep(solve, groups, rows, turns, 1.0), policy_name)
        most = float(np.max(turns[boards]))
        turns[boards] = 0.0
        return up(
            error_bound(float(change.max()) + solve.rounding + self._rounding(), most, margin=FLOAT32_MARGIN) + error
        )

    def _rounding(self) -> float:
        """Rounding of one turn by the rule."""
        return max((row.off + (len(row.chances) + 4) * UNIT for row in self.rows), default=0.0)

    def _sweep(self, solve: TableSolve, groups: list[Group], rows: list[Rows], values: Vectors, added: float) -> None:
        """One sweep: a backup of every board and place, with ``added`` added to each."""
        for _, out, boards in solve.respond(groups, values):
            values[boards, OTHERS:] = out[:, OTHERS:] + added
        for mine, starts, chances, ends in rows:
            values[mine, BY_POLICY] = np.add.reduceat(chances * values.ravel()[ends], starts) + added

    def _policy_turns(self, groups: list[Group]) -> Iterator[Rows]:
        """The turns of the rule's seat on the reachable boards of these groups.

        Boards, the first end of each, the chances of ends, and their places in the values by board and place.
        """
        for group in groups:
            columns = np.flatnonzero(self.visited[BY_POLICY][group.boards])
            backup = self.policy_backups(group.backup.root)
            for part in backup.parts(group.boards[columns], slice(0, len(columns))):
                if (part.counts > 1).any():
                    raise TooLarge(f"the rule plays past the cut of {self.game}, where there are only bounds")
                codes = group.codes[backup.ends.of_leaf[part.rows], columns[part.lanes]]
                following, passes = unpack_codes(codes, self.reader.constants.bits)
                ends = following.astype(np.int64) * self.seats + -passes % self.seats
                yield part.boards, part.first, part.chances, ends
