"""Machine code is kept for exactly the sources it came from, never believed when damaged, and never needed."""

from __future__ import annotations

import hashlib
import os
import pickle
import random
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import llvmlite
import numba
import pytest

from rollwise.cache.store import Store
from rollwise.solver.model import errors
from rollwise.solver.policy import flow_kernels
from rollwise.solver.turn import kernel_cache as module
from rollwise.solver.turn.kernel_cache import (
    MAX_KEY_FOLDERS,
    SEAL_BYTES,
    SOLVER,
    UNUSED_FOLDER_S,
    compiled,
    fingerprint,
    is_ready,
    read_sealed,
    tidy,
)

ROOT = Path(__file__).parents[2]
KERNELS: Any = flow_kernels
PRIVATE: Any = numba.core
ARGUMENTS, RIGHT = (1234567, 7), (1234567 * 2654435769 >> 20) % 7


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder for kernels, for one test alone."""
    folder = tmp_path / "kernels"
    monkeypatch.setenv("ROLLWISE_KERNELS", str(folder))
    return folder


@pytest.fixture
def complaints(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is amiss, as a process hears it that has heard nothing yet."""
    heard: list[str] = []
    monkeypatch.setattr(errors.LOG, "warning", lambda form, text: heard.append(text))
    monkeypatch.setattr(errors, "NOT_LOGGED", [True])
    return heard


def fresh() -> Any:
    """A small kernel as a new process has it: nothing of it compiled."""
    return compiled()(KERNELS.worker_of.py_func)


def asked() -> str:
    """How a new process comes to the kernel: found, or compiled; its result is right in any case."""
    kernel = fresh()
    assert kernel(*ARGUMENTS) == RIGHT
    found, missed = kernel.stats.cache_hits, kernel.stats.cache_misses
    assert found + missed == Counter({kernel.signatures[0]: 1})
    return "found" if found else "compiled"


def test_a_kernel_is_ready_once_it_is_compiled_or_kept(root: Path) -> None:
    kernel = fresh()
    assert not is_ready(kernel)
    kernel(*ARGUMENTS)
    assert is_ready(kernel)
    assert is_ready(fresh())
    shutil.rmtree(root)
    assert not is_ready(fresh())


def kept(root: Path) -> list[Path]:
    return [path for path in root.rglob("*") if path.is_file()]


SMALL = """
from rollwise.solver.turn.kernel_cache import compiled
from rollwise.solver.turn.lanes import larger, load, store


@compiled()
def the_larger(rows):
    store(rows, 0, larger(load(rows, 0, 4), load(rows, 4, 4)))
"""
# Each child is a process that has just begun, but for what all of them import.
ASKED = """
import os, sys
from pathlib import Path
import numba, numpy
lanes = Path("rollwise/solver/turn/lanes.py")
right = lanes.read_text()
wrong = right.replace('larger: Any = _extreme(">")', 'larger: Any = _extreme("<")')
assert right != wrong
sys.dont_write_bytecode = True  # it tells edits within one second from each other by the length of the source alone
for before, meanwhile, children in eval(sys.argv[1]):
    lanes.write_text(eval(before))
    for _ in range(children):
        if not os.fork():
            if meanwhile:
                import rollwise.solver.turn.kernel_cache
                lanes.write_text(eval(meanwhile))
            from rollwise.solver.small import the_larger as kernel
            kernel(rows := numpy.array([2.0] * 4 + [3.0] * 4))
            print(rows[0], len(kernel.stats.cache_hits), len(kernel.stats.cache_misses), flush=True)
            os._exit(0)
    assert [os.wait()[1] for _ in range(children)] == [0] * children
"""


