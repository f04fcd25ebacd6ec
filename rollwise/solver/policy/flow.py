"""The pass behind a forecast: level by level from one board on, turn by turn, window by window.

``solver.policy.forecast`` tells what comes of it, ``solver.policy.flow_kernels`` has the loops.
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

from rollwise.solver.components.groups import by_root
from rollwise.solver.components.team import Team
from rollwise.solver.model.errors import BadInput, ModelError, NotConverged, TooLarge
from rollwise.solver.model.game import TurnGame
from rollwise.solver.model.sheet import Line, ScoreSheet, lines_of
from rollwise.solver.model.spaces import Columns
from rollwise.solver.policy import flow_kernels as kernels
from rollwise.solver.policy.flow_kernels import FRESH, WIDE
from rollwise.solver.turn.arrays import UNIT
from rollwise.solver.turn.graph import TurnGraph
from rollwise.solver.turn.kernels import EVEN, MEAN, SHIFT, Reached, compile_program
from rollwise.solver.turn.perspective import Constants
from rollwise.solver.turn.query import Read
from rollwise.solver.turn.transition_reader import TransitionReader

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
AT_ONCE = 8192  # boards that are settled together
READ = 1 << 20  # values that are read together
MANY = 1 << 17  # boards up to which a level is kept whole (where a game has no lines, larger ones are too)
LOST_EACH = 1e-11  # of a larger level no more than this is left out
FAINT = 2.0**-20  # what moves on is left out if it is so much less than what was left out of its level
LEAST = 1e-280  # smaller chances would be rounded off
MOST_PAGES = 3 << 22  # pages of chances: 3 GB in memory if all were used
GROUP = 128  # boards that are added up before their sum is added on
BITS = 8  # lines that may earn points again and again


# --- what comes of it ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Booked:
    """What a line gets of the points still to come: their mean, and the chance that there are any.

    A line that may earn points again and again has no such ``chance`` here (it counts every time).
    """

    mean: float
    chance: float


@dataclass(frozen=True)
class Forecast:
    """The points still to come, from a board to the end.

    ``chances``: float64, by number of points, within ``off`` of the truth, relative to themselves; ``lines``: by name,
    within ``off_lines``, likewise. All may lack ``lost``, the chance of everything that was left out (a mean lacks no
    more than that times the most points that its line holds). ``again``: the chance that lines which may earn points
    again and again earn some, within ``off_again`` in absolute terms, and lacking ``lost``, or having it too much.
    ``n_boards`` were come to.
    """

    chances: Floats
    lines: dict[str, Booked]
    again: dict[str, float]
    off: float
    off_lines: float
    off_again: float
    lost: float
    n_boards: int

    @property
    def mean(self) -> float:
        """The mean of what was not left out."""
        return fsum((self.chances * np.arange(len(self.chances))).tolist())


# --- one turn --------------------------------------------------------------------------------------------------------


class FlowingTurn:
    """The turn from one root, compiled: every node in a row of its own.

    ``leaves`` are those of the graph, as they are settled; ``kept``, ``result`` and ``sorted`` tell of the same leaves
    in another order, those that lead to one board together.
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
        self.kept = kernels.Leaves(row[order], program.ends.of_leaf[order], program.ends.own[order])
        self.sorted = self.leaves[order]
        self.result = np.array([graph.leaves[leaf].result for leaf in self.sorted.tolist()], dtype=np.int16)
        self.shared = int(np.bincount(self.kept.of_leaf).max())  # so many leaves at most lead to one board
        self.roundings, self.choices = _on_the_way(ops, program.operations.args, program.operations.n_rows)

    def coming(
        self, settler: TransitionReader, boards: Ints, values: Floats, total: float, tie: float
    ) -> tuple[kernels.Coming, int]:
        """The ends to which the best play of these boards comes, and how many of them are not worth whole points.

        ``values`` are those of boards, with room for endings; see ``solver.policy.flow_kernels.flow``.
        """
        moves = settler.transitions(self.leaves, boards)
        settler.constants.write(values, settler.game.sense, -1)
        most, size = len(boards) * len(self.leaves), settler.constants.n_boards
        start, leaf, chance = np.empty(len(boards) + 1, dtype=np.int64), np.empty(most, dtype=np.int16), np.empty(most)
        target, points = np.empty(most, dtype=np.int32), np.empty(most, dtype=np.int32)
        room = kernels.Coming(start, leaf, target, points, chance)
        reached = Reached(moves.ends, moves.extra, moves.extra_of)
        wrong = kernels.flow(self.program.operations, self.kept, reached, values, size, total, tie, room)
        n = int(start[-1])
        return kernels.Coming(start, leaf[:n], target[:n], points[:n], chance[:n]), int(wrong)


