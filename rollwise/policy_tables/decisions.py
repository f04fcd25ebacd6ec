"""Which decisions an export lists: the boards of a slice, and the rows that a turn has on each of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rollwise.parsing.validate import as_spelt, check_board, the_fields
from rollwise.policy_tables.sheets import ABSENT, Board, DecisionPoint, Fields, Sheet, decisions, shown
from rollwise.solver.kinds import kind_of
from rollwise.solver.model.errors import BadInput, StateError
from rollwise.solver.model.fields import Field
from rollwise.solver.model.game import Columns, TurnGame
from rollwise.solver.model.names import matched
from rollwise.solver.model.plain import is_empty, is_nothing, plain, quoted
from rollwise.solver.model.rows import Rows

Ints = NDArray[np.int64]
CHUNK = 1 << 16  # boards looked at in one go
SPAN = re.compile(r"(0|[1-9][0-9]{0,8})(?:-(0|[1-9][0-9]{0,8}))?")  # a level, or first and last


def the_slice(game: TurnGame, given: Mapping[str, Any]) -> Fields:
    """Checked field values of a slice: as in a question, or ABSENT for ``none``, where that is no value of the field.

    >>> from rollwise.parsing.validate import the_game
    >>> the_slice(the_game("yahtzee"), {"roll": "none"})["roll"] is ABSENT
    True
    """
    known = {field.name: field for field in game.fields()}
    spelt = as_spelt(game, given)
    nothing = {name for name, value in spelt.items() if is_nothing(value) or is_empty(value)}
    absent = {name for name in nothing if not _has_none(known[name])}
    checked = the_fields(game, {name: value for name, value in spelt.items() if name not in absent})
    return checked | dict.fromkeys(absent, ABSENT)


def told_by(game: TurnGame, said: Mapping[str, Any]) -> TurnGame:
    """The game told by what is needed, or as it is where one of its own fields is said instead; raises BadInput."""
    told: TurnGame = game.by_needed()
    ours, its = ({field.name for field in one.fields()} for one in (game, told))
    names = [name for name, value in said.items() if value is not None]
    own, needed = ([name for name in names if matched(name, among)] for among in (ours - its, its - ours))
    if own and needed:
        raise BadInput(f"{needed[0]} says it already; leave {' and '.join(own)} out", field=needed[0])
    return game if own else told


def _has_none(field: Field) -> bool:
    """Is ``none`` a value of this field, such as an empty list?"""
    try:
        field.parse("none")
    except BadInput:
        return False
    return True


@dataclass(frozen=True)
class Levels:
    """Some levels, as spans (first, last).

    >>> levels = Levels.of("14-16,3")
    >>> levels.spans, levels.holds(np.array([3, 4, 16])).tolist()
    (((14, 16), (3, 3)), [True, False, True])
    """

    spans: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, given: Any) -> Levels:
        """The levels typed as ``14-16`` or ``0,3,5-7``, or given as a whole number or several; raises BadInput."""
        given = plain(given)
        parts = given.split(",") if isinstance(given, str) else given if isinstance(given, Iterable) else [given]
        spans = []
        for part in map(str, parts):
            match = SPAN.fullmatch(part.strip())
            first, last = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
            if first > last:
                raise BadInput(f"levels are like 14-16 or 0,3,5-7, got {quoted(given)}")
            spans.append((first, last))
        if not spans:
            raise BadInput("levels are like 14-16 or 0,3,5-7, got none")
        return cls(tuple(spans))

    def holds(self, levels: Ints) -> NDArray[np.bool_]:
        """Which of these are among them."""
        among = np.zeros(levels.shape, dtype=bool)
        for first, last in self.spans:
            among |= (first <= levels) & (levels <= last)
        return among

    def __str__(self) -> str:
        return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in self.spans)


def levels_of(game: TurnGame, boards: Columns) -> Ints:
    """The level of each board; raises BadInput where the game has none."""
    levels = game.level(boards)
    if levels is None:
        raise BadInput(f"the boards of {game.name} have no levels; export it, or a slice of it, as one file")
    return np.broadcast_to(np.asarray(levels, dtype=np.int64), len(boards))


class Slice:
    """The boards (``chosen``: bool, one a board) and rows that agree with these ``fields``, of these ``levels``.

    ``apart``: do fields belong to the board or to the turn, so that one sheet can be laid on all boards? ``n_rows``
    counts rows without a legal move too. ``solves`` is the game itself, where it is not told as it is asked;
    ``begins`` are fields that say which part of it that is. Raises BadInput where the game has no decisions, or no
    levels, StateError where none agrees.
    """

    def __init__(
        self,
        game: TurnGame,
        fields: Fields,
        levels: Levels | None = None,
        solves: TurnGame | None = None,
        begins: Fields | None = None,
    ) -> None:
        self.game, self.fields, self.levels = game, fields, levels
        self.solves, self.begins = solves or game, begins or {}
        self.apart = all(field.of != "both" for field in game.fields())
        self.space = game.boards()
        self.own_words: Fields = {}  # fields of the single board, as they were given
        self.n_rows = 0
        self.chosen = np.zeros(self.space.size, dtype=bool)
        self.is_one_board = False  # do the fields name a single board?
        self._level_of: NDArray[np.int32] | None = None
        self._decisions: dict[int, list[DecisionPoint]] = {}
        self._sheets: dict[int, Sheet] = {}
        refused = self._one_board() if fields else None
        if not self.is_one_board:
            for boards in self._possible():
                self._choose(boards)
        if self.n_rows == 0:
            if self._sheets and all(sheet.first is None for sheet in self._sheets.values()):
                raise BadInput(f"{game.name} has no decisions to export")
            raise refused or StateError(f"no decision of {game} has {self.in_words()}")

    def in_words(self) -> str:
        """The slice in words."""
        words = [f"{name}={text}" for name, text in self.words().items()]
        return ", ".join(words + ([f"a level of {self.levels}"] if self.levels else []))

    def words(self) -> dict[str, str]:
        """The fields given, as they are typed."""
        said = {**self.begins, **self.fields}
        return {one.name: shown(one, said) or "none" for one in self.game.fields() if one.name in said}

    def decisions(self, root: int) -> list[DecisionPoint]:
        """The decisions of turns from this root (by its place)."""
        if root not in self._decisions:
            self._decisions[root] = decisions(self.game, tuple(self.game.roots()[root]))
        return self._decisions[root]

    def sheet(self, root: int, board: Board) -> Sheet:
        """The rows of this board; with ``apart`` those of some board of this root, to be laid over."""
        if not self.apart or root not in self._sheets:
            self._sheets[root] = Sheet(self.game, self.decisions(root), board, self.own_words, self.fields, self.apart)
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
        """How many boards are chosen."""
        return int(self.chosen.sum())

    def some(self, root: int, most: int) -> Ints:
        """Some of the boards chosen whose turns start in this root."""
        draw = np.random.default_rng(0)
        boards = np.unique(draw.integers(self.space.size, size=CHUNK))
        boards = boards[self.chosen[boards]]
        return draw.permutation(boards[self._roots(boards) == root])[:most]

    def by_level(self) -> dict[int, int]:
        """How many of the boards each level has; from then on ``blocks`` can be asked for a level's."""
        counts: dict[int, int] = {}
        level_of = np.zeros(self.space.size, dtype=np.int32)
        for boards in self._gathered(self.chosen):
            level_of[boards] = levels = levels_of(self.game, self.space.columns(boards))
            for level, count in zip(*np.unique(levels, return_counts=True), strict=True):
                counts[int(level)] = counts.get(int(level), 0) + int(count)
        self._level_of = level_of
        return dict(sorted(counts.items()))

    def blocks(self, level: int | None = None) -> Iterator[tuple[int, Ints]]:
        """(root, at most CHUNK boards whose turns start there), in the order of the boards: all, or a level's."""
        assert level is None or self._level_of is not None
        for boards in self._gathered(self.chosen if level is None else self.chosen & (self._level_of == level)):
            yield from self._by_root(boards)

    # --- which boards ------------------------------------------------------------------------------------------------

    def _possible(self) -> Iterator[Ints]:
        """All boards that are possible."""
        for begin in range(0, self.space.size, CHUNK):
            boards = np.arange(begin, min(begin + CHUNK, self.space.size))
            yield boards[np.broadcast_to(self.game.possible(self.space.columns(boards)), len(boards))]

    def _gathered(self, among: NDArray[np.bool_]) -> Iterator[Ints]:
        """The boards where ``among`` is True, CHUNK of them at a time."""
        waiting = np.zeros(0, dtype=np.int64)
        for begin, end in self._spans():
            some = np.flatnonzero(among[begin:end])
            if len(some):
                waiting = np.concatenate([waiting, begin + some])
            if len(waiting) >= CHUNK:
                yield waiting[:CHUNK]
                waiting = waiting[CHUNK:]
        if len(waiting):
            yield waiting

    def _spans(self) -> Iterator[tuple[int, int]]:
        """Boards in their order, from first to end, at most CHUNK; rows from the first level on, not the last."""
        cuts = np.array([0, self.space.size])
        if isinstance(self.space, Rows):
            begins = self.space.begins
            levels = levels_of(self.game, self.space.columns(begins[:-1]))
            cuts = begins[np.flatnonzero(np.diff(levels, prepend=-1, append=-1))]
        for low, high in zip(cuts[-2::-1].tolist(), cuts[:0:-1].tolist(), strict=True):
            for begin in range(low, high, CHUNK):
                yield begin, min(begin + CHUNK, high)

    def _roots(self, boards: Ints) -> Ints:
        return np.broadcast_to(np.asarray(self.game.root(self.space.columns(boards))), len(boards))

    def _by_root(self, boards: Ints) -> Iterator[tuple[int, Ints]]:
        roots = self._roots(boards)
        for root in np.unique(roots).tolist():
            yield root, boards[roots == root]

    def _choose(self, boards: Ints) -> None:
        """Choose those of these boards that agree with the fields given and the levels, and count their rows."""
        if self.levels is not None:
            boards = boards[self.levels.holds(levels_of(self.game, self.space.columns(boards)))]
        for root, here in self._by_root(boards):
            sheet = self.sheet(root, self.boards(here[:1])[0])
            if self.apart and sheet.first is None:
                if sheet.listed:
                    sheet.check(here, self.boards)
                continue
            counts = self._counts(root, sheet, here)
            self.chosen[here] = counts > 0
            self.n_rows += int(counts.sum())

    def _counts(self, root: int, sheet: Sheet, indices: Ints) -> Ints:
        """How many rows each of these boards has."""
        if not self.apart:
            return np.array([len(self.sheet(root, board).rows) for board in self.boards(indices)])
        narrowing = [field for field in sheet.of_board if field.name in self.fields.keys() - self.own_words.keys()]
        if not narrowing:
            return np.full(len(indices), len(sheet.rows))
        words = [shown(field, self.fields) for field in narrowing]
        parts = map(sheet.on, self.boards(indices))
        return np.array([len(sheet.rows) * ([shown(field, part) for field in narrowing] == words) for part in parts])

    def _one_board(self) -> StateError | None:
        """Choose the board that the fields name, if they name a single one: its fields are then shown as given."""
        if kind_of(self.game).mixes:  # on every board both players decide: its fields are seen from two sides
            return None
        of_board = {field.name for field in self.game.fields() if field.of != "turn"}
        own_words = {
            name: self.fields[name] for name in of_board & self.fields.keys() if self.fields[name] is not ABSENT
        }
        try:
            position = self.game.locate(**own_words)
            index = np.array([check_board(self.game, position.board)])
        except StateError as error:
            return error if of_board <= self.fields.keys() else None
        here = self._first_row(*next(self._by_root(index)))
        told = self.game.completed(own_words, here)  # without what others on the board need not have
        usual = {each.name: each.left_out for each in self.game.fields() if told.get(each.name) is not None}
        missing = {name for name in (of_board & usual.keys()) - self.fields.keys() if here.get(name) != usual[name]}
        if not missing | (self._of_root() - self.fields.keys()):
            self.is_one_board, self.own_words = True, own_words
            self._choose(index)
        return None

    def _of_root(self) -> set[str]:
        """Fields of the turn that are others where turns begin otherwise, so that they too say which board it is."""
        if len(self.game.roots()) == 1:
            return set()
        firsts = {root: here for boards in self._possible() for root, here in self._by_root(boards)}
        rows = [row for root, here in firsts.items() if (row := self._first_row(root, here))]
        return {field.name for field in self.game.fields() if len({shown(field, row) for row in rows}) > 1}

    def _first_row(self, root: int, boards: Ints) -> Fields:
        """The first question of the turns on the first of these boards, which start in this root."""
        board = self.boards(boards[:1])[0]
        return next((row for one in self.decisions(root) for row in self.game.describe(board, one.state)), {})
