"""The rows that a turn has on a board, and what boards say of themselves.

A row is a decision as a question would put it: a state of the turn on a board, in the words of ``game.describe``. To
ask that for every state on every board would take longer than to find the values. But fields say what they belong to
(``Field.of``), so it is asked for every state on one board and for one state on every board, and the two are laid
together. That it was right is seen on rows of every block of boards: ``ModelError`` where a game has said otherwise.

Even one question a board, tens of microseconds, is half an hour where there are 29 million. But often each part of a
board says its own (a group of boxes says what is in them): then only boards are asked of which a single part is not as
in the first board of the game, and what the parts say is put together: scores by all of them, any other field by the
one part that changes it; points add up.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.model.errors import ModelError
from rollwise.solver.model.fields import Field, Number, Scores, check_alike
from rollwise.solver.model.game import Decision, NodeKey, TurnGame
from rollwise.solver.turn.graph import states_in_order
from rollwise.solver.turn.query import Move, moves_of, word_asked

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Board = dict[str, int]
Fields = dict[str, Any]  # field values by name, as ``game.locate`` takes them
CHECKED = 60  # rows of each block that are described and located one by one
TRIED = 200  # boards that are asked whether their parts speak for them
ABSENT = object()  # the value, in a slice, of a field that its decisions do not have


@dataclass(frozen=True)
class DecisionPoint:
    """A state of the turn with the moves that it names, in the game's own order."""

    state: NodeKey
    moves: tuple[Move, ...]


def decisions(game: TurnGame, root: NodeKey) -> list[DecisionPoint]:
    """The decisions of the turns that start in ``root``, earlier ones first, with all moves that a question has."""
    choices = [state for state, word in states_in_order(game.turn, [root]) if isinstance(word, Decision)]
    listed = [DecisionPoint(state, tuple(moves_of(game, word_asked(game, state)))) for state in choices[::-1]]
    replies = [DecisionPoint(state, tuple(moves_of(game, word_asked(game, state)))) for state in game.answers(root)]
    return [*(one for one in listed if one.moves), *replies]


def shown(field: Field, fields: Mapping[str, Any]) -> str | None:
    """A field as text, None where it is absent."""
    value = fields.get(field.name, ABSENT if field.left_out is None else field.left_out)
    return None if value is ABSENT else field.show(value)


def cell(field: Field, fields: Mapping[str, Any]) -> int | str | None:
    """A field as a table has it: a number as it is, anything else as it is typed, None where it is absent."""
    return fields.get(field.name, field.left_out) if isinstance(field, Number) else shown(field, fields)


def column_type(field: Field) -> Any:
    """What a column of this field holds, as an Arrow type."""
    import pyarrow as pa

    return pa.int64() if isinstance(field, Number) else pa.string()


def as_column(field: Field, rows: Sequence[Fields]) -> Any:
    """A field of some rows: numbers as they are, anything else as it is typed; absent ones null."""
    import pyarrow as pa

    return pa.array([cell(field, row) for row in rows], column_type(field))


@dataclass(frozen=True)
class BoardFields:
    """The fields of some boards: Arrow arrays by name; ``more``: points that their rows have more than the sheet's."""

    columns: dict[str, Any]
    more: Floats


