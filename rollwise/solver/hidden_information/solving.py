"""Solution of a duel with hidden dice: values of all boards, and mixed strategies of both players that prove them.

Boards are solved by strongly connected component. In a component, values and mixes depend on each other: given the
mixes, the values solve a linear system, and given the values, one linear program a board has the mixes. Alternating
both is Newton's method for stochastic games (Pollatschek and Avi-Itzhak 1969; Filar and Vrieze 1997). Then the mixes
are rounded to whole parts, and bounds against the best response to them are proved
(``solver.hidden_information.one_player``). A player of these mixes wins at least the lower bound against any other; in
the other seat the same player concedes at most the upper bound.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.components.checkpoints import partial_report
from rollwise.solver.hidden_information.linear import MixedStrategies, solve_turn
from rollwise.solver.hidden_information.one_player import MINIMISE, OnePlayerMDP
from rollwise.solver.hidden_information.stage import LaidBoards
from rollwise.solver.model.errors import NotConverged
from rollwise.solver.values.mixed_strategies import PARTS_PER_ONE, to_parts

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
MAX_ROUNDS = 60
MAX_GAP = 1e-9  # largest width of an interval in a solution
CHANGE_TOLERANCE = 1e-15  # a round that changes no value by more was the last
END_TOLERANCE = 1e-9  # where the chances of both players lack no more to 1, play ends
PROGRAM_TIME_SHARE = 0.9  # share of the time that the linear programs take, more or less
METHOD = "a linear program a board, coupled boards by Newton's method"


@dataclass(frozen=True)
class HiddenSolution:
    """Solution of all boards: ``values``, ``lower``, ``upper``: float64, shape (boards,), P(the caller wins).

    ``calls``: int64, shape (boards, throws, calls), and ``replies``, shape (boards, calls, replies), mixed strategies
    in parts of PARTS_PER_ONE. ``gap``: the widest interval. ``programs``: number of linear programs.
    """

    values: Floats
    lower: Floats
    upper: Floats
    calls: Ints
    replies: Ints
    programs: int

    @property
    def gap(self) -> float:
        """Widest interval: the most by which any player could do better against these mixes (exploitability)."""
        return float(np.max(self.upper - self.lower, initial=0.0))


def solve_hidden(laid: LaidBoards, report: Callable[[float], None]) -> HiddenSolution:
    """Solve all boards; raises NotConverged where an interval is too wide."""
    solver = _DuelSolver(laid)
    solver.solve(partial_report(report, 0.0, PROGRAM_TIME_SHARE))
    calls, replies = to_parts(solver.calls), to_parts(solver.replies)
    secured = OnePlayerMDP(laid, (calls / PARTS_PER_ONE, replies / PARTS_PER_ONE), MINIMISE).solve(
        partial_report(report, PROGRAM_TIME_SHARE, 1.0), sides=(0,)
    )[0]
    lower, upper = secured[0], 1.0 - secured[1]
    values = np.clip(solver.values, lower, upper)
    solution = HiddenSolution(values, lower, upper, calls, replies, solver.programs)
    if solution.gap > MAX_GAP:  # for instance where endless play is best for both players
        raise NotConverged(
            f"the mixes of {laid.game} are worth less than they should by up to {solution.gap:.2g}", solution.gap
        )
    return solution


class _DuelSolver:
    """Solver of values and mixed strategies of all boards, in floats."""

    def __init__(self, laid: LaidBoards) -> None:
        self.laid = laid
        self.values = np.full(laid.n, 0.5)
        self.calls = np.zeros((laid.n, *laid.leads.shape[1:3]))
        self.replies = np.zeros((laid.n, *laid.leads.shape[2:]))
        self.programs = 0

    def solve(self, report: Callable[[float], None]) -> None:
        laid = self.laid
        done = 0
        for some, coupled in laid.topological_blocks():
            (self._iterate_newton if coupled else self._solve_programs)(some)
            done += len(some)
            report(done / laid.n)

    def _solve_programs(self, some: Ints) -> Floats:
        """Solve the linear programs of these boards with the present values; returns the new values."""
        payoffs = self.laid.payoffs(self.values, some)
        new_values = np.empty(len(some))
        for place, (board, payoff) in enumerate(zip(some.tolist(), payoffs, strict=True)):
            mixes: MixedStrategies = solve_turn(self.laid.stage.chances, payoff)
            self.programs += 1
            self.calls[board], self.replies[board] = mixes.calls, mixes.replies
            new_values[place] = (mixes.low + mixes.high) / 2
        self.values[some] = new_values
        return new_values

    def _iterate_newton(self, some: Ints) -> None:
        """Solve boards that lead to one another by Newton's method; where that does not help, by value iteration."""
        smallest = np.inf
        for _ in range(MAX_ROUNDS):
            before = self.values[some].copy()
            change = float(np.max(np.abs(self._solve_programs(some) - before)))
            if change <= CHANGE_TOLERANCE or (smallest < 1e-13 and change >= smallest / 2):
                return
            evaluated = self._evaluate_mixes(some) if change < smallest else None  # else the one round was the step
            if evaluated is not None:
                self.values[some] = evaluated
            smallest = min(smallest, change)

    def _evaluate_mixes(self, some: Ints) -> Floats | None:
        """Policy evaluation of the present mixes on these boards; None where play never ends."""
        both, values = OnePlayerMDP(self.laid, (self.calls, self.replies)), np.stack([self.values, 1.0 - self.values])
        calls, replies = both.evaluate_policy(values, some, both.greedy_backup(values, some)[1])
        return calls if (np.abs(calls + replies - 1.0) <= END_TOLERANCE).all() else None
