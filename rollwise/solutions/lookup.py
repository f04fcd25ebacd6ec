"""A solved game: from the cache if it is there and whole, else solved now and stored.

This module handles files, locks and checkpoints; the game's kind defines what is solved, stored and asked.
"""

from __future__ import annotations

import errno
import gc
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from rollwise.cache.entry import FIELD_ERRORS
from rollwise.cache.fingerprint import SETTLED_NS
from rollwise.cache.store import Checkpoint, DamagedEntry, Entry, Stamp, Store, StoreError
from rollwise.games.registry import game as registered
from rollwise.parsing.consent import CONSENT
from rollwise.parsing.memory_errors import require_addresses
from rollwise.solutions.entry_lock import locking
from rollwise.solutions.entry_parsing import blaming_entry, parse_facts, parse_turn, reading_entry, refute_entry
from rollwise.solutions.identity import identity, is_process_local, stored_settings, versions
from rollwise.solutions.in_memory import note_store_error, reason_not_stored, recall, remember, results_in_memory
from rollwise.solutions.notes import note
from rollwise.solutions.plans import announce, rate
from rollwise.solutions.turns import accept_any_turn as accept_any_turn, load_or_compile_turn
from rollwise.solver.components.checkpoints import Resumable
from rollwise.solver.kinds import kind_of
from rollwise.solver.kinds.kind import InMemory, Kind, Solution, SolveResult, Tools
from rollwise.solver.model.errors import BadInput, RollwiseError
from rollwise.solver.model.game import TurnGame
from rollwise.solver.model.limits import address_limit, evict_oldest
from rollwise.solver.turn.graph import TurnCheck, TurnGraph, build_graph, to_plain

if TYPE_CHECKING:
    from rollwise.solver.policy.flow import Forecast

Array = NDArray[Any]
Ints = NDArray[np.int64]
Result = TypeVar("Result")
_DROPPED_KEYS: set[str] = set()  # damaged entries that could not be removed
MAX_OPEN_SOLUTIONS = 16  # games that stay open for further questions
MAX_MANIFESTS_READ = 1000  # in the search for a larger part: a tenth of a second
MAX_ENTRIES_TRIED = 4  # opened in that search
DISK_FULL_ERRNOS = (errno.ENOSPC, errno.EDQUOT)
CHECKPOINT_SPARE_BYTES = 1 << 28  # that a checkpoint may have beside the arrays of its solve


@dataclass(frozen=True)
class StoredSolution:
    """Solution of a game with ``facts`` as plain data: boards, method, seconds, and more by kind."""

    solution: Solution
    facts: dict[str, Any]
    cached: bool
    key: str

    @property
    def game(self) -> TurnGame:
        """The solved game."""
        return self.solution.game

    @property
    def graph(self) -> TurnGraph:
        """Its compiled turn."""
        return self.solution.graph


_OPEN_SOLUTIONS: dict[str, tuple[tuple[str, Stamp], StoredSolution]] = {}  # by key, with root and stamp of its files
_CACHE_ONLY: ContextVar[bool] = ContextVar("cache only", default=False)


class Unsolved(RollwiseError):
    """A ``game`` that is not solved, in a place where nothing may be solved; ``fields`` are those of the question."""

    def __init__(self, game: TurnGame, fields: Mapping[str, Any] | None = None) -> None:
        super().__init__(f"{game} is not solved")
        self.game, self.fields = game, fields or {}


@contextmanager
def cache_only() -> Iterator[None]:
    """Inside the block no game is solved and stored: one missing or damaged in the cache raises ``Unsolved``."""
    before = _CACHE_ONLY.set(True)
    try:
        yield
    finally:
        _CACHE_ONLY.reset(before)


def is_cache_only() -> bool:
    """True inside ``cache_only()``."""
    return _CACHE_ONLY.get()


class EntryArrays:
    """``SolutionArrays`` of a cache entry: rows are read and checked on demand."""

    def __init__(self, entry: Entry) -> None:
        self.entry = entry
        self.names: Sequence[str] = [name for name in entry.names if not name.startswith("turn_")]

    def rows(self, name: str, places: Ints) -> Array:
        """See ``SolutionArrays``."""
        return self.entry.array_file(name).take(places)

    def whole(self, name: str) -> Array:
        """See ``SolutionArrays``."""
        return self.entry.array(name)

    def shape(self, name: str) -> tuple[tuple[int, ...], str]:
        """See ``SolutionArrays``."""
        array = self.entry.array_file(name)
        return array.shape, array.dtype.kind


