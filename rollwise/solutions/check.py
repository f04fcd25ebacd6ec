"""``check``: prove every stored answer again, with arithmetic of its own.

The turn is compiled afresh from the rules, and the kind of the game proves its stored values by code that
shares nothing with the solver (``rollwise.solver.checker``). The game files are trusted: the proof is about the turns
and boards that they define.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from rollwise.cache.errors import printable
from rollwise.cache.store import DamagedEntry, Entry, Store
from rollwise.games.registry import game as registered
from rollwise.solutions.entry_parsing import NAMELESS, reading_entry, refute_entry, refute_turn
from rollwise.solutions.fractions import describe_fraction_proof, fraction_store, refute_fractions
from rollwise.solutions.identity import identity, stored_settings
from rollwise.solutions.lookup import EntryArrays, Unsolved
from rollwise.solutions.progress import Progress
from rollwise.solutions.turns import turn_identity, turn_store
from rollwise.solver.kinds import kind_of
from rollwise.solver.kinds.kind import Tools
from rollwise.solver.model.errors import BadInput, UnknownName
from rollwise.solver.model.game import TurnGame
from rollwise.solver.model.jsonable import Jsonable
from rollwise.solver.turn.graph import build_graph


@dataclass(frozen=True)
class CheckedEntry(Jsonable):
    """Verdict on one cache entry.

    ``verdict``: ``proved`` (every stored bound holds), ``stale`` (made by other rules or code, so never served; or
    fractions of a game that is no longer stored), ``damaged`` (not as it was written, so never served), or
    ``refuted`` (whole, but its numbers are wrong).
    """

    key: str
    game: str
    parameters: str
    verdict: str
    detail: str
    seconds: float


def check(store: Store | None = None, keys: Iterable[str] | None = None) -> list[CheckedEntry]:
    """Check these entries of a store, or all of them, sorted by game; the default store is that of solved games.

    Raises UnknownName for a key that is not there, StoreError where the cache cannot be read. Takes up to about 200 MB.
    """
    store = store or Store()
    stored_keys = store.keys()
    selected = stored_keys if keys is None else list(dict.fromkeys(keys))
    for key in selected:
        if key not in stored_keys:
            raise UnknownName(f"there is no cache entry '{key}'; 'rollwise cache list' shows them")
    results = []
    with Progress("stored answers", verb="proving") as progress:
        for number, key in enumerate(selected):

            def share(done: float, number: int = number) -> None:
                progress.share((number + done) / len(selected))

            began = time.perf_counter()
            verdict = _check_entry(store, key, Tools(share, workers=1))
            if verdict is not None:
                results.append(CheckedEntry(key, *verdict, round(time.perf_counter() - began, 3)))
            share(1.0)
    return sorted(results, key=lambda result: (result.game, len(result.parameters), result.parameters))


def _check_entry(store: Store, key: str, tools: Tools) -> tuple[str, str, str, str] | None:
    """(game, parameters, verdict, detail) of one entry; None if it was removed meanwhile."""
    game, parameters = key.rpartition("-")[0], ""
    try:
        entry = store.read(key)
        if entry is None:
            return None
        entry.verify()
        names = ("game", "parameters", "rules_version", "solver_options", "fingerprint")
        about = {name: entry.manifest.get(name) for name in names}
        if not isinstance(about["game"], str) or not isinstance(about["parameters"], dict):
            return game, parameters, "damaged", NAMELESS
        game = about["game"]
        with reading_entry(key):
            game = printable(game)
            parameters = printable(", ".join(f"{name}={value}" for name, value in stored_settings(about).items()))
            return game, parameters, *_judge_entry(store, entry, about, tools)
    except DamagedEntry as error:
        return game, parameters, "damaged", error.reason


def _judge_entry(store: Store, entry: Entry, about: dict[str, Any], tools: Tools) -> tuple[str, str]:
    hint = f"it is never served; 'rollwise cache clear {entry.key}' frees {entry.size / 1e6:.1f} MB"
    try:
        game = registered(about["game"], stored_settings(about))
    except BadInput as error:
        return "stale", f"{error}; {hint}"
    assert isinstance(game, TurnGame)
    is_turn_entry, is_fraction_entry = (store.root == other.root for other in (turn_store(), fraction_store()))
    current = turn_identity(game) if is_turn_entry else identity(game)
    board = {"board": entry.manifest.get("board")} if is_fraction_entry else {}
    if entry.key != store.key(game.name, {**current, **board}):
        changed = [name.replace("_", " ") for name in ("rules_version", "fingerprint") if about[name] != current[name]]
        return "stale", f"made with another {' and '.join(changed) or 'key'}; {hint}"
    if about != current:
        return "damaged", "its manifest names other rules or other code than its key"
    if is_fraction_entry:
        try:
            flaw = refute_fractions(entry, game)
        except Unsolved:
            return "stale", f"{game} itself is no longer stored: solve it, and check again"
        return ("refuted", flaw) if flaw else ("proved", describe_fraction_proof(entry))
    graph, kind = build_graph(game), kind_of(game)
    if is_turn_entry:
        flaw = refute_turn(entry, graph)
        return ("refuted", flaw) if flaw else ("proved", f"the rules give this turn, of {graph.n_edges:,} edges")
    flaw = refute_entry(entry, game, graph, EntryArrays(entry), tools)
    return ("refuted", flaw) if flaw else ("proved", kind.proved(entry.manifest["facts"], entry.manifest["widest"]))
