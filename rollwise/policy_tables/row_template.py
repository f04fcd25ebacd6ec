"""Rows of a turn on many boards: the fields of each row, combined from those of turns and of boards.

A row is a decision as a question gives it: the fields of a state of the turn on a board, from ``game.describe``. To
describe every state on every board would take longer than to solve the game. But each field belongs to the board or to
the turn (``Field.of``), so every state is described on one board, and one state on every board, and the two are
combined. Rows of every block of boards are checked: ``ModelError`` where ``game.describe`` differs.

Even one call a board, tens of microseconds, is half an hour for 29 million boards. But often each part of a board (a
group of boxes) has fields of its own: then only boards are described that differ in a single part from the first board
of the game, and the parts are combined: scores from all of them, any other field from the one part that changes it;
points add up.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.model.box_fields import Scores
from rollwise.solver.model.errors import ModelError
from rollwise.solver.model.fields import Field, Number, check_same_field
from rollwise.solver.model.game import Decision, NodeKey, TurnGame
from rollwise.solver.turn.graph import states_successors_first
from rollwise.solver.turn.questions import LegalMove, moves_of, question_node

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Board = dict[str, int]
Fields = dict[str, Any]  # field values by name, as ``game.locate`` takes them
CHECKED_ROWS = 60  # rows of each block that are checked one by one
TRIED = 200  # boards on which parts are checked
ABSENT = object()  # the value, in a slice, of a field that its decisions do not have


@dataclass(frozen=True)
class DecisionPoint:
    """A state of the turn with its moves, in the game's own order."""

    state: NodeKey
    moves: tuple[LegalMove, ...]


def decisions(game: TurnGame, root: NodeKey) -> list[DecisionPoint]:
    """The decisions of turns from ``root``, earlier ones first, with all moves of a question."""
    choices = [state for state, word in states_successors_first(game.turn, [root]) if isinstance(word, Decision)]
    listed = [DecisionPoint(state, tuple(moves_of(game, question_node(game, state)))) for state in choices[::-1]]
    replies = [DecisionPoint(state, tuple(moves_of(game, question_node(game, state)))) for state in game.answers(root)]
    return [*(one for one in listed if one.moves), *replies]


def field_text(field: Field, fields: Mapping[str, Any]) -> str | None:
    """A field as text; None if it is absent."""
    value = fields.get(field.name, ABSENT if field.left_out is None else field.left_out)
    return None if value is ABSENT else field.show(value)


def cell(field: Field, fields: Mapping[str, Any]) -> int | str | None:
    """The table cell of a field: a number, or text as users type it; None if it is absent."""
    return fields.get(field.name, field.left_out) if isinstance(field, Number) else field_text(field, fields)


def arrow_type(field: Field) -> Any:
    """The Arrow type of the column of a field."""
    import pyarrow as pa

    return pa.int64() if isinstance(field, Number) else pa.string()


def to_arrow(field: Field, rows: Sequence[Fields]) -> Any:
    """The Arrow column of a field of some rows; absent cells are null."""
    import pyarrow as pa

    return pa.array([cell(field, row) for row in rows], arrow_type(field))


@dataclass(frozen=True)
class BoardFields:
    """Fields of some boards as Arrow arrays by name; ``more``: their points beyond those of the template."""

    columns: dict[str, Any]
    more: Floats


