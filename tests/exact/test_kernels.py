"""The compiled backup, the plain one and the layered one do the same, on random turns and random leaves."""

from __future__ import annotations

import itertools
import random
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from rollwise.solver.game.model import Chance, Choice, End, Go, State, TurnGame, Word
from rollwise.solver.turn.arrays import backup, rounding
from rollwise.solver.turn.backups import CompiledBackup, PlainBackup
from rollwise.solver.turn.graph import CHANCE, TurnGraph, compile_turn
from rollwise.solver.turn.transitions import Transitions

Floats = NDArray[np.float64]
WAYS = [1, 1, 1, 2, 5, 36]
N_BOARDS = 71  # no multiple of any number of lanes
SEEDS = range(25)


@dataclass(frozen=True)
class RandomTurn(TurnGame):
    """A random turn in layers; its results mean nothing."""

    name = "random-turn"
    title = "Random turn"
    source = "test"
    rules = ""
    kind = "solo"
    measure = "points"
    unit = "points"

    seed: int = 0
    depth: int = 4
    breadth: int = 5

    def roots(self) -> list[State]:
        return [(0, 0), (0, 1), (self.depth, 0)]

    def turn(self, layer: int, place: int) -> Word:
        chooser = random.Random(f"{self.seed} {layer} {place}")

        def ahead() -> Word:
            if layer == self.depth or chooser.random() < 0.3:
                return End(chooser.randrange(12))
            return Go(layer + 1, chooser.randrange(self.breadth))

        if layer and chooser.random() < 0.5:
            return Choice([(f"move {i}", ahead()) for i in range(chooser.randint(1, 6))])
        same = chooser.random() < 0.5
        return Chance([(3 if same else chooser.choice(WAYS), ahead()) for _ in range(chooser.randint(1, 7))])


def leaves_of(graph: TurnGraph, generator: np.random.Generator, sense: str) -> Floats:
    """Few different worths, so that there are ties, and some leaves that are illegal."""
    leaves = generator.integers(-4, 5, (graph.n_leaves, N_BOARDS)) / 4
    worst = -np.inf if sense == "max" else np.inf
    return np.where(generator.random(leaves.shape) < 0.15, worst, leaves)


def transitions_of(leaves: Floats, generator: np.random.Generator) -> tuple[Transitions, Floats]:
    """Codes that lead to these leaves, each through a board of its own; (transitions, values of those boards)."""
    codes = 2 * np.arange(leaves.size).reshape(leaves.shape)
    other = (generator.random(leaves.shape) < 0.5) & np.isfinite(leaves)
    values = np.where(other, 1.0 - leaves, leaves).ravel()
    return Transitions.of_leaves((codes + other).astype(np.int32), np.zeros((0, leaves.shape[1]))), values


def equal(left: Floats, right: Floats, within: Any) -> bool:
    """Infinite where the other is, else nearly the same."""
    same = np.isinf(left) & (left == right)
    with np.errstate(invalid="ignore"):
        return bool((same | (np.abs(left - right) <= within)).all())


def cases() -> list[tuple[int, int, str]]:
    return list(itertools.product(SEEDS, range(3), ["max", "min"]))


@pytest.mark.parametrize(("seed", "root", "sense"), cases())
def test_three_backups_agree(seed: int, root: int, sense: str) -> None:
    graph = compile_turn(RandomTurn(seed))
    generator = np.random.default_rng(seed)
    leaves = leaves_of(graph, generator, sense)
    wanted = backup(graph, leaves, sense)[graph.roots[root]]
    boards = generator.permutation(N_BOARDS).astype(np.int64)
    for make in (CompiledBackup, PlainBackup):
        made = make(graph, int(graph.roots[root]), sense)
        moves, values = transitions_of(leaves, generator)
        out = np.zeros(len(values))
        made.values(rows(moves, made), values, values, 1.0, boards, out, 0, N_BOARDS)
        assert equal(out[boards], wanted, 2 * rounding(graph, leaves) + 1e-15)


def rows(moves: Transitions, made: Any) -> Transitions:
    """The rows of the leaves that a backup reads."""
    return Transitions.of_leaves(np.ascontiguousarray(moves.codes[made.leaves]), moves.rewards)


