"""A policy given by an exported table: each decision plays the move of its row."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rollwise.policy_tables.files import SEPARATOR
from rollwise.policy_tables.table_reader import TablePart, read_table
from rollwise.policy_tables.table_rows import (
    EMPTY,
    MOVES,
    NEEDED_COLUMN,
    Key,
    find_move_column,
    key_of,
    key_text,
    read_rows,
    require_same_game,
)
from rollwise.questions.compare.function_policy import is_question, moves_text, require_legal
from rollwise.questions.question import question, reachable
from rollwise.solutions.notes import note
from rollwise.solutions.turns import load_or_compile_turn
from rollwise.solver.kinds import kind_of
from rollwise.solver.kinds.kind import no_progress
from rollwise.solver.model.errors import BadInput
from rollwise.solver.model.game import Decision, Position, TurnGame
from rollwise.solver.policy.policy_in_duel import Block, Optimum, PolicyInDuel
from rollwise.solver.turn.policy_turn import PolicyTurn, TurnDecision
from rollwise.solver.turn.questions import moves_of, question_node

MAX_CHECKED_ROWS = 500
MAX_LOCATED_ROWS = 200_000  # rows of a slice, each located on its own
EVERYTHING = frozenset(["every field"])  # a table depends on all fields
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row of a table: its place and its move."""

    part: TablePart
    number: int
    move: str

    @property
    def plays(self) -> str:
        """The row in words, for a message."""
        return f"{self.part.place(self.number)} plays '{self.move_text}'"

    @property
    def move_text(self) -> str:
        """The move, shortened for a message."""
        return "" if self.move is None else str(self.move)[:80]


@dataclass(frozen=True)
class SliceExtent:
    """The extent of a slice: the ``start`` and board ``fields`` of its single turn, if all rows belong to one, and the
    last level with rows, if the game has levels.
    """

    start: Position | None = None
    fields: Mapping[str, Any] = field(default_factory=dict)
    last_level: int | None = None


