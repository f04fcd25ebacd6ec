"""The chain of a luck game of several seats: where each throw leads each board.

A turn without choices is one distribution over results, the same for every board that starts its turn in the same root.
``transition`` is recorded once a result (``solver.markov_chains.recorded``), or asked once a result and block of boards; what it
says is kept as one small number a board and result.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.markov_chains.blocks import (
    BITS as BITS,
    BLOCK,
    NONE,
    Blocks,
    Codes,
    Follows as Follows,
    Indices,
    Ints,
    seats_uses as seats_uses,
    throws_of as throws_of,
)
from rollwise.solver.model.cancellation import no_progress
from rollwise.solver.model.errors import ModelError, TooLarge
from rollwise.solver.model.game import TurnGame
from rollwise.solver.turn.graph import TurnGraph
from rollwise.solver.turn.record import CannotTrace

Report = Callable[[float], None]

MOST_BOARDS = 1 << 31 - BITS  # a code is a 32-bit number
MOST_HELD = 1 << 26  # boards times results up to which all is laid out at once and kept
RECORDED = 1 << 23  # boards times results from which on a game is recorded: what runs records takes 0.2 s to load


class Chain:
    """A chain over boards, each one a *place* from 0 to n - 1.

    Places go by level from the last one on (what follows a board mostly stands before it, and near what follows its
    neighbours), within a level from the highest index down; ``levels`` says where each level starts, and n.

    ``ways``: float64, shape (roots, results), whole numbers, 0 where a root has fewer results; ``total``: their sums.
    Where results and boards are few, all is laid out at once; else run by run as it is asked for, and nothing is kept.
    """

    def __init__(self, blocks: Blocks, boards: Indices, levels: Ints, place: Codes, report: Report) -> None:
        self.game = blocks.game
        self._boards = boards
        self._place = place
        self.levels = levels
        self.ways = np.zeros((len(blocks.throws), blocks.width))
        for row, of_root in zip(self.ways, blocks.throws, strict=True):
            row[: len(of_root.ways)] = of_root.ways
        self.total = self.ways.sum(axis=1)
        self._blocks = blocks
        self._whole: Follows | None = None
        if len(boards) * blocks.width >= RECORDED:
            blocks.record(boards, self._place)
        if len(boards) * blocks.width <= MOST_HELD:
            self.whole(report)

    @property
    def boards(self) -> Ints:
        """The boards by index, place by place."""
        return self._boards.astype(np.int64)

    @property
    def as_held(self) -> Indices:
        """The same, in no more bytes than they need."""
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
        """Results of the root that has the most."""
        return int(self.ways.shape[1])

    @property
    def seats(self) -> int:
        """Shares of an ending."""
        return max(1, self.game.seats)

    @property
    def is_held(self) -> bool:
        """True where all is laid out, so that it costs nothing to ask for it again."""
        return self._whole is not None

    @property
    def is_recorded(self) -> bool:
        """True where what results do is recorded, not asked of ``transition`` block by block."""
        return self._blocks.recorded is not None

    # --- what follows ----------------------------------------------------------------------------------------------

    def whole(self, report: Report = no_progress) -> Follows:
        """All places; they are kept from now on."""
        if self._whole is None:
            self._whole = self._blocks.onward(self._boards, self._place, report)
        return self._whole

    def onward(self, first: int, end: int) -> Follows:
        """The places first..end - 1."""
        if self._whole is None:
            return self._blocks.onward(self._boards[first:end], self._place)
        codes, root, standing = self._whole
        return Follows(codes[first:end], root[first:end], standing[first:end])

    @property
    def codes(self) -> NDArray[np.int32]:
        """Of all places."""
        return self.whole().codes

    @property
    def root(self) -> NDArray[np.uint8]:
        """Of all places."""
        return self.whole().root

    @property
    def standing(self) -> NDArray[np.uint8]:
        """Of all places."""
        return self.whole().standing

    # --- endings ---------------------------------------------------------------------------------------------------

    @property
    def exact_endings(self) -> tuple[tuple[Fraction, ...], ...]:
        """The endings that have come up so far, by number: shares from the mover to the left."""
        return tuple(self._blocks.endings)

    @property
    def endings(self) -> NDArray[np.float64]:
        """The same as floats, shape (endings, seats)."""
        return np.array([[float(share) for share in ending] for ending in self.exact_endings])

    @property
    def shared(self) -> NDArray[np.bool_]:
        """Which endings are shared wins, shape (endings,)."""
        return np.array([sum(share > 0 for share in ending) > 1 for ending in self.exact_endings])

    def holds(self, board: int) -> bool:
        """Is this one of its boards, by index?"""
        return bool(self._place[board] >= 0)

    def place(self, board: int) -> int:
        """The place of a board by its index."""
        found = int(self._place[board])
        if found < 0:
            raise ModelError(f"{self.game} does not come to {self.game.boards().board(board)}")
        return found

    def board(self, place: int) -> dict[str, Any]:
        """The board of a place."""
        return self.game.boards().board(int(self._boards[place]))

    def shift(self) -> int | None:
        """How far the turn always passes on, or None where that differs from step to step."""
        found: set[int] = set()
        whole = self.whole()
        for first in range(0, self.n_boards, BLOCK):
            for root in range(len(self.ways)):
                some = whole.codes[first : first + BLOCK][whole.root[first : first + BLOCK] == root]
                some = some[:, self.ways[root] > 0]
                some = some[some >= 0] & (1 << BITS) - 1
                found |= {int(some.min()), int(some.max())} if len(some) else set()
        return found.pop() if len(found) == 1 else None


def lay_out(game: TurnGame, graph: TurnGraph, start: int | None = None, report: Report = no_progress) -> Chain:
    """The chain over all possible boards, or over those that play from the board ``start`` (by index) can come to.

    Raises ModelError where the game's file says what cannot be, TooLarge past 134 million boards.
    """
    blocks = Blocks(game, graph)
    if start is None:
        if blocks.space.size * blocks.width >= RECORDED:
            blocks.record_boards(np.arange(blocks.space.size))
        return _chain(blocks, blocks.possible(), None, report)
    boards = blocks.reached(start)
    return _chain(blocks, blocks.levels(boards), boards, report)


def lay_out_few(game: TurnGame, graph: TurnGraph, start: int, most: int) -> Chain | None:
    """The chain over the boards that play from ``start`` can come to; None where these are more than ``most``."""
    blocks = Blocks(game, graph)
    boards = blocks.reached(start, most)
    return None if len(boards) > most else _chain(blocks, blocks.levels(boards), boards)


def _chain(blocks: Blocks, place: Codes, known: Ints | None, report: Report = no_progress) -> Chain:
    """The chain over the boards that have a level in ``place``, and that are ``known`` where they are not all.

    The level of each gives way to its place.
    """
    kind = np.int32 if blocks.space.size < 1 << 31 else np.int64
    if (len(place) if known is None else len(known)) * blocks.width < RECORDED:
        boards = np.flatnonzero(place != NONE) if known is None else known
        ordered, levels = by_level(boards.astype(kind), place[boards])
        place.fill(-1)
        place[ordered] = np.arange(len(ordered), dtype=np.int32)
        return Chain(blocks, ordered, levels, place, report)
    from rollwise.solver.markov_chains.level_kernel import in_order, levels_in

    n_boards, first, last = levels_in(place, NONE)
    if n_boards >= MOST_BOARDS:
        raise TooLarge(f"{blocks.game} has {n_boards:,} boards, a chain takes {MOST_BOARDS:,}")
    starts, ordered = np.zeros(last - first + 2, dtype=np.int64), np.empty(n_boards, dtype=kind)
    in_order(place, NONE, last, starts, ordered)
    return Chain(blocks, ordered, np.unique(starts), place, report)


def unrecorded(game: TurnGame, graph: TurnGraph) -> tuple[str, ...]:
    """Results that cannot be recorded, each with the reason."""
    from rollwise.solver.markov_chains.recorded import recorded_boards, recorded_results

    space, throws = game.boards(), throws_of(game, graph)
    try:
        recorded_boards(game, space, NONE)
    except CannotTrace as error:
        return (f"any result, for {error}",)
    results = [of_root.results for of_root in throws]
    plain = recorded_results(game, space, results, seats_uses(game), {}, BITS).plain
    reasons = [
        f"result {of_root[number]}, for {why}"
        for of_root, failed in zip(results, plain, strict=True)
        for number, why in failed.items()
    ]
    return tuple(dict.fromkeys(reasons))


def rank(game: TurnGame, board: int) -> tuple[int, int]:
    """By what the places of any chain of a game are in ascending order: the level of a board, and its index."""
    level = game.level(game.boards().columns(np.array([board])))
    return 0 if level is None else -int(np.ravel(level)[0]), -board


def by_level(boards: Indices, level_of: NDArray[np.int32]) -> tuple[Indices, Ints]:
    """Boards by level from the last one on, within a level the last board first, and where each level starts."""
    order = np.argsort(-level_of[::-1], kind="stable")
    levels = level_of[::-1][order]
    starts = np.concatenate([[0], np.flatnonzero(levels[1:] != levels[:-1]) + 1, [len(levels)]])
    return boards[::-1][order], starts
