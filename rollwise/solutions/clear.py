"""What ``rollwise cache clear`` removes, and ``cache check`` proves: games, of some parameters, keys, or all."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from rollwise.cache.errors import shown
from rollwise.cache.files import is_held
from rollwise.cache.store import KEY, EntryBusy, Store
from rollwise.games.registry import find
from rollwise.parsing.validate import the_game
from rollwise.solutions.identity import identity, plain_parameters
from rollwise.solutions.listed import UNFINISHED, Listed, only, stores, unfinished
from rollwise.solutions.notes import note
from rollwise.solver.model.errors import BadInput, UnknownGame, UnknownName

NOTHING_NAMED = (
    "nothing is removed: say which games, which game with which -p NAME=VALUE, which keys, --stale, "
    "--unfinished, --older-than 30d, or --all"
)
SHOWN = "rollwise cache list"
AGE = re.compile(r"(\d{1,6}) ?([hdw])")
HOURS = {"h": 1, "d": 24, "w": 7 * 24}
DOES = {"clear": "removes", "check": "proves"}


def clear(
    what: Sequence[str],
    parameters: Mapping[str, Any],
    *,
    everything: bool = False,
    stale: bool = False,
    unfinished: bool = False,
    older_than: str | None = None,
) -> tuple[list[Listed], int]:
    """Remove solved games, what is begun of them, their forecasts and turns: what went, and how many bytes.

    ``what`` are games and keys; ``parameters``, where any are given, those of one game: then only what was solved with
    exactly these goes. Of what is named, or of everything, only what is ``stale``, or ``unfinished``, and was not used
    for so long (``older_than``), as far as it is not in use. All words are understood before anything is removed.
    Raises BadInput where nothing is named, UnknownGame, and UnknownName for a key that is not there.
    """
    is_choosing = stale or unfinished or older_than is not None
    if not (everything or what or is_choosing):
        raise BadInput(NOTHING_NAMED, hint=SHOWN)
    if everything and is_choosing:
        raise BadInput("--all removes everything, so nothing is chosen with it")
    before = time.time_ns() - (0 if older_than is None else nanoseconds(older_than))
    every = everything or not (what or parameters)
    places = stores()
    chosen = named(what, parameters, places, everything=every, do="clear", begun=unfinished)
    if stale or unfinished:
        chosen = [one for one in chosen if (stale and one.stale) or (unfinished and one.holds == UNFINISHED)]
    if older_than is not None:
        chosen = [one for one in chosen if one.store.used(one.key) < before]
    removed = [(one, _removed(one) if is_choosing else one.store.remove(one.key)) for one in chosen]
    for one, _ in removed if is_choosing else ():
        if one.key not in one.store.all_keys():
            one.store.remove_lock(one.key)
    freed = sum(size for _, size in removed if size is not None)
    freed += sum(store.clear() for store in places.values()) if everything else 0
    return [one for one, size in removed if size is not None], freed


def _removed(one: Listed) -> int | None:
    """Remove this, unless somebody works on it or reads it: the bytes freed, None where it stays, which is told."""
    with suppress(EntryBusy), one.store.lock(one.key, timeout=0):
        if one.holds == UNFINISHED:
            one.store.checkpoint(one.key).discard()
            return one.size
        if not is_held(one.path):
            return one.store.remove(one.key)
    note(f"{one.key} is in use, and stays")
    return None


def nanoseconds(text: str) -> int:
    """How long ``30d`` is. Raises BadInput for what is no time.

    >>> nanoseconds("12h") == 12 * 3600 * 10**9, nanoseconds("2 W") == 14 * nanoseconds("1d")
    (True, True)
    """
    age = AGE.fullmatch(text.strip().casefold())
    if age is None:
        raise BadInput(f"--older-than is a time like 30d, 12h or 2w, got '{shown(text, 40)}'", field="older-than")
    return int(age[1]) * HOURS[age[2]] * 3600 * 10**9


def named(
    what: Sequence[str],
    parameters: Mapping[str, Any],
    places: Mapping[str, Store],
    *,
    everything: bool,
    do: str,
    begun: bool = False,
) -> list[Listed]:
    """What these stores, by what they hold, have of the games and keys that are named, or all, and of no others.

    ``do``: the command that it is for. ``begun``: what is begun of a game that is solved too. Raises as ``clear`` does.
    """
    if everything and (what or parameters):
        raise BadInput(f"--all {DOES[do]} everything, so no game and no key is named with it")
    if parameters and (len(what) != 1 or KEY.fullmatch(what[0])):
        raise BadInput("-p says the parameters of one game: name that game, and nothing else")
    keys = list(filter(KEY.fullmatch, what))
    games = {_game(word) for word in what if word not in keys}

    def is_meant(key: str) -> bool:
        return everything or key in keys or key.rpartition("-")[0] in games

    chosen = []
    for holds, store in places.items():
        there = list(filter(is_meant, store.keys()))
        chosen += [one for key in there if (one := only(store, holds, key))]
        chosen += unfinished(store, [key for key in store.begun() if is_meant(key) and (begun or key not in there)])
    for key in keys:
        if all(one.key != key for one in chosen):
            raise UnknownName(f"there is no cache entry '{key}'", hint=SHOWN)
    if not parameters:
        return chosen
    made = the_game(next(iter(games)), parameters)
    exactly, now = plain_parameters(made), Store().key(made.name, identity(made))
    return [one for one in chosen if one.parameters == exactly or one.key == now]


def _game(word: str) -> str:
    if "=" in word:
        raise BadInput(f"'{word}' is neither a game nor a key; parameters are given as -p {word}", hint=SHOWN)
    try:
        return find(word).name
    except UnknownGame as error:
        error.hint = SHOWN
        raise
