"""Large solves are told of before they begin, whichever command needs them, and the largest wait for a yes."""

from __future__ import annotations

import inspect
import json
import os
import re
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

import rollwise
from rollwise.cache.store import Store
from rollwise.solutions import entry_lock, notes, plans
from rollwise.solutions.identity import identity
from rollwise.solutions.plans import SolvePlan, free_disk, free_memory
from tests.usual import FUNCTIONS, usual
from tests.web.solves import pig

Run = Callable[..., tuple[int, str, str]]
Patch = pytest.MonkeyPatch
PIG = ("pig", "-p", "target=3")
EXPORT = ("export", *PIG, "-o", "-", "--format", "csv")
TOLD = "rollwise: pig(target=3) is not solved yet: that takes about a second, 180 MB of memory and 110 bytes on disk"


@pytest.fixture
def all_large(own_cache: Store, monkeypatch: Patch) -> None:
    """No solve is small here."""
    monkeypatch.setattr("rollwise.solutions.plans.SMALL_SOLVE_S", -1.0)


@pytest.fixture
def all_long(all_large: None, monkeypatch: Patch) -> None:
    """And each takes longer than is begun unasked."""
    monkeypatch.setattr(plans, "UNASKED_SECONDS", 0.0)


def at_a_terminal(monkeypatch: Patch, answer: bool) -> Mock:
    confirm = Mock(return_value=answer)
    monkeypatch.setattr("typer.confirm", confirm)
    for stream in (sys.stdin, sys.stderr):
        monkeypatch.setattr(stream, "isatty", lambda: True, raising=False)
    return confirm


def test_fractions_that_take_long_are_told_of_and_wait_for_a_yes(all_long: None, run: Run, monkeypatch: Patch) -> None:
    monkeypatch.setattr("rollwise.solver.exact.optimal.MAX_EDGES", 1)
    run("solve", *PIG, "--yes")
    code, out, told = run("solve", *PIG, "--exact")
    assert (code, out) == (2, "")
    assert "has fractions that are not known yet: they take" in told
    assert "leave out --exact (the interval is certified), or say --yes to begin it" in told
    with pytest.raises(rollwise.TooLarge, match=r"leave out exact=True \(.*\), or say yes=True to begin it"):
        rollwise.solve("pig", exact=True, **THREE)
    code, out, told = run("solve", *PIG, "--exact", "--yes")
    assert (code, told.count("fractions")) == (0, 1)
    assert "36/43" in out


def test_whichever_command_needs_a_large_solve_tells_of_it_once(
    all_large: None, run: Run, monkeypatch: Patch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)  # where play keeps its record
    monkeypatch.setattr("sys.stdin", StringIO())
    for words in (
        ("solve", *PIG),
        ("ask", *PIG, "--json"),
        EXPORT,
        ("compare", *PIG, "hold-at-20"),
        ("card", *PIG),
        ("odds", *PIG),
        ("play", *PIG, "--seat", "none", "--seed", "1"),
    ):
        Store().clear()
        assert [line for line in run(*words)[2].splitlines() if "not solved yet" in line] == [TOLD], words
        assert "not solved yet" not in run(*words)[2], words  # it is kept


