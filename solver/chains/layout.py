"""The chain of a luck game of several seats: where each throw leads each board.

A turn without choices is one distribution over results, the same for every board that starts its turn in the same root.
``settle`` is recorded once a result (``solver.chains.recorded``), or asked once a result and block of boards; what it
says is kept as one small number a board and result.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import inf, lcm
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from rollwise.solver.chains.chain import collapse
from rollwise.solver.game.errors import ModelError, TooLarge
from rollwise.solver.game.giving_up import for_a_thread, require_wanted, unheard
from rollwise.solver.game.model import Column, Columns, Settled, TurnGame
from rollwise.solver.order.processors import n_workers
from rollwise.solver.turn.graph import NO_RESULT, TurnGraph
from rollwise.solver.turn.perspective import Constants
from rollwise.solver.turn.settled import Settler, Uses
from rollwise.solver.turn.tracing import input_rows

if TYPE_CHECKING:
    from rollwise.solver.chains.recorded import RecordedRoot

Ints = NDArray[np.int64]
Indices: TypeAlias = NDArray[np.integer[Any]]
Codes: TypeAlias = NDArray[np.int32]
Report = Callable[[float], None]

BITS = 4  # of a code that say whose turn it is
MOST_BOARDS = 1 << 31 - BITS  # a code is a 32-bit number
BLOCK = 1 << 16  # boards settled at once
MOST_HELD = 1 << 26  # boards times results up to which all is laid out at once and kept
RECORDED = 1 << 23  # boards times results from which on ``settle`` is recorded: what runs records takes 0.2 s to load
SAMPLE, EDGE = 2048, 256  # boards on which each record is compared with ``settle``: at random, and at either end
_NOTING = threading.Lock()


@dataclass(frozen=True)
class Throws:
    """What a turn from one root can come to: results, and in how many of ``total`` ways."""

    results: tuple[Any, ...]
    ways: tuple[int, ...]
    total: int


class Follows(NamedTuple):
    """What follows a run of places, one row a place.

    ``codes``: int32, shape (places, results): what each result of a board's root does to it: the place that follows,
    times 16, plus how many seats to the left its mover sits; or -1 less the number of the ending. ``root``: uint8,
    shape (places,); ``standing``: uint8, shape (places,), places of a board that still play.
    """

    codes: NDArray[np.int32]
    root: NDArray[np.uint8]
    standing: NDArray[np.uint8]


class Chain:
    """A chain over boards, each one a *place* from 0 to n - 1.

    Places go by level from the last one on (what follows a board mostly stands before it, and near what follows its
    neighbours), within a level from the highest index down; ``levels`` says where each level starts, and n.

    ``ways``: float64, shape (roots, results), whole numbers, 0 where a root has fewer results; ``total``: their sums.
    Where results and boards are few, all is laid out at once; else run by run as it is asked for, and nothing is kept.
    """

    def __init__(self, layer: _Layer, boards: Indices, levels: Ints, report: Report) -> None:
        self.game = layer.game
        self._boards = boards
        self.levels = levels
        self.ways = np.zeros((len(layer.throws), layer.width))
        for row, of_root in zip(self.ways, layer.throws, strict=True):
            row[: len(of_root.ways)] = of_root.ways
        self.total = self.ways.sum(axis=1)
        self._layer = layer
        self._place = np.full(layer.space.size, -1, dtype=np.int32)
        self._place[boards] = np.arange(len(boards), dtype=np.int32)
        self._whole: Follows | None = None
        if len(boards) * layer.width >= RECORDED:
            layer.record(boards, self._place)
        if len(boards) * layer.width <= MOST_HELD:
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
        """True where what results do is recorded, not asked of ``settle`` block by block."""
        return bool(self._layer.recorded)

    # --- what follows ----------------------------------------------------------------------------------------------

    def whole(self, report: Report = unheard) -> Follows:
        """All places; they are kept from now on."""
        if self._whole is None:
            self._whole = self._layer.onward(self._boards, self._place, report)
        return self._whole

    def onward(self, first: int, end: int) -> Follows:
        """The places first..end - 1."""
        if self._whole is None:
            return self._layer.onward(self._boards[first:end], self._place)
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
        return tuple(self._layer.endings)

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


def throws_of(game: TurnGame, graph: TurnGraph) -> list[Throws]:
    """The turn's distributions, by root."""
    found = []
    for root in graph.roots:
        leaves = collapse(graph, int(root))
        total = lcm(*(chance.denominator for _, chance in leaves))
        ways: dict[Any, int] = {}
        for leaf_id, chance in leaves:
            leaf = graph.leaves[leaf_id]
            if leaf.result == NO_RESULT or leaf.lower:
                raise ModelError(f"a turn of {game} is worth points or bounds of its own, not only shares")
            result = graph.results[leaf.result]
            ways[result] = ways.get(result, 0) + int(chance * total)
        found.append(Throws(tuple(ways), tuple(ways.values()), total))
    return found


