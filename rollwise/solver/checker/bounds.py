"""Proof of bounds, for games of one value a board.

With U = value + radius and L = value - radius, one backup of U that is nowhere above U proves that no true value is,
and one of L that is nowhere below L the mirror image. What is not proved again: that the players cannot go on for ever
within a set of boards. The solver refuses such games by a look at the graph alone, and the proof here needs it; games
that are ``endless`` need no such look, for there the inequality is strict, and that is the whole proof. And the game
files are believed: what they say of a turn and of a board is what is proved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.checker.backup import UNIT, TurnBackup
from rollwise.solver.checker.transitions import CheckedTransition, told
from rollwise.solver.model.game import TurnGame
from rollwise.solver.turn.graph import NO_RESULT, TurnGraph

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Report = Callable[[float], None]

LANES = 512  # columns of one backup: half of them upper bounds, half lower
NUMBERS = 16 << 20  # numbers that the nodes of one backup may fill: 128 MB for each worker
SETTLED = 4096  # boards that are settled at once
WORK = 500_000_000  # edges x boards of one job: a second or less, so that Ctrl-C is heard


class ByBoard(Protocol):
    """Numbers by board: values, or by how much they may be off."""

    def __getitem__(self, boards: Ints, /) -> NDArray[np.floating[Any]]:
        """Of some boards."""


@dataclass
class Failures:
    """Boards that fail: how many times, and what is wrong with the first of them."""

    count: int = 0
    first: int = -1
    text: str = ""

    def add(self, boards: Ints, by: Floats, what: str) -> None:
        """Note those of these boards where ``by`` is above 0."""
        wrong = np.flatnonzero(by > 0)
        if len(wrong) == 0:
            return
        self.count += len(wrong)
        place = wrong[np.argmin(boards[wrong])]
        if self.first < 0 or boards[place] < self.first:
            self.first, self.text = int(boards[place]), f"{what} by {by[place]:.2g}"

    def told(self, game: TurnGame) -> str | None:
        """The first of them in words; None where there is none."""
        if not self.count:
            return None
        board = ", ".join(f"{name}={value}" for name, value in game.boards().board(self.first).items())
        more = f" (first of {self.count} failures)" if self.count > 1 else ""
        return f"board {board}: {self.text}{more}"


def possible(game: TurnGame) -> NDArray[np.bool_]:
    """True for the boards that can occur."""
    space = game.boards()
    found = np.empty(space.size, dtype=np.bool_)
    for begin in range(0, space.size, 1 << 20):
        some = np.arange(begin, min(space.size, begin + (1 << 20)))
        found[some] = game.possible(space.columns(some))
    return found


def bounds_hold(
    game: TurnGame, graph: TurnGraph, values: ByBoard, radius: ByBoard, report: Report, workers: int
) -> str | None:
    """What is wrong with the bounds of these boards, in words; None where all hold."""
    return Bounds(game, graph, values, radius).run(report, workers)


@dataclass(frozen=True)
class _Leaf:
    """One leaf on some boards: what its result does there, the turn's own points, or (``told`` None) a cut's ends."""

    told: CheckedTransition | None
    lower: float
    upper: float


class Bounds:
    """One backup of the bounds of every possible board."""

    def __init__(self, game: TurnGame, graph: TurnGraph, values: ByBoard, radius: ByBoard) -> None:
        self.game = game
        self.graph = graph
        self.space = game.boards()
        self.values = values
        self.radius = radius
        self.total = float(game.total)
        self.least, self.most = (0.0, 1.0) if game.measure == "win" else (-np.inf, np.inf)  # no chance is outside
        self.illegal = -np.inf if game.sense == "max" else np.inf
        self.backups = [TurnBackup(graph, int(root), game.sense) for root in graph.roots]

    def run(self, report: Report, workers: int) -> str | None:
        """Jobs of some boards each, shared out."""
        jobs = list(self.jobs())
        failures = Failures()
        pool = ThreadPoolExecutor(max(1, workers))
        try:
            for number, (job, found) in enumerate(zip(jobs, pool.map(lambda job: self.job(*job), jobs), strict=True)):
                above, below = found
                failures.add(job[1], above, "the upper bound is too low")
                failures.add(job[1], below, "the lower bound is too high")
                report((number + 1) / len(jobs))
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
        return failures.told(self.game)

    def jobs(self) -> Iterator[tuple[int, Ints]]:
        """(root, boards whose turns start there)."""
        can_be = np.flatnonzero(possible(self.game))
        for begin in range(0, len(can_be), 1 << 20):
            some = can_be[begin : begin + (1 << 20)]
            roots = np.broadcast_to(self.game.root(self.space.columns(some)), len(some))
            for root in np.unique(roots).tolist():
                boards = some[roots == root]
                least = WORK // max(1, self.backups[root].n_edges)
                at_once = min(SETTLED, max(LANES // 2, least))
                for block in np.array_split(boards, -(-len(boards) // at_once)):
                    yield root, block

    def job(self, root: int, boards: Ints) -> tuple[Floats, Floats]:
        """By how much the bounds of these boards fail; 0 where they hold."""
        backup = self.backups[root]
        leaves = self.settled(backup.leaves, boards)
        above, below = np.empty(len(boards)), np.empty(len(boards))
        side = max(1, min(LANES // 2, NUMBERS // backup.n_rows // 2, len(boards)))
        rows, tile = backup.room(2 * side)
        with np.errstate(invalid="ignore"):  # a stored nan is found by the comparison below
            for begin in range(0, len(boards), side):
                some = slice(begin, min(begin + side, len(boards)))
                lanes = some.stop - begin
                upper, lower = self.upper_and_lower(boards[some])
                worths, spare = self.leaves(leaves, some)
                found = backup.run(
                    worths, rows[:, : 2 * lanes] if lanes == side else np.empty((len(rows), 2 * lanes)), tile
                )
                slack = self.slack(worths, spare, found if self.is_sum(leaves) else None)
                above[some] = np.where(upper == self.most, 0.0, excess(found[:lanes] + slack[:lanes], upper))
                below[some] = np.where(lower == self.least, 0.0, excess(lower, found[lanes:] - slack[lanes:]))
                for wrong, bound, sure, of, falls in (
                    (above[some], upper, self.least, slice(lanes), np.maximum),
                    (below[some], lower, self.most, slice(lanes, None), np.minimum),
                ):
                    claimed = np.flatnonzero((bound == sure) & (wrong > 0) & (not self.game.endless))
                    if len(claimed):
                        ends = worths[:, of][:, claimed]
                        proved = backup.run(ends, *backup.room(len(claimed)), falls) == sure
                        wrong[claimed[proved]] = 0.0
        return above, below

    def settled(self, leaves: Ints, boards: Ints) -> list[_Leaf]:
        """What each of these leaves does to these boards; a result is asked once."""
        by_result: dict[int, CheckedTransition] = {}
        found = []
        for leaf in (self.graph.leaves[number] for number in leaves.tolist()):
            if leaf.result == NO_RESULT:
                found.append(_Leaf(None, float(leaf.lower), float(leaf.upper)))
                continue
            if leaf.result not in by_result:
                by_result[leaf.result] = told(self.game, boards, self.graph.results[leaf.result])
            found.append(_Leaf(by_result[leaf.result], float(leaf.lower), float(leaf.upper)))
        return found

    def upper_and_lower(self, boards: Ints) -> tuple[Floats, Floats]:
        """The stored bounds, exactly as a question reads them.

        A radius below 0 needs no look of its own: with the upper bound below the lower one, they cannot both be proved.
        """
        values, radius = self.values[boards], self.radius[boards].astype(np.float64)
        return np.minimum(values + radius, self.most), np.maximum(values - radius, self.least)

    def leaves(self, leaves: list[_Leaf], some: slice) -> tuple[Floats, Floats]:
        """What the leaves are worth, upper bounds beside lower ones, shape (leaves, 2 lanes), and ``spare``, a lane.

        No leaf, before and after its points are added, and no points are less than ``-spare``.
        """
        lanes = some.stop - some.start
        worths = np.empty((len(leaves), 2 * lanes))
        spare, cost = np.zeros(2 * lanes), np.zeros(2 * lanes)
        for row, leaf in zip(worths, leaves, strict=True):
            if leaf.told is None:
                row[:lanes], row[lanes:] = leaf.upper, leaf.lower
                np.maximum(spare, -row, out=spare)
                continue
            upper, lower, points = self.ends(leaf.told, some)
            row[:lanes], row[lanes:] = upper, lower
            np.maximum(spare, -_finite(row), out=spare)
            earned = np.tile(points + leaf.lower, 2)
            row += earned
            np.maximum(cost, -earned, out=cost)
        return worths, spare + cost

    def ends(self, said: CheckedTransition, some: slice) -> tuple[Floats, Floats, Floats]:
        """(upper, lower, points) of one result on some of the boards."""
        following, other = said.following[some], said.passes[some] > 0
        upper, lower = self.upper_and_lower(np.maximum(following, 0))
        upper, lower = np.where(other, self.total - lower, upper), np.where(other, self.total - upper, lower)
        for instead, where in (
            (said.worth[some], said.over[some]),
            (self.illegal, said.illegal[some]),
            (np.nan, said.lost[some]),
        ):
            upper, lower = np.where(where, instead, upper), np.where(where, instead, lower)
        return upper, lower, said.points[some]

    def is_sum(self, leaves: list[_Leaf]) -> bool:
        """Are the leaves chances as they were kept, not taken from 1, which are multiplied and added up alone?"""
        told = [leaf.told for leaf in leaves]
        return self.least == 0 and all(t is not None and not t.passes.any() and not t.points.any() for t in told)

    def slack(self, leaves: Floats, spare: Floats, found: Floats | None) -> Floats:
        """A bound on the rounding of one backup, of reading the leaves and of the comparison.

        What is ``found`` by sums and products of numbers that are none below 0 is off by so much of itself.

        A mean of n numbers rounds by (n + 3) units of the largest of their sizes, and errors of the numbers themselves
        weigh as much in the mean as these do: so by induction a node is off by at most its terms times the size of the
        largest leaf. What was added up to a leaf may be larger than that by ``spare``.
        """
        largest = np.abs(_finite(leaves)).max(axis=0, initial=0.0) if found is None else np.abs(_finite(found))
        bound: Floats = ((self.graph.terms + 8) * largest + 8 * spare) * UNIT
        return bound


def _finite(numbers: Floats) -> Floats:
    """0 for results that are illegal."""
    return np.where(np.isinf(numbers), 0.0, numbers)


def excess(number: Floats, limit: Floats) -> Floats:
    """How far ``number`` is above ``limit``: 0 where it is not, inf where they cannot be compared."""
    return np.where(number <= limit, 0.0, np.where(number > limit, number - limit, np.inf))
