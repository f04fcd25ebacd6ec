"""The orders of throws in Mexico and 421, sentence by sentence."""

from __future__ import annotations

from itertools import combinations, product

import pytest

from rollwise.games.ranks import (
    highest_first,
    is_straight,
    kind_421,
    mexico_name,
    mexico_rank,
    name_421,
    rank_421,
    ranking,
)
from rollwise.solver.game.dice import Faces, throws

MEXICO = [
    *["2-1"],
    *["6-6", "5-5", "4-4", "3-3", "2-2", "1-1"],
    *["6-5", "6-4", "6-3", "6-2", "6-1", "5-4", "5-3", "5-2", "5-1", "4-3", "4-2", "4-1", "3-2", "3-1"],
]
PAIRS = list(product(range(1, 7), repeat=2))


def test_the_whole_order_of_mexico() -> None:
    assert [mexico_name(dice) for dice in ranking(2, mexico_rank)] == MEXICO


def test_mexico_is_above_everything() -> None:
    assert all(mexico_rank((2, 1)) > mexico_rank(dice) for dice in PAIRS if set(dice) != {1, 2})


def test_a_pair_is_above_all_unequal_dice_but_mexico() -> None:
    unequal = [dice for dice in PAIRS if len(set(dice)) == 2 and set(dice) != {1, 2}]
    assert all(mexico_rank((face, face)) > mexico_rank(dice) for face in range(1, 7) for dice in unequal)


def test_of_unequal_dice_the_higher_number_decides_first() -> None:
    """Read as a two-digit number, the higher die first, the larger number is the higher throw."""
    unequal = [dice for dice in PAIRS if len(set(dice)) == 2 and set(dice) != {1, 2}]
    for one, other in combinations(unequal, 2):
        numbers = [10 * max(dice) + min(dice) for dice in (one, other)]
        assert (mexico_rank(one) > mexico_rank(other)) == (numbers[0] > numbers[1])


def test_the_order_of_the_dice_does_not_matter() -> None:
    assert all(mexico_rank((a, b)) == mexico_rank((b, a)) for a, b in PAIRS)
    assert rank_421((1, 2, 4)) == rank_421((4, 1, 2))
    assert name_421((1, 5, 1)) == name_421((5, 1, 1)) == "1-1-5"


@pytest.mark.parametrize(
    ("kind", "count", "highest", "lowest"),
    [
        ("421", 1, "4-2-1", "4-2-1"),
        ("ones", 5, "1-1-6", "1-1-2"),
        ("triple", 6, "6-6-6", "1-1-1"),
        ("straight", 4, "6-5-4", "3-2-1"),
        ("rest", 40, "6-6-5", "2-2-1"),
    ],
)
def test_the_kinds_of_421(kind: str, count: int, highest: str, lowest: str) -> None:
    found = [name_421(dice) for dice in ranking(3, rank_421) if kind_421(dice) == kind]
    assert (len(found), found[0], found[-1]) == (count, highest, lowest)


def test_the_kinds_of_421_follow_each_other() -> None:
    kinds = [kind_421(dice) for dice in ranking(3, rank_421)]
    assert kinds == ["421"] + ["ones"] * 5 + ["triple"] * 6 + ["straight"] * 4 + ["rest"] * 40


def test_no_two_throws_of_421_rank_alike() -> None:
    assert len({rank_421(faces) for faces, _ in throws(3)}) == 56


def test_within_a_kind_the_highest_die_decides_then_the_next_then_the_lowest() -> None:
    """Read as a three-digit number, the highest die first, the larger number is the higher throw."""

    def number(dice: Faces) -> int:
        return int(highest_first(dice).replace("-", ""))

    for one, other in combinations([faces for faces, _ in throws(3)], 2):
        if kind_421(one) == kind_421(other):
            assert (rank_421(one) > rank_421(other)) == (number(one) > number(other))


def test_straights_are_three_in_a_row() -> None:
    straights = [name_421(faces) for faces, _ in throws(3) if is_straight(faces)]
    assert straights == ["3-2-1", "4-3-2", "5-4-3", "6-5-4"]
