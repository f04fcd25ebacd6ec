"""Yahtzee: five dice, three throws, thirteen boxes that are each filled once; the best expected score.

Not in the rule sheets: a reference for the engine, solved by Verhoeff (1999) and others after him.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np

from rollwise.games.objectives.beating import BeatSheet, ties_parameter
from rollwise.games.objectives.objective import game_with_objective, objective_parameter, players_parameter
from rollwise.games.objectives.reaching import ReachSheet
from rollwise.games.objectives.two_sheets import FOR_TWO, TwoSheets
from rollwise.games.patterns import face_sum, full_house, in_a_row, of_a_kind
from rollwise.games.sheets import NUMBERS, BonusBoxes, SheetGame, number_boxes
from rollwise.solver.model.box_fields import Bonus
from rollwise.solver.model.dice import Faces
from rollwise.solver.model.game import Boards, Columns, End, Game, Transition, parameter
from rollwise.solver.model.sheet import Line

DICE, THROWS = 5, 3
LOWER = ("three of a kind", "four of a kind", "full house", "small straight", "large straight", "yahtzee", "chance")
BOXES = (*NUMBERS, *LOWER)  # in the order of the sheet
BIT = {box: 1 << place for place, box in enumerate(box for box in LOWER if box != "yahtzee")}
LOWER_FILLED = sum(BIT.values())
OPEN, HOLDS_0, HOLDS_50 = 0, 1, 2  # the yahtzee box
ENOUGH, BONUS = 63, 35  # the sum of the number boxes that earns the bonus, and its points
FURTHER_YAHTZEE = 100
PAYS = {"full house": 25, "small straight": 30, "large straight": 40, "yahtzee": 50}
JOKERS = ("full house", "small straight", "large straight")
ANY_FACE = 7  # a yahtzee in a box that does not ask for its face: one result instead of six


def points(box: str, dice: Faces) -> int:
    """The score of these dice in a box, jokers apart."""
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
class Yahtzee(SheetGame):
    """Solo; the value of a board is the expected number of points still to come, the bonus of 35 included.

    A board: the state of the ``numbers`` (see ``games.sheets``), which ``lower`` boxes are filled (a bit each, the
    yahtzee box apart), and what ``yahtzee`` holds. A turn's result is (box, dice of the face of a number box, face of a
    yahtzee, else 0).
    """

    name = "yahtzee"
    title = "Yahtzee"
    reference = True
    picture = (1, "55555", "Three throws a box, thirteen boxes.")
    has_final_score = True
    like = (
        ("kniffel", "each further yahtzee earns 100, and is a joker"),
        ("yam's", "the bonus for numbers is 35, each further yahtzee earns 100, and is a joker"),
        ("yatzy", "no boxes for pairs, a full house 25, straights 30 and 40, the bonus for numbers 35"),
        ("maxi yatzy", "five dice, thirteen boxes, none for pairs, and no throws are saved up"),
        ("yacht", "a box for three of a kind, 35 more for 63 in the numbers, each further yahtzee earns 100"),
        ("generala", "boxes for three of a kind and chance, 35 more for 63 in the numbers, no prize for first throws"),
        ("balut", "thirteen boxes, ones to threes too, each filled once and not four times"),
        ("poker dice", "thirteen boxes to fill, with points for each, and no hand is compared with another's"),
    )
    source = "Tom Verhoeff, Optimal Solitaire Yahtzee Player, 1999"
    rules = (
        "Throw five dice up to three times, each time any of them again, then fill one open box. Ones to sixes score "
        "the sum of that face, and 35 more once they hold 63 or more together. Three of a kind, four of a kind and "
        "chance score the sum of all dice, a full house 25, a small straight (four in a row) 30, a large one 40, a "
        "yahtzee (five equal dice) 50; dice that do not fit their box score 0. While the yahtzee box holds 50, each "
        "further yahtzee earns 100. A yahtzee that is thrown when the yahtzee box is filled, be it with 0, is a joker: "
        "once the number box of its face is filled too, it scores 25, 30 or 40 as a full house or straight. With "
        "joker=forced it has to go into the number box of its face; if that is filled, into an open box below the "
        "numbers; if there is none, into any open box. With joker=free you choose any open box at once, but before the "
        "number box of its face is filled it scores 0 as a full house or straight."
    )
    all_boxes = BOXES
    n_dice = DICE
    n_throws = THROWS
    unseen = "hundreds for further yahtzees"
    further_line, pays_from = "yahtzee bonus", ("yahtzee", PAYS["yahtzee"])

    joker: str = parameter("forced", "where a joker must be placed: forced or free", choices=("forced", "free"))
    objective: str = objective_parameter()
    ties: str = ties_parameter()
    players: int = players_parameter()

    @classmethod
    def of(cls, **parameters: Any) -> Game:
        """Played for the mean, for a target, against other sheets, or by two to win."""
        return game_with_objective(parameters, Yahtzee, YahtzeeReach, YahtzeeBeat, YahtzeeForTwo)

    def boards(self) -> Boards:
        """The number boxes, the lower boxes, the yahtzee box."""
        yahtzee = range(OPEN, HOLDS_50 + 1) if "yahtzee" in self.played else range(HOLDS_0, HOLDS_0 + 1)
        return Boards(numbers=self.numbers.size, lower=LOWER_FILLED + 1, yahtzee=yahtzee)

    def board(self, sheet: Mapping[str, int]) -> dict[str, int]:
        """The board of a sheet."""
        return {
            "numbers": self.numbers.state(sheet),
            "lower": sum(BIT[box] for box in sheet if box in BIT),
            "yahtzee": {None: OPEN, 0: HOLDS_0, 50: HOLDS_50}[sheet.get("yahtzee")],
        }

    def possible(self, board: Columns) -> Any:
        """At least one box is open, and boxes that are not played hold 0."""
        closed = self.first_board()["lower"]
        return (board.lower & closed == closed) & super().possible(board)

    def n_filled(self, board: Columns) -> Any:
        """The number of filled boxes."""
        of_groups = np.bitwise_count(self.numbers.filled[board.numbers]) + np.bitwise_count(board.lower)
        return of_groups.astype(np.int64) + (board.yahtzee != OPEN)

    @cached_property
    def numbers(self) -> BonusBoxes:
        """The number boxes, as states of a board."""
        return numbers_of(self.played)

    # --- one turn ------------------------------------------------------------------------------------------------

    @staticmethod
    def points(box: str, dice: Faces) -> int:
        """The score of these dice in a box, jokers apart."""
        return points(box, dice)

    def entry(self, box: str, dice: Faces) -> End:
        """The end of a turn with these dice in this box; the reward leaves jokers and bonuses to the board."""
        scored = points(box, dice)
        if box == "yahtzee":
            return End((box, scored, 0), reward=scored)
        yahtzee = 0
        if of_a_kind(dice, DICE):
            yahtzee = dice[0] if self.joker == "forced" or box in JOKERS else ANY_FACE
        count = scored // (NUMBERS.index(box) + 1) if box in NUMBERS else 0
        return End((box, count, yahtzee), reward=scored)

    def transition(self, board: Columns, result: tuple[str, int, int]) -> Transition:
        """One more box is filled."""
        box, number, face = result
        over = self.is_last(board)
        if box == "yahtzee":
            after = board.but(yahtzee=HOLDS_50 if number else HOLDS_0)
            return Transition(legal=board.yahtzee == OPEN, next=after, over=over)
        if box in NUMBERS:
            filled = self.numbers.after[board.numbers, NUMBERS.index(box), number]
            legal, following = filled >= 0, board.but(numbers=filled)
        else:
            legal, following = board.lower & BIT[box] == 0, board.but(lower=board.lower | BIT[box])
        if face:
            legal &= self.may_take(board, box, face)
        return Transition(legal=legal, next=following, reward=sum(self.booked(board, result).values()), over=over)

    def booked(self, board: Columns, result: tuple[str, int, int]) -> dict[str, Any]:
        """The bonuses that a result earns, and the points of a joker beyond the plain score of its dice."""
        box, number, face = result
        booked = {}
        if box in NUMBERS:
            booked["numbers bonus"] = BONUS * self.numbers.earns[board.numbers, NUMBERS.index(box), number]
        if face and box in JOKERS:
            booked[box] = PAYS[box] * ((board.yahtzee != OPEN) & self.has_number(board, face))
        if face:
            booked["yahtzee bonus"] = FURTHER_YAHTZEE * (board.yahtzee == HOLDS_50)
        return booked

    def may_take(self, board: Columns, box: str, face: int) -> Any:
        """True where a yahtzee of this face may fill this open box (not the yahtzee box)."""
        if self.joker == "free" or box == NUMBERS[face - 1]:
            return True
        may = self.has_number(board, face)
        return (board.yahtzee == OPEN) | (may if box in LOWER else may & (board.lower == LOWER_FILLED))

    def has_number(self, board: Columns, face: int) -> Any:
        """True where the number box of this face is filled."""
        return self.numbers.filled[board.numbers] >> (face - 1) & 1 == 1

    # --- questions -----------------------------------------------------------------------------------------------

    def bonuses(self, sheet: Mapping[str, int]) -> dict[str, int]:
        """The bonus for numbers."""
        return {"numbers bonus": BONUS * self.numbers.earned(sheet)}

    @property
    def bonuses_shown(self) -> tuple[Bonus, ...]:
        """The bonus of the upper part."""
        return (Bonus("Bonus", NUMBERS, ENOUGH, BONUS),)

    def bonus_lines(self) -> dict[str, Line]:
        """The bonus for numbers, and the hundreds, one a turn after that of the first yahtzee."""
        most = FURTHER_YAHTZEE * (len(self.played) - 1) if "yahtzee" in self.played else 0
        return {"numbers bonus": Line(BONUS), "yahtzee bonus": Line(most, each=FURTHER_YAHTZEE)}

    def further(self, sheet: Mapping[str, int]) -> range:
        """A hundred for each box that a yahtzee can have filled while the yahtzee box held 50, in the best order."""
        if sheet.get("yahtzee") != PAYS["yahtzee"]:
            return range(1)
        could = sum(self.may_hold_yahtzee(box, score, sheet) for box, score in sheet.items() if box in self.played)
        if self.joker == "forced":
            could += self.out_of_place(sheet)
        return range(0, FURTHER_YAHTZEE * could + 1, FURTHER_YAHTZEE)

    def out_of_place(self, sheet: Mapping[str, int]) -> int:
        """Number boxes that forced jokers of other faces can have filled with 0, once all lower boxes were.

        Not among them: a face whose yahtzee filled a lower box, or else the first of all.
        """
        empty = [face for face, box in enumerate(NUMBERS, 1) if box in self.played and sheet.get(box) == 0]
        if not all(box in sheet for box in LOWER):
            return 0
        before = [face for face in empty if DICE * face in (sheet[box] for box in LOWER if box not in PAYS)]
        others = sum(name in sheet for name in NUMBERS) - len(empty)
        return max(len(empty) - max(len(before), others == 0), 0)

    def may_hold_yahtzee(self, box: str, score: int, sheet: Mapping[str, int]) -> bool:
        """True if a further yahtzee can have been scored there (a forced joker needs its number box filled)."""
        forced, counts_dice = self.joker == "forced", box in LOWER and box not in PAYS
        if box == "yahtzee" or (forced and score == 0):
            return False
        if forced and counts_dice and NUMBERS[score // DICE - 1] not in sheet:
            return False
        plain = {self.points(box, (face,) * DICE) for face in range(1, 7)}
        joker = box in JOKERS and score == PAYS[box] and any(name in sheet for name in NUMBERS)
        return score in plain or joker

    def sheet(self, board: Mapping[str, int]) -> dict[str, int]:
        """Scores that make this board: one of the sheets that do, with the least in the lower boxes."""
        scores = dict(self.numbers.sheets[board["numbers"]])
        for box, bit in BIT.items():
            if board["lower"] & bit:
                scores[box] = DICE if box == "chance" else 0
        if board["yahtzee"] != OPEN:
            scores["yahtzee"] = PAYS["yahtzee"] if board["yahtzee"] == HOLDS_50 else 0
        return {box: scores[box] for box in self.played if box in scores}


@dataclass(frozen=True)
class YahtzeeReach(ReachSheet, Yahtzee):
    """Solo; the value of a board is the best P(at least as many points as are needed)."""

    usual_target = 250

    def n_below(self, board: Mapping[str, int]) -> int:
        """See ``ReachSheet``."""
        lower = 1 << (LOWER_FILLED & ~board["lower"]).bit_count()
        return self.numbers.n_below(board["numbers"]) * lower * (3 if board["yahtzee"] == OPEN else 1)


@dataclass(frozen=True)
class YahtzeeForTwo(TwoSheets, YahtzeeReach):
    """A duel; the value of a board is the mover's chance to end with more points; equal points count half."""

    rules = Yahtzee.rules + FOR_TWO

    def together(self) -> Sequence[Sequence[str]]:
        """See ``TwoSheets``."""
        return (NUMBERS,)


@dataclass(frozen=True)
class YahtzeeBeat(BeatSheet, YahtzeeReach):
    """Solo; a board's value is the best P(more points than all others), or the best mean value of the final score."""
