"""Records, policies, claims and states with anything in them, in files that may be no files at all."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

from scripts.faults.children import Hung, batches, child, command, in_time, remove, scratch
from scripts.faults.counting import HANGS, TRACEBACKS, WRONG, Counts
from scripts.faults.harms import SNIPPETS, changed, harmed, json_of

FULL, QUICK = 2000, 120
BATCH = 100
GAMES: dict[str, dict[str, Any]] = {"pig": {"target": 12}, "big-six": {}, "shut-the-box": {}, "bluff": {"chips": 1}}
TYPED = "pig target=12\nA: 5 6 hold\nB: 6 1\nA: 2 hold\n"
CLAIM = '[[claim]]\nid = "{}"\nstatement = "of mine"\nstated = "{}"\n{}\n'
CLAIMS = (
    CLAIM.format("a", "2.8 %", 'throw = { dice = 2, text = "at least two sixes" }')
    + CLAIM.format("b", "70.9 %", 'game = "pig"\nparams = { target = 4 }\nask = { turn = 2 }\nread = "value"')
    + CLAIM.format("c", "25", 'game = "yahtzee"\nscore = { roll = [3, 3, 3, 2, 2], box = "full house" }')
)
NO_FILES = ("/dev/zero", "/dev/full", "/proc/self/mem", "/dev/stdin", "/", "pipe", "loop", "gone", "")
DOORS = (
    *("review {}", "play --resume {}", "quiz pig -p target=4 --file {}", "verify --claims {}"),
    *("compare pig {} -p target=4", "best {} turn=2"),
)
READ = ["review"] * 4 + ["resume"] * 4 + ["quiz", "compare", "best", "verify"]


def records() -> Iterator[list[Any]]:
    """Games that were begun, and some that are over."""
    import rollwise

    for name, params in GAMES.items():
        draw, match = Random(name), rollwise.Match(name, params=params, seed=3)
        for _ in range(12):
            if not match.over:
                match.throw() if match.waiting else match.play(draw.choice(match.moves).move)
                yield match.record()


def run(times: int, draw: Random) -> Counts:
    """Read so many."""
    counts = Counts("records")
    with scratch("records") as folder:
        made = child(lambda: [*records()]).value
        child(command, *f"export pig -p target=4 -o {folder}/policy.csv".split())
        os.chdir(folder)
        os.mkfifo("pipe")
        Path("loop").symlink_to("loop")
        for number in range(max(len(DOORS), times // 30)):
            what = DOORS[number % len(DOORS)].format(NO_FILES[number // len(DOORS) % len(NO_FILES)])
            ended = child(command, *what.split(" "), seconds=10)
            counts.tried += 1
            if counts.judge(ended, what) and ended.code not in (1, 2):
                counts.add(WRONG, f"{what}: exit code {ended.code}, {ended.out}")
        batches(counts, times - counts.tried, BATCH, draw, _batch, folder, made)
    return counts


def _content(door: str, record: list[Any], table: str, draw: Random) -> bytes:
    """A record with another value in it, or a text with snippets and other bytes."""
    if door not in ("compare", "best", "verify") and draw.random() < 0.6:
        for _ in range(draw.choice((1, 1, 3))):
            record = changed(record, draw)[1]
        return b"\n".join(map(json_of, record))
    text = {"compare": table, "best": table, "verify": CLAIMS}.get(door, TYPED)
    for _ in range(draw.randint(1, 3)):
        start = draw.randrange(len(text) + 1)
        text = text[:start] + draw.choice([*SNIPPETS, text[:200]]) + text[start + draw.choice((0, 0, 1, 20)) :]
    content = text.encode(draw.choice(["utf-8"] * 8 + ["utf-8-sig", "utf-16"]), "replace")
    return harmed(content, draw)[1] if draw.random() < 0.3 else content


def _batch(times: int, seed: float, folder: Path, made: list[Any]) -> Counts:
    import rollwise
    from rollwise.questions.quiz.compute import read_states

    counts, draw, table = Counts("records"), Random(seed), (folder / "policy.csv").read_text()
    doors: dict[str, Callable[[Path], Any]] = {
        "review": lambda file: rollwise.review(str(file), anyway=True),
        "resume": lambda file: repr(rollwise.Match.load(file)),
        "quiz": read_states,
        "compare": lambda file: rollwise.compare("pig", str(file), params={"target": 4}),
        "best": lambda file: rollwise.best(str(file), state={"turn": 2}),
        "verify": lambda file: rollwise.verify(claims=str(file)),
    }
    for _ in range(times):
        door = draw.choice(READ)
        content = _content(door, draw.choice(made), table, draw)
        file = folder / f"hostile.{'toml' if door == 'verify' else 'csv'}"
        remove(file)
        file.write_bytes(content)
        what = f"{door} of {content[:250]!r}"
        print(what, flush=True)
        counts.tried += 1
        try:
            with in_time():
                doors[door](file)
        except Hung:
            counts.add(HANGS, what)
        except (rollwise.RollwiseError, rollwise.StoreError) as error:
            counts.refuse(str(error), what)
        except Exception as error:
            counts.add(TRACEBACKS, f"{error!r}: {what}")
    return counts
