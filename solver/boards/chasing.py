"""Boards at a table where the best moves chase each other: what is best here makes something else best there, for ever.

Then sweeps come to no choice of single moves that is stable. What is looked for first are chances by which the
decisions that chase each other are drawn, such that each seat is indifferent where it draws. Where none are found, one
of the policies that the sweeps went through is kept as it is, the one that leaving gains least, and ``gain`` says how
much that is.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.boards.table_backups import AtWork, Group
from rollwise.solver.game.errors import NotConverged
from rollwise.solver.turn.graph import CHANCE, PREFER, TurnGraph
from rollwise.solver.turn.vectors import Mixed, table_backup

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Decision: TypeAlias = tuple[int, int]  # a board and a node
Choices: TypeAlias = dict[Decision, int]  # the edge taken at each decision

LOOKED_AT = 48  # sweeps in which it is seen who is restless
MOVES = 1e-9  # a share that still moves by more than this is restless
MOST_RESTLESS = 20_000  # boards
MOST_DRAWN = 12  # decisions that are drawn by lot
STARTS = 12  # chances from which a mix is looked for
INDIFFERENT = 1e-11  # so much at most may be gained where a decision is drawn
TRIED = 8  # policies among which the best is kept where there is no mix
STEP = 1e-6  # for slopes


def settle_chase(solve: AtWork, groups: list[Group], boards: Ints) -> Mixed:
    """Decisions to be drawn by lot (or kept as they are) so that the sweeps come to rest; those of ``solve`` with them.

    Raises NotConverged where too many boards are restless.
    """
    chase = Chase(solve, groups, boards)
    found = chase.mix() or chase.least_bad()
    solve.mixed = found
    return found


class Chase:
    """The restless boards of a level and the decisions on them that change."""

    def __init__(self, solve: AtWork, groups: list[Group], boards: Ints) -> None:
        self.solve, self.before = solve, solve.mixed
        moved = np.zeros(len(boards))
        for _ in range(LOOKED_AT):
            old = solve.values[boards]
            solve.sweep(groups)
            moved = np.maximum(moved, np.abs(solve.values[boards] - old).max(axis=1))
        self.restless = boards[moved > MOVES]
        if len(self.restless) > MOST_RESTLESS:
            raise NotConverged(
                f"the best moves of {solve.game} chase each other on {len(self.restless)} boards", float(moved.max())
            )
        self.groups = [part for part in (_only(group, self.restless) for group in groups) if len(part.boards)]
        self.seen: list[Choices] = []
        for _ in range(LOOKED_AT):
            solve.sweep(self.groups)
            self.seen.append(self.choices())
        edges: dict[Decision, set[int]] = {}
        for choices in self.seen:
            for decision, edge in choices.items():
                edges.setdefault(decision, set()).add(edge)
        self.changing = {decision: sorted(taken) for decision, taken in edges.items() if len(taken) > 1}

    def choices(self) -> Choices:
        """What the policy takes at every decision of the restless boards."""
        found: Choices = {}
        for group in self.groups:
            for nodes, some in self._nodes(group):
                for node in decisions(self.solve.graph, group.backup.root):
                    below = [child for child, _ in self.solve.graph.children(node)]
                    own = nodes[below, :, 0]
                    taken = np.argmax(own >= own.max(axis=0) - self.solve.tie, axis=0)
                    found.update({(int(b), node): int(edge) for b, edge in zip(some, taken, strict=True)})
        return found

    def _nodes(self, group: Group) -> list[tuple[Floats, Ints]]:
        plain, solve = group.backup, self.solve
        found = []
        for some in plain.blocks(0, len(group.boards), solve.seats):
            leaves = plain.leaf_rows(solve.values, group.codes[:, some], solve.bits)
            boards = group.boards[some]
            found.append((table_backup(solve.graph, leaves, solve.tie, solve.mixed.on(boards), solve.ties), boards))
        return found

    # --- a mix -------------------------------------------------------------------------------------------------------

    def mix(self) -> Mixed | None:
        """Chances that leave every seat indifferent where it draws; None where none are found."""
        pairs = {decision: taken for decision, taken in self.changing.items() if len(taken) == 2}
        if not 0 < len(pairs) == len(self.changing) <= MOST_DRAWN:
            return None
        from scipy.optimize import least_squares

        names = list(pairs)

        def set_chances(chances: Floats) -> None:
            rows = [
                (board, node, edge, chance)
                for (board, node), q in zip(names, chances.tolist(), strict=True)
                for edge, chance in zip(pairs[board, node], (q, 1.0 - q), strict=True)
            ]
            self.solve.mixed = Mixed(np.concatenate([self.before.rows, np.array(rows)]))

        def better(chances: Floats) -> Floats:
            """How much more the first edge is worth than the second to who moves there."""
            set_chances(chances)
            if not self.rest():
                return np.full(len(names), np.inf)
            worth: dict[Decision, float] = {}
            for group in self.groups:
                for nodes, some in self._nodes(group):
                    lane_of = {int(board): lane for lane, board in enumerate(some)}
                    for board, node in names:
                        if board in lane_of:
                            below = [child for child, _ in self.solve.graph.children(node)]
                            first, second = (nodes[below[edge], lane_of[board], 0] for edge in pairs[board, node])
                            worth[board, node] = float(first - second)
            return np.array([worth[name] for name in names])

        def amiss(chances: Floats) -> Floats:
            """0 where each decision is drawn between equals, or takes the better edge."""
            gain = np.nan_to_num(better(chances), posinf=1.0)
            return np.asarray(chances - np.clip(chances + gain, 0.0, 1.0))

        generator = np.random.default_rng(1)
        for start in range(STARTS):
            first = np.full(len(names), 0.5) if start == 0 else generator.random(len(names))
            close: Any = {"diff_step": [STEP], "xtol": 1e-15, "ftol": 1e-15, "gtol": 1e-15}
            found = least_squares(amiss, first, bounds=(0.0, 1.0), **close)
            chances = self._polished(better, np.asarray(found.x))
            if np.max(np.abs(amiss(chances))) <= INDIFFERENT and self.stays(set(names)):
                return self.solve.mixed
        self.solve.mixed = self.before
        return None

    def _polished(self, better: object, chances: Floats) -> Floats:
        """A few Newton steps for the decisions that are really drawn."""
        assert callable(better)
        for _ in range(4):
            drawn = np.flatnonzero((chances > 0) & (chances < 1))
            gain = better(chances)
            if not len(drawn) or not np.isfinite(gain).all():
                break
            slopes = np.empty((len(drawn), len(drawn)))
            for column, which in enumerate(drawn):
                moved = chances.copy()
                moved[which] += STEP if moved[which] < 0.5 else -STEP
                slopes[:, column] = (better(moved) - gain)[drawn] / (moved[which] - chances[which])
            step, *_ = np.linalg.lstsq(slopes, -gain[drawn], rcond=None)
            chances = chances.copy()
            chances[drawn] = np.clip(chances[drawn] + step, 0.0, 1.0)
        return chances

    def stays(self, drawn: set[Decision]) -> bool:
        """Do all other decisions stay as they are when the sweeps go on?"""
        before = self.choices()
        if not self.rest():
            return False
        after = self.choices()
        return all(after[decision] == edge for decision, edge in before.items() if decision not in drawn)

    def rest(self) -> bool:
        """Sweep the restless boards until nothing moves."""
        return self.solve.sweep_until_stable(self.groups, self.restless, lambda share: None)

    # --- the least bad -----------------------------------------------------------------------------------------------

    def least_bad(self) -> Mixed:
        """One of the policies seen, every decision of the restless boards as it was there."""
        solve = self.solve
        solve.methods.add("the best moves chase each other: a policy that is no equilibrium, see its gain")
        ranked: list[tuple[float, int, Mixed]] = []
        different = {tuple(sorted(choices.items())): choices for choices in self.seen}
        for number, choices in enumerate(list(different.values())[-TRIED:]):
            rows = [(board, node, edge, 1.0) for (board, node), edge in choices.items()]
            solve.mixed = Mixed(np.concatenate([self.before.rows, np.array(rows)]))
            if self.rest():
                ranked.append((solve.excess(self.groups, solve.values)[1], number, solve.mixed))
        if not ranked:
            raise NotConverged(f"the best moves of {solve.game} chase each other, and no policy comes to rest", np.inf)
        best = min(ranked, key=lambda each: each[:2])[2]
        solve.mixed = best
        self.rest()
        return best


def decisions(graph: TurnGraph, root: int) -> list[int]:
    """The nodes below a root at which somebody chooses."""
    needed = graph.reachable(root)
    return [
        node
        for node in range(graph.n_leaves, root + 1)
        if needed[node] and graph.kind[node - graph.n_leaves] not in (CHANCE, PREFER)
    ]


def _only(group: Group, boards: Ints) -> Group:
    """Some boards of a group."""
    here = np.isin(group.boards, boards)
    codes = np.ascontiguousarray(group.codes[:, here])
    return Group(group.backup, group.boards[here], group.order[here], codes, group.off)
