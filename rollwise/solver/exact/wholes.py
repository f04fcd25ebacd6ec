"""One turn over the integers: exact values of all its nodes without a single fraction on the way.

Each board's leaves get one common denominator, and each node of the turn a fixed multiple of it, so that nothing is
reduced within a turn, and comparing two moves compares two integers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import Any, cast

import numpy as np
from flint import fmpq, fmpz
from numpy.typing import NDArray

from rollwise.solver.exact.equations import Rational, rational
from rollwise.solver.exact.newton import Affine
from rollwise.solver.turn.graph import CHANCE, TurnGraph
from rollwise.solver.turn.perspective import read

Ints = NDArray[np.int64]
Whole = Any  # flint's fmpz
Worth = Callable[[int], Rational | None]


class RootTurn:
    """One root's turn over the integers.

    A leaf is an integer, in units of one over the board's common denominator; node ``i`` is in units ``scale[i]`` times
    smaller. ``ops`` are (node, kind, total weight, [(child, weight, factor)]), children first: a chance node is the sum
    of child times factor, a choice the greatest child times factor. ``scaled``: see ``solver.turn.algebra.scales``.
    """

    def __init__(self, graph: TurnGraph, root: int, scaled: tuple[list[int], list[int]]) -> None:
        needed, (self.scale, factor) = graph.reachable(root), scaled
        self.root = root
        self.leaves: list[int] = np.flatnonzero(needed[: graph.n_leaves]).tolist()
        self.ops: list[tuple[int, bool, int, list[tuple[int, int, Whole]]]] = []
        for i in np.flatnonzero(needed[graph.n_leaves :]).tolist():
            edges = range(int(graph.start[i]), int(graph.start[i + 1]))
            parts = [(int(graph.child[edge]), int(graph.weight[edge]), fmpz(factor[edge])) for edge in edges]
            self.ops.append((graph.n_leaves + i, bool(graph.kind[i] == CHANCE), int(graph.total[i]), parts))
        self.n_edges = sum(len(parts) for *_, parts in self.ops)

    def back_up(self, numbers: dict[int, Whole | None], chosen: dict[int, int]) -> bool:
        """Fill in all nodes (None: illegal); take up moves that are strictly better. True if any was."""
        moved = False
        for node, chance, _, edges in self.ops:
            best = None
            if chance:
                best = fmpz(0)
                for child, _, factor in edges:
                    number = numbers[child]
                    if number is None:
                        best = None
                        break
                    best += number * factor
            else:
                now, move = chosen.get(node, -1), -1
                for child, _, factor in edges:
                    number = numbers[child]
                    if number is not None:
                        number = number * factor
                        if best is None or number > best or (child == now and number == best):
                            best, move = number, child
                if move != now:
                    chosen[node] = move
                    moved = True
            numbers[node] = best
        return moved

    def masses(self, chosen: dict[int, int]) -> dict[int, int]:
        """How often a turn under these moves ends in each leaf, in ``scale[root]``-ths."""
        mass = {self.root: self.scale[self.root]}
        for node, chance, total, edges in reversed(self.ops):
            here = mass.pop(node, 0)
            if here and chance:
                for child, weight, _ in edges:
                    mass[child] = mass.get(child, 0) + here * weight // total
            elif here:
                mass[chosen[node]] = mass.get(chosen[node], 0) + here
        return mass


@dataclass(frozen=True)
class SettledBoards:
    """Boards of one root: ``codes`` leaf by leaf and exact ``rewards`` (leaf: Fractions by column).

    See ``solver.turn.transitions``.
    """

    boards: Ints
    turn: RootTurn
    codes: NDArray[np.int32]
    rewards: dict[int, list[Fraction]]

    def leads_to(self, n_boards: int) -> tuple[Ints, Ints]:
        """(columns, boards) of every leaf that leads to a board."""
        following, _ = read(self.codes)
        leaf, column = np.nonzero(following < n_boards)
        return column, following[leaf, column].astype(np.int64)


@dataclass(frozen=True)
class Rules:
    """What turning codes into values takes: ``worth(constant)`` is None where the rules forbid that end."""

    total: int
    sense: str
    n_boards: int
    known: dict[int, Rational]
    worth: Worth


class Turn:
    """One board's turn: what its leaves are worth, as far as that is known.

    A leaf is ``offset`` in units of 1 / ``common``, plus ``sign`` times the unknown of ``place`` where it has one; both
    from the side of a player who wants much (``side`` is -1 where low values are wanted).
    """

    def __init__(self, rules: Rules, settled: SettledBoards, column: int, place: dict[int, int]) -> None:
        self.of_root = settled.turn
        self.side = -1 if rules.sense == "min" else 1
        self.open: dict[int, tuple[int, int]] = {}
        self.chosen: dict[int, int] = {}
        offset: dict[int, Rational | None] = {}
        for row, leaf in enumerate(self.of_root.leaves):
            worth = self._worth(rules, leaf, int(settled.codes[row, column]), place)
            if worth is not None and leaf in settled.rewards:
                worth += rational(settled.rewards[leaf][column])
            offset[leaf] = None if worth is None else worth * self.side
        self.common = common_denominator(x for x in offset.values() if x is not None)
        self.offset = {leaf: None if x is None else units(x, self.common) for leaf, x in offset.items()}

    def _worth(self, rules: Rules, leaf: int, code: int, place: dict[int, int]) -> Rational | None:
        """A leaf's worth to the mover, less the unknown in it."""
        following, other = read(code)
        if following >= rules.n_boards:
            return rules.worth(following - rules.n_boards)
        if following in place:
            self.open[leaf] = place[following], -self.side if other else self.side
            return fmpq(rules.total * other)
        known = rules.known[following]
        return rules.total - known if other else known

    def numbers(self, values: list[Rational]) -> tuple[dict[int, Whole | None], Whole]:
        """All leaves as integers, and the common denominator that they now have."""
        read = {place for place, _ in self.open.values()}
        common = self.common.lcm(common_denominator(values[place] for place in read))
        ratio = common // self.common
        found = {leaf: None if number is None else number * ratio for leaf, number in self.offset.items()}
        unit = {place: units(values[place], common) for place in read}
        for leaf, (place, sign) in self.open.items():
            number = found[leaf]
            found[leaf] = None if number is None else number + sign * unit[place]
        return found, common

    def back_up(self, values: list[Rational]) -> tuple[Rational | None, bool]:
        """The board's value from these, and whether a move changed."""
        numbers, common = self.numbers(values)
        moved = self.of_root.back_up(numbers, self.chosen)
        return self.value(self.of_root.root, numbers, common), moved

    def value(self, node: int, numbers: dict[int, Whole | None], common: Whole) -> Rational | None:
        """A node as a fraction."""
        number = numbers[node]
        return None if number is None else fmpq(number * self.side, common * fmpz(self.of_root.scale[node]))

    def can_stay(self, values: list[Rational], inside: set[tuple[int, bool]], *, chosen: bool) -> bool:
        """Do the moves chosen, or (with ``chosen`` False) can some that are as good, lead to nothing but ``inside``?

        ``inside`` has pairs: the place of an unknown, and whether whoever moves there plays the moves chosen.
        """
        numbers, _ = self.numbers(values)
        self.of_root.back_up(numbers, dict(self.chosen))
        stays = {leaf: False for leaf in self.of_root.leaves}
        for leaf, (place, sign) in self.open.items():
            stays[leaf] = (place, chosen != (sign != self.side)) in inside
        for node, chance, _, edges in self.of_root.ops:
            if chance:
                stays[node] = all(stays[child] for child, _, _ in edges)
            elif chosen:
                stays[node] = stays.get(self.chosen[node], False)
            else:
                best = numbers[node]
                stays[node] = any(
                    stays[child] and numbers[child] is not None and numbers[child] * factor == best
                    for child, _, factor in edges
                )
        return stays[self.of_root.root]

    def affine(self) -> Affine:
        """The board's value under the present moves."""
        found = Affine()
        constant, whole = fmpz(0), fmpz(self.of_root.scale[self.of_root.root])
        slope: dict[int, int] = {}
        for leaf, mass in self.of_root.masses(self.chosen).items():
            constant += mass * cast(Whole, self.offset[leaf])
            if leaf in self.open:
                place, sign = self.open[leaf]
                slope[place] = slope.get(place, 0) + mass * sign * self.side
                found.leads.add(place)
            else:
                found.leaves = True
        found.constant = fmpq(constant * self.side, whole * self.common)
        found.slope = {place: fmpq(share, whole) for place, share in slope.items()}
        return found


def common_denominator(values: Iterable[Rational]) -> Whole:
    """The least number that all these denominators divide."""
    return reduce(fmpz.lcm, (value.q for value in values), fmpz(1))


def units(value: Rational, common: Whole) -> Whole:
    """The value in units of one over ``common``."""
    return value.p * (common // value.q)
