"""Games of independent players, solved from the distribution of a single one: most points, races, and sums.

Players whose dice never meet are independent. So their distributions give the chance to have the most points, the
chance to be first or last to finish when each needs a number of turns, and the distribution of a sum. Chances are
counted in whole parts, so lower bounds are exact sums; the mass missing to 1 is ``open``: it lies past the cut of a
distribution, or was rounded off.
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

from rollwise.solver.markov_chains.chain import MAX_TAIL, Distribution, expected_rewards, reward_distribution
from rollwise.solver.model.dice import Faces, grouped
from rollwise.solver.model.game import TurnGame
from rollwise.solver.model.rounding import above, below
from rollwise.solver.model.solution import Quantity
from rollwise.solver.turn.graph import TurnGraph

CHANCE_BITS = 128
WHOLE = 1 << CHANCE_BITS  # parts of a chance whose own denominator would be too long
NEGLIGIBLE = 1e-200  # far above the range of underflow; smaller chances are left open

Bounds = tuple[Fraction, Fraction]  # lower, upper


# --- distributions as quantities -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class BoundedDistribution:
    """Distribution of whole numbers, bounded from below by ``certain[number]``; ``open`` is the remaining mass."""

    certain: Mapping[int, Fraction]
    open: Fraction

    @classmethod
    def of(cls, certain: Mapping[int, Fraction]) -> BoundedDistribution:
        """The distribution with these lower bounds; the mass they lack is open."""
        return cls(certain, 1 - sum(certain.values(), Fraction(0)))

    def quantity(self, tail: Fraction = MAX_TAIL) -> Quantity:
        """The chances number by number, up to a cut with at most ``tail`` (and the open mass) beyond."""
        end, rest = max(self.certain) + 1, Fraction(0)
        for number in sorted(self.certain, reverse=True):
            if rest + self.certain[number] > tail:
                break
            end, rest = number, rest + self.certain[number]
        listed = {number: chance for number, chance in sorted(self.certain.items()) if chance and number < end}
        beyond = {"from": end, "upper": above(rest + self.open)} if rest + self.open else None
        return _by_number(listed, self.open, beyond)


def distribution_quantity(numbers: Distribution) -> Quantity:
    """A distribution as a quantity: its chances are exact, up to the cut."""
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


def quantity_by_seat(bounds: Iterable[Bounds]) -> Quantity:
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


def shares_of_highest(finished: Sequence[int], open_: Sequence[Distribution]) -> tuple[tuple[Bounds, ...], Bounds]:
    """Shares of the win for the most points by seat, and the chance of a shared win, each as (lower, upper).

    ``finished`` seats have their scores; the seats after them draw theirs from distributions, independently. Lower
    bounds count only draws before every cut, where all chances are exact; upper bounds add the chance that some draw
    lies beyond its cut.
    """
    draws = _Draws(open_, len(finished))
    best = max(finished, default=0)
    leaders = finished.count(best)
    totals = range(best, max(d.end for d in open_))

    def tied_with(total: int) -> int:
        return leaders if total == best else 0

    best_share = draws.shares(draws.ways(draws.seats, best), leaders - 1) if finished else 0
    lower = [best_share if score == best else 0 for score in finished]
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
    shortfall = 1 - sum(at_most)
    win = tuple((max(low, high + shortfall), high) for low, high in zip(at_least, at_most, strict=True))
    shared = Fraction(several, draws.whole)
    return win, (shared, shared + beyond)


class _Draws:
    """Independent draws as integers over one denominator a seat; the product ``whole`` of these is all draws together.

    A win is counted in ``parts``, so that any number of seats can share it in whole parts.
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
        ways_by_ties = [1]
        for seat in seats:
            tie, less = self.exactly(seat, total), self.less(seat, total)
            ways_by_ties = [less * a + tie * b for a, b in zip([*ways_by_ties, 0], [0, *ways_by_ties], strict=True)]
        return ways_by_ties

    def shares(self, ways: Sequence[int], tied: int) -> int:
        """The share, in ``parts``, of a seat that ties with ``tied`` others and, in ``ways[k]`` ways, with k more."""
        return sum(n * (self.parts // (1 + tied + more)) for more, n in enumerate(ways))


# --- sums ----------------------------------------------------------------------------------------------------------


def convolve(drawn: Sequence[Distribution]) -> BoundedDistribution:
    """Distribution of the sum of independent draws by convolution, from below, in parts of ``WHOLE``."""
    from flint import fmpz_poly

    total = fmpz_poly([WHOLE])
    for one in drawn:
        total *= fmpz_poly([_parts(chance) for chance in one.chances])
        total = fmpz_poly([int(part) >> CHANCE_BITS for part in total.coeffs()])
    first = sum(one.first for one in drawn)
    return BoundedDistribution.of({first + i: Fraction(int(part), WHOLE) for i, part in enumerate(total.coeffs())})


def _parts(chance: Fraction) -> int:
    """Whole parts of ``WHOLE`` in a chance."""
    return chance.numerator * WHOLE // chance.denominator


# --- races ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Runner:
    """One player of a race: distribution and mean of the turns of its own that it still needs (1 or more)."""

    turns: Distribution
    mean: Fraction


@dataclass(frozen=True)
class Race:
    """Odds of a race; runners stand in the order in which they take turns, the mover first.

    ``chances``: of each runner to be the first, or the last, as (lower, upper). ``length``: bounds of the mean number
    of turns of all runners until that is decided; ``lengths``: the distribution of that number.
    """

    chances: tuple[Bounds, ...]
    length: Bounds
    lengths: BoundedDistribution


def runners_on(game: TurnGame, graph: TurnGraph, boards: Sequence[int]) -> list[Runner]:
    """Runners on these boards (by index) of a game whose every turn earns 1 point.

    Raises as ``solver.markov_chains.chain.expected_rewards`` and ``reward_distribution``.
    """
    means = expected_rewards(game, graph)
    alone = {board: reward_distribution(game, graph, board) for board in set(boards)}
    return [Runner(alone[board], means[board]) for board in boards]


def first_to_finish(runners: Sequence[Runner]) -> Race:
    """Odds of a race that is over as soon as one runner finishes."""
    course = _RaceChances(runners)
    first = [0] * len(runners)
    lengths: dict[int, Fraction] = {}
    for length, (turn, place) in enumerate(course.turns(), start=1):
        part = course.ends[place][turn] * prod(course.others(course.least_in, place, turn))
        first[place] += part
        lengths[length] = Fraction(part, course.whole)
    return Race(course.bounds(first), _mean_length(course, prod), BoundedDistribution.of(lengths))


def last_to_finish(runners: Sequence[Runner]) -> Race:
    """Odds of a race that goes on until a single runner is left; runners that have finished take no more turns."""
    course = _RaceChances(runners)

    def all_out(still_in: Iterable[int]) -> int:
        return prod(WHOLE - part for part in still_in)

    def some_in(still_in: Iterable[int]) -> int:
        return course.whole // WHOLE - all_out(still_in)

    last = [0] * len(runners)
    for turn, place in course.turns():
        last[place] += course.ends_or_later(place, turn) * all_out(course.others(course.most_in, place, turn))
    lengths = _last_to_finish_lengths(course)
    return Race(course.bounds(last), _mean_length(course, some_in), BoundedDistribution.of(lengths))


class _RaceChances:
    """Bounds of every runner's finish, in parts of ``WHOLE``; lists run from 0 to ``horizon`` turns of its own.

    ``ends[runner][turn]``: lower bound of the chance to finish in this turn. ``least_in`` and ``most_in``: lower and
    upper bound of the chance to be in the race after so many turns. ``whole`` is the product of all runners' parts.
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
        """Parts of all other runners that are still in when this one takes this turn of its own."""
        return [row[turn - (other > place)] for other, row in enumerate(still_in) if other != place]

    def ends_or_later(self, place: int, turn: int) -> int:
        """The part that finishes in this turn; the tail past the cut counts as the first turn there."""
        past = turn == self.runners[place].turns.end
        return self.ends[place][turn] + (self.beyond[place] if past else 0)

    def bounds(self, certain: Sequence[int]) -> tuple[Bounds, ...]:
        """(lower, upper) of chances that add up to 1."""
        open_ = self.whole - sum(certain)
        return tuple((Fraction(part, self.whole), Fraction(part + open_, self.whole)) for part in certain)


def _mean_length(course: _RaceChances, goes_on: Callable[[Iterable[int]], int]) -> Bounds:
    """Bounds of the mean number of turns: the sum over all turns of the chance that they are taken.

    A runner takes a turn if it is still in and the race goes on; ``goes_on`` computes the chance of the latter, which
    never grows from turn to turn, from the others' chances to be still in. The runner's own mean bounds its turns after
    the horizon.
    """
    lower = upper = 0
    for turn, place in course.turns():
        others = (course.others(still_in, place, turn) for still_in in (course.least_in, course.most_in))
        low, high = map(goes_on, others)
        lower += course.least_in[place][turn - 1] * low
        upper += course.most_in[place][turn - 1] * high
    later = Fraction(0)
    for place, runner in enumerate(course.runners):
        rest = runner.mean - Fraction(sum(course.least_in[place][:-1]), WHOLE)
        later += rest * Fraction(goes_on(course.others(course.most_in, place, course.horizon)) * WHOLE, course.whole)
    return Fraction(lower, course.whole), Fraction(upper, course.whole) + later


def _last_to_finish_lengths(course: _RaceChances) -> dict[int, Fraction]:
    """Lower bounds of the chance of every length, from sums in floats.

    Runners drop out one by one; ``chance_out`` has, by which runners are out (1) or not (0), the chance that these
    finished as they did, by the number of turns they took together. A runner that is still in counts only when the race
    is over, with its chance of having lasted so long. No term is negative, so each rounding is relative to the result,
    and the number of roundings bounds the error.
    """
    count, horizon = len(course.runners), course.horizon
    ends = [[part / WHOLE for part in row] for row in course.ends]
    still_in = [[part / WHOLE for part in row] for row in course.least_in]
    chance_out = np.zeros((2,) * count + ((count - 2) * horizon + 1,))
    chance_out[(0,) * (count + 1)] = 1.0
    lengths = np.zeros(count * horizon + 1)
    for turn, place in course.turns():
        reach = (count - 2) * turn + 1  # while two or more are in, and the rest of ``waits`` is never read
        here, gone = ((slice(None),) * place + (side,) for side in (0, 1))
        finishes = chance_out[here][..., :reach] * ends[place][turn]
        for last in range(count):
            if last != place:
                alone = tuple(int(other != last) for other in range(count) if other != place)
                own = turn - (last > place)
                begin = turn + own
                lengths[begin : begin + reach] += finishes[alone] * still_in[last][own]
        chance_out[gone][..., turn:reach] += finishes[..., : max(0, reach - turn)]
    additions = horizon * (count * (count - 1) + (count - 1) * (count - 2) // 2)
    shrink = 1 - Fraction(additions + 4 * count, 2**53)
    return {length: Fraction(chance) * shrink for length, chance in enumerate(lengths.tolist()) if chance > NEGLIGIBLE}


def race_quantities(
    name: str, chances: Sequence[Bounds], race: Race, mover: Runner, rolls: Fraction
) -> dict[str, Quantity]:
    """Quantities of a race: ``name`` by seat, its length, and the turns and ``rolls`` that the mover needs alone."""
    return {
        name: quantity_by_seat(chances),
        "length": Quantity.between(*race.length, "turns"),
        "length_distribution": race.lengths.quantity(),
        "turns_alone": Quantity.between(mover.mean, mover.mean, "turns"),
        "turns_alone_distribution": distribution_quantity(mover.turns),
        "rolls_alone": Quantity.between(rolls, rolls, "rolls"),
    }


def mean_rolls(dice: int, after: Callable[[int, Faces], int], start: int, goal: int) -> Fraction:
    """Mean number of rolls from ``start`` to ``goal``, where no roll (``after``) leads to an earlier place."""
    mean_from = {goal: Fraction(0)}
    for here in reversed(range(start, goal)):
        ways = dict(grouped(dice, partial(after, here)))
        away = {there: n for there, n in ways.items() if there != here}
        further = sum((n * mean_from[there] for there, n in away.items()), Fraction(0))
        mean_from[here] = (sum(ways.values()) + further) / sum(away.values())
    return mean_from[start]