def answer_from_solution(game: TurnGame, check: TurnCheck, query: Callable[[StoredSolution], Result]) -> Result:
    """Result of ``query`` on the solved game; an entry that proves damaged meanwhile is dropped and solved again.

    Where ``check`` is for a ``board``, only the part of the game is solved that a question on this board needs.
    """
    solved = load_or_solve(_part_to_solve(game, check), check)
    try:
        with blaming_entry(solved.key, partial(_refute_opened, solved)):
            return query(solved)
    except DamagedEntry as error:
        note(str(error))
        drop_entry(solved.key)
        return query(load_or_solve(_part_to_solve(game, check), check))


def _refute_opened(solved: StoredSolution) -> str | None:
    """Flaw of the cache entry behind a solution, in words; None where there is no flaw or no entry."""
    game, arrays = solved.game, solved.solution.arrays
    if not isinstance(arrays, EntryArrays):
        return None
    return refute_entry(arrays.entry, game, build_graph(game), arrays, Tools(workers=1))


def _part_to_solve(game: TurnGame, check: TurnCheck) -> TurnGame:
    """The game, or the part of it, that a question needs solved: one that is stored, else the smallest."""
    board, fields = check.board, check.fields
    endings = forecast_other_games(game, fields)
    whole_game: TurnGame = game.part(None, fields, endings)
    if board is None or whole_game is game or is_solved(whole_game):
        return whole_game
    part: TurnGame = game.part(board, fields, endings)
    return part if is_solved(part) else _find_larger_part(part, board) or part


def _find_larger_part(part: TurnGame, board: Mapping[str, Any]) -> TurnGame | None:
    """Stored part, of an earlier turn perhaps, that contains this one: open in this process, or of the newest entries,
    damaged ones skipped; None where there is none.
    """
    for solved in [*(solved for _, solved in list(_OPEN_SOLUTIONS.values())), *results_in_memory(StoredSolution)]:
        is_same_class = type(solved.game) is type(part) and solved.game.holds(part, board)
        if is_same_class and is_solved(solved.game) and not is_process_local(identity(solved.game)):
            return solved.game
    store, about, n_tried = Store(), identity(part), 0
    for key, manifest in store.newest(part.name, MAX_MANIFESTS_READ):
        about |= {name: manifest.get(name) for name in ("parameters", "solver_options")}
        other = _game_of_manifest(store, key, about)
        if type(other) is not type(part) or not other.may_hold(part):
            continue
        stored, n_tried = _read_solution(other, kind_of(other), store, key, is_noted=False), n_tried + 1
        if stored is not None and stored.game.holds(part, board):
            return stored.game
        if n_tried == MAX_ENTRIES_TRIED:
            break
    return None


def _game_of_manifest(store: Store, key: str, about: Mapping[str, Any]) -> Any:
    """Game of a manifest; None where the manifest does not agree with its key."""
    with suppress(BadInput, *FIELD_ERRORS):
        if store.key(about["game"], about) == key:
            return registered(about["game"], stored_settings(about))
    return None


def forecast_other_games(game: TurnGame, fields: Mapping[str, Any] | None) -> list[Forecast]:
    """Forecasts of the games that other players play alone beside the game in question."""
    others = game.beside(fields or {})
    if not others:
        return []
    from rollwise.solutions.forecasts import load_or_compute_forecast

    def forecast_ending(board: Mapping[str, int], solved: StoredSolution) -> Forecast:
        return load_or_compute_forecast(solved.solution, solved.game.boards().index_of(**board))[0]

    return [answer_from_solution(other, accept_any_turn, partial(forecast_ending, board)) for other, board in others]


def is_solved(game: TurnGame) -> bool:
    """True where the game is solved in memory or in the cache, or its kind stores nothing. Solves nothing.

    Reads the entry's manifest and the sizes of its files; the arrays are checked when they are used.
    """
    if not kind_of(game).is_stored:
        return True
    store, game = Store(), game.part()
    key = store.key(game.name, identity(game))
    try:
        return recall(store, key) is not None or (key not in _DROPPED_KEYS and store.read(key) is not None)
    except StoreError:  # damaged, or a folder that cannot be read
        return False


def require_stored(game: TurnGame) -> None:
    """Raise StoreError, with the reason, for a game whose solution is in memory only or no longer there."""
    store, game = Store(), game.part()
    error = reason_not_stored(store, store.key(game.name, identity(game)))
    if error is not None or not is_solved(game):
        raise StoreError(f"{game} is solved, but not stored: {error or 'is there room for it?'}")


