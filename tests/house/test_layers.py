"""The rooms are as CONTRIBUTING lists them, and a question is light.

That imports point down is for `lint-imports`, see pyproject.toml.
"""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import rollwise
from rollwise.games.registry import REGISTRY

ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / "rollwise").rglob("*.py"))
HEAVY = {"numba", "scipy", "sympy", "networkx", "pyarrow", "rich", "joblib", "flint", "tqdm", "distributed"}


def test_the_table_of_rooms_in_contributing_is_true() -> None:
    """A row for each package but those of single games, with the first sentence that the package says of itself."""
    rows = dict(re.findall(r"^\| `(rollwise/\S*)` \| (.+?) \|$", (ROOT / "CONTRIBUTING.md").read_text(), re.MULTILINE))
    games = {f"rollwise/games/{listed.module.split('.')[2]}/" for listed in REGISTRY.values()}
    packages = {f"{file.parent.relative_to(ROOT)}/": file for file in FILES if file.name == "__init__.py"}
    said = {name: ast.get_docstring(ast.parse(file.read_text())) or "" for name, file in packages.items()}
    assert rows == {
        name: " ".join(re.split(r"\.\s", text + " ")[0].split()) for name, text in said.items() if name not in games
    }


def test_a_file_beside_a_users_program_hides_nothing_and_a_question_loads_nothing_heavy(tmp_path: Path) -> None:
    """A question, that is, which is answered from the cache."""
    rollwise.ask("pig", params={"target": 3})
    for file in ("cache.py", "solver/__init__.py", "games/__init__.py"):
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_text("raise SystemExit('the wrong one')")
    (tmp_path / "mine.py").write_text(
        "import sys\n"
        "sys.argv = ['rollwise', 'ask', 'pig', '-p', 'target=3', 'turn=2']\n"
        "from rollwise.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print(sorted({name.partition('.')[0] for name in sys.modules}))"
    )
    around = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, str(tmp_path / "mine.py")]
    done = subprocess.run(command, capture_output=True, text=True, env=around, check=False)
    assert done.returncode == 0, done.stderr
    *answer, loaded = done.stdout.splitlines()
    assert "Roll again: win 86.05 % against 16.75 % for holding." in answer
    assert {"rollwise", "numpy"} <= set(ast.literal_eval(loaded))
    assert not set(ast.literal_eval(loaded)) & HEAVY
