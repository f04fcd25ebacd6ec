"""Slam: three dice, and one number that all players want; at exactly 15 points a player is out, the last one in loses.

Number 9 of TACTIC's 21 dice games. There is no choice, and no player's dice affect another, so the distribution of the
turns that one player needs settles everything else.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from rollwise.solver.markov_chains.independent import last_to_finish, mean_rolls, race_quantities, runners_on
from rollwise.solver.model.dice import Faces, roll
from rollwise.solver.model.errors import StateError
from rollwise.solver.model.fields import Field, Number, Numbers
from rollwise.solver.model.game import (
    Boards,
    Columns,
    End,
    Goto,
    LuckTransition,
    Node,
    NodeKey,
    Position,
    Transition,
    parameter,
)
from rollwise.solver.model.solution import Quantity
from rollwise.solver.model.turn_points import Hand, PointGame, ResultPoints, TurnPhrases
from rollwise.solver.turn.graph import TurnGraph

DICE = 3
SLAM = 3  # the number that counts: a first roll names it, and all are equivalent
GOAL = 15
POINTS = {1: 1, 2: 5}  # of one slam and of a small slam
MAX_PLAYERS = 8


def scored(score: int, faces: Faces) -> int | None:
    """The score after a throw: None where no die shows the slam, and where the points would go past the goal.

    >>> scored(0, (3, 4, 6)), scored(9, (3, 3, 5)), scored(11, (3, 3, 5)), scored(11, (3, 3, 3)), scored(0, (1, 2, 4))
    (1, 14, None, 15, None)
    """
    slams = faces.count(SLAM)
    if slams == DICE:
        return GOAL  # a grand slam, whatever the score was
    after = score + POINTS.get(slams, 0)
    return after if slams and after <= GOAL else None


@dataclass(frozen=True)
class Slam(PointGame):
    """Luck; a board is one player's score, and its value the expected turns until that player is out."""

    name = "slam"
    labels: ClassVar = {"scores": "Scores: 15 is out"}
    title = "Slam"
    source = "TACTIC rules for dice games"
    rules = (
        "A first roll of one die names the slam, the number that counts. In your turn throw three dice, again and "
        "again, for as long as they show the slam: one slam scores 1 point, two together score 5, and three bring you "
        "to 15 at once. A throw without a slam ends the turn. So does a throw that would bring you past 15: it is "
        "void, but the points made before it in the turn stay. With exactly 15 points you are out; the last player in "
        "loses."
    )
    kind = "alone"
    measure = "turns"
    unit = "turns"
    sense = "min"
    total = 0
    outcome = "lose"
    outcome_sense = "min"
    words = TurnPhrases(
        bust="no slam, or points past 15; what the turn has made stays",
        lost="that it makes none",
        place="made in this turn",
    )

    players: int = parameter(2, "players", low=2, high=MAX_PLAYERS)

    def boards(self) -> Boards:
        """The score of one player who is still in."""
        return Boards(score=range(GOAL))

    def roots(self) -> list[NodeKey]:
        """A turn from each score."""
        return [(score,) for score in range(GOAL)]

    def root(self, board: Columns) -> Any:
        """The score at the start of the turn."""
        return board.score

    def turn(self, score: int) -> Node:
        """Throw on while slams come."""

        def after(faces: Faces) -> Node:
            reached = scored(score, faces)
            if reached is None:
                return End(score)
            return End(GOAL) if reached == GOAL else Goto(reached)

        return roll(DICE, after)

    def transition(self, board: Columns, score: int) -> Transition:
        """One turn more; at the goal the player is out."""
        return Transition(over=score == GOAL, next={"score": score}, reward=1)

    def level(self, board: Columns) -> Any:
        """The score: points are never lost."""
        return board.score

    # --- questions -------------------------------------------------------------------------------------------------

    def fields(self) -> list[Field]:
        """The scores, and the mover."""
        return [
            Numbers(
                "scores", "scores by seat; 15 or - is out", 0, GOAL, self.players, out=True, out_at=GOAL, drawn="track"
            ),
            Number("mover", "the seat that throws", 0, self.players - 1),
        ]

    def locate(self, scores: Sequence[int | None] | None = None, mover: int = 0) -> Position:
        """The position of a question; in the middle of a turn the score is the one so far."""
        seat_scores = self._scores_of(scores)
        still_in = [seat for seat, score in enumerate(seat_scores) if score < GOAL]
        if not still_in:
            raise StateError(f"the last player in never gets to {GOAL} points, got {GOAL} for all seats")
        if len(still_in) == 1:
            raise StateError(over=f"the game is over: only seat {still_in[0]} is still in, and has lost")
        if mover not in still_in:
            others = ", ".join(map(str, still_in))
            raise StateError(f"mover is a seat that is still in ({others}), got {mover}, which is out")
        return Position({"score": seat_scores[mover]}, (seat_scores[mover],), mover=mover)

    def describe(self, board: Mapping[str, int], state: NodeKey) -> Iterable[dict[str, Any]]:
        """The fields of a position at the start of a turn, where only the mover has points."""
        if state == (board["score"],):
            yield {"scores": (board["score"],) + (0,) * (self.players - 1), "mover": 0}

    def onward(self, fields: Mapping[str, Any], thrown: Faces) -> LuckTransition:
        """The points of a throw; without a slam, or once out, the next who is still in throws."""
        seat_scores, mover = self._scores_of(fields.get("scores")), fields.get("mover", 0)
        reached = scored(seat_scores[mover], thrown)
        seat_scores[mover] = seat_scores[mover] if reached is None else reached
        still_in = [seat for seat, score in enumerate(seat_scores) if score < GOAL]
        if len(still_in) == 1:
            return LuckTransition(None, tuple(Fraction(seat in still_in) for seat in range(self.players)))
        if reached in (None, GOAL):
            mover = next(
                seat for place in range(1, 1 + self.players) if (seat := (mover + place) % self.players) in still_in
            )
        scores = tuple(None if score == GOAL else score for score in seat_scores)
        return LuckTransition({"scores": scores, "mover": mover}, (Fraction(0),) * self.players)

    def _scores_of(self, scores: Sequence[int | None] | None) -> list[int]:
        return [GOAL if score is None else score for score in scores or (0,) * self.players]

    # --- odds of a turn --------------------------------------------------------------------------------------------

    def hands(self, board: Mapping[str, Any], state: NodeKey) -> list[Hand]:
        """Three dice; near the goal a throw may also be void."""
        return [Hand(DICE, state)]

    def points_in_hand(self, board: Mapping[str, Any], state: NodeKey) -> int:
        """The points of the turn since the question; none of them is lost."""
        return int(state[0] - board["score"])

    def result_points(self, board: Mapping[str, Any], score: int) -> ResultPoints:
        """The points of the turn; a turn without any counts as a bust."""
        return ResultPoints(score - board["score"], bust=score == board["score"])

    # --- odds ------------------------------------------------------------------------------------------------------

    def quantities(self, graph: TurnGraph, fields: Mapping[str, Any]) -> dict[str, Quantity]:
        """Each seat's chance to be the last one in, the length of the race, and the mover's turns and rolls."""
        seat_scores, mover = self._scores_of(fields.get("scores")), fields.get("mover", 0)
        seats = [(mover + place) % self.players for place in range(self.players)]
        still_in = [seat for seat in seats if seat_scores[seat] < GOAL]
        runners = runners_on(self, graph, [seat_scores[seat] for seat in still_in])
        race = last_to_finish(runners)
        lose = dict(zip(still_in, race.chances, strict=True))
        never = (Fraction(0), Fraction(0))
        by_seat = [lose.get(seat, never) for seat in range(self.players)]
        rolls = mean_rolls(DICE, lambda score, faces: scored(score, faces) or score, seat_scores[mover], GOAL)
        return race_quantities("lose", by_seat, race, runners[0], rolls)
