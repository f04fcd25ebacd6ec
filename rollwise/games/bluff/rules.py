"""Bluff: three dice under a cup; call their total, true or not, and be the first to get rid of your chips.

Number 8 of TACTIC's 21 dice games. Only the caller sees the dice, so optimal play mixes calls at random.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from rollwise.solver.model.errors import StateError
from rollwise.solver.model.fields import Field, Number, Numbers
from rollwise.solver.model.game import (
    OTHER,
    Boards,
    Chance,
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
    chance_of,
    parameter,
)
from rollwise.solver.model.spaces import Split
from rollwise.solver.model.throws import throw_distribution

NOTHING = 0  # no call stands: a round begins
TRUE, FALSE = "true", "false"  # results of a challenged call


@dataclass(frozen=True)
class Bluff(TurnGame):
    """Duel with hidden dice; the value of a board is P(the caller wins), before the dice are thrown."""

    name = "bluff"
    labels: ClassVar = {
        "mine": "Your chips",
        "theirs": "Their chips",
        "last": "Last call accepted: 0 if none in this round",
        "total": "Under your cup: the total, if you call next",
        "call": "Their call: if you have to answer it",
    }
    title = "Bluff"
    picture = (7, "246", "A cup and a call: raise it, or doubt it.")
    like = (
        *((name, "three dice under the cup, and their sum is called") for name in ("mia", "mäxchen", "meyer")),
        *(
            (name, "the caller alone has dice, three, and calls their sum")
            for name in ("perudo", "dudo", "liar's dice")
        ),
    )
    source = "TACTIC rules for dice games"
    rules = (
        "Each player starts with 5 chips, and wants to be rid of them. The caller throws three dice under a cup, looks "
        "at them alone, and calls a total from 3 to 18, true or not; in a round each call must be higher than the "
        "last. The next player accepts or challenges. To accept, you believe it: the caller puts a chip into the pot, "
        "which nobody gets, and you throw all three dice again, unseen by the others, and have to call more. To "
        "challenge, you lift the cup: if the total is the call or more, the caller gives you a chip; if it is less, "
        "you give the caller one. Then you begin the next round, with any call. A call of 18 must be challenged. The "
        "first player without chips wins."
    )
    kind: ClassVar[str] = "hidden"
    measure = "win"
    unit = "probability"

    chips: int = parameter(5, "chips of each player at the start", low=1, high=10)
    players: int = parameter(2, "players; of three and four only rules are compared", low=2, high=4)
    dice: int = parameter(3, "dice under the cup", low=1, high=3, trial=True)
    faces: int = parameter(6, "faces of each die", low=2, high=6, trial=True)

    @classmethod
    def of(cls, **parameters: Any) -> Game:
        """The duel, or a table."""
        return (Bluff if parameters.get("players", 2) == 2 else BluffTable)(**parameters)

    @property
    def highest(self) -> int:
        """The highest total, and the highest call; the lowest is one for each die."""
        return self.dice * self.faces

    @property
    def calls_before(self) -> list[int]:
        """The possible last calls before a call."""
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

    def reachable(self, board: Mapping[str, Any]) -> bool | None:
        """Before the first call of a round a player has been given a chip, or none has been lost."""
        return board["last"] != NOTHING or max(board["mine"], board["theirs"]) > 1 or self.chips == 1

    def roots(self) -> list[NodeKey]:
        """A turn starts with the call to exceed."""
        return [(last,) for last in self.calls_before]

    def root(self, board: Columns) -> Any:
        """NOTHING first, then the calls from the lowest on."""
        return (board.last > NOTHING) * (board.last - self.dice + 1)

    def turn(self, last: int, total: int | None = None, call: int | None = None) -> Node:
        """One turn: throw, call (the caller sees the total), and the reply of the next player (who does not)."""
        if call is not None:
            return self.reply(call, self.throw(last, call) if total is None else End(TRUE if total >= call else FALSE))
        if total is None:
            return Decision([("roll", self.throw(last))])
        return Decision((f"call {higher}", Goto(last, total, higher)) for higher in self.higher(last))

    def throw(self, last: int, call: int | None = None) -> Chance:
        """The dice fall under the cup; for a call that is already made, whether it is true."""

        def result_of(total: int) -> Node:
            return Goto(last, total) if call is None else End(TRUE if total >= call else FALSE)

        return chance_of(throw_distribution(self.dice, sum, self.faces), result_of)

    def reply(self, call: int, challenged: Node) -> Decision:
        """Accept or challenge; after the highest call there is nothing more to call."""
        accept: list[tuple[str, Node]] = [("accept", End(("accepted", call)))] if call < self.highest else []
        return Decision([*accept, ("challenge", challenged)])

    def unsolved_node(self, last: int, total: int | None = None, call: int | None = None) -> Node | None:
        """The reply of a player who knows the call and not the total."""
        return self.turn(last, None, call) if total is None and call is not None else None

    def answers(self, root: NodeKey) -> dict[NodeKey, str]:
        """The states of a reply, by name: the total stays under the cup."""
        return {(*root, None, call): f"call {call}" for call in self.higher(*root)}

    def higher(self, last: int) -> range:
        """The calls that may follow this one."""
        return range(max(last + 1, self.dice), self.highest + 1)

    def transition(self, board: Columns, result: Any) -> Transition:
        """The loser of a chip pays; the player who replied is the next caller."""
        if result == FALSE:
            theirs = board.theirs - 1
            begun = {"mine": theirs, "theirs": board.mine + 1, "last": NOTHING}
            return Transition(over=theirs == 0, next=begun, mover=OTHER)
        mine = board.mine - 1
        if result == TRUE:
            return Transition(
                won=mine == 0, next={"mine": board.theirs + 1, "theirs": mine, "last": NOTHING}, mover=OTHER
            )
        _, call = result
        return Transition(won=mine == 0, next={"mine": board.theirs, "theirs": mine, "last": call}, mover=OTHER)

    def level(self, board: Columns) -> Any:
        """Chips in the pot."""
        return 2 * self.chips - board.mine - board.theirs

    def ending_name(self, board: Mapping[str, Any], result: Any, marks: frozenset[str]) -> str:
        """The reply, and whether a challenged call is true."""
        lifted = {TRUE: "challenged, the call is true", FALSE: "challenged, the call is a bluff"}
        return lifted.get(result, "accepted")

    # --- questions -------------------------------------------------------------------------------------------------

    def fields(self) -> list[Field]:
        """Chips, the last call, and the further information of the player to decide."""
        most = 2 * self.chips - 1
        return [
            Number("mine", "chips of the player who decides", 1, most, of="both"),
            Number("theirs", "chips of the other player", 1, most, of="both"),
            Number("last", "the last call of this round that was accepted, 0 for none", NOTHING, self.highest),
            Number("total", "the total that the caller sees", self.dice, self.highest, of="turn", drawn="cup"),
            Number("call", "the call that has to be accepted or challenged", self.dice, self.highest, of="turn"),
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
        state, most = self.turn_state(last, total, call), 2 * self.chips
        if mine + theirs > most:
            raise StateError(f"mine and theirs are {most} chips at most, got {mine} + {theirs}", field="theirs")
        if last and mine + theirs == most:
            raise StateError(
                f"last={last} was accepted, so a chip is in the pot: mine and theirs are {most - 1} chips at most, "
                f"got {mine} + {theirs}",
                field="last",
            )
        caller, other = (mine, theirs) if call is None else (theirs, mine)
        return Position({"mine": caller, "theirs": other, "last": last}, state)

    def turn_state(self, last: int, total: int | None, call: int | None) -> NodeKey:
        """The state of the turn in a question; raises StateError where there is none."""
        if total is not None and call is not None:
            raise StateError(
                "the player who replies to a call does not see the total; say the total to call, or the call to reply",
                field="total",
            )
        if NOTHING < last < self.dice:
            raise StateError(f"last is a call from {self.dice} on, or 0 for none, got {last}", field="last")
        if call is not None:
            if call <= last:
                raise StateError(f"call is higher than the last one, {last}, got {call}", field="call")
            return last, None, call
        if last == self.highest:
            raise StateError(f"a call of {last} must be challenged, no call follows it", field="last")
        return (last,) if total is None else (last, total)

    def describe(self, board: Mapping[str, int], state: NodeKey) -> Iterable[dict[str, Any]]:
        """The fields of a position; no player knows both the total and the call."""
        last, total, call = (*state, None, None)[:3]
        if call is None:
            yield dict(board) if total is None else {**board, "total": total}
        elif total is None:
            yield {"mine": board["theirs"], "theirs": board["mine"], "last": last, "call": call}


@dataclass(frozen=True)
class BluffTable(Bluff):
    """Three or four players; a board has each player's chips, from the caller to the left."""

    kind: ClassVar[str] = "hidden-table"

    @property
    def all_chips(self) -> int:
        """Chips at the start."""
        return self.players * self.chips

    def boards(self) -> Boards:
        """Chips from the caller to the left, and the last call that was accepted in this round."""
        chips = Split(self.players, self.all_chips, low=1, at_most=True)
        return Boards(chips=chips, last=range(NOTHING, self.highest))

    def first_board(self) -> dict[str, Any]:
        """All chips, and no call."""
        return {"chips": (self.chips,) * self.players, "last": NOTHING}

    def reachable(self, board: Mapping[str, Any]) -> None:
        """None: a table is not solved."""

    def transition(self, board: Columns, result: Any) -> Transition:
        """As in the duel; the player to the left of the caller replies, and is the next caller."""
        caller, replier, *others = board.chips
        false, challenged = result == FALSE, result in (TRUE, FALSE)
        caller = caller + 1 if false else caller - 1
        replier = replier - 1 if false else replier + challenged
        winner = 1 if false else 0
        return Transition(
            over=(replier if false else caller) == 0,
            shares=[int(place == winner) for place in range(self.players)],
            next={"chips": [replier, *others, caller], "last": NOTHING if challenged else result[1]},
            mover=1,
        )

    def level(self, board: Columns) -> Any:
        """Chips in the pot."""
        return self.all_chips - board.chips.sum(axis=0)

    def fields(self) -> list[Field]:
        """Chips by seat, and the rest as in the duel."""
        most = self.all_chips - self.players + 1
        chips = Numbers("chips", "chips by seat", 1, most, self.players, of="both")
        mover = Number("mover", "the seat that decides", 0, self.players - 1, of="turn")
        return [chips, mover, *super().fields()[2:]]

    def locate(
        self, chips: Any = None, mover: Any = 0, last: int = NOTHING, total: int | None = None, call: int | None = None
    ) -> Position:
        """The position of a question; with ``call`` the caller sits to the right of the mover."""
        seat_chips = (self.chips,) * self.players if chips is None else tuple(chips)
        state = self.turn_state(last, total, call)
        if sum(seat_chips) > self.all_chips:
            raise StateError(f"chips are {self.all_chips} at most together, got {sum(seat_chips)}", field="chips")
        if last and sum(seat_chips) == self.all_chips:
            raise StateError(
                f"last={last} was accepted, so a chip is in the pot, and chips are {self.all_chips - 1} at most",
                field="last",
            )
        caller = mover if call is None else mover - 1
        from_caller = tuple(seat_chips[(caller + place) % self.players] for place in range(self.players))
        return Position({"chips": from_caller, "last": last}, state, mover=mover)

    def describe(self, board: Mapping[str, Any], state: NodeKey) -> Iterable[dict[str, Any]]:
        """The fields of a position, with the player to decide in seat 0."""
        last, total, call = (*state, None, None)[:3]
        chips = tuple(int(number) for number in board["chips"])
        if call is None:
            fields = {"chips": chips, "mover": 0, "last": last}
            yield fields if total is None else {**fields, "total": total}
        elif total is None:
            yield {"chips": (*chips[1:], chips[0]), "mover": 0, "last": last, "call": call}
