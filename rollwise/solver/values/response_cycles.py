"""Boards at a table where the best moves chase each other: what is best here makes something else best there, for ever.

Then sweeps come to no choice of single moves that is stable. The shares of many boards move, but few decisions change
for that reason; with those drawn by lot, by whatever chances, the sweeps come to rest. So Newton's steps look for
chances that leave every mover indifferent where they draw. They take slopes from a few sweeps after each chance was
moved a little: what a chance moves on boards that play seldom comes to is left to the next step.

Where no such chances are found, those that leaving gains least are kept, and ``gain`` says how much that is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.model.errors import NotConverged
from rollwise.solver.turn.exact_mixes import PARTS, in_parts
from rollwise.solver.turn.vectors import MixedStrategy
from rollwise.solver.values.anderson import CHASING, until_still
from rollwise.solver.values.mixed_strategies import Drawn
from rollwise.solver.values.table_backups import Group, SolveState

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Taken: TypeAlias = list[NDArray[np.int16]]
Edges: TypeAlias = dict[tuple[int, int], set[int]]  # by board and node

LOOKED_AT = 24  # sweeps in which it is seen who is restless, and what changes
FAINT = 1e-4  # of the largest movement: boards that move less only follow
STILL = 1e-12  # a share that moves by less is at rest
ROUNDS = 16  # in each, decisions that change are found, and chances for them
STARTS = 4  # chances from which is gone
STEPS = 24  # of Newton from each
CLOSE = 1e-14  # so little is gained by leaving chances that need no further step
INDIFFERENT = 1e-11  # so much at most may be gained where a decision is drawn in an equilibrium
NEARLY = 1e-3  # of what is gained: what still moves by less need not rest before the next step
SLOWER = 0.2  # a step that leaves more than this of what is gained needs new slopes
ASIDE = 1e-3  # how far a chance is moved to see slopes
FEWEST, MOST_SWEEPS = 3, 200  # sweeps in which they are seen
SETTLED = 0.02  # of what a chance has moved so far: if one sweep more adds less, that will do
MOST_SETTLED = 1e-5  # where that does not do, ten times less is asked for, and so on to this


def settle_chase(solve: SolveState, groups: list[Group], boards: Ints, report: Callable[[float], None]) -> bool:
    """Find decisions to be drawn by lot so that all ``boards`` come to rest; they are in ``solve.lots`` then.

    Returns False where no decision changes, so that the shares only need more sweeps. Raises NotConverged where ever
    more decisions change.
    """
    chase = Chase(solve, groups, boards)
    for number in range(ROUNDS):
        if not chase.look() and number == 0:
            return False
        if chase.rests() and chase.balance() and not chase.widen() and chase.rests_everywhere():
            if chase.gain > INDIFFERENT:
                solve.methods.add("the best moves chase each other: a policy that is no equilibrium, see its gain")
            chase.tidy()
            return True
        report((number + 1) / ROUNDS)
    raise NotConverged(f"the best moves of {solve.game} chase each other on ever more boards", chase.most_moved)


class Chase:
    """The restless boards of a level, and the lots on them: decisions that were seen to change."""

    def __init__(self, solve: SolveState, groups: list[Group], boards: Ints) -> None:
        self.solve, self.every, self.boards = solve, groups, boards
        self.before = MixedStrategy(solve.mixed.rows[~np.isin(solve.mixed.rows[:, 0], boards)])
        self.edges: Edges = {}  # that may be drawn
        self.noted: Edges = {}  # that are to be open too
        self.most_moved = np.inf
        self.groups, self.restless = groups, boards

    # --- what changes ------------------------------------------------------------------------------------------------

    def look(self) -> bool:
        """See who is restless, and which decisions change there; those are lots from now on. Are there any new ones?"""
        solve, boards = self.solve, self.boards
        moved = np.zeros(len(boards))
        for _ in range(LOOKED_AT):
            old = solve.values[boards]
            solve.sweep(self.every)
            moved = np.maximum(moved, np.abs(solve.values[boards] - old).max(axis=1))
        self.most_moved = float(moved.max())
        drawn = [board for board, _ in self.edges]
        self.restless = boards[(moved > max(STILL, FAINT * self.most_moved)) | np.isin(boards, drawn)]
        self.groups = [part for part in (_only(group, self.restless) for group in self.every) if len(part.boards)]
        last = self._taken()
        for _ in range(LOOKED_AT):
            solve.sweep(self.groups)
            last = self._note(last)
        return self._open_noted()

    def _taken(self) -> Taken:
        """The edges that all decisions of the restless boards take where they are not drawn by lot."""
        return [group.backup.taken(self.solve, group) for group in self.groups]

    def _note(self, last: Taken) -> Taken:
        """What is taken now; note what takes another edge than it did, where not both of them are open."""
        now = self._taken()
        for group, old, new in zip(self.groups, last, now, strict=True):
            for row, lane in np.argwhere(old != new).tolist():
                decision = (int(group.boards[lane]), int(group.backup.decided[row]))
                edges = {int(old[row, lane]), int(new[row, lane])}
                if not edges <= self.edges.get(decision, set()):
                    self.noted.setdefault(decision, set()).update(edges)
        return now

    def _open_noted(self) -> bool:
        """Make lots of what was noted; was there anything?"""
        found, self.noted = self.noted, {}
        for decision, edges in found.items():
            self.edges.setdefault(decision, set()).update(edges)
        if found:
            self._lay(np.ones)
        return bool(found)

    def _lay(self, chances: Callable[[int], Floats]) -> None:
        """Make the decisions that change lots; ``chances(n)``: how likely each of n edges is, up to a factor."""
        rows = [
            (board, node, edge, chance)
            for (board, node), taken in self.edges.items()
            for edge, chance in zip(sorted(taken), _whole(chances(len(taken))), strict=True)
        ]
        self.solve.mixed = MixedStrategy(np.concatenate([self.before.rows, np.array(rows)]))
        lots = self.solve.lots
        self.mine = np.flatnonzero(np.isin(lots.board, self.boards))
        many = lots.at[self.mine + 1] - lots.at[self.mine]
        place = np.arange(many.max(initial=1))
        self.edge = place < many[:, None]
        self.places = np.minimum(lots.at[self.mine, None] + place, len(lots.chances) - 1)
        self.open = np.zeros(self.places.shape, dtype=bool)
        for row, lot in enumerate(self.mine.tolist()):
            self.open[row, sorted(self.edges[int(lots.board[lot]), int(lots.node[lot])])] = True

    # --- chances -----------------------------------------------------------------------------------------------------

    def rests(self, enough: float = CLOSE) -> bool:
        """Sweep the restless boards until nothing moves by more than ``enough``; False where something goes on."""
        solve = self.solve
        what = f"the shares of {solve.game}"
        return until_still(
            solve.values, self.restless, lambda: solve.sweep(self.groups), what, max(CLOSE, enough), CHASING
        )

    def balance(self) -> bool:
        """Give the lots chances that nobody would leave, or, if there are none, those that leaving gains least.

        False where other decisions change on the way.
        """
        generator = np.random.default_rng(1)
        best: tuple[float, Floats] | None = None
        for start in range(STARTS):
            if start:
                self._lay(generator.random)
                if not self.rests():
                    return False
            if not self._newton(self._slopes()):
                return False
            gain = self.gain
            if best is None or gain < best[0]:
                best = gain, self.solve.lots.chances.copy()
            if gain <= INDIFFERENT:
                self.noted = {}
                return True
        assert best is not None
        self.solve.lots.chances[:] = best[1]
        return self.rests()

    def rests_everywhere(self) -> bool:
        """Sweep all boards until nothing moves, and follow with the chances what that moves; False where it does not
        come to rest.
        """
        slopes = self.slopes
        self.groups, self.restless = self.every, self.boards
        equilibrium = self.gain <= INDIFFERENT
        return self.rests() and (not equilibrium or self._newton(slopes))

    @property
    def gain(self) -> float:
        """The most that is gained at any lot by always taking its best edge."""
        return float(self.drawn.gain.max(initial=0.0))

    @property
    def drawn(self) -> Drawn:
        """The lots, a row each, as they are after a sweep."""
        lots = self.solve.lots
        return Drawn(np.where(self.open, lots.chances[self.places], 0.0), lots.worths[self.places], self.open)

    def _newton(self, slopes: Floats) -> bool:
        """Steps until nobody would leave the chances, or none helps any more.

        False where the boards do not rest, or where decisions that are no lots change on the way, and so it stops.
        """
        settled, left = SETTLED, 0.0
        for _ in range(STEPS):
            gains = self.drawn.gain
            if gains.max(initial=0.0) <= CLOSE:
                break
            now = self._step(slopes, gains)
            if now is None or (now > SLOWER and not self.rests()):
                return False
            before, left = left, now
            if left > SLOWER:
                if before > SLOWER and self._open_noted():  # they stand between here and there
                    return False
                if gains.max() <= INDIFFERENT or before == left == 1.0:
                    break
                slopes, settled = self._slopes(settled), max(settled / 10, MOST_SETTLED)
        return True

    def _step(self, slopes: Floats, gains: Floats) -> float | None:
        """Go to where the chances are balanced by these slopes, or as far on that way as helps.

        Returns what part of ``gains`` is left, all lots together; 1 where nothing helps, None where the boards do not
        rest any more.
        """
        lots, places = self.solve.lots, self.places[self.open]
        start, end = lots.chances[places].copy(), self.drawn.balanced(slopes)[self.open]
        taken, self.noted = self._taken(), {}
        for far in (1.0, 0.5, 0.25, 0.125, 0.0):
            lots.chances[places] = start + far * (end - start)
            if not self.rests(NEARLY * float(gains.max())):
                return None
            self._note(taken)
            left = float(self.drawn.gain.sum() / gains.sum())
            if left < 1 - far / 4:
                return left
        return 1.0

    def _slopes(self, settled: float = SETTLED) -> Floats:
        """How what the open edges are worth moves with the chance of each, shape (open edges, open edges)."""
        solve, lots = self.solve, self.solve.lots
        rested, chances, noted = solve.values[self.restless], lots.chances.copy(), lots.worths.copy()
        worths = self.drawn.worths[self.open]
        size = int(self.open.sum())
        row_of = np.nonzero(self.open)[0]
        now = chances[self.places[self.open]]
        slopes = np.zeros((size, size))
        for row in range(len(self.mine)):
            here = np.flatnonzero(row_of == row)
            likeliest = here[np.argmax(now[here])]
            for edge in here[here != likeliest].tolist():
                lots.chances[self.places[self.open][here]] = (1 - ASIDE) * now[here] + ASIDE * (here == edge)
                slopes[:, edge] = self._moves(worths, settled) / ASIDE
                solve.values[self.restless] = rested
                lots.chances[:] = chances
            others = here[here != likeliest]
            slopes[:, likeliest] = -(slopes[:, others] @ now[others]) / now[likeliest]  # to move all moves nothing
        lots.worths[:] = noted
        self.slopes = slopes
        return slopes

    def _moves(self, worths: Floats, settled: float) -> Floats:
        """By how much a few sweeps move what the open edges are worth."""
        moved = np.zeros_like(worths)
        for number in range(MOST_SWEEPS):
            self.solve.sweep(self.groups)
            last, moved = moved, self.drawn.worths[self.open] - worths
            if number >= FEWEST and np.max(np.abs(moved - last)) <= settled * np.max(np.abs(moved)):
                break
        return moved

    def widen(self) -> bool:
        """Open edges that are better than all that are open; are there any?"""
        drawn, lots = self.drawn, self.solve.lots
        most = np.where(self.open, drawn.worths, -np.inf).max(axis=1, keepdims=True)
        better = self.edge & ~self.open & (drawn.worths > most + self.solve.tie)
        for row, edge in np.argwhere(better).tolist():
            self.noted.setdefault((int(lots.board[self.mine[row]]), int(lots.node[self.mine[row]])), set()).add(edge)
        return self._open_noted()

    def tidy(self) -> None:
        """Chances are 1 together to the last bit; what takes one edge always, and would do so by itself, is no lot."""
        lots = self.solve.lots
        lots.chances[self.places[self.open]] = (in_parts(self.drawn.chances) / PARTS)[self.open]
        drawn = self.drawn
        worths = np.where(self.edge, drawn.worths, -np.inf)
        taken = np.argmax(drawn.chances, axis=1)
        rows = np.arange(len(taken))
        others = worths.copy()
        others[rows, taken] = -np.inf
        pure = (drawn.chances[rows, taken] == 1) & (worths[rows, taken] > others.max(axis=1) + 2 * self.solve.tie)
        kept = lots.mixed.rows
        gone = {(int(lots.board[lot]), int(lots.node[lot])) for lot in self.mine[pure]}
        stay = [(int(board), int(node)) not in gone for board, node in kept[:, :2].tolist()]
        self.solve.mixed = MixedStrategy(kept[stay])


def _whole(weights: Floats) -> list[float]:
    """As chances."""
    shares: list[float] = (weights / weights.sum()).tolist()
    return shares


def _only(group: Group, boards: Ints) -> Group:
    """Some boards of a group."""
    here = np.isin(group.boards, boards)
    codes = np.ascontiguousarray(group.codes[:, here])
    return Group(group.backup, group.boards[here], group.order[here], codes, group.off)
