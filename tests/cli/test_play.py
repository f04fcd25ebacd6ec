"""``play``: games as they are typed, and all that is said to it.

The scenes are texts in ``plays/``: a title, perhaps ``[size ...]`` for a small game of ``tests/sizes.py``, a command,
and then all that is printed, with what was typed after the prompts. ``python tests/cli/test_play.py NAME`` plays one
again and writes it anew.
"""

from __future__ import annotations

import io
import json
import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from rollwise import Match
from rollwise.solver.game.model import TurnGame
from tests.sizes import SIZES

Run = Callable[..., tuple[int, str, str]]
Play = Callable[[TurnGame], str]
PLAYS = Path(__file__).parent / "plays"
PROMPT = re.compile(r"^(?:\S[^>]*, )?(?:dice|over)?> ?(.*)$", re.MULTILINE)
PROVED = re.compile(r"± \S+")


def scene(name: str) -> tuple[str, list[str], list[str], str]:
    """The size, the words of the command, what is typed, and what is printed."""
    head, _, rest = (PLAYS / f"{name}.txt").read_text().partition("\n$ rollwise ")
    command, _, printed = rest.partition("\n")
    size = re.search(r"^\[size (.*)\]$", head, re.MULTILINE)
    return size[1] if size else "", shlex.split(command), PROMPT.findall(printed), printed


def alike(printed: str) -> str:
    """What is printed, but for how closely numbers are proved."""
    return re.sub(r" +", " ", PROVED.sub("±", printed))


