"""A progress bar on stderr, only on a terminal and only for work that takes a second or more."""

from __future__ import annotations

import sys
import time
from typing import Any

PATIENCE = 1.0  # seconds before anything is shown


class Progress:
    """``share(x)`` hears how much is done, from 0 to 1."""

    def __init__(self, title: str, quiet: bool = False, verb: str = "solving") -> None:
        self.title = f"{verb} {title}"
        self.shown = not quiet and sys.stderr.isatty()
        self.began = time.monotonic()
        self.bar: Any = None

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        if self.bar is not None:
            self.bar.close()

    def share(self, done: float) -> None:
        """Move the bar."""
        if not self.shown or time.monotonic() - self.began < PATIENCE:
            return
        if self.bar is None:
            from tqdm import tqdm

            self.bar = tqdm(
                total=100,
                desc=self.title,
                unit="%",
                leave=False,
                file=sys.stderr,
                bar_format="{desc}: {percentage:3.0f} %|{bar}| {elapsed}<{remaining}",
            )
        self.bar.n = min(100, round(100 * done, 1))
        self.bar.refresh()
