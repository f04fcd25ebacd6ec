"""Killer: five dice, thrown twice and split over boxes that stay open until both players have scored in them.

Number 21 of TACTIC's 21 dice games, for two players.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import Any, ClassVar

import numpy as np

from rollwise.solver.model.box_fields import BoxNames
from rollwise.solver.model.dice import AnyDiceAgain, DiceGame, Faces, show
from rollwise.solver.model.errors import ParameterError, StateError
from rollwise.solver.model.fields import Faces as FacesField, Field, ThrowsLeft
from rollwise.solver.model.game import (
    OTHER,
    Boards,
    Columns,
    Decision,
    End,
    Node,
    NodeKey,
    Position,
    Transition,
    parameter,
)
from rollwise.solver.model.sheet import Boxes

DICE, THROWS = 5, 2
MAX_PLAYERS = 5  # by the rules; two are solved
TO_OPEN = 3  # dice that a number box takes the first time, at least
COMBINATIONS = ("trebles", "bull's eye", "doubles", "sequences")
NUMBERS = ("ones", "twos", "threes", "fours", "fives", "sixes")
BOXES = (*COMBINATIONS, *NUMBERS)  # in the order of the sheet
BIT = {box: 1 << place for place, box in enumerate(BOXES)}
ALL_BOXES = sum(BIT.values())
RUNS = ((1, 2, 3, 4), (2, 3, 4, 5), (3, 4, 5, 6))
SCORE, NOTHING = "score", "nothing"  # kinds of results
GROUPS = 32  # boards with equally many boxes scored in fall into so many groups that no move connects


@dataclass(frozen=True)
class BoxSplit:
    """Dice split over boxes: the points of each box that is scored in, in the order of the sheet.

    ``few`` are the number boxes among them that get less than three dice: a player must have opened these before.
    """

    points: tuple[tuple[str, int], ...]
    few: frozenset[str]

    @property
    def boxes(self) -> frozenset[str]:
        """The boxes that are scored in."""
        return frozenset(box for box, _ in self.points)

    @property
    def total(self) -> int:
        """All points together."""
        return sum(points for _, points in self.points)

    @property
    def move(self) -> str:
        """The move in words."""
        return "score " + " + ".join(f"{box} {points}" for box, points in self.points)

    def no_better_than(self, other: BoxSplit) -> bool:
        """True if the other scores in the same boxes, is legal wherever this one is, and has no fewer points."""
        return self.boxes == other.boxes and other.few <= self.few and other.total >= self.total


def fits(box: str, dice: Faces) -> list[Faces]:
    """The sets of these dice that a box takes; for a number, more dice first."""
    if box in NUMBERS:
        face = NUMBERS.index(box) + 1
        return [(face,) * count for count in range(dice.count(face), 0, -1)]
    count = Counter(dice)
    pairs = [(face, face) for face in sorted(count) for _ in range(count[face] // 2)]
    sets_by_box: dict[str, list[Faces]] = {
        "trebles": [(face,) * 3 for face in sorted(count) if count[face] >= 3],
        "bull's eye": [(*low, *high) for low, high in combinations(pairs, 2) if low != high],
        "doubles": [*pairs, *((*low, *high) for low, high in combinations(pairs, 2))],
        "sequences": [run for run in RUNS if set(run) <= set(dice)],
    }
    return list(dict.fromkeys(sets_by_box[box]))


def splits(dice: Faces, boxes: Sequence[str]) -> Iterator[BoxSplit]:
    """Every way to split dice over some of these boxes, each die once; the empty one too."""
    if not boxes:
        yield BoxSplit((), frozenset())
        return
    box, *later = boxes
    yield from splits(dice, later)
    for used in fits(box, dice):
        few = {box} if box in NUMBERS and len(used) < TO_OPEN else set()
        remaining = tuple((Counter(dice) - Counter(used)).elements())
        for rest in splits(remaining, later):
            yield BoxSplit(((box, sum(used)), *rest.points), rest.few | few)


@cache
def every_split(dice: Faces, boxes: tuple[str, ...]) -> tuple[BoxSplit, ...]:
    """All splits of these dice, each once, most points first; scoring nothing is not among them."""
    distinct = dict.fromkeys(split for split in splits(dice, boxes) if split.points)
    return tuple(sorted(distinct, key=lambda split: (-split.total, len(split.few))))


@cache
def best_splits(dice: Faces, boxes: tuple[str, ...]) -> tuple[BoxSplit, ...]:
    """The splits that can be best on some sheet, most points first; of equally good ones the first.

    The next board depends only on the boxes scored in, and points add to its value: of splits over the same boxes the
    one with the most points is enough, unless it needs a box to be open that another does not.
    """
    best: list[BoxSplit] = []
    for split in every_split(dice, boxes):
        if not any(split.no_better_than(better) for better in best):
            best.append(split)
    return tuple(best)


def bits(boxes: Sequence[str] | frozenset[str]) -> int:
    """Boxes as a number, a bit each."""
    return sum(BIT[box] for box in boxes)


def may_enter(mine: Any, theirs: Any, boxes: int, few: int) -> Any:
    """True where these boxes are open to a player who has scored in ``mine``, and those with few dice are opened."""
    return (boxes & mine & theirs == 0) & (few & ~mine == 0)


def named(mask: int) -> tuple[str, ...]:
    """The boxes of such a number, in the order of the sheet."""
    return tuple(box for box in BOXES if mask & BIT[box])


@dataclass(frozen=True)
class Killer(DiceGame, Boxes):
    """Duel; the value of a board is the expected margin still to come: the mover's points less the other player's.

    A board: the boxes that the mover has scored in (``mine``) and those that the other player has (``theirs``), a bit
    each; a box in both is closed. A turn's result has the boxes scored in, and those of them with few dice.
    Play can go on for ever, since no player has to close a box.
    """

    name = "killer"
    labels: ClassVar = {"mine": "Only you", "theirs": "Only them", "closed": "Both"}
    title = "Killer"
    source = "TACTIC rules for dice games"
    rules = (
        "Throw five dice, then any of them once more. Split them over boxes as you like, each die once: trebles take "
        "three equal dice, bull's eye two different pairs, doubles one pair or two, equal or not, sequences four dice "
        "in a row, each for the sum of these dice. Ones to sixes take dice of their number: at least three the first "
        "time that you score there, after that any number of them. You may score in a box again and again, until the "
        "other player has scored in it too: that closes it for both. You need not score; with must_score=true you "
        "score something if you can. When all boxes are closed the game is over, and the most points win."
    )
    kind = "duel"
    measure = "margin"
    unit = "points"
    scale = 100  # a few turns' points
    total = 0
    endless = True

    must_score: bool = parameter(False, "must a turn score something if its dice fit anywhere?")
    players: int = parameter(2, "how many play", choices=(2,))
    objective: str = parameter("margin", "margin: points more than the other", choices=("margin",))
    boxes: str = parameter("all", "boxes still to play, as trebles,ones; others are closed from the start", trial=True)

    def __post_init__(self) -> None:
        """Check the parameters."""
        super().__post_init__()
        if self.boxes != "all" and not set(str(self.boxes).split(",")) <= set(BOXES):
            raise ParameterError(f"'killer' parameter boxes is all, or some of {', '.join(BOXES)}, got {self.boxes!r}")

    @property
    def played(self) -> tuple[str, ...]:
        """Boxes that are open at the start of the game."""
        return tuple(box for box in BOXES if self.boxes == "all" or box in self.boxes.split(","))

    # --- one turn ----------------------------------------------------------------------------------------------------

    @property
    def dice(self) -> AnyDiceAgain:
        """The dice of a turn."""
        return AnyDiceAgain(DICE, THROWS, self.score)

    def score(self, dice: Faces) -> Node:
        """Split the dice, or score nothing; the board decides which boxes are open."""
        options = best_splits(dice, self.played)
        moves = [(split.move, self.entry(split)) for split in options]
        return Decision([*moves, ("score nothing", End(self.nothing(options)))])

    def entry(self, split: BoxSplit) -> End:
        """The end of a turn with this split; the reward is its points."""
        return End((SCORE, bits(split.boxes), bits(split.few)), reward=split.total)

    def nothing(self, options: Sequence[BoxSplit]) -> tuple[str, int, int]:
        """(NOTHING, boxes that must be closed, number boxes that must not be open); both 0 unless must_score=true."""
        single = [split for split in options if len(split.points) == 1 and self.must_score]
        full = bits([box for split in single for box in split.boxes - split.few])
        return NOTHING, full, bits([box for split in single for box in split.few]) & ~full

    def left_out(self, board: Mapping[str, int], state: NodeKey) -> Iterator[tuple[str, Node, int]]:
        """Splits over the same boxes as a listed one, for no more points."""
        _, dice, stage = state
        if stage != "roll":
            return
        listed = best_splits(dice, self.played)
        better = {split.boxes: split for split in listed}  # one for all splits over the same boxes
        for split in every_split(dice, self.played):
            if split not in listed and may_enter(board["mine"], board["theirs"], bits(split.boxes), bits(split.few)):
                other = better[split.boxes]
                yield split.move, self.entry(other), split.total - other.total

    # --- the boards --------------------------------------------------------------------------------------------------

    def unsolved(self) -> Mapping[int, int]:
        """Sheets alone: the boxes that each player has scored in; the points, which decide the game, come on top."""
        return {players: 2 ** (players * len(BOXES)) - 1 for players in range(3, MAX_PLAYERS + 1)}

    def boards(self) -> Boards:
        """The boxes that each player has scored in."""
        return Boards(mine=ALL_BOXES + 1, theirs=ALL_BOXES + 1)

    def first_board(self) -> dict[str, int]:
        """No box is scored in; boxes that are not played count as closed."""
        closed = ALL_BOXES - bits(self.played)
        return {"mine": closed, "theirs": closed}

    def possible(self, board: Columns) -> Any:
        """Some box is open, and boxes that are not played are closed."""
        closed = board.mine & board.theirs
        not_played = self.first_board()["mine"]
        return (closed != ALL_BOXES) & (closed & not_played == not_played)

    def transition(self, board: Columns, result: tuple[str, int, int]) -> Transition:
        """The boxes scored in are the mover's now too; the other player moves next."""
        kind, boxes, few = result
        closed = board.mine & board.theirs
        if kind == NOTHING:
            legal = (boxes & ~closed == 0) & (few & board.mine & ~closed == 0)
            return Transition(legal=legal, next={"mine": board.theirs, "theirs": board.mine}, mover=OTHER)
        mine = board.mine | boxes
        return Transition(
            legal=may_enter(board.mine, board.theirs, boxes, few),
            over=mine & board.theirs == ALL_BOXES,
            next={"mine": board.theirs, "theirs": mine},
            mover=OTHER,
        )

    def level(self, board: Columns) -> Any:
        """The times that a player has scored in a new box; then a group that a turn without that does not leave."""
        scored = np.bitwise_count(board.mine).astype(np.int64) + np.bitwise_count(board.theirs)
        return GROUPS * scored + (board.mine ^ board.theirs) % GROUPS

    def scored_in(self, board: Columns, result: tuple[str, int, int], reward: Any) -> tuple[str, ...]:
        """The boxes that the dice are split over."""
        kind, boxes, _ = result
        return named(boxes) if kind == SCORE else ()

    # --- questions ---------------------------------------------------------------------------------------------------

    def fields(self) -> list[Field]:
        """The sheet, the dice on the table, and the throws left."""
        return [
            BoxNames("mine", "boxes that only the mover has opened", self.played),
            BoxNames("theirs", "boxes that only the other player has opened", self.played),
            BoxNames("closed", "boxes that both have scored in", self.played),
            FacesField("roll", "the five faces on the table now", DICE, DICE),
            ThrowsLeft("rolls_left", "throws still allowed this turn", 0, THROWS, throws=THROWS),
        ]

    def locate(
        self,
        mine: Sequence[str] = (),
        theirs: Sequence[str] = (),
        closed: Sequence[str] = (),
        roll: Faces | None = None,
        rolls_left: int | None = None,
    ) -> Position:
        """The position of a question."""
        self.require_sheet({"mine": mine, "theirs": theirs, "closed": closed})
        shut = self.first_board()["mine"] | bits(closed)
        return Position({"mine": shut | bits(mine), "theirs": shut | bits(theirs)}, self.turn_state(roll, rolls_left))

    def require_sheet(self, sheet: Mapping[str, Sequence[str]]) -> None:
        """Raise StateError where a box is in two lists, or all are closed."""
        for one, other in combinations(sheet, 2):
            both = [box for box in sheet[one] if box in sheet[other]]
            if both:
                raise StateError(f"'{both[0]}' is in {one} and in {other}; a box is in one list or in none")
        if len(sheet["closed"]) == len(self.played):
            raise StateError(
                "every box is closed", over="the game is over", hint="leave at least one box out of closed"
            )

    def turn_state(self, roll: Faces | None, rolls_left: int | None) -> NodeKey:
        """The state of the turn in a question."""
        if roll is None:
            if rolls_left not in (None, THROWS):
                raise StateError(f"rolls_left={rolls_left} needs roll; before the first throw leave both out")
            return self.dice.first()
        if rolls_left == THROWS:
            raise StateError(
                f"with roll {show(roll)} on the table up to {THROWS - 1} throw is left, got rolls_left={rolls_left}"
            )
        return (THROWS - 1 if rolls_left is None else rolls_left, roll, "roll")

    def describe(self, board: Mapping[str, int], state: NodeKey) -> Iterator[dict[str, Any]]:
        """Fields of a position."""
        rolls_left, dice, stage = state
        closed = board["mine"] & board["theirs"]
        sheet = {
            "mine": named(board["mine"] & ~closed),
            "theirs": named(board["theirs"] & ~closed),
            "closed": named(closed & ~self.first_board()["mine"]),
        }
        if stage == "roll":
            yield {**sheet, "roll": dice, "rolls_left": rolls_left}
        elif state == self.dice.first():
            yield sheet