def _on_the_way(ops: Ints, args: NDArray[np.uint32], n_rows: int) -> tuple[int, int]:
    """So many roundings at most, where chance runs down, and choices lie between the root and a leaf."""
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
    return max(way + came for way, came in zip(before, arrivals, strict=True)), max(choices)


@dataclass
class _Sums:
    """What lines get on some boards, points and chances, to be added up; none is itself a sum of more than ``most``."""

    points: list[tuple[str, float]] = field(default_factory=list)
    chances: list[tuple[str, float]] = field(default_factory=list)
    most: int = 0

    def add(self, line: str, points: float, chance: float) -> None:
        self.points.append((line, points))
        self.chances.append((line, chance))


@dataclass(frozen=True)
class _Flow:
    """The ends to which some boards come: see ``solver.policy.flow_kernels``; ``clean`` as ``move`` has it."""

    boards: Ints
    coming: kernels.Coming
    clean: NDArray[np.uint8]


# --- windows ---------------------------------------------------------------------------------------------------------


class _Windows:
    """The windows of all boards that were come to and not left yet; see ``solver.policy.flow_kernels``.

    Behind the boards stand endings, one a worker.
    """

    def __init__(self, n_boards: int, n_again: int, workers: int) -> None:
        self.n_boards = n_boards
        self.workers = workers
        self.n_pages = min(MOST_PAGES, 64 * (n_boards + workers) + 64)
        self.first = np.zeros(n_boards + workers, dtype=np.int32)
        self.pages = np.zeros(self.n_pages * WIDE)  # zeros that are never used take no memory
        self.all = kernels.Windows(self.first, self.pages, np.zeros(self.n_pages * kernels.HEAD, dtype=np.int32))
        self.sums = np.zeros(self.n_pages)
        self.never = np.zeros((n_again, n_boards + workers))
        cuts = 1 + (self.n_pages - 1) * np.arange(workers + 1) // workers
        self.stock = np.array([[0, low, high] for low, high in pairwise(cuts)])

    def begin(self, board: int, chance: float) -> None:
        """Come to a board, so likely, with no points."""
        stock = self.stock[kernels.worker_of(board, self.workers)]
        page = int(stock[FRESH])
        stock[FRESH] += 1
        self.first[board] = page
        self.pages[page * WIDE] = chance
        self.never[:, board] = chance

    def boards(self) -> Ints:
        """Those that have windows."""
        return np.flatnonzero(self.first[: self.n_boards])

    def endings(self) -> Ints:
        """What stands behind the boards."""
        return self.n_boards + np.arange(self.workers)

    def weigh(self, boards: Ints) -> tuple[Floats, Floats, Floats, int, int]:
        """(chance of each board, chances by size of boards, and of pages, most additions, most pages covered)."""
        mass, by_board, by_page = np.zeros(len(boards)), np.zeros(kernels.SIZES), np.zeros(kernels.SIZES)
        most, span = kernels.weigh(boards, self.all, self.sums, mass, by_board, by_page)
        return mass, by_board, by_page, int(most), int(span)

    def trim(self, boards: Ints, mass: Floats, least_board: float, least_page: float, worker: int) -> float:
        """Leave out unlikely boards and pages, of one worker's boards; the chance that is lost."""
        stock = self.stock[worker]
        return kernels.trim(boards, mass, least_board, least_page, self.all, self.sums, stock, worker, self.workers)

    def give_up(self, boards: Ints, worker: int) -> None:
        """Forget the windows of boards that are left."""
        self.trim(boards, np.zeros(len(boards)), np.inf, np.inf, worker)

    def move(self, flow: _Flow, worker: int, span: int, least: float) -> float:
        """Add what comes of some boards to the windows of one worker's boards; the chance that is lost, or -1."""
        stock, workers = self.stock[worker], self.workers
        return kernels.move(
            flow.boards, flow.coming, flow.clean, self.all, self.never, stock, worker, workers, span, least
        )

    def unfold(self, boards: Ints) -> Floats:
        """The windows of some boards together, by points."""
        found: Floats = kernels.unfold(boards, self.all)
        return found


# --- the pass --------------------------------------------------------------------------------------------------------


