"""Exact values of games whose boards never come back, modulo primes: see docs/method.md, *Fractions*.

Every value is a whole number over a denominator that is known beforehand. A *pass* finds what all boards are worth
modulo eight primes, under the moves that the stored floats choose; passes enough, and the Chinese remainder theorem
gives the numbers themselves. Moves whose floats are too close to tell and whose residues differ are listed; their
differences, put together in the same way, say whether the choice was right.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.components.processors import n_workers
from rollwise.solver.components.topological_levels import columns_of, last_level_first
from rollwise.solver.exact import residues as kernels
from rollwise.solver.exact.residue_rows import PRIMES
from rollwise.solver.exact.residues import LANES, Field, Reads, Steps
from rollwise.solver.model.errors import ModelError
from rollwise.solver.model.game import TurnGame
from rollwise.solver.model.sheet import no_fractions
from rollwise.solver.turn.algebra import scales
from rollwise.solver.turn.graph import CHANCE, NO_RESULT, TurnGraph
from rollwise.solver.turn.kernels import EVEN, MAX, MEAN, MIN, SHIFT, Program, compile_program, look_up
from rollwise.solver.turn.perspective import ILLEGAL, Constants, read as codes_read
from rollwise.solver.turn.transition_reader import WORTHS, TransitionColumns, TransitionReader, Uses

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Residues = NDArray[np.uint32]
Report = Callable[[float], None]

CHOICES = (MAX, MIN)
NEAR = 8.0  # moves are compared whose floats differ by no more than so many radii: two would do
AT_ONCE = 8192  # boards that are settled together
MOST = 1 << 30  # no reward is larger
NONE: Ints = np.zeros((0, 3), dtype=np.int64)
ROOM = 256  # moves that are listed of some boards, at first


def fits(game: TurnGame, graph: TurnGraph) -> bool:
    """Can it be done so: boards that never come back, nothing past a cut, and turns that earn whole numbers?"""
    whole = all(leaf.lower.denominator == 1 and abs(leaf.lower) < MOST for leaf in graph.leaves)
    ways = max((int(total) for total in graph.total), default=0)
    return not game.cyclic and whole and ways < MOST and all(leaf.result != NO_RESULT for leaf in graph.leaves)


def primes_from(number: int) -> Iterator[int]:
    """The primes below this number, the largest first.

    >>> from itertools import islice
    >>> list(islice(primes_from(100), 3))
    [97, 89, 83]
    """
    from flint import fmpz

    for candidate in range(number - 1, 2, -1):
        if fmpz(candidate).is_prime():
            yield candidate


def boards_ahead(game: TurnGame, graph: TurnGraph, board: int, uses: Uses = WORTHS) -> Ints:
    """The boards that this one leads to."""
    constants, boards = Constants(game.boards().size), np.array([board])
    root = int(np.broadcast_to(game.root(game.boards().columns(boards)), 1)[0])
    leaves = np.flatnonzero(graph.root_leaves[root])
    following, _ = codes_read(TransitionReader(game, graph, constants, uses=uses).transitions(leaves, boards).ends)
    found: Ints = np.unique(following[following < constants.n_boards]).astype(np.int64)
    return found


class _Whole(TransitionReader):
    """A settler that sees to it that boards add whole numbers."""

    def _code(self, reading: TransitionColumns, codes: Any) -> Floats | None:
        found = super()._code(reading, codes)
        if found is not None and (reading.per != 1 or float(np.max(np.abs(found))) >= MOST):
            raise no_fractions(self.game)
        return found


@dataclass(frozen=True)
class Passed:
    """What a pass found: the residues of some boards, a row each.

    ``listed``: moves so near that floats do not tell, and whose residues differ (``solver.exact.residues.sweep``), with
    ``differ``, the residues of the differences. ``ending``: the common denominator of what games end with. ``floats``:
    a digest of those that chose.
    """

    primes: tuple[int, ...]
    residues: Residues
    listed: Ints
    differ: Residues
    ending: int
    floats: str


class Passes:
    """A game that is passed through, from its last boards to those of levels above a board's."""

    def __init__(
        self,
        game: TurnGame,
        graph: TurnGraph,
        values: Floats,
        radius: NDArray[np.float32],
        board: int,
        *,
        uses: Uses = WORTHS,
        workers: int | None = None,
    ) -> None:
        if not fits(game, graph):
            raise no_fractions(game)
        self.wanted = boards_ahead(game, graph, board, uses)
        self.game, self.graph, self.workers = game, graph, workers or n_workers()
        self.level_of, self.root_of, _ = columns_of(game, self.workers)
        self.level_of[self.level_of <= self.level_of[board]] = -1
        self.n_levels = len(np.unique(self.level_of[self.level_of >= 0]))
        self.n_boards = int((self.level_of >= 0).sum())
        space = game.boards()
        self.constants = Constants(space.size)
        self.settler = _Whole(game, graph, self.constants, look_up, uses)
        self.values = self.constants.room(np.nan)
        self.values[: len(values)] = values
        known = self.level_of >= 0
        self.near = NEAR * float(np.max(radius[known], initial=0.0))
        self.size = ceil(float(np.max(np.abs(values[known]), initial=0.0)) + self.near + 1)
        self.programs = [compile_program(graph, int(root), game.sense, backups=self.n_boards) for root in graph.roots]
        self.sign = 1.0 if game.sense == "max" else -1.0
        self.steps = [_steps(program, self.sign) for program in self.programs]
        told = np.append(np.where(known, values, 0.0), self.near)
        self.floats = hashlib.sha256(told.tobytes()).hexdigest()

    def may_play(self, others: Ints) -> bool:
        """Are these moves (see ``run``) that there are?"""
        steps = [self.steps[int(self.root_of[board])].ops for board in others[:, 0] if 0 <= board < len(self.root_of)]
        return len(steps) == len(others) and all(
            0 <= op < len(ops) and ops[op, 0] in CHOICES and 0 <= place < ops[op, 3]
            for ops, (_, op, place) in zip(steps, others.tolist(), strict=True)
        )

    @property
    def n_edges(self) -> int:
        """Edges of one backup."""
        return max(program.n_edges for program in self.programs)

    @cached_property
    def scale(self) -> int:
        """What a turn is worth, or a move of it, is a whole number over this and what the boards after it have."""
        scale, _ = scales(self.graph)
        compared = {scale[int(root)] for root in self.graph.roots}
        return lcm(*compared, *(scale[self.graph.n_leaves + i] for i in np.flatnonzero(self.graph.kind != CHANCE)))

    def denominator(self, ending: int) -> int:
        """Every value, and every difference of moves, is a whole number over this."""
        whole: int = ending * self.scale**self.n_levels
        return whole

    def run(
        self, primes: Sequence[int], wanted: Ints, others: Ints | None = None, report: Report = lambda share: None
    ) -> Passed:
        """One pass modulo these eight primes: the residues of the boards ``wanted``.

        ``others``: moves that are played though their floats are not best, rows of (board, operation, place).
        """
        row = NONE if others is None else others
        found = np.full((len(self.values), PRIMES), kernels.UNKNOWN, dtype=np.uint32)
        listed, differ = [np.zeros((0, 4), dtype=np.int64)], [np.zeros((0, PRIMES), dtype=np.uint32)]
        done = 0

        def work(piece: tuple[int, Ints]) -> tuple[Ints, Residues]:
            return self._piece(*piece, primes, row, found)

        with ThreadPoolExecutor(self.workers) as pool:
            for boards in last_level_first(self.level_of):
                pieces = []
                for root in np.unique(self.root_of[boards]).tolist():
                    some = boards[self.root_of[boards] == root]
                    pieces += [(root, piece) for piece in np.array_split(some, -(-len(some) // AT_ONCE))]
                each = pool.map(work, pieces)
                for (_, piece), (some_listed, some_differ) in zip(pieces, each, strict=True):
                    listed.append(some_listed)
                    differ.append(some_differ)
                    done += len(piece)
                    report(done / self.n_boards)
        worths = [worth for worth in self.constants.place if isinstance(worth, Fraction)]
        ending = lcm(*(worth.denominator for worth in worths))
        return Passed(tuple(primes), found[wanted], np.concatenate(listed), np.concatenate(differ), ending, self.floats)

    def _piece(
        self, root: int, boards: Ints, primes: Sequence[int], others: Ints, found: Residues
    ) -> tuple[Ints, Residues]:
        """Boards of one root and level."""
        program, steps = self.programs[root], self.steps[root]
        moves = self.settler.transitions(program.leaves, boards)
        self.constants.write(self.values, self.game.sense, -1)
        self._end(primes, found)
        total, flat = float(self.game.total), found.reshape(-1)
        reads = Reads(moves.ends, moves.extra, moves.extra_of, self.values, flat, total, self.sign)
        field = _field(steps, self.sign, primes, self.game.total)
        own = others[np.isin(others[:, 0], boards)]
        of_op = np.zeros(len(steps.ops), dtype=np.bool_)
        of_op[own[:, 1]] = True
        room = ROOM
        while True:
            listed, differ = np.zeros((room, 4), dtype=np.int64), np.zeros((room, PRIMES), dtype=np.uint32)
            given = tuple(steps), tuple(reads), tuple(field), (own, of_op), self.near
            unknown, many = kernels.sweep(*given, boards, flat, listed, differ.reshape(-1))
            if unknown:
                raise ModelError(f"{self.game} goes to a board that comes no later")
            if many <= room:
                return listed[:many], differ[:many]
            room = many

    def _end(self, primes: Sequence[int], found: Residues) -> None:
        """What games end with, behind the boards."""
        n = self.constants.n_boards
        for worth, place in list(self.constants.place.items()):
            fraction = Fraction(0) if worth == ILLEGAL else worth
            found[n + place] = [fraction.numerator * pow(fraction.denominator, -1, p) % p for p in primes]


def _steps(program: Program, sign: float) -> Steps:
    """A program as the kernel reads it."""
    ops, args, weights, scale, n_rows = program.operations
    whole, weights = np.zeros(len(args), dtype=np.uint64), weights.copy()
    for kind, _, first, count in ops.tolist():
        if kind == MEAN:
            whole[first : first + count] = weights[first : first + count]
        elif kind == EVEN:
            whole[first : first + count] = 1
        elif kind == SHIFT:
            weights[first] *= sign
    most = int(ops[:, 3].max(initial=1))
    places = np.repeat(np.arange(most, dtype=np.float64), LANES)
    return Steps(ops, args, weights, scale, whole, places, n_rows)


def _field(steps: Steps, sign: float, primes: Sequence[int], total: int) -> Field:
    """The constants of a field of residues."""
    parts, shifts = [], []
    for kind, _, first, count in steps.ops.tolist():
        ways = int(steps.whole[first : first + count].sum()) if kind in (MEAN, EVEN) else 0
        parts.append([(1 << 64) * pow(ways, -1, p) % p if ways else 0 for p in primes])
        shifts.append([int(sign * steps.weights[first]) % p if kind == SHIFT else 0 for p in primes])
    inverses = [-pow(p, -1, 1 << 32) % (1 << 32) for p in primes]
    rows = [*primes] * 2, inverses * 2, [row * 2 for row in parts], shifts, [total % p for p in primes]
    return Field(*(np.array(row, dtype=np.uint32).reshape(-1) for row in rows))
