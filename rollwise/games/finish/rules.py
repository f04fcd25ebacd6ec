"""Finish: add your dice to the row from 1 to 6, pay if none fits, collect if yours is the 6; the last one in wins.

Number 13 of TACTIC's 21 dice games. Where players must place as many dice as fit, there is no choice; where the
roller chooses how many, two players play a duel and three a table.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, ClassVar, Literal

import numpy as np

from rollwise.games.seats import next_holder
from rollwise.solver.model.dice import Faces, roll, show
from rollwise.solver.model.duel_transition import TableForTwo
from rollwise.solver.model.errors import DiceError, ParameterError, StateError
from rollwise.solver.model.fields import Faces as FacesField, Field, Number, Numbers
from rollwise.solver.model.game import (
    Boards,
    Columns,
    Decision,
    End,
    Game,
    Goto,
    Node,
    NodeKey,
    Position,
    Transition,
    TurnGame,
    parameter,
)
from rollwise.solver.model.predecessors import is_reached_from
from rollwise.solver.model.spaces import Split

SPACES = 6  # of the row, and as many dice

NEW = -1  # the row of a new round: empty, and its opener has not rolled yet


def reached(faces: Faces, placed: int) -> int:
    """The length of the row once these dice are added to the numbers from 1 to ``placed``.

    >>> reached((1, 2, 3, 6, 6, 1), 0), reached((6, 2), 4)
    (3, 4)
    """
    while placed < SPACES and placed + 1 in faces:
        placed += 1
    return placed


def outcome(faces: Faces, row: int) -> str | int:
    """The effect of a roll: it ``wins`` the game, ``finishes`` the round, gives the row a new length, or ``pays``.

    >>> outcome((1, 2, 3, 4, 5, 6), NEW), outcome((1, 2, 3, 4, 5, 6), 0), outcome((4, 1, 3), 3), outcome((5,), 5)
    ('wins', 'finishes', 4, 'pays')
    """
    placed = max(row, 0)
    after = reached(faces, placed)
    return "pays" if after == placed else lengthened(row, after)


def lengthened(row: int, after: int) -> str | int:
    """The effect of a row that is made longer, up to the number ``after``.

    >>> lengthened(NEW, 6), lengthened(0, 6), lengthened(NEW, 3)
    ('wins', 'finishes', 3)
    """
    if after == SPACES:
        return "wins" if row == NEW else "finishes"
    return after


def _least_paid(chips: Any, row: Any) -> Any:
    """The fewest chips that can have been paid to the pot when players hold these.

    While all are in, a finished round takes one chip from each player but the finisher, who gains players - 1: the same
    number for all, modulo players. So, modulo players, each player's chips and payments add up to the same number. An
    opener who placed nothing has paid for the whole row, or is out.
    """
    players = len(chips)
    agreed = np.min([((together - chips) % players).sum(axis=0) for together in range(players)], axis=0)
    out = (chips == 0).any(axis=0)
    return np.maximum(np.where(out, 0, agreed), np.where(row == 0, np.where(out, 1, SPACES), 0))


@dataclass(frozen=True)
class Finish(TurnGame):
    """Luck; a board has the next player to roll first; a seat that is out holds no chips."""

    name = "finish"
    labels: ClassVar = {"placed": "Numbers in the row", "opened": "Has the opener rolled in this round?"}
    title = "Finish"
    source = "TACTIC rules for dice games"
    rules = (
        "Each player starts with 10 chips. The dice make a row from 1 to 6. Roll those that are not yet in it, all six "
        "at the start of a round, and add the next numbers of the row, as many as you have in order; the other dice go "
        "to the next player. If you can add nothing, you pay the pot one chip for each number still missing, and pass "
        "the dice on as they are. If you place the 6, you get one chip from every other player, and the next player "
        "opens a new round. Players without chips are out, and the last one in wins. An opener whose first roll is "
        "1-2-3-4-5-6 wins the game at once. With placing=free you say how many of the dice that fit are added, at "
        "least one: place 2 adds the next two numbers. Then two or three can play; otherwise three to five."
    )
    kind: ClassVar[Literal["seats", "duel", "table"]] = "seats"
    measure = "win"
    unit = "probability"
    fit: ClassVar[tuple[int, ...]] = (3, 4, 5)  # numbers of players

    players: int = parameter(3, "players", low=2, high=5)
    chips: int = parameter(10, "chips of each player at the start", low=1, high=10, trial=True)
    placing: str = parameter("forced", "free: the roller says how many dice are added", choices=("forced", "free"))

    @classmethod
    def of(cls, **parameters: Any) -> Game:
        """A game of luck, or a duel or a table of players who may add less than fits."""
        if parameters.get("placing") != "free":
            return Finish(**parameters)
        return (FinishFree if parameters.get("players") == 2 else FinishFreeTable)(**parameters)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.players not in self.fit:
            few, many = self.fit[0], self.fit[-1]
            are = f"{few} to {many}" if many > few + 1 else f"{few} or {many}"
            other = "free" if self.placing == "forced" else "forced"
            raise ParameterError(
                f"'finish' with placing={self.placing} is for {are} players, got {self.players}",
                hint=f"-p placing={other}",
                field="players",
            )

    @property
    def total_chips(self) -> int:
        """All chips there are, with the players and in the pot."""
        return self.players * self.chips

    def boards(self) -> Boards:
        """The row's length (``NEW``: the opener has not rolled), and all players' chips; the others are in the pot."""
        low = [1] + [0] * (self.players - 1)
        return Boards(row=range(NEW, SPACES), chips=Split(self.players, self.total_chips, low=low, at_most=True))

    def first_board(self) -> dict[str, Any]:
        """A new round, the pot is empty."""
        return {"row": NEW, "chips": (self.chips,) * self.players}

    def possible(self, board: Columns) -> Any:
        """Two are in, and the pot has what must have been paid."""
        standing = (board.chips > 0).sum(axis=0)
        return (standing > 1) & (self.level(board) >= _least_paid(board.chips, board.row))

    def reachable(self, board: Mapping[str, Any]) -> bool | None:
        """True if a chain of turns leads from the start to this board."""
        return is_reached_from((NEW, (self.chips,) * self.players), (board["row"], tuple(board["chips"])), self._before)

    def _before(self, board: tuple[int, tuple[int, ...]]) -> Iterator[tuple[int, tuple[int, ...]]]:
        """The boards from which one turn can have made this one.

        The last mover is the last place with chips, or one to its left that has just paid all of them.
        """
        row, chips = board
        last = max(seat for seat, number in enumerate(chips) if number)
        for seat in range(last, self.players):
            mine, *others = *chips[seat:], *chips[:seat]
            rows, options = [row or NEW, *[0] * (row == 0)], [[chips] for chips in others]
            if row == NEW:  # the row was finished: each player who was in has paid a chip
                rows, options = list(range(SPACES)), [[chips + 1] if chips else [0, 1] for chips in others]
            elif mine and row:
                yield from ((shorter, (mine, *others)) for shorter in range(NEW, row))
            for were in product(*options):
                paid = [-sum(map(bool, were))] if row == NEW else [SPACES - row] if mine else range(1, SPACES - row + 1)
                for then in [(mine + more, *were) for more in paid if mine + more > 0]:
                    least = _least_paid(np.array(then)[:, None], np.array(rows))
                    yield from ((old, then) for old, pot in zip(rows, least, strict=True) if pot <= self.pot(then))

    def pot(self, chips: Iterable[int]) -> int:
        """Chips in the pot when players hold these."""
        return self.total_chips - sum(chips)

    def roots(self) -> list[NodeKey]:
        """One roll for each length of the row."""
        return [(row,) for row in range(NEW, SPACES)]

    def root(self, board: Columns) -> Any:
        """The dice not in the row are rolled."""
        return board.row - NEW

    def turn(self, row: int) -> Node:
        """One roll."""
        return roll(SPACES - max(row, 0), lambda faces: End(outcome(faces, row)))

    def transition(self, board: Columns, result: str | int) -> Transition:
        """Chips are paid, if any, and the dice go to the next player who is still in."""
        mine, others = board.chips[0], board.chips[1:]
        if result == "wins":
            return Transition(over=True, shares=[1] + [0] * (self.players - 1))
        if result == "pays":
            row: Any = np.maximum(board.row, 0)
            chips = np.stack([np.maximum(mine - (SPACES - row), 0), *others])
        elif result == "finishes":
            row = NEW
            owed = others > 0
            chips = np.stack([mine + owed.sum(axis=0), *(others - owed)])
        else:
            row, chips = result, board.chips
        still_in = chips > 0
        following, steps = next_holder(chips)
        return Transition(
            over=still_in.sum(axis=0) == 1, shares=still_in, next={"row": row, "chips": following}, mover=steps
        )

    def level(self, board: Columns) -> Any:
        """Chips in the pot."""
        return self.total_chips - board.chips.sum(axis=0)

    # --- questions -------------------------------------------------------------------------------------------------

    def fields(self) -> list[Field]:
        """Chips by seat, the row, and the next to roll."""
        return [
            Numbers(
                "chips",
                "chips by seat, - for a seat that is out",
                0,
                self.total_chips,
                self.players,
                out=True,
                out_at=0,
            ),
            Number("placed", "numbers placed in the row so far", 0, SPACES - 1, drawn="track"),
            Number("opened", "1 once the opener of this round has rolled, also if nothing was placed", 0, 1),
            Number("mover", "the seat that rolls next", 0, self.players - 1, of="turn"),
        ]

    def locate(
        self, chips: Sequence[int | None] | None = None, placed: int = 0, opened: int | None = None, mover: int = 0
    ) -> Position:
        """The position of a question."""
        seat_chips = [number or 0 for number in chips] if chips is not None else [self.chips] * self.players
        self._check_standing(seat_chips, mover)
        if placed and opened == 0:
            raise StateError(f"with placed={placed} the opener of the round has rolled, got opened=0")
        row = placed if placed or opened else NEW
        pot, paid = self.pot(seat_chips), int(_least_paid(np.array(seat_chips), np.array(row)))
        if pot < paid:
            raise StateError(
                f"with these chips at least {paid} have been paid to the pot, which holds the other {pot} "
                f"of {self.total_chips}"
            )
        return Position({"row": row, "chips": (*seat_chips[mover:], *seat_chips[:mover])}, (row,), mover=mover)

    def _check_standing(self, seat_chips: Sequence[int], mover: int) -> None:
        """Raise StateError unless the game goes on and this seat can roll."""
        if sum(seat_chips) > self.total_chips:
            raise StateError(f"the game holds {self.total_chips} chips, got {sum(seat_chips)}")
        standing = [seat for seat, number in enumerate(seat_chips) if number]
        if not standing:
            raise StateError("the last one in wins with chips in hand, got no chips at all")
        if len(standing) == 1:
            raise StateError(over=f"the game is over, seat {standing[0]} is the last one in and won")
        if mover not in standing:
            raise StateError(f"mover is a seat that is still in ({', '.join(map(str, standing))}), got {mover}")

    def describe(self, board: Mapping[str, Any], state: NodeKey) -> Iterable[dict[str, Any]]:
        """The fields of a position, the mover in seat 0."""
        yield {
            "chips": tuple(number or None for number in board["chips"]),
            "placed": max(board["row"], 0),
            "opened": int(board["row"] != NEW),
            "mover": 0,
        }


class FinishChoice(Finish):
    """The roller chooses how many of the dice that fit are added to the row."""

    fit = (2, 3)
    by_seat = True

    def unsolved(self) -> Mapping[int, int]:
        """As many boards as without a choice."""
        return {players: Finish(players, self.chips).boards().size for players in (4, 5)}

    def turn(self, row: int, roll: Faces | None = None) -> Node:
        """Before the roll, or with a ``roll`` on the table of which something fits."""
        if roll is None:
            return Decision([("roll", self.throw(row))])
        placed = max(row, 0)
        most = reached(roll, placed) - placed
        return Decision((f"place {count}", End(lengthened(row, placed + count))) for count in range(most, 0, -1))

    def throw(self, row: int) -> Node:
        """Roll the dice that are not in the row; where none fits there is no choice."""
        return roll(
            SPACES - max(row, 0), lambda faces: End("pays") if outcome(faces, row) == "pays" else Goto(row, faces)
        )

    def fields(self) -> list[Field]:
        """Chips by seat, the row, the roller, and the dice once they are rolled."""
        return [*super().fields(), FacesField("roll", "the faces on the table now", 1, SPACES)]

    def ending_name(self, board: Mapping[str, Any], result: Any, marks: frozenset[str]) -> str:
        """The effect on the row."""
        return {"pays": "pays the pot", "finishes": "places the 6"}.get(result, "adds to the row")

    def locate(self, *args: Any, roll: Faces | None = None, **fields: Any) -> Position:
        """The position of a question."""
        position = super().locate(*args, **fields)
        if roll is None:
            return position
        placed = max(position.board["row"], 0)
        if len(roll) != SPACES - placed:
            problem = f"roll needs {SPACES - placed} faces with placed={placed}, got {len(roll)}: {show(roll)}"
            raise DiceError(problem, field="roll")
        if placed + 1 not in roll:
            problem = f"roll {show(roll)} has no {placed + 1} to add to the row"
            raise StateError(problem, over="the turn is over", field="roll")
        return replace(position, state=(*position.state, roll))

    def describe(self, board: Mapping[str, Any], state: NodeKey) -> Iterable[dict[str, Any]]:
        """The fields of a position, the mover in seat 0."""
        row, *roll = state
        for fields in super().describe(board, (row,)):
            yield {**fields, "roll": roll[0]} if roll else fields


@dataclass(frozen=True)
class FinishFree(TableForTwo, FinishChoice):
    """Duel; the value of a board is P(the player who rolls next wins)."""

    kind = "duel"


@dataclass(frozen=True)
class FinishFreeTable(FinishChoice):
    """A table of three; the value of a board is P(win) of each player, the next to roll first."""

    kind = "table"