class Template:
    """Rows of the turns from one root, on one ``board`` of that root.

    ``rows``: field values, sorted; ``decision``: the place of each row's decision in ``listed``; ``used_decisions``:
    the places with a row, in order; ``points``: points already scored, by row. ``own``: fields of the board as
    the user gave them, in place of those of ``describe``. ``of_board``: the fields that vary by board, none unless
    ``separable``. Rows must agree with the fields in ``chosen``, but for those of ``of_board``.
    """

    def __init__(
        self, game: TurnGame, listed: list[DecisionPoint], board: Board, own: Fields, chosen: Fields, separable: bool
    ) -> None:
        self.game, self.listed, self.own_fields, self.fields = game, listed, own, list(game.fields())
        self.of_board = [field for field in self.fields if separable and field.of == "board"]
        described = [[self._own_fields(fields) for fields in game.describe(board, one.state)] for one in listed]
        self.count = [len(rows) for rows in described]
        every = [(place, number, row) for place, rows in enumerate(described) for number, row in enumerate(rows)]
        self.first = every[0] if every else None
        for _, _, row in every:
            check_same_field(game, "board", self.of_board, every[0][2], row)
        by_board = {field.name for field in self.of_board}
        narrowing = [field for field in self.fields if field.name in chosen.keys() - own.keys() - by_board]
        texts = [field_text(field, chosen) for field in narrowing]
        selected = [one for one in every if [field_text(field, one[2]) for field in narrowing] == texts]
        if own:  # rows that differed may be equal now
            selected = [one for one in selected if one[2] not in described[one[0]][: one[1]]]
        selected.sort(key=lambda one: [_rank(one[2].get(field.name)) for field in self.fields])
        self.rows = [row for *_, row in selected]
        self.decision = np.array([place for place, *_ in selected], dtype=np.int64)
        self.used_decisions = np.unique(self.decision)
        self.number = [number for _, number, _ in selected]
        self.points = np.array([self.points_of(board, place, row) for place, _, row in selected])
        self.first_points = self.points_of(board, every[0][0], every[0][2]) if every else 0.0

    def points_of(self, board: Board, place: int, row: Fields) -> float:
        """Points already scored in this row; raises ModelError where ``game.locate`` gives another position."""
        position = self.game.locate(**row)
        if position.state != self.listed[place].state or dict(position.board) != board:
            raise ModelError(
                f"{self.game} describes {self.listed[place].state} of {board} as {row}, "
                f"and locates that as {position.state} of {dict(position.board)}"
            )
        return float(position.points)

    def on(self, board: Board) -> Fields:
        """The fields of the first row on another board."""
        assert self.first is not None
        place, _, base = self.first
        part = self._own_fields(self._describe(board, place)[0])
        check_same_field(self.game, "turn", self.fields, base, part)
        return part

    def more_points(self, board: Board, part: Fields) -> float:
        """The points of rows on the board of the first row ``part``, beyond those of the template."""
        assert self.first is not None
        return self.points_of(board, self.first[0], part) - self.first_points

    def one_by_one(self, boards: list[Board]) -> BoardFields:
        """The fields of some boards, described one by one."""
        parts = [self.on(board) for board in boards]
        more = [self.more_points(board, part) for board, part in zip(boards, parts, strict=True)]
        return BoardFields({field.name: to_arrow(field, parts) for field in self.of_board}, np.array(more))

    def check(self, boards: Ints, board_of: Callable[[Ints], list[Board]], combined: BoardFields | None = None) -> None:
        """Describe and locate some rows on these boards; raises ModelError where they differ from ``combined``."""
        draw = np.random.default_rng(int(boards[-1]))
        lanes = draw.integers(len(boards), size=CHECKED_ROWS)
        for lane, board in zip(lanes.tolist(), board_of(boards[lanes]), strict=True):
            self._describe(board, int(draw.integers(len(self.listed))))
            if combined is None:
                continue
            row = int(draw.integers(len(self.rows)))
            place = int(self.decision[row])
            whole = self._own_fields(self._describe(board, place)[self.number[row]])
            check_same_field(self.game, "turn", self.fields, self.rows[row], whole)
            cells = {name: column[lane].as_py() for name, column in combined.columns.items()}
            other = [field.name for field in self.of_board if cell(field, whole) != cells[field.name]]
            if other or self.points_of(board, place, whole) != float(self.points[row]) + float(combined.more[lane]):
                raise ModelError(
                    f"{self.game} describes {self.listed[place].state} of {board} as {whole}, which its board and its "
                    f'turn do not say apart: give {" and ".join(other) or "fields of the points"} of="both"'
                )

    def _own_fields(self, described: Fields) -> Fields:
        """The fields of a row, with the user's own fields of the same board in place of those described."""
        fields = self.game.completed(self.own_fields, described) if self.own_fields else described
        return {field.name: fields[field.name] for field in self.fields if fields.get(field.name) is not None}

    def _describe(self, board: Board, place: int) -> list[Fields]:
        """The rows of a decision on a board; raises ModelError unless as many as on the board of the template."""
        rows = list(self.game.describe(board, self.listed[place].state))
        if len(rows) != self.count[place]:
            raise ModelError(
                f"{self.game} describes {self.listed[place].state} of {board} in {len(rows)} ways, and in "
                f'{self.count[place]} on another board: give the field that tells them apart of="both"'
            )
        return rows


