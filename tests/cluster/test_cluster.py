"""More than one machine: the same answers to the last bit, whoever dies, and one line for whatever is wrong."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import distributed
import pytest

from rollwise.cache.store import Store
from rollwise.cluster import dask_cluster
from rollwise.games.yahtzee.rules import Yahtzee
from rollwise.parsing.validate import parse_game
from rollwise.questions.sweep import compute as sweeping
from rollwise.solutions import transfer
from rollwise.solutions.identity import identity
from rollwise.solver.exact import chinese_remainders, optimal
from rollwise.solver.exact.primes import ModularPasses
from rollwise.solver.model.game import TurnGame
from tests import spreading

Run = Callable[..., tuple[int, str, str]]
Said = Callable[..., str]
Patch = pytest.MonkeyPatch
SWEEP = "sweep pig -p target=9,8,7,6"


@pytest.fixture(scope="module")
def started() -> Iterator[Any]:
    """Two processes in the place of machines, and their scheduler."""
    how = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": "127.0.0.1:0"}
    with distributed.LocalCluster(**how) as machines:
        yield machines


@pytest.fixture
def machines(started: Any) -> Any:
    """The same, once both are there: after the test that has killed one, too."""
    while len(started.scheduler.workers) < 2:
        time.sleep(0.02)
    return started


def kept(store: Store, target: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """What is kept of a game: checksums of all arrays, and what is said of them but how long it took."""
    game = parse_game("pig", {"target": target})
    entry = store.read(store.key("pig", identity(game)))
    assert entry is not None
    entry.verify()
    facts = {name: fact for name, fact in entry.manifest["facts"].items() if name != "seconds"}
    return {name: file.checksums for name, file in entry.files.items()}, {**entry.manifest, "facts": facts}


@pytest.mark.thorough
def test_one_worker_is_killed_and_all_is_the_same_to_the_last_bit_and_its_work_done_again_once(
    machines: Any, own_cache: Store, said: Said, tmp_path: Path, monkeypatch: Patch
) -> None:
    done = tmp_path / "done"
    monkeypatch.setattr(sweeping, "solve_for_transfer", partial(spreading.killed_once, str(done), 9))
    rows = json.loads(said(f"{SWEEP} --scheduler {machines.scheduler_address} --json"))
    assert [row["state"] for row in rows] == ["solved"] * 4
    assert sorted(done.read_text().split()) == ["6", "7", "8", "9", "9"]
    there = [kept(own_cache, target) for target in (9, 8, 7, 6)]
    own_cache.clear()
    assert [row["value"] for row in json.loads(said(f"{SWEEP} --json"))] == [row["value"] for row in rows]
    assert [kept(own_cache, target) for target in (9, 8, 7, 6)] == there


@pytest.mark.thorough
def test_what_kills_its_workers_fails_in_a_line_and_the_others_are_solved(
    machines: Any, own_cache: Store, run: Run, monkeypatch: Patch
) -> None:
    monkeypatch.setattr(machines.scheduler, "allowed_failures", 0)
    monkeypatch.setattr(sweeping, "solve_for_transfer", partial(spreading.poison, 9))
    code, text, error = run("sweep", "pig", "-p", "target=9,8", "--scheduler", machines.scheduler_address)
    assert (code, error.count("\n")) == (1, 1)
    assert error.startswith(
        "error: pig(target=9) has failed: its workers died, 1 one after the other; it may need more"
    )
    assert text.endswith("failed: 1; solved: 1\n")


def test_a_worker_with_other_code_or_none_is_named(
    machines: Any, own_cache: Store, said: Said, monkeypatch: Patch
) -> None:
    command, worker = f"{SWEEP} --json --scheduler {machines.scheduler_address}", "the worker tcp://127.0.0.1:"
    sources, here = dask_cluster.source_fingerprint, "rollwise sweep pig -p target=9,8,7,6 --json"
    monkeypatch.setattr(dask_cluster, "source_fingerprint", lambda: "other")
    said(command, worker, "has another rollwise than this", here, code=2)
    monkeypatch.setattr(dask_cluster, "_require_same_code", lambda client: None)  # it came later
    said(command, worker, "has another rollwise than this", here, code=2)
    monkeypatch.undo()
    monkeypatch.setenv("ROLLWISE_CACHE", str(own_cache.root))
    assert dask_cluster.source_fingerprint is sources
    monkeypatch.setattr(dask_cluster, "PROBE", "__import__('rollwise.none')")
    said(command, worker, "has no rollwise: install there what is here", here, code=2)
    monkeypatch.setattr(distributed, "__version__", "1.0")
    said(command, f"the scheduler at {machines.scheduler_address} has distributed 20", "this has 1.0", code=2)
    assert own_cache.keys() == []


@pytest.mark.parametrize("answer", [b"HTTP/1.1 400 Bad Request\r\n\r\n", None, b""])
def test_what_is_no_scheduler_is_told_within_five_seconds(
    answer: bytes | None, own_cache: Store, said: Said, monkeypatch: Patch
) -> None:
    """Another server; one that says nothing; and a place where nobody is."""
    assert dask_cluster.CONNECT_S <= 3
    monkeypatch.setattr(dask_cluster, "CONNECT_S", 0.3)
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        heard: list[socket.socket] = []

        def reply() -> None:
            heard.append(server.accept()[0])
            heard[0].sendall(answer or b"")

        if answer == b"":
            server.close()
        else:
            threading.Thread(target=reply, daemon=True).start()
        began = time.monotonic()
        error = said(f"{SWEEP} --scheduler {address}", f"no dask scheduler answers at '{address}'", code=2)
        assert time.monotonic() - began < 2
        assert error.splitlines()[1:] == ["hint: rollwise sweep pig -p target=9,8,7,6"]
        for one in heard:
            one.close()


def test_a_scheduler_without_workers_is_told(own_cache: Store, said: Said) -> None:
    with distributed.LocalCluster(n_workers=0, processes=False, dashboard_address="127.0.0.1:0") as empty:
        said(f"{SWEEP} --scheduler {empty.scheduler_address}", "has no workers: dask worker", code=2)


def test_entries_come_back_without_a_shared_disk(own_cache: Store) -> None:
    transfer.solve_for_transfer("pig", {"target": 9})
    assert own_cache.keys() == []


@pytest.mark.slow
def test_passes_of_an_exact_solve_are_done_by_the_workers_and_none_here(
    machines: Any, own_cache: Store, said: Said, play: Callable[[TurnGame], str], monkeypatch: Patch
) -> None:
    import_module("rollwise.questions.solve")  # which then takes the next line
    play(Yahtzee(boxes="fives,full house,yahtzee", joker="free"))
    monkeypatch.setattr(chinese_remainders, "PRIME_LIMIT", 1 << 10)  # so that there are several
    monkeypatch.setattr(optimal, "MAX_EDGES", 20_000)  # two turns
    command = "solve yahtzee --exact --json"
    here = json.loads(said(command))["exact"]
    own_cache.substore("fractions").clear()
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr(ModularPasses, "run", None)
        there = json.loads(said(f"{command} --scheduler {machines.scheduler_address}"))["exact"]
    assert (there, "/" in there) == (here, True)
    said("solve yahtzee --scheduler tcp://127.0.0.1:1", "--scheduler is for the passes of --exact", code=2)
