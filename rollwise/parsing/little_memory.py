"""Little memory: an error of one line, planned where address space is limited, and caught elsewhere."""

from __future__ import annotations

import errno
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from rollwise.answers.sizes import BYTES, in_thousands
from rollwise.solver.model.errors import TooLarge
from rollwise.solver.model.memory import address_limit, free_addresses

# Bytes of address space that libraries take, loaded and used: with less some of them end the process by themselves.
LIBRARY_BYTES = {"numpy": 150_000_000, "scipy": 150_000_000, "numba": 400_000_000, "pyarrow": 350_000_000}
SHORTAGES = ("failed to map segment", "cannot allocate memory")  # words of the loader of libraries
UNEXPLAINED = "libllvmlite"  # a library that is not loaded, without the reason: with a limit it is this
NO_THREAD = "can't start new thread"


class LoadGuard:
    """A finder of modules that finds none, and stops those of LIBRARY_BYTES for which there is too little space."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        """Raise TooLarge."""
        if name in LIBRARY_BYTES:
            require_addresses(LIBRARY_BYTES[name], f"loading {name}")


def require_addresses(needed: int, what: str) -> None:
    """Raise TooLarge where the limit of address space leaves fewer bytes than ``what`` takes."""
    free = free_addresses()
    if free is not None and needed > free:
        takes, left = in_thousands(needed, BYTES), in_thousands(free, BYTES)
        raise TooLarge(f"not enough memory: {what} takes about {takes}, and ulimit -v leaves {left}")


@contextmanager
def within_memory() -> Iterator[None]:
    """Raise TooLarge, in one line, for too little memory: before a library is loaded, or as soon as it runs out."""
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
    """An error in words, if memory, or threads, have run out; else None."""
    limit = address_limit()
    there = "that is more than is free" if limit is None else f"ulimit -v allows {in_thousands(limit, BYTES)} in all"
    if NO_THREAD in str(error):
        return TooLarge("not enough memory, or processes: no other thread can be started", hint="ROLLWISE_WORKERS=1")
    is_short = isinstance(error, MemoryError) or getattr(error, "errno", None) == errno.ENOMEM
    words = str(error).lower()
    if is_short or any(sign in words for sign in SHORTAGES) or (limit is not None and UNEXPLAINED in words):
        return TooLarge(f"not enough memory: {str(error) or 'more was wanted than there is'}; {there}")
    return None
