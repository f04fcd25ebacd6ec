"""``check``: prove every stored answer again, with arithmetic of its own.

The turn is compiled afresh from the rules, and the kind of the game proves what it keeps by means that share nothing
with those that found it (``rollwise.solver.checker``). The game files are believed: what they say of a turn and of a
board is what is proved.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from rollwise.cache.errors import shown
from rollwise.cache.store import NAMELESS, DamagedEntry, Entry, Store
from rollwise.games.registry import game as registered
from rollwise.solutions.fractions import kept_fractions, proved_fractions, wrong_with_fractions
from rollwise.solutions.games import InFiles, Unsolved
from rollwise.solutions.identity import identity
from rollwise.solutions.progress import Progress
from rollwise.solutions.sound import other_turn, read_from, wrong_with
from rollwise.solutions.turns import about_turn, kept_turns
from rollwise.solver.kinds import kind_of
from rollwise.solver.kinds.kind import Tools
from rollwise.solver.model.errors import BadInput, UnknownName
from rollwise.solver.model.game import TurnGame
from rollwise.solver.model.jsonable import Jsonable
from rollwise.solver.turn.graph import compiled_afresh


@dataclass(frozen=True)
class Checked(Jsonable):
    """What became of one cache entry.

    ``verdict``: ``proved`` (every stored bound holds), ``stale`` (made by other rules or code, so never served; or
    fractions of a game that is kept no more), ``damaged`` (not what was written, so never served), or
    ``refuted`` (whole, but its numbers do not hold).
    """

    key: str
    game: str
    parameters: str
    verdict: str
    detail: str
    seconds: float


def check(store: Store | None = None, keys: Iterable[str] | None = None) -> list[Checked]:
    """Check these entries of a store, or all of them, by game: the solved games, unless another is named.

    Raises UnknownName for a key that is not there, StoreError where the cache cannot be read. Takes up to about 200 MB.
    """
    store = store or Store()
    there = store.keys()
    chosen = there if keys is None else list(dict.fromkeys(keys))
    for key in chosen:
        if key not in there:
            raise UnknownName(f"there is no cache entry '{key}'; 'rollwise cache list' shows them")
    checked = []
    with Progress("stored answers", verb="proving") as progress:
        for number, key in enumerate(chosen):

            def share(done: float, number: int = number) -> None:
                progress.share((number + done) / len(chosen))

            began = time.perf_counter()
            verdict = _one(store, key, Tools(share, workers=1))
            if verdict is not None:
                checked.append(Checked(key, *verdict, round(time.perf_counter() - began, 3)))
            share(1.0)
    return sorted(checked, key=lambda one: (one.game, len(one.parameters), one.parameters))


def _one(store: Store, key: str, tools: Tools) -> tuple[str, str, str, str] | None:
    """(game, parameters, verdict, detail) of one entry; None if it was removed meanwhile."""
    game, parameters = key.rpartition("-")[0], ""
    try:
        entry = store.read(key)
        if entry is None:
            return None
        entry.verify()
        made_of = {name: entry.manifest.get(name) for name in ("game", "parameters", "rules_version", "fingerprint")}
        if not isinstance(made_of["game"], str) or not isinstance(made_of["parameters"], dict):
            return game, parameters, "damaged", NAMELESS
        game = made_of["game"]
        with read_from(key):
            game = shown(game)
            parameters = shown(", ".join(f"{name}={value}" for name, value in made_of["parameters"].items()))
            return game, parameters, *_verdict(store, entry, made_of, tools)
    except DamagedEntry as error:
        return game, parameters, "damaged", error.reason


def _verdict(store: Store, entry: Entry, made_of: dict[str, Any], tools: Tools) -> tuple[str, str]:
    clear = f"it is never served; 'rollwise cache clear {entry.key}' frees {entry.size / 1e6:.1f} MB"
    values = made_of["parameters"].items()
    try:
        game = registered(made_of["game"], {name: tuple(v) if isinstance(v, list) else v for name, v in values})
    except BadInput as error:
        return "stale", f"{error}; {clear}"
    assert isinstance(game, TurnGame)
    is_turn, of_fractions = (store.root == other.root for other in (kept_turns(), kept_fractions()))
    now = about_turn(game) if is_turn else identity(game)
    beside = {"board": entry.manifest.get("board")} if of_fractions else {}
    if entry.key != store.key(game.name, {**now, **beside}):
        changed = [name.replace("_", " ") for name in ("rules_version", "fingerprint") if made_of[name] != now[name]]
        return "stale", f"made with another {' and '.join(changed) or 'key'}; {clear}"
    if made_of != now:
        return "damaged", "its manifest tells of other rules or other code than its key"
    if of_fractions:
        try:
            wrong = wrong_with_fractions(entry, game)
        except Unsolved:
            return "stale", f"{game} itself is kept no more: solve it, and check again"
        return ("refuted", wrong) if wrong else ("proved", proved_fractions(entry))
    graph, kind = compiled_afresh(game), kind_of(game)
    if is_turn:
        wrong = other_turn(entry, graph)
        return ("refuted", wrong) if wrong else ("proved", f"the rules give this turn, of {graph.n_edges:,} edges")
    wrong = wrong_with(entry, game, graph, InFiles(entry), tools)
    return ("refuted", wrong) if wrong else ("proved", kind.proved(entry.manifest["facts"], entry.manifest["widest"]))
