"""Throws of Mexico by their places, and the states of a round so far."""

from __future__ import annotations

from functools import cache
from itertools import product

from rollwise.games.ranks import MEXICO, mexico_name, mexico_rank, ranking
from rollwise.games.results import RoundResults
from rollwise.solver.model.dice import Faces
from rollwise.solver.model.spaces import Enumerated

DICE = 2

PLACES = {faces: place for place, faces in enumerate(reversed(ranking(DICE, mexico_rank)), 1)}  # 3-1 is 1, 2-1 is 21

NAMES = {mexico_name(faces): place for faces, place in PLACES.items()}

THROWN = {place: name for name, place in NAMES.items()}

NOT_THROWN = 0  # instead of a result

HIGHEST = PLACES[MEXICO]

NEW_ROUND = (0, NOT_THROWN, 0, 0)


@cache
def rounds(players: int) -> list[tuple[int, int, int, int]]:
    """The states of a round so far: (opener, lowest result, its holders, whether there is a 2-1).

    The opener is a place counted from the mover, 0 for the mover; all from there on that are in have rolled. Holders
    are a bit for each place.
    """
    states = [NEW_ROUND]
    for opener in range(1, players):
        everyone = sum(1 << place for place in range(opener, players))
        for holders in range(1, everyone + 1):
            if holders | everyone == everyone:
                plain = [(opener, lowest, holders, int(lowest == HIGHEST)) for lowest in range(1, HIGHEST + 1)]
                others = [] if holders == everyone else [(opener, lowest, holders, 1) for lowest in range(1, HIGHEST)]
                states += [*plain, *others]
    return states


@cache
def every_round(players: int) -> Enumerated:
    """The rounds as a part of boards."""
    return Enumerated(rounds(players))


@cache
def every_lives(players: int, most: int) -> Enumerated:
    """Lives from the mover, who is in, to the left; at least two are in."""
    some = range(most + 1)
    return Enumerated([lives for lives in product(some[1:], *[some] * (players - 1)) if any(lives[1:])])


class MexicoResults(RoundResults):
    """Throws of two dice, as Mexico names them."""

    dice = DICE
    like = "6-5"

    @staticmethod
    def called(dice: Faces) -> str:
        """The name of a throw."""
        return mexico_name(dice)
