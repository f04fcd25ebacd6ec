"""Which decisions an export lists: the boards of a slice, and the rows that a turn has on each of them.

A row is a decision as a question would put it: a state of the turn on a board, in the words of ``game.describe``. To
ask that for every state on every board would take longer than to find the values. So it is asked for every state on one
board and for one state on every board, and the two are laid together: a field that is the same in all rows of the first
board belongs to the board, any other to the turn. Rows of every block of boards, taken at random, are described and
located one by one to check that; where a game's fields do not come apart like this, ``Interwoven`` is raised, and a
more careful one of the ``WAYS`` to describe boards has to be taken.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rollwise.reading.door import as_spelt, check_board, the_fields
from rollwise.solver.game.errors import BadInput, ModelError, StateError
from rollwise.solver.game.fields import Field, Number
from rollwise.solver.game.model import Choice, State, TurnGame
from rollwise.solver.game.plain import is_nothing
from rollwise.solver.kinds import kind_of
from rollwise.solver.turn.graph import states_in_order
from rollwise.solver.turn.query import Move, moves_of, word_asked
from rollwise.tables.levels import Levels, levels_of

Ints = NDArray[np.int64]
Board = dict[str, int]
Fields = dict[str, Any]  # field values by name, as ``game.locate`` takes them
CHUNK = 1 << 16  # boards looked at in one go
SAMPLED = 1000  # boards that say which fields belong to the board
CHECKED = 60  # rows of each block that are described and located one by one
ABSENT = object()  # the value, in a slice, of a field that its decisions do not have
WAYS = ("by parts", "by board", "in full")  # how boards are described: from quick to careful


class Interwoven(Exception):
    """A field of this game depends on the board and on the turn together."""


@dataclass(frozen=True)
class Decision:
    """A state of the turn with the moves that it names, in the game's own order."""

    state: State
    moves: tuple[Move, ...]


def decisions(game: TurnGame, root: State) -> list[Decision]:
    """The decisions of the turns that start in ``root``, earlier ones first, with all moves that a question has."""
    found = []
    for state, word in states_in_order(game.turn, [root]):
        moves = moves_of(game, word_asked(game, state)) if isinstance(word, Choice) else []
        if moves:
            found.append(Decision(state, tuple(moves)))
    replies = [Decision(state, tuple(moves_of(game, word_asked(game, state)))) for state in game.answers(root)]
    return [*found[::-1], *replies]


def the_slice(game: TurnGame, given: Mapping[str, Any]) -> Fields:
    """Checked field values of a slice: as in a question, or ABSENT for ``none``, where that is no value of the field.

    >>> from rollwise.reading.door import the_game
    >>> the_slice(the_game("yahtzee"), {"roll": "none"})["roll"] is ABSENT
    True
    """
    known = {field.name: field for field in game.fields()}
    said = as_spelt(game, given)
    nothing = {name for name, value in said.items() if isinstance(value, str) and is_nothing(value)}
    absent = {name for name in nothing if not _has_none(known[name])}
    checked = the_fields(game, {name: value for name, value in said.items() if name not in absent})
    return checked | dict.fromkeys(absent, ABSENT)


def _has_none(field: Field) -> bool:
    """Is ``none`` a value of this field, such as an empty list?"""
    try:
        field.parse("none")
    except BadInput:
        return False
    return True


def shown(field: Field, fields: Mapping[str, Any]) -> str | None:
    """A field as text, None where it is absent."""
    value = fields.get(field.name, ABSENT)
    return None if value is ABSENT else field.show(value)


def cell(field: Field, fields: Mapping[str, Any]) -> int | str | None:
    """A field as a table has it: a number as it is, anything else as it is typed, None where it is absent."""
    return fields.get(field.name) if isinstance(field, Number) else shown(field, fields)


