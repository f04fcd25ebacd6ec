"""Solved games sent between machines: arrays and manifest of a cache entry, checked before they are stored."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rollwise.cache.store import Store
from rollwise.parsing.validate import parse_game
from rollwise.solutions.entry_lock import locking
from rollwise.solutions.identity import identity
from rollwise.solutions.lookup import Array, Unsolved, build_entry, cache_only, drop_entry, is_solved, load_or_solve
from rollwise.solutions.turns import load_or_compile_turn
from rollwise.solver.kinds import kind_of
from rollwise.solver.kinds.kind import Tools
from rollwise.solver.model.errors import RollwiseError
from rollwise.solver.model.game import TurnGame


@dataclass(frozen=True)
class TransferredEntry:
    """Arrays and manifest of a cache entry, and the process that sent them."""

    arrays: Mapping[str, Array]
    manifest: dict[str, Any]
    sender: str


def solve_and_store(name: str, parameters: Mapping[str, Any]) -> None:
    """Solve a game and store it, as every command does."""
    load_or_solve(parse_game(name, parameters), quiet=True)


def solve_for_transfer(name: str, parameters: Mapping[str, Any]) -> TransferredEntry:
    """Solve a game for another process, which stores it."""
    game = parse_game(name, parameters).part()
    began, graph = time.perf_counter(), load_or_compile_turn(game)
    solution = kind_of(game).solve(game, graph, Tools())
    facts = {**solution.facts, "seconds": round(time.perf_counter() - began, 3)}
    arrays, manifest = build_entry(identity(game), graph, solution, facts)
    return TransferredEntry(arrays, manifest, f"process {os.getpid()} on {socket.gethostname()}")


def store_transfer(game: TurnGame, transfer: TransferredEntry) -> None:
    """Store a transferred entry of this game once it proves whole. Raises RollwiseError and StoreError."""
    game = game.part()
    store, identity_facts = Store(), identity(game)
    key = store.key(game.name, identity_facts)
    if {name: transfer.manifest.get(name) for name in identity_facts} != identity_facts:
        raise RollwiseError(f"{transfer.sender} has sent another game than {game}")
    with locking(store, key):
        if is_solved(game):  # another process was quicker
            return
        store.mark_permanent(key)
        try:
            store.write(key, transfer.arrays, transfer.manifest)
        except (TypeError, ValueError) as error:
            raise RollwiseError(f"what {transfer.sender} has sent of {game} is damaged: {error}") from error
    try:
        with cache_only():
            load_or_solve(game)  # checks it like every entry
    except Unsolved:
        drop_entry(key)
        raise RollwiseError(f"what {transfer.sender} has sent of {game} is damaged") from None
