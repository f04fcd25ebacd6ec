"""Certified values of all boards of a duel, or of a game alone (tables: ``solver.values.table``).

Boards are taken level by level, last level first. Within a level they fall into components: a board that leads back to
no board of its level is one backup; a few boards that lead to each other (a bust hands the dice back) are solved by
Newton steps, which is policy iteration; a large component is swept until nothing moves and then certified. Every board
gets a radius such that its true value lies within ``value - radius .. value + radius``, rounding included.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.components.groups import RootGroup
from rollwise.solver.components.processors import n_workers
from rollwise.solver.components.saving import Saves, fits_levels
from rollwise.solver.components.strongly_connected import components
from rollwise.solver.components.team import Team
from rollwise.solver.components.topological_levels import columns_of, last_level_first
from rollwise.solver.model.errors import ModelError, NotConverged
from rollwise.solver.model.game import TurnGame
from rollwise.solver.model.rounding import round_up
from rollwise.solver.turn.arrays import UNIT
from rollwise.solver.turn.backups import make_backup
from rollwise.solver.turn.graph import NO_RESULT, TurnGraph
from rollwise.solver.turn.perspective import Constants
from rollwise.solver.turn.transition_reader import WORTHS, TransitionReader, Uses
from rollwise.solver.turn.transitions import Room
from rollwise.solver.values.almost_sure import are_sure, has_sure, mark_almost_sure
from rollwise.solver.values.board_arrays import BoardArrays, Work
from rollwise.solver.values.component import LargeComponent, SmallComponents

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
AT_ONCE = 16384  # boards that are settled together
PASSES = 8  # backups of a board, about, that is one of a few that lead back to each other
SMALL = 8  # components of at most so many boards are solved by Newton steps
FEW, PIECES = 64, 4  # components that stop together are as many, in so many pieces at most, for any number of workers
MOST_EDGES = 20_000_000  # beyond this, a level with cycles is taken as one component
PLAIN_WORK = 3_000_000  # edges x boards up to which NumPy is quicker than starting the compiler


@dataclass(frozen=True)
class BoardValues:
    """``values``: float64, one a board, nan where none can be; ``radius``: float32, the certified half-width."""

    values: Floats
    radius: NDArray[np.float32]
    method: str
    n_boards: int
    work: Work


class BoardSolver:
    """Solves all boards of a duel or a game alone; ``backups``: those of its roots, if not the graph's own."""

    written_once = False  # values of boards that are not done yet are first guesses

    def __init__(
        self,
        game: TurnGame,
        graph: TurnGraph,
        *,
        workers: int | None = None,
        compiled: bool | None = None,
        tolerance: float = 1e-9,
        uses: Uses = WORTHS,
        backups: Sequence[Any] | None = None,
    ) -> None:
        self.game = game
        self.graph = graph
        self.tolerance = tolerance
        self.space = game.boards()
        n = self.space.size
        self.workers = workers or n_workers()
        self.level_of, self.root_of, self.order_of = columns_of(game, self.workers)
        self.n_possible = int((self.level_of >= 0).sum())
        work = self.n_possible * graph.n_edges
        self.compiled = work > PLAIN_WORK if compiled is None else compiled
        self.workers = self.workers if self.compiled and work > 1e8 else 1
        self.constants = Constants(n)
        n_backups = self.n_possible * (PASSES if game.cyclic else 1)
        made = (make_backup(graph, int(root), game.sense, self.compiled, n_backups) for root in graph.roots)
        self.backups = backups or list(made)
        self.settler = TransitionReader(game, graph, self.constants, self.backups[0].look_up, uses)
        self.cut = any(leaf.result == NO_RESULT and leaf.lower != leaf.upper for leaf in graph.leaves)
        self.has_sure = has_sure(game)
        bounded = game.cyclic or self.cut  # else boards of a level have one radius
        self.arrays = BoardArrays(game, graph, self.settler, self.level_of, self.order_of, bounded=bounded)
        self._fresh: list[tuple[Ints, list[Floats], float]] = []  # of the present level: boards, backups, their size
        self.local = np.zeros(n, dtype=np.int32)  # the place of each board of the present chunk in it
        self._rooms: dict[int, Room] = {}  # of the threads that go through a game without cycles
        self.level_radius = 0.0  # the largest so far of levels without cycles
        self.done_level: int | None = None
        self.saves = Saves(lambda: None)

    # --- the whole ---------------------------------------------------------------------------------------------

    def solve(
        self, progress: Callable[[float], None] | None = None, save: Callable[[], None] | None = None
    ) -> BoardValues:
        """Solve every board; raises NotConverged with the width reached, ModelError for a game file's mistake.

        ``progress`` hears the share done, 0 to 1; ``save`` is called now and then, when there is something new to keep.
        """
        self.arrays.write_constants()
        self.progress = progress or (lambda share: None)
        self.saves = Saves(save or (lambda: None))
        done = int((self.level_of >= self.done_level).sum()) if self.done_level is not None else 0
        together = AT_ONCE if self.game.cyclic else 1
        for boards in last_level_first(self.level_of, self.done_level, together):
            counts: list[int] = []

            def after(step: int, counts: list[int] = counts) -> None:
                nonlocal done
                done += counts[step]
                self.progress(done / self.n_possible)

            steps = []
            for count, step in self._steps(boards):
                counts.append(count)
                steps.append(step)
            Team(self.workers).run(steps, after)
            self.done_level = int(self.level_of[boards].min())
            self.maybe_save()
        return self._result()

    def maybe_save(self) -> None:
        """Let a checkpoint be written if the last is some time ago."""
        self.saves.maybe()

    def checkpoint(self) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """All that is needed to go on from here: arrays, and plain data."""
        n = self.space.size
        arrays: dict[str, NDArray[Any]] = {"value": self.arrays.value[:n], "radius": self.arrays.radius}
        if self.game.cyclic:
            arrays["waits"] = self.arrays.waits[:n]
        return arrays, {
            "slack": self.arrays.slack,
            "level_radius": self.level_radius,
            "scale": self.arrays.scale,
            "level": self.done_level,
            "methods": sorted(self.arrays.work.methods),
        }

    def fits(self, arrays: Mapping[str, NDArray[Any]], state: Mapping[str, Any]) -> bool:
        """Can ``resume`` take this? Arrays of the right kind, and bounds where it says that boards are done."""
        return fits_levels(arrays, state, self.checkpoint(), self.level_of)

    def resume(self, arrays: dict[str, NDArray[Any]], state: dict[str, Any]) -> None:
        """Go on from a checkpoint: levels from ``state['level']`` on are done, other values are first guesses."""
        n = self.space.size
        value, radius = arrays["value"], arrays["radius"]
        self.arrays.guess = value
        done = self.level_of >= (n if state["level"] is None else state["level"])
        self.arrays.value[:n][done], self.arrays.radius[done] = value[done], radius[done]
        if self.game.cyclic:
            self.arrays.waits[:n][done] = arrays["waits"][done]
        if self.arrays.upper is not self.arrays.value:
            self.arrays.bound(np.flatnonzero(done))
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
        """(boards finished, step) in order."""
        if not self.game.cyclic:
            for root, of_root in self._by_root(boards):
                pieces = np.array_split(of_root, -(-len(of_root) // AT_ONCE))
                yield len(of_root), [lambda piece=piece, root=root: self._straight(piece, root) for piece in pieces]
            self.arrays.work.methods.add("one backup a board")
            yield 0, [lambda: self._close_level(boards)]
            return
        groups = [self._group(of_root, root) for root, of_root in self._by_root(boards)]
        self.arrays.write_constants()
        yield from _Plan(self, boards, groups).steps()
        if self.has_sure:
            yield 0, [lambda: mark_almost_sure(self.arrays, groups)]

    def _by_root(self, boards: Ints) -> Iterator[tuple[int, Ints]]:
        """(root, those of these boards whose turns start there)."""
        if len(self.backups) == 1:
            yield 0, boards
            return
        for root in np.unique(self.root_of[boards]).tolist():
            yield root, boards[self.root_of[boards] == root]

    def _group(self, boards: Ints, root: int, room: Room | None = None) -> RootGroup:
        moves = self.settler.transitions(self.backups[root].leaves, boards, room)
        return RootGroup(boards, moves, self.backups[root])

    def _straight(self, boards: Ints, root: int) -> None:
        """Boards of a game without cycles: settle, back up once; ``_close_level`` puts the values into their place."""
        group = self._group(boards, root, self._rooms.setdefault(threading.get_ident(), Room()))
        self.arrays.write_constants()
        end, total, lower, upper = len(boards), float(self.game.total), self.arrays.lower, self.arrays.upper
        sides = ((lower, upper), (upper, lower)) if self.cut else ((self.arrays.value, self.arrays.value),)
        found, places, unknown = [], np.arange(end), 0
        backup = group.backup.in_columns(boards) if group.backup.by_board else group.backup
        for values, other in sides:
            found.append(np.empty(end))
            unknown += backup.values(group.moves, values, other, total, places, found[-1], slice(0, end))
        if unknown:  # a board of this level, or one that is solved after it
            self._check_levels(group)
        self.arrays.require_finite(boards, found[-1])
        if self.has_sure:
            self._make_sure(group, found)
        self._fresh.append((boards, found, float(np.max(np.abs(found)))))
        self.arrays.count(group, len(sides))

    def _make_sure(self, group: RootGroup, found: list[Floats]) -> None:
        """In what one backup has found, 0 and 1 are to be exactly so: what only came out as such is moved by a unit."""
        for sure, bound in ((0.0, found[0]), (1.0, found[-1])):
            near = np.flatnonzero(np.abs(bound - sure) <= self.arrays.error())
            if not len(near):
                continue
            is_sure = are_sure(self.arrays, group.of(near), sure, self.arrays.out)
            for side in found:
                side[near] = np.where(is_sure, sure, np.clip(side[near], UNIT, 1 - UNIT))

    def _check_levels(self, group: RootGroup) -> None:
        """Raise ModelError where a turn leads to a board that is not solved before or with this one."""
        here = self.level_of[group.boards]
        least = here if self.game.cyclic else here + 1
        for row in group.moves.ends:
            wrong = self.arrays.padded_level[row >> 1] < least
            if wrong.any():
                i = int(np.flatnonzero(wrong)[0])
                source, target = (self.space.board(int(b)) for b in (group.boards[i], row[i] >> 1))
                raise ModelError(f"{self.game} goes from {source} to {target}, which comes no later")

    def _close_level(self, boards: Ints) -> None:
        """Bounds of a level that was backed up once: the next level's, and this backup's rounding four times over."""
        arrays = self.arrays
        for some, found, size in self._fresh:
            arrays.scale = max(arrays.scale, size)
            arrays.value[some] = found[0] if len(found) == 1 else (found[0] + found[1]) / 2
            for bound, side in zip((arrays.lower, arrays.upper), found if self.cut else (), strict=False):
                bound[some] = side
        self._fresh.clear()
        if not self.cut:
            self.level_radius += 4 * arrays.error()
            arrays.radius[boards] = round_up(np.array([self.level_radius]))
        else:
            arrays.radius[boards] = round_up((arrays.upper[boards] - arrays.lower[boards]) / 2 + 8 * arrays.error())
        if self.has_sure:
            arrays.radius[boards[np.isin(arrays.value[boards], arrays.limits)]] = 0.0
        if self.cut:
            arrays.bound(boards)


class _Plan:
    """Steps for a chunk of boards with cycles: components by rank, small ones shared out, large ones together."""

    def __init__(self, solver: BoardSolver, boards: Ints, groups: list[RootGroup]) -> None:
        self.solver = solver
        self.arrays = solver.arrays
        self.boards = boards
        self.groups = groups
        self.local = solver.local
        self.local[boards] = np.arange(len(boards))
        self.group_of, self.column = np.empty((2, len(boards)), dtype=np.int64)
        self.larger: list[tuple[float, float]] = []  # the scale and slack that steps since the last have come to
        source, target = [], []
        edges = 0
        for number, group in enumerate(groups):
            solver._check_levels(group)
            mine = self.local[group.boards]
            self.group_of[mine], self.column[mine] = number, np.arange(len(mine))
            here = solver.level_of[group.boards]
            for row in group.moves.ends:
                following = row >> 1
                inside = np.flatnonzero(following < solver.space.size)
                inside = inside[solver.level_of[following[inside]] == here[inside]]
                edges += len(inside)
                if edges <= MOST_EDGES:
                    source.append(mine[inside])
                    target.append(self.local[following[inside]])
        self.source = np.concatenate(source) if source else np.zeros(0, dtype=np.int64)
        self.target = np.concatenate(target) if target else np.zeros(0, dtype=np.int64)
        levels = solver.level_of[boards].astype(np.int64)
        if edges > MOST_EDGES:
            self.component, self.rank = levels, np.zeros_like(levels)
            self.looped = np.ones(len(boards), dtype=bool)
            self.source = self.target = np.zeros(0, dtype=np.int64)  # cut short: say nothing of who follows whom
        else:
            self.component, self.rank, self.looped = components(len(boards), self.source, self.target)

    def steps(self) -> Iterator[tuple[int, Any]]:
        """(boards finished, step) in order."""
        solver = self.solver
        level = solver.level_of[self.boards].astype(np.int64)
        sizes = np.bincount(self.component)[self.component]
        self.follows = self._followers()
        keys = (-level) * (self.rank.max() + 1) + self.rank
        by_key = np.argsort(keys, kind="stable")
        cuts = np.flatnonzero(np.diff(keys[by_key])) + 1
        for nodes in np.split(by_key, cuts):
            straight = nodes[~self.looped[nodes]]
            small = nodes[self.looped[nodes] & (sizes[nodes] <= SMALL)]
            large = nodes[self.looped[nodes] & (sizes[nodes] > SMALL)]
            jobs: list[Any] = []
            if len(straight):
                jobs.append(lambda nodes=straight: self._straight(nodes))
            jobs += self._newton(small, sizes) if len(small) else ()
            if jobs:
                yield len(straight) + len(small), jobs
                yield 0, [self._raise_slack]
            for name in np.unique(self.component[large]):
                inside = large[self.component[large] == name]
                yield len(inside), LargeComponent(self.arrays, self._groups_of(inside), solver.maybe_save)

    def _raise_slack(self) -> None:
        """After a step, whoever of its jobs was first: the same numbers each time."""
        for scale, slack in self.larger:
            self.arrays.scale, self.arrays.slack = max(self.arrays.scale, scale), max(self.arrays.slack, slack)
        self.larger.clear()

    def _groups_of(self, nodes: Ints) -> list[RootGroup]:
        numbers, columns = self.group_of[nodes], self.column[nodes]
        return [self.groups[number].of(np.sort(columns[numbers == number])) for number in np.unique(numbers)]

    def _straight(self, nodes: Ints) -> None:
        """Boards that lead to solved ones only: their bounds are backed up as they are, the waits come along."""
        arrays, scale = self.arrays, 0.0
        for group in self._groups_of(nodes):
            boards = group.boards
            for bound, other in ((arrays.upper, arrays.lower), (arrays.lower, arrays.upper)):
                arrays.back_up(group, bound, other, arrays.out)
                bound[boards] = arrays.out[boards]
            arrays.waits[boards] = 1.0
            if bool((group.moves.ends >> 1 < len(arrays.level_of)).any()):  # else each turn is the last
                arrays.carry([group], arrays.waits, 1.0)
                arrays.waits[boards] += arrays.out_dual[boards]
            arrays.value[boards] = arrays.out[boards]  # of a last turn that is the lower bound
            arrays.require_finite(boards, arrays.value[boards])
            scale = max(scale, float(np.max(np.abs(arrays.value[boards]))))
            far = np.maximum(arrays.upper[boards] - arrays.value[boards], arrays.value[boards] - arrays.lower[boards])
            arrays.radius[boards] = round_up(np.maximum(far, 0.0) + 4 * arrays.error(scale))
            arrays.bound(boards)
        self.larger.append((scale, 4 * arrays.error(scale)))
        arrays.work.methods.add("one backup a board")

    def _newton(self, nodes: Ints, sizes: Ints) -> Iterator[Callable[[], None]]:
        self.arrays.work.methods.add("Newton on small components")
        for size in np.unique(sizes[nodes]):
            of_size = nodes[sizes[nodes] == size]
            members = of_size[np.argsort(self.component[of_size], kind="stable")].reshape(-1, size)
            for piece in np.array_split(members, min(-(-len(members) // FEW), PIECES)):
                follows = self.follows[piece]
                known = follows if (follows >= 0).all() else None
                yield partial(self._solve_few, self._groups_of(piece.ravel()), self.boards[piece], known)

    def _solve_few(self, *these: Any) -> None:
        job = SmallComponents(self.arrays, *these)
        job.run()
        self.larger.append((job.scale, job.slack))

    def _followers(self) -> Ints:
        """For nodes that lead to one node of their component only, its place there (in node order); -1 for others."""
        count = len(self.boards)
        inner = self.component[self.source] == self.component[self.target]
        source, target = self.source[inner], self.target[inner]
        low, high = np.full(count, count), np.full(count, -1)
        np.minimum.at(low, source, target)
        np.maximum.at(high, source, target)
        by_component = np.argsort(self.component, kind="stable")
        starts = np.cumsum(np.bincount(self.component)) - np.bincount(self.component)
        place = np.empty(count, dtype=np.int64)
        place[by_component] = np.arange(count) - starts[self.component[by_component]]
        return np.where(low == high, place[np.minimum(low, count - 1)], -1)
