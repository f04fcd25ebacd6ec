"""Table files: Parquet, CSV or JSON lines, written batch by batch to a scratch file, then renamed into place.

Memory holds one batch, or a Parquet row group, at a time. Parquet carries the table's description in its schema
metadata (key ``rollwise``, JSON), the other two beside the file, as ``FILE.meta.json``.

In all three the column ``game`` of every row gives the game and its rules: a description is lost when a file is
renamed, and a spreadsheet keeps no comments.

Several exports, of one process or of many, may write the same file. Each takes its ``write_lock`` and writes a scratch
file with a unique name: exports to one folder share the work, exports to one file run one after the other, and the
next writer of a file removes the scratch files of a killed one.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import re
import shlex
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rollwise.cache import exports
from rollwise.cache.files import DAY_S, AsideFile, list_asides, remove_asides
from rollwise.cache.store import default_root
from rollwise.parsing.validate import parse_assignments, parse_game
from rollwise.solutions.identity import plain_parameters
from rollwise.solutions.notes import note
from rollwise.solver.model.errors import BadInput, RollwiseError
from rollwise.solver.model.game import TurnGame
from rollwise.solver.model.plain import quoted, whole
from rollwise.text.spelling import shown_value

SUFFIXES = {".parquet": "parquet", ".csv": "csv", ".jsonl": "jsonl"}
LEVEL_FILES = "level-*.parquet"  # of a folder with a file for each level
LEVEL_SCRATCH = re.compile(r"\.level-\d+\.parquet\.(lock|tmp-[0-9a-f]+)")  # scratch files in it
ROW_GROUP = 1 << 16
GAME = "game"  # the column with the game and its rules
VERSION_KEY = "rules_version"
SEPARATOR = "|"  # between the elements of a list in CSV
STDOUT = "-"  # the output that is no file
NO_LOCKS = {errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP}  # errors of a file system without locks
SCRATCH = "rollwise-"  # prefix of folders for tables written to standard output


def table_format(output: Path, chosen: str | None) -> str:
    """The chosen format, or that of the file's suffix; raises BadInput."""
    if chosen is None and output.suffix.lower() not in SUFFIXES:
        raise BadInput(
            f"'{output.name}' ends in none of {', '.join(SUFFIXES)}; choose one, or give format "
            f"(a folder for a file of each level ends in /)"
        )
    file_format = SUFFIXES[output.suffix.lower()] if chosen is None else chosen
    if file_format not in SUFFIXES.values():
        raise BadInput(f"format is one of {', '.join(SUFFIXES.values())}, got '{file_format}'")
    return file_format


def rules_text(game: TurnGame) -> str:
    """The game and rules of a table, as in each of its rows.

    >>> rules_text(parse_game("piggy-six", {"robots": "8,14"}))
    'piggy-six target=100 max_dice=2 choose=turn robots=8,14'
    """
    version = {VERSION_KEY: game.rules_version} if game.rules_version > 1 else {}
    rules = {**plain_parameters(game.whole_game()), **version}
    return shlex.join([game.name, *(f"{name}={shown_value(value)}" for name, value in rules.items())])


def parse_rules(text: str) -> dict[str, Any]:
    """Game, parameters and version of the rules from the text of a row; raises BadInput."""
    try:
        name, *pairs = shlex.split(text)
    except ValueError:
        raise BadInput(f"expected a game and its rules like pig target=30, got {quoted(text)}") from None
    parameters = parse_assignments(pairs, "parameter")
    version = whole(parameters.pop(VERSION_KEY, "1"))
    game = parse_game(name, parameters)
    return {"game": game.name, "parameters": plain_parameters(game), VERSION_KEY: version}


def check_output(output: str | Path) -> Path:
    """The file to write, links followed; raises BadInput if it cannot be written, before any work is done.

    >>> check_output("missing/ledger.md")
    Traceback (most recent call last):
    rollwise.BadInput: missing/ledger.md cannot be written: there is no folder 'missing'
    """
    output = Path(output)
    try:
        path = _resolve(output)
        if path.is_dir():
            raise BadInput(f"{output} is a folder; give the name of a file in it")
        if path.is_symlink() or (path.exists() and not path.is_file()):
            raise BadInput(f"{output} is no ordinary file, so nothing can be renamed into its place")
        if not path.parent.is_dir():
            raise BadInput(f"{output} cannot be written: there is no folder '{_parent(output)}'")
        if _is_owned_by_another(path):
            raise BadInput(f"{output} is another user's, in a folder where only they may replace it")
        with AsideFile(path):  # another writer of the file may remove it
            pass
    except (OSError, ValueError) as error:
        raise BadInput(f"{output} cannot be written: {reason(error)}") from None
    return path


