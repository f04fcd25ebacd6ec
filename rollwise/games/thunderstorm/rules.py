"""Thunderstorm: throw the dice you are passed and keep the ones out of play; seven throws without a 1 and you are out.

Number 11 of TACTIC's 21 dice games. There is no choice.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rollwise.solver.model.dice import Faces, grouped
from rollwise.solver.model.errors import StateError
from rollwise.solver.model.fields import Field, Number, Numbers
from rollwise.solver.model.game import Boards, Columns, End, Node, NodeKey, Position, Transition, chance_of, parameter
from rollwise.solver.model.spaces import Standing
from rollwise.solver.model.turn_points import Hand, PointGame, ResultPoints, TurnPhrases

DICE = 6
LEFT = 1  # the dice always pass to the next player on the left who is still in


def ones_in(faces: Faces) -> int:
    """Dice of a throw that show a 1."""
    return faces.count(1)


@dataclass(frozen=True)
class Thunderstorm(PointGame):
    """Luck; a board has only the players who are still in, the next to throw first."""

    name = "thunderstorm"
    title = "Thunderstorm"
    source = "TACTIC rules for dice games"
    rules = (
        "The first player throws six dice. Dice that show a 1 are put aside, and the next player throws the others; "
        "once all six are aside the next player starts again with six. A throw without a 1 is a failure: it draws a "
        "line of the player's house, and the dice pass on as they are. Six lines finish the house; lightning strikes "
        "it at the seventh failure, and that player is out. The last player in wins."
    )
    kind = "seats"
    measure = "win"
    unit = "probability"
    words = TurnPhrases(
        bust="no 1 is a failure", lost="that it is a failure", counted="ones", no_more="a turn is one throw"
    )

    players: int = parameter(3, "players", low=3, high=8)
    house: int = parameter(6, "lines of a finished house; the next failure is the last", low=0, high=6, trial=True)

    @property
    def lightning(self) -> int:
        """The failure that puts a player out; on a board it marks empty places."""
        return self.house + 1

    def boards(self) -> Boards:
        """``ones`` are the dice put aside, ``failures`` those of the players still in, the mover's first."""
        return Boards(ones=DICE, failures=Standing(self.players, range(self.lightning)))

    def first_board(self) -> dict[str, Any]:
        """All dice, and no house has a line."""
        return {"ones": 0, "failures": (0,) * self.players}

    def roots(self) -> list[NodeKey]:
        """One throw of each number of dice, by the number put aside."""
        return [(DICE - ones,) for ones in range(DICE)]

    def root(self, board: Columns) -> Any:
        """The root by the dice put aside."""
        return board.ones

    def turn(self, dice: int) -> Node:
        """One throw; only its ones matter."""
        return chance_of(grouped(dice, ones_in), End)

    def standing(self, board: Columns) -> Any:
        """Players still in."""
        return np.count_nonzero(board.failures < self.lightning, axis=0)

    def transition(self, board: Columns, ones: int) -> Transition:
        """Ones are put aside, none is a failure; the others move up a place and the mover, if still in, comes last."""
        mine = board.failures[0] + (ones == 0)
        standing = self.standing(board)
        moved_up = [*board.failures[1:], self.lightning]
        return Transition(
            over=(mine == self.lightning) & (standing == 2),
            shares=[int(place == LEFT) for place in range(self.players)],
            next={
                "ones": (board.ones + ones) % DICE,
                "failures": [np.where(standing == place, mine, up) for place, up in enumerate(moved_up, start=1)],
            },
            mover=LEFT,
        )

    def level(self, board: Columns) -> Any:
        """Failures so far; an empty place counts all those of its last player."""
        return board.failures.sum(axis=0)

    # --- questions -------------------------------------------------------------------------------------------------

    def fields(self) -> list[Field]:
        """Failures by seat, the number of dice thrown, and the mover."""
        return [
            Numbers(
                "failures",
                "failures by seat, - for one who is out",
                0,
                self.house,
                self.players,
                out=True,
                drawn="pegs",
            ),
            Number("dice", "dice thrown next", 1, DICE),
            Number("mover", "the seat that throws next", 0, self.players - 1),
        ]

    def locate(self, failures: Sequence[int | None] | None = None, dice: int = DICE, mover: int = 0) -> Position:
        """The position of a question."""
        lines = [0] * self.players if failures is None else list(failures)
        still_in = [seat for seat, count in enumerate(lines) if count is not None]
        if len(still_in) == 1:
            raise StateError(over=f"the game is over: seat {still_in[0]} is the last one in and has won")
        if not still_in:
            raise StateError("failures has at least two seats that are still in, got none")
        if mover not in still_in:
            choice = " or ".join(map(str, still_in))
            raise StateError(f"the mover is a seat that is still in ({choice}), got {mover}")
        around = [*range(mover, self.players), *range(mover)]
        seats = tuple(seat for seat in around if seat in still_in)
        counts = [lines[seat] for seat in seats]
        board = {"ones": DICE - dice, "failures": (*counts, *[self.lightning] * (self.players - len(counts)))}
        return Position(board, (dice,), mover=mover, seats=seats)

    def describe(self, board: Mapping[str, Any], state: NodeKey) -> Iterable[dict[str, Any]]:
        """The fields of a position, the mover in seat 0 and those who are out in the last seats."""
        failures = tuple(None if count == self.lightning else count for count in board["failures"])
        yield {"failures": failures, "dice": DICE - board["ones"], "mover": 0}

    def after(
        self, fields: Mapping[str, Any], move: str, thrown: tuple[Faces, ...], ones: int | None
    ) -> dict[str, Any] | None:
        """A player who is out stays in the same seat, with no more failures."""
        if ones is None:
            return None
        failures, seat = list(fields["failures"]), fields["mover"]
        if ones == 0:
            failures[seat] = failures[seat] + 1 if failures[seat] < self.house else None
        while failures[seat := (seat + LEFT) % self.players] is None:
            pass
        return {"failures": tuple(failures), "mover": seat}

    # --- odds of a turn --------------------------------------------------------------------------------------------

    def hands(self, board: Mapping[str, Any], state: NodeKey) -> list[Hand]:
        """One to six dice."""
        return [Hand(dice, (dice,)) for dice in range(1, DICE + 1)]

    def points_in_hand(self, board: Mapping[str, Any], state: NodeKey) -> None:
        """None: a turn is one throw."""

    def result_points(self, board: Mapping[str, Any], ones: int) -> ResultPoints:
        """The ones put aside; a throw without one is a failure."""
        return ResultPoints(ones, bust=ones == 0)
