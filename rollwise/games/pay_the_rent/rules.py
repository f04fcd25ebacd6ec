"""Pay the Rent: all pay into the pot before every roll of three dice; a triple or a second equal pair takes it.

Number 16 of TACTIC's 21 dice games. There is no choice, and the game has no end: pot follows pot, and the answer is
the mean gain or loss of each seat.

A pot has no largest size, but it grows by the same number of chips every roll. So a seat's expected gain is linear
in its chips, plus a term whose sign alternates with odd and even pots, for the chip that stays when an odd pot is
halved. A seat's gain does not depend on which of the others hold the markers that are not its own. So small absorbing
Markov chains (Kemeny and Snell 1960) give exact answers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from rollwise.games.pay_the_rent.prospects import (
    DICE,
    FREE,
    HALVES,
    MARKERS,
    MINE,
    NOTHING,
    SIX,
    THEIRS,
    TRIPLE,
    PotProspects,
    View,
    _every_view,
    roll_effect,
)
from rollwise.solver.markov_chains.longrun import between_visits
from rollwise.solver.model.dice import Faces, roll
from rollwise.solver.model.errors import StateError
from rollwise.solver.model.fields import Field, Number, Pairs
from rollwise.solver.model.game import (
    Boards,
    Column,
    Columns,
    End,
    LuckTransition,
    Node,
    NodeKey,
    Position,
    Transition,
    TurnGame,
    parameter,
)
from rollwise.solver.model.plain import count_of
from rollwise.solver.model.rounding import above, below
from rollwise.solver.model.solution import Quantity
from rollwise.solver.turn.graph import TurnGraph

MAX_CHIPS = 999_999  # in a question; play itself has no limit


def pay_out(pot: int, halves: Sequence[int]) -> tuple[tuple[int, ...], int]:
    """(chips of each by the halves of the pot that are due, chips that stay on the table).

    >>> pay_out(9, (1, 0, 1)), pay_out(9, (2, 0, 0))
    (((4, 0, 4), 1), ((9, 0, 0), 0))
    """
    chips = tuple(pot * due // HALVES for due in halves)
    return chips, pot - sum(chips)


@dataclass(frozen=True)
class PayTheRent(TurnGame):
    """Luck; a board is a pot's markers from the roller's seat, a roll is a turn, the value is the rolls to its end."""

    name = "pay-the-rent"
    labels: ClassVar = {
        "markers": "Who has the marker of a face",
        "pot": "Chips in the pot: before the bets of the coming roll",
    }
    title = "Pay the Rent"
    source = "TACTIC rules for dice games"
    rules = (
        "A marker for each face lies on the table. Before every roll each player puts a chip into the pot; the player "
        "in turn rolls three dice and passes them on. Three equal dice take the whole pot. With a pair you take the "
        "marker of its face if it is still on the table. If another player holds it, the two of you halve the pot, and "
        "an odd chip stays for the next one; if you hold it yourself, you take the whole pot. Three different faces do "
        "nothing. When a pot has been paid the markers go back, and the next player starts a new one. With "
        "banker=always the last seat, the banker, holds the marker of the sixes at all times; with banker=second_pair "
        "nobody else takes it, and it pays the banker from the second pair of sixes of a pot. Figures are in chips: "
        "per_roll and per_pot in the long run, this_pot for the rest of the pot in question."
    )
    kind = "alone"
    pays_seats = True
    outcome = "this_pot"
    outcome_unit = "chips"
    measure = "turns"
    unit = "rolls"
    total = 0

    players: int = parameter(3, "players; a banker is one of them", low=3, high=6)
    banker: str = parameter(
        "none", "whether the last seat is a banker, and when the sixes pay", choices=("none", "always", "second_pair")
    )

    @property
    def table(self) -> int:
        """The place of a marker that no player holds."""
        return self.players

    @property
    def banker_seat(self) -> int:
        """The last seat."""
        return self.players - 1

    def boards(self) -> Boards:
        """By face the place that holds its marker (0: the next to roll, then to the left), or ``table``.

        With a banker the sixes have no holder: ``banker`` is the banker's place, and ``sixes`` is 1 once
        they pay.
        """
        markers: dict[str, int | range] = {name: self.players + 1 for name in MARKERS.values()}
        if self.banker == "none":
            return Boards(**markers)
        markers["sixes"] = range(1, 2) if self.banker == "always" else 2
        return Boards(**markers, banker=self.players)

    def first_board(self) -> dict[str, int]:
        """All markers lie on the table."""
        start = dict.fromkeys(MARKERS.values(), self.table)
        if self.banker != "none":
            start |= {"sixes": int(self.banker == "always"), "banker": self.banker_seat}
        return start

    def turn(self) -> Node:
        """One roll."""
        return roll(DICE, lambda faces: End(roll_effect(faces)))

    def transition(self, board: Columns, effect: int | str) -> Transition:
        """The pot is paid, in ``shares`` by place, or the dice pass on, perhaps with a marker taken."""
        if isinstance(effect, str):
            whole = [HALVES, *[0] * (self.players - 1)]
            one_roll = HALVES
            return Transition(
                over=effect == TRIPLE, shares=whole, reward=one_roll, per=HALVES, next=self._passed(board.as_dict())
            )
        holder = self.holder(board, effect)
        taker = 1 if self._is_bankers(effect) else 0  # the roller is place 0
        return Transition(
            over=holder != self.table,
            shares=[(holder == place) + (place == 0) * 1 for place in range(self.players)],
            reward=HALVES,
            per=HALVES,
            next=self._passed({**board.as_dict(), MARKERS[effect]: np.full(len(board), taker)}),
        )

    def holder(self, board: Columns, face: int) -> Column:
        """The place that halves the pot when a pair of this face is rolled, or ``table``."""
        column = board.as_dict()[MARKERS[face]]
        return np.where(column == 1, board.banker, self.table) if self._is_bankers(face) else column

    def _is_bankers(self, face: int) -> bool:
        return face == SIX and self.banker != "none"

    def _passed(self, board: Mapping[str, Any]) -> dict[str, Any]:
        """The same board for the next player to the left."""
        unchanged = ("sixes",) if self.banker != "none" else ()
        return {
            name: place if name in unchanged else np.where(place == self.table, place, (place - 1) % self.players)
            for name, place in board.items()
        }

    def level(self, board: Columns) -> Any:
        """Markers taken: they only leave the table while a pot lasts."""
        return sum((self.holder(board, face) != self.table) * 1 for face in MARKERS)

    # --- questions -------------------------------------------------------------------------------------------------

    def fields(self) -> list[Field]:
        """The markers taken, the pot, and the next to roll."""
        return [
            Pairs(
                "markers",
                "markers taken, face:seat",
                "face",
                "seats",
                range(1, 7),
                range(self.players),
                "4:0,6:2",
                drawn="seat",
            ),
            Number("pot", "chips in the pot, before the bets of the coming roll", 0, MAX_CHIPS),
            Number("mover", "the seat that rolls next", 0, self.players - 1),
        ]

    def locate(self, markers: Mapping[int, int] | None = None, pot: int = 0, mover: int = 0) -> Position:
        """The position of a question."""
        holders = dict(markers or {})
        self._require_banker(holders)
        board = self.first_board()
        for face, seat in holders.items():
            board[MARKERS[face]] = 1 if self._is_bankers(face) else (seat - mover) % self.players
        if self.banker != "none":
            board["banker"] = (self.banker_seat - mover) % self.players
        self._require_pot(pot, self._fewest_rolls(board))
        return Position(board, (), mover=mover)

    def _require_banker(self, owner: Mapping[int, int]) -> None:
        if self._is_bankers(SIX) and owner.get(SIX, self.banker_seat) != self.banker_seat:
            raise StateError(f"the marker of the sixes is the banker's, seat {self.banker_seat}, got seat {owner[SIX]}")

    def _require_pot(self, pot: int, rolls: int) -> None:
        """Raise StateError unless the pot is the bets of enough rolls, and an odd chip of the pot before."""
        odd = self.players % 2  # an even number of players never has an odd pot
        if pot % self.players > odd:
            possible = f"a multiple of {self.players}{', or one chip more' if odd else ''}"
            raise StateError(f"the pot of {self.players} players is {possible}, got {pot}")
        if pot < rolls * self.players:
            raise StateError(
                f"these markers take {count_of(rolls, 'roll')} or more, so the pot holds "
                f"{rolls * self.players} chips or more, got {pot}"
            )

    def _fewest_rolls(self, board: Mapping[str, int]) -> int:
        """The fewest rolls of a pot after which these markers can be where they are."""
        places = [board[name] for face, name in MARKERS.items() if not self._is_bankers(face)]
        n_taken = [places.count(place) for place in range(self.players)]
        first_sixes = int(self.banker == "second_pair" and board["sixes"] == 1)
        # place p had its c-th last roll c * players - p rolls ago
        back = [count * self.players - place for place, count in enumerate(n_taken) if count]
        return max([sum(n_taken) + first_sixes, *back])

    def describe(self, board: Mapping[str, int], state: NodeKey) -> Iterable[dict[str, Any]]:
        """The fields of a position, with the smallest possible pot; without a banker the mover is seat 0."""
        mover = (self.banker_seat - board["banker"]) % self.players if self.banker != "none" else 0
        columns = Columns({name: np.array([value]) for name, value in board.items()})
        places = {face: int(self.holder(columns, face)[0]) for face in MARKERS}
        yield {
            "markers": {face: (place + mover) % self.players for face, place in places.items() if place != self.table},
            "pot": self.players * self._fewest_rolls(board),
            "mover": mover,
        }

    def onward(self, fields: Mapping[str, Any], thrown: Faces) -> LuckTransition:
        """Each player bets a chip; then a marker may be taken, or the pot be paid, and the next player rolls."""
        holders, mover = dict(fields.get("markers", {})), fields.get("mover", 0)
        pot, effect = fields.get("pot", 0) + self.players, roll_effect(thrown)
        following = (mover + 1) % self.players
        holder = mover if effect == TRIPLE else self.pays(holders, effect)
        if holder is not None:
            chips, odd_chip = pay_out(pot, [(holder == seat) + (mover == seat) for seat in range(self.players)])
            always = {SIX: self.banker_seat} if self.banker == "always" else {}
            start = {"markers": always, "pot": odd_chip, "mover": following}
            return LuckTransition(start, tuple(Fraction(own - 1) for own in chips), counting=False)
        if effect != NOTHING:
            holders[int(effect)] = self.banker_seat if self._is_bankers(int(effect)) else mover
        return LuckTransition({"markers": holders, "pot": pot, "mover": following}, (Fraction(-1),) * self.players)

    def pays(self, holders: Mapping[int, int], effect: int | str) -> int | None:
        """The seat that halves the pot with the roller of this throw; None where no seat does."""
        if self.banker == "always" and effect == SIX:
            return self.banker_seat
        return holders.get(int(effect)) if effect != NOTHING else None

    # --- gains and losses ------------------------------------------------------------------------------------------

    def quantities(self, graph: TurnGraph, fields: Mapping[str, Any]) -> dict[str, Quantity]:
        """By seat the mean gain per roll and per pot in the long run, and of the rest of the present pot."""
        means = self.long_run
        prospects = self.prospects(fields.get("markers", {}), fields.get("mover", 0))
        rolls = Quantity.between(prospects[0].rolls, prospects[0].rolls, "rolls")
        pot = fields.get("pot", 0)
        return {
            "per_roll": _by_seat([net / means.rolls for net in means.net]),
            "per_pot": _by_seat(means.net),
            "rolls_per_pot": Quantity.between(means.rolls, means.rolls, "rolls"),
            "this_pot": _by_seat([seat.net(pot) for seat in prospects]),
            "length": replace(rolls, label="mean rolls until this pot is paid"),
        }

    def prospects(self, markers: Mapping[int, int], mover: int) -> list[PotProspects]:
        """The expected rest of a pot, by seat."""
        holders = list(markers.values())
        if self.banker == "always" and SIX not in markers:
            holders.append(self.banker_seat)
        to_banker = self.banker == "second_pair" and SIX not in markers
        every = _every_view(self.players)
        return [
            every[
                View(
                    own=holders.count(seat),
                    others=len(holders) - holders.count(seat),
                    six=(MINE if seat == self.banker_seat else THEIRS) if to_banker else FREE,
                    wait=(seat - mover) % self.players,
                )
            ]
            for seat in range(self.players)
        ]

    @cached_property
    def long_run(self) -> LongRun:
        """Means over all pots, of a Markov chain on the starter and the chip left over from the pot before."""
        seats = range(self.players)
        starts = [(starter, odd) for starter in seats for odd in range(1 + self.players % 2)]
        steps: dict[tuple[int, int], dict[tuple[int, int], Fraction]] = {}
        gains: dict[tuple[int, int], list[Fraction]] = {}
        for starter, odd in starts:
            pot = self.prospects({}, starter)
            steps[starter, odd] = {}
            for seat in seats:
                following = (seat + 1) % self.players
                p_odd = pot[seat].p_odd_chip(odd)
                for after, chance in ((0, pot[seat].last - p_odd), (1, p_odd)):
                    if chance:
                        steps[starter, odd][following, after] = chance
            gains[starter, odd] = [*(seat.net(odd) for seat in pot), pot[0].rolls, Fraction(1)]
        *net, rolls, pots = between_visits(steps, gains, (0, 0))
        return LongRun([chips / pots for chips in net], rolls / pots)


class LongRun(NamedTuple):
    """Means per pot: chips that each seat gains, and rolls."""

    net: list[Fraction]
    rolls: Fraction


def _by_seat(chips: Sequence[Fraction]) -> Quantity:
    return Quantity(
        [float(part) for part in chips],
        [below(part) for part in chips],
        [above(part) for part in chips],
        [str(part) for part in chips],
        "chips",
    )
