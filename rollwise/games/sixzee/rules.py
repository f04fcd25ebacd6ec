"""Sixzee: six dice, three throws, seventeen boxes that are each filled once; the best expected score.

The rules are those of freethedice.com; docs/rules.md has how we read them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from math import prod
from typing import Any

import numpy as np

from rollwise.games.objectives.beating import BeatSheet, ties_parameter
from rollwise.games.objectives.objective import game_with_objective, objective_parameter, players_parameter
from rollwise.games.objectives.reaching import ReachSheet
from rollwise.games.objectives.two_sheets import FOR_TWO, TwoSheets
from rollwise.games.patterns import face_sum, in_a_row, of_a_kind, only_pairs, only_triples, three_two_one
from rollwise.games.sheets import NUMBERS, BonusBoxes, SheetGame, number_boxes
from rollwise.solver.model.box_fields import Bonus
from rollwise.solver.model.dice import Faces
from rollwise.solver.model.game import Boards, Columns, End, Game, Transition, parameter
from rollwise.solver.model.sheet import Line

DICE, THROWS = 6, 3
KINDS = ("three of a kind", "four of a kind", "five of a kind")
SHAPES = ("3-2-1", "three pairs", "two triples")
STRAIGHTS = ("low straight", "high straight", "super straight")
BOXES = (*NUMBERS, *KINDS, *SHAPES, *STRAIGHTS, "sixzee", "chance")  # in the order of the sheet
FITS: dict[str, Callable[[Faces], bool]] = {
    "three of a kind": lambda dice: of_a_kind(dice, 3),
    "four of a kind": lambda dice: of_a_kind(dice, 4),
    "five of a kind": lambda dice: of_a_kind(dice, 5),
    "3-2-1": three_two_one,
    "three pairs": only_pairs,
    "two triples": only_triples,
    "low straight": lambda dice: in_a_row(dice) >= 4,
    "high straight": lambda dice: in_a_row(dice) >= 5,
    "super straight": lambda dice: in_a_row(dice) >= 6,
    "sixzee": lambda dice: of_a_kind(dice, DICE),
    "chance": lambda dice: True,
}
PAYS = {"low straight": 20, "high straight": 30, "super straight": 40, "sixzee": 60}  # other boxes: the sum of the dice
JOKER_PAYS = {**dict.fromkeys(SHAPES, 24), **{box: PAYS[box] for box in STRAIGHTS}}
ENOUGH, BONUS = 84, 30  # the sum of the number boxes that earns the bonus, and its points
OPEN, HOLDS_0, HOLDS_60 = 0, 1, 2  # the sixzee box
ANY_FACE = 7  # a sixzee in a box that does not ask for its face: one result instead of six


def points(box: str, dice: Faces) -> int:
    """The score of these dice in a box, jokers apart."""
    if box in NUMBERS:
        return face_sum(dice, NUMBERS.index(box) + 1)
    return PAYS.get(box, sum(dice)) if FITS[box](dice) else 0


@cache
def groups_of(played: tuple[str, ...]) -> dict[str, BonusBoxes]:
    """The boxes that earn a bonus together, by board field; boxes that are not ``played`` hold 0 from the start."""
    unplayed = {box: 0 for box in BOXES if box not in played}
    groups = {"numbers": number_boxes(DICE, ENOUGH, unplayed)}
    for field, boxes in (("kinds", KINDS), ("shapes", SHAPES), ("straights", STRAIGHTS)):
        groups[field] = BonusBoxes(boxes, [(0, 1)] * len(boxes), len(boxes), unplayed)  # 1: more than 0 points
    return groups


@dataclass(frozen=True)
class Sixzee(SheetGame):
    """Solo; the value of a board is the expected number of points still to come, bonuses included.

    A board: the states of the four groups of boxes that earn a bonus together (see ``games.sheets``), what the
    ``sixzee`` box holds, and whether ``chance`` is filled. A turn's result is (box, number of its score: the dice of
    its face, else 0 for no points and 1 for some; the face of a sixzee if it matters, ANY_FACE if not, 0 for none).
    """

    name = "sixzee"
    title = "Sixzee"
    has_final_score = True
    source = "Sixzee Rules, by freethedice.com"
    rules = (
        "Throw six dice up to three times, any dice again each time, then fill one of seventeen boxes. Ones to sixes "
        "score the sum of that face. Three, four and five of a kind, 3-2-1 (three of one face, two of another, one of "
        "a third), three pairs, two triples and chance score the sum of all dice, a low straight (four in a row) 20, a "
        "high one (five) 30, a super one (six) 40, a sixzee (six equal dice) 60; dice that do not fit their box score "
        "0. Four bonuses of 30 are there to be earned: by number boxes that hold 84 or more together; by points in "
        "each of three, four and five of a kind; by points in each of 3-2-1, three pairs and two triples; and by "
        "points in each of the straights. A sixzee that is thrown when the sixzee box and the number box of its face "
        "are filled is a joker: it may score 24 in 3-2-1, three pairs or two triples, and 20, 30 or 40 as a straight. "
        "While the sixzee box holds 60, each further sixzee that is placed for more than 0 earns 100 more."
    )
    all_boxes = BOXES
    n_dice = DICE
    n_throws = THROWS
    unseen = "hundreds for further sixzees"
    further_line, pays_from = "sixzee bonus", ("sixzee", PAYS["sixzee"])

    joker: bool = parameter(True, "is there a joker?")
    sixzee_bonus: int = parameter(100, "points for each sixzee after the first", low=0, high=1000)
    bonus_when: str = parameter(
        "placed",
        "when that bonus is paid: if the sixzee is placed for more than 0, or if it could be placed so",
        choices=("placed", "possible"),
    )
    objective: str = objective_parameter()
    ties: str = ties_parameter()
    players: int = players_parameter()

    @classmethod
    def of(cls, **parameters: Any) -> Game:
        """Played for the mean, for a target, against other sheets, or by two to win."""
        return game_with_objective(parameters, Sixzee, SixzeeReach, SixzeeBeat, SixzeeForTwo)

    @cached_property
    def groups(self) -> dict[str, BonusBoxes]:
        """The boxes that earn a bonus together, by the board field for their state."""
        return groups_of(self.played)

    # --- boards ------------------------------------------------------------------------------------------------------

    def boards(self) -> Boards:
        """The state of each group, the sixzee box, chance."""
        sixzee = range(OPEN, HOLDS_60 + 1) if "sixzee" in self.played else range(HOLDS_0, HOLDS_0 + 1)
        chance = range(2) if "chance" in self.played else range(1, 2)
        return Boards(**{field: group.size for field, group in self.groups.items()}, sixzee=sixzee, chance=chance)

    def board(self, sheet: Mapping[str, int]) -> dict[str, int]:
        """The board of a sheet."""
        some = counted(sheet)
        return {
            **{field: group.state(some) for field, group in self.groups.items()},
            "sixzee": {None: OPEN, 0: HOLDS_0, 1: HOLDS_60}[some.get("sixzee")],
            "chance": int("chance" in sheet),
        }

    def n_filled(self, board: Columns) -> Any:
        """The number of filled boxes."""
        of_groups = sum(
            np.bitwise_count(group.filled).astype(np.int64)[getattr(board, field)]
            for field, group in self.groups.items()
        )
        return of_groups + (board.sixzee != OPEN) + board.chance

    # --- one turn ----------------------------------------------------------------------------------------------------

    @staticmethod
    def points(box: str, dice: Faces) -> int:
        """The score of these dice in a box, jokers apart."""
        return points(box, dice)

    def entry(self, box: str, dice: Faces) -> End:
        """The end of a turn with these dice in this box; the reward leaves jokers and bonuses to the board."""
        scored = points(box, dice)
        number = scored // (NUMBERS.index(box) + 1) if box in NUMBERS else int(scored > 0)
        sixzee = 0
        if of_a_kind(dice, DICE) and box != "sixzee":
            needs_face = scored < JOKER_PAYS.get(box, 0) if self.joker else False
            if needs_face or (scored == 0 and self.bonus_when == "possible"):
                sixzee = dice[0]
            elif scored:
                sixzee = ANY_FACE
        return End((box, number, sixzee), reward=scored)

    def transition(self, board: Columns, result: tuple[str, int, int]) -> Transition:
        """One more box is filled."""
        box, number, _ = result
        over = self.is_last(board)
        reward = sum(self.booked(board, result).values())
        if box == "sixzee":
            after = board.but(sixzee=HOLDS_60 if number else HOLDS_0)
            return Transition(legal=board.sixzee == OPEN, next=after, over=over)
        if box == "chance":
            return Transition(legal=board.chance == 0, next=board.but(chance=1), reward=reward, over=over)
        field, place = self.filled_by(board, result)
        after = self.groups[field].after[place]
        return Transition(legal=after >= 0, next=board.but(**{field: after}), reward=reward, over=over)

    def booked(self, board: Columns, result: tuple[str, int, int]) -> dict[str, Any]:
        """The points of a joker beyond the plain score of its dice, and the bonuses that a result earns."""
        box, _, face = result
        if box == "sixzee":
            return {}
        booked = {
            box: self.joker_gain(board, box, face),
            "sixzee bonus": self.earned_on_top(board, face, self.scores(board, result)),
        }
        if box != "chance":
            field, place = self.filled_by(board, result)
            booked[f"{field} bonus"] = BONUS * self.groups[field].earns[place]
        return booked

    def filled_by(self, board: Columns, result: tuple[str, int, int]) -> tuple[str, Any]:
        """The group of the box that a result fills, and its place in the group's tables."""
        box, number, _ = result
        field, group = next((field, group) for field, group in self.groups.items() if box in group.boxes)
        score = number if box in NUMBERS else np.int64(self.scores(board, result))
        return field, (getattr(board, field), group.boxes.index(box), score)

    def scores(self, board: Columns, result: tuple[str, int, int]) -> Any:
        """True where the box gets more than 0 points."""
        box, number, face = result
        return number > 0 or self.joker_gain(board, box, face) > 0

    def is_joker(self, board: Columns, face: int) -> Any:
        """True where a sixzee of this face is a joker."""
        filled = self.groups["numbers"].filled[board.numbers]
        return (board.sixzee != OPEN) & (filled >> (face - 1) & 1 == 1)

    def joker_gain(self, board: Columns, box: str, face: int) -> Any:
        """The points of a joker of this face in this box beyond its plain score; 0 where it is no joker."""
        if not self.joker or box not in JOKER_PAYS or face in (0, ANY_FACE):
            return 0
        return (JOKER_PAYS[box] - points(box, (face,) * DICE)) * self.is_joker(board, face)

    def earned_on_top(self, board: Columns, face: int, scores: Any) -> Any:
        """The bonus for a sixzee after the first; ``scores``: whether it is placed for more than 0."""
        if face == 0:
            return 0
        if scores is not True:
            scores = scores | self.could_score(board, face)
        return self.sixzee_bonus * ((board.sixzee == HOLDS_60) & scores)

    def could_score(self, board: Columns, face: int) -> Any:
        """True where bonus_when=possible, and this sixzee could be placed for more than 0."""
        if self.bonus_when == "placed" or face == ANY_FACE:
            return False
        filled = {field: group.filled[getattr(board, field)] for field, group in self.groups.items()}
        could = (filled["numbers"] >> (face - 1) & 1 == 0) | (filled["kinds"] != 7) | (board.chance == 0)
        could |= filled["shapes"] & 6 != 6  # three pairs, two triples
        if self.joker:
            could |= self.is_joker(board, face) & ((filled["shapes"] != 7) | (filled["straights"] != 7))
        return could

    # --- questions ---------------------------------------------------------------------------------------------------

    def bonuses(self, sheet: Mapping[str, int]) -> dict[str, int]:
        """The bonuses of 30 that a sheet has."""
        some = counted(sheet)
        return {f"{field} bonus": BONUS * bool(group.earned(some)) for field, group in self.groups.items()}

    @property
    def bonuses_shown(self) -> tuple[Bonus, ...]:
        """The bonus of the numbers, and those for every kind, shape and straight."""
        groups = {"Kinds": KINDS, "Shapes": SHAPES, "Straights": STRAIGHTS}
        each = (Bonus(f"{called} bonus", boxes, len(boxes), BONUS, counts=True) for called, boxes in groups.items())
        return (Bonus("Bonus", NUMBERS, ENOUGH, BONUS), *each)

    def bonus_lines(self) -> dict[str, Line]:
        """The bonuses of the groups, and the hundreds, one a turn after that of the first sixzee."""
        most = self.sixzee_bonus * (len(self.played) - 1) if "sixzee" in self.played else 0
        groups = {f"{field} bonus": Line(BONUS) for field in self.groups}
        return {**groups, "sixzee bonus": Line(most, each=self.sixzee_bonus)}

    def further(self, sheet: Mapping[str, int]) -> range:
        """One bonus for each box that can have got a sixzee while the sixzee box held 60."""
        if sheet.get("sixzee") != PAYS["sixzee"] or not self.sixzee_bonus:
            return range(1)
        could = sum(self.may_hold_sixzee(box, score, sheet) for box, score in sheet.items() if box in self.played)
        return range(0, self.sixzee_bonus * could + 1, self.sixzee_bonus)

    def may_hold_sixzee(self, box: str, score: int, sheet: Mapping[str, int]) -> bool:
        """True if a further sixzee that earned the bonus can have been scored there."""
        if box == "sixzee" or (score == 0 and self.bonus_when == "placed"):
            return False
        joker = self.joker and score == JOKER_PAYS.get(box) and any(name in sheet for name in NUMBERS)
        return joker or score in {self.points(box, (face,) * DICE) for face in range(1, 7)}

    def sheet(self, board: Mapping[str, int]) -> dict[str, int]:
        """Scores that make this board: one of all sheets that do, with the least points that boxes can hold."""
        scores: dict[str, int] = {}
        for field, group in self.groups.items():
            scores |= group.sheets[board[field]]
        for box in (*KINDS, *SHAPES, *STRAIGHTS):
            if scores.get(box):
                scores[box] = min(score for score in self.can_hold(box) if score)
        if board["sixzee"] != OPEN:
            scores["sixzee"] = PAYS["sixzee"] if board["sixzee"] == HOLDS_60 else 0
        if board["chance"]:
            scores["chance"] = DICE
        return {box: scores[box] for box in self.played if box in scores}


@dataclass(frozen=True)
class SixzeeReach(ReachSheet, Sixzee):
    """Solo; the value of a board is the best P(at least as many points as are needed)."""

    usual_target = 400

    def n_below(self, board: Mapping[str, int]) -> int:
        """See ``ReachSheet``."""
        of_groups = prod(group.n_below(board[field]) for field, group in self.groups.items())
        return of_groups * (3 if board["sixzee"] == OPEN else 1) * (2 - board["chance"])


@dataclass(frozen=True)
class SixzeeForTwo(TwoSheets, SixzeeReach):
    """A duel; the value of a board is the mover's chance to end with more points; equal points count half."""

    rules = Sixzee.rules + FOR_TWO

    def together(self) -> Sequence[Sequence[str]]:
        """See ``TwoSheets``."""
        return [group.boxes for group in self.groups.values()]


@dataclass(frozen=True)
class SixzeeBeat(BeatSheet, SixzeeReach):
    """Solo; a board's value is the best P(more points than all others), or the best mean value of the final score."""


def counted(sheet: Mapping[str, int]) -> dict[str, int]:
    """Scores as the groups count them: numbers unchanged, 1 for points in any other box."""
    return {box: score if box in NUMBERS else int(score > 0) for box, score in sheet.items()}
