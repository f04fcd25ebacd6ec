"""Levels, roots and successors of the boards of a luck game of several seats, block by block.

``transition`` is recorded once a result (``solver.markov_chains.recorded``), or called once a result and block.
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

from rollwise.solver.markov_chains.chain import collapse
from rollwise.solver.model.cancellation import no_progress, raise_if_cancelled
from rollwise.solver.model.errors import ModelError
from rollwise.solver.model.game import Column, Columns, Transition, TurnGame
from rollwise.solver.model.limits import n_workers
from rollwise.solver.turn.graph import NO_RESULT, TurnGraph
from rollwise.solver.turn.perspective import Constants
from rollwise.solver.turn.record import CannotTrace
from rollwise.solver.turn.tape import NO_RESULT_ON_TAPE, Tape
from rollwise.solver.turn.tracing import input_rows
from rollwise.solver.turn.transition_reader import TransitionReader
from rollwise.solver.turn.transitions import UsedFields

if TYPE_CHECKING:
    from rollwise.solver.markov_chains.recorded import RecordedBoards, RecordedResults

Ints = NDArray[np.int64]
Indices: TypeAlias = NDArray[np.integer[Any]]
Codes: TypeAlias = NDArray[np.int32]
Report = Callable[[float], None]

SHIFT_BITS = 4  # of a code: the number of seats by which the turn passes on
BLOCK_BOARDS, RECORDED_BLOCK_BOARDS = 1 << 16, 1 << 14  # boards read at once, by NumPy and by records
NO_BOARD_LEVEL = -(1 << 31) + 1  # the level of an impossible board
SAMPLE_BOARDS, EDGE_BOARDS = 2048, 256  # on which each record is compared with the game: at random, at either end
NO_PLACES = np.zeros(1, dtype=np.int32)  # the places of a tape that reads none
_ENDINGS_LOCK = threading.Lock()


@dataclass(frozen=True)
class ResultDistribution:
    """Distribution of a turn's results from one root: each comes up in so many of ``total`` ways."""

    results: tuple[Any, ...]
    ways: tuple[int, ...]
    total: int


class SuccessorCodes(NamedTuple):
    """Successors of a run of places, one row a place.

    ``codes``: int32, shape (places, results), one for each result of the board's root: the place that follows, times
    16, plus the number of seats to the left at which its mover sits; or -1 less the number of the ending. ``root``:
    uint8, shape (places,); ``standing``: uint8, shape (places,), number of seats that still play.
    """

    codes: NDArray[np.int32]
    root: NDArray[np.uint8]
    standing: NDArray[np.uint8]


def result_distributions(game: TurnGame, graph: TurnGraph) -> list[ResultDistribution]:
    """Distribution of the turn's results, by root."""
    distributions = []
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
        distributions.append(ResultDistribution(tuple(ways), tuple(ways.values()), total))
    return distributions


def seats_uses(game: TurnGame) -> UsedFields:
    """Fields of ``Transition`` that a luck game of several seats may use."""
    fields = frozenset(("over", "shares"))
    return UsedFields("a luck game of several seats", fields, seats=1 << SHIFT_BITS, n_shares=max(game.seats, 1))


