"""A progress bar on stderr, for commands at a terminal alone, and only for work that takes a second or more."""

from __future__ import annotations

import shutil
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from rollwise.solutions.notes import is_command_line
from rollwise.solver.model.cancellation import TOKEN
from rollwise.text.numbers import time_in_words

BAR_DELAY_S = 1.0  # seconds before anything is shown
REFRESH_S = 0.2
BAR_FORMAT = "{percentage:3.0f} % {elapsed} {desc}|{bar}|"  # what matters most first
PLAN_WEIGHT = 0.03  # share of the work that, measured, counts as much as the plan
COMPILING = "compiling, once per machine"


class PaceEstimate:
    """Estimate of the seconds that work still takes: the plan at first, then more and more the measured pace.

    The pace is measured from the first share on: before it kernels are compiled and checkpoints loaded.
    """

    def __init__(self, planned: float = 0.0, clock: Callable[[], float] = time.monotonic) -> None:
        self.planned, self._clock = planned, clock
        self._began = self._last = clock()  # times of the first share and of the last
        self._first: float | None = None  # the first share
        self._done = 0.0

    def share(self, done: float) -> None:
        """Take the share that is done, from 0 to 1."""
        self._last, self._done = self._clock(), done
        if self._first is None:
            self._first, self._began = done, self._last

    @property
    def seconds_left(self) -> float | None:
        """Seconds; after a long silence as long again. None where nothing was planned or measured."""
        trust = PLAN_WEIGHT if self.planned else 0.0
        weight = self._done - (self._first or 0.0) + trust
        if not weight:
            return None
        remaining_s = (1 - self._done) * (self._last - self._began + trust * self.planned) / weight
        silent_s = self._clock() - self._last
        return max(remaining_s - silent_s, silent_s)


def format_time_left(seconds: float) -> str:
    """Remaining seconds in words.

    >>> format_time_left(0.4), format_time_left(17.2), format_time_left(47)
    ('about a second left', 'about 17 seconds left', 'about 50 seconds left')
    >>> format_time_left(104), format_time_left(5000)
    ('about 2 minutes left', 'about 1.4 hours left')
    """
    step = 1 if seconds < 20 else 10 if seconds < 55 else 60 if seconds < 3570 else 360
    return f"about {time_in_words(step * round(seconds / step))} left"


class Progress:
    """Progress of a piece of work: ``share(x)`` takes the share done, from 0 to 1; a thread draws the bar.

    ``planned`` estimates the seconds of the work; it is called only where a bar is shown. The token of the work takes
    every share too, with or without a terminal, and cancels it.
    """

    def __init__(
        self, title: str, quiet: bool = False, verb: str = "solving", planned: Callable[[], float] | None = None
    ) -> None:
        self.title = f"{verb} {title}"
        self.shown = not quiet and is_command_line() and sys.stderr.isatty()
        self.began = time.monotonic()
        self.done = 0.0
        self.token = TOKEN.get()
        self.bar: Any = None
        self.pace, self.planned = PaceEstimate(), planned
        self._over = threading.Event()
        self._drawing: threading.Thread | None = None

    def __enter__(self) -> Progress:
        if self.shown:
            from rollwise.solver.turn.kernel_compiles import KERNEL_COMPILES

            compiles = KERNEL_COMPILES, KERNEL_COMPILES.n_running  # one that failed counts as running
            self._drawing = threading.Thread(target=self._draw, args=compiles, daemon=True)
            self._drawing.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._drawing is not None:
            self._over.set()
            self._drawing.join()
        if self.bar is not None:
            self.bar.close()

    def share(self, done: float) -> None:
        """Take the share that is done; cancelled work raises here."""
        self.token.raise_if_cancelled()
        self.done = max(self.done, min(1.0, done))  # a bar never goes back
        if self.shown:
            self.pace.share(self.done)
        self.token.on_share(self.done)

    def _draw(self, compiles: Any, n_before: int) -> None:
        """Redraw the bar until the work is over."""
        while not self._over.wait(REFRESH_S):
            elapsed = time.monotonic() - self.began
            if self.bar is None and elapsed >= BAR_DELAY_S:
                self.pace.planned = self.planned() if self.planned else 0.0
                self.bar = self._open_bar(elapsed)
            if self.bar is not None:
                self.bar.ncols = shutil.get_terminal_size().columns - 1
                seconds_left = self.pace.seconds_left
                title = self.title if seconds_left is None else f"{format_time_left(seconds_left)}, {self.title}"
                self.bar.desc = fit_title(COMPILING if compiles.n_running > n_before else title, self.bar.ncols)
                self.bar.n = round(100 * self.done, 1)
                self.bar.refresh()

    def _open_bar(self, elapsed: float) -> Any:
        from tqdm import tqdm

        bar = tqdm(total=100, leave=False, file=sys.stderr, bar_format=BAR_FORMAT)
        bar.start_t -= elapsed
        return bar


def fit_title(title: str, columns: int) -> str:
    """Title, cut so that percentage, time and a bar fit on a line of so many columns.

    >>> fit_title("solving thunderstorm(players=8)", 80), fit_title("solving thunderstorm(players=8)", 60)
    ('solving thunderstorm(players=8) ', 'solving thunderstorm(player... ')
    """
    max_chars = max(10, columns - 29)
    return (title if len(title) <= max_chars else title[: max_chars - 3] + "...") + " "
