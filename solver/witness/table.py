"""Proof of a table: shares within their radius, and nobody gains more by playing otherwise than is said.

By induction, last level first: the true shares of the policy are within the radius of a board if one backup of the
stored shares is, with the radius of the boards that follow and the backup's rounding added. The policy is read from the
stored shares: of the moves within twice the radius of the mover's best, the first in the game's own order.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.game.model import TurnGame
from rollwise.solver.turn.graph import CHANCE, NO_RESULT, TurnGraph
from rollwise.solver.witness.backup import UNIT
from rollwise.solver.witness.bounds import NUMBERS, Failures, excess, possible
from rollwise.solver.witness.reading import told

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class _Table:
    """One backup of every board."""

    def __init__(self, game: TurnGame, graph: TurnGraph, values: Floats, radius: Floats) -> None:
        self.game, self.graph, self.values, self.radius = game, graph, values, radius
        self.seats = values.shape[1]
        space = game.boards()
        columns = space.columns(np.arange(space.size))
        levels = game.level(columns)
        self.level_of = np.where(possible(game), 0 if levels is None else levels, -1)
        self.root_of = np.broadcast_to(game.root(columns), space.size)
        self.mover_of = np.broadcast_to(game.mover(columns), space.size)
        self.replies = np.full(values.shape, np.nan)
        self.failures = Failures()
        self.size = space.size

    def run(self, report: Callable[[float], None]) -> None:
        """Last level first."""
        at_once = max(1, NUMBERS // (4 * self.graph.n_nodes * self.seats))
        n_boards, done = int((self.level_of >= 0).sum()), 0
        for level in np.unique(self.level_of[self.level_of >= 0])[::-1].tolist():
            here = self.level_of == level
            for number in np.unique(self.root_of[here]).tolist():
                of_root = np.flatnonzero(here & (self.root_of == number))
                for boards in np.array_split(of_root, -(-len(of_root) // at_once)):
                    self.back_up(level, int(self.graph.roots[number]), boards)
                    done += len(boards)
                    report(done / n_boards)

    def back_up(self, level: int, root: int, boards: Ints) -> None:
        """Shares and best replies of boards of one level, from those that follow."""
        graph, mover, lanes = self.graph, self.mover_of[boards], np.arange(len(boards))
        slack = 2 * self.radius[boards]
        needed = graph.reachable(root)
        own: dict[int, Floats] = {}  # shape (lanes, seats): what the policy gives
        best: dict[int, Floats] = {}  # what each seat gets that alone plays its best
        off, early = np.zeros(len(boards)), np.zeros(len(boards), dtype=bool)
        for leaf_id in np.flatnonzero(needed[: graph.n_leaves]).tolist():
            leaf = graph.leaves[leaf_id]
            if leaf.result == NO_RESULT or leaf.lower:
                own[leaf_id] = best[leaf_id] = np.full((len(boards), self.seats), np.nan)
                continue
            said = told(self.game, boards, graph.results[leaf.result], self.seats)
            ahead = np.maximum(said.following, 0)
            on = said.following >= 0
            early |= (on & (self.level_of[ahead] <= level)) | said.lost
            off = np.maximum(off, np.where(on, self.radius[ahead], 0.0))
            ends = np.where(said.illegal[:, None], -np.inf, said.shares.T)
            own[leaf_id] = np.where(on[:, None], self.values[ahead], ends)
            best[leaf_id] = np.where(on[:, None], self.replies[ahead], ends)
        for node in range(graph.n_leaves, root + 1):
            if not needed[node]:
                continue
            children = list(graph.children(node))
            if graph.kind[node - graph.n_leaves] == CHANCE:
                total = sum(weight for _, weight in children)
                own[node] = np.sum([weight * own[child] for child, weight in children], axis=0) / total
                best[node] = np.sum([weight * best[child] for child, weight in children], axis=0) / total
                continue
            mine = np.array([own[child][lanes, mover] for child, _ in children])
            chosen = np.argmax(mine >= mine.max(axis=0) - slack, axis=0)
            own[node] = np.array([own[child] for child, _ in children])[chosen, lanes]
            replies = np.array([best[child] for child, _ in children])
            best[node] = replies[chosen, lanes]
            best[node][lanes, mover] = replies[:, lanes, mover].max(axis=0)
        rounding = (graph.terms + 8) * UNIT  # shares are at most 1
        far = np.abs(own[root] - self.values[boards]).max(axis=-1) + off + rounding
        by = np.where(early, np.inf, excess(far, self.radius[boards]))
        self.failures.add(boards, by, "the shares are further off than their radius,")
        self.replies[boards] = best[root]


def table_holds(
    game: TurnGame,
    graph: TurnGraph,
    values: Floats,
    radius: NDArray[np.float32],
    gain_limit: object,
    report: Callable[[float], None],
) -> str | None:
    """What is wrong with the shares of these boards, or with the gain that is said; None where all holds."""
    table = _Table(game, graph, values, radius.astype(np.float64))
    with np.errstate(invalid="ignore"):  # a stored nan is found by the comparison
        table.run(report)
    wrong = table.failures.told(game)
    if wrong is not None:
        return wrong
    # true shares are within the radius; replies are rounded like the backups above, by less than half of it in all
    gain = max(0.0, float(np.nanmax(table.replies - values))) + 1.5 * float(np.nanmax(radius))
    if not isinstance(gain_limit, float) or not gain <= gain_limit:
        return f"a seat can gain {gain:.3g} by playing otherwise, the entry says at most {gain_limit}"
    return None
