"""Writes docs/reliability.md: what was tried, what came of it, and what is promised."""

from __future__ import annotations

import datetime
import sys
from collections.abc import Mapping

import rollwise
from scripts.faults.children import ROOT
from scripts.faults.counting import SORTS, Counts

PAGE = ROOT / "docs" / "reliability.md"
TRIED = {
    "kills": "solves and exports killed (SIGKILL) at a random moment, some twice, and asked for again",
    "damages": "bytes of stored answers flipped, cut, swapped or blanked, files mixed up or replaced, then asked again",
    "questions": "questions with anything in them, 300 of them as processes of their own",
    "crowd": "processes that ask the same unsolved question at once, eight at a time, the one that solves it killed",
    "kernels": "files of compiled code damaged, replaced, or with something in them that does harm if it is loaded",
    "entries": "stored answers as somebody else has made them: sealed again, linked, piped, absurd",
    "requests": "hostile requests to `rollwise serve`",
    "records": "hostile records, policies, claims and states, and files that are none, such as `/dev/zero`",
    "overwriting": "commands that write, told to write over a file of the user's, or over their own",
}
HEAD = """# What holds when something goes wrong

Processes are killed, files are damaged, and some people mean harm. Whatever happens to it, `rollwise` is to give the
right answer or an error of one line, and to lose nothing.

What is promised:

- **A wrong answer is never served from a damaged file.** Every block of a stored answer has a checksum, and every value
  its form; what is not as it was written is called damaged, and solved again.
- **Nothing that is whole is lost.** Files are written aside and renamed into place: whoever is killed leaves the old
  one, the new one, or none. A solve that was stopped goes on from where it was.
- **Nothing of yours is written over** unless you say `--force`.
- **What a killed process leaves behind goes** with the next write.
- **Nothing hangs, and nothing eats the memory**: what is read is bounded, whatever it claims to be.

What is not: stored numbers that somebody has changed *and* sealed again, which only `rollwise cache check` refutes, and
machine code in a folder that others may write, which is refused as a whole.

"""


WORDS = """*wrong*: another answer than of an undisturbed cache, or an error of more than a line; *lost*: what was
good is gone or written over; *tracebacks*: an error that is none of ours; *hangs*: no end in time; *left*: what lies
about after the next write. All should be 0.
"""


def write(found: Mapping[str, Counts], seconds: float) -> None:
    """Write the page, from what came of all faults."""
    lines = [f"| what | tried | {' | '.join(SORTS)} |", f"| :-- | --: | {' | '.join(['--:'] * len(SORTS))} |"]
    for name, counts in ((name, found[name]) for name in TRIED):
        harm = " | ".join(str(getattr(counts, sort)) for sort in SORTS)
        lines.append(f"| **{name}**: {TRIED[name]} | {counts.tried:,} | {harm} |")
    day = datetime.datetime.now(datetime.UTC).date()
    run = f"Version {rollwise.__version__}, {day}, `python -m scripts.faults {' '.join(sys.argv[1:])}`"
    foot = f"{run}, {seconds / 60:.0f} minutes.\n\n{WORDS}"
    PAGE.write_text(f"{HEAD}## What was tried\n\n{chr(10).join(lines)}\n\n{foot}")
