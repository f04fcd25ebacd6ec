"""Table files: Parquet, CSV or JSON lines, written batch by batch aside and renamed into place when whole.

Memory holds one batch, or a Parquet row group, at a time. Parquet carries the table's description in its schema
metadata (key ``rollwise``, JSON), the other two beside the file, as ``FILE.meta.json``.

All three say in the column ``game`` of every row what the table is of: a description is lost with the file's name, and
a spreadsheet keeps no comments.

Several exports, of one process or of many, may want the same file. Each writes it ``alone``, aside, under a name that
nobody else has: two that export to one folder share the work, two that export to one file come one after the other,
and what a killed one has left beside a file is removed by the next that writes it.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import re
import secrets
import shlex
import stat
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rollwise.answers.spelling import shown_value
from rollwise.parsing.validate import split, the_game
from rollwise.solutions.identity import plain_parameters
from rollwise.solutions.notes import note
from rollwise.solver.model.errors import BadInput, RollwiseError
from rollwise.solver.model.game import TurnGame
from rollwise.solver.model.plain import quoted, whole

SUFFIXES = {".parquet": "parquet", ".csv": "csv", ".jsonl": "jsonl"}
LEVEL_FILES = "level-*.parquet"  # of a folder with a file for each level
LEVEL_LEFT = re.compile(r"\.level-\d+\.parquet\.(lock|tmp-[0-9a-f]+)")  # of unfinished work in it
ROW_GROUP = 1 << 16
OF = "game"  # the column that says what the table is of
VERSION = "rules_version"
BETWEEN = "|"  # what parts the elements of a list in CSV
A_DAY = 24 * 3600.0
STDOUT = "-"  # an output that is no file
NO_LOCKS = {errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP}  # what a file system without locks says


def the_format(output: Path, chosen: str | None) -> str:
    """The format asked for, or that of the file's suffix; raises BadInput."""
    if chosen is None and output.suffix.lower() not in SUFFIXES:
        raise BadInput(
            f"'{output.name}' ends in none of {', '.join(SUFFIXES)}; choose one, or give format "
            f"(a folder for a file of each level ends in /)"
        )
    file_format = SUFFIXES[output.suffix.lower()] if chosen is None else chosen
    if file_format not in SUFFIXES.values():
        raise BadInput(f"format is one of {', '.join(SUFFIXES.values())}, got '{file_format}'")
    return file_format


def of_words(game: TurnGame) -> str:
    """What a table is of, as every row of it says.

    >>> of_words(the_game("piggy-six", {"robots": "8,14"}))
    'piggy-six target=100 max_dice=2 choose=turn robots=8,14'
    """
    version = {VERSION: game.rules_version} if game.rules_version > 1 else {}
    rules = {**plain_parameters(game.as_asked()), **version}
    return shlex.join([game.name, *(f"{name}={shown_value(value)}" for name, value in rules.items())])


def of_read(words: str) -> dict[str, Any]:
    """Game, parameters and version of the rules, of what a row says; raises BadInput for other words."""
    try:
        name, *pairs = shlex.split(words)
    except ValueError:
        raise BadInput(f"a game and its rules are wanted, as pig target=30, got {quoted(words)}") from None
    parameters = split(pairs, "parameter")
    version = whole(parameters.pop(VERSION, "1"))
    game = the_game(name, parameters)
    return {"game": game.name, "parameters": plain_parameters(game), VERSION: version}


def check_output(output: str | Path) -> Path:
    """The file that will be written, links followed; raises BadInput where it cannot be, before any work is done.

    >>> check_output("missing/ledger.md")
    Traceback (most recent call last):
    rollwise.BadInput: missing/ledger.md cannot be written: there is no folder 'missing'
    """
    output = Path(output)
    try:
        path = _followed(output)
        if path.is_dir():
            raise BadInput(f"{output} is a folder; give the name of a file in it")
        if path.is_symlink() or (path.exists() and not path.is_file()):
            raise BadInput(f"{output} is no ordinary file, so nothing can be renamed into its place")
        if not path.parent.is_dir():
            raise BadInput(f"{output} cannot be written: there is no folder '{_parent(output)}'")
        if _is_kept_by_another(path):
            raise BadInput(f"{output} is another user's, in a folder where only they may replace it")
        new_aside(path).unlink(missing_ok=True)  # who is just writing the file may have cleared it away
    except (OSError, ValueError) as error:
        raise BadInput(f"{output} cannot be written: {reason(error)}") from None
    return path


def _followed(output: Path) -> Path:
    """Where a path leads; raises ValueError for one that is not text, which Arrow could not open."""
    path = os.path.realpath(output)
    path.encode()
    return Path(path)


def _parent(output: Path) -> str:
    """The folder of an output, as it was typed, or that to which a link leads."""
    return os.path.dirname(os.path.realpath(output)) if output.is_symlink() else str(output.parent)


