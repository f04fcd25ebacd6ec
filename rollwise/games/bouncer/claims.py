"""Bouncer: who pays whom, how often low rolls pay twice, and who is thrown out."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from rollwise.games.claims.replay import ReplayPosition, by_seat, replay, share, turn_game

FACES = range(1, 7)
PAIRS = tuple(product(FACES, repeat=2))  # (the roll before, the roll)
EACH = 12  # chips at the start
ROLLER = 1  # the seat that rolls; seat 0 made the roll before


def rolled(last: int, roll: int, chips: tuple[int, int, int] = (EACH,) * 3) -> ReplayPosition:
    """Position after seat 1 rolls, seat 0 having rolled ``last``."""
    return replay(turn_game("bouncer"), {"chips": chips, "last": last, "mover": ROLLER}, [((roll,), None)])


def chips_after(last: int, roll: int, chips: tuple[int, int, int] = (EACH,) * 3) -> tuple[int, ...]:
    """Chips by seat after seat 1 rolls."""
    return by_seat(turn_game("bouncer"), rolled(last, roll, chips), "chips", last=roll)


def received(last: int, roll: int) -> Fraction:
    """Chips that the roller gets from the player before."""
    return Fraction(chips_after(last, roll)[ROLLER] - EACH)


def pays_the_difference(higher: bool) -> Fraction:
    """Share of pairs with a higher, or a lower roll whose roller gets, or gives, the difference."""
    unequal = [(last, roll) for last, roll in PAIRS if last != roll and (roll > last) == higher]
    return share(chips_after(last, roll) == (EACH - roll + last, EACH + roll - last, EACH) for last, roll in unequal)


def equal_changes_nothing() -> Fraction:
    """Share of pairs of equal rolls that change no chips."""
    return share(chips_after(face, face) == (EACH,) * 3 for face in FACES)


def pays_to_both(rolls: tuple[int, ...]) -> Fraction:
    """P(a player who made one of these rolls pays the player before and the player after)."""
    paid_before = [(last, roll) for last, roll in PAIRS if roll in rolls and received(last, roll) < 0]
    twice = sum(received(roll, after) > 0 for _, roll in paid_before for after in FACES)
    return Fraction(twice, len(rolls) * len(PAIRS))


def exact_payment_stays() -> Fraction:
    """Share of debts of exactly the chips of a lower roller after which the game goes on without that player."""
    owing = [(last, roll, (EACH, last - roll, 2 * EACH - last + roll)) for last, roll in PAIRS if roll < last]
    return share(not rolled(*debt).over and chips_after(*debt)[ROLLER] == 0 for debt in owing)


def too_large_payment_ends() -> Fraction:
    """Share of debts of one chip more than a lower roller has that end the game; seat 2 has the most chips."""
    owing = [(last, roll, (EACH, last - roll - 1, 2 * EACH - last + roll + 1)) for last, roll in PAIRS if roll < last]
    return share(rolled(*debt).shares[2:] == (Fraction(1),) for debt in owing)
