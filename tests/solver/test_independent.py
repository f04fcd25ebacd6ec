"""Independent players: races and sums against every outcome counted, and a walk through all states of the players."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import cache
from itertools import product
from math import prod
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings, strategies as st

from rollwise.games.martinetti.rules import Martinetti
from rollwise.games.slam.rules import Slam
from rollwise.solver.markov_chains.chain import Distribution
from rollwise.solver.markov_chains.independent import (
    BoundedDistribution,
    Bounds,
    Race,
    Runner,
    convolve,
    first_to_finish,
    last_to_finish,
    runners_on,
)
from rollwise.solver.turn.graph import compile_turn
from tests.solver.plain import After, PlainTurn, thorough, walked

Racing = Callable[[Sequence[Runner]], Race]
ROUNDED = Fraction(1, 10**30)
FLOATS = Fraction(1, 10**11)

# --- every outcome counted -----------------------------------------------------------------------------------------


def drawn(weights: Sequence[int], cut: int | None = None) -> Runner:
    """One turn, two turns, ... with these weights; known only before the turn ``cut``."""
    whole = sum(weights)
    chances = [Fraction(0), *(Fraction(weight, whole) for weight in weights)]
    known = chances[:cut]
    mean = sum((turn * chance for turn, chance in enumerate(chances)), Fraction(0))
    return Runner(Distribution(0, tuple(known), 1 - sum(known, Fraction(0))), mean)


def played(needed: Sequence[int], goal: Racing) -> tuple[int, int]:
    """(who is the first, or the last; turns taken), where each runner needs so many turns, turn by turn."""
    left, taken = list(needed), 0
    while True:
        for place in range(len(left)):
            if left[place]:
                left[place] -= 1
                taken += 1
                still_in = [other for other, turns in enumerate(left) if turns]
                if goal is first_to_finish and not left[place]:
                    return place, taken
                if goal is last_to_finish and len(still_in) == 1:
                    return still_in[0], taken


def counted(weights: Sequence[Sequence[int]], goal: Racing) -> tuple[list[Fraction], dict[int, Fraction]]:
    """Chances by place, and of every length, over all that can happen."""
    chances = [Fraction(0)] * len(weights)
    lengths: dict[int, Fraction] = {}
    for needed in product(*(range(1, len(row) + 1) for row in weights)):
        chance = prod(Fraction(row[turns - 1], sum(row)) for row, turns in zip(weights, needed, strict=True))
        place, taken = played(needed, goal)
        chances[place] += chance
        lengths[taken] = lengths.get(taken, Fraction(0)) + chance
    return chances, lengths


def require_between(bounds: Bounds, number: Fraction, width: Fraction) -> None:
    lower, upper = bounds
    assert lower <= number <= upper <= lower + width


def require_agreement(race: Race, chances: Sequence[Fraction], lengths: dict[int, Fraction], width: Fraction) -> None:
    for bounds, chance in zip(race.chances, chances, strict=True):
        require_between(bounds, chance, width)
    mean = sum((length * chance for length, chance in lengths.items()), Fraction(0))
    require_between(race.length, mean, 100 * width)
    assert race.lengths.open <= width + FLOATS
    for length in {*lengths, *race.lengths.certain}:
        certain = race.lengths.certain.get(length, Fraction(0))
        require_between((certain, certain + race.lengths.open), lengths.get(length, Fraction(0)), width + FLOATS)


WEIGHTS = st.lists(st.integers(0, 9), min_size=1, max_size=5).filter(any)


@pytest.mark.parametrize("goal", [first_to_finish, last_to_finish])
@given(weights=st.lists(WEIGHTS, min_size=2, max_size=4), cut=st.none() | st.integers(1, 5))
@settings(max_examples=60, deadline=None)
def test_a_race_is_what_all_its_outcomes_add_up_to(goal: Racing, weights: list[list[int]], cut: int | None) -> None:
    """Where distributions are cut, bounds hold all the same."""
    race = goal([drawn(row, cut) for row in weights])
    require_agreement(race, *counted(weights, goal), Fraction(len(weights) * 20) if cut else ROUNDED)


def test_a_runner_past_its_cut_loses_to_all_who_finish_before() -> None:
    """Known: the first finishes at once; the second some day later: then it is the last for certain."""
    race = last_to_finish([drawn([1]), drawn([0, 0, 7], cut=2)])
    assert [lower for lower, _ in race.chances] == [0, 1]
    assert race.length[0] == race.length[1] == 1


def test_a_mean_of_turns_that_never_were_counted_one_by_one() -> None:
    """Both finish in turn n with 1/2 ** n, but nothing is known past turn 3: the mean still bounds the rest."""
    known = (Fraction(0), Fraction(1, 2), Fraction(1, 4), Fraction(1, 8))
    runner = Runner(Distribution(0, known, Fraction(1, 8)), Fraction(2))
    race = first_to_finish([runner, runner])
    require_between(race.length, Fraction(2), Fraction(1))
    require_between(race.chances[0], Fraction(2, 3), Fraction(1, 32))


# --- sums ----------------------------------------------------------------------------------------------------------


@given(weights=st.lists(WEIGHTS, min_size=1, max_size=3))
@settings(max_examples=30, deadline=None)
def test_a_sum_is_what_all_draws_add_up_to(weights: list[list[int]]) -> None:
    total = convolve([drawn(row).turns.plus(3) for row in weights])
    expected: Counter[int] = Counter()
    for draws in product(*(range(1, len(row) + 1) for row in weights)):
        expected[sum(draws) + 3 * len(draws)] += prod(row[turns - 1] for row, turns in zip(weights, draws, strict=True))
    ways = prod(map(sum, weights))
    for number, count in expected.items():
        certain = total.certain.get(number, Fraction(0))
        require_between((certain, certain + total.open), Fraction(count, ways), ROUNDED)


def test_a_spread_is_told_up_to_where_little_is_left() -> None:
    half = Fraction(1, 2)
    told = BoundedDistribution.of({number: half**number for number in range(1, 90)}).quantity(tail=half**20)
    assert list(told.value) == [str(number) for number in range(1, 21)]
    assert told.lower["3"] == told.value["3"] == 0.125 <= told.upper["3"] < 0.125 + 1e-15
    assert told.tail == {"from": 21, "upper": float(half**20)}


def test_a_spread_without_a_rest_has_no_tail() -> None:
    assert (
        BoundedDistribution.of({4: Fraction(1, 3), 7: Fraction(2, 3), 9: Fraction(0)}).quantity(tail=Fraction(0)).tail
        is None
    )


# --- the games, written once more ----------------------------------------------------------------------------------


def slam_throw(score: int, dice: Sequence[int]) -> tuple[int, bool]:
    """(score after a throw, whether the turn is over): with 6 as the slam."""
    slams = sum(die == 6 for die in dice)
    if slams == 3:
        return 15, True
    after = score + (0, 1, 5)[slams]
    return (score, True) if slams == 0 or after > 15 else (after, after == 15)


def martinetti_roll(crossed: int, dice: Sequence[int]) -> tuple[int, bool]:
    """(squares crossed off after a roll, whether the turn is over)."""
    a, b, c = dice
    sums = {a, b, c, a + b, a + c, b + c, a + b + c}
    row = [*range(1, 13), *range(12, 0, -1)]
    after = crossed
    while after < 24 and row[after] in sums and not (after == 12 and crossed < 12):
        after += 1
    return after, after in (crossed, 12, 24)


Throw = Callable[[int, Sequence[int]], tuple[int, bool]]


class Written(NamedTuple):
    """A game from its rules: one throw, the state in which a player has finished, and who is asked about."""

    throw: Throw
    goal: int
    first: bool  # the first to finish, or the last


SLAM = Written(slam_throw, 15, first=False)
MARTINETTI = Written(martinetti_roll, 24, first=True)


@cache
def turn_of(throw: Throw, state: int) -> dict[int, Fraction]:
    """Where one turn ends, exactly."""
    ends: dict[int, Fraction] = {}
    for (after, over), ways in Counter(throw(state, dice) for dice in product(range(1, 7), repeat=3)).items():
        inside = {after: Fraction(1)} if over else turn_of(throw, after)
        for end, chance in inside.items():
            ends[end] = ends.get(end, Fraction(0)) + Fraction(ways, 216) * chance
    return ends


def racing(written: Written) -> PlainTurn:
    """A turn of a player from everybody's states; a game ends with the one who is asked about."""

    def turn(at: Any) -> Iterable[After]:
        states, place = at
        for end, chance in turn_of(written.throw, states[place]).items():
            after = (*states[:place], end, *states[place + 1 :])
            still_in = [other for other, state in enumerate(after) if state != written.goal]
            following = next((other for other in still_in if other > place), still_in[0])
            if written.first and end == written.goal:
                yield float(chance), None, place
            elif len(still_in) == 1:
                yield float(chance), None, still_in[0]
            else:
                yield float(chance), (after, following), None

    return turn