@pytest.mark.parametrize(("seed", "root", "sense"), cases())
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_choice_carries_the_number_of_its_first_best_move(seed: int, root: int, sense: str, sign: float) -> None:
    graph = compile_turn(RandomTurn(seed))
    generator = np.random.default_rng(1000 + seed)
    leaves = leaves_of(graph, generator, sense)
    moves, values = transitions_of(leaves, generator)
    duals = generator.random(len(values))
    seen = duals.reshape(leaves.shape) * np.where(moves.codes & 1, sign, 1.0)
    wanted, wanted_dual = by_hand(graph, leaves, seen, int(graph.roots[root]), sense)
    boards = np.arange(N_BOARDS, dtype=np.int64)
    for make in (CompiledBackup, PlainBackup):
        made = make(graph, int(graph.roots[root]), sense)
        out, out_dual = np.zeros(len(values)), np.zeros(len(values))
        made.carry(rows(moves, made), values, 1.0, duals, sign, boards, out, out_dual, 3, N_BOARDS)
        assert equal(out[3:N_BOARDS], wanted[3:], 1e-13)
        clear = np.isfinite(wanted[3:]) & ~near_tie(graph, leaves, sense)[3:]
        assert np.allclose(out_dual[3:N_BOARDS][clear], wanted_dual[3:][clear], atol=1e-12)
        assert (out[:3] == 0).all()


def by_hand(graph: TurnGraph, leaves: Floats, seen: Floats, root: int, sense: str) -> tuple[Floats, Floats]:
    """Node by node and board by board."""
    nodes = backup(graph, leaves, sense)
    second = np.zeros_like(nodes)
    second[: graph.n_leaves] = seen
    for node in range(graph.n_leaves, graph.n_nodes):
        children = [child for child, _ in graph.children(node)]
        weights = [weight for _, weight in graph.children(node)]
        for board in range(leaves.shape[1]):
            if graph.kind[node - graph.n_leaves] == CHANCE:
                parts = [weight * second[child, board] for child, weight in zip(children, weights, strict=True)]
                second[node, board] = sum(parts) / sum(weights)
            else:
                best = (max if sense == "max" else min)(nodes[child, board] for child in children)
                first = next(child for child in children if nodes[child, board] == best)
                second[node, board] = second[first, board]
    return nodes[root], second[root]


def near_tie(graph: TurnGraph, leaves: Floats, sense: str) -> NDArray[np.bool_]:
    """Boards where rounding decides between two moves, so that backups may differ in which they take."""
    nodes = backup(graph, leaves, sense)
    found = np.zeros(leaves.shape[1], dtype=bool)
    for node in range(graph.n_leaves, graph.n_nodes):
        if graph.kind[node - graph.n_leaves] != CHANCE:
            for one, two in itertools.combinations([child for child, _ in graph.children(node)], 2):
                inner = one >= graph.n_leaves or two >= graph.n_leaves
                with np.errstate(invalid="ignore"):
                    found |= (np.abs(nodes[one] - nodes[two]) < 1e-12) & inner
    return found


@pytest.mark.parametrize("sense", ["max", "min"])
def test_equal_moves_carry_the_first_ones_number(sense: str) -> None:
    graph = compile_turn(Tied())
    moves = Transitions.of_leaves(np.array([[0], [2], [4]], dtype=np.int32), np.zeros((0, 1)))
    values, duals = np.array([0.5, 0.5, 0.5]), np.array([7.0, 8.0, 9.0])
    for make in (CompiledBackup, PlainBackup):
        made = make(graph, int(graph.roots[0]), sense)
        out, out_dual = np.zeros(3), np.zeros(3)
        made.carry(moves, values, 1.0, duals, 1.0, np.array([0]), out, out_dual, 0, 1)
        assert (out[0], out_dual[0]) == (0.5, 7.0)


