"""Six By 6 alone, where a player may go on instead of posting: for the mean, or to score at least a target."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from rollwise.games.six_by_6.bounds import FAR, MAX_EARNED, TOP, overtaken, unsolved_sets
from rollwise.games.six_by_6.rules import MAX_CARRY, SixBy6Round
from rollwise.games.six_by_6.scoring import RACK, full, plain, special
from rollwise.solver.model.dice import Faces
from rollwise.solver.model.fields import Field, Number
from rollwise.solver.model.game import Boards, Bounded, Columns, Decision, End, Node, NodeKey, Position, Transition

USUAL_TARGET = 40


@dataclass(frozen=True)
class SixBy6Free(SixBy6Round):
    """Alone; the value of a board is the best expected score less the carry held."""

    kind: ClassVar[Literal["alone", "solo", "duel", "table"]] = "solo"
    far = MAX_CARRY + 1

    def possible(self, board: Columns) -> Any:
        """All: after declining 1-2-3-4-5-6 one die is posted with no carry."""
        return np.ones(len(board), dtype=bool)

    def play(self, faces: Faces) -> Node:
        """A roll that may be posted whole leaves a choice; any other has one move."""
        whole, sixes = End(full(faces)), End(plain(faces))
        if special(faces) is None or whole.result == sixes.result:
            return Decision([("post" if set(faces) == {6} else "go on", sixes)])
        return Decision([("post", whole), ("go on", sixes)])

    def describe(self, board: Mapping[str, int], state: NodeKey) -> Iterable[dict[str, Any]]:
        """The fields of a position; of rolls only those that leave a choice."""
        for fields in super().describe(board, state):
            faces = fields.get("roll")
            if faces is None or special(faces) not in (None, plain(faces)):
                yield fields


@dataclass(frozen=True)
class SixBy6Alone(SixBy6Free):
    """Alone, with a choice."""

    def unsolved(self) -> Mapping[int, int]:
        """SETs of too many players who choose."""
        return {} if self.limit else unsolved_sets()


@dataclass(frozen=True)
class SixBy6Reach(SixBy6Free):
    """Alone; the value of a board is the best P(the round scores at least its ``target``)."""

    measure = "win"
    unit = "probability"
    scale = 1
    far = FAR  # the carry from which on any target is nearly certain, as any best score of a SET is
    most_carry = FAR - 1  # so that questions and exports have every board that is followed

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

    def order(self, board: Columns) -> Any:
        """Boards by carry: it runs out where few dice are left."""
        return np.where(board.posted < 2, board.carry, -board.carry)

    def fields(self) -> list[Field]:
        """The round, and the target."""
        return [*super().fields(), Number("target", "points that the round should score, or more", 1, self.most)]

    def locate(self, *args: Any, target: int = USUAL_TARGET, **round: Any) -> Position:
        """The position of a question."""
        position = super().locate(*args, **round)
        return Position({"target": target, **position.board}, position.state)

    def describe(self, board: Mapping[str, int], state: NodeKey) -> Iterable[dict[str, Any]]:
        """The fields of a position."""
        for fields in super().describe(board, state):
            yield {**fields, "target": board["target"]}
