"""The orders of throws in Mexico and 421, sentence by sentence."""

from __future__ import annotations

from itertools import combinations, groupby, permutations

from rollwise.games.ranks import highest_first, is_straight, kind_421, mexico_rank, name_421, rank_421, ranking
from rollwise.solver.model.dice import throws


def test_no_two_throws_rank_alike_and_the_order_of_the_dice_does_not_matter() -> None:
    for dice, rank in ((2, mexico_rank), (3, rank_421)):
        ranks = [{rank(order) for order in permutations(faces)} for faces, _ in throws(dice)]
        assert {len(found) for found in ranks} == {1}
        assert len(set.union(*ranks)) == len(ranks)
    assert {name_421(order) for order in permutations((1, 1, 5))} == {"1-1-5"}


def test_the_kinds_of_421_follow_each_other() -> None:
    kinds = [(kind, list(found)) for kind, found in groupby(ranking(3, rank_421), kind_421)]
    assert [(kind, len(found), name_421(found[0]), name_421(found[-1])) for kind, found in kinds] == [
        ("421", 1, "4-2-1", "4-2-1"),
        ("ones", 5, "1-1-6", "1-1-2"),
        ("triple", 6, "6-6-6", "1-1-1"),
        ("straight", 4, "6-5-4", "3-2-1"),
        ("rest", 40, "6-6-5", "2-2-1"),
    ]


def test_within_a_kind_the_highest_die_decides_and_straights_are_three_in_a_row() -> None:
    """Read as a three-digit number, the highest die first, the larger number is the higher throw."""
    for one, other in combinations([faces for faces, _ in throws(3)], 2):
        if kind_421(one) == kind_421(other):
            numbers = [int(highest_first(dice).replace("-", "")) for dice in (one, other)]
            assert (rank_421(one) > rank_421(other)) == (numbers[0] > numbers[1])
    straights = [name_421(faces) for faces, _ in throws(3) if is_straight(faces)]
    assert straights == ["3-2-1", "4-3-2", "5-4-3", "6-5-4"]
