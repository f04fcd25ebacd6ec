"""Waiting for others who work on the same game: never without a word, and never longer than is wished."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

from rollwise.cache.store import EntryBusy, Store
from rollwise.solutions.notes import note
from rollwise.solutions.progress import time_left

AT_ONCE, PATIENCE, AGAIN = 0.5, 60.0, 900.0  # seconds until it is told that, for whom, and again for whom one waits


@contextmanager
def locked(store: Store, key: str, planned: Callable[[], float] = lambda: 0.0) -> Iterator[None]:
    """Work on this key, once nobody else does; whoever waits is told for whom, and how far that one was, of so many
    seconds, when it kept what it had. Raises ``StoreError``.
    """
    with ExitStack() as locks:
        while_waiting = iter((AT_ONCE, PATIENCE))
        wait, is_told = next(while_waiting), False
        while True:
            try:
                locks.enter_context(store.lock(key, timeout=wait, noted=True))
                break
            except EntryBusy:
                wait = next(while_waiting, AGAIN)
            is_here = store.is_held_here(key)
            other = f"another {'thread' if is_here else 'process'}"
            done = store.checkpoint(key).done()
            far = "" if done is None else f" ({100 * done:.0f} % is done, {time_left((1 - done) * planned())})"
            if is_told:
                elsewhere = f"ROLLWISE_CACHE={tempfile.gettempdir()}/rollwise"
                note(
                    f"still waiting for {key}{far}: {other if is_here else store.holder(key)} holds its lock; "
                    f"with {elsewhere} before it the same command goes on without"
                )
            else:
                note(f"{other} is solving this game{far}; waiting for it (Ctrl-C to stop)")
                is_told = True
        yield
