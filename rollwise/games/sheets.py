"""Score sheets: boxes that are each filled once, bonuses that some of them earn together, and games of one sheet."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.model.box_fields import Bonus, Scores, listed
from rollwise.solver.model.dice import AnyDiceAgain, DiceGame, Faces, throws
from rollwise.solver.model.errors import ModelError, ParameterError, StateError
from rollwise.solver.model.fields import Faces as FacesField, Field, Number, ThrowsLeft
from rollwise.solver.model.game import Columns, Decision, End, Node, NodeKey, Position, derived, parameter
from rollwise.solver.model.outcome import one_board, only
from rollwise.solver.model.sheet import Aim, Line, ScoreSheet

NUMBERS = ("ones", "twos", "threes", "fours", "fives", "sixes")
FURTHER = "yahtzee_bonus"  # the field for the points of further yahtzees, or of their like in other games
DECIDED = 0  # points short of the bonus: it is earned, or out of reach


class BonusBoxes:
    """Boxes that earn a bonus once they hold ``enough`` together, as *states*: one number of a board.

    ``scores`` are those that each box can hold, 0 among them; ``held`` are boxes that are filled from the start, in
    state 0. Sheets with the same future share a state: the boxes that are filled, and the points short of the bonus,
    rounded up to a sum that the open boxes can make, 0 once the bonus is earned or out of reach.

    ``filled``: int64, shape (states,), a bit a box. ``after``: int64, shape (states, boxes, scores), the state after a
    box gets its n-th score, -1 where it is filled already; ``earns``: bool, same shape, whether that earns the bonus.
    ``sheets``: for each state one sheet that is in it.

    >>> pair = BonusBoxes(("ones", "twos"), [(0, 1, 2), (0, 2, 4)], enough=3)
    >>> pair.state({"ones": 1}) == pair.state({"ones": 2}), pair.state({"ones": 0}) == pair.state({"ones": 1})
    (True, False)
    """

    def __init__(
        self,
        boxes: Sequence[str],
        scores: Sequence[Sequence[int]],
        enough: int,
        filled_scores: Mapping[str, int] | None = None,
    ) -> None:
        self.boxes = tuple(boxes)
        self.scores = tuple(tuple(of_box) for of_box in scores)
        for name, of_box in zip(self.boxes, self.scores, strict=True):
            if min(of_box) != 0:  # else the points short could be rounded up past a score that earns the bonus
                raise ModelError(f"'{name}' must be able to hold 0 and nothing less, got {of_box}")
        self.enough = enough
        self.all_filled = (1 << len(self.boxes)) - 1
        self._sums: dict[int, list[int]] = {}
        self._named: list[tuple[int, int]] = []  # (boxes filled, points short) of each state
        self._state: dict[tuple[int, int], int] = {}
        self.sheets: list[dict[str, int]] = []
        shape = len(self.boxes), max(len(of_box) for of_box in self.scores)
        after: list[NDArray[np.int64]] = []
        earns: list[NDArray[np.bool_]] = []
        start = {box: score for box, score in (filled_scores or {}).items() if box in self.boxes}
        self._enter(self._filled(start), enough - sum(start.values()), start)
        for filled, short in self._named:  # which grows
            following, earned = np.full(shape, -1, dtype=np.int64), np.zeros(shape, dtype=bool)
            for box, place, score in self._ways(filled):
                sheet = {**self.sheets[len(after)], self.boxes[box]: score}
                following[box, place] = self._enter(filled | 1 << box, short - score if short else DECIDED, sheet)
                earned[box, place] = 0 < short <= score
            after.append(following)
            earns.append(earned)
        self.size = len(self._named)
        self.after: NDArray[np.int64] = np.array(after)
        self.earns: NDArray[np.bool_] = np.array(earns)
        self.filled: NDArray[np.int64] = np.array([filled for filled, _ in self._named], dtype=np.int64)

    def _ways(self, filled: int) -> list[tuple[int, int, int]]:
        """(box, place of its score, score) of every way to fill one more box."""
        return [
            (box, place, score)
            for box, of_box in enumerate(self.scores)
            for place, score in enumerate(of_box)
            if not filled >> box & 1
        ]

    def _enter(self, filled: int, short: int, sheet: dict[str, int]) -> int:
        """The state with these boxes filled and this many points short, new if need be."""
        name = self._name(filled, short)
        if name not in self._state:
            self._state[name] = len(self._named)
            self._named.append(name)
            self.sheets.append(sheet)
        return self._state[name]

    def _name(self, filled: int, short: int) -> tuple[int, int]:
        return filled, self._least_sum(self.all_filled & ~filled, short) if short > 0 else DECIDED

    def _least_sum(self, boxes: int, short: int) -> int:
        """The least sum of these boxes that is not below ``short``; DECIDED if they cannot reach it."""
        if boxes not in self._sums:
            sums = {0}
            for box, of_box in enumerate(self.scores):
                if boxes >> box & 1:
                    sums = {total + score for total in sums for score in of_box}
            self._sums[boxes] = sorted(sums)
        possible_sums = self._sums[boxes]
        place = bisect_left(possible_sums, short)
        return possible_sums[place] if place < len(possible_sums) else DECIDED

    def state(self, sheet: Mapping[str, int]) -> int:
        """The state of a sheet; other boxes do not matter."""
        short = self.enough - sum(sheet.get(box, 0) for box in self.boxes)
        return self._state[self._name(self._filled(sheet), short)]

    def n_below(self, state: int) -> int:
        """The number of states that a state can become, itself included."""
        states, fresh = {state}, {state}
        while fresh:
            fresh = set(np.unique(self.after[list(fresh)]).tolist()) - states - {-1}
            states |= fresh
        return len(states)

    def _filled(self, sheet: Mapping[str, int]) -> int:
        return sum(1 << place for place, box in enumerate(self.boxes) if box in sheet)

    def earned(self, sheet: Mapping[str, int]) -> bool:
        """True if this sheet has the bonus."""
        return sum(sheet.get(box, 0) for box in self.boxes) >= self.enough


def number_boxes(dice: int, enough: int, filled_scores: Mapping[str, int] | None = None) -> BonusBoxes:
    """Ones to sixes, each the sum of that face, with a bonus for ``enough`` points."""
    return BonusBoxes(NUMBERS, [range(0, face * dice + 1, face) for face in range(1, 7)], enough, filled_scores)


# --- the aims of one turn ---------------------------------------------------------------------------------------------


def box_aims(boxes: Sequence[str], dice: int, points: Callable[[Any], int] | None = None) -> dict[str, Aim]:
    """An aim for each of these boxes: at least n dice of a face, or more than 0 points. Results name the box first.

    ``points`` as ``Aim`` has them.

    >>> aims = box_aims(["twos", "chance"], dice=5)
    >>> aims["twos"].marks["at least 3"], aims["chance"].marks
    (6, {'more than 0': 1})
    """
    return {box: Aim(_fills(box), _marks(box, dice), points) for box in boxes}


def _fills(box: str) -> Any:
    return lambda result: result[0] == box


def _marks(box: str, dice: int) -> dict[str, int]:
    if box not in NUMBERS:
        return {"more than 0": 1}
    return {f"at least {count}": count * (NUMBERS.index(box) + 1) for count in range(1, dice + 1)}


# --- games of one sheet -----------------------------------------------------------------------------------------------


@cache
def _scores(points: Callable[[str, Faces], int], box: str, n_dice: int) -> tuple[int, ...]:
    return tuple(sorted({points(box, dice) for dice, _ in throws(n_dice)}))


@dataclass(frozen=True)
class SheetGame(DiceGame, ScoreSheet):
    """Solo: throw dice up to ``n_throws`` times, any again each time, then fill an open box, until all are filled.

    The value of a board is the expected number of points still to come, bonuses included. A game defines its
    boards (``boards``, ``board``, ``sheet``, ``n_filled``), the score of dice in a box (``points``; ``entry`` and
    ``transition`` with jokers and bonuses), and the bonuses of a sheet (``bonuses``).
    """

    labels: ClassVar = {
        "filled": "Your sheet",
        FURTHER: "Bonus for further ones",
        f"theirs_{FURTHER}": "Their bonus for further ones",
        "mine": "Points so far: instead of the bonus for further ones",
    }
    kind = "solo"
    measure = "score"
    unit = "points"
    scale = 100  # a good sheet has 200 to 400, a small box 5
    cyclic = False
    total = 0

    all_boxes: ClassVar[tuple[str, ...]]  # in the order of the sheet
    n_dice: ClassVar[int]
    n_throws: ClassVar[int]
    gained_field = FURTHER
    unseen: ClassVar[str]  # in words, the points that the boxes of a sheet do not show
    further_line: ClassVar[str]  # the bonus line of these points
    pays_from: ClassVar[tuple[str, int]]  # (box, score that it must hold before they are paid)

    boxes: str = parameter("all", "boxes still to play, as ones,chance; the others hold 0 from the start", trial=True)

    def __post_init__(self) -> None:
        """Check the parameters."""
        super().__post_init__()
        if self.boxes != "all" and not set(str(self.boxes).split(",")) <= set(self.all_boxes):
            raise ParameterError(
                f"'{self.name}' parameter boxes is all, or some of {', '.join(self.all_boxes)}, got {self.boxes!r}"
            )

    @cached_property
    def played(self) -> tuple[str, ...]:
        """Boxes that are open at the start of the game."""
        return tuple(box for box in self.all_boxes if self.boxes == "all" or box in self.boxes.split(","))

    @staticmethod
    def points(box: str, dice: Faces) -> int:
        """The score of these dice in a box, jokers apart."""
        raise NotImplementedError

    def can_hold(self, box: str) -> tuple[int, ...]:
        """All scores of a box; a joker scores nothing that other dice cannot score there too."""
        return _scores(self.points, box, self.n_dice)

    def entry(self, box: str, dice: Faces) -> End:
        """The end of a turn that enters these dice in this box."""
        raise NotImplementedError

    def board(self, sheet: Mapping[str, int]) -> dict[str, int]:
        """The board of a sheet."""
        raise NotImplementedError

    def sheet(self, board: Mapping[str, int]) -> dict[str, int]:
        """Scores that make this board: one of the sheets that do."""
        raise NotImplementedError

    def bonuses(self, sheet: Mapping[str, int]) -> dict[str, int]:
        """The bonuses that a sheet shows, points by line, 0 where not earned."""
        raise NotImplementedError

    def bonus_lines(self) -> dict[str, Line]:
        """The lines of bonuses."""
        raise NotImplementedError

    def further(self, sheet: Mapping[str, int]) -> range:
        """The possible points that the boxes of this sheet do not show."""
        raise NotImplementedError

    @cached_property
    def further_field(self) -> Number | None:
        """The field for these points; None where there are none."""
        line, help_text = self.bonus_lines()[self.further_line], f"{self.unseen} so far, which stand in no box"
        return Number(FURTHER, help_text, 0, line.most, line.each, drawn="line", left_out=0) if line.most else None

    @property
    def bonuses_shown(self) -> tuple[Bonus, ...]:
        """The bonuses as they stand on the sheet."""
        raise NotImplementedError

    def n_filled(self, board: Columns) -> Any:
        """The number of filled boxes."""
        raise NotImplementedError

    @derived
    def is_last(self, board: Columns) -> Any:
        """True where one box is left, which this turn fills."""
        return self.n_filled(board) == len(self.all_boxes) - 1

    def first_board(self) -> dict[str, int]:
        """Every box that is played is open, the others hold 0."""
        return self.board({box: 0 for box in self.all_boxes if box not in self.played})

    def possible(self, board: Columns) -> Any:
        """At least one box is open."""
        return self.n_filled(board) < len(self.all_boxes)

    def level(self, board: Columns) -> Any:
        """Each turn fills one more box."""
        return self.n_filled(board)

    # --- one turn ----------------------------------------------------------------------------------------------------

    @property
    def dice(self) -> AnyDiceAgain:
        """The dice of a turn."""
        return AnyDiceAgain(self.n_dice, self.n_throws, self.score)

    def score(self, dice: Faces) -> Node:
        """Fill any box; the board decides which are open."""
        return Decision((f"score {box}", self.entry(box, dice)) for box in self.played)

    def aims(self) -> dict[str, Aim]:
        """Every box that is played."""
        return box_aims(self.played, self.n_dice)

    def lines(self) -> dict[str, Line]:
        """Boxes and bonuses."""
        return {**{box: Line(max(self.can_hold(box))) for box in self.played}, **self.bonus_lines()}

    def line(self, result: tuple[str, int, int]) -> str:
        """The box that is filled."""
        return result[0]

    def scored_in(self, board: Columns, result: tuple[str, int, int], reward: Any) -> tuple[str, ...]:
        """The box that is filled, unless it gets nothing; a joker's points count."""
        box = self.line(result)
        return (box,) if reward > 0 or np.any(self.booked(board, result).get(box, 0)) else ()

    def line_points(self, fields: Mapping[str, Any]) -> dict[str, int]:
        """The scores of filled boxes, and the bonuses earned with them."""
        sheet = fields.get("filled") or {}
        return {**sheet, **self.bonuses(sheet), self.further_line: fields.get(FURTHER) or 0}

    # --- questions ---------------------------------------------------------------------------------------------------

    def fields(self) -> list[Field]:
        """The sheet, the dice on the table, and the throws left."""
        allowed = {box: self.can_hold(box) for box in self.played}
        n_dice_word = {5: "five", 6: "six"}[self.n_dice]
        line = self.further_field
        return [
            Scores("filled", "filled boxes and what they hold", allowed, self.bonuses_shown, line),
            *([line] if line else []),
            FacesField("roll", f"the {n_dice_word} faces on the table now", self.n_dice, self.n_dice),
            ThrowsLeft("rolls_left", "throws still allowed this turn", 0, self.n_throws - 1, throws=self.n_throws),
        ]

    def locate(
        self,
        filled: Mapping[str, int] | None = None,
        roll: Faces | None = None,
        rolls_left: int | None = None,
        yahtzee_bonus: int | None = None,
    ) -> Position:
        """The position of a question; ``points`` are those of the sheet, bonuses included."""
        sheet = self.whole(filled or {})
        if len(sheet) == len(self.all_boxes):
            raise StateError(
                "every box is filled", over="the game is over", hint="leave at least one box out of filled"
            )
        state = self.dice.first()
        if roll is not None:
            state = (self.n_throws - 1 if rolls_left is None else rolls_left, roll, "roll")
        elif rolls_left is not None:
            raise StateError(f"rolls_left={rolls_left} needs roll; before the first throw leave both out")
        return Position(self.board(sheet), state, self.shown(sheet) + self.earned_further(sheet, yahtzee_bonus or 0))

    def whole(self, filled: Mapping[str, int]) -> dict[str, int]:
        """All filled boxes: these, and those that are not played."""
        return {**{box: 0 for box in self.all_boxes if box not in self.played}, **filled}

    def shown(self, sheet: Mapping[str, int]) -> int:
        """The points that a sheet shows, bonuses included."""
        return sum(sheet.values()) + sum(self.bonuses(sheet).values())

    def earned_further(self, sheet: Mapping[str, int], bonus: int, field: str = FURTHER, prefix: str = "") -> int:
        """The points of further ones; raises StateError for ``field`` where the boxes leave no room for them."""
        possible, prefix = self.further(sheet) if bonus else range(1), prefix or f"{field}="
        if bonus not in possible:
            reason = f"{self.unseen} come with boxes filled while {' holds '.join(map(str, self.pays_from))}"
            hint = f"{prefix}{min(possible, key=lambda points: abs(points - bonus))}"
            raise StateError(f"{prefix}{bonus} cannot be: {reason}, here {listed(possible)}", hint=hint, field=field)
        return bonus

    def with_further(self, fields: dict[str, Any], whose: str = "") -> dict[str, Any]:
        """These fields, with the points of further ones only where the sheet pays them; ``whose`` is a prefix."""
        sheet, points = self.whole(fields.get(f"{whose}filled") or {}), fields.get("theirs" if whose else "mine")
        line, (box, paying_score) = f"{whose}{FURTHER}", self.pays_from
        earned = (fields.get(line) or 0) if points is None else points - self.shown(sheet)
        pays = {line: earned} if sheet.get(box) == paying_score and self.further_field else {}
        return {name: value for name, value in fields.items() if name != line} | pays

    def completed(self, fields: Mapping[str, Any], described: Mapping[str, Any]) -> Mapping[str, Any]:
        """All fields of a question."""
        return self.with_further({**described, **fields})

    def describe(self, board: Mapping[str, int], state: NodeKey) -> Iterator[dict[str, Any]]:
        """Fields of a position, with the one sheet of many that ``sheet`` returns; the value counts its points."""
        rolls_left, dice, stage = state
        if stage == "roll":
            yield self.with_further({"filled": self.sheet(board), "roll": dice, "rolls_left": rolls_left})
        elif state == self.dice.first():
            yield self.with_further({"filled": self.sheet(board)})

    def after(
        self, fields: Mapping[str, Any], move: str, thrown: tuple[Faces, ...], result: Any
    ) -> dict[str, Any] | None:
        """One box more on the same sheet; a joker's points are in its box, those of further ones on their own line."""
        if result is None:
            return {name: fields.get(name) for name in ("filled", FURTHER)}
        box, before = self.line(result), fields["filled"]
        booked = self.booked(one_board(self.board(self.whole(before))), result)
        sheet = {**before, box: self.points(box, fields["roll"]) + int(only(booked.get(box, 0)))}
        bonus = (fields.get(FURTHER) or 0) + int(only(booked.get(self.further_line, 0)))
        filled = {name: sheet[name] for name in self.played if name in sheet}
        return self.with_further({"filled": filled, FURTHER: bonus})
