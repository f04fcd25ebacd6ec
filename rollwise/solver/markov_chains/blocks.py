"""The boards of a luck game of several seats, block by block: what is said of them, and what results do to them.

``transition`` is recorded once a result (``solver.markov_chains.recorded``), or asked once a result and block of boards.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fractions import Fraction
from math import inf, lcm
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.components.processors import n_workers
from rollwise.solver.markov_chains.chain import collapse
from rollwise.solver.model.cancellation import for_a_thread, no_progress, require_wanted
from rollwise.solver.model.errors import ModelError
from rollwise.solver.model.game import Column, Columns, Transition, TurnGame
from rollwise.solver.turn.graph import NO_RESULT, TurnGraph
from rollwise.solver.turn.perspective import Constants
from rollwise.solver.turn.record import CannotTrace
from rollwise.solver.turn.tape import UNSAID, Tape
from rollwise.solver.turn.tracing import input_rows
from rollwise.solver.turn.transition_reader import TransitionReader, Uses

if TYPE_CHECKING:
    from rollwise.solver.markov_chains.recorded import RecordedBoards, RecordedResults

Ints = NDArray[np.int64]
Indices: TypeAlias = NDArray[np.integer[Any]]
Codes: TypeAlias = NDArray[np.int32]
Report = Callable[[float], None]

BITS = 4  # of a code that say whose turn it is
BLOCK, RECORDED_BLOCK = 1 << 16, 1 << 14  # boards settled at once, by NumPy and by records
NONE = -(1 << 31) + 1  # the level of what is no board
SAMPLE, EDGE = 2048, 256  # boards on which each record is compared with the game: at random, and at either end
NOWHERE = np.zeros(1, dtype=np.int32)  # the places of a tape that reads none
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


def seats_uses(game: TurnGame) -> Uses:
    """Which words of ``Transition`` a luck game of several seats may use."""
    words = frozenset(("over", "shares"))
    return Uses("a luck game of several seats", words, seats=1 << BITS, n_shares=max(game.seats, 1))


class Blocks:
    """Settles blocks of boards and gathers what is said."""

    def __init__(self, game: TurnGame, graph: TurnGraph) -> None:
        self.game = game
        self.space = game.boards()
        self.throws = throws_of(game, graph)
        self.settler = TransitionReader(game, graph, Constants(self.space.size), uses=seats_uses(game))
        self.width = max(len(of_root.results) for of_root in self.throws)
        self.endings: dict[tuple[Fraction, ...], int] = {(Fraction(0),) * game.seats: 0}  # a row for what is not used
        self.of_boards: RecordedBoards | None = None
        self.recorded: RecordedResults | None = None

    # --- which boards ----------------------------------------------------------------------------------------------

    def possible(self) -> Codes:
        """The level of each board of the space, NONE where it is not possible."""
        level = np.empty(self.space.size, dtype=np.int32)
        recorded = self.of_boards
        step = RECORDED_BLOCK if recorded else BLOCK

        def of_block(first: int) -> None:
            require_wanted()
            block = level[first : first + step]
            indices = np.arange(first, first + len(block))
            if recorded is not None:
                _said(recorded, recorded.level, indices, block[:, None])
            else:
                block[:] = self._level(self.space.columns(indices), only_possible=True)

        _each(of_block, range(0, len(level), step))
        return level

    def levels(self, boards: Ints) -> Codes:
        """The level of each of these boards, of the others NONE."""
        level = np.full(self.space.size, NONE, dtype=np.int32)
        for first in range(0, len(boards), BLOCK):
            require_wanted()
            some = boards[first : first + BLOCK]
            level[some] = self._level(self.space.columns(some))
        return level

    def _level(self, columns: Columns, *, only_possible: bool = False) -> Any:
        level = self.game.level(columns)
        level = 0 if level is None else level
        return np.where(self.game.possible(columns), level, NONE) if only_possible else level

    def record_boards(self, boards: Indices) -> None:
        """Record what the game says of boards, and compare that with what it says itself of some; see ``record``."""
        from rollwise.solver.markov_chains.recorded import recorded_boards

        try:
            found = recorded_boards(self.game, self.space, NONE)
        except CannotTrace:
            return
        some = _sample(boards)
        columns = self._columns(some)
        if (found.rows(some) != input_rows(columns)).any():
            raise ModelError(f"the boards of {self.game} are not what their indices say")
        plain = self._level(columns, only_possible=True), self.game.root(columns), self.game.standing(columns)
        recorded = *_said(found, found.level, some).T, *_said(found, found.about, some).T
        for word, said, numbers in zip(("level", "root", "standing"), plain, recorded, strict=True):
            for place in np.flatnonzero(said != numbers)[:1].tolist():
                raise ModelError(
                    f"the {word} of {self.game} is recorded wrongly: on {self.space.board(int(some[place]))} "
                    "it is not what the game says"
                )
        self.of_boards = found

    def _columns(self, boards: Indices) -> Columns:
        return self.space.columns(boards.astype(np.int64, copy=False))

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

    def onward(self, boards: Indices, place: Codes, report: Report = no_progress) -> Follows:
        """What follows these boards, as places."""
        n = len(boards)
        codes = np.empty((n, self.width), dtype=np.int32)
        root_of, standing = np.empty(n, dtype=np.uint8), np.empty(n, dtype=np.uint8)
        done, step = 0, RECORDED_BLOCK if self.recorded else BLOCK

        def transition(first: int) -> None:
            nonlocal done
            block = slice(first, min(first + step, n))
            self._settle(boards[block], place, Follows(codes[block], root_of[block], standing[block]))
            done += block.stop - first
            report(done / n)

        _each(transition, range(0, n, step))
        return Follows(codes, root_of, standing)

    def record(self, boards: Indices, place: Codes) -> None:
        """Record what results do, root by root; raises ModelError where that is not what ``transition`` says itself.

        They are compared on boards at random and at both ends.
        """
        from rollwise.solver.markov_chains.recorded import recorded_results

        if self.of_boards is None:
            self.record_boards(boards)
        if self.of_boards is None:
            return
        some = _sample(boards)
        plain, recorded = (
            Follows(np.empty((len(some), self.width), dtype=np.int32), *np.empty((2, len(some)), dtype=np.uint8))
            for _ in range(2)
        )
        self._settle(some, place, plain)
        seen = set(plain.root.tolist())
        results = [of_root.results if root in seen else () for root, of_root in enumerate(self.throws)]
        self.recorded = recorded_results(self.game, self.space, results, self.settler.uses, self.endings, BITS)
        self._settle(some, place, recorded)
        for row, number in np.argwhere(recorded.codes != plain.codes).tolist()[:1]:
            raise ModelError(
                f"result {results[int(plain.root[row])][number]} of {self.game} is recorded wrongly: on "
                f"{self.space.board(int(some[row]))} it does not do what transition says"
            )

    def _settle(self, boards: Indices, place: Codes, follows: Follows) -> None:
        """What follows a block of boards, into the rows of ``follows``: as recorded, else as ``transition`` says."""
        codes, roots, standing = follows
        unsaid, columns = np.zeros((len(self.throws), self.width), dtype=bool), None
        if self.recorded is None:
            columns = self._columns(boards)
            codes.fill(-1)
            roots[:], standing[:] = self.game.root(columns), self.game.standing(columns)
        else:
            from rollwise.solver.turn.tape_kernel import follow

            tape, targets, _ = self.recorded
            follow(self.of_boards, tape, targets, boards, place, follows, unsaid)
        for root in np.flatnonzero(np.bincount(roots)).tolist():
            results = self.throws[root].results
            recorded = () if self.recorded is None else self.recorded.of_root(root)
            plain = [number for number in range(len(results)) if number not in recorded or unsaid[root, number]]
            if not plain:
                continue
            inside = np.flatnonzero(roots == root)
            for number in plain:
                where = inside[codes[inside, number] == UNSAID] if number in recorded else inside
                columns = columns or self._columns(boards)
                some = boards[where].astype(np.int64)
                self._settle_result(_some(columns, where), some, results[number], number, where, place, codes)

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

    def _endings(self, said: Transition, ended: NDArray[np.bool_]) -> Ints:
        """The number of each ending, or one for all; new ones are noted."""
        endings, number = self.settler.endings(said, ended)
        with _NOTING:
            found = [self.endings.setdefault(shares, len(self.endings)) for shares in endings]
        return np.array(found)[number]


def _some(columns: Columns, where: Ints) -> Columns:
    """Some boards of a block."""
    return Columns({name: column.take(where, axis=-1) for name, column in columns.as_dict().items()})


def _said(recorded: RecordedBoards, tape: Tape, boards: Indices, stored: Codes | None = None) -> Codes:
    """What a tape says of boards, shape (boards, numbers), into ``stored``."""
    from rollwise.solver.turn.tape_kernel import run

    found = np.empty((len(boards), len(tape.outputs)), dtype=np.int32) if stored is None else stored
    columns, inside = np.arange(len(tape.outputs)), np.arange(len(boards))
    run(tape, 0, recorded.rows(boards), inside, NOWHERE, columns, found, np.zeros(len(columns), dtype=bool))
    return found


def _sample(boards: Indices) -> Indices:
    """Boards at random and at both ends, on which records are compared with the game."""
    at_random = np.random.default_rng(0).integers(len(boards), size=SAMPLE)
    some: Indices = np.unique(np.concatenate([boards[:EDGE], boards[at_random], boards[-EDGE:]]))
    return some


def _each(work: Callable[[int], Any], firsts: range) -> None:
    """Blocks in turn, two at a time where there are several."""
    work = for_a_thread(work)
    if len(firsts) <= 1 or n_workers() == 1:
        for first in firsts:
            work(first)
        return
    pool = ThreadPoolExecutor(n_workers())
    try:
        for _ in pool.map(work, firsts):
            pass
    finally:
        pool.shutdown(cancel_futures=True)
