"""Check of interval bounds, for games with one value a board.

With U = value + radius and L = value - radius, one Bellman backup of U that is nowhere above U proves U an upper bound
of the true value, and one of L that is nowhere below L the mirror image. Not checked again: that play cannot stay for
ever within a set of boards. The solver refuses such games by a graph search, and this proof needs it; games that are
``endless`` do not, for there the inequality is strict, and that is the whole proof. Game files are trusted: the proof
is about the game that they define.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.checker.backup import UNIT, TurnBackup
from rollwise.solver.checker.transitions import CheckedTransition, read_transition
from rollwise.solver.model.game import TurnGame
from rollwise.solver.turn.graph import NO_RESULT, TurnGraph

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Report = Callable[[float], None]

N_LANES = 512  # half of them for upper bounds, half for lower ones
MAX_BLOCK_NUMBERS = 16 << 20  # in the nodes of one backup: 128 MB for each worker
JOB_BOARDS = 4096  # whose transitions are read at once
MIN_JOB_WORK = 500_000_000  # edges x boards of one job: at most about a second, so that Ctrl-C stops it soon


class ByBoard(Protocol):
    """Numbers by board: values, or radii."""

    def __getitem__(self, boards: Ints, /) -> NDArray[np.floating[Any]]:
        """Numbers of some boards."""


@dataclass
class Failures:
    """Boards that fail: their number, and the error of the first."""

    count: int = 0
    first: int = -1
    text: str = ""

    def add(self, boards: Ints, excesses: Floats, claim: str) -> None:
        """Record those of these boards where ``excesses`` is above 0."""
        failing = np.flatnonzero(excesses > 0)
        if len(failing) == 0:
            return
        self.count += len(failing)
        place = failing[np.argmin(boards[failing])]
        if self.first < 0 or boards[place] < self.first:
            self.first, self.text = int(boards[place]), f"{claim} by {excesses[place]:.2g}"

    def first_failure(self, game: TurnGame) -> str | None:
        """The first failure in words; None where there is none."""
        if not self.count:
            return None
        board = ", ".join(f"{name}={value}" for name, value in game.boards().board(self.first).items())
        more = f" (first of {self.count} failures)" if self.count > 1 else ""
        return f"board {board}: {self.text}{more}"


def possible_mask(game: TurnGame) -> NDArray[np.bool_]:
    """Mask of the possible boards."""
    space = game.boards()
    is_possible = np.empty(space.size, dtype=np.bool_)
    for begin in range(0, space.size, 1 << 20):
        block = np.arange(begin, min(space.size, begin + (1 << 20)))
        is_possible[block] = game.possible(space.columns(block))
    return is_possible


def bounds_hold(
    game: TurnGame, graph: TurnGraph, values: ByBoard, radius: ByBoard, report: Report, workers: int
) -> str | None:
    """The error in the bounds of these boards, in words; None where all hold."""
    return BoundsProof(game, graph, values, radius).run(report, workers)


@dataclass(frozen=True)
class _LeafTransition:
    """One leaf on some boards: its transition and the turn's reward, or (without a transition) the ends of a cut."""

    transition: CheckedTransition | None
    lower: float
    upper: float


