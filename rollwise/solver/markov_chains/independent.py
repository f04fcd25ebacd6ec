"""Players who never touch each other's dice: one player's distribution tells everything about all of them.

Three questions are answered here: who has the most points when each player's points are drawn alone, who is the first
or the last to finish when players take turns and each needs some number of them, and what independent numbers add up
to. Chances are counted in whole parts, so a lower bound is a sum of what is certain; what is missing to 1 is open: it
lies past the cut of a distribution, or was rounded off.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import accumulate
from math import lcm, prod
from typing import Any

import numpy as np

from rollwise.solver.markov_chains.chain import TAIL, Distribution, absorption, reward_distribution
from rollwise.solver.model.dice import Faces, grouped
from rollwise.solver.model.game import TurnGame
from rollwise.solver.model.rounding import above, below
from rollwise.solver.model.solution import Quantity
from rollwise.solver.turn.graph import TurnGraph

BITS = 128
WHOLE = 1 << BITS  # parts that a chance is counted in where its own denominator would be too long
NEGLIGIBLE = 1e-200  # far above what underflow can spoil; smaller chances are left open

Bounds = tuple[Fraction, Fraction]  # lower, upper


# --- facts as they are told ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Spread:
    """Chances of whole numbers: ``certain[number]`` at least; ``open`` is the chance that is in none of them."""

    certain: Mapping[int, Fraction]
    open: Fraction

    @classmethod
    def of(cls, certain: Mapping[int, Fraction]) -> Spread:
        """What is missing to 1 is open."""
        return cls(certain, 1 - sum(certain.values(), Fraction(0)))

    def quantity(self, tail: Fraction = TAIL) -> Quantity:
        """As it is told: number by number, up to where at most ``tail`` is left (and what is open)."""
        end, rest = max(self.certain) + 1, Fraction(0)
        for number in sorted(self.certain, reverse=True):
            if rest + self.certain[number] > tail:
                break
            end, rest = number, rest + self.certain[number]
        listed = {number: chance for number, chance in sorted(self.certain.items()) if chance and number < end}
        beyond = {"from": end, "upper": above(rest + self.open)} if rest + self.open else None
        return _by_number(listed, self.open, beyond)


def distribution_quantity(numbers: Distribution) -> Quantity:
    """A distribution as it is told: its chances are exact, up to the cut."""
    listed = {numbers.first + i: chance for i, chance in enumerate(numbers.chances) if chance}
    return _by_number(listed, Fraction(0), numbers.plain().get("tail"))


def _by_number(chances: Mapping[int, Fraction], open_: Fraction, tail: dict[str, Any] | None) -> Quantity:
    return Quantity(
        {str(number): float(chance) for number, chance in chances.items()},
        {str(number): below(chance) for number, chance in chances.items()},
        {str(number): above(chance + open_) for number, chance in chances.items()},
        None,
        "probability",
        tail,
    )


def by_seat(bounds: Iterable[Bounds]) -> Quantity:
    """Chances by seat."""
    seats = [Quantity.between(*pair, "probability") for pair in bounds]
    return Quantity(
        [seat.value for seat in seats],
        [seat.lower for seat in seats],
        [seat.upper for seat in seats],
        None,
        "probability",
    )


# --- the most points -----------------------------------------------------------------------------------------------


def shares_of_most(finished: Sequence[int], open_: Sequence[Distribution]) -> tuple[tuple[Bounds, ...], Bounds]:
    """Shares of the win for the most points by seat, and the chance of a shared win, each as (lower, upper).

    ``finished`` seats have their scores; then come seats that each draw theirs from a distribution, independently.
    Lower bounds count only draws before every cut, where all chances are exact; upper bounds add the chance that some
    draw lies beyond its cut.
    """
    draws = _Draws(open_, len(finished))
    best = max(finished, default=0)
    leaders = finished.count(best)
    totals = range(best, max(d.end for d in open_))

    def tied_with(total: int) -> int:
        return leaders if total == best else 0

    held = draws.shares(draws.ways(draws.seats, best), leaders - 1) if finished else 0
    lower = [held if score == best else 0 for score in finished]
    for seat in draws.seats:
        if seat and open_[seat] == open_[seat - 1]:
            lower.append(lower[-1])
            continue
        others = [other for other in draws.seats if other != seat]
        won = (draws.exactly(seat, t) * draws.shares(draws.ways(others, t), tied_with(t)) for t in totals)
        lower.append(sum(won))
    several = sum(sum(draws.ways(draws.seats, t)[max(0, 2 - tied_with(t)) :]) for t in totals)
    beyond = 1 - prod(1 - d.beyond for d in open_)

    at_least = [Fraction(part, draws.whole * draws.parts) for part in lower]
    beaten = max([best, *(d.first for d in open_)])
    at_most = [
        share + (0 if seat < len(finished) and finished[seat] < beaten else beyond)
        for seat, share in enumerate(at_least)
    ]
    left_over = 1 - sum(at_most)
    win = tuple((max(low, high + left_over), high) for low, high in zip(at_least, at_most, strict=True))
    shared = Fraction(several, draws.whole)
    return win, (shared, shared + beyond)


class _Draws:
    """Independent draws as integers over one denominator a seat: their product ``whole`` counts all draws together.

    A win is counted in ``parts``, so that it can be shared in whole parts by any number of seats.
    """

    def __init__(self, drawn: Sequence[Distribution], finished: int) -> None:
        self.seats = range(len(drawn))
        self.parts = lcm(*range(1, len(drawn) + finished + 1))
        self.first = [d.first for d in drawn]
        scales = [lcm(*(chance.denominator for chance in (*d.chances, d.beyond))) for d in drawn]
        self.counts = [[int(chance * scale) for chance in d.chances] for d, scale in zip(drawn, scales, strict=True)]
        self.below = [[0, *accumulate(row)] for row in self.counts]
        self.whole = prod(scales)

    def exactly(self, seat: int, total: int) -> int:
        """Ways in which this seat draws this total."""
        place = total - self.first[seat]
        return self.counts[seat][place] if 0 <= place < len(self.counts[seat]) else 0

    def less(self, seat: int, total: int) -> int:
        """Ways in which it draws less (and not beyond its cut)."""
        place = total - self.first[seat]
        return self.below[seat][min(max(place, 0), len(self.counts[seat]))]

    def ways(self, seats: Iterable[int], total: int) -> list[int]:
        """Ways in which none of these seats draws more, by the number of them that draw exactly this total."""
        found = [1]
        for seat in seats:
            tie, less = self.exactly(seat, total), self.less(seat, total)
            found = [less * a + tie * b for a, b in zip([*found, 0], [0, *found], strict=True)]
        return found

    def shares(self, ways: Sequence[int], tied: int) -> int:
        """The share of a seat that ties with ``tied`` others and with as many more as ``ways`` tells, in ``parts``."""
        return sum(n * (self.parts // (1 + tied + more)) for more, n in enumerate(ways))


# --- sums ----------------------------------------------------------------------------------------------------------


def total_of(drawn: Sequence[Distribution]) -> Spread:
    """The distribution of the sum of independent draws, from below, in parts of ``WHOLE``."""
    from flint import fmpz_poly

    total = fmpz_poly([WHOLE])
    for one in drawn:
        total *= fmpz_poly([_parts(chance) for chance in one.chances])
        total = fmpz_poly([int(part) >> BITS for part in total.coeffs()])
    first = sum(one.first for one in drawn)
    return Spread.of({first + i: Fraction(int(part), WHOLE) for i, part in enumerate(total.coeffs())})


def _parts(chance: Fraction) -> int:
    """How many whole parts of ``WHOLE`` are in a chance."""
    return chance.numerator * WHOLE // chance.denominator


# --- races ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Runner:
    """One player of a race: how many more turns of its own it needs (1 or more), and the mean of that number."""

    turns: Distribution
    mean: Fraction


@dataclass(frozen=True)
class Race:
    """What is asked about a race; runners stand in the order in which they take turns, the mover first.

    ``chances``: of each runner to be the first, or the last, as (lower, upper). ``length``: bounds of the mean number
    of turns still to come, those of all runners counted, until that is decided; ``lengths``: their distribution.
    """

    chances: tuple[Bounds, ...]
    length: Bounds
    lengths: Spread


def runners_on(game: TurnGame, graph: TurnGraph, boards: Sequence[int]) -> list[Runner]:
    """The runners that stand on these boards (by index) of a game whose every turn is worth 1.

    Raises as ``solver.markov_chains.chain.absorption`` and ``reward_distribution``.
    """
    means = absorption(game, graph)
    alone = {board: reward_distribution(game, graph, board) for board in set(boards)}
    return [Runner(alone[board], means[board]) for board in boards]


def first_to_finish(runners: Sequence[Runner]) -> Race:
    """The race that is over as soon as one runner finishes."""
    course = _Course(runners)
    first = [0] * len(runners)
    lengths: dict[int, Fraction] = {}
    for length, (turn, place) in enumerate(course.turns(), start=1):
        part = course.ends[place][turn] * prod(course.others(course.least_in, place, turn))
        first[place] += part
        lengths[length] = Fraction(part, course.whole)
    return Race(course.bounds(first), _mean_length(course, prod), Spread.of(lengths))


def last_to_finish(runners: Sequence[Runner]) -> Race:
    """The race that goes on until a single runner is left; those who have finished take no more turns."""
    course = _Course(runners)

    def all_out(still_in: Iterable[int]) -> int:
        return prod(WHOLE - part for part in still_in)

    def some_in(still_in: Iterable[int]) -> int:
        return course.whole // WHOLE - all_out(still_in)

    last = [0] * len(runners)
    for turn, place in course.turns():
        last[place] += course.ends_or_later(place, turn) * all_out(course.others(course.most_in, place, turn))
    lengths = _lengths_until_one_is_left(course)
    return Race(course.bounds(last), _mean_length(course, some_in), Spread.of(lengths))


class _Course:
    """What is certain of every runner, in parts of ``WHOLE``; lists run from 0 to ``horizon`` turns of its own.

    ``ends[runner][turn]``: at least that of it finishes in this turn. ``least_in`` and ``most_in``: at least, at most
    that of it still runs after so many turns. ``whole`` is all runners' parts multiplied.
    """

    def __init__(self, runners: Sequence[Runner]) -> None:
        self.runners = runners
        self.horizon = max(runner.turns.end for runner in runners)
        self.whole: int = WHOLE ** len(runners)
        self.ends = [[_parts(r.turns.chance(turn)) for turn in range(self.horizon + 1)] for r in runners]
        self.beyond = [_parts(r.turns.beyond) for r in runners]
        out = [list(accumulate(row)) for row in self.ends]
        self.most_in = [[WHOLE - done for done in row] for row in out]
        self.least_in = [
            [row[-1] + beyond - done if turn < r.turns.end else 0 for turn, done in enumerate(row)]
            for r, row, beyond in zip(runners, out, self.beyond, strict=True)
        ]

    def turns(self) -> Iterator[tuple[int, int]]:
        """(number of a turn among the runner's own, runner) in the order in which turns are taken."""
        return ((turn, place) for turn in range(1, self.horizon + 1) for place in range(len(self.runners)))

    def others(self, still_in: Sequence[Sequence[int]], place: int, turn: int) -> list[int]:
        """The parts of all other runners that are still in when this one takes this turn of its own."""
        return [row[turn - (other > place)] for other, row in enumerate(still_in) if other != place]

    def ends_or_later(self, place: int, turn: int) -> int:
        """The part that finishes in this turn; all that lies past the cut counts as the first turn there."""
        past = turn == self.runners[place].turns.end
        return self.ends[place][turn] + (self.beyond[place] if past else 0)

    def bounds(self, certain: Sequence[int]) -> tuple[Bounds, ...]:
        """(lower, upper) of chances that add up to 1."""
        open_ = self.whole - sum(certain)
        return tuple((Fraction(part, self.whole), Fraction(part + open_, self.whole)) for part in certain)


def _mean_length(course: _Course, goes_on: Callable[[Iterable[int]], int]) -> Bounds:
    """The mean number of turns: the sum over all turns of the chance that they are taken.

    A runner takes a turn if it is still in and the race goes on; ``goes_on`` makes the chance of that, which never
    grows from turn to turn, from the chances of the others to be still in. Turns after the horizon are bounded by the
    runner's own mean.
    """
    least = most = 0
    for turn, place in course.turns():
        others = (course.others(still_in, place, turn) for still_in in (course.least_in, course.most_in))
        low, high = map(goes_on, others)
        least += course.least_in[place][turn - 1] * low
        most += course.most_in[place][turn - 1] * high
    later = Fraction(0)
    for place, runner in enumerate(course.runners):
        rest = runner.mean - Fraction(sum(course.least_in[place][:-1]), WHOLE)
        later += rest * Fraction(goes_on(course.others(course.most_in, place, course.horizon)) * WHOLE, course.whole)
    return Fraction(least, course.whole), Fraction(most, course.whole) + later


def _lengths_until_one_is_left(course: _Course) -> dict[int, Fraction]:
    """At least the chance of every length, in floats.

    Runners drop out one by one; ``waits`` has, by who is out (1) and who is not (0), the chance that those who are
    out finished as they did, by the number of turns they took together. Whoever is still in counts only when the race
    is over, with the chance of having lasted so long. All terms are chances, so each rounding is relative to the
    result, and their number bounds how far it may be too large.
    """
    count, horizon = len(course.runners), course.horizon
    ends = [[part / WHOLE for part in row] for row in course.ends]
    still_in = [[part / WHOLE for part in row] for row in course.least_in]
    waits = np.zeros((2,) * count + ((count - 2) * horizon + 1,))
    waits[(0,) * (count + 1)] = 1.0
    lengths = np.zeros(count * horizon + 1)
    for turn, place in course.turns():
        reach = (count - 2) * turn + 1  # while two or more are in, and the rest of ``waits`` is never read
        here, gone = ((slice(None),) * place + (side,) for side in (0, 1))
        finishes = waits[here][..., :reach] * ends[place][turn]
        for left in range(count):
            if left != place:
                alone = tuple(int(other != left) for other in range(count) if other != place)
                own = turn - (left > place)
                begin = turn + own
                lengths[begin : begin + reach] += finishes[alone] * still_in[left][own]
        waits[gone][..., turn:reach] += finishes[..., : max(0, reach - turn)]
    additions = horizon * (count * (count - 1) + (count - 1) * (count - 2) // 2)
    shrink = 1 - Fraction(additions + 4 * count, 2**53)
    return {length: Fraction(chance) * shrink for length, chance in enumerate(lengths.tolist()) if chance > NEGLIGIBLE}


def race_quantities(
    name: str, chances: Sequence[Bounds], race: Race, mover: Runner, rolls: Fraction
) -> dict[str, Quantity]:
    """What is told about a race: ``name`` by seat, its length, the turns and ``rolls`` that the mover alone needs."""
    return {
        name: by_seat(chances),
        "length": Quantity.between(*race.length, "turns"),
        "length_distribution": race.lengths.quantity(),
        "turns_alone": Quantity.between(mover.mean, mover.mean, "turns"),
        "turns_alone_distribution": distribution_quantity(mover.turns),
        "rolls_alone": Quantity.between(rolls, rolls, "rolls"),
    }


def mean_rolls(dice: int, after: Callable[[int, Faces], int], start: int, goal: int) -> Fraction:
    """Mean number of rolls from one place to another where ``after`` a roll from a place nobody has gone back."""
    left = {goal: Fraction(0)}
    for here in reversed(range(start, goal)):
        ways = dict(grouped(dice, partial(after, here)))
        away = {there: n for there, n in ways.items() if there != here}
        further = sum((n * left[there] for there, n in away.items()), Fraction(0))
        left[here] = (sum(ways.values()) + further) / sum(away.values())
    return left[start]
