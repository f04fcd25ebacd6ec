"""A few boxes of Yahtzee, once more and in the plainest way: every keep of every roll, in fractions."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import combinations, product

import numpy as np
import pytest

from rollwise.games.yahtzee import Yahtzee
from rollwise.solver.boards.sweep import BoardSolver
from rollwise.solver.turn.graph import compile_turn

Roll = tuple[int, ...]
NAMES = {"ones": 1, "twos": 2, "threes": 3, "fours": 4, "fives": 5, "sixes": 6}


@cache
def fallen(dice: int) -> dict[Roll, int]:
    counts: dict[Roll, int] = {}
    for faces in product(range(1, 7), repeat=dice):
        counts[tuple(sorted(faces))] = counts.get(tuple(sorted(faces)), 0) + 1
    return counts


@cache
def keeps(roll: Roll) -> frozenset[Roll]:
    return frozenset(kept for size in range(6) for kept in combinations(roll, size))


@cache
def rolled_from(kept: Roll) -> tuple[tuple[Roll, Fraction], ...]:
    again = 5 - len(kept)
    return tuple((tuple(sorted(kept + new)), Fraction(ways, 6**again)) for new, ways in fallen(again).items())


def best_roll_values(value: dict[Roll, Fraction]) -> dict[Roll, Fraction]:
    """What each roll is worth if one more throw of any of its dice leads to ``value``."""
    worth = {
        kept: sum((p * value[roll] for roll, p in rolled_from(kept)), Fraction(0))
        for kept in {kept for roll in fallen(5) for kept in keeps(roll)}
    }
    return {roll: max(worth[kept] for kept in keeps(roll)) for roll in fallen(5)}


def plain_score(box: str, roll: Roll) -> int:
    counts = sorted((roll.count(face) for face in set(roll)), reverse=True)
    text = "".join(str(face) for face in sorted(set(roll)))
    if box in NAMES:
        return sum(face for face in roll if face == NAMES[box])
    if box == "three of a kind":
        return sum(roll) if counts[0] >= 3 else 0
    if box == "four of a kind":
        return sum(roll) if counts[0] >= 4 else 0
    if box == "full house":
        return 25 if counts == [3, 2] else 0
    if box == "small straight":
        return 30 if any(run in text for run in ("1234", "2345", "3456")) else 0
    if box == "large straight":
        return 40 if text in ("12345", "23456") else 0
    if box == "yahtzee":
        return 50 if len(set(roll)) == 1 else 0
    return sum(roll)


class Plain:
    """Boxes in ``played`` are open at first, all others hold 0; sheets are scores by box."""

    def __init__(self, played: tuple[str, ...], forced: bool) -> None:
        self.played = played
        self.forced = forced
        self.known: dict[tuple[frozenset[str], int, int | None], Fraction] = {}

    def legal(self, sheet: dict[str, int], roll: Roll) -> list[str]:
        open_boxes = [box for box in self.played if box not in sheet]
        joker = len(set(roll)) == 1 and "yahtzee" not in open_boxes
        if not joker or not self.forced:
            return open_boxes
        own = [box for box in open_boxes if NAMES.get(box) == roll[0]]
        lower = [box for box in open_boxes if box not in NAMES]
        return own or lower or open_boxes

    def score(self, sheet: dict[str, int], box: str, roll: Roll) -> int:
        equal = len(set(roll)) == 1
        own_open = any(NAMES.get(other) == roll[0] for other in self.played if other not in sheet)
        yahtzee_open = "yahtzee" in self.played and "yahtzee" not in sheet
        joker_scores = {"full house": 25, "small straight": 30, "large straight": 40}
        score = plain_score(box, roll)
        if equal and not yahtzee_open and not own_open and box in joker_scores:
            score = joker_scores[box]
        if equal and sheet.get("yahtzee") == 50:
            score += 100
        return score

    def bonus(self, sheet: dict[str, int]) -> int:
        return 35 if sum(score for box, score in sheet.items() if box in NAMES) >= 63 else 0

    def value(self, sheet: dict[str, int]) -> Fraction:
        """Expected points still to come."""
        if len(sheet) == len(self.played):
            return Fraction(0)
        upper = min(63, sum(score for box, score in sheet.items() if box in NAMES))
        key = (frozenset(sheet), upper, sheet.get("yahtzee"))
        if key not in self.known:
            value = {roll: self.last(sheet, roll) for roll in fallen(5)}
            for _ in range(2):
                value = best_roll_values(value)
            self.known[key] = sum((Fraction(ways, 6**5) * value[roll] for roll, ways in fallen(5).items()), Fraction(0))
        return self.known[key]

    def last(self, sheet: dict[str, int], roll: Roll) -> Fraction:
        def worth(box: str) -> Fraction:
            after = {**sheet, box: plain_score(box, roll)}
            return self.score(sheet, box, roll) + self.bonus(after) - self.bonus(sheet) + self.value(after)

        return max(worth(box) for box in self.legal(sheet, roll))


SMALL = [
    ("chance",),
    ("large straight",),
    ("yahtzee",),
    ("sixes", "full house"),
    ("yahtzee", "large straight"),
    ("fives", "three of a kind", "yahtzee"),
    ("small straight", "sixes", "yahtzee"),
]


@pytest.mark.parametrize("joker", ["forced", "free"])
@pytest.mark.parametrize("played", SMALL, ids=",".join)
def test_every_board_of_a_few_boxes_is_worth_what_plain_play_finds(played: tuple[str, ...], joker: str) -> None:
    compare(played, joker)


@pytest.mark.slow
@pytest.mark.parametrize("joker", ["forced", "free"])
@pytest.mark.parametrize(
    "played", [("fours", "fives", "sixes"), ("ones", "full house", "yahtzee", "chance")], ids=",".join
)
def test_so_it_is_with_the_35_and_with_four_boxes(played: tuple[str, ...], joker: str) -> None:
    compare(played, joker)


def compare(played: tuple[str, ...], joker: str) -> None:
    game = Yahtzee(joker=joker, boxes=",".join(played))
    found = BoardSolver(game, compile_turn(game), workers=1, compiled=False).solve()
    plain = Plain(played, joker == "forced")
    space = game.boards()
    boards = np.flatnonzero(np.isfinite(found.values))
    assert found.n_boards == len(boards)
    for index in boards:
        sheet = game.sheet(space.board(int(index)))
        gap = abs(Fraction(float(found.values[index])) - plain.value(sheet))
        assert gap <= Fraction(float(found.radius[index]))
        assert found.radius[index] < 1e-10


def test_one_chance_is_worth_its_known_fraction() -> None:
    # each die on its own: 7/2 with one throw, 17/4 with two (keep from 4 on), 14/3 with three (keep from 5 on)
    assert Plain(("chance",), True).value({}) == 5 * Fraction(14, 3)
