"""``export``: every decision of a game, or of a slice of it, as a table file, or as a folder of one for each level."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from rollwise.answers.export import Exported
from rollwise.answers.labels import value_label
from rollwise.cache.store import Store
from rollwise.parsing.validate import as_said, checked, the_game
from rollwise.policy_tables.decisions import Levels, Slice, the_slice, told_by
from rollwise.policy_tables.files import (
    LEVEL_FILES,
    OF,
    alone,
    check_folder,
    described,
    is_folder,
    left_beside,
    the_format,
)
from rollwise.policy_tables.ours import TABLE, require_our_folder, require_our_level, require_same, to_write
from rollwise.policy_tables.rows import DecisionRows
from rollwise.policy_tables.sheets import Fields
from rollwise.policy_tables.table_file import TableFile
from rollwise.policy_tables.unfinished import clear_unfinished_exports, noted
from rollwise.solutions.games import StoredSolution, anything, endings_beside, with_solved
from rollwise.solutions.identity import identity, plain_parameters, versions
from rollwise.solutions.notes import note
from rollwise.solutions.progress import Progress
from rollwise.solver.kinds import kind_of
from rollwise.solver.model.errors import BadInput, RollwiseError, StateError, TooLarge
from rollwise.solver.model.game import TurnGame

MOST_ROWS = 50_000_000  # more are written only when asked for, whatever the number of files
LEVEL_FILE = "level-{:03d}.parquet"
BOXES = "ones:3,twos:6,threes:9,fours:12,fives:15,sixes:18,chance:20"  # of an example, with boxes that sheets have
BY_THE_MEAN = "where every value is 0, or every one is 1, the best move is the one that is best for the mean score"
STAND_FOR = "all states that go on alike; 'rollwise best FILE FIELD=VALUE ...' finds the row of yours"


def stand_for_many(game: TurnGame) -> bool:
    """Does a board of this game stand for states that are said otherwise, so that the game tells which it was?"""
    return type(game).after is not TurnGame.after


@checked
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
    then those of ``rollwise.policy_tables.rows.COLUMNS``; the values are those of ``ask``. ``format`` is parquet, csv or
    jsonl, by default that of the suffix.

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
    began = time.perf_counter()
    path, by_level = Path(output), is_folder(output)
    if by_level and format not in (None, "parquet"):
        raise BadInput(f"a folder with a file for each level holds Parquet, got format '{format}'")
    file_format = "parquet" if by_level else the_format(path, format)
    made = the_game(game, params)
    if not kind_of(made).chooses:
        raise BadInput(f"{game} has no decisions to export")
    wanted = Wanted.of(made, as_said(state, fields))
    some_levels = None if levels is None else Levels.of(levels)
    target = check_folder(path) if by_level else to_write(path, TABLE, force=force, is_described=True)
    if by_level and not into:
        require_our_folder(target, path)

    clear_unfinished_exports()
    chosen = _slice(wanted, some_levels, all, most)
    for file in () if force else sorted(target.glob(LEVEL_FILES)) if by_level else [target]:
        require_same(file, _about(chosen, of_levels=not by_level), path / file.name if by_level else path)
    if by_level:
        level_files = _LevelFiles(chosen, target)
        level_files.check(path, force)
        written = level_files.write()
    else:
        written = _one_file(chosen, target, file_format, force)
    seconds, stand_for = time.perf_counter() - began, STAND_FOR if stand_for_many(made) else ""
    return Exported(path, written.rows, file_format, written.bytes, seconds, *written.counts, stand_for)


@dataclass(frozen=True)
class Wanted:
    """Which ``game`` is solved for an export, how its boards are ``told``, and the ``fields`` of a slice of them.

    Of a game that is solved in parts: ``begins`` are fields that say where the part begins.
    """

    game: TurnGame
    told: TurnGame
    fields: Fields
    begins: Fields

    @classmethod
    def of(cls, game: TurnGame, said: Mapping[str, Any]) -> Wanted:
        """What fields want of a game; raises BadInput where a sheet, or what is wanted, has to be said.

        Where nothing is wanted, but all that is needed can be told, it is what a sheet can become, not that sheet.
        """
        is_whole: bool = game.part() is game
        if is_whole:
            return cls(game, game, the_slice(game, said), {})
        told = told_by(game, said)
        fields = the_slice(told, said)
        if "filled" not in fields or (told is game and not fields.keys() & set(game.wants)):
            raise _needs_sheet(game, told)
        if told is game:
            of_board = {field.name for field in game.fields() if field.of == "board"}
            own = {name: value for name, value in fields.items() if name in of_board}
            part: TurnGame = game.part(game.locate(**own).board, own, endings_beside(game, own))
            return cls(part, part, fields, {})
        begins = {"filled": fields.pop("filled")}
        part = game.part(game.locate(**begins).board)
        return cls(part, part.by_needed(), fields, begins)


def _needs_sheet(game: TurnGame, told: TurnGame) -> BadInput:
    asked, first = f"an export of {game.as_asked()}", game.wants[0]
    said, example = {"target": (first, "target=200"), "theirs": ("theirs or theirs_filled", "theirs=231")}.get(
        first, (first, "")
    )
    return BadInput(
        f"{asked} is of one sheet: say filled, and {said} with it"
        if told is game
        else f"{asked} begins with a sheet: say filled, and {said} too unless every {said} is wanted",
        hint=f"filled={BOXES} {example}" if example else "",
        field="filled",
    )


@dataclass(frozen=True)
class Written:
    """``counts``: files, and how many of them were there already."""

    rows: int
    bytes: int
    counts: tuple[int, int] = (1, 0)


def _slice(wanted: Wanted, levels: Levels | None, all: bool, most: int | None) -> Slice:
    game = wanted.told
    chosen = Slice(game, wanted.fields, levels, wanted.game, wanted.begins)
    if not all and chosen.n_rows > (most or MOST_ROWS):
        names = ", ".join(field.name for field in game.fields() if field.left_out is None)  # of others all are alike
        many = f"about {chosen.n_rows / 1e6:,.0f} million" if chosen.n_rows >= 10e6 else f"{chosen.n_rows:,}"
        otherwise = f": at most {most:,} are written" if most else " or --levels, or say --all (all=True)"
        raise TooLarge(f"that would be {many} decisions of {game}; narrow it down by fields ({names}){otherwise}")
    return chosen


def _one_file(chosen: Slice, path: Path, file_format: str, force: bool) -> Written:
    def write(solved: StoredSolution) -> Written | None:
        with alone(path, wait=True), noted(path), Progress(str(chosen.game), verb="exporting") as progress:
            file = partial(TableFile, path, file_format, force=force)
            return _write(DecisionRows(solved, chosen), file, None, chosen.n_boards, progress.share)

    written = with_solved(chosen.solves, anything, write)
    if written is None:
        raise _no_legal_move(chosen)
    return written


def _no_legal_move(chosen: Slice) -> StateError:
    return StateError(f"no decision of {chosen.game} there has a legal move")


def _write(
    table: DecisionRows,
    begun: Callable[[Any], TableFile],
    level: int | None,
    n_boards: int,
    share: Callable[[float], None],
) -> Written | None:
    """Write the decisions of a level, or of all; None, and no file, where none has a legal move."""
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
        return Written(file.rows, file.finish(description))


def _description(table: DecisionRows, level: int | None) -> dict[str, Any]:
    """What a table says of itself, its size apart."""
    from importlib.metadata import version

    solved, chosen = table.solved, table.chosen
    game = solved.game
    fields = {field.name: field.help for field in chosen.game.fields()}
    return {
        **_about(chosen, of_levels=level is None),
        "rules_version": game.rules_version,
        **({"rows_stand_for": STAND_FOR} if stand_for_many(game) else {}),
        **({"tie_break": BY_THE_MEAN} if max(table.ties.values(), default=-1) >= 0 else {}),
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


def _about(chosen: Slice, of_levels: bool) -> dict[str, Any]:
    """What a table is of, as it says of itself; a file of a folder does not say of which levels the others are."""
    return {
        "game": chosen.solves.name,
        "parameters": plain_parameters(chosen.solves.as_asked()),
        "slice": chosen.words(),
        **({"levels": str(chosen.levels)} if of_levels and chosen.levels else {}),
    }


class _LevelFiles:
    """An export to a folder, with a file for each level of the boards."""

    def __init__(self, chosen: Slice, folder: Path) -> None:
        self.chosen, self.folder = chosen, folder
        self.n_boards = chosen.by_level()
        self.whole: dict[int, Written] = {}
        self.n_already = 0
        self.without: set[int] = set()  # levels in which no decision has a legal move
        self.key = Store().key(chosen.solves.name, identity(chosen.solves))

    def check(self, shown: Path, force: bool) -> None:
        """Raise BadInput for a file of the name of a level that is somebody else's; with ``force`` for none."""
        for level in () if force else self.n_boards:
            require_our_level(self.path(level), shown / self.path(level).name)

    def write(self) -> Written:
        """Write what is not there yet."""
        for level in self.n_boards:
            self._take_up(level)
        try:
            if self._left():
                with_solved(self.chosen.solves, anything, self._write_rest)
        except KeyboardInterrupt:
            done = f"{len(self.whole)} of {len(self.n_boards)} files are whole"
            note(f"stopped; {done}, the same command goes on from there")
            raise
        if not self.whole:
            raise _no_legal_move(self.chosen)
        self._clear()
        self._tell_of_others()
        rows, size = (sum(getattr(one, what) for one in self.whole.values()) for what in ("rows", "bytes"))
        return Written(rows, size, (len(self.whole), self.n_already))

    def path(self, level: int) -> Path:
        """The file of a level."""
        return self.folder / LEVEL_FILE.format(level)

    def _left(self) -> list[int]:
        return [level for level in self.n_boards if level not in self.whole and level not in self.without]

    def _take_up(self, level: int) -> bool:
        """Is the file of this level there? Then it counts."""
        description = described(self.path(level)) or {}
        if not self._is_ours(description) or description.get("level") != level:
            return False
        self.whole[level] = Written(int(description["rows"]), self.path(level).stat().st_size)
        self.n_already += 1
        return True

    def _is_ours(self, description: Mapping[str, Any]) -> bool:
        """Is this the description of a file of what is exported?"""
        made_by = description.get("versions")
        return (
            (description.get("solution"), description.get("slice")) == (self.key, self.chosen.words())
            and OF in description.get("columns", ())  # older files lack it
            and isinstance(made_by, dict)
            and made_by.get("rollwise") == versions()["rollwise"]
        )

    def _write_rest(self, solved: StoredSolution) -> None:
        """Write the files that are left, those last that another process is just writing."""
        self.key = solved.key
        try:
            self.folder.mkdir(exist_ok=True)
        except OSError as error:
            raise RollwiseError(f"{self.folder} was not made: {error.strerror}") from error
        with Progress(str(self.chosen.game), verb="exporting") as progress:
            for wait in (False, True):  # at last for others at work on some levels, whose processes may have died
                for level in self._left():
                    with alone(self.path(level), wait) as is_free:
                        if is_free and not self._take_up(level):
                            with noted(self.path(level)):
                                self._write_level(solved, level, progress)

    def _write_level(self, solved: StoredSolution, level: int, progress: Progress) -> None:
        total = sum(self.n_boards.values())
        before = sum(self.n_boards[done] for done in (*self.whole, *self.without))
        n_boards = self.n_boards[level]

        def share(done: float) -> None:
            progress.share((before + done * n_boards) / total)

        file = partial(TableFile, self.path(level), "parquet", force=True)  # ``check`` has found it ours
        written = _write(DecisionRows(solved, self.chosen), file, level, n_boards, share)
        if written is None:
            self.without.add(level)
        else:
            self.whole[level] = written

    def _clear(self) -> None:
        """Remove what processes that were killed have left beside files that are whole."""
        for level in self.whole:
            if left_beside(self.path(level), locks=True):
                with alone(self.path(level), wait=False):
                    pass

    def _tell_of_others(self) -> None:
        """A reader may take the whole folder for one table."""
        mine = {self.path(level).name for level in self.whole}
        names = sorted(path.name for path in self.folder.glob(LEVEL_FILES) if path.name not in mine)
        others = [name for name in names if not self._is_ours(described(self.folder / name) or {})]
        if others:
            more = f" and {len(others) - 1} more" if len(others) > 1 else ""
            note(f"{self.folder} also holds {others[0]}{more}, not of this export")
