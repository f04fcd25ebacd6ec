"""Screen output as text: line width, colour, bars and dice. Nothing here prints.

Colour only ever repeats what the text says. Where the output cannot write box characters, plain letters stand for them.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TextIO

MAX_LINE_CHARS, MIN_LINE_CHARS = 100, 40  # whatever the width of the terminal
_MAX_LINE: ContextVar[int] = ContextVar("the widest line", default=MAX_LINE_CHARS)
ALL_MARKS = "╭─╮│╰╯●▏▎▍▌▋▊▉█"
PLAIN_LOCALES = ("C", "POSIX")

# Foreground colours of the 256, each with a contrast of at least 3.5 to black and to white; good and bad differ
# for red-green colour-blind users too.
INKS = {"good": "38;5;29", "bad": "38;5;166", "mark": "38;5;62", "faint": "38;5;243", "strong": "1"}

# Background and foreground of a value from the worst to the best; light text on strong colours at both ends.
HEAT = ("48;5;130;38;5;231", "48;5;180;38;5;16", "48;5;253;38;5;16", "48;5;116;38;5;16", "48;5;24;38;5;231")
EIGHTHS = " ▏▎▍▌▋▊▉"
ESCAPES = re.compile(r"\x1b\[[0-9;]*m")


@dataclass(frozen=True)
class Screen:
    """Abilities of an output: ``width`` characters a line, ``color``, and ``marks``: boxes and blocks."""

    width: int = 80
    color: bool = False
    marks: bool = True


def screen(stream: TextIO | None = None) -> Screen:
    """The abilities of an output, by default of standard output."""
    stream = stream or sys.stdout
    return Screen(line_width(), has_color(stream, os.environ), has_marks(stream, os.environ))


def line_width() -> int:
    """The width of a line of text, in characters."""
    return min(_MAX_LINE.get(), max(MIN_LINE_CHARS, shutil.get_terminal_size((80, 24)).columns))


@contextmanager
def limit_width(max_chars: int) -> Iterator[None]:
    """Limit the width of lines inside the block."""
    token = _MAX_LINE.set(max_chars)
    try:
        yield
    finally:
        _MAX_LINE.reset(token)


def has_color(stream: TextIO, environment: Mapping[str, str]) -> bool:
    """True on a terminal with colour, unless ``NO_COLOR`` is set; or where ``FORCE_COLOR`` is."""
    if environment.get("NO_COLOR"):
        return False
    if any(environment.get(name, "0") not in ("", "0") for name in ("FORCE_COLOR", "CLICOLOR_FORCE")):
        return True
    if environment.get("CLICOLOR") == "0" or environment.get("TERM", "dumb") == "dumb":
        return False
    return stream.isatty()


def has_marks(stream: TextIO, environment: Mapping[str, str]) -> bool:
    """True if the output can encode box characters and blocks, and the locale is not the plain one.

    Python turns the plain locale into UTF-8, and then sets ``LC_CTYPE``.
    """
    category = environment.get("LC_CTYPE", "")
    locale = environment.get("LC_ALL") or ("" if category == "C.UTF-8" else category) or environment.get("LANG")
    if locale in PLAIN_LOCALES:
        return False
    try:
        ALL_MARKS.encode(stream.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


# --- colour -----------------------------------------------------------------------------------------------------------


def paint(text: str, ink: str, on: Screen) -> str:
    """Text in one of the ``INKS``, if the screen has colour.

    >>> paint("42.0 %", "good", Screen()), paint("42.0 %", "good", Screen(color=True))
    ('42.0 %', '\\x1b[38;5;29m42.0 %\\x1b[0m')
    """
    return f"\x1b[{INKS[ink]}m{text}\x1b[0m" if on.color and text else text


def paint_heat(text: str, share: float, on: Screen) -> str:
    """Text on a background colour between that of the worst (0) and of the best (1)."""
    step = min(len(HEAT) - 1, max(0, int(share * len(HEAT))))
    return f"\x1b[{HEAT[step]}m{text}\x1b[0m" if on.color and text else text


def visible_len(text: str) -> int:
    """The number of visible characters.

    >>> visible_len(paint("42.0 %", "good", Screen(color=True)))
    6
    """
    return len(ESCAPES.sub("", text)) if "\x1b" in text else len(text)


def ljust(text: str, width: int) -> str:
    """Text flush left, padded to so many visible characters."""
    return text + " " * (width - visible_len(text))


def rjust(text: str, width: int) -> str:
    """Text flush right, padded to so many visible characters."""
    return " " * (width - visible_len(text)) + text


# --- bars -------------------------------------------------------------------------------------------------------------


def bar(share: float, width: int, on: Screen) -> str:
    """A bar for a number from 0 to 1, of at most so many characters; only 0 has none.

    >>> bar(0.5, 5, Screen()), bar(0.5, 5, Screen(marks=False)), bar(1e-9, 5, Screen()), bar(0, 5, Screen())
    ('██▌', '##', '▏', '')
    """
    share = min(1.0, max(0.0, share))
    if share == 0:
        return ""
    if not on.marks:
        return "#" * max(1, round(share * width))
    whole, rest = divmod(max(1, round(8 * share * width)), 8)
    return "█" * whole + (EIGHTHS[rest] if rest else "")


# --- dice -------------------------------------------------------------------------------------------------------------


def dice(faces: Sequence[int], room: int | None = None) -> str:
    """A throw within a line; faces without frames where ``room`` is too small.

    >>> dice((1, 3, 3)), dice((1, 3, 3), 5), dice((1, 3, 3), 3), dice(())
    ('[1][3][3]', '1 3 3', '133', '')
    """
    forms = ["".join(f"[{face}]" for face in faces), " ".join(map(str, faces))]
    forms += ["".join(map(str, faces))] if all(face < 10 for face in faces) else []
    return next((form for form in forms if room is None or len(form) <= room), forms[-1])


def dice_lines(faces: Sequence[int], on: Screen) -> list[str]:
    """A throw as lines, its dice side by side with their numbers. Dice that do not fit into a line go on below.

    >>> print("\\n".join(dice_lines((1, 6), Screen())))
    ╭───╮ ╭───╮
    │ 1 │ │ 6 │
    ╰───╯ ╰───╯
    """
    width = max((len(str(face)) for face in faces), default=0) + 4
    n_per_line = max(1, (on.width + 1) // (width + 1))
    lines = []
    for first in range(0, len(faces), n_per_line):
        blocks = [_die(face, on) for face in faces[first : first + n_per_line]]
        lines += [" ".join(part.ljust(width) for part in parts).rstrip() for parts in zip(*blocks, strict=True)]
    return lines


def _die(face: int, on: Screen) -> list[str]:
    """One die as lines of one length."""
    top_left, line, top_right, side, low_left, low_right = "╭─╮│╰╯" if on.marks else "+-+|++"
    edge = line * (len(str(face)) + 2)
    return [f"{top_left}{edge}{top_right}", f"{side} {face} {side}", f"{low_left}{edge}{low_right}"]
