"""``cache list`` names what is stale, unfinished or left over, ``clear`` removes just that, and reads little."""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rollwise
from rollwise.cache import index
from rollwise.cache.entry import Entry, block_checksum
from rollwise.cache.store import Store
from rollwise.solutions import listing
from rollwise.solutions.lookup import load_or_solve
from rollwise.solver.components import checkpoints
from rollwise.solver.model.cancellation import Token, with_token
from tests.web.solves import pig

Run = Callable[..., tuple[int, str, str]]
Says = Callable[..., str]
DEAD = f".tmp-{2**22 + 1}-0a-"


@pytest.fixture(scope="module")
def solved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache with two games of this code, one of older code, and what a killed process left."""
    folder = tmp_path_factory.mktemp("solved")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ROLLWISE_CACHE", str(folder))
        for target in (2, 10):
            rollwise.solve("pig", params={"target": target})
        store = Store()
    key = max(targets(store), key=targets(store).__getitem__)
    entry = store.read(key)
    assert entry is not None
    past = {**entry.manifest, "parameters": {"target": 3}, "fingerprint": "0" * 32}
    store.write(store.key("pig", {"old": 1}), {"values": np.zeros(3)}, past)
    (folder / f"{DEAD}{key}").mkdir()
    (folder / f"{DEAD}{key}" / "rows.npy").write_bytes(b"x" * 1000)
    return folder


@pytest.fixture
def store(solved: Path, own_cache: Store) -> Store:
    shutil.copytree(solved, own_cache.root)
    return own_cache


def targets(store: Store) -> dict[str, int]:
    entries = [entry for entry in map(store.inspect, store.keys()) if isinstance(entry, Entry)]
    return {entry.key: entry.manifest["parameters"]["target"] for entry in entries}


def begun(store: Store, monkeypatch: pytest.MonkeyPatch, target: int = 30) -> str:
    """The key of a game whose solve was stopped in the middle."""

    def stop(done: float) -> None:
        if done > 0.3:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(checkpoints, "INTERVAL_S", -1.0)
        with with_token(Token(on_share=stop)), pytest.raises(KeyboardInterrupt):
            load_or_solve(pig(target), quiet=True)
    (key,) = store.checkpoint_keys()
    return key


def told(said: Says) -> dict[str, dict[str, Any]]:
    """What ``cache list --json`` tells, by what it holds, whether it is stale, and its parameters."""
    rows = json.loads(said("cache list --json"))
    return {" ".join([row.get("holds", "solved"), str(row.get("stale", "")), row["parameters"]]): row for row in rows}


def test_what_is_stale_unfinished_or_left_over_is_listed_and_goes_by_its_name(
    store: Store, monkeypatch: pytest.MonkeyPatch, said: Says, capsys: pytest.CaptureFixture[str]
) -> None:
    key = begun(store, monkeypatch)
    capsys.readouterr()
    rows = told(said)
    now = ["solved  target=2", "solved  target=10"]
    assert list(rows) == [now[0], "solved True target=3", now[1], "unfinished solve  target=30", "leftover  "]
    unfinished = rows["unfinished solve  target=30"]
    assert unfinished["key"] == key
    assert 0.3 < unfinished["done"] < 1
    assert unfinished["size"] == sum(path.stat().st_size for path in (store.root / "checkpoints" / key).iterdir())
    assert rows["leftover  "]["size"] == 1000
    shown = " ".join(said("cache list").split())
    for part in ("stale: target=3", "3 solved games", "1 stale", f"{key} {unfinished['done']:.0%}", DEAD):
        assert part in shown
    whole = json.loads(said("cache size --json"))
    assert whole["size"] == sum(row["size"] for row in rows.values())
    said("cache size", f"{whole['size']:,} bytes in")
    assert said("cache path") == f"{store.root}\n"
    with store.lock(key):
        said("cache clear --unfinished", "0 entries removed", f"{key} is in use, and stays")
    said("cache clear --unfinished --stale", "2 entries removed")
    assert list(told(said)) == [*now, "leftover  "]
    load_or_solve(pig(4), quiet=True)  # whatever is written next
    assert list(told(said)) == [now[0], "solved  target=4", now[1]]


def test_an_unfinished_solve_of_what_is_solved_goes_alone(
    own_cache: Store, monkeypatch: pytest.MonkeyPatch, said: Says
) -> None:
    key = begun(own_cache, monkeypatch)
    own_cache.write(key, {}, {"game": "pig", "parameters": {}, "rules_version": 1, "fingerprint": ""})
    said("cache clear --unfinished pig", "1 entry removed")
    assert (own_cache.keys(), own_cache.checkpoint_keys()) == ([key], [])


def test_what_was_not_used_for_so_long_goes(store: Store, said: Says, run: Run) -> None:
    days = dict(zip(sorted(store.keys(), key=targets(store).__getitem__), (1, 29, 31), strict=True))
    for key, ago in days.items():
        os.utime(store.root / key, (time.time() - ago * 86400,) * 2)
    said("cache clear --older-than 30d --stale", "0 entries")
    said("cache clear zilch --older-than 1h", "0 entries")
    opened = store.read([*days][2])
    said("cache clear --older-than 4w", "1 entry removed", "is in use")
    assert opened is not None
    del opened
    said("cache clear --older-than '30 D'", "1 entry removed")
    assert store.keys() == [next(iter(days))]
    locks = {path.stem for path in (store.root / "locks").glob("*.lock")}
    assert locks <= {next(iter(days))}  # of what went, none
    for age in ("30", "1y", "-1d", "d"):
        code, _, err = run("cache", "clear", "--older-than", age)
        assert (code, err.splitlines()[0]) == (2, f"error: --older-than is a time like 30d, 12h or 2w, got '{age}'")
    assert run("cache", "clear", "--all", "--stale")[0] == 2


# --- thousands of them ------------------------------------------------------------------------------------------------


def reads(monkeypatch: pytest.MonkeyPatch, what: Callable[[], object]) -> list[str]:
    """The keys of entries that are read meanwhile."""
    seen, look = list[str](), Store.inspect

    def seeing(store: Store, key: str) -> object:
        seen.append(key)
        return look(store, key)

    with monkeypatch.context() as patch:
        patch.setattr(Store, "inspect", seeing)
        what()
    return seen


def test_a_list_reads_only_what_has_changed_and_check_only_what_is_named(
    store: Store, monkeypatch: pytest.MonkeyPatch, said: Says
) -> None:
    keys = store.keys()
    before = said("cache list")
    assert reads(monkeypatch, lambda: said("cache list")) == []
    store.touch(keys[0])
    (store.root / keys[1] / "values.npy").unlink()
    assert reads(monkeypatch, lambda: said("cache list", "values.npy is missing")) == keys[:2]
    assert reads(monkeypatch, lambda: said(f"cache check {keys[2]}")) == [keys[2]]
    assert before.count("\n") > 3


WRONG = {
    "no JSON": b"{",
    "a list": b"[]",
    "a number": b'{"KEY": 7}',
    "another state": b'{"KEY": [[1, 2], {"game": "chess"}]}',
    "another shape": b'{"KEY": [STATE, {"game": 7}]}',
    "numbers without end": b'{"KEY": [STATE, {"game": "pig", "parameters": {}, "size": 1e400, "boards": -1}]}',
    "escapes": b'{"KEY": [STATE, {"game": "\\u001b[2J", "parameters": {}, "size": 1}]}',
}


def plain() -> list[dict[str, Any]]:
    return [one.plain() for one in listing.list_items()]


@pytest.mark.parametrize("wrong", [*WRONG, "torn", "a pipe", "a link", "a folder"])
def test_a_wrong_index_does_no_harm(wrong: str, store: Store, tmp_path: Path) -> None:
    right, place, key = plain(), store.root / index.INDEX, store.keys()[0]
    text = place.read_bytes()
    place.unlink()
    precious = tmp_path / "precious"
    precious.write_bytes(text[:-9])
    if wrong in WRONG:
        state = json.dumps(index.entry_state(f"{store.root}/{key}")).encode()
        made = WRONG[wrong].replace(b"KEY", key.encode()).replace(b"STATE", state)
        place.write_bytes(block_checksum(index.INDEX.encode() + made).encode() + made)
    elif wrong == "torn":
        place.write_bytes(text[:-9])
    else:
        {"a pipe": os.mkfifo, "a link": lambda at: at.symlink_to(precious), "a folder": os.mkdir}[wrong](place)
    assert plain() == right
    assert precious.read_bytes() == text[:-9]
    assert plain() == right


def test_thousands_are_listed_in_a_moment(own_cache: Store, said: Says, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is not read again costs two looks: here ten times as much time is left as ten thousand have."""
    about: dict[str, Any] = {"game": "pig", "rules_version": 1, "fingerprint": ""}
    monkeypatch.setattr(os, "fsync", lambda file: None)
    for target in range(200):
        own_cache.write(own_cache.key("pig", {"n": target}), {}, {**about, "parameters": {"target": target}})
    assert len(listing.list_items()) == 200
    began = time.process_time()
    assert len(listing.list_items()) == 200
    assert time.process_time() - began < 0.2
