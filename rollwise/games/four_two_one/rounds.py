"""A round of 421: the part of its results so far that still matters, and the chips that its highest result moves.

A result is a *place* in the ranking of all 56 throws, 0 for the lowest. A round has the highest and the lowest seats so
far, as far as they can still matter: rounds with the same future are one.
"""

from __future__ import annotations

from functools import cache
from itertools import product
from math import comb
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rollwise.games.ranks import kind_421, name_421, rank_421, ranking
from rollwise.solver.model.dice import Faces

DICE = 3
THROWS = 3  # that the opener of a round has in the discharge
LOWEST_FIRST = ranking(DICE, rank_421)[::-1]
PLACES: dict[Faces, int] = {faces: place for place, faces in enumerate(LOWEST_FIRST)}
NAMES = {name_421(faces): place for faces, place in PLACES.items()}
THROWN = {place: name for name, place in NAMES.items()}
FOUR_TWO_ONE = len(PLACES) - 1
UNKNOWN = -1  # instead of a result that no longer matters
DISCHARGE = -1  # instead of the place of seat 0

Seats: TypeAlias = tuple[int, ...]  # seats of a round, counted from its opener to the left
Results: TypeAlias = tuple[int, ...]  # places, the opener's first


def moved_by(place: int) -> int:
    """Chips that a result moves as the highest of its round: its third die, 3, 2 or 1; for 4-2-1, all but one, 0.

    >>> [moved_by(NAMES[name]) for name in ("4-2-1", "1-1-5", "1-1-1", "5-4-3", "6-6-5")]
    [0, 5, 3, 2, 1]
    """
    faces = LOWEST_FIRST[place]
    return {"421": 0, "ones": max(faces), "triple": 3, "straight": 2, "rest": 1}[kind_421(faces)]


LOWEST_ALIKE = {  # by place, the lowest of the same kind of throw that moves as many chips
    place: min(other for other in THROWN if (kind_421(LOWEST_FIRST[other]), moved_by(other)) == kind)
    for place in THROWN
    for kind in [(kind_421(LOWEST_FIRST[place]), moved_by(place))]
}
MOVING = {moved_by(place): place for place in reversed(THROWN)}  # by chips moved, the lowest place that moves them
LOWEST_AS_MUCH = {place: MOVING[moved_by(place)] for place in THROWN}  # by place, the lowest that moves as many


class Round(NamedTuple):
    """The state of a round: the seats that have thrown, the highest and the lowest result and their seats.

    ``seat0``: in the charge the place of seat 0 to the left of the opener, as it opens the discharge; there DISCHARGE.
    ``throws``: those of each seat, 0 until the opener of the discharge has thrown. ``thrown``: the number of seats with
    a result. Results are UNKNOWN, and lists of seats empty, where they cannot matter any more.
    """

    seat0: int
    throws: int
    thrown: int = 0
    top: int = UNKNOWN
    tops: Seats = ()
    low: int = UNKNOWN
    lows: Seats = ()

    @property
    def charging(self) -> bool:
        """True while there is a pot to be emptied."""
        return self.seat0 != DISCHARGE

    def with_result(self, place: int, players: int) -> Round:
        """The round after the next seat's result."""
        seat: Seats = (self.thrown,)
        tops = self.tops if place < self.top else (self.tops if place == self.top else ()) + seat
        if place < self.low or not self.thrown:
            lows, low = seat, place
        else:
            lows, low = (self.lows + seat if place == self.low else self.lows), self.low
        thrown, top = self.thrown + 1, max(place, self.top)
        return Round(self.seat0, self.throws, thrown, top, tops, low, lows).merged(players - thrown)

    def merged(self, to_come: int) -> Round:
        """The part of a round that matters with so many results to come.

        In the charge, the seats of the highest result do not matter, nor which of those that move as many chips it is.
        In the discharge the lowest is paid by a 4-2-1 only, so with a single result to come and no 4-2-1 the lowest
        result does not matter. When all have thrown, only payer, receiver and amount do.
        """
        seat0, throws, thrown, top, tops, low, lows = self
        if self.charging:
            top, low = (LOWEST_ALIKE[top], low) if to_come else (LOWEST_AS_MUCH[top], UNKNOWN)
            return Round(seat0, throws, thrown, top, (), low, lows)
        if to_come > 1 or (to_come and top == FOUR_TWO_ONE):
            return self
        if to_come:
            return Round(seat0, throws, thrown, top, tops, UNKNOWN, lows)
        return Round(seat0, 0, thrown, LOWEST_AS_MUCH[top], tops, UNKNOWN, lows if top == FOUR_TWO_ONE else ())


