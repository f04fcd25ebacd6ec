"""Sevens: pairs of dice that make seven are set aside, the rest counts against you; at 77 you are out.

Number 14 of TACTIC's 21 dice games, for two players.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

import numpy as np

from rollwise.solver.model.dice import Faces, roll, show, throws
from rollwise.solver.model.errors import StateError
from rollwise.solver.model.fields import Faces as FacesField, Field, Form, Number, NumberOrNone, ThrowsLeft, choice_form
from rollwise.solver.model.game import (
    OTHER,
    SAME,
    Boards,
    Columns,
    Decision,
    End,
    Goto,
    Node,
    NodeKey,
    Position,
    Transition,
    parameter,
)
from rollwise.solver.model.names import matched
from rollwise.solver.model.plain import count_of, quoted
from rollwise.solver.model.turn_points import PointGame, ResultPoints, TurnPhrases

ROLLS = 3  # in one turn
MAX_PLAYERS = 8  # that the rules allow; two are solved
SEVEN = 7
NEVER = 1  # the only score up to the highest that dice left over cannot make: their number is even
OPENERS = ("mine", "theirs")
OPENS, FOLLOWS = "opens", "follows"  # the turn of the round's opener, and the other player's


def left_over(faces: Faces) -> Faces:
    """The dice left over when every pair that makes seven is set aside.

    >>> left_over((2, 2, 4, 5, 6, 6)), left_over((1, 1, 2, 6)), left_over((1, 2, 3, 4, 5, 6))
    ((2, 4, 6, 6), (1, 2), ())
    """
    counts = {face: max(0, faces.count(face) - faces.count(SEVEN - face)) for face in range(1, 7)}
    return tuple(face for face, count in counts.items() for _ in range(count))


@cache
def points_left_over(dice: int) -> frozenset[int]:
    """The possible sums of the dice left over."""
    return frozenset(sum(left_over(faces)) for faces, _ in throws(dice))


@dataclass(frozen=True)
class Opener(Field):
    """The opener of the round: ``mine`` or ``theirs``."""

    @property
    def form(self) -> Form:
        """One of the two words."""
        return choice_form(OPENERS)

    def read(self, value: Any) -> str:
        """One of the two words."""
        opener = matched(value, OPENERS)
        if opener is None:
            raise StateError(f"{self.name} is mine or theirs, got {quoted(value)}")
        return opener


@dataclass(frozen=True)
class Sevens(PointGame):
    """Duel; the value of a board is P(the player to move wins) + P(draw) / 2."""

    name = "sevens"
    labels: ClassVar = {
        "p.goal": "Points at which one is out",
        "mine": "Your score: before this round",
        "theirs": "Their score: before this round",
        "opener": "Who opens this round?",
        "result": "Points they made: if they opened this round",
        "rolls": "Throws they took: if they opened this round",
        "left": "Dice left over: those that make no seven",
    }
    title = "Sevens"
    source = "TACTIC rules for dice games"
    rules = (
        "Points are bad. The opener of a round throws six dice; after every throw each pair of dice that makes seven "
        "is set aside. What is left may be thrown again, all of it together, at most twice. The sum of the dice left "
        "over is added to your total. The other player then does the same, with at most as many throws as the opener "
        "has used (one, if the opener got rid of all dice with the first). The opener changes with every round. "
        "Whoever has 77 points or more after a round is out, and the last player in wins. If both go out together, "
        "the lower total wins, then the lower total before that round, else they share."
    )
    kind = "duel"
    measure = "win"
    unit = "probability"
    words = TurnPhrases(
        bust="the dice left over count, whatever they are",
        reached="or fewer",
        gain="takes off",
        loss="adds",
        place="left over",
        no_more="no dice lie on the table yet, or none may be thrown again",
    )
    low_is_good = True
    busts = False

    goal: int = parameter(77, "points at which a player is out", low=1, high=150)
    players: int = parameter(2, "how many play", choices=(2,))
    dice: int = parameter(6, "number of dice; fewer only to try the game out", low=2, high=6, step=2, trial=True)

    # --- one turn ----------------------------------------------------------------------------------------------------

    def roots(self) -> list[NodeKey]:
        """The opener's turn, and the other's by the number of throws allowed."""
        return [(OPENS, ROLLS), *((FOLLOWS, rolls) for rolls in range(1, ROLLS + 1))]

    def root(self, board: Columns) -> Any:
        """The throws that the opener has used, 0 for the opener."""
        return board.rolls

    def turn(self, role: str, rolls_left: int, dice_left: Faces | int | None = None) -> Node:
        """Before the first throw, with these dice left over after one, or with this number of dice in the air."""
        if dice_left is None:
            return Decision([("roll", Goto(role, rolls_left, self.dice))])
        if isinstance(dice_left, int):
            return roll(dice_left, lambda faces: Goto(role, rolls_left - 1, left_over(faces)))
        stop = ("stop", self.score(role, rolls_left, dice_left))
        may_roll = dice_left and rolls_left
        return Decision([stop, ("roll", Goto(role, rolls_left, len(dice_left)))] if may_roll else [stop])

    def score(self, role: str, rolls_left: int, dice_left: Faces) -> End:
        """The sum of the dice left over; for the opener, the throws used too."""
        return End((sum(dice_left), ROLLS - rolls_left) if role == OPENS else sum(dice_left))

    def highest(self) -> int:
        """The highest score of a turn: sixes only."""
        return 6 * self.dice

    # --- the boards --------------------------------------------------------------------------------------------------

    def unsolved(self) -> Mapping[int, int]:
        """Totals, with the results of all who have rolled in this round and the throws that the opener used."""
        results = len(points_left_over(self.dice))
        return {
            players: self.goal**players * (1 + ROLLS * sum(results**rolled for rolled in range(1, players)))
            for players in range(3, MAX_PLAYERS + 1)
        }

    def boards(self) -> Boards:
        """Totals before the round, the mover's first; once the opener has rolled (``rolls`` > 0), with ``result``."""
        return Boards(rolls=ROLLS + 1, mine=self.goal, theirs=self.goal, result=self.highest() + 1)

    def possible(self, board: Columns) -> Any:
        """The opener has no score before rolling."""
        return np.where(board.rolls == 0, board.result == 0, board.result != NEVER)

    def reachable(self, board: Mapping[str, Any]) -> bool:
        """The opener's points are possible, and no total is 1: a turn adds 0 or at least 2."""
        return 1 not in (board["mine"], board["theirs"]) and board["result"] in points_left_over(self.dice)

    def transition(self, board: Columns, result: int | tuple[int, int]) -> Transition:
        """The opener's score waits for the other's, then both are added."""
        if isinstance(result, int):
            return self.round_transition(board, result)
        points, rolls = result
        return Transition(
            next={"rolls": rolls, "mine": board.theirs, "theirs": board.mine, "result": points}, mover=OTHER
        )

    def round_transition(self, board: Columns, points: int) -> Transition:
        """Both scores are added; the player who was second opens the next round."""
        mine, theirs = board.mine + points, board.theirs + board.result
        theirs_out = theirs >= self.goal
        level = mine == theirs
        return Transition(
            won=theirs_out & ((mine < theirs) | (level & (board.mine < board.theirs))),
            drawn=theirs_out & level & (board.mine == board.theirs),
            over=theirs_out | (mine >= self.goal),
            next={"rolls": 0, "mine": mine, "theirs": theirs, "result": 0},
            mover=SAME,
        )

    def level(self, board: Columns) -> Any:
        """All points together, the opener's of this round too."""
        return board.mine + board.theirs + board.result

    # --- questions ---------------------------------------------------------------------------------------------------

    def fields(self) -> list[Field]:
        """Totals, the opener's result, and the turn."""
        highest = self.goal - 1 + self.highest()
        return [
            Number("mine", "the mover's total before this round", 0, highest),
            Number("theirs", "the other player's total before this round", 0, highest),
            Opener("opener", "who opens this round: mine or theirs"),
            NumberOrNone("result", "the opener's points this round, none while the opener rolls", 0, self.highest()),
            NumberOrNone("rolls", "throws that the opener has used, none while the opener rolls", 1, ROLLS),
            FacesField("left", "the dice left over, or none", 0, self.dice),
            ThrowsLeft("rolls_left", "throws still allowed in this turn", 0, ROLLS, throws=ROLLS, dice="left"),
        ]

    def locate(
        self,
        mine: int = 0,
        theirs: int = 0,
        opener: str | None = None,
        result: int | None = None,
        rolls: int | None = None,
        left: Faces | None = None,
        rolls_left: int | None = None,
    ) -> Position:
        """The position of a question; without ``opener``, a result shows that the other player has opened."""
        self.require_in(mine, theirs)
        opens = opener == "mine" or (opener is None and result is None and rolls is None)
        self.require_opened(opens, result, rolls)
        if left is not None:
            self.require_left(left)
        allowed = ROLLS if opens else self.allowed(rolls, left, rolls_left)
        board = {"rolls": 0 if opens else allowed, "mine": mine, "theirs": theirs, "result": result or 0}
        return Position(board, (OPENS if opens else FOLLOWS, *self.turn_state(allowed, left, rolls_left)))

    def require_in(self, mine: int, theirs: int) -> None:
        """Raise StateError where a total is the goal or more."""
        totals = f"with mine={mine} theirs={theirs} and {count_of(self.goal, 'point')} to go out"
        if min(mine, theirs) >= self.goal:
            raise StateError(f"{totals} both players are out", over="the game is over")
        if mine >= self.goal:
            raise StateError(f"{totals} the mover is out, the other player has won")
        if theirs >= self.goal:
            raise StateError(f"{totals} the other player is out, the mover has won")

    def require_opened(self, opens: bool, result: int | None, rolls: int | None) -> None:
        """Raise StateError unless the opener's result fits whose turn it is."""
        if opens and (result is not None or rolls is not None):
            name, value = ("rolls", rolls) if result is None else ("result", result)
            raise StateError(f"{name}={value} is the opener's, who has not rolled yet with opener=mine")
        if not opens and result is None:
            raise StateError("once the opener has rolled (opener=theirs) give result, the opener's points")
        if result == NEVER:
            raise StateError(f"result={NEVER} cannot be: an even number of dice is left over")

    def require_left(self, dice_left: Faces) -> None:
        """Raise StateError unless these dice can be left over."""
        if len(dice_left) % 2:
            raise StateError(f"left is an even number of dice, since sevens go in pairs, got {show(dice_left)}")
        if left_over(dice_left) != dice_left:
            low = next(face for face in dice_left if SEVEN - face in dice_left)
            raise StateError(f"left has {low} and {SEVEN - low}, which make seven and are set aside")

    def allowed(self, rolls: int | None, dice_left: Faces | None, rolls_left: int | None) -> int:
        """Throws that the second player may use: as many as the opener; after a throw only the dice left matter."""
        return rolls or ((rolls_left or ROLLS) if dice_left is None else ROLLS)

    def turn_state(self, allowed: int, dice_left: Faces | None, rolls_left: int | None) -> NodeKey:
        """The state of the turn in a question."""
        most = allowed if dice_left is None else allowed - 1
        if rolls_left is None:
            rolls_left = most
        if dice_left is None and rolls_left != most:
            raise StateError(
                f"before the first throw {allowed} of {allowed} are left, got rolls_left={rolls_left}; "
                "after one say which dice are left"
            )
        if rolls_left > most:
            raise StateError(
                f"of {allowed} throws allowed up to {most} are left after one, got rolls_left={rolls_left}"
            )
        return (rolls_left,) if dice_left is None else (rolls_left, dice_left)

    def describe(self, board: Mapping[str, int], state: NodeKey) -> Iterator[dict[str, Any]]:
        """The fields of a position; none while dice are in the air."""
        role, *turn = state
        if turn[1:] and isinstance(turn[1], int):
            return
        opened = board["rolls"] > 0
        yield {
            "mine": board["mine"],
            "theirs": board["theirs"],
            "opener": "mine" if role == OPENS else "theirs",
            "result": board["result"] if opened else None,
            "rolls": board["rolls"] if opened else None,
            **dict(zip(("rolls_left", "left"), turn, strict=False)),
        }

    # --- odds of a turn ----------------------------------------------------------------------------------------------

    def points_in_hand(self, board: Mapping[str, Any], state: NodeKey) -> int | None:
        """The sum of the dice left over; none before the first throw."""
        dice_left = state[2] if state[2:] else None
        return sum(dice_left) if isinstance(dice_left, tuple) else None

    def result_points(self, board: Mapping[str, Any], result: int | tuple[int, int]) -> ResultPoints:
        """The points of the turn, of either player."""
        return ResultPoints(result if isinstance(result, int) else result[0])

    def ending_name(self, board: Mapping[str, Any], result: Any, marks: frozenset[str]) -> str:
        """The points that are added, in sevens."""
        points = self.result_points(board, result).points
        if points == 0:
            return "no dice left over"
        low = points - (points - 1) % SEVEN
        return f"{low} to {low + SEVEN - 1} points added"
