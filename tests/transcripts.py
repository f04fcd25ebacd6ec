"""Transcripts: text files of commands and all that is said to them. One tool plays, compares and rewrites them.

A file begins with a line for who reads it, and settings in brackets, each on a line of its own:

    [own cache]        the cache is this file's, and empty at first; else it is that of the whole run
    [columns 60]       how wide the terminal is, where it is not 80
    [size pig target=3]  the game is this one of ``tests/sizes.py``, whatever is asked of it
    [thorough]         it is played with the thorough tests, [slow] with the slow ones

Then come blocks, a blank line between them, in a folder of their own:

    = mine.py          a file that lies there, and its lines
    $ COLUMNS=40 rollwise ask pig turn=20
    what is said on stdout
    ! what is said on stderr
    [exit 2]

Where a command asks, what was typed stands after its prompts, as it prints them (``> hold``); what it does not print
stands below the command, in lines of the same form. A line ``...`` stands for any lines. FOLDER, VERSION, ``N s``,
``N bytes``, ``-KEY`` and ``± small`` stand for what differs from run to run.

``python -m tests.transcripts --update [NAME ...]`` writes what is said now where it is not what is written, and a
person reads the git diff. A new block needs only its command and what is typed.
"""

from __future__ import annotations

import difflib
import io
import os
import re
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from rollwise import __version__
from tests.sizes import SIZES

Run = Callable[..., tuple[int, str, str]]
FOLDER = Path(__file__).parent / "cli" / "transcripts"
UPDATE = "ROLLWISE_UPDATE_TRANSCRIPTS"  # where this is set, what is said is written and not compared
SETTING = re.compile(r"^\[(own cache|columns|size|thorough|slow) ?(.*)\]$", re.MULTILINE)
COMMAND = re.compile(r"^(?:printf '(.*)' \| )?((?:[A-Z_]+=\S* )*)rollwise ?(.*)$")
PROMPT = re.compile(r"^(?:\S[^>\n]*, )?(?:dice|over)?> ?(.*)$", re.MULTILINE)


class Block(NamedTuple):
    """A command, or a file: its first line, and the lines below."""

    sign: str
    first: str
    below: str

    def __str__(self) -> str:
        return f"{self.sign} {self.first}\n{self.below}".rstrip()


def transcript(text: str) -> tuple[str, dict[str, str], list[Block]]:
    """What stands above the blocks, what is set there, and the blocks."""
    head, *parts = re.split(r"^(?=[$=] )", text, flags=re.MULTILINE)
    firsts = [part.partition("\n") for part in parts]
    blocks = [Block(first[0], first[2:], below.rstrip()) for first, _, below in firsts]
    return head.rstrip(), dict(SETTING.findall(head)), blocks


def scenes() -> list[Any]:
    """Every file of the folder, as the parameters of a test."""
    settings = {path: transcript(path.read_text())[1] for path in sorted(FOLDER.glob("*.txt"))}
    marked = {
        path: [getattr(pytest.mark, name) for name in ("thorough", "slow") if name in settings[path]]
        for path in settings
    }
    return [pytest.param(path, id=path.stem, marks=marked[path]) for path in marked]


def settled(said: str, folder: Path, is_shared: bool) -> str:
    """What is said, with fixed words for what another run says otherwise."""
    said = re.sub(r"-[0-9a-f]{20}\b", "-KEY", said)
    said = re.sub(
        r"(?<![\w.])\d+(?:\.\d+)? s\b",
        "N s",
        said.replace(str(folder), "FOLDER").replace("FOLDER/own\ncache", "FOLDER/own cache"),
    )
    said = re.sub(r"[1-9][\d,]* bytes", "N bytes", said.replace(f"rollwise {__version__}", "rollwise VERSION"))
    said = re.sub(r"±(\s)\d+(?:e-\d+)? *", lambda found: f"±{found[1]}small".ljust(len(found[0])), said)
    return said.replace(" (from the cache)", "") if is_shared else said


def answer(block: Block, run: Run) -> str:
    """All that is said to a command, in the form of a file."""
    command = COMMAND.match(block.first)
    assert command, f"no command of rollwise: {block.first}"
    piped, environment, words = command.groups()
    lines = (piped or "").replace("\\n", "\n").splitlines() or PROMPT.findall(block.below)
    typed = lines[:-1] if lines and not lines[-1] else lines  # after nothing at all the input ends
    with pytest.MonkeyPatch.context() as patch:
        for pair in environment.split():
            patch.setenv(*pair.split("=", 1))
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("".join(f"{line}\n" for line in typed).encode())))
        code, told, complaint = run(*shlex.split(words))
    is_printed = PROMPT.findall(told)[: len(typed)] == typed
    above = "" if piped or is_printed else "".join(f"> {line}\n" for line in typed)
    below = "".join(f"! {line}\n" for line in complaint.splitlines())
    said = f"{above}{told}{below}" + (f"[exit {code}]" if code else "")
    return "\n".join(line.rstrip() for line in said.splitlines()).rstrip()


def is_said(written: str, said: str) -> bool:
    """Is this what is written, where a line of three points stands for any lines?"""
    lines = (r"(?:.*\n)*?" if line == "..." else re.escape(f"{line}\n") for line in written.splitlines())
    return re.fullmatch("".join(lines), f"{said}\n" if said else "") is not None


def played(text: str, request: pytest.FixtureRequest) -> str:
    """A transcript as it is said now; what still fits stays as it is written."""
    head, settings, blocks = transcript(text)
    patch, above = request.getfixturevalue("monkeypatch"), request.getfixturevalue("tmp_path")
    if "own cache" in settings:
        request.getfixturevalue("own_cache")
    if "size" in settings:
        request.getfixturevalue("play")(next(size.game for size in SIZES if str(size) == settings["size"]))
    for name in ("NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "LC_ALL", "LC_CTYPE"):
        patch.delenv(name, raising=False)
    patch.setenv("LANG", "C.UTF-8")
    patch.setenv("COLUMNS", settings.get("columns", "80"))
    folder = above / "here"
    folder.mkdir()
    patch.chdir(folder)
    now: list[str] = []
    for block in blocks:
        if block.sign == "=":
            (folder / block.first).write_text(f"{block.below}\n")
            now.append(str(block))
            continue
        said = settled(answer(block, request.getfixturevalue("run")), above, "own cache" not in settings)
        now.append(str(block if is_said(block.below, said) else block._replace(below=said)))
    return "\n\n".join([*([head] if head else []), *now]) + "\n"


def require_said(text: str, request: pytest.FixtureRequest, name: str) -> None:
    """Play a transcript; a difference is shown as one."""
    lines = text.splitlines(), played(text, request).splitlines()
    difference = "\n".join(difflib.unified_diff(*lines, f"{name} as written", f"{name} as said now", lineterm=""))
    assert not difference, f"python -m tests.transcripts --update {name}\n{difference}"


if __name__ == "__main__":
    os.environ[UPDATE] = str("--update" in sys.argv or "")
    names = " or ".join(word for word in sys.argv[1:] if word != "--update")
    sys.exit(pytest.main(["-q", "-n", "0", "-m", "", "-k", names, str(FOLDER.parent / "test_transcripts.py")]))
