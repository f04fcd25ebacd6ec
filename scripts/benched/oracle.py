"""Ours beside programs written by hand, in one run: bench.py oracle SOURCES [NAME ...] [--old ROLLWISE]

SOURCES is a folder of C++ programs, each compiled as its build line says, for this machine. Every solve is a whole
process with an empty cache of games and compiled kernels; --old is the command of another version of rollwise, timed
right before ours. Nothing else should run meanwhile. Prints a table in Markdown.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

BUILD = ("g++", "-O3", "-march=native", "-std=c++20", "-pthread")
WIDE, NARROW = "-mavx512f", "-DLANES=4"  # for a program that is written for wide vectors, and where there are none

# name: (the program's arguments, ours, the ratio wanted)
PAIRS: dict[str, tuple[str, str, float]] = {
    "cops-and-robbers": ("solve 0 0", "", 1.2),
    "thunderstorm": ("solve 8", "players=8", 1.2),
    "aces-in-the-pot": ("solve 1 2 2 2 2 2 2 2 2 2 2", "players=10", 1.2),
    "bouncer": ("fast 6 12", "players=6", 1.2),
    "zilch": ("duel 10000", "", 0.6),
    "ten-thousand": ("duel 10000", "", 0.4),
    "finish": ("solve 5", "players=5", 0.4),
    "sixzee": ("solve", "", 0.6),
}


def main() -> None:
    """Time all pairs, or those that are named."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sources", type=Path, help="the folder of the programs' sources")
    parser.add_argument("names", nargs="*", help=f"these alone, of: {', '.join(PAIRS)}")
    parser.add_argument("--old", metavar="ROLLWISE", help="the command of another version")
    given = parser.parse_args()
    wrong = [name for name in given.names if name not in PAIRS]
    if wrong:
        parser.error(f"no program {wrong[0]}; there are {', '.join(PAIRS)}")
    ours = str(Path(sys.executable).with_name("rollwise"))
    commands = {"old": given.old, "now": ours} if given.old else {"now": ours}
    print("| game |" + "".join(f" {name} |" for name in commands) + " C++ | now : C++ | wanted | now, MB |")
    print("| :-- |" + " --: |" * (len(commands) + 4))
    with tempfile.TemporaryDirectory() as folder:
        for version, command in commands.items():
            timed([command, "warm"], _in_cache(Path(folder), version))
        for name in given.names or PAIRS:
            print(_row(name, given.sources, Path(folder), commands), flush=True)


def _row(name: str, sources: Path, folder: Path, commands: dict[str, str]) -> str:
    arguments, parameters, wanted = PAIRS[name]
    built = folder / name
    source = sources / f"{name}.cpp"
    is_wide = "avx512f" in Path("/proc/cpuinfo").read_text()
    vectors = (WIDE if is_wide else NARROW,) if "_mm512" in source.read_text() else ()
    subprocess.run([*BUILD, *vectors, str(source), "-o", str(built)], check=True, capture_output=True)
    times, most = [], 0
    for version, command in commands.items():
        rules = [word for rule in parameters.split() for word in ("-p", rule)]
        cache = _in_cache(folder, version)
        seconds, most = timed([command, "solve", name, *rules], cache)
        times.append(seconds)
        subprocess.run([command, "cache", "clear", "--all"], env=os.environ | cache, check=True, capture_output=True)
    theirs, _ = timed([str(built), *arguments.split()], {})
    told = [*(f"{seconds:.1f}" for seconds in (*times, theirs)), f"{times[-1] / theirs:.2f}", f"{wanted}", f"{most:,}"]
    return f"| {name}{' ' + parameters if parameters else ''} | " + " | ".join(told) + " |"


def _in_cache(folder: Path, version: str) -> dict[str, str]:
    return {"ROLLWISE_CACHE": str(folder / f"cache-{version}")}


def timed(command: Sequence[str], environment: dict[str, str]) -> tuple[float, int]:
    """Seconds of a process and the most megabytes that it held."""
    began = time.perf_counter()
    process = subprocess.Popen(
        command, env=os.environ | environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, status, used = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - began
    if status:
        raise SystemExit(f"{' '.join(command)} ended with {os.waitstatus_to_exitcode(status)}")
    return seconds, used.ru_maxrss // 1024


if __name__ == "__main__":
    main()
