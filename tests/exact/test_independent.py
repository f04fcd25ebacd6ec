"""Independent players: races and sums against every outcome counted, the joint chain of two, and play by chance."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from itertools import product
from math import prod, sqrt
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from rollwise.games.martinetti import Martinetti
from rollwise.games.slam import Slam
from rollwise.solver.chains.chain import Distribution
from rollwise.solver.chains.independent import (
    Bounds,
    Race,
    Runner,
    Spread,
    first_to_finish,
    last_to_finish,
    runners_on,
    total_of,
)
from rollwise.solver.turn.graph import compile_turn

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
@given(weights=st.lists(WEIGHTS, min_size=2, max_size=4))
@settings(max_examples=60, deadline=None)
def test_a_race_is_what_all_its_outcomes_add_up_to(goal: Racing, weights: list[list[int]]) -> None:
    race = goal([drawn(row) for row in weights])
    require_agreement(race, *counted(weights, goal), ROUNDED)


@pytest.mark.parametrize("goal", [first_to_finish, last_to_finish])
@given(weights=st.lists(WEIGHTS, min_size=2, max_size=4), cut=st.integers(1, 5))
@settings(max_examples=60, deadline=None)
def test_bounds_hold_where_distributions_are_cut(goal: Racing, weights: list[list[int]], cut: int) -> None:
    race = goal([drawn(row, cut) for row in weights])
    require_agreement(race, *counted(weights, goal), Fraction(len(weights) * 20))


@pytest.mark.parametrize("goal", [first_to_finish, last_to_finish])
def test_five_runners_by_every_outcome(goal: Racing) -> None:
    weights = [[1, 2, 3], [0, 5, 1, 1], [2, 0, 0, 3], [4, 1], [1, 1, 1, 1]]
    require_agreement(goal([drawn(row) for row in weights]), *counted(weights, goal), ROUNDED)


def test_a_runner_past_its_cut_loses_to_all_who_finish_before() -> None:
    """Known: the first finishes at once; the second some day later: then it is the last for certain."""
    race = last_to_finish([drawn([1]), drawn([0, 0, 7], cut=2)])
    assert [lower for lower, _ in race.chances] == [0, 1]
    assert race.length[0] == race.length[1] == 1


def test_two_runners_are_over_when_either_finishes() -> None:
    pair = [drawn([1, 2, 3, 1]), drawn([2, 0, 5])]
    first, last = first_to_finish(pair), last_to_finish(pair)
    assert [lower for lower, _ in last.chances] == pytest.approx([lower for lower, _ in reversed(first.chances)])
    assert first.length[0] == pytest.approx(last.length[0])


def test_a_mean_of_turns_that_never_were_counted_one_by_one() -> None:
    """Both finish in turn n with 1/2 ** n, but nothing is known past turn 3: the mean still bounds the rest."""
    known = (Fraction(0), Fraction(1, 2), Fraction(1, 4), Fraction(1, 8))
    runner = Runner(Distribution(0, known, Fraction(1, 8)), Fraction(2))
    race = first_to_finish([runner, runner])
    require_between(race.length, Fraction(2), Fraction(1))
    require_between(race.chances[0], Fraction(2, 3), Fraction(1, 32))


# --- sums ----------------------------------------------------------------------------------------------------------


@given(weights=st.lists(WEIGHTS, min_size=1, max_size=4))
@settings(max_examples=40, deadline=None)
def test_a_sum_is_what_all_draws_add_up_to(weights: list[list[int]]) -> None:
    total = total_of([drawn(row).turns.plus(3) for row in weights])
    expected: Counter[int] = Counter()
    for draws in product(*(range(1, len(row) + 1) for row in weights)):
        expected[sum(draws) + 3 * len(draws)] += prod(row[turns - 1] for row, turns in zip(weights, draws, strict=True))
    ways = prod(map(sum, weights))
    for number, count in expected.items():
        certain = total.certain.get(number, Fraction(0))
        require_between((certain, certain + total.open), Fraction(count, ways), ROUNDED)


def test_a_spread_is_told_up_to_where_little_is_left() -> None:
    half = Fraction(1, 2)
    told = Spread.of({number: half**number for number in range(1, 90)}).quantity(tail=half**20)
    assert list(told.value) == [str(number) for number in range(1, 21)]
    assert told.lower["3"] == told.value["3"] == 0.125 <= told.upper["3"] < 0.125 + 1e-15
    assert told.tail == {"from": 21, "upper": float(half**20)}


def test_a_spread_without_a_rest_has_no_tail() -> None:
    assert Spread.of({4: Fraction(1, 3), 7: Fraction(2, 3), 9: Fraction(0)}).quantity(tail=Fraction(0)).tail is None


# --- the games, written once more ----------------------------------------------------------------------------------

Turn = Callable[[int], dict[int, Fraction]]
THROWS = tuple(product(range(1, 7), repeat=3))


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
    for (after, over), ways in Counter(throw(state, dice) for dice in THROWS).items():
        inside = {after: Fraction(1)} if over else turn_of(throw, after)
        for end, chance in inside.items():
            ends[end] = ends.get(end, Fraction(0)) + Fraction(ways, 216) * chance
    return ends


def joint_lengths(written: Written, start: Sequence[int]) -> NDArray[np.float64]:
    """P(the game of two takes n turns), by n, from the joint chain of both players' states."""
    goal = written.goal
    turns = np.zeros((goal, goal + 1))
    for state in range(goal):
        for after, chance in turn_of(written.throw, state).items():
            turns[state, after] = chance
    both = np.zeros((goal, goal))  # by the state of the player who moves next and of the other
    both[tuple(start)] = 1.0
    lengths = [0.0]
    while both.sum() > 1e-16:
        moved = both.T @ turns
        lengths.append(moved[:, goal].sum())
        both = moved[:, :goal]
    return np.array(lengths)


