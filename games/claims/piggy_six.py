"""Piggy Six: how the odds of two or more sixes change with the number of dice."""

from __future__ import annotations

from fractions import Fraction

from games.claims import IMPOSSIBLE, Claim, more_than
from solver.dice import throws

SOURCE = "003_4224d89a97a61c6e.txt"


def chance_of_sixes(dice: int) -> Fraction:
    """P(two or more sixes), which reset the score."""
    several = sum(ways for faces, ways in throws(dice) if faces.count(6) >= 2)
    return Fraction(several, 6**dice)


CLAIMS = (
    Claim(
        "piggy-six/three-dice-more-double-sixes",
        "piggy-six",
        SOURCE,
        "How many times likelier two or more sixes are with three dice than with two.",
        "much more likely",
        more_than(1, "more than 1"),
        lambda: chance_of_sixes(3) / chance_of_sixes(2),
        "three sixes count as two; 'much' has no figure, so the claim holds if the ratio is above 1",
    ),
    Claim(
        "piggy-six/one-die-no-double-six",
        "piggy-six",
        SOURCE,
        "The chance to lose the whole score in a throw of one die.",
        "no chance",
        IMPOSSIBLE,
        lambda: chance_of_sixes(1),
    ),
)
