"""What a person's screen can show: how wide it is, colour, bars and dice. Everything here gives text and prints none.

Colour only ever repeats what the text says. Where the output cannot write box characters, plain letters stand for them.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TextIO

WIDEST, NARROWEST = 100, 40  # characters of a line, however wide the terminal is
_MOST: ContextVar[int] = ContextVar("the widest line", default=WIDEST)
ALL_MARKS = "╭─╮│╰╯●▏▎▍▌▋▊▉█"
PLAIN_LOCALES = ("C", "POSIX")

# Foreground colours of the 256, each with a contrast of at least 3.5 to black and to white; good and bad are told apart
# by those too who do not see red and green.
INKS = {"good": "38;5;29", "bad": "38;5;166", "mark": "38;5;62", "faint": "38;5;243", "strong": "1"}

# Background and foreground of a value from the worst to the best; light text on strong colours at both ends.
HEAT = ("48;5;130;38;5;231", "48;5;180;38;5;16", "48;5;253;38;5;16", "48;5;116;38;5;16", "48;5;24;38;5;231")
EIGHTHS = " ▏▎▍▌▋▊▉"
ESCAPES = re.compile(r"\x1b\[[0-9;]*m")
PIPS = {  # by face: which of nine places have one, row by row
    1: "    ●    ",
    2: "●       ●",
    3: "●   ●   ●",
    4: "● ●   ● ●",
    5: "● ● ● ● ●",
    6: "● ●● ●● ●",
}


@dataclass(frozen=True)
class Screen:
    """What an output can show: ``width`` characters a line, ``color``, and ``marks``: boxes, blocks and pips."""

    width: int = 80
    color: bool = False
    marks: bool = True


def screen(stream: TextIO | None = None) -> Screen:
    """What this output can show, by default standard output."""
    stream = stream or sys.stdout
    return Screen(line_width(), has_color(stream, os.environ), has_marks(stream, os.environ))


def line_width() -> int:
    """How wide a line of text may be."""
    return min(_MOST.get(), max(NARROWEST, shutil.get_terminal_size((80, 24)).columns))


@contextmanager
def narrowed(most: int) -> Iterator[None]:
    """Here lines are no wider than this, however wide the screen is."""
    before = _MOST.set(most)
    try:
        yield
    finally:
        _MOST.reset(before)


def has_color(stream: TextIO, environment: Mapping[str, str]) -> bool:
    """Is colour wanted: on a terminal that has it, unless ``NO_COLOR`` is set; or where ``FORCE_COLOR`` is."""
    if environment.get("NO_COLOR"):
        return False
    if any(environment.get(name, "0") not in ("", "0") for name in ("FORCE_COLOR", "CLICOLOR_FORCE")):
        return True
    if environment.get("CLICOLOR") == "0" or environment.get("TERM", "dumb") == "dumb":
        return False
    return stream.isatty()


def has_marks(stream: TextIO, environment: Mapping[str, str]) -> bool:
    """Can box characters, blocks and pips be written? Not where the locale is the plain one.

    Python takes the plain locale for UTF-8, and then says so in ``LC_CTYPE``.
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
    """Text in one of the ``INKS``, where there is colour.

    >>> paint("42.0 %", "good", Screen()), paint("42.0 %", "good", Screen(color=True))
    ('42.0 %', '\\x1b[38;5;29m42.0 %\\x1b[0m')
    """
    return f"\x1b[{INKS[ink]}m{text}\x1b[0m" if on.color and text else text


def heat(text: str, share: float, on: Screen) -> str:
    """Text on a ground that tells where it stands between the worst (0) and the best (1)."""
    step = min(len(HEAT) - 1, max(0, int(share * len(HEAT))))
    return f"\x1b[{HEAT[step]}m{text}\x1b[0m" if on.color and text else text


def length(text: str) -> int:
    """How many characters are seen.

    >>> length(paint("42.0 %", "good", Screen(color=True)))
    6
    """
    return len(ESCAPES.sub("", text)) if "\x1b" in text else len(text)


def ljust(text: str, wide: int) -> str:
    """Text flush left, filled up to so many characters that are seen."""
    return text + " " * (wide - length(text))


def rjust(text: str, wide: int) -> str:
    """The same flush right."""
    return " " * (wide - length(text)) + text


# --- bars -------------------------------------------------------------------------------------------------------------


def bar(share: float, wide: int, on: Screen) -> str:
    """A bar for a number from 0 to 1, of at most so many characters; whatever is more than 0 is seen.

    >>> bar(0.5, 5, Screen()), bar(0.5, 5, Screen(marks=False)), bar(1e-9, 5, Screen()), bar(0, 5, Screen())
    ('██▌', '##', '▏', '')
    """
    share = min(1.0, max(0.0, share))
    if share == 0:
        return ""
    if not on.marks:
        return "#" * max(1, round(share * wide))
    whole, rest = divmod(max(1, round(8 * share * wide)), 8)
    return "█" * whole + (EIGHTHS[rest] if rest else "")


# --- dice -------------------------------------------------------------------------------------------------------------


def dice(faces: Sequence[int], room: int | None = None) -> str:
    """A throw within a line; where ``room`` is too small for its frames, faces alone.

    >>> dice((1, 3, 3)), dice((1, 3, 3), 5), dice((1, 3, 3), 3), dice(())
    ('[1][3][3]', '1 3 3', '133', '')
    """
    forms = ["".join(f"[{face}]" for face in faces), " ".join(map(str, faces))]
    forms += ["".join(map(str, faces))] if all(face < 10 for face in faces) else []
    return next((form for form in forms if room is None or len(form) <= room), forms[-1])


def dice_lines(faces: Sequence[int], on: Screen, *, held: Collection[int] = (), pips: bool = False) -> list[str]:
    """A throw as lines, its dice side by side: three lines with numbers, or with ``pips`` five with points.

    Dice at the places ``held`` are marked below by a line of ``kept``, which is added where there are any. What does
    not fit into a line of the screen goes on below.

    >>> print("\\n".join(dice_lines((1, 6), Screen())))
    ╭───╮ ╭───╮
    │ 1 │ │ 6 │
    ╰───╯ ╰───╯
    """
    if not faces:
        return []
    wide = max(len(_die(face, pips, on)[0]) for face in faces)
    at_once = max(1, (on.width + 1) // (wide + 1))
    lines = []
    for first in range(0, len(faces), at_once):
        some = faces[first : first + at_once]
        blocks = [_die(face, pips, on) for face in some]
        if held:
            marks = ["kept".center(wide) if first + place in held else "" for place in range(len(some))]
            blocks = [[*block, mark] for block, mark in zip(blocks, marks, strict=True)]
        for parts in zip(*blocks, strict=True):
            lines.append(" ".join(part.ljust(wide) for part in parts).rstrip())
    return [line for line in lines if line]


def _die(face: int, pips: bool, on: Screen) -> list[str]:
    """One die as lines of one length."""
    places = PIPS.get(face) if pips else None
    rows = [str(face)] if places is None else [" ".join(places[first : first + 3]) for first in (0, 3, 6)]
    wide = len(rows[0]) + 2
    top_left, line, top_right, side, low_left, low_right = "╭─╮│╰╯" if on.marks else "+-+|++"
    inside = [f"{side} {row} {side}" for row in rows]
    lines = [f"{top_left}{line * wide}{top_right}", *inside, f"{low_left}{line * wide}{low_right}"]
    return lines if on.marks else [text.replace("●", "o") for text in lines]
