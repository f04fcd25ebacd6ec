"""Policy evaluation of a rule of thumb with hidden dice, against the best response and against the solution."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.components.checkpoints import partial_report
from rollwise.solver.hidden_information.one_player import FIXED, MINIMISE, MixedStrategies, OnePlayerMDP
from rollwise.solver.hidden_information.stage import LaidBoards, reachable
from rollwise.solver.model.game import NodeKey
from rollwise.solver.values.mixed_strategies import PARTS_PER_ONE

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bounds = tuple[float, float, float]  # value, lower, upper


class MixedPolicy(Protocol):
    """A policy with mixed strategies."""

    def mix(self, board: int, state: NodeKey, moves: Sequence[str]) -> Sequence[int]:
        """Probability of each of these moves in a state on a board (by index), in parts of PARTS_PER_ONE."""


def evaluate_policy(
    laid: LaidBoards,
    rule: MixedPolicy,
    best: MixedStrategies,
    start: int,
    report: Callable[[float], None] = lambda share: None,
) -> tuple[tuple[Bounds, Bounds], tuple[Bounds, Bounds]]:
    """Values of a rule from ``start`` on (an entry of ``laid``), as caller and as the other: against the best response,
    and against a player who keeps to the ``best`` mixes.
    """
    mixes = mixes_of(laid, rule, start, partial_report(report, 0.0, 0.5))
    intervals: list[tuple[Bounds, Bounds]] = []
    for first, sense, others in ((0.5, MINIMISE, None), (0.75, FIXED, best)):
        bounds = OnePlayerMDP(laid, mixes, sense, others).solve(partial_report(report, first, first + 0.25))[
            :, :, start
        ]
        own, opponent = (((low + high) / 2, low, high) for low, high in bounds.T.tolist())
        intervals.append((own, opponent))
    return intervals[0], intervals[1]


def mixes_of(laid: LaidBoards, rule: MixedPolicy, start: int, report: Callable[[float], None]) -> tuple[Floats, Floats]:
    """A rule's calls and replies on all reachable boards; on others the first legal move."""
    stage = laid.stage
    _, throws, n_calls, n_replies = stage.leaf.shape
    calls, replies = np.zeros((laid.n, throws, n_calls)), np.zeros((laid.n, n_calls, n_replies))
    reached = np.zeros(laid.n, dtype=bool)
    reached[reachable(laid.n, *laid.edges(), start)] = True
    for root in np.unique(laid.root).tolist():
        here, legal = np.flatnonzero(laid.root == root), stage.legal[root]
        allowed = np.flatnonzero(legal.any(axis=1)).tolist()
        calls[here, :, allowed[0]] = 1.0
        replies[np.ix_(here, np.array(allowed))] = np.eye(n_replies)[np.argmax(legal[allowed], axis=1)]
        names = [stage.calls[call] for call in allowed]
        answers = laid.game.answers(tuple(laid.game.roots()[root]))
        call_of_state = {state: stage.calls.index(call) for state, call in answers.items()}
        listed = {call: np.flatnonzero(legal[call]).tolist() for call in call_of_state.values()}
        for entry in here[reached[here]].tolist():
            board = int(laid.boards[entry])
            for throw, state in enumerate(stage.throws[root]):
                calls[entry, throw] = 0.0
                calls[entry, throw, allowed] = np.array(rule.mix(board, state, names)) / PARTS_PER_ONE
            for state, call in call_of_state.items():
                mix = rule.mix(board, state, [stage.replies[one] for one in listed[call]])
                replies[entry, call] = 0.0
                replies[entry, call, listed[call]] = np.array(mix) / PARTS_PER_ONE
        report(float(root + 1) / len(stage.leaf))
    return calls, replies
