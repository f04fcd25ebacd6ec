"""Cache items that ``rollwise cache clear`` removes or ``cache check`` proves: by game, parameters, key, or all."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from rollwise.cache.errors import printable
from rollwise.cache.files import is_in_use
from rollwise.cache.locks import KEY_PATTERN
from rollwise.cache.store import EntryBusy, Store
from rollwise.games.registry import find
from rollwise.parsing.validate import parse_game
from rollwise.solutions.identity import identity, plain_parameters
from rollwise.solutions.listing import UNFINISHED, CacheItem, list_unfinished, read_item, stores
from rollwise.solutions.notes import note
from rollwise.solver.model.errors import BadInput, UnknownGame, UnknownName

NO_TARGET_ERROR = (
    "nothing is removed: say which games, which game with which -p NAME=VALUE, which keys, --stale, "
    "--unfinished, --older-than 30d, or --all"
)
LIST_COMMAND = "rollwise cache list"
AGE_PATTERN = re.compile(r"(\d{1,6}) ?([hdw])")
HOURS_PER_UNIT = {"h": 1, "d": 24, "w": 7 * 24}
VERBS = {"clear": "removes", "check": "proves"}


def clear(
    targets: Sequence[str],
    parameters: Mapping[str, Any],
    *,
    everything: bool = False,
    stale: bool = False,
    unfinished: bool = False,
    older_than: str | None = None,
) -> tuple[list[CacheItem], int]:
    """Remove solved games, their checkpoints, forecasts and turns; returns the removed items and the bytes freed.

    ``targets`` are games and keys. With ``parameters``, of one game, only what was solved with exactly these goes.
    ``stale``, ``unfinished`` and ``older_than`` narrow the selection; with one of them, items in use stay. Nothing is
    removed before all is parsed. Raises BadInput where nothing is named, UnknownGame, UnknownName for a missing key.
    """
    is_filtered = stale or unfinished or older_than is not None
    if not (everything or targets or is_filtered):
        raise BadInput(NO_TARGET_ERROR, hint=LIST_COMMAND)
    if everything and is_filtered:
        raise BadInput("--all removes everything, so nothing is chosen with it")
    used_before_ns = time.time_ns() - (0 if older_than is None else parse_age_ns(older_than))
    every, stores_by_kind = everything or not (targets or parameters), stores()
    scope = (targets, parameters, stores_by_kind)
    items = select_items(*scope, everything=every, command="clear", with_unfinished=unfinished)
    if stale or unfinished:
        items = [item for item in items if (stale and item.stale) or (unfinished and item.holds == UNFINISHED)]
    if older_than is not None:
        items = [item for item in items if item.store.last_used_ns(item.key) < used_before_ns]
    removed = [(item, _remove_if_idle(item) if is_filtered else item.store.remove(item.key)) for item in items]
    for item, _ in removed if is_filtered else ():
        if item.key not in item.store.all_keys():
            item.store.remove_lock(item.key)
    freed = sum(size for _, size in removed if size is not None)
    freed += sum(store.clear() for store in stores_by_kind.values()) if everything else 0
    return [item for item, size in removed if size is not None], freed


def _remove_if_idle(item: CacheItem) -> int | None:
    """Remove an item unless a process writes or reads it; the bytes freed, or None, with a note, where it stays."""
    with suppress(EntryBusy), item.store.lock(item.key, timeout=0):
        if item.holds == UNFINISHED:
            item.store.checkpoint(item.key).discard()
            return item.size
        if not is_in_use(item.path):
            return item.store.remove(item.key)
    note(f"{item.key} is in use, and stays")
    return None


def parse_age_ns(text: str) -> int:
    """Nanoseconds in an age like ``30d``. Raises BadInput for other text.

    >>> parse_age_ns("12h") == 12 * 3600 * 10**9, parse_age_ns("2 W") == 14 * parse_age_ns("1d")
    (True, True)
    """
    age = AGE_PATTERN.fullmatch(text.strip().casefold())
    if age is None:
        raise BadInput(f"--older-than is a time like 30d, 12h or 2w, got '{printable(text, 40)}'", field="older-than")
    return int(age[1]) * HOURS_PER_UNIT[age[2]] * 3600 * 10**9


def select_items(
    targets: Sequence[str],
    parameters: Mapping[str, Any],
    stores_by_kind: Mapping[str, Store],
    *,
    everything: bool,
    command: str,
    with_unfinished: bool = False,
) -> list[CacheItem]:
    """Cache items of the named games and keys, or all items. Raises as ``clear`` does.

    ``command``: ``clear`` or ``check``, for errors. ``with_unfinished``: checkpoints of solved games too.
    """
    if everything and (targets or parameters):
        raise BadInput(f"--all {VERBS[command]} everything, so no game and no key is named with it")
    if parameters and (len(targets) != 1 or KEY_PATTERN.fullmatch(targets[0])):
        raise BadInput("-p says the parameters of one game: name that game, and nothing else")
    keys = list(filter(KEY_PATTERN.fullmatch, targets))
    games = {_parse_game_name(word) for word in targets if word not in keys}

    def is_selected(key: str) -> bool:
        return everything or key in keys or key.rpartition("-")[0] in games

    items = []
    for holds, store in stores_by_kind.items():
        keys_there = list(filter(is_selected, store.keys()))
        items += [item for key in keys_there if (item := read_item(store, holds, key))]
        begun = [key for key in store.checkpoint_keys() if is_selected(key)]
        items += list_unfinished(store, [key for key in begun if with_unfinished or key not in keys_there])
    for key in keys:
        if all(item.key != key for item in items):
            raise UnknownName(f"there is no cache entry '{key}'", hint=LIST_COMMAND)
    if not parameters:
        return items
    game = parse_game(next(iter(games)), parameters)
    parameters_as_json, current_key = plain_parameters(game), Store().key(game.name, identity(game))
    return [item for item in items if item.parameters == parameters_as_json or item.key == current_key]


def _parse_game_name(word: str) -> str:
    if "=" in word:
        raise BadInput(f"'{word}' is neither a game nor a key; parameters are given as -p {word}", hint=LIST_COMMAND)
    try:
        return find(word).name
    except UnknownGame as error:
        error.hint = LIST_COMMAND
        raise
