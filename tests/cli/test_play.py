"""``play``: how a game ends and is kept, who plays, and what is typed between the moves.

Whole games, and all that is said to them, are texts in ``transcripts/``.
"""

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
from rollwise.games.registry import game
from rollwise.solver.game.model import TurnGame

Said = Callable[..., str]
PIG = "play pig -p target=30 --seed 4"
BOX = "play shut-the-box open=1,2,3,4,9"
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


# --- how it ends ------------------------------------------------------------------------------------------------------


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


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
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
    Match("pig", {"target": 20}).outcomes("roll")  # solved before, so that neither waits for the other
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
match = Match("pig", {"target": 20}, seed=int(sys.argv[1]))
for _ in range(20):
    match.play("roll")
    match.throw(1)
    match.save("one.jsonl")
    Match.load("one.jsonl")
"""


# --- who plays --------------------------------------------------------------------------------------------------------


def test_the_others_play_the_best_move(play_typed: Said) -> None:
    play_typed("save all.jsonl", f"{PIG} --seats none", "You look on; the best player has seats 0 and 1.")
    choices = [line for line in Match.load("all.jsonl").record() if "choice" in line]
    assert choices
    assert all(line["choice"] == line["best"][0] for line in choices)


def test_several_may_type(play_typed: Said) -> None:
    typed = "64 / stop / 63 / throw / throw / throw / 62 / stop"
    parts = ("You have seats 0 and 2; the best player has seat 1.", "Seat 0, dice> 64", "Seat 2: lives=1,1,1")
    play_typed(typed, "play mexico -p players=3 -p lives=1 --seats 0,2", *parts)


# --- between the moves ------------------------------------------------------------------------------------------------


def test_every_move_is_listed_where_all_are_wanted(play_typed: Said) -> None:
    one, every = play_typed("13 / ? 1 / q", BOX, "more, down to", "? all lists them all"), play_typed("13 / ? all", BOX)
    assert "--top" not in one
    assert "more, down to" not in every
    play_typed("13 / ? x / q", BOX, "say a number of moves, as ? 3, got 'x'")


def test_odds_go_on_to_the_throw_where_a_move_is_followed_by_one(play_typed: Said) -> None:
    told = play_typed(
        "13 / odds shut 4 / odds", BOX, "\nshut 4; then:\n", "What two dice lead to", "say of which move:"
    )
    assert "odds shut 1 3, shut 4" in told
    assert "One outcome, for certain" not in told


def test_what_is_not_wanted_now_says_what_is(play_typed: Said) -> None:
    told = " ".join(play_typed("stop / 13 / throw / 15 / shut 4 / hold / q", BOX).split())
    assert "> stop a throw is wanted now: type what is rolled, such as 1 3 5 or 135; throw lets the program" in told
    assert "> throw a move is wanted now, numbered from 1 to 2, got throw" in told
    assert "> 15 a move is wanted now, numbered from 1 to 2, got 15" in told
    assert "throw lets the program roll, undo takes 'roll' back" in told


def test_several_moves_are_taken_back_at_once_or_none(play_typed: Said) -> None:
    typed = "13 / shut 4 / 12 / shut 3"
    assert play_typed(f"{typed} / undo 2", BOX).count("open=1,2,3,4,9 roll=1,3") == 2
    told = play_typed(f"{typed} / undo 3 / undo", BOX, "there is no move of yours to take back")
    assert told.count("open=1,2,3,9 roll=1,2") == 2
    play_typed(f"{typed} / undo x", BOX, "say a number of moves, as undo 3, got 'x'")


def test_a_sheet_tells_what_each_box_would_give_and_what_it_holds(
    play_typed: Said, play: Callable[[TurnGame], str]
) -> None:
    name = play(game("yahtzee", {"boxes": "ones,twos,chance"}))  # type: ignore[arg-type]
    told = play_typed("11244 / keep 1 1 / 134 / keep 1 1 1 / 35 / q", f"play {name}", "0 points so far")
    last = told[told.rindex("rolls_left=0") :]
    assert dict(re.findall(r"score (\w+) \((\d+)\)", last)) == {"ones": "3", "twos": "0", "chance": "11"}
