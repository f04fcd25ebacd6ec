"""Small tables of three and four seats, and what the witness says of how one was solved."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rollwise.solver.checker.table import Claims, table_holds
from rollwise.solver.kinds import kind_of
from rollwise.solver.kinds.kind import InMemory, Tools
from rollwise.solver.model.game import (
    Boards,
    Bounded,
    Chance,
    Columns,
    Decision,
    End,
    Goto,
    Node,
    Transition,
    TurnGame,
    parameter,
)
from rollwise.solver.turn.graph import TurnGraph, compile_turn
from rollwise.solver.values.table import TableValues


@dataclass(frozen=True)
class Toy(TurnGame):
    """Three seats, one throw: results are shares in tenths, from the mover; from board 0 the next seat may be handed on
    to board 1.
    """

    name = "toy"
    kind = "table"
    measure = "win"
    unit = "probability"
    cyclic = False
    word: ClassVar[Node]

    players: int = parameter(3, "seats", low=3, high=3)

    def boards(self) -> Boards:
        return Boards(step=2)

    def turn(self) -> Node:
        return self.word

    def transition(self, board: Columns, result: Any) -> Transition:
        if result == "on":
            return Transition(next={"step": board.step + 1}, mover=1, legal=board.step == 0)
        return Transition(over=True, shares=np.array(result)[:, None], per=10)

    def level(self, board: Columns) -> Any:
        return board.step


def toy(word: Node) -> TurnGame:
    made = type("MadeToy", (Toy,), {"word": word})()
    assert isinstance(made, TurnGame)
    return made


@dataclass(frozen=True)
class Race(TurnGame):
    """Pig for three with a small die: a 1 loses the turn, and who reaches the target wins; scores from the mover."""

    name = "race"
    kind = "table"
    measure = "win"
    unit = "probability"

    players: int = parameter(3, "seats", low=3, high=4)
    target: int = parameter(4, "points that win", low=1, high=50)
    faces: int = parameter(3, "of the die", low=2, high=6)
    cut: int = parameter(100, "from this total on rolling is past the cut", low=1, high=100)

    def boards(self) -> Boards:
        return Boards(**{f"score{seat}": self.target for seat in range(self.players)})

    def turn(self, total: int = 0) -> Node:
        after = [(1, Goto(total + face)) for face in range(2, self.faces + 1)]
        roll: Node = Chance([(1, End(0)), *after])
        if total >= self.cut:
            roll = Bounded(0, 1)
        return Decision([("hold", End(total)), ("roll", roll)]) if total else roll

    def roots(self) -> list[tuple[int, ...]]:
        return [(0,)]

    def transition(self, board: Columns, total: int) -> Transition:
        scores = [board.as_dict()[f"score{seat}"] for seat in range(self.players)]
        turned = [*scores[1:], np.minimum(scores[0] + total, self.target - 1)]
        return Transition(
            over=scores[0] + total >= self.target,
            shares=[1, *[0] * (self.players - 1)],
            next={f"score{seat}": score for seat, score in enumerate(turned)},
            mover=1,
        )

    def order(self, board: Columns) -> Any:
        return sum(board.as_dict()[f"score{seat}"] for seat in range(self.players))


def capped(g: Race) -> Race:
    """The same, rolling on past the target cut off, so that turns end."""
    return Race(g.players, g.target, g.faces, g.target)


RACES = [capped(Race(3, 4, 3)), capped(Race(3, 3, 6)), capped(Race(4, 2, 4))]


@dataclass(frozen=True)
class Potato(TurnGame):
    """Take it, or hand it on; it may burst, which is worth nothing to who handed it on.

    If nobody takes it, it is worth taking; if the next one takes it, handing it on is better: no move is stable.
    """

    name = "potato"
    kind = "table"
    measure = "win"
    unit = "probability"

    players: int = parameter(3, "seats", low=3, high=3)
    bursts: int = parameter(10, "chances in a hundred", low=1, high=99)

    def boards(self) -> Boards:
        return Boards(nothing=1)

    def turn(self) -> Node:
        hand_on = Chance([(self.bursts, End((0, 50, 50))), (100 - self.bursts, End("on"))])
        return Decision([("take", End((40, 1, 59))), ("hand on", hand_on)])

    def transition(self, board: Columns, result: Any) -> Transition:
        if result == "on":
            return Transition(next={"nothing": 0 * board.nothing}, mover=1)
        return Transition(over=True, shares=np.array(result)[:, None], per=100)


def potato_by_hand(taken: float) -> tuple[float, list[float]]:
    """The chance of taking a potato that is worth so much, and the shares, from indifference, by bisection.

    It bursts one time in ten; who takes it leaves a hundredth to the next seat, and the rest to the last.
    """

    def shares(take: float) -> list[float]:
        second = take * 0.01 + (1 - take) * (0.05 + 0.9 * taken)
        return [taken, second, take * (0.99 - taken) + (1 - take) * (0.05 + 0.9 * second)]

    low, high = 0.0, 1.0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if 0.9 * shares(middle)[2] < taken else (low, middle)
    return low, shares(low)


def opened(g: TurnGame) -> Any:
    """A game solved now, ready to be asked."""
    kind, graph = kind_of(g), compile_turn(g)
    solved = kind.solve(g, graph, Tools())
    return kind.restore(g, graph, InMemory(solved.arrays), solved.facts)


def refuted(g: TurnGame, graph: TurnGraph, solved: TableValues) -> str | None:
    """What the witness has to say."""
    claimed = Claims(solved.values, solved.radius, solved.responses, solved.mixed.rows, solved.tie, solved.gain_limit)
    return table_holds(g, graph, claimed, lambda share: None)
