"""Certified values of boards in rows (``solver.model.rows``), for games that never come back to a board.

The boards of a row differ only by the points still needed, and all ends of their turns shift by the same points: so a
transition is read once for a row, and shifted. Chances are never negative, and a backup only multiplies, adds and
compares them: each has a relative error, which grows by the rounding of one backup with every level.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.components.checkpoints import CheckpointTimer
from rollwise.solver.components.team import Team
from rollwise.solver.model.duel_transition import is_duel
from rollwise.solver.model.errors import ModelError
from rollwise.solver.model.game import TurnGame
from rollwise.solver.model.rows import Rows
from rollwise.solver.turn.arrays import UNIT
from rollwise.solver.turn.graph import TurnGraph
from rollwise.solver.turn.kernel_cache import compiled
from rollwise.solver.turn.kernels import LANES, WHOLE_ROW, Operations, compile_program, run
from rollwise.solver.turn.transitions import SCALAR, UsedFields

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
NUMBERS_PER_JOB = 1 << 19  # about; with few rows, reading transitions would take longer than backups
MAX_NEED = 1 << 40  # more than any board needs


def levels_of(game: TurnGame, space: Rows) -> Ints:
    """Level of each row, counted from the last one, which is 0."""
    level = np.asarray(game.level(space.columns(space.begins[:-1])))
    levels: Ints = level.max() - level
    return levels


def relative_error(graph: TurnGraph, levels: Any) -> Any:
    """Relative error bound of a chance, so many levels before the last: twice the rounding of the backups."""
    return (levels + 1) * 2 * (graph.terms + 8) * UNIT


@dataclass(frozen=True)
class _RowTransitions:
    """Transitions of some rows' turns, each of shape (rows, ends): see ``sweep_rows``."""

    begins: Ints
    lasts: Ints
    shifts: Ints


