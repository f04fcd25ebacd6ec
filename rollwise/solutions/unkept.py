"""Results that no folder keeps: they stay in the memory of this process, and the reason is noted once."""

from __future__ import annotations

import os
from typing import Any, TypeVar

from rollwise.cache.settings import default_root
from rollwise.cache.store import DamagedEntry, Store, StoreError
from rollwise.solutions.notes import note
from rollwise.solver.model.errors import UNTOLD
from rollwise.solver.model.memory import keep_newest

Result = TypeVar("Result")
MAX_RESULTS = 8  # in memory; what came first goes
_UNKEPT: dict[tuple[str, str], tuple[Any, StoreError | None]] = {}  # by root of the store and key, with why
_TOLD: set[tuple[str, int | None]] = set()  # roots, and the errors of the system that were told of them


def note_store_error(error: StoreError) -> None:
    """Note what is wrong with the cache: once in a process for a folder that cannot be used."""
    if isinstance(error, DamagedEntry):
        note(str(error))
        return
    cause = str(default_root()), getattr(error.__cause__, "errno", None)
    if cause not in _TOLD:
        _TOLD.add(cause)
        if not os.environ.get("ROLLWISE_KERNELS"):
            UNTOLD.clear()  # machine code goes to the same folder
        note(f"{error}; meanwhile answers stay in memory, for this process alone")


def remember(store: Store, key: str, result: Any, error: StoreError | None = None) -> None:
    """Hold a result in memory in place of an entry of the store, and note the error that is the reason, if any."""
    if error is not None:
        note_store_error(error)
    _UNKEPT[str(store.root), key] = result, error
    keep_newest(_UNKEPT, MAX_RESULTS)


def recall(store: Store, key: str) -> Any | None:
    """The result in memory; None where there is none."""
    return _UNKEPT.get((str(store.root), key), (None, None))[0]


def in_memory(sort: type[Result]) -> list[Result]:
    """The results of a sort that are in memory."""
    return [result for result, _ in list(_UNKEPT.values()) if isinstance(result, sort)]


def reason_unkept(store: Store, key: str) -> StoreError | None:
    """The error for which a result is in memory alone; None where there is none."""
    return _UNKEPT.get((str(store.root), key), (None, None))[1]
