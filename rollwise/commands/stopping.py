"""Being told to stop from outside: a terminal that is closed, a machine that goes down, stop a game as Ctrl-C does."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

NAMES = ("SIGTERM", "SIGHUP")  # not every system has both


@contextmanager
def told_to_stop() -> Iterator[None]:
    """What ends the process raises KeyboardInterrupt in here; what somebody chose not to hear stays unheard."""
    heard = [found for name in NAMES if (found := getattr(signal, name, None)) is not None]
    unchosen = [each for each in heard if signal.getsignal(each) is signal.SIG_DFL]
    for each in unchosen:
        signal.signal(each, _stop)
    try:
        yield
    finally:
        for each in unchosen:
            signal.signal(each, signal.SIG_DFL)


def _stop(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt
