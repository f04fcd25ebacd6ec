"""Six By 6 as a SET: one round for each player, and the most points win.

Where everything is posted that can be, nobody chooses: the scores of single rounds tell everything. Where a player may
go on instead, a round is played for the win, against the best score so far and whatever comes later.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any, ClassVar, Literal

import numpy as np

from rollwise.games.rounds import Holders, as_bits, as_seats, check_round, joined, round_fields, shares
from rollwise.games.six_by_6 import DICE, POINTS, RACK, Result, SixBy6, SixBy6Free, full, plain
from rollwise.solver.chains.chain import Distribution
from rollwise.solver.chains.independent import WHOLE, Spread, by_seat, shares_of_most, total_of
from rollwise.solver.game.dice import Faces, throws
from rollwise.solver.game.errors import ParameterError, StateError
from rollwise.solver.game.fields import Faces as FacesField
from rollwise.solver.game.fields import Field, Number
from rollwise.solver.game.model import Beyond, Boards, Columns, Position, Settled, State, Word
from rollwise.solver.game.solution import Quantity
from rollwise.solver.turn.graph import TurnGraph

LEAST = {"forced": 22, "free": 21}  # no round scores less; who declines 1 to 6 and then 1 to 5 has posted a single die
UNHEARD_OF = RACK  # a rack earns carry, and with five dice posted a round scores 35 at most
NO_SCORE = LEAST["free"] - 1  # stands for the best score before there is any
MOST_BEST = 79  # in a question
MOST_HELD = 40  # carry points in a question of a SET with choices
TOP = 84  # a best score of so much or more is as good as beaten by nobody: its boards are bounded
SURE_ROLLS = 130  # after so many rolls there is a rack: rounds are followed up to a carry that makes TOP points then
FAR = TOP - RACK + SURE_ROLLS
FAR_AHEAD, OUT_OF_REACH = "far ahead", "out of reach"  # turns of which only bounds are known
GROWTH = Fraction(9, 5)  # of the bound on high scores, for each carry point


@cache
def promise(posted: int) -> Fraction:
    """A bound on E(GROWTH ** (carry of a rack - carry now)), whatever is posted, if rolls can be had on credit.

    A round without a rack counts as nothing.
    """
    stays, leaves = Fraction(0), Fraction(0)
    for faces, ways in throws(DICE - posted):
        chance = Fraction(ways, 6 ** (DICE - posted))
        after = (
            max(_promised(posted, played) for played in (full(faces), plain(faces)) if played[0])
            if full(faces)[0]
            else None
        )
        if after is None:
            stays += chance * GROWTH ** (plain(faces)[1] - 1)
        else:
            leaves += chance * after
    return leaves / (1 - stays)
