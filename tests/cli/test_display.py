"""What a screen can show: colour, width, bars and dice, and what stands for them where they cannot be shown."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from rollwise import display
from rollwise.display import HEAT, INKS, Screen, bar, dice, dice_lines, has_color, has_marks, heat, length, paint, span
from rollwise.text import columns, folded

COLOR = Screen(color=True)
PLAIN = Screen(marks=False)


class Terminal(io.StringIO):
    """An output somebody looks at."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


class Pipe(Terminal):
    """An output that a program reads."""

    def isatty(self) -> bool:
        return False


# --- colour -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("terminal", "environment", "color"),
    [
        (True, {"TERM": "xterm-256color"}, True),
        (False, {"TERM": "xterm-256color"}, False),
        (True, {"TERM": "dumb"}, False),
        (True, {}, False),
        (True, {"TERM": "xterm", "NO_COLOR": "1"}, False),
        (True, {"TERM": "xterm", "NO_COLOR": ""}, True),
        (True, {"TERM": "xterm", "CLICOLOR": "0"}, False),
        (False, {"FORCE_COLOR": "1"}, True),
        (False, {"FORCE_COLOR": "0"}, False),
        (False, {"CLICOLOR_FORCE": "1", "TERM": "dumb"}, True),
        (True, {"TERM": "xterm", "NO_COLOR": "1", "FORCE_COLOR": "1"}, False),
    ],
)
def test_colour_is_for_terminals_unless_it_is_unwanted_or_forced(
    terminal: bool, environment: dict[str, str], color: bool
) -> None:
    assert has_color(Terminal() if terminal else Pipe(), environment) is color


def test_without_colour_nothing_is_added() -> None:
    assert [paint("a", ink, Screen()) for ink in INKS] == ["a"] * len(INKS)
    assert heat("a", 0.5, Screen()) == "a"


def test_what_is_painted_is_as_long_as_before() -> None:
    for painted in [paint("42 %", ink, COLOR) for ink in INKS] + [heat("42 %", share, COLOR) for share in (-1, 0, 1)]:
        assert painted != "42 %"
        assert length(painted) == 4
        assert painted.endswith("\x1b[0m")
        assert length(display.ljust(painted, 9)) == length(display.rjust(painted, 9)) == 9


def brightness(color: int) -> float:
    """Relative luminance of one of the 256 colours, as the guidelines for web content define it."""
    if color >= 232:
        levels = [8 + 10 * (color - 232)] * 3
    else:
        steps = [(color - 16) // 36, (color - 16) // 6 % 6, (color - 16) % 6]
        levels = [0 if step == 0 else 55 + 40 * step for step in steps]
    linear = [(v / 255) / 12.92 if v <= 10 else ((v / 255 + 0.055) / 1.055) ** 2.4 for v in levels]
    return sum(part * weight for part, weight in zip(linear, (0.2126, 0.7152, 0.0722), strict=True))


def contrast(one: float, other: float) -> float:
    """From 1 to 21."""
    return (max(one, other) + 0.05) / (min(one, other) + 0.05)


@pytest.mark.parametrize("ink", [code for code in INKS.values() if ";" in code])
def test_every_ink_reads_on_black_and_on_white(ink: str) -> None:
    own = brightness(int(ink.rpartition(";")[2]))
    assert contrast(own, 0) > 3.5
    assert contrast(own, 1) > 3.5


@pytest.mark.parametrize("step", HEAT)
def test_every_ground_brings_the_ink_that_reads_on_it(step: str) -> None:
    ground, ink = map(int, re.findall(r"[34]8;5;(\d+)", step))
    assert contrast(brightness(ground), brightness(ink)) > 4.5


# --- what can be written ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("environment", "marks"),
    [
        ({"LANG": "en_US.UTF-8"}, True),
        ({}, True),
        ({"LANG": "C"}, False),
        ({"LANG": "C", "LC_CTYPE": "C.UTF-8"}, False),  # as Python leaves it
        ({"LC_CTYPE": "C.UTF-8"}, True),
        ({"LC_ALL": "POSIX", "LANG": "en_US.UTF-8"}, False),
        ({"LC_ALL": "C.UTF-8", "LANG": "C"}, True),
    ],
)
def test_boxes_and_blocks_are_not_for_the_plain_locale(environment: dict[str, str], marks: bool) -> None:
    assert has_marks(Terminal(), environment) is marks


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "no such one", None])
def test_nor_for_an_output_that_cannot_write_them(encoding: str | None) -> None:
    output = Terminal()
    output.encoding = encoding  # type: ignore[assignment]
    assert not has_marks(output, {"LANG": "en_US.UTF-8"})


@pytest.mark.parametrize("language", ["C", "C.UTF-8"])
def test_python_tells_the_locale_that_was_said(language: str) -> None:
    kept = {name: value for name, value in os.environ.items() if name not in ("LC_ALL", "LC_CTYPE", "LANG")}
    script = "from rollwise.display import screen; print(screen().marks)"
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env={**kept, "LANG": language})
    assert done.stdout.strip() == str(language != "C")