class Rounds:
    """All rounds of so many players, numbered.

    ``each``: the rounds, ``number`` the inverse; ``shown``: for each, some results that lead to it. ``after``: int64,
    shape (rounds, places), the round after a result; ``opened``: int64, shape (places, throws + 1), the same for the
    discharge's first result, by the throws it took. ``moves``: int64, the chips that a round moves when all have
    thrown, 0 for all but one. ``charging``, ``thrown``, ``seat0``: columns of these fields. ``start``: the rounds with
    no throws, by ``seat0``.
    """

    def __init__(self, players: int) -> None:
        self.players = players
        starts = [Round(seat0, 1) for seat0 in range(players)] + [Round(DISCHARGE, 0)]
        self.number: dict[Round, int] = {}
        self.each: list[Round] = []
        self.shown: list[Results] = []
        for start in starts:
            self._enter(start, ())
        self.start = {start.seat0: self.number[start] for start in starts}
        after = []
        self.opened: NDArray[np.int64] = np.zeros((len(THROWN), THROWS + 1), dtype=np.int64)
        for round_, shown in zip(self.each, self.shown, strict=True):  # which grow
            row = np.zeros(len(THROWN), dtype=np.int64)
            if round_.thrown < players and round_.throws:
                row[:] = [self._enter(round_.with_result(place, players), (*shown, place)) for place in sorted(THROWN)]
            elif round_.thrown < players:
                for throws, place in product(range(1, THROWS + 1), THROWN):
                    first = round_._replace(throws=throws).with_result(place, players)
                    self.opened[place, throws] = self._enter(first, (place,))
            after.append(row)
        self.after: NDArray[np.int64] = np.array(after)
        self.moves: NDArray[np.int64] = np.array([moved_by(round_.top) if round_.thrown else 0 for round_ in self.each])
        self.charging: NDArray[np.bool_] = np.array([round_.charging for round_ in self.each])
        self.thrown: NDArray[np.int64] = np.array([round_.thrown for round_ in self.each])
        self.seat0: NDArray[np.int64] = np.array([round_.seat0 for round_ in self.each])

    def _enter(self, round_: Round, shown: Results) -> int:
        if round_ not in self.number:
            self.number[round_] = len(self.each)
            self.each.append(round_)
            self.shown.append(shown)
        return self.number[round_]

    def standing(self, seat0: int, throws: int, results: Results) -> Round:
        """The round after these results, the opener's first; ``throws`` as in a round with results."""
        round_ = Round(seat0, throws if results or seat0 != DISCHARGE else 0)
        for place in results:
            round_ = round_.with_result(place, self.players)
        return round_


def count_open_rounds(players: int) -> int:
    """The number of rounds of the discharge with a throw to come, by combinatorics.

    >>> count_open_rounds(3), sum(not each.charging and each.thrown < 3 for each in rounds_of(3).each)
    (991, 991)
    """
    results = len(THROWN)
    n_rounds = 0
    for thrown in range(1, players):
        apart = 3**thrown - 2 * 2**thrown + 1  # ways to choose the highest seats and the lowest ones
        none_between = 2**thrown - 2
        between = apart - none_between
        if thrown < players - 1:
            n_rounds += results + none_between * comb(results, 2) + between * comb(results - 1, 2)
        else:  # the lowest result only matters beside a 4-2-1
            n_rounds += results + none_between * (2 * results - 3) + between * (2 * results - 5)
    return 1 + THROWS * n_rounds


@cache
def rounds_of(players: int) -> Rounds:
    """The rounds of so many players, built once."""
    return Rounds(players)


def thrown_off(tied: tuple[int, ...], others: tuple[int, ...] = ()) -> list[tuple[int, ...]]:
    """The highest player or the lowest, or pairs of both: where all are tied, two different players.

    >>> thrown_off((0, 2)), thrown_off((0, 1), (2,)), len(thrown_off((0, 1, 2), (0, 1, 2)))
    ([(0,), (2,)], [(0, 2), (1, 2)], 6)
    """
    if not others:
        return [(seat,) for seat in tied]
    return [(top, low) for top in tied for low in others if top != low]
