"""Piggy Six alone against robots."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import lcm
from typing import Any

import numpy as np

from rollwise.games.piggy_six.rules import CHOOSE, NOTHING, ROBOT, ZERO, PiggySix, throw_effect
from rollwise.solver.model.dice import Faces, grouped
from rollwise.solver.model.fields import NO_LIMIT, Field, Number, Numbers
from rollwise.solver.model.game import (
    Boards,
    Chance,
    Columns,
    Decision,
    End,
    Goto,
    Node,
    NodeKey,
    Position,
    Transition,
    chance_of,
)


@dataclass(frozen=True)
class PiggySixAgainstRobots(PiggySix):
    """Alone, in seat 0, against robots; the value is P(win), a win shared with k - 1 robots counting 1 / k.

    No robot can get further past the target than its stopping total plus one throw, so all human scores beyond that
    have the same value and count as one.
    """

    kind = "solo"
    total = 0

    def parameters(self) -> dict[str, Any]:
        """All parameters but ``players``: one plays, against the robots."""
        return {name: value for name, value in super().parameters().items() if name != "players"}

    def furthest(self) -> int:
        """A score that no robot can reach."""
        return self.target + max(self.robots) + 10

    def robot(self, number: int) -> str:
        """The name of a robot's score on the board."""
        return f"robot{number}"

    def boards(self) -> Boards:
        """The human's score, the robots' scores, and the mover (0: the human)."""
        scores = {self.robot(i): self.furthest() for i in range(1, len(self.robots) + 1)}
        return Boards(mover=len(self.robots) + 1, mine=self.furthest() + 1, **scores)

    def possible(self, board: Columns) -> Any:
        """Players who have not yet moved in this round are below the target."""
        scores = enumerate(self.scores(board))
        return np.logical_and.reduce([(board.mover > seat) | (score < self.target) for seat, score in scores])

    def reachable(self, board: Mapping[str, Any]) -> bool | None:
        """No turn of the human's with two dice makes 1; a robot makes from its stopping total to 9 more, or nothing."""
        if board["mover"]:
            return None  # robots' turns are in no question
        robots = [(board[self.robot(seat)], stops) for seat, stops in enumerate(self.robots, 1)]
        return (self.max_dice > 2 or board["mine"] != 1) and all(
            any(turns * stops <= score <= turns * (stops + 9) for turns in range(score // stops + 1))
            for score, stops in robots
        )

    def scores(self, board: Columns) -> list[Any]:
        """All scores by seat."""
        return [board.mine, *(board.as_dict()[self.robot(i)] for i in range(1, len(self.robots) + 1))]

    def roots(self) -> Sequence[NodeKey]:
        """The human's turn, and each robot's."""
        return [super().roots()[0], *((0, stops, ROBOT) for stops in self.robots)]

    def root(self, board: Columns) -> Any:
        """The number of the mover."""
        return board.mover

    def turn(self, total: int, dice: int, *stage: str) -> Node:
        """The human's turn, or that of a robot, which rolls two dice and stops at ``dice`` points."""
        if stage:
            return End(total) if total >= dice else self.robot_rolls(total, dice)
        return Decision([("hold", self.hold_node(total))]) if total >= self.enough() else super().turn(total, dice)

    def robot_rolls(self, total: int, stops: int) -> Chance:
        """A robot's throw."""

        def then(shown: Any) -> Node:
            return End(shown) if shown in (NOTHING, ZERO) else Goto(total + shown, stops, ROBOT)

        return chance_of(grouped(2, throw_effect), then)

    def hold_node(self, total: int, *stage: str) -> Node:
        """Bank the total."""
        return End(total)

    def unsolved_node(self, total: int, dice: int, *stage: str) -> Node | None:
        """The choice of the human, who may roll on; robots have no choice."""
        return None if stage else super().unsolved_node(total, dice)

    def enough(self, *stage: str) -> int:
        """A score that no robot can reach: the human holds."""
        return self.furthest()

    def transition(self, board: Columns, result: Any) -> Transition:
        """The mover's new score; after the last robot the game ends if the target is reached."""
        seats = 1 + len(self.robots)
        scores = [
            np.where(board.mover == seat, 0 if result == ZERO else np.minimum(score + result, self.furthest()), score)
            for seat, score in enumerate(self.scores(board))
        ]
        highest = np.maximum.reduce(scores)
        sharing = sum((score == highest).astype(np.int64) for score in scores)
        parts = lcm(*range(1, seats + 1))
        over = (board.mover == seats - 1) & (highest >= self.target)
        names = ["mine", *(self.robot(i) for i in range(1, seats))]
        return Transition(
            over=over,
            reward=np.where(over & (scores[0] == highest), parts // sharing, 0),
            per=parts,
            next={**dict(zip(names, scores, strict=True)), "mover": (board.mover + 1) % seats},
        )

    def level(self, board: Columns) -> Any:
        """Rounds in which the target is reached come last; in them seat follows seat."""
        return np.where(np.maximum.reduce(self.scores(board)) >= self.target, board.mover, 0)

    def order(self, board: Columns) -> Any:
        """High scores first; the last robot's stay in a row, as they lie in memory."""
        return sum(self.scores(board)[:-1])

    def fields(self) -> Sequence[Field]:
        """The human's score, the robots' as a list, and the turn's total."""
        return [
            Number("mine", "the human's score", 0, self.target - 1),
            Numbers("theirs", "the robots' scores", 0, self.target - 1, len(self.robots)),
            Number("turn", "points gathered this turn", 0, NO_LIMIT, of="turn"),
            *self.dice_field(),
        ]

    def locate(  # type: ignore[override]  # the robots' scores are a list
        self, mine: int = 0, theirs: Sequence[int] | None = None, turn: int = 0, dice: int | None = None
    ) -> Position:
        """The position of a question: the human is to move."""
        robots = {self.robot(i + 1): score for i, score in enumerate(theirs or [0] * len(self.robots))}
        return Position({"mine": mine, **robots, "mover": 0}, self.turn_state(turn, dice))

    def after(
        self, fields: Mapping[str, Any], move: str, thrown: tuple[Faces, ...], result: Any
    ) -> dict[str, Any] | None:
        """None: the robots have moved too, so the board decides."""
        return None

    def describe(self, board: Mapping[str, int], state: NodeKey) -> Iterable[dict[str, Any]]:  # type: ignore[override]
        """The fields of a position on the human's turn; robots have no questions."""
        if board["mover"] == 0 and len(state) == 2:
            shown = {"dice": state[1]} if self.dice_field() and state[1] != CHOOSE else {}
            theirs = tuple(board[self.robot(i)] for i in range(1, len(self.robots) + 1))
            yield {"mine": board["mine"], "theirs": theirs, "turn": state[0], **shown}
