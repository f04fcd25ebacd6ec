"""The walk over words that all questions share: against hand-made turns."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from rollwise.games.pig.rules import Pig
from rollwise.solver.model.game import Bounded, Chance, Decision, End, FirstLegal, Goto, Node, NodeKey
from rollwise.solver.turn.algebra import Algebra, Legality, integer_scales
from rollwise.solver.turn.graph import CHANCE, compile_turn

TURN: dict[NodeKey, Node] = {
    ("start",): Decision([("stop", End(1)), ("roll", Chance([(1, End(0)), (2, Goto("late")), (1, Goto("late"))]))]),
    ("late",): Chance([(1, End(4)), (1, Bounded(2, 9))]),
}


class Least(Algebra[Fraction]):
    """What a turn is sure to be worth; ends of less than 0 are illegal. ``asked``: the states looked at."""

    def __init__(self) -> None:
        self.asked: list[NodeKey] = []
        super().__init__(self.word)
        self._end_value = lambda end: Fraction(str(end.result))
        self._bounded_value = lambda cut: Fraction(cut.lower)
        self._best = max
        self._first_legal = lambda options: next(worth for worth in options if worth >= 0)

    def word(self, *state: Any) -> Node:
        self.asked.append(state)
        return TURN[state]

    def _mean(self, parts: Iterator[tuple[int, Fraction]]) -> Fraction:
        weights, worths = zip(*parts, strict=True)
        total = sum((weight * worth for weight, worth in zip(weights, worths, strict=True)), Fraction(0))
        return Fraction(total, sum(weights))


def test_a_turn_is_worth_what_its_words_say_and_each_state_is_looked_at_once() -> None:
    least = Least()
    assert least.value_of(Goto("start")) == Fraction(3 * 3 + 0, 4)
    assert least.value_of(Goto("late")) == 3
    assert least.asked == [("start",), ("late",)]
    assert least.value_of(FirstLegal([End(-1), End(2), Goto("nowhere")])) == 2


def test_a_throw_may_always_be_made_and_a_decision_where_one_of_its_moves_may() -> None:
    legal = Legality(Pig(target=10), {"mine": 0, "theirs": 0}).value_of
    words: list[Node] = [End(3), Bounded(0, 1), Chance([(1, Goto("unheard of"))])]
    assert all(map(legal, words))
    assert not legal(Decision([]))


def test_scales_keep_a_turn_in_whole_numbers() -> None:
    graph = compile_turn(Pig(target=4))
    scale, factor = integer_scales(graph)
    worths = np.arange(graph.n_leaves) ** 2
    whole, plain = worths.tolist(), [Fraction(int(worth)) for worth in worths]
    for i, kind in enumerate(graph.kind.tolist()):
        edges = range(int(graph.start[i]), int(graph.start[i + 1]))
        children = [int(graph.child[edge]) for edge in edges]
        parts = [whole[child] * factor[edge] for child, edge in zip(children, edges, strict=True)]
        whole.append(sum(parts) if kind == CHANCE else max(parts))
        weights = [int(graph.weight[edge]) for edge in edges]
        mean = sum((w * plain[c] for c, w in zip(children, weights, strict=True)), Fraction(0)) / max(1, sum(weights))
        plain.append(mean if kind == CHANCE else max(plain[child] for child in children))
    assert [Fraction(number, unit) for number, unit in zip(whole, scale, strict=True)] == plain