def lay_out(game: TurnGame, graph: TurnGraph, start: int | None = None, report: Report = unheard) -> Chain:
    """The chain over all possible boards, or over those that play from the board ``start`` (by index) can come to.

    Raises ModelError where the game's file says what cannot be, TooLarge past 134 million boards.
    """
    layer = _Layer(game, graph)
    if start is None:
        return _chain(layer, *layer.possible(), report)
    boards = layer.reached(start)
    return _chain(layer, boards, layer.levels(boards), report)


def lay_out_few(game: TurnGame, graph: TurnGraph, start: int, most: int) -> Chain | None:
    """The chain over the boards that play from ``start`` can come to; None where these are more than ``most``."""
    layer = _Layer(game, graph)
    boards = layer.reached(start, most)
    return None if len(boards) > most else _chain(layer, boards, layer.levels(boards))


def _chain(layer: _Layer, boards: Ints, level_of: NDArray[np.int32], report: Report = unheard) -> Chain:
    game = layer.game
    if len(boards) >= MOST_BOARDS:
        raise TooLarge(f"{game} has {len(boards):,} boards, a chain takes {MOST_BOARDS:,}")
    kept: Indices = boards.astype(np.int32 if layer.space.size < 1 << 31 else np.int64)
    if len(boards) * layer.width < RECORDED:
        return Chain(layer, *by_level(kept, level_of), report)
    from rollwise.solver.chains.level_kernel import in_order

    last = int(level_of.max())
    starts, ordered = np.zeros(last - int(level_of.min()) + 2, dtype=np.int64), np.empty_like(kept)
    in_order(kept, level_of, last, starts, ordered)
    return Chain(layer, ordered, np.unique(starts), report)


def unrecorded(game: TurnGame, graph: TurnGraph) -> tuple[str, ...]:
    """Results that cannot be recorded, each with the reason."""
    from rollwise.solver.chains.recorded import recorded_root

    space, uses, reasons = game.boards(), seats_uses(game), []
    for throws in throws_of(game, graph):
        plain = recorded_root(game, space, throws.results, uses, {}, BITS).plain
        reasons += [f"result {throws.results[number]}, for {why}" for number, why in plain.items()]
    return tuple(dict.fromkeys(reasons))


def rank(game: TurnGame, board: int) -> tuple[int, int]:
    """By what the places of any chain of a game are in ascending order: the level of a board, and its index."""
    level = game.level(game.boards().columns(np.array([board])))
    return 0 if level is None else -int(np.ravel(level)[0]), -board


def seats_uses(game: TurnGame) -> Uses:
    """Which words of ``Settled`` a luck game of several seats may use."""
    words = frozenset(("over", "shares"))
    return Uses("a luck game of several seats", words, seats=1 << BITS, n_shares=max(game.seats, 1))


