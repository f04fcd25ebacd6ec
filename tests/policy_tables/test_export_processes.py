"""Exports in processes of their own: killed, stopped or two at once, they leave whole files and nothing beside them.

One Python is started for all of them; it forks one process for each, which works on itself as it was told.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from rollwise.policy_tables.export import export
from rollwise.policy_tables.files import read_description
from tests.policy_tables.exports import Row, content, files, levels, names, rows_of, stamps

FORKS = """
import contextlib, json, os, signal, sys, time
import rollwise.policy_tables.decision_rows
from rollwise.cli import main
from rollwise.policy_tables.table_writer import TableWriter

signal.signal(signal.SIGINT, signal.default_int_handler)  # Ctrl-C is heard even where the tests do not hear it
for suffix in ("csv", "jsonl", "parquet"):  # what is loaded here need not be loaded by each of them
    sys.argv = ["rollwise", "export", "pig", "-p", "target=7", "mine=3", "-o", f"first.{suffix}"]
    with contextlib.suppress(SystemExit):
        main()
rollwise.policy_tables.decision_rows.MOVES_A_BATCH = 10
sys.modules["rollwise.policy_tables.export"].note_export = lambda path: contextlib.nullcontext()  # another cache
write, finish, replace = TableWriter.write, TableWriter.finish, os.replace
counts = {"write": 0, "finish": 0, "replace": 0}

def comes_to(what, number):
    counts[what] += 1
    return counts[what] == number

def die():
    signal.raise_signal(signal.SIGKILL)

started = []
for number, (doing, words) in enumerate(json.load(sys.stdin)):
    started.append(os.fork())
    if not started[-1]:
        for stream, name in ((1, "out"), (2, "err")):
            os.dup2(os.open(f"{number}.{name}", os.O_WRONLY | os.O_CREAT), stream)
        os.getpid = lambda: 12345  # as in two containers that share a folder
        exec(doing)
        sys.argv = ["rollwise", "export", "pig", "-p", "target=7", *words, "--json"]
        main()
for number, process in enumerate(started):
    code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    with open(f"{number}.code", "w") as file:
        file.write(str(code))
"""
SLOWLY = """
def written(self, batch):
    write(self, batch)
    time.sleep(0.01)
TableWriter.write = written
"""
IN_THE_MIDDLE = """
def written(self, batch):
    write(self, batch)
    if self.file_format != "parquet": self.sink.flush()
    if comes_to("write", %d): %s
TableWriter.write = written
"""
BETWEEN_FILES = """
def finished(self, description):
    size = finish(self, description)
    if comes_to("finish", 4): die()
    return size
TableWriter.finish = finished
"""
AT_A_RENAME = """
def replaced(old, new):
    if "%s" in str(new) and comes_to("replace", %d): die()
    replace(old, new)
