"""A rule with hidden dice: its mixes where it is asked, and what it wins against the best reply to it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.components.saving import part
from rollwise.solver.hidden_information.one_player import NOTHING, WORST, MixedStrategies, OnePlayer
from rollwise.solver.hidden_information.stage import LaidBoards, reachable
from rollwise.solver.model.game import NodeKey
from rollwise.solver.turn.exact_mixes import PARTS

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bounds = tuple[float, float, float]  # value, lower, upper


class MixRule(Protocol):
    """A rule as it is asked."""

    def mix(self, board: int, state: NodeKey, moves: Sequence[str]) -> Sequence[int]:
        """How often each of these moves is made in a state on a board (by index), in whole PARTS."""


def ruled(
    laid: LaidBoards,
    rule: MixRule,
    best: MixedStrategies,
    start: int,
    report: Callable[[float], None] = lambda share: None,
) -> tuple[tuple[Bounds, Bounds], tuple[Bounds, Bounds]]:
    """What a rule wins from ``start`` on (an entry of ``laid``), as caller and as the other: against the best reply,
    and against a player who keeps to the ``best`` mixes.
    """
    mixes = mixes_of(laid, rule, start, part(report, 0.0, 0.5))
    found: list[tuple[Bounds, Bounds]] = []
    for first, chosen, others in ((0.5, WORST, None), (0.75, NOTHING, best)):
        bounds = OnePlayer(laid, mixes, chosen, others).solve(part(report, first, first + 0.25))[:, :, start]
        own, other = (((low + high) / 2, low, high) for low, high in bounds.T.tolist())
        found.append((own, other))
    return found[0], found[1]


def mixes_of(laid: LaidBoards, rule: MixRule, start: int, report: Callable[[float], None]) -> tuple[Floats, Floats]:
    """A rule's calls and replies on all boards that play may come to; on others the first move there is."""
    stage = laid.stage
    _, throws, n_calls, n_replies = stage.leaf.shape
    calls, replies = np.zeros((laid.n, throws, n_calls)), np.zeros((laid.n, n_calls, n_replies))
    reached = np.zeros(laid.n, dtype=bool)
    reached[reachable(laid.n, *laid.edges(), start)] = True
    for at in np.unique(laid.root).tolist():
        here, legal = np.flatnonzero(laid.root == at), stage.legal[at]
        allowed = np.flatnonzero(legal.any(axis=1)).tolist()
        calls[here, :, allowed[0]] = 1.0
        replies[np.ix_(here, np.array(allowed))] = np.eye(n_replies)[np.argmax(legal[allowed], axis=1)]
        names = [stage.calls[call] for call in allowed]
        answers = laid.game.answers(tuple(laid.game.roots()[at]))
        heard = {state: stage.calls.index(call) for state, call in answers.items()}
        listed = {call: np.flatnonzero(legal[call]).tolist() for call in heard.values()}
        for entry in here[reached[here]].tolist():
            board = int(laid.boards[entry])
            for throw, state in enumerate(stage.throws[at]):
                calls[entry, throw] = 0.0
                calls[entry, throw, allowed] = np.array(rule.mix(board, state, names)) / PARTS
            for state, call in heard.items():
                mix = rule.mix(board, state, [stage.replies[one] for one in listed[call]])
                replies[entry, call] = 0.0
                replies[entry, call, listed[call]] = np.array(mix) / PARTS
        report(float(at + 1) / len(stage.leaf))
    return calls, replies
