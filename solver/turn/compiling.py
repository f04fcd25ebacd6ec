"""Who hears that kernels are being compiled: the first time on a machine that takes seconds, in which nothing moves.

And who hears, once in a process, why they are not kept, so that it will take as long the next time.
"""

from __future__ import annotations

from collections.abc import Callable

LISTENERS: list[Callable[[bool], None]] = []
COMPLAINTS: list[Callable[[str], None]] = []  # who is told what is amiss
untold = [True]  # empty once it is told


def tell(begins: bool) -> None:
    """Let everybody who listens know that compiling begins, or has ended."""
    for listener in tuple(LISTENERS):
        listener(begins)


def complain(text: str) -> None:
    """Let everybody who listens know what is amiss with the kernels that are kept; only the first time."""
    if untold:
        untold.clear()
        for listener in tuple(COMPLAINTS):
            listener(text)