class Sheet:
    """The rows of the turns that start in one root, on one ``board`` of that root.

    ``rows`` are field values, sorted; ``decision`` the place of each row's decision in ``listed``, ``used`` those that
    have a row, in order; ``points`` what each row has on the sheet already; ``constant`` the fields that are equal in
    all rows. ``said`` are fields of the board in the user's own words, which replace those of ``describe``. Only rows
    that agree with ``wanted`` are kept; of constant fields that is asked only with ``apart`` False, since on other
    boards they are others.
    """

    def __init__(
        self, game: TurnGame, listed: list[Decision], board: Board, said: Fields, wanted: Fields, apart: bool
    ) -> None:
        self.game, self.listed, self.said = game, listed, said
        self.known = {field.name: field for field in game.fields()}
        described = [[{**fields, **said} for fields in game.describe(board, one.state)] for one in listed]
        found = [(place, number, row) for place, rows in enumerate(described) for number, row in enumerate(rows)]
        self.count = [len(rows) for rows in described]
        self.first = found[0] if found else None
        base = found[0][2] if found else {}
        self.constant = {name for name in self.known if all(_same(name, row, base) for *_, row in found)}
        asked = [name for name in wanted if name not in said and not (apart and name in self.constant)]
        checks = [(self.known[name], shown(self.known[name], wanted)) for name in asked]
        kept = [row for row in found if all(shown(field, row[2]) == text for field, text in checks)]
        kept.sort(key=lambda row: [_rank(row[2].get(name)) for name in self.known])
        self.rows = [row for *_, row in kept]
        self.decision = np.array([place for place, *_ in kept], dtype=np.int64)
        self.used = np.unique(self.decision)
        self.number = [number for _, number, _ in kept]
        self.points = np.array([self.points_of(board, place, row) for place, _, row in kept])
        self.first_points = self.points_of(board, found[0][0], base) if found else 0.0

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
        """The first row's fields on another board; raises Interwoven if that row is not there."""
        assert self.first is not None
        place, number, base = self.first
        there = list(self.game.describe(board, self.listed[place].state))
        if number >= len(there):
            raise Interwoven
        part = {**there[number], **self.said}
        if not all(_same(name, part, base) for name in self.known if name not in self.constant):
            raise Interwoven
        return part

    def more_points(self, board: Board, part: Fields) -> float:
        """How many more points every row has on the board whose first row is ``part``."""
        assert self.first is not None
        return self.points_of(board, self.first[0], part) - self.first_points

    def check(
        self, boards: Ints, board_of: Callable[[int], Board], said_of: Callable[[int], tuple[Fields, float]]
    ) -> None:
        """Describe and locate some rows on these boards; raises Interwoven where they are not as laid together.

        ``board_of`` a lane is its board, ``said_of`` it the constant fields, as cells, and how many more points every
        row has there.
        """
        draw = random.Random(int(boards[-1]))
        for _ in range(CHECKED):
            lane, row, any_place = (draw.randrange(n) for n in (len(boards), len(self.rows), len(self.listed)))
            place, board = int(self.decision[row]), board_of(lane)
            there = list(self.game.describe(board, self.listed[place].state))
            beside = sum(1 for _ in self.game.describe(board, self.listed[any_place].state))
            if len(there) != self.count[place] or beside != self.count[any_place]:
                raise Interwoven
            whole = {**there[self.number[row]], **self.said}
            points = self.points_of(board, place, whole)
            cells, more = said_of(lane)
            if points != float(self.points[row]) + more:
                raise Interwoven
            for name, field in self.known.items():
                same = cell(field, whole) == cells[name] if name in cells else _same(name, whole, self.rows[row])
                if not same:
                    raise Interwoven


def _same(name: str, one: Fields, other: Fields) -> bool:
    return bool(one.get(name, ABSENT) == other.get(name, ABSENT))


def _rank(value: Any) -> tuple[Any, ...]:
    """Rows are sorted field by field, absent ones first; so are lists by seat, of which some have nothing."""
    if isinstance(value, tuple):
        return (tuple(_rank(part) for part in value),)
    return () if value is None else (tuple(value.items()) if isinstance(value, dict) else value,)


