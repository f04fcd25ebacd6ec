"""Policy evaluation and best response with hidden dice: the chance of one player while others keep to their mixes.

The player has a place: 0 calls, 1 replies, and the others wait for their turn. Either all keep to mixes, which makes
play a Markov chain; or the player maximises, or in a duel the other one minimises, which makes it a Markov decision
process over the boards, once for every place of the player. Policy iteration (Howard 1960) solves it component by
component. The values are lowered a little until they are proved: where no value is above its Bellman backup, the true
value is nowhere lower (Puterman 1994). (Or raised a little, for an upper bound.)

Play may go round for ever, which the player does not win. So states from which a policy almost surely never wins, or
from which the other can prevent every win, have the value 0, by the graph; from all others play ends almost surely.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.components.certificates import TURN_ROUNDING, prove_bounds
from rollwise.solver.hidden_information.stage import BLOCK_BOARDS, NONE, LaidBoards, reachable

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]
MixedStrategies = tuple[Floats, Floats]  # calls and replies of a player, on every board
MAXIMISE, FIXED, MINIMISE = 1, 0, -1  # the player maximises, all keep to their mixes, or the other minimises
MAX_POLICIES = 200  # policies of a component
MIN_IMPROVEMENT = 1e-14  # least gain for which a policy changes
BOUND_GRID = 2.0**-53  # bounds are multiples of it, so that whole numbers can check them


class OnePlayerMDP:
    """Markov decision process of one player on all boards. ``mixes``: calls, shape (boards, throws, calls), and
    replies, shape (boards, calls, replies), rows adding up to 1 where a call is legal, of players that do not optimise.

    With ``against`` the ``mixes`` are the player's own, and ``against`` those of the other.
    """

    def __init__(
        self, laid: LaidBoards, mixes: MixedStrategies, sense: int = FIXED, against: MixedStrategies | None = None
    ) -> None:
        from scipy.sparse import csr_array

        self.laid, self.sense = laid, sense
        self.places, self.n_leaves = len(laid.shares), len(laid.codes)
        others = against or mixes
        self.mixes = [(mixes[0], others[1]), (others[0], mixes[1]), *[others] * (self.places - 2)]
        flat = np.where(laid.stage.leaf == NONE, self.n_leaves, laid.stage.leaf).reshape(len(laid.stage.leaf), -1)
        ones, row = np.ones(flat.shape[1]), np.arange(flat.shape[1])
        size = self.n_leaves + 1, flat.shape[1]
        self.to_leaf = [csr_array((ones, (leaves, row)), shape=size) for leaves in flat]  # sums by leaf
        self.bounds = np.zeros((2, self.places, laid.n))  # lower and upper, proved as far as solved
        self.may_win = self._may_win() if sense == MINIMISE else np.ones((self.places, laid.n), dtype=bool)

    # --- one turn ----------------------------------------------------------------------------------------------------

    def leaves(self, values: Floats, some: Ints, place: int) -> Floats:
        """Value of every leaf to the player in this place, shape (some, leaves + 1); 0 where there is no leaf."""
        laid = self.laid
        follows, passes = laid.unpack_codes(laid.codes[:, some].T)
        over = follows >= laid.n
        then = values[(place - passes) % self.places, np.where(over | (follows == NONE), 0, follows)]
        ended = laid.shares[place, np.where(over, follows - laid.n, 0)]
        values_of_leaves = np.zeros((len(some), self.n_leaves + 1))
        values_of_leaves[:, :-1] = np.where(follows == NONE, 0.0, np.where(over, ended, then))
        return values_of_leaves

    def _flow(self, values: Floats, some: Ints, place: int) -> Floats:
        """Probability of each leaf from these boards (of one root), shape (some, leaves).

        An optimising player is greedy by these ``values``.
        """
        at, chances = int(self.laid.root[some[0]]), self.laid.stage.chances[:, None, None]
        leaf = self.laid.stage.leaf[at]
        calls, replies = (mix[some] for mix in self.mixes[place])
        if self.sense and place < 2:
            spread = np.where(leaf == NONE, self.n_leaves, leaf)
            leaf_values = self.sense * self.leaves(values, some, place)[:, spread]
            if (place == 0) == (self.sense == MAXIMISE):
                call_values = (replies[:, None] * leaf_values).sum(axis=3)
                calls = _greedy(np.where((leaf != NONE).any(axis=2), call_values, -np.inf))
            else:
                reply_values = (chances * calls[..., None] * leaf_values).sum(axis=1)
                replies = _greedy(np.where(leaf[0] != NONE, reply_values, -np.inf))
        often = chances * calls[..., None] * replies[:, None]
        flow: Floats = np.asarray(self.to_leaf[at] @ often.reshape(len(some), -1).T).T
        return flow[:, :-1]

    def back_up(self, values: Floats, some: Ints, flows: Floats) -> Floats:
        """Bellman backup of these boards under a policy, shape (places, some)."""
        return np.stack(
            [(flow * self.leaves(values, some, place)[:, :-1]).sum(axis=1) for place, flow in enumerate(flows)]
        )

    def greedy_backup(self, values: Floats, some: Ints) -> tuple[Floats, Floats]:
        """Bellman backup of these boards, shape (places, some), and the greedy policy, (places, some, leaves)."""
        flows = np.zeros((self.places, len(some), self.n_leaves))
        for root in np.unique(self.laid.root[some]):
            lanes = np.flatnonzero(self.laid.root[some] == root)
            for part in (lanes[i : i + BLOCK_BOARDS] for i in range(0, len(lanes), BLOCK_BOARDS)):
                for place in range(self.places):
                    flows[place, part] = self._flow(values, some[part], place)
        return self.back_up(values, some, flows), flows

    # --- all boards --------------------------------------------------------------------------------------------------

    def _may_win(self) -> Flags:
        """True where the other cannot prevent a win: each turn may win, or lead to such a board."""
        can_win = np.zeros((self.places, self.laid.n))
        for some, coupled in self.laid.topological_blocks():
            before = np.ones((self.places, len(some)))
            while (can_win[:, some] != before).any():
                before = can_win[:, some]
                can_win[:, some] = self.greedy_backup(can_win, some)[0] > 0
                if not coupled:
                    break
        return can_win > 0

    def solve(self, report: Callable[[float], None] = lambda share: None, sides: tuple[int, ...] = (0, 1)) -> Floats:
        """Bounds of every place and board, shape (2, places, boards): lower ones and, by ``sides``, upper ones."""
        done = 0
        for some, coupled in self.laid.topological_blocks():
            (self._solve_coupled if coupled else self._step)(some, sides)
            done += len(some)
            report(done / self.laid.n)
        return self.bounds

    @property
    def _optimised_side(self) -> int:
        """The side whose bounds must hold for all policies; those of the other side are bounds of one policy."""
        return int(self.sense == MAXIMISE)

    def _step(self, some: Ints, sides: tuple[int, ...]) -> None:
        """Back up boards outside cycles once, rounded outward."""
        flows = self.greedy_backup(self.bounds[self._optimised_side], some)[1]
        for side in sides:
            backed_up = self.back_up(self.bounds[side], some, flows)
            rounded = np.where(backed_up > 0, backed_up + (TURN_ROUNDING if side else -TURN_ROUNDING), 0.0)
            self.bounds[side][:, some] = _outward(rounded, side)

    def _solve_coupled(self, some: Ints, sides: tuple[int, ...]) -> None:
        """Solve boards that lead to one another, with a small cost (or gain) of every turn for the proof."""
        start = self._iterate_policies(self.bounds[0].copy(), some, None, 0.0)
        for side in sides:
            self.bounds[side][:, some] = self._proved_bounds(some, start, side)

    def _proved_bounds(self, some: Ints, start: Floats, side: int) -> Floats:
        """Bounds of one side, proved for this policy, or for all policies."""
        values, is_optimised = self.bounds[side].copy(), side == self._optimised_side and self.sense != FIXED

        def bound(cost: float) -> Floats:
            more = cost if side else -cost
            flows = self._iterate_policies(values, some, start, more) if is_optimised else start
            return _outward(self.evaluate_policy(values, some, flows, more), side)

        def after(bound: Floats) -> Floats:
            values[:, some] = bound
            backed_up = self.greedy_backup(values, some)[0] if is_optimised else self.back_up(values, some, start)
            nothing = (backed_up == 0.0) | ~self.may_win[:, some]  # exact zeros, without rounding
            return np.where(nothing, -TURN_ROUNDING, backed_up) if side else backed_up

        return prove_bounds(bound, after, 2 * side - 1, "what mixes win")

    def _iterate_policies(self, values: Floats, some: Ints, flows: Floats | None, more: float) -> Floats:
        """Policy iteration (Howard 1960), from the policy ``flows`` on, when each turn is worth ``more``.

        Returns the optimal policy; ``values`` of these boards are filled in.
        """
        if flows is None:
            values[:, some] = 0.0
            flows = self.greedy_backup(values, some)[1]
        for _ in range(MAX_POLICIES if self.sense else 0):
            values[:, some] = evaluated = self.evaluate_policy(values, some, flows, more)
            backed_up, now = self.greedy_backup(values, some)
            improves = (self.sense * (backed_up + more - evaluated) > MIN_IMPROVEMENT) & (backed_up > 0)
            if not improves.any():
                break
            flows = np.where(improves[..., None], now, flows)
        return flows

    def evaluate_policy(self, values: Floats, some: Ints, flows: Floats, more: float = 0.0) -> Floats:
        """Policy evaluation by a linear system, when each turn is worth ``more``; 0 where the policy never wins."""
        from scipy.sparse import csc_array, eye_array
        from scipy.sparse.linalg import spsolve

        laid, size = self.laid, len(some)
        local = np.full(laid.n + laid.shares.shape[1], NONE)
        local[some] = np.arange(size)
        follows, passes = laid.unpack_codes(laid.codes[:, some].T)  # shape (some, leaves)
        inside = np.where(follows == NONE, NONE, local[follows])
        place, lane, leaf = np.nonzero((flows > 0) & (inside != NONE))
        row = place * size + lane
        column = (place - passes[lane, leaf]) % self.places * size + inside[lane, leaf]
        outside_values = values.copy()
        outside_values[:, some] = 0.0
        outside, may_win = self.back_up(outside_values, some, flows).ravel(), self.may_win[:, some].ravel()
        n, open_ = self.places * size, may_win[row]
        wins = np.zeros(n, dtype=bool)
        wins[reachable(n, column[open_], row[open_], (outside > 0) & may_win)] = True
        on = wins[row] & wins[column]
        matrix = csc_array((flows[place, lane, leaf][on], (row[on], column[on])), shape=(n, n))
        right = np.where(wins, outside + more, 0.0)
        solution: Any = spsolve(csc_array(eye_array(n, format="csc") - matrix), right)
        return np.where(wins, solution, 0.0).reshape(self.places, size)


def _outward(values: Floats, side: int) -> Floats:
    """Bounds of chances, rounded outward to the grid."""
    return np.asarray((np.ceil if side else np.floor)(np.clip(values, 0.0, 1.0) / BOUND_GRID) * BOUND_GRID)


def _greedy(values: Floats) -> Floats:
    """Greedy choice: 1 where the last axis has its first largest number, 0 elsewhere."""
    greedy = np.zeros(values.shape)
    np.put_along_axis(greedy, np.argmax(values, axis=-1)[..., None], 1.0, axis=-1)
    return greedy
