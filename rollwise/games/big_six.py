"""Big Six: put a chip on the space you roll, or take the one that lies there; the first without chips wins.

Number 1 of TACTIC's 21 dice games. Nobody ever chooses.

The five spaces that give chips back are alike, so a board remembers only how many of them are occupied. And every roll
changes the mover's chips by one, so players who have rolled equally often all hold an odd number or all an even one:
that rules out most of the ways in which six players could hold chips.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rollwise.solver.model.backwards import comes_from
from rollwise.solver.model.dice import Faces, roll
from rollwise.solver.model.errors import StateError
from rollwise.solver.model.fields import Field, Number, Numbers
from rollwise.solver.model.game import Boards, Columns, End, Node, NodeKey, Position, Transition, TurnGame, parameter
from rollwise.solver.model.spaces import Split

SPACES = 5  # those that hold one chip each; space 6 takes any number for good
LEFT = 1  # the die always passes to the next player on the left
ON_THE_BOARD = {"put": 1, "take": -1, "out": 0}  # what a roll adds to the occupied spaces


def move(faces: Faces, occupied: int) -> str:
    """What a roll does when the first ``occupied`` of the five spaces hold a chip.

    >>> move((2,), 2), move((3,), 2), move((6,), 2)
    ('take', 'put', 'out')
    """
    (face,) = faces
    if face > SPACES:
        return "out"
    return "take" if face <= occupied else "put"


def _agree(chips: Any) -> Any:
    """Whether players who have rolled equally often hold chips that are all odd or all even.

    From the mover to the left come those who have rolled as often as the mover, then those who have rolled once more.
    """
    return ((chips[1:] + chips[:-1]) % 2).sum(axis=0) <= 1


@dataclass(frozen=True)
class BigSix(TurnGame):
    """Luck; a board is seen from the player who rolls next, who stands first."""

    name = "big-six"
    labels: ClassVar = {"board": "Spaces taken"}
    title = "Big Six"
    source = "TACTIC rules for dice games"
    rules = (
        "Everybody starts with 5 chips, and the board has spaces 1 to 6. Roll one die: if the space of that number is "
        "empty, put one of your chips there; if a chip lies there, take it. Space 6 is different: whoever rolls a 6 "
        "puts a chip there however many lie there already, and those chips never come back. The first player without "
        "chips wins at once."
    )
    kind = "seats"
    measure = "win"
    unit = "probability"

    players: int = parameter(2, "players", low=2, high=6)
    chips: int = parameter(5, "chips of each player at the start", low=1, high=5, trial=True)

    @property
    def seats(self) -> int:
        """Every player can win."""
        return self.players

    @property
    def total_chips(self) -> int:
        """All chips there are at the start."""
        return self.players * self.chips

    def boards(self) -> Boards:
        """How many of the five spaces are occupied, and everybody's chips; the others lie on space 6."""
        chips = Split(self.players, self.total_chips, low=1, at_most=True)
        return Boards(occupied=range(0, SPACES + 1), chips=chips)

    def first_board(self) -> dict[str, Any]:
        """Nobody has rolled."""
        return {"occupied": 0, "chips": (self.chips,) * self.players}

    def possible(self, board: Columns) -> Any:
        """There are no more chips than the game began with, and those who have rolled equally often agree."""
        return (self.level(board) >= 0) & _agree(board.chips)

    def reachable(self, board: Mapping[str, Any]) -> bool | None:
        """By the rolls that can have led there."""
        return comes_from((0, (self.chips,) * self.players), (board["occupied"], tuple(board["chips"])), self._before)

    def _before(self, board: tuple[int, tuple[int, ...]]) -> Iterator[tuple[int, tuple[int, ...]]]:
        """The boards of which a roll of the player who now stands last has made this one."""
        occupied, (*others, mine) = board
        for moved, more in ON_THE_BOARD.items():
            before, had = occupied - more, mine + (-1 if moved == "take" else 1)
            if 0 <= before <= SPACES and had and before + had + sum(others) <= self.total_chips:
                yield before, (had, *others)

    def roots(self) -> list[NodeKey]:
        """One roll for each number of occupied spaces."""
        return [(occupied,) for occupied in range(SPACES + 1)]

    def root(self, board: Columns) -> Any:
        """What a roll does depends on how many spaces are occupied."""
        return board.occupied

    def turn(self, occupied: int) -> Node:
        """One roll."""
        return roll(1, lambda faces: End(move(faces, occupied)))

    def transition(self, board: Columns, moved: str) -> Transition:
        """A chip changes its place; a player without chips has won."""
        mine = board.chips[0] + (1 if moved == "take" else -1)
        return Transition(
            over=mine == 0,
            shares=[1] + [0] * (self.players - 1),
            next={"occupied": board.occupied + ON_THE_BOARD[moved], "chips": [*board.chips[1:], mine]},
            mover=LEFT,
        )

    def level(self, board: Columns) -> Any:
        """Chips on space 6."""
        return self.total_chips - board.occupied - board.chips.sum(axis=0)

    # --- questions -------------------------------------------------------------------------------------------------

    def fields(self) -> list[Field]:
        """Chips by seat, the occupied spaces, who rolls next."""
        return [
            Numbers("chips", "chips by seat", 0, self.total_chips, self.players),
            Numbers("board", "occupied spaces, without space 6", 1, SPACES, from_to=True, drawn="tiles"),
            Number("mover", "the seat that rolls next", 0, self.players - 1),
        ]

    def locate(self, chips: Sequence[int] | None = None, board: Sequence[int] = (), mover: int = 0) -> Position:
        """The position of a question; which spaces are occupied makes no difference, only how many."""
        held = list(chips) if chips is not None else [self.chips] * self.players
        if 0 in held:
            raise StateError(over=f"the game is over, seat {held.index(0)} has no chips left and won")
        if sum(held) + len(board) > self.total_chips:
            raise StateError(
                f"the game holds {self.total_chips} chips, got {sum(held)} in hand and {len(board)} on the board"
            )
        seen = (*held[mover:], *held[:mover])
        if not _agree(np.array(seen)):
            raise StateError(
                "each roll changes one player's chips by one, so from the mover to the left they turn from "
                f"odd to even, or back, at most once, got {','.join(map(str, seen))} from the mover on"
            )
        return Position({"occupied": len(board), "chips": seen}, (len(board),), mover=mover)

    def describe(self, board: Mapping[str, Any], state: NodeKey) -> Iterable[dict[str, Any]]:
        """The mover in seat 0, the first spaces occupied."""
        yield {"chips": board["chips"], "board": tuple(range(1, board["occupied"] + 1)), "mover": 0}

    def lies(self, fields: Mapping[str, Any], thrown: tuple[Faces, ...]) -> tuple[Faces, ...]:
        """A turn takes the first spaces to be the occupied ones: here these are those that are, then the others."""
        occupied = sorted(fields["board"])
        spaces = [*occupied, *(space for space in range(1, SPACES + 1) if space not in occupied), SPACES + 1]
        return tuple(tuple(spaces[face - 1] for face in faces) for faces in thrown)

    def after(
        self, fields: Mapping[str, Any], move: str, thrown: tuple[Faces, ...], moved: str | None
    ) -> dict[str, Any]:
        """The very spaces that are occupied."""
        ((space,),) = thrown
        return {"board": tuple(sorted({*fields["board"]} ^ {space} - {SPACES + 1}))}
