"""``cache clear`` removes what is named, and nothing without a word; ``cache check`` proves what is named so."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import rollwise
from rollwise.cache.store import Entry, Store
from rollwise.solutions.forecasts import forecast_store

Run = Callable[..., tuple[int, str, str]]
Says = Callable[..., str]
ALL = ["pig 3", "pig 4", "piggy-six 3"]


@pytest.fixture(scope="module")
def solved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache with two sizes of Pig and one of Piggy Six."""
    folder = tmp_path_factory.mktemp("solved")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ROLLWISE_CACHE", str(folder))
        for name in ALL:
            game, target = name.split()
            rollwise.solve(game, params={"target": int(target)})
    return folder


@pytest.fixture
def three(solved: Path, own_cache: Store) -> Store:
    """A cache with those three, to remove."""
    shutil.copytree(solved, own_cache.root)
    return own_cache


def by_name(store: Store) -> dict[str, Entry]:
    """What is kept, by game and target."""
    found = [entry for entry in map(store.inspect, store.keys()) if isinstance(entry, Entry)]
    named = {f"{entry.manifest['game']} {entry.manifest['parameters']['target']}": entry for entry in found}
    return {name: named[name] for name in sorted(named)}


def test_what_is_not_understood_removes_and_proves_nothing(three: Store, run: Run) -> None:
    either = {
        "pig zilhc": "there is no game 'zilhc'; did you mean 'zilch'?",
        "pig target=3": "parameters are given as -p target=3",
        "pig -p targets=3": "'pig' has no parameter 'targets'",
        "pig piggy-six -p target=3": "-p says the parameters of one game",
        "pig pig-00000000000000000000": "there is no cache entry 'pig-00000000000000000000'",
    }
    for command, told in {
        "clear": "nothing is removed: say which games",
        "clear -p target=3": "nothing is removed",
        "clear pig --all": "--all removes everything",
        "clear -p target=3 --all": "--all removes everything",
        "clear pig-00000000000000000000 -p target=3": "-p says the parameters of one game",
        "check -p target=3": "-p says the parameters of one game",
        "check pig --all": "--all proves everything",
        **{f"{command} {words}": told for command in ("clear", "check") for words, told in either.items()},
    }.items():
        code, out, err = run("cache", *command.split())
        assert (code, out, told in err) == (2, "", True), command
        assert command.startswith("clear") or "cache clear" not in err
        assert [*by_name(three)] == ALL, command


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ("pig", ["pig 3", "pig 4"]),
        ("'Pig Dice' 'piggy six'", ALL),
        ("pig -p target=4", ["pig 4"]),
        ("pig -p target=5", []),
        ("shut-the-box", []),
        ("--all", ALL),
    ],
)
def test_what_is_named_is_proved_again_and_goes(words: str, named: list[str], three: Store, said: Says) -> None:
    keys = {entry.key: name for name, entry in by_name(three).items()}
    rows = json.loads(said(f"cache check {words} --json"))
    assert sorted((keys[row["key"]], row["verdict"]) for row in rows) == [(name, "proved") for name in named]
    if not named:
        assert said(f"cache check {words}") == f"no solved games of {words.split()[0]}\n"
    for n_removed in (len(named), 0):
        *lines, last = said(f"cache clear {words}").splitlines()
        assert sum(not line.startswith(" ") for line in lines) == n_removed
        assert last.startswith(f"{n_removed} entr")
        assert [*by_name(three)] == [name for name in ALL if name not in named]


def test_a_key_names_one_entry(three: Store, run: Run, said: Says) -> None:
    entry = by_name(three)["pig 4"]
    assert [row["key"] for row in json.loads(said(f"cache check {entry.key} --json"))] == [entry.key]
    told = said(f"cache clear {entry.key} {entry.key}", f"1 entry removed, {entry.size:,} bytes freed")
    assert told.splitlines()[0].split() == [entry.key, "solved", "game", "target=4"]
    assert [*by_name(three)] == ["pig 3", "piggy-six 3"]
    assert run("cache", "clear", entry.key)[0] == 2


def test_what_is_damaged_or_only_begun_goes_with_its_game_and_its_key(three: Store, said: Says) -> None:
    (three.root / by_name(three)["pig 4"].key / "manifest.json").write_text("{")
    begun = "pig-00000000000000000000"
    three.checkpoint(begun).save({"values": np.zeros(3)}, {})
    said("cache clear pig -p target=5", "0 entries")
    assert len(three.all_keys()) == 4
    said("cache clear pig", "3 entries")
    assert [*by_name(three)] == ["piggy-six 3"]
    assert three.checkpoint(begun).load() is None


def test_what_is_begun_of_these_very_parameters_goes_with_them(three: Store, said: Says) -> None:
    key = by_name(three)["pig 4"].key
    three.remove(key)
    three.checkpoint(key).save({"values": np.zeros(3)}, {})
    said("cache clear pig -p target=3", "1 entry")
    assert three.all_keys().count(key) == 1
    said("cache clear pig -p target=4", "1 entry")
    assert key not in three.all_keys()


@pytest.mark.parametrize("words", ["--all", "'Shut the Box'", "shut-the-box -p players=1"])
def test_forecasts_go_with_their_game(
    words: str, own_cache: Store, monkeypatch: pytest.MonkeyPatch, said: Says
) -> None:
    monkeypatch.setattr("rollwise.solutions.forecasts.MIN_STORED_S", 0.0)
    rollwise.forecast("shut-the-box")
    assert len(forecast_store().keys()) == len(own_cache.keys()) == 1
    said("cache clear pig", "0 entries")
    told = said(f"cache clear {words}").splitlines()
    assert sorted(line.split()[1] for line in told if line.startswith("shut")) == ["forecast", "solved"]
    assert forecast_store().keys() == own_cache.keys() == []
