"""Turns of the optimal policy as rows: the chance of each end, board by board.

Of moves whose intervals overlap the policy plays the first in the game's own order. So it is deterministic, and a rule
of thumb against it is a Markov chain, whose value policy evaluation gives (Puterman 1994).
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.components.groups import split_by_root
from rollwise.solver.model.errors import TooLarge
from rollwise.solver.model.game import TurnGame
from rollwise.solver.policy.flow import BLOCK_BOARDS, ForwardTurn
from rollwise.solver.turn.arrays import UNIT
from rollwise.solver.turn.graph import CHOICE, NO_RESULT, TurnGraph
from rollwise.solver.turn.policy_turn import PolicyTurn
from rollwise.solver.turn.query import Read
from rollwise.solver.turn.transition_reader import TransitionReader
from rollwise.solver.values.policy_evaluation import EndsBySituation

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
MAX_ENDS = 60_000_000  # of the turns of all boards: a gigabyte and a half


def optimal_rows(
    game: TurnGame, graph: TurnGraph, reader: TransitionReader, read: Read, boards: Ints, ahead: Ints
) -> tuple[EndsBySituation, Ints, int]:
    """The rows of these boards, the place of each board's row, and the largest number of roundings behind a chance.

    ``ahead``: all boards that they lead to. Raises TooLarge where turns come to too many ends.
    """
    values = reader.constants.room(np.nan)
    values[ahead], radius = read(ahead)
    tie = 2 * (float(radius.max()) + graph.terms * UNIT * max(1.0, float(np.abs(values[ahead]).max())))
    order, counts, chances, leaves = ([np.zeros(0, dtype=kind)] for kind in (np.int64, np.int64, np.float64, np.int64))
    n_ends = roundings = 0
    turn_of = cache(lambda root: ForwardTurn(game, graph, int(graph.roots[root])))
    for root, some in split_by_root(game, boards, BLOCK_BOARDS):
        turn = turn_of(root)
        roundings = max(roundings, turn.roundings + len(turn.leaves))
        ends, _ = turn.ends_of(reader, boards[some], values, float(game.total), tie)
        n_ends += len(ends.leaf)
        if n_ends > MAX_ENDS:
            raise TooLarge(f"the best player's turns of {game} come to more than {MAX_ENDS:,} ends")
        order.append(some)
        counts.append(np.diff(ends.start))
        chances.append(ends.chance.copy())
        leaves.append(turn.sorted[ends.leaf])
    place = np.empty(len(boards), dtype=np.int64)
    place[np.concatenate(order)] = np.arange(len(boards))
    slots = np.cumsum(np.concatenate([[0], *counts]), dtype=np.int64)
    rows = EndsBySituation(slots, np.concatenate(chances), np.arange(n_ends + 1), np.concatenate(leaves))
    return rows, place, roundings


def leaves_past_cut(graph: TurnGraph, played: PolicyTurn) -> Ints:
    """Map of leaves, by number, for play in which no player is free: leaves beside a cut give way to the cut.

    A leaf that stands for all that are no worse bounds only optimal play; the cut beside it bounds any play.
    """
    leaf_map = np.arange(graph.n_leaves)
    for node in range(graph.n_leaves, played.n_nodes):
        leaves = [child for child in played.children[node] if child < graph.n_leaves]
        cuts = [leaf for leaf in leaves if graph.leaves[leaf].result == NO_RESULT]
        if played.kinds[node] == CHOICE and node not in played.decided and cuts:
            leaf_map[leaves] = cuts[0]
    return leaf_map
