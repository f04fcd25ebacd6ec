"""A progress bar on stderr, for commands at a terminal alone, and only for work that takes a second or more."""

from __future__ import annotations

import shutil
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from rollwise.answers.sizes import time_in_words
from rollwise.solutions.notes import is_at_the_terminal
from rollwise.solver.model.cancellation import no_progress

PATIENCE = 1.0  # seconds before anything is shown
EVERY = 0.2  # seconds between looks
LINE = "{percentage:3.0f} % {elapsed} {desc}|{bar}|"  # what matters most first
TRUST = 0.03  # so much of the work has to be measured until that counts as much as the plan
COMPILING = "compiling, once per machine"
HEARING: list[Callable[[float], None]] = []  # who hears of every share as well, be there a terminal or not


class Pace:
    """How many seconds work will take yet: as planned at first, then more and more by how fast it was so far.

    That is measured from the first share on: before it machine code is made, and what an earlier run did is taken up.
    """

    def __init__(self, planned: float = 0.0, clock: Callable[[], float] = time.monotonic) -> None:
        self.planned, self._clock = planned, clock
        self._began = self._last = clock()  # when the first share was told, and the last
        self._first: float | None = None  # that share
        self._done = 0.0

    def share(self, done: float) -> None:
        """So much is done, from 0 to 1."""
        self._last, self._done = self._clock(), done
        if self._first is None:
            self._first, self._began = done, self._last

    @property
    def left(self) -> float | None:
        """Seconds; where nothing is told for long, as long again. None where nothing was planned or measured."""
        trust = TRUST if self.planned else 0.0
        measured = self._done - (self._first or 0.0) + trust
        if not measured:
            return None
        expected = (1 - self._done) * (self._last - self._began + trust * self.planned) / measured
        silence = self._clock() - self._last
        return max(expected - silence, silence)


def time_left(seconds: float) -> str:
    """Seconds that are left, in words.

    >>> time_left(0.4), time_left(17.2), time_left(47)
    ('about a second left', 'about 17 seconds left', 'about 50 seconds left')
    >>> time_left(104), time_left(5000)
    ('about 2 minutes left', 'about 1.4 hours left')
    """
    step = 1 if seconds < 20 else 10 if seconds < 55 else 60 if seconds < 3570 else 360
    return f"about {time_in_words(step * round(seconds / step))} left"


class Progress:
    """``share(x)`` hears how much is done, from 0 to 1; a thread of its own draws it, also while nothing moves.

    ``planned`` reckons how many seconds it will take, and is asked where a bar is shown.
    """

    def __init__(
        self, title: str, quiet: bool = False, verb: str = "solving", planned: Callable[[], float] | None = None
    ) -> None:
        self.title = f"{verb} {title}"
        self.shown = not quiet and is_at_the_terminal() and sys.stderr.isatty()
        self.began = time.monotonic()
        self.done = 0.0
        self.compiles = 0  # kernels that are being compiled
        self.bar: Any = None
        self.pace, self.planned = Pace(), planned
        self._over = threading.Event()
        self._drawing: threading.Thread | None = None

    def __enter__(self) -> Progress:
        if self.shown:
            from rollwise.solver.turn import compile_listeners

            compile_listeners.LISTENERS.append(self._compiling)
            self._drawing = threading.Thread(target=self._draw, daemon=True)
            self._drawing.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._drawing is None:
            return
        from rollwise.solver.turn import compile_listeners

        compile_listeners.LISTENERS.remove(self._compiling)
        self._over.set()
        self._drawing.join()
        if self.bar is not None:
            self.bar.close()

    def share(self, done: float) -> None:
        """So much is done; work that nobody waits for any more is given up here."""
        no_progress(done)
        self.done = max(self.done, min(1.0, done))  # a bar never goes back
        if self.shown:
            self.pace.share(self.done)
        for hear in HEARING:
            hear(self.done)

    def _compiling(self, begins: bool) -> None:
        self.compiles = max(0, self.compiles + (1 if begins else -1))

    def _draw(self) -> None:
        """Look again and again, until the work is over."""
        while not self._over.wait(EVERY):
            elapsed = time.monotonic() - self.began
            if self.bar is None and elapsed >= PATIENCE:
                self.pace.planned = self.planned() if self.planned else 0.0
                self.bar = self._made(elapsed)
            if self.bar is not None:
                self.bar.ncols = shutil.get_terminal_size().columns - 1
                left = self.pace.left
                title = self.title if left is None else f"{time_left(left)}, {self.title}"
                self.bar.desc = label(COMPILING if self.compiles else title, self.bar.ncols)
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
