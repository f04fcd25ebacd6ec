"""A solved game: from the cache if it is there and whole, else solved now and stored.

Files, locks and checkpoints are handled here; what is solved, kept and asked is the business of the game's kind.
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

from rollwise.cache.entry import UNFIT
from rollwise.cache.fingerprint import SETTLED
from rollwise.cache.store import Checkpoint, DamagedEntry, Entry, Stamp, Store, StoreError
from rollwise.games.registry import game as registered
from rollwise.parsing.consent import DOOR
from rollwise.parsing.little_memory import require_addresses
from rollwise.solutions.identity import identity, is_here_alone, versions
from rollwise.solutions.machine import rate
from rollwise.solutions.notes import note
from rollwise.solutions.plans import announce
from rollwise.solutions.sound import blamed, facts_in, read_from, turn_in, wrong_with
from rollwise.solutions.turns import anything as anything, turn_of
from rollwise.solutions.unkept import in_memory, note_store_error, reason_unkept, recall, remember
from rollwise.solutions.waiting import locked
from rollwise.solver.components.saving import Resumable
from rollwise.solver.kinds import kind_of
from rollwise.solver.kinds.kind import InMemory, Solution, Solved, Tools
from rollwise.solver.model.errors import BadInput, RollwiseError
from rollwise.solver.model.game import TurnGame
from rollwise.solver.model.memory import address_limit, keep_newest
from rollwise.solver.turn.graph import TurnGraph, compiled_afresh, to_plain

if TYPE_CHECKING:
    from rollwise.solver.policy.flow import Forecast

Array = NDArray[Any]
Ints = NDArray[np.int64]
Result = TypeVar("Result")
_FORGOTTEN: set[str] = set()  # damaged entries that could not be removed
MOST_OPENED = 16  # games that are kept open for further questions
MOST_LOOKED = 1000  # entries that are looked through for a part: a tenth of a second
MOST_TRIED = 4  # of which so many are opened
NO_SPACE = (errno.ENOSPC, errno.EDQUOT)
ROOM = 1 << 28  # bytes that a checkpoint may have beside those of its solve


@dataclass(frozen=True)
class StoredSolution:
    """A solved game, ready to be asked; ``facts`` are plain data: boards, method, seconds, and more by kind."""

    opened: Solution
    facts: dict[str, Any]
    cached: bool
    key: str

    @property
    def game(self) -> TurnGame:
        """The game."""
        return self.opened.game

    @property
    def graph(self) -> TurnGraph:
        """Its compiled turn."""
        return self.opened.graph


_OPENED: dict[str, tuple[tuple[str, Stamp], StoredSolution]] = {}  # by key, with the place and the state of its files
_ONLY_KEPT: ContextVar[bool] = ContextVar("only kept", default=False)


class Unsolved(RollwiseError):
    """A ``game`` is not solved, and is not to be solved where it was asked for, with these ``fields``."""

    def __init__(self, game: TurnGame, fields: Mapping[str, Any] | None = None) -> None:
        super().__init__(f"{game} is not solved")
        self.game, self.fields = game, fields or {}


@contextmanager
def cache_only() -> Iterator[None]:
    """Here nothing is solved that would be kept: what is not in the cache, or damaged there, raises ``Unsolved``."""
    before = _ONLY_KEPT.set(True)
    try:
        yield
    finally:
        _ONLY_KEPT.reset(before)


def is_only_kept() -> bool:
    """Is it so here?"""
    return _ONLY_KEPT.get()


class InFiles:
    """``Kept`` of a cache entry: rows are read, and checked, only where they are asked for."""

    def __init__(self, entry: Entry) -> None:
        self.entry = entry
        self.names: Sequence[str] = [name for name in entry.names if not name.startswith("turn_")]

    def rows(self, name: str, places: Ints) -> Array:
        """See ``Kept``."""
        return self.entry.checked(name).take(places)

    def whole(self, name: str) -> Array:
        """See ``Kept``."""
        return self.entry.array(name)

    def shape(self, name: str) -> tuple[tuple[int, ...], str]:
        """See ``Kept``."""
        array = self.entry.checked(name)
        return array.shape, array.dtype.kind


def with_solved(game: TurnGame, check: Callable[[TurnGraph], None], ask: Callable[[StoredSolution], Result]) -> Result:
    """What ``ask`` makes of the solved game; an entry found damaged on the way is dropped and solved again.

    A ``check`` that knows the ``board`` of a question wants no more solved than the question needs.
    """
    solved = stored(_needed(game, check), check)
    try:
        with blamed(solved.key, partial(_wrong_with, solved)):
            return ask(solved)
    except DamagedEntry as error:
        note(str(error))
        forget(solved.key)
        return ask(stored(_needed(game, check), check))


def _wrong_with(solved: StoredSolution) -> str | None:
    """What is wrong with the entry that was opened for an answer; None where there is nothing, or none was."""
    game, kept = solved.game, solved.opened.kept
    if not isinstance(kept, InFiles):
        return None
    return wrong_with(kept.entry, game, compiled_afresh(game), kept, Tools(workers=1))


def _needed(game: TurnGame, check: Callable[[TurnGraph], None]) -> TurnGame:
    """What has to be solved for a question: the game, or a part of it, the smallest if none is kept."""
    board, fields = getattr(check, "board", None), getattr(check, "fields", None)
    endings = endings_beside(game, fields)
    whole: TurnGame = game.part(None, fields, endings)
    if board is None or whole is game or is_kept(whole):
        return whole
    part: TurnGame = game.part(board, fields, endings)
    return part if is_kept(part) else _larger(part, board) or part


def _larger(part: TurnGame, board: Mapping[str, Any]) -> TurnGame | None:
    """A part that is kept, of an earlier turn perhaps, and holds all that this one needs.

    One that is open here, else of the entries that were written last; damaged ones are passed over.
    """
    for opened in [*(opened for _, opened in list(_OPENED.values())), *in_memory(StoredSolution)]:
        is_alike = type(opened.game) is type(part) and opened.game.holds(part, board)
        if is_alike and is_kept(opened.game) and not is_here_alone(identity(opened.game)):
            return opened.game
    store, about, tried = Store(), identity(part), 0
    for key, manifest in store.newest(part.name, MOST_LOOKED):
        other = _game_of(store, key, {**about, "parameters": manifest.get("parameters")})
        if type(other) is not type(part) or not other.may_hold(part):
            continue
        found, tried = _read(other, store, key, is_noted=False), tried + 1
        if found is not None and found.game.holds(part, board):
            return found.game
        if tried == MOST_TRIED:
            break
    return None


def _game_of(store: Store, key: str, about: Mapping[str, Any]) -> Any:
    """The game of an entry that says this of itself; None where its key does not."""
    with suppress(BadInput, *UNFIT):
        if store.key(about["game"], about) == key:
            parameters = about["parameters"].items()
            return registered(about["game"], {n: tuple(v) if isinstance(v, list) else v for n, v in parameters})
    return None


def endings_beside(game: TurnGame, fields: Mapping[str, Any] | None) -> list[Forecast]:
    """How the games end that others play alone beside a question."""
    beside = game.beside(fields or {})
    if not beside:
        return []
    from rollwise.solutions.forecasts import kept_or_made

    def ends(board: Mapping[str, int], solved: StoredSolution) -> Forecast:
        return kept_or_made(solved.opened, solved.game.boards().index_of(**board))[0]

    return [with_solved(other, anything, partial(ends, board)) for other, board in beside]


def is_kept(game: TurnGame) -> bool:
    """Does a question of this game find it solved, or is nothing kept of its kind? Solves nothing.

    The entry's manifest is read, and the sizes of its files; the arrays are checked when they are used.
    """
    if not kind_of(game).keeps:
        return True
    store, game = Store(), game.part()
    key = store.key(game.name, identity(game))
    try:
        return recall(store, key) is not None or (key not in _FORGOTTEN and store.read(key) is not None)
    except StoreError:  # damaged, or a folder that cannot be read
        return False


def require_kept(game: TurnGame) -> None:
    """Raise StoreError, with the reason, for a game whose solution is in memory alone, or gone again."""
    store, game = Store(), game.part()
    error = reason_unkept(store, store.key(game.name, identity(game)))
    if error is not None or not is_kept(game):
        raise StoreError(f"{game} is solved, but not kept: {error or 'is there room for it?'}")


def stored(
    game: TurnGame,
    check: Callable[[TurnGraph], None] = anything,
    *,
    quiet: bool = False,
    lent: bool = False,
) -> StoredSolution:
    """The solved game: a damaged entry is reported and solved again, and what cannot be stored is solved anyway.

    ``check`` looks at the compiled turn, and may raise, before anything is solved or written. ``lent``: it is solved
    for a server, which may remove it again; what is asked for without a server is the user's from then on, and stays.
    """
    store, game, keeps = Store(), game.part(), kind_of(game).keeps
    about = identity(game)
    key = store.key(game.name, about)
    if keeps and (kept := _from_cache(game, store, key)) is not None:
        check(kept.graph)
        (store.use if lent or _ONLY_KEPT.get() else store.own)(key)
        return kept
    graph = turn_of(game, check)
    if not keeps:
        return _solve(game, graph, None, key, quiet)
    if is_here_alone(about):
        if _ONLY_KEPT.get():  # no other process could solve it for this one
            raise RollwiseError(f"{game} is not answered here: its code is not what it was. Start this program anew")
        announce(game)
        solved = _solve(game, graph, None, key, quiet)
        remember(store, key, solved)
        return solved
    if _ONLY_KEPT.get():
        raise Unsolved(game, getattr(check, "fields", None))
    is_waiting = DOOR.get() is not None and not store.is_free(key)
    if not is_waiting:
        announce(game)
    try:
        with locked(store, key, partial(_planned, game, graph)):
            kept = _read(game, store, key, is_noted=False)  # another process may have been quicker
            if not lent:
                store.own(key)
            if kept is not None:
                return kept
            if is_waiting:  # for one that has not solved it
                announce(game)
            if lent:
                store.lend(key)
            return _solve(game, graph, store, key, quiet)
    except StoreError as error:
        note_store_error(error)
        solved = _solve(game, graph, None, key, quiet)
        remember(store, key, solved, error)
        return solved


def _planned(game: TurnGame, graph: TurnGraph) -> float:
    """Seconds that solving it will take here."""
    return rate() * kind_of(game).plan(game, graph).seconds


def _from_cache(game: TurnGame, store: Store, key: str) -> StoredSolution | None:
    """The game as the cache has it, opened once for as long as its files stay as they were; or as memory has it."""
    solved = recall(store, key)
    if isinstance(solved, StoredSolution) and solved.game == game:
        return solved
    try:
        now = (str(store.root), store.stamp(key))
    except StoreError:  # which reading it will tell
        now = (str(store.root), ())
    stamp, opened = _OPENED.get(key, (None, None))
    if opened is not None and now == stamp and key not in _FORGOTTEN and opened.game == game:
        return opened
    with store.opening(key) if now[1] and _ONLY_KEPT.get() else nullcontext():
        opened = _read(game, store, key)
    if opened is not None and all(max(times[1:3]) < time.time_ns() - SETTLED for times in now[1]):
        _OPENED[key] = now, opened
        keep_newest(_OPENED, MOST_OPENED)
    return opened


def keep_lent(most: int, spare: TurnGame | None = None) -> None:
    """Of what servers have solved, or of everything where the cache has a limit, keep so many bytes, and ``spare``.

    What was removed is held open no longer here.
    """
    store = Store()
    try:
        key = store.key(spare.name, identity(spare)) if spare else ""
        store.keep(most, key, everything=store.limit is not None, let_go=_let_go)
        for key in list(_OPENED):
            if not store.stamp(key):  # its place on disk is free once nobody has it open
                _OPENED.pop(key, None)
    except StoreError as error:
        note_store_error(error)


def _let_go(key: str) -> None:
    """Close an entry that is open here for further questions, unless one is just being answered from it."""
    _OPENED.pop(key, None)
    gc.collect()


def _read(game: TurnGame, store: Store, key: str, is_noted: bool = True) -> StoredSolution | None:
    """The game of a cache entry whose turn and boards are whole; values are checked only where they are asked for.

    ``is_noted``: people hear of one that is damaged.
    """
    if key in _FORGOTTEN:
        return None
    try:
        entry = store.read(key)
        if entry is None:
            return None
        graph, facts = turn_in(entry), facts_in(entry)
        with read_from(key):
            return StoredSolution(kind_of(game).restore(game, graph, InFiles(entry), facts), facts, True, key)
    except StoreError as error:  # damaged, or a folder that cannot be read
        if is_noted:
            note_store_error(error)
        return None


def forget(key: str) -> None:
    """Drop an entry that turned out to be damaged while it was read; this process does not read it again."""
    _OPENED.pop(key, None)
    try:
        Store().remove(key)
    except StoreError:  # a folder that cannot be written
        _FORGOTTEN.add(key)


# --- solving -------------------------------------------------------------------------------------------------------


def _solve(game: TurnGame, graph: TurnGraph, store: Store | None, key: str, quiet: bool) -> StoredSolution:
    from rollwise.solutions.progress import Progress

    began, kind = [time.perf_counter()], kind_of(game)
    if address_limit() is not None:
        require_addresses(kind.plan(game, graph).memory, f"solving {game}")
    checkpoint = None if store is None else store.checkpoint(key)
    with Progress(str(game), quiet, planned=partial(_planned, game, graph)) as progress:
        about = identity(game)
        kept = partial(resumed, checkpoint, lambda: {**about, "done": progress.done}, began=began)
        solution = kind.solve(game, graph, Tools(progress.share, kept))
    facts = {**solution.facts, "seconds": round(time.perf_counter() - began[0], 3)}
    solved = StoredSolution(kind.restore(game, graph, InMemory(solution.arrays), facts), facts, False, key)
    if store is not None and checkpoint is not None:
        try:
            _write(store, key, *as_entry(about, graph, solution, facts), checkpoint)
        except StoreError as error:
            remember(store, key, solved, error)
    return solved


def as_entry(
    about: Mapping[str, Any], graph: TurnGraph, solution: Solved, facts: Mapping[str, Any]
) -> tuple[dict[str, Array], dict[str, Any]]:
    """The arrays and the manifest of an entry; ``about`` is the identity of the game."""
    turn, plain = to_plain(graph)
    manifest = {**about, "turn": plain, "facts": facts, "versions": versions(), "widest": solution.widest}
    return {**turn, **solution.arrays}, manifest


@contextmanager
def resumed(
    checkpoint: Checkpoint | None, about: Callable[[], dict[str, Any]], solver: Resumable, *, began: list[float]
) -> Iterator[Callable[[], None]]:
    """Take up what an earlier run has left of this solve, and keep what is done so far whenever that is asked.

    ``about``: what is solved, and how much of it is done. ``began``: one time, set back by the seconds of the runs
    that this one goes on from.

    Ctrl-C keeps it for the last time.
    """
    if checkpoint is None:
        yield lambda: None
        return
    began[0] -= _go_on(solver, checkpoint)
    saving = threading.Lock()
    is_over = is_kept = False

    def save(last: bool = False) -> None:
        """Keep what is done; once the last was saved, a worker still at work saves no more."""
        nonlocal is_over, is_kept
        with saving:  # a worker may be saving: were it cut off between two renames, there would be no checkpoint
            if is_over:
                return
            is_over = last
            arrays, state = solver.checkpoint()
            # Workers may still write: what is written and what its checksums are taken of must be the same.
            if last and not solver.written_once:
                arrays = {name: array.copy() for name, array in arrays.items()}
            try:
                so_far = {**about(), "seconds": round(time.perf_counter() - began[0], 3)}
                checkpoint.save(arrays, state, state["done"] if solver.written_once else None, so_far)
                is_kept = True
            except StoreError as error:
                note_store_error(error)
                is_kept = False

    try:
        yield save
    except KeyboardInterrupt:
        save(last=True)
        if is_kept:
            note("stopped; what is done is kept, the same command goes on from there")
        raise


def _go_on(solver: Resumable, checkpoint: Checkpoint) -> float:
    """Take up what an earlier run has left, and return its seconds; what does not fit is dropped."""
    try:
        begun = checkpoint.load(ROOM + 4 * sum(array.nbytes for array in solver.checkpoint()[0].values()))
        if begun is None:
            return 0.0
        with read_from(checkpoint.key):
            fits = solver.fits(*begun)
    except DamagedEntry as error:
        reason = f"is damaged: {error.reason}"
    else:
        if fits:
            solver.resume(*begun)
            note("going on from where an earlier run was stopped")
            return checkpoint.seconds()
        reason = "does not fit this game"
    note(f"what an earlier run has left {reason}; starting afresh")
    with suppress(StoreError):
        checkpoint.discard()
    return 0.0


def _write(
    store: Store, key: str, arrays: Mapping[str, Array], manifest: dict[str, Any], checkpoint: Checkpoint
) -> None:
    try:
        store.write(key, arrays, manifest, checkpoint)
    except StoreError as error:
        if getattr(error.__cause__, "errno", None) not in NO_SPACE:
            raise
        checkpoint.discard()  # which stands beside it, and has no more than the entry
        store.write(key, arrays, manifest, checkpoint)
    _FORGOTTEN.discard(key)
    with suppress(StoreError):
        checkpoint.discard()
