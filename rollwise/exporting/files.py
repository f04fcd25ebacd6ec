"""Table files: Parquet, CSV or JSON lines, written batch by batch aside and renamed into place when whole.

Memory holds one batch, or a Parquet row group, at a time. Parquet carries the table's description in its schema
metadata (key ``rollwise``, JSON), the other two beside the file, as ``FILE.meta.json``.

Several Parquet files may share a folder. Then a process writes a file ``alone``: two that export to one folder share
the work, and what a killed one has left beside a file is removed by the next that writes it.
"""

from __future__ import annotations

import contextlib
import csv
import json
import os
import re
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from rollwise.solver.game.errors import BadInput, RollwiseError

SUFFIXES = {".parquet": "parquet", ".csv": "csv", ".jsonl": "jsonl"}
ROW_GROUP = 1 << 16
BETWEEN = "|"  # what parts the elements of a list in CSV
A_DAY = 24 * 3600.0


def the_format(output: Path, chosen: str | None) -> str:
    """The format asked for, or that of the file's suffix; raises BadInput."""
    if chosen is None and output.suffix.lower() not in SUFFIXES:
        raise BadInput(
            f"BadInput: '{output.name}' ends in none of {', '.join(SUFFIXES)}; choose one, or give format "
            f"(a folder for a file of each level ends in /)"
        )
    found = SUFFIXES[output.suffix.lower()] if chosen is None else chosen
    if found not in SUFFIXES.values():
        raise BadInput(f"BadInput: format is one of {', '.join(SUFFIXES.values())}, got '{found}'")
    return found


def check_output(output: Path) -> Path:
    """The file that will be written, links followed; raises BadInput where it can not be, before any work is done."""
    try:
        path = Path(os.path.realpath(output))
        if path.is_dir():
            raise BadInput(f"BadInput: {output} is a folder; give the name of a file in it")
        if path.exists() and not path.is_file():
            raise BadInput(f"BadInput: {output} is no ordinary file, so nothing can be renamed into its place")
        if not path.parent.is_dir():
            raise BadInput(f"BadInput: {output} can not be written: there is no folder '{Path(output).parent}'")
        trial = _aside(path)
        trial.touch()
        trial.unlink()
    except (OSError, ValueError) as error:
        raise BadInput(f"BadInput: {output} can not be written: {_reason(error)}") from None
    return path


def is_folder(output: str | Path) -> bool:
    """Does this name a folder: by a ``/`` at its end, or because there is one?"""
    return str(output).endswith(("/", os.sep)) or os.path.isdir(output)  # which is False for what can be no name


def check_folder(output: Path) -> Path:
    """The folder in which files will be written, links followed, made later if need be; raises BadInput."""
    try:
        path = Path(os.path.realpath(output))
        if path.exists() and not path.is_dir():
            raise BadInput(f"BadInput: {output} is a file; a folder is wanted")
        if not path.exists() and not path.parent.is_dir():
            raise BadInput(f"BadInput: {output} can not be made: there is no folder '{output.parent}'")
        trial = _aside((path if path.exists() else path.parent) / "trial")
        trial.touch()
        trial.unlink()
    except (OSError, ValueError) as error:
        raise BadInput(f"BadInput: in {output} nothing can be written: {_reason(error)}") from None
    return path


def described(path: Path) -> dict[str, Any] | None:
    """What a Parquet table says of itself; None where there is none, or one that is damaged or not ours.

    What is looked at is the end of the file, which is written last, and that everything it lists lies before it.
    """
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            found = file.metadata
            said = json.loads(found.metadata[b"rollwise"])
            groups = [found.row_group(group) for group in range(found.num_row_groups)]
            columns = [group.column(column) for group in groups for column in range(group.num_columns)]
        length = 4 + sum(column.total_compressed_size for column in columns) + found.serialized_size + 8
        is_whole = path.stat().st_size >= length and found.num_rows == said["rows"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return said if is_whole else None


@contextlib.contextmanager
def alone(path: Path, wait: bool) -> Iterator[bool]:
    """True while no other process writes this file; False at once where one does, unless ``wait`` is said.

    What dead processes have left beside it is removed. The lock goes with the process that holds it, and its file too:
    were two to write the same file in spite of all, each would write it aside and put it whole into its place.
    """
    import filelock

    lock = filelock.FileLock(path.with_name(f".{path.name}.lock"))
    try:
        lock.acquire(timeout=-1 if wait else 0)
    except filelock.Timeout:
        yield False
        return
    except NotImplementedError:  # a file system without locks
        yield True
        return
    except OSError as error:
        raise RollwiseError(f"RollwiseError: {path} was not written: {_reason(error)}") from error
    try:
        for left in left_beside(path):
            if _is_abandoned(left):
                left.unlink(missing_ok=True)
        yield True
    finally:
        with contextlib.suppress(OSError):
            Path(lock.lock_file).unlink()  # while it is held: who has just opened it notices, and opens a new one
        lock.release()


def left_beside(path: Path, *, locks: bool = False) -> list[Path]:
    """What is there of unfinished work on a file, by living processes or dead ones."""
    found = list(path.parent.glob(f".{path.name}.tmp-*"))
    return found + list(path.parent.glob(f".{path.name}.lock")) if locks else found


def _is_abandoned(left: Path) -> bool:
    """Is this of a process that has died, or older than a day?"""
    try:
        if time.time() - left.stat().st_mtime > A_DAY:
            return True
        pid = re.search(r"[0-9]+$", left.name)
        if pid is not None and os.name == "posix":  # elsewhere os.kill(pid, 0) may kill
            os.kill(int(pid[0]), 0)
    except (ProcessLookupError, OverflowError):
        return True
    except OSError:  # gone meanwhile, or somebody else's process
        return False
    return False


def _aside(path: Path) -> Path:
    return path.with_name(f".{path.name}.tmp-{os.getpid()}")


def _beside(path: Path) -> Path:
    return path.with_name(f"{path.name}.meta.json")


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)