class Slice:
    """The boards (``chosen``: bool, one a board) and rows that agree with the fields ``given``, of these ``levels``.

    ``way`` is one of WAYS. ``n_rows`` counts rows without a legal move too. Raises BadInput where the game has no
    decisions, or no levels, StateError where none agrees.
    """

    def __init__(self, game: TurnGame, given: Fields, way: str = WAYS[0], levels: Levels | None = None) -> None:
        self.game, self.given, self.way, self.levels = game, given, way, levels
        self.has_replies = kind_of(game).mixes  # on every board both players decide: its fields are seen from two sides
        self.apart = way != "in full" and not self.has_replies
        self.space = game.boards()
        self.said: Fields = {}
        self.n_rows = 0
        self.chosen = np.zeros(self.space.size, dtype=bool)
        self.is_one_board = False  # do the fields name a single board?
        self._level_of: NDArray[np.int32] | None = None
        self._decisions: dict[int, list[Decision]] = {}
        self._sheets: dict[int, Sheet] = {}
        refused = self._one_board() if given else None
        if not self.is_one_board:
            for boards, roots in self._chunks():
                self._choose(boards, roots)
        if self.n_rows == 0:
            if self._sheets and all(sheet.first is None for sheet in self._sheets.values()):
                raise BadInput(f"{game.name} has no decisions to export")
            raise refused or StateError(f"no decision of {game} has {self.told()}")

    def told(self) -> str:
        """The slice in words."""
        words = [f"{name}={text}" for name, text in self.words().items()]
        return ", ".join(words + ([f"a level of {self.levels}"] if self.levels else []))

    def words(self) -> dict[str, str]:
        """The fields given, as they are typed."""
        return {one.name: shown(one, self.given) or "none" for one in self.game.fields() if one.name in self.given}

    def decisions(self, root: int) -> list[Decision]:
        """The decisions of turns from this root (by its place)."""
        if root not in self._decisions:
            self._decisions[root] = decisions(self.game, tuple(self.game.roots()[root]))
        return self._decisions[root]

    def sheet(self, root: int, board: Board) -> Sheet:
        """The rows of this board; with ``apart`` those of some board of this root, to be laid over."""
        if self.apart and root in self._sheets:
            return self._sheets[root]
        made = Sheet(self.game, self.decisions(root), board, self.said, self.given, self.apart)
        self._sheets[root] = made
        return made

    def boards(self, indices: Ints) -> list[Board]:
        """Boards by index, as plain integers."""
        columns = self.space.columns(indices).as_dict()
        lists = [
            column.tolist() if column.ndim == 1 else list(zip(*column.tolist(), strict=True))
            for column in columns.values()
        ]
        return [dict(zip(columns, numbers, strict=True)) for numbers in zip(*lists, strict=True)]

    @property
    def n_boards(self) -> int:
        """How many boards are chosen."""
        return int(self.chosen.sum())

    def by_level(self) -> dict[int, int]:
        """How many of the boards each level has; from then on ``blocks`` can be asked for a level's."""
        counts: dict[int, int] = {}
        level_of = np.zeros(self.space.size, dtype=np.int32)
        for boards in self._gathered(self.chosen):
            level_of[boards] = found = levels_of(self.game, self.space.columns(boards))
            for level, count in zip(*np.unique(found, return_counts=True), strict=True):
                counts[int(level)] = counts.get(int(level), 0) + int(count)
        self._level_of = level_of
        return dict(sorted(counts.items()))

    def blocks(self, level: int | None = None) -> Iterator[tuple[int, Ints]]:
        """(root, at most CHUNK boards whose turns start there), in the order of the boards: all, or a level's."""
        assert level is None or self._level_of is not None
        for boards in self._gathered(self.chosen if level is None else self.chosen & (self._level_of == level)):
            roots = self._roots(boards)
            for root in np.unique(roots).tolist():
                yield root, boards[roots == root]

    # --- which boards ------------------------------------------------------------------------------------------------

    def _chunks(self) -> Iterator[tuple[Ints, Ints]]:
        """(boards, the places of their roots) of all boards that are possible."""
        for begin in range(0, self.space.size, CHUNK):
            boards = np.arange(begin, min(begin + CHUNK, self.space.size))
            boards = boards[np.broadcast_to(self.game.possible(self.space.columns(boards)), len(boards))]
            if len(boards):
                yield boards, self._roots(boards)

    def _gathered(self, among: NDArray[np.bool_]) -> Iterator[Ints]:
        """The boards where ``among`` is True, CHUNK of them at a time."""
        waiting = np.zeros(0, dtype=np.int64)
        for begin in range(0, self.space.size, CHUNK):
            found = np.flatnonzero(among[begin : begin + CHUNK])
            if len(found):
                waiting = np.concatenate([waiting, begin + found])
            if len(waiting) >= CHUNK:
                yield waiting[:CHUNK]
                waiting = waiting[CHUNK:]
        if len(waiting):
            yield waiting

    def _roots(self, boards: Ints) -> Ints:
        return np.broadcast_to(np.asarray(self.game.root(self.space.columns(boards))), len(boards))

    def _choose(self, boards: Ints, roots: Ints) -> None:
        """Choose those of these boards that agree with the fields given and the levels, and count their rows."""
        if self.levels is not None:
            wanted = self.levels.holds(levels_of(self.game, self.space.columns(boards)))
            boards, roots = boards[wanted], roots[wanted]
        for root in np.unique(roots).tolist():
            here = boards[roots == root]
            sheet = self.sheet(root, self.boards(here[:1])[0])
            if self.apart and sheet.first is None:
                continue
            counts = self._counts(root, sheet, here)
            self.chosen[here] = counts > 0
            self.n_rows += int(counts.sum())

    def _counts(self, root: int, sheet: Sheet, indices: Ints) -> Ints:
        """How many rows each of these boards has."""
        if not self.apart:
            return np.array([len(self.sheet(root, board).rows) for board in self.boards(indices)])
        asked = [sheet.known[name] for name in self.given if name in sheet.constant and name not in self.said]
        if not asked:
            return np.full(len(indices), len(sheet.rows))
        words = [shown(field, self.given) for field in asked]
        parts = map(sheet.on, self.boards(indices))
        return np.array([len(sheet.rows) * ([shown(field, part) for field in asked] == words) for part in parts])

    def _one_board(self) -> StateError | None:
        """Choose the board that the fields name, if they name a single one: its fields are then shown as given."""
        fixed = self._board_fields()
        if self.has_replies or not fixed <= set(self.given):
            return None
        said = {name: value for name, value in self.given.items() if name in fixed and value is not ABSENT}
        try:
            position = self.game.locate(**said)
        except StateError as error:
            return error
        index = np.array([check_board(self.game, position.board)])
        self.is_one_board, self.said = True, said
        self._choose(index, self._roots(index))
        return None

    def _board_fields(self) -> set[str]:
        """Fields that are not the same on all of some boards taken at random."""
        draw = np.random.default_rng(0)
        few = self.space.size <= 4 * CHUNK
        tried = np.arange(self.space.size) if few else np.unique(draw.integers(self.space.size, size=4 * CHUNK))
        found = tried[np.broadcast_to(self.game.possible(self.space.columns(tried)), len(tried))]
        if len(found) < SAMPLED and not few:
            found = np.concatenate([boards for boards, _ in self._chunks()])
        sample = np.sort(draw.permutation(found)[:SAMPLED])
        fields = self.game.fields()
        seen: dict[str, set[str | None]] = {field.name: set() for field in fields}
        first: dict[int, State | None] = {}
        for root, board in zip(self._roots(sample).tolist(), self.boards(sample), strict=True):
            if root not in first:
                states = (
                    one.state for one in self.decisions(root) if any(True for _ in self.game.describe(board, one.state))
                )
                first[root] = next(states, None)
            state = first[root]
            for part in () if state is None else self.game.describe(board, state):
                for field in fields:
                    seen[field.name].add(shown(field, part))
        return {name for name, texts in seen.items() if len(texts) > 1}
