"""A solved game: from the cache if it is there and whole, else solved now and stored."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cache.fingerprint import fingerprint
from cache.store import DamagedEntry, Entry, EntryBusy, Store, StoreError
from games.registry import find
from solver.graph import TurnGraph, from_plain, to_plain
from solver.model import TurnGame

Floats = NDArray[np.float64]
SOLVERS = ("solver.sweep", "solver.table", "solver.graph")
TURN = (
    "roots",
    "start",
    "child",
    "weight",
    "total",
    "kind",
    "made",
    "segments",
    "state_hash",
    "state_node",
    "root_leaves",
)


@dataclass(frozen=True)
class Stored:
    """The board values of one game and its compiled turn.

    ``read(boards)`` gives (values, radius) of boards by index: float64, shape (n,), or (n, seats) values at a table.
    ``facts`` are plain data: boards, method, seconds, gain (tables).
    """

    game: TurnGame
    graph: TurnGraph
    facts: dict[str, Any]
    read: Callable[[NDArray[np.int64]], tuple[Floats, Floats]]
    cached: bool
    key: str


def note(text: str) -> None:
    """One line for the person at the terminal, beside the answer."""
    print(f"rollwise: {text}", file=sys.stderr)


def identity(game: TurnGame) -> dict[str, Any]:
    """What a stored answer depends on: the rules asked for and every source file that made it."""
    module = find(game.name).module
    return {
        "game": game.name,
        "parameters": plain_parameters(game),
        "rules_version": game.rules_version,
        "fingerprint": fingerprint([module, *SOLVERS], ("games", "solver")),
    }


def plain_parameters(game: TurnGame) -> dict[str, Any]:
    """Rule parameters as JSON holds them."""
    return {name: list(value) if isinstance(value, tuple) else value for name, value in game.parameters().items()}


def stored(
    game: TurnGame, check: Callable[[TurnGraph], None] = lambda graph: None, *, workers: int = 2, quiet: bool = False
) -> Stored:
    """The solved game: a damaged entry is reported and solved again, and what cannot be stored is solved anyway.

    ``check`` looks at the compiled turn, and may raise, before anything is solved or written.
    """
    store = Store()
    key = store.key(game.name, identity(game))
    entry = _read(store, key)
    if entry is not None:
        found = entry_as_stored(game, entry)
        check(found.graph)
        return found
    from solver.graph import compile_turn

    graph = compile_turn(game)
    check(graph)
    try:
        with _locked(store, key):
            entry = _read(store, key)  # another process may have been quicker
            if entry is not None:
                return entry_as_stored(game, entry)
            return _solve(game, graph, store, key, workers, quiet)
    except StoreError as error:
        note(f"{error}; solving without the cache")
        return _solve(game, graph, None, key, workers, quiet)


@contextmanager
def _locked(store: Store, key: str) -> Iterator[None]:
    try:
        lock = store.lock(key, timeout=0.5)
        lock.__enter__()
    except EntryBusy:
        note("another process is solving this game; waiting for it (Ctrl-C to stop)")
        lock = store.lock(key)
        lock.__enter__()
    try:
        yield
    finally:
        lock.__exit__(None, None, None)


def _read(store: Store, key: str) -> Entry | None:
    try:
        entry = store.read(key)
        if entry is not None:
            for name in entry.names:
                if name.startswith("turn_"):
                    entry.array(name)
        return entry
    except DamagedEntry as error:
        note(str(error))
        return None


def entry_as_stored(game: TurnGame, entry: Entry) -> Stored:
    """A cache entry, opened; board values are read, and checked, only where they are asked for."""
    graph = from_plain({f"turn_{name}": entry.array(f"turn_{name}") for name in TURN}, entry.manifest["turn"])
    values, radius = entry.checked("values"), entry.checked("radius")

    def read(boards: NDArray[np.int64]) -> tuple[Floats, Floats]:
        return values.take(boards), radius.take(boards).astype(np.float64)

    return Stored(game, graph, dict(entry.manifest["facts"]), read, True, entry.key)


def forget(key: str) -> None:
    """Drop an entry that turned out to be damaged while it was read."""
    Store().remove(key)


# --- solving -------------------------------------------------------------------------------------------------------


def _solve(game: TurnGame, graph: TurnGraph, store: Store | None, key: str, workers: int, quiet: bool) -> Stored:
    from rollwise.progress import Progress

    began = time.perf_counter()
    with Progress(str(game), quiet) as progress:
        if game.kind == "table":
            from solver.table import solve_table

            table = solve_table(game, graph, progress.share)
            values, radius = table.values, table.radius
            facts = {"boards": table.n_boards, "method": table.method, "gain": table.gain_limit}
        else:
            values, radius, facts = _sweep(game, graph, store, key, workers, progress)
    facts["seconds"] = round(time.perf_counter() - began, 3)
    if store is not None:
        _keep(store, key, game, graph, values, radius, facts)

    def read(boards: NDArray[np.int64]) -> tuple[Floats, Floats]:
        return values[boards], radius[boards].astype(np.float64)

    return Stored(game, graph, facts, read, False, key)


def _sweep(game: TurnGame, graph: TurnGraph, store: Store | None, key: str, workers: int, progress: Any) -> Any:
    from solver.sweep import BoardSolver

    solver = BoardSolver(game, graph, workers=workers)
    checkpoint = store.checkpoint(key) if store is not None else None
    if checkpoint is not None:
        begun = checkpoint.load()
        if begun is not None:
            solver.resume(*begun)
            note("going on from where an earlier run was stopped")

    def save() -> None:
        if checkpoint is not None:
            try:
                checkpoint.save(*solver.checkpoint())
            except StoreError as error:
                note(str(error))

    try:
        found = solver.solve(progress.share, save)
    except KeyboardInterrupt:
        save()
        if checkpoint is not None:
            note("stopped; what is done is kept, the same command goes on from there")
        raise
    facts = {"boards": found.n_boards, "method": found.method, "edge_operations": found.work.edge_operations}
    return found.values, found.radius, facts


def _keep(
    store: Store,
    key: str,
    game: TurnGame,
    graph: TurnGraph,
    values: Floats,
    radius: NDArray[np.float32],
    facts: dict[str, Any],
) -> None:
    arrays, plain = to_plain(graph)
    manifest = {
        **identity(game),
        "turn": plain,
        "facts": facts,
        "versions": versions(),
        "widest": 2 * float(np.nanmax(radius)),
    }
    try:
        store.write(key, {**arrays, "values": values, "radius": radius}, manifest)
        store.checkpoint(key).discard()
    except StoreError as error:
        note(f"{error}; the answer is not kept")


def versions() -> dict[str, str]:
    """What an answer was computed with."""
    from importlib.metadata import version

    return {name: version(name) for name in ("rollwise", "numpy", "numba")}
