"""``ROLLWISE_CACHE_LIMIT``: what was used longest ago goes after each write, and never what is in use."""

from __future__ import annotations

import os
from collections.abc import Callable

import numpy as np
import pytest

from rollwise.cache.settings import LIMIT_VARIABLE
from rollwise.cache.store import Store, StoreError
from rollwise.solutions.lookup import evict_solutions
from rollwise.web.settings import parse_keep

ARRAYS = {"rows": np.arange(1000)}  # with its manifest 8.5 KB
Patch = pytest.MonkeyPatch
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def store(own_cache: Store, monkeypatch: Patch) -> Store:
    """A cache with room for two entries, in which three were written before there was a limit, a the longest ago."""
    for ago, name in ((3, "a"), (2, "b"), (1, "c")):
        place = own_cache.substore("turns") if name == "b" else own_cache
        place.write(key(name), ARRAYS, {})
        os.utime(place.root / key(name), (1e9 - ago, 1e9 - ago))
    monkeypatch.setenv(LIMIT_VARIABLE, "20 kb")
    return Store()


def key(name: str) -> str:
    return Store().key(name, {})


def names(store: Store) -> str:
    keys = sorted(
        key for place in (store, store.substore("turns"), store.substore("forecasts")) for key in place.all_keys()
    )
    return " ".join(key.rpartition("-")[0] for key in keys)


def test_what_was_used_longest_ago_goes_after_each_write_whatever_part_it_is_in(store: Store) -> None:
    store.write(key("d"), ARRAYS, {})
    assert names(store) == "c d"
    store.touch(key("c"))
    os.utime(store.root / key("d"), (1e9, 1e9))
    store.substore("forecasts").write(key("e"), ARRAYS, {})
    assert names(store) == "c e"
    os.utime(store.root / key("c"), (1e9, 1e9))
    store.checkpoint(key("f")).save(ARRAYS, {})
    assert names(store) == "e f"


def test_what_is_locked_or_open_stays(store: Store) -> None:
    opened = store.substore("turns").read(key("b"))
    with store.lock(key("a")):
        store.write(key("d"), ARRAYS, {})
        assert names(store) == "a b d"
    assert opened is not None
    del opened
    store.write(key("d"), ARRAYS, {})
    assert names(store) == "b d"


def test_the_limit_of_a_server_is_the_same(store: Store, monkeypatch: Patch) -> None:
    assert (parse_keep(None), parse_keep("9KB")) == (20_000, 9_000)
    evict_solutions(parse_keep("9KB"))
    assert names(store) == "c"
    monkeypatch.delenv(LIMIT_VARIABLE)
    evict_solutions(0)  # without a limit what the user has solved stays
    assert (names(store), parse_keep(None)) == ("c", 2_000_000_000)


@pytest.mark.parametrize("size", ["many", "-1GB", "2", "2 zb", "1e9", "\x1b[2J", "9" * 100 + "GB"])
def test_what_is_no_size_is_told_in_one_line(size: str, own_cache: Store, monkeypatch: Patch, run: Run) -> None:
    monkeypatch.setenv(LIMIT_VARIABLE, size)
    with pytest.raises(StoreError, match=LIMIT_VARIABLE):
        Store()
    code, out, err = run("ask", "pig", "-p", "target=4")
    assert (code, out, err.count("\n"), "\x1b" in err) == (1, "", 1, False)
    assert err.startswith(f"error: {LIMIT_VARIABLE} is a size like 2GB, 500MB or 0, got '")
