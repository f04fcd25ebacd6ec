"""``compiled``: a kernel, and its machine code kept on disk for the next process.

numba's own cache looks at the file that a kernel stands in and at no other, and a kernel is made of more: the rows of
``lanes``, what it takes in from other kernels, constants. So machine code is kept here under one key for all that it
could depend on: every source file of the solver, numba, LLVM, the processor. Each key has a folder, in the folder that
``ROLLWISE_KERNELS`` names, else in ``kernels`` of the cache's own (``ROLLWISE_CACHE``, else the user's cache folder).

A file there is one kernel for one signature: a seal, which is a digest over the key, the kernel's name, the signature
and the bytes, and then the bytes that numba pickles. The seal is checked first; what does not fit is never unpickled.
Whatever is amiss (no file, a damaged one, a folder that others can write, nowhere to write, a numba that does this
another way) costs compiling, which is always right, and never an error: a question is answered in either case. But for
a file that is not there yet, the log (``solver.model.errors.LOG``) says what it is, once in a process.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import pickle
import re
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import FunctionType, ModuleType, SimpleNamespace
from typing import Any, TypeVar

import llvmlite
import numba
import numpy as np

from rollwise.solver.model.errors import complain
from rollwise.solver.turn.compile_listeners import tell

Kernel = TypeVar("Kernel", bound=Callable[..., Any])
private: Any = getattr(numba, "core", None)  # what numba does not promise to leave as it is: asked for when it is used

SOLVER = Path(__file__).resolve().parents[1]
KEPT = re.compile(r"[0-9a-f]{32}")  # how folders of kernels are called
MOST_KEPT = 16  # folders of other keys: versions, processors
A_DAY = 24 * 3600.0
UNUSED = 30 * A_DAY  # after so long a folder goes
SEAL = hashlib.sha256().digest_size


def compiled(*, inside: bool = False) -> Callable[[Kernel], Kernel]:
    """Compile a function of the solver by numba when it is called, without the GIL, or find it compiled.

    ``inside`` kernels that call it its machine code is written once more. LLVM does that; where numba does
    (``inline="always"``), it copies syntax, which takes as long as all the rest of compiling.
    """

    def compile_when_called(function: Kernel) -> Kernel:
        dispatcher: Any = numba.njit(nogil=True, forceinline=inside)(function)
        if SOURCES is not None and _is_ours(function):
            with contextlib.suppress(AttributeError):  # a numba that has no such place
                dispatcher._cache = KeptKernel(f"{function.__module__}.{function.__qualname__}")
        kernel: Kernel = dispatcher
        return kernel

    return compile_when_called


def is_ready(kernel: Any) -> bool:
    """Has this kernel been compiled, here or for an earlier process? Whether for these arguments is not looked at."""
    with contextlib.suppress(Exception):  # as with all that is kept: compiling would be right
        return bool(kernel.signatures) or kernel._cache.is_kept(kernel.targetctx)
    return False


def interpreted(kernels: ModuleType) -> Any:
    """The kernels of a module as plain Python: where there is little to do, they are done before they were compiled.

    Numbers of a few bits that meet a Python integer stay so short as they are: give arrays of int64 and float64.
    """
    names = dict(vars(kernels))
    for name, kernel in vars(kernels).items():
        if hasattr(kernel, "py_func"):
            names[name] = FunctionType(kernel.py_func.__code__, names, name)
    return SimpleNamespace(**names)


def fingerprint(folder: Path) -> str | None:
    """A digest over all Python files below ``folder``; None where there are none to read (a zip file, bytecode)."""
    digest = hashlib.sha256()
    try:
        files = sorted(folder.rglob("*.py"))
        for file in files:
            text = file.read_bytes()
            digest.update(f"{file.relative_to(folder).as_posix()} {len(text)}\n".encode())
            digest.update(text)
    except OSError:
        return None
    return digest.hexdigest() if files else None


def kernels_root() -> Path:
    """The folder with a folder for each key. Raises RuntimeError where the user has no folder of his own."""
    if chosen := os.environ.get("ROLLWISE_KERNELS"):
        return Path(chosen).expanduser()
    if chosen := os.environ.get("ROLLWISE_CACHE"):  # as the cache itself reads it
        return Path(chosen).expanduser() / "kernels"
    import platformdirs

    found = platformdirs.user_cache_path("rollwise")
    if not found.is_absolute():  # "~/.cache", where nobody knows what ~ is
        raise RuntimeError("no home")
    return found / "kernels"


class KeptKernel:
    """Where numba looks for the machine code of one kernel before it compiles, and puts it afterwards."""

    def __init__(self, name: str) -> None:
        self.name = name

    def load_overload(self, signature: Any, context: Any) -> Any:
        """The kernel as compiled for this signature, None if it is not kept."""
        try:
            context.refresh()
            kept = self._load(signature, context)
            if kept is not None:
                return kept
        except FileNotFoundError:
            pass
        except Exception as error:  # whatever it is: compiling is always right
            self._complain(error)
        tell(True)
        return None

    def save_overload(self, signature: Any, result: Any) -> None:
        """Keep what numba has compiled for this signature, if that can be kept."""
        tell(False)
        try:
            self._save(signature, result)
        except Exception as error:  # it works in memory
            self._complain(error)

    def is_kept(self, context: Any) -> bool:
        """Is there a file for any signature?"""
        return any((kernels_root() / _key(context)).glob(f"{self._stem()}-*"))

    def flush(self) -> None:
        """numba's ``recompile`` asks for this; a file whose key and seal are right is what it would compile again."""

    @property
    def cache_path(self) -> str | None:
        """The folder of all keys, for numba's statistics."""
        with contextlib.suppress(RuntimeError):
            return str(kernels_root())
        return None

    def _complain(self, error: Exception) -> None:
        reason = " ".join((getattr(error, "strerror", None) or str(error)).split())
        place = f"in {self.cache_path}" if self.cache_path else "anywhere"
        complain(
            f"compiled code cannot be kept {place}: {reason}; it is compiled again instead, which takes seconds; "
            "ROLLWISE_KERNELS chooses another folder"
        )

    def _load(self, signature: Any, context: Any) -> Any:
        if not _as_named():
            return None
        key = _key(context)
        folder = kernels_root() / key
        for place in (folder.parent, folder):
            require_ours(place)
        payload = read_sealed(folder / self._file(signature), self._sealed_with(key, signature))
        if payload is None:
            raise OSError(f"{self._file(signature)} is damaged, or others could write it")
        kept_signature, reduced = pickle.loads(payload)
        if kept_signature != signature:  # two of one name
            return None
        _touch(folder)
        return private.compiler.CompileResult._rebuild(context, *reduced)

    def _save(self, signature: Any, result: Any) -> None:
        if result.lifted or result.library.has_dynamic_globals:  # with addresses of this process in it
            return
        if fingerprint(SOLVER) != SOURCES:  # edited since they were read: whose machine code is this?
            return
        key = _key(result.target_context)
        folder = kernels_root() / key
        is_new = not folder.exists()
        for place in (folder.parent, folder):
            place.mkdir(mode=0o700, parents=True, exist_ok=True)
            require_ours(place)
        payload = private.serialize.dumps((signature, result._reduce()))
        write_sealed(folder / self._file(signature), self._sealed_with(key, signature), payload)
        if is_new:
            tidy(folder.parent, key)

    def _file(self, signature: Any) -> str:
        """``sweep-`` and a digest of all that tells it from other kernels and signatures."""
        whole = f"{self.name} {signature!r}"
        return f"{self._stem()}-{hashlib.sha256(whole.encode()).hexdigest()[:32]}"

    def _stem(self) -> str:
        return self.name.rpartition(".")[2]

    def _sealed_with(self, key: str, signature: Any) -> bytes:
        return f"{key} {self.name} {signature!r}\n".encode()


