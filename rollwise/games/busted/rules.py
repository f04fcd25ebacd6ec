"""Busted: what you roll goes on the board, unless chips lie there to be taken; the last player with chips wins.

Number 4 of TACTIC's 21 dice games, for two players and for three.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np

from rollwise.games.busted.boards import (
    JAIL,
    NOTHING,
    PARTS,
    ROW,
    SMALL,
    SPACES,
    AllChips,
    can_have_taken,
    count_boards,
    filled_in_part,
)
from rollwise.games.seats import next_holder
from rollwise.solver.model.dice import Faces, roll
from rollwise.solver.model.duel_transition import TableForTwo
from rollwise.solver.model.errors import StateError
from rollwise.solver.model.fields import Field, Number, Numbers, Pairs, YesNo
from rollwise.solver.model.game import (
    Boards,
    Columns,
    Decision,
    End,
    Game,
    Node,
    NodeKey,
    Position,
    Transition,
    TurnGame,
    parameter,
)
from rollwise.solver.model.plain import count_of

DICE = 2
LUCKY = (2, 12)  # sums that take all chips on the board
MAX_PLAYERS = 10  # by the rules; two and three are solved
# Results of a turn, each with a space: the chips of the roll are put there, or taken from it; the whole board is
# taken, and then chips are put on one space, or on all; or, once chips are taken, the dice are passed on.
ROLLED, SWEPT, FILLED, PASSED = "rolled", "swept", "filled", "passed"
EVERY = 0  # instead of a space: all of them, or none


@dataclass(frozen=True)
class Busted(TurnGame):
    """Table; a board has the next player to roll first; a seat that is out holds no chips."""

    name = "busted"
    labels: ClassVar = {"board": "Chips on the board", "taken": "Have you just taken chips?: then you may pass"}
    title = "Busted"
    source = "TACTIC rules for dice games"
    rules = (
        "Each player starts with 25 chips, and the board has spaces from 3 to 11. Roll two dice. Unless the sum is 2, "
        "7 or 12, look at its space: if chips lie there, take them, and then roll again or pass the dice on, as you "
        "like; if it is empty, put as many chips there as its number says, and your turn is over. On a 7 you always "
        "put seven chips on space 7, on top of what lies there, and your turn is over. On a 2 or 12 you take all chips "
        "on the board, which is the only way to those on 7, and then you have to roll once more. This roll only costs "
        "chips: put as many as its sum on the space of that number, 7 too; with another 2 or 12 put three on 3, four "
        "on 4 and so on up to 11, as far as your chips go. That ends your turn. If you have too few chips for a space, "
        "put down what you have. Without chips you are out, and those that you put on the board stay there for the "
        "others. The last player in wins."
    )
    kind: ClassVar[Literal["duel", "table"]] = "table"
    measure = "win"
    unit = "probability"
    by_seat = True

    players: int = parameter(3, "how many play", choices=(3, 2))
    chips: int = parameter(25, "chips of each player at the start", low=25, high=30)
    fewer: int = parameter(0, "fewer chips, to try the game out; 0: as chips has it", low=0, high=24, trial=True)

    @classmethod
    def of(cls, **parameters: Any) -> Game:
        """The duel, or the table of three."""
        return (BustedDuel if parameters.get("players") == 2 else Busted)(**parameters)

    def unsolved(self) -> Mapping[int, int]:
        """Boards on which at most one player is out, each before a roll and once chips are taken."""
        return {players: 2 * count_boards(players, players * self.each) for players in range(4, MAX_PLAYERS + 1)}

    # --- one turn ----------------------------------------------------------------------------------------------------

    def roots(self) -> list[NodeKey]:
        """The roll that begins a turn, and the choice once chips are taken."""
        return [(False,), (True,)]

    def root(self, board: Columns) -> Any:
        """1 where chips have just been taken, else 0."""
        return board.taken

    def turn(self, taken: bool) -> Node:
        """A roll that must be made, or that may be left to the next player."""
        again = ("roll", roll(DICE, self.rolled))
        return Decision([("pass", End((PASSED, EVERY))), again] if taken else [again])

    def rolled(self, faces: Faces) -> Node:
        """The node after a roll."""
        thrown = sum(faces)
        return roll(DICE, self.swept) if thrown in LUCKY else End((ROLLED, thrown))

    def swept(self, faces: Faces) -> Node:
        """The roll after all chips on the board were taken."""
        thrown = sum(faces)
        return End((FILLED, EVERY)) if thrown in LUCKY else End((SWEPT, thrown))

    def ending_name(self, board: Mapping[str, Any], result: tuple[str, int], marks: frozenset[str]) -> str:
        """The effect on the chips."""
        what, thrown = result
        if what != ROLLED:
            return {PASSED: "the dice are passed on", SWEPT: "takes all chips", FILLED: "fills the board"}[what]
        lies = board["chips"][self.players + ROW[thrown]]
        return "takes chips" if lies and thrown != JAIL else "puts down chips"

    # --- the boards --------------------------------------------------------------------------------------------------

    @property
    def each(self) -> int:
        """The chips of each player at the start."""
        return self.fewer or self.chips

    @property
    def total_chips(self) -> int:
        """All chips; none ever leaves the game."""
        return self.players * self.each

    @cached_property
    def space(self) -> AllChips:
        """The lists of all chips."""
        return AllChips(self.players, self.total_chips)

    def boards(self) -> Boards:
        """All chips: those of players by place, then those on the spaces; and whether some were just taken."""
        return Boards(taken=2, chips=self.space)

    def first_board(self) -> dict[str, Any]:
        """No chips on the board."""
        return {"taken": 0, "chips": (self.each,) * self.players + (0,) * len(SPACES)}

    def possible(self, board: Columns) -> Any:
        """Chips that were just taken are in the mover's hand, and came from a space that is empty now."""
        return (board.taken == 0) | can_have_taken(board.chips, self.players)

    def reachable(self, board: Mapping[str, Any]) -> bool | None:
        """False for an empty board that its last mover cannot have left."""
        in_hand = board["chips"][: self.players]
        last = next(chips for chips in reversed(in_hand) if chips)
        least = 2 if 0 in in_hand else 1 + SPACES[0]
        if not board["taken"] and sum(in_hand) == self.total_chips and last < min(least, self.each):
            return False
        return None if self.players > 2 else True

    def transition(self, board: Columns, result: tuple[str, int]) -> Transition:
        """Chips are taken or put down; a player with none left is out, and the dice pass to the next who is in."""
        what, thrown = result
        mine, others = board.chips[0], board.chips[1 : self.players]
        lies = list(board.chips[self.players :])
        if what in (SWEPT, FILLED):
            mine = mine + sum(lies)
            lies = [np.zeros_like(mine) for _ in lies]
        taken: Any = False
        for space in SPACES if what == FILLED else (thrown,) if thrown else ():
            there = lies[ROW[space]]
            taken = (there > 0) & (space != JAIL)
            paid = np.where(taken, -there, np.minimum(space, mine))
            mine, lies[ROW[space]] = mine - paid, there + paid
        in_hand = np.stack([mine, *others])
        still_in = in_hand > 0
        following, steps = next_holder(in_hand)
        return Transition(
            over=still_in.sum(axis=0) == 1,
            shares=still_in,
            next={"taken": taken * 1, "chips": [*np.where(taken, in_hand, following), *lies]},
            mover=np.where(taken, 0, steps),
        )

    def level(self, board: Columns) -> Any:
        """Level 0: all are in; then one is out, with a space filled in part, by part; last, no space is any more."""
        out = (board.chips[: self.players] == 0).any(axis=0)
        part = filled_in_part(board.chips[self.players :])
        return np.where(out, np.where(part == NOTHING, len(PARTS), part), 0)

    def order(self, board: Columns) -> Any:
        """Boards by the parity of the number of filled spaces, which nearly every roll changes."""
        lies = board.chips[self.players :]
        odd = sum((lies[ROW[space]] > 0).astype(np.int64) for space in SMALL) % 2
        return 2 * odd + (1 - board.taken)

    # --- questions ---------------------------------------------------------------------------------------------------

    def fields(self) -> list[Field]:
        """Chips by seat and on the board, whether chips were just taken, and the mover."""
        up_to = range(self.total_chips + 1)
        return [
            Numbers("chips", "chips by seat, - for a seat that is out", 0, up_to[-1], self.players, out=True, out_at=0),
            Pairs(
                "board", "chips on the board, space:chips", "space", "chips", SPACES, up_to, "3:3,7:14", drawn="tiles"
            ),
            YesNo(
                "taken", "has the mover just taken chips, so may pass? (left out: yes, where that can be)", if_fits=True
            ),
            Number("mover", "the seat to move", 0, self.players - 1, of="turn"),
        ]

    def locate(
        self,
        chips: Sequence[int | None] | None = None,
        board: Mapping[int, int] | None = None,
        taken: bool | None = None,
        mover: int = 0,
    ) -> Position:
        """The position of a question; without ``taken``, chips were taken wherever possible, but not at the start."""
        seat_chips = [number or 0 for number in chips] if chips is not None else [self.each] * self.players
        lies = [(board or {}).get(space, 0) for space in SPACES]
        self.require_standing(seat_chips, mover)
        self.require_all_chips(seat_chips, lies)
        self.require_full(lies, 0 in seat_chips)
        from_mover = (*seat_chips[mover:], *seat_chips[:mover], *lies)
        could = bool(can_have_taken(np.array(from_mover)[:, None], self.players)[0])
        if taken and not could:
            chips_left = count_of(from_mover[0], "chip")
            raise StateError(
                f"taken=true, but no space can have been emptied that leaves the mover {chips_left}", field="taken"
            )
        if taken is None:
            taken = could and seat_chips != [self.each] * self.players
        return Position({"taken": int(taken), "chips": from_mover}, (taken,), mover=mover)

    def require_standing(self, seat_chips: Sequence[int], mover: int) -> None:
        """Raise StateError unless the game goes on and it can be this seat's turn."""
        standing = [seat for seat, number in enumerate(seat_chips) if number]
        if not standing:
            raise StateError("the last one in wins with chips in hand, got no chips at all", field="chips")
        if len(standing) == 1:
            raise StateError(over=f"the game is over, seat {standing[0]} is the last one in and won", field="chips")
        if mover not in standing:
            seats = ", ".join(map(str, standing))
            raise StateError(f"mover is a seat that is still in ({seats}), got {mover}", field="mover")

    def require_all_chips(self, seat_chips: Sequence[int], lies: Sequence[int]) -> None:
        """Raise StateError unless all chips are there, and no more."""
        in_hand, on_board = sum(seat_chips), sum(lies)
        short = self.total_chips - in_hand - on_board
        if short:
            jail = lies[ROW[JAIL]] + short
            sound = jail > 0 and jail % JAIL == 0 and 0 not in seat_chips
            board = {**dict(zip(SPACES, lies, strict=True)), JAIL: jail}
            fitting = ",".join(f"{space}:{chips}" for space, chips in board.items() if chips)
            raise StateError(
                f"{self.players} players have {self.total_chips} chips, in hand and on the board together, "
                f"got {in_hand} and {on_board}",
                hint=f"board={fitting}" if sound else "",
                field="board" if on_board or in_hand <= self.total_chips else "chips",
            )

    def require_full(self, lies: Sequence[int], someone_is_out: bool) -> None:
        """Raise StateError unless every space has a possible number of chips."""
        odd = [space for space in SMALL if lies[ROW[space]] not in (0, space)]
        odd += [JAIL] if lies[ROW[JAIL]] % JAIL else []
        if not odd:
            return
        space, there = odd[0], lies[ROW[odd[0]]]
        if not someone_is_out or (space != JAIL and there > space):
            full = "a multiple of 7 chips" if space == JAIL else f"{space} chips or none"
            while_in = "" if someone_is_out or there > space != JAIL else " while everybody is in"
            raise StateError(f"space {space} holds {full}{while_in}, got {there}", field="board")
        if len(odd) > 1:
            raise StateError(
                f"spaces {odd[0]} and {odd[1]} are both filled in part, but only one player is out, "
                "who put down the last chips on one space",
                field="board",
            )

    def describe(self, board: Mapping[str, Any], state: NodeKey) -> Iterator[dict[str, Any]]:
        """The fields of a position, the mover in seat 0; none after the choice to roll on."""
        if state != (bool(board["taken"]),):
            return
        in_hand, lies = board["chips"][: self.players], board["chips"][self.players :]
        yield {
            "chips": tuple(number or None for number in in_hand),
            "board": {space: chips for space, chips in zip(SPACES, lies, strict=True) if chips},
            "taken": state[0],
            "mover": 0,
        }


@dataclass(frozen=True)
class BustedDuel(TableForTwo, Busted):
    """The same for two players; the value of a board is P(the player to move wins)."""

    kind = "duel"
