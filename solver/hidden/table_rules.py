"""Three or more with hidden dice: what one player can win when all others keep to a rule.

With the others fixed, one player alone decides: a decision process over the boards, once for every place that the
player may have (0 calls, 1 replies, the others wait for their turn). It is solved component by component, by policies,
and comes with bounds. Play may go round for ever, which wins for nobody: so what a policy wins is counted only where it
gets there, and no value is too high that is nowhere less than what one more turn makes of it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.hidden.stage import NONE, LaidBoards
from rollwise.solver.order.certificates import ROUNDED, proved
from rollwise.solver.order.components import components

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bounds = tuple[float, float, float]
POLICIES = 200
SWEEPS = 40  # before the first policy is read off
AT_ONCE = 2048  # boards whose turns are laid out together


class OneAgainstRule:
    """One player against a rule, everywhere: ``calls`` and ``replies`` are the rule's, as in ``solver.hidden.ruled``.

    With ``free`` the one player plays its best; else it keeps to the rule like the others, and there is nothing to
    choose.
    """

    def __init__(self, laid: LaidBoards, calls: Floats, replies: Floats, *, free: bool) -> None:
        self.laid, self.calls, self.replies, self.free = laid, calls, replies, free
        self.places = len(laid.shares)
        from scipy.sparse import csr_array

        shape = laid.stage.leaf.shape
        self.n_leaves = len(laid.codes)
        flat = np.where(laid.stage.leaf == NONE, self.n_leaves, laid.stage.leaf).reshape(shape[0], -1)
        ones, row = np.ones(flat.shape[1]), np.arange(flat.shape[1])
        size = self.n_leaves + 1, flat.shape[1]
        self.to_leaf = [
            csr_array((ones, (leaves, row)), shape=size) for leaves in flat
        ]  # adds up what a leaf is come to
        self.bounds = np.zeros((2, self.places, laid.n))  # lower and upper, proved as far as solved

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

    def policies(self, values: Floats, some: Ints) -> list[Floats]:
        """How often each leaf is come to from these boards (of one root), shape (some, leaves), by the player's place.

        Where it decides it does what is best against these ``values``.
        """
        laid, at = self.laid, int(self.laid.root[some[0]])
        leaf, replies = laid.stage.leaf[at], self.replies[some]
        calls = laid.stage.chances[:, None] * self.calls[some]

        def flow(often: Floats) -> Floats:
            found: Floats = np.asarray(self.to_leaf[at] @ often.reshape(len(some), -1).T).T
            return found[:, :-1]

        ruled = flow(calls[..., None] * replies[:, None])
        if not self.free:
            return [ruled] * self.places
        spread = np.where(leaf == NONE, self.n_leaves, leaf)
        left = (replies[:, None] * self.leaves(values, some, 0)[:, spread]).sum(axis=3)
        called = laid.stage.chances[:, None] * _best(np.where((leaf != NONE).any(axis=2), left, -np.inf))
        left = (calls[..., None] * self.leaves(values, some, 1)[:, spread]).sum(axis=1)
        replied = _best(np.where(leaf[0] != NONE, left, -np.inf))
        own = [flow(called[..., None] * replies[:, None]), flow(calls[..., None] * replied[:, None])]
        return [*own, *[ruled] * (self.places - 2)]

    def worth(self, values: Floats, some: Ints, place: int, flow: Floats) -> Floats:
        """What a policy makes of these boards in one turn."""
        found: Floats = (flow * self.leaves(values, some, place)[:, :-1]).sum(axis=1)
        return found

    # --- all boards --------------------------------------------------------------------------------------------------

    def solve(self, report: Callable[[float], None] = lambda share: None) -> Floats:
        """Bounds of every place and board, shape (2, places, boards)."""
        component, rank, coupled = components(self.laid.n, *self.laid.edges())
        done = 0
        for at in np.unique(rank).tolist():
            here = np.flatnonzero(rank == at)
            alone, together = here[~coupled[here]], here[coupled[here]]
            for some in self._of_one_root(alone):
                self._step(some)
            for number in np.unique(component[together]).tolist():
                self._coupled(together[component[together] == number])
            done += len(here)
            report(done / self.laid.n)
        return self.bounds

    def _of_one_root(self, some: Ints) -> list[Ints]:
        """The same boards, in parts of one root and not too many."""
        parts = [some[self.laid.root[some] == at] for at in np.unique(self.laid.root[some])]
        return [part[i : i + AT_ONCE] for part in parts for i in range(0, len(part), AT_ONCE)]

    def _step(self, some: Ints) -> None:
        """One turn from boards that follow and are known, rounded outward: the best, and what it is sure of."""
        for place, flow in enumerate(self.policies(self.bounds[1], some)):
            for side, outward in ((0, -ROUNDED), (1, ROUNDED)):
                worth = self.worth(self.bounds[side], some, place, flow)
                self.bounds[side, place, some] = np.clip(worth + outward, 0.0, 1.0)

    def _coupled(self, some: Ints) -> None:
        """Boards that lead to one another: the best policy, what it wins at least, what no policy wins more of."""
        parts = self._of_one_root(some)
        values = self.bounds[0].copy()
        values[:, some] = 0.0
        for _ in range(SWEEPS if self.free else 1):
            values[:, some] = self._turn(values, some, parts)[0]
        flows = self._turn(values, some, parts)[1]
        for _ in range(POLICIES):
            solved = self._followed(values, some, flows, 0.0)
            values[:, some] = solved
            worth, flows_now = self._turn(values, some, parts)
            if (worth <= solved + 1e-14).all():
                break
            better = worth > solved + 1e-14
            flows = np.where(better[..., None], flows_now, flows)
        for side, sign in enumerate((-1.0, 1.0)):
            self.bounds[side][:, some] = self._proved(some, parts, flows, side, sign)

    def _turn(self, values: Floats, some: Ints, parts: list[Ints]) -> tuple[Floats, Floats]:
        """What one more turn makes of these boards, shape (places, some), and the policy, (places, some, leaves)."""
        worth, flows = np.zeros((self.places, len(some))), np.zeros((self.places, len(some), self.n_leaves))
        for part in parts:
            lanes = np.searchsorted(some, part)
            for place, flow in enumerate(self.policies(values, part)):
                flows[place, lanes] = flow
                worth[place, lanes] = self.worth(values, part, place, flow)
        return worth, flows

    def _followed(self, values: Floats, some: Ints, flows: Floats, cost: float) -> Floats:
        """What a policy wins on these boards, when each turn costs so much; 0 from where it never wins."""
        from scipy.sparse import csc_array, eye_array
        from scipy.sparse.linalg import spsolve

        laid, size = self.laid, len(some)
        local = np.full(laid.n + laid.shares.shape[1], NONE)
        local[some] = np.arange(size)
        follows, passes = laid.read(laid.codes[:, some].T)  # shape (some, leaves)
        inside = np.where(follows == NONE, NONE, local[follows])
        rows, columns, weights, outside = [], [], [], np.zeros((self.places, size))
        known = values.copy()
        known[:, some] = 0.0
        for place in range(self.places):
            lane, leaf = np.nonzero((flows[place] > 0) & (inside != NONE))
            rows.append(place * size + lane)
            columns.append((place - passes[lane, leaf]) % self.places * size + inside[lane, leaf])
            weights.append(flows[place][lane, leaf])
            outside[place] = (flows[place] * self.leaves(known, some, place)[:, :-1]).sum(axis=1)
        row, column, weight = (np.concatenate(part) for part in (rows, columns, weights))
        wins = outside.ravel() > 0
        while True:
            more = wins.copy()
            np.logical_or.at(more, row, wins[column])
            if (more == wins).all():
                break
            wins = more
        on = wins[row] & wins[column]
        n = self.places * size
        matrix = csc_array((weight[on], (row[on], column[on])), shape=(n, n))
        right = np.where(wins, outside.ravel() - cost, 0.0)
        found: Any = spsolve(csc_array(eye_array(n, format="csc") - matrix), right)
        return np.where(wins, found, 0.0).reshape(self.places, size)

    def _proved(self, some: Ints, parts: list[Ints], flows: Floats, side: int, sign: float) -> Floats:
        """A bound on these boards, with a small cost (or gain) of every turn, and checked."""
        values = self.bounds[side].copy()

        def after(bound: Floats) -> Floats:
            values[:, some] = bound
            if side == 0:  # of this one policy; from where it never wins the bound is 0 already
                return np.stack([self.worth(values, some, place, flows[place]) for place in range(self.places)])
            worth = self._turn(values, some, parts)[0]
            return np.where(worth == 0.0, -ROUNDED, worth)  # nothing to be rounded

        def bound(cost: float) -> Floats:
            return np.clip(self._followed(values, some, flows, -sign * cost), 0.0, 1.0)

        return proved(bound, after, sign, "what a rule is worth")


def _best(left: Floats) -> Floats:
    """1 where the last axis has its first largest number, 0 elsewhere."""
    chosen = np.zeros(left.shape)
    np.put_along_axis(chosen, np.argmax(left, axis=-1)[..., None], 1.0, axis=-1)
    return chosen
