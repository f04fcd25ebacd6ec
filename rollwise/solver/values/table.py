"""Tables: each seat maximises its own share, so the value of a board is a vector, one number a seat from the mover.

The mover takes the child that is best for its own share; ties go to the game's own order (``solver.turn.vectors``). A
fixed point is a Markov perfect equilibrium (Filar and Vrieze 1997). Levels are solved last level first (backward
induction), each by value iteration in Gauss-Seidel order until the stopping rule ends it (``solver.values.anderson``).
Where best responses cycle, ``solver.values.response_cycles`` mixes them.

The certificate needs one backup (docs/method.md). Let d be the most by which one backup changes a share, or raises the
value of a seat's own best response, rounding added; and w a bound on the turns that a seat can make the game last, the
others keeping to the policy: w >= 1 + T w for every seat, T being its own best response. Then the policy's true shares,
and the most that a seat gets by deviating, are within d w of the computed ones, plus the error of later levels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.components.certificates import FLOAT32_MARGIN, error_bound, iterate_expected_turns
from rollwise.solver.components.checkpoints import CheckpointTimer, is_level_checkpoint, partial_report
from rollwise.solver.components.team import run_in_parts
from rollwise.solver.components.topological_levels import board_columns, last_level_first
from rollwise.solver.model.errors import ModelError
from rollwise.solver.model.game import TurnGame
from rollwise.solver.model.limits import n_workers
from rollwise.solver.model.rounding import round_up
from rollwise.solver.turn.arrays import UNIT
from rollwise.solver.turn.graph import TurnGraph
from rollwise.solver.turn.mixed_decisions import MixedDecisions
from rollwise.solver.turn.perspective import MAX_CONSTANTS, unpack_codes
from rollwise.solver.turn.vectors import (
    ENDING_PREFIX,
    IN_ORDER,
    PURE,
    TIE,
    MixedStrategy,
    is_surely_zero,
    n_seats,
    rows_of_endings,
    table_reader,
)
from rollwise.solver.values.anderson import CYCLE_SWEEPS, iterate_to_fixed_point
from rollwise.solver.values.endings import EndingChances
from rollwise.solver.values.response_cycles import find_response_cycle
from rollwise.solver.values.table_backups import MAX_RUN_BOARDS, Group, make_table_backup, sweep_order

Vectors = NDArray[np.float64]  # the last axis runs over the seats, the mover's first
Ints = NDArray[np.int64]
MAX_NUMPY_WORK = 2_000_000  # edges x boards up to which NumPy is quicker than starting the compiler
BOARDS_PER_READ = 1 << 14  # whose transitions are read together
LEVEL_OF_ENDINGS = np.iinfo(np.int32).max
GAIN_TOLERANCE = 1e-9  # a seat whose deviation gains no more plays a best response


@dataclass(frozen=True)
class TableValues:
    """The shares of every board under the policy, and how nearly that is an equilibrium.

    ``values``: float64, shape (boards, seats), from the mover to the left, nan for impossible boards. ``radius``:
    float32, same shape: the policy's true shares lie within it, and no seat gains more than twice that by deviating;
    ``replies``, where that is not so: the response value of each seat, an upper bound, same shape. ``mixed``:
    randomised decisions. ``gain``: the largest gain of any one seat, as computed. ``endings``: see
    ``solver.values.endings``.
    """

    values: Vectors
    radius: NDArray[np.float32]
    responses: Vectors | None
    mixed: MixedStrategy
    gain: float
    gain_limit: float
    tie: float
    method: str
    n_boards: int
    endings: dict[str, NDArray[np.float64]]


def solve_table(
    game: TurnGame,
    graph: TurnGraph,
    progress: Callable[[float], None] | None = None,
    *,
    workers: int | None = None,
    compiled: bool | None = None,
    tie: float = TIE,
    ties: int = IN_ORDER,
) -> TableValues:
    """Solve every board; ``progress(share)`` runs from 0 to 1.

    ``tie``: children this close to the mover's best are equally good, and ``ties`` selects one. Raises NotConverged
    where neither shares nor lengths converge, ModelError for an error in the game file.
    """
    solve = TableSolve(game, graph, workers=workers, compiled=compiled, tie=tie, ties=ties)
    return solve.run(progress or (lambda share: None), lambda: None)


class TableSolve:
    """Solver of a table, and its arrays; ``tie`` and ``ties`` as in ``solve_table``."""

    written_once = False  # values of unfinished levels still change

    def __init__(
        self,
        game: TurnGame,
        graph: TurnGraph,
        *,
        workers: int | None = None,
        compiled: bool | None = None,
        tie: float = TIE,
        ties: int = IN_ORDER,
    ) -> None:
        self.game, self.graph, self.tie, self.ties = game, graph, tie, ties
        self.seats = n_seats(game)
        self.space = game.boards()
        size = self.space.size
        self.level_of, self.root_of, self.order_of = board_columns(game, workers or n_workers())
        self.n_boards = int((self.level_of >= 0).sum())
        work = self.n_boards * graph.n_edges
        is_compiled = work > MAX_NUMPY_WORK if compiled is None else compiled
        self.workers = workers or n_workers() if is_compiled and work > 1e7 else 1
        self.backups = [make_table_backup(graph, int(root), is_compiled) for root in graph.roots]
        self.reader = table_reader(game, graph, self.backups[0].look_up)
        self.values = np.zeros((size + MAX_CONSTANTS, self.seats))
        self.values[:size][self.level_of < 0] = np.nan
        self.responses: Vectors | None = None  # values of best responses, where they differ from the shares
        self.is_zero = np.zeros((size + MAX_CONSTANTS, self.seats), dtype=bool)  # 0 whatever any seat does
        self.expected_turns = np.zeros((size + MAX_CONSTANTS, self.seats))
        self.radius = np.full((size, self.seats), np.nan, dtype=np.float32)
        self.widest = np.zeros(size, dtype=np.float32)  # of all seats
        self.endings = EndingChances(self)
        self.mixed = PURE
        self.gain = 0.0
        self.methods: set[str] = set()
        self.done_level: int | None = None
        self.bits = self.reader.constants.bits
        self.rounding = 4 * (graph.terms + 6) * UNIT  # of one backup, whatever the order of its sums

    @property
    def mixed(self) -> MixedStrategy:
        """The randomised decisions."""
        return self.decisions.strategy

    @mixed.setter
    def mixed(self, mixed: MixedStrategy) -> None:
        self.decisions = MixedDecisions(mixed, self.graph, self.space.size)

    # --- all levels --------------------------------------------------------------------------------------------------

    def run(self, progress: Callable[[float], None], save: Callable[[], None]) -> TableValues:
        """Solve level by level, last level first; ``save`` is called between levels, when a checkpoint is due."""
        saves = CheckpointTimer(save)
        with self.worker_pool():
            for boards, report, is_last in self.by_level(progress):
                self.solve_level(boards, report)
                if is_last:
                    self.done_level = int(self.level_of[boards[0]])
                    saves.save_if_due()
        size = self.space.size
        values = self.values[:size]
        responses = None if self.responses is None else self.responses[:size]
        limit = 2 * float(np.nanmax(self.widest))
        if responses is not None:
            limit = max(limit, float(np.nanmax(responses - values + 2 * self.radius)))
        method = ", ".join(sorted(self.methods))
        results = (values, self.radius, responses, self.mixed, self.gain, limit, self.tie, method, self.n_boards)
        return TableValues(*results, self.endings.arrays())

    @contextmanager
    def worker_pool(self) -> Iterator[None]:
        """Context in which sweeps are shared among the workers."""
        with ThreadPoolExecutor(self.workers) as self.pool:
            yield

    def by_level(self, progress: Callable[[float], None]) -> Iterator[tuple[Ints, Callable[[float], None], bool]]:
        """(boards to solve, their progress report, whether the level is then done), last level first."""
        n_done = 0 if self.done_level is None else int((self.level_of >= self.done_level).sum())
        for level in last_level_first(self.level_of, self.done_level):
            parts = [level] if self.game.cyclic else np.array_split(level, -(-len(level) // MAX_RUN_BOARDS))
            for boards in parts:
                share, width = n_done / self.n_boards, len(boards) / self.n_boards
                n_done += len(boards)
                yield boards, partial_report(progress, share, share + width), boards is parts[-1]
                progress(n_done / self.n_boards)

    def checkpoint(self) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """See ``Resumable``."""
        size = self.space.size
        arrays: dict[str, NDArray[Any]] = {"values": self.values[:size], "radius": self.radius}
        arrays["mixed"] = self.mixed.rows
        if self.responses is not None:
            arrays["replies"] = self.responses[:size]
        arrays |= {ENDING_PREFIX + name: array for name, array in self.endings.arrays().items()}
        return arrays, {
            "level": self.done_level,
            "gain": self.gain,
            "methods": sorted(self.methods),
            "replies": self.responses is not None,
        }

    def fits(self, arrays: Mapping[str, NDArray[Any]], state: Mapping[str, Any]) -> bool:
        """See ``Resumable``: arrays of the right kind, with finite numbers on the boards that the state calls done."""
        (reference, plain), stored = self.checkpoint(), dict(arrays)
        mixed, _ = stored.pop("mixed", None), reference.pop("mixed")
        if state.get("replies"):
            reference["replies"] = reference["values"]
        has_mixed = mixed is not None and mixed.shape[1:] == (4,) and state.get("level") is not None
        return has_mixed and is_level_checkpoint(stored, state, (reference, plain), self.level_of)

    def resume(self, arrays: dict[str, NDArray[Any]], state: dict[str, Any]) -> None:
        """See ``Resumable``: levels from ``state['level']`` on are done."""
        boards = np.flatnonzero(self.level_of >= state["level"])
        self.values[boards], self.radius[boards] = arrays["values"][boards], arrays["radius"][boards]
        self.is_zero[boards] = is_surely_zero(self.values[boards])
        if "replies" in arrays:
            self.responses = self.values.copy()
            self.responses[boards] = arrays["replies"][boards]
        for name in self.endings.sorts:
            self.endings.resume(name, arrays[ENDING_PREFIX + name], boards)
        self.mixed = MixedStrategy(np.array(arrays["mixed"], dtype=np.float64))
        self.widest[boards] = self.radius[boards].max(axis=1)
        self.done_level, self.gain = state["level"], state["gain"]
        self.methods = set(state["methods"])

    def solve_level(self, boards: Ints, progress: Callable[[float], None]) -> None:
        """Shares, radius and, where they differ, response values of boards that lead to each other or solved ones."""
        groups = list(self.groups(boards))
        self.write_endings()
        if not self.game.cyclic:
            self.methods.add("one backup a board, each seat for itself")
            self.sweep(groups)
            self.require_legal(boards)
            self.expected_turns[boards] = 1.0
        else:
            self.methods.add("sweeps, each seat for itself, certified")
            self.values[boards] = 1.0 / self.seats
            self.sweep(groups)
            self.require_legal(boards)
            patience = CYCLE_SWEEPS
            what = f"the shares of {self.game}"
            while not iterate_to_fixed_point(
                self.values, boards, lambda: self.sweep(groups), what, 0.0, patience, progress
            ):
                find_response_cycle(self, groups, boards, progress)
                patience *= 2
        self.mark_zero_shares(groups, boards)
        self.certify(groups, boards)
        self.endings.solve_level(groups, boards)
        self.expected_turns[boards] = 0.0  # an earlier level counts its own turns alone, and adds this level's radius

    def groups(self, boards: Ints) -> Iterator[Group]:
        """Boards of the same root, those of a higher order first, with their transitions."""
        for root in np.unique(self.root_of[boards]).tolist():
            root_boards = boards[self.root_of[boards] == root]
            root_boards = root_boards[np.argsort(-self.order_of[root_boards], kind="stable")]
            backup = self.backups[root]
            codes: NDArray[np.int32] | None = None
            later_radius = 0.0
            for begin in range(0, len(root_boards), BOARDS_PER_READ):
                block = root_boards[begin : begin + BOARDS_PER_READ]
                ends = self.reader.transitions(backup.leaves, block).ends
                if codes is None:
                    codes = np.empty((len(ends), len(root_boards)), dtype=np.int32)
                codes[:, begin : begin + len(block)] = ends
                later_radius = max(later_radius, self.check_successors(block, ends))
            assert codes is not None
            yield Group(backup, root_boards, self.order_of[root_boards].astype(np.int64), codes, later_radius)

    def check_successors(self, boards: Ints, codes: NDArray[np.int32]) -> float:
        """The largest radius of the boards of later levels that these lead to.

        Raises ModelError where a turn leads to an impossible board, or back to an earlier level.
        """
        successors, _ = unpack_codes(codes, self.bits)
        is_board = successors < self.space.size
        successors = np.where(is_board, successors, 0)
        level, own_level = np.where(is_board, self.level_of[successors], LEVEL_OF_ENDINGS), self.level_of[boards]
        is_wrong = level < own_level + (0 if self.game.cyclic else 1)
        if is_wrong.any():
            row, lane = np.argwhere(is_wrong)[0]
            source, target = (self.space.board(int(b)) for b in (boards[lane], successors[row, lane]))
            how = "is of an earlier level" if self.game.cyclic else "comes no later"
            how = "cannot be" if level[row, lane] < 0 else how
            raise ModelError(f"{self.game} goes from {source} to {target}, which {how}")
        return float(np.max(self.widest[successors], where=is_board & (level > own_level), initial=0.0))

    def write_endings(self) -> None:
        """Write the shares of the endings met so far behind the boards."""
        shares, responses = rows_of_endings(self.reader.constants, self.seats)
        places = slice(self.space.size, self.space.size + len(shares))
        self.values[places] = shares
        self.response_endings = responses
        is_zero = (shares == 0) & (not self.game.uncertain)  # what is uncertain may not be 0
        self.is_zero[places] = is_zero | np.isneginf(responses).all(axis=1, keepdims=True)  # or illegal
        self.expected_turns[places] = np.where(np.isneginf(responses), -np.inf, 0.0)
        if self.responses is not None:
            self.responses[places] = responses

    def require_legal(self, boards: Ints) -> None:
        """Raise ModelError where a turn has no legal result, or none within its cut."""
        is_illegal = ~np.isfinite(self.values[boards]).all(axis=1)
        if is_illegal.any():
            board = self.space.board(int(boards[is_illegal][0]))
            raise ModelError(f"{self.game} has no legal result on {board}, or none within its cut")

    # --- sweeps ------------------------------------------------------------------------------------------------------

    def sweep(self, groups: list[Group]) -> None:
        """One backup of every board, in Gauss-Seidel order."""
        for (out,), boards in self._backed_up(groups, 1, lambda group: partial(group.backup.evaluate, self, group)):
            self.values[boards] = out

    def _backed_up(
        self, groups: list[Group], count: int, backup_of: Callable[[Group], Callable[..., None]]
    ) -> Iterator[tuple[list[Vectors], Ints]]:
        """``count`` arrays of backed-up rows and their boards, run by run, in Gauss-Seidel order."""
        for group, begin, end in sweep_order(groups):
            rows, backup = [np.empty((end - begin, self.seats)) for _ in range(count)], backup_of(group)

            def job(low: int, high: int, begin: int = begin, rows: Any = rows, backup: Any = backup) -> None:
                backup(low, high, *(row[low - begin : high - begin] for row in rows))

            self.shared(begin, end, job)
            yield rows, group.boards[begin:end]

    def shared(self, begin: int, end: int, job: Callable[[int, int], None]) -> None:
        """Run a job on the columns from ``begin`` to ``end``, split among the workers; the parts are independent."""
        parts = self.workers if end - begin >= 256 else 1
        cuts = [begin + (end - begin) * number // parts for number in range(parts + 1)]
        run_in_parts(self.pool, job, cuts)

    def mark_zero_shares(self, groups: list[Group], boards: Ints) -> None:
        """Make shares exactly 0 that are 0 whatever any seat does, and all others positive: see ``is_surely_zero``.

        Small shares are candidates; one is dropped when a turn leads from it to a share that is none.
        """
        is_zero = self.is_zero
        is_zero[boards] = self.values[boards] < GAIN_TOLERANCE
        columns = [np.flatnonzero(is_zero[group.boards].any(axis=1)) for group in groups]
        parts = [(group.boards[some], group.codes[:, some]) for group, some in zip(groups, columns, strict=True)]
        has_changed = True
        while has_changed:
            has_changed = False
            for part_boards, codes in parts:
                (successors, passes), before = unpack_codes(codes, self.bits), is_zero[part_boards]
                for place in range(self.seats):
                    is_zero[part_boards, place] &= is_zero[successors, (place - passes) % self.seats].all(axis=0)
                has_changed |= bool((is_zero[part_boards] != before).any())
        if (is_zero[boards] & (self.values[boards] != 0)).any():
            self.values[boards] *= ~is_zero[boards]
            self.sweep(groups)  # the other seats take over what was there
        shares = self.values[boards]
        takes_all = is_zero[boards].sum(axis=1, keepdims=True) == self.seats - 1  # its share is exactly 1
        shares = np.where(takes_all, 1.0, np.minimum(shares, 1 - UNIT))
        self.values[boards] = np.where(is_zero[boards], 0.0, np.where(shares <= 0, -0.0, shares))

    # --- the proof ---------------------------------------------------------------------------------------------------

    def certify(self, groups: list[Group], boards: Ints) -> None:
        """Set the radius, and the response values where a seat gains by deviating."""
        change, gain_of_turn = self.largest_changes(groups, self.values)
        if self.game.cyclic:
            self.bound_game_length(groups, boards)
        if gain_of_turn > GAIN_TOLERANCE or self.responses is not None:
            gain_of_turn, gain = self.best_responses(groups, boards)
            self.gain = max(self.gain, gain)
        self.gain = max(self.gain, gain_of_turn)
        per_turn = max(change, gain_of_turn) + self.rounding
        later = max(self.game.uncertain, *(group.later_radius for group in groups))
        radius = round_up(error_bound(per_turn, self.expected_turns[boards], later, FLOAT32_MARGIN))
        self.radius[boards], self.widest[boards] = radius, radius.max(axis=1)

    def largest_changes(self, groups: list[Group], responses: Vectors) -> tuple[float, float]:
        """The most by which one backup changes a share, and by which it raises a response value."""
        change = gain = 0.0
        for out, out_responses, boards in self.respond(groups, responses):
            change = max(change, float(np.max(np.abs(out - self.values[boards]))))
            gain = max(gain, float(np.max(out_responses - responses[boards])))
        return change, gain

    def respond(self, groups: list[Group], responses: Vectors) -> Iterator[tuple[Vectors, Vectors, Ints]]:
        """Shares and response values of all boards after one backup; callers may update ``responses`` in between."""
        size = self.space.size
        endings = self.values[size : size + len(self.response_endings)]
        if responses is self.values and not np.array_equal(endings, self.response_endings):  # they differ past a cut
            responses = self.values.copy()
            responses[size : size + len(self.response_endings)] = self.response_endings
        backed_up = self._backed_up(groups, 2, lambda group: partial(group.backup.respond, self, group, responses))
        for (out, out_responses), run_boards in backed_up:
            yield out, out_responses, run_boards

    def sweep_responses(self, groups: list[Group], responses: Vectors, added: float = 0.0) -> None:
        """One backup of the response values of every board, plus ``added``."""
        for _, out, run_boards in self.respond(groups, responses):
            responses[run_boards] = out + added

    def bound_game_length(self, groups: list[Group], boards: Ints) -> None:
        """Bound the turns that each seat alone can make the game last: ``expected_turns`` >= 1 + their backup."""
        what = f"if one seat wants it a game of {self.game}"
        iterate_expected_turns(
            self.expected_turns, boards, lambda: self.sweep_responses(groups, self.expected_turns, 1.0), what
        )

    def best_responses(self, groups: list[Group], boards: Ints) -> tuple[float, float]:
        """Value iteration of each seat's best response to the others' policy.

        Returns the most by which another backup raises it, and the largest gain over the share.
        """
        if self.responses is None:
            self.responses = self.values.copy()
            self.write_endings()
        responses = self.responses
        responses[boards] = self.values[boards]
        name = f"the best replies at {self.game}"
        iterate_to_fixed_point(responses, boards, lambda: self.sweep_responses(groups, responses), name)
        gain = float(np.max(responses[boards] - self.values[boards]))
        return max(0.0, self.largest_changes(groups, responses)[1]), max(0.0, gain)
