"""What one player wins with hidden dice when others keep to their mixes: at a table of any size, or in a duel.

The player has a place: 0 calls, 1 replies, and the others wait for their turn. Either nothing is chosen, all keep to
mixes; or the player itself chooses, and does its best; or in a duel the other one does, and leaves it the least. So it
is a chain, or a decision process, over the boards, once for every place of the player. It is solved component by
component, by policies; what comes out is made a little smaller until it is proved: where no state is worth more than
what one more turn makes of it, the true value is nowhere less. (Or a little larger, for an upper bound.)

Play may go round for ever, which the player does not win. So the states from which it never wins under a policy, or
from which the other can keep it from winning at all, are found by graph, and are worth 0; from all others play ends.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.components.certificates import ROUNDED, proved
from rollwise.solver.hidden_information.stage import AT_ONCE, NONE, LaidBoards, reachable

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]
MixedStrategies = tuple[Floats, Floats]  # calls and replies of a player, on every board
BEST, NOTHING, WORST = 1, 0, -1  # what is chosen: the best for the player, nothing, or the worst
POLICIES = 200  # policies that are tried in a component
BETTER = 1e-14  # what a move must gain to be taken up
GRID = 2.0**-53  # bounds are multiples of it, so that they can be checked in whole numbers


class OnePlayer:
    """One player, everywhere. ``mixes``: calls, shape (boards, throws, calls), and replies, shape (boards, calls,
    replies), rows adding up to 1 where a call is allowed, of whoever does not choose.

    With ``against`` the ``mixes`` are the player's own, and these are those of the other.
    """

    def __init__(
        self, laid: LaidBoards, mixes: MixedStrategies, chosen: int = NOTHING, against: MixedStrategies | None = None
    ) -> None:
        from scipy.sparse import csr_array

        self.laid, self.chosen = laid, chosen
        self.places, self.n_leaves = len(laid.shares), len(laid.codes)
        others = against or mixes
        self.mixes = [(mixes[0], others[1]), (others[0], mixes[1]), *[others] * (self.places - 2)]
        flat = np.where(laid.stage.leaf == NONE, self.n_leaves, laid.stage.leaf).reshape(len(laid.stage.leaf), -1)
        ones, row = np.ones(flat.shape[1]), np.arange(flat.shape[1])
        size = self.n_leaves + 1, flat.shape[1]
        self.to_leaf = [csr_array((ones, (leaves, row)), shape=size) for leaves in flat]  # adds up what comes to a leaf
        self.bounds = np.zeros((2, self.places, laid.n))  # lower and upper, proved as far as solved
        self.may_win = self._may_win() if chosen == WORST else np.ones((self.places, laid.n), dtype=bool)

    # --- one turn ----------------------------------------------------------------------------------------------------

    def leaves(self, values: Floats, some: Ints, place: int) -> Floats:
        """What every leaf is worth to the player in this place, shape (some, leaves + 1); 0 where there is none."""
        laid = self.laid
        follows, passes = laid.read(laid.codes[:, some].T)
        over = follows >= laid.n
        then = values[(place - passes) % self.places, np.where(over | (follows == NONE), 0, follows)]
        ended = laid.shares[place, np.where(over, follows - laid.n, 0)]
        found = np.zeros((len(some), self.n_leaves + 1))
        found[:, :-1] = np.where(follows == NONE, 0.0, np.where(over, ended, then))
        return found

    def _flow(self, values: Floats, some: Ints, place: int) -> Floats:
        """How often each leaf is come to from these boards (of one root), shape (some, leaves).

        What is chosen is chosen by these ``values``.
        """
        at, chances = int(self.laid.root[some[0]]), self.laid.stage.chances[:, None, None]
        leaf = self.laid.stage.leaf[at]
        calls, replies = (mix[some] for mix in self.mixes[place])
        if self.chosen and place < 2:
            spread = np.where(leaf == NONE, self.n_leaves, leaf)
            worth = self.chosen * self.leaves(values, some, place)[:, spread]
            if (place == 0) == (self.chosen == BEST):
                called = (replies[:, None] * worth).sum(axis=3)
                calls = _best(np.where((leaf != NONE).any(axis=2), called, -np.inf))
            else:
                left = (chances * calls[..., None] * worth).sum(axis=1)
                replies = _best(np.where(leaf[0] != NONE, left, -np.inf))
        often = chances * calls[..., None] * replies[:, None]
        found: Floats = np.asarray(self.to_leaf[at] @ often.reshape(len(some), -1).T).T
        return found[:, :-1]

    def worth(self, values: Floats, some: Ints, flows: Floats) -> Floats:
        """What a policy makes of these boards in one turn, shape (places, some)."""
        return np.stack(
            [(flow * self.leaves(values, some, place)[:, :-1]).sum(axis=1) for place, flow in enumerate(flows)]
        )

    def turn(self, values: Floats, some: Ints) -> tuple[Floats, Floats]:
        """What one more turn makes of these boards, shape (places, some), and the policy, (places, some, leaves)."""
        flows = np.zeros((self.places, len(some), self.n_leaves))
        for root in np.unique(self.laid.root[some]):
            lanes = np.flatnonzero(self.laid.root[some] == root)
            for part in (lanes[i : i + AT_ONCE] for i in range(0, len(lanes), AT_ONCE)):
                for place in range(self.places):
                    flows[place, part] = self._flow(values, some[part], place)
        return self.worth(values, some, flows), flows

    # --- all boards --------------------------------------------------------------------------------------------------

    def _may_win(self) -> Flags:
        """Where the other cannot keep the player from winning: each turn may win, or lead to where that is so."""
        found = np.zeros((self.places, self.laid.n))
        for some, coupled in self.laid.in_order():
            before = np.ones((self.places, len(some)))
            while (found[:, some] != before).any():
                before = found[:, some]
                found[:, some] = self.turn(found, some)[0] > 0
                if not coupled:
                    break
        return found > 0

    def solve(self, report: Callable[[float], None] = lambda share: None, sides: tuple[int, ...] = (0, 1)) -> Floats:
        """Bounds of every place and board, shape (2, places, boards): lower ones and, unless left out, upper ones."""
        done = 0
        for some, coupled in self.laid.in_order():
            (self._coupled if coupled else self._step)(some, sides)
            done += len(some)
            report(done / self.laid.n)
        return self.bounds

    @property
    def _judge(self) -> int:
        """The side whose bounds all that could be chosen has to keep to; the other's are those of one policy."""
        return int(self.chosen == BEST)

    def _step(self, some: Ints, sides: tuple[int, ...]) -> None:
        """One turn from boards that follow and are known, rounded outward."""
        flows = self.turn(self.bounds[self._judge], some)[1]
        for side in sides:
            worth = self.worth(self.bounds[side], some, flows)
            rounded = np.where(worth > 0, worth + (ROUNDED if side else -ROUNDED), 0.0)
            self.bounds[side][:, some] = _outward(rounded, side)

    def _coupled(self, some: Ints, sides: tuple[int, ...]) -> None:
        """Boards that lead to one another: what the best policy wins, with a small cost (or gain) of every turn."""
        start = self._settled(self.bounds[0].copy(), some, None, 0.0)
        for side in sides:
            self.bounds[side][:, some] = self._proved(some, start, side)

    def _proved(self, some: Ints, start: Floats, side: int) -> Floats:
        """Bounds of one side, checked against this policy, or against all that could be chosen."""
        values, judged = self.bounds[side].copy(), side == self._judge and self.chosen != NOTHING

        def bound(cost: float) -> Floats:
            more = cost if side else -cost
            flows = self._settled(values, some, start, more) if judged else start
            return _outward(self.followed(values, some, flows, more), side)

        def after(bound: Floats) -> Floats:
            values[:, some] = bound
            worth = self.turn(values, some)[0] if judged else self.worth(values, some, start)
            nothing = (worth == 0.0) | ~self.may_win[:, some]  # to be rounded
            return np.where(nothing, -ROUNDED, worth) if side else worth

        return proved(bound, after, 2 * side - 1, "what mixes win")

    def _settled(self, values: Floats, some: Ints, flows: Floats | None, more: float) -> Floats:
        """The policy that is best when each turn is worth ``more``; ``flows`` is tried first.

        ``values`` of these boards are filled in.
        """
        if flows is None:
            values[:, some] = 0.0
            flows = self.turn(values, some)[1]
        for _ in range(POLICIES if self.chosen else 0):
            values[:, some] = found = self.followed(values, some, flows, more)
            worth, now = self.turn(values, some)
            better = (self.chosen * (worth + more - found) > BETTER) & (worth > 0)
            if not better.any():
                break
            flows = np.where(better[..., None], now, flows)
        return flows

    def followed(self, values: Floats, some: Ints, flows: Floats, more: float = 0.0) -> Floats:
        """What a policy wins on these boards, when each turn is worth ``more``; 0 from where it never wins."""
        from scipy.sparse import csc_array, eye_array
        from scipy.sparse.linalg import spsolve

        laid, size = self.laid, len(some)
        local = np.full(laid.n + laid.shares.shape[1], NONE)
        local[some] = np.arange(size)
        follows, passes = laid.read(laid.codes[:, some].T)  # shape (some, leaves)
        inside = np.where(follows == NONE, NONE, local[follows])
        place, lane, leaf = np.nonzero((flows > 0) & (inside != NONE))
        row = place * size + lane
        column = (place - passes[lane, leaf]) % self.places * size + inside[lane, leaf]
        known = values.copy()
        known[:, some] = 0.0
        outside, may_win = self.worth(known, some, flows).ravel(), self.may_win[:, some].ravel()
        n, open_ = self.places * size, may_win[row]
        wins = np.zeros(n, dtype=bool)
        wins[reachable(n, column[open_], row[open_], (outside > 0) & may_win)] = True
        on = wins[row] & wins[column]
        matrix = csc_array((flows[place, lane, leaf][on], (row[on], column[on])), shape=(n, n))
        right = np.where(wins, outside + more, 0.0)
        found: Any = spsolve(csc_array(eye_array(n, format="csc") - matrix), right)
        return np.where(wins, found, 0.0).reshape(self.places, size)


def _outward(worth: Floats, side: int) -> Floats:
    """Bounds of chances, on the grid."""
    return np.asarray((np.ceil if side else np.floor)(np.clip(worth, 0.0, 1.0) / GRID) * GRID)


def _best(left: Floats) -> Floats:
    """1 where the last axis has its first largest number, 0 elsewhere."""
    chosen = np.zeros(left.shape)
    np.put_along_axis(chosen, np.argmax(left, axis=-1)[..., None], 1.0, axis=-1)
    return chosen
