"""Thunderstorm, Cops and Robbers: every state of small games against plain solutions written from the rules alone."""

from __future__ import annotations

from functools import cache
from itertools import product
from math import comb
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from rollwise.games.cops_and_robbers.rules import CopsAndRobbers
from rollwise.games.thunderstorm.rules import Thunderstorm
from rollwise.solver.markov_chains.layout import lay_out
from rollwise.solver.markov_chains.values import eliminate
from rollwise.solver.model.game import TurnGame
from rollwise.solver.turn.graph import compile_turn

Floats = NDArray[np.float64]
DICE = range(1, 7)
FACES = range(1, 7)


class Solved:
    """A game solved by the engine: the odds of any question."""

    def __init__(self, game: TurnGame) -> None:
        self.game = game
        self.space = game.boards()
        steps = lay_out(game, compile_turn(game))
        self.n_boards = steps.n_boards
        self.values = eliminate(steps).values
        self.places = np.full(self.space.size, -1, dtype=np.int32)
        self.places[steps.boards] = np.arange(steps.n_boards)

    def odds(self, **question: Any) -> dict[int, float]:
        """Shares by seat (in Cops and Robbers the one share, as of seat 0), and the mean number of turns as of -1."""
        position = self.game.locate(**question)
        place = self.places[self.space.index_of(**position.board)]
        assert place >= 0
        row = self.values[place]
        seats = position.seats if self.game.seats > 1 else None
        return {-1: row[-1], **dict(zip(seats or (0,), row.tolist(), strict=False))}


# --- Thunderstorm --------------------------------------------------------------------------------------------------


class Storm:
    """Thunderstorm by linear equations, all seats in their places: how often each wins, and how many turns it takes."""

    def __init__(self, players: int, last_failure: int) -> None:
        self.players = players
        self.last_failure = last_failure

    def still_in(self, failures: tuple[int, ...]) -> list[int]:
        return [seat for seat in range(self.players) if failures[seat] < self.last_failure]

    def next_seat(self, failures: tuple[int, ...], seat: int) -> int:
        order = [(seat + step) % self.players for step in range(1, self.players + 1)]
        return next(other for other in order if other in self.still_in(failures))

    @cache  # noqa: B019 - a Storm lives no longer than its test
    def worth(self, failures: tuple[int, ...]) -> dict[tuple[int, int], Floats]:
        """By (dice, mover): everybody's chance, then the turns still to come."""
        seats = self.still_in(failures)
        if len(seats) == 1:
            won = np.eye(self.players + 1)[seats[0]]
            return {(dice, seat): won for dice, seat in product(DICE, range(self.players))}
        states = list(product(DICE, seats))
        number = {state: i for i, state in enumerate(states)}
        equations = np.eye(len(states))
        known = np.zeros((len(states), self.players + 1))
        for (dice, seat), i in number.items():
            known[i, -1] = 1
            for ones in range(dice + 1):
                chance = comb(dice, ones) * 5 ** (dice - ones) / 6**dice
                if ones:
                    left = dice - ones or 6
                    equations[i, number[left, self.next_seat(failures, seat)]] -= chance
                else:
                    struck = tuple(count + (other == seat) for other, count in enumerate(failures))
                    known[i] += chance * self.worth(struck)[dice, self.next_seat(struck, seat)]
        return dict(zip(states, np.linalg.solve(equations, known), strict=True))


@pytest.mark.parametrize(("players", "house"), [(3, 0), (3, 1), (3, 3), (4, 1), (5, 0)])
def test_every_state_of_a_small_thunderstorm_is_worth_what_linear_equations_say(players: int, house: int) -> None:
    solved, storm = Solved(Thunderstorm(players, house)), Storm(players, house + 1)
    checked = 0
    for failures in product(range(house + 2), repeat=players):
        if len(storm.still_in(failures)) < 2:
            continue
        told = tuple(None if count > house else count for count in failures)
        for (dice, mover), worth in storm.worth(failures).items():
            found = solved.odds(failures=told, dice=dice, mover=mover)
            everybody = [found.get(seat, 0.0) for seat in range(players)]
            assert [*everybody, found[-1]] == pytest.approx(worth.tolist(), abs=1e-11)
            checked += 1
    assert checked >= solved.n_boards


# --- Cops and Robbers ----------------------------------------------------------------------------------------------

GONE = None  # the score of a caught robber
Scores = tuple[int | None, ...]  # cop, robber, cop, robber


