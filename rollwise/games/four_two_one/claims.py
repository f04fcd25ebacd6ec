"""421: the order of all throws."""

from __future__ import annotations

from fractions import Fraction
from itertools import groupby

from rollwise.games.ranks import kind_421, name_421, rank_421, ranking

CALLED = {"421": "4-2-1", "ones": "1-1-x", "triple": "three of a kind", "straight": "a straight", "rest": "any other"}


def of_kind(kind: str | None = None) -> list[str]:
    """The throws of one kind, or all, from the highest to the lowest."""
    return [name_421(dice) for dice in ranking(3, rank_421) if kind in (None, kind_421(dice))]


def ends(kind: str | None = None, highest: bool = True, lowest: bool = True) -> str:
    """The highest and the lowest throw of one kind, or of all."""
    throws_of_kind = of_kind(kind)
    return ", ".join([*throws_of_kind[:highest], *throws_of_kind[-1:][:lowest]])


def n_throws(kind: str) -> Fraction:
    """Number of throws of one kind."""
    return Fraction(len(of_kind(kind)))


def order_of_kinds() -> str:
    """Kinds of throws from the highest down, in the sheet's words."""
    kinds = [kind_421(dice) for dice in ranking(3, rank_421)]
    return ", ".join(CALLED[kind] for kind, _ in groupby(kinds))


def n_ranks() -> Fraction:
    """Number of different ranks; throws of one rank count once."""
    return Fraction(len({rank_421(dice) for dice in ranking(3, rank_421)}))
