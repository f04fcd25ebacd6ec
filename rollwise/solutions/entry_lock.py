"""Lock of a cache entry, with notes to the user while another process solves the same game."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

from rollwise.cache.store import EntryBusy, Store
from rollwise.solutions.notes import note
from rollwise.solutions.progress import format_time_left

FIRST_NOTE_S, SECOND_NOTE_S, NEXT_NOTES_S = 0.5, 60.0, 900.0  # seconds until each note


@contextmanager
def locking(store: Store, key: str, planned: Callable[[], float] = lambda: 0.0) -> Iterator[None]:
    """Hold the lock of this key inside the block; while waiting, note the holder, and how far its checkpoint is of
    ``planned`` seconds. Raises ``StoreError``.
    """
    with ExitStack() as locks:
        timeouts = iter((FIRST_NOTE_S, SECOND_NOTE_S))
        timeout, is_noted = next(timeouts), False
        while True:
            try:
                locks.enter_context(store.lock(key, timeout=timeout, has_note=True))
                break
            except EntryBusy:
                timeout = next(timeouts, NEXT_NOTES_S)
            is_own_process = store.is_locked_here(key)
            holder = f"another {'thread' if is_own_process else 'process'}"
            share = store.checkpoint(key).done()
            rest = "" if share is None else format_time_left((1 - share) * planned())
            extent = "" if share is None else f" ({100 * share:.0f} % is done, {rest})"
            if is_noted:
                other_cache = f"ROLLWISE_CACHE={tempfile.gettempdir()}/rollwise"
                note(
                    f"still waiting for {key}{extent}: {holder if is_own_process else store.holder(key)} holds "
                    f"its lock; with {other_cache} before it the same command goes on without"
                )
            else:
                note(f"{holder} is solving this game{extent}; waiting for it (Ctrl-C to stop)")
                is_noted = True
        yield
