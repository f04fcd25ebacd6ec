"""Items of the cache, for lists: solved games, turns, forecasts, fractions, unfinished solves and leftovers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from rollwise.cache.entry import FIELD_ERRORS
from rollwise.cache.errors import printable
from rollwise.cache.folders import measure_bytes
from rollwise.cache.index import IndexRow, entry_state, read_index, write_index
from rollwise.cache.store import NAME_PATTERN, DamagedItem, Entry, Store
from rollwise.games.registry import game as registered
from rollwise.solutions.entry_parsing import NAMELESS, require
from rollwise.solutions.forecasts import forecast_identity, forecast_store
from rollwise.solutions.fractions import fraction_store
from rollwise.solutions.identity import identity, stored_settings
from rollwise.solutions.turns import turn_identity, turn_store
from rollwise.solver.model.errors import BadInput
from rollwise.solver.model.game import parameter_text

SOLVED, TURN, FORECAST, FRACTIONS = "solved game", "compiled turn", "forecast", "fractions"
UNFINISHED, LEFTOVER = "unfinished solve", "leftover"
MAX_PARAMETER_CHARS = 400
IDENTITY = {SOLVED: identity, TURN: turn_identity, FORECAST: forecast_identity, FRACTIONS: identity}
IDENTITY_FIELDS = ("game", "parameters", "rules_version", "fingerprint")


@dataclass(frozen=True)
class CacheItem:
    """Item of the cache: what it ``holds``, and where. ``parameters``: solver options too; None if unreadable.

    ``damaged``: the reason, empty if whole. ``stale``: made by other rules or code, so never served or resumed.
    ``done``: share of an unfinished solve, from 0 to 1; None where it was not stored.
    """

    store: Store
    key: str
    holds: str
    path: Path
    size: int
    game: str
    parameters: dict[str, Any] | None = None
    damaged: str = ""
    stale: bool = False
    boards: int | None = None
    seconds: float | None = None
    done: float | None = None

    @cached_property
    def line(self) -> str:
        """Parameters, or the damage, as lists show them."""
        return self.damaged or printable(parameter_text(self.parameters or {}), MAX_PARAMETER_CHARS)

    @property
    def label(self) -> str:
        """Parameters after what the item holds, if it is no solved game, and after ``stale``."""
        parts = [*([] if self.holds == SOLVED else [self.holds]), *(["stale"] if self.stale else []), self.line]
        return ": ".join(filter(None, parts))

    def plain(self) -> dict[str, Any]:
        """Item as plain JSON."""
        about: dict[str, Any] = {"key": self.key, "game": "damaged" if self.damaged else self.game}
        about |= {"parameters": self.line, "size": self.size}
        numbers = {"seconds": self.seconds, "boards": self.boards}
        about |= {name: value for name, value in numbers.items() if value is not None}
        if not self.damaged:
            about["path"] = str(self.path if self.holds in (UNFINISHED, LEFTOVER) else self.store.root)
        if self.holds != SOLVED:
            about["holds"] = self.holds
        if self.holds == UNFINISHED:
            about["done"] = self.done
        return about | ({"stale": True} if self.stale else {})


def stores() -> dict[str, Store]:
    """Stores of the cache, by what they hold."""
    return {SOLVED: Store(), TURN: turn_store(), FORECAST: forecast_store(), FRACTIONS: fraction_store()}


def list_items() -> list[CacheItem]:
    """All items, store by store, by game and parameters. Raises ``StoreError``."""
    current, items = _Current(), list[CacheItem]()
    for holds, store in stores().items():
        summaries = list_summaries(store)
        entries = (_make_item(store, key, holds, summary, current) for key, summary in summaries.items())
        items += sorted(entries, key=order_by_game)
    for store in stores().values():
        items += list_unfinished(store, store.checkpoint_keys(), current)
        items += [
            CacheItem(store, key, LEFTOVER, path, measure_bytes(path), _game_of(key))
            for key, paths in sorted(store.leftovers().items())
            for path in paths
        ]
    return items


def read_item(store: Store, holds: str, key: str) -> CacheItem | None:
    """Item of one key, without reading any other; None where there is none."""
    summary = read_summary(store, key)
    return _make_item(store, key, holds, summary, _Current()) if summary else None


def list_unfinished(store: Store, keys: Iterable[str], current: _Current | None = None) -> Iterator[CacheItem]:
    """Unfinished solves of these keys."""
    for key in keys:
        path, checkpoint = store.root / "checkpoints" / key, store.checkpoint(key)
        make = partial(CacheItem, store, key, UNFINISHED, path, measure_bytes(path))
        try:
            about = checkpoint.about()
            summary = parse_summary({**about, "parameters": stored_settings(about), "size": 0})
        except FIELD_ERRORS:
            yield make(_game_of(key))
        else:
            stale = (current or _Current()).is_stale(SOLVED, summary)
            yield make(summary.game, summary.parameters, stale=stale, done=checkpoint.done())


@dataclass(frozen=True)
class EntrySummary:
    """Summary of an entry for lists, checked; ``parameters`` include solver options. From its manifest or the index."""

    game: str
    parameters: dict[str, Any]
    rules_version: Any
    fingerprint: Any
    boards: int | None
    seconds: float | None
    size: int


def list_summaries(store: Store) -> dict[str, EntrySummary | DamagedItem]:
    """Summaries by key; an entry whose files are as the index has them is not read again. Raises ``StoreError``."""
    index, new_index = read_index(store.root), dict[str, IndexRow]()
    summaries: dict[str, EntrySummary | DamagedItem] = {}
    for key in store.keys():  # noqa: SIM118
        state, summary = entry_state(f"{store.root}/{key}"), None
        if state and key in index and index[key][0] == state:
            with suppress(*FIELD_ERRORS):
                summary = parse_summary(index[key][1])
        if found := summary or read_summary(store, key):
            summaries[key] = found
        if isinstance(found, EntrySummary):
            new_index[key] = state, vars(found)
    if new_index != index:
        write_index(store.root, new_index)
    return summaries


def read_summary(store: Store, key: str) -> EntrySummary | DamagedItem | None:
    """Summary of an entry, or its damage; None where there is none. Raises ``StoreError``."""
    entry = store.inspect(key)
    if not isinstance(entry, Entry):
        return entry
    try:
        return parse_summary(summarize_entry(entry))
    except FIELD_ERRORS:
        return DamagedItem(key, NAMELESS, entry.size)


def summarize_entry(entry: Entry) -> dict[str, Any]:
    """Fields of an entry for lists, unchecked. Raises one of FIELD_ERRORS."""
    facts = entry.manifest.get("facts", {})
    manifest = {**entry.manifest, "parameters": stored_settings(entry.manifest)}
    identity_fields = {name: manifest[name] for name in IDENTITY_FIELDS}
    return {**identity_fields, "boards": facts.get("boards"), "seconds": facts.get("seconds"), "size": entry.size}


def parse_summary(plain: Mapping[str, Any]) -> EntrySummary:
    """Summary from these fields, each checked. Raises one of FIELD_ERRORS."""
    values: list[Any] = list(map(plain.get, (*IDENTITY_FIELDS, "boards", "seconds", "size")))
    entry = EntrySummary(*values)
    require(NAME_PATTERN.fullmatch(entry.game) and isinstance(entry.parameters, dict), "game")
    require(type(entry.size) is int and entry.size >= 0, "size")
    require(entry.boards is None or (type(entry.boards) is int and 0 <= entry.boards < 1 << 62), "boards")
    require(entry.seconds is None or (type(entry.seconds) in (int, float) and 0 <= entry.seconds < 1e12), "seconds")
    return entry


def _make_item(store: Store, key: str, holds: str, summary: EntrySummary | DamagedItem, current: _Current) -> CacheItem:
    path = store.root / key
    if isinstance(summary, DamagedItem):
        return CacheItem(store, key, holds, path, summary.size, _game_of(key), damaged=summary.reason)
    is_stale = current.is_stale(holds, summary)
    facts = summary.game, summary.parameters, "", is_stale, summary.boards, summary.seconds
    return CacheItem(store, key, holds, path, summary.size, *facts)


def _game_of(key: str) -> str:
    return key.rpartition("-")[0]


class _Current:
    """Rules versions and fingerprints of today, computed once for all entries of one origin."""

    def __init__(self) -> None:
        self._is_stale: dict[tuple[str, str, str, str], bool] = {}

    def is_stale(self, holds: str, summary: EntrySummary) -> bool:
        """True where other rules or other code made the entry."""
        origin = holds, summary.game, repr(summary.rules_version), repr(summary.fingerprint)
        if origin not in self._is_stale:
            try:
                current = IDENTITY[holds](registered(summary.game, summary.parameters))  # type: ignore[arg-type]
            except (BadInput, *FIELD_ERRORS):
                return True  # this entry alone: its parameters may be at fault
            self._is_stale[origin] = (current["rules_version"], current["fingerprint"]) != (
                summary.rules_version,
                summary.fingerprint,
            )
        return self._is_stale[origin]


def order_by_game(item: CacheItem) -> tuple[str, str, str]:
    """Sort key of an item: by game and parameters, 10 after 9; no hash of source code decides."""
    return _game_of(item.key), re.sub(r"\d+", lambda number: number[0].zfill(9), item.line), item.key