def _is_kept_by_another(path: Path) -> bool:
    """Is there a file that only its owner may replace, as in /tmp, and that is somebody else?"""
    if not path.exists():
        return False
    folder = path.parent.stat()
    return bool(folder.st_mode & stat.S_ISVTX) and os.geteuid() not in (0, folder.st_uid, path.stat().st_uid)


def is_folder(output: str | Path) -> bool:
    """Does this name a folder: by a ``/`` at its end, or because there is one?"""
    return str(output).endswith("/") or os.path.isdir(output)  # which is False for what can be no name


def check_folder(output: Path) -> Path:
    """The folder in which files will be written, links followed, made later if need be; raises BadInput."""
    try:
        path = _followed(output)
        if path.is_symlink() or (path.exists() and not path.is_dir()):
            raise BadInput(f"{output} is a file; a folder is wanted")
        if not path.exists() and not path.parent.is_dir():
            raise BadInput(f"{output} cannot be made: there is no folder '{_parent(output)}'")
        with tempfile.TemporaryFile(dir=path if path.exists() else path.parent):
            pass
    except (OSError, ValueError) as error:
        raise BadInput(f"in {output} nothing can be written: {reason(error)}") from None
    return path


def described(path: Path) -> dict[str, Any] | None:
    """What a Parquet table says of itself; None where there is none, or one that is damaged or not ours.

    What is looked at is the end of the file, which is written last, and that everything it lists lies before it.
    """
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            metadata = file.metadata
            description = json.loads(metadata.metadata[b"rollwise"])
            groups = [metadata.row_group(group) for group in range(metadata.num_row_groups)]
            columns = [group.column(column) for group in groups for column in range(group.num_columns)]
        length = 4 + sum(column.total_compressed_size for column in columns) + metadata.serialized_size + 8
        is_whole = path.stat().st_size >= length and metadata.num_rows == description["rows"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return description if is_whole else None


@contextlib.contextmanager
def alone(path: Path, wait: bool, *, quietly: bool = False) -> Iterator[bool]:
    """True while nobody else writes this file; where somebody does, False at once, or with ``wait`` when that is done.

    That is told, unless ``quietly``: a text is written in no time.

    Whoever holds the lock is the only one at work, so what else lies aside is of the dead, and removed. (Process ids
    would tell less: threads share one, and so may containers that share a folder.) The lock goes with the process that
    holds it, and its file too. A file system without locks lets everybody in, and what lies aside is removed after a
    day: two that write one file there each put it whole into its place.
    """
    import filelock

    lock = filelock.FileLock(path.with_name(f".{path.name}.lock"), mode=0o666)  # other users may have to wait for it
    try:
        lock.acquire(timeout=0)
    except filelock.Timeout:
        if not wait:
            yield False
            return
        if not quietly:
            note(f"another export is writing {path.name}; waiting for it (Ctrl-C to stop)")
        lock.acquire()
    except (NotImplementedError, OSError) as error:
        if isinstance(error, OSError) and error.errno not in NO_LOCKS:
            raise RollwiseError(f"{path} was not written: {reason(error)}") from error
        _clear(path, older=A_DAY)
        yield True
        return
    try:
        _clear(path)
        yield True
    finally:
        with contextlib.suppress(OSError):
            Path(lock.lock_file).unlink()  # while it is held: who has just opened it notices, and opens a new one
        lock.release()


def left_beside(path: Path, *, locks: bool = False) -> list[Path]:
    """What is there of unfinished work on a file, by the living or the dead."""
    ours = re.compile(rf"\.{re.escape(path.name)}\.({'lock|' if locks else ''}tmp-[0-9a-f]+)")
    try:
        return [path.with_name(name) for name in os.listdir(path.parent) if ours.fullmatch(name)]
    except (OSError, ValueError):  # a folder in which one may write, but not look
        return []


def _clear(path: Path, older: float | None = None) -> None:
    """Remove unfinished work on a file; with ``older`` only what nobody has touched for so many seconds."""
    for left in left_beside(path):
        with contextlib.suppress(OSError):  # gone meanwhile, or somebody else's
            if older is None or time.time() - left.stat().st_mtime > older:
                left.unlink()


def new_aside(path: Path) -> Path:
    """A new empty file beside this one, of a name that nobody else has; ``left_beside`` finds it."""
    aside = path.with_name(f".{path.name}.tmp-{secrets.token_hex(8)}")
    aside.touch(exist_ok=False)
    return aside


def sync(path: Path) -> None:
    """See to it that a file is on the disk: otherwise a power cut can leave it empty, under its new name."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def beside(path: Path) -> Path:
    """Where a table that cannot hold its description has it."""
    return path.with_name(f"{path.name}.meta.json")


def reason(error: Exception) -> str:
    """Why a file was not written, in words."""
    number = getattr(error, "errno", None)
    return os.strerror(number) if number else str(error)  # Arrow says more than what is wrong
