"""Pay the Rent: everybody pays into the pot before every roll of three dice; a triple or a second equal pair takes it.

Number 16 of TACTIC's 21 dice games. Nobody ever chooses, and the game has no end: pot follows pot, and the question is
what each seat gains or loses on average.

A pot has no largest size, but it grows by the same number of chips every roll. So what a seat can expect of it is a
straight line in the chips that lie there, and a term that turns with odd and even for the chip that stays when an odd
pot is halved. And to a seat it makes no difference which of the others hold the markers that are not its own. With
these two, small chains hold everything, exactly.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from rollwise.solver.markov_chains.longrun import between_visits, totals
from rollwise.solver.model.dice import Faces, grouped, roll
from rollwise.solver.model.errors import StateError
from rollwise.solver.model.fields import Field, Number, Pairs
from rollwise.solver.model.game import (
    Boards,
    Column,
    Columns,
    End,
    Node,
    NodeKey,
    Onward,
    Position,
    Transition,
    TurnGame,
    parameter,
)
from rollwise.solver.model.plain import count_of
from rollwise.solver.model.rounding import above, below
from rollwise.solver.model.solution import Quantity
from rollwise.solver.turn.graph import TurnGraph

DICE = 3
MARKERS = {1: "ones", 2: "twos", 3: "threes", 4: "fours", 5: "fives", 6: "sixes"}
SIX = 6
NOTHING, TRIPLE = "nothing", "triple"
HALVES = 2  # shares of a pot are counted in halves
MOST_CHIPS = 999_999  # in a question; play itself knows no limit


def shown(faces: Faces) -> int | str:
    """What a throw does: ``TRIPLE``, the face of its pair, or ``NOTHING``.

    >>> shown((3, 3, 3)), shown((4, 4, 5)), shown((1, 2, 5))
    ('triple', 4, 'nothing')
    """
    low, middle, high = sorted(faces)
    if low == high:
        return TRIPLE
    return middle if middle in (low, high) else NOTHING


def paid(pot: int, halves: Sequence[int]) -> tuple[tuple[int, ...], int]:
    """Chips that each gets of a pot, by the halves of it that are due, and what stays on the table.

    >>> paid(9, (1, 0, 1)), paid(9, (2, 0, 0))
    (((4, 0, 4), 1), ((9, 0, 0), 0))
    """
    chips = tuple(pot * due // HALVES for due in halves)
    return chips, pot - sum(chips)


@dataclass(frozen=True)
class PayTheRent(TurnGame):
    """Luck; a board is a pot's markers as seen from the roller, a roll is a turn, the value is the rolls to its end."""

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
        "per_roll and per_pot in the long run, this_pot what the pot asked about will still bring."
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
        """Where a marker is that no place holds."""
        return self.players

    @property
    def banker_seat(self) -> int:
        """The last seat."""
        return self.players - 1

    def boards(self) -> Boards:
        """By face the place that holds its marker (0: who rolls next, then to the left), or ``table``.

        With a banker the sixes are not held like others: ``banker`` is the banker's place, and ``sixes`` is 1 once they
        pay.
        """
        held: dict[str, int | range] = {name: self.players + 1 for name in MARKERS.values()}
        if self.banker == "none":
            return Boards(**held)
        held["sixes"] = range(1, 2) if self.banker == "always" else 2
        return Boards(**held, banker=self.players)

    def first_board(self) -> dict[str, int]:
        """All markers lie on the table."""
        start = dict.fromkeys(MARKERS.values(), self.table)
        if self.banker != "none":
            start |= {"sixes": int(self.banker == "always"), "banker": self.banker_seat}
        return start

    def turn(self) -> Node:
        """One roll."""
        return roll(DICE, lambda faces: End(shown(faces)))

    def transition(self, board: Columns, seen: int | str) -> Transition:
        """The pot is paid, in ``shares`` by place, or the dice pass on, perhaps with a marker taken."""
        if isinstance(seen, str):
            whole = [HALVES, *[0] * (self.players - 1)]
            one_roll = HALVES
            return Transition(
                over=seen == TRIPLE, shares=whole, reward=one_roll, per=HALVES, next=self._passed(board.as_dict())
            )
        holder = self.holder(board, seen)
        taken = 1 if self._is_bankers(seen) else 0  # the roller is place 0
        return Transition(
            over=holder != self.table,
            shares=[(holder == place) + (place == 0) * 1 for place in range(self.players)],
            reward=HALVES,
            per=HALVES,
            next=self._passed({**board.as_dict(), MARKERS[seen]: np.full(len(board), taken)}),
        )

    def holder(self, board: Columns, face: int) -> Column:
        """The place that halves the pot when a pair of this face is rolled, or ``table``."""
        column = board.as_dict()[MARKERS[face]]
        return np.where(column == 1, board.banker, self.table) if self._is_bankers(face) else column

    def _is_bankers(self, face: int) -> bool:
        return face == SIX and self.banker != "none"

    def _passed(self, board: Mapping[str, Any]) -> dict[str, Any]:
        """The same as the next player to the left sees it."""
        kept = ("sixes",) if self.banker != "none" else ()
        return {
            name: place if name in kept else np.where(place == self.table, place, (place - 1) % self.players)
            for name, place in board.items()
        }

    def level(self, board: Columns) -> Any:
        """Markers only leave the table while a pot lasts."""
        return sum((self.holder(board, face) != self.table) * 1 for face in MARKERS)

    # --- questions -------------------------------------------------------------------------------------------------

    def fields(self) -> list[Field]:
        """The markers taken, the pot, who rolls next."""
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
            Number("pot", "chips in the pot, before the bets of the coming roll", 0, MOST_CHIPS),
            Number("mover", "the seat that rolls next", 0, self.players - 1),
        ]

    def locate(self, markers: Mapping[int, int] | None = None, pot: int = 0, mover: int = 0) -> Position:
        """The position of a question."""
        held = dict(markers or {})
        self._require_banker(held)
        board = self.first_board()
        for face, seat in held.items():
            board[MARKERS[face]] = 1 if self._is_bankers(face) else (seat - mover) % self.players
        if self.banker != "none":
            board["banker"] = (self.banker_seat - mover) % self.players
        self._require_pot(pot, self._fewest_rolls(board))
        return Position(board, (), mover=mover)

    def _require_banker(self, held: Mapping[int, int]) -> None:
        if self._is_bankers(SIX) and held.get(SIX, self.banker_seat) != self.banker_seat:
            raise StateError(f"the marker of the sixes is the banker's, seat {self.banker_seat}, got seat {held[SIX]}")

    def _require_pot(self, pot: int, rolls: int) -> None:
        """Every roll of this pot had its bets, and there may be an odd chip of the pot before."""
        odd = self.players % 2  # an even number of players never has an odd pot
        if pot % self.players > odd:
            wanted = f"a multiple of {self.players}{', or one chip more' if odd else ''}"
            raise StateError(f"the pot of {self.players} players is {wanted}, got {pot}")
        if pot < rolls * self.players:
            raise StateError(
                f"these markers take {count_of(rolls, 'roll')} or more, so the pot holds "
                f"{rolls * self.players} chips or more, got {pot}"
            )

    def _fewest_rolls(self, board: Mapping[str, int]) -> int:
        """The fewest rolls of a pot after which these markers can be where they are."""
        places = [board[name] for face, name in MARKERS.items() if not self._is_bankers(face)]
        taken = [places.count(place) for place in range(self.players)]
        first_sixes = int(self.banker == "second_pair" and board["sixes"] == 1)
        # place p has rolled p rolls less than whole rounds ago: its c-th last roll lies c * players - p rolls back
        back = [count * self.players - place for place, count in enumerate(taken) if count]
        return max([sum(taken) + first_sixes, *back])

    def describe(self, board: Mapping[str, int], state: NodeKey) -> Iterable[dict[str, Any]]:
        """The fields of a position, with the smallest pot there can be; without a banker the mover is seat 0."""
        mover = (self.banker_seat - board["banker"]) % self.players if self.banker != "none" else 0
        columns = Columns({name: np.array([value]) for name, value in board.items()})
        held = {face: int(self.holder(columns, face)[0]) for face in MARKERS}
        yield {
            "markers": {face: (place + mover) % self.players for face, place in held.items() if place != self.table},
            "pot": self.players * self._fewest_rolls(board),
            "mover": mover,
        }

    def onward(self, fields: Mapping[str, Any], thrown: Faces) -> Onward:
        """Everybody bets a chip; then a marker may be taken, or the pot be paid, and the next player rolls."""
        held, mover = dict(fields.get("markers", {})), fields.get("mover", 0)
        pot, seen = fields.get("pot", 0) + self.players, shown(thrown)
        following = (mover + 1) % self.players
        holder = mover if seen == TRIPLE else self.pays(held, seen)
        if holder is not None:
            chips, left = paid(pot, [(holder == seat) + (mover == seat) for seat in range(self.players)])
            always = {SIX: self.banker_seat} if self.banker == "always" else {}
            start = {"markers": always, "pot": left, "mover": following}
            return Onward(start, tuple(Fraction(own - 1) for own in chips), counting=False)
        if seen != NOTHING:
            held[int(seen)] = self.banker_seat if self._is_bankers(int(seen)) else mover
        return Onward({"markers": held, "pot": pot, "mover": following}, (Fraction(-1),) * self.players)

    def pays(self, held: Mapping[int, int], seen: int | str) -> int | None:
        """The seat that halves the pot with the roller when this is rolled; None where nobody does."""
        if self.banker == "always" and seen == SIX:
            return self.banker_seat
        return held.get(int(seen)) if seen != NOTHING else None

    # --- what it is worth ------------------------------------------------------------------------------------------

    def quantities(self, graph: TurnGraph, given: Mapping[str, Any]) -> dict[str, Quantity]:
        """By seat what a roll and a pot bring in the long run, and what the present pot will still bring."""
        means = self.long_run
        prospects = self.prospects(given.get("markers", {}), given.get("mover", 0))
        rolls = Quantity.between(prospects[0].rolls, prospects[0].rolls, "rolls")
        pot = given.get("pot", 0)
        return {
            "per_roll": _by_seat([net / means.rolls for net in means.net]),
            "per_pot": _by_seat(means.net),
            "rolls_per_pot": Quantity.between(means.rolls, means.rolls, "rolls"),
            "this_pot": _by_seat([seat.net(pot) for seat in prospects]),
            "length": replace(rolls, label="mean rolls until this pot is paid"),
        }

    def prospects(self, markers: Mapping[int, int], mover: int) -> list[PotProspects]:
        """What each seat can expect of the rest of a pot."""
        held = list(markers.values())
        if self.banker == "always" and SIX not in markers:
            held.append(self.banker_seat)
        to_banker = self.banker == "second_pair" and SIX not in markers
        every = _every_view(self.players)
        return [
            every[
                View(
                    own=held.count(seat),
                    others=len(held) - held.count(seat),
                    six=(MINE if seat == self.banker_seat else THEIRS) if to_banker else FREE,
                    wait=(seat - mover) % self.players,
                )
            ]
            for seat in range(self.players)
        ]

    @cached_property
    def long_run(self) -> LongRun:
        """Means over all pots: who starts one, and the chip left over from the pot before, come as play brings them."""
        seats = range(self.players)
        starts = [(starter, odd) for starter in seats for odd in range(1 + self.players % 2)]
        steps: dict[tuple[int, int], dict[tuple[int, int], Fraction]] = {}
        gains: dict[tuple[int, int], list[Fraction]] = {}
        for starter, odd in starts:
            pot = self.prospects({}, starter)
            steps[starter, odd] = {}
            for seat in seats:
                following = (seat + 1) % self.players
                left = pot[seat].left(odd)
                for after, chance in ((0, pot[seat].last - left), (1, left)):
                    if chance:
                        steps[starter, odd][following, after] = chance
            gains[starter, odd] = [*(seat.net(odd) for seat in pot), pot[0].rolls, Fraction(1)]
        *net, rolls, pots = between_visits(steps, gains, (0, 0))
        return LongRun([chips / pots for chips in net], rolls / pots)


