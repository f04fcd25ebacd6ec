"""``export``: every decision of a game, or of a slice, as a table file or as a folder with a file for each level."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from rollwise.arguments import check_arguments
from rollwise.cache.files import list_asides
from rollwise.cache.store import Store
from rollwise.parsing.validate import parse_game, question_fields
from rollwise.policy_tables.decision_rows import DecisionRows
from rollwise.policy_tables.decisions import Levels, Slice, described_game, parse_slice
from rollwise.policy_tables.files import (
    GAME,
    LEVEL_FILES,
    check_folder,
    clear_unfinished_exports,
    is_folder,
    note_export,
    read_description,
    table_format,
    write_lock,
)
from rollwise.policy_tables.overwrite import TABLE, require_own_folder, require_own_level, require_same, writable_path
from rollwise.policy_tables.row_template import Fields
from rollwise.policy_tables.table_writer import TableWriter
from rollwise.solutions.identity import identity, plain_parameters, versions
from rollwise.solutions.lookup import StoredSolution, accept_any_turn, answer_from_solution, forecast_other_games
from rollwise.solutions.notes import note
from rollwise.solutions.progress import Progress
from rollwise.solver.kinds import kind_of
from rollwise.solver.model.errors import BadInput, RollwiseError, StateError, TooLarge
from rollwise.solver.model.game import TurnGame
from rollwise.text.labels import value_label


@dataclass(frozen=True)
class Exported:
    """The files of an export: ``rows`` and ``bytes`` of all ``files``, some of which were ``already`` complete.

    ``seconds`` is the whole time, a solve included. ``stand_for``: other decisions that rows stand for, in words.
    """

    path: Path
    rows: int
    format: str
    bytes: int
    seconds: float
    files: int = 1
    already: int = 0
    stand_for: str = ""


MAX_ROWS = 50_000_000  # more are written only with ``all``, in one file or many
LEVEL_FILE = "level-{:03d}.parquet"
EXAMPLE_BOXES = "ones:3,twos:6,threes:9,fours:12,fives:15,sixes:18,chance:20"  # of an example
TIE_BREAK_NOTE = "where every value is 0, or every one is 1, the best move is the one that is best for the mean score"
MERGED_STATES_NOTE = "all states that go on alike; 'rollwise best FILE FIELD=VALUE ...' finds the row of yours"


def has_merged_states(game: TurnGame) -> bool:
    """True if a board of this game stands for several states, so that ``after`` tells them apart."""
    return type(game).after is not TurnGame.after


@check_arguments
def export(
    game: str,
    output: str | Path,
    *,
    params: Mapping[str, Any] | None = None,
    state: Mapping[str, Any] | None = None,
    format: str | None = None,
    all: bool = False,
    most: int | None = None,
    levels: Any = None,
    force: bool = False,
    into: bool = False,
    yes: bool = False,
    **fields: Any,
) -> Exported:
    """Write every decision of the slice that ``fields`` (or ``state``, the same in one mapping) name, a row each.

    A decision belongs to the slice if its fields agree with all those given (``mine=8400, theirs=6300`` fixes the
    scores, ``roll=...`` the roll, ``roll="none"`` wants decisions before the throw); without any, every board that can
    be is exported. ``levels`` keeps boards of these levels: ``"14-16"``, ``"0,3"``, a number or several. A level is
    what the game says no turn lowers, such as boxes filled or the scores together. The columns are the game's fields,
    then those of ``rollwise.policy_tables.decision_rows.COLUMNS``; the values are those of ``ask``. ``format`` is
    parquet, csv or jsonl, by default that of the suffix.

    An ``output`` that ends in ``/``, or is a folder, gets a Parquet file for each level, ``level-003.parquet``. One
    that is there, whole, and of the same solution and slice is left as it is: what was stopped goes on where it was.

    Over a file that is no table of ours, or one of another game, other rules or another slice, it writes only with
    ``force``, into a folder that has other files and no such table only with ``into``.

    More than 50 million rows in all, or than ``most``, are written only with ``all``: TooLarge says how many there are.
    ``yes`` as in ``ask``. Raises BadInput, before anything is solved, for a file that cannot be written or a slice that
    is empty.

    >>> export("pig", "missing/pig.parquet", params={"target": 10})
    Traceback (most recent call last):
    rollwise.BadInput: missing/pig.parquet cannot be written: there is no folder 'missing'
    """
    start = time.perf_counter()
    path, by_level = Path(output), is_folder(output)
    if by_level and format not in (None, "parquet"):
        raise BadInput(f"a folder with a file for each level holds Parquet, got format '{format}'")
    file_format = "parquet" if by_level else table_format(path, format)
    rules = parse_game(game, params)
    if not kind_of(rules).has_decisions:
        raise BadInput(f"{game} has no decisions to export")
    spec = ExportSpec.of(rules, question_fields(state, fields))
    some_levels = None if levels is None else Levels.of(levels)
    target = check_folder(path) if by_level else writable_path(path, TABLE, force=force, is_described=True)
    if by_level and not into:
        require_own_folder(target, path)

    clear_unfinished_exports()
    chosen = _checked_slice(spec, some_levels, all, most)
    for file in () if force else sorted(target.glob(LEVEL_FILES)) if by_level else [target]:
        require_same(file, _identity(chosen, of_levels=not by_level), path / file.name if by_level else path)
    if by_level:
        level_files = _LevelFiles(chosen, target)
        level_files.check(path, force)
        written = level_files.write()
    else:
        written = _write_one_file(chosen, target, file_format, force)
    seconds, stand_for = time.perf_counter() - start, MERGED_STATES_NOTE if has_merged_states(rules) else ""
    return Exported(path, written.rows, file_format, written.bytes, seconds, *written.counts, stand_for)


@dataclass(frozen=True)
class ExportSpec:
    """Specification of an export: the ``game`` to solve, the game that describes its boards, and the fields of a slice.

    ``part_fields``: the fields at which the part begins, of a game that is solved in parts.
    """

    game: TurnGame
    board_game: TurnGame
    fields: Fields
    part_fields: Fields

    @classmethod
    def of(cls, game: TurnGame, values: Mapping[str, Any]) -> ExportSpec:
        """The specification of these fields of a game; raises BadInput where a sheet or a target is missing.

        Without a target the slice is of every need of a sheet, not of that sheet alone.
        """
        is_whole: bool = game.part() is game
        if is_whole:
            return cls(game, game, parse_slice(game, values), {})
        board_game = described_game(game, values)
        fields = parse_slice(board_game, values)
        if "filled" not in fields or (board_game is game and not fields.keys() & set(game.wants)):
            raise _missing_sheet(game, board_game)
        if board_game is game:
            of_board = {field.name for field in game.fields() if field.of == "board"}
            own = {name: value for name, value in fields.items() if name in of_board}
            part: TurnGame = game.part(game.locate(**own).board, own, forecast_other_games(game, own))
            return cls(part, part, fields, {})
        part_fields = {"filled": fields.pop("filled")}
        part = game.part(game.locate(**part_fields).board)
        return cls(part, part.by_needed(), fields, part_fields)


def _missing_sheet(game: TurnGame, board_game: TurnGame) -> BadInput:
    title, first = f"an export of {game.whole_game()}", game.wants[0]
    missing, example = {"target": (first, "target=200"), "theirs": ("theirs or theirs_filled", "theirs=231")}.get(
        first, (first, "")
    )
    return BadInput(
        f"{title} is of one sheet: give filled and {missing}"
        if board_game is game
        else f"{title} begins with a sheet: give filled, and {missing} unless it is for every {missing}",
        hint=f"filled={EXAMPLE_BOXES} {example}" if example else "",
        field="filled",
    )


@dataclass(frozen=True)
class ExportSize:
    """Size of the files written; ``counts``: files, and those of them that existed before."""

    rows: int
    bytes: int
    counts: tuple[int, int] = (1, 0)


def _checked_slice(spec: ExportSpec, levels: Levels | None, all: bool, most: int | None) -> Slice:
    game = spec.board_game
    chosen = Slice(game, spec.fields, levels, spec.game, spec.part_fields)
    if not all and chosen.n_rows > (most or MAX_ROWS):
        names = ", ".join(field.name for field in game.fields() if field.left_out is None)  # others have a default
        many = f"about {chosen.n_rows / 1e6:,.0f} million" if chosen.n_rows >= 10e6 else f"{chosen.n_rows:,}"
        otherwise = f": at most {most:,} are written" if most else " or --levels, or say --all (all=True)"
        raise TooLarge(f"that would be {many} decisions of {game}; narrow it down by fields ({names}){otherwise}")
    return chosen


def _write_one_file(chosen: Slice, path: Path, file_format: str, force: bool) -> ExportSize:
    def write(solved: StoredSolution) -> ExportSize | None:
        with write_lock(path, wait=True), note_export(path), Progress(str(chosen.game), verb="exporting") as progress:
            file = partial(TableWriter, path, file_format, force=force)
            return _write(DecisionRows(solved, chosen), file, None, chosen.n_boards, progress.share)

    written = answer_from_solution(chosen.solved_game, accept_any_turn, write)
    if written is None:
        raise _no_legal_move(chosen)
    return written


def _no_legal_move(chosen: Slice) -> StateError:
    return StateError(f"no decision of {chosen.game} there has a legal move")


def _write(
    table: DecisionRows,
    begun: Callable[[Any], TableWriter],
    level: int | None,
    n_boards: int,
    share: Callable[[float], None],
) -> ExportSize | None:
    """Write the decisions of one level or of all; None, without a file, if none has a legal move."""
    done = 0
    with begun(table.schema()) as file:
        for root, boards in table.chosen.blocks(level):
            for batch, lanes_done in table.batches(root, boards):
                file.write(batch)
                share((done + lanes_done) / n_boards)
            done += len(boards)
        if file.rows == 0:
            return None
        description = {**_description(table, level), "boards": n_boards, "rows": file.rows, "widest": table.widest}
        return ExportSize(file.rows, file.finish(description))


def _description(table: DecisionRows, level: int | None) -> dict[str, Any]:
    """The description of a table, without its size."""
    from importlib.metadata import version

    solved, chosen = table.solved, table.chosen
    game = solved.game
    fields = {field.name: field.help for field in chosen.game.fields()}
    return {
        **_identity(chosen, of_levels=level is None),
        "rules_version": game.rules_version,
        **({"rows_stand_for": MERGED_STATES_NOTE} if has_merged_states(game) else {}),
        **({"tie_break": TIE_BREAK_NOTE} if max(table.ties.values(), default=-1) >= 0 else {}),
        **({"level": level} if level is not None else {}),
        "objective": game.measure,
        "label": value_label(game.measure, game.sense, plain_parameters(game), chosen.fields),
        "sense": game.sense,
        "best_is": "highest" if game.sense == "max" else "lowest",
        "unit": game.unit,
        "method": solved.facts["method"],
        "solution": solved.key,
        "columns": fields | {name: table.help[column] for column, name in table.names.items()},
        "versions": {**versions(), "pyarrow": version("pyarrow")},
    }


def _identity(chosen: Slice, of_levels: bool) -> dict[str, Any]:
    """Game, parameters, slice and, with ``of_levels``, levels of a table, as in its description."""
    return {
        "game": chosen.solved_game.name,
        "parameters": plain_parameters(chosen.solved_game.whole_game()),
        "slice": chosen.typed_fields(),
        **({"levels": str(chosen.levels)} if of_levels and chosen.levels else {}),
    }


class _LevelFiles:
    """An export to a folder, with a file for each level of the boards."""

    def __init__(self, chosen: Slice, folder: Path) -> None:
        self.chosen, self.folder = chosen, folder
        self.n_boards = chosen.by_level()
        self.finished: dict[int, ExportSize] = {}
        self.n_already = 0
        self.empty_levels: set[int] = set()  # levels without a legal move
        self.key = Store().key(chosen.solved_game.name, identity(chosen.solved_game))

    def check(self, shown: Path, force: bool) -> None:
        """Raise BadInput for a foreign file with the name of a level; never with ``force``."""
        for level in () if force else self.n_boards:
            require_own_level(self.path(level), shown / self.path(level).name)

    def write(self) -> ExportSize:
        """Write the missing files."""
        for level in self.n_boards:
            self._count_if_whole(level)
        try:
            if self._unfinished_levels():
                answer_from_solution(self.chosen.solved_game, accept_any_turn, self._write_rest)
        except KeyboardInterrupt:
            done = f"{len(self.finished)} of {len(self.n_boards)} files are whole"
            note(f"stopped; {done}, the same command goes on from there")
            raise
        if not self.finished:
            raise _no_legal_move(self.chosen)
        self._clear()
        self._warn_of_other_files()
        rows, size = (sum(getattr(one, what) for one in self.finished.values()) for what in ("rows", "bytes"))
        return ExportSize(rows, size, (len(self.finished), self.n_already))

    def path(self, level: int) -> Path:
        """The file of a level."""
        return self.folder / LEVEL_FILE.format(level)

    def _unfinished_levels(self) -> list[int]:
        return [level for level in self.n_boards if level not in self.finished and level not in self.empty_levels]

    def _count_if_whole(self, level: int) -> bool:
        """Count the file of this level if it is complete; True if so."""
        description = read_description(self.path(level)) or {}
        if not self._is_ours(description) or description.get("level") != level:
            return False
        self.finished[level] = ExportSize(int(description["rows"]), self.path(level).stat().st_size)
        self.n_already += 1
        return True

    def _is_ours(self, description: Mapping[str, Any]) -> bool:
        """True for the description of a file of this export."""
        made_with = description.get("versions")
        return (
            (description.get("solution"), description.get("slice")) == (self.key, self.chosen.typed_fields())
            and GAME in description.get("columns", ())  # older files lack it
            and isinstance(made_with, dict)
            and made_with.get("rollwise") == versions()["rollwise"]
        )

    def _write_rest(self, solved: StoredSolution) -> None:
        """Write the missing files, last those that another process is writing now."""
        self.key = solved.key
        try:
            self.folder.mkdir(exist_ok=True)
        except OSError as error:
            raise RollwiseError(f"{self.folder} was not made: {error.strerror}") from error
        with Progress(str(self.chosen.game), verb="exporting") as progress:
            for wait in (False, True):  # last wait for other processes, which may die
                for level in self._unfinished_levels():
                    with write_lock(self.path(level), wait) as is_free:
                        if is_free and not self._count_if_whole(level):
                            with note_export(self.path(level)):
                                self._write_level(solved, level, progress)

    def _write_level(self, solved: StoredSolution, level: int, progress: Progress) -> None:
        total = sum(self.n_boards.values())
        n_done = sum(self.n_boards[done] for done in (*self.finished, *self.empty_levels))
        n_boards = self.n_boards[level]

        def share(done: float) -> None:
            progress.share((n_done + done * n_boards) / total)

        file = partial(TableWriter, self.path(level), "parquet", force=True)  # checked by ``check``
        written = _write(DecisionRows(solved, self.chosen), file, level, n_boards, share)
        if written is None:
            self.empty_levels.add(level)
        else:
            self.finished[level] = written

    def _clear(self) -> None:
        """Remove scratch files of killed processes beside finished files."""
        for level in self.finished:
            if list_asides(self.path(level), locks=True):
                with write_lock(self.path(level), wait=False):
                    pass

    def _warn_of_other_files(self) -> None:
        """Note other files in the folder, since a reader may take it for one table."""
        own = {self.path(level).name for level in self.finished}
        names = sorted(path.name for path in self.folder.glob(LEVEL_FILES) if path.name not in own)
        others = [name for name in names if not self._is_ours(read_description(self.folder / name) or {})]
        if others:
            more = f" and {len(others) - 1} more" if len(others) > 1 else ""
            note(f"{self.folder} also holds {others[0]}{more}, not of this export")
