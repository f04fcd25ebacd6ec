"""Compiled turns that take long to compile, stored beside the solved games for the next process.

``cache check`` compiles them again. A turn of other code, rules or parameters has another key, so it is never served.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from rollwise.cache.store import EntryBusy, Store
from rollwise.solutions.entry_parsing import parse_turn
from rollwise.solutions.identity import TRACED_PACKAGES, identity, is_process_local
from rollwise.solutions.in_memory import noting_store_errors, read_stored
from rollwise.solver.model.game import TurnGame
from rollwise.solver.turn.graph import TurnCheck, TurnGraph, build_graph, cache_graph, cached_graph, to_plain

MIN_STORED_EDGES = 1 << 16  # edges of a stored turn: smaller ones compile in 0.2 seconds or less
MAX_TURN_BYTES = 64_000_000  # of all stored turns: eight of the largest; the least recently used go first


def turn_store() -> Store:
    """Store of compiled turns."""
    return Store().substore("turns")


accept_any_turn = TurnCheck(lambda graph: None)


def load_or_compile_turn(game: TurnGame, check: TurnCheck = accept_any_turn) -> TurnGraph:
    """Compiled turn of a game: from memory, from the cache, or compiled now.

    ``check`` gets it, and may raise, before anything is written.
    """
    # A turn of a user's game in memory may be of code that has changed since.
    is_package_game = type(game).__module__.startswith(TRACED_PACKAGES)
    stored = (cached_graph(game) if is_package_game else None) or _read_turn(game)
    graph = stored or build_graph(game)
    if is_package_game:
        cache_graph(game, graph)
    check(graph)
    if stored is None and graph.n_edges >= MIN_STORED_EDGES and not is_process_local(turn_identity(game)):
        _store_turn(game, graph)
    return graph


def turn_identity(game: TurnGame) -> dict[str, Any]:
    """Identity of a compiled turn: the rules, and the sources of the game and of the compiler."""
    return identity(game, ["rollwise.solver.turn.graph"])


def _read_turn(game: TurnGame) -> TurnGraph | None:
    """Stored turn; None where there is none, or, with a note, where it is damaged."""
    store = turn_store()
    with noting_store_errors():
        if any(other.startswith(f"{game.name}-") for other in store.all_keys()):  # else no source is read for a key
            return read_stored(store, store.key(game.name, turn_identity(game)), parse_turn)
    return None


def _store_turn(game: TurnGame, graph: TurnGraph) -> None:
    store, about = turn_store(), turn_identity(game)
    key, (arrays, plain) = store.key(game.name, about), to_plain(graph)
    with noting_store_errors(), suppress(EntryBusy), store.lock(key, timeout=0):  # busy: it is being stored
        store.mark_evictable(key)
        store.write(key, arrays, {**about, "turn": plain})
        store.evict(MAX_TURN_BYTES, key)
