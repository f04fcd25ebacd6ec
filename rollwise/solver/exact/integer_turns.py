"""Bellman backups of one turn over the integers: exact values of all its nodes without intermediate fractions.

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
from rollwise.solver.exact.policy_iteration import AffineValue
from rollwise.solver.turn.graph import CHANCE, TurnGraph
from rollwise.solver.turn.perspective import unpack_codes

Ints = NDArray[np.int64]
Whole = Any  # flint's fmpz
ConstantValue = Callable[[int], Rational | None]


class IntegerTurn:
    """The turn of one root over the integers; ``scaled``: see ``solver.turn.algebra.integer_scales``.

    A leaf is an integer, in units of one over the board's common denominator; node ``i`` is in units ``scale[i]`` times
    smaller. ``ops`` are (node, kind, total weight, [(child, weight, factor)]), children first: a chance node is the sum
    of child times factor, a decision the greatest child times factor.
    """

    def __init__(self, graph: TurnGraph, root: int, scaled: tuple[list[int], list[int]]) -> None:
        is_reached, (self.scale, factor) = graph.reachable(root), scaled
        self.root = root
        self.leaves: list[int] = np.flatnonzero(is_reached[: graph.n_leaves]).tolist()
        self.ops: list[tuple[int, bool, int, list[tuple[int, int, Whole]]]] = []
        for i in np.flatnonzero(is_reached[graph.n_leaves :]).tolist():
            edges = range(int(graph.start[i]), int(graph.start[i + 1]))
            parts = [(int(graph.child[edge]), int(graph.weight[edge]), fmpz(factor[edge])) for edge in edges]
            self.ops.append((graph.n_leaves + i, bool(graph.kind[i] == CHANCE), int(graph.total[i]), parts))
        self.n_edges = sum(len(parts) for *_, parts in self.ops)

    def back_up(self, numbers: dict[int, Whole | None], chosen: dict[int, int]) -> bool:
        """Fill in all nodes (None: illegal); ``chosen`` takes moves that are strictly better. True if any was."""
        has_changed = False
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
                present, move = chosen.get(node, -1), -1
                for child, _, factor in edges:
                    number = numbers[child]
                    if number is not None:
                        number = number * factor
                        if best is None or number > best or (child == present and number == best):
                            best, move = number, child
                if move != present:
                    chosen[node] = move
                    has_changed = True
            numbers[node] = best
        return has_changed

    def masses(self, chosen: dict[int, int]) -> dict[int, int]:
        """Chances of the leaves under these moves, in ``scale[root]``-ths."""
        mass = {self.root: self.scale[self.root]}
        for node, chance, total, edges in reversed(self.ops):
            mass_here = mass.pop(node, 0)
            if mass_here and chance:
                for child, weight, _ in edges:
                    mass[child] = mass.get(child, 0) + mass_here * weight // total
            elif mass_here:
                mass[chosen[node]] = mass.get(chosen[node], 0) + mass_here
        return mass


@dataclass(frozen=True)
class BoardsOfRoot:
    """Boards of one root with their transitions: ``codes`` leaf by leaf, exact ``rewards`` (leaf: Fractions by column).

    See ``solver.turn.transitions``.
    """

    boards: Ints
    turn: IntegerTurn
    codes: NDArray[np.int32]
    rewards: dict[int, list[Fraction]]

    def leads_to(self, n_boards: int) -> tuple[Ints, Ints]:
        """(columns, boards) of every leaf that leads to a board."""
        successors, _ = unpack_codes(self.codes)
        leaf, column = np.nonzero(successors < n_boards)
        return column, successors[leaf, column].astype(np.int64)


@dataclass(frozen=True)
class LeafRules:
    """Data that turn codes into values: ``value_of_constant`` is None where the rules forbid that end."""

    total: int
    sense: str
    n_boards: int
    values: dict[int, Rational]
    value_of_constant: ConstantValue


class BoardTurn:
    """One board's turn, with the values of its leaves as far as they are known.

    A leaf is ``offset`` in units of 1 / ``common``, plus ``sign`` times the unknown of ``place`` where it has one; both
    from the side of a player who maximises (``side`` is -1 where low values are better).
    """

    def __init__(self, rules: LeafRules, boards: BoardsOfRoot, column: int, place: dict[int, int]) -> None:
        self.of_root = boards.turn
        self.side = -1 if rules.sense == "min" else 1
        self.open: dict[int, tuple[int, int]] = {}
        self.chosen: dict[int, int] = {}
        offsets: dict[int, Rational | None] = {}
        for row, leaf in enumerate(self.of_root.leaves):
            value = self._constant_part(rules, leaf, int(boards.codes[row, column]), place)
            if value is not None and leaf in boards.rewards:
                value += rational(boards.rewards[leaf][column])
            offsets[leaf] = None if value is None else value * self.side
        self.common = common_denominator(x for x in offsets.values() if x is not None)
        self.offset = {leaf: None if x is None else units(x, self.common) for leaf, x in offsets.items()}

    def _constant_part(self, rules: LeafRules, leaf: int, code: int, place: dict[int, int]) -> Rational | None:
        """A leaf's value to the mover, less the unknown in it."""
        successor, other = unpack_codes(code)
        if successor >= rules.n_boards:
            return rules.value_of_constant(successor - rules.n_boards)
        if successor in place:
            self.open[leaf] = place[successor], -self.side if other else self.side
            return fmpq(rules.total * other)
        value = rules.values[successor]
        return rules.total - value if other else value

    def numbers(self, values: list[Rational]) -> tuple[dict[int, Whole | None], Whole]:
        """All leaves as integers, and their common denominator."""
        places = {place for place, _ in self.open.values()}
        common = self.common.lcm(common_denominator(values[place] for place in places))
        ratio = common // self.common
        by_leaf = {leaf: None if base is None else base * ratio for leaf, base in self.offset.items()}
        unit = {place: units(values[place], common) for place in places}
        for leaf, (place, sign) in self.open.items():
            base = by_leaf[leaf]
            by_leaf[leaf] = None if base is None else base + sign * unit[place]
        return by_leaf, common

    def back_up(self, values: list[Rational]) -> tuple[Rational | None, bool]:
        """The board's value from these, and whether a move changed."""
        numbers, common = self.numbers(values)
        has_changed = self.of_root.back_up(numbers, self.chosen)
        return self.value(self.of_root.root, numbers, common), has_changed

    def value(self, node: int, numbers: dict[int, Whole | None], common: Whole) -> Rational | None:
        """A node's value as a fraction."""
        number = numbers[node]
        return None if number is None else fmpq(number * self.side, common * fmpz(self.of_root.scale[node]))

    def can_stay(self, values: list[Rational], inside: set[tuple[int, bool]], *, chosen: bool) -> bool:
        """True if the policy's moves, or (with ``chosen`` False) others as good, can lead only into ``inside``.

        ``inside`` has pairs: the place of an unknown, and whether the mover there follows the policy.
        """
        numbers, _ = self.numbers(values)
        self.of_root.back_up(numbers, dict(self.chosen))
        can_stay_at = {leaf: False for leaf in self.of_root.leaves}
        for leaf, (place, sign) in self.open.items():
            can_stay_at[leaf] = (place, chosen != (sign != self.side)) in inside
        for node, chance, _, edges in self.of_root.ops:
            if chance:
                can_stay_at[node] = all(can_stay_at[child] for child, _, _ in edges)
            elif chosen:
                can_stay_at[node] = can_stay_at.get(self.chosen[node], False)
            else:
                best = numbers[node]
                can_stay_at[node] = any(
                    can_stay_at[child] and numbers[child] is not None and numbers[child] * factor == best
                    for child, _, factor in edges
                )
        return can_stay_at[self.of_root.root]

    def affine(self) -> AffineValue:
        """The board's value under the current policy, as a function of the unknowns."""
        value = AffineValue()
        constant, whole = fmpz(0), fmpz(self.of_root.scale[self.of_root.root])
        slope: dict[int, int] = {}
        for leaf, mass in self.of_root.masses(self.chosen).items():
            constant += mass * cast(Whole, self.offset[leaf])
            if leaf in self.open:
                place, sign = self.open[leaf]
                slope[place] = slope.get(place, 0) + mass * sign * self.side
                value.targets.add(place)
            else:
                value.leaves = True
        value.constant = fmpq(constant * self.side, whole * self.common)
        value.slope = {place: fmpq(share, whole) for place, share in slope.items()}
        return value


def common_denominator(values: Iterable[Rational]) -> Whole:
    """The least common multiple of the denominators."""
    return reduce(fmpz.lcm, (value.q for value in values), fmpz(1))


def units(value: Rational, common: Whole) -> Whole:
    """The value in units of one over ``common``."""
    return value.p * (common // value.q)
