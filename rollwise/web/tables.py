"""Tables for whoever asks, each written by a process of its own: that is long work, and answers do not wait for it.

``python -m rollwise.web.tables`` reads from standard input, as a line of JSON, what is wanted and where to write it.
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
from rollwise.solutions.games import Unsolved, cache_only
from rollwise.solver.model.cancellation import require_wanted
from rollwise.solver.model.errors import NotConverged, RollwiseError
from rollwise.solver.model.game import TurnGame
from rollwise.web.processes import PYTHON, begun, work

MOST_ROWS = 100_000
PIECE = 1 << 16  # bytes that are sent at once
LOOK = 0.05  # seconds between looks whether it is done


@dataclass
class SentTable:
    """A table that is written and waits to be sent; nobody else sees its file."""

    name: str
    file: IO[bytes]

    def pieces(self) -> Iterator[bytes]:
        """Its bytes."""
        with self.file:
            yield from iter(partial(self.file.read, PIECE), b"")


def table(game: TurnGame, params: Mapping[str, Any], state: Mapping[str, Any], file_format: str) -> SentTable:
    """``rollwise export``, whole before anything is sent: an export that fails halfway sends nothing.

    Raises what ``export`` raises, Unsolved, and GivenUp as soon as nobody waits for it.
    """
    with tempfile.TemporaryDirectory(prefix="rollwise-") as folder:
        path = Path(folder) / f"{game.name}.{file_format}"
        order = {"game": game.name, "params": params, "state": state, "format": file_format}
        outcome = _ordered({**order, "path": str(path), "most": MOST_ROWS})
        if not outcome.get("done"):
            raise Unsolved(game, state) if outcome.get("error") == Unsolved.__name__ else error_of(outcome)
        sent = tempfile.TemporaryFile()  # noqa: SIM115  closed when it is sent
        with path.open("rb") as written:
            shutil.copyfileobj(written, sent)
    sent.seek(0)
    return SentTable(path.name, sent)


def _ordered(order: Mapping[str, Any]) -> dict[str, Any]:
    """What a process says at last that writes this table."""
    with begun([*PYTHON, "-m", "rollwise.web.tables"], subprocess.DEVNULL) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        with suppress(BrokenPipeError):  # it has ended already
            child.stdin.write(json.dumps(order).encode() + b"\n")
            child.stdin.flush()
        while child.poll() is None:
            time.sleep(LOOK)
            require_wanted()
        lines = child.stdout.read().splitlines()
    return dict(json.loads(lines[-1])) if lines else {}


def error_of(outcome: Mapping[str, Any]) -> Exception:
    """The error that a process has met."""
    if outcome.get("error") == StoreError.__name__:
        return StoreError(outcome["message"])
    kind = getattr(rollwise, str(outcome.get("error")), RollwiseError)
    if not (isinstance(kind, type) and issubclass(kind, RollwiseError)) or kind is NotConverged:
        kind = RollwiseError
    message = outcome.get("message", "the table could not be written; the process that wrote it has ended")
    return kind(message, hint=outcome.get("hint", ""), field=outcome.get("field", ""))


def write(order: Mapping[str, Any]) -> None:
    """Write a table of what is solved."""
    how = {name: order[name] for name in ("params", "state", "format", "most")}
    with cache_only():
        rollwise.export(order["game"], order["path"], **how)


def main() -> None:
    """Write the table that standard input says."""
    order = json.loads(sys.stdin.buffer.readline())
    work(lambda: write(order))


if __name__ == "__main__":
    main()
