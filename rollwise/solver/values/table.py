"""Tables: every seat maximises its own share, so a board is worth a vector, one number a seat from the mover.

Whoever moves picks the child that is best for them; the others take what comes with it, and ties go to the game's own
order (``solver.turn.vectors``). A fixed point of that is a Markov perfect equilibrium. Boards are taken level by level,
the last level first; those of a level may lead back to each other and are swept until nothing moves.

The proof needs one backup (docs/method.md). Let d be the most by which one backup changes a share, or raises what one
seat gets that alone plays its best for this turn, rounding added; and w how many turns a seat can make the game last at
most, the others keeping to the policy: w >= 1 + T w for every seat, T being its own best of that. Then the policy's
true shares, and the most that a seat can get by playing otherwise from now on, are within d w of what was found, and
what the boards of later levels are off by is added to that.
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

from rollwise.solver.components.certificates import SINGLE, off_by, until_bounded
from rollwise.solver.components.processors import n_workers
from rollwise.solver.components.saving import Saves, fits_levels, part
from rollwise.solver.components.team import shared_out
from rollwise.solver.components.topological_levels import columns_of, last_level_first
from rollwise.solver.model.errors import ModelError
from rollwise.solver.model.game import TurnGame
from rollwise.solver.model.rounding import round_up
from rollwise.solver.turn.arrays import UNIT
from rollwise.solver.turn.graph import TurnGraph
from rollwise.solver.turn.mixed_decisions import Lots
from rollwise.solver.turn.perspective import ROOM, read
from rollwise.solver.turn.vectors import (
    ENDING,
    IN_ORDER,
    TIE,
    UNMIXED,
    MixedStrategy,
    is_nothing,
    n_seats,
    rows_of_endings,
    table_settler,
)
from rollwise.solver.values.anderson import CHASING, until_still
from rollwise.solver.values.endings import Endings
from rollwise.solver.values.response_cycles import settle_chase
from rollwise.solver.values.table_backups import AT_ONCE, Group, in_order, make_table_backup

Vectors = NDArray[np.float64]  # the last axis runs over the seats, the mover's first
Ints = NDArray[np.int64]
PLAIN_WORK = 2_000_000  # edges x boards up to which NumPy is quicker than starting the compiler
SETTLED = 1 << 14  # boards that are settled together
LAST = np.iinfo(np.int32).max  # the level of endings
STABLE = 1e-9  # a seat that gains no more than this is thought to play its best


@dataclass(frozen=True)
class TableValues:
    """The shares that every board is worth under the policy found, and how nearly that is an equilibrium.

    ``values``: float64, shape (boards, seats), from the mover to the left, nan where no board can be. ``radius``:
    float32, so shaped: the policy's true shares lie within it, and no seat gains more than twice that by playing
    otherwise; ``replies``, where that is not so: what each seat can get at most, float64, so shaped. ``mixed``:
    decisions that are drawn by lot. ``gain``: the largest gain of any one seat, as computed. ``endings``: see
    ``solver.values.endings``.
    """

    values: Vectors
    radius: NDArray[np.float32]
    replies: Vectors | None
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

    ``tie``: children so close to the mover's best are equally good, and ``ties`` says which is taken. Raises
    NotConverged where neither shares nor lengths settle, ModelError for a game file's mistake.
    """
    solve = TableSolve(game, graph, workers=workers, compiled=compiled, tie=tie, ties=ties)
    return solve.run(progress or (lambda share: None), lambda: None)


