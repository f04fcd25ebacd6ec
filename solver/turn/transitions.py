"""Where the ends of a turn lead from each board: the game's ``settle``, called once a result, as codes.

Leaves of one result lead to one board, whatever they earned on the way: they share an *end*. And a result does the same
to all boards that agree in the fields it looks at: many boards are settled by a table over those fields, which is made
by calling ``settle`` on columns that hold nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.game.errors import ModelError
from rollwise.solver.game.model import Boards, Settled, TurnGame
from rollwise.solver.turn.graph import NO_RESULT, TurnGraph
from rollwise.solver.turn.perspective import ILLEGAL, Constants
from rollwise.solver.turn.result_tables import (
    Block,
    Changes,
    Codes,
    Floats,
    Ints,
    Probed,
    Table,
    Tables,
    Wanted,
    Watched,
)

TABLED = 1024  # boards from which on tables are quicker
LARGEST = 1 << 18  # entries of a table
SMALLER = 8  # a table has at most one entry for so many boards of the space


LookUp: TypeAlias = Callable[..., int]  # ``solver.turn.kernels.look_up``


@dataclass(frozen=True)
class Ends:
    """How some leaves of a turn share ends.

    ``of_leaf``: the end of each leaf; ``own``: what each leaf earns in the turn itself (0 past a proven cut);
    ``first``: of each end one leaf of the graph.
    """

    of_leaf: Ints
    own: Floats
    first: Ints


def ends_of(graph: TurnGraph, leaves: Ints) -> Ends:
    """The ends of these leaves, in the order in which they first appear."""
    row: dict[int, int] = {}
    of_leaf: list[int] = []
    first: list[int] = []
    for leaf_id in leaves.tolist():
        result = graph.leaves[leaf_id].result
        name = -2 - leaf_id if result == NO_RESULT else result
        if name not in row:
            row[name] = len(first)
            first.append(leaf_id)
        of_leaf.append(row[name])
    kept = [graph.leaves[leaf_id] for leaf_id in leaves.tolist()]
    own = np.array([0.0 if leaf.result == NO_RESULT else float(leaf.lower) for leaf in kept])
    return Ends(np.array(of_leaf, dtype=np.int64), own, np.array(first, dtype=np.int64))


@dataclass(frozen=True)
class Transitions:
    """Where the ends of a turn lead from some boards, and what is earned.

    ``ends``: int32, shape (ends, boards), see ``solver.turn.perspective``; ``extra``: float64, shape (some ends,
    boards), what the board adds; ``extra_of``: of each end its row of ``extra``, -1 for those that add nothing.
    ``of_leaf`` and ``own`` are as in ``Ends``.
    """

    ends: Codes
    extra: Floats
    extra_of: Ints
    of_leaf: Ints
    own: Floats

    @classmethod
    def of_leaves(cls, codes: Codes, rewards: Floats) -> Transitions:
        """Every leaf an end for itself, with these rewards (or no rows)."""
        places = np.arange(len(codes))
        return cls(codes, rewards, places if len(rewards) else places * 0 - 1, places, np.zeros(len(codes)))

    @property
    def codes(self) -> Codes:
        """Leaf by leaf, int32, shape (leaves, boards)."""
        return self.ends[self.of_leaf]

    @property
    def rewards(self) -> Floats:
        """What leaves earn altogether, float64, shape (leaves, boards); no rows where all earn nothing."""
        if not len(self.extra) and not self.own.any():
            return np.zeros((0, self.ends.shape[1]))
        rewards: Floats = np.repeat(self.own[:, None], self.ends.shape[1], axis=1)
        row = self.extra_of[self.of_leaf]
        rewards[row >= 0] += self.extra[row[row >= 0]]
        return rewards

    def of(self, columns: slice | NDArray[Any]) -> Transitions:
        """The same for some of the boards."""
        ends, extra = np.ascontiguousarray(self.ends[:, columns]), np.ascontiguousarray(self.extra[:, columns])
        return Transitions(ends, extra, self.extra_of, self.of_leaf, self.own)


class Room:
    """Memory for the transitions of one block of boards after the other: fresh pages are a tenth of a long solve."""

    def __init__(self) -> None:
        self.codes: Codes = np.empty(0, dtype=np.int32)
        self.extra: Floats = np.empty(0)

    def of(self, ends: int, boards: int) -> tuple[Codes, Floats]:
        """(codes, extra), both of shape (ends, boards); rows that are never written take no memory."""
        size = ends * boards
        if len(self.codes) < size:
            self.codes, self.extra = np.empty(size, dtype=np.int32), np.empty(size)
        return self.codes[:size].reshape(ends, boards), self.extra[:size].reshape(ends, boards)


class Settler:
    """Settles blocks of boards of one game."""

    def __init__(self, game: TurnGame, graph: TurnGraph, constants: Constants, look_up: LookUp | None = None) -> None:
        self.game = game
        self.graph = graph
        self.space: Boards = game.boards()
        self.constants = constants
        self.look_up = look_up
        self.sizes = [1.0]  # of rewards and finished games' worths: the largest of each block (threads append)
        self.own = max((float(abs(leaf.lower)) for leaf in graph.leaves), default=0.0)  # no leaf earns more itself
        self._ends: dict[bytes, Ends] = {}
        self._tables: dict[int, list[Table]] = {}
        self._together: dict[bytes, list[Tables]] = {}
        self._untabled: set[int] = set()  # results that look at too much

    @property
    def largest(self) -> float:
        """No reward and no finished game's worth met so far is larger in size."""
        return max(self.sizes)

    def transitions(self, leaves: Ints, boards: Ints, room: Room | None = None) -> Transitions:
        """Where these leaves lead from these boards; with ``room`` only until that is used again."""
        name = leaves.tobytes()
        if name not in self._ends:
            self._ends[name] = ends_of(self.graph, leaves)
        ends = self._ends[name]
        block = Block(self.space, boards)
        codes, extra = (room or Room()).of(len(ends.first), len(boards))
        extra_of = np.full(len(ends.first), -1)
        tables = self._all_tables(name, block) if self.look_up is not None else None
        if tables is not None and self.look_up is not None:
            used = self.look_up(*tables.flat, tables.entries(block), block.twice, codes, extra, extra_of)
            return Transitions(codes, extra[:used], extra_of, ends.of_leaf, ends.own)
        used = 0
        for row, leaf_id in enumerate(ends.first.tolist()):
            leaf = self.graph.leaves[leaf_id]
            if leaf.result == NO_RESULT:
                codes[row] = self.constants.code((leaf.lower, leaf.upper))
                self._note_size(float(max(abs(leaf.lower), abs(leaf.upper))))
                continue
            reward = self._settle(leaf.result, block, codes[row])
            if reward is not None:
                extra[used], extra_of[row] = reward, used
                used += 1
        self._note_size(self.own)
        return Transitions(codes, extra[:used], extra_of, ends.of_leaf, ends.own)

    def _note_size(self, size: float) -> None:
        if size > self.largest:
            self.sizes.append(size)

    def _settle(self, number: int, block: Block, codes: Codes) -> Floats | None:
        """Fill a row of codes for one result; returns what the boards add, None where they add nothing."""
        table = self._table(number, block)
        if table is not None and table.fill(block, codes):
            return table.reward_of(block)
        result = self.graph.results[number]
        said = self.game.settle(block.columns, result)

        def following(goes_on: Any) -> Ints:
            return self._following(said, block.boards, result, goes_on)

        return self._coded(said, len(block.boards), following, codes)[1]

    def _coded(
        self, said: Settled, count: int, following: Callable[[Any], Ints], codes: Codes
    ) -> tuple[Any, Floats | None]:
        """Fill a row of codes; returns where the game goes on, and the rewards or None where there are none."""
        over = _either(said.over, _either(said.won, said.drawn))
        goes_on = _both(said.legal, _not(over))
        if goes_on is False:
            codes[:] = self.constants.code(ILLEGAL)
        else:
            ahead = following(goes_on)
            mover = said.mover if isinstance(said.mover, bool) else np.asarray(said.mover, dtype=np.int64)
            np.copyto(codes, 2 * ahead + mover, casting="unsafe")
            if goes_on is not True:
                codes[~goes_on] = self.constants.code(ILLEGAL)
        ended = _both(said.legal, over)
        if ended is not False:
            self._code_ended(said, np.broadcast_to(ended, count), codes)
        reward = said.reward
        if goes_on is False or (np.isscalar(reward) and reward == 0):
            return goes_on, None
        kept = np.asarray(reward) if goes_on is True else np.where(goes_on, reward, 0)
        if not kept.any():
            return goes_on, None
        self._note_size(float(np.max(np.abs(kept))) / said.per + self.own)
        return goes_on, np.broadcast_to(kept / said.per, count)

    def _following(self, said: Settled, boards: Ints, result: Any, goes_on: Any) -> Ints:
        """The next board of each board that goes on (anything elsewhere)."""
        count = len(boards)
        if said.next is None:
            first = boards[np.broadcast_to(goes_on, count)]
            if len(first):
                raise ModelError(f"ModelError: result {result} of {self._name(first[0])} leads nowhere")
            return np.zeros(count, dtype=np.int64)
        following = self.space.index(said.next, count)
        lost = (following < 0) & goes_on
        if lost.any():
            raise ModelError(f"ModelError: result {result} of {self._name(boards[lost][0])} leads off the boards")
        return following

    def _code_ended(self, said: Settled, ended: NDArray[np.bool_], codes: Codes) -> None:
        """Codes of finished games, by what they are worth."""
        if not ended.any():
            return
        per = 2 * said.per
        worth = (
            2 * np.asarray(said.reward, dtype=np.int64) + per * np.asarray(said.won) + said.per * np.asarray(said.drawn)
        )
        if isinstance(said.reward, int):  # at most three different worths: lost, drawn, won
            numbers = [2 * said.reward + extra for extra in (0, said.per, per)]
        else:
            numbers = np.unique(np.broadcast_to(worth, ended.shape)[ended]).tolist()
        for number in numbers:
            there = ended & (worth == number)
            if there.any():
                worth_is = Fraction(number, per)
                self._note_size(abs(float(worth_is)))
                codes[there] = self.constants.code(worth_is)

    def _name(self, board: int) -> str:
        return str(self.space.board(int(board)))

    # --- tables ------------------------------------------------------------------------------------------------------

    def _table(self, number: int, block: Block) -> Table | None:
        """The table of a result for these boards, made now if need be; None where there is none."""
        if len(block.boards) < TABLED or number in self._untabled:
            return None
        for table in self._tables.get(number, []):
            if table.is_for(block):
                return table
        made = self._tabulated(number, block)
        if made is None:
            self._untabled.add(number)
        else:
            self._tables.setdefault(number, []).append(made)
        return made

    def _all_tables(self, name: bytes, block: Block) -> Tables | None:
        """The tables of all ends of that name for these boards; None where one has none, or leads off the boards."""
        known = self._together.setdefault(name, [])
        for tables in known:
            if tables.is_for(block):
                return tables
        found = []
        for leaf_id in self._ends[name].first.tolist():
            leaf = self.graph.leaves[leaf_id]
            table = self._table(leaf.result, block) if leaf.result != NO_RESULT else None
            if table is None or table.lost is not None:
                return None
            found.append(table)
        known.append(Tables(found))
        self._note_size(self.own)
        return known[-1]

    def _tabulated(self, number: int, block: Block) -> Table | None:
        """A result on all combinations of the fields that it looks at; None where that is not worth a table."""
        result = self.graph.results[number]
        if not isinstance(self.game.settle(Probed(block), result).next, Changes):
            return None
        names: list[str] = []
        while True:
            entries = prod(self.space.parts[name].size for name in names)
            if entries > min(LARGEST, self.space.size // SMALLER):
                return None
            watched = Watched(self.space, names, block)
            try:
                with np.errstate(all="ignore"):  # combinations that cannot be may divide by what is 0 there
                    said = self.game.settle(watched, result)
                break
            except Wanted as wanted:
                if wanted.name is None:
                    return None
                names.append(wanted.name)
        lost = np.zeros(len(watched), dtype=bool)

        def following(goes_on: Any) -> Ints:
            shift = np.zeros(len(watched), dtype=np.int64)
            for name, column in (said.next or {}).items():
                stride, _ = self.space.place_of(name)
                rank = self.space.parts[name].rank(column, len(watched))
                shift += stride * (rank - watched.ranks[name])
                lost[:] |= rank < 0
            lost[:] &= goes_on
            return shift

        codes = np.empty(len(watched), dtype=np.int32)
        goes_on, reward = self._coded(said, len(watched), following, codes)
        goes_on = np.broadcast_to(goes_on, len(watched))
        return Table(
            tuple(names), watched.derived, codes, goes_on.astype(np.int32), reward, lost if lost.any() else None
        )


# Three-valued columns: True, False, or an array; most results need no array at all.


def _not(column: Any) -> Any:
    return (not column) if isinstance(column, bool) else ~np.asarray(column, dtype=bool)


def _both(left: Any, right: Any) -> Any:
    if isinstance(left, bool):
        return right if left else False
    if isinstance(right, bool):
        return left if right else False
    return left & right


def _either(left: Any, right: Any) -> Any:
    if isinstance(left, bool):
        return True if left else right
    if isinstance(right, bool):
        return True if right else left
    return left | right
