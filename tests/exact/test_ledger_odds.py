"""Every dice odd that the ledger has about the 21 classic games, found again by icepool.

(Those of the other sources stand in ``test_ledger_odds_123.py``.)
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Any

import icepool
import pytest

from rollwise.games.claims import Certified, Claim, Value, claims
from rollwise.games.ranks import mexico_rank, rank_421, ranking
from rollwise.solver.game.errors import UnknownGame

D6 = icepool.d6
SOURCE = "004_cc367fea0fd9d5c8.txt"
SMALL_PRIMES = (2, 3)


def chance(die: Any) -> Fraction:
    """P(true)."""
    return Fraction(die.probability(True))


def scores_nothing(dice: int) -> Fraction:
    """No one, no five, no three of a kind."""

    def nothing(faces: tuple[int, ...]) -> bool:
        return not {1, 5} & set(faces) and all(faces.count(face) < 3 for face in (2, 3, 4, 6))

    return chance(D6.pool(dice).expand().map(nothing, star=False))


def pays_twice(roll: int) -> Fraction:
    """The roll before is higher, and so is the roll after."""
    return chance(icepool.map(lambda before, after: before > roll and after > roll, D6, D6))


def roulette_edges() -> tuple[Fraction, ...]:
    """Even money on under 7, over 7, odd and even; 7 for 1 on 9; elsewhere 7/9 of the fair pay, rounded down."""
    total = D6 + D6
    even_money = [chance(bet) for bet in (total < 7, total > 7, total % 2 == 1, total % 2 == 0)]
    numbers = {number: chance(total == number) for number in range(2, 13)}
    assumed = [1 - p * (7 / (9 * p) // 1) for number, p in numbers.items() if number != 9]
    return (*(1 - 2 * p for p in even_money), 1 - 7 * numbers[9], *assumed)


def high_dice_edges() -> tuple[Fraction, ...]:
    """What the banker wins on average: his 1-1 loses; or it does not, but a player's 6-6 wins twice the stake."""

    def plain(bank: int, player: int) -> int:
        return -1 if bank == 2 or player > bank else 1

    def double(bank: int, player: int) -> int:
        return (-2 if player == 12 else -1) if player > bank else 1

    return tuple(Fraction(icepool.map(rule, D6 + D6, D6 + D6).mean()) for rule in (plain, double))


ODDS: dict[str, Callable[[], tuple[Fraction, ...]]] = {
    "bouncer/low-rolls-pay-twice": lambda: (
        (pays_twice(1) + pays_twice(2)) / 2,
        pays_twice(1),
        pays_twice(2),
    ),
    "dice-roulette/banker-ahead": roulette_edges,
    "high-dice/banker-ahead": high_dice_edges,
    "ten-thousand/first-roll-nothing": lambda: (scores_nothing(6),),
}
NO_ODDS = {
    "pay-the-rent/banker-half": "a part of the pot",
    "pay-the-rent/example-division": "parts of the pot",
}


def numbers(computed: Value | Mapping[str, Value]) -> Iterator[Fraction]:
    """Every number of a computed claim, reading after reading."""
    for value in computed.values() if isinstance(computed, Mapping) else [computed]:
        if not isinstance(value, str | Certified):  # which no rule sheet's claim is
            yield from value if isinstance(value, tuple) else (value,)


def of_a_throw(number: Fraction) -> bool:
    """A chance between 0 and 1 that so many dice can have."""
    left = number.denominator
    for prime in SMALL_PRIMES:
        while left % prime == 0:
            left //= prime
    return 0 < number < 1 and left == 1


def named(name: str) -> Claim:
    return next(claim for claim in claims() if claim.id == name)


@pytest.mark.parametrize("name", ODDS)
def test_icepool_finds_the_same_odds(name: str) -> None:
    assert tuple(numbers(named(name).compute())) == ODDS[name]()


def test_every_odd_of_the_ledger_is_here() -> None:
    for claim in claims():
        if claim.slow or claim.source != SOURCE or claim.id in {*ODDS, *NO_ODDS}:
            continue
        with contextlib.suppress(UnknownGame):
            computed = claim.compute()
            assert not any(map(of_a_throw, numbers(computed))), f"{claim.id}: {computed}"


# --- rankings: the order is ours, the throws are icepool's ---------------------------------------------------------


@pytest.mark.parametrize(("dice", "rank"), [(2, mexico_rank), (3, rank_421)])
def test_a_ranking_names_every_throw_once(dice: int, rank: Callable[[tuple[int, ...]], Any]) -> None:
    assert sorted(ranking(dice, rank)) == sorted(D6.pool(dice).expand().outcomes())


def test_four_two_one_is_the_highest_of_three_players_throws_as_often_as_somebody_throws_it() -> None:
    """Six of 216 ways, and nothing lies above."""
    ranks = D6.pool(3).expand().map(rank_421, star=False)
    best = icepool.highest(ranks, ranks, ranks)
    assert best.probability(rank_421((4, 2, 1))) == 1 - Fraction(210, 216) ** 3


def test_nobody_is_below_two_two_one() -> None:
    ranks = D6.pool(3).expand().map(rank_421, star=False)
    assert ranks.probability("<", rank_421((2, 2, 1))) == 0
    assert ranks.probability(rank_421((2, 2, 1))) == Fraction(3, 216)


def test_mexico_and_the_lowest_throw_fall_equally_often() -> None:
    ranks = D6.pool(2).expand().map(mexico_rank, star=False)
    assert ranks.probability(mexico_rank((2, 1))) == ranks.probability(ranks.min_outcome()) == Fraction(1, 18)
    assert ranks.min_outcome() == mexico_rank((3, 1))
