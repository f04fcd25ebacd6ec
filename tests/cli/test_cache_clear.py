"""``cache clear`` removes what is named, and nothing without a word; ``cache check`` proves what is named so."""

from __future__ import annotations

import json
from collections.abc import Callable

import numpy as np
import pytest

import rollwise
from rollwise.cache.store import Store
from rollwise.forecasting import kept_forecasts

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def three(own_cache: Store) -> Store:
    """A cache with two sizes of Pig and one of Piggy Six."""
    for target in (3, 4):
        rollwise.solve("pig", {"target": target})
    rollwise.solve("piggy-six", {"target": 3})
    return own_cache


def there(store: Store) -> list[str]:
    """What is kept, as game and target."""
    return sorted(f"{entry.manifest['game']} {entry.manifest['parameters']['target']}" for entry in store.entries())  # type: ignore[union-attr]


ALL = ["pig 3", "pig 4", "piggy-six 3"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("", "nothing is removed: say which games"),
        ("-p target=3", "nothing is removed"),
        ("pig zilhc", "there is no game 'zilhc'; did you mean 'zilch'?"),
        ("pig target=3", "parameters are given as -p target=3"),
        ("pig -p targets=3", "'pig' has no parameter 'targets'"),
        ("pig piggy-six -p target=3", "-p says the parameters of one game"),
        ("pig-00000000000000000000 -p target=3", "-p says the parameters of one game"),
        ("pig pig-00000000000000000000", "there is no cache entry 'pig-00000000000000000000'"),
        ("pig --all", "--all removes everything"),
        ("-p target=3 --all", "--all removes everything"),
    ],
)
def test_what_is_not_understood_removes_nothing(words: str, told: str, three: Store, run: Run) -> None:
    code, out, err = run("cache", "clear", *words.split())
    assert (code, out) == (2, "")
    assert told in err
    assert there(three) == ALL


@pytest.mark.parametrize(
    ("words", "left"),
    [
        (["pig"], ["piggy-six 3"]),
        (["Pig Dice"], ["piggy-six 3"]),
        (["piggy six"], ["pig 3", "pig 4"]),
        (["pig", "Piggy_Six"], []),
        (["pig", "-p", "target=4"], ["pig 3", "piggy-six 3"]),
        (["pig", "-p", "target=5"], ALL),
        (["pig", "-p", "target=100"], ALL),
        (["shut-the-box"], ALL),
        (["--all"], []),
    ],
)
def test_what_is_named_goes_and_the_rest_stays(words: list[str], left: list[str], three: Store, run: Run) -> None:
    for n_removed in (3 - len(left), 0):
        code, out, err = run("cache", "clear", *words)
        assert (code, err) == (0, "")
        *lines, last = out.splitlines()
        assert sum(not line.startswith(" ") for line in lines) == n_removed
        assert last.startswith(f"{n_removed} entr")
        assert there(three) == left


def test_a_key_names_one_entry(three: Store, run: Run) -> None:
    key = next(entry.key for entry in three.entries() if entry.manifest["parameters"] == {"target": 4})  # type: ignore[union-attr]
    size = next(entry.size for entry in three.entries() if entry.key == key)
    code, out, _ = run("cache", "clear", key, key)
    assert (code, out.splitlines()[0].split()) == (0, [key, "solved", "game", "target=4"])
    assert f"1 entry removed, {size:,} bytes freed" in out
    assert there(three) == ["pig 3", "piggy-six 3"]
    assert run("cache", "clear", key)[0] == 2


def test_what_is_damaged_or_only_begun_goes_with_its_game_and_its_key(three: Store, run: Run) -> None:
    by_target = {entry.manifest["parameters"]["target"]: entry for entry in three.entries()}  # type: ignore[union-attr]
    (three.root / by_target[4].key / "manifest.json").write_text("{")
    begun = "pig-00000000000000000000"
    three.checkpoint(begun).save({"values": np.zeros(3)}, {})
    assert run("cache", "clear", "pig", "-p", "target=5")[1].startswith("0 entries")
    assert len(three.all_keys()) == 4
    assert run("cache", "clear", "pig")[1].splitlines()[-1].startswith("3 entries")
    assert there(three) == ["piggy-six 3"]
    assert three.checkpoint(begun).load() is None


def test_what_is_begun_of_these_very_parameters_goes_with_them(three: Store, run: Run) -> None:
    key = next(entry.key for entry in three.entries() if entry.manifest["parameters"] == {"target": 4})  # type: ignore[union-attr]
    three.remove(key)
    three.checkpoint(key).save({"values": np.zeros(3)}, {})
    assert run("cache", "clear", "pig", "-p", "target=3")[1].splitlines()[-1].startswith("1 entry")
    assert three.all_keys().count(key) == 1
    assert run("cache", "clear", "pig", "-p", "target=4")[1].splitlines()[-1].startswith("1 entry")
    assert key not in three.all_keys()


@pytest.mark.parametrize("words", [["--all"], ["Shut the Box"], ["shut-the-box", "-p", "players=1"]])
def test_forecasts_go_with_their_game(
    words: list[str], own_cache: Store, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    monkeypatch.setattr("rollwise.forecasting.QUICK", 0.0)
    rollwise.forecast("shut-the-box")
    assert len(kept_forecasts().entries()) == len(own_cache.entries()) == 1
    assert run("cache", "clear", "pig")[1].startswith("0 entries")
    told = run("cache", "clear", *words)[1].splitlines()
    assert sorted(line.split()[1] for line in told if line.startswith("shut")) == ["forecast", "solved"]
    assert kept_forecasts().entries() == own_cache.entries() == []


@pytest.mark.parametrize(
    ("words", "proved"),
    [
        ([], ALL),
        (["--all"], ALL),
        (["pig"], ["pig 3", "pig 4"]),
        (["Pig Dice", "piggy six"], ALL),
        (["pig", "-p", "target=4"], ["pig 4"]),
        (["pig", "-p", "target=5"], []),
        (["shut-the-box"], []),
    ],
)
def test_what_is_named_is_proved_again(words: list[str], proved: list[str], three: Store, run: Run) -> None:
    code, out, err = run("cache", "check", *words, "--json")
    assert (code, err) == (0, "")
    rows = json.loads(out)
    told = sorted(
        f"{row['game']} {dict(part.split('=') for part in row['parameters'].split(', '))['target']}" for row in rows
    )
    assert (told, {row["verdict"] for row in rows} <= {"proved"}) == (proved, True)
    key = next(entry.key for entry in three.entries() if entry.key.startswith("pig-"))
    assert [row["key"] for row in json.loads(run("cache", "check", key, "--json")[1])] == [key]
    if not proved:
        assert run("cache", "check", *words)[1] == f"nothing is solved of {words[0]}\n"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("pig zilhc", "there is no game 'zilhc'; did you mean 'zilch'?"),
        ("pig target=3", "parameters are given as -p target=3"),
        ("pig piggy-six -p target=3", "-p says the parameters of one game"),
        ("-p target=3", "-p says the parameters of one game"),
        ("pig-00000000000000000000", "there is no cache entry 'pig-00000000000000000000'"),
        ("pig --all", "--all proves everything"),
    ],
)
def test_what_is_not_understood_proves_nothing(words: str, told: str, three: Store, run: Run) -> None:
    code, out, err = run("cache", "check", *words.split())
    assert (code, out) == (2, "")
    assert told in err
    assert "cache clear" not in err
