"""A round of Six By 6 that is played to score at least a target, instead of for the mean."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from rollwise.games.six_by_6.bounds import FAR, MAX_EARNED, TOP, overtaken
from rollwise.games.six_by_6.chosen_set import SixBy6Chosen
from rollwise.games.six_by_6.free import SixBy6Free
from rollwise.games.six_by_6.scoring import RACK
from rollwise.solver.model.dice import Faces
from rollwise.solver.model.fields import Field, Number
from rollwise.solver.model.game import Boards, Bounded, Columns, Node, NodeKey, Position, Transition

USUAL_TARGET = 40


@dataclass(frozen=True)
class SixBy6Reach(SixBy6Free):
    """Alone; the value of a board is the best P(the round scores at least its ``target``)."""

    measure = "win"
    unit = "probability"
    scale = 1
    far = FAR  # the carry from which on any target is nearly certain, as any best score of a SET is
    most_carry = FAR - 1  # so that questions and exports have every board that is followed
    order = SixBy6Chosen.order

    @property
    def most(self) -> int:
        """The highest target."""
        return RACK + self.limit + MAX_EARNED if self.limit else TOP

    def boards(self) -> Boards:
        """The target, dice posted and carry."""
        return Boards(target=range(1, self.most + 1), **super().boards().parts)

    def first_board(self) -> dict[str, int]:
        """The usual target."""
        return {"target": USUAL_TARGET, "posted": 0, "carry": 0}

    def turn(self, posted: int, roll: Faces | None = None, far: bool = False) -> Node:
        """One roll; ``far``: bounds of the chance instead."""
        return Bounded(1 - overtaken(1), 1) if far else super().turn(posted, roll)

    def transition(self, board: Columns, result: Any) -> Transition:
        """A round that is over has reached the target, or not."""
        plain = super().transition(board, result)
        enough = board.carry + plain.reward >= board.target
        return Transition(over=plain.over, won=enough, next={"target": board.target, **(plain.next or {})})

    def fields(self) -> list[Field]:
        """The round, and the target."""
        return [*super().fields(), Number("target", "points that the round should score, or more", 1, self.most)]

    def locate(
        self, carry: int = 0, posted: int = 0, roll: Faces | None = None, target: int = USUAL_TARGET
    ) -> Position:
        """The position of a question."""
        position = super().locate(carry, posted, roll)
        return Position({"target": target, **position.board}, position.state)

    def describe(self, board: Mapping[str, int], state: NodeKey) -> Iterable[dict[str, Any]]:
        """The fields of a position."""
        for fields in super().describe(board, state):
            yield {**fields, "target": board["target"]}