class Pass:
    """One run, from boards with their chances, together 1; see ``solver.policy.forecast.forecast``.

    ``roundings`` are those of the present windows; ``of_lines`` and ``of_never`` those of what was added up;
    ``choices`` are the decisions on the way so far, at most. Moves within ``tie`` of each other may be equally good.
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
        self.workers = workers if n > AT_ONCE else 1
        self.constants = Constants(n)
        self.settler = TransitionReader(game, graph, self.constants)
        self.turns = [FlowingTurn(game, graph, int(root)) for root in graph.roots]
        self.values = self.constants.room(np.nan)
        for begin in range(0, n, READ):
            some = np.arange(begin, min(n, begin + READ))
            self.values[some] = read(some)[0]
        self.lines: Mapping[str, Line] = lines_of(game)
        self.again = [name for name, line in self.lines.items() if line.each]
        if len(self.again) > BITS:
            raise ModelError(f"{game} has more than {BITS} lines that earn points again and again")
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
        """Level after level until every game is over."""
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
            self._take(boards[levels == level], partial(self._share, level - from_level, n_levels))
        return self._result()

    def _share(self, n_before: int, n_levels: int, done: float) -> None:
        self.report((n_before + done) / n_levels)

    def _level(self, boards: Ints) -> Ints:
        levels = self.game.level(self.space.columns(boards))
        return np.broadcast_to(np.asarray(0 if levels is None else levels), len(boards))

    def _levels(self) -> tuple[int, int]:
        """The level of the start, and, for a progress bar, the last one: that of the highest of some boards."""
        some = np.linspace(0, self.space.size - 1, 4096).astype(np.int64)
        possible = some[np.broadcast_to(self.game.possible(self.space.columns(some)), len(some))]
        here = int(self._level(np.array(list(self.start))).min())
        return here, int(self._level(possible).max(initial=here))

    def _take(self, boards: Ints, share: Callable[[float], None]) -> None:
        """One level: its windows are complete; they move on to later levels."""
        mass, by_board, by_page, most, span = self.windows.weigh(boards)
        self.roundings += most
        self.n_boards += len(boards)
        least = LEAST
        if len(boards) > MANY and self.lines:
            least = FAINT * _cut(by_page)
            self._trim(boards, mass, _cut(by_board), _cut(by_page))
            boards, mass = boards[mass > 0], mass[mass > 0]
        jobs = self._jobs(boards)
        of_turn = max(self.turns[root].roundings for root, _ in jobs)
        self.of_lines = max(self.of_lines, self.roundings + span + WIDE + of_turn + 2 * GROUP + 8)
        self.of_never += of_turn + 2 + len(boards) * max(self.turns[root].shared for root, _ in jobs)
        flows: list[_Flow] = []

        def turn(root: int, part: Ints) -> None:
            flows.append(self._flow(self.turns[root], boards[part], mass[part]))

        def in_order() -> None:
            flows.sort(key=lambda flow: int(flow.boards[0]))  # whoever was first: the same sums each time

        def move(worker: int) -> None:
            for flow in flows:
                lost = self.windows.move(flow, worker, span, least)
                if lost < 0:
                    n_pages = self.windows.n_pages
                    raise TooLarge(f"the forecast of {self.game} takes more than {n_pages:,} pages")
                self.lost.append(lost)

        def give_up(worker: int) -> None:
            for flow in flows:
                self.windows.give_up(flow.boards, worker)

        steps: list[list[Callable[[], None]]] = []
        for begin in range(0, len(jobs), self.workers):
            steps.append([partial(turn, *job) for job in jobs[begin : begin + self.workers]])
            steps.append([in_order])
            steps += [[partial(step, worker) for worker in range(self.workers)] for step in (move, give_up)]
            steps.append([flows.clear])
        Team(self.workers).run(steps, lambda step: share((step + 1) / len(steps)))
        self.roundings += of_turn + 1
        self.choices += max(self.turns[root].choices for root, _ in jobs)

    def _jobs(self, boards: Ints) -> list[tuple[int, Ints]]:
        """(root, places of boards whose turns start there), in pieces."""
        jobs = []
        for root, mine in by_root(self.game, boards):
            pieces = max(-(-len(mine) // AT_ONCE), min(self.workers, len(mine) // GROUP), 1)
            jobs += [(root, piece) for piece in np.array_split(mine, pieces)]
        return jobs

    def _trim(self, boards: Ints, mass: Floats, least_board: float, least_page: float) -> None:
        def one(worker: int) -> None:
            self.lost.append(self.windows.trim(boards, mass, least_board, least_page, worker))

        Team(self.workers).run([[partial(one, worker) for worker in range(self.workers)]], lambda step: None)

    # --- turns -------------------------------------------------------------------------------------------------------

    def _flow(self, turn: FlowingTurn, boards: Ints, mass: Floats) -> _Flow:
        """The ends to which these boards come; what lines get is noted on the way."""
        coming, wrong = turn.coming(self.settler, boards, self.values, 0.0, self.tie)
        if wrong:
            raise BadInput(f"a forecast is of whole points, 0 or more; {self.game} has others")
        clean = np.full(len(coming.leaf), (1 << len(self.again)) - 1, dtype=np.uint8)
        flow = _Flow(boards, coming, clean)
        if isinstance(self.game, ScoreSheet):
            self.sums.append(self._book(self.game, turn, flow, mass))
        return flow

    def _book(self, sheet: ScoreSheet, turn: FlowingTurn, flow: _Flow, mass: Floats) -> _Sums:
        """What lines get: a turn's own points go to the line of its result, what boards add is split by the game.

        Ends by which a line that may earn points again and again earns some are struck out of ``flow.clean``.
        """
        sums = _Sums()
        coming, earns = flow.coming, turn.kept.own
        of_leaf, n = np.zeros(len(earns)), len(coming.leaf)
        which, source, weight = np.empty(n, dtype=np.int32), np.empty(n, dtype=np.int32), np.empty(n)
        n = kernels.book(coming, mass, earns, of_leaf, GROUP, which, source, weight)
        for x in np.flatnonzero((of_leaf > 0) & (earns > 0)).tolist():
            line = sheet.line(self.graph.results[int(turn.result[x])])
            self._require(line, float(earns[x]))
            sums.add(line, float(of_leaf[x] * earns[x]), float(of_leaf[x]))
            if line in self.again:
                self._strike(line, flow, coming.leaf == x)
        result = turn.result[coming.leaf[which[:n]]]
        order = np.argsort(result, kind="stable")
        result, which, weight = result[order], which[order], weight[order]
        own = earns[coming.leaf[which]]
        columns = self.space.columns(flow.boards[source[order]]).as_dict()
        for low, high in pairwise([0, *(np.flatnonzero(np.diff(result)) + 1).tolist(), n]) if n else ():
            here = slice(low, high)
            some = Columns({name: column[..., here] for name, column in columns.items()})
            ended = self.graph.results[int(result[low])]
            lines = sheet.line(ended), sheet.booked(some, ended)
            added = self._book_result(*lines, which[here], weight[here], own[here], flow, sums)
            if (added != coming.points[which[here]] - own[here]).any():
                raise ModelError(f"what {self.game} books for {ended} is not what transition earns")
        return sums

    def _book_result(
        self, first: str, booked: Mapping[str, Any], which: Any, weight: Floats, own: Floats, flow: _Flow, sums: _Sums
    ) -> Floats:
        """The same for the ends of one result, whose own line is ``first``, each on its board; what all get there."""
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

    # --- what came of it ---------------------------------------------------------------------------------------------

    def _result(self) -> Forecast:
        endings = self.windows.endings()
        most = self.windows.weigh(endings)[3]
        points: dict[str, list[float]] = {line: [] for line in self.lines}
        chances: dict[str, list[float]] = {line: [] for line in self.lines}
        for sums in self.sums:
            for line, number in sums.points:
                points[line].append(number)
            for line, number in sums.chances:
                chances[line].append(number)
        lost = fsum(self.lost)
        found = Forecast(
            chances=self.windows.unfold(endings),
            lines={line: Booked(fsum(points[line]), fsum(chances[line])) for line in self.lines},
            again={
                line: 1 - fsum(part[endings].tolist())
                for line, part in zip(self.again, self.windows.never, strict=True)
            },
            off=_units(self.roundings + most + self.workers),
            off_lines=_units(self.of_lines + 4 + max((sums.most for sums in self.sums), default=0)),
            off_again=_units(self.of_never + 4),
            lost=lost * (1 + 1e-6) + LEAST
            if lost
            else 0.0,  # fewer than 2e9 numbers were added up, and small ones lost
            n_boards=self.n_boards,
        )
        self._check(found)
        return found

    def _check(self, found: Forecast) -> None:
        """Raise NotConverged unless all chances add up, and the mean is the value, less what ties may cost."""
        whole = fsum(found.chances.tolist())
        if not abs(whole - 1) <= 2 * found.off + found.lost:
            raise NotConverged(f"the chances of {self.game} add up to {whole!r}", abs(1 - whole))
        most = sum(line.most for line in self.lines.values())
        apart = abs(found.mean - self.value)
        ties = self.radius + self.choices * 2 * self.tie
        if not apart <= ties + 2 * found.off * found.mean + found.lost * most + 4 * UNIT * self.value:
            raise NotConverged(f"the forecast of {self.game} has a mean {apart:.2g} off its value", apart)


def _units(roundings: int) -> float:
    """The relative error of so many roundings."""
    return 1.001 * UNIT * roundings


def _cut(by_size: Floats) -> float:
    """A number such that chances below it add up to no more than LOST_EACH / 2."""
    below = np.cumsum(by_size[::-1])[::-1]  # of each size, with all that are smaller
    place = int(np.argmax(below <= LOST_EACH / 2))
    return float(min(2.0**-place, LOST_EACH))
