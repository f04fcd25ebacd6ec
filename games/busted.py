"""Busted: what you roll goes on the board, unless chips lie there to be taken; the last player with chips wins.

Number 4 of TACTIC's 21 dice games, for two players and for three.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import comb
from typing import Any, ClassVar, Literal

import numpy as np

from rollwise.games.busted_boards import JAIL, NOTHING, PARTS, ROW, SMALL, SPACES, AllChips, filled_in_part
from rollwise.games.seats import next_holder
from rollwise.solver.game.dice import Faces, roll
from rollwise.solver.game.errors import StateError
from rollwise.solver.game.fields import Field, Number, Numbers, Pairs, YesNo
from rollwise.solver.game.model import (
    Boards,
    Choice,
    Columns,
    End,
    Game,
    Go,
    Position,
    Settled,
    State,
    TurnGame,
    Word,
    parameter,
)
from rollwise.solver.game.two_seats import as_duel

DICE = 2
LUCKY = (2, 12)  # sums that take all chips on the board
MOST_PLAYERS = 10  # that the rules allow; two and three are solved
# What a turn comes to, each with a space: the roll is passed on, or made again, once the chips of the roll are put on
# their space or taken from it; after the whole board was taken, they are put on one space, or on all.
PASS, AGAIN, SWEEP, FILL = "pass", "again", "sweep", "fill"
EVERY = 0  # in place of the space: all of them


@dataclass(frozen=True)
class Busted(TurnGame):
    """Table; a board is seen from the player who rolls next, who stands first; a seat that is out holds no chips."""

    name = "busted"
    title = "Busted"
    source = "004_cc367fea0fd9d5c8.txt"
    rules = (
        "Everybody starts with 25 chips, and the board has spaces from 3 to 11. Roll two dice. If chips lie on the "
        "space of the sum, take them; then roll again or pass the dice on. If none do, put as many chips there as its "
        "number says, and your turn is over. Only space 7 is never taken: a 7 always costs seven chips, on top of what "
        "lies there. A 2 or 12 takes all chips on the board, those on 7 too, and you roll once more: put the chips "
        "of that sum on its space, or, with another 2 or 12, fill every space from 3 on as far as your chips go. That "
        "ends your turn. If you have too few chips for a space, put down what you have. Without chips you are out, and "
        "your chips stay on the board, where they can be taken like others. The last player in wins."
    )
    kind: ClassVar[Literal["duel", "table"]] = "table"
    measure = "win"
    unit = "probability"

    players: int = parameter(3, "how many play", choices=(3, 2))
    chips: int = parameter(25, "chips of each player at the start", low=25, high=30)
    fewer: int = parameter(0, "so few chips at the start; 0: as many as chips says", low=0, high=24, trial=True)

    @classmethod
    def of(cls, **parameters: Any) -> Game:
        """The duel, or the table of three."""
        return (BustedDuel if parameters.get("players") == 2 else Busted)(**parameters)

    def unsolved(self) -> Mapping[int, int]:
        """Boards on which nobody is out: chips in hand, the spaces filled, and what is left of them on space 7."""
        found = {}
        for players in range(4, MOST_PLAYERS + 1):
            filled = [sum(s for bit, s in enumerate(SMALL) if mask >> bit & 1) for mask in range(1 << len(SMALL))]
            held = [number for on in filled for number in range(players * self.each - on, players - 1, -JAIL)]
            found[players] = sum(comb(number - 1, players - 1) for number in held)
        return found

    # --- one turn ----------------------------------------------------------------------------------------------------

    def turn(self, thrown: int = 0) -> Word:
        """Before the roll, or once its sum is known: chips on that space may be taken, and the roll made again."""
        if thrown:
            return Choice([("pass", End((PASS, thrown))), ("roll", End((AGAIN, thrown)))])
        return roll(DICE, self.rolled)

    def rolled(self, faces: Faces) -> Word:
        """What a roll leads to."""
        thrown = sum(faces)
        if thrown in LUCKY:
            return roll(DICE, self.swept)
        return End((PASS, JAIL)) if thrown == JAIL else Go(thrown)

    def swept(self, faces: Faces) -> Word:
        """The roll after all chips on the board were taken."""
        thrown = sum(faces)
        return End((FILL, EVERY)) if thrown in LUCKY else End((SWEEP, thrown))

    # --- the boards --------------------------------------------------------------------------------------------------

    @property
    def each(self) -> int:
        """Chips that everybody starts with."""
        return self.fewer or self.chips

    @property
    def total_chips(self) -> int:
        """All chips; none ever leaves the game."""
        return self.players * self.each

    @cached_property
    def space(self) -> AllChips:
        """Where all chips can be."""
        return AllChips(self.players, self.total_chips)

    def boards(self) -> Boards:
        """All chips: what players hold by place, then what lies on the spaces from 3 to 11."""
        return Boards(chips=self.space)

    def first_board(self) -> dict[str, Any]:
        """Nothing lies on the board."""
        return {"chips": (self.each,) * self.players + (0,) * len(SPACES)}

    def settle(self, board: Columns, result: tuple[str, int]) -> Settled:
        """Chips are taken or put down; whoever has none left is out, and the dice pass to the next who is in."""
        what, thrown = result
        mine, others = board.chips[0], board.chips[1 : self.players]
        lies = list(board.chips[self.players :])
        legal: Any = True
        if what in (SWEEP, FILL):
            mine = mine + sum(lies)
            lies = [np.zeros_like(mine) for _ in lies]
        for space in SPACES if thrown == EVERY else (thrown,):
            there = lies[ROW[space]]
            takes = (there > 0) & (space != JAIL)
            paid = np.where(takes, -there, np.minimum(space, mine))
            mine, lies[ROW[space]] = mine - paid, there + paid
            if what == AGAIN:
                legal = takes
        held = np.stack([mine, *others])
        if what == AGAIN:
            return Settled(legal=legal, next={"chips": [*held, *lies]})
        still_in = held > 0
        following, left = next_holder(held)
        return Settled(over=still_in.sum(axis=0) == 1, shares=still_in, next={"chips": [*following, *lies]}, mover=left)

    def level(self, board: Columns) -> Any:
        """All are in; one is out, with a space filled in part for each way to do so; no space is so any more."""
        out = (board.chips[: self.players] == 0).any(axis=0)
        part = filled_in_part(board.chips[self.players :])
        return np.where(out, np.where(part == NOTHING, len(PARTS), part), 0)

    # --- questions ---------------------------------------------------------------------------------------------------

    def fields(self) -> list[Field]:
        """Chips by seat and on the board, what the question is, who moves."""
        held = range(self.total_chips + 1)
        return [
            Numbers("chips", "chips by seat, - for a seat that is out", 0, held[-1], self.players, out=True),
            Pairs("board", "chips on the board, space:chips", "space", "chips", SPACES, held, "3:3,7:14"),
            YesNo("taken", "has the mover just taken chips from a space, and may pass?"),
            Number("mover", "the seat to move", 0, self.players - 1),
        ]

    def locate(
        self,
        chips: Sequence[int | None] | None = None,
        board: Mapping[int, int] | None = None,
        taken: bool = False,
        mover: int = 0,
    ) -> Position:
        """The position of a question."""
        held = [number or 0 for number in chips] if chips is not None else [self.each] * self.players
        lies = [(board or {}).get(space, 0) for space in SPACES]
        self.require_standing(held, mover)
        self.require_all_chips(held, lies)
        self.require_full(lies, 0 in held)
        seen = (*held[mover:], *held[:mover])
        if not taken:
            return Position({"chips": (*seen, *lies)}, (), mover=mover)
        before = self.before_taking(seen, lies)
        if before is None:
            raise StateError(
                f"taken=true, but the mover has {seen[0]} chips, and there is no space that they can come from",
                field="taken",
            )
        return Position({"chips": before[0]}, (before[1],), mover=mover)

    def require_standing(self, held: Sequence[int], mover: int) -> None:
        """Raise StateError unless the game goes on and it can be this seat's turn."""
        standing = [seat for seat, number in enumerate(held) if number]
        if not standing:
            raise StateError("the last one in wins with chips in hand, got no chips at all", field="chips")
        if len(standing) == 1:
            raise StateError(f"the game is over, seat {standing[0]} is the last one in and won", field="chips")
        if mover not in standing:
            seats = ", ".join(map(str, standing))
            raise StateError(f"mover is a seat that is still in ({seats}), got {mover}", field="mover")

    def require_all_chips(self, held: Sequence[int], lies: Sequence[int]) -> None:
        """Raise StateError unless no chip is missing, and none too many."""
        in_hand, on_board = sum(held), sum(lies)
        short = self.total_chips - in_hand - on_board
        if short:
            jail = lies[ROW[JAIL]] + short
            sound = jail > 0 and jail % JAIL == 0 and 0 not in held
            board = {**dict(zip(SPACES, lies, strict=True)), JAIL: jail}
            fitting = ",".join(f"{space}:{chips}" for space, chips in board.items() if chips)
            raise StateError(
                f"{self.players} players have {self.total_chips} chips, in hand and on the board together, "
                f"got {in_hand} and {on_board}",
                hint=f"board={fitting}" if sound else "",
                field="board" if on_board or in_hand <= self.total_chips else "chips",
            )

    def require_full(self, lies: Sequence[int], someone_is_out: bool) -> None:
        """Raise StateError unless every space holds what it can."""
        odd = [space for space in SMALL if lies[ROW[space]] not in (0, space)]
        odd += [JAIL] if lies[ROW[JAIL]] % JAIL else []
        if not odd:
            return
        space, there = odd[0], lies[ROW[odd[0]]]
        if not someone_is_out or (space != JAIL and there > space):
            wanted = "a multiple of 7 chips" if space == JAIL else f"{space} chips or none"
            while_in = "" if someone_is_out or there > space != JAIL else " while everybody is in"
            raise StateError(f"space {space} holds {wanted}{while_in}, got {there}", field="board")
        if len(odd) > 1:
            raise StateError(
                f"spaces {odd[0]} and {odd[1]} are both filled in part, but only one player is out, "
                "who put down the last chips on one space",
                field="board",
            )

    def before_taking(self, held: Sequence[int], lies: Sequence[int]) -> tuple[tuple[int, ...], int] | None:
        """A board from which taking the chips of a space leads here, and that space: the first of all that there are.

        Full spaces come before those that are filled in part. What may be done then does not depend on which it is.
        """
        empty = [space for space in SMALL if not lies[ROW[space]]]
        parts = [(space, few) for space, few in PARTS if space in empty]
        for space, number in [*zip(empty, empty, strict=True), *parts]:
            before = list(lies)
            before[ROW[space]] = number
            chips = (held[0] - number, *held[1:], *before)
            if held[0] > number and self.boards().index_of(chips=chips) >= 0:
                return chips, space
        return None

    def describe(self, board: Mapping[str, Any], state: State) -> Iterator[dict[str, Any]]:
        """The mover in seat 0; once chips are taken, what there is then, told of one of the boards that lead there."""
        held, lies = list(board["chips"][: self.players]), list(board["chips"][self.players :])
        if state:
            space = state[0]
            held[0] += lies[ROW[space]]
            lies[ROW[space]] = 0
            if self.before_taking(held, lies) != (tuple(board["chips"]), space):
                return
        yield {
            "chips": tuple(number or None for number in held),
            "board": {space: chips for space, chips in zip(SPACES, lies, strict=True) if chips},
            "taken": bool(state),
            "mover": 0,
        }


@dataclass(frozen=True)
class BustedDuel(Busted):
    """The same for two players; the value of a board is P(the player to move wins)."""

    kind = "duel"

    def settle(self, board: Columns, result: tuple[str, int]) -> Settled:
        """As at the table."""
        return as_duel(super().settle(board, result))
