"""Every dice odd that the ledger has about Sixzee, Six-Dice Zilch and Piggy Six, found again by icepool."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cache
from typing import Any

import icepool
import pytest

from rollwise.games.claims import claims

D6 = icepool.d6
DICE = 6
ENOUGH = 40  # points of a turn of Piggy Six


def chance(die: Any) -> Fraction:
    """P(true)."""
    return Fraction(die.probability(True))


# --- Piggy Six -----------------------------------------------------------------------------------------------------


def sixes(dice: int) -> Any:
    """How many sixes fall."""
    return (D6 == 6).pool(dice).sum()


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


def dead_faces(trio: int | None) -> Any:
    """A die that shows only faces which score nothing by themselves."""
    return icepool.Die([face for face in (2, 3, 4, 6) if face != trio])


def misses(dice: int, trio: int | None = None) -> Fraction:
    """All dice dead, and no three of a kind; three pairs are misses here."""
    dead = dead_faces(trio)
    no_trio = dead.pool(dice).largest_count().probability("<=", 2)
    return Fraction(len(dead), 6) ** dice * Fraction(no_trio)


def hit(dice: int, trio: int | None = None) -> Fraction:
    return 1 - misses(dice, trio)


def three_dead_pairs() -> Fraction:
    return Fraction(4, 6) ** DICE * Fraction(dead_faces(None).pool(DICE).all_counts().probability((2, 2, 2)))


def of_face(dice: int, face: int) -> Any:
    """How many dice show this face."""
    return (face == D6).pool(dice).sum()


def ones_or_sixes(dice: int) -> Fraction:
    return chance(D6.pool(dice).expand().map(lambda faces: faces.count(1) >= 3 or faces.count(6) >= 3, star=False))


def trio(dice: int) -> Fraction:
    return Fraction(D6.pool(dice).largest_count().probability(">=", 3))


def three_ones() -> tuple[Fraction, ...]:
    ones = of_face(DICE, 1)
    scores = hit(DICE) + three_dead_pairs()
    three = Fraction(ones.probability(">=", 3))
    return (three, Fraction(ones.probability(3)), three / scores, trio(DICE), hit(3, 1), 1 - scores)


ODDS: dict[str, Callable[[], tuple[Fraction, ...]]] = {
    "piggy-six/odds-change-with-dice": lambda: tuple(Fraction(sixes(dice).probability(">=", 1)) for dice in (1, 2, 3)),
    "piggy-six/one-die-no-double-six": lambda: (Fraction(sixes(1).probability(">=", 2)),),
    "piggy-six/one-die-slow": lambda: growth(2, 1),
    "piggy-six/three-dice-more-double-sixes": lambda: (
        Fraction(sixes(3).probability(">=", 2)) / Fraction(sixes(2).probability(">=", 2)),
    ),
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
    "zilch/table-six-dice": lambda: (hit(DICE) + three_dead_pairs(), hit(DICE)),
    "zilch/table-six-dice-three-ones": three_ones,
    "zilch/table-three-dice": lambda: (hit(3),),
    "zilch/table-three-dice-trio": lambda: (hit(3, 2), hit(3, 1)),
    "zilch/table-two-dice": lambda: (hit(2),),
    "zilch/table-two-dice-trio": lambda: (hit(2, 3), hit(2, 1)),
}


@pytest.mark.parametrize("name", ODDS)
def test_icepool_finds_the_same_odds(name: str) -> None:
    computed = next(claim for claim in claims() if claim.id == name).compute()
    readings = list(computed.values()) if isinstance(computed, Mapping) else [computed]
    flat = [number for value in readings for number in (value if isinstance(value, tuple) else (value,))]
    assert tuple(flat) == ODDS[name]()


def test_throws_that_are_three_two_one_show_three_faces() -> None:
    shapes = D6.pool(DICE).all_counts()
    assert [shape for shape in shapes if sorted(shape) == [1, 2, 3]] == [(3, 2, 1)]


# --- where the wrong figures of the table may come from, as its rows say ---------------------------------------------


def straight() -> Fraction:
    return Fraction(D6.pool(DICE).all_counts().probability((1, 1, 1, 1, 1, 1)))


def one_or_five(dice: int) -> Fraction:
    return chance(D6.pool(dice).expand().map(lambda faces: 1 in faces or 5 in faces, star=False))


def test_the_93_percent_come_of_counting_straights_twice() -> None:
    assert round(100 * (one_or_five(DICE) + straight())) == 93


def test_the_7_percent_come_of_adding_straights_to_exactly_three_ones() -> None:
    assert round(100 * (Fraction(of_face(DICE, 1).probability(3)) + straight())) == 7


def test_the_71_percent_come_of_counting_one_trio_instead_of_four() -> None:
    one_trio = Fraction(of_face(3, 2).probability(3))
    assert one_or_five(3) + 4 * one_trio == hit(3)
    assert round(100 * (one_or_five(3) + one_trio)) == 71
