"""Results that cannot be stored: they stay in the memory of this process, and the reason is noted once."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

from rollwise.cache.settings import default_root
from rollwise.cache.store import DamagedEntry, Entry, Store, StoreError
from rollwise.solutions.notes import note
from rollwise.solver.model.errors import NOT_LOGGED
from rollwise.solver.model.limits import evict_oldest

Result = TypeVar("Result")
MAX_RESULTS_IN_MEMORY = 8  # the oldest goes first
_RESULTS: dict[tuple[str, str], tuple[Any, StoreError | None]] = {}  # by root of the store and key, with the reason
_NOTED_ERRORS: set[tuple[str, int | None]] = set()  # roots, and error numbers already noted


def note_store_error(error: StoreError) -> None:
    """Note an error of the cache: once in a process for a folder that cannot be used."""
    if isinstance(error, DamagedEntry):
        note(str(error))
        return
    root_and_errno = str(default_root()), getattr(error.__cause__, "errno", None)
    if root_and_errno not in _NOTED_ERRORS:
        _NOTED_ERRORS.add(root_and_errno)
        if not os.environ.get("ROLLWISE_KERNELS"):
            NOT_LOGGED.clear()  # machine code goes to the same folder
        note(f"{error}; meanwhile answers stay in memory, for this process alone")


@contextmanager
def noting_store_errors() -> Iterator[None]:
    """Note an error of the cache inside the block, which ends there."""
    try:
        yield
    except StoreError as error:
        note_store_error(error)


def read_stored(store: Store, key: str, parse: Callable[[Entry], Result]) -> Result | None:
    """Answer that ``parse`` makes of an entry, which is used now; None where there is none.

    One that is damaged is noted and removed, and a folder that cannot be read is noted.
    """
    with noting_store_errors():
        try:
            if (entry := store.read(key)) is not None:
                store.touch(key)
                return parse(entry)
        except StoreError:
            with suppress(StoreError):
                store.remove(key)
            raise
    return None


def remember(store: Store, key: str, result: Any, error: StoreError | None = None) -> None:
    """Store a result in memory in place of an entry, and note the error that is the reason, if any."""
    if error is not None:
        note_store_error(error)
    _RESULTS[str(store.root), key] = result, error
    evict_oldest(_RESULTS, MAX_RESULTS_IN_MEMORY)


def recall(store: Store, key: str) -> Any | None:
    """Result in memory; None where there is none."""
    return _RESULTS.get((str(store.root), key), (None, None))[0]


def results_in_memory(sort: type[Result]) -> list[Result]:
    """Results of a class that are in memory."""
    return [result for result, _ in list(_RESULTS.values()) if isinstance(result, sort)]


def reason_not_stored(store: Store, key: str) -> StoreError | None:
    """Error for which a result is in memory only; None where there is none."""
    return _RESULTS.get((str(store.root), key), (None, None))[1]
