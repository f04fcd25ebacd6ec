"""What is done to files, and what is given for values: everything that nobody means well with."""

from __future__ import annotations

import copy
import json
import os
import shutil
import socket
import stat
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

from scripts.faults.children import remove

ESCAPE = "\x1b[2J\x1b]0;mine\x07"
NESTED: Any = []
for _ in range(3000):
    NESTED = [NESTED]
ODD: list[Any] = [None, True, -1, 0, 7, 1.5, 10**30, 10**400, float("nan"), float("inf"), "", " ", "x", "none", "-1"]
ODD += ["१", "½", "1e5", "1_000", "0x5", "9" * 100_000, "\0", ESCAPE, "a\nb", "\ud800", "=", "1,2,3", "{", "[[[["]
ODD += [[], [[]], [0], [7] * 7, [None], [[4], [4]], {}, {"mine": "a"}, {1: 2}, NESTED]
SNIPPETS = [*" ,:={}[]()\"'\\\n\t\0\x1b\x07%½१", "1e999999999", "1/0", "9" * 5000, "[" * 5000, "total 7 or " * 500]
SNIPPETS += ["\ud7ff\u202e", "null", "NaN", "Infinity", "true", "at least", "dice = 20", "\x9b2J", "../../etc/passwd"]


def places(told: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where something stands in lists and mappings."""
    for key, part in told.items() if isinstance(told, dict) else enumerate(told[:9]) if isinstance(told, list) else ():
        yield (*at, key)
        yield from places(part, (*at, key))


def changed(told: Any, draw: Random) -> tuple[str, Any]:
    """A copy with something else in one place, with nothing there, or with more; and in words where and what."""
    try:
        found = copy.deepcopy(told)
        *way, last = draw.choice([*places(found)])
    except (RecursionError, IndexError):  # it is so odd already
        return "nothing more", told
    inside, value = found, draw.choice(ODD)
    for key in way:
        inside = inside[key]
    inside[last], made = value, shown(value)
    if draw.random() < 0.1:
        del inside[last]
        made = "nothing"
    elif draw.random() < 0.1 and isinstance(inside, dict):
        inside[draw.choice(["x", ESCAPE, "params", "seed", "move", "0"])] = draw.choice(ODD)
    return f"{'.'.join(map(str, (*way, last)))} = {made}", found


def shown(value: Any) -> str:
    """Something odd, as far as it can be shown."""
    return "[[[..." if value is NESTED else repr(value)[:60]


def json_of(told: Any) -> bytes:
    """As JSON, or what is nearly that where none can say it."""
    try:
        return json.dumps(told, default=str).encode()
    except (ValueError, RecursionError):
        return b'{"a": ' * 3000


def harmed(content: bytes, draw: Random) -> tuple[str, bytes]:
    """Bytes flipped, swapped, cut, blank or with something behind them; and in a word which."""
    one, other = sorted(draw.randrange(len(content) + 1) for _ in range(2))
    at, rest, then = content[one : one + 1], content[one + 1 : other], content[other : other + 1]
    ways = {
        "flipped": content[:one] + bytes(byte ^ (1 << draw.randrange(8)) for byte in at) + content[one + 1 :],
        "swapped": content[:one] + then + rest + (at if other > one else b"") + content[other + 1 :],
        "cut": content[:one],
        "emptied": b"",
        "lengthened": content + draw.randbytes(100),
        "blanked": content[:one] + bytes(other - one) + content[other:],
        "shortened": content[:one] + content[other:],
    }
    return draw.choice([*ways.items(), *list(ways.items())[:2] * 2])


def _elsewhere(place: Path, aside: Path) -> None:
    shutil.copy(aside, place.parents[2] / "elsewhere")
    place.symlink_to(place.parents[2] / "elsewhere")


def _large(place: Path, aside: Path) -> None:
    with place.open("wb") as file:
        file.truncate(1 << 30)


def _socket(place: Path, aside: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listening, suppress(OSError):  # a path may be too long
        listening.bind(os.path.relpath(place))


def _device(place: Path, aside: Path) -> None:
    with suppress(PermissionError):  # who is not root makes none
        os.mknod(place, 0o666 | stat.S_IFCHR, os.makedev(1, 5))


OTHER_FILES: dict[str, Callable[[Path, Path], Any]] = {
    "pipe": lambda place, aside: os.mkfifo(place, 0o600),
    "device": _device,
    "link to zeros": lambda place, aside: place.symlink_to("/dev/zero"),
    "link to a full disk": lambda place, aside: place.symlink_to("/dev/full"),
    "link to itself": lambda place, aside: place.symlink_to(place),
    "link to another file": _elsewhere,
    "socket": _socket,
    "folder": lambda place, aside: place.mkdir(),
    "file of a gigabyte": _large,
    "file that is gone": lambda place, aside: None,
}


def another_file(place: Path, draw: Random) -> str:
    """No file stands there any more, or none like the one before; and in words what."""
    how, aside = draw.choice(sorted(OTHER_FILES)), place.with_name("aside")
    place.rename(aside)
    OTHER_FILES[how](place, aside)
    remove(aside)
    return f"a {how}"
