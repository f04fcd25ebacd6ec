"""Kernels compiled by numba (``compiled``), with a cache of their machine code on disk.

numba's own cache depends only on the file of a kernel, but its machine code depends on more: the rows of ``lanes``,
kernels inlined into it, constants. So this cache has one key for all inputs: every source file of the solver, numba,
LLVM, the processor. Each key has a folder, in the folder of ``ROLLWISE_KERNELS``, else in ``kernels`` of the cache's
(``ROLLWISE_CACHE``, else the user's cache folder).

A file there is one kernel for one signature: a seal, which is a digest over the key, the kernel's name, the signature
and the bytes, and then the bytes that numba pickles. The seal is checked first; a file with a wrong one is never
unpickled. A fault (no file, a damaged one, a folder that others can write, nowhere to write, a numba with other
internals) costs compilation, which is always right, and never an error: a question is answered in either case. Except
for a missing file, the log (``solver.model.errors.LOG``) has the fault, once in a process.
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
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import FunctionType, ModuleType, SimpleNamespace
from typing import Any, TypeVar

import llvmlite
import numba
import numpy as np

from rollwise.cache.errors import NOWHERE, StoreError
from rollwise.cache.files import DAY_S, NotRegular, open_regular, write_whole
from rollwise.cache.settings import default_root
from rollwise.solver.model.errors import log_once
from rollwise.solver.turn.kernel_compiles import KERNEL_COMPILES

Kernel = TypeVar("Kernel", bound=Callable[..., Any])
private: Any = getattr(numba, "core", None)  # numba's internals, which may change: read only where they are used

SOLVER = Path(__file__).resolve().parents[1]
KEY_FOLDER = re.compile(r"[0-9a-f]{32}")  # names of folders of kernels
MAX_KEY_FOLDERS = 16  # folders of other keys: versions, processors
UNUSED_FOLDER_S = 30 * DAY_S  # then a folder is removed
FILE_MODE = 0o600  # machine code is for this user alone
SEAL_BYTES = hashlib.sha256().digest_size


def compiled(*, inside: bool = False) -> Callable[[Kernel], Kernel]:
    """Decorator that compiles a function by numba at its first call, without the GIL, or loads it from the cache.

    ``inside``: LLVM inlines its machine code into kernels that call it. numba's own inlining (``inline="always"``)
    copies syntax, which takes as long as all the rest of compilation.
    """

    def compile_when_called(function: Kernel) -> Kernel:
        dispatcher: Any = numba.njit(nogil=True, forceinline=inside)(function)
        if SOURCES is not None and _is_ours(function):
            with contextlib.suppress(AttributeError):  # a numba without this attribute
                dispatcher._cache = CachedKernel(f"{function.__module__}.{function.__qualname__}")
        kernel: Kernel = dispatcher
        return kernel

    return compile_when_called


def is_ready(kernel: Any) -> bool:
    """True where this kernel has been compiled, here or in an earlier process, for any arguments."""
    with contextlib.suppress(Exception):  # compiling is always right
        return bool(kernel.signatures) or kernel._cache.is_cached(kernel.targetctx)
    return False


def interpreted(kernels: ModuleType) -> Any:
    """The kernels of a module as plain Python, for tasks shorter than their compilation.

    Narrow numbers stay narrow beside a Python integer and may overflow: pass arrays of int64 and float64.
    """
    names = dict(vars(kernels))
    for name, kernel in vars(kernels).items():
        if hasattr(kernel, "py_func"):
            names[name] = FunctionType(kernel.py_func.__code__, names, name)
    return SimpleNamespace(**names)


def fingerprint(folder: Path) -> str | None:
    """A digest over all Python files below ``folder``; None where none can be read (a zip file, bytecode)."""
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
    """The folder with a folder for each key. Raises RuntimeError or StoreError where the user has none of his own."""
    if chosen := os.environ.get("ROLLWISE_KERNELS"):
        return Path(chosen).expanduser()
    root = default_root()
    if root == NOWHERE:
        raise RuntimeError("no home")
    return root / "kernels"


class CachedKernel:
    """The cache of one kernel's machine code, which numba reads before it compiles and writes afterwards."""

    def __init__(self, name: str) -> None:
        self.name = name

    def load_overload(self, signature: Any, context: Any) -> Any:
        """The kernel as compiled for this signature; None if it is not cached."""
        try:
            context.refresh()
            loaded = self._load(signature, context)
            if loaded is not None:
                return loaded
        except FileNotFoundError:
            pass
        except Exception as error:  # compiling is always right
            self._log(error)
        KERNEL_COMPILES.notify(True)
        return None

    def save_overload(self, signature: Any, result: Any) -> None:
        """Store the machine code for this signature, if it can be stored."""
        KERNEL_COMPILES.notify(False)
        try:
            self._save(signature, result)
        except Exception as error:  # it works in memory
            self._log(error)

    def is_cached(self, context: Any) -> bool:
        """True where there is a file for any signature."""
        return any((kernels_root() / _key(context)).glob(f"{self._stem()}-*"))

    def flush(self) -> None:
        """Nothing, for numba's ``recompile``: a file with the right key and seal equals a new compilation."""

    @property
    def cache_path(self) -> str | None:
        """The folder of all keys, for numba's statistics."""
        with contextlib.suppress(RuntimeError, StoreError):
            return str(kernels_root())
        return None

    def _log(self, error: Exception) -> None:
        reason = " ".join((getattr(error, "strerror", None) or str(error)).split())
        place = f"in {self.cache_path}" if self.cache_path else "anywhere"
        log_once(
            f"compiled code cannot be kept {place}: {reason}; it is compiled again instead, which takes seconds; "
            "ROLLWISE_KERNELS chooses another folder"
        )

    def _load(self, signature: Any, context: Any) -> Any:
        if not _is_unchanged():
            return None
        key = _key(context)
        folder = kernels_root() / key
        for place in (folder.parent, folder):
            require_ours(place)
        payload = read_sealed(folder / self._file(signature), self._sealed_with(key, signature))
        if payload is None:
            raise OSError(f"{self._file(signature)} is damaged, or others could write it")
        stored_signature, reduced = pickle.loads(payload)
        if stored_signature != signature:  # two of one name
            return None
        _touch(folder)
        return private.compiler.CompileResult._rebuild(context, *reduced)

    def _save(self, signature: Any, result: Any) -> None:
        if result.lifted or result.library.has_dynamic_globals:  # with addresses of this process in it
            return
        if fingerprint(SOLVER) != SOURCES:  # edited since they were read: the key would be wrong
            return
        key = _key(result.target_context)
        folder = kernels_root() / key
        is_new = not folder.exists()
        for place in (folder.parent, folder):
            place.mkdir(mode=0o700, parents=True, exist_ok=True)
            require_ours(place)
        payload = private.serialize.dumps((signature, result._reduce()))
        seal = _seal(self._sealed_with(key, signature), payload)
        write_whole(folder / self._file(signature), seal + payload, FILE_MODE)
        if is_new:
            tidy(folder.parent, key)

    def _file(self, signature: Any) -> str:
        """``sweep-`` and a digest of the kernel's full name and signature."""
        text = f"{self.name} {signature!r}"
        return f"{self._stem()}-{hashlib.sha256(text.encode()).hexdigest()[:32]}"

    def _stem(self) -> str:
        return self.name.rpartition(".")[2]

    def _sealed_with(self, key: str, signature: Any) -> bytes:
        return f"{key} {self.name} {signature!r}\n".encode()


