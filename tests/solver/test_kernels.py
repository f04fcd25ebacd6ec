"""The compiled backup, the plain one and the layered one do the same, on random turns and random leaves."""

from __future__ import annotations

import itertools
import random
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from rollwise.solver.model.game import Chance, Decision, End, Goto, Node, NodeKey, TurnGame
from rollwise.solver.turn.arrays import backup, rounding_bound
from rollwise.solver.turn.backups import CompiledBackup, PlainBackup, make_backup
from rollwise.solver.turn.graph import CHANCE, TurnGraph, compile_turn
from rollwise.solver.turn.kernels import MIN_BACKUPS_SHARED, share_pairs
from rollwise.solver.turn.transitions import Transitions
from tests.solver.plain import thorough

Floats = NDArray[np.float64]
MAKES = CompiledBackup, partial(CompiledBackup, backups=10**9), PlainBackup
WAYS = [1, 1, 1, 2, 5, 36]
N_BOARDS = 71  # no multiple of any number of lanes
BOARDS = np.arange(N_BOARDS, dtype=np.int64)


@dataclass(frozen=True)
class RandomTurn(TurnGame):
    """A random turn in layers; its results mean nothing."""

    name, kind, measure, unit = "random-turn", "solo", "points", "points"

    seed: int = 0
    depth: int = 4
    breadth: int = 5

    def roots(self) -> list[NodeKey]:
        return [(0, 0), (0, 1), (self.depth, 0)]

    def turn(self, layer: int, place: int) -> Node:
        chooser = random.Random(f"{self.seed} {layer} {place}")

        def ahead() -> Node:
            if layer == self.depth or chooser.random() < 0.3:
                return End(chooser.randrange(12))
            return Goto(layer + 1, chooser.randrange(self.breadth))

        if layer and chooser.random() < 0.5:
            return Decision([(f"move {i}", ahead()) for i in range(chooser.randint(1, 6))])
        same = chooser.random() < 0.5
        return Chance([(3 if same else chooser.choice(WAYS), ahead()) for _ in range(chooser.randint(1, 7))])


@dataclass
class Case:
    """A root of a random turn, with leaves of few different worths, so that there are ties, some of them illegal."""

    seed: int
    place: int
    sense: str

    def __post_init__(self) -> None:
        self.graph = compile_turn(RandomTurn(self.seed))
        self.root = int(self.graph.roots[self.place])
        self.draw = np.random.default_rng(self.seed)
        shape = self.graph.n_leaves, N_BOARDS
        worst = -np.inf if self.sense == "max" else np.inf
        self.leaves = np.where(self.draw.random(shape) < 0.15, worst, self.draw.integers(-4, 5, shape) / 4)

    def transitions(self) -> tuple[Transitions, Floats]:
        """Codes that lead to these leaves, each through a board of its own; (transitions, values of those boards)."""
        codes = 2 * np.arange(self.leaves.size).reshape(self.leaves.shape)
        other = (self.draw.random(codes.shape) < 0.5) & np.isfinite(self.leaves)
        values = np.where(other, 1.0 - self.leaves, self.leaves).ravel()
        return Transitions.of_leaves((codes + other).astype(np.int32), np.zeros((0, N_BOARDS))), values


def cases(seeds: range) -> list[Any]:
    return [(case,) for case in itertools.product(seeds, range(3), ["max", "min"])]


every_case = pytest.mark.parametrize("case", [*thorough(*cases(range(5, 25))), *(one for (one,) in cases(range(5)))])


