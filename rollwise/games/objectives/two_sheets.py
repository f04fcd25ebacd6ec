"""Two sheets against each other: both players fill theirs turn by turn, and both play to end with more points."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from math import prod
from typing import Any

import numpy as np

from rollwise.games.objectives.reaching import NOTHING_FILLED, ReachSheet
from rollwise.games.sheets import FURTHER
from rollwise.solver.model.box_fields import Scores
from rollwise.solver.model.dice import Faces
from rollwise.solver.model.errors import StateError, TooLarge
from rollwise.solver.model.fields import Field, Number
from rollwise.solver.model.game import OTHER, Boards, Columns, NodeKey, Position, Transition, derived, solver_option
from rollwise.solver.model.outcome import one_board
from rollwise.solver.model.rows import Rows

FOR_TWO = " Two fill a sheet each, turn by turn; the player with more points wins, and equal points share the win."
MAX_POINTS = 9_999  # of a sheet
MAX_LEAD = 5_000  # points between the players (boards of both sheets are numbered in 63 bits)
THEIRS = "theirs_"  # prefix of fields of the other player's sheet
PAIR_FIELDS = "filled", "theirs_filled", FURTHER, THEIRS + FURTHER, "mine", "theirs"  # fields of both sheets
MAX_CELLS = 220_000_000  # pairs of sheets with needed points: 2 GB, and ten minutes of one processor at most
MAX_PAIRS = 100_000_000  # sheets of one times sheets of the other: more never fit


@dataclass(frozen=True)
class TwoSheets(ReachSheet):
    """Mixin before a game of one sheet for a target. A board's value is the mover's chance to end with more points.

    Equal points count half. A board has both sheets, the mover's first, and the points ``needed`` by the player who
    began the game to be level with the other. That player moves where both have filled equally many boxes. A question
    solves the pairs of sheets that its own can become.
    """

    kind = "duel-rows"
    ends_named = False
    wants = ("theirs_filled", "theirs")
    total = 1

    worths: tuple[int, ...] = solver_option((2, 1, 0), "values of ending ahead, level, behind, in parts")
    needed_low: int = solver_option(-1, "needed points of the first value; the next is for one more")
    per: int = solver_option(2, "parts that make a value of 1", low=1, high=1 << 60)
    theirs_below: str = solver_option("", "boxes filled on the other player's first sheet, likewise")

    def parameters(self) -> dict[str, Any]:
        """The parameters without the objective, which is always to win."""
        return {name: value for name, value in super().parameters().items() if name != "objective"}

    # --- boards ------------------------------------------------------------------------------------------------------

    def boards(self) -> Boards:
        """Both sheets, and the points needed; of a part the pairs below its beginning."""
        return self.rows if self.below else Boards(**self.plain_boards().parts, needed=range(-MAX_LEAD, MAX_LEAD + 1))

    def plain_boards(self) -> Boards:
        """Pairs of sheets."""
        parts = super().plain_boards().parts
        return Boards(**parts, **{THEIRS + name: part for name, part in parts.items()})

    def together(self) -> Sequence[Sequence[str]]:
        """Groups of boxes that earn a bonus together."""
        raise NotImplementedError

    def pair(self, mine: Mapping[str, int], theirs: Mapping[str, int], needed: int) -> dict[str, int]:
        """The board of two sheets."""
        other = {THEIRS + name: value for name, value in self.board(theirs).items()}
        return {**self.board(mine), **other, "needed": needed}

    def first_board(self) -> dict[str, int]:
        """Two empty sheets."""
        return self.pair(self.whole({}), self.whole({}), 0)

    @derived
    def n_theirs(self, board: Columns) -> Any:
        """The number of boxes that the other player has filled."""
        columns = board.as_dict()
        return self.n_filled(Columns({n: columns[THEIRS + n] for n in columns if THEIRS + n in columns}))

    def others_turn(self, board: Columns) -> Any:
        """True where the mover is the player who did not begin."""
        return self.n_theirs(board) > self.n_filled(board)

    def level(self, board: Columns) -> Any:
        """Each turn fills one more box."""
        return self.n_filled(board) + self.n_theirs(board)

    def part(
        self, board: Mapping[str, int] | None = None, fields: Mapping[str, Any] | None = None, *beside: Any
    ) -> TwoSheets:
        """The pairs of sheets that these can become; raises TooLarge where there are too many."""
        if self.below:
            return self
        sheets = ({}, {}) if board is None else self.sheets(board)
        mine, theirs = (
            ", ".join(f"{box} {score}" for box, score in sheet.items() if box in self.played) or NOTHING_FILLED
            for sheet in sheets
        )
        game = replace(self, below=mine, theirs_below=theirs)
        if board is not None:
            game.require_few()
        return game

    def sheets(self, board: Mapping[str, int]) -> tuple[dict[str, int], dict[str, int]]:
        """Two sheets that make this board but for ``needed``: the mover's, the other's."""
        return self.sheet(board), self.sheet({name: board.get(THEIRS + name, value) for name, value in board.items()})

    @cached_property
    def beginnings(self) -> tuple[dict[str, int], ...]:
        """The sheets that a part begins with: the mover's, the other's."""
        return self.sheet_with(self.below), self.sheet_with(self.theirs_below)

    @property
    def open_boxes(self) -> tuple[str, ...]:
        """The boxes that a part can fill, on either sheet."""
        return tuple(box for box in self.played if not self.below or any(box not in sheet for sheet in self.beginnings))

    def require_few(self) -> None:
        """Raise TooLarge where the sheets that both can become are too many for their pairs to be counted."""
        n_pairs = prod(self.n_below(self.board(sheet)) for sheet in self.beginnings)
        if n_pairs > MAX_PAIRS:
            raise self.too_large(f"{n_pairs:,} pairs of sheets at most")

    def too_large(self, what: str) -> TooLarge:
        """The error for pairs of sheets that do not fit, each with all possible needed points."""
        n_open = [sum(box not in sheet for box in self.all_boxes) for sheet in self.beginnings]
        return TooLarge(
            f"from {n_open[0]} and {n_open[1]} open boxes on {self.name} for two is too large: {what}; objective=beat "
            "answers, from any sheet on, with the best chance against a sheet that is played for the mean"
        )

    def pairs(self) -> Iterator[tuple[Any, Any, Any]]:
        """For each turn from the first on: (pairs of sheets by index, lengths, lows), as ``Rows`` takes them.

        One player's sheets do not depend on the other's, so each sheet of the one is paired with each of the other.
        """
        plain = super().plain_boards()
        levels = [self.levels_below(plain, self.board(sheet)) for sheet in self.beginnings]
        began = len(levels[0]) == len(levels[1])  # the first mover is the player who began
        for turn in range(len(levels[0]) + len(levels[1]) - 2):
            (mine, my_most), (theirs, their_most) = levels[turn % 2][turn // 2], levels[1 - turn % 2][(turn + 1) // 2]
            my_most, their_most = my_most[:, None], their_most[None, :]
            first, second = (my_most, their_most) if began == (turn % 2 == 0) else (their_most, my_most)
            shape = len(mine), len(theirs)
            lows = np.broadcast_to(self.needed_low - second, shape)
            yield mine[:, None] * plain.size + theirs, first + second + len(self.worths), lows

    @cached_property
    def rows(self) -> Rows:
        """The pairs of sheets below the beginning, the last turn first."""
        self.require_few()
        turns = list(self.pairs())[::-1]
        cells = sum(int(lengths.sum()) for _, lengths, _ in turns)
        if cells > MAX_CELLS:
            raise self.too_large(f"{cells:,} numbers of sheets and points, and {MAX_CELLS:,} fit")
        columns = zip(*([column.ravel() for column in turn] for turn in turns), strict=True)
        return Rows(self.plain_boards(), *map(np.concatenate, columns))

    # --- one turn ----------------------------------------------------------------------------------------------------

    def transition(self, board: Columns, result: tuple[Any, ...]) -> Transition:
        """One more box is filled, and the other player moves."""
        plain = self.plain_transition(board, result)
        others = self.others_turn(board)
        points = result[-1] + np.asarray(plain.reward)
        needed = board.needed + np.where(others, points, -points)
        end_value = np.array(self.worths)[np.clip(needed - self.needed_low, 0, len(self.worths) - 1)]
        over = plain.over & others
        after: Mapping[str, Any] = plain.next or {}
        turned = {name[len(THEIRS) :]: column for name, column in after.items() if name.startswith(THEIRS)}
        return Transition(
            legal=plain.legal,
            over=over,
            reward=np.where(over, np.where(others, self.per - end_value, end_value), 0),
            per=self.per,
            next={**turned, **{THEIRS + name: after[name] for name in turned}, "needed": needed},
            mover=OTHER,
        )

    def ending_name(self, board: Mapping[str, Any], result: tuple[Any, ...], marks: frozenset[str]) -> str:
        """The box that is filled; the game is decided only by both sheets."""
        return self.line(result)

    # --- questions ---------------------------------------------------------------------------------------------------

    def fields(self) -> list[Field]:
        """Both sheets, the turn, and both players' points where the sheets do not show them."""
        filled, *turn = super(ReachSheet, self).fields()
        assert isinstance(filled, Scores)
        same, points = "the same for the other player", f"points so far, with {self.unseen}"
        own = filled.line
        both = [own, replace(own, name=THEIRS + FURTHER, help=same)] if own else []
        return [
            filled,
            replace(filled, name="theirs_filled", help=same, line=both[-1] if own else None),
            *both,
            *turn[len(both) // 2 :],
            Number("mine", f"{points}: only where some may have been earned", 0, MAX_POINTS),
            Number("theirs", same, 0, MAX_POINTS),
        ]

    def locate(  # type: ignore[override]  # there is no target
        self,
        filled: Mapping[str, int] | None = None,
        theirs_filled: Mapping[str, int] | None = None,
        roll: Faces | None = None,
        rolls_left: int | None = None,
        yahtzee_bonus: int | None = None,
        theirs_yahtzee_bonus: int | None = None,
        mine: int | None = None,
        theirs: int | None = None,
    ) -> Position:
        """The position of a question."""
        sheets = self.whole(filled or {}), self.whole(theirs_filled or {})
        state = super(ReachSheet, self).locate(filled, roll, rolls_left).state
        ahead = len(sheets[1]) - len(sheets[0])
        if ahead not in (0, 1):
            raise StateError(
                "the mover has filled as many boxes as the other player, or one fewer; "
                f"filled has {len(filled or {})}, theirs_filled {len(theirs_filled or {})}",
                field="theirs_filled",
            )
        own = self.points_so_far(sheets[0], mine, yahtzee_bonus)
        other = self.points_so_far(sheets[1], theirs, theirs_yahtzee_bonus, ("theirs", THEIRS + FURTHER))
        needed = own - other if ahead else other - own
        if abs(needed) > MAX_LEAD:
            raise StateError(f"players can be {MAX_LEAD:,} points apart, got {abs(needed):,}", field="mine")
        return Position(self.pair(*sheets, needed), state)

    def note(self, fields: Mapping[str, Any], certain: Fraction | None = None) -> str:
        """No note: there is no target."""
        return ""

    def completed(self, fields: Mapping[str, Any], described: Mapping[str, Any]) -> Mapping[str, Any]:
        """The fields of a question; a sheet's points are never implied by a board."""
        implied = {name: value for name, value in described.items() if name not in PAIR_FIELDS[2:]}
        return self.with_further({**implied, **fields})

    def with_further(self, fields: dict[str, Any], whose: str = "") -> dict[str, Any]:
        """The same for both sheets."""
        return super().with_further(super().with_further(fields), THEIRS)

    def describe(self, board: Mapping[str, int], state: NodeKey) -> Iterator[dict[str, Any]]:
        """Fields of a position, with two sheets of many whose lead fits the board.

        Where no such pair exists, any two that make the board; ``after`` replaces them by the sheets of the question.
        """
        for described in super(ReachSheet, self).describe(board, state):
            fields = _sheets_apart(self, tuple(board.items()))
            yield {**described, **(fields or dict(zip(PAIR_FIELDS, self.sheets(board), strict=False)))}

    def sheets_apart(self, board: Mapping[str, int]) -> dict[str, Any]:
        """The fields of two sheets that make this board; empty where no pair fits."""
        varied = [_equal_sheets(self, tuple(sheet.items())) for sheet in self.sheets(board)]
        lead = board["needed"] * (1 if self.others_turn(one_board(board))[0] else -1)  # of the mover
        mine, theirs = (list(self.further(self.whole(each.sheet)))[1:] for each in varied)
        for hidden in ((0, 0), *((more, 0) for more in mine), *((0, more) for more in theirs)):
            both = np.intersect1d(varied[0].totals + hidden[0], varied[1].totals + hidden[1] + lead)
            for total in both[:: 1 + len(both) // 4].tolist():
                sums = total, total - lead
                sheets = [v.showing(n - more) for v, n, more in zip(varied, sums, hidden, strict=True)]
                hides = [len(self.further(self.whole(sheet))) > 1 for sheet in sheets]
                shown_points = (n if hides_points else None for n, hides_points in zip(sums, hides, strict=True))
                fields = self.with_further(dict(zip(PAIR_FIELDS, (*sheets, *hidden, *shown_points), strict=True)))
                with suppress(StateError):  # these sheets cannot hide so much
                    self.locate(**fields)
                    return fields
        return {}

    def after(
        self, fields: Mapping[str, Any], move: str, thrown: tuple[Faces, ...], result: Any
    ) -> dict[str, Any] | None:
        """The same two sheets for the next mover; one box more is filled where the turn is over."""
        following = super(ReachSheet, self).after(fields, move, thrown, result) or {}
        if result is None:
            return {name: fields.get(name) for name in PAIR_FIELDS}
        theirs = (fields.get(name) for name in ("theirs_filled", THEIRS + FURTHER, "theirs"))
        mine = following["filled"], following.get(FURTHER), self.points_after(fields, following["filled"], result)
        return dict(zip(PAIR_FIELDS, (each for both in zip(theirs, mine, strict=True) for each in both), strict=True))


class _EqualSheets:
    """Sheets that make the same board as this one; ``totals``: their points on show, ascending."""

    def __init__(self, game: TwoSheets, sheet: dict[str, int]) -> None:
        self.sheet, whole = sheet, game.whole(sheet)
        shown, board = game.shown(whole), game.board(whole)
        together = game.together()
        single = [(box,) for box in sheet if not any(box in boxes for boxes in together)]
        self.parts: list[dict[int, dict[str, int]]] = []  # scores of a group of boxes, by the points they add
        for boxes in (*together, *single):
            ways: dict[tuple[int, bool], dict[str, int]] = {(0, True): {}}  # by (their sum, all hold points)
            for box in (box for box in boxes if box in sheet):
                ways = {
                    (points + score, full and score > 0): {**scores, box: score}
                    for (points, full), scores in ways.items()
                    for score in game.can_hold(box)
                }
            same = [scores for scores in ways.values() if game.board({**whole, **scores}) == board]
            self.parts.append({game.shown({**whole, **scores}) - shown: scores for scores in same})
        self.sums = [np.array([shown])]  # after each further part is varied
        for part in self.parts:
            self.sums.append(np.unique(np.add.outer(self.sums[-1], list(part))))
        self.totals = self.sums[-1]

    def showing(self, total: int) -> dict[str, int]:
        """One of these sheets, which shows this many points."""
        scores: dict[str, int] = {}
        for part, before in zip(self.parts[::-1], self.sums[-2::-1], strict=True):
            change = next(change for change in part if total - change in before)
            scores, total = scores | part[change], total - change
        return {box: scores[box] for box in self.sheet}


@lru_cache(64)
def _equal_sheets(game: TwoSheets, sheet: tuple[tuple[str, int], ...]) -> _EqualSheets:
    return _EqualSheets(game, dict(sheet))


@lru_cache(256)
def _sheets_apart(game: TwoSheets, board: tuple[tuple[str, int], ...]) -> dict[str, Any]:
    """``sheets_apart`` of a board, cached: the dice do not change it."""
    return game.sheets_apart(dict(board))
