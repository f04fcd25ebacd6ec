"""A text that is put whole into its place: a ledger, a card, a record."""

from __future__ import annotations

import os
from pathlib import Path

from rollwise.solver.game.errors import RollwiseError
from rollwise.tables.files import alone, check_output, new_aside

STDOUT = "-"


def ledger_path(output: str | Path) -> Path:
    """The file that will be written; raises BadInput where it cannot be, before anything is computed.

    >>> ledger_path("missing/ledger.md")
    Traceback (most recent call last):
    rollwise.BadInput: missing/ledger.md cannot be written: there is no folder 'missing'
    """
    return check_output(Path(output))


def write_ledger(output: Path, text: str) -> Path:
    """Write the ledger aside and rename it into place; ``ledger_path`` has found the place fit."""
    with alone(output, wait=True):
        try:
            aside = new_aside(output)
            try:
                aside.write_text(text, encoding="utf-8")
                os.replace(aside, output)
            finally:
                aside.unlink(missing_ok=True)
        except OSError as error:
            raise RollwiseError(f"{output} was not written: {error.strerror}") from error
    return output
