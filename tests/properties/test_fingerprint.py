"""A fingerprint changes with every source that a module imports, and with nothing else."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from rollwise.cache.fingerprint import fingerprint
from rollwise.cache.store import MissingSource

TOY = {
    "toya/__init__.py": "",
    "toya/pig.py": "import numpy\nfrom toya import (\n    words,  # (all)\n    more,\n)\nfrom toyb.deep import f\n",
    "toya/words.py": "def late():\n    import toyb.kernels as k\n    return k\n",
    "toya/more.py": "from . import beside\nfrom .beside import x\nfrom toya.absent import y\n",
    "toya/beside.py": "import toyb.one, toyb.two\nif True: from toyb import \\\n    three\n",
    "toya/zilch.py": "# from nothing\n",
    "toyb/__init__.py": "",
    "toyb/kernels.py": "import importlib\nimportlib.import_module('toyb.named')\nimport toyc.other\n",
    "toyb/named.py": "import toya.pig  # a circle\n",
    "toyb/one.py": "x = 1; import toyb.four; y = 2\n",
    **dict.fromkeys(("toyb/two.py", "toyb/three.py", "toyb/four.py"), ""),
    "toyb/unused.py": "raise SystemExit\n",
    "toyb/deep/__init__.py": "from toyb.deep.inner import f\n",
    "toyb/deep/inner.py": "def f(): pass\n",
    "toyc/__init__.py": "",
    "toyc/other.py": "",
}
UNRELATED = {"toya/zilch.py", "toyb/unused.py", "toyc/__init__.py", "toyc/other.py"}


@pytest.fixture
def toys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in TOY.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


def of(*names: str) -> str:
    return fingerprint(names, ("toya", "toyb"))


@pytest.mark.parametrize("name", [*TOY, "toya/absent.py"])
def test_it_changes_with_what_is_imported_and_with_nothing_else(toys: Path, name: str) -> None:
    before = of("toya.pig")
    assert of("toya.pig") == before
    with open(toys / name, "a") as file:
        file.write("\n")
    assert (of("toya.pig") == before) == (name in UNRELATED)


def test_it_takes_names_of_modules_in_but_not_their_order_and_imports_nothing(toys: Path) -> None:
    assert len({of(f"toyb.{name}") for name in ("two", "three", "four")}) == 3
    names = ["toya.pig", "toyb.unused", "toya.zilch"]
    assert of(*names) == fingerprint(names[::-1], {"toyb", "toya"})
    assert not any(name.startswith("toy") for name in sys.modules)


@pytest.mark.parametrize("name", ["toya.zilhc", "toya.pig.words", "toyz", "toyz.pig", "", "toya..pig"])
def test_a_missing_module_is_told(toys: Path, name: str) -> None:
    with pytest.raises(MissingSource, match="no source file for module"):
        fingerprint([name], ["toya"])
