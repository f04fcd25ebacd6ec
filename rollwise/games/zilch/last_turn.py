"""The last turn of Six-Dice Zilch, against a player who has reached the goal, perhaps by far: a chase."""

from __future__ import annotations

from typing import Any

import numpy as np

from rollwise.games.zilch.scoring import DICE, MUST, STEP, kept_or_scored, throw_beside
from rollwise.solver.model.dice import Faces
from rollwise.solver.model.game import SAME, Columns, Decision, End, Goto, Node, Transition
from rollwise.solver.model.turn_points import PointGame

BUST, ZILCH = "bust", "zilch"  # results of a turn that earns nothing: with fewer than six dice; with six
CHASE = "chase"  # first in the states of a last turn against a player who is far past the goal
ENOUGH, AGAIN = "enough", "again"  # results of a chase: stop with these points, or throw all six dice again
PAST_GOAL = 4000  # points past the goal up to which a crossing turn is solved; beyond, it is bounded
FORCED = 4000  # points past that up to which compulsory throws are solved
CROSSING = 500  # least points of a turn that reaches the goal
MAX_THROW_POINTS = 2000  # of one throw: six ones


class LastTurn(PointGame):
    """The chase, part by part, and the scores beyond the goal that boards hold."""

    goal: int
    opening: int

    def chase(self, total: int, dice: int, trio: Any, scorers: Faces | None = None, name: str = "") -> Node:
        """A part of a last turn that needs many points: until all six dice are used.

        The points needed after that are on the next board, so the state need not hold those of the whole turn.
        """

        def go(points: int, n_left: int, next_trio: Any) -> Node:
            return Goto(CHASE, total + points, n_left, next_trio)

        if scorers is not None:
            return kept_or_scored(go, (CHASE, total), dice, trio, scorers, name)
        stop = "stop", End((ENOUGH, total))
        if trio == MUST:
            return End((AGAIN, total))
        if dice == DICE and total:
            return Decision([stop, ("roll", End((AGAIN, total)))])
        rolled = throw_beside(dice, trio, End(BUST), lambda *table: Goto(CHASE, total, dice, trio, *table))
        return Decision([stop, ("roll", rolled)] if total else [("roll", rolled)])

    def near(self) -> int:
        """The highest score (in points) past the goal that a board holds as it is, and the highest total with fields.

        In a last turn against it the cut is reached only with more than is needed.
        """
        return self.goal + PAST_GOAL - STEP

    def far(self) -> int:
        """``theirs`` on a board of a chase that needs no more points, only a throw that scores."""
        return self.near() // STEP + 1

    def highest_turn(self) -> int:
        """The most points of a turn that is followed."""
        return self.goal + PAST_GOAL + FORCED + MAX_THROW_POINTS

    def max_chased_points(self) -> int:
        """The most points that a last turn can need: against the highest score, from none."""
        return self.goal - STEP + self.highest_turn() + STEP

    def points_needed(self, mine: Any, theirs: Any) -> Any:
        """The points a last turn needs, in steps of 50: more than the leader has, and the least that counts."""
        least = np.where(mine == 0, max(self.opening, CROSSING), CROSSING) // STEP
        return np.maximum(theirs - mine + 1, least)

    def chase_transition(self, board: Columns, what: str, total: int) -> Transition:
        """The end of a chase, or of a part of it."""
        still_needed = board.theirs - self.far() - total // STEP
        if what == ENOUGH:
            return Transition(legal=still_needed <= 0, won=True)
        return Transition(next={"mine": board.mine, "theirs": self.far() + np.maximum(still_needed, 0)}, mover=SAME)