def read_sealed(path: Path, label: bytes) -> bytes | None:
    """The payload sealed with the same label; None if the seal is wrong or others could have written the file."""
    content = b""
    with contextlib.suppress(NotRegular), open_regular(path) as file:
        if _is_only_ours(os.fstat(file.fileno())):
            content = file.read()
    seal, payload = content[:SEAL_BYTES], content[SEAL_BYTES:]
    return payload if seal == _seal(label, payload) else None


def tidy(root: Path, key: str) -> None:
    """Remove folders of other keys: those unused for UNUSED_FOLDER_S, and all but the newest MAX_KEY_FOLDERS."""
    others = {place: place.stat().st_mtime for place in root.iterdir() if KEY_FOLDER.fullmatch(place.name)}
    others.pop(root / key, None)
    oldest_last = sorted(others, key=others.__getitem__, reverse=True)
    for number, place in enumerate(oldest_last):
        if number >= MAX_KEY_FOLDERS or others[place] < time.time() - UNUSED_FOLDER_S:
            shutil.rmtree(place, ignore_errors=True)


def _is_ours(function: Callable[..., Any]) -> bool:
    """True where its source is covered by the key, and it has no closure."""
    return Path(function.__code__.co_filename).resolve().is_relative_to(SOLVER) and function.__closure__ is None


@cache
def _is_unchanged() -> bool:
    """True where the sources, at the first look-up of a kernel, are still those of the key."""
    return fingerprint(SOLVER) == SOURCES


def _key(context: Any) -> str:
    """The name of the folder for kernels that this process compiles for this processor."""
    settings = {name: value for name, value in os.environ.items() if name.startswith("NUMBA_")}
    settings.pop("NUMBA_CACHE_DIR", None)  # irrelevant here
    versions = (sys.version, numba.__version__, llvmlite.__version__, np.__version__)
    text = repr((SOURCES, versions, context.codegen().magic_tuple(), sorted(settings.items())))
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _seal(label: bytes, payload: bytes) -> bytes:
    return hashlib.sha256(label + payload).digest()


def _is_only_ours(status: os.stat_result) -> bool:
    """True for a folder (or file) of this user that no other user can write: it holds machine code."""
    return os.name != "posix" or (status.st_uid == os.geteuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH))


def require_ours(place: Path) -> None:
    """Raise PermissionError unless it is a folder that this user alone can write."""
    status = place.stat()
    if not (stat.S_ISDIR(status.st_mode) and _is_only_ours(status)):
        raise PermissionError(f"{place} is no folder that this user alone can write")


def _touch(folder: Path) -> None:
    """Update the time of a folder's last use, once a day."""
    with contextlib.suppress(OSError):
        if folder.stat().st_mtime < time.time() - DAY_S:
            os.utime(folder)


SOURCES = fingerprint(SOLVER)  # as close to the import of these sources as possible
