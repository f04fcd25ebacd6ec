"""Compiled turns that take long to make, kept beside the solved games: the next process finds them compiled.

``cache check`` compiles them again. A turn of other code, rules or parameters has another key, so it is never served.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rollwise.cache.store import EntryBusy, Store, StoreError
from rollwise.solutions.identity import PACKAGES, identity, is_here_alone
from rollwise.solutions.sound import turn_in
from rollwise.solutions.unkept import note_store_error
from rollwise.solver.model.game import TurnGame
from rollwise.solver.turn.graph import TurnGraph, compile_turn, compiled_afresh, to_plain

LARGE = 1 << 16  # edges of a turn that is kept: smaller ones are compiled in 0.2 seconds or less
MOST = 64_000_000  # bytes of turns that are kept: eight of the largest; what was used longest ago goes


def kept_turns() -> Store:
    """Where compiled turns are kept."""
    return Store().part("turns")


def anything(graph: TurnGraph) -> None:
    """Any turn will do."""


def turn_of(game: TurnGame, check: Callable[[TurnGraph], None] = anything) -> TurnGraph:
    """The compiled turn of a game: as this process has it, or as it is kept, or compiled now.

    ``check`` looks at it, and may raise, before anything is written.
    """
    fresh: list[TurnGraph] = []

    def made(game: TurnGame) -> TurnGraph:
        kept = _kept(game)
        if kept is not None:
            return kept
        fresh.append(compiled_afresh(game))
        return fresh[0]

    is_ours = type(game).__module__.startswith(PACKAGES)
    graph = compile_turn(game, made) if is_ours else made(game)  # a turn in memory may be of code changed since
    check(graph)
    if fresh and graph.n_edges >= LARGE and not is_here_alone(about_turn(game)):
        _keep(game, graph)
    return graph


def about_turn(game: TurnGame) -> dict[str, Any]:
    """What a compiled turn depends on: the rules, and the sources of the game and of what compiles it."""
    return identity(game, ["rollwise.solver.turn.graph"])


def _kept(game: TurnGame) -> TurnGraph | None:
    """The turn as it is kept; None where it is not, or is damaged, which is told."""
    store = kept_turns()
    try:
        if not any(other.startswith(f"{game.name}-") for other in store.all_keys()):
            return None  # as of most games: nothing has to be read to find its key
        key = store.key(game.name, about_turn(game))
        entry = store.read(key)
        if entry is None:
            return None
        store.use(key)
        return turn_in(entry)
    except StoreError as error:  # damaged, or a folder that cannot be read
        note_store_error(error)
        return None


def _keep(game: TurnGame, graph: TurnGraph) -> None:
    store, about = kept_turns(), about_turn(game)
    key, (arrays, plain) = store.key(game.name, about), to_plain(graph)
    try:
        with store.lock(key, timeout=0):
            store.lend(key)
            store.write(key, arrays, {**about, "turn": plain})
        store.keep(MOST, key)
    except EntryBusy:  # another process keeps the very same
        pass
    except StoreError as error:
        note_store_error(error)
