"""Three people at the terminal: what they type, and the lines that they look for.

The scenes are texts in ``transcripts/``: after each ``$ rollwise ...`` stand parts of lines that come in this order, on
stdout or stderr, and ``[exit 2]`` where that is the code. ``python tests/cli/test_transcripts.py [SCENE ...]`` plays
them and prints all that is said, at the width of the terminal.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

Run = Callable[..., tuple[int, str, str]]
SCENES = Path(__file__).parent / "transcripts"
BESIDE = {  # what lies in the folder where they work
    "mine.py": 'def cautious(state, moves):\n    return "hold" if state["turn"] >= 15 else "roll"\n',
    "sheet.toml": """
[[claim]]
id = "two-dice/pair"
statement = "Two dice show a pair in one throw of six."
stated = "1/6"
throw = { dice = 2, text = "a pair" }

[[claim]]
id = "two-dice/double-six"
statement = "Two dice both show a six in one throw of thirty."
stated = "1/30"
throw = { dice = 2, text = "at least two sixes" }
""",
}


class Step(NamedTuple):
    """A command, its exit code, and what is looked for in what it says."""

    command: str
    code: int
    parts: list[str]


def steps(scene: Path) -> Iterator[Step]:
    """The steps of a scene."""
    for block in scene.read_text().split("\n$ ")[1:]:
        command, *lines = [line.strip() for line in block.splitlines() if line.strip()]
        exits = [line for line in lines if line.startswith("[exit ")]
        code = int(exits[0].strip("[]").split()[1]) if exits else 0
        yield Step(command.removeprefix("rollwise "), code, [line for line in lines if line not in exits])


def prepared(folder: Path) -> Path:
    """The folder with what lies there."""
    for name, text in BESIDE.items():
        (folder / name).write_text(text)
    return folder


@pytest.mark.usefixtures("own_cache")
@pytest.mark.parametrize("scene", sorted(SCENES.glob("*.txt")), ids=lambda scene: scene.stem)
def test_what_they_look_for_is_there(scene: Path, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(prepared(tmp_path))
    for step in steps(scene):
        code, told, complaint = run(*shlex.split(step.command))
        said = told + complaint
        assert code == step.code, f"{step.command}\n{said}"
        place = 0
        for part in step.parts:
            place = said.find(part, place)
            assert place >= 0, f"{step.command}: no '{part}' in\n{said}"
            place += len(part)


def test_every_scene_has_steps() -> None:
    assert {scene.stem for scene in SCENES.glob("*.txt")} == {"player", "teacher", "engineer"}
    assert all(len(list(steps(scene))) > 8 for scene in SCENES.glob("*.txt"))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        environment = {**os.environ, "ROLLWISE_CACHE": f"{place}/solved"}
        for scene in sorted(SCENES.glob("*.txt")):
            if len(sys.argv) > 1 and scene.stem not in sys.argv[1:]:
                continue
            print(f"# {scene.read_text().partition(chr(10))[0]}\n")
            for step in steps(scene):
                print(f"$ rollwise {step.command}", flush=True)
                words = [sys.executable, "-m", "rollwise", *shlex.split(step.command)]
                code = subprocess.run(words, cwd=prepared(Path(place)), env=environment, check=False).returncode
                print(f"[exit {code}]\n" if code else "", flush=True)
