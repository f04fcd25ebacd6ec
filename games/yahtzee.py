"""Yahtzee: five dice, three throws, thirteen boxes that are each filled once; the best expected score.

No game of the rule sheets: a reference for the engine, solved by Verhoeff (1999) and others after him.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from games.patterns import face_sum, full_house, in_a_row, of_a_kind
from solver.dice import AnyDiceAgain, Faces, throws
from solver.errors import ParameterError, StateError
from solver.fields import Faces as FacesField
from solver.fields import Field, Number, Scores
from solver.model import Boards, Choice, Columns, End, Position, Settled, State, TurnGame, Word, parameter

DICE, THROWS = 5, 3
NUMBERS = ("ones", "twos", "threes", "fours", "fives", "sixes")
LOWER = ("three of a kind", "four of a kind", "full house", "small straight", "large straight", "yahtzee", "chance")
BOXES = (*NUMBERS, *LOWER)  # in the order of the sheet
BIT = {box: 1 << place for place, box in enumerate(box for box in BOXES if box != "yahtzee")}
ALL_FILLED = sum(BIT.values())
NUMBERS_FILLED = sum(BIT[box] for box in NUMBERS)
LOWER_FILLED = ALL_FILLED - NUMBERS_FILLED
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
def upper_sheets(filled: int) -> dict[int, dict[str, int]]:
    """By total (63 for all that is more) that these number boxes can hold: scores that add up to it."""
    sheets: dict[int, dict[str, int]] = {0: {}}
    for face, box in enumerate(NUMBERS, start=1):
        if filled & BIT[box]:
            longer: dict[int, dict[str, int]] = {}
            for total, sheet in sheets.items():
                for score in range(0, face * DICE + 1, face):
                    longer.setdefault(min(total + score, ENOUGH), {**sheet, box: score})
            sheets = longer
    return sheets


@cache
def upper_possible() -> NDArray[np.bool_]:
    """bool, shape (64, 64): can the number boxes of this bit mask hold this total?"""
    table = np.zeros((NUMBERS_FILLED + 1, ENOUGH + 1), dtype=bool)
    for filled in range(NUMBERS_FILLED + 1):
        table[filled, list(upper_sheets(filled))] = True
    return table


@dataclass(frozen=True)
class Yahtzee(TurnGame):
    """Solo; the value of a board is the expected number of points still to come, the bonus of 35 included.

    A board: which boxes are ``filled`` (a bit each, the yahtzee box apart), what ``yahtzee`` holds, and the ``upper``
    total as far as 63. A turn's result is (box, points that the board must remember, face of a yahtzee, else 0).
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
        """Filled boxes, the yahtzee box, the total of the number boxes."""
        return Boards(filled=ALL_FILLED + 1, yahtzee=3, upper=ENOUGH + 1)

    def first_board(self) -> dict[str, int]:
        """Every box that is played is open."""
        filled = ALL_FILLED - sum(BIT[box] for box in self.played if box != "yahtzee")
        return {"filled": filled, "yahtzee": OPEN if "yahtzee" in self.played else HOLDS_0, "upper": 0}

    def possible(self, board: Columns) -> Any:
        """Totals that the filled boxes can hold, at least one box open, and boxes that are not played hold 0."""
        start = self.first_board()
        counted = board.filled & ~start["filled"] & NUMBERS_FILLED
        possible = upper_possible()[counted, board.upper]
        possible &= (board.filled < ALL_FILLED) | (board.yahtzee == OPEN)
        possible &= board.filled & start["filled"] == start["filled"]
        return possible if "yahtzee" in self.played else possible & (board.yahtzee == HOLDS_0)

    def level(self, board: Columns) -> Any:
        """The number of filled boxes."""
        return np.bitwise_count(board.filled).astype(np.int64) + (board.yahtzee != OPEN)

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
        return End((box, scored if box in NUMBERS else 0, yahtzee), reward=scored)

    def settle(self, board: Columns, result: tuple[str, int, int]) -> Settled:
        """One more box is filled."""
        box, scored, yahtzee = result
        if box == "yahtzee":
            after = {**board.as_dict(), "yahtzee": HOLDS_50 if scored else HOLDS_0}
            return Settled(legal=board.yahtzee == OPEN, next=after, over=board.filled == ALL_FILLED)
        filled = board.filled | BIT[box]
        upper = np.minimum(board.upper + scored, ENOUGH)
        legal = filled != board.filled
        reward = BONUS * ((upper == ENOUGH) & (board.upper < ENOUGH)) if scored else 0
        if yahtzee:
            legal &= self.may_take(board, box, yahtzee)
            reward = reward + self.further(board, box, yahtzee)
        over = (filled == ALL_FILLED) & (board.yahtzee != OPEN)
        after = {**board.as_dict(), "filled": filled, "upper": upper}
        return Settled(legal=legal, next=after, reward=reward, over=over)

    def may_take(self, board: Columns, box: str, face: int) -> Any:
        """May a yahtzee of this face fill this open box (not the yahtzee box)?"""
        if self.joker == "free" or box == NUMBERS[face - 1]:
            return True
        first = BIT[NUMBERS[face - 1]] | (0 if box in LOWER else LOWER_FILLED)  # boxes that must be filled before
        return (board.yahtzee == OPEN) | (board.filled & first == first)

    def further(self, board: Columns, box: str, face: int) -> Any:
        """What a yahtzee of this face earns in this box beyond the plain score of the dice."""
        earned = FURTHER_YAHTZEE * (board.yahtzee == HOLDS_50)
        if box in JOKERS:
            earned += PAYS[box] * ((board.yahtzee != OPEN) & (board.filled & BIT[NUMBERS[face - 1]] != 0))
        return earned

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
        sheet = filled or {}
        if len(sheet) == len(self.played):
            raise StateError("StateError: every box is filled, the game is over; leave at least one box out of filled")
        board = self.first_board()
        board["filled"] += sum(BIT[box] for box in sheet if box != "yahtzee")
        board["yahtzee"] = {None: board["yahtzee"], 0: HOLDS_0, 50: HOLDS_50}[sheet.get("yahtzee")]
        upper = sum(score for box, score in sheet.items() if box in NUMBERS)
        board["upper"] = min(upper, ENOUGH)
        state = self.dice.first()
        if roll is not None:
            state = (THROWS - 1 if rolls_left is None else rolls_left, roll, "roll")
        elif rolls_left is not None:
            raise StateError(f"StateError: rolls_left={rolls_left} needs roll; before the first throw leave both out")
        return Position(board, state, sum(sheet.values()) + BONUS * (upper >= ENOUGH))

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
        """Scores that make this board: of all sheets that do, one with the least in the lower boxes."""
        filled = board["filled"] & ~self.first_board()["filled"]
        scores = dict(upper_sheets(filled & NUMBERS_FILLED)[board["upper"]])
        for box in LOWER:
            if box == "yahtzee":
                if box in self.played and board["yahtzee"] != OPEN:
                    scores[box] = PAYS[box] if board["yahtzee"] == HOLDS_50 else 0
            elif filled & BIT[box]:
                scores[box] = DICE if box == "chance" else 0
        return scores