def read_table(path: Path) -> tuple[list[str], list[dict[str, Any]]]:
    """(columns, rows) of a table that ``export`` wrote, perhaps edited since; raises BadInput."""
    file_format = the_format(path, None)
    try:
        if file_format == "csv":
            with path.open(newline="", encoding="utf-8") as file:
                reader = csv.DictReader(file)
                return list(reader.fieldnames or []), list(reader)
        if file_format == "jsonl":
            rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
            return list(rows[0]) if rows else [], rows
        import pyarrow.parquet as pq

        table = pq.read_table(path)
        return list(table.column_names), table.to_pylist()
    except OSError as error:
        raise BadInput(f"BadInput: {path} cannot be read: {_reason(error)}") from None
    except ValueError as error:
        raise BadInput(f"BadInput: {path} is not a {file_format} table: {error}") from None


class TableFile:
    """A table that is being written: ``write`` batches, then ``finish``; left without that, nothing is kept."""

    def __init__(self, path: Path, file_format: str, schema: Any) -> None:
        self.path = path
        self.file_format = file_format
        self.schema = schema
        self.rows = 0
        self.waiting: list[Any] = []
        self.n_waiting = 0
        self.writer: Any = None
        self.sink: Any = None

    def __enter__(self) -> TableFile:
        try:
            with self._told():
                self._open()
        except BaseException:
            self.__exit__(None)
            raise
        return self

    def _open(self) -> None:
        import pyarrow as pa

        self.sink = pa.OSFile(str(_aside(self.path)), "wb")
        if self.file_format == "parquet":
            import pyarrow.parquet as pq

            # without Arrow's own copy of the schema, so that the metadata added at the end are the schema's
            self.writer = pq.ParquetWriter(
                self.sink, self.schema, compression="zstd", store_schema=False, use_dictionary=_repeated(self.schema)
            )
        elif self.file_format == "csv":
            import pyarrow.csv as pc

            self.writer = pc.CSVWriter(self.sink, pa.schema([_flat(field) for field in self.schema]))

    def __exit__(self, kind: Any, *_: object) -> None:
        """Close and remove what was not finished."""
        for one in (self.writer, self.sink):
            if one is not None:
                with contextlib.suppress(Exception):  # the error that brought us here is the one to tell
                    one.close()
        for left in (_aside(self.path), _aside(_beside(self.path))):
            with contextlib.suppress(OSError):
                left.unlink()

    def write(self, batch: Any) -> None:
        """Add the rows of a ``pyarrow.RecordBatch``."""
        self.rows += batch.num_rows
        with self._told():
            if self.file_format == "parquet":
                self.waiting.append(batch)
                self.n_waiting += batch.num_rows
                if self.n_waiting >= ROW_GROUP:
                    self._write_group()
            elif self.file_format == "csv":
                self.writer.write_batch(_joined(batch))
            else:
                self.sink.write(_lines(batch))

    def _write_group(self) -> None:
        import pyarrow as pa

        if self.waiting:
            self.writer.write_table(pa.Table.from_batches(self.waiting), row_group_size=self.n_waiting)
        self.waiting, self.n_waiting = [], 0

    def finish(self, description: Mapping[str, Any]) -> int:
        """Describe the table, put it into its place and return its size in bytes."""
        said = json.dumps(description, ensure_ascii=False, indent=2)
        with self._told():
            if self.file_format == "parquet":
                self._write_group()
                self.writer.add_key_value_metadata({"rollwise": said})
            else:
                _aside(_beside(self.path)).write_text(said + "\n", encoding="utf-8")
            if self.writer is not None:
                self.writer.close()
            self.sink.close()
            size = _aside(self.path).stat().st_size
            os.replace(_aside(self.path), self.path)
            if self.file_format != "parquet":
                os.replace(_aside(_beside(self.path)), _beside(self.path))
        return size

    @contextlib.contextmanager
    def _told(self) -> Any:
        """A full disk and its like as one line."""
        try:
            yield
        except OSError as error:
            raise RollwiseError(f"RollwiseError: {self.path} was not written: {_reason(error)}") from error


def _repeated(schema: Any) -> list[str]:
    """The columns, as Parquet names them, in which one value stands many times: all but values."""
    import pyarrow as pa

    kinds = [(field, field.type.value_type if pa.types.is_list(field.type) else field.type) for field in schema]
    return [
        f"{field.name}.list.element" if pa.types.is_list(field.type) else field.name
        for field, kind in kinds
        if not pa.types.is_floating(kind)
    ]


def _flat(field: Any) -> Any:
    """A column as CSV has it: lists are text."""
    import pyarrow as pa

    return pa.field(field.name, pa.string()) if pa.types.is_list(field.type) else field


def _joined(batch: Any) -> Any:
    """A batch with its lists joined into text."""
    import pyarrow as pa
    import pyarrow.compute as pc

    columns = []
    for column in batch.columns:
        if pa.types.is_list(column.type):
            column = pc.binary_join(column.cast(pa.list_(pa.string())), BETWEEN)
        columns.append(column)
    return pa.RecordBatch.from_arrays(columns, names=batch.schema.names)


def _lines(batch: Any) -> bytes:
    """A batch as JSON lines."""
    names = batch.schema.names
    encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
    rows = zip(*(column.to_pylist() for column in batch.columns), strict=True)
    return "".join(encode(dict(zip(names, row, strict=True))) + "\n" for row in rows).encode()
