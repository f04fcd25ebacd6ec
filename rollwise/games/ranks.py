"""Ranks of throws in Mexico and 421: pure functions of dice. A rank is a tuple; a higher throw has a larger rank."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from rollwise.solver.model.dice import Faces, throws

Rank: TypeAlias = tuple[int, ...]

MEXICO = (1, 2)  # faces ascending, as throws have them
FOUR_TWO_ONE = (1, 2, 4)


def highest_first(dice: Faces) -> str:
    """Dice as rule sheets name them, the highest first.

    >>> highest_first((3, 1, 6))
    '6-3-1'
    """
    return "-".join(map(str, sorted(dice, reverse=True)))


def ranking(dice: int, rank: Callable[[Faces], Rank]) -> list[Faces]:
    """All throws of so many dice (faces ascending), the highest first."""
    return sorted((faces for faces, _ in throws(dice)), key=rank, reverse=True)


# --- Mexico: two dice ----------------------------------------------------------------------------------------------


def mexico_rank(dice: Faces) -> Rank:
    """2-1 is above all pairs, a pair above all unequal dice; else the higher die decides, then the lower one.

    >>> mexico_rank((1, 2)) > mexico_rank((6, 6)) > mexico_rank((1, 1)) > mexico_rank((6, 5)) > mexico_rank((6, 4))
    True
    """
    low, high = sorted(dice)
    return ((low, high) == MEXICO, low == high, high, low)


def mexico_name(dice: Faces) -> str:
    """The higher die first.

    >>> mexico_name((1, 2)), mexico_name((4, 4))
    ('2-1', '4-4')
    """
    return highest_first(dice)


# --- 421: three dice -----------------------------------------------------------------------------------------------


def is_straight(dice: Faces) -> bool:
    """True for three dice in a row."""
    low = min(dice)
    return sorted(dice) == [low, low + 1, low + 2]


def kind_421(dice: Faces) -> str:
    """The kind of result of three dice; 1-1-1 is a triple.

    >>> kind_421((1, 1, 6)), kind_421((1, 1, 1)), kind_421((2, 2, 6))
    ('ones', 'triple', 'rest')
    """
    if tuple(sorted(dice)) == FOUR_TWO_ONE:
        return "421"
    if dice.count(1) == 2:
        return "ones"
    if len(set(dice)) == 1:
        return "triple"
    return "straight" if is_straight(dice) else "rest"


KINDS_421 = ("rest", "straight", "triple", "ones", "421")  # lowest first


def rank_421(dice: Faces) -> Rank:
    """The kind decides first; then the highest die, the middle one, the lowest one.

    >>> rank_421((1, 1, 2)) > rank_421((6, 6, 6)) > rank_421((1, 1, 1)) > rank_421((4, 5, 6)) > rank_421((5, 6, 6))
    True
    """
    return (KINDS_421.index(kind_421(dice)), *sorted(dice, reverse=True))


def name_421(dice: Faces) -> str:
    """The highest die first, but a pair of ones before the third die.

    >>> name_421((1, 2, 4)), name_421((1, 1, 6)), name_421((2, 1, 2))
    ('4-2-1', '1-1-6', '2-2-1')
    """
    return f"1-1-{max(dice)}" if kind_421(dice) == "ones" else highest_first(dice)