class TableSolve:
    """The arrays of one solve; ``tie`` and ``ties`` as in ``solve_table``."""

    written_once = False  # boards that are not done yet hold first guesses

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
        self.level_of, self.root_of, self.order_of = columns_of(game, workers or n_workers())
        self.n_boards = int((self.level_of >= 0).sum())
        work = self.n_boards * graph.n_edges
        is_compiled = work > PLAIN_WORK if compiled is None else compiled
        self.workers = workers or n_workers() if is_compiled and work > 1e7 else 1
        self.backups = [make_table_backup(graph, int(root), is_compiled) for root in graph.roots]
        self.settler = table_settler(game, graph, self.backups[0].look_up)
        self.values = np.zeros((size + ROOM, self.seats))
        self.values[:size][self.level_of < 0] = np.nan
        self.replies: Vectors | None = None  # only where they are not the values
        self.never = np.zeros((size + ROOM, self.seats), dtype=bool)  # nothing that anybody does wins the seat a share
        self.waits = np.zeros((size + ROOM, self.seats))
        self.radius = np.full((size, self.seats), np.nan, dtype=np.float32)
        self.widest = np.zeros(size, dtype=np.float32)  # of all seats
        self.endings = Endings(self)
        self.mixed = UNMIXED
        self.gain = 0.0
        self.methods: set[str] = set()
        self.done_level: int | None = None
        self.bits = self.settler.constants.bits
        self.rounding = 4 * (graph.terms + 6) * UNIT  # of one backup, whatever the order of its sums

    @property
    def mixed(self) -> MixedStrategy:
        """Decisions that are drawn by lot."""
        return self.lots.mixed

    @mixed.setter
    def mixed(self, mixed: MixedStrategy) -> None:
        self.lots = Lots(mixed, self.graph, self.space.size)

    # --- all levels --------------------------------------------------------------------------------------------------

    def run(self, progress: Callable[[float], None], save: Callable[[], None]) -> TableValues:
        """Level by level, the last one first; ``save`` is called between levels, when some time has passed."""
        saves = Saves(save)
        with self.at_work():
            for boards, report, is_last in self.by_level(progress):
                self.solve_level(boards, report)
                if is_last:
                    self.done_level = int(self.level_of[boards[0]])
                    saves.maybe()
        size = self.space.size
        values = self.values[:size]
        replies = None if self.replies is None else self.replies[:size]
        limit = 2 * float(np.nanmax(self.widest))
        if replies is not None:
            limit = max(limit, float(np.nanmax(replies - values + 2 * self.radius)))
        method = ", ".join(sorted(self.methods))
        found = (values, self.radius, replies, self.mixed, self.gain, limit, self.tie, method, self.n_boards)
        return TableValues(*found, self.endings.arrays())

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Inside, sweeps are shared out among the workers."""
        with ThreadPoolExecutor(self.workers) as self.pool:
            yield

    def by_level(self, progress: Callable[[float], None]) -> Iterator[tuple[Ints, Callable[[float], None], bool]]:
        """Boards to be done, last level first; what hears how much of them is done; is the level done with them?"""
        done = 0 if self.done_level is None else int((self.level_of >= self.done_level).sum())
        for of_level in last_level_first(self.level_of, self.done_level):
            parts = [of_level] if self.game.cyclic else np.array_split(of_level, -(-len(of_level) // AT_ONCE))
            for boards in parts:
                share, width = done / self.n_boards, len(boards) / self.n_boards
                done += len(boards)
                yield boards, part(progress, share, share + width), boards is parts[-1]
                progress(done / self.n_boards)

    def checkpoint(self) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """All that is needed to go on from here: arrays, and plain data."""
        size = self.space.size
        arrays: dict[str, NDArray[Any]] = {"values": self.values[:size], "radius": self.radius}
        arrays["mixed"] = self.mixed.rows
        if self.replies is not None:
            arrays["replies"] = self.replies[:size]
        arrays |= {ENDING + name: array for name, array in self.endings.arrays().items()}
        return arrays, {
            "level": self.done_level,
            "gain": self.gain,
            "methods": sorted(self.methods),
            "replies": self.replies is not None,
        }

    def fits(self, arrays: Mapping[str, NDArray[Any]], state: Mapping[str, Any]) -> bool:
        """Can ``resume`` take this? Arrays of the right kind, and numbers where it says that boards are done."""
        (usual, plain), given = self.checkpoint(), dict(arrays)
        lots, _ = given.pop("mixed", None), usual.pop("mixed")
        if state.get("replies"):
            usual["replies"] = usual["values"]
        right = lots is not None and lots.shape[1:] == (4,) and state.get("level") is not None
        return right and fits_levels(given, state, (usual, plain), self.level_of)

    def resume(self, arrays: dict[str, NDArray[Any]], state: dict[str, Any]) -> None:
        """Go on from a checkpoint: levels from ``state['level']`` on are done."""
        done = np.flatnonzero(self.level_of >= state["level"])
        self.values[done], self.radius[done] = arrays["values"][done], arrays["radius"][done]
        self.never[done] = is_nothing(self.values[done])
        if "replies" in arrays:
            self.replies = self.values.copy()
            self.replies[done] = arrays["replies"][done]
        for name in self.endings.sorts:
            self.endings.resume(name, arrays[ENDING + name], done)
        self.mixed = MixedStrategy(np.array(arrays["mixed"], dtype=np.float64))
        self.widest[done] = self.radius[done].max(axis=1)
        self.done_level, self.gain = state["level"], state["gain"]
        self.methods = set(state["methods"])

    def solve_level(self, boards: Ints, progress: Callable[[float], None]) -> None:
        """Values, radius and, where they differ, replies of boards that lead to each other and to what is solved."""
        groups = list(self.groups(boards))
        self.write_endings()
        if not self.game.cyclic:
            self.methods.add("one backup a board, each seat for itself")
            self.sweep(groups)
            self.require_legal(boards)
            self.waits[boards] = 1.0
        else:
            self.methods.add("sweeps, each seat for itself, certified")
            self.values[boards] = 1.0 / self.seats
            self.sweep(groups)
            self.require_legal(boards)
            patience = CHASING
            what = f"the shares of {self.game}"
            while not until_still(self.values, boards, lambda: self.sweep(groups), what, 0.0, patience, progress):
                settle_chase(self, groups, boards, progress)
                patience *= 2
        self.clear(groups, boards)
        self.certify(groups, boards)
        self.endings.count(groups, boards)
        self.waits[boards] = 0.0  # an earlier level waits for its own turns alone: what is off here it adds by itself

    def groups(self, boards: Ints) -> Iterator[Group]:
        """Boards whose turns start in the same root, those of a higher order first, and where they lead."""
        for root in np.unique(self.root_of[boards]).tolist():
            mine = boards[self.root_of[boards] == root]
            mine = mine[np.argsort(-self.order_of[mine], kind="stable")]
            backup = self.backups[root]
            codes: NDArray[np.int32] | None = None
            off = 0.0
            for begin in range(0, len(mine), SETTLED):
                some = mine[begin : begin + SETTLED]
                found = self.settler.transitions(backup.leaves, some).ends
                if codes is None:
                    codes = np.empty((len(found), len(mine)), dtype=np.int32)
                codes[:, begin : begin + len(some)] = found
                off = max(off, self.look_ahead(some, found))
            assert codes is not None
            yield Group(backup, mine, self.order_of[mine].astype(np.int64), codes, off)

    def look_ahead(self, boards: Ints, codes: NDArray[np.int32]) -> float:
        """The largest radius of the boards of later levels that these lead to.

        Raises ModelError where a turn leads to a board that cannot be, or back to an earlier level.
        """
        following, _ = read(codes, self.bits)
        on = following < self.space.size
        following = np.where(on, following, 0)
        level, own = np.where(on, self.level_of[following], LAST), self.level_of[boards]
        wrong = level < own + (0 if self.game.cyclic else 1)
        if wrong.any():
            row, lane = np.argwhere(wrong)[0]
            source, target = (self.space.board(int(b)) for b in (boards[lane], following[row, lane]))
            how = "is of an earlier level" if self.game.cyclic else "comes no later"
            how = "cannot be" if level[row, lane] < 0 else how
            raise ModelError(f"{self.game} goes from {source} to {target}, which {how}")
        return float(np.max(self.widest[following], where=on & (level > own), initial=0.0))

    def write_endings(self) -> None:
        """What the endings met so far are worth, behind the boards."""
        own, reply = rows_of_endings(self.settler.constants, self.seats)
        here = slice(self.space.size, self.space.size + len(own))
        self.values[here] = own
        self.reply_endings = reply
        is_none = (own == 0) & (not self.game.uncertain)  # else it may be taken as certain, and not be so
        self.never[here] = is_none | np.isneginf(reply).all(axis=1, keepdims=True)  # or illegal
        self.waits[here] = np.where(np.isneginf(reply), -np.inf, 0.0)
        if self.replies is not None:
            self.replies[here] = reply

    def require_legal(self, boards: Ints) -> None:
        """Raise ModelError where a turn has no legal result, or none within its cut."""
        wrong = ~np.isfinite(self.values[boards]).all(axis=1)
        if wrong.any():
            stuck = self.space.board(int(boards[wrong][0]))
            raise ModelError(f"{self.game} has no legal result on {stuck}, or none within its cut")

    # --- sweeps ------------------------------------------------------------------------------------------------------

    def sweep(self, groups: list[Group]) -> None:
        """One backup of every board in its turn: boards of a higher order are read by those of a lower one."""
        for (out,), mine in self._backed_up(groups, 1, lambda group: partial(group.backup.own, self, group)):
            self.values[mine] = out

    def _backed_up(
        self, groups: list[Group], count: int, backup_of: Callable[[Group], Callable[..., None]]
    ) -> Iterator[tuple[list[Vectors], Ints]]:
        """So many rows of all boards after one backup, some boards at a time, in the order of a sweep."""
        for group, begin, end in in_order(groups):
            rows, backup = [np.empty((end - begin, self.seats)) for _ in range(count)], backup_of(group)

            def job(low: int, high: int, begin: int = begin, rows: Any = rows, backup: Any = backup) -> None:
                backup(low, high, *(part[low - begin : high - begin] for part in rows))

            self.shared(begin, end, job)
            yield rows, group.boards[begin:end]

    def shared(self, begin: int, end: int, job: Callable[[int, int], None]) -> None:
        """The columns from ``begin`` to ``end``, shared out among the workers; the parts do not read each other."""
        parts = self.workers if end - begin >= 256 else 1
        cuts = [begin + (end - begin) * part // parts for part in range(parts + 1)]
        shared_out(self.pool, job, cuts)

    def clear(self, groups: list[Group], boards: Ints) -> None:
        """Make shares 0 that a seat can have nothing of, whatever anybody does: see ``is_nothing``.

        Small ones are thought to be so until a turn leads from one to a share that is not.
        """
        never = self.never
        never[boards] = self.values[boards] < STABLE
        columns = [np.flatnonzero(never[group.boards].any(axis=1)) for group in groups]
        parts = [(group.boards[some], group.codes[:, some]) for group, some in zip(groups, columns, strict=True)]
        changes = True
        while changes:
            changes = False
            for mine, codes in parts:
                (following, passes), before = read(codes, self.bits), never[mine]
                for place in range(self.seats):
                    never[mine, place] &= never[following, (place - passes) % self.seats].all(axis=0)
                changes |= bool((never[mine] != before).any())
        if (never[boards] & (self.values[boards] != 0)).any():
            self.values[boards] *= ~never[boards]
            self.sweep(groups)  # what was left there is to be elsewhere
        found = self.values[boards]
        alone = never[boards].sum(axis=1, keepdims=True) == self.seats - 1  # who has all, whatever anybody does
        found = np.where(alone, 1.0, np.minimum(found, 1 - UNIT))
        self.values[boards] = np.where(never[boards], 0.0, np.where(found <= 0, -0.0, found))

    # --- the proof ---------------------------------------------------------------------------------------------------

    def certify(self, groups: list[Group], boards: Ints) -> None:
        """Set the radius, and the replies where somebody gains by playing otherwise."""
        moved, better = self.excess(groups, self.values)
        if self.game.cyclic:
            self.lengthen(groups, boards)
        if better > STABLE or self.replies is not None:
            better, gain = self.best_replies(groups, boards)
            self.gain = max(self.gain, gain)
        self.gain = max(self.gain, better)
        each = max(moved, better) + self.rounding
        off = max(self.game.uncertain, *(group.off for group in groups))
        radius = round_up(off_by(each, self.waits[boards], off, SINGLE))
        self.radius[boards], self.widest[boards] = radius, radius.max(axis=1)

    def excess(self, groups: list[Group], replies: Vectors) -> tuple[float, float]:
        """The most by which one backup moves a share, and by which it raises the reply of any seat."""
        moved = better = 0.0
        for out, out_replies, boards in self.both(groups, replies):
            moved = max(moved, float(np.max(np.abs(out - self.values[boards]))))
            better = max(better, float(np.max(out_replies - replies[boards])))
        return moved, better

    def both(self, groups: list[Group], replies: Vectors) -> Iterator[tuple[Vectors, Vectors, Ints]]:
        """Shares and replies of all boards after one backup, some boards at a time, in the order of a sweep.

        What is written to ``replies`` in between is read by the boards that come later.
        """
        size = self.space.size
        own = self.values[size : size + len(self.reply_endings)]
        if replies is self.values and not np.array_equal(own, self.reply_endings):  # past a cut they differ
            replies = self.values.copy()
            replies[size : size + len(self.reply_endings)] = self.reply_endings
        answered = self._backed_up(groups, 2, lambda group: partial(group.backup.both, self, group, replies))
        for (out, out_replies), mine in answered:
            yield out, out_replies, mine

    def sweep_replies(self, groups: list[Group], replies: Vectors, more: float = 0.0) -> None:
        """One backup of the replies of every board in its turn, ``more`` added to each."""
        for _, out, mine in self.both(groups, replies):
            replies[mine] = out + more

    def lengthen(self, groups: list[Group], boards: Ints) -> None:
        """How many turns each seat alone can make the game last: ``waits`` >= 1 + what a backup makes of them."""
        if_wanted = f"if one seat wants it a game of {self.game}"
        until_bounded(self.waits, boards, lambda: self.sweep_replies(groups, self.waits, 1.0), if_wanted)

    def best_replies(self, groups: list[Group], boards: Ints) -> tuple[float, float]:
        """Sweep what each seat gets that alone plays its best.

        Returns by how much another backup would raise that at most, and how much more than its share it is at most.
        """
        if self.replies is None:
            self.replies = self.values.copy()
            self.write_endings()
        replies = self.replies
        replies[boards] = self.values[boards]
        what = f"the best replies at {self.game}"
        until_still(replies, boards, lambda: self.sweep_replies(groups, replies), what)
        gain = float(np.max(replies[boards] - self.values[boards]))
        return max(0.0, self.excess(groups, replies)[1]), max(0.0, gain)
