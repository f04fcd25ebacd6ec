"""Forward pass of a forecast: level by level from one board on, turn by turn, window by window.

``solver.policy.forecast`` describes the method, ``solver.policy.flow_kernels`` has the loops.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from math import fsum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.components.groups import split_by_root
from rollwise.solver.components.team import Team
from rollwise.solver.model.errors import BadInput, ModelError, NotConverged, TooLarge
from rollwise.solver.model.game import TurnGame
from rollwise.solver.model.sheet import Line, ScoreSheet, lines_of
from rollwise.solver.model.spaces import Columns
from rollwise.solver.policy import flow_kernels as kernels
from rollwise.solver.policy.flow_kernels import FRESH, PAGE_SIZE
from rollwise.solver.turn.arrays import UNIT
from rollwise.solver.turn.graph import TurnGraph
from rollwise.solver.turn.kernels import EVEN, MEAN, SHIFT, TurnEnds, compile_program
from rollwise.solver.turn.perspective import Constants
from rollwise.solver.turn.query import Read
from rollwise.solver.turn.transition_reader import TransitionReader

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
BLOCK_BOARDS = 8192  # boards whose turns are backed up together
READ_BLOCK_BOARDS = 1 << 20  # boards whose values are read together
LARGE_LEVEL_BOARDS = 1 << 17  # boards up to which a level stays whole (where a game has no lines, larger ones do too)
MAX_LEVEL_LOSS = 1e-11  # probability that may be left out of a larger level
PAGE_LOSS_FACTOR = 2.0**-20  # times the threshold for pages of a level: smaller additions to a page are left out
MIN_CHANCE = 1e-280  # smaller chances would be rounded off
MAX_PAGES = 3 << 22  # pages of chances: 3 GB in memory if all were used
SUM_GROUP_BOARDS = 128  # boards summed up apart, before their sum joins the total
MAX_REPEAT_LINES = 8  # lines that may earn points again and again


# --- the forecast --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class LineForecast:
    """Points still to come of a line: their mean, and the chance that there are any.

    For a line that may earn points again and again, ``chance`` is the mean number of times.
    """

    mean: float
    chance: float


@dataclass(frozen=True)
class Forecast:
    """Distribution of the points still to come, from a board to the end.

    ``chances``: float64, by number of points, with relative error ``off``; ``lines``: by name, with relative error
    ``off_lines``. All may lack ``lost``, the probability that was left out (a mean lacks no more than that times the
    most points that its line holds). ``again``: the chance that lines which may earn points again and again earn some,
    with absolute error ``off_again`` plus ``lost``. ``n_boards``: number of boards reached.
    """

    chances: Floats
    lines: dict[str, LineForecast]
    again: dict[str, float]
    off: float
    off_lines: float
    off_again: float
    lost: float
    n_boards: int

    @property
    def mean(self) -> float:
        """Mean of the points, without the probability that was left out."""
        return fsum((self.chances * np.arange(len(self.chances))).tolist())


# --- one turn --------------------------------------------------------------------------------------------------------


class ForwardTurn:
    """The turn from one root, compiled: every node in a row of its own.

    ``leaves`` are those of the graph, in the order of its transitions; ``grouped``, ``result`` and ``sorted`` have the
    same leaves in another order, leaves with one successor together.
    """

    def __init__(self, game: TurnGame, graph: TurnGraph, root: int) -> None:
        program = compile_program(graph, root, game.sense, reuse=False)
        self.program = program
        self.leaves = program.leaves
        row = program.ends.of_leaf.copy()
        earning = (program.ends.own != 0) | (program.leaves == root)  # these write rows of their own, in this order
        ops = program.operations.ops
        row[earning] = ops[ops[:, 0] == SHIFT, 1]
        order = np.argsort(program.ends.of_leaf, kind="stable")
        self.grouped = kernels.Leaves(row[order], program.ends.of_leaf[order], program.ends.own[order])
        self.sorted = self.leaves[order]
        self.result = np.array([graph.leaves[leaf].result for leaf in self.sorted.tolist()], dtype=np.int16)
        self.shared = int(np.bincount(self.grouped.of_leaf).max())  # so many leaves at most lead to one board
        self.roundings, self.choices = _path_lengths(ops, program.operations.args, program.operations.n_rows)

    def ends_of(
        self, reader: TransitionReader, boards: Ints, values: Floats, total: float, tie: float
    ) -> tuple[kernels.BlockEnds, int]:
        """The ends of these boards' turns under the optimal policy, and the number of those without whole points.

        ``values`` are those of boards, with room for endings; see ``solver.policy.flow_kernels.flow``.
        """
        moves = reader.transitions(self.leaves, boards)
        reader.constants.write(values, reader.game.sense, -1)
        cap, size = len(boards) * len(self.leaves), reader.constants.n_boards
        start, leaf, chance = np.empty(len(boards) + 1, dtype=np.int64), np.empty(cap, dtype=np.int16), np.empty(cap)
        target, points = np.empty(cap, dtype=np.int32), np.empty(cap, dtype=np.int32)
        arrays = kernels.BlockEnds(start, leaf, target, points, chance)
        reached = TurnEnds(moves.ends, moves.extra, moves.extra_of)
        n_wrong = kernels.flow(self.program.operations, self.grouped, reached, values, size, total, tie, arrays)
        n = int(start[-1])
        return kernels.BlockEnds(start, leaf[:n], target[:n], points[:n], chance[:n]), int(n_wrong)


def _path_lengths(ops: Ints, args: NDArray[np.uint32], n_rows: int) -> tuple[int, int]:
    """Largest numbers of roundings of a probability, and of choices, on the way from the root to a leaf."""
    before, arrivals, choices = [0] * n_rows, [0] * n_rows, [0] * n_rows
    for kind, row, first, count in ops[::-1].tolist():
        if kind == SHIFT:
            continue
        throws = kind in (EVEN, MEAN)
        here = before[row] + arrivals[row] + (3 if throws else 0)  # one over the sum of weights, times that, by weight
        for child in args[first : first + count].tolist():
            before[child] = max(before[child], here)
            choices[child] = max(choices[child], choices[row] + (0 if throws else 1))
            arrivals[child] += 1
    return max(way + arrived for way, arrived in zip(before, arrivals, strict=True)), max(choices)


@dataclass
class _Sums:
    """Points and chances of lines on some boards, to be added up; each is itself a sum of at most ``most`` terms."""

    points: list[tuple[str, float]] = field(default_factory=list)
    chances: list[tuple[str, float]] = field(default_factory=list)
    most: int = 0

    def add(self, line: str, points: float, chance: float) -> None:
        self.points.append((line, points))
        self.chances.append((line, chance))


@dataclass(frozen=True)
class _Flow:
    """Ends of the turns of some boards; ``ends`` and ``clean`` as in ``solver.policy.flow_kernels.move``."""

    boards: Ints
    ends: kernels.BlockEnds
    clean: NDArray[np.uint8]


# --- windows ---------------------------------------------------------------------------------------------------------


class _Windows:
    """Windows of all boards that are reached and not yet propagated; see ``solver.policy.flow_kernels``.

    Behind the boards stand endings, one a worker.
    """

    def __init__(self, n_boards: int, n_again: int, workers: int) -> None:
        self.n_boards = n_boards
        self.workers = workers
        self.n_pages = min(MAX_PAGES, 64 * (n_boards + workers) + 64)
        self.first = np.zeros(n_boards + workers, dtype=np.int32)
        self.pages = np.zeros(self.n_pages * PAGE_SIZE)  # pages of zeros that are never used take no memory
        self.all = kernels.Windows(self.first, self.pages, np.zeros(self.n_pages * kernels.HEAD_SIZE, dtype=np.int32))
        self.sums = np.zeros(self.n_pages)
        self.never = np.zeros((n_again, n_boards + workers))
        cuts = 1 + (self.n_pages - 1) * np.arange(workers + 1) // workers
        self.stock = np.array([[0, low, high] for low, high in pairwise(cuts)])

    def begin(self, board: int, chance: float) -> None:
        """Start on a board with this probability and no points."""
        stock = self.stock[kernels.worker_of(board, self.workers)]
        page = int(stock[FRESH])
        stock[FRESH] += 1
        self.first[board] = page
        self.pages[page * PAGE_SIZE] = chance
        self.never[:, board] = chance

    def boards(self) -> Ints:
        """Indices of the boards that have windows."""
        return np.flatnonzero(self.first[: self.n_boards])

    def endings(self) -> Ints:
        """Indices of the endings behind the boards."""
        return self.n_boards + np.arange(self.workers)

    def weigh(self, boards: Ints) -> tuple[Floats, Floats, Floats, int, int]:
        """(chance of each board, chances by size of boards, and of pages, most additions, most pages covered)."""
        mass, by_board, by_page = np.zeros(len(boards)), np.zeros(kernels.N_SIZES), np.zeros(kernels.N_SIZES)
        most, span = kernels.weigh(boards, self.all, self.sums, mass, by_board, by_page)
        return mass, by_board, by_page, int(most), int(span)

    def trim(self, boards: Ints, mass: Floats, least_board: float, least_page: float, worker: int) -> float:
        """Leave out unlikely boards and pages of one worker's boards; returns the probability that is lost."""
        stock = self.stock[worker]
        return kernels.trim(boards, mass, least_board, least_page, self.all, self.sums, stock, worker, self.workers)

    def free(self, boards: Ints, worker: int) -> None:
        """Free the windows of boards that are propagated."""
        self.trim(boards, np.zeros(len(boards)), np.inf, np.inf, worker)

    def move(self, flow: _Flow, worker: int, span: int, least: float) -> float:
        """Move windows of some boards on to one worker's boards; returns the probability that is lost, or -1."""
        stock, workers = self.stock[worker], self.workers
        return kernels.move(
            flow.boards, flow.ends, flow.clean, self.all, self.never, stock, worker, workers, span, least
        )

    def unfold(self, boards: Ints) -> Floats:
        """Sum of the windows of some boards, by points."""
        sums: Floats = kernels.unfold(boards, self.all)
        return sums


