"""Shut the Box for shutting all or enough boxes, and for two to six players."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rollwise.games.rounds import Holders, as_bits, as_seats, check_round, joined, round_fields, shares
from rollwise.games.shut_the_box.rules import Boxes, ShutTheBox
from rollwise.solver.model.dice import Faces
from rollwise.solver.model.duel_transition import TableForTwo
from rollwise.solver.model.errors import StateError
from rollwise.solver.model.fields import Field, Number
from rollwise.solver.model.game import Boards, Columns, NodeKey, Position, Transition


@dataclass(frozen=True)
class ShutTheBoxClear(ShutTheBox):
    """Alone; the value is the best P(every box gets shut)."""

    caveat = ""
    measure = "win"
    unit = "probability"
    sense = "max"
    scale = 1

    def transition(self, board: Columns, score: int) -> Transition:
        """Only a score of 0 counts."""
        return Transition(over=True, won=score == 0)


@dataclass(frozen=True)
class ShutTheBoxReach(ShutTheBoxClear):
    """Alone; the value of a board is the best P(at most its ``target`` is left open)."""

    def boards(self) -> Boards:
        """The most that may be left open."""
        return Boards(target=sum(self.all_boxes()) + 1)

    def transition(self, board: Columns, score: int) -> Transition:
        """Won with a score up to the target."""
        return Transition(over=True, won=score <= board.target)

    def fields(self) -> list[Field]:
        """The turn, and the target."""
        target = Number("target", "the most that may be left open", 0, sum(self.all_boxes()))
        return [*super().fields(), target]

    def locate(self, open: Boxes | None = None, roll: Faces | None = None, target: int = 0) -> Position:
        """The position of a question."""
        return Position({"target": target}, self.locate_turn(open, roll))

    def describe(self, board: Mapping[str, int], state: NodeKey) -> Iterator[dict[str, Any]]:
        """The fields of a position."""
        for turn in super().describe(board, state):
            yield {**turn, "target": board["target"]}

    def ending_name(self, board: Mapping[str, Any], score: int, marks: frozenset[str]) -> str:
        """The score against the target."""
        return "low enough" if score <= board["target"] else "too much left open"


@dataclass(frozen=True)
class ShutTheBoxTable(ShutTheBox):
    """Two to six players, one turn each; a value is P(win), where k players who share the lowest score count 1/k.

    ``best`` on a board is the lowest score so far, or one more than the highest score while there is none;
    ``holders`` are the seats that have it, seat s as bit ``1 << s``. No seat is out early: a score of 0 can be shared.
    """

    kind: ClassVar[str] = "table"
    caveat = ""
    measure = "win"
    unit = "probability"
    sense = "max"
    scale = 1

    def highest(self) -> int:
        """The score with every box open."""
        return sum(self.all_boxes())

    def no_score(self) -> int:
        """The lowest score before there is any: one above the highest."""
        return self.highest() + 1

    def boards(self) -> Boards:
        """The seat to move, the lowest score so far, and its holders (the last seat is never among them)."""
        return Boards(mover=self.players, best=self.no_score() + 1, holders=1 << self.players - 1)

    def first_board(self) -> dict[str, int]:
        """No seat has a score."""
        return {"mover": 0, "best": self.no_score(), "holders": 0}

    def possible(self, board: Columns) -> Any:
        """Holders sit before the mover, and there is a score once a seat has had a turn."""
        first = (board.mover == 0) & (board.best == self.no_score()) & (board.holders == 0)
        before = (board.holders > 0) & (board.holders < 1 << board.mover)
        return first | (before & (board.best <= self.highest()) & (board.best != self.never_scored()))

    def reachable(self, board: Mapping[str, Any]) -> bool:
        """No score is above all boxes: if all boxes are the lowest score, every seat so far has tied."""
        return bool(board["best"] != self.highest() or board["holders"] == (1 << board["mover"]) - 1)

    def never_scored(self) -> int:
        """The score of box 1 alone being shut: no roll of two dice does that; -1 where one die is allowed at once."""
        return -1 if self.one_die_allowed(self.all_boxes()) else self.highest() - 1

    def level(self, board: Columns) -> Any:
        """Each seat moves once."""
        return board.mover

    def transition(self, board: Columns, score: int) -> Transition:
        """A lower score replaces the lowest, an equal one joins it; after the last seat the holders share."""
        by_seat, per = shares(holders := joined(board.holders, board.mover, board.best - score), self.players)
        return Transition(
            next={"mover": board.mover + 1, "best": np.minimum(board.best, score), "holders": holders},
            mover=1,
            over=board.mover == self.players - 1,
            shares=by_seat,
            per=per,
        )

    def ending_name(self, board: Mapping[str, Any], score: int, marks: frozenset[str]) -> str:
        """The score against the lowest so far, if there is one."""
        best = board["best"]
        if best == self.no_score():
            return super().ending_name(board, score, marks)
        return "the lowest so far" if score < best else "as low as the lowest" if score == best else "not the lowest"

    def fields(self) -> list[Field]:
        """The turn, then the other players' results."""
        return [*super().fields(), *round_fields(self.players, 0, self.highest(), "lowest")]

    def locate(
        self, *args: Any, mover: int = 0, best: int | None = None, holders: Holders = (), **turn: Any
    ) -> Position:
        """The position of a question."""
        check_round(mover, best, holders, scores=f"0 to {self.highest()}")
        if best == self.never_scored():
            raise StateError(f"best={best} cannot be, since box 1 is never the only one that is shut", field="best")
        board = {"mover": mover, "best": self.no_score() if best is None else best, "holders": as_bits(holders)}
        return Position(board, super().locate(*args, **turn).state, mover=mover)

    def describe(self, board: Mapping[str, int], state: NodeKey) -> Iterator[dict[str, Any]]:
        """The fields of a position."""
        for turn in super().describe(board, state):
            yield {
                **turn,
                "mover": board["mover"],
                "best": None if board["best"] == self.no_score() else board["best"],
                "holders": as_seats(board["holders"], self.players),
            }


@dataclass(frozen=True)
class ShutTheBoxDuel(TableForTwo, ShutTheBoxTable):
    """Two players: the value of a board is P(the player to move wins) + P(both share) / 2."""

    kind = "duel"
    total = 1
    by_seat = True