class LongRun(NamedTuple):
    """Means per pot: chips that each seat gains, and rolls."""

    net: list[Fraction]
    rolls: Fraction


# --- a pot as one seat sees it -------------------------------------------------------------------------------------

FREE, MINE, THEIRS = "free", "mine", "theirs"


class View(NamedTuple):
    """A seat's view of a pot: markers it holds, markers the others hold, and how many rolls come before its own.

    ``six``: where nobody has rolled a pair of sixes yet, who gets that marker: whoever rolls it (``FREE``, as for every
    other face), this seat, which is the banker (``MINE``), or another (``THEIRS``).
    """

    own: int
    others: int
    six: str
    wait: int


class RollOutcome(NamedTuple):
    """What a roll may do to a view: chance, halves of the pot that this seat gets, and the next view (None: paid)."""

    chance: Fraction
    halves: int
    after: View | None


@dataclass(frozen=True)
class PotProspects:
    """What a seat can expect of the rest of a pot of p chips, before the bets of the coming roll.

    Its net gain is ``share * p + base``, and ``swing`` more if p is even, less if p is odd. ``last`` is the chance that
    this seat makes the pot's last roll. It makes it and has to halve the pot with another with the chance ``halved``,
    of which ``even`` tells how much oftener that is an even pot than an odd one, for an even p. ``rolls`` are the rolls
    to come.
    """

    share: Fraction
    base: Fraction
    swing: Fraction
    last: Fraction
    halved: Fraction
    even: Fraction
    rolls: Fraction

    def net(self, pot: int) -> Fraction:
        """Chips that the seat gains, its bets paid."""
        return self.share * pot + self.base + _turned(self.swing, pot)

    def left(self, pot: int) -> Fraction:
        """P(this seat makes the last roll, and an odd chip is left over)."""
        return (self.halved - _turned(self.even, pot)) / 2