def read_sealed(path: Path, words: bytes) -> bytes | None:
    """What was written with the same words, None if that is not what is there, or others could have written it."""
    at_once = getattr(os, "O_NONBLOCK", 0)  # else a pipe would be waited for
    with open(path, "rb", opener=lambda name, flags: os.open(name, flags | at_once)) as file:
        if not _only_ours(os.fstat(file.fileno()), stat.S_ISREG):
            return None
        content = file.read()
    seal, payload = content[:SEAL], content[SEAL:]
    return payload if seal == _seal(words, payload) else None


def write_sealed(path: Path, words: bytes, payload: bytes) -> None:
    """Write a file whole, in place of one that is there; nobody meets half of it. Raises OSError."""
    handle, aside = tempfile.mkstemp(dir=path.parent)  # of a name of its own, and nobody else's to read or write
    try:
        with open(handle, "wb") as file:
            file.write(_seal(words, payload) + payload)
        os.replace(aside, path)
    except BaseException:  # Ctrl-C as well
        with contextlib.suppress(OSError):
            os.unlink(aside)
        raise


def tidy(root: Path, key: str) -> None:
    """Remove folders of other keys: all that were not used for long, and of the others all but the newest few."""
    others = {place: place.stat().st_mtime for place in root.iterdir() if KEPT.fullmatch(place.name)}
    others.pop(root / key, None)
    oldest_last = sorted(others, key=others.__getitem__, reverse=True)
    for number, place in enumerate(oldest_last):
        if number >= MOST_KEPT or others[place] < time.time() - UNUSED:
            shutil.rmtree(place, ignore_errors=True)


def _is_ours(function: Callable[..., Any]) -> bool:
    """Its source is one of those that the key stands for, and it takes nothing in from a function around it."""
    return Path(function.__code__.co_filename).resolve().is_relative_to(SOLVER) and function.__closure__ is None


@cache
def _as_named() -> bool:
    """Are the sources, when the first kernel is looked for, still those that the key stands for?"""
    return fingerprint(SOLVER) == SOURCES


def _key(context: Any) -> str:
    """The name of the folder for what this process compiles for this processor."""
    settings = {name: value for name, value in os.environ.items() if name.startswith("NUMBA_")}
    settings.pop("NUMBA_CACHE_DIR", None)  # of no account here
    made_by = (sys.version, numba.__version__, llvmlite.__version__, np.__version__)
    whole = repr((SOURCES, made_by, context.codegen().magic_tuple(), sorted(settings.items())))
    return hashlib.sha256(whole.encode()).hexdigest()[:32]


def _seal(words: bytes, payload: bytes) -> bytes:
    return hashlib.sha256(words + payload).digest()


def _only_ours(found: os.stat_result, kind: Callable[[int], bool]) -> bool:
    """A folder (or file) that belongs to this user, and that nobody else can write: it holds machine code."""
    if not kind(found.st_mode):
        return False
    return os.name != "posix" or (found.st_uid == os.geteuid() and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH))


def require_ours(place: Path) -> None:
    """Raise PermissionError for what is no folder of this user alone."""
    if not _only_ours(place.stat(), stat.S_ISDIR):
        raise PermissionError(f"{place} is no folder that this user alone can write")


def _touch(folder: Path) -> None:
    """Note that a folder is used, once a day."""
    with contextlib.suppress(OSError):
        if folder.stat().st_mtime < time.time() - A_DAY:
            os.utime(folder)


SOURCES = fingerprint(SOLVER)  # as near to the import of what they define as can be