def _resolve(output: Path) -> Path:
    """The target of a path; raises ValueError for one that is not text, which Arrow cannot open."""
    path = os.path.realpath(output)
    path.encode()
    return Path(path)


def _parent(output: Path) -> str:
    """The folder of an output as typed, or that of the target of a link."""
    return os.path.dirname(os.path.realpath(output)) if output.is_symlink() else str(output.parent)


def _is_owned_by_another(path: Path) -> bool:
    """True for a file of another user that only its owner may replace, as in /tmp."""
    if not path.exists():
        return False
    folder = path.parent.stat()
    return bool(folder.st_mode & stat.S_ISVTX) and os.geteuid() not in (0, folder.st_uid, path.stat().st_uid)


def is_folder(output: str | Path) -> bool:
    """True if the name ends in ``/``, or is that of a folder."""
    return str(output).endswith("/") or os.path.isdir(output)  # False for an invalid name


def check_folder(output: Path) -> Path:
    """The folder to write to, links followed, perhaps to be made later; raises BadInput."""
    try:
        path = _resolve(output)
        if path.is_symlink() or (path.exists() and not path.is_dir()):
            raise BadInput(f"{output} is a file, not a folder")
        if not path.exists() and not path.parent.is_dir():
            raise BadInput(f"{output} cannot be made: there is no folder '{_parent(output)}'")
        with tempfile.TemporaryFile(dir=path if path.exists() else path.parent):
            pass
    except (OSError, ValueError) as error:
        raise BadInput(f"in {output} nothing can be written: {reason(error)}") from None
    return path


def read_description(path: Path) -> dict[str, Any] | None:
    """The description in a Parquet table; None if there is no table, or it is damaged or foreign.

    It checks the end of the file, which is written last, and that the file is long enough for the listed columns.
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
def write_lock(path: Path, wait: bool, *, quietly: bool = False) -> Iterator[bool]:
    """True while no other process writes this file; otherwise False at once, or with ``wait`` True when it is done.

    A note announces the wait, unless ``quietly``. The holder of the lock is the only writer, so other scratch files are
    of dead processes, and removed. (Process ids would not do: threads share one, and so may containers that share a
    folder.) The lock ends with its process. A file system without locks lets all writers in, and scratch files are
    removed after a day: each writer renames a whole file into place.
    """
    import filelock

    lock = filelock.FileLock(path.with_name(f".{path.name}.lock"), mode=0o666)  # for other users too
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
        remove_asides(path, DAY_S)
        yield True
        return
    try:
        remove_asides(path)
        yield True
    finally:
        with contextlib.suppress(OSError):
            Path(lock.lock_file).unlink()  # still locked: a process that has just opened it opens a new one
        lock.release()


def sidecar_path(path: Path) -> Path:
    """The file with the description of a table that cannot hold it."""
    return path.with_name(f"{path.name}.meta.json")


def reason(error: Exception) -> str:
    """The reason why a file was not written."""
    number = getattr(error, "errno", None)
    return os.strerror(number) if number else str(error)  # Arrow adds more than the reason


def note_export(path: Path) -> contextlib.AbstractContextManager[None]:
    """Note in the cache, inside the block, that this table is being written."""
    return exports.noting_export(default_root(), path)


def unfinished_exports() -> list[tuple[Path, int]]:
    """(path, bytes of scratch files) of the unfinished tables."""
    scratch = {path: list_asides(path, locks=True) for path in exports.list_unfinished_exports(default_root())}
    return [(path, sum(map(_size, some))) for path, some in scratch.items() if some]


def clear_unfinished_exports() -> int:
    """Remove the scratch files of unfinished tables; returns the bytes freed."""
    n_bytes = sum(size for _, size in unfinished_exports())
    exports.list_unfinished_exports(default_root(), _clear_export)
    return n_bytes - sum(size for _, size in unfinished_exports())


def _clear_export(path: Path) -> bool:
    """Remove the scratch files of this file unless it is being written; True if none remain."""
    if list_asides(path, locks=True):
        with contextlib.suppress(RollwiseError), write_lock(path, wait=False):
            pass
    if path.parent.name.startswith(SCRATCH) and path.parent.parent == Path(tempfile.gettempdir()):
        with contextlib.suppress(OSError):  # it is not empty
            path.parent.rmdir()
    return not list_asides(path)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
