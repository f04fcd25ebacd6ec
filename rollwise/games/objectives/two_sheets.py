"""Two sheets against each other: both players fill theirs in turn, and both play to end with more points."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from math import prod
from typing import Any

import numpy as np

from rollwise.games.objectives.reaching import WHOLE, ReachSheet
from rollwise.games.sheets import FURTHER
from rollwise.solver.model.dice import Faces
from rollwise.solver.model.errors import StateError, TooLarge
from rollwise.solver.model.fields import Field, Number, Scores
from rollwise.solver.model.game import OTHER, Boards, Columns, NodeKey, Position, Transition, derived, parameter
from rollwise.solver.model.outcome import one_board
from rollwise.solver.model.rows import Rows

FOR_TWO = " Two fill a sheet each, turn by turn; who ends with more points wins, and as many share the win."
MOST = 9_999  # points of a sheet
APART = 5_000  # points: by so many a player can be behind (boards of both sheets are numbered in 63 bits)
OTHERS = "theirs_"  # goes before the fields of the other player's sheet
SAID = "filled", "theirs_filled", FURTHER, OTHERS + FURTHER, "mine", "theirs"  # fields of both sheets
MOST_CELLS = 220_000_000  # numbers of pairs and points: 2 GB, and ten minutes of one processor at most
MANY = 100_000_000  # sheets of one times sheets of the other: more never fit


@dataclass(frozen=True)
class TwoSheets(ReachSheet):
    """Goes before a game of one sheet for a target. The value of a board is the mover's chance to end with more points.

    As many count half. A board has both sheets, the mover's first, and how many points are ``needed`` by the player
    who began the game to be level with the other. That player moves where both have filled as many boxes. A question
    solves the pairs of sheets that its own can become.
    """

    kind = "duel-rows"
    ends_named = False
    wants = ("theirs_filled", "theirs")
    total = 1

    worths: tuple[int, ...] = parameter((2, 1, 0), "what being ahead, level, behind is worth", trial=True)
    needed_low: int = parameter(-1, "they are for needing so many, one more, ...", trial=True)
    per: int = parameter(2, "all of that is counted in such parts", low=1, high=1 << 60, trial=True)
    theirs_below: str = parameter("", "the same of the other player", trial=True)

    def parameters(self) -> dict[str, Any]:
        """Without the objective, which is to win."""
        return {name: value for name, value in super().parameters().items() if name != "objective"}

    # --- boards ------------------------------------------------------------------------------------------------------

    def boards(self) -> Boards:
        """Both sheets, and the points needed; of a part those below its beginning."""
        return self.rows if self.below else Boards(**self.plain_boards().parts, needed=range(-APART, APART + 1))

    def plain_boards(self) -> Boards:
        """Pairs of sheets."""
        parts = super().plain_boards().parts
        return Boards(**parts, **{OTHERS + name: part for name, part in parts.items()})

    def together(self) -> Sequence[Sequence[str]]:
        """The boxes that earn a bonus together."""
        raise NotImplementedError

    def pair(self, mine: Mapping[str, int], theirs: Mapping[str, int], needed: int) -> dict[str, int]:
        """The board of two sheets."""
        other = {OTHERS + name: value for name, value in self.board(theirs).items()}
        return {**self.board(mine), **other, "needed": needed}

    def first_board(self) -> dict[str, int]:
        """Nobody has filled a box."""
        return self.pair(self.whole({}), self.whole({}), 0)

    @derived
    def n_theirs(self, board: Columns) -> Any:
        """How many boxes the other player has filled."""
        columns = board.as_dict()
        return self.n_filled(Columns({n: columns[OTHERS + n] for n in columns if OTHERS + n in columns}))

    def others_turn(self, board: Columns) -> Any:
        """Does the player move who was second to begin?"""
        return self.n_theirs(board) > self.n_filled(board)

    def level(self, board: Columns) -> Any:
        """Each turn fills one more box."""
        return self.n_filled(board) + self.n_theirs(board)

    def part(
        self, board: Mapping[str, int] | None = None, fields: Mapping[str, Any] | None = None, *beside: Any
    ) -> TwoSheets:
        """The pairs of sheets that these can become; raises TooLarge where they are too many."""
        if self.below:
            return self
        sheets = ({}, {}) if board is None else self.sheets(board)
        mine, theirs = (
            ", ".join(f"{box} {score}" for box, score in sheet.items() if box in self.played) or WHOLE
            for sheet in sheets
        )
        found = replace(self, below=mine, theirs_below=theirs)
        if board is not None:
            found.require_few()
        return found

    def sheets(self, board: Mapping[str, int]) -> tuple[dict[str, int], dict[str, int]]:
        """Two sheets that make this board, whatever is needed: the mover's, the other's."""
        return self.sheet(board), self.sheet({name: board.get(OTHERS + name, value) for name, value in board.items()})

    @cached_property
    def beginnings(self) -> tuple[dict[str, int], ...]:
        """The sheets that a part begins with: the mover's, the other's."""
        return self.begun(self.below), self.begun(self.theirs_below)

    @property
    def open_boxes(self) -> tuple[str, ...]:
        """The boxes that a part can fill, on either sheet."""
        return tuple(box for box in self.played if not self.below or any(box not in sheet for sheet in self.beginnings))

    def require_few(self) -> None:
        """Raise TooLarge where the sheets that both can become are so many that there is no need to count the pairs."""
        n_pairs = prod(self.n_below(self.board(sheet)) for sheet in self.beginnings)
        if n_pairs > MANY:
            raise self.too_large(f"{n_pairs:,} pairs of sheets at most")

    def too_large(self, what: str) -> TooLarge:
        """What to say where the pairs of sheets, each with all that may be needed, do not fit."""
        n_open = [sum(box not in sheet for box in self.all_boxes) for sheet in self.beginnings]
        return TooLarge(
            f"from {n_open[0]} and {n_open[1]} open boxes on {self.name} for two is too large: {what}; objective=beat "
            "asks, from any sheet on, for the best chance against a sheet that is played for the mean"
        )

    def pairs(self) -> Iterator[tuple[Any, Any, Any]]:
        """From the asked turn on, for each turn to come: (pairs of sheets by index, lengths, lows), see ``Rows``.

        One player's sheets do not depend on the other's: all that both can have by then go together.
        """
        plain = super().plain_boards()
        levels = [self.levels_below(plain, self.board(sheet)) for sheet in self.beginnings]
        began = len(levels[0]) == len(levels[1])  # is the asked mover the one who began?
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
        if cells > MOST_CELLS:
            raise self.too_large(f"{cells:,} numbers of sheets and points, and {MOST_CELLS:,} fit")
        columns = zip(*([column.ravel() for column in turn] for turn in turns), strict=True)
        return Rows(self.plain_boards(), *map(np.concatenate, columns))

    # --- one turn ----------------------------------------------------------------------------------------------------

    def transition(self, board: Columns, result: tuple[Any, ...]) -> Transition:
        """One more box is filled, and the other player moves."""
        said = self.plain_settled(board, result)
        others = self.others_turn(board)
        points = result[-1] + np.asarray(said.reward)
        left = board.needed + np.where(others, points, -points)
        worth = np.array(self.worths)[np.clip(left - self.needed_low, 0, len(self.worths) - 1)]
        over = said.over & others
        after: Mapping[str, Any] = said.next or {}
        turned = {name[len(OTHERS) :]: column for name, column in after.items() if name.startswith(OTHERS)}
        return Transition(
            legal=said.legal,
            over=over,
            reward=np.where(over, np.where(others, self.per - worth, worth), 0),
            per=self.per,
            next={**turned, **{OTHERS + name: after[name] for name in turned}, "needed": left},
            mover=OTHER,
        )

    def ending_name(self, board: Mapping[str, Any], result: tuple[Any, ...], seen: frozenset[str]) -> str:
        """The box that is filled: nothing is enough while the other goes on."""
        return self.line(result)

    # --- questions ---------------------------------------------------------------------------------------------------

    def fields(self) -> list[Field]:
        """Both sheets, the turn, and the points made where the sheets do not tell them."""
        filled, *turn = super(ReachSheet, self).fields()
        assert isinstance(filled, Scores)
        same, said = "the same of the other player", f"points so far, with {self.unseen}"
        own = filled.line
        both = [own, replace(own, name=OTHERS + FURTHER, help=same)] if own else []
        return [
            filled,
            replace(filled, name="theirs_filled", help=same, line=both[-1] if own else None),
            *both,
            *turn[len(both) // 2 :],
            Number("mine", f"{said}: only where some may have been earned", 0, MOST),
            Number("theirs", same, 0, MOST),
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
                "who moves has filled as many boxes as the other player, or one fewer; "
                f"filled has {len(filled or {})}, theirs_filled {len(theirs_filled or {})}",
                field="theirs_filled",
            )
        own = self.made_so_far(sheets[0], mine, yahtzee_bonus)
        other = self.made_so_far(sheets[1], theirs, theirs_yahtzee_bonus, ("theirs", OTHERS + FURTHER))
        needed = own - other if ahead else other - own
        if abs(needed) > APART:
            raise StateError(f"players can be {APART:,} points apart, got {abs(needed):,}", field="mine")
        return Position(self.pair(*sheets, needed), state)

    def note(self, fields: Mapping[str, Any], certain: Fraction | None = None) -> str:
        """There is no target to tell of."""
        return ""

    def completed(self, fields: Mapping[str, Any], described: Mapping[str, Any]) -> Mapping[str, Any]:
        """The points of a sheet are its own."""
        implied = {name: value for name, value in described.items() if name not in SAID[2:]}
        return self.with_further({**implied, **fields})

    def with_further(self, fields: dict[str, Any], whose: str = "") -> dict[str, Any]:
        """The same of both sheets."""
        return super().with_further(super().with_further(fields), OTHERS)

    def describe(self, board: Mapping[str, int], state: NodeKey) -> Iterator[dict[str, Any]]:
        """Fields of a position, with two sheets of many: such as are so many points apart.

        Where none are found, any that make the board: what follows a question of other sheets says them (``after``).
        """
        for given in super(ReachSheet, self).describe(board, state):
            fields = _apart(self, tuple(board.items()))
            yield {**given, **(fields or dict(zip(SAID, self.sheets(board), strict=False)))}

    def apart(self, board: Mapping[str, int]) -> dict[str, Any]:
        """The fields of two sheets that make this board; none where none are found."""
        varied = [_varied(self, tuple(sheet.items())) for sheet in self.sheets(board)]
        lead = board["needed"] * (1 if self.others_turn(one_board(board))[0] else -1)  # of the mover
        mine, theirs = (list(self.further(self.whole(each.sheet)))[1:] for each in varied)
        for hidden in ((0, 0), *((more, 0) for more in mine), *((0, more) for more in theirs)):
            both = np.intersect1d(varied[0].totals + hidden[0], varied[1].totals + hidden[1] + lead)
            for total in both[:: 1 + len(both) // 4].tolist():
                made = total, total - lead
                sheets = [v.showing(n - more) for v, n, more in zip(varied, made, hidden, strict=True)]
                hides = [len(self.further(self.whole(sheet))) > 1 for sheet in sheets]
                points = (n if is_said else None for n, is_said in zip(made, hides, strict=True))
                fields = self.with_further(dict(zip(SAID, (*sheets, *hidden, *points), strict=True)))
                with suppress(StateError):  # these sheets cannot hide so much
                    self.locate(**fields)
                    return fields
        return {}

    def after(
        self, fields: Mapping[str, Any], move: str, thrown: tuple[Faces, ...], result: Any
    ) -> dict[str, Any] | None:
        """The very same sheets, of whoever moves then first; one box more is filled where the turn is over."""
        following = super(ReachSheet, self).after(fields, move, thrown, result) or {}
        if result is None:
            return {name: fields.get(name) for name in SAID}
        theirs = (fields.get(name) for name in ("theirs_filled", OTHERS + FURTHER, "theirs"))
        mine = following["filled"], following.get(FURTHER), self.made_after(fields, following["filled"], result)
        return dict(zip(SAID, (each for both in zip(theirs, mine, strict=True) for each in both), strict=True))


class _Varied:
    """Sheets that make the same board as this one; ``totals``: the points that they show."""

    def __init__(self, game: TwoSheets, sheet: dict[str, int]) -> None:
        self.sheet, whole = sheet, game.whole(sheet)
        shown, board = game.shown(whole), game.board(whole)
        together = game.together()
        single = [(box,) for box in sheet if not any(box in boxes for boxes in together)]
        self.parts: list[dict[int, dict[str, int]]] = []  # of some boxes what they can hold, by the points that adds
        for boxes in (*together, *single):
            ways: dict[tuple[int, bool], dict[str, int]] = {(0, True): {}}  # by their sum, and: all hold something
            for box in (box for box in boxes if box in sheet):
                ways = {
                    (made + score, full and score > 0): {**held, box: score}
                    for (made, full), held in ways.items()
                    for score in game.can_hold(box)
                }
            same = [held for held in ways.values() if game.board({**whole, **held}) == board]
            self.parts.append({game.shown({**whole, **held}) - shown: held for held in same})
        self.sums = [np.array([shown])]  # with more and more of the parts varied
        for part in self.parts:
            self.sums.append(np.unique(np.add.outer(self.sums[-1], list(part))))
        self.totals = self.sums[-1]

    def showing(self, total: int) -> dict[str, int]:
        """A sheet of them that shows so many points."""
        held: dict[str, int] = {}
        for part, before in zip(self.parts[::-1], self.sums[-2::-1], strict=True):
            change = next(change for change in part if total - change in before)
            held, total = held | part[change], total - change
        return {box: held[box] for box in self.sheet}


@lru_cache(64)
def _varied(game: TwoSheets, sheet: tuple[tuple[str, int], ...]) -> _Varied:
    return _Varied(game, dict(sheet))


@lru_cache(256)
def _apart(game: TwoSheets, board: tuple[tuple[str, int], ...]) -> dict[str, Any]:
    """What is told of a board does not depend on the dice."""
    return game.apart(dict(board))
