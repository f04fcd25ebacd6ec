"""Prospects of one seat in a pot of Pay the Rent: small absorbing Markov chains, exactly."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import NamedTuple

from rollwise.solver.markov_chains.longrun import expected_sums
from rollwise.solver.model.dice import Faces, grouped

DICE = 3

MARKERS = {1: "ones", 2: "twos", 3: "threes", 4: "fours", 5: "fives", 6: "sixes"}

SIX = 6

NOTHING, TRIPLE = "nothing", "triple"

HALVES = 2  # shares of a pot are counted in halves


def roll_effect(faces: Faces) -> int | str:
    """The effect of a throw: ``TRIPLE``, the face of its pair, or ``NOTHING``.

    >>> roll_effect((3, 3, 3)), roll_effect((4, 4, 5)), roll_effect((1, 2, 5))
    ('triple', 4, 'nothing')
    """
    low, middle, high = sorted(faces)
    if low == high:
        return TRIPLE
    return middle if middle in (low, high) else NOTHING


FREE, MINE, THEIRS = "free", "mine", "theirs"


class View(NamedTuple):
    """A seat's view of a pot: the markers it holds, those the others hold, and the rolls before its own.

    ``six``: the seat that gets the marker of the sixes, while it is on the table: the roller (``FREE``, as for every
    other face), this seat, which is the banker (``MINE``), or another (``THEIRS``).
    """

    own: int
    others: int
    six: str
    wait: int


class RollOutcome(NamedTuple):
    """One outcome of a roll in a view: chance, halves of the pot for this seat, and the next view (None: paid)."""

    chance: Fraction
    halves: int
    after: View | None


@dataclass(frozen=True)
class PotProspects:
    """A seat's expected rest of a pot of p chips, before the bets of the coming roll.

    Its net gain is ``share * p + base``, and ``swing`` more if p is even, less if p is odd. ``last`` is the chance that
    this seat makes the pot's last roll. ``halved`` is the chance that it does and halves the
    pot with another; ``even``, for an even p, P(such a pot is even) less P(it is odd). ``rolls`` are the expected rolls
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
        """The chips that the seat gains on average, its bets paid."""
        return self.share * pot + self.base + _turned(self.swing, pot)

    def p_odd_chip(self, pot: int) -> Fraction:
        """P(this seat makes the last roll, and an odd chip is left over)."""
        return (self.halved - _turned(self.even, pot)) / 2


def outcomes(view: View, players: int) -> Iterator[RollOutcome]:
    """All outcomes of a roll in this view."""
    ways = dict(grouped(DICE, roll_effect))
    all_ways, pair, mine = Fraction(sum(ways.values())), ways[SIX], view.wait == 0
    passed = view._replace(wait=(view.wait - 1) % players)
    with_marker = passed._replace(own=view.own + 1) if mine else passed._replace(others=view.others + 1)
    yield RollOutcome(ways[NOTHING] / all_ways, 0, passed)
    yield RollOutcome(ways[TRIPLE] / all_ways, 2 if mine else 0, None)
    yield RollOutcome(pair * view.own / all_ways, 2 if mine else 1, None)
    yield RollOutcome(pair * view.others / all_ways, 1 if mine else 0, None)  # with another's own marker 0 too
    on_table = len(MARKERS) - view.own - view.others
    if view.six != FREE:
        on_table -= 1
        bankers = {"own": view.own + 1} if view.six == MINE else {"others": view.others + 1}
        yield RollOutcome(pair / all_ways, 0, passed._replace(six=FREE, **bankers))
    yield RollOutcome(pair * on_table / all_ways, 0, with_marker)


def views(players: int) -> list[View]:
    """All views, each after its successors where these do not form a cycle: markers never return to a pot."""
    return [
        View(own, n_taken - own, six, wait)
        for n_taken in range(len(MARKERS), -1, -1)
        for six in (FREE, MINE, THEIRS)
        if n_taken < len(MARKERS) or six == FREE
        for own in range(n_taken + 1)
        for wait in (*range(1, players), 0)
    ]


def chain(players: int) -> dict[View, dict[View, Fraction]]:
    """The transition matrix of the views, by row; the rest to 1 pays the pot."""
    return {
        view: {each.after: each.chance for each in outcomes(view, players) if each.after and each.chance}
        for view in views(players)
    }


@cache
def _every_view(players: int) -> dict[View, PotProspects]:
    """The prospects of every view, exactly: expected sums of an absorbing Markov chain.

    After k more rolls the pot has p + k * players chips. Half of P chips, rounded down, is P / 2 - 1/4, and 1/4 more if
    P is even, less if P is odd; this term changes its sign with every roll if the number of players is odd.
    """
    sign = -1 if players % 2 else 1
    steps = chain(players)
    due: dict[View, Fraction] = {}
    half: dict[View, Fraction] = {}
    last: dict[View, Fraction] = {}
    halved: dict[View, Fraction] = {}
    for view in steps:
        every = list(outcomes(view, players))
        due[view] = sum((each.chance * each.halves / HALVES for each in every), Fraction(0))  # of the pot, on average
        half[view] = sum((each.chance for each in every if each.halves == 1), Fraction(0))
        mine = Fraction(view.wait == 0)
        last[view] = mine * (1 - sum(steps[view].values()))
        halved[view] = mine * half[view]
    one, quarter = Fraction(1), Fraction(1, 4)
    plain = expected_sums(steps, {view: [due[view], last[view], halved[view], one] for view in steps})
    turning = expected_sums(steps, {view: [quarter * half[view], halved[view]] for view in steps}, sign)
    # the bets of a roll cost a chip, and add ``players`` chips, of which the seat will get its share
    base = expected_sums(steps, {view: [players * plain[view][0] - 1 - quarter * half[view]] for view in steps})
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
