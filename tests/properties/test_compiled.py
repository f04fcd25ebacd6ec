"""Machine code is kept for exactly the sources it came from, never believed when damaged, and never needed."""

from __future__ import annotations

import hashlib
import os
import pickle
import random
import shutil
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import llvmlite
import numba
import pytest

from rollwise.solver.play import flow_kernels
from rollwise.solver.turn import compiled as module
from rollwise.solver.turn.compiled import MOST_KEPT, SEAL, SOLVER, UNUSED, compiled, fingerprint, read_sealed, tidy

ROOT = Path(__file__).parents[2]
KERNELS: Any = flow_kernels
ARGUMENTS, RIGHT = (1234567, 7), (1234567 * 2654435769 >> 20) % 7

SOLVE = """
import rollwise, rollwise.solver.boards.sweep as sweep
sweep.PLAIN_WORK = 0  # however small, it is for the compiler
print(rollwise.solve("pig", {"target": 6}).value)
from rollwise.solver.turn import kernels
print(len(kernels.sweep.stats.cache_hits), len(kernels.sweep.stats.cache_misses))
"""


def start(tree: Path, **environment: str) -> subprocess.Popen[str]:
    """A process of the package in ``tree`` that solves a small game with compiled kernels."""
    left = {name: value for name, value in os.environ.items() if not name.startswith(("ROLLWISE", "NUMBA"))}
    return subprocess.Popen(
        [sys.executable, "-c", SOLVE],
        # bytecode tells edits within one second from each other by the length of the source alone
        cwd=tree,
        env={**left, "PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1", **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def answer(process: subprocess.Popen[str]) -> tuple[float, str]:
    """The value found, and how many kernels for the sweep were found and how many compiled."""
    out, err = process.communicate()
    assert process.returncode == 0, err
    value, counts = out.splitlines()
    return float(value), counts


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder for kernels, for one test alone."""
    folder = tmp_path / "kernels"
    monkeypatch.setenv("ROLLWISE_KERNELS", str(folder))
    return folder


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


def kept(root: Path) -> list[Path]:
    return sorted(path for path in root.rglob("*") if path.is_file())


# What it came from


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the package, to edit."""
    shutil.copytree(ROOT / "rollwise", tmp_path / "copy" / "rollwise", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path / "copy"


def edit(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert text.count(old) == 1
    file.write_text(text.replace(old, new))


def test_an_edited_part_of_a_kernel_is_not_answered_from_machine_code_of_before(copy: Path, tmp_path: Path) -> None:
    def solved(cache: str) -> tuple[float, str]:
        return answer(start(copy, ROLLWISE_CACHE=str(tmp_path / cache), ROLLWISE_KERNELS=str(tmp_path / "kernels")))

    right, how = solved("before")
    assert how == "0 1"
    edit(copy / "rollwise" / "solver" / "turn" / "lanes.py", '">" if operation == "max"', '"<" if operation == "max"')
    wrong, how = solved("after")
    assert how == "0 1"
    assert abs(wrong - right) > 0.01
    assert not list(copy.rglob("*.nb?")), "numba keeps files of its own"


@pytest.mark.parametrize("file", sorted(SOLVER.rglob("*.py")), ids=lambda file: str(file.relative_to(SOLVER)))
def test_every_source_of_the_solver_counts(file: Path, tmp_path: Path) -> None:
    shutil.copytree(SOLVER, tmp_path / "solver", ignore=shutil.ignore_patterns("__pycache__"))
    before = fingerprint(tmp_path / "solver")
    assert before == fingerprint(SOLVER)
    copied = tmp_path / "solver" / file.relative_to(SOLVER)
    copied.write_bytes(file.read_bytes() + b"#")
    assert fingerprint(tmp_path / "solver") != before
    copied.unlink()
    assert fingerprint(tmp_path / "solver") != before
    (copied.parent / "other.py").write_bytes(file.read_bytes())
    assert fingerprint(tmp_path / "solver") != before


def test_without_sources_there_is_no_fingerprint(tmp_path: Path) -> None:
    (tmp_path / "compiled.pyc").write_bytes(b"bytecode")
    assert fingerprint(tmp_path) is None
    assert fingerprint(tmp_path / "package.zip" / "solver") is None


def test_without_a_fingerprint_nothing_is_kept(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SOURCES", None)
    monkeypatch.setattr(module, "fingerprint", lambda folder: None)
    assert fresh()(*ARGUMENTS) == RIGHT
    assert not root.exists()


def test_nothing_is_kept_while_the_sources_are_edited(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "fingerprint", lambda folder: "another")
    assert asked() == "compiled"
    assert not root.exists()


def test_what_others_compile_is_not_kept(root: Path) -> None:
    def outside(number: int) -> int:
        return number + 1

    assert compiled()(outside)(1) == 2
    assert not root.exists()


def test_a_kernel_that_takes_in_a_number_around_it_is_not_kept(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SOLVER", ROOT)  # as if this file were of the solver
    monkeypatch.setattr(module, "SOURCES", "its sources")
    monkeypatch.setattr(module, "fingerprint", lambda folder: "its sources")

    def adding(added: int) -> Any:
        def around(number: int) -> int:
            return number + added

        return compiled()(around)

    assert [adding(1)(1), adding(2)(1)] == [2, 3]
    assert not root.exists()

    def alone(number: int) -> int:
        return number + 1

    assert compiled()(alone)(1) == 2
    assert len(kept(root)) == 1


@pytest.mark.parametrize("why", ["lifted", "dynamic globals"])
def test_machine_code_with_addresses_of_this_process_is_not_kept(
    root: Path, monkeypatch: pytest.MonkeyPatch, why: str
) -> None:
    if why == "lifted":
        monkeypatch.setattr("numba.core.compiler.CompileResult.lifted", [fresh()])
    else:
        monkeypatch.setattr("numba.core.codegen.CPUCodeLibrary.has_dynamic_globals", True)
    assert fresh()(*ARGUMENTS) == RIGHT
    assert not root.exists()


def key(**changes: Any) -> str:
    """The name of the folder for a processor."""
    of: Any = {"triple": "x86", "name": "a processor", "features": "+avx", **changes}
    return module._key(SimpleNamespace(codegen=lambda: SimpleNamespace(magic_tuple=lambda: tuple(of.values()))))


def test_every_processor_numba_llvm_and_setting_has_a_folder_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    keys = [key(), key(name="another"), key(features="-avx")]
    for place, name in ((numba, "__version__"), (llvmlite, "__version__"), (module, "SOURCES")):
        with monkeypatch.context() as patch:
            patch.setattr(place, name, "another")
            keys.append(key())
    monkeypatch.setenv("NUMBA_OPT", "0")
    keys.append(key())
    assert len(set(keys)) == len(keys) == 7
    monkeypatch.setenv("NUMBA_CACHE_DIR", "anywhere")
    assert key() == keys[-1]


# Where it is


def test_a_kernel_is_compiled_once_and_then_found(root: Path) -> None:
    assert [asked(), asked(), asked()] == ["compiled", "found", "found"]
    assert len(kept(root)) == 1


def test_its_folders_and_files_are_for_the_user_alone(root: Path) -> None:
    asked()
    (file,) = kept(root)
    assert [path.stat().st_mode & 0o777 for path in (root, file.parent, file)] == [0o700, 0o700, 0o600]


def test_it_lies_below_the_cache_unless_it_has_a_place_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ROLLWISE_KERNELS", raising=False)
    monkeypatch.delenv("ROLLWISE_CACHE", raising=False)
    monkeypatch.setattr("platformdirs.user_cache_path", lambda name: tmp_path / name)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "of no account"))
    for variable, place in (
        ("", tmp_path / "rollwise" / "kernels"),
        ("ROLLWISE_CACHE", tmp_path / "chosen" / "kernels"),
        ("ROLLWISE_KERNELS", tmp_path / "chosen too"),
    ):
        if variable:
            monkeypatch.setenv(variable, str(place.parent if place.name == "kernels" else place))
        assert asked() == "compiled"
        assert len(kept(place)) == 1
    assert not (tmp_path / "of no account").exists()


def test_the_cache_lists_and_clears_its_entries_only(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from rollwise.cache.store import Store

    asked()
    store = Store(root.parent)
    assert store.entries() == []
    store.clear()
    assert asked() == "found"


@pytest.mark.parametrize("place", ["root", "folder"])
def test_a_folder_that_others_can_write_is_refused(root: Path, place: str) -> None:
    asked()
    (file,) = kept(root)
    there = root if place == "root" else file.parent
    for mode in (0o770, 0o707, 0o777):
        there.chmod(mode)
        file.unlink(missing_ok=True)
        assert [asked(), asked()] == ["compiled", "compiled"]
        assert not kept(root)
    there.chmod(0o755)
    assert [asked(), asked()] == ["compiled", "found"]
    there.chmod(0o777)
    assert asked() == "compiled"


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="users have no numbers here")
def test_what_another_user_owns_is_refused(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked()
    (file,) = kept(root)
    before = file.stat()
    somebody_else = os.geteuid() + 1
    monkeypatch.setattr(os, "geteuid", lambda: somebody_else)
    assert [asked(), asked()] == ["compiled", "compiled"]
    assert kept(root) == [file]
    assert (file.stat().st_ino, file.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_a_file_that_others_can_write_is_compiled_anew(root: Path) -> None:
    asked()
    (file,) = kept(root)
    file.chmod(0o666)
    assert [asked(), asked()] == ["compiled", "found"]
    assert file.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("where", ["file/kernels", "file", "dangling/kernels", "\0"])
def test_where_no_folder_can_be_made_kernels_compile_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    (tmp_path / "file").write_text("in the way")
    (tmp_path / "dangling").symlink_to(tmp_path / "file" / "nowhere")
    monkeypatch.setattr(module, "kernels_root", lambda: tmp_path / where)
    assert [asked(), asked()] == ["compiled", "compiled"]
    assert len(list(tmp_path.iterdir())) == 2


def test_a_user_without_a_home_gets_no_folder_called_tilde(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ROLLWISE_KERNELS", raising=False)
    monkeypatch.delenv("ROLLWISE_CACHE", raising=False)
    monkeypatch.setattr("platformdirs.user_cache_path", lambda name: Path("~/.cache", name))
    kernel = fresh()
    assert kernel(*ARGUMENTS) == RIGHT
    assert kernel.stats.cache_path is None
    assert not list(tmp_path.iterdir())


def test_a_compiled_game_is_answered_where_nothing_can_be_written(copy: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    nowhere = str(tmp_path / "file" / "home")
    for folder in [copy, *(path for path in copy.rglob("*") if path.is_dir())]:
        (folder / "__pycache__").write_text("in the way, of the superuser too")
    value, how = answer(start(copy, HOME=nowhere, XDG_CACHE_HOME=nowhere))
    assert how == "0 1"
    assert 0.5 < value < 1


# A numba that does this another way


@pytest.mark.parametrize(
    "part",
    [
        SimpleNamespace(),
        SimpleNamespace(serialize=numba.core.serialize),
        SimpleNamespace(serialize=numba.core.serialize, compiler=SimpleNamespace(CompileResult=object)),
        SimpleNamespace(serialize=SimpleNamespace(dumps=lambda: b""), compiler=numba.core.compiler),
    ],
    ids=["nothing", "no compiler", "no rebuilding", "other dumps"],
)
def test_a_numba_with_other_parts_compiles_in_memory(root: Path, monkeypatch: pytest.MonkeyPatch, part: Any) -> None:
    monkeypatch.setattr(module, "private", part)
    assert [asked(), asked()] == ["compiled", "compiled"]


def test_a_numba_without_a_place_for_a_cache_compiles_in_memory(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Plain:
        __slots__ = ("function",)

        def __init__(self, function: Callable[..., Any]) -> None:
            self.function = function

        def __call__(self, *arguments: int) -> Any:
            return self.function(*arguments)

    monkeypatch.setattr(numba, "njit", lambda **options: Plain)
    assert fresh()(*ARGUMENTS) == RIGHT
    assert not root.exists()


# Damage


def cut(length: int, content: bytes) -> bytes:
    return content[:length]


def flipped(place: int, content: bytes) -> bytes:
    changed = bytearray(content)
    changed[place] ^= 1 << (place % 8)
    return bytes(changed)


def garbage(length: int) -> bytes:
    return random.Random(length).randbytes(length)


def sealed(payload: bytes) -> bytes:
    return hashlib.sha256(payload).digest() + payload


def instead(other: bytes, content: bytes) -> bytes:
    return other


WRONG_PICKLES = {
    "a number": pickle.dumps(7),
    "an empty pair": pickle.dumps(((), ())),
    "another class": pickle.dumps((Path("kernel"), {})),
    "a module that is not there": b"cno_such_module\nkernel\n.",
    "a pickle cut short": pickle.dumps(((), ()))[:-3],
    "no pickle": b"machine code",
}
DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda content: b"",
    **{f"cut to {n}": partial(cut, n) for n in (1, SEAL - 1, SEAL, SEAL + 1, SEAL + 100, 4096, -1)},
    "cut in half": lambda content: content[: len(content) // 2],
    "the first byte missing": lambda content: content[1:],
    "without its seal": lambda content: content[SEAL:],
    **{f"a bit at {n}": partial(flipped, n) for n in (0, SEAL - 1, SEAL, SEAL + 1, 82, 2000, 5000, -2000, -100, -1)},
    "a byte more": lambda content: content + b"\0",
    "twice": lambda content: content + content,
    "garbage, short": lambda content: garbage(10),
    "garbage, long": lambda content: garbage(100_000),
    "garbage of its length": lambda content: garbage(len(content)),
    "a page of garbage": lambda content: content[:2048] + garbage(512) + content[2560:],
    "zeros": lambda content: bytes(len(content)),
    "a page of zeros": lambda content: content[:1024] + bytes(1024) + content[2048:],
    "text": lambda content: b"<html>the network asks for a password</html>",
    "sealed without its words": lambda content: sealed(content[SEAL:]),
    **{f"{name}, bare": partial(instead, wrong) for name, wrong in WRONG_PICKLES.items()},
    **{f"{name}, sealed without words": partial(instead, sealed(wrong)) for name, wrong in WRONG_PICKLES.items()},
}


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """What is unpickled."""
    seen: list[bytes] = []

    def loads(payload: bytes) -> Any:
        seen.append(payload)
        return pickle.loads(payload)

    monkeypatch.setattr(module, "pickle", SimpleNamespace(loads=loads))
    return seen


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str, bytes]:
    """The folder, the name and the bytes of a kernel that is kept."""
    with pytest.MonkeyPatch.context() as patch:
        root = tmp_path_factory.mktemp("kernels")
        root.chmod(0o700)
        patch.setenv("ROLLWISE_KERNELS", str(root))
        asked()
        (file,) = kept(root)
        return file.parent.name, file.name, file.read_bytes()


def put(root: Path, whole: tuple[str, str, bytes], content: bytes) -> Path:
    folder, name, _ = whole
    (root / folder).mkdir(0o700, parents=True)
    root.chmod(0o700)
    file = root / folder / name
    file.write_bytes(content)
    file.chmod(0o600)
    return file


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_never_unpickled_but_compiled_anew(
    root: Path, opened: list[bytes], whole: tuple[str, str, bytes], damage: str
) -> None:
    content = DAMAGES[damage](whole[2])
    assert content != whole[2]
    put(root, whole, content)
    assert asked() == "compiled"
    assert not opened
    assert asked() == "found"
    assert len(opened) == len(kept(root)) == 1


def test_an_undamaged_file_is_found(root: Path, whole: tuple[str, str, bytes]) -> None:
    put(root, whole, whole[2])
    assert asked() == "found"


@pytest.mark.parametrize("wrong", WRONG_PICKLES)
def test_a_wrong_pickle_is_compiled_anew_even_if_it_is_sealed(
    root: Path, whole: tuple[str, str, bytes], monkeypatch: pytest.MonkeyPatch, wrong: str
) -> None:
    with monkeypatch.context() as patch:
        serialize = SimpleNamespace(dumps=lambda _: WRONG_PICKLES[wrong])
        patch.setattr(module, "private", SimpleNamespace(serialize=serialize))
        asked()
    (file,) = kept(root)
    assert file.read_bytes().endswith(WRONG_PICKLES[wrong])
    assert [asked(), asked()] == ["compiled", "found"]


def test_machine_code_for_another_signature_is_compiled_anew_even_if_it_is_sealed(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        dumps: Any = numba.core.serialize.dumps
        serialize = SimpleNamespace(dumps=lambda pair: dumps(("two of one name", pair[1])))
        patch.setattr(module, "private", SimpleNamespace(serialize=serialize))
        asked()
    assert [asked(), asked()] == ["compiled", "found"]


def test_a_file_of_another_kernel_signature_or_key_is_compiled_anew(
    root: Path, opened: list[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked()
    (mine,) = kept(root)
    another = fresh()
    another._cache = module.KeptKernel("rollwise.solver.another")
    assert another(*ARGUMENTS) == RIGHT
    assert fresh()(True, 7) == (2654435769 >> 20) % 7  # another signature
    with monkeypatch.context() as patch:
        patch.setenv("NUMBA_OPT", "2")
        asked()
    others = [path for path in kept(root) if path != mine]
    assert len(others) == 3
    assert sum(path.parent == mine.parent for path in others) == 2
    assert not opened
    for other in others:
        shutil.copyfile(other, mine)
        opened.clear()
        assert asked() == "compiled"
        assert not opened
        assert asked() == "found"


def test_a_folder_in_the_place_of_a_file_is_no_error(root: Path, whole: tuple[str, str, bytes]) -> None:
    file = put(root, whole, b"")
    file.unlink()
    file.mkdir()
    assert [asked(), asked()] == ["compiled", "compiled"]
    assert [path.name for path in file.parent.iterdir()] == [file.name]


# Several processes, and many versions


@pytest.mark.slow
def test_processes_that_compile_at_once_do_not_harm_each_other(tmp_path: Path) -> None:
    def solving(number: int) -> subprocess.Popen[str]:
        return start(ROOT, ROLLWISE_CACHE=str(tmp_path / str(number)), ROLLWISE_KERNELS=str(tmp_path / "k"))

    together = [solving(1), solving(2)]
    answers = [answer(process) for process in together]
    assert answers[0][0] == answers[1][0]
    files = kept(tmp_path / "k")
    assert len({path.name.partition("-")[0] for path in files}) == len(files), "leftovers"
    assert answer(solving(3)) == (answers[0][0], "1 0")


def test_nobody_meets_half_a_file_while_others_write_it(tmp_path: Path) -> None:
    path, words = tmp_path / "kernel", b"kernel\n"
    module.write_sealed(path, words, b"0")
    done = threading.Event()

    def write(number: int) -> None:
        while not done.is_set():
            module.write_sealed(path, words, bytes([number]) * number * 100_000)

    writers = [threading.Thread(target=write, args=(number,)) for number in (1, 2, 3)]
    for writer in writers:
        writer.start()
    try:
        found = [read_sealed(path, words) for _ in range(300)]
    finally:
        done.set()
        for writer in writers:
            writer.join()
    assert None not in found
    assert [path.name for path in tmp_path.iterdir()] == ["kernel"]


def test_a_write_that_fails_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "kernel"
    module.write_sealed(path, b"words", b"old")

    def full(*_: Any) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OSError, match="no space"):
        module.write_sealed(path, b"words", b"new")
    assert read_sealed(path, b"words") == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["kernel"]


def folders(root: Path, days: list[float]) -> list[Path]:
    """Folders of kernels that were last used so many days ago."""
    made = []
    for number, ago in enumerate(days):
        folder = root / hashlib.sha256(str(number).encode()).hexdigest()[:32]
        folder.mkdir()
        (folder / "sweep-1").write_bytes(b"old")
        os.utime(folder, (time.time() - ago * 86400,) * 2)
        made.append(folder)
    return made


def test_folders_of_other_keys_go_when_nobody_uses_them(tmp_path: Path) -> None:
    ours, *others = folders(tmp_path, [100, 0, 29, 31, 400])
    (tmp_path / "readme").write_text("not ours to remove")
    (tmp_path / "photographs").mkdir()
    os.utime(tmp_path / "photographs", (0, 0))
    tidy(tmp_path, ours.name)
    assert set(tmp_path.iterdir()) == {ours, *others[:2], tmp_path / "readme", tmp_path / "photographs"}


def test_of_many_folders_the_newest_stay(tmp_path: Path) -> None:
    ours, *others = folders(tmp_path, [UNUSED, *(n / 10 for n in range(MOST_KEPT + 5))])
    tidy(tmp_path, ours.name)
    assert set(tmp_path.iterdir()) == {ours, *others[:MOST_KEPT]}


def test_a_new_folder_sends_the_old_ones_away_and_a_used_one_stays(root: Path) -> None:
    root.mkdir(0o700)
    (old,) = folders(root, [31])
    asked()
    assert not old.exists()
    (file,) = kept(root)
    os.utime(file.parent, (0, 0))
    assert asked() == "found"
    assert time.time() - file.parent.stat().st_mtime < 3600
