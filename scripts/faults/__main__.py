"""Make the faults, and say what came of them: ``python -m scripts.faults [NAME ...] [--quick] [--write]``."""

from __future__ import annotations

import argparse
import functools
import importlib
import os
import sys
import time
from collections.abc import Iterator
from random import Random

import typer

from scripts.faults.children import KERNELS, Child, scratch, tell
from scripts.faults.counting import TRACEBACKS, Counts

NAMES = ("kills", "damages", "questions", "crowd", "kernels", "entries", "requests", "records", "overwriting")
WARM = ("ask pig -p target=3", "ask shut-the-box open=1,2 roll=2,1", "ask big-six", "forecast shut-the-box")


def one(name: str, times: int, quick: bool, seed: int) -> Counts:
    """The faults of one sort."""
    module, began = importlib.import_module(f"scripts.faults.{name}"), time.monotonic()
    counts: Counts = module.run(times or (module.QUICK if quick else module.FULL), Random(seed))
    counts.seconds = time.monotonic() - began
    return counts


def all_of(names: list[str], jobs: int, *how: int) -> Iterator[Counts]:
    """Those of all sorts, so many at a time, each in a child; in the order in which they are done."""
    waiting, running = list(names), dict[str, Child]()
    while waiting or running:
        while waiting and len(running) < jobs:
            running[waiting[0]] = Child(one, waiting[0], *how, limits=False)
            waiting.pop(0)
        for name in [name for name, begun in running.items() if begun.is_over()]:
            ended = running.pop(name).end()
            if ended.value is None:
                failed = Counts(name)
                failed.add(TRACEBACKS, f"the script itself: {ended.trace} {ended.err[-300:]}")
                yield failed
            else:
                yield ended.value
        time.sleep(0.05)


def main() -> int:
    """Run the command line; 1 where anything did harm."""
    parser = argparse.ArgumentParser(prog="python -m scripts.faults", description=(__doc__ or "").partition(":")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(NAMES)}: those alone")
    parser.add_argument("--seed", type=int, default=1, help="other faults for another seed (%(default)s)")
    parser.add_argument("--quick", action="store_true", help="few of each")
    parser.add_argument("--times", type=int, default=0, help="so many of each")
    parser.add_argument("--jobs", type=int, default=2, help="so many sorts at a time (%(default)s)")
    parser.add_argument("--all", action="store_true", help="tell all that did harm, not the first ones")
    parser.add_argument("--write", action="store_true", help="write docs/reliability.md")
    given = parser.parse_args()
    unknown = [name for name in given.names if name not in NAMES]
    if unknown or (given.write and given.names):
        parser.error(f"no fault is called {unknown[0]}" if unknown else "--write wants all of them")
    from rollwise.solutions import forecasts
    from rollwise.solver.turn.kernel_cache import kernels_root

    os.environ.setdefault(KERNELS, str(kernels_root()))
    forecasts.MIN_STORED_S = 0  # all are kept, and can be harmed
    typer.main.get_command = functools.cache(typer.main.get_command)  # made once, not for each line that is told
    with scratch("warm"):  # what is loaded here is there in every fork
        for line in WARM:
            if tell(line).code:
                raise SystemExit(f"nothing is disturbed, and yet '{line}' fails: {tell(line).err}")
    found, began = [], time.monotonic()
    for counts in all_of(given.names or list(NAMES), given.jobs, given.times, given.quick, given.seed):
        counts.show(every=given.all)
        found.append(counts)
    if given.write:
        from scripts.faults.page import write

        write({counts.name: counts for counts in found}, time.monotonic() - began)
    return 1 if any(counts.harm or not counts.tried for counts in found) else 0


if __name__ == "__main__":
    sys.exit(main())
