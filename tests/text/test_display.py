"""What a screen can show: colour, width, bars and dice, and what stands for them where they cannot be shown."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from rollwise.text import screen as display
from rollwise.text.blocks import Amount, Bar, CellTable, FirstThatFits, Glossary, TableColumn, table_of
from rollwise.text.layout import align_columns, fold_line
from rollwise.text.screen import (
    ESCAPES,
    HEAT,
    INKS,
    Screen,
    bar,
    dice,
    dice_lines,
    has_color,
    has_marks,
    paint,
    paint_heat,
)
from rollwise.text.terminal import render_text
from tests.usual import unlisted

COLOR, PLAIN = Screen(color=True), Screen(marks=False)


class Terminal(io.StringIO):
    """An output somebody looks at, or that a program reads."""

    encoding = "utf-8"
    is_seen = True

    def isatty(self) -> bool:
        return self.is_seen


# --- colour -----------------------------------------------------------------------------------------------------------


def test_colour_is_for_terminals_unless_it_is_unwanted_or_forced() -> None:
    for terminal, environment, color in (
        (True, "TERM=xterm-256color", True),
        (False, "TERM=xterm-256color", False),
        (True, "TERM=dumb", False),
        (True, "", False),
        (True, "TERM=xterm NO_COLOR=1", False),
        (True, "TERM=xterm NO_COLOR=", True),
        (True, "TERM=xterm CLICOLOR=0", False),
        (False, "FORCE_COLOR=1", True),
        (False, "FORCE_COLOR=0", False),
        (False, "CLICOLOR_FORCE=1 TERM=dumb", True),
        (True, "TERM=xterm NO_COLOR=1 FORCE_COLOR=1", False),
    ):
        output = Terminal()
        output.is_seen = terminal
        assert has_color(output, dict(pair.split("=") for pair in environment.split())) is color, environment


def test_paint_adds_no_letter_and_without_colour_nothing_at_all() -> None:
    assert [paint("a", ink, Screen()) for ink in INKS] + [paint_heat("a", 0.5, Screen())] == ["a"] * (len(INKS) + 1)
    for painted in [paint("42 %", ink, COLOR) for ink in INKS] + [
        paint_heat("42 %", share, COLOR) for share in (-1, 0, 1)
    ]:
        assert painted != "42 %"
        assert painted.endswith("\x1b[0m")
        padded = (painted, display.ljust(painted, 9), display.rjust(painted, 9))
        assert [display.visible_len(text) for text in padded] == [4, 9, 9]


def brightness(color: int) -> float:
    """Relative luminance of one of the 256 colours, as the guidelines for web content define it."""
    if color >= 232:
        levels = [8 + 10 * (color - 232)] * 3
    else:
        steps = [(color - 16) // 36, (color - 16) // 6 % 6, (color - 16) % 6]
        levels = [0 if step == 0 else 55 + 40 * step for step in steps]
    linear = [(v / 255) / 12.92 if v <= 10 else ((v / 255 + 0.055) / 1.055) ** 2.4 for v in levels]
    return sum(part * weight for part, weight in zip(linear, (0.2126, 0.7152, 0.0722), strict=True))


def test_every_ink_reads_on_its_ground() -> None:
    on_black_and_white = [int(code.rpartition(";")[2]) for code in INKS.values() if ";" in code]
    pairs = [(ink, ground, 3.5) for ink in on_black_and_white for ground in (16, 231)]
    pairs += [(ink, ground, 4.5) for ground, ink in (map(int, re.findall(r"8;5;(\d+)", step)) for step in HEAT)]
    for ink, ground, least in pairs:
        low, high = sorted([brightness(ink), brightness(ground)])
        assert (high + 0.05) / (low + 0.05) > least, f"{ink} on {ground}"


# --- what can be written ----------------------------------------------------------------------------------------------


def test_boxes_and_blocks_are_not_for_the_plain_locale_nor_for_what_cannot_write_them() -> None:
    for environment, encoding, marks in (
        ("LANG=en_US.UTF-8", "utf-8", True),
        ("", "utf-8", True),
        ("LANG=C", "utf-8", False),
        ("LANG=C LC_CTYPE=C.UTF-8", "utf-8", False),  # as Python leaves it
        ("LC_CTYPE=C.UTF-8", "utf-8", True),
        ("LC_ALL=POSIX LANG=en_US.UTF-8", "utf-8", False),
        ("LC_ALL=C.UTF-8 LANG=C", "utf-8", True),
        *(("LANG=en_US.UTF-8", encoding, False) for encoding in ("ascii", "latin-1", "no such one", None)),
    ):
        output = Terminal()
        output.encoding = encoding  # type: ignore[assignment]
        assert has_marks(output, dict(pair.split("=") for pair in environment.split())) is marks, environment


def test_python_tells_the_locale_that_was_said() -> None:
    kept = {name: value for name, value in os.environ.items() if name not in ("LC_ALL", "LC_CTYPE", "LANG")}
    script = "from rollwise.text.screen import screen; print(screen().marks)"
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env={**kept, "LANG": "C"})
    assert done.stdout.strip() == "False"


def test_lines_are_as_wide_as_the_terminal_within_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    for columns, wide in {"20": 40, "40": 40, "87": 87, "300": 100}.items():
        monkeypatch.setenv("COLUMNS", columns)
        assert display.screen(Terminal()).width == wide


# --- bars and dice ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("on", [Screen(), PLAIN])
def test_a_bar_grows_with_its_number_and_shows_whatever_is_not_nothing(on: Screen) -> None:
    bars = [bar(share / 200, 20, on) for share in range(201)]
    assert bars[0] == bar(-1.0, 20, on) == ""
    assert all(bars[1:])
    assert [len(each) for each in bars] == sorted(len(each) for each in bars)
    assert bars[-1] == bar(7.0, 20, on) == ("█" if on.marks else "#") * 20
    assert len({bar(share / 40, 5, on) for share in range(41)}) == (41 if on.marks else 6)  # eighths are told apart


@pytest.mark.parametrize("on", [Screen(), PLAIN, Screen(40), Screen(40, marks=False)])
def test_dice_show_their_numbers_within_the_line(on: Screen) -> None:
    lines = dice_lines((1, 2, 3, 4, 5, 6, 6, 6), on)
    assert sorted(re.findall(r"\d", "".join(lines))) == list("12345666")
    assert max(map(len, lines)) <= on.width
    assert on.marks or "".join(lines).isascii()


def test_faces_of_two_digits_keep_apart() -> None:
    assert dice((10, 2), 1) == "10 2"
    assert len({display.visible_len(line) for line in dice_lines((10, 11), Screen())}) == 1
    assert dice_lines((), Screen()) == []


# --- all answers ------------------------------------------------------------------------------------------------------

PIG = "pig -p target=12"
MIND = f"ask {PIG} mine=1 theirs=9 turn=5"
ANSWERS = (  # what is typed, perhaps with lines that are typed then
    "list",
    "rules shut-the-box",
    "cache list",
    "verify drop-dead",
    "odds yahtzee",
    "odds yahtzee chance",
    f"odds {PIG}",
    "odds pig turn=18",
    f"compare {PIG} hold-at-20",
    f"card {PIG}",
    *(f"{MIND} {more}" for more in ("--exact", "--next roll", "--next roll --each", "--next hold", "--why")),
    "ask shut-the-box",
    "ask shut-the-box --next roll",
    "ask dice-roulette",
    "ask drop-dead turn=14 dice=3",
    "ask mexico roll=6,5 rolls_left=2 -p players=3 -p lives=1 --why",
    f"solve {PIG}",
    f"solve {PIG} --plan",
    "forecast shut-the-box --at-most 0 --at-least 20",
    f"quiz {PIG} --seed 1 --look 100 -n 3 < 1 / 2 / ?",
    "play shut-the-box --save box.jsonl < help / 135 / 35 / 2 / 44 / 4 4 4 / undo / quit",
    "review game.txt",
    *(
        pytest.param(words, marks=pytest.mark.thorough)
        for words in (
            "verify ten-thousand",
            "quiz mexico -p players=3 -p lives=1 --seed 7 --look 50 -n 3 < 1 / 2 / ?",
            "quiz shut-the-box --seed 7 --look 150 -n 3 < ? / 1",
        )
    ),
)
LEFT_OUT = {"best", "export", "solve-all", "sweep", "warm"}  # of a file; with seconds, which are others each time
ANSWERS += (*unlisted({words.split()[0] for words in ANSWERS if isinstance(words, str)} | LEFT_OUT),)
DRAWN = ("odds pig", "ask drop-dead", "forecast")  # with bars, however narrow the screen is
INKED = ("--next roll", "--why", "quiz ", "play ", "review ")


@pytest.mark.parametrize("words", ANSWERS)
def test_an_answer_fits_every_screen_and_neither_width_nor_colour_change_a_number(
    words: str, run: Callable[..., tuple[int, str, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("game.txt").write_text("pig target=12\nA: 5 hold\nB: 4 4 hold\nA: 6 hold\nB: 1\nA: 3\n")
    command, _, typed = words.partition(" < ")
    if words == "cache list":  # one that no other process writes into meanwhile, with a compiled turn
        monkeypatch.setenv("ROLLWISE_CACHE", str(tmp_path / "kept"))
        monkeypatch.setattr("rollwise.solutions.turns.MIN_STORED_EDGES", 1)
        monkeypatch.setattr("rollwise.solver.turn.graph.MAX_CACHED_GRAPHS", 0)
        assert run("ask", *PIG.split())[0] == 0

    def said(wide: int, **environment: str) -> str:
        for name, value in {"COLUMNS": str(wide), **environment}.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in typed.split(" / ") if typed)))
        code, out, _ = run(*command.split())
        assert code == 0
        return out

    plain = {wide: said(wide) for wide in (40, 80, 120)}
    for wide, out in plain.items():
        for line in out.splitlines():
            assert len(line) <= wide or " " not in line.strip() or "rollwise " in line, f"{wide}: {line}"
        assert not re.search(r"-0\.0*(?!\d)|\x1b", out)
        told = re.findall(r"\d+\.(\d+)(?!\d*[e./])", re.sub(r"± \S+|/\S+|in \S+ s", "", out))
        assert words.startswith("verify") or max(map(len, told), default=0) <= 4
        assert "█" in out or not words.startswith(DRAWN)
    coloured = said(80, FORCE_COLOR="1")
    assert ("\x1b[" in coloured) is any(part in words for part in INKED)
    bars = " *█*[▏▎▍▌▋▊▉]?$" if "--why" in words else "$"  # beside what is painted
    assert re.sub(bars, "", ESCAPES.sub("", coloured), flags=re.MULTILINE) == plain[80] == said(80, NO_COLOR="1")


def test_a_table_without_room_goes_on_in_further_lines_then_in_further_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    words = align_columns([["pig", "hold as soon as the turn is worth twenty points or wins"]])
    assert words == ["pig  hold as soon as the turn is worth", "     twenty points or wins"]
    head, row = ["name", *(f"column {place}" for place in range(5))], ["one", *(["12.3456 %"] * 5)]
    assert align_columns([head, row], right=range(1, 6)) == [
        *("name   column 0   column 1   column 2", "one   12.3456 %  12.3456 %  12.3456 %", ""),
        *("name   column 3   column 4", "one   12.3456 %  12.3456 %"),
    ]
    assert fold_line("rollwise ask pig " + "mine=3 " * 9) == ["rollwise ask pig " + "mine=3 " * 9]
    assert fold_line("  three " * 9)[1].startswith("    three")


def test_a_column_with_a_rank_is_left_out_where_a_line_is_short_and_so_is_what_it_means() -> None:
    changes = TableColumn("change", [Amount("change", by) for by in (0.25, -0.5)], right=True, rank=1)
    bars = TableColumn("", [Bar(1), Bar(0.5)], rank=2)
    for move, wide in (("keep", 80), ("k" * 30, 40)):
        table = table_of([TableColumn("move", [move, "roll"]), changes, bars])
        text = "\n".join(render_text([table, Glossary([("change", "by")], {"change": "change"})], Screen(wide)))
        assert ("+25.00 pp" in text) == ("change: by" in text) == ("█" in text) == (wide == 80)


def test_of_several_ways_to_lay_out_a_table_the_first_that_fits_is_taken_else_the_last() -> None:
    ways = [[CellTable([["x" * wide]])] for wide in (90, 50, 45)]
    assert [len(render_text([FirstThatFits(ways)], Screen(wide))[0]) for wide in (80, 60, 48, 40)] == [50, 50, 45, 45]


def test_a_cell_that_goes_on_below_has_its_colour_in_every_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    heads = ["expected turns to go", "another head of many words", "one more of them"]
    plain, inked = (align_columns([[paint(head, "strong", on) for head in heads]] * 2) for on in (PLAIN, COLOR))
    assert [ESCAPES.sub("", line) for line in inked] == plain
    assert len(plain) > 2
    assert all(line.count("\x1b[1m") == line.count("\x1b[0m") == len(re.split(" {2,}", line.strip())) for line in inked)
