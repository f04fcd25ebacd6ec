"""Decisions of an export: the boards of a slice, and the rows of a turn on each of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rollwise.parsing.validate import canonical_fields, check_board, parse_fields
from rollwise.policy_tables.row_template import ABSENT, Board, DecisionPoint, Fields, Template, decisions, field_text
from rollwise.solver.kinds import kind_of
from rollwise.solver.model.errors import BadInput, StateError
from rollwise.solver.model.fields import Field
from rollwise.solver.model.game import Columns, TurnGame
from rollwise.solver.model.names import matched
from rollwise.solver.model.plain import is_empty, is_nothing, plain, quoted
from rollwise.solver.model.rows import Rows

Ints = NDArray[np.int64]
CHUNK_BOARDS = 1 << 16  # boards per vectorised step
LEVEL_SPAN = re.compile(r"(0|[1-9][0-9]{0,8})(?:-(0|[1-9][0-9]{0,8}))?")  # a level, or first and last


def parse_slice(game: TurnGame, values: Mapping[str, Any]) -> Fields:
    """Checked field values of a slice: as in a question, or ABSENT for ``none`` if that is no value of the field.

    >>> from rollwise.parsing.validate import parse_game
    >>> parse_slice(parse_game("yahtzee"), {"roll": "none"})["roll"] is ABSENT
    True
    """
    declared = {field.name: field for field in game.fields()}
    arguments = canonical_fields(game, values)
    empty = {name for name, value in arguments.items() if is_nothing(value) or is_empty(value)}
    absent = {name for name in empty if not _has_none(declared[name])}
    checked = parse_fields(game, {name: value for name, value in arguments.items() if name not in absent})
    return checked | dict.fromkeys(absent, ABSENT)


def described_game(game: TurnGame, values: Mapping[str, Any]) -> TurnGame:
    """The game described by the target still needed, or itself if one of its own fields is given; raises BadInput."""
    described: TurnGame = game.by_needed()
    ours, theirs = ({field.name for field in one.fields()} for one in (game, described))
    names = [name for name, value in values.items() if value is not None]
    own, needed = ([name for name in names if matched(name, among)] for among in (ours - theirs, theirs - ours))
    if own and needed:
        raise BadInput(f"{needed[0]} fixes it already; leave {' and '.join(own)} out", field=needed[0])
    return game if own else described


def _has_none(field: Field) -> bool:
    """True if ``none`` is a value of this field, such as an empty list."""
    try:
        field.parse("none")
    except BadInput:
        return False
    return True


@dataclass(frozen=True)
class Levels:
    """A set of levels, as spans (first, last).

    >>> levels = Levels.of("14-16,3")
    >>> levels.spans, levels.holds(np.array([3, 4, 16])).tolist()
    (((14, 16), (3, 3)), [True, False, True])
    """

    spans: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, value: Any) -> Levels:
        """The levels of text like ``14-16`` or ``0,3,5-7``, or of one or several whole numbers; raises BadInput."""
        value = plain(value)
        parts = value.split(",") if isinstance(value, str) else value if isinstance(value, Iterable) else [value]
        spans = []
        for part in map(str, parts):
            match = LEVEL_SPAN.fullmatch(part.strip())
            first, last = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
            if first > last:
                raise BadInput(f"levels are like 14-16 or 0,3,5-7, got {quoted(value)}")
            spans.append((first, last))
        if not spans:
            raise BadInput("levels are like 14-16 or 0,3,5-7, got none")
        return cls(tuple(spans))

    def holds(self, levels: Ints) -> NDArray[np.bool_]:
        """Mask of the levels in the set."""
        among = np.zeros(levels.shape, dtype=bool)
        for first, last in self.spans:
            among |= (first <= levels) & (levels <= last)
        return among

    def __str__(self) -> str:
        return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in self.spans)


def board_levels(game: TurnGame, boards: Columns) -> Ints:
    """The level of each board; raises BadInput where the game has none."""
    levels = game.level(boards)
    if levels is None:
        raise BadInput(f"the boards of {game.name} have no levels; export it, or a slice of it, as one file")
    return np.broadcast_to(np.asarray(levels, dtype=np.int64), len(boards))


class Slice:
    """The boards (``chosen``: bool, shape (boards,)) and rows that agree with these ``fields``, of these ``levels``.

    ``separable``: each field belongs to the board or to the turn, so that one template serves all boards. ``n_rows``
    includes rows without a legal move. ``solved_game``: the game to solve, if ``game`` only describes its boards;
    ``part_fields``: the fields of its part. Raises BadInput without decisions or levels, StateError without rows.
    """

    def __init__(
        self,
        game: TurnGame,
        fields: Fields,
        levels: Levels | None = None,
        solved_game: TurnGame | None = None,
        part_fields: Fields | None = None,
    ) -> None:
        self.game, self.fields, self.levels = game, fields, levels
        self.solved_game, self.part_fields = solved_game or game, part_fields or {}
        self.separable = all(field.of != "both" for field in game.fields())
        self.space = game.boards()
        self.own_fields: Fields = {}  # fields of the single board, as given
        self.n_rows = 0
        self.chosen = np.zeros(self.space.size, dtype=bool)
        self.is_one_board = False  # True if the fields determine a single board
        self._level_of: NDArray[np.int32] | None = None
        self._decisions: dict[int, list[DecisionPoint]] = {}
        self._sheets: dict[int, Template] = {}
        refused = self._select_single_board() if fields else None
        if not self.is_one_board:
            for boards in self._possible_boards():
                self._select(boards)
        if self.n_rows == 0:
            if self._sheets and all(sheet.first is None for sheet in self._sheets.values()):
                raise BadInput(f"{game.name} has no decisions to export")
            raise refused or StateError(f"no decision of {game} has {self.description()}")

    def description(self) -> str:
        """The slice in words, for errors."""
        typed_fields = [f"{name}={text}" for name, text in self.typed_fields().items()]
        return ", ".join(typed_fields + ([f"a level of {self.levels}"] if self.levels else []))

    def typed_fields(self) -> dict[str, str]:
        """The fields of the slice, as users type them."""
        fields = {**self.part_fields, **self.fields}
        return {one.name: field_text(one, fields) or "none" for one in self.game.fields() if one.name in fields}

    def decisions(self, root: int) -> list[DecisionPoint]:
        """The decisions of turns from this root (its place in ``game.roots()``)."""
        if root not in self._decisions:
            self._decisions[root] = decisions(self.game, tuple(self.game.roots()[root]))
        return self._decisions[root]

    def sheet(self, root: int, board: Board) -> Template:
        """The rows of this board; with ``separable`` one template for all boards of this root."""
        if not self.separable or root not in self._sheets:
            self._sheets[root] = Template(
                self.game, self.decisions(root), board, self.own_fields, self.fields, self.separable
            )
        return self._sheets[root]

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
        """The number of boards chosen."""
        return int(self.chosen.sum())

    def sample_boards(self, root: int, max_boards: int) -> Ints:
        """A random sample of the chosen boards whose turns start in this root."""
        draw = np.random.default_rng(0)
        boards = np.unique(draw.integers(self.space.size, size=CHUNK_BOARDS))
        boards = boards[self.chosen[boards]]
        return draw.permutation(boards[self._roots(boards) == root])[:max_boards]

    def by_level(self) -> dict[int, int]:
        """The number of chosen boards of each level; afterwards ``blocks`` takes a level."""
        counts: dict[int, int] = {}
        level_of = np.zeros(self.space.size, dtype=np.int32)
        for boards in self._chunks(self.chosen):
            level_of[boards] = levels = board_levels(self.game, self.space.columns(boards))
            for level, count in zip(*np.unique(levels, return_counts=True), strict=True):
                counts[int(level)] = counts.get(int(level), 0) + int(count)
        self._level_of = level_of
        return dict(sorted(counts.items()))

    def blocks(self, level: int | None = None) -> Iterator[tuple[int, Ints]]:
        """(root, at most CHUNK_BOARDS boards whose turns start there) in the order of boards; of one level or all."""
        assert level is None or self._level_of is not None
        for boards in self._chunks(self.chosen if level is None else self.chosen & (self._level_of == level)):
            yield from self._by_root(boards)

    # --- which boards ------------------------------------------------------------------------------------------------

    def _possible_boards(self) -> Iterator[Ints]:
        """All possible boards, in chunks."""
        for begin in range(0, self.space.size, CHUNK_BOARDS):
            boards = np.arange(begin, min(begin + CHUNK_BOARDS, self.space.size))
            yield boards[np.broadcast_to(self.game.possible(self.space.columns(boards)), len(boards))]

    def _chunks(self, mask: NDArray[np.bool_]) -> Iterator[Ints]:
        """The boards where ``mask`` is True, CHUNK_BOARDS at a time."""
        pending = np.zeros(0, dtype=np.int64)
        for begin, end in self._board_spans():
            some = np.flatnonzero(mask[begin:end])
            if len(some):
                pending = np.concatenate([pending, begin + some])
            if len(pending) >= CHUNK_BOARDS:
                yield pending[:CHUNK_BOARDS]
                pending = pending[CHUNK_BOARDS:]
        if len(pending):
            yield pending

    def _board_spans(self) -> Iterator[tuple[int, int]]:
        """Spans (first, end) of at most CHUNK_BOARDS boards in order; in a space of rows low levels come first."""
        cuts = np.array([0, self.space.size])
        if isinstance(self.space, Rows):
            starts = self.space.begins
            levels = board_levels(self.game, self.space.columns(starts[:-1]))
            cuts = starts[np.flatnonzero(np.diff(levels, prepend=-1, append=-1))]
        for low, high in zip(cuts[-2::-1].tolist(), cuts[:0:-1].tolist(), strict=True):
            for begin in range(low, high, CHUNK_BOARDS):
                yield begin, min(begin + CHUNK_BOARDS, high)

    def _roots(self, boards: Ints) -> Ints:
        return np.broadcast_to(np.asarray(self.game.root(self.space.columns(boards))), len(boards))

    def _by_root(self, boards: Ints) -> Iterator[tuple[int, Ints]]:
        roots = self._roots(boards)
        for root in np.unique(roots).tolist():
            yield root, boards[roots == root]

    def _select(self, boards: Ints) -> None:
        """Choose the boards that agree with fields and levels, and count their rows."""
        if self.levels is not None:
            boards = boards[self.levels.holds(board_levels(self.game, self.space.columns(boards)))]
        for root, here in self._by_root(boards):
            sheet = self.sheet(root, self.boards(here[:1])[0])
            if self.separable and sheet.first is None:
                if sheet.listed:
                    sheet.check(here, self.boards)
                continue
            counts = self._row_counts(root, sheet, here)
            self.chosen[here] = counts > 0
            self.n_rows += int(counts.sum())

    def _row_counts(self, root: int, sheet: Template, indices: Ints) -> Ints:
        """The number of rows of each of these boards."""
        if not self.separable:
            return np.array([len(self.sheet(root, board).rows) for board in self.boards(indices)])
        narrowing = [field for field in sheet.of_board if field.name in self.fields.keys() - self.own_fields.keys()]
        if not narrowing:
            return np.full(len(indices), len(sheet.rows))
        texts = [field_text(field, self.fields) for field in narrowing]
        parts = map(sheet.on, self.boards(indices))
        return np.array(
            [len(sheet.rows) * ([field_text(field, part) for field in narrowing] == texts) for part in parts]
        )

    def _select_single_board(self) -> StateError | None:
        """Choose the board of the fields if they determine a single one; its fields are then written as given."""
        if kind_of(self.game).is_mixed:  # both players decide on every board, so its fields have two views
            return None
        of_board = {field.name for field in self.game.fields() if field.of != "turn"}
        own_fields = {
            name: self.fields[name] for name in of_board & self.fields.keys() if self.fields[name] is not ABSENT
        }
        try:
            position = self.game.locate(**own_fields)
            index = np.array([check_board(self.game, position.board)])
        except StateError as error:
            return error if of_board <= self.fields.keys() else None
        first = self._first_row(*next(self._by_root(index)))
        completed = self.game.completed(own_fields, first)  # without fields that other states of the board lack
        usual = {each.name: each.left_out for each in self.game.fields() if completed.get(each.name) is not None}
        missing = {name for name in (of_board & usual.keys()) - self.fields.keys() if first.get(name) != usual[name]}
        if not missing | (self._fields_of_root() - self.fields.keys()):
            self.is_one_board, self.own_fields = True, own_fields
            self._select(index)
        return None

    def _fields_of_root(self) -> set[str]:
        """Fields of the turn that differ between roots, so that they help to determine the board."""
        if len(self.game.roots()) == 1:
            return set()
        firsts = {root: indices for boards in self._possible_boards() for root, indices in self._by_root(boards)}
        rows = [row for root, indices in firsts.items() if (row := self._first_row(root, indices))]
        return {field.name for field in self.game.fields() if len({field_text(field, row) for row in rows}) > 1}

    def _first_row(self, root: int, boards: Ints) -> Fields:
        """The fields of the first decision on the first of these boards, whose turns start in this root."""
        board = self.boards(boards[:1])[0]
        return next((row for one in self.decisions(root) for row in self.game.describe(board, one.state)), {})
