"""What a player who keeps to given mixes is sure to win, whatever the other does, or what it wins if both do so.

With one player's mixes fixed, the other has a decision process of its own: after a throw it chooses the call that
leaves the fixed player the least, after a call the reply that does. Its states are the boards twice over: those where
the fixed player calls, then those where the other does. Play may come back to a board, so it is solved component by
component, by policies; what comes out is made a little smaller until it is proved: where no state is worth more than
what one more turn makes of it, the true value is nowhere less. (Or a little larger, for an upper bound.)

That holds since the states from which the other can keep the fixed player from winning for ever, at no risk, are found
by graph, and are worth 0. From all others every play of the other ends, so nothing but the true value is what one more
turn makes of it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.hidden.stage import NONE, LaidBoards
from rollwise.solver.order.certificates import proved
from rollwise.solver.order.components import components, in_turn

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]
Mixes = tuple[Floats, Floats]  # calls and replies of a player, on every board
POLICIES = 200  # policies that are tried in a component
GRID = 2.0**-53  # bounds are multiples of it, so that they can be checked in whole numbers


class Guarantee:
    """What mixes are sure to win; ``calls``, shape (boards, throws, calls), and ``replies``, shape (boards, calls,
    replies), are those of the fixed player, rows adding up to 1 where a call is allowed.

    With ``against``, mixes that the other player keeps to as well, what they win against these: nothing is chosen then.
    """

    def __init__(self, laid: LaidBoards, calls: Floats, replies: Floats, against: Mixes | None = None) -> None:
        self.laid, self.n = laid, laid.n
        self.kept_to = against
        chances = laid.stage.chances
        follows, passes = laid.read(laid.leads)
        legal, over, ended = follows != NONE, follows >= laid.n, laid.shares[0]
        # the fixed player calls: what each reply leads to; the other player calls: what each call does
        self.own = np.where(over, follows + self.n, follows + np.where(passes, self.n, 0))
        self.others = np.where(over, follows + self.n + len(ended), follows + np.where(passes, 0, self.n))
        self.ends = np.concatenate([ended, 1.0 - ended])
        self.own[~legal] = self.others[~legal] = 0
        self.legal = legal
        self.own_weight = np.where(legal, (chances[:, None] * calls)[..., None], 0.0)  # (boards, throws, calls, 1)
        self.reply_weight = np.where(legal, replies[:, None], 0.0)
        self.chances = chances
        self.values = np.zeros(2 * self.n)
        self.side = 1  # of the bounds that are proved: 1 for lower ones, -1 for upper ones

    # --- one turn ----------------------------------------------------------------------------------------------------

    def turn(self, some: Ints) -> tuple[Floats, Any, Any]:
        """What one more turn makes of these boards: (worth, the other's replies, the other's calls).

        ``worth``: where the fixed player calls, then where the other does. Replies: shape (some, calls); calls: shape
        (some, throws). Where the other keeps to mixes, these.
        """
        known = np.concatenate([self.values, self.ends])
        left = (self.own_weight[some] * known[self.own[some]]).sum(axis=1)
        called = (self.reply_weight[some] * known[self.others[some]]).sum(axis=3)
        if self.kept_to is not None:
            calls, replies = (mix[some] for mix in self.kept_to)
            others = (self.chances[:, None] * calls * called).sum(axis=(1, 2))
            return np.concatenate([(replies * left).sum(axis=(1, 2)), others]), replies, calls
        left = np.where(self.laid.legal[some], left, np.inf)
        replies = np.argmin(left, axis=2)
        least = np.take_along_axis(left, replies[..., None], axis=2)[..., 0]
        own = np.where(np.isfinite(least), least, 0.0).sum(axis=1)
        left = np.where(self.legal[some].any(axis=3), called, np.inf)
        calls = np.argmin(left, axis=2)
        others = (self.chances * np.take_along_axis(left, calls[..., None], axis=2)[..., 0]).sum(axis=1)
        return np.concatenate([own, others]), replies, calls

    def _fixed(self, some: Ints, replies: Any, calls: Any) -> tuple[Floats, Floats]:
        """The turn as a matrix over the states of ``some``, and what it wins outside, when the other plays so."""
        size, n = len(some), self.n
        place = np.full(2 * n + len(self.ends), NONE)
        place[some], place[some + n] = np.arange(size), np.arange(size, 2 * size)
        known = np.concatenate([self.values, self.ends])
        matrix, outside = np.zeros((2 * size, 2 * size)), np.zeros(2 * size)
        if self.kept_to is not None:
            weight, target = self.own_weight[some] * replies[:, None], self.own[some]
            weight_2 = self.chances[:, None, None] * calls[..., None] * self.reply_weight[some]
            target_2 = self.others[some]
        else:
            at = np.broadcast_to(replies[:, None, :, None], (*self.own[some].shape[:3], 1))
            weight = np.take_along_axis(self.own_weight[some], at, axis=3)
            target = np.take_along_axis(self.own[some], at, axis=3)
            pick = calls[:, :, None, None]
            shape = (*self.others[some].shape[:2], 1, self.others.shape[3])
            chosen = np.take_along_axis(self.reply_weight[some], np.broadcast_to(pick, shape), axis=2)[:, :, 0]
            weight_2 = self.chances[:, None] * chosen
            target_2 = np.take_along_axis(self.others[some], np.broadcast_to(pick, shape), axis=2)[:, :, 0]
        for first, per_state, targets in ((0, weight, target), (size, weight_2, target_2)):
            weights, targets = per_state.reshape(size, -1), targets.reshape(size, -1)
            row = np.broadcast_to(first + np.arange(size)[:, None], weights.shape)
            inside = place[targets] != NONE
            np.add.at(matrix, (row[inside], place[targets[inside]]), weights[inside])
            np.add.at(outside, row[~inside], (weights * known[targets])[~inside])
        return matrix, outside

    # --- where nothing can be won -------------------------------------------------------------------------------------

    def hopeless(self) -> Flags:
        """States from which the other player can see to it that the fixed one never wins, bool, shape (2 boards,)."""
        never = np.ones(2 * self.n, dtype=bool)
        while True:
            known = np.concatenate([never, self.ends == 0.0])
            if self.kept_to is not None:
                calls, replies = self.kept_to
                own = (known[self.own] | (self.own_weight * replies[:, None] == 0.0)).all(axis=(1, 2, 3))
                stays = known[self.others] | (calls[..., None] * self.reply_weight == 0.0)
                others = stays.all(axis=(1, 2, 3))
            else:
                # every reply that may follow a call that is made has to stay; a call that is never made does no harm
                stays = (known[self.own] | (self.own_weight == 0.0)).all(axis=1) & self.laid.legal
                own = (stays | ~self.laid.legal.any(axis=2, keepdims=True)).any(axis=2).all(axis=1)
                stays = (known[self.others] | (self.reply_weight == 0.0)).all(axis=3) & self.legal.any(axis=3)
                others = stays.any(axis=2).all(axis=1)
            kept = never & np.concatenate([own, others])
            if (kept == never).all():
                return never
            never = kept

    # --- all boards --------------------------------------------------------------------------------------------------

    def solve(self, report: Callable[[float], None] = lambda share: None, *, upper: bool = False) -> Floats:
        """A lower bound of every state, proved, shape (2, boards): where the fixed player calls, where the other.

        With ``upper`` an upper bound.
        """
        self.side = -1 if upper else 1
        never = self.hopeless()
        component, rank, _ = components(self.n, *self.laid.edges())
        groups = in_turn(component, rank)
        self.values[:] = 0.0
        for done, some in enumerate(groups):
            self._solve(some, never)
            report((done + 1) / len(groups))
        return self.values.reshape(2, self.n)

    def _solve(self, some: Ints, never: Flags) -> None:
        """The states of one component, when all that it leads to are known."""
        states = np.concatenate([some, some + self.n])
        dead = never[states]

        def bound(cost: float) -> Floats:
            self.values[states] = 0.0
            worth, replies, calls = self.turn(some)
            for _ in range(POLICIES if self.kept_to is None else 1):
                matrix, outside = self._fixed(some, replies, calls)
                matrix[dead], outside[dead] = 0.0, 0.0
                alive = np.where(dead, 0.0, self.side * cost)
                try:
                    solved = np.linalg.solve(np.eye(len(states)) - matrix, outside - alive)
                except np.linalg.LinAlgError:  # a play that never ends, which the next policy leaves
                    solved = worth
                self.values[states] = np.where(dead, 0.0, solved)
                worth, replies, calls = self.turn(some)
                if (worth[~dead] >= (solved - 1e-15 + alive)[~dead]).all():
                    break
            outward = np.floor if self.side > 0 else np.ceil
            self.values[states] = np.where(dead, 0.0, outward(np.clip(self.values[states], 0.0, 1.0) / GRID) * GRID)
            return np.asarray(self.values[states[~dead]])

        proved(bound, lambda _: self.turn(some)[0][~dead], -self.side, "what a mix is sure to win")
