"""Passes modulo many primes, put together: the exact values of boards, and the proof that they are the best play's.

The moves that floats choose are right wherever their intervals tell. Where they do not, a pass lists each move whose
residues are others than those of the move chosen; by the Chinese remainder theorem all passes together say what the
difference is, and its sign decides. A move that is better is played from then on, and all passes are done again.
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

from rollwise.solver.exact.primes import NONE, Ints, Passed, Passes, primes_from
from rollwise.solver.exact.residue_rows import PRIMES
from rollwise.solver.model.errors import ModelError, NotConverged

Run = Callable[[Sequence[tuple[int, ...]], Ints], Iterable[Passed]]  # primes of passes, and moves that are played
Rationals = tuple[Fraction, ...]
FIRST = 1 << 31  # all primes are below
MOST_ROUNDS = 64  # in which moves are changed


@dataclass(frozen=True)
class Recombined:
    """Exact values of boards, and what proves them.

    ``others`` are moves that are played though their floats are not best; ``listed`` (see
    ``solver.exact.residues.sweep``) those that floats could not tell from the best, and ``worse`` by how much they are.
    """

    boards: Ints
    values: Rationals
    others: Ints
    listed: Ints
    worse: Rationals

    def agrees(self, passed: Passed, sign: int) -> str | None:
        """What a pass modulo other primes finds otherwise, in words."""
        if not same(_of(self.values, passed.primes), passed.residues):
            return "a fraction is not what its residues are modulo a prime that was not used"
        told = {tuple(row): value for row, value in zip(self.listed.tolist(), self.worse, strict=True)}
        for row, differ in zip(passed.listed.tolist(), passed.differ, strict=True):
            worse = told.pop(tuple(row), None)
            if worse is None or worse * sign < 0 or not same(_of((worse,), passed.primes), differ[None]):
                return f"a move of board {row[0]} is not as much worse than the best as is written here"
        return "a move is said to be worse that is not" if any(told.values()) else None


def same(expected: Any, found: NDArray[Any]) -> bool:
    """Are these the same numbers?"""
    return np.array_equal(np.array(expected, dtype=np.int64).reshape(found.shape), found.astype(np.int64))


def _of(values: Rationals, primes: Sequence[int]) -> list[list[int]]:
    return [[value.numerator * pow(value.denominator, -1, prime) % prime for prime in primes] for value in values]


def drawn(lot: Random) -> tuple[int, ...]:
    """As many primes as a pass takes, drawn by lot."""
    found: set[int] = set()
    while len(found) < PRIMES:
        found.add(next(primes_from(lot.randrange(FIRST >> 1, FIRST))))
    return tuple(sorted(found))


class ByPrimes:
    """The exact values of some boards, found pass by pass; to be stopped and taken up after any of them."""

    written_once = False

    def __init__(self, passes: Passes) -> None:
        self.passes, self.wanted = passes, passes.wanted
        self.others, self.ending = NONE, 1
        self.found: list[Passed] = []

    # --- what is known so far ----------------------------------------------------------------------------------------

    @property
    def denominator(self) -> int:
        """Every value is a whole number over this."""
        return self.passes.denominator(self.ending)

    @property
    def groups(self) -> list[tuple[int, ...]]:
        """The primes of all passes: enough for the numbers, and one more at least to try them."""
        most, product, n = 2 * self.passes.size * self.denominator, 1, 1
        for prime in primes_from(FIRST):
            product *= prime
            n += 1
            if product > most:
                break
        n_passes = -(-n // PRIMES)
        primes = list(islice(primes_from(FIRST), n_passes * PRIMES))
        return [tuple(primes[PRIMES * i : PRIMES * (i + 1)]) for i in range(n_passes)]

    def checkpoint(self) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """See ``Resumable``."""
        n = len(self.found)
        counts = np.array([len(one.listed) for one in self.found], dtype=np.int64)
        arrays = {
            "residues": np.array([one.residues for one in self.found]).reshape(n, len(self.wanted), PRIMES),
            "counts": counts,
            "listed": np.concatenate([NONE.reshape(0, 4), *(one.listed for one in self.found)]),
            "differ": np.concatenate([np.zeros((0, PRIMES)), *(one.differ for one in self.found)]),
            "others": self.others,
        }
        kept = {name: array.astype(np.int64) for name, array in arrays.items()}
        return kept, {"floats": self.passes.floats, "ending": str(self.ending)}

    def fits(self, arrays: Mapping[str, NDArray[Any]], state: Mapping[str, Any]) -> bool:
        """See ``Resumable``; wrong residues that look right come to numbers far outside their intervals."""
        usual, _ = self.checkpoint()
        if arrays.keys() != usual.keys() or state.get("floats") != self.passes.floats:
            return False
        n, total = len(arrays["residues"]), int(arrays["counts"].sum())
        shapes = {"residues": (n, len(self.wanted), PRIMES), "counts": (n,), "listed": (total, 4)}
        shapes |= {"differ": (total, PRIMES), "others": (len(arrays["others"]), 3)}
        ending = str(state["ending"])
        return (
            all(array.dtype == np.int64 and array.shape == shapes[name] for name, array in arrays.items())
            and all((array >= 0).all() and (array < FIRST).all() for array in arrays.values())
            and (ending.isascii() and ending.isdigit() and 0 < int(ending) < 1 << 64)
        )

    def resume(self, arrays: dict[str, NDArray[Any]], state: dict[str, Any]) -> None:
        """See ``Resumable``."""
        self.others, self.ending = arrays["others"], int(state["ending"])
        ends = np.cumsum(arrays["counts"])[:-1]
        listed, differ = (np.split(arrays[name], ends) for name in ("listed", "differ"))
        each = zip(self.groups, arrays["residues"], listed, differ, strict=False)
        self.found = [
            Passed(primes, row.astype(np.uint32), moves, other.astype(np.uint32), self.ending, self.passes.floats)
            for primes, row, moves, other in each
        ]

    # --- the whole ---------------------------------------------------------------------------------------------------

    def solve(self, run: Run, save: Callable[[], None] = lambda: None) -> Recombined:
        """Do all passes; raises NotConverged where moves go on changing, ArithmeticError where residues disagree."""
        for _ in range(MOST_ROUNDS):
            while len(self.found) < len(self.groups):
                for passed in run(self.groups[len(self.found) :], self.others):
                    if passed.floats != self.passes.floats:
                        raise ModelError(
                            f"{self.passes.game} was passed through with other floats; "
                            "have workers the same numpy and numba as here?"
                        )
                    self.found.append(passed)
                    self.ending = passed.ending
                    save()
            listed, worse = self._listed()
            better = self._better(listed, worse)
            if not better:
                return self._recombined(listed, worse)
            chosen = {(board, op): place for board, op, place in self.others.tolist()} | better
            self.others = np.array([(*at, place) for at, place in sorted(chosen.items())], dtype=np.int64)
            self.found = []
        raise NotConverged(f"{self.passes.game} goes on changing moves", float("inf"))

    def _listed(self) -> tuple[Ints, Rationals]:
        """All moves that any pass has listed, and the differences; what a pass does not list is no different in it."""
        rows: dict[tuple[int, ...], list[int]] = {}
        n = len(self.found)
        for number, one in enumerate(self.found):
            for row, differ in zip(one.listed.tolist(), one.differ.tolist(), strict=True):
                rows.setdefault(tuple(row), [0] * (PRIMES * n))[PRIMES * number : PRIMES * (number + 1)] = differ
        listed = np.array(sorted(rows), dtype=np.int64).reshape(-1, 4)
        wholes = self._wholes([rows[row] for row in sorted(rows)])
        return listed, tuple(Fraction(whole, self.denominator) for whole in wholes)

    def _better(self, listed: Ints, worse: Rationals) -> dict[tuple[int, int], int]:
        """By (board, operation) the place of the best move, where one is better than that chosen.

        What is larger than floats allow is no difference yet: play after it is still wrong.
        """
        better: dict[tuple[int, int], tuple[Fraction | int, int]] = {}
        for (board, op, _, place), value in zip(listed.tolist(), worse, strict=True):
            gain = -value * int(self.passes.sign)
            if 0 < gain <= 2 * self.passes.near and gain > better.get((board, op), (0, 0))[0]:
                better[board, op] = gain, place
        return {at: place for at, (_, place) in better.items()}

    def _wholes(self, residues: Sequence[Sequence[int]]) -> list[int]:
        """Numbers over the denominator from residues modulo all primes but the last that are not needed."""
        primes = [prime for one in self.found for prime in one.primes]
        product = prod(primes)
        parts = [product // prime * pow(product // prime, -1, prime) * self.denominator for prime in primes]
        found = [sum(map(int.__mul__, parts, row)) % product for row in residues]
        return [whole - product if 2 * whole > product else whole for whole in found]

    def _recombined(self, listed: Ints, worse: Rationals) -> Recombined:
        residues = np.concatenate([one.residues for one in self.found], axis=1).tolist()
        values = tuple(Fraction(whole, self.denominator) for whole in self._wholes(residues))
        # There is a prime more than is needed: a number this small that has all residues agrees with it.
        for board, value in zip(self.wanted.tolist(), values, strict=True):
            if not abs(value - Fraction(float(self.passes.values[board]))) <= self.passes.near:
                raise ArithmeticError(f"{self.passes.game}: the fraction of board {board} is outside its interval")
        if any(not 0 <= value * int(self.passes.sign) <= 2 * self.passes.near for value in worse):
            raise ArithmeticError(f"{self.passes.game}: moves that floats do not tell apart differ by more")
        return Recombined(self.wanted, values, self.others, listed, worse)