class Sheet:
    """The rows of the turns that start in one root, on one ``board`` of that root.

    ``rows`` are field values, sorted; ``decision`` the place of each row's decision in ``listed``, ``used`` those that
    have a row, in order; ``points`` what each row has on the sheet already. ``own_words`` are fields of the board as
    the user gave them, which replace those of ``describe``. ``of_board`` are the fields that are others on other boards
    on which the sheet is laid, none where it is not ``apart``. Only rows that agree with ``chosen`` are kept; of
    ``of_board`` that is not asked.
    """

    def __init__(
        self, game: TurnGame, listed: list[DecisionPoint], board: Board, own_words: Fields, chosen: Fields, apart: bool
    ) -> None:
        self.game, self.listed, self.own_words, self.fields = game, listed, own_words, list(game.fields())
        self.of_board = [field for field in self.fields if apart and field.of == "board"]
        described = [[self._said(fields) for fields in game.describe(board, one.state)] for one in listed]
        self.count = [len(rows) for rows in described]
        every = [(place, number, row) for place, rows in enumerate(described) for number, row in enumerate(rows)]
        self.first = every[0] if every else None
        for _, _, row in every:
            check_alike(game, "board", self.of_board, every[0][2], row)
        by_board = {field.name for field in self.of_board}
        narrowing = [field for field in self.fields if field.name in chosen.keys() - own_words.keys() - by_board]
        texts = [shown(field, chosen) for field in narrowing]
        kept = [one for one in every if [shown(field, one[2]) for field in narrowing] == texts]
        if own_words:  # in which ways that differ may have become one
            kept = [one for one in kept if one[2] not in described[one[0]][: one[1]]]
        kept.sort(key=lambda one: [_rank(one[2].get(field.name)) for field in self.fields])
        self.rows = [row for *_, row in kept]
        self.decision = np.array([place for place, *_ in kept], dtype=np.int64)
        self.used = np.unique(self.decision)
        self.number = [number for _, number, _ in kept]
        self.points = np.array([self.points_of(board, place, row) for place, _, row in kept])
        self.first_points = self.points_of(board, every[0][0], every[0][2]) if every else 0.0

    def points_of(self, board: Board, place: int, row: Fields) -> float:
        """Points already made in this row; raises ModelError where ``ask`` would take the row for something else."""
        position = self.game.locate(**row)
        if position.state != self.listed[place].state or dict(position.board) != board:
            raise ModelError(
                f"{self.game} describes {self.listed[place].state} of {board} as {row}, "
                f"and locates that as {position.state} of {dict(position.board)}"
            )
        return float(position.points)

    def on(self, board: Board) -> Fields:
        """The first row's fields on another board."""
        assert self.first is not None
        place, _, base = self.first
        part = self._said(self._described(board, place)[0])
        check_alike(self.game, "turn", self.fields, base, part)
        return part

    def more_points(self, board: Board, part: Fields) -> float:
        """How many more points every row has on the board whose first row is ``part``."""
        assert self.first is not None
        return self.points_of(board, self.first[0], part) - self.first_points

    def one_by_one(self, boards: list[Board]) -> BoardFields:
        """The fields of some boards, every one asked."""
        parts = [self.on(board) for board in boards]
        more = [self.more_points(board, part) for board, part in zip(boards, parts, strict=True)]
        return BoardFields({field.name: as_column(field, parts) for field in self.of_board}, np.array(more))

    def check(self, boards: Ints, board_of: Callable[[Ints], list[Board]], laid: BoardFields | None = None) -> None:
        """Describe and locate some rows on these boards; raises ModelError where they are not as ``laid`` together."""
        draw = np.random.default_rng(int(boards[-1]))
        lanes = draw.integers(len(boards), size=CHECKED)
        for lane, board in zip(lanes.tolist(), board_of(boards[lanes]), strict=True):
            self._described(board, int(draw.integers(len(self.listed))))
            if laid is None:
                continue
            row = int(draw.integers(len(self.rows)))
            place = int(self.decision[row])
            whole = self._said(self._described(board, place)[self.number[row]])
            check_alike(self.game, "turn", self.fields, self.rows[row], whole)
            cells = {name: column[lane].as_py() for name, column in laid.columns.items()}
            other = [field.name for field in self.of_board if cell(field, whole) != cells[field.name]]
            if other or self.points_of(board, place, whole) != float(self.points[row]) + float(laid.more[lane]):
                raise ModelError(
                    f"{self.game} describes {self.listed[place].state} of {board} as {whole}, which its board and its "
                    f'turn do not say apart: give {" and ".join(other) or "fields of the points"} of="both"'
                )

    def _said(self, described: Fields) -> Fields:
        """The fields of a question that says the words of its own, of which this is one on the same board."""
        said = self.game.completed(self.own_words, described) if self.own_words else described
        return {field.name: said[field.name] for field in self.fields if said.get(field.name) is not None}

    def _described(self, board: Board, place: int) -> list[Fields]:
        """What the game says of a decision on a board: as often as on the board of this sheet, or ModelError."""
        rows = list(self.game.describe(board, self.listed[place].state))
        if len(rows) != self.count[place]:
            raise ModelError(
                f"{self.game} describes {self.listed[place].state} of {board} in {len(rows)} ways, and in "
                f'{self.count[place]} on another board: give the field that tells them apart of="both"'
            )
        return rows


def _rank(value: Any) -> tuple[Any, ...]:
    """Rows are sorted field by field, absent ones first; so are lists by seat, of which some have nothing."""
    if isinstance(value, tuple):
        return (tuple(_rank(part) for part in value),)
    return () if value is None else (tuple(value.items()) if isinstance(value, dict) else value,)


