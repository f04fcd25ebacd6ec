"""A sheet that is played to end with at least a target score, instead of for the mean."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise, repeat
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rollwise.games.sheets import FURTHER, SheetGame, box_aims
from rollwise.solver.model.dice import Faces, throws
from rollwise.solver.model.errors import StateError, TooLarge
from rollwise.solver.model.fields import Field, Number
from rollwise.solver.model.game import Boards, Columns, solver_option
from rollwise.solver.model.kind_mixins import Ending
from rollwise.solver.model.nodes import Decision, End, Node, NodeKey, Position, Transition
from rollwise.solver.model.outcome import one_board, only
from rollwise.solver.model.plain import count_of
from rollwise.solver.model.rounding import above
from rollwise.solver.model.rows import Rows
from rollwise.solver.model.sheet import Aim

MAX_POINTS = 9_999  # the highest target
NO_LIMIT = 1 << 40  # more than is ever needed
NOTHING_FILLED = "nothing"  # ``below`` at the beginning of a game
MAX_SHEETS, MAX_CELLS = 400_000, 250_000_000  # sheets, and pairs of a sheet and needed points (2 GB of values)


@dataclass(frozen=True)
class ReachSheet(SheetGame):
    """Mixin before a game of one sheet. The value of a board is the best P(at least ``needed`` more points).

    Of the points so far only those still needed matter, so they stand on the board, and a sheet with every number of
    them is a row of boards. A question solves the sheets that its own can become (``part``), once for every target.
    """

    kind = "solo-rows"
    ends_named = True
    measure = "win"
    unit = "probability"
    scale = 1
    usual_target: ClassVar[int]
    most_needed: ClassVar[int] = MAX_POINTS
    wants: ClassVar[tuple[str, ...]] = ("target",)

    worths: tuple[int, ...] = solver_option((1, 0), "values of the points needed at the end, in parts")
    needed_low: int = solver_option(0, "needed points of the first value; the next is for one more")
    per: int = solver_option(1, "parts that make a value of 1", low=1, high=1 << 60)
    off: int = solver_option(0, "largest error of a value, in parts", low=0)
    wanted: int = solver_option(-1, "points needed on the first sheet that is solved, -1: any number")
    below: str = solver_option("", "boxes filled on the first sheet that is solved, as ones 3, chance 20")
    tells_needed: bool = solver_option(False, "a question has the field ``needed``, see ``by_needed``")

    @property
    def uncertain(self) -> float:
        """The largest error of a value."""
        return above(Fraction(self.off, self.per))

    @cached_property
    def all_worths(self) -> NDArray[np.int64]:
        """The values of needed points at the end, int64, shape (n,)."""
        return np.array(self.worths)

    def n_below(self, board: Mapping[str, int]) -> int:
        """The number of sheets that a sheet can become, roughly."""
        raise NotImplementedError

    # --- boards ------------------------------------------------------------------------------------------------------

    def boards(self) -> Boards:
        """The sheet, and the points needed; of a part the sheets below it, with no more than they can still make."""
        return self.rows if self.below else Boards(**self.plain_boards().parts, needed=self.most_needed + 1)

    def plain_boards(self) -> Boards:
        """The sheets alone."""
        return super().boards()

    def first_board(self) -> dict[str, int]:
        """The empty sheet with the usual target."""
        return {**super().first_board(), "needed": self.usual_target}

    def part(
        self,
        board: Mapping[str, int] | None = None,
        fields: Mapping[str, Any] | None = None,
        endings: Sequence[Ending] = (),
    ) -> ReachSheet:
        """The sheets that this one can become."""
        if self.below:
            return self
        sheet = {} if board is None else self.sheet(board)
        filled = ", ".join(f"{box} {score}" for box, score in sheet.items() if box in self.played)
        return replace(self, below=filled or NOTHING_FILLED)

    def may_hold(self, part: Any) -> bool:
        """True if all but the beginning is the same, and each box filled here is filled there."""
        beginning_parameters = {name: getattr(self, name) for name in ("below", "theirs_below") if hasattr(self, name)}
        if self.wanted >= 0 or replace(part, **beginning_parameters) != self:
            return False
        here, there = self.beginnings, part.beginnings
        turns = sum(map(len, there)) - sum(map(len, here))  # of two sheets the mover's stands first
        here = here[::-1] if turns % 2 else here
        return all(sheet.keys() <= then.keys() for sheet, then in zip(here, there, strict=True))

    def holds(self, part: Any, board: Mapping[str, Any]) -> bool:
        """True if this part begins with a sheet that can become this one, and all else is the same."""
        if not self.may_hold(part):
            return False
        columns = one_board({name: board[name] for name in self.plain_boards().names})
        return bool(self.rows.row(columns.as_dict(), 1)[0] >= 0)

    def whole_game(self) -> ReachSheet:
        """The same game without its part and its values of final scores, which no user types."""
        own: dict[str, Any] = {field.name: field.default for field in fields(self) if field.metadata.get("option")}
        return replace(self, **own)

    def by_needed(self) -> ReachSheet:
        """The same game with the field ``needed`` in place of a target; others and their ties need all their fields."""
        if self.wants != ReachSheet.wants:
            return self
        game = replace(self, tells_needed=True)
        if self.below:
            game.set_rows(self.rows)
        return game

    def possible(self, board: Columns) -> Any:
        """A box is open; with the field ``needed``, it is from 1 to the most that can still come."""
        is_open = super().possible(board)
        if not (self.tells_needed and self.below):
            return is_open
        row = self.rows.row(board.as_dict(), len(board))
        return is_open & (board.needed > 0) & (board.needed <= self.rows.lengths[row] - len(self.worths))

    def __str__(self) -> str:
        question = super(ReachSheet, self.whole_game()).__str__()
        return f"{question} from {self.begins_with_text}" if self.below else question

    @property
    def begins_with_text(self) -> str:
        """The number of filled boxes where a part begins, in words."""
        n_begun = sum(box in self.played for box in self.beginning)
        return f"{n_begun} filled boxes" if n_begun else "the empty sheet"

    @cached_property
    def beginnings(self) -> tuple[dict[str, int], ...]:
        """The sheet that a part begins with, or both sheets, the mover's first."""
        return (self.sheet_with(self.below),)

    @property
    def beginning(self) -> dict[str, int]:
        """The mover's sheet at the beginning."""
        return self.beginnings[0]

    def sheet_with(self, below: str) -> dict[str, int]:
        """The sheet with these boxes filled."""
        filled = {} if below in ("", NOTHING_FILLED) else dict(pair.rsplit(" ", 1) for pair in below.split(", "))
        return self.whole({box: int(score) for box, score in filled.items()})

    @cached_property
    def rows(self) -> Rows:
        """The sheets below the beginning, last boxes first, each with the needed points that differ in value there.

        Raises TooLarge above ``MAX_SHEETS`` sheets or ``MAX_CELLS`` cells.
        """
        plain, first = self.plain_boards(), self.board(self.beginning)
        n_rows = self.n_below(first)
        if n_rows > MAX_SHEETS:
            raise self._too_large(f"{n_rows:,} sheets, and {MAX_SHEETS:,} fit")
        levels = self.levels_below(plain, first)  # the last of them with every box filled, which is no board
        any_points = repeat((-NO_LIMIT, NO_LIMIT))
        spans = self._spans(plain, [here for here, _ in levels]) if self.wanted >= 0 else any_points
        rows = []
        for (here, most), (less, more) in reversed(list(zip(levels[:-1], spans, strict=False))):
            last = self.needed_low + most + len(self.worths) - 1
            low, high = np.clip(less, self.needed_low, last), np.clip(more, self.needed_low, last)
            rows.append((here, high - low + 1, low))
        boards, lengths, lows = (np.concatenate(column) for column in zip(*rows, strict=True))
        cells = int(lengths.sum())
        if cells > MAX_CELLS:
            raise self._too_large(f"{cells:,} numbers of sheets and points, and {MAX_CELLS:,} fit")
        return Rows(plain, boards, lengths, lows)

    def _spans(self, plain: Boards, levels: list[Any]) -> Iterator[tuple[Any, Any]]:
        """For each sheet the least and the most points that can be needed there, level by level."""
        less = more = np.full(1, self.wanted)
        yield less, more
        for here, after in pairwise(levels):
            least, most = less, more
            less, more = np.full(len(after), NO_LIMIT), np.full(len(after), -NO_LIMIT)
            for legal, following, gain in self._ends(plain, here):
                to, points = np.searchsorted(after, following[legal]), np.broadcast_to(gain, len(here))[legal]
                np.minimum.at(less, to, least[legal] - points)
                np.maximum.at(more, to, most[legal] - points)
            yield less, more

    def levels_below(self, plain: Boards, first: Mapping[str, int]) -> list[tuple[Any, Any]]:
        """Indices of the sheets that this one can become, a level for each box filled, the full sheets last.

        Each level comes with the most points that its sheets can still make.
        """
        sheets = [plain.index(first, 1)]
        for _ in range(len(self.all_boxes) - int(only(self.n_filled(one_board(first))))):
            following_sheets = [following[legal] for legal, following, _ in self._ends(plain, sheets[-1])]
            sheets.append(np.unique(np.concatenate(following_sheets)))
        most = np.zeros(len(sheets[-1]), dtype=np.int64)
        levels = [(sheets[-1], most)]
        for after, here in zip(sheets[:0:-1], sheets[-2::-1], strict=True):
            can = np.zeros(len(here), dtype=np.int64)
            for legal, following, gain in self._ends(plain, here):
                then = np.where(legal, most[np.searchsorted(after, following) % len(after)], 0)
                np.maximum(can, np.where(legal, gain + then, 0), out=can)
            most = can
            levels.append((here, most))
        return levels[::-1]

    def _ends(self, plain: Boards, here: Any) -> Iterator[tuple[Any, Any, Any]]:
        """For each result on these sheets: whether it is legal, the next sheet, and its points."""
        board = plain.columns(here)
        for result in self._results:
            transition = self.plain_transition(board, result)
            legal = np.broadcast_to(transition.legal, len(here))
            following = plain.index(transition.next or {}, len(here)) if legal.any() else here
            yield legal, following, result[-1] + np.asarray(transition.reward)

    @cached_property
    def _results(self) -> list[Any]:
        """All results of a turn, each once."""
        entries = (self.entry(box, dice) for box in self.open_boxes for dice, _ in throws(self.n_dice))
        return list(dict.fromkeys(end.result for end in entries))

    def plain_transition(self, board: Columns, result: tuple[Any, ...]) -> Transition:
        """The transition of the game for the mean."""
        return super().transition(board, result[:-1])

    def _too_large(self, what: str) -> TooLarge:
        return TooLarge(
            f"{self.name} for a target from {self.begins_with_text} on is too large: {what}; later sheets are small "
            "enough, so give the boxes of yours in filled",
            field="filled",
        )

    # --- one turn ----------------------------------------------------------------------------------------------------

    @property
    def open_boxes(self) -> tuple[str, ...]:
        """The boxes that a part can fill."""
        return tuple(box for box in self.played if not (self.below and box in self.beginning))

    def score(self, dice: Faces) -> Node:
        """Fill any box that is open on the first sheet of the part."""
        return Decision((f"score {box}", self.entry(box, dice)) for box in self.open_boxes)

    def entry(self, box: str, dice: Faces) -> End:
        """The result carries the points of the dice, since they reduce what is needed instead of adding up."""
        plain = super().entry(box, dice)
        result: Any = plain.result
        return End((*result, int(plain.reward)))

    def aims(self) -> dict[str, Aim]:
        """Every box, for the points in its result."""
        return box_aims(self.played, self.n_dice, lambda result: int(result[-1]))

    def transition(self, board: Columns, result: tuple[Any, ...]) -> Transition:
        """One more box is filled, and fewer points are needed."""
        plain = self.plain_transition(board, result)
        still_needed = np.maximum(board.needed - result[-1] - plain.reward, self.needed_low)
        end_value = self.all_worths[np.minimum(still_needed - self.needed_low, len(self.worths) - 1)]
        return Transition(
            legal=plain.legal,
            over=plain.over,
            reward=np.where(plain.over, end_value, 0),
            per=self.per,
            next={**(plain.next or {}), "needed": still_needed},
        )

    def booked(self, board: Columns, result: tuple[Any, ...]) -> dict[str, Any]:
        """As in the plain game."""
        return dict(super().booked(board, result[:3]))

    def scored_in(self, board: Columns, result: tuple[Any, ...], reward: Any) -> tuple[str, ...]:
        """As in the plain game."""
        return super().scored_in(board, result[:-1], result[-1])

    def scored(self, board: Mapping[str, Any], result: tuple[Any, ...], earned: Any) -> Any:
        """Points of the dice, jokers and bonuses."""
        return result[-1] + sum(int(only(number)) for number in self.booked(one_board(board), result).values())

    def ending_name(self, board: Mapping[str, Any], result: tuple[Any, ...], marks: frozenset[str]) -> str:
        """The box that is filled; "enough" once the target is reached, "too little" if the game ends short of it."""
        after, box = self.transition(one_board(board), result), self.line(result)
        if only((after.next or {})["needed"]) <= self.needed_low:
            return f"{box}, enough"
        return f"{box}, too little" if only(after.over) and not only(after.reward) else box

    # --- questions ---------------------------------------------------------------------------------------------------

    def fields(self) -> list[Field]:
        """The turn, the target, and the points so far where the sheet does not show them."""
        if self.tells_needed:
            return [*super().fields(), Number("needed", "points still needed, all bonuses counted", 1, MAX_POINTS)]
        return [
            *super().fields(),
            Number("target", "points to end with at least, all bonuses counted", 1, MAX_POINTS),
            Number("mine", f"points so far, all bonuses counted: only if {self.unseen} may be in them", 0, MAX_POINTS),
        ]

    def locate(
        self,
        filled: Mapping[str, int] | None = None,
        roll: Faces | None = None,
        rolls_left: int | None = None,
        yahtzee_bonus: int | None = None,
        target: int | None = None,
        mine: int | None = None,
        needed: int | None = None,
    ) -> Position:
        """The position of a question."""
        position = super().locate(filled, roll, rolls_left)
        if needed is not None:
            return Position({**position.board, "needed": needed}, position.state)
        points = self.points_so_far(self.whole(filled or {}), mine, yahtzee_bonus)
        goal = self.usual_target if target is None else target
        return Position({**position.board, "needed": min(max(goal - points, 0), self.most_needed)}, position.state)

    def points_so_far(
        self,
        sheet: Mapping[str, int],
        mine: int | None,
        bonus: int | None = None,
        names: tuple[str, str] = ("mine", FURTHER),
        field: str = "",
    ) -> int:
        """All points of a sheet; raises StateError where ``mine`` and ``bonus`` leave them open, or are impossible.

        ``names``: the names of the two, and the ``field`` that contains both, unless they are fields themselves.
        """
        shown, hidden = self.shown(sheet), self.further(sheet)
        mine_prefix, line = (f"{name}{':' if field else '='}" for name in names)
        if bonus is not None:
            points = shown + self.earned_further(sheet, bonus, field or names[1], line)
            if mine not in (None, points):
                both = f"{mine_prefix}{mine} and {line}{bonus} do not agree: these boxes and their bonuses make {shown}"
                raise StateError(both, hint=f"{mine_prefix}{points}", field=field or names[0])
            return points
        if mine is not None and mine - shown not in hidden:
            also = f", with {self.unseen} {', '.join(str(shown + more) for more in hidden[1:])}" if hidden[1:] else ""
            raise StateError(
                f"{mine_prefix}{mine} cannot be: these boxes and their bonuses make {shown}{also}",
                hint=f"{mine_prefix}{min((shown + more for more in hidden), key=lambda total: abs(total - mine))}",
                field=field or names[0],
            )
        if mine is None and len(hidden) > 1:
            raise StateError(
                f"say {names[1]}, {self.unseen} so far, up to {hidden[-1]}, or {names[0]}, all points: these boxes and "
                f"their bonuses make {shown}",
                hint=f"{line}0",
                field=field or names[1],
            )
        return shown if mine is None else mine

    def aimed_at(self, points: int) -> dict[str, Any] | None:
        """The fields of a question for this final score; None above the highest target."""
        return {"target": max(points, 1)} if points <= MAX_POINTS else None

    def note(self, fields: Mapping[str, Any], certain: Fraction | None = None) -> str:
        """How far the target is, with the points counted so far."""
        board = self.locate(**fields).board
        points = self.points_so_far(self.whole(fields.get("filled") or {}), fields.get("mine"), fields.get(FURTHER))
        so_far = f"{count_of(points, 'point')} so far, all bonuses counted"
        if board["needed"] <= self.needed_low:
            return f"Reached already: {so_far}."
        row = int(self.rows.row({name: np.array([number]) for name, number in board.items()}, 1)[0])
        most = int(self.rows.lengths[row]) - len(self.worths)
        if board["needed"] - (self.needed_low + len(self.worths) - 2) > most:
            return f"Out of reach: {so_far}, {board['needed']} more are needed, and at most {most} can come."
        ways: dict[Any, str] = {0: "Out of reach with these dice: ", 1: "Reached with these dice, whatever you do: "}
        return f"{ways.get(certain, '')}{so_far}, {board['needed']} more are needed."

    def completed(self, fields: Mapping[str, Any], described: Mapping[str, Any]) -> Mapping[str, Any]:
        """The fields of a question; points so far and the target are never implied by a board."""
        return self.with_further({**described, "target": self.usual_target, "mine": None, **fields})

    def describe(self, board: Mapping[str, int], state: NodeKey) -> Iterator[dict[str, Any]]:
        """Fields of a position, with the one sheet of many that ``sheet`` returns."""
        for described in super().describe(board, state):
            if self.tells_needed:
                if only(self.possible(one_board(board))):
                    yield {**described, "needed": board["needed"]}
                continue
            shown = self.shown(described["filled"])
            aim = self.aimed_at(shown + board["needed"])
            if aim is not None:
                mine = {"mine": shown} if len(self.further(described["filled"])) > 1 else {}
                yield {**described, **aim, **mine}

    def after(
        self, fields: Mapping[str, Any], move: str, thrown: tuple[Faces, ...], result: Any
    ) -> dict[str, Any] | None:
        """The same sheet, with one box more once the turn is over, and the same target."""
        following = super().after(fields, move, thrown, result) or {}
        if result is None:
            return {name: fields.get(name) for name in ("filled", FURTHER, "mine", *self.wants)}
        mine = self.points_after(fields, following["filled"], result)
        return {**following, **{name: fields.get(name) for name in self.wants}, "mine": mine}

    def points_after(self, fields: Mapping[str, Any], filled: Mapping[str, int], result: Any) -> int | None:
        """All points after a turn with this result and these boxes filled; None where the boxes show them."""
        if len(self.further(filled)) == 1:
            return None
        before = self.whole(fields["filled"])
        points = self.points_so_far(before, fields.get("mine"), fields.get(FURTHER))
        return int(points + self.scored(self.board(before), result, 0))
