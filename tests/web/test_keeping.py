"""What a server has solved stays as far as there is room: what was used last stays, and what the user solved always."""

from __future__ import annotations

import gc
import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest

import rollwise
from rollwise.cache.entry import ArrayFile
from rollwise.cache.folders import measure_bytes
from rollwise.cache.store import EVICTABLE, Store, StoreError
from rollwise.solutions.lookup import Unsolved, cache_only, evict_solutions, load_or_solve
from rollwise.web.jobs import Jobs
from rollwise.web.settings import Settings
from tests.web.solves import DONE, IN_PROC, begun, ended, fake, pig

ARRAYS = {"rows": np.arange(1000)}  # 8 KB, and a manifest


@pytest.fixture
def store(own_cache: Store) -> Store:
    return own_cache


@pytest.fixture
def written(store: Store) -> Callable[..., str]:
    """Writes an entry for a server that was used so long ago; its key."""

    def written(name: str, ago: float, *, is_lent: bool = True) -> str:
        key = store.key(name, {})
        if is_lent:
            store.mark_evictable(key)
            os.utime(store.root / EVICTABLE / key, (1e9 - ago, 1e9 - ago))
        store.write(key, ARRAYS, {})
        return key

    return written


def names(store: Store) -> list[str]:
    return [key.rpartition("-")[0] for key in store.all_keys()]


def test_the_least_recently_used_go_first_and_what_is_not_lent_never(store: Store, written: Callable[..., str]) -> None:
    written("mine", 9, is_lent=False)
    keys = [written(name, ago) for name, ago in (("a", 1), ("b", 4), ("c", 3), ("d", 2))]
    store.touch(keys[1])
    size = measure_bytes(store.root / keys[0])
    store.evict(4 * size)
    assert names(store) == ["a", "b", "c", "d", "mine"]
    store.evict(3 * size - 1)
    assert names(store) == ["a", "b", "mine"]
    store.evict(0, spared=keys[0])  # a bound smaller than one
    assert names(store) == ["a", "mine"]
    store.mark_permanent(keys[0])
    store.evict(0)
    assert names(store) == ["a", "mine"]
    assert os.listdir(store.root / EVICTABLE) == []
    assert os.listdir(store.root / "locks") == []


