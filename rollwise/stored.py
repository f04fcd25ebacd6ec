"""A solved game: from the cache if it is there and whole, else solved now and stored."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rollwise.cache.fingerprint import fingerprint
from rollwise.cache.store import Checkpoint, Entry, EntryBusy, Store, StoreError
from rollwise.games.registry import find
from rollwise.solver.game.model import Position, TurnGame
from rollwise.solver.turn.graph import ARRAYS, TurnGraph, from_plain, to_plain

if TYPE_CHECKING:
    from rollwise.solver.boards.sweep import BoardSolver

Floats = NDArray[np.float64]
_FORGOTTEN: set[str] = set()  # damaged entries that could not be removed
SOLVERS = (
    "rollwise.solver.boards.sweep",
    "rollwise.solver.boards.table",
    "rollwise.solver.turn.graph",
    "rollwise.solver.chains.odds",
)
MOST_KEPT = 256 << 20  # bytes of every board's odds that are stored; larger games keep the answer of their start


class Rows(Protocol):
    """What a luck game of several seats keeps of every board: rows of ``Eliminated.values``, by board index."""

    def __call__(self, board: int) -> NDArray[np.float64] | None:
        """The row of a board; None where there is none."""


@dataclass(frozen=True)
class Stored:
    """The board values of one game and its compiled turn.

    ``read(boards)`` gives (values, radius) of boards by index: float64, shape (n,), or (n, seats) values at a table.
    ``facts`` are plain data: boards, method, seconds, gain (tables). Luck games of several seats have the answer of the
    start in ``facts`` instead, and ``rows`` where they are not too many to be kept.
    """

    game: TurnGame
    graph: TurnGraph
    facts: dict[str, Any]
    read: Callable[[NDArray[np.int64]], tuple[Floats, Floats]]
    cached: bool
    key: str
    rows: Rows | None = None


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
        "fingerprint": fingerprint([module, *SOLVERS], ("rollwise.games", "rollwise.solver")),
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
    from rollwise.solver.turn.graph import compile_turn

    graph = compile_turn(game)
    check(graph)
    try:
        with _locked(store, key):
            entry = _read(store, key, tell=False)  # another process may have been quicker
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


def _read(store: Store, key: str, tell: bool = True) -> Entry | None:
    if key in _FORGOTTEN:
        return None
    try:
        entry = store.read(key)
        if entry is not None:
            for name in entry.names:
                if name.startswith("turn_"):
                    entry.array(name)
        return entry
    except StoreError as error:  # damaged, or a folder that cannot be read
        if tell:
            note(str(error))
        return None


def entry_as_stored(game: TurnGame, entry: Entry) -> Stored:
    """A cache entry, opened; board values are read, and checked, only where they are asked for."""
    graph = from_plain({f"turn_{name}": entry.array(f"turn_{name}") for name in ARRAYS}, entry.manifest["turn"])
    facts = dict(entry.manifest["facts"])
    if game.seats:
        kept = entry.checked("values") if "values" in entry.names else None
        boards = entry.array("boards") if kept is not None else np.zeros(0, dtype=np.int64)
        rows = rows_of(boards, lambda place: kept.take(np.array([place]))[0] if kept else None, entry.names)
        return Stored(game, graph, facts, _no_values, True, entry.key, rows)
    values, radius = entry.checked("values"), entry.checked("radius")

    def read(boards: NDArray[np.int64]) -> tuple[Floats, Floats]:
        return values.take(boards), radius.take(boards).astype(np.float64)

    return Stored(game, graph, facts, read, True, entry.key)


def forget(key: str) -> None:
    """Drop an entry that turned out to be damaged while it was read; this process does not read it again."""
    try:
        Store().remove(key)
    except StoreError:  # a folder that cannot be written
        _FORGOTTEN.add(key)


# --- solving -------------------------------------------------------------------------------------------------------


def _solve(game: TurnGame, graph: TurnGraph, store: Store | None, key: str, workers: int, quiet: bool) -> Stored:
    from rollwise.progress import Progress

    began = time.perf_counter()
    with Progress(str(game), quiet) as progress:
        if game.seats:
            return _odds(game, graph, store, key, progress, began)
        if game.kind == "table":
            from rollwise.solver.boards.table import solve_table

            table = solve_table(game, graph, progress.share)
            values, radius = table.values, table.radius
            facts = {
                "boards": table.n_boards,
                "method": table.method,
                "gain": table.gain,
                "gain_limit": table.gain_limit,
            }
        else:
            values, radius, facts = _sweep(game, graph, store, key, workers, progress)
    facts["seconds"] = round(time.perf_counter() - began, 3)
    if store is not None:
        _keep(store, key, game, graph, values, radius, facts)

    def read(boards: NDArray[np.int64]) -> tuple[Floats, Floats]:
        return values[boards], radius[boards].astype(np.float64)

    return Stored(game, graph, facts, read, False, key)


def _odds(game: TurnGame, graph: TurnGraph, store: Store | None, key: str, progress: Any, began: float) -> Stored:
    """A luck game of several seats: the answer of its start, and every board's odds where these are not too many."""
    from rollwise.solver.chains.layout import lay_out
    from rollwise.solver.chains.odds import odds

    steps = lay_out(game, graph, report=lambda done: progress.share(0.2 * done))
    start = steps.place(game.boards().index_of(**game.first_board()))
    found = odds(steps, start, lambda done: progress.share(0.2 + 0.8 * done))
    told = found.quantities(seats_of(game, game.locate()), max(game.seats, 1), game.outcome)
    facts = {
        "boards": steps.n_boards,
        "method": found.method,
        "start": {name: quantity.plain() for name, quantity in told.items()},
        "seconds": round(time.perf_counter() - began, 3),
    }
    arrays: dict[str, NDArray[Any]] = {}
    known = found.eliminated
    if known is not None and known.values.nbytes <= MOST_KEPT:
        by_index = np.argsort(steps.boards)
        arrays = {"values": known.values[by_index], "boards": steps.boards[by_index]}
        facts |= {"chance_error": known.chance_error, "turn_error": known.turn_error}
    if store is not None:
        _write(store, key, game, graph, arrays, facts, 2 * known.radius(start)[0] if known else 0.0)
    rows = rows_of(arrays.get("boards", steps.boards), lambda place: arrays["values"][place], arrays)
    return Stored(game, graph, facts, _no_values, False, key, rows)


