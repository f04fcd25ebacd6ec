"""Scripts say how they are run, and do nothing else when they are asked that; their page names all of them."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import pytest

from tests.budget import EXCEPTIONS

ROOT = Path(__file__).parents[2]
SCRIPTS = ROOT / "scripts"
WITHOUT_WORDS = {"browsing", "page_answers", "pig_baseline"}
NAMES = sorted(path.stem for path in SCRIPTS.glob("*.py"))


@pytest.mark.parametrize("name", [name for name in NAMES if name not in WITHOUT_WORDS])
def test_a_script_says_how_it_is_run(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [f"{name}.py", "--help"])
    with pytest.raises(SystemExit) as stopped:
        runpy.run_path(str(SCRIPTS / f"{name}.py"), run_name="__main__")
    assert stopped.value.code == 0
    assert capsys.readouterr().out.startswith(f"usage: {name}.py")
    assert not list(tmp_path.iterdir())


def test_the_page_of_scripts_names_all_of_them() -> None:
    page = (SCRIPTS / "README.md").read_text()
    assert [name for name in NAMES if f"`{name}.py`" not in page] == []


def test_a_test_that_may_cost_more_is_there() -> None:
    for test, reason in EXCEPTIONS.items():
        file, _, name = test.partition("::")
        assert f"def {name}(" in (ROOT / file).read_text(), test
        assert reason
