"""Big Six: put a chip on the space you roll, or take the one that lies there; the first without chips wins.

Number 1 of TACTIC's 21 dice games. There is no choice.

The five spaces that give chips back are alike, so a board has only the number of them that are occupied. Every roll
changes the mover's chips by one, so players who have rolled equally often all hold an odd number or all an even one:
that rules out most distributions of chips over six players.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rollwise.solver.model.dice import Faces, roll
from rollwise.solver.model.errors import StateError
from rollwise.solver.model.fields import Field, Number, Numbers
from rollwise.solver.model.game import Boards, Columns, End, Node, NodeKey, Position, Transition, TurnGame, parameter
from rollwise.solver.model.predecessors import is_reached_from
from rollwise.solver.model.spaces import Split

SPACES = 5  # those that hold one chip each; space 6 takes any number for good
LEFT = 1  # the die always passes to the next player on the left
ON_THE_BOARD = {"put": 1, "take": -1, "out": 0}  # what a roll adds to the occupied spaces


def move(faces: Faces, occupied: int) -> str:
    """The effect of a roll when the first ``occupied`` of the five spaces hold a chip.

    >>> move((2,), 2), move((3,), 2), move((6,), 2)
    ('take', 'put', 'out')
    """
    (face,) = faces
    if face > SPACES:
        return "out"
    return "take" if face <= occupied else "put"


def _agree(chips: Any) -> Any:
    """True where players who have rolled equally often hold chips that are all odd or all even.

    From the mover to the left come those who have rolled as often as the mover, then those who have rolled once more.
    """
    return ((chips[1:] + chips[:-1]) % 2).sum(axis=0) <= 1


@dataclass(frozen=True)
class BigSix(TurnGame):
    """Luck; a board has the next player to roll first."""

    name = "big-six"
    labels: ClassVar = {"board": "Spaces taken"}
    title = "Big Six"
    source = "TACTIC rules for dice games"
    rules = (
        "Each player starts with 5 chips, and the board has spaces 1 to 6. Roll one die: if the space of that number "
        "is empty, put one of your chips there; if a chip lies there, take it. Space 6 is different: whoever rolls a 6 "
        "puts a chip there however many lie there already, and those chips never come back. The first player without "
        "chips wins at once."
    )
    kind = "seats"
    measure = "win"
    unit = "probability"

    players: int = parameter(2, "players", low=2, high=6)
    chips: int = parameter(5, "chips of each player at the start", low=1, high=5, trial=True)

    @property
    def total_chips(self) -> int:
        """All chips there are at the start."""
        return self.players * self.chips

    def boards(self) -> Boards:
        """The number of occupied spaces of the five, and each player's chips; the others lie on space 6."""
        chips = Split(self.players, self.total_chips, low=1, at_most=True)
        return Boards(occupied=range(0, SPACES + 1), chips=chips)

    def first_board(self) -> dict[str, Any]:
        """All chips in hand."""
        return {"occupied": 0, "chips": (self.chips,) * self.players}

    def possible(self, board: Columns) -> Any:
        """No more chips than at the start, and players who have rolled equally often agree."""
        return (self.level(board) >= 0) & _agree(board.chips)

    def reachable(self, board: Mapping[str, Any]) -> bool | None:
        """True if a chain of rolls leads from the start to this board."""
        return is_reached_from(
            (0, (self.chips,) * self.players), (board["occupied"], tuple(board["chips"])), self._before
        )

    def _before(self, board: tuple[int, tuple[int, ...]]) -> Iterator[tuple[int, tuple[int, ...]]]:
        """The boards that a roll of the player now in the last place can have turned into this one."""
        occupied, (*others, mine) = board
        for moved, more in ON_THE_BOARD.items():
            before, mine_before = occupied - more, mine + (-1 if moved == "take" else 1)
            if 0 <= before <= SPACES and mine_before and before + mine_before + sum(others) <= self.total_chips:
                yield before, (mine_before, *others)

    def roots(self) -> list[NodeKey]:
        """One roll for each number of occupied spaces."""
        return [(occupied,) for occupied in range(SPACES + 1)]

    def root(self, board: Columns) -> Any:
        """The root by the number of occupied spaces."""
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
        """Chips by seat, the occupied spaces, and the next to roll."""
        return [
            Numbers("chips", "chips by seat", 0, self.total_chips, self.players),
            Numbers("board", "occupied spaces, without space 6", 1, SPACES, from_to=True, drawn="tiles"),
            Number("mover", "the seat that rolls next", 0, self.players - 1),
        ]

    def locate(self, chips: Sequence[int] | None = None, board: Sequence[int] = (), mover: int = 0) -> Position:
        """The position of a question; of the occupied spaces only their number matters."""
        seat_chips = list(chips) if chips is not None else [self.chips] * self.players
        if 0 in seat_chips:
            raise StateError(over=f"the game is over, seat {seat_chips.index(0)} has no chips left and won")
        if sum(seat_chips) + len(board) > self.total_chips:
            raise StateError(
                f"the game holds {self.total_chips} chips, got {sum(seat_chips)} in hand and {len(board)} on the board"
            )
        from_mover = (*seat_chips[mover:], *seat_chips[:mover])
        if not _agree(np.array(from_mover)):
            raise StateError(
                "each roll changes one player's chips by one, so from the mover to the left they turn from "
                f"odd to even, or back, at most once, got {','.join(map(str, from_mover))} from the mover on"
            )
        return Position({"occupied": len(board), "chips": from_mover}, (len(board),), mover=mover)

    def describe(self, board: Mapping[str, Any], state: NodeKey) -> Iterable[dict[str, Any]]:
        """The fields of a position, the mover in seat 0, the first spaces occupied."""
        yield {"chips": board["chips"], "board": tuple(range(1, board["occupied"] + 1)), "mover": 0}

    def lies(self, fields: Mapping[str, Any], thrown: tuple[Faces, ...]) -> tuple[Faces, ...]:
        """A turn occupies the first spaces: here these are the occupied ones, then the others."""
        occupied = sorted(fields["board"])
        spaces = [*occupied, *(space for space in range(1, SPACES + 1) if space not in occupied), SPACES + 1]
        return tuple(tuple(spaces[face - 1] for face in faces) for faces in thrown)

    def after(
        self, fields: Mapping[str, Any], move: str, thrown: tuple[Faces, ...], moved: str | None
    ) -> dict[str, Any]:
        """The spaces that are actually occupied."""
        ((space,),) = thrown
        return {"board": tuple(sorted({*fields["board"]} ^ {space} - {SPACES + 1}))}
