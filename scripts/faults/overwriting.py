"""Every command that writes a file is told to write over one of the user's, as a file, by a link and in a folder."""

from __future__ import annotations

import os
from pathlib import Path
from random import Random

from scripts.faults.asking import remove, scratch, tree
from scripts.faults.children import child, command
from scripts.faults.counting import HANGS, LEFT, LOST, TRACEBACKS, WRONG, Counts

FULL, QUICK = 90, 18
PLAY = "play pig -p target=4 --seed 3 --seats all"
WRITERS: tuple[tuple[str, str], ...] = (  # a command, and what is typed
    (PLAY, "save {}\nquit\n"),
    (f"{PLAY} --save {{}}", "quit\n"),
    ("export pig -p target=4 -o {} --format csv", ""),
    ("export pig -p target=4 -o {} --format jsonl", ""),
    ("export pig -p target=4 -o {} --format parquet", ""),
    ("export pig -p target=4 -o {}/", ""),
    ("card pig -o {}", ""),
    ("verify mexico -o {}", ""),
    ("card pig --format csv -o {}", ""),
)
CONTENTS = (b"my diary\n", b"", b'{"my": "own"}\n', b"PAR1 of mine", b"<!doctype html><p>mine", b"mine,yours\n1,2\n")
NAMES = ("diary.txt", "diary.md", "diary.html", "diary.csv", "diary.jsonl", "diary.parquet")
WAYS = ("a file", "a link", "a hard link", "a folder with it", "a link to a folder with it")


def run(times: int, draw: Random) -> Counts:
    """Try so many."""
    counts = Counts("overwriting")
    with scratch("overwriting") as folder:
        for number in range(times):
            _one(folder, WRITERS[number % len(WRITERS)], WAYS[number // len(WRITERS) % len(WAYS)], draw, counts)
            if number < len(WRITERS):
                _own(folder, *WRITERS[number], counts)
    return counts


def _one(folder: Path, writer: tuple[str, str], way: str, draw: Random, counts: Counts) -> None:
    """A file of the user's stands there: it must be as it was, and an error must say so in a line."""
    room, content, name = folder / "room", draw.choice(CONTENTS), draw.choice(NAMES)
    remove(room)
    (room / "mine").mkdir(parents=True)
    diary = room / "mine" / name
    diary.write_bytes(content)
    target = diary
    if way == "a link":
        target = room / name
        target.symlink_to(diary)
    elif way == "a hard link":
        target = room / name
        os.link(diary, target)
    elif way == "a folder with it":
        target = diary.parent
    elif way == "a link to a folder with it":
        target = room / "linked"
        target.symlink_to(diary.parent)
    before = diary.lstat().st_ino, tree(room)
    line, typed = (words.format(target) for words in writer)
    os.chdir(room)
    ended = child(command, *line.split(), typed=typed)
    what = f"{writer[0]} over {way} ({name}, {content!r})"
    counts.tried += 1
    if ended.hung or ended.trace:
        counts.add(HANGS if ended.hung else TRACEBACKS, f"{what}: {ended.trace}")
    if diary.read_bytes() != content or diary.lstat().st_ino != before[0]:
        counts.add(LOST, what)
    elif not target.samefile(diary if target.is_file() else diary.parent):
        counts.add(LOST, f"{what}: the link")
    elif "--force" not in ended.out + ended.err and "folder" not in ended.err:
        counts.add(WRONG, f"{what}: nothing says what to do: {ended.out[-200:]} {ended.err}")
    elif ended.code == 0 and "play" not in line:
        counts.add(WRONG, f"{what}: it went well")
    for path in sorted(tree(room) - before[1]):
        if "play" not in line:  # which keeps its record elsewhere
            counts.add(LEFT, f"{path} after {what}")


def _own(folder: Path, line: str, typed: str, counts: Counts) -> None:
    """What it wrote itself it writes over without a word."""
    room = folder / "own"
    remove(room)
    room.mkdir()
    os.chdir(room)
    target = room / ("ours.jsonl" if "play" in line else "ours.html" if "verify" in line else "ours")
    for again in (False, True):
        ended = child(command, *line.format(target).split(), typed=typed.format(target))
        counts.tried += 1
        if ended.code or ended.trace:
            counts.add(WRONG, f"{line} over {'its own' if again else 'nothing'}: {ended.err} {ended.out[-100:]}")
    for path in sorted(path.name for path in room.iterdir() if path.name.startswith(".")):
        counts.add(LEFT, f"{path} after {line}")