def test_a_small_solve_begins_without_a_word(own_cache: Store, run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("solve", *PIG)[2] == ""
    own_cache.clear()
    rollwise.solve("pig", params={"target": 3})
    assert capsys.readouterr().err == ""


THREE: dict[str, Any] = {"params": {"target": 3}}
SHEET = '[[claim]]\nid = "a"\ngame = "pig"\nparams = { target = 3 }\nstatement = "b"\nstated = "36/43"\nask = {}\n'
SOLVING = [name for name in FUNCTIONS if "yes" in inspect.signature(getattr(rollwise, name)).parameters]
HOW: dict[str, dict[str, Any]] = {"export": {"force": True}, "quiz": {"seed": 1}}  # beside the usual arguments
IN_ROWS = {"solve_all", "sweep", "verify"}  # a row or a claim that wants yes says so, below
DOORS: dict[str, Callable[..., Any]] = {
    **{
        name: partial(getattr(rollwise, name), **usual(name), **HOW.get(name, {}))
        for name in SOLVING
        if name not in IN_ROWS
    },
    "Match": lambda **yes: rollwise.Match("pig", seed=1, **THREE, **yes).moves,
    "Match.outcomes": lambda **yes: rollwise.Match("pig", seed=1, **THREE, **yes).outcomes("roll"),
    "Match.play": lambda **yes: rollwise.Match.of(rollwise.Match("pig", **THREE).plain(), **yes).play("roll"),
}


@pytest.mark.parametrize("door", DOORS)
def test_in_python_every_door_says_what_a_solve_takes_and_the_largest_wants_yes(
    door: str, all_long: None, monkeypatch: Patch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    says = r"is not solved yet: that takes about .*second.*, \d+ MB of memory and .* on disk; that is long"
    with pytest.raises(rollwise.TooLarge, match=f"{says}; say yes=True to begin it"):
        DOORS[door]()
    assert Store().keys() == []
    monkeypatch.setattr(plans, "UNASKED_SECONDS", 100.0)
    with pytest.warns(UserWarning, match="is not solved yet: that takes") as warned:
        DOORS[door]()
    assert [(one.filename, len(warned)) for one in warned] == [(__file__, 1)]
    DOORS[door]()  # it is kept
    Store().clear()
    monkeypatch.setattr(plans, "UNASKED_SECONDS", 0.0)
    DOORS[door](yes=True)
    assert "not solved" not in capsys.readouterr().err


def test_what_solves_has_yes_and_a_refused_row_or_claim_says_so(all_long: None, tmp_path: Path) -> None:
    unsolving = {"best", "list_games", "plan", "rules"}
    assert {*FUNCTIONS} - unsolving == {*SOLVING}
    (tmp_path / "sheet.toml").write_text(SHEET)
    (claim,) = rollwise.verify(claims=tmp_path / "sheet.toml")
    assert (claim.verdict, "yes=True" in claim.reading) == ("pending", True)
    assert rollwise.verify(claims=tmp_path / "sheet.toml", yes=True)[0].verdict == "confirmed"
    (row,) = rollwise.sweep("thunderstorm", params={"players": 8}, most_seconds=100)
    assert row.reason is not None
    assert re.search(r"would take about .*, 4.0 GB of memory .*: that is much memory; yes=True begins it", row.reason)
    with pytest.warns(UserWarning, match=r"^2 of these games are not solved yet: .*, 180 MB of memory"):
        rows = rollwise.sweep("pig", params={"target": "4,5"}, most_seconds=100)
    assert [row.state for row in rows] == ["solved"] * 2


@pytest.mark.parametrize("words", [("solve", *PIG), ("ask", *PIG, "--json"), EXPORT])
@pytest.mark.parametrize("is_terminal", [True, False])
def test_where_nobody_can_answer_the_largest_want_yes(
    words: tuple[str, ...], is_terminal: bool, all_long: None, run: Run, monkeypatch: Patch
) -> None:
    confirm = at_a_terminal(monkeypatch, answer=True) if is_terminal else Mock()
    code, out, complaint = run(*words)
    if is_terminal and words[0] == "solve":
        assert (code, confirm.call_count) == (0, 1)
        return
    assert (code, out, confirm.call_count) == (2, "", 0)
    line = f"{TOLD.removeprefix('rollwise: ')}; that is long; say --yes to begin it"
    assert line in (json.loads(complaint)["message"] if "--json" in words else complaint)
    assert "--yes" in complaint.partition("hint")[2]
    assert " --yes pig --" in run(*words[:1], *words[2:], "pig", "--")[2].partition("hint")[2]
    assert run(*words, "--yes")[0] == 0
    assert run(*words)[0] == 0  # it is kept


def test_who_says_no_has_nothing_solved(all_long: None, run: Run, monkeypatch: Patch) -> None:
    at_a_terminal(monkeypatch, answer=False)
    code, _, complaint = run("solve", *PIG)
    assert (code, "not begun" in complaint, Store().keys()) == (1, True, [])


def key() -> str:
    return Store().key("pig", identity(pig(3)))


def test_of_what_is_half_solved_the_rest_is_told(all_large: None, run: Run, monkeypatch: Patch) -> None:
    monkeypatch.setattr("rollwise.solutions.plans.UNASKED_SECONDS", 40.0)
    monkeypatch.setattr("rollwise.solutions.plans.rate", lambda: 200.0)
    Store().checkpoint(key()).save({}, {}, about={"done": 0.4})
    code, _, complaint = run("solve", *PIG)
    assert (code, "is solved to 40 %: the rest takes about 36 seconds" in complaint) == (0, True)
    Store().clear()
    assert "is not solved yet: that takes about a minute" in run("solve", *PIG)[2]


def test_who_waits_for_another_process_is_asked_only_where_that_one_leaves_it_unsolved(
    all_long: None, run: Run, monkeypatch: Patch
) -> None:
    monkeypatch.setattr(entry_lock, "FIRST_NOTE_S", 0.01)
    held, over, store = threading.Event(), threading.Event(), Store()

    def hold() -> None:
        with store.lock(key()):
            held.set()
            over.wait(20)

    def tell(text: str) -> None:
        notes.note(text)
        over.set()

    monkeypatch.setattr(entry_lock, "note", tell)
    holder = threading.Thread(target=hold)
    holder.start()
    held.wait(20)
    code, _, complaint = run("ask", *PIG)
    holder.join()
    assert code == 2
    assert "waiting for it" in complaint.partition("say --yes to begin it")[0]


def test_more_than_four_fifths_of_free_memory_or_disk_is_too_much(monkeypatch: Patch) -> None:
    plan = SolvePlan(1, 1, 100.0, 800, 800, solved=False)
    monkeypatch.setattr("rollwise.solutions.plans.free_memory", lambda: None)
    assert plans.reasons_to_ask(replace(plan, seconds=130.0, memory=1_400_000_000, kept=0)) == ["that is long"]
    assert plans.reasons_to_ask(replace(plan, seconds=71.0, memory=2_037_000_000, kept=0)) == ["that is much memory"]
    for memory, disk, told in (
        (1000, 2000, []),
        (999, 2000, ["only 1.0 KB of memory is free"]),
        (None, 1999, ["only 2.0 KB of disk is free"]),  # what was kept on the way is there until all is
    ):
        monkeypatch.setattr("rollwise.solutions.plans.free_memory", lambda memory=memory: memory)
        monkeypatch.setattr("rollwise.solutions.plans.free_disk", lambda place, disk=disk: disk)
        assert plans.reasons_to_ask(plan) == told


# --- what there is ----------------------------------------------------------------------------------------------------

MACHINE = {"proc/meminfo": "MemTotal: 9000 kB\nMemAvailable: 5000 kB\n"}
SECOND = {
    "proc/self/cgroup": "0::/user/me\n",
    "sys/fs/cgroup/user/me/memory.max": "max\n",
    "sys/fs/cgroup/user/me/memory.current": "70\n",
    "sys/fs/cgroup/user/memory.max": "1000\n",
    "sys/fs/cgroup/user/memory.current": "800\n",
    "sys/fs/cgroup/user/memory.stat": "anon 1\ninactive_file 300\n",
}
FIRST = {
    "proc/self/cgroup": "3:cpu:/\n2:devices,memory:/docker/ab\n1:name=systemd:/x\n",
    "sys/fs/cgroup/memory/memory.limit_in_bytes": "2000\n",
    "sys/fs/cgroup/memory/memory.usage_in_bytes": "1500\n",
    "sys/fs/cgroup/memory/memory.stat": "total_inactive_file 100\n",
}


def test_memory_is_what_the_machine_and_the_control_groups_leave(tmp_path: Path) -> None:
    known: list[tuple[dict[str, str], int | None]] = [
        (MACHINE, 5_120_000),
        ({**MACHINE, **SECOND}, 500),  # 200 left, and 300 can be given back
        ({**MACHINE, **FIRST}, 600),  # a container sees no folder of its own name
        (SECOND, 500),
        ({**MACHINE, "proc/self/cgroup": "nonsense\n0::/../..\n"}, 5_120_000),
        ({**MACHINE, **FIRST, "sys/fs/cgroup/memory/memory.usage_in_bytes": "9999\n"}, 0),
        ({"proc/meminfo": "MemAvailable: much\n"}, None),
        ({}, None),
    ]
    for number, (files, free) in enumerate(known):
        for name, text in files.items():
            (tmp_path / str(number) / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / str(number) / name).write_text(text)
        assert free_memory(tmp_path / str(number)) == free, files


def test_disk_is_told_of_a_folder_that_is_not_there_yet(tmp_path: Path) -> None:
    there, to_come = free_disk(tmp_path), free_disk(tmp_path / "to" / "come")
    assert there
    assert to_come == pytest.approx(there, rel=0.1)


# --- how fast it is ---------------------------------------------------------------------------------------------------


@pytest.fixture
def rate(own_cache: Store, monkeypatch: Patch) -> Iterator[Callable[[float], float]]:
    """What is taken for the rate of this machine where it is measured as so much."""

    def rate(now: float) -> float:
        plans.rate.cache_clear()
        monkeypatch.setattr(plans, "measure_rate", lambda: now)
        return plans.rate()

    yield rate
    plans.rate.cache_clear()


def test_the_best_rate_of_a_machine_is_kept_and_a_damaged_one_is_measured_again(
    rate: Callable[[float], float], own_cache: Store
) -> None:
    hint = own_cache.root / plans.HINT_FILE
    assert [rate(now) for now in (2.0, 3.0, 1.5, 9.0)] == [2.0, 2.0, 1.5, 1.5]
    for damaged in ("", "{", "[]", '{"rate": "1"}', '{"rate": 1e9}', '{"rate": NaN}', "[" * 150, "\0" * 999):
        hint.write_text(damaged)
        assert (rate(2.0), rate(3.0)) == (2.0, 2.0)
    for elsewhere in ('{"rate": 0.5}', '{"rate": 0.5, "host": "of another name"}'):  # a cache that was copied
        hint.write_text(elsewhere)
        assert (rate(2.0), rate(3.0)) == (2.0, 2.0)
    hint.unlink()
    os.mkfifo(hint)
    assert rate(2.0) == 2.0


def test_plans_are_told_for_this_machine(rate: Callable[[float], float]) -> None:
    rate(1.0)
    usual = rollwise.plan("sevens").seconds
    (Store().root / plans.HINT_FILE).unlink()
    rate(4.0)
    assert rollwise.plan("sevens").seconds == pytest.approx(4 * usual, rel=0.05)
