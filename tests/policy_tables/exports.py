"""What tests of exports share: tables as rows, the files of a folder, and accidents while one is written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, TypeVar

import pyarrow.parquet as pq
import pytest

from rollwise.cache.store import Store
from rollwise.policy_tables.table_writer import TableWriter

Row = dict[str, Any]
T = TypeVar("T")


def files(folder: Path) -> list[Path]:
    return sorted(folder.iterdir())


def names(folder: Path) -> list[str]:
    return [path.name for path in files(folder)]


def levels(*numbers: int) -> list[str]:
    """The names of the files of these levels."""
    return [f"level-{level:03}.parquet" for level in numbers]


def rows_of(*paths: Path) -> list[Row]:
    """The rows of Parquet tables, one after the other; a folder is all its tables."""
    every = [file for path in paths for file in (files(path) if path.is_dir() else [path])]
    return [row for path in every for row in pq.read_table(path).to_pylist()]


def in_order(rows: list[Row]) -> list[str]:
    return sorted(json.dumps(row) for row in rows)


def content(path: Path) -> tuple[bytes, dict[str, Any] | None]:
    """The table as it lies there, and the description beside it."""
    beside = path.with_name(f"{path.name}.meta.json")
    return path.read_bytes(), json.loads(beside.read_text()) if beside.exists() else None


def stamps(folder: Path) -> dict[str, tuple[int, int]]:
    """Files by name, with what changes when one is written again."""
    return {path.name: (path.stat().st_ino, path.stat().st_mtime_ns) for path in folder.iterdir()}


def no_solution(*_: Any, **__: Any) -> None:
    """In place of what solves a game."""
    raise AssertionError("solved for nothing")


def damage(store: Store) -> None:
    """Change a bit of the values of the one game that is in the cache."""
    (values,) = store.root.rglob("values.npy")
    spoiled = bytearray(values.read_bytes())
    spoiled[-5] ^= 0xFF
    values.write_bytes(spoiled)


def fail_at_batch(number: int, accident: BaseException, monkeypatch: pytest.MonkeyPatch) -> None:
    """The disk is full, or Ctrl-C comes, when so many batches have been written."""
    write, batches = TableWriter.write, []

    def written(self: TableWriter, batch: Any) -> None:
        batches.append(batch)
        with self._write_errors():
            if len(batches) == number:
                raise accident
        write(self, batch)

    monkeypatch.setattr(TableWriter, "write", written)


def there(found: T | None) -> T:
    """What may be None, and is not."""
    assert found is not None
    return found