class RowSolver:
    """Solver of rows: backward induction, the last level first."""

    written_once = True

    def __init__(self, game: TurnGame, graph: TurnGraph, workers: int, uses: UsedFields = SCALAR) -> None:
        space = game.boards()
        assert isinstance(space, Rows)
        self.game, self.graph, self.space, self.workers, self.uses = game, graph, space, workers, uses
        senses = [game.sense, *(["min" if game.sense == "max" else "max"] if is_duel(game) else [])]
        programs = [compile_program(graph, int(graph.roots[0]), sense, backups=space.size) for sense in senses]
        self.program = programs[0]
        self.operations = [tuple(program.operations) for program in programs]  # of the chances' player, the other
        self.results = [graph.results[graph.leaves[leaf].result] for leaf in self.program.ends.first.tolist()]
        endings = np.array(game.worths) / game.per
        self.best = endings[0]
        self.over, self.illegal = space.size, space.size + len(endings)  # places of endings, of illegal results
        illegal_values = [-np.inf if sense == "max" else np.inf for sense in senses]
        self.values: Floats = np.concatenate([np.empty(space.size), endings, illegal_values])
        self.done = 0

    def solve(self, report: Callable[[float], None], save: Callable[[], None]) -> Floats:
        """Values of all boards."""
        saves = CheckpointTimer(save, written_once=True)
        begins = self.space.begins
        for low, high in self._levels():
            jobs: list[Callable[[], None]] = []
            sizes: list[int] = []
            begin = low
            while begin < high:
                end = int(np.searchsorted(begins, begins[begin] + NUMBERS_PER_JOB))
                end = min(max(end, begin + 1), high)
                jobs.append(partial(self._rows, begin, end))
                sizes.append(int(begins[end] - begins[begin]))
                begin = end
            self._run(jobs, sizes, report)
            self.done = int(begins[high])
            saves.save_if_due()
        return self.values[: self.space.size]

    def _run(self, jobs: list[Callable[[], None]], sizes: list[int], report: Callable[[float], None]) -> None:
        """Run the jobs of one level and report progress, as many jobs at a time as there are workers."""
        steps = [jobs[i : i + self.workers] for i in range(0, len(jobs), self.workers)]
        n_solved = np.cumsum([sum(sizes[i : i + self.workers]) for i in range(0, len(sizes), self.workers)])

        def after(step: int) -> None:
            report((self.done + int(n_solved[step])) / self.space.size)

        Team(min(self.workers, len(jobs))).run(steps, after)

    def _levels(self) -> Iterator[tuple[int, int]]:
        """(first row, end) of each unsolved level."""
        cuts = np.flatnonzero(np.diff(levels_of(self.game, self.space), prepend=-1, append=-1))
        for low, high in zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True):
            if self.space.begins[low] >= self.done:
                yield low, high

    def _rows(self, low: int, high: int) -> None:
        others = int(self.game.others_turn(self.space.columns(self.space.begins[low : low + 1]))[0])
        ends = self.ends(low, high, self.illegal + others)
        begins, lengths = self.space.begins[low:high], self.space.lengths[low:high].astype(np.int64)
        sweep_rows(
            self.operations[others], ends.begins, ends.lasts, ends.shifts, begins, lengths, self.values, 0, high - low
        )
        self.values[begins[self.space.lows[low:high] == self.game.needed_low]] = self.best

    def ends(self, low: int, high: int, illegal: int) -> _RowTransitions:
        """Transitions of these rows' turns; ``illegal``: the place of the value of illegal results."""
        space, count = self.space, high - low
        columns = space.columns(space.begins[low:high])
        columns.as_dict()["needed"] = np.full(count, MAX_NEED)
        shape = count, len(self.results)
        begins, lasts, shifts = (np.empty(shape, dtype=np.int64) for _ in range(3))
        for end, result in enumerate(self.results):
            transition = self.game.transition(columns, result)
            self.uses.require(self.game, transition, result)
            assert transition.next is not None
            legal, over = (np.broadcast_to(column, count) for column in (transition.legal, transition.over))
            row = space.row(transition.next, count)
            goes_on = legal & ~over
            if (goes_on & (row < 0)).any():
                board = space.plain.board(int(space.of_row[low:high][goes_on & (row < 0)][0]))
                raise ModelError(f"result {result} of {board} leads off the boards")
            begins[:, end] = np.where(goes_on, space.begins[row], np.where(legal, self.over, illegal))
            lasts[:, end] = np.where(goes_on, space.lengths[row], np.where(legal, self.illegal - self.over, 1)) - 1
            gain = MAX_NEED - transition.next["needed"]
            shifts[:, end] = gain + np.where(goes_on, space.lows[row], self.game.needed_low) - space.lows[low:high]
        return _RowTransitions(begins, lasts, shifts)

    # --- checkpoints ----------------------------------------------------------------------------------------------

    def checkpoint(self) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """See ``Resumable``."""
        return {"values": self.values[: self.space.size]}, {"done": self.done}

    def fits(self, arrays: Mapping[str, NDArray[Any]], state: Mapping[str, Any]) -> bool:
        """See ``Resumable``: whole levels are done."""
        done = state.get("done")
        if arrays.keys() != {"values"} or state.keys() != {"done"} or not isinstance(done, int):
            return False
        values = arrays["values"]
        levels = levels_of(self.game, self.space)
        cuts = self.space.begins[np.flatnonzero(np.diff(levels, prepend=-1, append=-1))]
        is_valid = values.ndim == 1 and values.dtype == np.float64 and done in cuts and len(values) >= done
        return bool(is_valid and ((values[:done] >= 0) & (values[:done] <= 1 + 1e-9)).all())

    def resume(self, arrays: dict[str, NDArray[Any]], state: dict[str, Any]) -> None:
        """See ``Resumable``."""
        self.done = state["done"]
        self.values[: self.done] = arrays["values"][: self.done]


@compiled(inside=True)
def take(values: Any, begin: int, last: int, first: int, rows: Any, to: int) -> None:
    """Copy LANES numbers of the row at ``begin``, from place ``first`` on, its first and last numbers repeated."""
    if first >= 0 and first + LANES - 1 <= last:
        for lane in range(LANES):
            rows[to + lane] = values[begin + first + lane]
    else:
        for lane in range(LANES):
            rows[to + lane] = values[begin + min(max(first + lane, 0), last)]


@compiled()
def sweep_rows(
    operations: Any, begins: Any, lasts: Any, shifts: Any, own: Any, lengths: Any, values: Any, first: int, end: int
) -> None:
    """Back up rows ``first`` to ``end - 1``, which begin at ``own`` in ``values`` and have these lengths.

    ``begins``, ``lasts`` and ``shifts``, shape (rows, ends): the start of the row to which each end leads, its last
    place, and the number of places by which the needed points there are lower than here.
    """
    operations = Operations(*operations)
    rows = np.zeros(operations.n_rows * LANES)
    root = operations.ops[operations.ops.shape[0] - 1, 1] * LANES
    for row in range(first, end):
        for block in range(0, lengths[row], LANES):
            for e in range(begins.shape[1]):
                take(values, begins[row, e], lasts[row, e], block - shifts[row, e], rows, e * LANES)
            run(operations, rows, WHOLE_ROW, None)
            for lane in range(min(LANES, lengths[row] - block)):
                values[own[row] + block + lane] = rows[root + lane]
