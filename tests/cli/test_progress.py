"""The progress bar: nothing for a second, then what matters first, on a line of sixty columns."""

from __future__ import annotations

import io
import sys
import time

import pytest

from rollwise import progress
from rollwise.progress import COMPILING, Progress
from rollwise.solver.turn import compiling


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def sixty_columns(monkeypatch: pytest.MonkeyPatch, patience: float = 0.0) -> Terminal:
    """Standard error is a terminal (pytest puts its own there before each phase of a test, so no fixture can)."""
    made = Terminal()
    monkeypatch.setattr(sys, "stderr", made)
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setattr(progress, "PATIENCE", patience)
    monkeypatch.setattr(progress, "EVERY", 0.01)
    return made


def lines(terminal: Terminal) -> list[str]:
    return [line for line in terminal.getvalue().split("\r") if line.strip()]


def wait_for(terminal: Terminal, word: str) -> None:
    for _ in range(500):
        if any(word in line for line in lines(terminal)):
            return
        time.sleep(0.01)
    pytest.fail(f"{word!r} is never shown: {lines(terminal)[-3:]}")


def test_percentage_and_time_come_first_and_a_long_name_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = sixty_columns(monkeypatch)
    with Progress("cops-and-robbers(six=bonus_only, start=3)") as bar:
        bar.share(0.42)
        wait_for(terminal, " 42 % ")
        bar.share(0.2)
        bar.share(0.5)
        wait_for(terminal, " 50 % ")
    shown = lines(terminal)
    assert not any(" 20 % " in line for line in shown)
    assert all(len(line) <= 60 for line in shown)
    assert shown[-1].startswith(" 50 % 00:00<")
    assert "solving cops-and-robbers(" in shown[-1]


def test_it_moves_although_nothing_is_told_and_says_that_kernels_are_compiled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    terminal = sixty_columns(monkeypatch)
    with Progress("pig(target=100)"):
        wait_for(terminal, "solving pig(target=100)")
        compiling.tell(True)
        wait_for(terminal, COMPILING)
        before = len(lines(terminal))
        compiling.tell(False)
        for _ in range(500):
            if "solving pig" in lines(terminal)[-1]:
                break
            time.sleep(0.01)
        assert "solving pig" in lines(terminal)[-1]
        assert len(lines(terminal)) > before
    assert compiling.LISTENERS == []


def test_short_work_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = sixty_columns(monkeypatch, patience=60.0)
    with Progress("pig(target=100)") as bar:
        bar.share(0.5)
        time.sleep(0.05)
    assert terminal.getvalue() == ""


def test_where_there_is_no_terminal_nothing_is_shown_and_no_thread_runs(capsys: pytest.CaptureFixture[str]) -> None:
    with Progress("pig(target=100)") as bar:
        bar.share(0.5)
        assert bar._drawing is None
    assert capsys.readouterr().err == ""
