"""Every dice odd that the ledger has, found again by icepool."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import cache
from typing import Any

import icepool
import pytest

from rollwise.games.claims import Certified, Value, claims
from rollwise.solver.model.errors import UnknownGame

Faces = tuple[int, ...]
D6 = icepool.d6
SOURCE = "TACTIC rules for dice games"
DICE = 6
ENOUGH = 40  # points of a turn of Piggy Six


def chance(dice: int, of: Callable[[Faces], Any]) -> Fraction:
    """P(a throw is so)."""
    return Fraction(D6.pool(dice).expand().map(lambda faces: bool(of(faces)), star=False).probability(True))


def most(faces: Faces) -> int:
    """How many dice show the same face."""
    return max(map(faces.count, faces))


def pays_twice(roll: int) -> Fraction:
    """The roll before is higher, and so is the roll after."""
    return chance(2, lambda faces: min(faces) > roll)


def roulette_edges() -> tuple[Fraction, ...]:
    """Even money on under 7, over 7, odd and even; 7 for 1 on 9; elsewhere 7/9 of the fair pay, rounded down."""
    total = D6 + D6
    numbers = {number: Fraction(total.probability(number)) for number in range(2, 13)}
    bets = [range(2, 7), range(8, 13), range(3, 13, 2), range(2, 13, 2)]
    even_money = [sum((numbers[number] for number in bet), Fraction(0)) for bet in bets]
    assumed = [1 - p * (7 / (9 * p) // 1) for number, p in numbers.items() if number != 9]
    return (*(1 - 2 * p for p in even_money), 1 - 7 * numbers[9], *assumed)


def high_dice_edges() -> tuple[Fraction, ...]:
    """What the banker wins on average: his 1-1 loses; or it does not, but a player's 6-6 wins twice the stake."""

    def plain(bank: int, player: int) -> int:
        return -1 if bank == 2 or player > bank else 1

    def double(bank: int, player: int) -> int:
        return (-2 if player == 12 else -1) if player > bank else 1

    return tuple(Fraction(icepool.map(rule, D6 + D6, D6 + D6).mean()) for rule in (plain, double))


# --- Piggy Six -----------------------------------------------------------------------------------------------------


def sixes(dice: int, least: int) -> Fraction:
    return chance(dice, lambda faces: faces.count(6) >= least)


def thrown(dice: int) -> Any:
    """What a throw does: its sum; -1 with one six, -2 with more."""
    return D6.pool(dice).expand().map(lambda faces: -min(faces.count(6), 2) or sum(faces), star=False)


def good_points(dice: int) -> Fraction:
    return Fraction(D6.truncate(max_outcome=5).pool(dice).sum().mean())


def points(dice: int) -> Fraction:
    return Fraction(thrown(dice).map(lambda shown: max(shown, 0)).mean())


def sixes_in_a_turn(dice: int, stop: int) -> Fraction:
    throw = thrown(dice)

    @cache
    def from_here(total: int) -> Any:
        return throw.map(lambda shown: shown if shown < 0 or total + shown >= stop else from_here(total + shown))

    return Fraction(from_here(0).probability(-2))


def best_turn(dice: int) -> Fraction:
    """From ENOUGH on one more throw gains less than it risks, and risks ever more."""
    throw = thrown(dice)
    assert points(dice) < ENOUGH * Fraction(throw.probability("<", 0))

    @cache
    def worth(total: int) -> Fraction:
        if total >= ENOUGH:
            return Fraction(total)
        on = throw.map(lambda shown: worth(total + shown) if shown > 0 else Fraction(0))
        return max(Fraction(total), Fraction(on.mean()))

    return worth(0)


def growth(more: int, less: int) -> tuple[Fraction, ...]:
    return tuple(worth(more) / worth(less) for worth in (good_points, points, best_turn))


# --- Six-Dice Zilch ------------------------------------------------------------------------------------------------


def hit(dice: int, trio: int = 1) -> Fraction:
    """A one, a five, a match of the trio or three of a kind; three pairs are misses here."""
    return chance(dice, lambda faces: {1, 5, trio} & set(faces) or most(faces) >= 3)


def pairs(faces: Faces) -> bool:
    """Three different ones of dice that score nothing by themselves."""
    return not {1, 5} & set(faces) and sorted(map(faces.count, set(faces))) == [2, 2, 2]


