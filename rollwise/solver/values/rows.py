"""Certified values of boards in rows (``solver.model.rows``), for games that never come back to a board.

All that is needed of a board moves by the same points, whatever it is: so a result is read once for a row, and shifts
it. Chances are never negative, and a backup only multiplies them, adds them up and compares them: each is off by a part
of itself, and that part grows by one backup's rounding with every level.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.components.saving import Saves
from rollwise.solver.components.team import Team
from rollwise.solver.model.errors import ModelError
from rollwise.solver.model.game import TurnGame
from rollwise.solver.model.rows import Rows
from rollwise.solver.model.two_seats import is_duel
from rollwise.solver.turn.arrays import UNIT
from rollwise.solver.turn.graph import TurnGraph
from rollwise.solver.turn.kernels import compile_program
from rollwise.solver.turn.row_kernels import sweep_rows
from rollwise.solver.turn.transition_reader import WORTHS, Uses

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
AT_ONCE = 1 << 19  # numbers that one job finds: few rows would take longer to settle than to back up
FAR = 1 << 40  # more than is ever needed


def levels_of(game: TurnGame, space: Rows) -> Ints:
    """Of each row its level, counted from the last one, which is 0."""
    level = np.asarray(game.level(space.columns(space.begins[:-1])))
    found: Ints = level.max() - level
    return found


def off_by(graph: TurnGraph, levels: Any) -> Any:
    """How large a part of itself a chance may be off by, so many levels before the last: twice what rounding can do."""
    return (levels + 1) * 2 * (graph.terms + 8) * UNIT


@dataclass(frozen=True)
class _Ends:
    """Where the ends of a turn lead from some rows, each of shape (rows, ends): see ``sweep_rows``."""

    begins: Ints
    lasts: Ints
    shifts: Ints


class RowSolver:
    """Solves every row, the last level first."""

    written_once = True

    def __init__(self, game: TurnGame, graph: TurnGraph, workers: int, uses: Uses = WORTHS) -> None:
        space = game.boards()
        assert isinstance(space, Rows)
        self.game, self.graph, self.space, self.workers, self.uses = game, graph, space, workers, uses
        senses = [game.sense, *(["min" if game.sense == "max" else "max"] if is_duel(game) else [])]
        programs = [compile_program(graph, int(graph.roots[0]), sense, backups=space.size) for sense in senses]
        self.program = programs[0]
        self.operations = [tuple(program.operations) for program in programs]  # of who wants the most, of the other
        self.results = [graph.results[graph.leaves[leaf].result] for leaf in self.program.ends.first.tolist()]
        worths = np.array(game.worths) / game.per
        self.best = worths[0]
        self.over, self.illegal = space.size, space.size + len(worths)  # behind all rows: how games end, what cannot be
        nothing = [-np.inf if sense == "max" else np.inf for sense in senses]
        self.values: Floats = np.concatenate([np.empty(space.size), worths, nothing])
        self.done = 0

    def solve(self, report: Callable[[float], None], save: Callable[[], None]) -> Floats:
        """All values, by board."""
        saves = Saves(save, written_once=True)
        begins = self.space.begins
        for low, high in self._levels():
            jobs: list[Callable[[], None]] = []
            sizes: list[int] = []
            cut = low
            while cut < high:
                to = int(np.searchsorted(begins, begins[cut] + AT_ONCE))
                to = min(max(to, cut + 1), high)
                jobs.append(partial(self._rows, cut, to))
                sizes.append(int(begins[to] - begins[cut]))
                cut = to
            self._run(jobs, sizes, report)
            self.done = int(begins[high])
            saves.maybe()
        return self.values[: self.space.size]

    def _run(self, jobs: list[Callable[[], None]], sizes: list[int], report: Callable[[float], None]) -> None:
        """One level; its jobs are told as they are done, so many at a time as there are workers."""
        steps = [jobs[i : i + self.workers] for i in range(0, len(jobs), self.workers)]
        told = np.cumsum([sum(sizes[i : i + self.workers]) for i in range(0, len(sizes), self.workers)])

        def after(step: int) -> None:
            report((self.done + int(told[step])) / self.space.size)

        Team(min(self.workers, len(jobs))).run(steps, after)

    def _levels(self) -> Iterator[tuple[int, int]]:
        """The rows of each level that is not done, from first to end."""
        cuts = np.flatnonzero(np.diff(levels_of(self.game, self.space), prepend=-1, append=-1))
        for low, high in zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True):
            if self.space.begins[low] >= self.done:
                yield low, high

    def _rows(self, low: int, high: int) -> None:
        others = int(self.game.others_turn(self.space.columns(self.space.begins[low : low + 1]))[0])
        ends = self.ends(low, high, self.illegal + others)
        own, lengths = self.space.begins[low:high], self.space.lengths[low:high].astype(np.int64)
        sweep_rows(
            self.operations[others], ends.begins, ends.lasts, ends.shifts, own, lengths, self.values, 0, high - low
        )
        self.values[own[self.space.lows[low:high] == self.game.needed_low]] = self.best

    def ends(self, low: int, high: int, illegal: int) -> _Ends:
        """Where the turns of these rows lead; ``illegal``: the place of what is not allowed."""
        space, count = self.space, high - low
        columns = space.columns(space.begins[low:high])
        columns.as_dict()["needed"] = np.full(count, FAR)
        shape = count, len(self.results)
        begins, lasts, shifts = (np.empty(shape, dtype=np.int64) for _ in range(3))
        for end, result in enumerate(self.results):
            said = self.game.transition(columns, result)
            self.uses.require(self.game, said, result)
            assert said.next is not None
            legal, over = (np.broadcast_to(column, count) for column in (said.legal, said.over))
            row = space.row(said.next, count)
            on = legal & ~over
            if (on & (row < 0)).any():
                board = space.plain.board(int(space.of_row[low:high][on & (row < 0)][0]))
                raise ModelError(f"result {result} of {board} leads off the boards")
            begins[:, end] = np.where(on, space.begins[row], np.where(legal, self.over, illegal))
            lasts[:, end] = np.where(on, space.lengths[row], np.where(legal, self.illegal - self.over, 1)) - 1
            gain = FAR - said.next["needed"]
            shifts[:, end] = gain + np.where(on, space.lows[row], self.game.needed_low) - space.lows[low:high]
        return _Ends(begins, lasts, shifts)

    # --- to be stopped and taken up -------------------------------------------------------------------------------

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
        known = values.ndim == 1 and values.dtype == np.float64 and done in cuts and len(values) >= done
        return bool(known and ((values[:done] >= 0) & (values[:done] <= 1 + 1e-9)).all())

    def resume(self, arrays: dict[str, NDArray[Any]], state: dict[str, Any]) -> None:
        """See ``Resumable``."""
        self.done = state["done"]
        self.values[: self.done] = arrays["values"][: self.done]
