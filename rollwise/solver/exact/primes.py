"""Exact values of games whose boards never come back, modulo primes: see docs/method.md, *Fractions*.

Every value is a whole number over a denominator that is known in advance. A *pass* computes the values of all boards
modulo eight primes, under the policy of the stored floats; enough passes give the numbers themselves by the Chinese
remainder theorem. Moves whose floats are too close to compare and whose residues differ are listed; their differences,
recombined in the same way, decide whether the policy was right.
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

from rollwise.solver.components.topological_levels import board_columns, last_level_first
from rollwise.solver.exact import residues as kernels
from rollwise.solver.exact.residue_rows import N_PRIMES
from rollwise.solver.exact.residues import LANES, ModularProgram, ResidueField, TransitionArrays
from rollwise.solver.model.errors import ModelError
from rollwise.solver.model.game import TurnGame
from rollwise.solver.model.limits import n_workers
from rollwise.solver.model.sheet import no_fractions
from rollwise.solver.turn.algebra import integer_scales
from rollwise.solver.turn.graph import CHANCE, NO_RESULT, TurnGraph
from rollwise.solver.turn.kernels import EVEN, MAX, MEAN, MIN, SHIFT, Program, compile_program, look_up
from rollwise.solver.turn.perspective import ILLEGAL, Constants, unpack_codes as codes_read
from rollwise.solver.turn.transition_reader import TransitionColumns, TransitionReader
from rollwise.solver.turn.transitions import SCALAR, UsedFields

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Residues = NDArray[np.uint32]
Report = Callable[[float], None]

DECISION_KINDS = (MAX, MIN)
NEAR_RADII = 8.0  # moves are compared exactly if their floats differ by at most so many radii; two would be enough
BOARDS_PER_PIECE = 8192  # of a root, read together
MAX_REWARD = 1 << 30  # in size
NO_MOVES: Ints = np.zeros((0, 3), dtype=np.int64)
FIRST_LIST_SIZE = 256  # space for listed moves of a piece, at first


def has_modular_values(game: TurnGame, graph: TurnGraph) -> bool:
    """True if boards never come back, nothing lies past a cut, and turns earn whole numbers."""
    whole = all(leaf.lower.denominator == 1 and abs(leaf.lower) < MAX_REWARD for leaf in graph.leaves)
    ways = max((int(total) for total in graph.total), default=0)
    return not game.cyclic and whole and ways < MAX_REWARD and all(leaf.result != NO_RESULT for leaf in graph.leaves)


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


def successors_of(game: TurnGame, graph: TurnGraph, board: int, uses: UsedFields = SCALAR) -> Ints:
    """The boards that this one leads to."""
    constants, boards = Constants(game.boards().size), np.array([board])
    root = int(np.broadcast_to(game.root(game.boards().columns(boards)), 1)[0])
    leaves = np.flatnonzero(graph.root_leaves[root])
    successors, _ = codes_read(TransitionReader(game, graph, constants, uses=uses).transitions(leaves, boards).ends)
    result: Ints = np.unique(successors[successors < constants.n_boards]).astype(np.int64)
    return result


class _WholeRewardReader(TransitionReader):
    """Transition reader that requires whole rewards."""

    def _code(self, reading: TransitionColumns, codes: Any) -> Floats | None:
        rewards = super()._code(reading, codes)
        if rewards is not None and (reading.per != 1 or float(np.max(np.abs(rewards))) >= MAX_REWARD):
            raise no_fractions(self.game)
        return rewards


@dataclass(frozen=True)
class PassResult:
    """Result of a pass: the residues of some boards, a row each.

    ``listed``: moves so near that floats cannot compare them, and whose residues differ
    (``solver.exact.residues.sweep``), with ``differ``, the residues of the differences. ``ending``: the common
    denominator of the values of endings. ``floats``: a digest of the floats that define the policy.
    """

    primes: tuple[int, ...]
    residues: Residues
    listed: Ints
    differ: Residues
    ending: int
    floats: str


class ModularPasses:
    """Passes over a game, from its last boards to those of levels above a board's."""

    def __init__(
        self,
        game: TurnGame,
        graph: TurnGraph,
        values: Floats,
        radius: NDArray[np.float32],
        board: int,
        *,
        uses: UsedFields = SCALAR,
        workers: int | None = None,
    ) -> None:
        if not has_modular_values(game, graph):
            raise no_fractions(game)
        self.targets = successors_of(game, graph, board, uses)
        self.game, self.graph, self.workers = game, graph, workers or n_workers()
        self.level_of, self.root_of, _ = board_columns(game, self.workers)
        self.level_of[self.level_of <= self.level_of[board]] = -1
        self.n_levels = len(np.unique(self.level_of[self.level_of >= 0]))
        self.n_boards = int((self.level_of >= 0).sum())
        space = game.boards()
        self.constants = Constants(space.size)
        self.reader = _WholeRewardReader(game, graph, self.constants, look_up, uses)
        self.values = self.constants.room(np.nan)
        self.values[: len(values)] = values
        is_later = self.level_of >= 0
        self.near = NEAR_RADII * float(np.max(radius[is_later], initial=0.0))
        self.size = ceil(float(np.max(np.abs(values[is_later]), initial=0.0)) + self.near + 1)
        self.programs = [compile_program(graph, int(root), game.sense, backups=self.n_boards) for root in graph.roots]
        self.sign = 1.0 if game.sense == "max" else -1.0
        self.steps = [_steps(program, self.sign) for program in self.programs]
        floats = np.append(np.where(is_later, values, 0.0), self.near)
        self.floats = hashlib.sha256(floats.tobytes()).hexdigest()

    def may_play(self, others: Ints) -> bool:
        """True if these moves (see ``run``) exist."""
        steps = [self.steps[int(self.root_of[board])].ops for board in others[:, 0] if 0 <= board < len(self.root_of)]
        return len(steps) == len(others) and all(
            0 <= op < len(ops) and ops[op, 0] in DECISION_KINDS and 0 <= place < ops[op, 3]
            for ops, (_, op, place) in zip(steps, others.tolist(), strict=True)
        )

    @property
    def n_edges(self) -> int:
        """Edges of one backup."""
        return max(program.n_edges for program in self.programs)

    @cached_property
    def scale(self) -> int:
        """The value of a turn, or of a move, is a whole number over this times the successors' denominator."""
        scale, _ = integer_scales(self.graph)
        compared = {scale[int(root)] for root in self.graph.roots}
        return lcm(*compared, *(scale[self.graph.n_leaves + i] for i in np.flatnonzero(self.graph.kind != CHANCE)))

    def denominator(self, ending: int) -> int:
        """Common denominator of all values and all differences of moves."""
        whole: int = ending * self.scale**self.n_levels
        return whole

    def run(
        self, primes: Sequence[int], targets: Ints, others: Ints | None = None, report: Report = lambda share: None
    ) -> PassResult:
        """One pass modulo these eight primes: the residues of the boards ``targets``.

        ``others``: moves that are played though their floats are not best, rows of (board, operation, place).
        """
        row = NO_MOVES if others is None else others
        rows = np.full((len(self.values), N_PRIMES), kernels.UNKNOWN_RESIDUE, dtype=np.uint32)
        listed, diffs = [np.zeros((0, 4), dtype=np.int64)], [np.zeros((0, N_PRIMES), dtype=np.uint32)]
        n_done = 0

        def work(piece: tuple[int, Ints]) -> tuple[Ints, Residues]:
            return self._piece(*piece, primes, row, rows)

        with ThreadPoolExecutor(self.workers) as pool:
            for boards in last_level_first(self.level_of):
                pieces = []
                for root in np.unique(self.root_of[boards]).tolist():
                    some = boards[self.root_of[boards] == root]
                    pieces += [(root, piece) for piece in np.array_split(some, -(-len(some) // BOARDS_PER_PIECE))]
                results = pool.map(work, pieces)
                for (_, piece), (piece_listed, piece_differ) in zip(pieces, results, strict=True):
                    listed.append(piece_listed)
                    diffs.append(piece_differ)
                    n_done += len(piece)
                    report(n_done / self.n_boards)
        worths = [worth for worth in self.constants.place if isinstance(worth, Fraction)]
        ending = lcm(*(worth.denominator for worth in worths))
        return PassResult(
            tuple(primes), rows[targets], np.concatenate(listed), np.concatenate(diffs), ending, self.floats
        )

    def _piece(
        self, root: int, boards: Ints, primes: Sequence[int], others: Ints, residues: Residues
    ) -> tuple[Ints, Residues]:
        """Boards of one root and level."""
        program, steps = self.programs[root], self.steps[root]
        moves = self.reader.transitions(program.leaves, boards)
        self.constants.write(self.values, self.game.sense, -1)
        self._end(primes, residues)
        total, flat = float(self.game.total), residues.reshape(-1)
        reads = TransitionArrays(moves.ends, moves.extra, moves.extra_of, self.values, flat, total, self.sign)
        field = _field(steps, self.sign, primes, self.game.total)
        own_moves = others[np.isin(others[:, 0], boards)]
        of_op = np.zeros(len(steps.ops), dtype=np.bool_)
        of_op[own_moves[:, 1]] = True
        size = FIRST_LIST_SIZE
        while True:
            listed, differ = np.zeros((size, 4), dtype=np.int64), np.zeros((size, N_PRIMES), dtype=np.uint32)
            arguments = tuple(steps), tuple(reads), tuple(field), (own_moves, of_op), self.near
            n_unknown, n_listed = kernels.sweep(*arguments, boards, flat, listed, differ.reshape(-1))
            if n_unknown:
                raise ModelError(f"{self.game} goes to a board that comes no later")
            if n_listed <= size:
                return listed[:n_listed], differ[:n_listed]
            size = n_listed

    def _end(self, primes: Sequence[int], residues: Residues) -> None:
        """Write the residues of endings behind the boards."""
        n = self.constants.n_boards
        for worth, place in list(self.constants.place.items()):
            fraction = Fraction(0) if worth == ILLEGAL else worth
            residues[n + place] = [fraction.numerator * pow(fraction.denominator, -1, p) % p for p in primes]


def _steps(program: Program, sign: float) -> ModularProgram:
    """The program in the kernel's layout."""
    ops, args, weights, scale, n_rows = program.operations
    whole, weights = np.zeros(len(args), dtype=np.uint64), weights.copy()
    for kind, _, first, count in ops.tolist():
        if kind == MEAN:
            whole[first : first + count] = weights[first : first + count]
        elif kind == EVEN:
            whole[first : first + count] = 1
        elif kind == SHIFT:
            weights[first] *= sign
    max_count = int(ops[:, 3].max(initial=1))
    places = np.repeat(np.arange(max_count, dtype=np.float64), LANES)
    return ModularProgram(ops, args, weights, scale, whole, places, n_rows)


def _field(steps: ModularProgram, sign: float, primes: Sequence[int], total: int) -> ResidueField:
    """The constants of a field of residues."""
    inverse_totals, shifts = [], []
    for kind, _, first, count in steps.ops.tolist():
        ways = int(steps.whole[first : first + count].sum()) if kind in (MEAN, EVEN) else 0
        inverse_totals.append([(1 << 64) * pow(ways, -1, p) % p if ways else 0 for p in primes])
        shifts.append([int(sign * steps.weights[first]) % p if kind == SHIFT else 0 for p in primes])
    inverses = [-pow(p, -1, 1 << 32) % (1 << 32) for p in primes]
    rows = [*primes] * 2, inverses * 2, [row * 2 for row in inverse_totals], shifts, [total % p for p in primes]
    return ResidueField(*(np.array(row, dtype=np.uint32).reshape(-1) for row in rows))
