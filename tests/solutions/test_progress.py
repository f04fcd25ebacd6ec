"""The progress bar: nothing for a second, then what matters first, on a line of sixty columns."""

from __future__ import annotations

import io
import re
import sys
import time

import pytest

from rollwise.solutions import progress
from rollwise.solutions.progress import COMPILING, PaceEstimate, Progress
from rollwise.solver.turn.kernel_compiles import KERNEL_COMPILES


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def sixty_columns(monkeypatch: pytest.MonkeyPatch, patience: float = 0.0) -> Terminal:
    """Standard error is a terminal (pytest puts its own there before each phase of a test, so no fixture can)."""
    made = Terminal()
    monkeypatch.setattr(sys, "stderr", made)
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setattr(progress, "BAR_DELAY_S", patience)
    monkeypatch.setattr(progress, "REFRESH_S", 0.01)
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
    assert re.match(r" 50 % 00:\d\d about [^,]* left, solv\w*\.\.\. ", shown[-1])  # the time is that of this machine


def test_it_moves_though_nothing_is_told_and_says_that_kernels_are_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = sixty_columns(monkeypatch)
    with Progress("pig(target=100)"):
        wait_for(terminal, "solving pig(target=100)")
        KERNEL_COMPILES.notify(True)
        wait_for(terminal, COMPILING)
        KERNEL_COMPILES.notify(False)
        terminal.truncate(0)
        wait_for(terminal, "solving pig")


@pytest.mark.parametrize(("planned", "taken"), [(100, 370), (96, 770), (14, 139), (100, 40)])
def test_what_was_planned_is_told_first_and_corrected_by_what_is_measured(planned: float, taken: float) -> None:
    """Sixzee, Busted and Killer on a busy machine, and one that has more than was thought."""
    now = 1000.0
    pace = PaceEstimate(planned, lambda: now)
    assert pace.seconds_left == planned
    wrong = []
    for per_cent in range(101):
        now = 1000.0 + 2 + taken * per_cent / 100  # a moment passes before the first share
        pace.share(per_cent / 100)
        truth = taken * (1 - per_cent / 100)
        wrong.append(abs((pace.seconds_left or 0.0) - truth) / taken)
    assert wrong == sorted(wrong, reverse=True)  # never further off than before
    assert wrong[10] < 0.35
    assert wrong[50] < 0.07
    assert wrong[100] == 0
    pace.share(0.5)
    now += 10 * taken
    assert pace.seconds_left == 10 * taken  # it stands still: as long again


def test_what_an_earlier_run_has_done_was_not_measured() -> None:
    now = 0.0
    pace = PaceEstimate(100, lambda: now)
    for share, now in ((0.6, 1.0), (0.7, 11.0), (0.8, 21.0)):  # noqa: B007  the clock reads it
        pace.share(share)
    assert pace.seconds_left == pytest.approx(20)
    without = PaceEstimate(clock=lambda: now)
    assert without.seconds_left is None
    without.share(0.0)
    assert without.seconds_left is None
    now = 31.0
    without.share(0.25)
    assert without.seconds_left == pytest.approx(30)


def test_the_bar_tells_the_time_that_was_planned_until_it_knows_better(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = sixty_columns(monkeypatch)
    with Progress("pig(target=100)", planned=lambda: 130.0):
        wait_for(terminal, "  0 % 00:00 about 2 minutes left, solv")


def test_short_work_shows_nothing_nor_any_where_there_is_no_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with Progress("pig(target=100)") as bar:
        bar.share(0.5)
        assert bar._drawing is None  # no thread runs
    assert capsys.readouterr().err == ""
    terminal = sixty_columns(monkeypatch, patience=60.0)
    with Progress("pig(target=100)") as bar:
        bar.share(0.5)
        time.sleep(0.05)
    assert terminal.getvalue() == ""
