"""Records, policies, claims and states with anything in them, from files that may be no files at all."""

from __future__ import annotations

import copy
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

from scripts.faults.asking import batches, one_line, remove, scratch
from scripts.faults.children import child, command
from scripts.faults.counting import HANGS, TRACEBACKS, WRONG, Counts
from scripts.faults.questions import ODD

FULL, QUICK = 2000, 120
BATCH = 50
GAMES: dict[str, dict[str, Any]] = {"pig": {"target": 12}, "big-six": {}, "shut-the-box": {}, "bluff": {"chips": 1}}
TYPED = "pig target=12\nA: 5 6 hold\nB: 6 1\nA: 2 hold\n"
CLAIMS = """[[claim]]\nid = "a"\nstatement = "Two sixes."\nstated = "2.8 %"\nthrow = { dice = 2, text = "at least two sixes" }
[[claim]]\nid = "b"\ngame = "pig"\nparams = { target = 4 }\nstatement = "x"\nstated = "70.9 %"\nask = { turn = 2 }\nread = "value"
[[claim]]\nid = "c"\ngame = "yahtzee"\nstatement = "y"\nstated = 30\nscore = { roll = [3, 3, 3, 2, 2], box = "full house" }
"""
SNIPPETS = [*" ,:={}[]()\"'\\\n\t\0\x1b\x07%½१", "1e999999999", "1/0", "9" * 5000, "[" * 5000, "total 7 or " * 500]
SNIPPETS += ["\ud7ff\u202e", "null", "NaN", "Infinity", "-0", "true", "at least", "dice = 20", "\x9b2J", "../../etc/passwd"]
NO_FILES = ("/dev/zero", "/dev/full", "/proc/self/mem", "/proc/self/environ", "/dev/stdin", "/", "pipe", "loop", "gone", "")
DOORS = ("review {}", "play --resume {}", "quiz pig -p target=4 --file {}", "verify --claims {}", "compare pig {} -p target=4")
DOORS += ("best {} turn=2",)


def records() -> Iterator[list[Any]]:
    """Games that were begun, and some that are over."""
    import rollwise

    for name, params in GAMES.items():
        draw, match = Random(name), rollwise.Match(name, params=params, seed=3)
        for place in range(12):
            if not match.over:
                match.throw() if match.waiting else match.play(draw.choice(match.moves).move)
                if place > 5:
                    yield match.record()


def places(told: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where something stands in it."""
    for key, part in told.items() if isinstance(told, dict) else enumerate(told) if isinstance(told, list) else ():
        yield (*at, key)
        yield from places(part, (*at, key))


def changed(record: list[Any], draw: Random) -> list[Any]:
    """With another value somewhere, or with one gone."""
    found = copy.deepcopy(record)
    for _ in range(draw.choice((1, 1, 3))):
        *way, last = draw.choice([*places(found)])
        inside: Any = found
        for key in way:
            inside = inside[key]
        inside[last] = draw.choice(ODD)
        if draw.random() < 0.1:
            del inside[last]
    return found


def garbled(text: str, draw: Random) -> bytes:
    """Text with something put in, cut out, or of another encoding."""
    for _ in range(draw.randint(1, 4)):
        start = draw.randrange(len(text) + 1)
        text = text[:start] + draw.choice([*SNIPPETS, text[:200]]) + text[start + draw.choice((0, 0, 1, 20)) :]
    encoding = draw.choice(["utf-8"] * 8 + ["utf-8-sig", "utf-16"])
    return text.encode(encoding, "replace")[: draw.choice([None] * 4 + [draw.randrange(len(text) + 1)])]


def run(times: int, draw: Random) -> Counts:
    """Read so many."""
    counts = Counts("records")
    with scratch("records") as folder:
        made = child(lambda: [*records()]).value
        child(command, "export", "pig", "-p", "target=4", "-o", str(folder / "policy.csv"))
        table = (folder / "policy.csv").read_text()
        os.mkfifo(folder / "pipe")
        (folder / "loop").symlink_to(folder / "loop")
        for number in range(max(6, times // 30)):
            _no_file(folder, NO_FILES[number % len(NO_FILES)], DOORS[number // len(NO_FILES) % len(DOORS)], counts)
        batches(counts, times - counts.tried, BATCH, draw, _batch, folder, made, table)
    return counts


def _no_file(folder: Path, name: str, door: str, counts: Counts) -> None:
    """A pipe that nobody writes may be waited for: somebody writes nothing into it."""
    what = door.format(name)
    place = str(folder / name) if name and not name.startswith("/") else name
    os.chdir(folder)
    ended = child(command, *(word.format(place) for word in door.split()), seconds=10)
    counts.tried += 1
    if ended.hung or ended.trace:
        counts.add(HANGS if ended.hung else TRACEBACKS, f"{what}: {ended.trace}")
    elif ended.code not in (1, 2) or not one_line(ended.err.partition("\nhint: ")[0].strip()):
        counts.add(WRONG, f"{what}: exit code {ended.code}, {ended.err}")


def _batch(times: int, seed: float, folder: Path, made: list[Any], table: str) -> Counts:
    import rollwise
    from rollwise.asking.quiz.reading import read_states

    counts, draw = Counts("records"), Random(seed)
    doors: dict[str, Callable[[Path], Any]] = {
        "review": lambda file: rollwise.review(str(file), anyway=True),
        "resume": lambda file: repr(rollwise.Match.load(file)),
        "quiz": read_states,
        "policy": lambda file: rollwise.compare("pig", str(file), params={"target": 4}),
        "best": lambda file: rollwise.best(str(file), state={"turn": 2}),
        "claims": lambda file: rollwise.verify(claims=str(file)),
    }
    for _ in range(times):
        door = draw.choice(["review"] * 4 + ["resume"] * 4 + ["quiz", "policy", "best", "claims"])
        file = folder / {"policy": "hostile.csv", "best": "hostile.csv", "claims": "hostile.toml"}.get(door, "hostile")
        try:
            record = draw.choice(made)
            lines = changed(record, draw) if draw.random() < 0.6 else record
            text = "".join(json.dumps(line, default=str) + "\n" for line in lines)
            content = text.encode()
            if lines is record or door in ("policy", "best", "claims"):
                whole = {"policy": table, "best": table, "claims": CLAIMS}.get(door, draw.choice((text, TYPED)))
                content = garbled(whole, draw)
        except (ValueError, TypeError, RecursionError):  # no JSON says that
            content = b"{" * 5000
        remove(file)
        file.write_bytes(content)
        what = f"{door} of {content[:300]!r}"
        print(what, flush=True)
        counts.tried += 1
        try:
            doors[door](file)
        except (rollwise.RollwiseError, rollwise.StoreError) as error:
            if not one_line(str(error)):
                counts.add(WRONG, f"{error!r} is more than a line, or a terminal would obey it: {what}")
        except Exception as error:
            counts.add(TRACEBACKS, f"{error!r} for {what}")
    return counts