class _Together(Exception):
    """Parts of a board cannot say alone what it is."""


class Parts:
    """What each part of the boards of a sheet says: asked once a rank, with the other parts as in the first board."""

    def __init__(self, sheet: Sheet, root: int, board_of: Callable[[Ints], list[Board]]) -> None:
        game, space = sheet.game, sheet.game.boards()
        start = space.index_of(**game.first_board())
        self.places = [space.place_of(name) for name in space.names]
        of_parts = [start + (np.arange(size) - start // stride % size) * stride for stride, size in self.places]
        columns = space.columns(np.concatenate(of_parts))
        if start < 0 or not np.all(game.possible(columns)) or not np.all(np.asarray(game.root(columns)) == root):
            raise _Together
        first = board_of(np.array([start]))[0]
        base = sheet.on(first)
        self.points = sheet.more_points(first, base)
        spoken: list[list[Fields]] = []
        self.extra: list[Floats] = []  # points by part and rank, beyond those of the first board
        for boards in map(board_of, of_parts):
            spoken.append([sheet.on(board) for board in boards])
            more = [sheet.more_points(board, part) for board, part in zip(boards, spoken[-1], strict=True)]
            self.extra.append(np.array(more) - self.points)
        self.words = {field.name: _Words(field, base, spoken) for field in sheet.of_board}

    @classmethod
    def of(cls, sheet: Sheet, root: int, board_of: Callable[[Ints], list[Board]], boards: Ints) -> Parts | None:
        """Those of a sheet; None where they do not say what some ``boards`` say."""
        try:
            made = cls(sheet, root, board_of)
        except _Together:
            return None
        together, apart = made.on(boards), sheet.one_by_one(board_of(boards))
        same = all(column.equals(apart.columns[name]) for name, column in together.columns.items())
        return made if same and np.array_equal(together.more, apart.more) else None

    def on(self, boards: Ints) -> BoardFields:
        """The fields and points of these boards."""
        ranks = [boards // stride % size for stride, size in self.places]
        more = np.full(len(boards), self.points)
        for extra, rank in zip(self.extra, ranks, strict=True):
            if extra.any():
                more += extra[rank]
        return BoardFields({name: words.on(ranks) for name, words in self.words.items()}, more)


class _Words:
    """One field, as the parts say it: ``columns`` are (part, what it says by rank).

    Scores stand in the order of the sheet, so a part may speak more than once; each entry begins with a comma, and
    ``empty`` is what a sheet without any is.
    """

    def __init__(self, field: Field, base: Fields, spoken: list[list[Fields]]) -> None:
        self.empty: str | None = None
        if isinstance(field, Scores):
            if base.get(field.name) != {}:
                raise _Together
            self.empty = field.show({})
            self.columns = _scores(field, [[one.get(field.name) or {} for one in of_part] for of_part in spoken])
            return
        at_start = cell(field, base)
        speak = [part for part, of_part in enumerate(spoken) if any(cell(field, one) != at_start for one in of_part)]
        if len(speak) > 1:
            raise _Together
        self.columns = [(part, as_column(field, spoken[part])) for part in speak or [0]]

    def on(self, ranks: list[Ints]) -> Any:
        """The column on boards of these ranks by part."""
        import pyarrow as pa
        import pyarrow.compute as pc

        entries = [column.take(pa.array(ranks[part])) for part, column in self.columns]
        if self.empty is None:
            return entries[0]
        joined = pc.binary_join_element_wise(pa.array([""] * len(ranks[0])), *entries, "")
        return pc.if_else(pc.equal(joined, ""), self.empty, pc.utf8_slice_codeunits(joined, 1))


def _scores(field: Scores, sheets: list[list[dict[str, int]]]) -> list[tuple[int, Any]]:
    """(part, entries by rank) in the order of the sheet; ``sheets``: what each part says, by rank."""
    import pyarrow as pa

    part_of: dict[str, int] = {}
    for part, of_part in enumerate(sheets):
        for box in {box for sheet in of_part for box in sheet}:
            if part_of.setdefault(box, part) != part:
                raise _Together
    columns = []
    for part, boxes in groupby((box for box in field.allowed if box in part_of), key=lambda box: part_of[box]):
        together = list(boxes)
        held = [{box: sheet[box] for box in together if box in sheet} for sheet in sheets[part]]
        columns.append((part, pa.array(["," + field.show(some) if some else "" for some in held], pa.string())))
    return columns