def at(run: Run, typed: Sequence[str], *words: str, monkeypatch: pytest.MonkeyPatch) -> tuple[int, str, str]:
    """Run a command with these lines in a pipe."""
    monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in typed)))
    return run(*words)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of one's own, and lines of 60 characters."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.delenv("NO_COLOR", raising=False)
    return tmp_path


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("name", sorted(path.stem for path in PLAYS.glob("*.txt")))
def test_what_is_typed_is_answered_so(name: str, run: Run, play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    size, words, typed, printed = scene(name)
    if size:
        play(next(each.game for each in SIZES if str(each) == size))
    is_whole = typed[-1] == ""  # the input ends there
    code, told, _ = at(run, typed[:-1] if is_whole else typed, *words, monkeypatch=monkeypatch)
    assert code == 0
    assert alike(told) == alike(printed)


def test_six_games_have_a_scene() -> None:
    games = {"piggy-six", "yahtzee", "zilch", "shut-the-box", "bluff", "cops-and-robbers"}
    assert games <= {path.stem for path in PLAYS.glob("*.txt")}


# --- how it ends ------------------------------------------------------------------------------------------------------

PIG = ("play", "pig", "-p", "target=60", "--seed", "4")
HEARING = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # all is heard, even where the tests do not hear it
signal.signal(signal.SIGHUP, signal.SIG_DFL)
from rollwise.cli import main
main()
"""


def test_the_end_of_the_input_keeps_the_game_and_a_new_process_goes_on(
    run: Run, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code, whole, _ = at(run, ["roll", "hold", "roll", "roll", "hold"], *PIG, monkeypatch=monkeypatch)
    assert code == 0
    (here / "pig-1.jsonl").rename(here / "whole.jsonl")
    code, told, _ = at(run, ["roll", "hold"], *PIG, monkeypatch=monkeypatch)
    assert (code, told.splitlines()[-1]) == (0, "  rollwise play --resume pig-1.jsonl --dice")
    words = shlex.split(told.splitlines()[-1])[1:]
    done = subprocess.run(
        [sys.executable, "-m", "rollwise", *words],
        input="roll\nroll\nhold\n",
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert (here / "pig-1.jsonl").read_text() == (here / "whole.jsonl").read_text()
    assert done.stdout.splitlines()[-3:] == whole.splitlines()[-3:]


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_ctrl_c_and_a_closed_terminal_keep_the_game_and_it_is_said_how_to_go_on(here: Path, name: str) -> None:
    words = [sys.executable, "-c", HEARING, *PIG, "--save", "mine.jsonl"]
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, bufsize=1
    ) as playing:
        assert playing.stdin is not None
        assert playing.stdout is not None
        playing.stdin.write("roll\n")
        playing.stdin.flush()
        told = ""
        while "roll: the best" not in told:
            told += playing.stdout.readline()
        playing.send_signal(getattr(signal, name))
        rest = playing.stdout.read()
        assert playing.wait() == 1
    assert rest.endswith("The game is kept; go on with:\n  rollwise play --resume mine.jsonl --dice\n")
    assert Match.load(here / "mine.jsonl").record()[1]["choice"] == "roll"


def test_a_game_that_was_not_begun_leaves_no_file(run: Run, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code, _, _ = at(run, ["help", "quit"], "play", "shut-the-box", "roll=35", monkeypatch=monkeypatch)
    assert (code, list(here.iterdir())) == (0, [])


def test_a_game_that_is_over_is_in_the_file_that_was_named(
    run: Run, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("play", "shut-the-box", "open=1,9", "--save", "box.jsonl")
    code, told, _ = at(run, ["66"], *words, monkeypatch=monkeypatch)
    assert code == 0
    assert "rollwise review box.jsonl" in told
    assert Match.load(here / "box.jsonl").result == [10]


@pytest.mark.parametrize("last", ["quit", ""])
def test_a_game_that_is_over_is_kept_whatever_ends_it(
    last: str, run: Run, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    typed = ["66", *([last] if last else [])]
    code, told, _ = at(run, typed, "play", "shut-the-box", "open=1,9", monkeypatch=monkeypatch)
    assert code == 0
    assert told.endswith("rollwise review shut-the-box-1.jsonl\n")
    assert Match.load(here / "shut-the-box-1.jsonl").result == [10]


def test_a_game_that_is_over_is_kept_where_nobody_can_hear_it(here: Path) -> None:
    words = [sys.executable, "-c", HEARING, "play", "shut-the-box", "open=1,9"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1) as playing:
        assert playing.stdin is not None
        assert playing.stdout is not None
        playing.stdin.write("66\n")
        playing.stdin.flush()
        told = ""
        while "quit keeps" not in told:
            told += playing.stdout.readline()
        playing.stdout.close()
        playing.send_signal(signal.SIGHUP)
    assert Match.load(here / "shut-the-box-1.jsonl").result == [10]


@pytest.mark.usefixtures("here")
def test_two_that_save_to_one_file_do_no_harm() -> None:
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


@pytest.mark.slow  # Piggy Six to 100 takes seconds to solve
def test_the_sample_of_the_readme_is_what_is_printed(run: Run, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    readme = (Path(__file__).parents[2] / "README.md").read_text()
    sample = re.search(r"^\$ printf '(.*)' \| rollwise (play .*)\n((?:.*\n)*?)```$", readme, re.MULTILINE)
    assert sample is not None
    monkeypatch.setenv("COLUMNS", "80")
    typed = sample[1].split("\\n")[:-1]
    code, told, _ = at(run, typed, *shlex.split(sample[2]), monkeypatch=monkeypatch)
    assert (code, alike(told)) == (0, alike(sample[3]))


# --- who plays, and with which dice -----------------------------------------------------------------------------------


@pytest.mark.usefixtures("here")
def test_the_others_play_the_best_move(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    code, told, _ = at(run, ["save all.jsonl"], *PIG, "--seats", "none", monkeypatch=monkeypatch)
    assert code == 0
    assert "You look on; the best player has seats 0 and 1." in told
    choices = [line for line in Match.load("all.jsonl").record() if "choice" in line]
    assert choices
    assert all(line["choice"] == line["best"][0] for line in choices)


@pytest.mark.usefixtures("here")
def test_several_may_type(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ("play", "mexico", "-p", "players=3", "-p", "lives=1", "--seats", "0,2")
    _, told, _ = at(run, ["64", "stop", "63", "throw", "throw", "throw", "62", "stop"], *words, monkeypatch=monkeypatch)
    assert "You have seats 0 and 2; the best player has seat 1." in told
    assert "Seat 0, dice> 64" in told
    assert "Seat 2: lives=1,1,1" in told


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("play",), "say which game, or --resume FILE"),
        (("play", "pig", "--seat", "2"), "seats of pig are 0 to 1, all or none, got 2"),
        (("play", "pig", "--seat", "first"), "seats of pig are 0 to 1, all or none, got first"),
        (("play", "shut-the-box", "--seat", "1"), "shut-the-box is played alone here, by seat 0; got 1"),
        (("play", "pig", "turn=1"), "turn=1 is impossible"),
        (("play", "pig", "--save", "missing/pig.jsonl"), "there is no folder 'missing'"),
        (("play", "--resume", "missing.jsonl"), "missing.jsonl cannot be read"),
        (("play", "pig", "--resume", "missing.jsonl"), "name no game, state, parameter or seed"),
    ],
)
@pytest.mark.usefixtures("here")
def test_what_cannot_be_played_is_one_line(words: Sequence[str], told: str, run: Run) -> None:
    code, printed, complaint = run(*words)
    assert (code, printed) == (2, "")
    assert complaint.startswith(f"error: {told}") or told in complaint
    assert len(complaint.splitlines()) <= 2


@pytest.mark.usefixtures("here")
def test_lines_fit_where_they_are_narrow_and_have_no_colour_in_a_pipe(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    typed = ["help", "135", "35", "2", "44", "4 4 4", "undo", "quit"]
    _, told, _ = at(run, typed, "play", "shut-the-box", monkeypatch=monkeypatch)
    lines = [line for line in told.splitlines() if not line.startswith("  rollwise")]
    assert max(map(len, lines)) <= 40
    assert "\x1b" not in told


if __name__ == "__main__":
    for path in [PLAYS / f"{name}.txt" for name in sys.argv[1:]]:
        _, words, typed, printed = scene(path.stem)
        text = "".join(f"{line}\n" for line in (typed[:-1] if typed[-1] == "" else typed))
        done = subprocess.run(
            [sys.executable, "-m", "rollwise", *words],
            input=text,
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "COLUMNS": "60"},
        )
        path.write_text(path.read_text().removesuffix(printed) + done.stdout)