# --- the forward pass ------------------------------------------------------------------------------------------------


class ForwardPass:
    """One forward pass from boards with their chances, together 1; see ``solver.policy.forecast.forecast``.

    ``roundings`` are those of the present windows; ``of_lines`` and ``of_never`` those of the sums over boards;
    ``choices`` is the largest number of decisions so far. Moves within ``tie`` of each other may be equally good.
    """

    def __init__(
        self,
        game: TurnGame,
        graph: TurnGraph,
        read: Read,
        start: Mapping[int, float],
        workers: int,
        report: Callable[[float], None],
    ) -> None:
        self.game, self.graph, self.read, self.start, self.report = game, graph, read, start, report
        self.space = game.boards()
        n = self.space.size
        self.workers = workers if n > BLOCK_BOARDS else 1
        self.constants = Constants(n)
        self.reader = TransitionReader(game, graph, self.constants)
        self.turns = [ForwardTurn(game, graph, int(root)) for root in graph.roots]
        self.values = self.constants.room(np.nan)
        for begin in range(0, n, READ_BLOCK_BOARDS):
            some = np.arange(begin, min(n, begin + READ_BLOCK_BOARDS))
            self.values[some] = read(some)[0]
        self.lines: Mapping[str, Line] = lines_of(game)
        self.again = [name for name, line in self.lines.items() if line.each]
        if len(self.again) > MAX_REPEAT_LINES:
            raise ModelError(f"{game} has more than {MAX_REPEAT_LINES} lines that earn points again and again")
        try:
            self.windows = _Windows(n, len(self.again), self.workers)
        except MemoryError as error:
            raise TooLarge(f"there is not enough memory for the forecast of {game}") from error
        values, radii = read(np.array(list(start)))
        self.value = fsum(chance * value for chance, value in zip(start.values(), values.tolist(), strict=True))
        self.radius = float(radii.max())  # nothing later is less certain
        self.tie = 2 * self.radius
        self.roundings = self.of_lines = self.of_never = self.choices = 0
        self.lost: list[float] = []
        self.sums: list[_Sums] = []
        self.n_boards = 0

    def run(self) -> Forecast:
        """Propagate level after level until every game is over."""
        for board, chance in self.start.items():
            self.windows.begin(board, chance)
        from_level, last = self._levels()
        level = from_level - 1
        while len(boards := self.windows.boards()):
            levels = self._level(boards)
            if int(levels.min()) <= level:
                raise ModelError(f"{self.game} goes from level {level} to level {int(levels.min())}")
            level = int(levels.min())
            n_levels = max(level, last) - from_level + 1
            self._propagate(boards[levels == level], partial(self._share, level - from_level, n_levels))
        return self._result()

    def _share(self, n_before: int, n_levels: int, done: float) -> None:
        self.report((n_before + done) / n_levels)

    def _level(self, boards: Ints) -> Ints:
        levels = self.game.level(self.space.columns(boards))
        return np.broadcast_to(np.asarray(0 if levels is None else levels), len(boards))

    def _levels(self) -> tuple[int, int]:
        """The level of the start and, for the progress bar, the highest level of a sample of boards."""
        some = np.linspace(0, self.space.size - 1, 4096).astype(np.int64)
        possible = some[np.broadcast_to(self.game.possible(self.space.columns(some)), len(some))]
        here = int(self._level(np.array(list(self.start))).min())
        return here, int(self._level(possible).max(initial=here))

    def _propagate(self, boards: Ints, share: Callable[[float], None]) -> None:
        """Propagate one level, whose windows are complete, to later levels."""
        mass, by_board, by_page, n_added, span = self.windows.weigh(boards)
        self.roundings += n_added
        self.n_boards += len(boards)
        min_page = MIN_CHANCE
        if len(boards) > LARGE_LEVEL_BOARDS and self.lines:
            min_page = PAGE_LOSS_FACTOR * _loss_threshold(by_page)
            self._trim(boards, mass, _loss_threshold(by_board), _loss_threshold(by_page))
            boards, mass = boards[mass > 0], mass[mass > 0]
        jobs = self._jobs(boards)
        of_turn = max(self.turns[root].roundings for root, _ in jobs)
        self.of_lines = max(self.of_lines, self.roundings + span + PAGE_SIZE + of_turn + 2 * SUM_GROUP_BOARDS + 8)
        self.of_never += of_turn + 2 + len(boards) * max(self.turns[root].shared for root, _ in jobs)
        flows: list[_Flow] = []

        def turn(root: int, part: Ints) -> None:
            flows.append(self._flow(self.turns[root], boards[part], mass[part]))

        def sort_flows() -> None:
            flows.sort(key=lambda flow: int(flow.boards[0]))  # the same sums each time, whichever worker is first

        def move(worker: int) -> None:
            for flow in flows:
                lost = self.windows.move(flow, worker, span, min_page)
                if lost < 0:
                    n_pages = self.windows.n_pages
                    raise TooLarge(f"the forecast of {self.game} takes more than {n_pages:,} pages")
                self.lost.append(lost)

        def free(worker: int) -> None:
            for flow in flows:
                self.windows.free(flow.boards, worker)

        steps: list[list[Callable[[], None]]] = []
        for begin in range(0, len(jobs), self.workers):
            steps.append([partial(turn, *job) for job in jobs[begin : begin + self.workers]])
            steps.append([sort_flows])
            steps += [[partial(step, worker) for worker in range(self.workers)] for step in (move, free)]
            steps.append([flows.clear])
        Team(self.workers).run(steps, lambda step: share((step + 1) / len(steps)))
        self.roundings += of_turn + 1
        self.choices += max(self.turns[root].choices for root, _ in jobs)

    def _jobs(self, boards: Ints) -> list[tuple[int, Ints]]:
        """(root, places of boards whose turns start there), in pieces."""
        jobs = []
        for root, mine in split_by_root(self.game, boards):
            pieces = max(-(-len(mine) // BLOCK_BOARDS), min(self.workers, len(mine) // SUM_GROUP_BOARDS), 1)
            jobs += [(root, piece) for piece in np.array_split(mine, pieces)]
        return jobs

    def _trim(self, boards: Ints, mass: Floats, least_board: float, least_page: float) -> None:
        def one(worker: int) -> None:
            self.lost.append(self.windows.trim(boards, mass, least_board, least_page, worker))

        Team(self.workers).run([[partial(one, worker) for worker in range(self.workers)]], lambda step: None)

    # --- turns -------------------------------------------------------------------------------------------------------

    def _flow(self, turn: ForwardTurn, boards: Ints, mass: Floats) -> _Flow:
        """The ends of these boards' turns; points of lines are booked on the way."""
        ends, n_wrong = turn.ends_of(self.reader, boards, self.values, 0.0, self.tie)
        if n_wrong:
            raise BadInput(f"a forecast is of whole points, 0 or more; {self.game} has others")
        clean = np.full(len(ends.leaf), (1 << len(self.again)) - 1, dtype=np.uint8)
        flow = _Flow(boards, ends, clean)
        if isinstance(self.game, ScoreSheet):
            self.sums.append(self._book(self.game, turn, flow, mass))
        return flow

    def _book(self, sheet: ScoreSheet, turn: ForwardTurn, flow: _Flow, mass: Floats) -> _Sums:
        """Book points of lines: a turn's own points go to the line of its result, the game splits what boards add.

        Ends by which a line that may earn points again and again earns some are cleared in ``flow.clean``.
        """
        sums = _Sums()
        ends, earns = flow.ends, turn.grouped.own
        of_leaf, n = np.zeros(len(earns)), len(ends.leaf)
        which, source, weight = np.empty(n, dtype=np.int32), np.empty(n, dtype=np.int32), np.empty(n)
        n = kernels.book(ends, mass, earns, of_leaf, SUM_GROUP_BOARDS, which, source, weight)
        for x in np.flatnonzero((of_leaf > 0) & (earns > 0)).tolist():
            line = sheet.line(self.graph.results[int(turn.result[x])])
            self._require(line, float(earns[x]))
            sums.add(line, float(of_leaf[x] * earns[x]), float(of_leaf[x]))
            if line in self.again:
                self._strike(line, flow, ends.leaf == x)
        result = turn.result[ends.leaf[which[:n]]]
        order = np.argsort(result, kind="stable")
        result, which, weight = result[order], which[order], weight[order]
        own = earns[ends.leaf[which]]
        columns = self.space.columns(flow.boards[source[order]]).as_dict()
        for low, high in pairwise([0, *(np.flatnonzero(np.diff(result)) + 1).tolist(), n]) if n else ():
            here = slice(low, high)
            some = Columns({name: column[..., here] for name, column in columns.items()})
            ended = self.graph.results[int(result[low])]
            lines = sheet.line(ended), sheet.booked(some, ended)
            added = self._book_result(*lines, which[here], weight[here], own[here], flow, sums)
            if (added != ends.points[which[here]] - own[here]).any():
                raise ModelError(f"what {self.game} books for {ended} is not what transition earns")
        return sums

    def _book_result(
        self, first: str, booked: Mapping[str, Any], which: Any, weight: Floats, own: Floats, flow: _Flow, sums: _Sums
    ) -> Floats:
        """Book the ends of one result, whose own line is ``first``, each on its board; returns the points of each."""
        added = np.zeros(len(weight))
        for line, column in booked.items():
            points = np.broadcast_to(np.asarray(column, dtype=np.float64), len(weight))
            gains = points > 0
            if not gains.any():
                continue
            self._require(line, float(points.max()))
            added += points
            if line in self.again:
                self._strike(line, flow, which[gains])
            if line == first:  # where the turn itself earns, its chance is counted already
                gains = gains & (own == 0)
            sums.add(line, float((weight * points).sum()), float((weight * gains).sum()))
        sums.most = max(sums.most, len(weight))
        return added

    def _strike(self, line: str, flow: _Flow, which: Any) -> None:
        flow.clean[which] &= np.uint8(255 - (1 << self.again.index(line)))

    def _require(self, line: str, points: float) -> None:
        if line not in self.lines or points > self.lines[line].most:
            raise ModelError(f"{self.game} has no line '{line}' for {points:g} points")

    # --- the result --------------------------------------------------------------------------------------------------

    def _result(self) -> Forecast:
        endings = self.windows.endings()
        n_added = self.windows.weigh(endings)[3]
        points: dict[str, list[float]] = {line: [] for line in self.lines}
        chances: dict[str, list[float]] = {line: [] for line in self.lines}
        for sums in self.sums:
            for line, number in sums.points:
                points[line].append(number)
            for line, number in sums.chances:
                chances[line].append(number)
        lost = fsum(self.lost)
        forecast = Forecast(
            chances=self.windows.unfold(endings),
            lines={line: LineForecast(fsum(points[line]), fsum(chances[line])) for line in self.lines},
            again={
                line: 1 - fsum(part[endings].tolist())
                for line, part in zip(self.again, self.windows.never, strict=True)
            },
            off=_relative_error(self.roundings + n_added + self.workers),
            off_lines=_relative_error(self.of_lines + 4 + max((sums.most for sums in self.sums), default=0)),
            off_again=_relative_error(self.of_never + 4),
            lost=lost * (1 + 1e-6) + MIN_CHANCE
            if lost
            else 0.0,  # fewer than 2e9 numbers were added up, and small ones lost
            n_boards=self.n_boards,
        )
        self._check(forecast)
        return forecast

    def _check(self, result: Forecast) -> None:
        """Raise NotConverged unless all chances add up to 1, and the mean is the value, less the cost of ties."""
        total_chance = fsum(result.chances.tolist())
        if not abs(total_chance - 1) <= 2 * result.off + result.lost:
            raise NotConverged(f"the chances of {self.game} add up to {total_chance!r}", abs(1 - total_chance))
        most = sum(line.most for line in self.lines.values())
        gap = abs(result.mean - self.value)
        ties = self.radius + self.choices * 2 * self.tie
        if not gap <= ties + 2 * result.off * result.mean + result.lost * most + 4 * UNIT * self.value:
            raise NotConverged(f"the forecast of {self.game} has a mean {gap:.2g} off its value", gap)


def _relative_error(roundings: int) -> float:
    """The relative error of so many roundings."""
    return 1.001 * UNIT * roundings


def _loss_threshold(by_size: Floats) -> float:
    """A threshold such that chances below it add up to at most MAX_LEVEL_LOSS / 2."""
    below = np.cumsum(by_size[::-1])[::-1]  # of each size, with all that are smaller
    place = int(np.argmax(below <= MAX_LEVEL_LOSS / 2))
    return float(min(2.0**-place, MAX_LEVEL_LOSS))
