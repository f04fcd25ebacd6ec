"""A rule of thumb at a table: what a seat wins that plays by it, while all the others play the solution.

There is no one best reply of several players, so the others stay as they are: then everything is decided, and the
rule's seat has a chance to win that solves x = T x, where T is one turn. It is carried through a backup as what others
get while the policy moves, and through the rule's own turns as the mean over their ends. The bounds are those of all
such chances: with w >= 1 + T w turns still to come, x is off by at most what one backup still moves it, times w.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.components.certificates import SINGLE, off_by, until_bounded
from rollwise.solver.model.errors import BadInput, TooLarge
from rollwise.solver.model.rounding import up
from rollwise.solver.policy.policy_in_duel import Best, Contestants, Rule
from rollwise.solver.turn.arrays import UNIT
from rollwise.solver.turn.graph import TurnGraph
from rollwise.solver.turn.perspective import ILLEGAL, read
from rollwise.solver.turn.played import PlayedTurn
from rollwise.solver.turn.vectors import MixedStrategy, Vectors, n_seats, rows_of_endings, table_settler, table_uses
from rollwise.solver.values.anderson import solved
from rollwise.solver.values.policy_evaluation import EndsBySituation, RuledBackup
from rollwise.solver.values.table import TableSolve
from rollwise.solver.values.table_backups import Group

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Ruled: TypeAlias = tuple[Ints, Ints, Floats, Ints]
MOST_BYTES = 3_000_000_000  # by board; what is held of a level while it is at work comes on top, as much or less
RULE, OTHERS = 0, 1  # places of the rule's seat, from the mover: it moves itself, or (this and all later) others do


@dataclass(frozen=True)
class TableSolution:
    """The solution that the others play: shares by board, decisions that are drawn by lot, how near a tie is."""

    values: Vectors
    mixed: MixedStrategy
    tie: float


def held(boards: int, seats: int) -> int:
    """Bytes that are held by board, by so many with their indices, wherever play starts and comes to.

    Of each board its level, root, order, row and place in two lists and the widest radius; by seat five numbers (the
    solution and the solve's copy of it, its waits, chances, and waits of the rule's seat), a radius, and whether play
    comes there.
    """
    return boards * (4 + 2 + 8 + 4 + 2 * 8 + 4 + (5 * 8 + 4 + 1) * seats)


class AtTable(Contestants):
    """The walk from one board on, for every place that the rule's seat can have there, and the chances."""

    anybody, ruled = OTHERS, RULE
    most_places = MOST_BYTES  # what is held says how many there may be

    def __init__(
        self, played: PlayedTurn, graph: TurnGraph, rule: Rule, others: TableSolution, report: Callable[[float], None]
    ) -> None:
        nothing_known = Best(lambda board: np.zeros((0, 3)), lambda boards: (np.zeros(0), np.zeros(0)))
        super().__init__(played, graph, table_uses(played.game), rule, report, nothing_known)
        self.others = others
        self.seats = n_seats(self.game)
        self.settler = table_settler(self.game, graph)
        self.illegal = self.settler.constants.code(ILLEGAL)
        self.visited = [np.zeros(self.space.size, dtype=bool) for _ in range(self.seats)]

    def by_place(self, start: Mapping[str, Any]) -> tuple[Floats, float]:
        """The chances of the rule's seat from this board, by its place there from the mover, and how far off they are.

        Raises TooLarge for a game of too many boards or where play comes past a proven cut, NotConverged where the rule
        lets a game last for ever.
        """
        needs = held(self.space.size, self.seats)
        if needs > MOST_BYTES:
            raise TooLarge(f"comparing takes {self.space.size:,} boards of {self.game}: {needs / 1e9:.1f} GB or more")
        self.start = self.space.index_of(**start)
        self.rule.begin(lambda most: self._within(self.start, most), list(self.played.decided.values()))
        self._walk(self.start, range(self.seats))
        return self._chances()

    def knows(self, board: int) -> bool:
        """The rule is asked on all boards: those without a question have nothing to decide."""
        return True

    def _best(self, board: int, node: int, names: tuple[str, ...]) -> str:
        raise BadInput(f"at a table a rule has a move for every decision; this one has none at {names[0]}, ...")

    # --- the chances -------------------------------------------------------------------------------------------------

    def _chances(self) -> tuple[Floats, float]:
        solve = TableSolve(self.game, self.graph, tie=self.others.tie)
        solve.mixed = self.others.mixed
        solve.values[: self.space.size] = self.others.values
        chances, waits = (np.zeros_like(solve.values) for _ in range(2))
        rows, off = EndsBySituation.of(self.rows), self.game.uncertain
        self.turns_by_rule = cache(lambda root: RuledBackup(self.graph, root, self.game.sense, rows, self.row_of))
        with solve.at_work():
            for boards, report, _ in solve.by_level(self.report):
                off = max(off, self._level(solve, boards, chances, waits, off))
                report(1.0)
        return chances[self.start], off

    def _level(self, solve: TableSolve, boards: Ints, chances: Vectors, waits: Vectors, off: float) -> float:
        """The chances on the boards of one level; returns how far off they may be, where later ones are so by ``off``.

        ``waits`` are those of this level alone.
        """
        groups = list(solve.groups(boards))
        solve.write_endings()
        here = slice(self.space.size, self.space.size + len(solve.reply_endings))
        chances[here] = rows_of_endings(solve.settler.constants, self.seats)[0]
        waits[here] = np.where(np.isneginf(chances[here]), -np.inf, 0.0)
        ruled = list(self._ruled(groups))

        def sweep() -> None:
            self._sweep(solve, groups, ruled, chances, 0.0)

        moved = solved(chances, boards, sweep, f"the chances of {self.game}", cyclic=self.game.cyclic)
        by_rule = f"by this rule a game of {self.game}"
        until_bounded(waits, boards, lambda: self._sweep(solve, groups, ruled, waits, 1.0), by_rule)
        longest = float(np.max(waits[boards]))
        waits[boards] = 0.0
        return up(off_by(float(moved.max()) + solve.rounding + self._rounding(), longest, room=SINGLE) + off)

    def _rounding(self) -> float:
        """Of one turn by the rule."""
        return max((row.off + (len(row.chances) + 4) * UNIT for row in self.rows), default=0.0)

    def _sweep(self, solve: TableSolve, groups: list[Group], ruled: list[Ruled], values: Vectors, more: float) -> None:
        """One backup of every board and place, ``more`` added to each."""
        for _, out, boards in solve.both(groups, values):
            values[boards, OTHERS:] = out[:, OTHERS:] + more
        for mine, starts, chances, ends in ruled:
            values[mine, RULE] = np.add.reduceat(chances * values.ravel()[ends], starts) + more

    def _ruled(self, groups: list[Group]) -> Iterator[Ruled]:
        """The turns of the rule's seat on the boards of these groups that play comes to.

        Boards, where the ends of each begin, how likely these are, and their places in the values by board and place.
        """
        for group in groups:
            columns = np.flatnonzero(self.visited[RULE][group.boards])
            backup = self.turns_by_rule(group.backup.root)
            for part in backup.parts(group.boards[columns], slice(0, len(columns))):
                if (part.counts > 1).any():
                    raise TooLarge(f"the rule plays past the cut of {self.game}, where nothing is known but bounds")
                codes = group.codes[backup.ends.of_leaf[part.rows], columns[part.lanes]]
                following, passes = read(codes, self.settler.constants.bits)
                ends = following.astype(np.int64) * self.seats + -passes % self.seats
                yield part.boards, part.first, part.chances, ends
