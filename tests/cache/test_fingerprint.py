"""A fingerprint changes with the code of every source that a module imports, and with nothing else."""

from __future__ import annotations

import re
import sys
import time
from pathlib import Path

import pytest

from rollwise.cache import fingerprint as fingerprints, source_digests
from rollwise.cache.entry import CHECKSUM_DIGITS, block_checksum
from rollwise.cache.fingerprint import SELF_READING, fingerprint, trace_sources
from rollwise.cache.source_digests import INDEX_NAME
from rollwise.cache.store import MissingSource, Store
from rollwise.games.registry import REGISTRY
from rollwise.solutions.identity import TRACED_PACKAGES

Patch = pytest.MonkeyPatch
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
def toys(tmp_path: Path, own_cache: Store, monkeypatch: Patch) -> Path:
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
        file.write("y = 1\n")
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


CODE = '"Doc."\nLIMIT = 3\n@a.cache\ndef f(a: int, b=1):\n    "Say."\n    return g()[a:b] + "Say it."\n'
CODE += 'class C:\n    """import toyb.one"""\n    at = ()\n'
SAME = [('"Doc."', ""), ('"Doc."', '"""More\n\nlines."""'), ("3", "(\n  0x3)  # of"), ("cache\n", "cache # x\n\n")]
SAME += [('"Say."', "'So.'"), ('"Say."\n', '"So."; "Say"\n'), ("    return", "  # x\n\n    return"), ("one", "two")]
OTHER = [("LIMIT", "LIMITS"), ("3", "4"), ("3", "3.0"), ("3", "True"), ("@a.cache", ""), (".cache", ".wraps")]
OTHER += [("b=1", "b=2"), ("b=1", "*, b=1"), ("int", "str"), ('"Say."', 'f"Say."'), ("it.", "it"), ("a:b", "a::b")]
OTHER += [('"Say it', 'b"Say it'), ("    return g", "    g"), ("()\n", "[]\n"), ("()\n", "None\n"), ("int", "'int'")]


@pytest.mark.parametrize(("old", "new"), [*SAME, *OTHER])
def test_code_counts_and_words_about_it_do_not(toys: Path, old: str, new: str) -> None:
    (toys / "toyb/two.py").write_text(CODE)
    before = of("toyb.two")
    (toys / "toyb/two.py").write_text(CODE.replace(old, new, 1))
    assert (of("toyb.two") == before) == ((old, new) in SAME)


def test_code_too_deep_or_long_to_spell_counts_as_text_and_what_is_no_code_is_refused(toys: Path) -> None:
    prints = set()
    for code in ("+".join("1" * 700), "0x" + "f" * 9000, "0x" + "f" * 8999 + "e"):
        (toys / "toyb/two.py").write_text(f"import toyb.four\nx = {code}")
        prints.add(of("toyb.two"))
    assert len(prints) == 3
    (toys / "toyb/four.py").write_text("x = ")
    with pytest.raises(MissingSource, match="is no Python source"):
        of("toyb.two")


def test_the_code_of_games_and_solver_does_not_look_at_its_own_words() -> None:
    rooms = [Path(fingerprints.__file__).parents[1] / name for name in ("games", "solver")]
    shown = {file.name for room in rooms for file in room.rglob("*.py") if SELF_READING.search(file.read_bytes())}
    assert shown == {"schema.py", "kernel_cache.py"}  # what an interface says, and which code is a kernel's own


def test_the_rules_of_a_game_come_of_all_its_files_but_policies_and_claims_and_of_no_other_game() -> None:
    """So ``scoring.py`` of one game makes its solutions stale, and those of no other."""
    rooms = {listed.module.removesuffix(".rules") for listed in REGISTRY.values()}
    for room in rooms:
        names = [name for name in trace_sources([f"{room}.rules"], TRACED_PACKAGES).names if name != room]
        folder = Path(fingerprints.__file__).parents[1] / "games" / room.rpartition(".")[2]
        files = {
            f"{room}.{file.stem}" for file in folder.glob("*.py") if file.stem not in ("__init__", "policies", "claims")
        }
        assert files == {name for name in names if name.rpartition(".")[0] in rooms}


def anew(patch: Patch) -> str:
    """The fingerprint as a process that has just begun takes it."""
    patch.setattr(fingerprints, "_TRACES", {})
    patch.setattr(source_digests, "_RECORDS", {})
    source_digests.load_records.cache_clear()
    return of("toyb.deep")


@pytest.mark.parametrize(("age", "is_believed"), [(1 - 10**9, False), (10**11, False), (10**11 + 1, True)])
def test_a_stamp_is_believed_unless_it_is_new_or_of_whole_seconds(
    age: int, is_believed: bool, toys: Path, monkeypatch: Patch
) -> None:
    Store().root.mkdir(parents=True)
    stamp = (time.time_ns() // 10**9 * 10**9 - age,) * 2 + (5,)
    monkeypatch.setattr(fingerprints, "_stamp_of", lambda file: stamp)
    before = anew(monkeypatch)
    (toys / "toyb/deep/inner.py").write_text("def g(): pass\n")
    assert (anew(monkeypatch) == before) == is_believed
    Store().clear()
    assert anew(monkeypatch) != before


RECORD, ZEROS = r'"(\w{32}) \w{32}', "0" * 32
WRONG = {  # the words that it is sealed with, and what stands there in place of what
    "changed": ("", RECORD, rf'"\1 {ZEROS}'),
    "another version": ("sources-3.1-1", RECORD, rf'"\1 {ZEROS}'),
    "another text": (INDEX_NAME, RECORD, f'"{ZEROS} {ZEROS}'),
    "too deep": (INDEX_NAME, "inner.f", f"inner{'.a' * 3000}"),
    "no digits": (INDEX_NAME, RECORD, rf'"\1 {ZEROS[1:]}\\ud800'),
    "no line": (INDEX_NAME, '"[^"]*"]', "1]"),
    "half": (INDEX_NAME, r"(?s)(.{500}).*", r"\1"),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_what_is_kept_wrongly_costs_time_alone(wrong: str, toys: Path, monkeypatch: Patch) -> None:
    first, place = anew(monkeypatch), Store().root / INDEX_NAME
    assert not Store().root.exists()  # a question that is refused makes no folder
    place.parent.mkdir(parents=True)
    assert first == (before := of("toyb.deep"))  # known, and written now
    words, old, new = WRONG[wrong]
    content = re.sub(old, new, place.read_text()[CHECKSUM_DIGITS:])
    place.write_text(block_checksum((words + content).encode()) + content)
    assert anew(monkeypatch) == before
    for nowhere in (str(place), "~no such user"):
        monkeypatch.setenv("ROLLWISE_CACHE", nowhere)
        assert anew(monkeypatch) == before
