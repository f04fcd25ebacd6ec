"""The program as a whole: its version, its help, how it is started, and what is installed with it."""

from __future__ import annotations

import ast
import importlib.metadata
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import click
import pytest
import typer
from packaging.version import Version

import rollwise
from rollwise import cli
from rollwise.questions import COMMANDS as QUESTIONS, cache
from rollwise.solutions.identity import versions

ROOT = Path(__file__).parents[2]
ABOUT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
HEAVY = {"numba", "scipy", "sympy", "networkx", "pyarrow", "rich", "joblib", "flint", "tqdm"}
Run = Callable[..., tuple[int, str, str]]


def started(*words: str) -> subprocess.CompletedProcess[str]:
    """Python with these words, in a process of its own."""
    return subprocess.run([sys.executable, *words], capture_output=True, text=True, check=False)


def loaded_by(*commands: str) -> list[set[str]]:
    """What is loaded after each of these commands, all of them in one process of its own."""
    told = started(
        "-c",
        f"import sys\nsys.argv = ['rollwise', *{commands[0]!r}.split()]\nfrom rollwise.cli import main\n"
        f"for command in {commands}:\n    sys.argv = ['rollwise', *command.split()]\n"
        "    try:\n        main()\n    except SystemExit:\n        pass\n    print(sorted({*sys.modules}))",
    )
    return [set(ast.literal_eval(line)) for line in told.stdout.splitlines() if line.startswith("['")]


def test_the_version_is_told_and_kept_with_an_answer(run: Run) -> None:
    assert run("--version") == (0, f"rollwise {rollwise.__version__}\n", "")
    assert versions()["rollwise"] == rollwise.__version__


def test_the_version_needs_no_numbers() -> None:
    (loaded,) = loaded_by("--version")
    assert {"typer", "rollwise"} <= loaded
    assert not {*HEAVY, "numpy"} & loaded


def test_what_the_cache_or_a_rule_answers_loads_nothing_heavy(said: Callable[..., str]) -> None:
    pig = "pig -p target=10 mine=4 theirs=3 turn=4"
    words = (f"ask {pig} --next roll --json", f"ask {pig} --why", f"odds {pig}", "odds yahtzee yahtzee")
    for each in words:
        said(each)  # what has to be solved first needs more
    first, *_, last, swept = loaded_by(*words, "sweep pig -p target=2..3")
    assert "rollwise.questions.outcomes.text" not in first
    assert not HEAVY & last
    assert not {"dask", "distributed", "tornado"} & swept  # no scheduler was named


def commands(group: click.Command, *path: str) -> list[tuple[str, ...]]:
    """The words that lead to each command, groups too."""
    found = [path]
    if isinstance(group, click.Group):
        for name, command in group.commands.items():
            found += commands(command, *path, name)
    return found


EXAMPLES = {
    "": cli.EXAMPLES,
    **{name: command.examples for name, command in QUESTIONS.items()},
    **{f"cache {name}": examples for name, examples in cache.EXAMPLES.items()},
}


def test_every_command_takes_h_for_help_and_its_help_has_two_examples_in_whole_lines(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERMINAL_WIDTH", "80")
    for words in commands(typer.main.get_command(cli.app)):
        code, told, complaint = run(*words, "-h")
        assert (code, complaint, "Usage: " in told, "-h" in told) == (0, "", True, True), words
        lines = [line.strip() for line in told.splitlines()]
        after = lines[lines.index("Examples:") + 1 :]
        assert [line for line in after if line] == list(EXAMPLES[" ".join(words)])
        assert len(set(EXAMPLES[" ".join(words)])) == 2


def test_help_is_the_same_by_its_long_name(run: Run) -> None:
    for words in ((), ("ask",), ("cache", "clear")):
        assert run(*words, "-h") == run(*words, "--help")


@pytest.mark.skipif(
    Version(importlib.metadata.version("click")) >= Version("8.5"), reason="pyproject.toml asks for an older click"
)
def test_the_help_of_an_argument_is_shown(run: Run) -> None:
    assert "the name of a game, as in 'rollwise list'" in " ".join(run("ask", "-h")[1].replace("│", " ").split())


def test_the_changes_tell_of_this_version() -> None:
    headings = [line for line in (ROOT / "CHANGELOG.md").read_text().splitlines() if line.startswith("## ")]
    assert headings[0] == "## [Unreleased]"
    assert headings[1].startswith(f"## [{rollwise.__version__}]")


def test_the_metadata_name_what_the_package_runs_on_and_its_license() -> None:
    assert (ABOUT["license"], ABOUT["license-files"]) == ("MIT", ["LICENSE"])
    text = (ROOT / "LICENSE").read_text()
    assert text.startswith("MIT License\n\nCopyright (c) 2026 the rollwise authors\n")
    oldest = ABOUT["requires-python"].removeprefix(">=")
    assert {f"Programming Language :: Python :: {oldest}", "Typing :: Typed"} <= {*ABOUT["classifiers"]}
    assert (ROOT / "rollwise" / "py.typed").exists()
    assert not [line for line in ABOUT["classifiers"] if line.startswith("License ::")]  # ``license`` says it
    assert "urls" not in ABOUT
