"""README.md, docs/tour.md and help: what is shown is what is printed, and every command in them is understood."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from rollwise.cache.store import Store
from rollwise.games.registry import REGISTRY
from rollwise.parsing.validate import parse_game
from rollwise.questions import COMMANDS as QUESTIONS
from rollwise.solver.kinds.kind import count_possible
from rollwise.solver.model.errors import RollwiseError
from rollwise.solver.turn import graph
from tests.cli.test_program import EXAMPLES
from tests.transcripts import require_said, settled

ROOT = Path(__file__).parents[2]
PAGES = {name: (ROOT / name).read_text() for name in ("README.md", "docs/tour.md")}
README = PAGES["README.md"]
Run = Callable[..., tuple[int, str, str]]
SAMPLE = re.compile(r"^```\n(\$ .*\n(?:.*\n)*?)```$", re.MULTILINE)
SAMPLES = [(name, text) for name, page in PAGES.items() for text in SAMPLE.findall(page)]


@pytest.mark.parametrize(
    ("name", "sample"),
    [
        pytest.param(name, text, id=text.partition("\n")[0], marks=[pytest.mark.slow] if "piggy-six" in text else [])
        for name, text in SAMPLES
    ],
)
def test_what_is_shown_is_what_is_printed(name: str, sample: str, request: pytest.FixtureRequest) -> None:
    require_said(settled(sample, Path("nowhere"), is_shared=True), request, name)


def test_every_sample_of_the_pages_is_played() -> None:
    shown = {page: text.count("\n$ ") for page, text in PAGES.items()}
    assert Counter(page for page, _ in SAMPLES) == shown
    assert shown["README.md"] > 0
    assert sum(shown.values()) > 6


@pytest.mark.parametrize(
    ("title", "page", "before"),
    [
        pytest.param("Sixzee", "sixzee.md", "seventeen boxes: ", marks=pytest.mark.thorough),
        pytest.param("Cops and Robbers", "tour.md", r"Cops and Robbers \(", marks=pytest.mark.slow),
    ],
)
def test_the_largest_games_are_as_large_as_is_said(title: str, page: str, before: str) -> None:
    said = re.search(rf"{before}([\d,]+) boards", " ".join((ROOT / "docs" / page).read_text().split()))
    assert said
    made = parse_game(title)
    assert count_possible(made) == int(said[1].replace(",", ""))


COMMANDS = [
    *(command for page in PAGES.values() for command in re.findall(r"^rollwise (.*)$", page, re.MULTILINE)),
    *(
        command
        for page in PAGES.values()
        for command in re.findall(r"`rollwise (\w+ [^`]*)`", page)
        if "GAME" not in command
    ),
    *(line.removeprefix("rollwise ") for lines in EXAMPLES.values() for line in lines),
]
LEFT_OUT = {
    *("review FILE", "play --resume FILE"),  # any file
    *("verify -o ledger.html", "verify --claims sheet.toml", "verify --refuted"),  # tests of verify have them
    *("cache list", "cache check"),  # nothing can be wrong
    *("cache clear --stale", "cache clear pig -p target=50"),  # nothing is there to be removed
    "solve-all",  # tests of sweep have it
    "compare yahtzee mine.py:careful filled=...",  # the reader puts a sheet there
    *("best policy.parquet mine=43 theirs=61 turn=18", "best pig.csv turn=4 --json"),  # tests of compare have them
    "best policy.parquet open=1-9 roll=5,3",
    "best endgame/ filled=ones:3,twos:6,... roll=1,2,3,6,6 --json",
    "best late.parquet filled=ones:3,twos:6,threes:9,fours:12,fives:15,sixes:18,chance:20,yahtzee:0,full house:25 "
    "roll=1,2,3,6,6 target=237",
    *("compare pig keep-pace", "compare pig policy.csv"),
}


COMPILED = cache(graph.compile_turn)  # several ask about zilch, whose turn is long


class Reached(RollwiseError):
    """All that was typed has been understood."""


LARGE = (  # long turns, many boards
    *("ask zilch", "ask ten-thousand", "ask busted", "ask bluff mine", "ask sixzee", "export yahtzee", "solve-all"),
)


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(command, marks=pytest.mark.thorough if command.startswith(LARGE) else ())
        for command in sorted(set(COMMANDS) - LEFT_OUT)
    ],
)
def test_every_command_is_understood(
    command: str, run: Run, own_cache: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def reached(*_: object, **__: object) -> None:
        raise Reached("reached")

    monkeypatch.setattr("rollwise.solutions.lookup._solve", reached)
    monkeypatch.setattr(graph, "compile_turn", COMPILED)
    monkeypatch.setattr("rollwise.web.serving.open_listener", reached)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "game.jsonl").write_text('{"rollwise": 1, "game": "pig", "rules_version": 1}\n')
    (tmp_path / "game.txt").write_text("5 hold\n")
    (tmp_path / "mine.py").write_text("def cautious(state, moves):\n    return moves[0]\n")
    code, _, complaint = run(*shlex.split(command))
    assert (code, complaint) == (0, "") or (code == 1 and "reached" in complaint)


def test_every_command_is_in_the_readme_and_in_the_changes() -> None:
    changes = (ROOT / "CHANGELOG.md").read_text()
    for name in QUESTIONS:
        assert f"rollwise {name}" in README
        assert re.search(rf"`(rollwise )?{name}[ `]", changes), name


def test_the_number_of_games_is_right() -> None:
    named = re.search(r"It plays (.*) and (\d+) more\.", " ".join(README.split()))
    assert named
    assert len(named[1].split(", ")) + int(named[2]) == len(REGISTRY)
