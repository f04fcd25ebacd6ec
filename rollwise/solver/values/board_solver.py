"""Certified values of all boards of a duel, or of a solo game (tables: ``solver.values.table``).

The game is a stochastic game or a Markov decision process (Puterman 1994), whose states at decision epochs are the
boards. They are solved level by level, last level first (backward induction, Bellman 1957), and by strongly connected
components within a level. A board without a cycle takes one Bellman backup, a small component (a bust returns the dice)
policy iteration (Howard 1960), that is Newton's method, a large one value iteration in Gauss-Seidel order with Anderson
acceleration; its stopping rule is ``solver.values.anderson.StoppingRule``. Certificates then give each board a radius
such that its true value lies within ``value - radius .. value + radius``, rounding included (``solver.components``).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.components.checkpoints import CheckpointTimer, is_level_checkpoint
from rollwise.solver.components.groups import RootGroup
from rollwise.solver.components.strongly_connected import ranked_components
from rollwise.solver.components.team import Team
from rollwise.solver.components.topological_levels import board_columns, last_level_first
from rollwise.solver.model.errors import ModelError, NotConverged
from rollwise.solver.model.game import TurnGame
from rollwise.solver.model.limits import n_workers
from rollwise.solver.model.rounding import round_up
from rollwise.solver.turn.arrays import UNIT
from rollwise.solver.turn.backups import make_backup
from rollwise.solver.turn.graph import NO_RESULT, TurnGraph
from rollwise.solver.turn.perspective import Constants
from rollwise.solver.turn.transition_reader import TransitionReader
from rollwise.solver.turn.transitions import SCALAR, TransitionBuffer, UsedFields
from rollwise.solver.values.almost_sure import are_almost_sure, has_certain_values, mark_almost_sure
from rollwise.solver.values.board_arrays import BoardArrays, Work
from rollwise.solver.values.component import LargeComponent, SmallComponents

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
BOARDS_PER_STEP = 16384  # whose transitions are read together
BACKUPS_PER_CYCLIC_BOARD = 8  # about, where a few boards lead back to each other
MAX_NEWTON_BOARDS = 8  # in a component that is solved by policy iteration; value iteration for larger ones
COMPONENTS_PER_PIECE, MAX_PIECES = 64, 4  # of a Newton job, whatever the number of workers
MAX_COMPONENT_EDGES = 20_000_000  # beyond, a cyclic level is treated as one component
MAX_NUMPY_WORK = 3_000_000  # edges x boards up to which NumPy is quicker than starting the compiler


@dataclass(frozen=True)
class BoardValues:
    """Solution: ``values``, float64, nan for impossible boards; ``radius``, float32, the certified half-width."""

    values: Floats
    radius: NDArray[np.float32]
    method: str
    n_boards: int
    work: Work


class BoardSolver:
    """Solver of all boards of a duel or a solo game; ``backups``: those of its roots, if not the graph's own."""

    written_once = False  # values of boards that are not done yet are first guesses

    def __init__(
        self,
        game: TurnGame,
        graph: TurnGraph,
        *,
        workers: int | None = None,
        compiled: bool | None = None,
        tolerance: float = 1e-9,
        uses: UsedFields = SCALAR,
        backups: Sequence[Any] | None = None,
    ) -> None:
        self.game = game
        self.graph = graph
        self.tolerance = tolerance
        self.space = game.boards()
        n = self.space.size
        self.workers = workers or n_workers()
        self.level_of, self.root_of, self.order_of = board_columns(game, self.workers)
        self.n_possible = int((self.level_of >= 0).sum())
        work = self.n_possible * graph.n_edges
        self.compiled = work > MAX_NUMPY_WORK if compiled is None else compiled
        self.workers = self.workers if self.compiled and work > 1e8 else 1
        self.constants = Constants(n)
        n_backups = self.n_possible * (BACKUPS_PER_CYCLIC_BOARD if game.cyclic else 1)
        new_backups = (make_backup(graph, int(root), game.sense, self.compiled, n_backups) for root in graph.roots)
        self.backups = backups or list(new_backups)
        self.reader = TransitionReader(game, graph, self.constants, self.backups[0].look_up, uses)
        self.cut = any(leaf.result == NO_RESULT and leaf.lower != leaf.upper for leaf in graph.leaves)
        self.has_sure = has_certain_values(game)
        has_bounds = game.cyclic or self.cut  # else boards of a level have one radius
        self.arrays = BoardArrays(game, graph, self.reader, self.level_of, self.order_of, bounded=has_bounds)
        self._level_backups: list[tuple[Ints, list[Floats], float]] = []  # boards, backed-up values, their size
        self.place_of = np.zeros(n, dtype=np.int32)  # the place of each board of the present chunk in it
        self._buffers: dict[int, TransitionBuffer] = {}  # of the threads that go through a game without cycles
        self.level_radius = 0.0  # the largest so far of levels without cycles
        self.done_level: int | None = None
        self.saves = CheckpointTimer(lambda: None)

    # --- the whole ---------------------------------------------------------------------------------------------

    def solve(
        self, progress: Callable[[float], None] | None = None, save: Callable[[], None] | None = None
    ) -> BoardValues:
        """Solve every board; raises NotConverged with the width reached, ModelError for an error in the game file.

        ``progress`` receives the share done, 0 to 1; ``save`` is called now and then, when a checkpoint is due.
        """
        self.arrays.write_constants()
        self.progress = progress or (lambda share: None)
        self.saves = CheckpointTimer(save or (lambda: None))
        n_done = int((self.level_of >= self.done_level).sum()) if self.done_level is not None else 0
        min_boards = BOARDS_PER_STEP if self.game.cyclic else 1
        for boards in last_level_first(self.level_of, self.done_level, min_boards):
            counts: list[int] = []

            def report_step(step: int, counts: list[int] = counts) -> None:
                nonlocal n_done
                n_done += counts[step]
                self.progress(n_done / self.n_possible)

            steps = []
            for count, step in self._steps(boards):
                counts.append(count)
                steps.append(step)
            Team(self.workers).run(steps, report_step)
            self.done_level = int(self.level_of[boards].min())
            self.maybe_save()
        return self._result()

    def maybe_save(self) -> None:
        """Write a checkpoint if the last one is old enough."""
        self.saves.save_if_due()

    def checkpoint(self) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """See ``Resumable``."""
        n = self.space.size
        arrays: dict[str, NDArray[Any]] = {"value": self.arrays.value[:n], "radius": self.arrays.radius}
        if self.game.cyclic:
            arrays["waits"] = self.arrays.expected_turns[:n]
        return arrays, {
            "slack": self.arrays.slack,
            "level_radius": self.level_radius,
            "scale": self.arrays.scale,
            "level": self.done_level,
            "methods": sorted(self.arrays.work.methods),
        }

    def fits(self, arrays: Mapping[str, NDArray[Any]], state: Mapping[str, Any]) -> bool:
        """See ``Resumable``: arrays of the right kind, with finite bounds on the boards that the state calls done."""
        return is_level_checkpoint(arrays, state, self.checkpoint(), self.level_of)

    def resume(self, arrays: dict[str, NDArray[Any]], state: dict[str, Any]) -> None:
        """See ``Resumable``: levels from ``state['level']`` on are done, other values are first guesses."""
        n = self.space.size
        value, radius = arrays["value"], arrays["radius"]
        self.arrays.guess = value
        is_done = self.level_of >= (n if state["level"] is None else state["level"])
        self.arrays.value[:n][is_done], self.arrays.radius[is_done] = value[is_done], radius[is_done]
        if self.game.cyclic:
            self.arrays.expected_turns[:n][is_done] = arrays["waits"][is_done]
        if self.arrays.upper is not self.arrays.value:
            self.arrays.bound(np.flatnonzero(is_done))
        self.arrays.slack, self.level_radius, self.arrays.scale = state["slack"], state["level_radius"], state["scale"]
        self.done_level = state["level"]
        self.arrays.work.methods.update(state["methods"])

    def _result(self) -> BoardValues:
        n = self.space.size
        widest = float(np.nanmax(self.arrays.radius)) * 2
        limit = self.tolerance * max(1.0, self.arrays.scale)
        if not widest <= limit or not np.isfinite(self.arrays.radius[self.level_of >= 0]).all():
            raise NotConverged(f"{self.game} is known to within {widest:.2g}, wanted {limit:.2g}", widest)
        method = " + ".join(sorted(self.arrays.work.methods))
        return BoardValues(self.arrays.value[:n], self.arrays.radius, method, self.n_possible, self.arrays.work)

    # --- steps ---------------------------------------------------------------------------------------------------

    def _steps(self, boards: Ints) -> Iterator[tuple[int, Any]]:
        """(number of boards solved, step) in order."""
        if not self.game.cyclic:
            for root, part in self._by_root(boards):
                pieces = np.array_split(part, -(-len(part) // BOARDS_PER_STEP))
                yield len(part), [lambda piece=piece, root=root: self._back_up_once(piece, root) for piece in pieces]
            self.arrays.work.methods.add("one backup a board")
            yield 0, [lambda: self._close_level(boards)]
            return
        groups = [self._group(part, root) for root, part in self._by_root(boards)]
        self.arrays.write_constants()
        yield from _ComponentSteps(self, boards, groups).steps()
        if self.has_sure:
            yield 0, [lambda: mark_almost_sure(self.arrays, groups)]

    def _by_root(self, boards: Ints) -> Iterator[tuple[int, Ints]]:
        """(root, those of these boards whose turns start there)."""
        if len(self.backups) == 1:
            yield 0, boards
            return
        for root in np.unique(self.root_of[boards]).tolist():
            yield root, boards[self.root_of[boards] == root]

    def _group(self, boards: Ints, root: int, buffer: TransitionBuffer | None = None) -> RootGroup:
        transitions = self.reader.transitions(self.backups[root].leaves, boards, buffer)
        return RootGroup(boards, transitions, self.backups[root])

    def _back_up_once(self, boards: Ints, root: int) -> None:
        """One Bellman backup of boards of a game without cycles; ``_close_level`` writes the values."""
        group = self._group(boards, root, self._buffers.setdefault(threading.get_ident(), TransitionBuffer()))
        self.arrays.write_constants()
        count, total, lower, upper = len(boards), float(self.game.total), self.arrays.lower, self.arrays.upper
        passes = ((lower, upper), (upper, lower)) if self.cut else ((self.arrays.value, self.arrays.value),)
        backed_up, places, n_unknown = [], np.arange(count), 0
        backup = group.backup.in_columns(boards) if group.backup.by_board else group.backup
        for read, read_other in passes:
            backed_up.append(np.empty(count))
            n_unknown += backup.values(group.moves, read, read_other, total, places, backed_up[-1], slice(0, count))
        if n_unknown:  # a board of this level, or one that is solved after it
            self._check_levels(group)
        self.arrays.require_finite(boards, backed_up[-1])
        if self.has_sure:
            self._mark_almost_sure(group, backed_up)
        self._level_backups.append((boards, backed_up, float(np.max(np.abs(backed_up)))))
        self.arrays.count(group, len(passes))

    def _mark_almost_sure(self, group: RootGroup, backed_up: list[Floats]) -> None:
        """Make backed-up values exactly 0 or 1 where they are almost sure; move others that came out so by a unit."""
        for certain, bound in ((0.0, backed_up[0]), (1.0, backed_up[-1])):
            columns = np.flatnonzero(np.abs(bound - certain) <= self.arrays.error())
            if not len(columns):
                continue
            is_certain = are_almost_sure(self.arrays, group.of(columns), certain, self.arrays.out)
            for side in backed_up:
                side[columns] = np.where(is_certain, certain, np.clip(side[columns], UNIT, 1 - UNIT))

    def _check_levels(self, group: RootGroup) -> None:
        """Raise ModelError where a turn leads to a board that is not solved before this one, or with it."""
        levels = self.level_of[group.boards]
        min_level = levels if self.game.cyclic else levels + 1
        for row in group.moves.ends:
            is_earlier = self.arrays.padded_level[row >> 1] < min_level
            if is_earlier.any():
                i = int(np.flatnonzero(is_earlier)[0])
                source, target = (self.space.board(int(b)) for b in (group.boards[i], row[i] >> 1))
                raise ModelError(f"{self.game} goes from {source} to {target}, which comes no later")

    def _close_level(self, boards: Ints) -> None:
        """Write a level's values, and bounds from the next level's error and four times the rounding of one backup."""
        arrays = self.arrays
        for step_boards, backed_up, size in self._level_backups:
            arrays.scale = max(arrays.scale, size)
            arrays.value[step_boards] = backed_up[0] if len(backed_up) == 1 else (backed_up[0] + backed_up[1]) / 2
            for bound, side in zip((arrays.lower, arrays.upper), backed_up if self.cut else (), strict=False):
                bound[step_boards] = side
        self._level_backups.clear()
        if not self.cut:
            self.level_radius += 4 * arrays.error()
            arrays.radius[boards] = round_up(np.array([self.level_radius]))
        else:
            arrays.radius[boards] = round_up((arrays.upper[boards] - arrays.lower[boards]) / 2 + 8 * arrays.error())
        if self.has_sure:
            arrays.radius[boards[np.isin(arrays.value[boards], arrays.limits)]] = 0.0
        if self.cut:
            arrays.bound(boards)


class _ComponentSteps:
    """Steps for boards with cycles: components by rank, small ones dealt out to workers, large ones by all together."""

    def __init__(self, solver: BoardSolver, boards: Ints, groups: list[RootGroup]) -> None:
        self.solver = solver
        self.arrays = solver.arrays
        self.boards = boards
        self.groups = groups
        self.place_of = solver.place_of
        self.place_of[boards] = np.arange(len(boards))
        self.group_of, self.column = np.empty((2, len(boards)), dtype=np.int64)
        self.scale_and_slack: list[tuple[float, float]] = []  # of each job of the present step
        source, target = [], []
        edges = 0
        for number, group in enumerate(groups):
            solver._check_levels(group)
            places = self.place_of[group.boards]
            self.group_of[places], self.column[places] = number, np.arange(len(places))
            levels_of_group = solver.level_of[group.boards]
            for row in group.moves.ends:
                successors = row >> 1
                same_level = np.flatnonzero(successors < solver.space.size)
                same_level = same_level[solver.level_of[successors[same_level]] == levels_of_group[same_level]]
                edges += len(same_level)
                if edges <= MAX_COMPONENT_EDGES:
                    source.append(places[same_level])
                    target.append(self.place_of[successors[same_level]])
        self.source = np.concatenate(source) if source else np.zeros(0, dtype=np.int64)
        self.target = np.concatenate(target) if target else np.zeros(0, dtype=np.int64)
        levels = solver.level_of[boards].astype(np.int64)
        if edges > MAX_COMPONENT_EDGES:
            self.component, self.rank = levels, np.zeros_like(levels)
            self.is_cyclic = np.ones(len(boards), dtype=bool)
            self.source = self.target = np.zeros(0, dtype=np.int64)  # incomplete, so not to be used
        else:
            self.component, self.rank, self.is_cyclic = ranked_components(len(boards), self.source, self.target)

    def steps(self) -> Iterator[tuple[int, Any]]:
        """(number of boards solved, step) in order."""
        solver = self.solver
        level = solver.level_of[self.boards].astype(np.int64)
        sizes = np.bincount(self.component)[self.component]
        self.only_successor = self._only_successors()
        keys = (-level) * (self.rank.max() + 1) + self.rank
        by_key = np.argsort(keys, kind="stable")
        cuts = np.flatnonzero(np.diff(keys[by_key])) + 1
        for nodes in np.split(by_key, cuts):
            acyclic = nodes[~self.is_cyclic[nodes]]
            small = nodes[self.is_cyclic[nodes] & (sizes[nodes] <= MAX_NEWTON_BOARDS)]
            large = nodes[self.is_cyclic[nodes] & (sizes[nodes] > MAX_NEWTON_BOARDS)]
            jobs: list[Any] = []
            if len(acyclic):
                jobs.append(lambda nodes=acyclic: self._back_up_once(nodes))
            jobs += self._newton_jobs(small, sizes) if len(small) else ()
            if jobs:
                yield len(acyclic) + len(small), jobs
                yield 0, [self._raise_slack]
            for label in np.unique(self.component[large]):
                inside = large[self.component[large] == label]
                yield len(inside), LargeComponent(self.arrays, self._groups_of(inside), solver.maybe_save)

    def _raise_slack(self) -> None:
        """Update scale and slack after a step, so that they do not depend on the order in which its jobs ended."""
        for scale, slack in self.scale_and_slack:
            self.arrays.scale, self.arrays.slack = max(self.arrays.scale, scale), max(self.arrays.slack, slack)
        self.scale_and_slack.clear()

    def _groups_of(self, nodes: Ints) -> list[RootGroup]:
        group_of, columns = self.group_of[nodes], self.column[nodes]
        return [self.groups[number].of(np.sort(columns[group_of == number])) for number in np.unique(group_of)]

    def _back_up_once(self, nodes: Ints) -> None:
        """Back up both bounds of boards that lead to solved ones only, and expected turns with the lower bound."""
        arrays, scale = self.arrays, 0.0
        for group in self._groups_of(nodes):
            boards = group.boards
            for bound, other in ((arrays.upper, arrays.lower), (arrays.lower, arrays.upper)):
                arrays.back_up(group, bound, other, arrays.out)
                bound[boards] = arrays.out[boards]
            arrays.expected_turns[boards] = 1.0
            if bool((group.moves.ends >> 1 < len(arrays.level_of)).any()):  # else each turn is the last
                arrays.carry([group], arrays.expected_turns, 1.0)
                arrays.expected_turns[boards] += arrays.out_dual[boards]
            arrays.value[boards] = arrays.out[boards]  # of a last turn that is the lower bound
            arrays.require_finite(boards, arrays.value[boards])
            scale = max(scale, float(np.max(np.abs(arrays.value[boards]))))
            error = np.maximum(arrays.upper[boards] - arrays.value[boards], arrays.value[boards] - arrays.lower[boards])
            arrays.radius[boards] = round_up(np.maximum(error, 0.0) + 4 * arrays.error(scale))
            arrays.bound(boards)
        self.scale_and_slack.append((scale, 4 * arrays.error(scale)))
        arrays.work.methods.add("one backup a board")

    def _newton_jobs(self, nodes: Ints, sizes: Ints) -> Iterator[Callable[[], None]]:
        self.arrays.work.methods.add("Newton on small components")
        for size in np.unique(sizes[nodes]):
            of_size = nodes[sizes[nodes] == size]
            members = of_size[np.argsort(self.component[of_size], kind="stable")].reshape(-1, size)
            for piece in np.array_split(members, min(-(-len(members) // COMPONENTS_PER_PIECE), MAX_PIECES)):
                places = self.only_successor[piece]
                only_successor = places if (places >= 0).all() else None
                yield partial(self._solve_small, self._groups_of(piece.ravel()), self.boards[piece], only_successor)

    def _solve_small(self, *arguments: Any) -> None:
        job = SmallComponents(self.arrays, *arguments)
        job.run()
        self.scale_and_slack.append((job.scale, job.slack))

    def _only_successors(self) -> Ints:
        """Place in its component of a node's only successor there, in node order; -1 for several or none."""
        count = len(self.boards)
        is_inner = self.component[self.source] == self.component[self.target]
        source, target = self.source[is_inner], self.target[is_inner]
        low, high = np.full(count, count), np.full(count, -1)
        np.minimum.at(low, source, target)
        np.maximum.at(high, source, target)
        by_component = np.argsort(self.component, kind="stable")
        starts = np.cumsum(np.bincount(self.component)) - np.bincount(self.component)
        place = np.empty(count, dtype=np.int64)
        place[by_component] = np.arange(count) - starts[self.component[by_component]]
        return np.where(low == high, place[np.minimum(low, count - 1)], -1)
