"""Martinetti: cross off 1 to 12 and 12 back to 1, in order, with the sums that three dice offer; the first to end wins.

Number 7 of TACTIC's 21 dice games. Where players must cross off as many numbers as a roll offers, there is no choice,
and no player's dice affect another: the distribution of the turns that one player needs settles everything else.
Where a player may stop short, two players play a duel, and more a table.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, pairwise
from typing import Any, ClassVar, Literal

import numpy as np

from rollwise.solver.markov_chains.independent import first_to_finish, mean_rolls, race_quantities, runners_on
from rollwise.solver.model.dice import Faces, roll, show
from rollwise.solver.model.duel_transition import TableForTwo
from rollwise.solver.model.errors import ParameterError, StateError
from rollwise.solver.model.fields import Faces as FacesField, Field, Number, Numbers
from rollwise.solver.model.game import (
    Boards,
    Columns,
    Decision,
    End,
    Game,
    Goto,
    LuckTransition,
    Node,
    NodeKey,
    Position,
    Transition,
    TurnGame,
    parameter,
)
from rollwise.solver.model.solution import Quantity
from rollwise.solver.turn.graph import TurnGraph

DICE = 3
TOP = 12  # squares on the way up, and on the way down
SQUARES = 2 * TOP
MAX_PLAYERS = 8
PLACES = ("mine", "second", "third", "fourth")  # where players choose, from the mover to the left


def offered(faces: Faces) -> set[int]:
    """The numbers that a roll offers: every sum of one die or more.

    >>> sorted(offered((1, 1, 4)))
    [1, 2, 4, 5, 6]
    """
    return {sum(some) for count in range(1, len(faces) + 1) for some in combinations(faces, count)}


def needed(crossed: int) -> int:
    """The next number to cross off, with so many squares crossed off.

    >>> needed(0), needed(11), needed(12), needed(23)
    (1, 12, 12, 1)
    """
    return crossed + 1 if crossed < TOP else SQUARES - crossed


def crossed_after(crossed: int, faces: Faces) -> int:
    """The squares crossed off after a roll: all that it offers in a row, but never both of the twelves.

    >>> crossed_after(0, (1, 2, 4)), crossed_after(11, (6, 6, 6))
    (7, 12)
    """
    numbers = offered(faces)
    end = TOP if crossed < TOP else SQUARES
    while crossed < end and needed(crossed) in numbers:
        crossed += 1
    return crossed


@dataclass(frozen=True)
class Martinetti(TurnGame):
    """Luck; a board is one player's number of crossed squares, and its value the expected turns still needed."""

    name = "martinetti"
    labels: ClassVar = {"positions": "Squares crossed off"}
    title = "Martinetti"
    source = "TACTIC rules for dice games"
    rules = (
        "Each player has a row of squares, 1 to 12 and back from 12 to 1, to be crossed off in that order. Roll three "
        "dice: they offer the number of each die, and the sums of any two and of all three. Cross off the next number "
        "if it is offered, then the one after it, and so on for as long as this same roll offers it; a die may be used "
        "for several of them. Roll again for as long as each roll crosses off at least one number; a roll that crosses "
        "off none ends the turn. So does reaching 12 on the way up: the second 12 waits for the next turn. The first "
        "to cross off the last 1 wins. With crossing=free you may stop short of what the roll offers, but cross off at "
        "least one: cross 4 crosses off the next four."
    )
    kind: ClassVar[Literal["alone", "duel", "table"]] = "alone"
    measure: ClassVar[Literal["turns", "win"]] = "turns"
    unit: ClassVar[Literal["turns", "probability"]] = "turns"
    sense: ClassVar[Literal["min", "max"]] = "min"
    total: ClassVar[int] = 0

    players: int = parameter(2, "players", low=2, high=MAX_PLAYERS)
    crossing: str = parameter("forced", "free: the player may stop short", choices=("forced", "free"))

    @classmethod
    def of(cls, **parameters: Any) -> Game:
        """A race of luck, or a duel or a table of players who may stop short."""
        if parameters.get("crossing") != "free":
            return Martinetti(**parameters)
        return (MartinettiFree if parameters.get("players", 2) == 2 else MartinettiFreeTable)(**parameters)

    def boards(self) -> Boards:
        """Squares that one player has crossed off."""
        return Boards(crossed=range(SQUARES))

    def roots(self) -> list[NodeKey]:
        """A turn from each square."""
        return [(crossed,) for crossed in range(SQUARES)]

    def root(self, board: Columns) -> Any:
        """Squares crossed off before the turn."""
        return board.crossed

    def turn(self, crossed: int) -> Node:
        """Roll on while numbers are crossed off."""

        def after(faces: Faces) -> Node:
            reached = crossed_after(crossed, faces)
            return End(reached) if reached in (crossed, TOP, SQUARES) else Goto(reached)

        return roll(DICE, after)

    def transition(self, board: Columns, crossed: int) -> Transition:
        """One turn more; with all squares crossed off the player has finished."""
        return Transition(over=crossed == SQUARES, next={"crossed": crossed}, reward=1)

    def level(self, board: Columns) -> Any:
        """The crossed squares: they stay crossed."""
        return board.crossed

    # --- questions -------------------------------------------------------------------------------------------------

    def fields(self) -> list[Field]:
        """Squares crossed off by seat, and the seat that rolls."""
        return [
            Numbers("positions", "squares crossed off by seat, of 24", 0, SQUARES, self.players, drawn="track"),
            Number("mover", "the seat that rolls", 0, self.players - 1, of="turn"),
        ]

    def locate(self, positions: Sequence[int] | None = None, mover: int = 0) -> Position:
        """The position of a question; in the middle of a turn, ``positions`` are those so far."""
        crossed = self._racing(positions)
        return Position({"crossed": crossed[mover]}, (crossed[mover],), mover=mover)

    def _racing(self, positions: Sequence[int] | None) -> Sequence[int]:
        """Squares crossed off by seat; raises StateError where a seat has finished."""
        crossed = self._crossed(positions)
        finished = [seat for seat, count in enumerate(crossed) if count == SQUARES]
        if len(finished) > 1:
            seats = ", ".join(map(str, finished))
            raise StateError(f"only one seat can cross off all {SQUARES} squares, got seats {seats}")
        if finished:
            raise StateError(over=f"the game is over: seat {finished[0]} has won")
        return crossed

    def describe(self, board: Mapping[str, int], state: NodeKey) -> Iterable[dict[str, Any]]:
        """The mover's squares, at the start of a turn, with none crossed off by the others."""
        if state == (board["crossed"],):
            yield {"positions": (board["crossed"],) + (0,) * (self.players - 1), "mover": 0}

    def _crossed(self, positions: Sequence[int] | None) -> Sequence[int]:
        return positions or (0,) * self.players

    def onward(self, fields: Mapping[str, Any], thrown: Faces) -> LuckTransition:
        """The roll's numbers are crossed off; a roll that crosses off none, or reaches 12, ends the turn."""
        crossed, mover = [*self._crossed(fields.get("positions"))], fields.get("mover", 0)
        before, crossed[mover] = crossed[mover], crossed_after(crossed[mover], thrown)
        if crossed[mover] == SQUARES:
            return LuckTransition(None, tuple(Fraction(seat == mover) for seat in range(self.players)))
        if crossed[mover] in (before, TOP):
            mover = (mover + 1) % self.players
        return LuckTransition({"positions": tuple(crossed), "mover": mover}, (Fraction(0),) * self.players)

    # --- odds ------------------------------------------------------------------------------------------------------

    def quantities(self, graph: TurnGraph, fields: Mapping[str, Any]) -> dict[str, Quantity]:
        """Each seat's chance to finish first, the length of the race, and the mover's turns and rolls."""
        crossed, mover = self._crossed(fields.get("positions")), fields.get("mover", 0)
        seats = [(mover + place) % self.players for place in range(self.players)]
        runners = runners_on(self, graph, [crossed[seat] for seat in seats])
        race = first_to_finish(runners)
        win = dict(zip(seats, race.chances, strict=True))
        rolls = mean_rolls(DICE, crossed_after, crossed[mover], SQUARES)
        return race_quantities("win", [win[seat] for seat in range(self.players)], race, runners[0], rolls)