def _rank(value: Any) -> tuple[Any, ...]:
    """Sort key of a field, absent ones first; lists by seat are sorted part by part."""
    if isinstance(value, tuple):
        return (tuple(_rank(part) for part in value),)
    return () if value is None else (tuple(value.items()) if isinstance(value, dict) else value,)


class _NotSeparable(Exception):
    """Raised where the fields of a board do not split by its parts."""


class Parts:
    """Fields by part of the boards: described once a rank, with the other parts as in the first board."""

    def __init__(self, sheet: Template, root: int, board_of: Callable[[Ints], list[Board]]) -> None:
        game, space = sheet.game, sheet.game.boards()
        start = space.index_of(**game.first_board())
        self.places = [space.place_of(name) for name in space.names]
        of_parts = [start + (np.arange(size) - start // stride % size) * stride for stride, size in self.places]
        columns = space.columns(np.concatenate(of_parts))
        if start < 0 or not np.all(game.possible(columns)) or not np.all(np.asarray(game.root(columns)) == root):
            raise _NotSeparable
        first = board_of(np.array([start]))[0]
        base = sheet.on(first)
        self.points = sheet.more_points(first, base)
        spoken: list[list[Fields]] = []
        self.extra: list[Floats] = []  # points by part and rank, beyond those of the first board
        for boards in map(board_of, of_parts):
            spoken.append([sheet.on(board) for board in boards])
            more = [sheet.more_points(board, part) for board, part in zip(boards, spoken[-1], strict=True)]
            self.extra.append(np.array(more) - self.points)
        self.words = {field.name: _PartColumn(field, base, spoken) for field in sheet.of_board}

    @classmethod
    def of(cls, sheet: Template, root: int, board_of: Callable[[Ints], list[Board]], boards: Ints) -> Parts | None:
        """The parts of a template; None where they do not give the fields of some ``boards``."""
        try:
            parts = cls(sheet, root, board_of)
        except _NotSeparable:
            return None
        combined, described = parts.on(boards), sheet.one_by_one(board_of(boards))
        same = all(column.equals(described.columns[name]) for name, column in combined.columns.items())
        return parts if same and np.array_equal(combined.more, described.more) else None

    def on(self, boards: Ints) -> BoardFields:
        """The fields and points of these boards."""
        ranks = [boards // stride % size for stride, size in self.places]
        more = np.full(len(boards), self.points)
        for extra, rank in zip(self.extra, ranks, strict=True):
            if extra.any():
                more += extra[rank]
        return BoardFields({name: words.on(ranks) for name, words in self.words.items()}, more)


class _PartColumn:
    """One field by part: ``columns`` are (part, Arrow array by rank).

    Scores stand in the order of the sheet, so a part may speak more than once; each entry begins with a comma, and
    ``empty`` is what a sheet without any is.
    """

    def __init__(self, field: Field, base: Fields, spoken: list[list[Fields]]) -> None:
        self.empty: str | None = None
        if isinstance(field, Scores):
            if base.get(field.name) != {}:
                raise _NotSeparable
            self.empty = field.show({})
            self.columns = _scores(field, [[one.get(field.name) or {} for one in of_part] for of_part in spoken])
            return
        at_start = cell(field, base)
        speak = [part for part, of_part in enumerate(spoken) if any(cell(field, one) != at_start for one in of_part)]
        if len(speak) > 1:
            raise _NotSeparable
        self.columns = [(part, to_arrow(field, spoken[part])) for part in speak or [0]]

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
    """(part, entries by rank) in the order of the score sheet; ``sheets``: scores of each part, by rank."""
    import pyarrow as pa

    part_of: dict[str, int] = {}
    for part, of_part in enumerate(sheets):
        for box in {box for sheet in of_part for box in sheet}:
            if part_of.setdefault(box, part) != part:
                raise _NotSeparable
    columns = []
    for part, boxes in groupby((box for box in field.allowed if box in part_of), key=lambda box: part_of[box]):
        together = list(boxes)
        entries = [{box: sheet[box] for box in together if box in sheet} for sheet in sheets[part]]
        columns.append((part, pa.array(["," + field.show(some) if some else "" for some in entries], pa.string())))
    return columns