class BoundsProof:
    """One backup of the bounds of every possible board."""

    def __init__(self, game: TurnGame, graph: TurnGraph, values: ByBoard, radius: ByBoard) -> None:
        self.game = game
        self.graph = graph
        self.space = game.boards()
        self.values = values
        self.radius = radius
        self.total = float(game.total)
        self.lowest, self.highest = (0.0, 1.0) if game.measure == "win" else (-np.inf, np.inf)  # no chance is outside
        self.illegal = -np.inf if game.sense == "max" else np.inf
        self.backups = [TurnBackup(graph, int(root), game.sense) for root in graph.roots]

    def run(self, report: Report, workers: int) -> str | None:
        """Jobs of some boards each, dealt to the workers."""
        jobs = list(self.jobs())
        failures = Failures()
        pool = ThreadPoolExecutor(max(1, workers))
        try:
            for number, (job, pair) in enumerate(zip(jobs, pool.map(lambda job: self.job(*job), jobs), strict=True)):
                above, below = pair
                failures.add(job[1], above, "the upper bound is too low")
                failures.add(job[1], below, "the lower bound is too high")
                report((number + 1) / len(jobs))
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
        return failures.first_failure(self.game)

    def jobs(self) -> Iterator[tuple[int, Ints]]:
        """(root, boards whose turns start there)."""
        boards_possible = np.flatnonzero(possible_mask(self.game))
        for begin in range(0, len(boards_possible), 1 << 20):
            some = boards_possible[begin : begin + (1 << 20)]
            roots = np.broadcast_to(self.game.root(self.space.columns(some)), len(some))
            for root in np.unique(roots).tolist():
                boards = some[roots == root]
                min_boards = MIN_JOB_WORK // max(1, self.backups[root].n_edges)
                max_boards = min(JOB_BOARDS, max(N_LANES // 2, min_boards))
                for job in np.array_split(boards, -(-len(boards) // max_boards)):
                    yield root, job

    def job(self, root: int, boards: Ints) -> tuple[Floats, Floats]:
        """Excess of a backup over the bounds of these boards; 0 where they hold."""
        backup = self.backups[root]
        leaves = self.leaf_transitions(backup.leaves, boards)
        above, below = np.empty(len(boards)), np.empty(len(boards))
        side = max(1, min(N_LANES // 2, MAX_BLOCK_NUMBERS // backup.n_rows // 2, len(boards)))
        rows, tile = backup.allocate(2 * side)
        with np.errstate(invalid="ignore"):  # the comparison below catches a stored nan
            for begin in range(0, len(boards), side):
                some = slice(begin, min(begin + side, len(boards)))
                lanes = some.stop - begin
                upper, lower = self.upper_and_lower(boards[some])
                values, spare = self.leaf_bounds(leaves, some)
                after = backup.run(
                    values, rows[:, : 2 * lanes] if lanes == side else np.empty((len(rows), 2 * lanes)), tile
                )
                slack = self.rounding(values, spare, after if self.is_sum(leaves) else None)
                above[some] = np.where(upper == self.highest, 0.0, excess(after[:lanes] + slack[:lanes], upper))
                below[some] = np.where(lower == self.lowest, 0.0, excess(lower, after[lanes:] - slack[lanes:]))
                for excess_here, bound, certain, side_lanes, dice in (
                    (above[some], upper, self.lowest, slice(lanes), np.maximum),
                    (below[some], lower, self.highest, slice(lanes, None), np.minimum),
                ):
                    at_limit = np.flatnonzero((bound == certain) & (excess_here > 0) & (not self.game.endless))
                    if len(at_limit):
                        leaf_values = values[:, side_lanes][:, at_limit]
                        is_proved = backup.run(leaf_values, *backup.allocate(len(at_limit)), dice) == certain
                        excess_here[at_limit[is_proved]] = 0.0
        return above, below

    def leaf_transitions(self, leaves: Ints, boards: Ints) -> list[_LeafTransition]:
        """The transitions of these leaves on these boards; each result is read once."""
        by_result: dict[int, CheckedTransition] = {}
        by_leaf = []
        for leaf in (self.graph.leaves[number] for number in leaves.tolist()):
            if leaf.result == NO_RESULT:
                by_leaf.append(_LeafTransition(None, float(leaf.lower), float(leaf.upper)))
                continue
            if leaf.result not in by_result:
                by_result[leaf.result] = read_transition(self.game, boards, self.graph.results[leaf.result])
            by_leaf.append(_LeafTransition(by_result[leaf.result], float(leaf.lower), float(leaf.upper)))
        return by_leaf

    def upper_and_lower(self, boards: Ints) -> tuple[Floats, Floats]:
        """The stored bounds, exactly as a question reads them.

        A negative radius needs no check of its own: with the upper bound below the lower one, both cannot be proved.
        """
        values, radius = self.values[boards], self.radius[boards].astype(np.float64)
        return np.minimum(values + radius, self.highest), np.maximum(values - radius, self.lowest)

    def leaf_bounds(self, leaves: list[_LeafTransition], lanes_of_job: slice) -> tuple[Floats, Floats]:
        """Bounds of the leaves, upper beside lower ones, shape (leaves, 2 lanes), and ``spare``, by lane.

        No leaf, before and after its reward is added, and no reward is less than ``-spare``.
        """
        lanes = lanes_of_job.stop - lanes_of_job.start
        values = np.empty((len(leaves), 2 * lanes))
        spare, cost = np.zeros(2 * lanes), np.zeros(2 * lanes)
        for row, leaf in zip(values, leaves, strict=True):
            if leaf.transition is None:
                row[:lanes], row[lanes:] = leaf.upper, leaf.lower
                np.maximum(spare, -row, out=spare)
                continue
            upper, lower, points = self.ends(leaf.transition, lanes_of_job)
            row[:lanes], row[lanes:] = upper, lower
            np.maximum(spare, -_finite(row), out=spare)
            reward = np.tile(points + leaf.lower, 2)
            row += reward
            np.maximum(cost, -reward, out=cost)
        return values, spare + cost

    def ends(self, transition: CheckedTransition, lanes: slice) -> tuple[Floats, Floats, Floats]:
        """(upper, lower, points) of one result on some of the boards."""
        successor, is_other = transition.following[lanes], transition.passes[lanes] > 0
        upper, lower = self.upper_and_lower(np.maximum(successor, 0))
        upper, lower = np.where(is_other, self.total - lower, upper), np.where(is_other, self.total - upper, lower)
        for substitute, mask in (
            (transition.worth[lanes], transition.over[lanes]),
            (self.illegal, transition.illegal[lanes]),
            (np.nan, transition.lost[lanes]),
        ):
            upper, lower = np.where(mask, substitute, upper), np.where(mask, substitute, lower)
        return upper, lower, transition.points[lanes]

    def is_sum(self, leaves: list[_LeafTransition]) -> bool:
        """True if the leaves are stored chances, not complements, which are only multiplied and added."""
        ends = [leaf.transition for leaf in leaves]
        return self.lowest == 0 and all(t is not None and not t.passes.any() and not t.points.any() for t in ends)

    def rounding(self, leaves: Floats, spare: Floats, backed_up: Floats | None) -> Floats:
        """Bound of the rounding of one backup, of reading the leaves and of the comparison.

        With ``backed_up``, sums and products of numbers that are not negative, it is relative to these.

        A mean of n numbers rounds by (n + 3) units of the largest of their sizes, and errors of the numbers themselves
        weigh as much in the mean as these do: so by induction a node's error is at most its terms times the size of the
        largest leaf. A summand of a leaf may be larger than the leaf by ``spare``.
        """
        largest = np.abs(_finite(leaves)).max(axis=0, initial=0.0) if backed_up is None else np.abs(_finite(backed_up))
        bound: Floats = ((self.graph.terms + 8) * largest + 8 * spare) * UNIT
        return bound


def _finite(numbers: Floats) -> Floats:
    """The numbers, 0 for illegal results."""
    return np.where(np.isinf(numbers), 0.0, numbers)


def excess(number: Floats, limit: Floats) -> Floats:
    """How far ``number`` is above ``limit``: 0 where it is not, inf where they cannot be compared."""
    return np.where(number <= limit, 0.0, np.where(number > limit, number - limit, np.inf))
