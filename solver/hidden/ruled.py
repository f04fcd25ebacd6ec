"""A rule with hidden dice: its mixes where it is asked, and what it wins against the best reply to it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.game.model import State
from rollwise.solver.hidden.guarantee import Guarantee
from rollwise.solver.hidden.stage import PARTS, Laid
from rollwise.solver.order.saving import part

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bounds = tuple[float, float, float]  # value, lower, upper


class MixRule(Protocol):
    """A rule as it is asked."""

    def mix(self, board: int, state: State, moves: Sequence[str]) -> Sequence[int]:
        """How often each of these moves is made in a state on a board (by index), in whole PARTS."""


def ruled(
    laid: Laid, rule: MixRule, start: int, report: Callable[[float], None] = lambda share: None
) -> tuple[Bounds, Bounds]:
    """What a rule wins from ``start`` on (an entry of ``laid``) against the best reply: as caller, and as the other."""
    calls, replies = mixes_of(laid, rule, start, part(report, 0.0, 0.5))
    lower = Guarantee(laid, calls, replies).solve(part(report, 0.5, 0.75))[:, start].tolist()
    upper = Guarantee(laid, calls, replies).solve(part(report, 0.75, 1.0), upper=True)[:, start].tolist()
    own, other = (((low + high) / 2, low, high) for low, high in zip(lower, upper, strict=True))
    return own, other


def mixes_of(laid: Laid, rule: MixRule, start: int, report: Callable[[float], None]) -> tuple[Floats, Floats]:
    """A rule's calls and replies on all boards that play may come to; on others the first move there is."""
    stage = laid.stage
    calls, replies = np.zeros(laid.follows.shape[:3]), np.zeros((laid.n, *laid.follows.shape[2:]))
    reached = np.zeros(laid.n, dtype=bool)
    reached[laid.reachable(start)] = True
    for entry, board in enumerate(laid.boards.tolist()):
        root = int(laid.root[entry])
        legal = laid.legal[entry]
        allowed = np.flatnonzero(legal.any(axis=1)).tolist()
        names = [stage.calls[call] for call in allowed]
        if not reached[entry]:
            calls[entry, :, allowed[0]] = 1.0
            replies[entry, allowed, np.argmax(legal[allowed], axis=1)] = 1.0
            continue
        for throw, state in enumerate(stage.throws[root]):
            calls[entry, throw, allowed] = np.array(rule.mix(board, state, names)) / PARTS
        for state, call in laid.game.answers(tuple(laid.game.roots()[root])).items():
            heard = stage.calls.index(call)
            here = np.flatnonzero(legal[heard]).tolist()
            replies[entry, heard, here] = np.array(rule.mix(board, state, [stage.replies[one] for one in here])) / PARTS
        report((entry + 1) / laid.n)
    return calls, replies
