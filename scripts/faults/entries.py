"""Entries, checkpoints and their places as somebody else has made them: sealed again, linked, piped, absurd.

Each is asked, listed and checked in a process with 3 GB at most and a minute; a damaged one is solved again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from rollwise.cache.entry import MANIFEST, checksum_manifest
from rollwise.cache.folders import read_folder, write_folder
from scripts.faults.children import child, remove, renew, scratch, tell_all, tree, undisturbed
from scripts.faults.counting import LEFT, Counts
from scripts.faults.harms import ESCAPE, another_file, changed, json_of
from scripts.faults.kills import LINES, OTHER

FULL, QUICK = 160, 20
SECONDS = 60.0
NUMBERS = int | float | str
TEXTS = [b"", b"{}", b"[]", b"null", b"[" * 100_000, b'{"format": 1e999}', b'{"format": NaN}', b"\xff\xfe{\0}\0"]
TEXTS += [b'{"format": ' + b"1" * 100_000 + b"}", b'"' + b"x" * 50_000_000 + b'"', b"\xef\xbb\xbf{}"]
ARRAYS: dict[str, Callable[[Any], Any]] = {
    "is gone": lambda array: None,
    "of half the bits": lambda array: array.astype(np.float16),
    "of text": lambda array: array.astype("U9"),
    "complex": lambda array: array.astype(complex),
    "cut": lambda array: array[: len(array) // 2],
    "empty": lambda array: array[:0],
    "a number": lambda array: np.float64(0.5),
    "with one dimension more": lambda array: array[..., None],
    "not a number": lambda array: np.full(array.shape, np.nan),
    "without end": lambda array: np.full(array.shape, np.inf),
    "below nothing": lambda array: np.full_like(array, -7) if array.dtype.kind == "i" else None,
}
NO_NUMBERS = ("not a number", "without end")
STRANGE = (f"pig-{'0' * 20}", f"{ESCAPE}-{'0' * 20}")  # what the user has put there stays
MADE = {*STRANGE, "lent", "elsewhere", "checkpoints"}
PLACES = {
    "a pipe for the folder": ".",
    "a checkpoint that is a pipe": "checkpoints",
    "a loan that is a pipe": "lent",
    "a name with escapes": STRANGE[1],
    "a file of a key's name": STRANGE[0],
}


def _beside(root: Path, key: str, draw: Random) -> str:
    """Another place of the cache is not as it is written."""
    how = draw.choice(sorted(PLACES))
    place = root / PLACES[how]
    if PLACES[how] in STRANGE:
        place.write_text(ESCAPE)
        return how
    place.mkdir(exist_ok=True)
    remove(place / key)
    os.mkfifo(place / key)
    return how


def _sealed_again(entry: Path, draw: Random) -> str:
    """A field of the manifest is gone, or something else; and its seal is right."""
    document = json.loads((entry / MANIFEST).read_bytes())
    while True:
        what, made = changed(document, draw)
        way, _, value = what.partition(" = ")
        before = document
        for name in way.split("."):
            before = before.get(name, {}) if isinstance(before, dict) else None
        # numbers for numbers are a forgery: 'cache check' refutes it
        if way != "checksum" and not (
            way.startswith("manifest.") and isinstance(before, NUMBERS) and value[0] not in "[{"
        ):
            break
    try:
        made["checksum"] = checksum_manifest(made)
    except (ValueError, TypeError, RecursionError):
        what += ", which has no seal"
    (entry / MANIFEST).write_bytes(json_of(made))
    return what


def _array(entry: Path, draw: Random) -> str:
    """An array of another type, shape or range, or none; all of it written as we write it."""
    whole = read_folder(entry, entry.name, "entry")
    assert whole is not None
    arrays: dict[str, Any] = {name: np.array(whole.array(name)) for name in whole.names}
    name, how = draw.choice(sorted(arrays)), draw.choice(sorted(ARRAYS))
    if how in NO_NUMBERS and not name.startswith(("turn_", "chances")):  # boards that nobody solved have no value
        how = "cut"
    made = ARRAYS[how](arrays.pop(name))
    kept = arrays if made is None else {**arrays, name: np.ascontiguousarray(made)}
    write_folder(entry, entry.name, "entry", kept, whole.manifest)
    return f"{name} {how}" if made is not None else f"{name} is gone"


def _harm(entry: Path, draw: Random) -> str:
    way = draw.randrange(8)
    if way < 5:
        return _sealed_again(entry, draw) if way < 3 else _array(entry, draw)
    if way == 5:
        name = draw.choice(sorted(os.listdir(entry)))
        return f"{name} is {another_file(entry / name, draw)}"
    if way == 6:
        return _beside(entry.parent, entry.name, draw)
    text = draw.choice(TEXTS)
    (entry / MANIFEST).write_bytes(text)
    return f"a manifest of {text[:12]!r}"


def run(times: int, draw: Random) -> Counts:
    """Ask so many."""
    counts = Counts("entries")
    with scratch("entries") as folder:
        right = undisturbed(folder, (*LINES, OTHER))
        cache = folder / "cache"
        for _ in range(times):
            renew(cache, folder / "clean")
            entry = draw.choice(sorted(path.parent for path in cache.rglob(MANIFEST)))
            what = f"{entry.relative_to(cache)}: {_harm(entry, draw)}"
            lines = [line for line in right if entry.name.startswith(line.split()[1])]
            asked = [*lines, OTHER, "cache list", "cache list --json", f"cache check {entry.name}"]
            draw.shuffle(asked)
            counts.tried += 1
            ended = child(tell_all, asked, seconds=SECONDS)
            if ended.value is None:
                counts.judge(ended, f"{asked} with {what}")
            for line, told in zip(asked, ended.value or (), strict=False):
                counts.judge(told, f"{line} with {what}", right.get(line))
            for path in sorted(tree(cache) - tree(folder / "clean")):
                if path.rpartition("/")[2] not in MADE:
                    counts.add(LEFT, f"{path} after {what}")
    return counts
