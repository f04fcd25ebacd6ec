"""Yahtzee: five dice, three throws, thirteen boxes that are each filled once; the best expected score.

No game of the rule sheets: a reference for the engine, solved by Verhoeff (1999) and others after him.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np

from games.aims import box_aims
from games.patterns import face_sum, full_house, in_a_row, of_a_kind
from games.sheets import NUMBERS, BonusBoxes, number_boxes
from solver.dice import AnyDiceAgain, Faces, throws
from solver.errors import ParameterError, StateError
from solver.fields import Faces as FacesField
from solver.fields import Field, Number, Scores
from solver.model import Aim, Boards, Choice, Columns, End, Position, Settled, State, TurnGame, Word, derived, parameter

DICE, THROWS = 5, 3
LOWER = ("three of a kind", "four of a kind", "full house", "small straight", "large straight", "yahtzee", "chance")
BOXES = (*NUMBERS, *LOWER)  # in the order of the sheet
BIT = {box: 1 << place for place, box in enumerate(box for box in LOWER if box != "yahtzee")}
LOWER_FILLED = sum(BIT.values())
OPEN, HOLDS_0, HOLDS_50 = 0, 1, 2  # the yahtzee box
ENOUGH, BONUS = 63, 35  # number boxes that hold so much together earn the bonus
FURTHER_YAHTZEE = 100
PAYS = {"full house": 25, "small straight": 30, "large straight": 40, "yahtzee": 50}
JOKERS = ("full house", "small straight", "large straight")
ANY_FACE = 7  # a yahtzee in a box that does not ask for its face: one result instead of six


def points(box: str, dice: Faces) -> int:
    """What these dice score in a box, jokers apart."""
    if box in NUMBERS:
        return face_sum(dice, NUMBERS.index(box) + 1)
    fits = {
        "three of a kind": of_a_kind(dice, 3),
        "four of a kind": of_a_kind(dice, 4),
        "full house": full_house(dice),
        "small straight": in_a_row(dice) >= 4,
        "large straight": in_a_row(dice) >= 5,
        "yahtzee": of_a_kind(dice, 5),
        "chance": True,
    }
    return PAYS.get(box, sum(dice)) if fits[box] else 0


@cache
def numbers_of(played: tuple[str, ...]) -> BonusBoxes:
    """Ones to sixes, which earn a bonus together; those that are not played hold 0."""
    return number_boxes(DICE, ENOUGH, {box: 0 for box in NUMBERS if box not in played})


@dataclass(frozen=True)
class Yahtzee(TurnGame):
    """Solo; the value of a board is the expected number of points still to come, the bonus of 35 included.

    A board: the state of the ``numbers`` (see ``games.sheets``), which ``lower`` boxes are filled (a bit each, the
    yahtzee box apart), and what ``yahtzee`` holds. A turn's result is (box, dice of the face of a number box, face of a
    yahtzee, else 0).
    """

    name = "yahtzee"
    title = "Yahtzee"
    source = "reference game: Tom Verhoeff, Optimal Solitaire Yahtzee Player, 1999"
    rules = (
        "Throw five dice up to three times, any dice again each time, then fill one open box. Ones to sixes score the "
        "sum of that face, and 35 more once they hold 63 together. Three of a kind, four of a kind and chance score "
        "the sum of all dice, a full house 25, a small straight (four in a row) 30, a large one 40, a yahtzee (five "
        "equal dice) 50. While the yahtzee box holds 50, each further yahtzee earns 100. With the yahtzee box filled a "
        "yahtzee is a joker: once the number box of its face is filled too, it scores 25, 30 or 40 as a full house or "
        "straight. Forced joker: it must fill the number box of its face, else an open lower box, else any box."
    )
    kind = "solo"
    measure = "score"
    unit = "points"
    cyclic = False
    total = 0

    joker: str = parameter("forced", "where a joker must be placed: forced or free", choices=("forced", "free"))
    boxes: str = parameter("all", "boxes still to play, as ones,chance; the others hold 0 from the start", trial=True)

    def __post_init__(self) -> None:
        """Check the parameters."""
        super().__post_init__()
        if self.boxes != "all" and not set(str(self.boxes).split(",")) <= set(BOXES):
            raise ParameterError(
                f"ParameterError: 'yahtzee' parameter boxes is all, or some of {', '.join(BOXES)}, got {self.boxes!r}"
            )

    @property
    def played(self) -> tuple[str, ...]:
        """Boxes that are open at the start of the game."""
        return tuple(box for box in BOXES if self.boxes == "all" or box in self.boxes.split(","))

    def boards(self) -> Boards:
        """The number boxes, the lower boxes, the yahtzee box."""
        yahtzee = range(OPEN, HOLDS_50 + 1) if "yahtzee" in self.played else range(HOLDS_0, HOLDS_0 + 1)
        return Boards(numbers=self.numbers.size, lower=LOWER_FILLED + 1, yahtzee=yahtzee)

    def first_board(self) -> dict[str, int]:
        """Every box that is played is open, the others hold 0."""
        return self.board({box: 0 for box in BOXES if box not in self.played})

    def board(self, sheet: Mapping[str, int]) -> dict[str, int]:
        """The board of a sheet."""
        return {
            "numbers": self.numbers.state(sheet),
            "lower": sum(BIT[box] for box in sheet if box in BIT),
            "yahtzee": {None: OPEN, 0: HOLDS_0, 50: HOLDS_50}[sheet.get("yahtzee")],
        }

    def possible(self, board: Columns) -> Any:
        """At least one box is open, and boxes that are not played hold 0."""
        held = self.first_board()["lower"]
        return (board.lower & held == held) & (self.n_filled(board) < len(BOXES))

    @derived
    def n_filled(self, board: Columns) -> Any:
        """How many boxes are filled."""
        of_groups = np.bitwise_count(self.numbers.filled[board.numbers]) + np.bitwise_count(board.lower)
        return of_groups.astype(np.int64) + (board.yahtzee != OPEN)

    def level(self, board: Columns) -> Any:
        """Each turn fills one more box."""
        return self.n_filled(board)

    @cached_property
    def numbers(self) -> BonusBoxes:
        """The number boxes, as states of a board."""
        return numbers_of(self.played)

    # --- one turn ------------------------------------------------------------------------------------------------

    def roots(self) -> list[State]:
        """Before the first throw."""
        return [self.dice.first()]

    def turn(self, left: int, dice: Faces, stage: str) -> Word:
        """Up to three throws, any dice again."""
        word = self.dice.turn(left, dice, stage)
        return Choice([("roll", word)]) if (left, dice, stage) == self.dice.first() else word

    @property
    def dice(self) -> AnyDiceAgain:
        """The dice of a turn."""
        return AnyDiceAgain(DICE, THROWS, self.score)

    def score(self, dice: Faces) -> Word:
        """Fill any box; which ones are open, the board knows."""
        return Choice((f"score {box}", self.entry(box, dice)) for box in BOXES if box in self.played)

    def entry(self, box: str, dice: Faces) -> End:
        """These dice in this box: the points are the turn's own, jokers and bonuses are the board's to add."""
        scored = points(box, dice)
        if box == "yahtzee":
            return End((box, scored, 0), reward=scored)
        yahtzee = 0
        if of_a_kind(dice, DICE):
            yahtzee = dice[0] if self.joker == "forced" or box in JOKERS else ANY_FACE
        count = scored // (NUMBERS.index(box) + 1) if box in NUMBERS else 0
        return End((box, count, yahtzee), reward=scored)

    def settle(self, board: Columns, result: tuple[str, int, int]) -> Settled:
        """One more box is filled."""
        box, number, face = result
        over = self.n_filled(board) == len(BOXES) - 1
        if box == "yahtzee":
            after = board.but(yahtzee=HOLDS_50 if number else HOLDS_0)
            return Settled(legal=board.yahtzee == OPEN, next=after, over=over)
        if box in NUMBERS:
            place = board.numbers, NUMBERS.index(box), number
            filled = self.numbers.after[place]
            legal, following, reward = filled >= 0, board.but(numbers=filled), BONUS * self.numbers.earns[place]
        else:
            legal, following, reward = board.lower & BIT[box] == 0, board.but(lower=board.lower | BIT[box]), 0
        if face:
            legal &= self.may_take(board, box, face)
            reward = reward + self.further(board, box, face)
        return Settled(legal=legal, next=following, reward=reward, over=over)

    def may_take(self, board: Columns, box: str, face: int) -> Any:
        """May a yahtzee of this face fill this open box (not the yahtzee box)?"""
        if self.joker == "free" or box == NUMBERS[face - 1]:
            return True
        may = self.has_number(board, face)
        return (board.yahtzee == OPEN) | (may if box in LOWER else may & (board.lower == LOWER_FILLED))

    def has_number(self, board: Columns, face: int) -> Any:
        """Is the number box of this face filled?"""
        return self.numbers.filled[board.numbers] >> (face - 1) & 1 == 1

    def further(self, board: Columns, box: str, face: int) -> Any:
        """What a yahtzee of this face earns in this box beyond the plain score of the dice."""
        earned = FURTHER_YAHTZEE * (board.yahtzee == HOLDS_50)
        if box in JOKERS:
            earned += PAYS[box] * ((board.yahtzee != OPEN) & self.has_number(board, face))
        return earned

    def aims(self) -> dict[str, Aim]:
        """A turn can go for any box."""
        return box_aims(self.played, DICE)

    def before_rolls(self) -> dict[int, State]:
        """With one, two or three throws to come."""
        return self.dice.before_rolls()

    # --- questions -----------------------------------------------------------------------------------------------

    def fields(self) -> list[Field]:
        """The sheet, the dice on the table, throws to come."""
        allowed = {box: sorted({points(box, dice) for dice, _ in throws(DICE)}) for box in BOXES if box in self.played}
        return [
            Scores("filled", "filled boxes and what they hold; hundreds for further yahtzees are not counted", allowed),
            FacesField("roll", "the five faces on the table now", DICE, DICE),
            Number("rolls_left", "throws still allowed this turn", 0, THROWS - 1),
        ]

    def locate(
        self, filled: Mapping[str, int] | None = None, roll: Faces | None = None, rolls_left: int | None = None
    ) -> Position:
        """The position of a question; ``points`` are those on the sheet, the bonus of 35 included."""
        sheet = {**{box: 0 for box in BOXES if box not in self.played}, **(filled or {})}
        if len(sheet) == len(BOXES):
            raise StateError("StateError: every box is filled, the game is over; leave at least one box out of filled")
        state = self.dice.first()
        if roll is not None:
            state = (THROWS - 1 if rolls_left is None else rolls_left, roll, "roll")
        elif rolls_left is not None:
            raise StateError(f"StateError: rolls_left={rolls_left} needs roll; before the first throw leave both out")
        return Position(self.board(sheet), state, sum(sheet.values()) + BONUS * self.numbers.earned(sheet))

    def describe(self, board: Mapping[str, int], state: State) -> Iterator[dict[str, Any]]:
        """Fields of a position, with the one sheet of many that ``sheet`` names: ``locate`` gives this board again.

        Its ``points`` are those of that sheet, and the value of the position counts them.
        """
        left, dice, stage = state
        if stage == "roll":
            yield {"filled": self.sheet(board), "roll": dice, "rolls_left": left}
        elif state == self.dice.first():
            yield {"filled": self.sheet(board)}

    def sheet(self, board: Mapping[str, int]) -> dict[str, int]:
        """Scores that make this board: one of the sheets that do, with the least in the lower boxes."""
        held = dict(self.numbers.sheets[board["numbers"]])
        for box, bit in BIT.items():
            if board["lower"] & bit:
                held[box] = DICE if box == "chance" else 0
        if board["yahtzee"] != OPEN:
            held["yahtzee"] = PAYS["yahtzee"] if board["yahtzee"] == HOLDS_50 else 0
        return {box: held[box] for box in self.played if box in held}
