"""Ten Thousand: the chance of a first roll without a score, and the two turns that the sheet plays through."""

from __future__ import annotations

from fractions import Fraction

from games.claims import EXACTLY, WHOLE_PERCENT, Claim
from games.claims.replay import Step, chance_to_end, replay, turn_game
from solver.model import TurnGame

GAME = "ten-thousand"
SOURCE = "004_cc367fea0fd9d5c8.txt"


def alone() -> TurnGame:
    """One turn, whose points are the outcome."""
    return turn_game(GAME, players=1, objective="points")


def first_roll_nothing() -> Fraction:
    """P(six dice show nothing that scores)."""
    return chance_to_end(alone(), {})


def turn_points(*steps: Step) -> Fraction:
    """What a whole turn earns."""
    return replay(alone(), {}, steps).points


def four_ones_and_a_five() -> Fraction:
    """Three ones of the first roll, then a one and a five, then the player stops."""
    return turn_points(
        ((1, 1, 1, 3, 6, 4), "keep 1 1 1 for 1000"), (None, "roll"), ((1, 5, 2), "keep 1 5 for 150"), (None, "stop")
    )


def fours_lost() -> Fraction:
    """Three fours of the first roll, then a roll without a score."""
    return turn_points(((4, 4, 4, 3, 2, 6), "keep 4 4 4 for 400"), (None, "roll"), ((2, 2, 6), None))


CLAIMS = (
    Claim(
        "ten-thousand/first-roll-nothing",
        GAME,
        SOURCE,
        "The chance that the first roll of a turn scores nothing.",
        "3 %",
        WHOLE_PERCENT,
        first_roll_nothing,
    ),
    Claim(
        "ten-thousand/example-banked",
        GAME,
        SOURCE,
        "Keeping 1-1-1 of 1-1-1-3-6-4, then 1 and 5 of 1-5-2, and stopping earns this much.",
        "1,150 points",
        EXACTLY,
        four_ones_and_a_five,
    ),
    Claim(
        "ten-thousand/example-lost",
        GAME,
        SOURCE,
        "Keeping 4-4-4 of 4-4-4-3-2-6 and throwing 2-2-6 with the other three dice loses all of the turn's points.",
        "0 points",
        EXACTLY,
        fours_lost,
        "stated in words: all points of the turn are lost",
    ),
)