def race_of(written: Written, states: Sequence[int]) -> Race:
    game = Martinetti(len(states)) if written.first else Slam(len(states))
    runners = runners_on(game, compile_turn(game), states)
    return first_to_finish(runners) if written.first else last_to_finish(runners)


STARTS = [(SLAM, start) for start in [(0, 0), (14, 0), (3, 11), (13, 12, 14), (14, 12, 13, 14)]] + [
    (MARTINETTI, start) for start in [(12, 11), (23, 5), (20, 22), (21, 19, 22), (22, 23, 21, 20)]
]


@pytest.mark.parametrize(("written", "start"), STARTS)
def test_a_race_is_what_a_walk_through_all_states_says(written: Written, start: tuple[int, ...]) -> None:
    race = race_of(written, start)
    ends, by_length = walked((tuple(start), 0), racing(written))
    for place, (lower, upper) in enumerate(race.chances):
        chance = ends[place]
        assert upper - lower < 1e-12
        assert float(lower) - 1e-12 < chance < float(upper) + 1e-12
    mean = sum(length * chance for length, chance in enumerate(by_length, 1))
    assert float(race.length[0]) == pytest.approx(mean, abs=1e-11)
    assert race.length[1] - race.length[0] < 1e-9
    for length, certain in race.lengths.certain.items():
        expected = by_length[length - 1] if 0 < length <= len(by_length) else 0.0
        assert float(certain) - 1e-13 < expected < float(certain + race.lengths.open) + 1e-13


@pytest.mark.parametrize("written", [SLAM, *thorough((MARTINETTI,))])
def test_eight_players_who_all_stand_elsewhere_have_narrow_bounds(written: Written) -> None:
    race = race_of(written, [7, 0, 1, 6, 2, 5, 3, 4])
    assert all(upper - lower < 1e-12 for lower, upper in race.chances)
    assert race.length[1] - race.length[0] < 1e-9
    assert race.lengths.open < 1e-11
    mean = sum(length * chance for length, chance in race.lengths.certain.items())
    assert mean <= race.length[1] < mean + FLOATS * 1000
    assert sum(lower for lower, _ in race.chances) <= 1 <= sum(upper for _, upper in race.chances)
