"""Toss: toss as many of your coins as you dare; heads are points, but a toss without any tail earns nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import comb
from typing import Any

from rollwise.solver.model.fields import Field, Number
from rollwise.solver.model.game import (
    Boards,
    Chance,
    Columns,
    Decision,
    End,
    Node,
    NodeKey,
    Position,
    Transition,
    TurnGame,
    parameter,
)


@dataclass(frozen=True)
class Toss(TurnGame):
    """One turn; the value is the mean number of heads that count."""

    name = "toss"
    title = "Toss"
    source = "made up"
    rules = "Toss some of your coins once: each head is a point, but if all show heads there are none."
    kind = "tosses"
    measure = "score"
    unit = "points"

    coins: int = parameter(3, "coins at most", low=1, high=9)

    def boards(self) -> Boards:
        """How many coins one has."""
        return Boards(coins=range(1, self.coins + 1))

    def roots(self) -> list[NodeKey]:
        """With each number of coins."""
        return [(n,) for n in range(1, self.coins + 1)]

    def root(self, board: Columns) -> Any:
        """The turn with these coins."""
        return board.coins - 1

    def turn(self, coins: int) -> Node:
        """Toss some."""
        return Decision([(f"toss {n}", self.toss(n)) for n in range(1, coins + 1)])

    def toss(self, n: int) -> Chance:
        """Heads, but not all."""
        return Chance((comb(n, heads), End(heads % n, heads % n)) for heads in range(n + 1))

    def transition(self, board: Columns, result: int) -> Transition:
        """The game is over."""
        return Transition(over=True)

    def fields(self) -> list[Field]:
        """The coins."""
        return [Number("have", "coins that you have", 1, self.coins)]

    def locate(self, have: int = 1) -> Position:
        """The position of a question."""
        return Position({"coins": have}, (have,))

    def describe(self, board: Mapping[str, int], state: NodeKey) -> Iterable[dict[str, Any]]:
        """The fields of a position."""
        yield {"have": board["coins"]}