def load_or_solve(
    game: TurnGame, check: TurnCheck = accept_any_turn, *, quiet: bool = False, evictable: bool = False
) -> StoredSolution:
    """Solution of a game. A damaged entry is noted and solved again; a game that cannot be stored is solved anyway.

    ``check`` gets the compiled turn and may raise before anything is solved or written. ``evictable``: a server solved
    it, and may evict it; what a user asks for without a server is the user's from then on, and stays.
    """
    store, game = Store(), game.part()
    kind = kind_of(game)
    about = identity(game, kind.sources(game))
    key = store.key(game.name, about)
    if kind.is_stored and (stored := _load_from_cache(game, kind, store, key)) is not None:
        check(stored.graph)
        (store.touch if evictable or _CACHE_ONLY.get() else store.mark_permanent)(key)
        return stored
    graph = load_or_compile_turn(game, check)
    solve = partial(_solve, game, kind, graph, about, key, quiet)
    if not kind.is_stored:
        return solve(None)
    if is_process_local(about):
        if _CACHE_ONLY.get():  # no other process could solve it for this one
            raise RollwiseError(f"{game} is not answered here: its code is not what it was. Start this program anew")
        announce(game)
        solved = solve(None)
        remember(store, key, solved)
        return solved
    if _CACHE_ONLY.get():
        raise Unsolved(game, check.fields)
    is_waiting = CONSENT.get() is not None and not store.is_unlocked(key)
    if not is_waiting:
        announce(game)
    try:
        with locking(store, key, partial(_plan_seconds, game, kind, graph)):
            stored = _read_solution(game, kind, store, key, is_noted=False)  # another process may have been quicker
            if not evictable:
                store.mark_permanent(key)
            if stored is not None:
                return stored
            if is_waiting:  # the other process has not solved it
                announce(game)
            if evictable:
                store.mark_evictable(key)
            return solve(store)
    except StoreError as error:
        note_store_error(error)
        solved = solve(None)
        remember(store, key, solved, error)
        return solved


def _plan_seconds(game: TurnGame, kind: Kind, graph: TurnGraph) -> float:
    """Planned seconds of a solve on this machine."""
    return rate() * kind.plan(game, graph).seconds


def _load_from_cache(game: TurnGame, kind: Kind, store: Store, key: str) -> StoredSolution | None:
    """Solution from memory or from the cache; an open entry is used again while the stamp of its files is the same."""
    solved = recall(store, key)
    if isinstance(solved, StoredSolution) and solved.game == game:
        return solved
    try:
        state = (str(store.root), store.stamp(key))
    except StoreError:  # reading it raises the same
        state = (str(store.root), ())
    opened_state, stored = _OPEN_SOLUTIONS.get(key, (None, None))
    if stored is not None and state == opened_state and key not in _DROPPED_KEYS and stored.game == game:
        return stored
    with store.opening(key) if state[1] and _CACHE_ONLY.get() else nullcontext():
        stored = _read_solution(game, kind, store, key)
    if stored is not None and all(max(times[1:3]) < time.time_ns() - SETTLED_NS for times in state[1]):
        _OPEN_SOLUTIONS[key] = state, stored
        evict_oldest(_OPEN_SOLUTIONS, MAX_OPEN_SOLUTIONS)
    return stored


def evict_solutions(max_bytes: int, spared: TurnGame | None = None) -> None:
    """Evict what servers solved, or anything where the cache has a limit, down to ``max_bytes``; ``spared`` stays.
    Evicted entries are closed in this process.
    """
    store = Store()
    try:
        spared_key = store.key(spared.name, identity(spared)) if spared else ""
        store.evict(max_bytes, spared_key, everything=store.limit is not None, close=_close_solution)
        for key in list(_OPEN_SOLUTIONS):
            if not store.stamp(key):  # an open file takes its place on disk
                _OPEN_SOLUTIONS.pop(key, None)
    except StoreError as error:
        note_store_error(error)


def _close_solution(key: str) -> None:
    """Close an entry that is open in this process, unless an answer just reads from it."""
    _OPEN_SOLUTIONS.pop(key, None)
    gc.collect()


def _read_solution(game: TurnGame, kind: Kind, store: Store, key: str, is_noted: bool = True) -> StoredSolution | None:
    """Solution in a cache entry, its turn and facts checked; None where there is none. Values are checked on use.
    ``is_noted``: a note reports a damaged entry.
    """
    if key in _DROPPED_KEYS:
        return None
    try:
        entry = store.read(key)
        if entry is None:
            return None
        graph, facts = parse_turn(entry), parse_facts(entry)
        with reading_entry(key):
            return StoredSolution(kind.restore(game, graph, EntryArrays(entry), facts), facts, True, key)
    except StoreError as error:  # damaged, or a folder that cannot be read
        if is_noted:
            note_store_error(error)
        return None


def drop_entry(key: str) -> None:
    """Remove a damaged entry; where that fails, this process does not read it again."""
    _OPEN_SOLUTIONS.pop(key, None)
    try:
        Store().remove(key)
    except StoreError:  # a folder that cannot be written
        _DROPPED_KEYS.add(key)


