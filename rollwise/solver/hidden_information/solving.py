"""Solve a duel with hidden dice: values of all boards, and mixes of both players that prove them.

Boards are solved component by component. Where boards lead to one another their values are unknown all at once: with
the mixes of the turns fixed they solve a linear system, and with the values known the mixes are those of one linear
program a board; a few rounds of that (Newton's method) come to values that no round changes. Then the mixes are
written down as whole numbers of parts, and what they secure is proved (``solver.hidden_information.one_player``). A player of these
mixes is sure of the lower bound, whoever the other is; the same player in the other seat holds the other to the upper
bound.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.components.saving import part
from rollwise.solver.hidden_information.linear import MixedStrategies, solve_turn
from rollwise.solver.hidden_information.one_player import WORST, OnePlayer
from rollwise.solver.hidden_information.stage import LaidBoards
from rollwise.solver.model.errors import NotConverged
from rollwise.solver.turn.exact_mixes import PARTS, in_parts

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
ROUNDS = 60
CLOSE = 1e-9  # what is in doubt by more is not handed out
SETTLED = 1e-15  # a round that changes no value by more was the last
ENDS = 1e-9  # one of two wins: where their chances lack no more, play ends
PROGRAMS = 0.9  # share of the time that the linear programs take, more or less
METHOD = "a linear program a board, coupled boards by Newton's method"


@dataclass(frozen=True)
class SolvedHidden:
    """``values``, ``lower`` and ``upper``: float64, shape (boards,), P(the caller wins), before the throw.

    ``calls``: int64, shape (boards, throws, calls), and ``replies``, shape (boards, calls, replies), the mixes in
    PARTS. ``gap``: the most that a value is in doubt. ``programs``: linear programs that were solved.
    """

    values: Floats
    lower: Floats
    upper: Floats
    calls: Ints
    replies: Ints
    programs: int

    @property
    def gap(self) -> float:
        """The most that anybody could win more against these mixes than they concede to the best reply."""
        return float(np.max(self.upper - self.lower, initial=0.0))


def solve_hidden(laid: LaidBoards, report: Callable[[float], None]) -> SolvedHidden:
    """Solve all boards; raises NotConverged where a bound cannot be proved."""
    solver = _DuelSolver(laid)
    solver.solve(part(report, 0.0, PROGRAMS))
    calls, replies = in_parts(solver.calls), in_parts(solver.replies)
    sure = OnePlayer(laid, (calls / PARTS, replies / PARTS), WORST).solve(part(report, PROGRAMS, 1.0), sides=(0,))[0]
    lower, upper = sure[0], 1.0 - sure[1]
    values = np.clip(solver.values, lower, upper)
    found = SolvedHidden(values, lower, upper, calls, replies, solver.programs)
    if found.gap > CLOSE:  # as where two players who are best off with it may go round in a circle for ever
        raise NotConverged(
            f"the mixes of {laid.game} are worth less than they should by up to {found.gap:.2g}", found.gap
        )
    return found


class _DuelSolver:
    """Values and mixes of all boards, as floats."""

    def __init__(self, laid: LaidBoards) -> None:
        self.laid = laid
        self.values = np.full(laid.n, 0.5)
        self.calls = np.zeros((laid.n, *laid.leads.shape[1:3]))
        self.replies = np.zeros((laid.n, *laid.leads.shape[2:]))
        self.programs = 0

    def solve(self, report: Callable[[float], None]) -> None:
        laid = self.laid
        done = 0
        for some, coupled in laid.in_order():
            (self._coupled if coupled else self._turns)(some)
            done += len(some)
            report(done / laid.n)

    def _turns(self, some: Ints) -> Floats:
        """Solve the turns of these boards from the values that are known now; what they come to."""
        payoffs = self.laid.payoffs(self.values, some)
        worth = np.empty(len(some))
        for place, (board, payoff) in enumerate(zip(some.tolist(), payoffs, strict=True)):
            found: MixedStrategies = solve_turn(self.laid.stage.chances, payoff)
            self.programs += 1
            self.calls[board], self.replies[board] = found.calls, found.replies
            worth[place] = (found.low + found.high) / 2
        self.values[some] = worth
        return worth

    def _coupled(self, some: Ints) -> None:
        """Boards that lead to one another: by Newton's method, and by single rounds where that does not help."""
        least = np.inf
        for _ in range(ROUNDS):
            before = self.values[some].copy()
            change = float(np.max(np.abs(self._turns(some) - before)))
            if change <= SETTLED or (least < 1e-13 and change >= least / 2):
                return
            followed = self._followed(some) if change < least else None  # else the one round was the step
            if followed is not None:
                self.values[some] = followed
            least = min(least, change)

    def _followed(self, some: Ints) -> Floats | None:
        """The values of these boards when both keep to the mixes that are known now; None where that never ends."""
        player, values = OnePlayer(self.laid, (self.calls, self.replies)), np.stack([self.values, 1.0 - self.values])
        calls, replies = player.followed(values, some, player.turn(values, some)[1])
        return calls if (np.abs(calls + replies - 1.0) <= ENDS).all() else None
