"""A table as a rule: the row of a decision says what is played there."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rollwise.asking.compare.seen import is_asked, legal, listed
from rollwise.asking.question import question, reachable
from rollwise.policy_tables.files import BETWEEN
from rollwise.policy_tables.reading import (
    MOVES,
    NEEDED,
    NOTHING,
    Key,
    TablePart,
    check_description,
    chosen_column,
    key_of,
    read_rows,
    read_table,
    shown_key,
)
from rollwise.solutions.notes import note
from rollwise.solutions.turns import turn_of
from rollwise.solver.kinds import kind_of
from rollwise.solver.kinds.kind import unheard
from rollwise.solver.model.errors import BadInput
from rollwise.solver.model.game import Decision, Position, TurnGame
from rollwise.solver.policy.policy_in_duel import Alike, Best, Contestants
from rollwise.solver.turn.played import Decided, PlayedTurn
from rollwise.solver.turn.query import moves_of, word_asked

MOST_LOOKED_AT = 500  # rows
MOST_LOCATED = 200_000  # rows of a slice that are looked up one by one
EVERYTHING = frozenset(["every field"])  # what a table looks at
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row of a table: where it stands, and what it plays."""

    part: TablePart
    number: int
    move: str

    @property
    def plays(self) -> str:
        """The same in words."""
        return f"{self.part.place(self.number)} plays '{self.move_text}'"

    @property
    def move_text(self) -> str:
        """The move as a message has it."""
        return "" if self.move is None else str(self.move)[:80]


@dataclass(frozen=True)
class OneSheet:
    """Where the rows of a slice are: the ``start`` of the turn that they are all of, the ``fields`` of its board, and
    the last level that rows are of; nothing of it where it is not so.
    """

    start: Position | None = None
    fields: Mapping[str, Any] = field(default_factory=dict)
    last_level: int | None = None