@pytest.mark.parametrize(("sense", "slightly_worse"), [("max", 0.45), ("min", 0.55)])
@pytest.mark.parametrize(("tie", "carried"), [(0.0, 8.0), (0.1, 9.0)])
def test_moves_within_a_tie_carry_the_largest_number(
    sense: str, slightly_worse: float, tie: float, carried: float
) -> None:
    much_worse = 0.5 + 4 * (slightly_worse - 0.5)
    for third, wanted in ((0.5, 9.0), (slightly_worse, carried), (much_worse, 8.0)):
        for order in itertools.permutations(range(3)):
            values, duals = np.array([0.5, 0.5, third])[list(order)], np.array([7.0, 8.0, 9.0])[list(order)]
            assert tied(sense, values, duals, tie) == [(0.5, wanted)] * 2


def tied(sense: str, values: Floats, duals: Floats, tie: float) -> list[tuple[float, float]]:
    """What the root of three moves is worth and the number it carries, by the compiled and the plain backup."""
    graph = compile_turn(Tied())
    moves = Transitions.of_leaves(np.array([[0], [2], [4]], dtype=np.int32), np.zeros((0, 1)))
    found = []
    for make in (CompiledBackup, PlainBackup):
        made = make(graph, int(graph.roots[0]), sense)
        out, out_dual = np.zeros(3), np.zeros(3)
        made.carry(moves, values, 1.0, duals, 1.0, np.array([0]), out, out_dual, 0, 1, tie)
        best = max(values) if sense == "max" else min(values)
        assert out[0] == best
        found.append((float(out[0]), float(out_dual[0])))
    return found


@dataclass(frozen=True)
class Tied(TurnGame):
    """Three moves."""

    name = "tied"
    title = "Tied"
    source = "test"
    rules = ""
    kind = "solo"
    measure = "points"
    unit = "points"

    def turn(self) -> Word:
        return Choice([("a", End("a")), ("b", End("b")), ("c", End("c"))])


@pytest.mark.parametrize(("seed", "root", "sense"), cases())
def test_staying_is_what_no_throw_can_prevent(seed: int, root: int, sense: str) -> None:
    graph = compile_turn(RandomTurn(seed))
    generator = np.random.default_rng(2000 + seed)
    inside = generator.choice([0.0, 1.0, 1.0, 1.0, -np.inf], 40)
    codes = 2 * generator.integers(0, 40, (graph.n_leaves, N_BOARDS)).astype(np.int32)
    moves = Transitions.of_leaves(codes, np.zeros((0, N_BOARDS)))
    boards = np.arange(N_BOARDS, dtype=np.int64)
    wanted = sure(graph, inside[codes >> 1])[graph.roots[root]]
    for make in (CompiledBackup, PlainBackup):
        made = make(graph, int(graph.roots[root]), sense)
        out = np.zeros(N_BOARDS)
        made.stays(rows(moves, made), inside, boards, out)
        assert (out == wanted).all()


def sure(graph: TurnGraph, leaves: Floats) -> Floats:
    """The best move of the worst throw."""
    nodes = np.vstack([leaves, np.zeros((graph.n_nodes - graph.n_leaves, leaves.shape[1]))])
    for node in range(graph.n_leaves, graph.n_nodes):
        inside = nodes[[child for child, _ in graph.children(node)]]
        chance = graph.kind[node - graph.n_leaves] == CHANCE
        nodes[node] = inside.min(axis=0) if chance else inside.max(axis=0)
    return nodes


def test_rewards_are_added_to_what_a_leaf_leads_to() -> None:
    graph = compile_turn(RandomTurn(3))
    generator = np.random.default_rng(3)
    values = generator.random(50)
    codes = (2 * generator.integers(0, 50, (graph.n_leaves, N_BOARDS)) + 1).astype(np.int32)
    rewards = generator.random(codes.shape)
    wanted = backup(graph, 1.0 - values[codes >> 1] + rewards, "max")[graph.roots[0]]
    for make in (CompiledBackup, PlainBackup):
        made = make(graph, int(graph.roots[0]), "max")
        moves = Transitions.of_leaves(
            np.ascontiguousarray(codes[made.leaves]), np.ascontiguousarray(rewards[made.leaves])
        )
        out = np.zeros(N_BOARDS)
        made.values(moves, values, values, 1.0, np.arange(N_BOARDS), out, 0, N_BOARDS)
        assert equal(out, wanted, 1e-13)
