"""A progress bar on stderr, only on a terminal and only for work that takes a second or more."""

from __future__ import annotations

import shutil
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from rollwise.solver.game.giving_up import unheard

PATIENCE = 1.0  # seconds before anything is shown
EVERY = 0.2  # seconds between looks
LINE = "{percentage:3.0f} % {elapsed}<{remaining} {desc}|{bar}|"  # what matters most first
COMPILING = "compiling, once per machine"
HEARING: list[Callable[[float], None]] = []  # who hears of every share as well, be there a terminal or not


class Progress:
    """``share(x)`` hears how much is done, from 0 to 1; a thread of its own draws it, also while nothing moves."""

    def __init__(self, title: str, quiet: bool = False, verb: str = "solving") -> None:
        self.title = f"{verb} {title}"
        self.shown = not quiet and sys.stderr.isatty()
        self.began = time.monotonic()
        self.done = 0.0
        self.compiles = 0  # kernels that are being compiled
        self.bar: Any = None
        self._over = threading.Event()
        self._drawing: threading.Thread | None = None

    def __enter__(self) -> Progress:
        if self.shown:
            from rollwise.solver.turn import compiling

            compiling.LISTENERS.append(self._compiling)
            self._drawing = threading.Thread(target=self._draw, daemon=True)
            self._drawing.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._drawing is None:
            return
        from rollwise.solver.turn import compiling

        compiling.LISTENERS.remove(self._compiling)
        self._over.set()
        self._drawing.join()
        if self.bar is not None:
            self.bar.close()

    def share(self, done: float) -> None:
        """So much is done; work that nobody waits for any more is given up here."""
        unheard(done)
        self.done = max(self.done, min(1.0, done))  # a bar never goes back
        for hear in HEARING:
            hear(self.done)

    def _compiling(self, begins: bool) -> None:
        self.compiles = max(0, self.compiles + (1 if begins else -1))

    def _draw(self) -> None:
        """Look again and again, until the work is over."""
        while not self._over.wait(EVERY):
            elapsed = time.monotonic() - self.began
            if self.bar is None and elapsed >= PATIENCE:
                self.bar = self._made(elapsed)
            if self.bar is not None:
                self.bar.ncols = shutil.get_terminal_size().columns - 1
                self.bar.desc = label(COMPILING if self.compiles else self.title, self.bar.ncols)
                self.bar.n = round(100 * self.done, 1)
                self.bar.refresh()

    def _made(self, elapsed: float) -> Any:
        from tqdm import tqdm

        bar = tqdm(total=100, leave=False, file=sys.stderr, bar_format=LINE)
        bar.start_t -= elapsed
        return bar


def label(title: str, columns: int) -> str:
    """The title, cut so that percentage, time and a bar stand on a line of so many columns.

    >>> label("solving thunderstorm(players=8)", 80), label("solving thunderstorm(players=8)", 60)
    ('solving thunderstorm(players=8) ', 'solving thunderstorm(player... ')
    """
    room = max(10, columns - 29)
    return (title if len(title) <= room else title[: room - 3] + "...") + " "
