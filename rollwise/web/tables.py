"""Exported tables, each written by a process of its own, so that answers need not wait for it."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from asyncio.subprocess import DEVNULL
from collections.abc import Iterator, Mapping
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
from rollwise.web.processes import CHILD, end_process, order_line, run_order, start_process

MAX_ROWS = 100_000
CHUNK_BYTES = 1 << 16  # sent at once
POLL_INTERVAL_S = 0.05  # between checks whether somebody waits


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
        how = {"params": params, "state": state, "format": file_format, "most": MAX_ROWS}
        outcome = asyncio.run(_run_process(order_line("table", game=game.name, path=str(path), **how)))
        if not outcome.get("done"):
            raise Unsolved(game, state) if outcome.get("error") == Unsolved.__name__ else error_of(outcome)
        sent = tempfile.TemporaryFile()  # noqa: SIM115  closed when it is sent
        with path.open("rb") as written:
            shutil.copyfileobj(written, sent)
    sent.seek(0)
    return SentTable(path.name, sent)


async def _run_process(order: bytes) -> dict[str, Any]:
    """Run the process that writes a table; returns its last line."""
    child = await start_process(CHILD, DEVNULL)
    try:
        running = asyncio.ensure_future(run_order(child, order))
        while not running.done():
            await asyncio.wait({running}, timeout=POLL_INTERVAL_S)
            raise_if_cancelled()
        return running.result()
    finally:
        await end_process(child)


def error_of(outcome: Mapping[str, Any]) -> Exception:
    """The error in the last line of a process."""
    if outcome.get("error") == StoreError.__name__:
        return StoreError(outcome["message"])
    kind = getattr(rollwise, str(outcome.get("error")), RollwiseError)
    if not (isinstance(kind, type) and issubclass(kind, RollwiseError)) or kind is NotConverged:
        kind = RollwiseError
    message = outcome.get("message", "the table could not be written; the process that wrote it has ended")
    return kind(message, hint=outcome.get("hint", ""), field=outcome.get("field", ""))


def write_table(game: str, path: str, **how: Any) -> None:
    """Write the table of an order, from the cache alone."""
    with cache_only():
        rollwise.export(game, path, **how)
