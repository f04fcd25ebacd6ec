"""Rolls of Six By 6: what they post and earn, and bounds on the score that a round will make."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from rollwise.solver.markov_chains.independent import BoundedDistribution
from rollwise.solver.model.dice import Faces, throws

DICE = 6

POINTS = 6  # for each die that is posted

RACK = DICE * POINTS
MAX_PLAYERS = 8

Result = tuple[int, int, int]  # dice posted, carry earned, sum of the other dice (0 where carry is earned)


def plain(faces: Faces) -> Result:
    """The effect of a roll when only its sixes are posted.

    >>> plain((2, 4, 5, 5, 6, 6)), plain((1, 3, 4, 5))
    ((2, 4, 0), (0, 0, 13))
    """
    sixes = faces.count(6)
    earned = len(faces) - len(set(faces)) + sixes
    return sixes, earned, 0 if earned else sum(faces)


def special(faces: Faces) -> Result | None:
    """The effect of posting a roll whole, as if all its dice were equal; None where that is not allowed.

    >>> special((1, 2, 3, 4, 5)), special((2, 2, 2, 2, 2, 2)), special((2, 2, 2, 2, 2))
    ((5, 9, 0), (6, 11, 0), None)
    """
    dice, different = len(faces), len(set(faces))
    if (dice == DICE and different in (1, DICE)) or (dice == DICE - 1 and faces == (1, 2, 3, 4, 5)):
        return dice, dice - 1 + dice, 0
    return None


def full(faces: Faces) -> Result:
    """The effect of a roll when all dice are posted that may be."""
    return special(faces) or plain(faces)


@cache
def on_credit(posted: int) -> Fraction:
    """Expected change of the carry until the rack if rolls could be had on credit, with all posted that may be."""
    stays, change = Fraction(0), Fraction(0)
    for faces, ways in throws(DICE - posted):
        new, earned, _ = full(faces)
        chance = Fraction(ways, 6 ** (DICE - posted))
        if new == 0:
            stays += chance
        after = earned if posted + new == DICE else earned - 1 + (on_credit(posted + new) if new else 0)
        change += chance * after
    return change / (1 - stays)


def expected(posted: int, carry: int) -> tuple[Fraction, Fraction]:
    """Bounds on the expected score less the ``carry`` held, close where the carry is large.

    On credit every round ends in a rack and scores 36 and ``on_credit`` on top of its carry; posting all that may be
    posted is best then. A real round differs only where it runs out: it scores from 0 to 36, and credit
    would have made 35 and ``on_credit`` of it, which is from 0 to 36 as well. Before it runs out, carry + 1 rolls have
    to miss the rack, and some one die has to miss the six in each of them.
    """
    runs_out = (DICE - posted) * Fraction(5, 6) ** (carry + 1)
    middle = RACK + on_credit(posted)
    return middle - RACK * runs_out, middle + RACK * runs_out


@dataclass(frozen=True)
class RoundOdds:
    """The end of a round: bounds on its mean score and on the rolls still to come, and the distributions of both."""

    mean_score: tuple[Fraction, Fraction]
    rolls: tuple[Fraction, Fraction]
    score: BoundedDistribution
    lengths: BoundedDistribution