def race_of(written: Written, states: Sequence[int]) -> Race:
    game = Martinetti(len(states)) if written.first else Slam(len(states))
    runners = runners_on(game, compile_turn(game), states)
    return first_to_finish(runners) if written.first else last_to_finish(runners)


STARTS = [(SLAM, start) for start in [(0, 0), (14, 0), (3, 11), (13, 13)]] + [
    (MARTINETTI, start) for start in [(0, 0), (12, 11), (23, 5), (20, 22)]
]


@pytest.mark.parametrize(("written", "start"), STARTS)
def test_two_players_are_what_their_joint_chain_says(written: Written, start: tuple[int, int]) -> None:
    race = race_of(written, start)
    joint = joint_lengths(written, start)
    by_mover = [joint[1::2].sum(), joint[2::2].sum()]  # who makes the last turn, and so finishes
    for (lower, upper), chance in zip(race.chances, by_mover if written.first else by_mover[::-1], strict=True):
        assert upper - lower < 1e-12
        assert float(lower) - 1e-12 < chance < float(upper) + 1e-12
    assert float(race.length[0]) == pytest.approx(float(np.arange(len(joint)) @ joint), abs=1e-11)
    assert race.length[1] - race.length[0] < 1e-9
    for length, certain in race.lengths.certain.items():
        expected = joint[length] if length < len(joint) else 0.0
        assert float(certain) - 1e-13 < expected < float(certain + race.lengths.open) + 1e-13


def exact_first(written: Written, mover: int, other: int, known: dict[tuple[int, int], Fraction]) -> Fraction:
    """P(the mover finishes first), in fractions: both may miss, and then the same pair moves again."""
    if (mover, other) in known:
        return known[mover, other]

    def progress(state: int, waiting: int) -> tuple[Fraction, Fraction]:
        """(chance to be first through turns that change something, chance to stay put)."""
        turn = turn_of(written.throw, state)
        certain = turn.get(written.goal, Fraction(0))
        for after, chance in turn.items():
            if after not in (state, written.goal):
                certain += chance * (1 - exact_first(written, waiting, after, known))
        return certain, turn.get(state, Fraction(0))

    mine, i_stay = progress(mover, other)
    theirs, they_stay = progress(other, mover)
    # V = mine + i_stay (1 - W) and W = theirs + they_stay (1 - V)
    known[mover, other] = (mine + i_stay * (1 - theirs - they_stay)) / (1 - i_stay * they_stay)
    return known[mover, other]


