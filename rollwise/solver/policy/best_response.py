"""The best player's turns as rows: how likely each ends where, board by board, when it plays as the solution does.

Of moves whose values cannot be told apart it makes the first in the game's own order. So its play is one policy, and
what a rule is worth against it is the value of a chain in which nobody chooses any more.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.components.groups import by_root
from rollwise.solver.model.errors import TooLarge
from rollwise.solver.model.game import TurnGame
from rollwise.solver.policy.flow import AT_ONCE, FlowingTurn
from rollwise.solver.turn.arrays import UNIT
from rollwise.solver.turn.graph import CHOICE, NO_RESULT, TurnGraph
from rollwise.solver.turn.played import PlayedTurn
from rollwise.solver.turn.query import Read
from rollwise.solver.turn.transition_reader import TransitionReader
from rollwise.solver.values.policy_evaluation import EndsBySituation

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
MOST_ENDS = 60_000_000  # that the turns of all boards come to: a gigabyte and a half


def best_rows(
    game: TurnGame, graph: TurnGraph, settler: TransitionReader, read: Read, boards: Ints, ahead: Ints
) -> tuple[EndsBySituation, Ints, int]:
    """The rows of these boards, the place of each board's row, and the most roundings that lie behind a chance.

    ``ahead``: all boards that they lead to. Raises TooLarge where turns come to too many ends.
    """
    values = settler.constants.room(np.nan)
    values[ahead], radius = read(ahead)
    tie = 2 * (float(radius.max()) + graph.terms * UNIT * max(1.0, float(np.abs(values[ahead]).max())))
    order, counts, chances, leaves = ([np.zeros(0, dtype=kind)] for kind in (np.int64, np.int64, np.float64, np.int64))
    n_ends = roundings = 0
    turn_of = cache(lambda root: FlowingTurn(game, graph, int(graph.roots[root])))
    for root, some in by_root(game, boards, AT_ONCE):
        turn = turn_of(root)
        roundings = max(roundings, turn.roundings + len(turn.leaves))
        coming, _ = turn.coming(settler, boards[some], values, float(game.total), tie)
        n_ends += len(coming.leaf)
        if n_ends > MOST_ENDS:
            raise TooLarge(f"the best player's turns of {game} come to more than {MOST_ENDS:,} ends")
        order.append(some)
        counts.append(np.diff(coming.start))
        chances.append(coming.chance.copy())
        leaves.append(turn.sorted[coming.leaf])
    place = np.empty(len(boards), dtype=np.int64)
    place[np.concatenate(order)] = np.arange(len(boards))
    slots = np.cumsum(np.concatenate([[0], *counts]), dtype=np.int64)
    rows = EndsBySituation(slots, np.concatenate(chances), np.arange(n_ends + 1), np.concatenate(leaves))
    return rows, place, roundings


def past_the_cut(graph: TurnGraph, played: PlayedTurn) -> Ints:
    """Of each leaf the one to reckon with where nobody replies as well as can be, by number.

    An end that stands for all that are no worse is no bound then: the leaf beside it is, past the cut.
    """
    found = np.arange(graph.n_leaves)
    for node in range(graph.n_leaves, played.n_nodes):
        leaves = [child for child in played.children[node] if child < graph.n_leaves]
        cuts = [leaf for leaf in leaves if graph.leaves[leaf].result == NO_RESULT]
        if played.kinds[node] == CHOICE and node not in played.decided and cuts:
            found[leaves] = cuts[0]
    return found