class Chase:
    """Cops and Robbers seat by seat: (the robbers' chance, turns still to come), each repeated throw by hand."""

    def __init__(self, six_counts: bool) -> None:
        self.six_counts = six_counts

    def moved(self, scores: Scores, seat: int, points: int) -> Scores | bool:
        """The scores after a move, or whether the robbers have won with it."""
        after = list(scores)
        held = scores[seat]
        assert held is not None
        after[seat] = mine = held - points
        if seat in (1, 3):
            return True if mine <= 0 else tuple(after)
        for robber in (1, 3):
            score = after[robber]
            if score is not GONE and mine <= score:
                after[robber] = GONE
        return False if after[1] is GONE and after[3] is GONE else tuple(after)

    def next_seat(self, scores: Scores, seat: int, missing: int = 0) -> int:
        for _ in range(missing + 1):
            seat = (seat + 1) % 4
            while scores[seat] is GONE:
                seat = (seat + 1) % 4
        return seat

    def following(self, scores: Scores, seat: int, thrown: int, points: int, missing: int) -> Floats:
        after = self.moved(scores, seat, points)
        if isinstance(after, bool):
            return np.array([float(after), 0.0])
        return self.later(after, thrown)[self.next_seat(after, seat, missing)]

    @cache  # noqa: B019 - a Chase lives no longer than its test
    def later(self, scores: Scores, last: int) -> dict[int, Floats]:
        """By mover, after the first round."""
        seats = [seat for seat in range(4) if scores[seat] is not GONE]
        counted = {seat: self.counted(scores, seat, last) for seat in seats}
        found = {}
        for seat in seats:  # the throw is repeated until somebody throws another one: once around is once in 6 ** seats
            around, chance, mover = np.zeros(2), 1.0, seat
            for _ in seats:
                around = around + chance * counted[mover]
                chance, mover = chance / 6, self.next_seat(scores, mover)
            found[seat] = around / (1 - chance)
        return found

    def counted(self, scores: Scores, seat: int, last: int) -> Floats:
        """What the throws other than ``last`` bring, and the turn itself."""
        total = np.array([0.0, 1.0])
        for thrown in FACES:
            if thrown == last:
                continue
            if thrown < 6:
                missing = 1 if thrown == 5 else 2 if thrown == 4 else 0
                total = total + self.following(scores, seat, thrown, thrown, missing) / 6
                continue
            for bonus in FACES:
                points = (1 if bonus <= 3 else 2) + (6 if self.six_counts else 0)
                total = total + self.following(scores, seat, thrown, points, 0) / 36
        return total

    def first_round(self, scores: Scores, seat: int, to_come: int) -> Floats:
        """So many players, this one first, have yet to move."""
        total = np.array([0.0, 1.0])
        for thrown in FACES:
            after = self.moved(scores, seat, thrown)
            if isinstance(after, bool):
                total = total + np.array([float(after), 0.0]) / 6
            elif to_come == 1:
                total = total + self.later(after, thrown)[(seat + 1) % 4] / 6
            else:
                total = total + self.first_round(after, (seat + 1) % 4, to_come - 1) / 6
        return total


@pytest.mark.parametrize("opener", range(4))
@pytest.mark.parametrize("six", ["bonus_too", "bonus_only"])
def test_a_small_chase_is_worth_what_plain_recursion_says(six: str, opener: int) -> None:
    distance = 2
    game, chase = CopsAndRobbers(six, opener, distance), Chase(six == "bonus_too")
    solved = Solved(game)
    start = (distance + 11, distance, distance + 11, distance + 2)
    assert list(solved.odds().values()) == pytest.approx(chase.first_round(start, opener, 4)[::-1].tolist(), abs=1e-12)


@pytest.mark.parametrize("six", ["bonus_too", "bonus_only"])
def test_every_later_state_of_a_small_chase_is_worth_what_plain_recursion_says(six: str) -> None:
    distance = 2
    solved, chase = Solved(CopsAndRobbers(six, distance=distance)), Chase(six == "bonus_too")
    found, expected = [], []
    for near, far in product([GONE, *range(1, distance)], [GONE, *range(1, distance + 2)]):
        if near is GONE and far is GONE:
            continue
        cops = range(max(near or 0, far or 0) + 1, distance + 11)
        for cop, other, last in product(cops, cops, FACES):
            scores = (cop, near, other, far)
            for mover, worth in chase.later(scores, last).items():
                found.append(list(solved.odds(scores=scores, last=last, mover=mover).values()))
                expected.append(worth[::-1])
    assert len(found) > solved.n_boards  # either side of the table
    assert np.array(found) == pytest.approx(np.array(expected), abs=1e-11)


@pytest.mark.minutes
@pytest.mark.parametrize(("six", "robbers"), [("bonus_too", 0.359394382751), ("bonus_only", 0.405105515677)])
def test_the_mean_of_the_four_starts_is_the_number_found_beforehand(six: str, robbers: float) -> None:
    """The first is derived independently; both come out of a plain recursion over all seats' scores too.

    Games differ only in their first round, so one solution serves all starts.
    """
    solved = Solved(CopsAndRobbers(six))
    chances = [
        solved.odds(scores=(75 - a, 64 - b, 75 - c, 66 - d), last=(a, b, c, d)[start - 1], mover=start)[0]
        for start in range(4)
        for a, b, c, d in product(FACES, repeat=4)
    ]
    assert np.mean(chances) == pytest.approx(robbers, abs=1e-12)
