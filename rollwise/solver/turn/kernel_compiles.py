"""Compilation of kernels in this process, which takes seconds without progress the first time on a machine."""

from __future__ import annotations

from collections.abc import Callable


class KernelCompiles:
    """Number of kernels whose compilation began, and of those it runs for now. The ``observer`` takes begin and end."""

    n_begun = n_running = 0
    observer: Callable[[bool], None] | None = None

    def notify(self, begins: bool) -> None:
        """Count a compilation that begins, or has ended, and notify the observer."""
        self.n_begun += begins
        self.n_running = max(0, self.n_running + (1 if begins else -1))
        if self.observer is not None:
            self.observer(begins)


KERNEL_COMPILES = KernelCompiles()
