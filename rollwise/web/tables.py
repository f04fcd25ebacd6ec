"""Exported tables, each written by a process of its own, so that answers need not wait for it.

``python -m rollwise.web.tables`` reads an order from standard input, a line of JSON with the path of the file.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, Any

import rollwise
from rollwise.cache.errors import StoreError
from rollwise.solutions.lookup import Unsolved, cache_only
from rollwise.solver.model.cancellation import raise_if_cancelled
from rollwise.solver.model.errors import NotConverged, RollwiseError
from rollwise.solver.model.game import TurnGame
from rollwise.web.processes import PYTHON, child_process, run_task

MAX_ROWS = 100_000
CHUNK_BYTES = 1 << 16  # sent at once
POLL_INTERVAL_S = 0.05  # between polls of the process


@dataclass
class SentTable:
    """A written table to be sent, in an unnamed file."""

    name: str
    file: IO[bytes]

    def pieces(self) -> Iterator[bytes]:
        """Its bytes."""
        with self.file:
            yield from iter(partial(self.file.read, CHUNK_BYTES), b"")


def make_table(game: TurnGame, params: Mapping[str, Any], state: Mapping[str, Any], file_format: str) -> SentTable:
    """``rollwise export``, whole before anything is sent: an export that fails halfway sends nothing.

    Raises the errors of ``export``, Unsolved, and Cancelled as soon as the request is cancelled.
    """
    with tempfile.TemporaryDirectory(prefix="rollwise-") as folder:
        path = Path(folder) / f"{game.name}.{file_format}"
        order = {"game": game.name, "params": params, "state": state, "format": file_format}
        outcome = _run_process({**order, "path": str(path), "most": MAX_ROWS})
        if not outcome.get("done"):
            raise Unsolved(game, state) if outcome.get("error") == Unsolved.__name__ else error_of(outcome)
        sent = tempfile.TemporaryFile()  # noqa: SIM115  closed when it is sent
        with path.open("rb") as written:
            shutil.copyfileobj(written, sent)
    sent.seek(0)
    return SentTable(path.name, sent)


def _run_process(order: Mapping[str, Any]) -> dict[str, Any]:
    """Run the process that writes a table; returns its last line."""
    with child_process([*PYTHON, "-m", "rollwise.web.tables"], subprocess.DEVNULL) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        with suppress(BrokenPipeError):  # it has ended already
            child.stdin.write(json.dumps(order).encode() + b"\n")
            child.stdin.flush()
        while child.poll() is None:
            time.sleep(POLL_INTERVAL_S)
            raise_if_cancelled()
        lines = child.stdout.read().splitlines()
    return dict(json.loads(lines[-1])) if lines else {}


def error_of(outcome: Mapping[str, Any]) -> Exception:
    """The error in the last line of a process."""
    if outcome.get("error") == StoreError.__name__:
        return StoreError(outcome["message"])
    kind = getattr(rollwise, str(outcome.get("error")), RollwiseError)
    if not (isinstance(kind, type) and issubclass(kind, RollwiseError)) or kind is NotConverged:
        kind = RollwiseError
    message = outcome.get("message", "the table could not be written; the process that wrote it has ended")
    return kind(message, hint=outcome.get("hint", ""), field=outcome.get("field", ""))


def write_table(order: Mapping[str, Any]) -> None:
    """Write the table of an order, from the cache alone."""
    how = {name: order[name] for name in ("params", "state", "format", "most")}
    with cache_only():
        rollwise.export(order["game"], order["path"], **how)


def main() -> None:
    """Write the table of the order in standard input."""
    order = json.loads(sys.stdin.buffer.readline())
    run_task(lambda: write_table(order))


if __name__ == "__main__":
    main()
