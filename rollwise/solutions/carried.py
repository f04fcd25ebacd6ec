"""A solved game that comes from another machine: its entry as arrays and plain facts, looked at before it is kept."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rollwise.cache.store import Store
from rollwise.parsing.validate import the_game
from rollwise.solutions.games import Array, Unsolved, as_entry, cache_only, forget, is_kept, stored
from rollwise.solutions.identity import identity
from rollwise.solutions.turns import turn_of
from rollwise.solutions.waiting import locked
from rollwise.solver.kinds import kind_of
from rollwise.solver.kinds.kind import Tools
from rollwise.solver.model.errors import RollwiseError
from rollwise.solver.model.game import TurnGame


@dataclass(frozen=True)
class Carried:
    """What an entry is made of, and the process that sends it."""

    arrays: Mapping[str, Array]
    manifest: dict[str, Any]
    sender: str


def solved_here(name: str, parameters: Mapping[str, Any]) -> None:
    """Solve a game and keep it, as every command does."""
    stored(the_game(name, parameters), quiet=True)


def solved_there(name: str, parameters: Mapping[str, Any]) -> Carried:
    """Solve a game for somebody else, who keeps it."""
    game = the_game(name, parameters).part()
    began, graph = time.perf_counter(), turn_of(game)
    solution = kind_of(game).solve(game, graph, Tools())
    facts = {**solution.facts, "seconds": round(time.perf_counter() - began, 3)}
    arrays, manifest = as_entry(identity(game), graph, solution, facts)
    return Carried(arrays, manifest, f"process {os.getpid()} on {socket.gethostname()}")


def keep(game: TurnGame, came: Carried) -> None:
    """Keep what came of this game, once it is found to be whole. Raises RollwiseError, and StoreError."""
    game = game.part()
    store, about = Store(), identity(game)
    key = store.key(game.name, about)
    if {name: came.manifest.get(name) for name in about} != about:
        raise RollwiseError(f"{came.sender} has sent another game than {game}")
    with locked(store, key):
        if is_kept(game):  # another process has been quicker
            return
        store.own(key)
        try:
            store.write(key, came.arrays, came.manifest)
        except (TypeError, ValueError) as error:
            raise RollwiseError(f"what {came.sender} has sent of {game} is damaged: {error}") from error
    try:
        with cache_only():
            stored(game)  # which looks at it as at every entry
    except Unsolved:
        forget(key)
        raise RollwiseError(f"what {came.sender} has sent of {game} is damaged") from None