def answers(tmp_path: Path, *steps: tuple[str, str, int]) -> list[str]:
    """What processes of a copy of the package say of the larger of 2 and 3: found, and how often it was compiled.

    A step: its source before they begin, and after they have looked at it; and how many begin at once.
    """
    copy = tmp_path / "copy"
    shutil.copytree(ROOT / "rollwise", copy / "rollwise", ignore=shutil.ignore_patterns("__pycache__"))
    (copy / "rollwise" / "solver" / "small.py").write_text(SMALL)
    left = {name: value for name, value in os.environ.items() if not name.startswith(("ROLLWISE", "NUMBA"))}
    around = {**left, "ROLLWISE_CACHE": str(tmp_path / "cache"), "ROLLWISE_KERNELS": str(tmp_path / "kernels")}
    words = [sys.executable, "-c", ASKED, repr(steps)]
    done = subprocess.run(words, cwd=copy, env={**around, "PYTHONPATH": "."}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert not list(copy.rglob("*.nb?")), "numba keeps files of its own"
    return done.stdout.splitlines()


def test_an_edited_part_of_a_kernel_is_not_answered_from_machine_code_of_before(tmp_path: Path) -> None:
    steps = ("right", "", 1), ("wrong", "", 1), ("wrong", "right", 1), ("right", "", 1)
    assert answers(tmp_path, *steps) == ["3.0 0 1", "2.0 0 1", "3.0 0 1", "3.0 1 0"]


@pytest.mark.slow
def test_processes_that_compile_at_once_do_not_harm_each_other(tmp_path: Path) -> None:
    first, other, later = answers(tmp_path, ("right", "", 2), ("right", "", 1))
    assert (first[:3], other[:3], later) == ("3.0", "3.0", "3.0 1 0")
    files = kept(tmp_path / "kernels")
    assert len({path.name.partition("-")[0] for path in files}) == len(files), "leftovers"


# --- what it came from ------------------------------------------------------------------------------------------------


def test_every_source_of_the_solver_counts_and_so_does_its_place(tmp_path: Path) -> None:
    copy = tmp_path / "solver"
    assert fingerprint(tmp_path) is fingerprint(copy) is None  # without sources there is none
    shutil.copytree(SOLVER, copy, ignore=shutil.ignore_patterns("__pycache__"))
    prints = {before := fingerprint(SOLVER)}
    assert fingerprint(copy) == before
    files = sorted(copy.rglob("*.py"))[::12]  # each print reads all of them
    for file in files:
        text = file.read_bytes()
        file.write_bytes(text + b"#")
        prints.add(fingerprint(copy))
        file.write_bytes(text)
    (copy / "turn" / "lanes.py").rename(copy / "turn" / "lanes2.py")
    prints.add(fingerprint(copy))
    (copy / "turn" / "lanes2.py").unlink()
    assert len({*prints, fingerprint(copy)}) == len(files) + 3


def test_what_others_compile_or_what_takes_in_a_number_around_it_is_not_kept(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def adding(added: int) -> Any:
        return compiled()(lambda number: number + added)

    assert compiled()(lambda number: number + 1)(1) == 2
    assert not root.exists()
    monkeypatch.setattr(module, "SOLVER", ROOT)  # as if this file were of the solver
    monkeypatch.setattr(module, "SOURCES", "its sources")
    monkeypatch.setattr(module, "fingerprint", lambda folder: "its sources")
    assert [adding(1)(1), adding(2)(1)] == [2, 3]
    assert not root.exists()
    assert compiled()(lambda number: number + 1)(1) == 2
    assert len(kept(root)) == 1


def test_every_processor_numba_llvm_and_setting_has_a_folder_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    def key(*processor: str) -> str:
        magic = SimpleNamespace(magic_tuple=lambda: processor)
        return module._key(SimpleNamespace(codegen=lambda: magic))

    keys = [key("x86", "a processor", "+avx"), key("x86", "another", "+avx"), key("x86", "a processor", "-avx")]
    for place, name in ((numba, "__version__"), (llvmlite, "__version__"), (module, "SOURCES")):
        with monkeypatch.context() as patch:
            patch.setattr(place, name, "another")
            keys.append(key("x86", "a processor", "+avx"))
    monkeypatch.setenv("NUMBA_OPT", "0")
    keys.append(key("x86", "a processor", "+avx"))
    assert len(set(keys)) == len(keys) == 7
    monkeypatch.setenv("NUMBA_CACHE_DIR", "anywhere")
    assert key("x86", "a processor", "+avx") == keys[-1]


def test_a_kernel_is_compiled_once_and_then_found_and_is_for_the_user_alone(root: Path) -> None:
    assert [asked(), asked()] == ["compiled", "found"]
    (file,) = kept(root)
    assert [path.stat().st_mode & 0o777 for path in (root, file.parent, file)] == [0o700, 0o700, 0o600]
    store = Store(root.parent)  # which lists and clears its entries only
    assert store.keys() == []
    store.clear()
    assert asked() == "found"


def test_it_lies_below_the_cache_unless_it_has_a_place_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROLLWISE_KERNELS", "/chosen/too")
    monkeypatch.setenv("ROLLWISE_CACHE", "/chosen")
    assert module.kernels_root() == Path("/chosen/too")
    monkeypatch.delenv("ROLLWISE_KERNELS")
    assert module.kernels_root() == Path("/chosen/kernels")
    monkeypatch.delenv("ROLLWISE_CACHE")
    monkeypatch.setattr("platformdirs.user_cache_path", lambda name: Path("/home", name))
    assert module.kernels_root() == Path("/home/rollwise/kernels")
    monkeypatch.setattr("platformdirs.user_cache_path", lambda name: Path("~/.cache", name))  # for want of a home
    with pytest.raises(RuntimeError, match="no home"):
        module.kernels_root()
    assert fresh().stats.cache_path is None


def test_a_folder_that_others_can_write_is_refused(root: Path) -> None:
    asked()
    (file,) = kept(root)
    for there, mode in ((root, 0o770), (root, 0o707), (file.parent, 0o777)):
        there.chmod(mode)
        assert asked() == "compiled"
        there.chmod(0o755)
        assert asked() == "found"
    there.chmod(mode)
    file.unlink()
    assert asked() == "compiled"
    assert not kept(root)


def test_what_another_user_owns_or_can_write_is_refused(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked()
    (file,) = kept(root)
    file.chmod(0o666)
    assert [asked(), asked()] == ["compiled", "found"]
    assert file.stat().st_mode & 0o777 == 0o600
    before, somebody_else = file.stat(), os.geteuid() + 1
    monkeypatch.setattr(os, "geteuid", lambda: somebody_else)
    assert asked() == "compiled"
    assert (file.stat().st_ino, file.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


NOT_KEPT: dict[str, dict[str, Any]] = {
    "no fingerprint": {"{module}.SOURCES": None, "{module}.fingerprint": lambda folder: None},
    "sources that are edited": {"{module}.fingerprint": lambda folder: "another"},
    "code lifted out of it": {"numba.core.compiler.CompileResult.lifted": [fresh()]},
    "addresses of this process": {"numba.core.codegen.CPUCodeLibrary.has_dynamic_globals": True},
    "a numba with other parts": {"{module}.private": SimpleNamespace()},
    "a numba without a place": {"numba.njit": lambda **options: lambda function: function.__call__},
    "no home": {"{module}.kernels_root": Mock(side_effect=RuntimeError("no home"))},
    "a file for the folder": {"{module}.kernels_root": lambda: Path(__file__)},
    "a file above the folder": {"{module}.kernels_root": lambda: Path(__file__, "kernels")},
    "no name of a folder": {"{module}.kernels_root": lambda: Path("\0")},
}


@pytest.mark.parametrize("why", NOT_KEPT)
def test_what_cannot_be_kept_is_compiled_in_memory(root: Path, monkeypatch: pytest.MonkeyPatch, why: str) -> None:
    for place, instead in NOT_KEPT[why].items():
        monkeypatch.setattr(place.format(module=module.__name__), instead)
    assert fresh()(*ARGUMENTS) == RIGHT
    assert not kept(root)


# --- damage -----------------------------------------------------------------------------------------------------------

PAYLOAD, WORDS = random.Random(5).randbytes(5000), b"key kernel signature\n"


def flipped(content: bytes, place: int) -> bytes:
    changed = bytearray(content)
    changed[place] ^= 1 << (place % 8)
    return bytes(changed)


def test_a_damaged_file_is_none(tmp_path: Path) -> None:
    path = tmp_path / "kernel"
    path.write_bytes(hashlib.sha256(WORDS + PAYLOAD).digest() + PAYLOAD)
    assert read_sealed(path, WORDS) == PAYLOAD
    whole = path.read_bytes()
    damages = [whole[:end] for end in (0, 1, SEAL_BYTES // 2, SEAL_BYTES, SEAL_BYTES + 100, -1)]  # cut
    damages += [flipped(whole, place) for place in (0, SEAL_BYTES - 1, SEAL_BYTES, SEAL_BYTES + 1, 2000, -1)]
    damages += [
        whole + b"\0",
        whole + whole,
        whole[1:],
        whole[SEAL_BYTES:],
        bytes(len(whole)),
        b"<html>pay first</html>",
    ]
    damages += [hashlib.sha256(words + PAYLOAD).digest() + PAYLOAD for words in (b"", b"of another kernel\n")]
    for damaged in damages:
        path.write_bytes(damaged)
        assert read_sealed(path, WORDS) is None, damaged[:100]
    path.unlink()
    os.mkfifo(path, 0o600)  # which waits for ever for somebody who writes
    assert read_sealed(path, WORDS) is None


def test_what_is_amiss_with_kernels_is_told_once_and_nothing_where_all_is_well(
    root: Path, complaints: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert [asked(), asked(), complaints] == ["compiled", "found", []]  # that none is kept yet is nothing amiss
    (file,) = kept(root)
    file.write_bytes(file.read_bytes()[:-1])
    assert [asked(), asked()] == ["compiled", "found"]
    file.write_bytes(b"")
    assert asked() == "compiled"
    (told,) = complaints
    assert told.startswith(
        f"compiled code cannot be kept in {root}: {file.name} is damaged, or others could write it; "
    )
    assert "\n" not in told
    for place, mode, why in (
        (root, 0o777, "is no folder that this user alone can write"),
        (file.parent, 0o500, "Permission denied"),
    ):
        file.unlink()
        errors.NOT_LOGGED.append(True)
        place.chmod(mode)
        with monkeypatch.context() as patch:
            if os.geteuid() == 0 and place != root:  # whom no mode keeps out
                patch.setattr(module, "write_whole", Mock(side_effect=PermissionError(13, "Permission denied")))
            assert asked() == asked() == "compiled"
        place.chmod(0o700)
        assert why in complaints[-1]
        assert asked() == "compiled"
    assert len(complaints) == 3


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> Mock:
    """What is unpickled."""
    loads = Mock(wraps=pickle.loads)
    monkeypatch.setattr(module, "pickle", SimpleNamespace(loads=loads))
    return loads


def test_a_damaged_file_is_never_unpickled_but_compiled_anew(root: Path, opened: Mock) -> None:
    asked()
    (file,) = kept(root)
    whole = file.read_bytes()
    for wrong in (flipped(whole, -1), pickle.dumps(7), b"<html>the network asks for a password</html>"):
        file.write_bytes(wrong)
        assert asked() == "compiled"
        opened.assert_not_called()
    assert asked() == "found"
    assert opened.call_count == len(kept(root)) == 1
    file.unlink()
    file.mkdir()  # a folder in its place is no error
    assert asked() == "compiled"
    assert list(file.parent.iterdir()) == [file]


def test_a_file_of_another_kernel_signature_or_key_is_compiled_anew(root: Path, opened: Mock) -> None:
    asked()
    (mine,) = kept(root)
    assert fresh()(True, 7) == (2654435769 >> 20) % 7  # another signature
    (other,) = [path for path in kept(root) if path != mine]
    shutil.copyfile(other, mine)
    assert asked() == "compiled"
    opened.assert_not_called()
    kernels = [(module.CachedKernel(name), key, signature) for name in "ab" for key in "cd" for signature in "ef"]
    assert len({kernel._sealed_with(key, signature) for kernel, key, signature in kernels}) == 8
    assert len({kernel._file(signature) for kernel, _, signature in kernels}) == 4


@pytest.mark.parametrize(
    "dumps",
    [
        lambda pair: pickle.dumps(7),
        lambda pair: pickle.dumps((Path("kernel"), {})),
        lambda pair: b"cno_such_module\nkernel\n.",
        lambda pair: PRIVATE.serialize.dumps(("two of one name", pair[1])),
    ],
    ids=["a number", "another class", "a module that is not there", "machine code for another signature"],
)
def test_a_wrong_pickle_is_compiled_anew_even_if_it_is_sealed(
    root: Path, monkeypatch: pytest.MonkeyPatch, dumps: Callable[[Any], bytes]
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(module, "private", SimpleNamespace(serialize=SimpleNamespace(dumps=dumps)))
        asked()
    assert len(kept(root)) == 1
    assert [asked(), asked()] == ["compiled", "found"]


def folders(root: Path, *days: float) -> list[Path]:
    """Folders of kernels that were last used so many days ago."""
    made = [root / hashlib.sha256(str(number).encode()).hexdigest()[:32] for number in range(len(days))]
    for folder, ago in zip(made, days, strict=True):
        folder.mkdir()
        os.utime(folder, (time.time() - ago * 86400,) * 2)
    return made


def test_folders_of_other_keys_go_when_nobody_uses_them_and_of_many_the_newest_stay(tmp_path: Path) -> None:
    (tmp_path / "readme").write_text("not ours to remove")
    (tmp_path / "photographs").mkdir()
    os.utime(tmp_path / "photographs", (0, 0))
    theirs = {tmp_path / "readme", tmp_path / "photographs"}
    ours, *others = folders(tmp_path, 100, 0, 29, 31, 400)
    tidy(tmp_path, ours.name)
    assert set(tmp_path.iterdir()) == {ours, *others[:2], *theirs}
    for folder in (ours, *others[:2]):
        folder.rmdir()
    ours, *others = folders(tmp_path, UNUSED_FOLDER_S, *(n / 10 for n in range(MAX_KEY_FOLDERS + 5)))
    tidy(tmp_path, ours.name)
    assert set(tmp_path.iterdir()) == {ours, *others[:MAX_KEY_FOLDERS], *theirs}


def test_a_new_folder_sends_the_old_ones_away_and_a_used_one_stays(root: Path) -> None:
    root.mkdir(0o700)
    (old,) = folders(root, 31)
    asked()
    assert not old.exists()
    (file,) = kept(root)
    os.utime(file.parent, (0, 0))
    assert asked() == "found"
    assert time.time() - file.parent.stat().st_mtime < 3600
