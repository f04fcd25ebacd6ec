"""Compilation of kernels in this process, which takes seconds without progress the first time on a machine."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager


class KernelCompiles:
    """Number of kernels whose compilation began, and of those it runs for now. The ``observer`` takes begin and end."""

    def __init__(self) -> None:
        self.n_begun = self.n_running = 0
        self.observer: Callable[[bool], None] = lambda begins: None

    def notify(self, begins: bool) -> None:
        """Count a compilation that begins, or has ended, and notify the observer."""
        self.n_begun += begins
        self.n_running = max(0, self.n_running + (1 if begins else -1))
        self.observer(begins)

    @contextmanager
    def observed_by(self, observer: Callable[[bool], None]) -> Iterator[None]:
        """Let this observer take the place of any other inside the block."""
        before, self.observer = self.observer, observer
        try:
            yield
        finally:
            self.observer = before


KERNEL_COMPILES = KernelCompiles()
