"""A sheet that is played to end with so many points at least, instead of for the mean."""

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
from rollwise.solver.model.game import Boards, Columns, Decision, End, Node, NodeKey, Position, Transition, parameter
from rollwise.solver.model.kind_words import Ending
from rollwise.solver.model.outcome import one_board, only
from rollwise.solver.model.plain import count_of
from rollwise.solver.model.rounding import above
from rollwise.solver.model.rows import Rows
from rollwise.solver.model.sheet import Aim

MOST = 9_999  # points that are asked for
FAR = 1 << 40  # more than is ever needed
WHOLE = "nothing"  # is filled where a game begins
MOST_ROWS, MOST_CELLS = 400_000, 250_000_000  # sheets, and with all that may be needed on them: 2 GB of values


@dataclass(frozen=True)
class ReachSheet(SheetGame):
    """Goes before a game of one sheet. The value of a board is the best P(at least as many points as are ``needed``).

    What counts of the points so far is how many are needed still, so they stand on the board, and a sheet with every
    number of them is a row of boards. A question solves the sheets that its own can become (``part``), once for every
    target.
    """

    kind = "solo-rows"
    ends_named = True
    measure = "win"
    unit = "probability"
    scale = 1
    usual_target: ClassVar[int]
    most_needed: ClassVar[int] = MOST
    wants: ClassVar[tuple[str, ...]] = ("target",)

    worths: tuple[int, ...] = parameter((1, 0), "what needing so many points at the end is worth", trial=True)
    needed_low: int = parameter(0, "they are for needing so many, one more, ...", trial=True)
    per: int = parameter(1, "all of that is counted in such parts", low=1, high=1 << 60, trial=True)
    off: int = parameter(0, "each is off by no more than so many parts", low=0, trial=True)
    wanted: int = parameter(-1, "so many are needed where what is solved begins, -1: any number", trial=True)
    below: str = parameter("", "boxes that are filled where what is solved begins, as ones 3, chance 20", trial=True)
    tells_needed: bool = parameter(False, "see ``by_needed``", trial=True)

    @property
    def uncertain(self) -> float:
        """As much as any worth is."""
        return above(Fraction(self.off, self.per))

    @cached_property
    def all_worths(self) -> NDArray[np.int64]:
        """The worths as columns take them."""
        return np.array(self.worths)

    def n_below(self, board: Mapping[str, int]) -> int:
        """How many sheets a sheet can become, about."""
        raise NotImplementedError

    # --- boards ------------------------------------------------------------------------------------------------------

    def boards(self) -> Boards:
        """The sheet, and the points needed; of a part the sheets below it, with no more than can be had still."""
        return self.rows if self.below else Boards(**self.plain_boards().parts, needed=self.most_needed + 1)

    def plain_boards(self) -> Boards:
        """The sheets alone."""
        return super().boards()

    def first_board(self) -> dict[str, int]:
        """The usual target."""
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
        held = ", ".join(f"{box} {score}" for box, score in sheet.items() if box in self.played)
        return replace(self, below=held or WHOLE)

    def may_hold(self, part: Any) -> bool:
        """Is all but the beginning the same, and no box filled here that is open there?"""
        begun = {name: getattr(self, name) for name in ("below", "theirs_below") if hasattr(self, name)}
        if self.wanted >= 0 or replace(part, **begun) != self:
            return False
        here, there = self.beginnings, part.beginnings
        turns = sum(map(len, there)) - sum(map(len, here))  # of two sheets the mover's stands first
        here = here[::-1] if turns % 2 else here
        return all(sheet.keys() <= then.keys() for sheet, then in zip(here, there, strict=True))

    def holds(self, part: Any, board: Mapping[str, Any]) -> bool:
        """Does it begin with a sheet that can become this one, and is everything else the same?"""
        if not self.may_hold(part):
            return False
        columns = one_board({name: board[name] for name in self.plain_boards().names})
        return bool(self.rows.row(columns.as_dict(), 1)[0] >= 0)

    def as_asked(self) -> ReachSheet:
        """Without where it begins and what is worth what, which no user says."""
        own: dict[str, Any] = {
            field.name: field.default for field in fields(self) if field.metadata.get("trial") and field.name != "boxes"
        }
        return replace(self, **own)

    def by_needed(self) -> ReachSheet:
        """The points that are needed say all of a target, but not of others and their ties."""
        if self.wants != ReachSheet.wants:
            return self
        told = replace(self, tells_needed=True)
        if self.below:
            told.__dict__["rows"] = self.rows
        return told

    def possible(self, board: Columns) -> Any:
        """A box is open; told by what is needed, that is from 1 on to the most that can be had."""
        is_open = super().possible(board)
        if not (self.tells_needed and self.below):
            return is_open
        row = self.rows.row(board.as_dict(), len(board))
        return is_open & (board.needed > 0) & (board.needed <= self.rows.lengths[row] - len(self.worths))

    def __str__(self) -> str:
        asked = super(ReachSheet, self.as_asked()).__str__()
        return f"{asked} from {self.begins_with}" if self.below else asked

    @property
    def begins_with(self) -> str:
        """How many boxes are filled where a part begins, in words."""
        n_begun = sum(box in self.played for box in self.beginning)
        return f"{n_begun} filled boxes" if n_begun else "the empty sheet"

    @cached_property
    def beginnings(self) -> tuple[dict[str, int], ...]:
        """The sheet that a part begins with, or both, the mover's first."""
        return (self.begun(self.below),)

    @property
    def beginning(self) -> dict[str, int]:
        """That of the mover."""
        return self.beginnings[0]

    def begun(self, below: str) -> dict[str, int]:
        """The sheet on which these boxes are filled."""
        filled = {} if below in ("", WHOLE) else dict(pair.rsplit(" ", 1) for pair in below.split(", "))
        return self.whole({box: int(score) for box, score in filled.items()})

    @cached_property
    def rows(self) -> Rows:
        """The sheets below the beginning, last boxes first, each with all that may be needed there and is not the same.

        Raises TooLarge where they are too many.
        """
        plain, first = self.plain_boards(), self.board(self.beginning)
        n_rows = self.n_below(first)
        if n_rows > MOST_ROWS:
            raise self._too_large(f"{n_rows:,} sheets, and {MOST_ROWS:,} fit")
        levels = self.levels_below(plain, first)  # the last of them with every box filled, which is no board
        spans = self._spans(plain, [here for here, _ in levels]) if self.wanted >= 0 else repeat((-FAR, FAR))
        rows = []
        for (here, most), (less, more) in reversed(list(zip(levels[:-1], spans, strict=False))):
            last = self.needed_low + most + len(self.worths) - 1
            low, high = np.clip(less, self.needed_low, last), np.clip(more, self.needed_low, last)
            rows.append((here, high - low + 1, low))
        boards, lengths, lows = (np.concatenate(column) for column in zip(*rows, strict=True))
        cells = int(lengths.sum())
        if cells > MOST_CELLS:
            raise self._too_large(f"{cells:,} numbers of sheets and points, and {MOST_CELLS:,} fit")
        return Rows(plain, boards, lengths, lows)

    def _spans(self, plain: Boards, levels: list[Any]) -> Iterator[tuple[Any, Any]]:
        """Of each sheet the least and the most that can be needed there, level by level."""
        less = more = np.full(1, self.wanted)
        yield less, more
        for here, after in pairwise(levels):
            least, most = less, more
            less, more = np.full(len(after), FAR), np.full(len(after), -FAR)
            for legal, following, gain in self._ends(plain, here):
                to, points = np.searchsorted(after, following[legal]), np.broadcast_to(gain, len(here))[legal]
                np.minimum.at(less, to, least[legal] - points)
                np.maximum.at(more, to, most[legal] - points)
            yield less, more

    def levels_below(self, plain: Boards, first: Mapping[str, int]) -> list[tuple[Any, Any]]:
        """The sheets that this one can become, by index, one more box filled each time, to those with no box open.

        With each the most points that it can still make.
        """
        sheets = [plain.index(first, 1)]
        for _ in range(len(self.all_boxes) - int(only(self.n_filled(one_board(first))))):
            found = [following[legal] for legal, following, _ in self._ends(plain, sheets[-1])]
            sheets.append(np.unique(np.concatenate(found)))
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
        """Of each result on these sheets: is it legal, which sheet follows, and its points."""
        board = plain.columns(here)
        for result in self._results:
            said = self.plain_settled(board, result)
            legal = np.broadcast_to(said.legal, len(here))
            following = plain.index(said.next or {}, len(here)) if legal.any() else here
            yield legal, following, result[-1] + np.asarray(said.reward)

    @cached_property
    def _results(self) -> list[Any]:
        """How a turn can end, each once."""
        entries = (self.entry(box, dice) for box in self.open_boxes for dice, _ in throws(self.n_dice))
        return list(dict.fromkeys(end.result for end in entries))

    def plain_settled(self, board: Columns, result: tuple[Any, ...]) -> Transition:
        """What the plain game says."""
        return super().transition(board, result[:-1])

    def _too_large(self, what: str) -> TooLarge:
        return TooLarge(
            f"{self.name} for a target from {self.begins_with} on is too much: {what}; it goes from a later sheet on, "
            "so say in filled what stands on yours",
            field="filled",
        )

    # --- one turn ----------------------------------------------------------------------------------------------------

    @property
    def open_boxes(self) -> tuple[str, ...]:
        """The boxes that a part can fill."""
        return tuple(box for box in self.played if not (self.below and box in self.beginning))

    def score(self, dice: Faces) -> Node:
        """Fill any box; of a part's turn those are left out that its first sheet has filled."""
        return Decision((f"score {box}", self.entry(box, dice)) for box in self.open_boxes)

    def entry(self, box: str, dice: Faces) -> End:
        """The result has the points of the dice, taken off what is needed, not added up."""
        plain = super().entry(box, dice)
        result: Any = plain.result
        return End((*result, int(plain.reward)))

    def aims(self) -> dict[str, Aim]:
        """A turn can go for any box, for the points that its result has."""
        return box_aims(self.played, self.n_dice, lambda result: int(result[-1]))

    def transition(self, board: Columns, result: tuple[Any, ...]) -> Transition:
        """One more box is filled, and fewer points are needed."""
        said = self.plain_settled(board, result)
        left = np.maximum(board.needed - result[-1] - said.reward, self.needed_low)
        worth = self.all_worths[np.minimum(left - self.needed_low, len(self.worths) - 1)]
        return Transition(
            legal=said.legal,
            over=said.over,
            reward=np.where(said.over, worth, 0),
            per=self.per,
            next={**(said.next or {}), "needed": left},
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

    def ending_name(self, board: Mapping[str, Any], result: tuple[Any, ...], seen: frozenset[str]) -> str:
        """The box that is filled, and whether that is enough, or too little at last."""
        after, box = self.transition(one_board(board), result), self.line(result)
        if only((after.next or {})["needed"]) <= self.needed_low:
            return f"{box}, enough"
        return f"{box}, too little" if only(after.over) and not only(after.reward) else box

    # --- questions ---------------------------------------------------------------------------------------------------

    def fields(self) -> list[Field]:
        """The turn, the points that are wanted, and those made where the sheet does not tell them."""
        if self.tells_needed:
            return [*super().fields(), Number("needed", "points still needed, all bonuses counted", 1, MOST)]
        return [
            *super().fields(),
            Number("target", "points to end with at least, all bonuses counted", 1, MOST),
            Number("mine", f"points so far, all bonuses counted: only where {self.unseen} may be among them", 0, MOST),
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
        here = super().locate(filled, roll, rolls_left)
        if needed is not None:
            return Position({**here.board, "needed": needed}, here.state)
        made = self.made_so_far(self.whole(filled or {}), mine, yahtzee_bonus)
        wanted = self.usual_target if target is None else target
        return Position({**here.board, "needed": min(max(wanted - made, 0), self.most_needed)}, here.state)

    def made_so_far(
        self,
        sheet: Mapping[str, int],
        mine: int | None,
        bonus: int | None = None,
        names: tuple[str, str] = ("mine", FURTHER),
        field: str = "",
    ) -> int:
        """All points of a sheet; raises StateError where neither ``mine`` nor the ``bonus`` tells, or one cannot be.

        ``names``: what the two are called, and the ``field`` that has them both, if they are none themselves.
        """
        shown, hidden = self.shown(sheet), self.further(sheet)
        said, line = (f"{name}{':' if field else '='}" for name in names)
        if bonus is not None:
            made = shown + self.earned_further(sheet, bonus, field or names[1], line)
            if mine not in (None, made):
                both = f"{said}{mine} and {line}{bonus} do not agree: these boxes and their bonuses make {shown}"
                raise StateError(both, hint=f"{said}{made}", field=field or names[0])
            return made
        if mine is not None and mine - shown not in hidden:
            also = f", with {self.unseen} {', '.join(str(shown + more) for more in hidden[1:])}" if hidden[1:] else ""
            raise StateError(
                f"{said}{mine} cannot be: these boxes and their bonuses make {shown}{also}",
                hint=f"{said}{min((shown + more for more in hidden), key=lambda made: abs(made - mine))}",
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
        """The fields that want so many points in the end; None where they cannot be said."""
        return {"target": max(points, 1)} if points <= MOST else None

    def note(self, fields: Mapping[str, Any], certain: Fraction | None = None) -> str:
        """How far the target is, so that everybody sees what is counted."""
        here = self.locate(**fields).board
        made = self.made_so_far(self.whole(fields.get("filled") or {}), fields.get("mine"), fields.get(FURTHER))
        so_far = f"{count_of(made, 'point')} so far, all bonuses counted"
        if here["needed"] <= self.needed_low:
            return f"Reached already: {so_far}."
        row = int(self.rows.row({name: np.array([number]) for name, number in here.items()}, 1)[0])
        most = int(self.rows.lengths[row]) - len(self.worths)
        if here["needed"] - (self.needed_low + len(self.worths) - 2) > most:
            return f"Out of reach: {so_far}, {here['needed']} more are needed, and at most {most} can come."
        ways: dict[Any, str] = {0: "Out of reach with these dice: ", 1: "Reached with these dice, whatever you do: "}
        return f"{ways.get(certain, '')}{so_far}, {here['needed']} more are needed."

    def completed(self, fields: Mapping[str, Any], described: Mapping[str, Any]) -> Mapping[str, Any]:
        """The points of a sheet are its own, and so is how far it is from a target."""
        return self.with_further({**described, "target": self.usual_target, "mine": None, **fields})

    def describe(self, board: Mapping[str, int], state: NodeKey) -> Iterator[dict[str, Any]]:
        """Fields of a position, with the one sheet of many that ``sheet`` names."""
        for given in super().describe(board, state):
            if self.tells_needed:
                if only(self.possible(one_board(board))):
                    yield {**given, "needed": board["needed"]}
                continue
            shown = self.shown(given["filled"])
            aim = self.aimed_at(shown + board["needed"])
            if aim is not None:
                mine = {"mine": shown} if len(self.further(given["filled"])) > 1 else {}
                yield {**given, **aim, **mine}

    def after(
        self, fields: Mapping[str, Any], move: str, thrown: tuple[Faces, ...], result: Any
    ) -> dict[str, Any] | None:
        """One box more on the very same sheet, or as many, and the same is wanted."""
        following = super().after(fields, move, thrown, result) or {}
        if result is None:
            return {name: fields.get(name) for name in ("filled", FURTHER, "mine", *self.wants)}
        mine = self.made_after(fields, following["filled"], result)
        return {**following, **{name: fields.get(name) for name in self.wants}, "mine": mine}

    def made_after(self, fields: Mapping[str, Any], filled: Mapping[str, int], result: Any) -> int | None:
        """All points after a turn that ends so, with these boxes filled; None where they tell it themselves."""
        if len(self.further(filled)) == 1:
            return None
        before = self.whole(fields["filled"])
        made = self.made_so_far(before, fields.get("mine"), fields.get(FURTHER))
        return int(made + self.scored(self.board(before), result, 0))
