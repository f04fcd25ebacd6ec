"""The dice of Six-Dice Zilch: which score, the ways to keep them, and the points that throws make."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, product

from rollwise.solver.model.dice import Faces, grouped, throws, without
from rollwise.solver.model.moves import keep_move

DICE = 6

STEP = 50

CONSOLATION = 100

SPECIALS = {"three pairs": 1000, "straight": 1500}

TRIO_OF_ONES = 1000

NONE, MUST = 0, "must"  # instead of the face of a trio: no trio; all six dice must be thrown


@cache
def scoring(roll: Faces, trio: int) -> Faces:
    """The dice of a roll that can score: ones, fives, matches of the trio, and faces that show three times or more."""
    count = Counter(roll)
    return tuple(face for face in roll if face in (1, 5, trio) or count[face] >= 3)


@cache
def special(roll: Faces) -> str:
    """The name of a special throw of all six dice, or nothing; equal pairs are pairs too."""
    if len(roll) < DICE:
        return ""
    if len(set(roll)) == DICE:
        return "straight"
    return "three pairs" if all(count % 2 == 0 for count in Counter(roll).values()) else ""


@cache
def roll_look(trio: int) -> Callable[[Faces], tuple[Faces, str] | None]:
    """A function from a roll to (the dice that can score beside this trio, special name); None if nothing scores."""

    def look(roll: Faces) -> tuple[Faces, str] | None:
        table = scoring(roll, trio), special(roll)
        return table if any(table) else None

    return look


@cache
def rolls_with(dice: int, trio: int, scorers: Faces, name: str) -> tuple[Faces, ...]:
    """All rolls of so many dice beside this trio with these scoring dice and this special name."""
    return tuple(roll for roll, _ in throws(dice) if roll_look(trio)(roll) == (scorers, name))


@cache
def equal_dice_counts(face: int, count: int, trio: int) -> tuple[tuple[int, bool], ...]:
    """All ways to count equal dice of one throw: (points, whether a trio of them is on the board then)."""
    single = {1: {100}, 5: {50}}.get(face, set())
    match = single | {100}
    ways = {(points, False) for points in _sums(match if face == trio else single, count)}
    if count >= 3:
        triple = 1000 if face == 1 else 100 * face
        ways |= {(triple + points, True) for points in _sums(match, count - 3)}
        if count == DICE:
            ways.add((2 * triple, True))
    return tuple(sorted(ways))


def _sums(numbers: set[int], count: int) -> set[int]:
    return {sum(some) for some in combinations_with_replacement(sorted(numbers), count)}


@cache
def trio_counts(dice: Faces, trio: int) -> tuple[tuple[int, int], ...]:
    """All ways to count all of these dice: (points, trio on the board from now on), more points first.

    A trio of ones counts as none, since a later one is worth 100 with it or without it.
    """
    faces = sorted(Counter(dice).items())
    all_counts = set()
    for counts in product(*(equal_dice_counts(face, count, trio) for face, count in faces)):
        trios = [face for (face, _), (_, is_trio) in zip(faces, counts, strict=True) if is_trio and face != 1]
        all_counts.add((sum(points for points, _ in counts), trios[0] if trios else trio))
    return tuple(sorted(all_counts, reverse=True))


@cache
def keeps(dice: Faces, trio: int, n_thrown: int) -> tuple[tuple[str, int, int, int], ...]:
    """All ways to keep exactly these dice of a throw: (move, points, dice to throw next, trio on the board then)."""
    n_left = n_thrown - len(dice)
    return tuple(
        (keep_move(dice, points), points, n_left or DICE, trio_after if n_left else NONE)
        for points, trio_after in (trio_counts(dice, trio) if dice else ())
    )


@cache
def smaller_keeps(dice: Faces, trio: int) -> tuple[Faces, ...]:
    """The next smaller sets of these dice that can be kept: one die less, or none of a face that needs three."""
    smaller = []
    for face in sorted(set(dice)):
        less = without(dice, face)
        while face in less and not equal_dice_counts(face, less.count(face), trio):
            less = without(less, face)
        if less:
            smaller.append(less)
    return tuple(smaller)


@cache
def totals_of_pass() -> Mapping[tuple[int, int], frozenset[int]]:
    """The possible points since all six dice were thrown, by (dice to throw, trio on the board)."""
    totals_by_dice: dict[tuple[int, int], set[int]] = {(DICE, NONE): {0}}
    for dice in range(DICE, 0, -1):
        for (_, trio), before in [(here, sorted(totals)) for here, totals in totals_by_dice.items() if here[0] == dice]:
            for looked, _ in grouped(dice, roll_look(trio)):
                for some in _parts(looked[0], trio) if looked else ():
                    for _, points, n_left, next_trio in keeps(some, trio, dice):
                        if n_left < DICE:
                            totals_by_dice.setdefault((n_left, next_trio), set()).update(n + points for n in before)
    return {here: frozenset(totals) for here, totals in totals_by_dice.items()}


@cache
def _parts(dice: Faces, trio: int) -> frozenset[Faces]:
    """All sets of these dice that can be kept."""
    return frozenset({dice}.union(*(_parts(less, trio) for less in smaller_keeps(dice, trio)))) - {()}


@cache
def max_mean_gain(dice: int, trio: int) -> Fraction:
    """The most points that a throw of so many dice adds on average, before the player may stop again.

    A special throw adds a throw of six dice; a lost throw adds at most the consolation.
    """

    def most(scorers: Faces, name: str) -> int:
        plain = (points for some in _parts(scorers, trio) for _, points, *_ in keeps(some, trio, dice))
        return max(*plain, SPECIALS.get(name, 0), 0)

    ways = [
        (most(*look) if look else CONSOLATION, bool(look and look[1]), n) for look, n in grouped(dice, roll_look(trio))
    ]
    again = sum(n for _, forced, n in ways if forced)
    return Fraction(sum(points * n for points, _, n in ways), 6**dice - again)


@cache
def chance_lost(dice: int, trio: int) -> Fraction:
    """P(a throw of so many dice scores nothing)."""
    return Fraction(dict(grouped(dice, roll_look(trio)))[None], 6**dice)


@cache
def stopping_total() -> int:
    """The first total at which no throw adds more on average than it puts at risk."""
    least = max(max_mean_gain(*here) / chance_lost(*here) for here in totals_of_pass())
    return int(-(-least // STEP)) * STEP
