"""What there is in the cache, for lists: solved games, turns, forecasts, and what is unfinished or left over."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from rollwise.cache.entry import UNFIT
from rollwise.cache.errors import shown
from rollwise.cache.folders import size_of
from rollwise.cache.store import NAME, NAMELESS, Damaged, Entry, Store
from rollwise.games.registry import game as registered
from rollwise.solutions.forecasts import about_forecast, kept_forecasts
from rollwise.solutions.fractions import kept_fractions
from rollwise.solutions.identity import identity
from rollwise.solutions.sound import require
from rollwise.solutions.turns import about_turn, kept_turns
from rollwise.solver.model.errors import BadInput
from rollwise.solver.model.game import in_a_line

SOLVED, TURN, FORECAST, FRACTIONS = "solved game", "compiled turn", "forecast", "fractions"
UNFINISHED, LEFTOVER = "unfinished solve", "leftover"
MOST_SHOWN = 400  # characters of parameters
IDENTITY = {SOLVED: identity, TURN: about_turn, FORECAST: about_forecast, FRACTIONS: identity}
NAMES = ("game", "parameters", "rules_version", "fingerprint")


@dataclass(frozen=True)
class Listed:
    """Something in the cache: what it ``holds``, and where. ``parameters`` are None where nobody can read them.

    ``damaged`` says why. ``stale``: made by other rules or code than there are now, so never served, or gone on from.
    ``done``: how much of an unfinished solve is, from 0 to 1; None where that was not kept.
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
        """Its parameters, or what is wrong with it, as people see them."""
        return self.damaged or shown(in_a_line(self.parameters or {}), MOST_SHOWN)

    @property
    def words(self) -> str:
        """What it is, if it is not what most are, and then its parameters."""
        said = [*([] if self.holds == SOLVED else [self.holds]), *(["stale"] if self.stale else []), self.line]
        return ": ".join(filter(None, said))

    def plain(self) -> dict[str, Any]:
        """As JSON."""
        about: dict[str, Any] = {"key": self.key, "game": "damaged" if self.damaged else self.game}
        about |= {"parameters": self.line, "size": self.size}
        known = {"seconds": self.seconds, "boards": self.boards}
        about |= {name: value for name, value in known.items() if value is not None}
        if not self.damaged:
            about["path"] = str(self.path if self.holds in (UNFINISHED, LEFTOVER) else self.store.root)
        if self.holds != SOLVED:
            about["holds"] = self.holds
        if self.holds == UNFINISHED:
            about["done"] = self.done
        return about | ({"stale": True} if self.stale else {})


def stores() -> dict[str, Store]:
    """The parts of the cache, by what they hold."""
    return {SOLVED: Store(), TURN: kept_turns(), FORECAST: kept_forecasts(), FRACTIONS: kept_fractions()}


def everything() -> list[Listed]:
    """All that there is, part by part, by game and parameters. Raises ``StoreError``."""
    now, found = _Now(), list[Listed]()
    for holds, store in stores().items():
        listed = (_entry(store, key, holds, told, now) for key, told in store.listed(picked, told_of))
        found += sorted(listed, key=by_game)
    for store in stores().values():
        found += unfinished(store, store.begun(), now)
        found += [
            Listed(store, key, LEFTOVER, path, size_of(path), _game_of(key))
            for key, paths in sorted(store.leftovers().items())
            for path in paths
        ]
    return found


def only(store: Store, holds: str, key: str) -> Listed | None:
    """What stands under a key, without a look at any other."""
    entry = store.look(key)
    if entry is None:
        return None
    try:
        told = entry if isinstance(entry, Damaged) else told_of(picked(entry))
    except UNFIT:
        told = Damaged(key, NAMELESS, entry.size)
    return _entry(store, key, holds, told, _Now())


def unfinished(store: Store, keys: Iterable[str], now: _Now | None = None) -> Iterator[Listed]:
    """What solves of these keys have begun there, and not ended."""
    for key in keys:
        path, kept = store.root / "checkpoints" / key, store.checkpoint(key)
        begun = partial(Listed, store, key, UNFINISHED, path, size_of(path))
        try:
            told = told_of({**kept.about(), "size": 0})
        except UNFIT:
            yield begun(_game_of(key))
        else:
            stale = (now or _Now()).is_past(SOLVED, told)
            yield begun(told.game, told.parameters, stale=stale, done=kept.done())


@dataclass(frozen=True)
class Told:
    """What an entry, or the index, tells of an entry, once it was looked at."""

    game: str
    parameters: dict[str, Any]
    rules_version: Any
    fingerprint: Any
    boards: int | None
    seconds: float | None
    size: int


def picked(entry: Entry) -> dict[str, Any]:
    """What a list tells of an entry, as it stands there. Raises one of UNFIT."""
    facts = entry.manifest.get("facts", {})
    about = {name: entry.manifest[name] for name in NAMES}
    return {**about, "boards": facts.get("boards"), "seconds": facts.get("seconds"), "size": entry.size}


def told_of(plain: Mapping[str, Any]) -> Told:
    """The same, once every part of it was looked at. Raises one of UNFIT."""
    about: list[Any] = list(map(plain.get, (*NAMES, "boards", "seconds", "size")))
    told = Told(*about)
    require(NAME.fullmatch(told.game) and isinstance(told.parameters, dict), "game")
    require(type(told.size) is int and told.size >= 0, "size")
    require(told.boards is None or (type(told.boards) is int and 0 <= told.boards < 1 << 62), "boards")
    require(told.seconds is None or (type(told.seconds) in (int, float) and 0 <= told.seconds < 1e12), "seconds")
    return told


def _entry(store: Store, key: str, holds: str, told: Told | Damaged, now: _Now) -> Listed:
    path = store.root / key
    if isinstance(told, Damaged):
        return Listed(store, key, holds, path, told.size, _game_of(key), damaged=told.reason)
    past = now.is_past(holds, told)
    at = (told.game, told.parameters)
    return Listed(store, key, holds, path, told.size, *at, "", past, told.boards, told.seconds)


def _game_of(key: str) -> str:
    return key.rpartition("-")[0]


class _Now:
    """Which rules and code are those of now. Asked of one entry for all that were made by the same."""

    def __init__(self) -> None:
        self._is_past: dict[tuple[str, str, str, str], bool] = {}

    def is_past(self, holds: str, told: Told) -> bool:
        """Was this made by others?"""
        made_by = holds, told.game, repr(told.rules_version), repr(told.fingerprint)
        if made_by not in self._is_past:
            lists = {name: tuple(v) if isinstance(v, list) else v for name, v in told.parameters.items()}
            try:
                now = IDENTITY[holds](registered(told.game, lists))  # type: ignore[arg-type]
            except (BadInput, *UNFIT):
                return True  # which says nothing of others
            self._is_past[made_by] = (now["rules_version"], now["fingerprint"]) != (
                told.rules_version,
                told.fingerprint,
            )
        return self._is_past[made_by]


def by_game(one: Listed) -> tuple[str, str, str]:
    """Where this stands in a list: an order that no hash of source code decides, 10 behind 9."""
    return _game_of(one.key), re.sub(r"\d+", lambda number: number[0].zfill(9), one.line), one.key
