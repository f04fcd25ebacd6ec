"""Every command that writes a file is told to write over one of the user's: as it is, by a link, and in a folder."""

from __future__ import annotations

import os
from pathlib import Path
from random import Random

from scripts.faults.children import child, command, renew, scratch, tree
from scripts.faults.counting import LEFT, LOST, WRONG, Counts

FULL, QUICK = 90, 18
PLAY = "play pig -p target=4 --seed 3 --seats all"
WRITERS = {  # commands, and what is typed
    PLAY: "save {}\nquit\n",
    f"{PLAY} --save {{}}": "quit\n",
    "export pig -p target=4 -o {} --format csv": "",
    "export pig -p target=4 -o {} --format jsonl": "",
    "export pig -p target=4 -o {} --format parquet": "",
    "export pig -p target=4 -o {}/": "",
    "card pig -o {}": "",
    "card pig --format csv -o {}": "",
    "verify mexico -o {}": "",
}
CONTENTS = (b"my diary\n", b'{"my": "own"}\n', b"PAR1 of mine", b"<!doctype html><p>mine", b"mine,yours\n1,2\n")
ENDINGS = ("txt", "md", "html", "csv", "jsonl", "parquet")
WAYS = ("a file", "a link to a file", "a hard link to a file", "the folder of a file", "a link to the folder of a file")


def run(times: int, draw: Random) -> Counts:
    """Try so many."""
    counts = Counts("overwriting")
    with scratch("overwriting") as folder:
        room = folder / "room"
        for number in range(times):
            line, typed = list(WRITERS.items())[number % len(WRITERS)]
            renew(room, None)
            os.chdir(room)
            if number < len(WRITERS):
                _own(room, line, typed, counts)
            else:
                _mine(room, line, typed, WAYS[number // len(WRITERS) % len(WAYS)], draw, counts)
    return counts


def _mine(room: Path, line: str, typed: str, way: str, draw: Random, counts: Counts) -> None:
    """A file of the user's stands there: it must be as it was, and an error must say so in a line."""
    diary, target, content = room / "mine" / f"diary.{draw.choice(ENDINGS)}", room / "target", draw.choice(CONTENTS)
    diary.parent.mkdir()
    diary.write_bytes(content)
    place = diary.parent if "folder" in way else diary
    if "hard" in way:
        os.link(diary, target)
    elif "link" in way:
        target.symlink_to(place)
    else:
        target = place
    before, was = diary.stat().st_ino, tree(room)
    ended = child(command, *line.format(target).split(), typed=typed.format(target))
    what = f"{line} over {way} ({diary.name}, {content!r}): {ended.err} {ended.out[-150:]}"
    counts.tried += 1
    is_same = diary.exists() and diary.stat().st_ino == before and target.samefile(place)
    if not is_same or diary.read_bytes() != content:
        counts.add(LOST, what)
    elif counts.judge(ended, what) and "play" not in line and ended.code == 0:  # play keeps its record elsewhere
        counts.add(WRONG, f"done, and nothing said: {what}")
    elif not any(words in ended.out + ended.err for words in ("--force", "folder", "stays as it is")):
        counts.add(WRONG, f"nothing says what to do: {what}")
    for path in sorted(tree(room) - was):
        if "play" not in line:
            counts.add(LEFT, f"{path} after {what}")


def _own(room: Path, line: str, typed: str, counts: Counts) -> None:
    """What it wrote itself it writes over without a word."""
    target = room / ("ours.jsonl" if "play" in line else "ours.html" if "verify" in line else "ours")
    counts.tried += 1
    for over in ("nothing", "its own"):
        ended = child(command, *line.format(target).split(), typed=typed.format(target))
        if counts.judge(ended, line) and ended.code:
            counts.add(WRONG, f"refused: {line} over {over}: {ended.err} {ended.out[-100:]}")
    for path in sorted(path.name for path in room.iterdir() if path.name.startswith(".")):
        counts.add(LEFT, f"{path} after {line}")
