"""A table that is being written: aside, checked and described, then renamed into its place."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rollwise.policy_tables.files import BETWEEN, ROW_GROUP, beside, new_aside, reason, sync
from rollwise.policy_tables.ours import DESCRIPTION, TABLE, is_ours, require_ours, require_same
from rollwise.solver.model.errors import RollwiseError

NUMBERS = "^[-0-9,:/.]+$"  # text that a spreadsheet may take for a number, a date or a time


class TableFile:
    """A table that is being written: ``write`` batches, then ``finish``; left without that, nothing is kept.

    Without ``force`` it goes only over a table of ours.
    """

    def __init__(self, path: Path, file_format: str, schema: Any, *, force: bool = False) -> None:
        self.path = path
        self.file_format = file_format
        self.schema = schema
        self.force = force
        self.rows = 0
        self.waiting: list[Any] = []
        self.n_waiting = 0
        self.aside: list[Path] = []  # the table, then its description
        self.writer: Any = None
        self.sink: Any = None

    def __enter__(self) -> TableFile:
        try:
            with self._in_one_line():
                self._open()
        except BaseException:
            self.__exit__(None)
            raise
        return self

    def _open(self) -> None:
        import pyarrow as pa

        self.aside.append(new_aside(self.path))
        self.sink = pa.OSFile(str(self.aside[0]), "wb")
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
        for left in self.aside:
            with contextlib.suppress(OSError):
                left.unlink()

    def write(self, batch: Any) -> None:
        """Add the rows of a ``pyarrow.RecordBatch``."""
        self.rows += batch.num_rows
        with self._in_one_line():
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
        text = json.dumps(description, ensure_ascii=False, indent=2)
        with self._in_one_line():
            if self.file_format == "parquet":
                self._write_group()
                self.writer.add_key_value_metadata({"rollwise": text})
            else:
                self.aside.append(new_aside(self.path))
                self.aside[1].write_text(text + "\n", encoding="utf-8")
            if self.writer is not None:
                self.writer.close()
            self.sink.close()
            for aside in self.aside:
                sync(aside)
            size = self.aside[0].stat().st_size
            if not self.force:  # there may be another by now
                require_ours(self.path, TABLE)
                require_same(self.path, description, self.path)
                require_ours(beside(self.path), DESCRIPTION)
            if is_ours(beside(self.path), DESCRIPTION):  # a table without one is better than with another's
                beside(self.path).unlink(missing_ok=True)
            for aside, place in zip(self.aside, (self.path, beside(self.path)), strict=False):
                os.replace(aside, place)
        return size

    @contextlib.contextmanager
    def _in_one_line(self) -> Any:
        """A full disk and its like as one line."""
        try:
            yield
        except OSError as error:
            raise RollwiseError(f"{self.path} was not written: {reason(error)}") from error


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
    """A batch with its lists as text: ``roll|hold``, and numbers as ``[1 10]``, which no spreadsheet takes for one."""
    import pyarrow as pa
    import pyarrow.compute as pc

    columns = []
    for column in batch.columns:
        is_numbers: Any = pa.types.is_list(column.type) and pa.types.is_floating(column.type.value_type)
        if pa.types.is_list(column.type):
            column = pc.binary_join(column.cast(pa.list_(pa.string())), " " if is_numbers else BETWEEN)
        if pa.types.is_string(column.type):
            bracketed = pc.binary_join_element_wise("[", pc.replace_substring(column, ",", " "), "]", "")
            column = pc.if_else(is_numbers or pc.match_substring_regex(column, NUMBERS), bracketed, column)
        columns.append(column)
    return pa.RecordBatch.from_arrays(columns, names=batch.schema.names)


def _lines(batch: Any) -> bytes:
    """A batch as JSON lines."""
    names = batch.schema.names
    encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
    rows = zip(*(column.to_pylist() for column in batch.columns), strict=True)
    return "".join(encode(dict(zip(names, row, strict=True))) + "\n" for row in rows).encode()