@pytest.fixture(autouse=True)
def two_choices_share(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rollwise.solver.turn.kernels.MIN_SHARED_CHOICES", 2)


def equal(left: Floats, right: Floats, within: Any) -> bool:
    """Infinite where the other is, else nearly the same."""
    same = np.isinf(left) & (left == right)
    with np.errstate(invalid="ignore"):
        return bool((same | (np.abs(left - right) <= within)).all())


def rows(moves: Transitions, made: Any) -> Transitions:
    """The rows of the leaves that a backup reads."""
    return Transitions.of_leaves(np.ascontiguousarray(moves.codes[made.leaves]), moves.rewards)


@every_case
def test_three_backups_agree(case: tuple[int, int, str]) -> None:
    at = Case(*case)
    wanted = backup(at.graph, at.leaves, at.sense)[at.root]
    boards = at.draw.permutation(BOARDS)
    for make in MAKES:
        made = make(at.graph, at.root, at.sense)
        moves, values = at.transitions()
        out = np.zeros(len(values))
        made.values(rows(moves, made), values, values, 1.0, boards, out, slice(0, N_BOARDS))
        assert equal(out[boards], wanted, 2 * rounding_bound(at.graph, at.leaves) + 1e-15)


@every_case
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_choice_carries_the_number_of_its_first_best_move(case: tuple[int, int, str], sign: float) -> None:
    at = Case(*case)
    moves, values = at.transitions()
    duals = at.draw.random(len(values))
    seen = duals.reshape(at.leaves.shape) * np.where(moves.codes & 1, sign, 1.0)
    nodes, second, near_tie = by_hand(at.graph, at.leaves, seen, at.sense)
    clear = (np.isfinite(nodes[at.root]) & ~near_tie)[3:]
    for make in MAKES:
        made = make(at.graph, at.root, at.sense)
        out, out_dual = np.zeros(len(values)), np.zeros(len(values))
        made.carry(rows(moves, made), values, 1.0, (duals, sign), BOARDS, (out, out_dual), slice(3, N_BOARDS))
        assert equal(out[3:N_BOARDS], nodes[at.root][3:], 1e-13)
        assert np.allclose(out_dual[3:N_BOARDS][clear], second[at.root][3:][clear], atol=1e-12)
        assert (out[:3] == 0).all()


def by_hand(graph: TurnGraph, leaves: Floats, seen: Floats, sense: str) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """Node by node and board by board: values, the number carried, and the boards where rounding decides a choice."""
    nodes = backup(graph, leaves, sense)
    second = np.zeros_like(nodes)
    second[: graph.n_leaves] = seen
    near_tie = np.zeros(leaves.shape[1], dtype=bool)
    for node in range(graph.n_leaves, graph.n_nodes):
        children, weights = zip(*graph.children(node), strict=True)
        for board in range(leaves.shape[1]):
            if graph.kind[node - graph.n_leaves] == CHANCE:
                parts = [weight * second[child, board] for child, weight in zip(children, weights, strict=True)]
                second[node, board] = sum(parts) / sum(weights)
            else:
                best = (max if sense == "max" else min)(nodes[child, board] for child in children)
                second[node, board] = next(second[child, board] for child in children if nodes[child, board] == best)
                finite = [child for child in children if np.isfinite(nodes[child, board])]
                for one, two in itertools.combinations(finite, 2):
                    inner = max(one, two) >= graph.n_leaves
                    near_tie[board] |= inner and abs(nodes[one, board] - nodes[two, board]) < 1e-12
    return nodes, second, near_tie


def test_what_choices_have_in_common_is_shared_in_their_own_order() -> None:
    words = [[1, 2, 3], [0, 1, 2, 3], [2, 1], [1, 2, 4], [5, 1, 2, 3]]
    pairs = share_pairs(words, least=3, first_new=10)
    assert pairs == [(1, 2), (10, 3)]
    assert words == [[11], [0, 11], [2, 1], [10, 4], [5, 11]]


@dataclass(frozen=True)
class InCommon(RandomTurn):
    """A die; after each face there is one move of its own and two that all have."""

    def turn(self, layer: int, place: int) -> Node:
        return Chance([(1, Decision([(str(end), End(end)) for end in (face, "a", "b")])) for face in range(6)])


def test_choices_share_their_maxima_where_a_solve_has_many_boards() -> None:
    graph = compile_turn(InCommon())
    few, many = (make_backup(graph, int(graph.roots[0]), "max", True, n).n_edges for n in (1, 5 * MIN_BACKUPS_SHARED))
    assert (few, many) == (6 + 6 * 3, 6 + 6 * 2 + 2)


@every_case
def test_staying_is_what_no_throw_can_prevent(case: tuple[int, int, str]) -> None:
    at = Case(*case)
    inside = at.draw.choice([0.0, 1.0, 1.0, 1.0, -np.inf], 40)
    codes = 2 * at.draw.integers(0, 40, at.leaves.shape).astype(np.int32)
    nodes = np.vstack([inside[codes >> 1], np.zeros((len(at.graph.kind), N_BOARDS))])
    for node in range(at.graph.n_leaves, at.graph.n_nodes):  # the best move of the worst throw
        below = nodes[[child for child, _ in at.graph.children(node)]]
        chance = at.graph.kind[node - at.graph.n_leaves] == CHANCE
        nodes[node] = below.min(axis=0) if chance else below.max(axis=0)
    for make, is_long in (*((make, False) for make in MAKES), (CompiledBackup, True)):
        made: Any = make(at.graph, at.root, at.sense)
        made.is_long = is_long
        for some in (BOARDS[:9], BOARDS):  # what was known of the first is read again
            out = np.zeros(N_BOARDS)
            leads = Transitions.of_leaves(codes[:, some], np.zeros((0, len(some))))
            made.stays(rows(leads, made), inside, some, out)
            assert (out[some] == nodes[at.root][some]).all()


def test_rewards_are_added_to_what_a_leaf_leads_to() -> None:
    at = Case(3, 0, "max")
    values = at.draw.random(50)
    codes = (2 * at.draw.integers(0, 50, at.leaves.shape) + 1).astype(np.int32)
    rewards = at.draw.random(codes.shape)
    wanted = backup(at.graph, 1.0 - values[codes >> 1] + rewards, "max")[at.root]
    for make in MAKES:
        made = make(at.graph, at.root, "max")
        read: Any = np.ascontiguousarray(codes[made.leaves])
        earned = np.ascontiguousarray(rewards[made.leaves])
        out = np.zeros(N_BOARDS)
        made.values(Transitions.of_leaves(read, earned), values, values, 1.0, BOARDS, out, slice(0, N_BOARDS))
        assert equal(out, wanted, 1e-13)
