"""Martinetti: cross off 1 to 12 and 12 back to 1, in order, with the sums that three dice offer; the first to end wins.

Number 7 of TACTIC's 21 dice games. Where as many numbers as a roll offers must be crossed off, nobody ever chooses, and
no player's dice touch another's: the turns that one player needs are found alone and everything else follows from their
distribution. Where a player may stop short, two players play a duel, and more a table.
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
from rollwise.solver.model.errors import ParameterError, StateError
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
    Onward,
    Position,
    Transition,
    TurnGame,
    parameter,
)
from rollwise.solver.model.solution import Quantity
from rollwise.solver.model.two_seats import as_duel
from rollwise.solver.turn.graph import TurnGraph

DICE = 3
TOP = 12  # squares on the way up, and on the way down
SQUARES = 2 * TOP
MOST_PLAYERS = 8
PLACES = ("mine", "second", "third", "fourth")  # of those who may choose, from the mover to the left


def offered(faces: Faces) -> set[int]:
    """The numbers that a roll offers: every sum of one die or more.

    >>> sorted(offered((1, 1, 4)))
    [1, 2, 4, 5, 6]
    """
    return {sum(some) for count in range(1, len(faces) + 1) for some in combinations(faces, count)}


def needed(crossed: int) -> int:
    """The number to cross off next, with so many squares crossed off.

    >>> needed(0), needed(11), needed(12), needed(23)
    (1, 12, 12, 1)
    """
    return crossed + 1 if crossed < TOP else SQUARES - crossed


def crossed_after(crossed: int, faces: Faces) -> int:
    """How many squares are crossed off after a roll: all that it offers in a row, but never both of the twelves.

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
    """Luck; a board is how many squares one player has crossed off, and its value the turns still needed."""

    name = "martinetti"
    labels: ClassVar = {"positions": "Squares crossed off"}
    title = "Martinetti"
    source = "TACTIC rules for dice games"
    rules = (
        "Everybody has a row of squares, 1 to 12 and back from 12 to 1, to be crossed off in that order. Roll three "
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

    players: int = parameter(2, "players", low=2, high=MOST_PLAYERS)
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
        """What is crossed off stays so."""
        return board.crossed

    # --- questions -------------------------------------------------------------------------------------------------

    def fields(self) -> list[Field]:
        """How far everybody is, and who rolls."""
        return [
            Numbers("positions", "squares crossed off by seat, of 24", 0, SQUARES, self.players, drawn="track"),
            Number("mover", "the seat that rolls", 0, self.players - 1, of="turn"),
        ]

    def locate(self, positions: Sequence[int] | None = None, mover: int = 0) -> Position:
        """The position of a question; in the middle of a turn a position is what it is by then."""
        crossed = self._racing(positions)
        return Position({"crossed": crossed[mover]}, (crossed[mover],), mover=mover)

    def _racing(self, positions: Sequence[int] | None) -> Sequence[int]:
        """How far everybody is; raises StateError where somebody has finished."""
        crossed = self._crossed(positions)
        finished = [seat for seat, count in enumerate(crossed) if count == SQUARES]
        if len(finished) > 1:
            seats = ", ".join(map(str, finished))
            raise StateError(f"only one seat can cross off all {SQUARES} squares, got seats {seats}")
        if finished:
            raise StateError(over=f"the game is over: seat {finished[0]} has won")
        return crossed

    def describe(self, board: Mapping[str, int], state: NodeKey) -> Iterable[dict[str, Any]]:
        """How far the mover is, at the start of a turn, where nobody else has crossed off anything."""
        if state == (board["crossed"],):
            yield {"positions": (board["crossed"],) + (0,) * (self.players - 1), "mover": 0}

    def _crossed(self, positions: Sequence[int] | None) -> Sequence[int]:
        return positions or (0,) * self.players

    def onward(self, fields: Mapping[str, Any], thrown: Faces) -> Onward:
        """What the roll offers is crossed off; one that crosses off nothing, or reaches 12, ends the turn."""
        crossed, mover = [*self._crossed(fields.get("positions"))], fields.get("mover", 0)
        before, crossed[mover] = crossed[mover], crossed_after(crossed[mover], thrown)
        if crossed[mover] == SQUARES:
            return Onward(None, tuple(Fraction(seat == mover) for seat in range(self.players)))
        if crossed[mover] in (before, TOP):
            mover = (mover + 1) % self.players
        return Onward({"positions": tuple(crossed), "mover": mover}, (Fraction(0),) * self.players)

    # --- odds ------------------------------------------------------------------------------------------------------

    def quantities(self, graph: TurnGraph, given: Mapping[str, Any]) -> dict[str, Quantity]:
        """Who is the first to finish, how long that takes, and how many turns and rolls the mover needs."""
        crossed, mover = self._crossed(given.get("positions")), given.get("mover", 0)
        seats = [(mover + place) % self.players for place in range(self.players)]
        runners = runners_on(self, graph, [crossed[seat] for seat in seats])
        race = first_to_finish(runners)
        win = dict(zip(seats, race.chances, strict=True))
        rolls = mean_rolls(DICE, crossed_after, crossed[mover], SQUARES)
        return race_quantities("win", [win[seat] for seat in range(self.players)], race, runners[0], rolls)


class MartinettiChoice(Martinetti):
    """The player says how many squares are crossed off; a board is how far everybody is, the mover first.

    One roll is what other games call a turn: after it the same player may go on.
    """

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
        """Everybody may be anywhere."""
        return {players: SQUARES**players for players in range(len(PLACES) + 1, MOST_PLAYERS + 1)}

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
            place: np.where(passes, getattr(board, left), getattr(board, place)) for place, left in pairwise(places[1:])
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
        """What is crossed off stays so."""
        return sum(getattr(board, place) for place in PLACES[: self.players])

    def ending_name(self, board: Mapping[str, Any], crossed: int, seen: frozenset[str]) -> str:
        """Does the turn go on?"""
        if crossed == board["mine"]:
            return "crosses off nothing"
        return "crosses off the 12" if crossed == TOP else "crosses off and goes on"

    # --- questions -------------------------------------------------------------------------------------------------

    def fields(self) -> list[Field]:
        """How far both are, who moves, and the dice once they are thrown."""
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
        """The mover in seat 0."""
        fields = {"positions": tuple(board.values()), "mover": 0}
        yield {**fields, "roll": state[1]} if state[1:] else fields

    def quantities(self, graph: TurnGraph, given: Mapping[str, Any]) -> dict[str, Quantity]:
        """Nothing beside the value: how long a race takes depends on what both do."""
        return {}


@dataclass(frozen=True)
class MartinettiFree(MartinettiChoice):
    """Duel; the value of a board is P(the player to move wins)."""

    kind = "duel"

    def transition(self, board: Columns, crossed: int) -> Transition:
        """As at a table of two."""
        return as_duel(super().transition(board, crossed))


@dataclass(frozen=True)
class MartinettiFreeTable(MartinettiChoice):
    """A table of three or more; a board is worth P(win) of each, the player to move first."""

    kind = "table"