os.replace = replaced
"""
# of a single file: what it does to itself, and what is left aside
KILLED = {
    "in the middle.parquet": (IN_THE_MIDDLE % (3, "die()"), 1),
    "in the middle.csv": (IN_THE_MIDDLE % (3, "die()"), 1),
    "before it is renamed.parquet": (AT_A_RENAME % ("renamed", 1), 1),
    "before it is renamed.jsonl": (AT_A_RENAME % ("renamed", 1), 2),
    "before its description is renamed.csv": (AT_A_RENAME % ("renamed", 2), 1),
}
# of a folder: what it does to itself, and how many files are whole
STOPPED = {
    "between files": (BETWEEN_FILES, 4),
    "in a file": (IN_THE_MIDDLE % (20, "die()"), None),
    "before a rename": (AT_A_RENAME % ("level-", 4), 3),
}
CTRL_C = IN_THE_MIDDLE % (20, "signal.raise_signal(signal.SIGINT)")
N_LEVELS = 13


Ended = tuple[int, str, str]  # exit code, stdout and stderr


class Accidents(NamedTuple):
    """What each process has left in ``folder`` and how it ended, and the right rows."""

    folder: Path
    ended: dict[str, list[Ended]]
    rows: list[Row]


@pytest.fixture(scope="module")
def accidents(tmp_path_factory: pytest.TempPathFactory) -> Accidents:
    folder = tmp_path_factory.mktemp("processes")
    for name in KILLED:
        export("pig", folder / name, params={"target": 7}, mine=3)
    rows = rows_of(export("pig", f"{folder}/right/", params={"target": 7}).path)
    jobs: list[tuple[str, str, list[str]]] = [
        *((name, doing, ["-o", name, "--force"]) for name, (doing, _) in KILLED.items()),
        *((name, doing, ["-o", f"{name}/"]) for name, (doing, _) in STOPPED.items()),
        ("ctrl-c", CTRL_C, ["-o", "ctrl-c/"]),
        *[("together", SLOWLY, ["-o", "together/"])] * 2,
        *(("one.parquet", SLOWLY, [part, "-o", "one.parquet", "--force"]) for part in ("mine=4", "theirs=4")),
        *(("one.csv", SLOWLY, [part, "-o", "one.csv", "--force"]) for part in ("mine=4", "theirs=4")),
    ]
    subprocess.run(
        [sys.executable, "-c", FORKS],
        cwd=folder,
        input=json.dumps([job[1:] for job in jobs]),
        text=True,
        timeout=60,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        check=True,
    )
    ended: dict[str, list[Ended]] = {}
    for number, (name, *_) in enumerate(jobs):
        code, out, err = ((folder / f"{number}.{of}").read_text() for of in ("code", "out", "err"))
        ended.setdefault(name, []).append((int(code), out, err))
    return Accidents(folder, ended, rows)


@pytest.mark.parametrize("name", KILLED)
def test_what_a_killed_export_has_left_goes_with_the_next_of_that_file(name: str, accidents: Accidents) -> None:
    path = accidents.folder / name
    ((code, _, _),) = accidents.ended[name]
    left = [one for one in names(accidents.folder) if one.startswith(f".{name}.")]
    assert code == -signal.SIGKILL
    assert len([one for one in left if ".tmp-" in one]) == KILLED[name][1]
    assert f".{name}.lock" in left
    right = export("pig", accidents.folder / f"right {name}", params={"target": 7}, mine=3)
    there = content(path)
    assert there == content(right.path) or there[1] is None  # a description is that of the table
    assert export("pig", path, params={"target": 7}, mine=3).rows == right.rows
    assert content(path) == content(right.path)
    assert not [one for one in names(accidents.folder) if one.startswith(f".{name}.")]


@pytest.mark.parametrize("name", STOPPED)
def test_a_killed_export_goes_on_where_it_was(name: str, accidents: Accidents) -> None:
    folder, n_whole = accidents.folder / name, STOPPED[name][1]
    assert accidents.ended[name][0][0] == -signal.SIGKILL
    whole = {path.name for path in folder.glob("*.parquet")}
    assert all(read_description(folder / name) for name in whole)
    assert n_whole in (None, len(whole))
    assert 0 < len(whole) < N_LEVELS
    before = stamps(folder)
    made = export("pig", f"{folder}/", params={"target": 7})
    assert (made.files, made.already) == (N_LEVELS, len(whole))
    after = stamps(folder)
    assert all(after[name] == before[name] for name in whole)
    assert sorted(after) == levels(*range(N_LEVELS))
    assert rows_of(folder) == accidents.rows


def test_ctrl_c_leaves_whole_files_and_nothing_else(accidents: Accidents) -> None:
    folder = accidents.folder / "ctrl-c"
    ((code, _, err),) = accidents.ended["ctrl-c"]
    whole = files(folder)
    assert code == 1
    assert f"stopped; {len(whole)} of {N_LEVELS} files are whole, the same command goes on from there" in err
    assert names(folder) == levels(*range(len(whole)))
    assert 0 < len(whole) < N_LEVELS
    assert all(read_description(path) for path in whole)
    assert export("pig", f"{folder}/", params={"target": 7}).already == len(whole)
    assert rows_of(folder) == accidents.rows


def test_two_processes_share_the_work(accidents: Accidents) -> None:
    told: list[dict[str, Any]] = [json.loads(out) for _, out, _ in accidents.ended["together"]]
    assert [(made["files"], made["rows"]) for made in told] == [(N_LEVELS, len(accidents.rows))] * 2
    assert sum(made["files"] - made["already"] for made in told) == N_LEVELS  # each was written once
    assert names(accidents.folder / "together") == levels(*range(N_LEVELS))
    assert rows_of(accidents.folder / "together") == accidents.rows


@pytest.mark.parametrize("name", ["one.parquet", "one.csv"])
def test_two_processes_of_one_number_write_one_after_the_other(name: str, accidents: Accidents) -> None:
    right = [
        content(export("pig", accidents.folder / f"{part}.{name}", params={"target": 7}, state={part: 4}).path)
        for part in ("mine", "theirs")
    ]
    both = accidents.ended[name]
    waited = f"rollwise: another export is writing {name}; waiting for it (Ctrl-C to stop)\n"
    assert sorted((code, err) for code, _, err in both) == [(0, ""), (0, waited)]
    assert content(accidents.folder / name) in right
    assert not [one for one in names(accidents.folder) if one.startswith(f".{name}.")]