# --- solving -------------------------------------------------------------------------------------------------------


def _solve(
    game: TurnGame,
    kind: Kind,
    graph: TurnGraph,
    about: Mapping[str, Any],
    key: str,
    quiet: bool,
    store: Store | None,
) -> StoredSolution:
    from rollwise.solutions.progress import Progress

    began = [time.perf_counter()]
    if address_limit() is not None:
        require_addresses(kind.plan(game, graph).memory, f"solving {game}")
    checkpoint = None if store is None else store.checkpoint(key)
    with Progress(str(game), quiet, planned=partial(_plan_seconds, game, kind, graph)) as progress:
        resuming_here = partial(resuming, checkpoint, lambda: {**about, "done": progress.done}, began=began)
        solution = kind.solve(game, graph, Tools(progress.share, resuming_here))
    facts = {**solution.facts, "seconds": round(time.perf_counter() - began[0], 3)}
    solved = StoredSolution(kind.restore(game, graph, InMemory(solution.arrays), facts), facts, False, key)
    if store is not None and checkpoint is not None:
        try:
            _write_entry(store, key, *build_entry(about, graph, solution, facts), checkpoint)
        except StoreError as error:
            remember(store, key, solved, error)
    return solved


def build_entry(
    about: Mapping[str, Any], graph: TurnGraph, solution: SolveResult, facts: Mapping[str, Any]
) -> tuple[dict[str, Array], dict[str, Any]]:
    """The arrays and the manifest of an entry; ``about`` is the identity of the game."""
    turn, plain = to_plain(graph)
    manifest = {**about, "turn": plain, "facts": facts, "versions": versions(), "widest": solution.widest}
    return {**turn, **solution.arrays}, manifest


@contextmanager
def resuming(
    checkpoint: Checkpoint | None, about: Callable[[], dict[str, Any]], solver: Resumable, *, began: list[float]
) -> Iterator[Callable[[], None]]:
    """Resume a solve from its checkpoint, and yield the function that saves the next one; Ctrl-C saves a last time.

    ``about``: identity of the game, and the share that is done. ``began``: a list of the start time, which is set back
    by the seconds of the earlier runs.
    """
    if checkpoint is None:
        yield lambda: None
        return
    began[0] -= _resume(solver, checkpoint)
    saving = threading.Lock()
    is_last_saved = is_saved = False

    def save(last: bool = False) -> None:
        """Save a checkpoint; after the last one, workers that still run save no more."""
        nonlocal is_last_saved, is_saved
        with saving:  # an interrupt between the two renames of another save would leave no checkpoint
            if is_last_saved:
                return
            is_last_saved = last
            arrays, state = solver.checkpoint()
            # Workers may still write: the file and its checksums must be of the same state.
            if last and not solver.written_once:
                arrays = {name: array.copy() for name, array in arrays.items()}
            try:
                about_checkpoint = {**about(), "seconds": round(time.perf_counter() - began[0], 3)}
                checkpoint.save(arrays, state, state["done"] if solver.written_once else None, about_checkpoint)
                is_saved = True
            except StoreError as error:
                note_store_error(error)
                is_saved = False

    try:
        yield save
    except KeyboardInterrupt:
        save(last=True)
        if is_saved:
            note("stopped; what is done is kept, the same command goes on from there")
        raise


def _resume(solver: Resumable, checkpoint: Checkpoint) -> float:
    """Resume from a checkpoint and return its seconds; one that does not fit is dropped, and 0 is returned."""
    try:
        n_bytes = sum(array.nbytes for array in solver.checkpoint()[0].values())
        saved_state = checkpoint.load(CHECKPOINT_SPARE_BYTES + 4 * n_bytes)
        if saved_state is None:
            return 0.0
        with reading_entry(checkpoint.key):
            fits = solver.fits(*saved_state)
    except DamagedEntry as error:
        reason = f"is damaged: {error.reason}"
    else:
        if fits:
            solver.resume(*saved_state)
            note("going on from where an earlier run was stopped")
            return checkpoint.seconds()
        reason = "does not fit this game"
    note(f"what an earlier run has left {reason}; starting afresh")
    with suppress(StoreError):
        checkpoint.discard()
    return 0.0


def _write_entry(
    store: Store, key: str, arrays: Mapping[str, Array], manifest: dict[str, Any], checkpoint: Checkpoint
) -> None:
    try:
        store.write(key, arrays, manifest, checkpoint)
    except StoreError as error:
        if getattr(error.__cause__, "errno", None) not in DISK_FULL_ERRNOS:
            raise
        checkpoint.discard()  # to make room: the entry has all of it
        store.write(key, arrays, manifest, checkpoint)
    _DROPPED_KEYS.discard(key)
    with suppress(StoreError):
        checkpoint.discard()
