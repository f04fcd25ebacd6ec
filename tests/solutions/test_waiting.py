"""Whoever waits for another process hears for whom, since when, and how to go on without."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from rollwise.cache.store import EntryBusy, Store
from rollwise.solutions import entry_lock, notes

KEY = Store(Path()).key("pig", {})


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path)


@pytest.mark.parametrize("other", ["thread", "process"])
def test_after_a_minute_it_is_told_who_holds_the_lock_and_told_again(
    other: str, store: Store, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if other == "process":  # the thread of this test stands for one
        monkeypatch.setattr(Store, "is_locked_here", lambda self, key: False)
    for name, seconds in (("FIRST_NOTE_S", 0.01), ("SECOND_NOTE_S", 0.02), ("NEXT_NOTES_S", 0.03)):
        monkeypatch.setattr(entry_lock, name, seconds)
    told, note = list[str](), notes.note
    stopped, over = threading.Event(), threading.Event()

    def hear(text: str) -> None:
        note(text)
        told.append(text)
        if len(told) == 3:
            over.set()

    def hold() -> None:
        with store.lock(KEY, has_note=True):
            stopped.set()
            over.wait(20)

    monkeypatch.setattr(entry_lock, "note", hear)
    holder = threading.Thread(target=hold)
    holder.start()
    stopped.wait(20)
    store.checkpoint(KEY).save({}, {}, about={"done": 0.6})
    with entry_lock.locking(store, KEY, lambda: 600.0):
        assert json.loads((store.root / "locks" / f"{KEY}.held").read_text())["pid"] == os.getpid()
    holder.join()
    far = " (60 % is done, about 4 minutes left)"
    assert told[0] == f"another {other} is solving this game{far}; waiting for it (Ctrl-C to stop)"
    still = re.escape(f"still waiting for {KEY}{far}: ")
    who = rf"process {os.getpid()} on {re.escape(socket.gethostname())}, since \d{{4}}-\d\d-\d\d \d\d:\d\d:\d\d"
    who = "another thread" if other == "thread" else who
    for line in told[1:]:
        assert re.fullmatch(rf"{still}{who} holds its lock; with ROLLWISE_CACHE=\S+ before it the same .*", line)
    assert capsys.readouterr().err.count("\n") == len(told)
    assert sorted(os.listdir(store.root / "locks")) == [f"{KEY}.lock"]


@pytest.mark.parametrize(
    "note", ["", "[]", '{"pid": "\\u001b[2J"}', '{"pid": 1e999}', '{"pid": 1, "since": 1e300}', None]
)
def test_a_note_of_another_form_tells_nothing(note: str | None, store: Store) -> None:
    with store.lock(KEY):
        place = store.root / "locks" / f"{KEY}.held"
        os.mkfifo(place) if note is None else place.write_text(note)
        assert store.holder(KEY) == "another process"
        with pytest.raises(EntryBusy), store.lock(KEY, timeout=0):
            pass  # who asked for a time hears that it is over
    with store.lock(KEY, has_note=True):
        assert store.holder(KEY).startswith(f"process {os.getpid()} on ")
        left = place.read_text()
    place.write_text(left)  # a holder was killed
    assert store.holder(KEY).startswith("process ")
    with store.lock(KEY):
        assert store.holder(KEY) == "another process"


def test_a_program_is_told_nothing_unless_it_listens() -> None:
    said = "from rollwise.solutions.notes import note; note('one'); import logging; logging.basicConfig(); note('two')"
    told = subprocess.run([sys.executable, "-c", said], capture_output=True, text=True, check=True)
    assert (told.stdout, told.stderr) == ("", "WARNING:rollwise.notes:two\n")
