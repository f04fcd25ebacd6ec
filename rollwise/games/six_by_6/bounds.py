"""Bounds for a SET of Six By 6 in which players choose: scores and carries too rare to be solved."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from rollwise.games.six_by_6.scoring import DICE, MAX_PLAYERS, RACK, full, plain
from rollwise.solver.model.dice import throws

MIN_SCORE = 21  # of a round: decline 1 to 6 and then 1 to 5, with a die posted and 15 left

NEVER = RACK  # an impossible score: a rack has carry, and five dice posted make 35 at most

NO_SCORE = MIN_SCORE - 1  # instead of the best score before there is any

MAX_EARNED = 2 * DICE - 1  # carry of one roll

MAX_CHOOSING_PLAYERS = 4

TOP = 90  # best scores from here on are rare: the others' win against them is bounded

RACK_ROLLS = 165  # rolls within which there nearly always is a rack

FAR = TOP - RACK + RACK_ROLLS  # a carry with which a score below TOP is rare: rounds are followed up to it

GROWTH = Fraction(9, 5)  # the factor for a carry point in the bound on high scores


@cache
def promise(posted: int) -> Fraction:
    """A bound on E(GROWTH ** (carry of the rack - carry now)), no rack counting as 0, for any choices of the player.

    Rolls are had on credit, which only adds racks, and of a roll that may be posted in two ways both count in full.
    """
    stays, leaves = Fraction(0), Fraction(0)
    for faces, ways in throws(DICE - posted):
        chance = Fraction(ways, 6 ** (DICE - posted))
        for new, earned, _ in {full(faces), plain(faces)}:
            if posted + new == DICE:
                leaves += chance * GROWTH**earned
            elif new:
                leaves += chance * GROWTH ** (earned - 1) * promise(posted + new)
            else:
                stays += chance * GROWTH ** (earned - 1)
    return leaves / (1 - stays)


@cache
def reaches_top() -> Fraction:
    """A bound on P(a round from its start scores TOP or more), for any choices of the player: see ``promise``."""
    return promise(0) / GROWTH ** (TOP - RACK)


@cache
def overtaken(players: int) -> Fraction:
    """A bound on P(a player with FAR carry or more does not win), the best score so far being below TOP.

    Either there is no rack within RACK_ROLLS rolls, for which some one die misses the six in each of them; or the score
    is TOP or more, and a later player reaches it.
    """
    return DICE * Fraction(5, 6) ** RACK_ROLLS + (players - 1) * reaches_top()


def unsolved_sets() -> dict[int, int]:
    """Boards by number of players, where these are too many to choose."""
    scores, rounds = TOP - MIN_SCORE - 1, DICE * (FAR + 1)
    holders = {players: sum((1 << seat) - 1 for seat in range(players)) for players in range(MAX_PLAYERS + 1)}
    return {n: rounds * (1 + scores * holders[n]) for n in range(MAX_CHOOSING_PLAYERS + 1, MAX_PLAYERS + 1)}