def test_what_somebody_works_on_or_has_just_used_stays(
    store: Store, written: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    held, used = written("held", 2), written("used", 1)
    lock = Store.lock

    def meanwhile(store: Store, key: str, timeout: float = -1) -> object:
        Store(store.root).touch(used)
        return lock(store, key, timeout)

    with store.lock(held):
        monkeypatch.setattr(Store, "lock", meanwhile)
        store.evict(0)
    assert names(store) == ["held", "used"]


def test_what_a_stopped_solve_left_counts_and_goes_but_not_what_the_user_has_begun(store: Store) -> None:
    for name, begun_by_user in (("theirs", False), ("mine", True)):
        key = store.key(name, {})
        if not begun_by_user:
            store.mark_evictable(key)
        store.checkpoint(key).save(ARRAYS, {})
        store.mark_evictable(key)
    store.evict(10**6)
    assert names(store) == ["mine", "theirs"]
    store.evict(1000)
    assert names(store) == ["mine"]


def test_a_crash_leaves_nothing_that_is_forgotten(store: Store, written: Callable[..., str]) -> None:
    key, kept = written("a", 1), written("b", 2)
    store.remove(key)  # ... and then the power went, before its note was removed
    store.evict(10**6)
    assert os.listdir(store.root / EVICTABLE) == [kept]
    written("a", 3)
    cut_off, others = (store.root / "checkpoints" / f".tmp-{2**22 + 1}-0a-{name}" for name in (key, "mine-" + "0" * 20))
    for path in (cut_off, others):
        path.mkdir(parents=True)
        (path / "rows.npy").write_bytes(b"x" * 10**6)
    store.evict(10**6)
    assert names(store) == ["b"]
    assert (cut_off.exists(), others.exists()) == (False, True)  # somebody may just be writing it, in a container


def test_two_servers_on_one_cache_do_no_harm(store: Store, written: Callable[..., str]) -> None:
    """Each writes, reads and removes: whoever opens an entry finds all of it, or none."""
    keys, over = [written(name, ago) for name, ago in (("a", 1), ("b", 2))], threading.Event()

    def serve(key: str) -> None:
        mine = Store(store.root)
        for turn in range(10):
            with mine.lock(key):
                mine.mark_evictable(key)
                mine.write(key, ARRAYS, {})
            mine.evict(turn % 2)

    def ask() -> int:
        mine, looked = Store(store.root), 0
        while not over.is_set():
            for key in keys:
                with mine.opening(key):
                    found = mine.read(key)
                assert found is None or found.array("rows").sum() == 499_500
                looked += 1
        return looked

    with ThreadPoolExecutor(5) as pool:
        asking = pool.submit(ask)
        serving = [pool.submit(serve, key) for key in keys for _ in range(2)]
        try:
            assert [each.result() for each in serving] == [None] * 4
        finally:
            over.set()
        assert asking.result()
    store.evict(0)
    assert names(store) == []


def test_what_the_user_solves_or_asks_is_theirs_and_stays(store: Store) -> None:
    rollwise.solve("pig", params={"target": 4})
    for target in (5, 6):
        load_or_solve(pig(target), quiet=True, evictable=True)
    rollwise.ask("pig", params={"target": 5})
    asked(6)
    evict_solutions(0)
    assert asked(4)
    assert asked(5)
    with pytest.raises(Unsolved):
        asked(6)


@pytest.mark.parametrize("who", ["solves it", "waits for a server that does", "is waited for by a server"])
def test_what_the_user_solves_again_or_waits_for_is_theirs(
    store: Store, monkeypatch: pytest.MonkeyPatch, who: str
) -> None:
    key = load_or_solve(pig(5), quiet=True, evictable=True).key
    if who == "solves it":
        store.remove(key)
    else:
        monkeypatch.setattr("rollwise.solutions.lookup._load_from_cache", lambda *found: None)  # not there yet
    if who == "is waited for by a server":
        store.mark_permanent(key)
    load_or_solve(pig(5), quiet=True, evictable=who == "is waited for by a server")
    evict_solutions(0)
    assert store.all_keys() == [key]


def asked(target: int) -> list[str] | None:
    """The best moves of a game that is kept."""
    with cache_only():
        return rollwise.ask("pig", params={"target": target}).best


def test_a_question_that_opens_an_entry_is_answered_while_another_server_removes(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    load_or_solve(pig(5), quiet=True, evictable=True)
    hold, removed = ArrayFile.map_file, list[int]()

    def removing(file: ArrayFile) -> object:
        if not removed:
            removed.append(1)
            Store().evict(0)
        return hold(file)

    monkeypatch.setattr(ArrayFile, "map_file", removing)
    assert asked(5) == ["roll"]
    assert removed


def open_files() -> str:
    gc.collect()  # which happens now and then by itself
    return Path("/proc/self/maps").read_text()


@IN_PROC
def test_a_question_whose_entry_went_between_two_is_told_that_it_is_not_solved(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rollwise.solutions.lookup.SETTLED_NS", -(10**12))  # it is kept open at once
    load_or_solve(pig(5), quiet=True, evictable=True)
    assert asked(5) == ["roll"]
    assert str(store.root) in open_files()
    evict_solutions(0)
    assert str(store.root) not in open_files()  # whose place on disk would not be free
    with pytest.raises(Unsolved):
        asked(5)


@pytest.mark.anyio
async def test_a_server_removes_after_a_solve_what_is_over_its_bound_and_goes_on_where_it_cannot(
    jobs: Jobs, store: Store, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    jobs.settings = Settings(keep=0)
    jobs.command = fake(DONE)
    for target in (5, 6):
        load_or_solve(pig(target), quiet=True, evictable=True)
    await ended(await begun(jobs, 5))
    assert len(store.all_keys()) == 1
    assert asked(5) == ["roll"]  # the one that was solved last stays
    for error in (StoreError("cannot clear it"), OSError("no")):
        monkeypatch.setattr(Store, "evict", Mock(side_effect=error))
        assert await ended(await begun(jobs, 5)) == "done"
    assert "cannot clear it" in capfd.readouterr().err
