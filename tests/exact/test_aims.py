"""Odds of single turns: against binomials, chains of counts, and every keep of every throw."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations, product
from math import comb
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from rollwise.games.registry import game
from rollwise.solver.game.dice import AnyDiceAgain, Faces, d6
from rollwise.solver.game.errors import ModelError
from rollwise.solver.game.model import Beyond, Choice, End, State, TurnGame, Word, named
from rollwise.solver.game.sheet import Aim, BoxGame, ScoreSheet
from rollwise.solver.play.aims import Prospects, prospects
from rollwise.solver.turn.graph import compile_turn

NUMBERS = {"ones": 1, "twos": 2, "threes": 3, "fours": 4, "fives": 5, "sixes": 6}
DICE = {"sixzee": 6, "yahtzee": 5, "cameroon": 5}
both_sheets = pytest.mark.parametrize("name", ["sixzee", "yahtzee"])
each_sheet = pytest.mark.parametrize("name", list(DICE))


@cache
def told(name: str, **parameters: Any) -> dict[str, dict[int, Prospects]]:
    made = game(name, parameters)
    assert isinstance(made, BoxGame)
    return prospects(compile_turn(made), made.aims(), made.before_rolls())


# --- what is known by hand -------------------------------------------------------------------------------------------


def all_alike(dice: int, rolls: int) -> Fraction:
    """The chance that all dice come to show one face, if the largest group of equal ones is kept each time."""
    chance = {0: Fraction(1)}  # by the number of dice kept
    for _ in range(rolls):
        after: dict[int, Fraction] = {}
        for kept, share in chance.items():
            for faces in product(range(6), repeat=dice - kept):
                counts = Counter(faces)
                counts[0] += kept  # which face is kept does not matter
                most = max(counts.values())
                after[most] = after.get(most, Fraction(0)) + share / 6 ** (dice - kept)
        chance = after
    return chance.get(dice, Fraction(0))


@pytest.mark.parametrize(("name", "box"), [("sixzee", "sixzee"), ("yahtzee", "yahtzee")])
@pytest.mark.parametrize("rolls", [1, 2, 3])
def test_all_dice_alike_come_as_often_as_a_chain_of_counts_says(name: str, box: str, rolls: int) -> None:
    assert told(name)[box][rolls].chances == {"more than 0": all_alike(DICE[name], rolls)}


def test_a_yahtzee_in_three_rolls_has_its_well_known_chance() -> None:
    found = told("yahtzee")["yahtzee"][3]
    assert found == Prospects({"more than 0": Fraction(347897, 7558272)}, 50 * Fraction(347897, 7558272))


@each_sheet
@pytest.mark.parametrize("rolls", [1, 2, 3])
def test_dice_of_one_face_are_binomial(name: str, rolls: int) -> None:
    dice, hit = DICE[name], 1 - Fraction(5, 6) ** rolls
    exactly = [comb(dice, n) * hit**n * (1 - hit) ** (dice - n) for n in range(dice + 1)]
    for box, face in NUMBERS.items():
        found = told(name)[box][rolls]
        assert found.chances == {f"at least {n}": sum(exactly[n:]) for n in range(1, dice + 1)}
        assert found.points == face * dice * hit


@both_sheets
def test_chance_takes_each_die_on_its_own(name: str) -> None:
    # keep a die from 4 on with one throw to come, from 5 on with two
    for rolls, mean in ((1, Fraction(7, 2)), (2, Fraction(17, 4)), (3, Fraction(14, 3))):
        found = told(name)["chance"][rolls]
        assert found == Prospects({"more than 0": Fraction(1)}, DICE[name] * mean)


# --- every keep of every throw ---------------------------------------------------------------------------------------


def fits(box: str, dice: Faces) -> bool:
    counts = sorted(Counter(dice).values())
    run = "".join(str(face) for face in sorted(set(dice)))
    least = {"three of a kind": 3, "four of a kind": 4, "five of a kind": 5, "yahtzee": 5, "sixzee": 6}
    row = {"low straight": 4, "high straight": 5, "super straight": 6, "small straight": 4, "large straight": 5}
    if box in least:
        return counts[-1] >= least[box]
    if box in row:
        return any("123456"[low : low + row[box]] in run for low in range(7 - row[box]))
    shapes = {
        "full house": [[2, 3]],
        "3-2-1": [[1, 2, 3]],
        "three pairs": [[2, 2, 2], [2, 4], [6]],
        "two triples": [[3, 3], [6]],
    }
    return box == "chance" or counts in shapes[box]


def plain_points(name: str, box: str, dice: Faces) -> int:
    """The points of the dice as the score sheet says them."""
    if box in NUMBERS:
        return sum(face for face in dice if face == NUMBERS[box])
    pays = {
        "sixzee": {"low straight": 20, "high straight": 30, "super straight": 40, "sixzee": 60},
        "yahtzee": {"full house": 25, "small straight": 30, "large straight": 40, "yahtzee": 50},
    }[name]
    return pays.get(box, sum(dice)) if fits(box, dice) else 0


class EveryKeep:
    """All throws of so many dice, all keeps of each, and all throws that each keep can become.

    Worths of throws with n throws to come are whole numbers of 1 / 6 ** (dice * n).
    """

    def __init__(self, dice: int) -> None:
        self.dice = dice
        self.ways = Counter(tuple(sorted(faces)) for faces in product(range(1, 7), repeat=dice))
        self.throws = sorted(self.ways)
        keeps = [sorted({kept for n in range(dice + 1) for kept in combinations(t, n)}) for t in self.throws]
        number = {kept: i for i, kept in enumerate(sorted({kept for of_throw in keeps for kept in of_throw}))}
        self.keeps = [[number[kept] for kept in of_throw] for of_throw in keeps]
        self.become: NDArray[np.int64] = np.zeros((len(number), len(self.throws)), dtype=np.int64)
        place = {throw: i for i, throw in enumerate(self.throws)}
        again = [Counter(tuple(sorted(f)) for f in product(range(1, 7), repeat=n)) for n in range(dice + 1)]
        for kept, row in number.items():
            for fallen, ways in again[dice - len(kept)].items():
                self.become[row, place[tuple(sorted(kept + fallen))]] += ways * 6 ** len(kept)

    def best(self, worth: NDArray[np.int64], rolls: int) -> list[Fraction]:
        """The best mean of each column of worths of throws, int64, shape (throws, columns)."""
        for _ in range(rolls - 1):
            kept = self.become @ worth
            worth = np.array([kept[of_throw].max(axis=0) for of_throw in self.keeps])
        ways = np.array([self.ways[throw] for throw in self.throws])
        return [Fraction(int(number), 6 ** (self.dice * rolls)) for number in ways @ worth]


@both_sheets
def test_every_box_is_worth_what_trying_every_keep_finds(name: str) -> None:
    found = told(name)
    every = EveryKeep(DICE[name])
    assert 36 * 6 ** (3 * every.dice) < 2**63
    asked: list[tuple[str, str | None]] = []
    columns = []
    mark: str | None
    for box in found:
        points = np.array([plain_points(name, box, throw) for throw in every.throws])
        asked.append((box, None))
        columns.append(points)
        for mark in found[box][1].chances:
            least = int(mark.split()[-1]) * NUMBERS[box] if box in NUMBERS else 1
            asked.append((box, mark))
            columns.append((points >= least).astype(np.int64))
    for rolls in (1, 2, 3):
        best = dict(zip(asked, every.best(np.array(columns).T, rolls), strict=True))
        for (box, mark), mean in best.items():
            of_box = found[box][rolls]
            assert (of_box.points if mark is None else of_box.chances[mark]) == mean, (box, mark, rolls)


def best_set_aside(points: Callable[[Faces], int], dice: int, throws: int) -> Fraction:
    """The best mean where dice that are set aside stay: every part of every throw."""
    fallen = [Counter(tuple(sorted(f)) for f in product(range(1, 7), repeat=n)) for n in range(dice + 1)]

    @cache
    def ahead(kept: Faces, left: int) -> Fraction:
        if left == 0 or len(kept) == dice:
            return Fraction(points(kept))
        again = dice - len(kept)
        total = Fraction(0)
        for rolled, ways in fallen[again].items():
            sizes = [again] if left == 1 else range(again + 1)
            held = {part for n in sizes for part in combinations(rolled, n)}
            total += ways * max(ahead(tuple(sorted(kept + part)), left - 1) for part in held)
        return total * Fraction(1, 6**again)

    best: Fraction = ahead((), throws)
    return best


@pytest.mark.parametrize("rolls", [1, 2, 3])
def test_cameroon_goes_for_a_box_with_dice_that_stay(rolls: int) -> None:
    found = told("cameroon")
    house = lambda dice: sum(dice) if sorted(Counter(dice).values()) == [2, 3] else 0  # noqa: E731  said as one case
    assert found["full house"][rolls].points == best_set_aside(house, 5, rolls)
    alike = best_set_aside(lambda dice: int(len(set(dice)) == 1), 5, rolls)
    assert found["five of a kind"][rolls] == Prospects({"more than 0": alike}, 30 * alike)
    row = best_set_aside(lambda dice: int(dice == (2, 3, 4, 5, 6)), 5, rolls)
    assert found["big straight"][rolls] == Prospects({"more than 0": row}, 20 * row)


# --- what plays no part ----------------------------------------------------------------------------------------------


def test_jokers_and_bonuses_of_the_sheet_play_no_part() -> None:
    assert told("sixzee", joker=False, sixzee_bonus=0, bonus_when="possible") == told("sixzee")
    assert told("yahtzee", joker="free") == told("yahtzee")


def test_a_turn_that_must_keep_dice_has_all_its_rolls() -> None:
    assert set(told("cameroon", must_keep=True)["ones"]) == {3}
    assert set(told("cameroon")["ones"]) == {1, 2, 3}


def test_what_a_turn_can_do_for_a_box_does_not_depend_on_what_the_game_is_played_for() -> None:
    played = {"four_of_a_kind": True, "big_straight": 25}
    assert told("cameroon", objective="win", **played) == told("cameroon", **played)


@pytest.mark.parametrize("hook", ["aims", "before_rolls", "lines", "line", "booked", "lines_held"])
def test_only_games_with_boxes_say_what_is_on_a_score_sheet(hook: str) -> None:
    assert not hasattr(TurnGame, hook)
    assert hasattr(ScoreSheet, hook)
    assert not hasattr(game("shut-the-box"), hook)


def test_the_best_chance_and_the_most_points_may_be_different_ways_to_play() -> None:
    # turning every die over keeps all chances: some play that is best for the chance earns 21 points a time
    found = told("sixzee")["four of a kind"][3]
    assert found.points > 21 * found.chances["more than 0"]


# --- any turn --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class OneDie(TurnGame):
    """One die, thrown as often as ``throws`` says; its face in thirds of a point."""

    name = "one die"
    throws: int = 30

    def roots(self) -> list[State]:
        return [self.die.first()]

    def turn(self, left: int, dice: Faces, stage: str) -> Word:
        return self.die.turn(left, dice, stage)

    @property
    def die(self) -> AnyDiceAgain:
        return AnyDiceAgain(1, self.throws, lambda dice: Choice([("stop", End("face", Fraction(dice[0], 3)))]))


def test_numbers_beyond_64_bits_stay_exact() -> None:
    made = OneDie()
    aim = Aim(lambda result: result == "face", {"six": 2})
    found = prospects(compile_turn(made), {"face": aim}, made.die.before_rolls())["face"]
    mean = Fraction(0)
    for rolls in range(1, 31):
        mean = sum((max(Fraction(face, 3), mean) for face in range(1, 7)), Fraction(0)) / 6
        assert found[rolls] == Prospects({"six": 1 - Fraction(5, 6) ** rolls}, mean)


@dataclass(frozen=True)
class Cut(TurnGame):
    """A throw with a side that is known only within bounds."""

    name = "cut"

    def turn(self) -> Word:
        return named(d6, lambda face: Beyond(0, 1) if face == 6 else End(face))


def test_a_turn_with_a_cut_and_a_state_that_never_comes_are_refused() -> None:
    aim = Aim(lambda result: True, {})
    with pytest.raises(ModelError, match="cut"):
        prospects(compile_turn(Cut()), {"all": aim}, {1: ()})
    with pytest.raises(ModelError, match="no turn comes"):
        prospects(compile_turn(OneDie(2)), {"all": aim}, {3: (2, (), "throw")})
