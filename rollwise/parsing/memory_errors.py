"""Errors of too little memory in one line: checked before loading where address space is limited, else caught."""

from __future__ import annotations

import errno
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from rollwise.solver.model.errors import TooLarge
from rollwise.solver.model.limits import address_limit, free_addresses
from rollwise.text.numbers import BYTES, in_thousands

# Bytes of address space that libraries take when used; with less, some of them end the process by themselves.
LIBRARY_BYTES = {"numpy": 150_000_000, "scipy": 150_000_000, "numba": 400_000_000, "pyarrow": 350_000_000}
SHORTAGES = ("failed to map segment", "cannot allocate memory")  # messages of the dynamic linker
LLVM_FAILURE = "libllvmlite"  # the error without its reason: under a limit it is memory
THREAD_FAILURE = "can't start new thread"


class LoadGuard:
    """A module finder that finds no module, but refuses those of LIBRARY_BYTES for which memory is too little."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        """Raise TooLarge where a library of this name would not fit."""
        if name in LIBRARY_BYTES:
            require_addresses(LIBRARY_BYTES[name], f"loading {name}")


def require_addresses(n_bytes: int, work: str) -> None:
    """Raise TooLarge where the limit of address space leaves fewer bytes than ``work`` takes."""
    free = free_addresses()
    if free is not None and n_bytes > free:
        takes, available = in_thousands(n_bytes, BYTES), in_thousands(free, BYTES)
        raise TooLarge(f"not enough memory: {work} takes about {takes}, and ulimit -v leaves {available}")


@contextmanager
def report_memory_errors() -> Iterator[None]:
    """Raise TooLarge, in one line, for too little memory: before a library loads, or as soon as memory runs out."""
    guards = [] if address_limit() is None else [LoadGuard()]
    sys.meta_path[:0] = guards
    try:
        yield
    except (MemoryError, ImportError, OSError, RuntimeError) as error:
        if (shortage := _shortage(error)) is None:
            raise
        raise shortage from error
    finally:
        for guard in guards:
            sys.meta_path.remove(guard)


def _shortage(error: Exception) -> TooLarge | None:
    """The error as TooLarge if memory or threads have run out, else None."""
    limit = address_limit()
    limits = "that is more than is free" if limit is None else f"ulimit -v allows {in_thousands(limit, BYTES)} in all"
    if THREAD_FAILURE in str(error):
        return TooLarge("not enough memory, or processes: no other thread can be started", hint="ROLLWISE_WORKERS=1")
    is_short = isinstance(error, MemoryError) or getattr(error, "errno", None) == errno.ENOMEM
    words = str(error).lower()
    if is_short or any(phrase in words for phrase in SHORTAGES) or (limit is not None and LLVM_FAILURE in words):
        return TooLarge(f"not enough memory: {str(error) or 'more was requested than is free'}; {limits}")
    return None
