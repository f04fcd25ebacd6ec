"""Patterns of one throw said in words: each form against all throws in order, and what is not a form is refused."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from pathlib import Path

import icepool
import pytest

from rollwise.games.claims.throwing import FORMS, MAX_DICE, chance
from rollwise.solver.model.errors import BadInput

Dice = tuple[int, ...]
DOCS = Path(__file__).parents[2] / "docs" / "claims.md"


def most(dice: Dice) -> int:
    return max(Counter(dice).values())


def groups(dice: Dice, size: int) -> int:
    return sum(count // size for count in Counter(dice).values())


def in_a_row(dice: Dice, long: int) -> bool:
    return any(set(range(low, low + long)) <= set(dice) for low in range(1, 8 - long))


MEANING: dict[str, Callable[[Dice], bool]] = {
    "a 1 or 5": lambda dice: 1 in dice or 5 in dice,
    "no 1 or 5": lambda dice: 1 not in dice and 5 not in dice,
    "only 2, 3 or 4": lambda dice: set(dice) <= {2, 3, 4},
    "at least two sixes": lambda dice: dice.count(6) >= 2,
    "exactly one 6": lambda dice: dice.count(6) == 1,
    "a pair": lambda dice: most(dice) >= 2,
    "two pairs": lambda dice: groups(dice, 2) >= 2,
    "three pairs": lambda dice: groups(dice, 2) >= 3,
    "three of a kind": lambda dice: most(dice) >= 3,
    "exactly three of a kind": lambda dice: most(dice) == 3,
    "two triples": lambda dice: groups(dice, 3) >= 2,
    "a full house": lambda dice: sorted(Counter(dice).values())[-2:] in ([2, 3], [2, 4], [3, 3]),
    "a straight": lambda dice: len(set(dice)) == len(dice) and max(dice) - min(dice) < len(dice),
    "a straight of four": lambda dice: in_a_row(dice, 4),
    "all different": lambda dice: len(set(dice)) == len(dice),
    "all equal": lambda dice: len(set(dice)) == 1,
    "at least three different faces": lambda dice: len(set(dice)) >= 3,
    "all even": lambda dice: not any(die % 2 for die in dice),
    "all odd": lambda dice: all(die % 2 for die in dice),
    "total 7": lambda dice: sum(dice) == 7,
    "total 7 or 11": lambda dice: sum(dice) in (7, 11),
    "total at most 5": lambda dice: sum(dice) <= 5,
    "total 3 to 6": lambda dice: 3 <= sum(dice) <= 6,
    "total even": lambda dice: sum(dice) % 2 == 0,
    "no pair": lambda dice: most(dice) < 2,
    "no straight": lambda dice: not in_a_row(dice, len(dice)) if len(dice) < 7 else True,
    "no full house": lambda dice: sorted(Counter(dice).values())[-2:] not in ([2, 3], [2, 4], [3, 3]),
    "no three of a kind": lambda dice: most(dice) < 3,
    "two different pairs": lambda dice: sum(count >= 2 for count in Counter(dice).values()) >= 2,
    "no six or three of a kind": lambda dice: 6 not in dice or most(dice) >= 3,
    "no 1 or 5 and no three of a kind": lambda dice: 1 not in dice and 5 not in dice and most(dice) < 3,
    "a 1, 4 or 5, or three of a kind": lambda dice: bool({1, 4, 5} & set(dice)) or most(dice) >= 3,
    "a 1 and a 5 or a pair and no six": lambda dice: {1, 5} <= set(dice) or (most(dice) > 1 and 6 not in dice),
    "no 6 or a 1": lambda dice: 6 not in dice or 1 in dice,
    "a 1, a 4 or a five": lambda dice: bool({1, 4, 5} & set(dice)),
    "a six or a pair": lambda dice: 6 in dice or most(dice) > 1,
    "only ones or sixes": lambda dice: set(dice) <= {1, 6},
    "fewer than 2 ones": lambda dice: dice.count(1) < 2,
    "more than one 3 and at most one 2": lambda dice: dice.count(3) > 1 and dice.count(2) <= 1,
    "total more than 7 and total less than 10": lambda dice: 7 < sum(dice) < 10,
    "No ones,  or SIXES": lambda dice: 1 not in dice and 6 not in dice,
}


def test_a_chance_is_a_count_of_all_throws_and_what_icepool_finds() -> None:
    throws = {dice: list(product(range(1, 7), repeat=dice)) for dice in (1, 2, 3, 5)}
    for text, (dice, every) in product(MEANING, throws.items()):
        assert chance(dice, text) == Fraction(sum(map(MEANING[text], every)), 6**dice), (text, dice)
    three = sum(map(MEANING["three pairs"], product(range(1, 7), repeat=6)))
    assert chance(6, "three pairs") == Fraction(three, 6**6)
    five = icepool.d6.pool(5)
    assert chance(5, "three of a kind") == Fraction(five.largest_count().probability(">=", 3))
    assert chance(5, "a straight of four") == Fraction(five.largest_straight().probability(">=", 4))
    assert chance(20, "total at least 70") == Fraction((20 @ icepool.d6).probability(">=", 70))
    assert chance(6, "at least two sixes") == Fraction((6 @ (icepool.d6 == 6)).probability(">=", 2))


def test_every_form_has_its_meaning_and_stands_on_the_page_with_its_chance() -> None:
    assert set(FORMS) - {"dice 6-5"} <= set(MEANING)
    assert (chance(2, "dice 6-5"), chance(3, "dice 1-2-1")) == (Fraction(2, 36), Fraction(3, 216))
    with pytest.raises(BadInput, match="names 2 dice, and 3 are thrown: 'dice 6-5'"):
        chance(3, "dice 6-5")
    rows = re.findall(r"^\| `([^`]+)` \| (\d+) \| ([\d/]+) \|", DOCS.read_text(), re.MULTILINE)
    assert [text for text, _, _ in rows] == list(FORMS)
    assert [(text, str(chance(int(dice), text))) for text, dice, _ in rows] == [(text, said) for text, _, said in rows]


NO_FORM = [
    *("", "1", "1 or 5", "fives", "pairs", "a 7", "no 1 and 5", "a 1 and 5", "a 1 or", "and", "a 1 a 5", "full"),
    *("two sixes", "at least two sixes or fives", "total", "total 3 or less", "total seven", "dice 6-7"),
    *("some three of a kind", "__import__('os')", "a 1; a 5", "no no pair", "zwei Sechsen", "a straight of"),
]


def test_what_is_not_a_form_is_refused_with_the_list_of_all_and_a_number_of_dice_that_is_none() -> None:
    for text in NO_FORM:
        with pytest.raises(BadInput) as refused:
            chance(2, text)
        told = str(refused.value)
        assert told.startswith(f"throw.text cannot be '{text}'; it is one of: a 1 or 5, no 1 or 5, ")
        assert all(form in told for form in FORMS)
        assert (len(told) < 600, "\n" in told) == (True, False)
    for dice in (0, -1, MAX_DICE + 1):
        with pytest.raises(BadInput, match=f"dice is from 1 to {MAX_DICE}, got {dice}"):
            chance(dice, "a 1")