@pytest.mark.parametrize(
    ("written", "start"), [(SLAM, (9, 10)), (SLAM, (14, 8)), (MARTINETTI, (18, 17)), (MARTINETTI, (23, 15))]
)
def test_bounds_hold_the_exact_chance_of_the_joint_chain(written: Written, start: tuple[int, int]) -> None:
    first = exact_first(written, *start, {})
    chances = race_of(written, start).chances
    require_between(chances[0 if written.first else 1], first, Fraction(1, 10**12))
    require_between(chances[1 if written.first else 0], 1 - first, Fraction(1, 10**12))


N_GAMES = 3000


@pytest.mark.parametrize(
    ("written", "start"),
    [(SLAM, (0, 0, 0)), (SLAM, (2, 14, 10, 7)), (MARTINETTI, (0, 0, 0)), (MARTINETTI, (9, 3, 12, 20))],
)
def test_several_players_who_throw_dice_agree(written: Written, start: tuple[int, ...]) -> None:
    dice = random.Random(f"independent {start}")
    found: Counter[int] = Counter()
    turns: list[int] = []
    for _ in range(N_GAMES):
        states, taken, place = list(start), 0, 0
        while sum(state == written.goal for state in states) < (1 if written.first else len(start) - 1):
            over = states[place] == written.goal
            taken += not over
            while not over:
                states[place], over = written.throw(states[place], dice.choice(THROWS))
            place = (place + 1) % len(start)
        found[next(place for place, state in enumerate(states) if (state == written.goal) == written.first)] += 1
        turns.append(taken)
    race = race_of(written, start)
    for place, (lower, _) in enumerate(race.chances):
        chance = float(lower)
        assert abs(found[place] / N_GAMES - chance) < 4 * sqrt(chance * (1 - chance) / N_GAMES)
    assert abs(np.mean(turns) - float(race.length[0])) < 4 * np.std(turns) / sqrt(N_GAMES)
    for some in range(len(start), len(start) + 120, 15):
        chance = float(sum(part for length, part in race.lengths.certain.items() if length <= some))
        share = sum(length <= some for length in turns) / N_GAMES
        assert abs(share - chance) < 4 * sqrt(max(chance * (1 - chance), 1 / N_GAMES) / N_GAMES)


@pytest.mark.parametrize("written", [SLAM, MARTINETTI])
def test_eight_players_who_all_stand_elsewhere_have_narrow_bounds(written: Written) -> None:
    race = race_of(written, [7, 0, 1, 6, 2, 5, 3, 4])
    assert all(upper - lower < 1e-12 for lower, upper in race.chances)
    assert race.length[1] - race.length[0] < 1e-9
    assert race.lengths.open < 1e-11
    mean = sum(length * chance for length, chance in race.lengths.certain.items())
    assert mean <= race.length[1] < mean + FLOATS * 1000
    assert sum(lower for lower, _ in race.chances) <= 1 <= sum(upper for _, upper in race.chances)


@pytest.mark.parametrize(("game", "turns_alone"), [(Slam(), 15.5386874259), (Martinetti(), 27.2668606930)])
def test_turns_of_one_player_alone(game: Slam | Martinetti, turns_alone: float) -> None:
    told = game.quantities(compile_turn(game), {})["turns_alone"]
    assert told.value == pytest.approx(turns_alone, abs=5.1e-11)
    assert told.lower <= told.value <= told.upper
    assert told.value == float(Fraction(told.exact))
