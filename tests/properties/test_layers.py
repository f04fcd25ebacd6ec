"""Imports point down: rollwise -> games -> solver, and rollwise -> cache; and a question loads nothing heavy."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BELOW = {"rollwise": {"games", "solver", "cache"}, "games": {"solver"}, "solver": set(), "cache": set()}
FILES = [file for package in BELOW for file in sorted((ROOT / package).rglob("*.py"))]
HEAVY = {"numba", "scipy", "sympy", "networkx", "pyarrow", "rich", "joblib", "flint", "tqdm"}


@pytest.mark.parametrize("file", FILES, ids=[str(file.relative_to(ROOT)) for file in FILES])
def test_imports_point_down(file: Path) -> None:
    package = file.relative_to(ROOT).parts[0]
    for node in ast.walk(ast.parse(file.read_text())):
        names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        for name in names:
            top = name.partition(".")[0]
            assert top not in BELOW or top == package or top in BELOW[package], f"{file} imports {name}"


def test_a_question_answered_from_the_cache_loads_nothing_heavy(tmp_path: Path) -> None:
    script = (
        "import sys\n"
        "sys.argv = ['rollwise', 'ask', 'pig', '-p', 'target=10', 'turn=4']\n"
        "from rollwise.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print(sorted({name.partition('.')[0] for name in sys.modules}))"
    )
    environment = {**os.environ, "ROLLWISE_CACHE": str(tmp_path)}
    for _ in range(2):  # the first run solves
        done = subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, check=True, env=environment
        )
    loaded = set(ast.literal_eval(done.stdout.splitlines()[-1]))
    assert not loaded & HEAVY
