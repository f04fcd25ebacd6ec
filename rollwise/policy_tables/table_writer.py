"""Writer of table files: a scratch file, checked and described, then renamed into place."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rollwise.cache.files import AsideFile, sync
from rollwise.policy_tables.files import ROW_GROUP, SEPARATOR, reason, sidecar_path
from rollwise.policy_tables.overwrite import DESCRIPTION, TABLE, is_own_file, require_own_file, require_same
from rollwise.solver.model.errors import RollwiseError

NUMBER_LIKE = "^[-0-9,:/.]+$"  # text that a spreadsheet may read as a number, a date or a time


class TableWriter:
    """Writer of one table: ``write`` batches, then ``finish``; without that the file is discarded.

    Without ``force`` it replaces only an own table.
    """

    def __init__(self, path: Path, file_format: str, schema: Any, *, force: bool = False) -> None:
        self.path = path
        self.file_format = file_format
        self.schema = schema
        self.force = force
        self.rows = 0
        self.pending: list[Any] = []
        self.n_pending = 0
        self.files: list[AsideFile] = []  # of the table, then of its description
        self.writer: Any = None
        self.sink: Any = None

    def __enter__(self) -> TableWriter:
        try:
            with self._write_errors():
                self._open()
        except BaseException:
            self.__exit__(None)
            raise
        return self

    def _open(self) -> None:
        import pyarrow as pa

        self.files.append(AsideFile(self.path))
        self.sink = pa.OSFile(str(self.files[0].aside), "wb")
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
        """Close the file; remove it if it is not finished."""
        for one in (self.writer, self.sink):
            if one is not None:
                with contextlib.suppress(Exception):  # the first error counts
                    one.close()
        for file in self.files:
            file.discard()

    def write(self, batch: Any) -> None:
        """Add the rows of a ``pyarrow.RecordBatch``."""
        self.rows += batch.num_rows
        with self._write_errors():
            if self.file_format == "parquet":
                self.pending.append(batch)
                self.n_pending += batch.num_rows
                if self.n_pending >= ROW_GROUP:
                    self._write_group()
            elif self.file_format == "csv":
                self.writer.write_batch(_flatten_lists(batch))
            else:
                self.sink.write(_lines(batch))

    def _write_group(self) -> None:
        import pyarrow as pa

        if self.pending:
            self.writer.write_table(pa.Table.from_batches(self.pending), row_group_size=self.n_pending)
        self.pending, self.n_pending = [], 0

    def finish(self, description: Mapping[str, Any]) -> int:
        """Describe the table, put it into its place and return its size in bytes."""
        text = json.dumps(description, ensure_ascii=False, indent=2)
        with self._write_errors():
            if self.file_format == "parquet":
                self._write_group()
                self.writer.add_key_value_metadata({"rollwise": text})
            else:
                self.files.append(AsideFile(self.path))
                self.files[1].aside.write_text(text + "\n", encoding="utf-8")
            if self.writer is not None:
                self.writer.close()
            self.sink.close()
            for file in self.files:
                sync(file.aside)
            size = self.files[0].aside.stat().st_size
            if not self.force:  # another program may have written it since
                require_own_file(self.path, TABLE)
                require_same(self.path, description, self.path)
                require_own_file(sidecar_path(self.path), DESCRIPTION)
            if is_own_file(sidecar_path(self.path), DESCRIPTION):  # no description is better than a wrong one
                sidecar_path(self.path).unlink(missing_ok=True)
            for file, place in zip(self.files, (self.path, sidecar_path(self.path)), strict=False):
                file.put(place)
        return size

    @contextlib.contextmanager
    def _write_errors(self) -> Any:
        """Raise RollwiseError, in one line, for an OSError such as a full disk."""
        try:
            yield
        except OSError as error:
            raise RollwiseError(f"{self.path} was not written: {reason(error)}") from error


def _repeated(schema: Any) -> list[str]:
    """The Parquet names of columns with repeated values: all but floats."""
    import pyarrow as pa

    kinds = [(field, field.type.value_type if pa.types.is_list(field.type) else field.type) for field in schema]
    return [
        f"{field.name}.list.element" if pa.types.is_list(field.type) else field.name
        for field, kind in kinds
        if not pa.types.is_floating(kind)
    ]


def _flat(field: Any) -> Any:
    """The column type in CSV, where lists are text."""
    import pyarrow as pa

    return pa.field(field.name, pa.string()) if pa.types.is_list(field.type) else field


def _flatten_lists(batch: Any) -> Any:
    """A batch with lists as text: ``roll|hold``, and numbers as ``[1 10]``, which no spreadsheet reads as a number."""
    import pyarrow as pa
    import pyarrow.compute as pc

    columns = []
    for column in batch.columns:
        is_numbers: Any = pa.types.is_list(column.type) and pa.types.is_floating(column.type.value_type)
        if pa.types.is_list(column.type):
            column = pc.binary_join(column.cast(pa.list_(pa.string())), " " if is_numbers else SEPARATOR)
        if pa.types.is_string(column.type):
            bracketed = pc.binary_join_element_wise("[", pc.replace_substring(column, ",", " "), "]", "")
            column = pc.if_else(is_numbers or pc.match_substring_regex(column, NUMBER_LIKE), bracketed, column)
        columns.append(column)
    return pa.RecordBatch.from_arrays(columns, names=batch.schema.names)


def _lines(batch: Any) -> bytes:
    """A batch as JSON lines."""
    names = batch.schema.names
    encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
    rows = zip(*(column.to_pylist() for column in batch.columns), strict=True)
    return "".join(encode(dict(zip(names, row, strict=True))) + "\n" for row in rows).encode()
