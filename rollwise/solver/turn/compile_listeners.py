"""Listeners to the compilation of kernels, which takes seconds without progress the first time on a machine."""

from __future__ import annotations

from collections.abc import Callable

LISTENERS: list[Callable[[bool], None]] = []


def notify_listeners(begins: bool) -> None:
    """Notify all listeners that compilation begins, or has ended."""
    for listener in tuple(LISTENERS):
        listener(begins)
