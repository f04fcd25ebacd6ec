"""Bouncer: who pays whom, how often low rolls pay twice, and who is thrown out."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from itertools import product

from rollwise.games.claims import ALWAYS, EXACTLY, MOSTLY, Claim
from rollwise.games.claims.replay import ReplayPosition, by_seat, replay, turn_game

GAME = "bouncer"
SOURCE = "TACTIC rules for dice games"
FACES = range(1, 7)
PAIRS = tuple(product(FACES, repeat=2))  # (the roll before, the roll)
EACH = 12  # chips at the start
BEFORE, ROLLER = 0, 1  # seats: who made the roll before, and who rolls


def rolled(last: int, roll: int, chips: tuple[int, int, int] = (EACH,) * 3) -> ReplayPosition:
    """Position after seat 1 rolls, seat 0 having rolled ``last``."""
    return replay(turn_game(GAME), {"chips": chips, "last": last, "mover": ROLLER}, [((roll,), None)])


def chips_after(last: int, roll: int, chips: tuple[int, int, int] = (EACH,) * 3) -> tuple[int, ...]:
    """Chips by seat after seat 1 rolls."""
    return by_seat(turn_game(GAME), rolled(last, roll, chips), "chips", last=roll)


def received(last: int, roll: int) -> Fraction:
    """Chips that the roller gets from the player before."""
    return Fraction(chips_after(last, roll)[ROLLER] - EACH)


def part(cases: Iterable[bool]) -> Fraction:
    """Share of True cases."""
    flags = list(cases)
    return Fraction(sum(flags), len(flags))


def lower_pays() -> Fraction:
    """Share of pairs with a lower roll whose roller gives the difference to the player before."""
    return part(
        chips_after(last, roll) == (EACH + last - roll, EACH - last + roll, EACH) for last, roll in PAIRS if roll < last
    )


def higher_receives() -> Fraction:
    """Share of pairs with a higher roll whose roller gets the difference from the player before."""
    return part(
        chips_after(last, roll) == (EACH - roll + last, EACH + roll - last, EACH) for last, roll in PAIRS if roll > last
    )


def equal_changes_nothing() -> Fraction:
    """Share of pairs of equal rolls that change no chips."""
    return part(chips_after(face, face) == (EACH,) * 3 for face in FACES)


def pays_to_both(*rolls: int) -> Fraction:
    """P(a player who made one of these rolls pays the player before and the player after)."""
    paid_before = [(last, roll) for last, roll in PAIRS if roll in rolls and received(last, roll) < 0]
    twice = sum(received(roll, after) > 0 for _, roll in paid_before for after in FACES)
    return Fraction(twice, len(rolls) * len(PAIRS))


def owing(last: int, roll: int, has: int) -> ReplayPosition:
    """Position after a lower roll of a player with so many chips, at a table of 36."""
    return rolled(last, roll, (EACH, has, 2 * EACH - has))


def exact_payment_stays() -> Fraction:
    """Share of debts of exactly the chips of a lower roller after which the game goes on without that player."""
    return part(
        not owing(last, roll, last - roll).over
        and chips_after(last, roll, (EACH, last - roll, 2 * EACH - last + roll))[ROLLER] == 0
        for last, roll in PAIRS
        if roll < last
    )


def too_large_payment_ends() -> Fraction:
    """Share of debts of one chip more than a lower roller has that end the game; seat 2 has the most chips."""
    return part(owing(last, roll, last - roll - 1).shares[2:] == (Fraction(1),) for last, roll in PAIRS if roll < last)


CLAIMS = (
    Claim(
        "bouncer/example",
        GAME,
        SOURCE,
        "What a roll of 5 brings after a roll of 3 by the player before.",
        "2 chips",
        EXACTLY,
        lambda: received(3, 5),
    ),
    Claim(
        "bouncer/higher-receives",
        GAME,
        SOURCE,
        "A higher roll gets the difference from the player before.",
        "gets the difference",
        ALWAYS,
        higher_receives,
        "the part of all pairs of rolls for which it is so",
    ),
    Claim(
        "bouncer/lower-pays",
        GAME,
        SOURCE,
        "A lower roll pays the difference to the player before.",
        "pays the difference",
        ALWAYS,
        lower_pays,
        "the part of all pairs of rolls for which it is so",
    ),
    Claim(
        "bouncer/equal-changes-nothing",
        GAME,
        SOURCE,
        "An equal roll moves no chips.",
        "nothing happens",
        ALWAYS,
        equal_changes_nothing,
        "the part of all pairs of rolls for which it is so",
    ),
    Claim(
        "bouncer/low-rolls-pay-twice",
        GAME,
        SOURCE,
        "The chance that a roll of 1 or 2 pays the player before and the player after.",
        "usually",
        MOSTLY,
        lambda: {"a 1 or a 2": pays_to_both(1, 2), "a 1": pays_to_both(1), "a 2": pays_to_both(2)},
        "all three rolls are free, everybody can pay, and 'usually' is more often than not",
    ),
    Claim(
        "bouncer/exact-payment-stays",
        GAME,
        SOURCE,
        "Whoever pays exactly the chips that they have is still in the game.",
        "still in the game",
        ALWAYS,
        exact_payment_stays,
        "the part of all payments by a lower roll for which it is so",
    ),
    Claim(
        "bouncer/too-large-payment-ends",
        GAME,
        SOURCE,
        "Whoever owes more than they have ends the game, which the player with the most chips then wins.",
        "the game ends",
        ALWAYS,
        too_large_payment_ends,
        "the part of all payments by a lower roll, one chip short, for which it is so",
    ),
)