def seats_of(game: TurnGame, position: Position) -> tuple[int, ...]:
    """Whose place on the board is which, the mover's first."""
    n = max(game.seats, 1)
    return position.seats or tuple((position.mover + place) % n for place in range(n))


def rows_of(boards: NDArray[np.int64], take: Callable[[int], Any], arrays: Any) -> Rows | None:
    """Rows by board index, where they were kept."""
    if "values" not in arrays:
        return None

    def row(board: int) -> NDArray[np.float64] | None:
        place = int(np.searchsorted(boards, board))
        return np.asarray(take(place)) if place < len(boards) and boards[place] == board else None

    return row


def _no_values(boards: NDArray[np.int64]) -> tuple[Floats, Floats]:
    raise AssertionError("a luck game of several seats has odds, not values")


def _sweep(game: TurnGame, graph: TurnGraph, store: Store | None, key: str, workers: int, progress: Any) -> Any:
    from rollwise.solver.boards.sweep import BoardSolver

    solver = BoardSolver(game, graph, workers=workers)
    checkpoint = store.checkpoint(key) if store is not None else None
    if checkpoint is not None:
        _go_on(solver, checkpoint)

    saving = threading.Lock()
    is_over = is_kept = False

    def save(last: bool = False) -> None:
        """Keep what is done; once the last was saved, a worker still at work saves no more."""
        nonlocal is_over, is_kept
        with saving:  # a worker may be saving: were it cut off between two renames, there would be no checkpoint
            if checkpoint is None or is_over:
                return
            is_over = last
            arrays, state = solver.checkpoint()
            if last:  # workers may still write: what is written and what its checksums are taken of must be the same
                arrays = {name: array.copy() for name, array in arrays.items()}
            try:
                checkpoint.save(arrays, state)
                is_kept = True
            except StoreError as error:
                note(str(error))
                is_kept = False

    try:
        found = solver.solve(progress.share, save)
    except KeyboardInterrupt:
        save(last=True)
        if is_kept:
            note("stopped; what is done is kept, the same command goes on from there")
        raise
    facts = {"boards": found.n_boards, "method": found.method, "edge_operations": found.work.edge_operations}
    return found.values, found.radius, facts


def _go_on(solver: BoardSolver, checkpoint: Checkpoint) -> None:
    """Take up what an earlier run has left; what does not fit is dropped."""
    begun = checkpoint.load()
    if begun is None:
        return
    arrays, state = begun
    if fits(solver, arrays, state):
        solver.resume(arrays, state)
        note("going on from where an earlier run was stopped")
        return
    note("what an earlier run has left does not fit this game; starting afresh")
    with suppress(StoreError):
        checkpoint.discard()


def fits(solver: BoardSolver, arrays: Mapping[str, NDArray[Any]], state: Mapping[str, Any]) -> bool:
    """True for a checkpoint that ``resume`` can take: arrays of the right kind, and bounds where it says it is done."""
    usual, plain = solver.checkpoint()
    if arrays.keys() != usual.keys() or state.keys() != plain.keys():
        return False
    if any((arrays[name].shape, arrays[name].dtype) != (usual[name].shape, usual[name].dtype) for name in usual):
        return False
    numbers = [state[name] for name in ("slack", "level_radius", "scale")]
    if not all(isinstance(number, float) and np.isfinite(number) and number >= 0 for number in numbers):
        return False
    level, methods = state["level"], state["methods"]
    if not isinstance(methods, list) or not all(isinstance(method, str) for method in methods):
        return False
    if level is None:
        return True
    if not isinstance(level, int) or level < 0:
        return False
    done = solver.level_of >= level
    return all(bool(np.isfinite(array[done]).all()) for array in arrays.values()) and bool(
        (arrays["radius"][done] >= 0).all()
    )


def _keep(
    store: Store,
    key: str,
    game: TurnGame,
    graph: TurnGraph,
    values: Floats,
    radius: NDArray[np.float32],
    facts: dict[str, Any],
) -> None:
    _write(store, key, game, graph, {"values": values, "radius": radius}, facts, 2 * float(np.nanmax(radius)))


def _write(
    store: Store,
    key: str,
    game: TurnGame,
    graph: TurnGraph,
    arrays: Mapping[str, NDArray[Any]],
    facts: dict[str, Any],
    widest: float,
) -> None:
    turn, plain = to_plain(graph)
    manifest = {**identity(game), "turn": plain, "facts": facts, "versions": versions(), "widest": widest}
    try:
        store.write(key, {**turn, **arrays}, manifest)
    except StoreError as error:
        note(f"{error}; the answer is not kept")
        return
    _FORGOTTEN.discard(key)
    with suppress(StoreError):
        store.checkpoint(key).discard()


def versions() -> dict[str, str]:
    """What an answer was computed with."""
    from importlib.metadata import version

    return {name: version(name) for name in ("rollwise", "numpy", "numba")}
