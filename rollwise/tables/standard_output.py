"""``export --output -``: a table to standard output, once it is whole."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from rollwise.answers.export import Exported
from rollwise.solver.game.errors import BadInput

STDOUT = "-"
AS_TEXT = ("csv", "jsonl")


def to_standard_output(file_format: str | None, write: Callable[[Path], Exported]) -> Exported:
    """Have a table written to a file that is nobody's, and copy it out: an export that fails halfway prints nothing.

    Raises BadInput for a format that is no text. What reads the table gets no description of it, which stands beside a
    file.
    """
    if file_format not in AS_TEXT:
        said = "no --format" if file_format is None else f"--format {file_format}"
        raise BadInput(
            f"to standard output a table goes as csv or jsonl, got {said}",
            hint="--format csv",
            field="format",
        )
    with tempfile.TemporaryDirectory(prefix="rollwise-") as folder:
        made = write(Path(folder) / f"table.{file_format}")
        sys.stdout.flush()
        with made.path.open("rb") as table:
            shutil.copyfileobj(table, sys.stdout.buffer)
        sys.stdout.buffer.flush()
    return made