class BlockReader:
    """Reader of levels, roots and transitions of a game, block by block."""

    def __init__(self, game: TurnGame, graph: TurnGraph) -> None:
        self.game = game
        self.space = game.boards()
        self.distributions = result_distributions(game, graph)
        self.reader = TransitionReader(game, graph, Constants(self.space.size), uses=seats_uses(game))
        self.width = max(len(of_root.results) for of_root in self.distributions)
        self.endings: dict[tuple[Fraction, ...], int] = {(Fraction(0),) * game.seats: 0}  # row 0: of no result
        self.board_tapes: RecordedBoards | None = None
        self.recorded: RecordedResults | None = None

    # --- possible and reachable boards -----------------------------------------------------------------------------

    def possible_levels(self) -> Codes:
        """The level of each board of the space, NO_BOARD_LEVEL where it is not possible."""
        level = np.empty(self.space.size, dtype=np.int32)
        recorded = self.board_tapes
        step = RECORDED_BLOCK_BOARDS if recorded else BLOCK_BOARDS

        def of_block(first: int) -> None:
            block = level[first : first + step]
            indices = np.arange(first, first + len(block))
            if recorded is not None:
                _run_tape(recorded, recorded.level, indices, block[:, None])
            else:
                block[:] = self._level(self.space.columns(indices), only_possible=True)

        _each_block(of_block, range(0, len(level), step))
        return level

    def levels(self, boards: Ints) -> Codes:
        """The level of each of these boards, of the others NO_BOARD_LEVEL."""
        level = np.full(self.space.size, NO_BOARD_LEVEL, dtype=np.int32)
        for first in range(0, len(boards), BLOCK_BOARDS):
            raise_if_cancelled()
            some = boards[first : first + BLOCK_BOARDS]
            level[some] = self._level(self.space.columns(some))
        return level

    def _level(self, columns: Columns, *, only_possible: bool = False) -> Any:
        level = self.game.level(columns)
        level = 0 if level is None else level
        return np.where(self.game.possible(columns), level, NO_BOARD_LEVEL) if only_possible else level

    def record_boards(self, boards: Indices) -> None:
        """Record level, root and standing as functions of the board, and compare some with the game; see ``record``."""
        from rollwise.solver.markov_chains.recorded import trace_boards

        try:
            tapes = trace_boards(self.game, self.space, NO_BOARD_LEVEL)
        except CannotTrace:
            return
        sample = _sample_boards(boards)
        columns = self._columns(sample)
        if (tapes.rows(sample) != input_rows(columns)).any():
            raise ModelError(f"the boards of {self.game} are not what their indices say")
        plain = self._level(columns, only_possible=True), self.game.root(columns), self.game.standing(columns)
        recorded = *_run_tape(tapes, tapes.level, sample).T, *_run_tape(tapes, tapes.about, sample).T
        for field, game_output, numbers in zip(("level", "root", "standing"), plain, recorded, strict=True):
            for place in np.flatnonzero(game_output != numbers)[:1].tolist():
                raise ModelError(
                    f"the {field} of {self.game} is recorded wrongly: on {self.space.board(int(sample[place]))} "
                    "it is not what the game says"
                )
        self.board_tapes = tapes

    def _columns(self, boards: Indices) -> Columns:
        return self.space.columns(boards.astype(np.int64, copy=False))

    def reachable(self, start: int, most: float = inf) -> Ints:
        """Indices of the boards reachable from ``start``, ascending; only some where they are more than ``most``."""
        visited = np.zeros(self.space.size, dtype=bool)
        visited[start] = True
        ahead = np.array([start])
        n_visited = 1
        while len(ahead) and n_visited <= most:
            new = []
            for first in range(0, len(ahead), BLOCK_BOARDS):
                raise_if_cancelled()
                block = ahead[first : first + BLOCK_BOARDS]
                for root, inside in self._by_root(block):
                    columns = self.space.columns(block[inside])
                    for result in self.distributions[root].results:
                        following = self._transitions(columns, block[inside], result)[0]
                        following = following[following >= 0]
                        following = following[~visited[following]]
                        visited[following] = True
                        new.append(following)
            ahead = np.unique(np.concatenate(new))
            n_visited += len(ahead)
        return np.flatnonzero(visited)

    def _by_root(self, block: Ints) -> Iterator[tuple[int, NDArray[np.bool_]]]:
        roots = np.broadcast_to(self.game.root(self.space.columns(block)), len(block))
        for root in np.unique(roots):
            yield int(root), roots == root

    # --- successors ------------------------------------------------------------------------------------------------

    def successors(self, boards: Indices, place: Codes, report: Report = no_progress) -> SuccessorCodes:
        """Successors of these boards, as places."""
        n = len(boards)
        codes = np.empty((n, self.width), dtype=np.int32)
        root_of, standing = np.empty(n, dtype=np.uint8), np.empty(n, dtype=np.uint8)
        done, step = 0, RECORDED_BLOCK_BOARDS if self.recorded else BLOCK_BOARDS

        def fill_block(first: int) -> None:
            nonlocal done
            block = slice(first, min(first + step, n))
            self._fill_successors(boards[block], place, SuccessorCodes(codes[block], root_of[block], standing[block]))
            done += block.stop - first
            report(done / n)

        _each_block(fill_block, range(0, n, step))
        return SuccessorCodes(codes, root_of, standing)

    def record(self, boards: Indices, place: Codes) -> None:
        """Record the results of every root; raises ModelError where they differ from ``transition`` on a sample."""
        from rollwise.solver.markov_chains.recorded import trace_results

        if self.board_tapes is None:
            self.record_boards(boards)
        if self.board_tapes is None:
            return
        sample = _sample_boards(boards)
        plain, recorded = (
            SuccessorCodes(
                np.empty((len(sample), self.width), dtype=np.int32), *np.empty((2, len(sample)), dtype=np.uint8)
            )
            for _ in range(2)
        )
        self._fill_successors(sample, place, plain)
        roots_used = set(plain.root.tolist())
        results = [of_root.results if root in roots_used else () for root, of_root in enumerate(self.distributions)]
        self.recorded = trace_results(self.game, self.space, results, self.reader.uses, self.endings, SHIFT_BITS)
        self._fill_successors(sample, place, recorded)
        for row, number in np.argwhere(recorded.codes != plain.codes).tolist()[:1]:
            raise ModelError(
                f"result {results[int(plain.root[row])][number]} of {self.game} is recorded wrongly: on "
                f"{self.space.board(int(sample[row]))} it does not do what transition says"
            )

    def _fill_successors(self, boards: Indices, place: Codes, follows: SuccessorCodes) -> None:
        """Fill ``follows`` with the successors of a block of boards: from records, else by ``transition``."""
        codes, roots, standing = follows
        unrecorded, columns = np.zeros((len(self.distributions), self.width), dtype=bool), None
        if self.recorded is None:
            columns = self._columns(boards)
            codes.fill(-1)
            roots[:], standing[:] = self.game.root(columns), self.game.standing(columns)
        else:
            from rollwise.solver.turn.tape_kernel import follow

            tape, targets, _ = self.recorded
            follow(self.board_tapes, tape, targets, boards, place, follows, unrecorded)
        for root in np.flatnonzero(np.bincount(roots)).tolist():
            results = self.distributions[root].results
            recorded = () if self.recorded is None else self.recorded.of_root(root)
            plain = [number for number in range(len(results)) if number not in recorded or unrecorded[root, number]]
            if not plain:
                continue
            inside = np.flatnonzero(roots == root)
            for number in plain:
                where = inside[codes[inside, number] == NO_RESULT_ON_TAPE] if number in recorded else inside
                columns = columns or self._columns(boards)
                some = boards[where].astype(np.int64)
                self._fill_result(_take_columns(columns, where), some, results[number], number, where, place, codes)

    def _fill_result(
        self,
        columns: Columns,
        boards: Ints,
        result: Any,
        number: int,
        rows: Ints,
        place: NDArray[np.int32],
        codes: Codes,
    ) -> None:
        """Fill in the codes of one result in these rows."""
        following, passed, ending = self._transitions(columns, boards, result)
        where = place[following].astype(np.int64)
        lost = (following >= 0) & (where < 0)
        if lost.any():
            board = self.space.board(int(boards[lost][0]))
            raise ModelError(f"result {result} of {board} leads to a board that cannot be")
        codes[rows, number] = np.where(following < 0, -1 - ending, where << SHIFT_BITS | passed)

    def _transitions(self, columns: Columns, boards: Ints, result: Any) -> tuple[Ints, Column, Column]:
        """Transitions of a block of boards of one root under a result.

        Returns the index of the board that follows each, shape (n,), -1 where the game ends; the number of seats by
        which the turn passes on; and, where the game ends, the number of the ending. New endings are numbered.
        """
        transitions = self.reader.read_result(result, columns, boards)
        ended = transitions.column(transitions.ended)
        if not ended.any():
            return transitions.following, transitions.passes, 0
        ending = np.zeros(len(boards), dtype=np.int64)
        ending[ended] = self._endings(transitions.effect, ended)
        return np.where(ended, -1, transitions.following), transitions.passes, ending

    def _endings(self, transition: Transition, ended: NDArray[np.bool_]) -> Ints:
        """The number of each ending, or one for all; new ones are added."""
        endings, number = self.reader.endings(transition, ended)
        with _ENDINGS_LOCK:
            numbers = [self.endings.setdefault(shares, len(self.endings)) for shares in endings]
        return np.array(numbers)[number]


