"""Piggy Six for three players: the rules of the duel, but the last to move in a round knows which score to pass."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rollwise.games.piggy_six.rules import CHOOSE, NOTHING, SEATS, ZERO, PiggySix
from rollwise.solver.model.dice import Faces
from rollwise.solver.model.errors import StateError
from rollwise.solver.model.fields import NO_LIMIT, Field, Number, Numbers
from rollwise.solver.model.game import Boards, Columns, Decision, End, Node, NodeKey, Position, Transition
from rollwise.solver.model.spaces import Ints, Nested
from rollwise.solver.model.turn_points import Hand, ResultPoints

LAST = SEATS - 1
FRESH = "fresh"  # last in the states in which a turn starts
PAST = {2: 40, 3: 60}  # by dice: points past the target up to which a turn is solved; best play holds there
STEP = 5  # scores are ordered in steps of so many points
PARTS = 6  # of a win, which two or three can share


@dataclass(frozen=True)
class PiggySixTable(PiggySix):
    """Table; a board has the mover's score first, then the others' to the left, and the mover's seat in the round.

    The state of a turn is the score it has come to, not its own points, so that equal scores are one state. Seats
    that have moved in this round may have reached the target. Then the others *chase*, each with one turn, and before
    the last turn only the highest score counts: lower ones have lost, and stand as 0 on the board.
    """

    kind = "table"

    # --- the turn ----------------------------------------------------------------------------------------------------

    def roots(self) -> Sequence[NodeKey]:
        """A turn starts with the mover's score: before the target is reached, or in a seat of the chase."""
        dice = CHOOSE if self.max_dice == 3 else 2
        return [(score, dice, chase, FRESH) for chase in range(SEATS) for score in range(self.target)]

    def root(self, board: Columns) -> Any:
        """By the mover's score and the chase."""
        return self.chase(board) * self.target + board.scores[1]

    def turn(self, score: int, dice: int, chase: int, *fresh: str) -> Node:  # type: ignore[override]
        """The mover's turn: ``score`` with the turn's points, ``dice`` as in the duel, ``chase`` the seat in it."""
        far = score >= self.far(chase)
        if far and chase == LAST:
            return Decision([("hold", End(score))])
        rolls = self.rolls(score, dice, chase, cut=far)
        return Decision(rolls if fresh else [("hold", End(score)), *rolls])

    def unsolved_node(self, *state: Any) -> Node | None:
        """None: questions end with the scores of a solved turn."""
        return None

    def far(self, chase: int) -> int:
        """Scores from here on are cut: the bounds of one more throw prove that holding is best."""
        return self.target + PAST[self.max_dice] + chase * self.most

    @property
    def most(self) -> int:
        """The most points of one throw."""
        return 5 * self.max_dice

    def highest(self, chase: int) -> int:
        """The highest score of a turn."""
        return self.far(chase) + self.most - 1

    # --- the boards --------------------------------------------------------------------------------------------------

    def boards(self) -> Boards:
        """The mover's seat in the round, the mover's score, and those of the next two to the left."""

        def scores(outer: Ints) -> list[tuple[Any, Any]]:
            seat = outer[0]
            moved = [(seat + place) % SEATS < seat for place in (1, 2)]
            tops = [
                np.where(seat == LAST, self.highest(0), self.target - 1),
                self.highest(0) + (seat == LAST) * self.most,
            ]
            others = [(0, np.where(gone, top + 1, self.target)) for gone, top in zip(moved, tops, strict=True)]
            return [(0, self.target), *others]

        return Boards(scores=Nested([range(SEATS)], scores))

    def first_board(self) -> dict[str, Any]:
        """All scores are 0."""
        return {"scores": (0, 0, 0, 0)}

    def chase(self, board: Columns) -> Any:
        """The mover's seat where the target is reached, else 0."""
        seat, _, *others = board.scores
        return np.where(np.maximum(*others) >= self.target, seat, 0)

    def possible(self, board: Columns) -> Any:
        """Before the last turn of a chase a board has only the highest score."""
        seat, _, first, second = board.scores
        highest = np.maximum(first, second)
        others_shown = ((first == highest) | (first == 0)) & ((second == highest) | (second == 0))
        return (seat < LAST) | (highest < self.target) | others_shown

    def reachable(self, board: Mapping[str, Any]) -> bool:
        """Two dice add at least 2 points."""
        return self.max_dice > 2 or 1 not in board["scores"][1:]

    def transition(self, board: Columns, result: Any) -> Transition:
        """The new score, and the next player's turn; the round in which the target is reached is the last."""
        seat, mine, first, second = board.scores
        score = 0 * mine if result == ZERO else mine if result == NOTHING else 0 * mine + result
        all_scores = np.stack([score, first, second])
        best = all_scores == all_scores.max(axis=0)
        following = [first, *self.highest_only(seat == LAST - 1, second, score)]
        return Transition(
            over=(seat == LAST) & (all_scores.max(axis=0) >= self.target),
            shares=PARTS // best.sum(axis=0) * best,
            per=PARTS,
            next={"scores": [(seat + 1) % SEATS, *following]},
            mover=1,
        )

    def highest_only(self, before_last: Any, *scores: Any) -> list[Any]:
        """The scores of the two who have moved, before the last turn of a round: in a chase only the highest."""
        highest = np.maximum(*scores)
        return [np.where(before_last & (highest >= self.target) & (score < highest), 0, score) for score in scores]

    def level(self, board: Columns) -> Any:
        """A chase comes after all else, seat by seat; scores can go back to zero, so the rest is one component."""
        return self.chase(board)

    def order(self, board: Columns) -> Any:
        """High scores first, then the last to move: a turn leads to the next seat, and seldom to a lower score."""
        return SEATS * (board.scores[1:].sum(axis=0) // STEP) + board.scores[0]

    # --- questions ---------------------------------------------------------------------------------------------------

    def fields(self) -> Sequence[Field]:
        """As in the duel, with the others' scores as a list."""
        highest = self.highest(LAST - 1)
        return [
            Number("mine", "the mover's score", 0, self.target - 1),
            Numbers("theirs", "the others' scores, from the mover to the left", 0, highest, SEATS - 1),
            Number("turn", "points gathered this turn", 0, NO_LIMIT, of="turn"),
            Number("seat", "0 if the mover is first in the round, 2 if last", 0, LAST),
            *self.dice_field(),
        ]

    def locate(  # type: ignore[override]  # the others' scores are a list
        self, mine: int = 0, theirs: Sequence[int] | None = None, turn: int = 0, seat: int = 0, dice: int | None = None
    ) -> Position:
        """The position of a question."""
        others = list(theirs) if theirs is not None else [0, 0]
        for place, score in enumerate(others, 1):
            other = (seat + place) % SEATS
            if other > seat and score >= self.target:
                raise StateError(
                    f"theirs has {score} for seat {other}, which has not moved in this round: "
                    f"whoever reaches {self.target} ends the game with that round",
                    field="theirs",
                )
            if other < seat and score > self.highest(other):
                raise StateError(
                    f"theirs is solved up to {self.highest(other)} for seat {other}, got {score}", field="theirs"
                )
        chase = seat if max(others) >= self.target else 0
        score, number = mine + turn, self.turn_state(turn, dice)[1]
        if turn < self.least(number) and turn:
            raise StateError(self.too_few(turn, number), field="turn")
        if score > self.highest(chase):
            raise StateError(
                f"turn={turn} and mine={mine} make {score}; from {self.far(chase)} on you hold, "
                f"and scores are solved up to {self.highest(chase)}",
                field="turn",
            )
        others_shown = [int(one) for one in self.highest_only(seat == LAST, *others)]
        state = (score, number, chase) if turn else (mine, number, chase, FRESH)
        return Position({"scores": (seat, mine, *others_shown)}, state, mover=seat)

    def least(self, dice: int) -> int:
        """The fewest points of a throw of these dice that does not end the turn."""
        return dice or 1

    def too_few(self, turn: int, dice: int) -> str:
        """The error for a turn with fewer points than one throw makes."""
        return f"turn={turn} is impossible: a throw of {dice} dice adds {dice} points or more"

    def describe(self, board: Mapping[str, Any], state: NodeKey) -> Iterable[dict[str, Any]]:  # type: ignore[override]
        """The fields of a position."""
        seat, mine, *others = board["scores"]
        score, dice, chase, *fresh = state
        turn = score - mine
        here = chase == (seat if max(others) >= self.target else 0)
        if here and (turn == 0 if fresh else turn >= self.least(dice)):
            shown = {"dice": dice} if self.dice_field() and dice != CHOOSE else {}
            yield {"mine": mine, "theirs": tuple(others), "turn": turn, "seat": seat, **shown}

    def after(
        self, fields: Mapping[str, Any], move: str, thrown: tuple[Faces, ...], result: Any
    ) -> dict[str, Any] | None:
        """Each player's actual score, even of those who have lost."""
        if result is None:
            return None
        following, other = fields["theirs"]
        return {"mine": following, "theirs": (other, self.score_after(fields["mine"], result))}

    def score_after(self, mine: int, result: Any) -> int:
        """The score after a turn: a turn that holds results in its score."""
        return mine if result == NOTHING else super().score_after(0, result)

    # --- odds of a turn ----------------------------------------------------------------------------------------------

    def hands(self, board: Mapping[str, Any], state: NodeKey) -> list[Hand]:
        """Each number of dice that may be rolled."""
        numbers = [2] if self.max_dice == 2 else range(1, self.max_dice + 1)
        return [Hand(dice, (board["scores"][1], dice, state[2], FRESH)) for dice in numbers]

    def points_in_hand(self, board: Mapping[str, Any], state: NodeKey) -> int:
        """The turn's points are at stake."""
        return int(state[0]) - int(board["scores"][1])

    def result_points(self, board: Mapping[str, Any], result: Any) -> ResultPoints:
        """As in the duel, but the result of a turn that holds is a score."""
        mine = self.score(board)
        if result in (NOTHING, ZERO):
            return ResultPoints(-mine if result == ZERO else 0, bust=True)
        return ResultPoints(result - mine)

    def score(self, board: Mapping[str, Any]) -> int:
        """The mover's score before the turn."""
        return int(board["scores"][1])