class MartinettiChoice(Martinetti):
    """A choice of squares to cross off, one roll a turn; a board has all players' squares, the mover first."""

    measure = "win"
    unit = "probability"
    sense = "max"
    total = 1
    by_seat = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.players > len(PLACES):
            raise ParameterError(
                f"'martinetti' with crossing=free is for 2 to {len(PLACES)} players, got {self.players}",
                hint="-p crossing=forced",
                field="players",
            )

    def unsolved(self) -> Mapping[int, int]:
        """Each player may be on any square."""
        return {players: SQUARES**players for players in range(len(PLACES) + 1, MAX_PLAYERS + 1)}

    def boards(self) -> Boards:
        """Squares crossed off by place, from the mover to the left."""
        return Boards(**dict.fromkeys(PLACES[: self.players], SQUARES))

    def root(self, board: Columns) -> Any:
        """Squares crossed off before the roll."""
        return board.mine

    def turn(self, crossed: int, roll: Faces | None = None) -> Node:
        """Before a throw, or with a ``roll`` on the table that offers the next number."""
        if roll is None:
            return Decision([("roll", self.throw(crossed))])
        most = crossed_after(crossed, roll) - crossed
        return Decision((f"cross {count}", End(crossed + count)) for count in range(most, 0, -1))

    def throw(self, crossed: int) -> Node:
        """Throw the dice; a roll that does not offer the next number crosses off nothing."""
        return roll(
            DICE, lambda faces: Goto(crossed, faces) if crossed_after(crossed, faces) > crossed else End(crossed)
        )

    def transition(self, board: Columns, crossed: int) -> Transition:
        """The turn goes on, unless nothing was crossed off, or the twelve on the way up, or the last square."""
        places = PLACES[: self.players]
        passes = (board.mine == crossed) | (crossed == TOP)
        others = {
            place: np.where(passes, getattr(board, after), getattr(board, place))
            for place, after in pairwise(places[1:])
        }
        return Transition(
            over=crossed == SQUARES,
            shares=[1, *[0] * (self.players - 1)],
            next={
                "mine": np.where(passes, board.second, crossed),
                **others,
                places[-1]: np.where(passes, crossed, getattr(board, places[-1])),
            },
            mover=passes * 1,
        )

    def level(self, board: Columns) -> Any:
        """All crossed squares: they stay crossed."""
        return sum(getattr(board, place) for place in PLACES[: self.players])

    def ending_name(self, board: Mapping[str, Any], crossed: int, marks: frozenset[str]) -> str:
        """The roll's effect: nothing, the 12, or one more roll."""
        if crossed == board["mine"]:
            return "crosses off nothing"
        return "crosses off the 12" if crossed == TOP else "crosses off and goes on"

    # --- questions -------------------------------------------------------------------------------------------------

    def fields(self) -> list[Field]:
        """Squares crossed off by seat, the mover, and the dice once they are thrown."""
        return [*super().fields(), FacesField("roll", "the faces on the table now", DICE, DICE)]

    def locate(self, positions: Sequence[int] | None = None, mover: int = 0, roll: Faces | None = None) -> Position:
        """The position of a question."""
        crossed = self._racing(positions)
        mine = crossed[mover]
        if roll is not None and needed(mine) not in offered(roll):
            raise StateError(
                f"roll {show(roll)} offers no {needed(mine)}, the next number of positions={mine}",
                over="the turn is over",
                field="roll",
            )
        board = dict(zip(PLACES, [*crossed[mover:], *crossed[:mover]], strict=False))
        return Position(board, (mine,) if roll is None else (mine, roll), mover=mover)

    def describe(self, board: Mapping[str, int], state: NodeKey) -> Iterable[dict[str, Any]]:
        """The fields of a position, the mover in seat 0."""
        fields = {"positions": tuple(board.values()), "mover": 0}
        yield {**fields, "roll": state[1]} if state[1:] else fields

    def quantities(self, graph: TurnGraph, fields: Mapping[str, Any]) -> dict[str, Quantity]:
        """None beside the value: the length of a race depends on every player's choices."""
        return {}


@dataclass(frozen=True)
class MartinettiFree(TableForTwo, MartinettiChoice):
    """Duel; the value of a board is P(the player to move wins)."""

    kind = "duel"


@dataclass(frozen=True)
class MartinettiFreeTable(MartinettiChoice):
    """A table of three or more; the value of a board is P(win) of each player, the mover first."""

    kind = "table"