class _Layer:
    """Settles blocks of boards and gathers what is said."""

    def __init__(self, game: TurnGame, graph: TurnGraph) -> None:
        self.game = game
        self.space = game.boards()
        self.throws = throws_of(game, graph)
        self.settler = Settler(game, graph, Constants(self.space.size), uses=seats_uses(game))
        self.width = max(len(of_root.results) for of_root in self.throws)
        self.endings: dict[tuple[Fraction, ...], int] = {(Fraction(0),) * game.seats: 0}  # a row for what is not used
        self.recorded: dict[int, RecordedRoot] = {}

    # --- which boards ----------------------------------------------------------------------------------------------

    def possible(self) -> tuple[Ints, NDArray[np.int32]]:
        """Indices of all possible boards, ascending, and their levels."""

        def of_block(first: int) -> tuple[Ints, NDArray[np.int32]]:
            indices = np.arange(first, min(first + BLOCK, self.space.size))
            columns = self.space.columns(indices)
            can_be = np.flatnonzero(np.broadcast_to(self.game.possible(columns), len(indices)))
            return indices[can_be], self._level(_some(columns, can_be))

        indices, levels = zip(*_each(of_block, range(0, self.space.size, BLOCK)), strict=True)
        return np.concatenate(indices), np.concatenate(levels)

    def levels(self, boards: Ints) -> NDArray[np.int32]:
        """The level of each board."""

        def of_block(first: int) -> NDArray[np.int32]:
            return self._level(self.space.columns(boards[first : first + BLOCK]))

        found: NDArray[np.int32] = np.concatenate(_each(of_block, range(0, len(boards), BLOCK)))
        return found

    def _level(self, columns: Columns) -> NDArray[np.int32]:
        require_wanted()
        levels = self.game.level(columns)
        return np.full(len(columns), 0 if levels is None else levels, dtype=np.int32)

    def reached(self, start: int, most: float = inf) -> Ints:
        """Indices of the boards that play from ``start`` can come to, ascending; some where they are over ``most``."""
        seen = np.zeros(self.space.size, dtype=bool)
        seen[start] = True
        ahead = np.array([start])
        n_seen = 1
        while len(ahead) and n_seen <= most:
            new = []
            for first in range(0, len(ahead), BLOCK):
                require_wanted()
                block = ahead[first : first + BLOCK]
                for root, inside in self._by_root(block):
                    columns = self.space.columns(block[inside])
                    for result in self.throws[root].results:
                        following = self._settled(columns, block[inside], result)[0]
                        following = following[following >= 0]
                        following = following[~seen[following]]
                        seen[following] = True
                        new.append(following)
            ahead = np.unique(np.concatenate(new))
            n_seen += len(ahead)
        return np.flatnonzero(seen)

    def _by_root(self, block: Ints) -> Iterator[tuple[int, NDArray[np.bool_]]]:
        roots = np.broadcast_to(self.game.root(self.space.columns(block)), len(block))
        for root in np.unique(roots):
            yield int(root), roots == root

    # --- what follows ----------------------------------------------------------------------------------------------

    def onward(self, boards: Indices, place: NDArray[np.int32], report: Report = unheard) -> Follows:
        """What follows these boards, as places."""
        n = len(boards)
        codes = np.full((n, self.width), -1, dtype=np.int32)
        root_of, standing = np.zeros(n, dtype=np.uint8), np.zeros(n, dtype=np.uint8)
        done = 0

        def settle(first: int) -> None:
            nonlocal done
            block = slice(first, min(first + BLOCK, n))
            some = boards[block].astype(np.int64)
            columns = self.space.columns(some)
            root_of[block] = self.game.root(columns)
            standing[block] = self.game.standing(columns)
            rows = input_rows(columns) if self.recorded else None
            for root in np.unique(root_of[block]).tolist():
                inside = np.flatnonzero(root_of[block] == root)
                self._settle_root(columns, rows, some, root, inside, place, codes[block])
            done += block.stop - first
            report(done / n)

        _each(settle, range(0, n, BLOCK))
        return Follows(codes, root_of, standing)

    def record(self, boards: Indices, place: NDArray[np.int32]) -> None:
        """Record what results do, root by root; raises ModelError where that is not what ``settle`` says itself.

        They are compared on boards at random and at both ends.
        """
        from rollwise.solver.chains.recorded import recorded_root

        at_random = np.random.default_rng(0).integers(len(boards), size=SAMPLE)
        sample = np.unique(np.concatenate([boards[:EDGE], boards[at_random], boards[-EDGE:]])).astype(np.int64)
        self.recorded.clear()
        for root, inside in self._by_root(sample):
            some, results = sample[inside], self.throws[root].results
            columns, everywhere = self.space.columns(some), np.arange(len(some))
            plain = np.full((len(some), self.width), -1, dtype=np.int32)
            for number, result in enumerate(results):
                self._settle_result(columns, some, result, number, everywhere, place, plain)
            codes = np.full_like(plain, -1)
            self.recorded[root] = recorded_root(self.game, self.space, results, self.settler.uses, self.endings, BITS)
            self._settle_root(columns, input_rows(columns), some, root, everywhere, place, codes)
            for row, number in np.argwhere(codes != plain).tolist()[:1]:
                raise ModelError(
                    f"result {results[number]} of {self.game} is recorded wrongly: on "
                    f"{self.space.board(int(some[row]))} it does not do what settle says"
                )

    def _settle_root(
        self,
        columns: Columns,
        inputs: Codes | None,
        boards: Ints,
        root: int,
        inside: Ints,
        place: NDArray[np.int32],
        codes: Codes,
    ) -> None:
        """Fill in the codes of a block of boards at those ``inside``, all of one root; ``inputs`` are for records."""
        plain = dict.fromkeys(range(len(self.throws[root].results)), inside)  # on which boards to ask ``settle``
        if root in self.recorded:
            from rollwise.solver.turn.tape import UNSAID
            from rollwise.solver.turn.tape_kernel import run

            tape, targets, _ = self.recorded[root]
            unsaid = np.zeros(len(targets), dtype=bool)
            run(tape, inputs, inside, place, targets, codes, unsaid)
            for number, some in zip(targets.tolist(), unsaid.tolist(), strict=True):
                plain[number] = inside[codes[inside, number] == UNSAID] if some else inside[:0]
        for number, where in plain.items():
            if len(where):
                result = self.throws[root].results[number]
                self._settle_result(_some(columns, where), boards[where], result, number, where, place, codes)

    def _settle_result(
        self,
        columns: Columns,
        boards: Ints,
        result: Any,
        number: int,
        rows: Ints,
        place: NDArray[np.int32],
        codes: Codes,
    ) -> None:
        """Fill in the codes of one result, in these rows."""
        following, passed, ending = self._settled(columns, boards, result)
        where = place[following].astype(np.int64)
        lost = (following >= 0) & (where < 0)
        if lost.any():
            board = self.space.board(int(boards[lost][0]))
            raise ModelError(f"result {result} of {board} leads to a board that cannot be")
        codes[rows, number] = np.where(following < 0, -1 - ending, where << BITS | passed)

    def _settled(self, columns: Columns, boards: Ints, result: Any) -> tuple[Ints, Column, Column]:
        """What a result does to a block of boards, all of one root.

        Returns the index of the board that follows each, shape (n,), -1 where the game ends; how many seats the turn
        passes on; and, where the game ends, the number of the ending. New endings are noted.
        """
        reading = self.settler.read_result(result, columns, boards)
        ended = reading.column(reading.ended)
        if not ended.any():
            return reading.following, reading.passes, 0
        ending = np.zeros(len(boards), dtype=np.int64)
        ending[ended] = self._endings(reading.said, ended)
        return np.where(ended, -1, reading.following), reading.passes, ending

    def _endings(self, said: Settled, ended: NDArray[np.bool_]) -> Ints:
        """The number of each ending, or one for all; new ones are noted."""
        endings, number = self.settler.endings(said, ended)
        with _NOTING:
            found = [self.endings.setdefault(shares, len(self.endings)) for shares in endings]
        return np.array(found)[number]


def _some(columns: Columns, where: Ints) -> Columns:
    """Some boards of a block."""
    return Columns({name: column.take(where, axis=-1) for name, column in columns.as_dict().items()})


def by_level(boards: Indices, level_of: NDArray[np.int32]) -> tuple[Indices, Ints]:
    """Boards by level from the last one on, within a level the last board first, and where each level starts."""
    order = np.argsort(-level_of[::-1], kind="stable")
    levels = level_of[::-1][order]
    starts = np.concatenate([[0], np.flatnonzero(levels[1:] != levels[:-1]) + 1, [len(levels)]])
    return boards[::-1][order], starts


def _each(work: Callable[[int], Any], firsts: range) -> list[Any]:
    """Blocks in turn, two at a time where there are several."""
    work = for_a_thread(work)
    if len(firsts) <= 1:
        return [work(first) for first in firsts]
    return list(Parallel(n_jobs=n_workers(), backend="threading")(delayed(work)(first) for first in firsts))
