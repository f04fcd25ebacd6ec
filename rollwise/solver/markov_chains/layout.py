"""Transition table of a luck game of several seats: one small number, a code, for each board and result.

A turn without choices is one distribution over results, the same for every board that starts its turn in the same root.
``transition`` is recorded once a result (``solver.markov_chains.recorded``), or called once a result and block.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.markov_chains.blocks import (
    BLOCK_BOARDS,
    NO_BOARD_LEVEL,
    SHIFT_BITS as SHIFT_BITS,
    BlockReader,
    Codes,
    Indices,
    Ints,
    SuccessorCodes as SuccessorCodes,
    result_distributions as result_distributions,
    seats_uses as seats_uses,
)
from rollwise.solver.model.cancellation import no_progress
from rollwise.solver.model.errors import ModelError, TooLarge
from rollwise.solver.model.game import TurnGame
from rollwise.solver.turn.graph import TurnGraph
from rollwise.solver.turn.record import CannotTrace

Report = Callable[[float], None]

MAX_BOARDS = 1 << 31 - SHIFT_BITS  # a code is a 32-bit number
MAX_TABLE_CODES = 1 << 26  # boards times results up to which the whole table stays in memory
MIN_RECORDED_CODES = 1 << 23  # boards times results from which on a game is recorded: that loads code for 0.2 s


class Chain:
    """An absorbing Markov chain over boards, each one a *place* from 0 to n - 1.

    Places go by level, last level first (most successors of a board stand before it, near those of its neighbours),
    within a level from the highest index down; ``levels`` has the first place of each level, and n.

    ``ways``: float64, shape (roots, results), whole numbers, 0 where a root has fewer results; ``total``: their sums.
    A table of few codes is laid out at once; a larger one anew for each run of places.
    """

    def __init__(self, blocks: BlockReader, boards: Indices, levels: Ints, place: Codes, report: Report) -> None:
        self.game = blocks.game
        self._boards = boards
        self._place = place
        self.levels = levels
        self.ways = np.zeros((len(blocks.distributions), blocks.width))
        for row, of_root in zip(self.ways, blocks.distributions, strict=True):
            row[: len(of_root.ways)] = of_root.ways
        self.total = self.ways.sum(axis=1)
        self._blocks = blocks
        self._whole: SuccessorCodes | None = None
        if len(boards) * blocks.width >= MIN_RECORDED_CODES:
            blocks.record(boards, self._place)
        if len(boards) * blocks.width <= MAX_TABLE_CODES:
            self.whole(report)

    @property
    def boards(self) -> Ints:
        """Board index of each place."""
        return self._boards.astype(np.int64)

    @property
    def compact_boards(self) -> Indices:
        """The same in the narrowest integers that take them."""
        return self._boards

    @property
    def n_boards(self) -> int:
        """Number of boards."""
        return len(self._boards)

    @property
    def n_levels(self) -> int:
        """Number of levels."""
        return len(self.levels) - 1

    @property
    def n_results(self) -> int:
        """Number of results of the root that has the most."""
        return int(self.ways.shape[1])

    @property
    def seats(self) -> int:
        """Number of shares of an ending."""
        return max(1, self.game.seats)

    @property
    def is_recorded(self) -> bool:
        """True where results are recorded, so that ``transition`` is not called block by block."""
        return self._blocks.recorded is not None

    # --- successors ------------------------------------------------------------------------------------------------

    def whole(self, report: Report = no_progress) -> SuccessorCodes:
        """Successors of all places, in memory from now on."""
        if self._whole is None:
            self._whole = self._blocks.successors(self._boards, self._place, report)
        return self._whole

    def successors(self, first: int, end: int) -> SuccessorCodes:
        """Successors of the places first..end - 1."""
        if self._whole is None:
            return self._blocks.successors(self._boards[first:end], self._place)
        codes, root, standing = self._whole
        return SuccessorCodes(codes[first:end], root[first:end], standing[first:end])

    @property
    def codes(self) -> NDArray[np.int32]:
        """Codes of all places, shape (n, results)."""
        return self.whole().codes

    @property
    def root(self) -> NDArray[np.uint8]:
        """Root of each place."""
        return self.whole().root

    @property
    def standing(self) -> NDArray[np.uint8]:
        """Number of seats that still play, by place."""
        return self.whole().standing

    # --- endings ---------------------------------------------------------------------------------------------------

    @property
    def exact_endings(self) -> tuple[tuple[Fraction, ...], ...]:
        """Endings that were read so far, by number: shares from the mover to the left."""
        return tuple(self._blocks.endings)

    @property
    def endings(self) -> NDArray[np.float64]:
        """The same as floats, shape (endings, seats)."""
        return np.array([[float(share) for share in ending] for ending in self.exact_endings])

    @property
    def shared(self) -> NDArray[np.bool_]:
        """Which endings are shared wins, shape (endings,)."""
        return np.array([sum(share > 0 for share in ending) > 1 for ending in self.exact_endings])

    def place(self, board: int) -> int:
        """The place of a board by its index."""
        number = int(self._place[board])
        if number < 0:
            raise ModelError(f"{self.game} does not come to {self.game.boards().board(board)}")
        return number

    def board(self, place: int) -> dict[str, Any]:
        """The board of a place."""
        return self.game.boards().board(int(self._boards[place]))

    def shift(self) -> int | None:
        """Number of seats by which every turn passes on, None where it differs from result to result."""
        shifts: set[int] = set()
        whole = self.whole()
        for first in range(0, self.n_boards, BLOCK_BOARDS):
            for root in range(len(self.ways)):
                codes = whole.codes[first : first + BLOCK_BOARDS][whole.root[first : first + BLOCK_BOARDS] == root]
                codes = codes[:, self.ways[root] > 0]
                codes = codes[codes >= 0] & (1 << SHIFT_BITS) - 1
                shifts |= {int(codes.min()), int(codes.max())} if len(codes) else set()
        return shifts.pop() if len(shifts) == 1 else None


def lay_out(game: TurnGame, graph: TurnGraph, start: int | None = None, report: Report = no_progress) -> Chain:
    """The chain over all possible boards, or over those reachable from the board ``start`` (by index).

    Raises ModelError for a game whose transitions contradict each other, TooLarge past 134 million boards.
    """
    blocks = BlockReader(game, graph)
    if start is None:
        if blocks.space.size * blocks.width >= MIN_RECORDED_CODES:
            blocks.record_boards(np.arange(blocks.space.size))
        return _chain(blocks, blocks.possible_levels(), None, report)
    boards = blocks.reachable(start)
    return _chain(blocks, blocks.levels(boards), boards, report)


def lay_out_few(game: TurnGame, graph: TurnGraph, start: int, most: int) -> Chain | None:
    """The chain over the boards reachable from ``start``; None where these are more than ``most``."""
    blocks = BlockReader(game, graph)
    boards = blocks.reachable(start, most)
    return None if len(boards) > most else _chain(blocks, blocks.levels(boards), boards)


def _chain(blocks: BlockReader, place: Codes, reachable: Ints | None, report: Report = no_progress) -> Chain:
    """The chain over the boards that have a level in ``place``: these ``reachable`` ones, or all.

    ``place`` is overwritten: each level by the board's place.
    """
    dtype = np.int32 if blocks.space.size < 1 << 31 else np.int64
    if (len(place) if reachable is None else len(reachable)) * blocks.width < MIN_RECORDED_CODES:
        boards = np.flatnonzero(place != NO_BOARD_LEVEL) if reachable is None else reachable
        ordered, levels = sort_by_level(boards.astype(dtype), place[boards])
        place.fill(-1)
        place[ordered] = np.arange(len(ordered), dtype=np.int32)
        return Chain(blocks, ordered, levels, place, report)
    from rollwise.solver.markov_chains.step_kernels import level_range, order_places

    n_boards, first, last = level_range(place, NO_BOARD_LEVEL)
    if n_boards >= MAX_BOARDS:
        raise TooLarge(f"{blocks.game} has {n_boards:,} boards, a chain takes {MAX_BOARDS:,}")
    starts, ordered = np.zeros(last - first + 2, dtype=np.int64), np.empty(n_boards, dtype=dtype)
    order_places(place, NO_BOARD_LEVEL, last, starts, ordered)
    return Chain(blocks, ordered, np.unique(starts), place, report)


def unrecorded_results(game: TurnGame, graph: TurnGraph) -> tuple[str, ...]:
    """Results that cannot be recorded, each with the reason."""
    from rollwise.solver.markov_chains.recorded import trace_boards, trace_results

    space, distributions = game.boards(), result_distributions(game, graph)
    try:
        trace_boards(game, space, NO_BOARD_LEVEL)
    except CannotTrace as error:
        return (f"any result, for {error}",)
    results = [of_root.results for of_root in distributions]
    plain = trace_results(game, space, results, seats_uses(game), {}, SHIFT_BITS).plain
    reasons = [
        f"result {of_root[number]}, for {why}"
        for of_root, failed in zip(results, plain, strict=True)
        for number, why in failed.items()
    ]
    return tuple(dict.fromkeys(reasons))


def place_sort_key(game: TurnGame, board: int) -> tuple[int, int]:
    """Sort key of a board by which the places of any chain of a game ascend: level, then index, both descending."""
    level = game.level(game.boards().columns(np.array([board])))
    return 0 if level is None else -int(np.ravel(level)[0]), -board


def sort_by_level(boards: Indices, level_of: NDArray[np.int32]) -> tuple[Indices, Ints]:
    """Sort boards by level, last level first and last board first; returns them and the first place of each level."""
    order = np.argsort(-level_of[::-1], kind="stable")
    levels = level_of[::-1][order]
    starts = np.concatenate([[0], np.flatnonzero(levels[1:] != levels[:-1]) + 1, [len(levels)]])
    return boards[::-1][order], starts