def outcomes(view: View, players: int) -> Iterator[RollOutcome]:
    """Everything that a roll may do."""
    ways = dict(grouped(DICE, shown))
    all_ways, pair, mine = Fraction(sum(ways.values())), ways[SIX], view.wait == 0
    passed = view._replace(wait=(view.wait - 1) % players)
    taken = passed._replace(own=view.own + 1) if mine else passed._replace(others=view.others + 1)
    yield RollOutcome(ways[NOTHING] / all_ways, 0, passed)
    yield RollOutcome(ways[TRIPLE] / all_ways, 2 if mine else 0, None)
    yield RollOutcome(pair * view.own / all_ways, 2 if mine else 1, None)
    yield RollOutcome(pair * view.others / all_ways, 1 if mine else 0, None)  # another's own: all of it, still 0
    on_table = len(MARKERS) - view.own - view.others
    if view.six != FREE:
        on_table -= 1
        bankers = {"own": view.own + 1} if view.six == MINE else {"others": view.others + 1}
        yield RollOutcome(pair / all_ways, 0, passed._replace(six=FREE, **bankers))
    yield RollOutcome(pair * on_table / all_ways, 0, taken)


def views(players: int) -> list[View]:
    """All views, each after those that it leads to, as far as these do not go round: markers never return to a pot."""
    return [
        View(own, held - own, six, wait)
        for held in range(len(MARKERS), -1, -1)
        for six in (FREE, MINE, THEIRS)
        if held < len(MARKERS) or six == FREE
        for own in range(held + 1)
        for wait in (*range(1, players), 0)
    ]