def _take_columns(columns: Columns, where: Ints) -> Columns:
    """Columns of some boards of a block."""
    return Columns({name: column.take(where, axis=-1) for name, column in columns.as_dict().items()})


def _run_tape(recorded: RecordedBoards, tape: Tape, boards: Indices, stored: Codes | None = None) -> Codes:
    """Outputs of a tape on boards, shape (boards, outputs), written into ``stored`` where that is an array."""
    from rollwise.solver.turn.tape_kernel import run

    outputs = np.empty((len(boards), len(tape.outputs)), dtype=np.int32) if stored is None else stored
    columns, inside = np.arange(len(tape.outputs)), np.arange(len(boards))
    run(tape, 0, recorded.rows(boards), inside, NO_PLACES, columns, outputs, np.zeros(len(columns), dtype=bool))
    return outputs


def _sample_boards(boards: Indices) -> Indices:
    """Boards at random and at both ends, on which records are compared with the game."""
    at_random = np.random.default_rng(0).integers(len(boards), size=SAMPLE_BOARDS)
    sample: Indices = np.unique(np.concatenate([boards[:EDGE_BOARDS], boards[at_random], boards[-EDGE_BOARDS:]]))
    return sample


def _each_block(work: Callable[[int], Any], firsts: range) -> None:
    """Do the work on all blocks, two at a time where there are several."""
    if len(firsts) <= 1 or n_workers() == 1:
        for first in firsts:
            raise_if_cancelled()
            work(first)
        return
    pool = ThreadPoolExecutor(n_workers())
    try:
        for _ in pool.map(work, firsts):
            raise_if_cancelled()
    finally:
        pool.shutdown(cancel_futures=True)