class ExportedPolicy:
    """The moves of a table, by the fields of their rows; see ``solver.policy.policy_in_duel.Policy``.

    With ``is_slice`` the table need not have a row for every decision: the best is played in the others. ``described``:
    True if the table has a description. ``n_reached``: decisions that play reached; ``n_with_row``: those with a row.
    """

    looks_at: Mapping[str, None] = {}

    def __init__(self, game: TurnGame, path: Path, is_slice: bool) -> None:
        self.path, self.is_slice = path, is_slice
        self.parts = read_table(path)
        self.game: TurnGame = game.by_needed() if NEEDED_COLUMN in self.parts[0].columns else game
        self.fields = list(self.game.fields())
        usual = {field.name: field.left_out for field in self.fields if field.left_out is not None}
        self.usual = {name: value for name, value in usual.items() if name in self.parts[0].columns}
        self.space = game.boards()
        self.described = all(part.description is not None for part in self.parts)
        self.moves: dict[Key, TableRow] = {}
        self.located: dict[tuple[int, Any], TableRow] = {}  # of a slice, by board and state
        self.names: dict[Any, frozenset[str]] = {}
        for part in self.parts:
            require_same_game(game.whole_game(), path, part)
            self._read(part)
        if not self.moves:
            raise BadInput(f"{path} has no rows")
        self.n_reached = self.n_with_row = 0

    # --- read --------------------------------------------------------------------------------------------------------

    def _read(self, part: TablePart) -> None:
        move_column = find_move_column(part, self.fields)
        lists_columns = [MOVES] if MOVES in part.columns else []
        listed_moves: set[tuple[str, str]] = set()  # moves with a list of legal ones that they are in
        for number, key, (move, *lists) in read_rows(part, self.game, [move_column, *lists_columns], len(self.moves)):
            legal_moves = lists[0] if lists else None
            row = TableRow(part, number, move)
            earlier = self.moves.setdefault(key, row)
            if earlier is not row:
                raise BadInput(
                    f"{row.plays} at {key_text(self.fields, key)}, where {earlier.plays}: one row is too many"
                )
            if not isinstance(move, str) or not isinstance(legal_moves, str):
                is_listed = isinstance(move, str) and isinstance(legal_moves, list) and move in legal_moves
            elif is_listed := (legal_moves, move) in listed_moves or move in legal_moves.split(SEPARATOR):
                listed_moves.add((legal_moves, move))
            if not is_listed:
                self._check_move(row, move_column, key)

    def _check_move(self, row: TableRow, column: str, key: Key) -> None:
        """Raise BadInput for a move that this decision has on no board."""
        state = self._position(row, key).state
        if state not in self.names:
            word = question_node(self.game, state)
            moves = moves_of(self.game, word) if isinstance(word, Decision) else []
            self.names[state] = frozenset(one.name for one in moves) or frozenset(["roll"])
        if not isinstance(row.move, str) or row.move not in self.names[state]:
            raise BadInput(
                f"{row.part.place(row.number, column)}: '{row.move_text}' is no move at "
                f"{key_text(self.fields, key)}; {moves_text(sorted(self.names[state]))}"
            )

    def _position(self, row: TableRow, key: Key) -> Position:
        try:
            return self.game.locate(**self._parsed(key))
        except BadInput as error:
            raise BadInput(f"{row.part.place(row.number)}: {error}") from None

    def _parsed(self, key: Key) -> dict[str, Any]:
        parsed = ((field, field.parse(text)) for field, text in zip(self.fields, key, strict=True) if text != EMPTY)
        return self.usual | {field.name: value for field, value in parsed if value is not None}

    # --- the extent of a slice----------------------------------------------------------------------------------------

    def sheet(self) -> SliceExtent:
        """The extent of a slice; also locates its rows by board and state, since several sheets may describe one board.

        Raises BadInput for two rows of one decision with different moves.
        """
        if not self.is_slice or len(self.moves) > MAX_LOCATED_ROWS:
            return SliceExtent()
        for key, row in self.moves.items():
            position = self._position(row, key)
            place = self.space.index_of(**position.board), position.state
            if place[0] >= 0:  # the part to solve may lack the board
                self._require_same(self.located.setdefault(place, row), row)
        boards = sorted({board for board, _ in self.located})
        levels = self.game.level(self.space.columns(np.array(boards)))
        last = None if levels is None else int(np.max(levels))
        if len(boards) > 1:
            return SliceExtent(last_level=last)
        parsed = self._parsed(next(iter(self.moves)))
        names = [field.name for field in self.fields if field.of != "turn" and field.name in parsed]
        of_board = {name: parsed[name] for name in names}
        return SliceExtent(self.game.locate(**of_board), of_board, last)

    def _require_same(self, one: TableRow, other: TableRow) -> None:
        if one.move != other.move:
            other_place = f"{other.part.place(other.number)} '{other.move_text}'"
            raise BadInput(
                f"{one.plays} and {other_place}, but they are one decision: the dice that count are the same"
            )

    # --- checked -----------------------------------------------------------------------------------------------------

    def look(self, start: Position) -> None:
        """Check, before anything is solved, that a table without a description fits this game.

        Raises BadInput for rows that are no questions, and for a whole table that lacks rows.
        """
        if self.described:
            return
        note(f"{self.path} has no description; it is taken to be of {self.game}; -p sets other rules")
        graph, rows = load_or_compile_turn(self.game), list(self.moves.items())
        for key, row in rows[:: len(rows) // MAX_CHECKED_ROWS + 1]:
            try:
                values, position = question(self.game, self._parsed(key))
                reachable(self.game, values, position)(graph)
            except BadInput as error:
                raise BadInput(f"{row.part.place(row.number)}: {error}") from None
        uses = kind_of(self.game).uses(self.game)
        if not self.is_slice and uses.seats <= 2:
            nothing = Optimum(lambda board: np.zeros((graph.n_leaves, 3)), lambda boards: (np.zeros(0), np.zeros(0)))
            PolicyInDuel(PolicyTurn(self.game, graph), graph, uses, self, no_progress, nothing).sample(start.board)

    # --- played ------------------------------------------------------------------------------------------------------

    def begin(self, boards: Callable[[int], Ints | None], decisions: Sequence[TurnDecision]) -> None:
        """See ``solver.policy.policy_in_duel.Policy``."""
        self.n_reached = self.n_with_row = 0

    def can_decide(self, board: int) -> bool:
        """See ``solver.policy.policy_in_duel.Policy``."""
        return is_question(self.game, board)

    def finished(self) -> None:
        """See ``solver.policy.policy_in_duel.Policy``."""

    def key(self, board: int, fields: frozenset[str], decided: TurnDecision) -> None:
        """See ``solver.policy.policy_in_duel.Policy``: no two boards have the same rows."""

    def decide(self, alike: Block, decided: TurnDecision, names: tuple[str, ...]) -> list[tuple[Block, str | None]]:
        """See ``solver.policy.policy_in_duel.Policy``: every board has rows of its own."""
        return [
            (Block(np.array([board]), EVERYTHING), self._move(board, decided, names)) for board in alike.boards.tolist()
        ]

    def _move(self, board: int, decided: TurnDecision, names: tuple[str, ...]) -> str | None:
        described = list(self.game.describe(self.space.board(board), decided.state))
        if not described:
            return None
        self.n_reached += 1
        keys = [key_of(self.fields, fields) for fields in described]
        rows = [self.moves[key] for key in keys if key in self.moves]
        if (board, decided.state) in self.located:
            rows.append(self.located[board, decided.state])
        if not rows:
            if self.is_slice:
                return None
            raise self._missing(keys[0], "--slice")
        self.n_with_row += 1
        for row in rows[1:]:
            self._require_same(rows[0], row)
        prefix = f"{rows[0].plays} at {key_text(self.fields, keys[0])}"
        return require_legal(rows[0].move, names, prefix, decided.names)

    def plays(self, state: Mapping[str, Any], moves: Sequence[str]) -> str:
        """The move in a state with these fields, legal or not; raises BadInput without a row."""
        key = key_of(self.fields, state)
        if key not in self.moves:
            raise self._missing(key)
        return self.moves[key].move

    def _missing(self, key: Key, hint: str = "") -> BadInput:
        missing = f"{self.path} has no row for {key_text(self.fields, key)}"
        if self.described:
            return BadInput(missing, hint=hint)
        return BadInput(
            f"{missing}, and no description; it was taken to be of {self.game}: set its rules with -p, or say "
            f"--slice if it is a part of a table"
        )