class TableRule:
    """The moves of a table, by the fields of their rows; see ``solver.policy.policy_in_duel.Rule``.

    With ``is_slice`` the table need not have a row for every decision: the best is played in the others. ``described``:
    does the table say what game it is of? ``reached`` and ``held``: decisions that play came to, and those with a row.
    """

    looks_at: Mapping[str, None] = {}

    def __init__(self, game: TurnGame, path: Path, is_slice: bool) -> None:
        self.path, self.is_slice = path, is_slice
        self.parts = read_table(path)
        self.game: TurnGame = game.by_needed() if NEEDED in self.parts[0].columns else game
        self.fields = list(self.game.fields())
        usual = {field.name: field.left_out for field in self.fields if field.left_out is not None}
        self.usual = {name: value for name, value in usual.items() if name in self.parts[0].columns}
        self.space = game.boards()
        self.described = all(part.description is not None for part in self.parts)
        self.moves: dict[Key, TableRow] = {}
        self.located: dict[tuple[int, Any], TableRow] = {}  # of a slice, by board and state
        self.names: dict[Any, frozenset[str]] = {}
        for part in self.parts:
            check_description(game.as_asked(), path, part)
            self._read(part)
        if not self.moves:
            raise BadInput(f"{path} has no rows")
        self.reached = self.held = 0

    # --- read --------------------------------------------------------------------------------------------------------

    def _read(self, part: TablePart) -> None:
        chosen = chosen_column(part, self.fields)
        also = [MOVES] if MOVES in part.columns else []
        listed_moves: set[tuple[str, str]] = set()  # moves with a list of legal ones that they are in
        for number, key, (move, *lists) in read_rows(part, self.game, [chosen, *also], len(self.moves)):
            among = lists[0] if lists else None
            row = TableRow(part, number, move)
            there = self.moves.setdefault(key, row)
            if there is not row:
                raise BadInput(
                    f"{row.plays} at {shown_key(self.fields, key)}, where {there.plays}: one row is too many"
                )
            if not isinstance(move, str) or not isinstance(among, str):
                is_listed = isinstance(move, str) and isinstance(among, list) and move in among
            elif is_listed := (among, move) in listed_moves or move in among.split(BETWEEN):
                listed_moves.add((among, move))
            if not is_listed:
                self._check_move(row, chosen, key)

    def _check_move(self, row: TableRow, column: str, key: Key) -> None:
        """Raise BadInput for a move that this decision can have on no board."""
        state = self._position(row, key).state
        if state not in self.names:
            word = word_asked(self.game, state)
            moves = moves_of(self.game, word) if isinstance(word, Decision) else []
            self.names[state] = frozenset(one.name for one in moves) or frozenset(["roll"])
        if not isinstance(row.move, str) or row.move not in self.names[state]:
            raise BadInput(
                f"{row.part.place(row.number, column)}: '{row.move_text}' is no move at "
                f"{shown_key(self.fields, key)}; {listed(sorted(self.names[state]))}"
            )

    def _position(self, row: TableRow, key: Key) -> Position:
        try:
            return self.game.locate(**self._parsed(key))
        except BadInput as error:
            raise BadInput(f"{row.part.place(row.number)}: {error}") from None

    def _parsed(self, key: Key) -> dict[str, Any]:
        parsed = ((field, field.parse(text)) for field, text in zip(self.fields, key, strict=True) if text != NOTHING)
        return self.usual | {field.name: value for field, value in parsed if value is not None}

    # --- where a slice is --------------------------------------------------------------------------------------------

    def sheet(self) -> OneSheet:
        """Where the rows of a slice are: also notes which decisions they are, since a sheet may be told in many ways.

        Raises BadInput where two rows are one decision and play otherwise.
        """
        if not self.is_slice or len(self.moves) > MOST_LOCATED:
            return OneSheet()
        for key, row in self.moves.items():
            position = self._position(row, key)
            place = self.space.index_of(**position.board), position.state
            if place[0] >= 0:  # one of a larger part
                self._require_same(self.located.setdefault(place, row), row)
        boards = sorted({board for board, _ in self.located})
        levels = self.game.level(self.space.columns(np.array(boards)))
        last = None if levels is None else int(np.max(levels))
        if len(boards) > 1:
            return OneSheet(last_level=last)
        parsed = self._parsed(next(iter(self.moves)))
        names = [field.name for field in self.fields if field.of != "turn" and field.name in parsed]
        of_board = {name: parsed[name] for name in names}
        return OneSheet(self.game.locate(**of_board), of_board, last)

    def _require_same(self, one: TableRow, other: TableRow) -> None:
        if one.move != other.move:
            other_place = f"{other.part.place(other.number)} '{other.move_text}'"
            raise BadInput(
                f"{one.plays} and {other_place}, but they are one decision: the dice that count are the same"
            )

    # --- looked at ---------------------------------------------------------------------------------------------------

    def look(self, start: Position) -> None:
        """Before anything is solved, look whether a table that does not say what it is of can be of this game.

        Raises BadInput for rows that can be no questions, and for a table that is to be whole and lacks rows.
        """
        if self.described:
            return
        note(f"{self.path} does not say what it is of; it is taken to be of {self.game}; -p says other rules")
        graph, rows = turn_of(self.game), list(self.moves.items())
        for key, row in rows[:: len(rows) // MOST_LOOKED_AT + 1]:
            try:
                given, position = question(self.game, self._parsed(key))
                reachable(self.game, given, position)(graph)
            except BadInput as error:
                raise BadInput(f"{row.part.place(row.number)}: {error}") from None
        uses = kind_of(self.game).uses(self.game)
        if not self.is_slice and uses.seats <= 2:
            nothing = Best(lambda board: np.zeros((graph.n_leaves, 3)), lambda boards: (np.zeros(0), np.zeros(0)))
            Contestants(PlayedTurn(self.game, graph), graph, uses, self, unheard, nothing).sample(start.board)

    # --- asked -------------------------------------------------------------------------------------------------------

    def begin(self, boards: Callable[[int], Ints | None], decisions: Sequence[Decided]) -> None:
        """See ``solver.policy.policy_in_duel.Rule``."""
        self.reached = self.held = 0

    def knows(self, board: int) -> bool:
        """See ``solver.policy.policy_in_duel.Rule``."""
        return is_asked(self.game, board)

    def finished(self) -> None:
        """See ``solver.policy.policy_in_duel.Rule``."""

    def key(self, board: int, fields: frozenset[str], decided: Decided) -> None:
        """See ``solver.policy.policy_in_duel.Rule``: no two boards have the same rows."""

    def decide(self, alike: Alike, decided: Decided, names: tuple[str, ...]) -> list[tuple[Alike, str | None]]:
        """See ``solver.policy.policy_in_duel.Rule``: every board has rows of its own."""
        return [
            (Alike(np.array([board]), EVERYTHING), self._move(board, decided, names)) for board in alike.boards.tolist()
        ]

    def _move(self, board: int, decided: Decided, names: tuple[str, ...]) -> str | None:
        described = list(self.game.describe(self.space.board(board), decided.state))
        if not described:
            return None
        self.reached += 1
        keys = [key_of(self.fields, fields) for fields in described]
        rows = [self.moves[key] for key in keys if key in self.moves]
        if (board, decided.state) in self.located:
            rows.append(self.located[board, decided.state])
        if not rows:
            if self.is_slice:
                return None
            raise self._missing(keys[0], "--slice")
        self.held += 1
        for row in rows[1:]:
            self._require_same(rows[0], row)
        return legal(rows[0].move, names, f"{rows[0].plays} at {shown_key(self.fields, keys[0])}", decided.names)

    def plays(self, state: Mapping[str, Any], moves: Sequence[str]) -> str:
        """The move in a state that is told by its fields, whatever else is legal; raises BadInput without a row."""
        key = key_of(self.fields, state)
        if key not in self.moves:
            raise self._missing(key)
        return self.moves[key].move

    def _missing(self, key: Key, hint: str = "") -> BadInput:
        missing = f"{self.path} has no row for {shown_key(self.fields, key)}"
        if self.described:
            return BadInput(missing, hint=hint)
        return BadInput(
            f"{missing}, and does not say what it is of, which was taken to be {self.game}: say its rules with -p, or "
            f"--slice if it is a part of a table"
        )
