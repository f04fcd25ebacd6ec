"""Where memory does not do one line says what was wanted and what there is: planned, or caught where it runs out."""

from __future__ import annotations

import errno
import sys
import threading
import time
from collections.abc import Callable
from importlib import import_module
from unittest.mock import Mock

import pytest

import rollwise
from rollwise.cache.store import Store
from rollwise.parsing import memory_errors
from rollwise.solutions import plans
from rollwise.solver.components.team import Team
from rollwise.solver.model import limits
from rollwise.solver.model.errors import TooLarge

Patch = pytest.MonkeyPatch
ASK = "ask pig -p target=10"


@pytest.fixture
def limited(monkeypatch: Patch, own_cache: Store) -> None:
    """A limit of address space at which nothing more is left."""
    monkeypatch.setattr("resource.getrlimit", lambda which: (1000, 1000))


@pytest.mark.usefixtures("limited")
def test_what_takes_more_address_space_than_is_left_is_not_begun(said: Callable[..., str], monkeypatch: Patch) -> None:
    assert (limits.free_addresses(), plans.free_memory(), limits.n_workers()) == (0, 0, 1)
    monkeypatch.setitem(memory_errors.LIBRARY_BYTES, "no_such_library", 400_000_000)
    told = "not enough memory: loading no_such_library takes about 400 MB, and ulimit -v leaves 0 bytes"
    with pytest.raises(TooLarge, match=told), memory_errors.report_memory_errors():
        import_module("no_such_library")
    said(ASK, "error: not enough memory: solving pig(target=10) takes about ", "and ulimit -v leaves ", code=1)
    with pytest.raises(TooLarge, match="solving pig"):
        rollwise.ask("pig", params={"target": 10})


@pytest.mark.usefixtures("own_cache")
@pytest.mark.parametrize(
    ("error", "told"),
    [
        (MemoryError(), "error: not enough memory: more was requested than is free; "),
        (MemoryError("Unable to allocate 9. GiB"), "memory: Unable to allocate 9. GiB; that is more than is free"),
        (OSError(errno.ENOMEM, "Cannot allocate memory"), "error: not enough memory: "),
        (ImportError("libx.so: failed to map segment from shared object"), "error: not enough memory: libx.so"),
        (RuntimeError("can't start new thread"), "error: not enough memory, or processes: "),
    ],
)
def test_memory_that_runs_out_is_one_line(
    error: Exception, told: str, said: Callable[..., str], monkeypatch: Patch
) -> None:
    monkeypatch.setattr("rollwise.solutions.lookup._solve", Mock(side_effect=error))
    assert len(said(ASK, told, code=1).splitlines()) == 1 + (type(error) is RuntimeError)
    with pytest.raises(TooLarge, match="not enough memory"):
        rollwise.ask("pig", params={"target": 10})


@pytest.mark.usefixtures("own_cache")
def test_an_error_of_the_system_is_told_with_its_reason(said: Callable[..., str], monkeypatch: Patch) -> None:
    monkeypatch.setattr("rollwise.solutions.lookup._solve", Mock(side_effect=OSError("no words of the system")))
    with monkeypatch.context() as put_away:
        put_away.setattr("sys.stdout", sys.stdout)
        said(ASK, "error: the answer cannot be written: no words of the system", code=1)
        sys.stdout.close()  # which stands in the place of one that cannot be written


def test_a_library_that_is_not_loaded_lacks_memory_only_under_a_limit(monkeypatch: Patch) -> None:
    error = OSError("Could not find/load shared object file 'libllvmlite.so'")
    assert memory_errors._shortage(error) is None
    monkeypatch.setattr("resource.getrlimit", lambda which: (1000, 1000))
    assert "ulimit -v allows 1.0 KB in all" in str(memory_errors._shortage(error))


def test_workers_do_not_wait_for_one_that_cannot_be_started(monkeypatch: Patch) -> None:
    start, begun = threading.Thread.start, list[threading.Thread]()

    def only_one(thread: threading.Thread) -> None:
        begun.append(thread)
        if len(begun) > 1:
            raise RuntimeError("can't start new thread")
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", only_one)
    team, at = Team(2), time.monotonic()
    team._barrier = threading.Barrier(2, timeout=30)
    with pytest.raises(RuntimeError, match="can't start new thread"):
        team.run([[lambda: None]])
    assert time.monotonic() - at < 20
