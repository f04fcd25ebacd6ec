"""Entries, checkpoints and their places as somebody else has made them: sealed again, linked, piped, absurd.

Each is asked, listed and checked in a process with 3 GB at most and 20 seconds; a damaged one is solved again.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import stat
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from rollwise.cache.entry import MANIFEST, seal
from rollwise.cache.folders import read_folder, write_folder
from scripts.faults.asking import LINES, OTHER, difference, remove, renew, scratch, tell_all, tree, undisturbed
from scripts.faults.children import child
from scripts.faults.counting import HANGS, LEFT, TRACEBACKS, WRONG, Counts

FULL, QUICK = 160, 20
SECONDS = 20.0
ESCAPE = "\x1b[2J\x1b]0;mine\x07"
RAW = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]")  # what a terminal would obey
ABSURD: list[Any] = [None, True, -1, 0, 1.5, 10**30, 2**62, 1e300, "", "x", ESCAPE, "9" * 5000, [], [0], {}, {"x": 1}]
ABSURD += [[10**9, 10**9], [-1], "|V0", "O", "<f2", [[[[[]]]]], ["x"] * 1000, {ESCAPE: ESCAPE}, "../../etc/passwd"]
TEXTS = [b"", b"{}", b"[]", b"null", b"[" * 100_000, b'{"format": 1e999}', b'{"format": NaN}', b"\xff\xfe{\0}\0"]
TEXTS += [b'{"format": ' + b"1" * 100_000 + b"}", b'"' + b"x" * 50_000_000 + b'"', b"\xef\xbb\xbf{}"]
Harm = Callable[[Path, Random], str]


def one_field(folder: Path, draw: Random) -> str:
    """A field of the manifest is gone, or something else; and its seal is right."""
    document = json.loads((folder / MANIFEST).read_bytes())
    *way, last = draw.choice([place for place in _places(document) if place != ("checksum",)])
    inside = document
    for name in way:
        inside = inside[name]
    value = draw.choice([*ABSURD, "gone"])
    was = inside[last]
    if way[:1] == ["manifest"] and isinstance(was, int | float | str) and isinstance(value, int | float | str):
        value = draw.choice([[], {}, ESCAPE])  # of the same sort it is a forgery, which 'cache check' refutes
    if value == "gone":
        del inside[last]
    else:
        inside[last] = value
    with suppress(ValueError, TypeError):
        document["checksum"] = seal(document)
    (folder / MANIFEST).write_text(json.dumps(document))
    return f"{'.'.join(map(str, (*way, last)))} = {str(value)[:40]!r}"


def _places(told: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    pairs: Any = told.items() if isinstance(told, dict) else enumerate(told[:3]) if isinstance(told, list) else ()
    for key, part in pairs:
        yield (*at, key)
        yield from _places(part, (*at, key))


def one_array(folder: Path, draw: Random) -> str:
    """An array of another type, shape or range, or none; all of it written as we write it."""
    kind = "checkpoint" if folder.parent.name == "checkpoints" else "entry"
    entry = read_folder(folder, folder.name, kind)
    assert entry is not None
    arrays: dict[str, Any] = {name: np.array(entry.array(name)) for name in entry.names}
    name = draw.choice(sorted(arrays))
    how = draw.choice(sorted(OTHER_ARRAYS))
    made = OTHER_ARRAYS[how](arrays[name])
    arrays.pop(name)
    if made is not None:
        arrays[name] = np.ascontiguousarray(made)
    write_folder(folder, folder.name, kind, arrays, entry.manifest)
    return f"{name} {how}"


def _all(value: float) -> Callable[[Any], Any]:
    def filled(array: Any) -> Any:
        if array.dtype.kind != "f" and not np.isfinite(value):
            return None
        if array.dtype.kind in "iu":
            return np.full_like(array, np.clip(value, np.iinfo(array.dtype).min, np.iinfo(array.dtype).max // 2))
        return np.full(array.shape, value).astype(array.dtype)

    return filled


OTHER_ARRAYS: dict[str, Callable[[Any], Any]] = {
    "gone": lambda array: None,
    "of half the bits": lambda array: array.astype(np.float16),
    "of text": lambda array: array.astype("U9"),
    "complex": lambda array: array.astype(complex),
    "cut": lambda array: array[: len(array) // 2] if array.ndim else None,
    "empty": lambda array: array[:0] if array.ndim else None,
    "a number": lambda array: np.float64(0.5),
    "with one dimension more": lambda array: array[..., None],
    "not a number": _all(np.nan),
    "without end": _all(np.inf),
    "huge": _all(1e18),
    "below nothing": lambda array: np.full_like(array, -7) if array.dtype.kind == "i" else None,
}


def another_file(folder: Path, draw: Random) -> str:
    """A pipe, a device, a link, a socket, a folder or a file of a terabyte where a file should be."""
    place = folder / draw.choice(sorted(os.listdir(folder)))
    how = draw.choice(sorted(OTHER_FILES))
    aside = place.with_name("aside")
    place.rename(aside)
    OTHER_FILES[how](place, aside)
    remove(aside)
    return f"{place.name} is a {how}"


def _elsewhere(place: Path, aside: Path) -> None:
    shutil.copy(aside, place.parents[2] / "elsewhere")
    place.symlink_to(place.parents[2] / "elsewhere")


def _socket(place: Path, aside: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(f"/proc/self/fd/{os.open(place.parent, os.O_RDONLY)}/{place.name}")


def _zeros(place: Path, aside: Path) -> None:
    with suppress(PermissionError):  # who is not root makes no devices
        os.mknod(place, 0o666 | stat.S_IFCHR, os.makedev(1, 5))


OTHER_FILES: dict[str, Callable[[Path, Path], Any]] = {
    "pipe": lambda place, aside: os.mkfifo(place),
    "device": _zeros,
    "link to zeros": lambda place, aside: place.symlink_to("/dev/zero"),
    "link to a full disk": lambda place, aside: place.symlink_to("/dev/full"),
    "link to itself": lambda place, aside: place.symlink_to(place),
    "link to another file": _elsewhere,
    "socket": _socket,
    "folder": lambda place, aside: place.mkdir(),
    "file of a terabyte": lambda place, aside: (place.touch(), os.truncate(place, 1 << 40)),
}


def another_text(folder: Path, draw: Random) -> str:
    """A manifest that is none."""
    text = draw.choice(TEXTS)
    (folder / MANIFEST).write_bytes(text)
    return f"a manifest of {text[:12]!r}"


def another_place(folder: Path, draw: Random) -> str:
    """What stands beside entries: locks, checkpoints, leftovers and the folder itself."""
    root, key = folder.parent, folder.name
    how = draw.choice(sorted(OTHER_PLACES))
    OTHER_PLACES[how](root, key)
    return how


def _made(root: Path, *names: str) -> Path:
    place = root.joinpath(*names)
    place.parent.mkdir(parents=True, exist_ok=True)
    remove(place)
    return place


OTHER_PLACES: dict[str, Callable[[Path, str], Any]] = {
    "a pipe for the folder": lambda root, key: os.mkfifo(_made(root, key)),
    "a link to itself for the folder": lambda root, key: _made(root, key).symlink_to(key),
    "a folder linked": lambda root, key: ((root / key).rename(root / "x"), (root / key).symlink_to(root / "x")),
    "a checkpoint that is a pipe": lambda root, key: os.mkfifo(_made(root, "checkpoints", key)),
    "a loan that is a folder": lambda root, key: _made(root, "lent", key).mkdir(),
    "a loan that is a pipe": lambda root, key: os.mkfifo(_made(root, "lent", key)),
    "a name with escapes": lambda root, key: (root / f"{ESCAPE.replace('/', '')}-{'0' * 20}").mkdir(),
    "a file of a key's name": lambda root, key: (root / f"pig-{'0' * 20}").write_text(ESCAPE),
}
HARMS: tuple[Harm, ...] = (one_field, one_field, one_field, one_array, one_array, another_file, another_file)
HARMS += (another_text, another_place)


def run(times: int, draw: Random) -> Counts:
    """Ask so many."""
    counts = Counts("entries")
    with scratch("entries") as folder:
        right = undisturbed(folder, (*LINES, OTHER))
        cache, whole = folder / "cache", tree(folder / "clean")
        for _ in range(times):
            renew(cache, folder / "clean")
            entries = sorted(path.parent for path in cache.rglob(MANIFEST))
            entry = draw.choice(entries)
            what = f"{entry.relative_to(cache)}: {draw.choice(HARMS)(entry, draw)}"
            lines = [line for line in right if entry.name.startswith(line.split()[1])] + [OTHER]
            asked = ["cache list", "cache list --json", f"cache check {entry.name}", *lines]
            draw.shuffle(asked)
            counts.tried += 1
            _look(child(tell_all, asked, seconds=SECONDS), asked, right, what, counts)
            for path in sorted(tree(cache) - whole):
                if path != f"pig-{'0' * 20}" and not path.startswith(("\x1b", "x", "lent")):
                    counts.add(LEFT, f"{path} after {what}")
    return counts


def _look(ended: Any, asked: list[str], right: dict[str, str], what: str, counts: Counts) -> None:
    if ended.value is None:
        counts.add(HANGS if ended.hung else TRACEBACKS, f"{what}: {ended.trace}")
        return
    for line, told in zip(asked, ended.value, strict=True):
        if told.trace:
            counts.add(TRACEBACKS, f"{line} with {what}: {told.trace}")
        elif line in right and told.out != right[line]:
            counts.add(WRONG, f"{line} with {what}: {difference(told.out, right[line])} {told.err}")
        elif RAW.search(told.out + told.err):
            counts.add(WRONG, f"{line} with {what}: a terminal would obey {told.out + told.err!r}")
