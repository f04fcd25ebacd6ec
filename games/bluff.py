"""Bluff: three dice under a cup; call their total, true or not, and be the first to get rid of your chips.

Number 8 of TACTIC's 21 dice games. Nobody but the caller sees the dice, so the best play is a mix of calls.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

from rollwise.solver.game.errors import StateError
from rollwise.solver.game.fields import Field, Number
from rollwise.solver.game.model import (
    OTHER,
    Boards,
    Chance,
    Choice,
    Columns,
    End,
    Go,
    Position,
    Settled,
    State,
    TurnGame,
    Word,
    named,
    parameter,
)

NOTHING = 0  # no call stands: a round begins
TRUE, FALSE = "true", "false"  # what a challenged call turns out to be


@dataclass(frozen=True)
class Bluff(TurnGame):
    """Duel with hidden dice; the value of a board is P(the caller wins), before the dice are thrown."""

    name = "bluff"
    title = "Bluff"
    source = "004_cc367fea0fd9d5c8.txt"
    rules = (
        "Everybody starts with 5 chips. The caller throws three dice under a cup, looks at them alone, and calls a "
        "total from 3 to 18 that need not be true but must be higher than the last call. The next player accepts or "
        "challenges. Who accepts throws all dice again, unseen by others, and has to call more; the caller puts a chip "
        "into the pot. On a challenge the cup is lifted: if the total is at least what was called, the caller gives a "
        "chip to the challenger, else the challenger gives one to the caller; the challenger begins the next round, "
        "with any call. A call of 18 must be challenged. The first player without chips wins."
    )
    kind = "hidden"
    measure = "win"
    unit = "probability"

    chips: int = parameter(5, "chips of each player at the start", low=1, high=10)
    players: int = parameter(2, "players", low=2, high=2)
    dice: int = parameter(3, "dice under the cup", low=1, high=3, trial=True)
    faces: int = parameter(6, "faces of each die", low=2, high=6, trial=True)

    @property
    def highest(self) -> int:
        """The highest total, and the highest call; the lowest is one for each die."""
        return self.dice * self.faces

    @property
    def calls_before(self) -> list[int]:
        """What the last call can be for somebody who calls now."""
        return [NOTHING, *range(self.dice, self.highest)]

    def boards(self) -> Boards:
        """Chips of both, the caller's first, and the last call that was accepted in this round."""
        chips = range(1, 2 * self.chips)
        return Boards(mine=chips, theirs=chips, last=range(NOTHING, self.highest))

    def first_board(self) -> dict[str, int]:
        """All chips, and no call."""
        return {"mine": self.chips, "theirs": self.chips, "last": NOTHING}

    def possible(self, board: Columns) -> Any:
        """Chips only change hands or go to the pot, where an accepted call has put one."""
        pot = self.level(board)
        return (pot >= 0) & ((board.last == NOTHING) | (board.last >= self.dice) & (pot > 0))

    def roots(self) -> list[State]:
        """A turn starts with the call that has to be passed."""
        return [(last,) for last in self.calls_before]

    def root(self, board: Columns) -> Any:
        """Calls from the lowest one on stand in order."""
        return (board.last > NOTHING) * (board.last - self.dice + 1)

    def turn(self, last: int, total: int | None = None, call: int | None = None) -> Word:
        """One turn: throw, call (who calls sees the total), and the reply of the next player (who does not)."""
        if call is not None:
            return self.reply(call, self.throw(last, call) if total is None else End(TRUE if total >= call else FALSE))
        if total is None:
            return Choice([("roll", self.throw(last))])
        return Choice((f"call {higher}", Go(last, total, higher)) for higher in self.higher(last))

    def throw(self, last: int, call: int | None = None) -> Chance:
        """The dice fall under the cup; with a call that is already made, what they make of it."""
        falls: dict[int, int] = {}
        for faces in product(range(1, self.faces + 1), repeat=self.dice):
            falls[sum(faces)] = falls.get(sum(faces), 0) + 1

        def seen(total: int) -> Word:
            return Go(last, total) if call is None else End(TRUE if total >= call else FALSE)

        return named(sorted(falls.items()), seen)

    def reply(self, call: int, challenged: Word) -> Choice:
        """Accept or challenge; after the highest call there is nothing more to call."""
        accept: list[tuple[str, Word]] = [("accept", End(("accepted", call)))] if call < self.highest else []
        return Choice([*accept, ("challenge", challenged)])

    def asked(self, last: int, total: int | None = None, call: int | None = None) -> Word | None:
        """Whoever replies knows the call and not the total."""
        return self.turn(last, None, call) if total is None and call is not None else None

    def answers(self, root: State) -> dict[State, str]:
        """The total stays under the cup."""
        return {(*root, None, call): f"call {call}" for call in self.higher(*root)}

    def higher(self, last: int) -> range:
        """The calls that may follow this one."""
        return range(max(last + 1, self.dice), self.highest + 1)

    def settle(self, board: Columns, result: Any) -> Settled:
        """Who has to part with a chip; the player who replied is the next caller."""
        if result == FALSE:
            theirs = board.theirs - 1
            begun = {"mine": theirs, "theirs": board.mine + 1, "last": NOTHING}
            return Settled(over=theirs == 0, next=begun, mover=OTHER)
        mine = board.mine - 1
        if result == TRUE:
            return Settled(won=mine == 0, next={"mine": board.theirs + 1, "theirs": mine, "last": NOTHING}, mover=OTHER)
        _, call = result
        return Settled(won=mine == 0, next={"mine": board.theirs, "theirs": mine, "last": call}, mover=OTHER)

    def level(self, board: Columns) -> Any:
        """Chips in the pot."""
        return 2 * self.chips - board.mine - board.theirs

    # --- questions -------------------------------------------------------------------------------------------------

    def fields(self) -> list[Field]:
        """Chips, the last call, and what the one who decides knows beside."""
        most = 2 * self.chips - 1
        return [
            Number("mine", "chips of the player who decides", 1, most),
            Number("theirs", "chips of the other player", 1, most),
            Number("last", "the last call of this round that was accepted, 0 for none", NOTHING, self.highest),
            Number("total", "the total that the caller sees", self.dice, self.highest),
            Number("call", "the call that has to be accepted or challenged", self.dice, self.highest),
        ]

    def locate(
        self,
        mine: int | None = None,
        theirs: int | None = None,
        last: int = NOTHING,
        total: int | None = None,
        call: int | None = None,
    ) -> Position:
        """The position of a question: a caller's with ``total``, the other player's with ``call``."""
        mine, theirs = self.chips if mine is None else mine, self.chips if theirs is None else theirs
        if total is not None and call is not None:
            raise StateError(
                "whoever replies to a call does not see the total; give total= to call, or call= to reply",
                field="total",
            )
        self.require_chips(mine, theirs, last)
        if call is None:
            if last == self.highest:
                raise StateError(f"a call of {last} must be challenged, nobody calls after it", field="last")
            board = {"mine": mine, "theirs": theirs, "last": last}
            return Position(board, (last,) if total is None else (last, total))
        if call <= last:
            raise StateError(f"call is higher than the last one, {last}, got {call}", field="call")
        return Position({"mine": theirs, "theirs": mine, "last": last}, (last, None, call))

    def require_chips(self, mine: int, theirs: int, last: int) -> None:
        """Raise StateError unless so many chips, and this last call, can be."""
        most = 2 * self.chips
        if mine + theirs > most:
            raise StateError(f"mine and theirs are {most} chips at most, got {mine} + {theirs}", field="theirs")
        if last == NOTHING:
            return
        if last < self.dice:
            raise StateError(f"last is a call from {self.dice} on, or 0 for none, got {last}", field="last")
        if mine + theirs == most:
            raise StateError(
                f"last={last} was accepted, so a chip is in the pot: mine and theirs are {most - 1} chips at most, "
                f"got {mine} + {theirs}",
                field="last",
            )

    def describe(self, board: Mapping[str, int], state: State) -> Iterable[dict[str, Any]]:
        """The fields of a position; nobody knows both the total and what was called."""
        last, total, call = (*state, None, None)[:3]
        if call is None:
            yield dict(board) if total is None else {**board, "total": total}
        elif total is None:
            yield {"mine": board["theirs"], "theirs": board["mine"], "last": last, "call": call}
