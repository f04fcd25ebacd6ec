"""``play``: how a game ends and is kept. Whole games, and all that is said to them, are texts in ``transcripts/``."""

from __future__ import annotations

import io
import json
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from rollwise import Match
from rollwise.match import record_files

Said = Callable[..., str]
PIG = "play pig -p target=30 --seed 4"
OVER = "play shut-the-box open=1,9"  # two sixes end it
HEARING = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # all is heard, even where the tests do not hear it
signal.signal(signal.SIGHUP, signal.SIG_DFL)
from rollwise.cli import main
main()
"""


@pytest.fixture
def play_typed(said: Said, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Said:
    """Play in a folder of one's own, lines in a pipe: ``play_typed("roll / hold", PIG, "You have seat")``."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")

    def play_typed(typed: str, command: str, *parts: str) -> str:
        monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in typed.split(" / ") if typed)))
        return said(command, *parts)

    return play_typed


@contextmanager
def playing(typed: str, until: str, *words: str) -> Iterator[subprocess.Popen[str]]:
    """A process in which a line was typed and the answer was read."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", HEARING, *words], text=True, bufsize=1, **pipes) as process:  # type: ignore[call-overload]
        process.stdin.write(f"{typed}\n")
        process.stdin.flush()
        while until not in process.stdout.readline():
            pass
        yield process


def test_dice_are_thrown_for_whoever_says_so_and_a_record_has_a_name_of_its_own(play_typed: Said) -> None:
    for name in ("pig-1.jsonl", "pig-2.jsonl"):
        play_typed("throw", "play pig -p target=30", f"rollwise play --resume {name}")
        assert len(Match.load(Path(name)).record()[2]["thrown"]) == 1


# --- how it ends ------------------------------------------------------------------------------------------------------


def test_who_is_left_over_at_slam_has_lost(play_typed: Said) -> None:
    play_typed("", "play slam --seats none --dice --seed 1", "\nSeat 0 lost.\n")


def test_the_end_of_the_input_keeps_the_game_and_it_goes_on_as_if_it_had_not_ended(
    play_typed: Said, tmp_path: Path
) -> None:
    whole = play_typed("roll / hold / roll / roll / hold", PIG)
    (tmp_path / "pig-1.jsonl").rename(tmp_path / "whole.jsonl")
    last = play_typed("roll / hold", PIG).splitlines()[-1]
    assert last == "  rollwise play --resume pig-1.jsonl --dice"
    rest = play_typed("roll / roll / hold", last.strip().removeprefix("rollwise "))
    assert rest.splitlines()[-3:] == whole.splitlines()[-3:]
    assert (tmp_path / "pig-1.jsonl").read_text() == (tmp_path / "whole.jsonl").read_text()


@pytest.mark.parametrize(
    "name", ["SIGINT", *(pytest.param(name, marks=pytest.mark.thorough) for name in ("SIGTERM", "SIGHUP"))]
)
def test_ctrl_c_and_a_closed_terminal_keep_the_game_and_it_is_said_how_to_go_on(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with playing("roll", "roll: the best", *shlex.split(PIG), "--save", "mine.jsonl") as process:
        process.send_signal(getattr(signal, name))
        rest = process.stdout.read() if process.stdout else ""
        assert process.wait() == 1
    assert rest.endswith("The game is kept; go on with:\n  rollwise play --resume mine.jsonl --dice\n")
    assert Match.load("mine.jsonl").record()[1]["choice"] == "roll"


def test_where_no_file_can_be_the_game_goes_among_temporary_ones_or_is_shown(
    play_typed: Said, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    free, barred = record_files._create_free_file, [Path()]

    def free_name(folder: Path, game: str) -> Path:
        if folder in barred:
            raise PermissionError(13, "Permission denied")
        return free(folder, game)

    monkeypatch.setattr(record_files, "_create_free_file", free_name)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    (kept,) = re.findall(r"--resume (\S+) --dice", play_typed("roll / quit", PIG))
    record = Match.load(kept).record()
    assert Path(kept).parent == tmp_path / "temporary"
    barred.append(tmp_path / "temporary")
    shown = play_typed("roll / quit", PIG, "cannot be kept here", "This is its record, for a file:")
    assert [json.loads(line) for line in shown.splitlines() if line.startswith('{"')] == record


def test_a_game_that_was_not_begun_leaves_no_file(play_typed: Said, tmp_path: Path) -> None:
    play_typed("help / quit", "play shut-the-box roll=35")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("typed", "more", "file"),
    [
        ("66", " --save box.jsonl", "box.jsonl"),
        ("66", "", "shut-the-box-1.jsonl"),
        ("66 / quit", "", "shut-the-box-1.jsonl"),
    ],
)
def test_a_game_that_is_over_is_kept_whatever_ends_it(typed: str, more: str, file: str, play_typed: Said) -> None:
    assert play_typed(typed, OVER + more).endswith(f"rollwise review {file}\n")
    assert Match.load(file).result == [10]


def test_a_game_that_is_over_is_kept_where_nobody_can_hear_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with playing("66", "quit keeps", *OVER.split()) as process:
        assert process.stdout
        process.stdout.close()
        process.send_signal(signal.SIGHUP)
    assert Match.load("shut-the-box-1.jsonl").result == [10]


def test_two_that_save_to_one_file_do_no_harm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Match("pig", params={"target": 20}).outcomes("roll")  # solved before, so that neither waits for the other
    words = [sys.executable, "-c", SAVING]
    both = [subprocess.Popen([*words, str(seed)], stderr=subprocess.PIPE, text=True) for seed in (1, 2)]
    for each in both:
        _, complaint = each.communicate()
        assert (each.returncode, complaint) == (0, "")
    lines = Path("one.jsonl").read_text().splitlines()
    assert Match.load("one.jsonl").record() == [json.loads(line) for line in lines]
    assert [path.name for path in Path().iterdir()] == ["one.jsonl"]


SAVING = """
import sys
from rollwise import Match
match = Match("pig", params={"target": 20}, seed=int(sys.argv[1]))
for _ in range(20):
    match.play("roll")
    match.throw(1)
    match.save("one.jsonl")
    Match.load("one.jsonl")
"""
