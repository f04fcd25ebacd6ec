"""Who hears that kernels are being compiled: the first time on a machine that takes seconds, in which nothing moves."""

from __future__ import annotations

from collections.abc import Callable

LISTENERS: list[Callable[[bool], None]] = []


def tell(begins: bool) -> None:
    """Let everybody who listens know that compiling begins, or has ended."""
    for listener in tuple(LISTENERS):
        listener(begins)