def ones_or_sixes(dice: int) -> Fraction:
    return chance(dice, lambda faces: faces.count(1) >= 3 or faces.count(6) >= 3)


def trio(dice: int) -> Fraction:
    return chance(dice, lambda faces: most(faces) >= 3)


def ones(least: int) -> Fraction:
    return chance(DICE, lambda faces: faces.count(1) >= least)


def six_dice() -> Fraction:
    return hit(DICE) + chance(DICE, pairs)


def three_ones() -> tuple[Fraction, ...]:
    return ones(3), ones(3) - ones(4), ones(3) / six_dice(), trio(DICE), hit(3, 1), 1 - six_dice()


ODDS: dict[str, Callable[[], tuple[Fraction, ...]]] = {
    "bouncer/low-rolls-pay-twice": lambda: ((pays_twice(1) + pays_twice(2)) / 2, pays_twice(1), pays_twice(2)),
    "dice-roulette/banker-ahead": roulette_edges,
    "high-dice/banker-ahead": high_dice_edges,
    "ten-thousand/first-roll-nothing": lambda: (1 - hit(DICE),),
    "piggy-six/odds-change-with-dice": lambda: tuple(sixes(dice, 1) for dice in (1, 2, 3)),
    "piggy-six/one-die-no-double-six": lambda: (sixes(1, 2),),
    "piggy-six/one-die-slow": lambda: growth(2, 1),
    "piggy-six/three-dice-more-double-sixes": lambda: (sixes(3, 2) / sixes(2, 2),),
    "piggy-six/three-dice-more-double-sixes-in-a-turn": lambda: (
        min(sixes_in_a_turn(3, stop) / sixes_in_a_turn(2, stop) for stop in range(8, 17)),
    ),
    "piggy-six/three-dice-quick": lambda: growth(3, 2),
    "sixzee/chance-never-zero": lambda: (Fraction(D6.pool(DICE).sum().min_outcome()),),
    "zilch/a-keeps-only-the-one": lambda: (ones_or_sixes(5) / ones_or_sixes(4),),
    "zilch/a-last-die": lambda: (hit(1, 4),),
    "zilch/a-three-dice-beside-fours": lambda: (hit(3, 4),),
    "zilch/a-three-dice-for-a-trio": lambda: (trio(3) - trio(2),),
    "zilch/b-three-dice": lambda: (hit(3, 1),),
    "zilch/more-dice-better": lambda: (min(ones_or_sixes(dice + 1) / ones_or_sixes(dice) for dice in (3, 4, 5)),),
    "zilch/table-one-die": lambda: (hit(1),),
    "zilch/table-one-die-trio": lambda: (hit(1, 6), hit(1, 5)),
    "zilch/table-six-dice": lambda: (six_dice(), hit(DICE)),
    "zilch/table-six-dice-three-ones": three_ones,
    "zilch/table-three-dice": lambda: (hit(3),),
    "zilch/table-three-dice-trio": lambda: (hit(3, 2), hit(3, 1)),
    "zilch/table-two-dice": lambda: (hit(2),),
    "zilch/table-two-dice-trio": lambda: (hit(2, 3), hit(2, 1)),
}
NO_ODDS = {"pay-the-rent/banker-half": "a part of the pot", "pay-the-rent/example-division": "parts of the pot"}


def numbers(computed: Value | Mapping[str, Value]) -> Iterator[Fraction]:
    """Every number of a computed claim, reading after reading."""
    for value in computed.values() if isinstance(computed, Mapping) else [computed]:
        if not isinstance(value, str | Certified):  # which no rule sheet's claim is
            yield from value if isinstance(value, tuple) else (value,)


def of_a_throw(number: Fraction) -> bool:
    """A chance between 0 and 1 that so many dice can have."""
    return 0 < number < 1 and 6**40 % number.denominator == 0


@pytest.mark.parametrize("name", ODDS)
def test_icepool_finds_the_same_odds(name: str) -> None:
    assert tuple(numbers(next(claim for claim in claims() if claim.id == name).compute())) == ODDS[name]()


@pytest.mark.thorough
def test_every_odd_of_the_ledger_is_here() -> None:
    for claim in claims():
        if claim.slow or claim.source != SOURCE or claim.id in {*ODDS, *NO_ODDS}:
            continue
        with contextlib.suppress(UnknownGame):
            computed = claim.compute()
            assert not any(map(of_a_throw, numbers(computed))), f"{claim.id}: {computed}"