@pytest.mark.parametrize(("columns", "wide"), [("20", 40), ("40", 40), ("87", 87), ("300", 100)])
def test_lines_are_as_wide_as_the_terminal_within_limits(
    columns: str, wide: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    assert display.screen(Pipe()).width == wide


# --- bars -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("on", [Screen(), PLAIN])
def test_a_bar_grows_with_its_number_and_shows_whatever_is_not_nothing(on: Screen) -> None:
    bars = [bar(share / 200, 20, on) for share in range(201)]
    assert bars[0] == ""
    assert all(bars[1:])
    assert [len(each) for each in bars] == sorted(len(each) for each in bars)
    assert bars[-1] == bar(7.0, 20, on) == ("█" if on.marks else "#") * 20
    assert bar(-1.0, 20, on) == ""


def test_eighths_are_told_apart() -> None:
    assert len({bar(share / 40, 5, Screen()) for share in range(41)}) == 41


@pytest.mark.parametrize("on", [Screen(), PLAIN])
def test_a_span_has_its_mean_between_its_ends(on: Screen) -> None:
    drawn = span(0.2, 0.6, 0.9, 11, on)
    assert [drawn.index(mark) for mark in ("├●┤" if on.marks else "|o")] == ([2, 6, 9] if on.marks else [2, 6])
    assert len(drawn) == 10
    assert len(span(0.0, 1.0, 1.0, 11, on)) == 11
    assert span(0.5, 0.5, 0.5, 11, on).strip() in ("●", "o")


# --- dice -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("on", [Screen(), PLAIN, Screen(40), Screen(40, marks=False)])
def test_as_many_points_are_drawn_as_the_die_shows(on: Screen) -> None:
    for face in range(1, 7):
        assert sum(line.count("●" if on.marks else "o") for line in dice_lines((face,), on, pips=True)) == face
    lines = dice_lines((1, 2, 3, 4, 5, 6, 6, 6), on)
    assert sorted(re.findall(r"\d", "".join(lines))) == list("12345666")
    assert max(map(len, lines)) <= on.width


def test_plain_dice_are_plain_letters() -> None:
    assert "".join(dice_lines((1, 2, 3, 4, 5, 6), PLAIN, held={0}) + dice_lines((6,), PLAIN, pips=True)).isascii()


def test_dice_that_are_kept_are_marked() -> None:
    lines = dice_lines((1, 3, 3), Screen(), held={1, 2})
    assert len(lines) == 4
    assert [found.start() // len("╭───╮ ") for found in re.finditer("kept", lines[-1])] == [1, 2]


def test_a_face_of_two_digits_keeps_dice_apart() -> None:
    assert dice((10, 2), 1) == "10 2"
    assert len({length(line) for line in dice_lines((10, 11), Screen())}) == 1


def test_no_dice_are_no_lines() -> None:
    assert (dice(()), dice_lines((), Screen())) == ("", [])


@pytest.mark.parametrize("words", ["odds pig turn=18", "ask drop-dead turn=14 dice=3", "forecast shut-the-box"])
def test_bars_leave_a_narrow_line_its_numbers(
    words: str, run: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    _, out, _ = run(*words.split())
    drawn = [line for line in out.splitlines() if "█" in line]
    assert drawn
    assert max(map(len, drawn)) <= 40


# --- all answers ------------------------------------------------------------------------------------------------------

PIG = "pig -p target=12"
ANSWERS = (
    "list",
    "rules shut-the-box",
    "cache list",
    "verify ten-thousand",
    "odds yahtzee",
    "odds yahtzee chance",
    f"odds {PIG}",
    f"compare {PIG} hold-at-20",
    f"card {PIG}",
    f"ask {PIG} mine=1 theirs=9 turn=5 --exact",
    f"ask {PIG} mine=1 theirs=9 turn=5 --next roll",
    f"ask {PIG} mine=1 theirs=9 turn=5 --why",
    "ask shut-the-box",
    "ask dice-roulette",
    f"solve {PIG}",
    f"solve {PIG} --plan",
    "forecast shut-the-box --at-most 0 --at-least 20",
    f"quiz {PIG} --seed 1 --look 100 -n 3",
)


@pytest.mark.parametrize("words", ANSWERS)
def test_no_answer_is_wider_than_the_screen_and_its_numbers_have_as_many_digits(
    words: str, run: Callable[..., tuple[int, str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO())
    for wide in (40, 50, 80, 120):
        monkeypatch.setenv("COLUMNS", str(wide))
        code, out, _ = run(*words.split())
        assert code == 0
        for line in out.splitlines():
            assert len(line) <= wide or " " not in line.strip(), f"{wide}: {line}"
        assert not re.search(r"-0\.0*(?!\d)", out)
        told = re.findall(r"\d+\.(\d+)(?!\d*[e./])", re.sub(r"± \S+|/\S+|in \S+ s", "", out))
        assert words.startswith("verify") or max(map(len, told), default=0) <= 4


def test_a_table_without_room_goes_on_in_further_lines_then_in_further_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    words = columns([["pig", "hold as soon as the turn is worth twenty points or wins"]])
    assert words == ["pig  hold as soon as the turn is worth", "     twenty points or wins"]
    head, row = ["name", *(f"column {place}" for place in range(5))], ["one", *(["12.3456 %"] * 5)]
    assert columns([head, row], right=range(1, 6)) == [
        *("name   column 0   column 1   column 2", "one   12.3456 %  12.3456 %  12.3456 %", ""),
        *("name   column 3   column 4", "one   12.3456 %  12.3456 %"),
    ]
    assert folded("rollwise ask pig " + "mine=3 " * 9) == ["rollwise ask pig " + "mine=3 " * 9]
    assert folded("  three " * 9)[1].startswith("    three")
