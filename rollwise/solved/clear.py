"""What ``rollwise cache clear`` removes, and ``cache check`` proves: games, of some parameters, keys, or all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rollwise.answers.spelling import shown_state
from rollwise.cache.store import KEY, Damaged, Store
from rollwise.games.registry import find
from rollwise.reading.door import the_game
from rollwise.solved.forecasts import kept_forecasts
from rollwise.solved.identity import identity, plain_parameters
from rollwise.solved.turns import kept_turns
from rollwise.solver.game.errors import BadInput, UnknownGame, UnknownName

NOTHING_NAMED = "nothing is removed: say which games, which game with which -p NAME=VALUE, which keys, or --all"
SHOWN = "rollwise cache list"
DOES = {"clear": "removes", "check": "proves"}


@dataclass(frozen=True)
class InStore:
    """What a store has under a key: an entry or the beginning of one.

    ``parameters`` are None where nobody can read them: of a damaged entry, and of what is only begun.
    """

    store: Store
    key: str
    parameters: dict[str, Any] | None

    def row(self) -> list[str]:
        """Key, what it is, and what it is of, for people."""
        of = {kept_forecasts().root: "forecast", kept_turns().root: "compiled turn"}.get(self.store.root, "solved game")
        return [self.key, of, shown_state(self.parameters or {})]

    @property
    def game(self) -> str:
        """The name of its game."""
        return self.key.rpartition("-")[0]


def clear(what: Sequence[str], parameters: Mapping[str, Any], *, everything: bool = False) -> tuple[list[InStore], int]:
    """Remove solved games, what is begun of them, their forecasts and turns: what went, and how many bytes.

    ``what`` are games and keys; ``parameters``, where any are given, those of one game: then only what was solved with
    exactly these goes. All words are understood before anything is removed. Raises BadInput where nothing is named,
    UnknownGame, and UnknownName for a key that is not there.
    """
    stores = (Store(), kept_forecasts(), kept_turns())
    if not everything and not what:
        raise BadInput(NOTHING_NAMED, hint=SHOWN)
    chosen = named(what, parameters, stores, everything=everything, do="clear")
    freed = sum(kept.store.remove(kept.key) for kept in chosen)
    return chosen, freed + (sum(store.clear() for store in stores) if everything else 0)


def named(
    what: Sequence[str], parameters: Mapping[str, Any], stores: Iterable[Store], *, everything: bool, do: str
) -> list[InStore]:
    """What these stores have of the games and keys that are named, or all; ``do``: the command that it is for.

    Raises as ``clear`` does.
    """
    if everything and (what or parameters):
        raise BadInput(f"--all {DOES[do]} everything, so no game and no key is named with it")
    if parameters and (len(what) != 1 or KEY.fullmatch(what[0])):
        raise BadInput("-p says the parameters of one game: name that game, and nothing else")
    keys = list(filter(KEY.fullmatch, what))
    games = {_game(word) for word in what if word not in keys}
    chosen = [kept for store in stores for kept in _kept(store) if everything or kept.key in keys or kept.game in games]
    for key in keys:
        if all(kept.key != key for kept in chosen):
            raise UnknownName(f"there is no cache entry '{key}'", hint=SHOWN)
    if not parameters:
        return chosen
    made = the_game(next(iter(games)), parameters)
    exactly, now = plain_parameters(made), Store().key(made.name, identity(made))
    return [kept for kept in chosen if kept.parameters == exactly or kept.key == now]


def _kept(store: Store) -> list[InStore]:
    """All that a store has."""
    entries = {entry.key: entry for entry in store.entries()}
    read = {key: entry.manifest["parameters"] for key, entry in entries.items() if not isinstance(entry, Damaged)}
    return [InStore(store, key, read.get(key)) for key in dict.fromkeys([*entries, *store.all_keys()])]


def _game(word: str) -> str:
    if "=" in word:
        raise BadInput(f"'{word}' is neither a game nor a key; parameters are given as -p {word}", hint=SHOWN)
    try:
        return find(word).name
    except UnknownGame as error:
        error.hint = SHOWN
        raise
