"""CONTRIBUTING.md: who follows its steps has a new game, in a copy of this repository."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "CONTRIBUTING.md").read_text()
BLOCK = re.compile(r"^```(?:python|toml)\n# (\S+?)(?:, in (\w+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
GAME = "last-face"


class Edit(NamedTuple):
    """A block of the page: a whole file, or (``into``) lines of a list in one that is there."""

    file: str
    into: str
    text: str


EDITS = [Edit(*found) for found in BLOCK.findall(PAGE)]
COMMANDS = re.findall(r"^rollwise .*$", PAGE, re.MULTILINE)
TESTS = re.findall(r"^python -m (pytest .*-k .*)$", PAGE, re.MULTILINE)


def added(text: str, into: str, lines: str) -> str:
    """The text with these lines in the list of that name, before the first entry that is later in the alphabet."""
    before, opening, inside = re.split(rf"^({into}\b.*[\[{{]\n)", text, maxsplit=1, flags=re.MULTILINE)
    entry = re.match(r" *\w+\(", lines)
    assert entry
    for found in re.finditer(rf"^{re.escape(entry[0])}", inside, re.MULTILINE):
        if inside[found.start() :] > lines:
            return before + opening + inside[: found.start()] + lines + inside[found.start() :]
    raise AssertionError(f"no place for it in {into}")


@pytest.fixture(scope="module")
def followed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the repository in which the steps have been taken."""
    place = tmp_path_factory.mktemp("contributing")
    for folder in ("rollwise", "tests", "scripts", "docs"):
        shutil.copytree(ROOT / folder, place / folder, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
    for file in (*ROOT.glob("*.md"), ROOT / "pyproject.toml", ROOT / "LICENSE"):
        shutil.copy(file, place)
    for edit in EDITS:
        file = place / edit.file
        assert file.exists() == bool(edit.into), edit.file
        file.write_text(added(file.read_text(), edit.into, edit.text) if edit.into else edit.text)
    return place


def run(place: Path, *words: str) -> str:
    """What Python with these words prints in that place."""
    around = {**os.environ, "PYTHONPATH": str(place), "ROLLWISE_CACHE": str(place / "solved")}
    done = subprocess.run([sys.executable, *words], capture_output=True, text=True, env=around, cwd=place, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_there_are_five_edits_and_commands_to_try_them() -> None:
    files = (
        "rollwise/games/last_face.py rollwise/games/registry.py tests/games/test_last_face.py tests/sizes.py "
        "tests/golden/last_face.toml"
    )
    assert [edit.file for edit in EDITS] == files.split()
    assert [command.split()[1:3] for command in COMMANDS] == [[verb, GAME] for verb in ("rules", "ask", "solve")]
    assert len(TESTS) == 1


ANSWERS = {"rules": ("title", "Last Face"), "ask": ("best", ["roll"]), "solve": ("exact", "14")}
ALL = f"""
import sys
from rollwise.cli import main
for command in {COMMANDS}:
    sys.argv = [*command.split(), "--json"]
    try:
        main()
    except SystemExit as stopped:
        assert not stopped.code
"""


def test_the_new_game_is_told_asked_and_solved(followed: Path) -> None:
    told = run(followed, "-c", ALL)
    for command in COMMANDS:
        answer, end = json.JSONDecoder().raw_decode(told)
        told = told[end:].lstrip()
        key, wanted = ANSWERS[command.split()[1]]
        assert answer[key] == wanted
    assert not told


@pytest.mark.slow
def test_its_rules_and_its_number_are_tested_and_it_is_put_through_every_proof(followed: Path) -> None:
    told = run(followed, "-m", *shlex.split(TESTS[0]), "-n", "0")
    assert re.search(r"[3-9]\d passed", told), told
