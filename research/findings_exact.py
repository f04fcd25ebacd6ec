"""Write docs/findings/exact.md: what sheets are worth at the start, each as one exact fraction.

python research/findings_exact.py [--sixzee | --sixzee-told ANSWER CHECKED] [FOLDER]

Each is solved by the command, in a process and a cache of its own, and tried by `cache check` at eight primes drawn by
lot: half a minute of processor for Yahtzee, a quarter of a gigabyte. Sixzee, with --sixzee, takes an hour of processor;
or what `solve sixzee --exact --yes --json` and `cache check KEY --json` have said is in these files.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import resource
import subprocess
import sys
from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

OUTPUT = Path(__file__).resolve().parents[1] / "docs" / "findings"
YAHTZEE = [("Yahtzee, free joker", "yahtzee", "joker=free"), ("Yahtzee, forced joker", "yahtzee", "joker=forced")]
SIXZEE = ("Sixzee", "sixzee", "joker=true")
SHOWN = 20  # digits at each end
HEAD = """\
# What a sheet is worth, exactly

The best expected score of an empty sheet is a rational number. `rollwise solve yahtzee --exact --json` prints it; here
is how it begins and ends. [The method](../method.md#fractions): values modulo primes, in whole numbers only.
`python research/findings_exact.py` wrote this page.
"""
TAIL = """\
The SHA-256 is that of numerator and denominator in decimal digits with a slash between them. Every fraction was tried
by `rollwise cache check` at eight primes that were drawn by lot: all agreed. Seconds are those of the processor, floats
and compiling among them, with nothing kept.
"""
STOPPED = """\
Sixzee's seconds are not told: it was stopped after its first pass (492 seconds of processor), and went on by another
command (1,412 seconds, 2.5 GB, beside other work), so that all took 32 minutes of processor.
"""


def told(words: Sequence[str], folder: str) -> Any:
    """What a command says as JSON, with a cache of its own."""
    command = [sys.executable, "-m", "rollwise", *words, "--json"]
    settings = {**os.environ, "ROLLWISE_CACHE": folder, "ROLLWISE_KERNELS": f"{folder}/kernels"}
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, env=settings).stdout)


def powers(number: int) -> str:
    """A number as powers of two and three.

    >>> powers(72)
    '2^3 · 3^2'
    """
    found = []
    for prime in (2, 3):
        power = 0
        while number % prime == 0:
            number, power = number // prime, power + 1
        found.append(f"{prime}^{power}")
    if number != 1:
        raise ArithmeticError(f"{number} is left of the denominator")
    return " · ".join(found)


def ends(digits: str) -> str:
    """How a number begins and ends."""
    return f"`{digits[:SHOWN]}`...`{digits[-SHOWN:]}` ({len(digits)} digits)"


def section(title: str, game: str, parameter: str) -> Iterator[str]:
    """One fraction."""
    with TemporaryDirectory() as folder:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        found = told(["solve", game, "-p", parameter, "--exact", "--yes"], folder)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        (checked,) = (one for one in told(["cache", "check"], folder) if "fractions agree" in one["detail"])
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    took = f"{seconds:.0f} seconds of processor, {after.ru_maxrss / 1e6:.2f} GB of memory at most"
    yield from rows(title, found, checked, took)


def rows(title: str, found: Any, checked: Any, took: str = "") -> Iterator[str]:
    """What is told of an answer that was checked."""
    if checked["verdict"] != "proved" or "fractions agree" not in checked["detail"]:
        raise ArithmeticError(f"{title}: {checked['detail']}")
    exact = Fraction(found["exact"])
    if not Fraction(found["lower"]) <= exact <= Fraction(found["upper"]):
        raise ArithmeticError(f"{title}: the fraction is outside its interval")
    numerator, denominator = found["exact"].split("/")
    yield from (f"## {title}", "", "| | |", "| :-- | :-- |")
    yield f"| value | {found['value']:.12f}, between {found['lower']:.12f} and {found['upper']:.12f} |"
    yield f"| numerator | {ends(numerator)} |"
    yield f"| denominator | {ends(denominator)}, {powers(int(denominator))} |"
    yield f"| SHA-256 | `{hashlib.sha256(found['exact'].encode()).hexdigest()}` |"
    yield from ([f"| took | {took} |"] if took else []) + [""]


def main(words: Sequence[str] | None = None) -> None:
    """Write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=OUTPUT)
    parser.add_argument("--sixzee", action="store_true")
    parser.add_argument("--sixzee-told", nargs=2, type=Path, metavar=("ANSWER", "CHECKED"))
    given = parser.parse_args(words)
    lines = [HEAD]
    for each in [*YAHTZEE, *([SIXZEE] if given.sixzee else [])]:
        lines += section(*each)
    if given.sixzee_told:
        answer, (checked,) = (json.loads(file.read_text()) for file in given.sixzee_told)
        lines += rows(SIXZEE[0], answer, checked)
    (given.folder / "exact.md").write_text("\n".join([*lines, TAIL, *([STOPPED] if given.sixzee_told else [])]))


if __name__ == "__main__":
    main()
