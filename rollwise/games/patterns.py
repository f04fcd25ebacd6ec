"""Patterns that dice can show together: equal dice, dice in a row. Pure functions over faces in any order."""

from __future__ import annotations

from collections import Counter

from rollwise.solver.model.dice import Faces


def shape(dice: Faces) -> tuple[int, ...]:
    """How many dice show each face, largest number first.

    >>> shape((2, 5, 5, 2, 5)), shape(())
    ((3, 2), ())
    """
    return tuple(sorted(Counter(dice).values(), reverse=True))


def face_sum(dice: Faces, face: int) -> int:
    """The sum of the dice that show ``face``.

    >>> face_sum((2, 5, 5, 6), 5)
    10
    """
    return face * dice.count(face)


def of_a_kind(dice: Faces, count: int) -> bool:
    """True if some face shows at least ``count`` times.

    >>> of_a_kind((3, 3, 3, 3, 1), 3), of_a_kind((3, 3, 1), 3)
    (True, False)
    """
    return max(shape(dice), default=0) >= count


def full_house(dice: Faces) -> bool:
    """True for three dice of one face and two of another; five equal dice are no full house."""
    return shape(dice) == (3, 2)


def three_two_one(dice: Faces) -> bool:
    """True for three dice of one face, two of a second, one of a third."""
    return shape(dice) == (3, 2, 1)


def only_pairs(dice: Faces) -> bool:
    """True if every face shows an even number of times; four equal dice are two pairs.

    >>> only_pairs((1, 1, 4, 4, 4, 4)), only_pairs((1, 1, 4, 4, 4))
    (True, False)
    """
    return all(count % 2 == 0 for count in shape(dice))


def only_triples(dice: Faces) -> bool:
    """True if every face shows zero, three or six times; six equal dice are two triples."""
    return all(count % 3 == 0 for count in shape(dice))


def in_a_row(dice: Faces) -> int:
    """The length of the longest run of neighbouring faces.

    >>> in_a_row((1, 3, 4, 5, 5)), in_a_row((2, 2)), in_a_row(())
    (3, 1, 0)
    """
    longest = run = 0
    for face in range(1, 7):
        run = run + 1 if face in dice else 0
        longest = max(longest, run)
    return longest