def chain(players: int) -> dict[View, dict[View, Fraction]]:
    """The chance of each next view, by view; what is missing to 1 pays the pot."""
    return {
        view: {seen.after: seen.chance for seen in outcomes(view, players) if seen.after and seen.chance}
        for view in views(players)
    }


@cache
def _every_view(players: int) -> dict[View, PotProspects]:
    """The prospects of every view, exactly.

    The pot tells the time: after k more rolls it holds p + k * players chips. Half of P chips is P / 2 - 1/4, and 1/4
    more if P is even, less if P is odd; the latter changes its sign with every roll if the number of players is odd.
    """
    sign = -1 if players % 2 else 1
    steps = chain(players)
    due: dict[View, Fraction] = {}
    half: dict[View, Fraction] = {}
    last: dict[View, Fraction] = {}
    halved: dict[View, Fraction] = {}
    for view in steps:
        every = list(outcomes(view, players))
        due[view] = sum((seen.chance * seen.halves / HALVES for seen in every), Fraction(0))  # of the pot, on average
        half[view] = sum((seen.chance for seen in every if seen.halves == 1), Fraction(0))
        mine = Fraction(view.wait == 0)
        last[view] = mine * (1 - sum(steps[view].values()))
        halved[view] = mine * half[view]
    one, quarter = Fraction(1), Fraction(1, 4)
    plain = totals(steps, {view: [due[view], last[view], halved[view], one] for view in steps})
    turning = totals(steps, {view: [quarter * half[view], halved[view]] for view in steps}, sign)
    # the bets of a roll are a chip lost, and ``players`` chips of which the seat will get the share that it then has
    base = totals(steps, {view: [players * plain[view][0] - 1 - quarter * half[view]] for view in steps})
    return {
        view: PotProspects(
            share=plain[view][0],
            base=base[view][0],
            swing=sign * turning[view][0],
            last=plain[view][1],
            halved=plain[view][2],
            even=sign * turning[view][1],
            rolls=plain[view][3],
        )
        for view in steps
    }


def _turned(number: Fraction, pot: int) -> Fraction:
    return -number if pot % 2 else number


def _by_seat(chips: Sequence[Fraction]) -> Quantity:
    return Quantity(
        [float(part) for part in chips],
        [below(part) for part in chips],
        [above(part) for part in chips],
        [str(part) for part in chips],
        "chips",
    )
