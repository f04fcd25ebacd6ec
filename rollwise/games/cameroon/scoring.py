"""The sheet of Cameroon: its boxes, what dice score in them, and the differences that closed boxes can hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations_with_replacement

import numpy as np
from numpy.typing import NDArray

from rollwise.games.patterns import face_sum, full_house, of_a_kind
from rollwise.solver.model.dice import DiceGame, Faces, throws
from rollwise.solver.model.errors import ParameterError
from rollwise.solver.model.game import parameter
from rollwise.solver.model.sheet import BoxGame

DICE, THROWS = 5, 3
NUMBERS = ("ones", "twos", "threes", "fours", "fives", "sixes")
SPECIALS = ("five of a kind", "big straight", "small straight", "full house", "four of a kind")
BOXES = (*NUMBERS, *SPECIALS)
ALL_NUMBERS = (1 << len(NUMBERS)) - 1
BIG, SMALL = (2, 3, 4, 5, 6), (1, 2, 3, 4, 5)
PASS = "pass"


def bits(boxes: Sequence[str]) -> int:
    """Boxes as a number, a bit each in the order of the sheet: numbers first, then specials."""
    return sum(1 << BOXES.index(box) for box in boxes)


def named(mask: int) -> tuple[str, ...]:
    """The boxes of such a number."""
    return tuple(box for place, box in enumerate(BOXES) if mask >> place & 1)


@dataclass(frozen=True)
class CameroonSheet(DiceGame, BoxGame):
    """The sheet of boxes, with the parameters of the game."""

    four_of_a_kind: bool = parameter(False, "is four of a kind, the sum of the four, one of the boxes?")
    five_of_a_kind: int = parameter(30, "points for five of a kind", low=1, high=100)
    big_straight: int = parameter(20, "points for 2-3-4-5-6", low=1, high=100)
    small_straight: int = parameter(15, "points for 1-2-3-4-5", low=1, high=100)
    must_keep: bool = parameter(False, "must a die be set aside before each further throw?")
    players: int = parameter(2, "how many play", choices=(2,))
    objective: str = parameter("margin", "margin (points more than the other) or win", choices=("margin", "win"))
    boxes: str = parameter("all", "boxes still to play, as ones,full house; others are closed", trial=True)

    def __post_init__(self) -> None:
        """Check the parameters."""
        super().__post_init__()
        if self.boxes != "all" and not set(str(self.boxes).split(",")) <= set(self.sheet):
            raise ParameterError(
                f"'cameroon' parameter boxes is all, or some of {', '.join(self.sheet)}, got {self.boxes!r}"
            )

    @property
    def sheet(self) -> tuple[str, ...]:
        """The boxes of the score sheet."""
        return BOXES if self.four_of_a_kind else BOXES[:-1]

    @property
    def played(self) -> tuple[str, ...]:
        """Boxes that are open at the start of the game."""
        return tuple(box for box in self.sheet if self.boxes == "all" or box in self.boxes.split(","))

    def points(self, box: str, dice: Faces) -> int:
        """The score of these dice in a box; 0 if they do not fit."""
        if box in NUMBERS:
            return face_sum(dice, NUMBERS.index(box) + 1)
        if box == "five of a kind":
            return self.five_of_a_kind if of_a_kind(dice, DICE) else 0
        if box == "four of a kind":
            return 4 * dice[2] if of_a_kind(dice, 4) else 0  # of five in order the middle die is one of the four
        if box == "full house":
            return sum(dice) if full_house(dice) else 0
        fits, worth = {"big straight": (BIG, self.big_straight), "small straight": (SMALL, self.small_straight)}[box]
        return worth if dice == fits else 0

    def first_board(self) -> dict[str, int]:
        """Nothing is closed but boxes that are not played."""
        closed = bits(self.sheet) - bits(self.played)
        numbers = closed & ALL_NUMBERS
        return {"mine": numbers, "theirs": numbers, "specials": closed >> len(NUMBERS)}

    @property
    def all_specials(self) -> int:
        """The specials of the sheet, a bit each."""
        return (1 << len(self.sheet) - len(NUMBERS)) - 1

    def can_pass(self, numbers: int, specials: int) -> bool:
        """True if some dice fit only closed boxes."""
        closed = {box for at, box in enumerate(BOXES) if (numbers | specials << len(NUMBERS)) >> at & 1}
        faces = [face for face, box in enumerate(NUMBERS, 1) if box in closed]
        return any(
            closed.issuperset(box for box in self.sheet if self.points(box, dice))
            for dice in combinations_with_replacement(faces, DICE)
        )


ZERO_BIT = 512  # the bit of the difference 0: more points than all boxes together hold


@cache
def differences(game: CameroonSheet, mine: int, theirs: int, specials: int) -> int:
    """The differences of points that closed boxes can hold, from the mover's side, a bit each."""
    start = game.first_board()
    for place in range(len(NUMBERS)):
        box, face = 1 << place, place + 1
        to_mover, to_other = mine & box & ~start["mine"], theirs & box & ~start["theirs"]
        if to_mover or to_other:  # one player alone enters up to four dice, both together can be five dice apart
            dice = range(1, DICE) if not to_other else range(1 - DICE, 0) if not to_mover else range(-DICE, DICE + 1)
            return shifted(differences(game, mine & ~box, theirs & ~box, specials), [face * n for n in dice])
    for place, special in enumerate(game.sheet[len(NUMBERS) :]):
        if (specials & ~start["specials"]) >> place & 1:
            before = differences(game, mine, theirs, specials & ~(1 << place))
            return shifted(before, [sign * worth for sign in (-1, 1) for worth in box_scores(game, special)])
    return 1 << ZERO_BIT


def shifted(numbers: int, by: Sequence[int]) -> int:
    """A set of numbers, a bit each, with each of these steps added."""
    sums = 0
    for step in by:
        sums |= numbers << step if step >= 0 else numbers >> -step
    return sums


@cache
def box_scores(game: CameroonSheet, box: str) -> tuple[int, ...]:
    """All scores of a box, ascending, 0 apart."""
    return tuple(sorted({game.points(box, dice) for dice, _ in throws(DICE)} - {0}))


@cache
def most_left(game: CameroonSheet, boxes: tuple[str, ...]) -> NDArray[np.int64]:
    """int64, shape (2 ** boxes,): for each set of closed boxes, a bit each, the most points of the others."""
    closed = np.arange(1 << len(boxes))
    return np.array(sum(np.where(closed >> place & 1, 0, box_scores(game, box)[-1]) for place, box in enumerate(boxes)))
