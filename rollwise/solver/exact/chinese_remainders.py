"""Exact values from passes modulo many primes (Chinese remainder theorem), and the proof that they are optimal.

The policy of the floats is right wherever their intervals decide. Elsewhere a pass lists each move whose residues
differ from those of the policy's move; all passes together give the difference by the Chinese remainder theorem, and
its sign decides. If a move is better the policy takes it, and all passes are repeated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from math import prod
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.exact.primes import NO_MOVES, Ints, ModularPasses, PassResult, primes_from
from rollwise.solver.exact.residue_rows import N_PRIMES
from rollwise.solver.model.errors import ModelError, NotConverged

RunPasses = Callable[[Sequence[tuple[int, ...]], Ints], Iterable[PassResult]]  # primes of passes, and overriding moves
Rationals = tuple[Fraction, ...]
PRIME_LIMIT = 1 << 31  # above all primes
MAX_ROUNDS = 64  # of policy changes


@dataclass(frozen=True)
class ExactProof:
    """Exact values of boards, and the data that prove them.

    ``others`` are moves that are played though their floats are not best; ``listed`` (see
    ``solver.exact.residues.sweep``) those that floats could not compare with the best, ``worse`` their exact losses.
    """

    boards: Ints
    values: Rationals
    others: Ints
    listed: Ints
    worse: Rationals

    def agrees(self, result: PassResult, sign: int) -> str | None:
        """The disagreement with a pass modulo other primes, in words; None where there is none."""
        if not are_equal(_residues_of(self.values, result.primes), result.residues):
            return "a fraction is not what its residues are modulo a prime that was not used"
        worse_of = {tuple(row): value for row, value in zip(self.listed.tolist(), self.worse, strict=True)}
        for row, differ in zip(result.listed.tolist(), result.differ, strict=True):
            worse = worse_of.pop(tuple(row), None)
            if worse is None or worse * sign < 0 or not are_equal(_residues_of((worse,), result.primes), differ[None]):
                return f"a move of board {row[0]} is not as much worse than the best as is written here"
        return "a move is said to be worse that is not" if any(worse_of.values()) else None


def are_equal(expected: Any, residues: NDArray[Any]) -> bool:
    """True if the residues are the expected numbers."""
    return np.array_equal(np.array(expected, dtype=np.int64).reshape(residues.shape), residues.astype(np.int64))


def _residues_of(values: Rationals, primes: Sequence[int]) -> list[list[int]]:
    return [[value.numerator * pow(value.denominator, -1, prime) % prime for prime in primes] for value in values]


def random_primes(random: Random) -> tuple[int, ...]:
    """Random primes for one pass."""
    primes: set[int] = set()
    while len(primes) < N_PRIMES:
        primes.add(next(primes_from(random.randrange(PRIME_LIMIT >> 1, PRIME_LIMIT))))
    return tuple(sorted(primes))


class ModularSolver:
    """Exact values of some boards, pass by pass; can stop and resume after each pass."""

    written_once = False

    def __init__(self, passes: ModularPasses) -> None:
        self.passes, self.targets = passes, passes.targets
        self.others, self.ending = NO_MOVES, 1
        self.results: list[PassResult] = []

    # --- state -------------------------------------------------------------------------------------------------------

    @property
    def denominator(self) -> int:
        """Common denominator of all values."""
        return self.passes.denominator(self.ending)

    @property
    def groups(self) -> list[tuple[int, ...]]:
        """The primes of all passes: enough for the numbers, and at least one more to check them."""
        limit, product, n = 2 * self.passes.size * self.denominator, 1, 1
        for prime in primes_from(PRIME_LIMIT):
            product *= prime
            n += 1
            if product > limit:
                break
        n_passes = -(-n // N_PRIMES)
        primes = list(islice(primes_from(PRIME_LIMIT), n_passes * N_PRIMES))
        return [tuple(primes[N_PRIMES * i : N_PRIMES * (i + 1)]) for i in range(n_passes)]

    def checkpoint(self) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """See ``Resumable``."""
        n = len(self.results)
        counts = np.array([len(one.listed) for one in self.results], dtype=np.int64)
        arrays = {
            "residues": np.array([one.residues for one in self.results]).reshape(n, len(self.targets), N_PRIMES),
            "counts": counts,
            "listed": np.concatenate([NO_MOVES.reshape(0, 4), *(one.listed for one in self.results)]),
            "differ": np.concatenate([np.zeros((0, N_PRIMES)), *(one.differ for one in self.results)]),
            "others": self.others,
        }
        as_integers = {name: array.astype(np.int64) for name, array in arrays.items()}
        return as_integers, {"floats": self.passes.floats, "ending": str(self.ending)}

    def fits(self, arrays: Mapping[str, NDArray[Any]], state: Mapping[str, Any]) -> bool:
        """See ``Resumable``; plausible but wrong residues recombine to numbers far outside their intervals."""
        reference, _ = self.checkpoint()
        if arrays.keys() != reference.keys() or state.get("floats") != self.passes.floats:
            return False
        n, total = len(arrays["residues"]), int(arrays["counts"].sum())
        shapes = {"residues": (n, len(self.targets), N_PRIMES), "counts": (n,), "listed": (total, 4)}
        shapes |= {"differ": (total, N_PRIMES), "others": (len(arrays["others"]), 3)}
        ending = str(state["ending"])
        return (
            all(array.dtype == np.int64 and array.shape == shapes[name] for name, array in arrays.items())
            and all((array >= 0).all() and (array < PRIME_LIMIT).all() for array in arrays.values())
            and (ending.isascii() and ending.isdigit() and 0 < int(ending) < 1 << 64)
        )

    def resume(self, arrays: dict[str, NDArray[Any]], state: dict[str, Any]) -> None:
        """See ``Resumable``."""
        self.others, self.ending = arrays["others"], int(state["ending"])
        ends = np.cumsum(arrays["counts"])[:-1]
        listed, differ = (np.split(arrays[name], ends) for name in ("listed", "differ"))
        each = zip(self.groups, arrays["residues"], listed, differ, strict=False)
        self.results = [
            PassResult(primes, row.astype(np.uint32), moves, other.astype(np.uint32), self.ending, self.passes.floats)
            for primes, row, moves, other in each
        ]

    # --- the whole ---------------------------------------------------------------------------------------------------

    def solve(self, run: RunPasses, save: Callable[[], None] = lambda: None) -> ExactProof:
        """Run all passes; raises NotConverged where the policy keeps changing, ArithmeticError for wrong residues."""
        for _ in range(MAX_ROUNDS):
            while len(self.results) < len(self.groups):
                for result in run(self.groups[len(self.results) :], self.others):
                    if result.floats != self.passes.floats:
                        raise ModelError(
                            f"{self.passes.game} was passed through with other floats; "
                            "have workers the same numpy and numba as here?"
                        )
                    self.results.append(result)
                    self.ending = result.ending
                    save()
            listed, worse = self._listed_moves()
            better = self._better_moves(listed, worse)
            if not better:
                return self._result(listed, worse)
            chosen = {(board, op): place for board, op, place in self.others.tolist()} | better
            self.others = np.array([(*at, place) for at, place in sorted(chosen.items())], dtype=np.int64)
            self.results = []
        raise NotConverged(f"{self.passes.game} goes on changing moves", float("inf"))

    def _listed_moves(self) -> tuple[Ints, Rationals]:
        """Listed moves of all passes, and their differences, which are 0 in passes that do not list the move."""
        rows: dict[tuple[int, ...], list[int]] = {}
        n = len(self.results)
        for number, one in enumerate(self.results):
            for row, differ in zip(one.listed.tolist(), one.differ.tolist(), strict=True):
                rows.setdefault(tuple(row), [0] * (N_PRIMES * n))[N_PRIMES * number : N_PRIMES * (number + 1)] = differ
        listed = np.array(sorted(rows), dtype=np.int64).reshape(-1, 4)
        wholes = self._recombine([rows[row] for row in sorted(rows)])
        return listed, tuple(Fraction(whole, self.denominator) for whole in wholes)

    def _better_moves(self, listed: Ints, worse: Rationals) -> dict[tuple[int, int], int]:
        """By (board, operation) the place of the best move, where one is better than the policy's.

        A difference larger than the floats allow is not used yet: the policy of later boards is still wrong.
        """
        better: dict[tuple[int, int], tuple[Fraction | int, int]] = {}
        for (board, op, _, place), value in zip(listed.tolist(), worse, strict=True):
            gain = -value * int(self.passes.sign)
            if 0 < gain <= 2 * self.passes.near and gain > better.get((board, op), (0, 0))[0]:
                better[board, op] = gain, place
        return {at: place for at, (_, place) in better.items()}

    def _recombine(self, residues: Sequence[Sequence[int]]) -> list[int]:
        """Numbers over the denominator from residues modulo all primes."""
        primes = [prime for result in self.results for prime in result.primes]
        product = prod(primes)
        parts = [product // prime * pow(product // prime, -1, prime) * self.denominator for prime in primes]
        wholes = [sum(map(int.__mul__, parts, row)) % product for row in residues]
        return [whole - product if 2 * whole > product else whole for whole in wholes]

    def _result(self, listed: Ints, worse: Rationals) -> ExactProof:
        residues = np.concatenate([result.residues for result in self.results], axis=1).tolist()
        values = tuple(Fraction(whole, self.denominator) for whole in self._recombine(residues))
        # One prime is redundant: a number this small with all residues is confirmed by it.
        for board, value in zip(self.targets.tolist(), values, strict=True):
            if not abs(value - Fraction(float(self.passes.values[board]))) <= self.passes.near:
                raise ArithmeticError(f"{self.passes.game}: the fraction of board {board} is outside its interval")
        if any(not 0 <= value * int(self.passes.sign) <= 2 * self.passes.near for value in worse):
            raise ArithmeticError(f"{self.passes.game}: moves that floats do not tell apart differ by more")
        return ExactProof(self.targets, values, self.others, listed, worse)
