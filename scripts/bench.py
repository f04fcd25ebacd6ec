"""Speed and memory, measured in one run: python scripts/bench.py [NAME ...] [--json FILE]

A NAME is that of a solve, or floor, planned, ask, next, why, questions, resume, compare or page; without names all is
measured. Every line says what was asked for (target), what was reached, and, where a kernel ran, edge operations a
second on all cores together. Solves run in fresh processes with a cold cache and compiled kernels; ratios are taken in
this one run. Of the page it is ``scripts/load.py`` (a server under load) and ``scripts/web_timing.py`` (a browser) that
measure. ``bench.py oracle SOURCES`` times ours beside C++ programs of the same method (``scripts.benched.oracle``),
``bench.py peers`` beside four public programs on the same models (``scripts.benched.peers``).
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
BASELINE = Path(__file__).with_name("pig_baseline.py")

# name: (game, parameters, target in words, runs); the smaller game beside it warms the kernels up
SOLVES: dict[str, tuple[str, dict[str, Any], str, int]] = {
    "pig": ("pig", {}, "3x the baseline", 5),
    "ten-thousand alone": ("ten-thousand", {"players": 1}, "2 s", 3),
    "yahtzee": ("yahtzee", {}, "4 s", 3),
    "ten-thousand 5000": ("ten-thousand", {"goal": 5000}, "", 2),
    "ten-thousand 10000": ("ten-thousand", {}, "20 s, 1 GB", 1),
    "piggy-six": ("piggy-six", {}, "10 s", 2),
    "piggy-six three dice": ("piggy-six", {"max_dice": 3}, "", 1),
    "piggy-six robots 8,14": ("piggy-six", {"robots": [8, 14]}, "180 s", 1),
    "busted duel": ("busted", {"players": 2}, "", 1),
    "busted 3": ("busted", {}, "120 s, 4 GB", 1),
    "shut-the-box": ("shut-the-box", {}, "", 3),
    "mexico": ("mexico", {}, "5 s", 2),
    "sevens": ("sevens", {}, "5 s", 1),
    "zilch 5000": ("zilch", {"goal": 5000}, "", 1),
    "zilch 10000": ("zilch", {}, "90 s, 2 GB", 1),
    "sixzee": ("sixzee", {}, "90 s, stretch 45 s, 3 GB", 1),
    "cameroon margin": ("cameroon", {}, "10 s", 1),
    "cameroon win": ("cameroon", {"objective": "win"}, "6 min", 1),
    "killer": ("killer", {}, "60 s", 1),
    "killer must_score": ("killer", {"must_score": True}, "60 s", 1),
}
WARM_UP = ("piggy-six", {"target": 40})

# luck games of several seats: (game, parameters, target in words)
CHAINS: dict[str, tuple[str, dict[str, Any], str]] = {
    "big-six": ("big-six", {}, "5 s"),
    "big-six 6": ("big-six", {"players": 6}, "5 min, 8 GB"),
    "bouncer": ("bouncer", {}, "5 s"),
    "bouncer 5": ("bouncer", {"players": 5}, "5 min, 8 GB"),
    "bouncer 6": ("bouncer", {"players": 6}, "2 min, 4 GB"),
    "thunderstorm": ("thunderstorm", {}, "5 s"),
    "thunderstorm 8": ("thunderstorm", {"players": 8}, "90 s, 4 GB"),
    "finish": ("finish", {}, "5 s"),
    "finish 5": ("finish", {"players": 5}, "1 min, 4 GB"),
    "aces-in-the-pot": ("aces-in-the-pot", {}, "5 s"),
    "aces-in-the-pot 10": ("aces-in-the-pot", {"players": 10}, "2 min, 4 GB"),
    "cops-and-robbers": ("cops-and-robbers", {}, "1 min, 4 GB"),
}
WARM_CHAINS = ("big-six", {"players": 5})

# tables of three and more, and hidden dice: (game, parameters, target in words)
TABLES: dict[str, tuple[str, dict[str, Any], str]] = {
    "421": ("421", {"players": 3}, "30 s"),
    "busted": ("busted", {"players": 3}, "2 min, 4 GB"),
    "mexico 4": ("mexico", {"players": 4}, "60 s"),
    "mexico 4 rotating": ("mexico", {"players": 4, "opener": "rotating"}, "60 s"),
    "shut-the-box 6": ("shut-the-box", {"players": 6}, "60 s"),
    "piggy-six 3 to 30": ("piggy-six", {"players": 3, "target": 30}, ""),
    "piggy-six 3 to 50": ("piggy-six", {"players": 3, "target": 50}, ""),
    "finish free": ("finish", {"players": 3, "placing": "free"}, "30 s"),
    "martinetti free": ("martinetti", {"players": 3, "crossing": "free"}, "30 s"),
    "six-by-6 free": ("six-by-6", {"players": 3, "posting": "free"}, "30 s"),
    "bluff": ("bluff", {}, "30 s"),
}
WARM_TABLE = ("piggy-six", {"players": 3, "target": 12})

# what a solve is planned to take: (game, parameters, those of a smaller one that loads the loops, or null)
PLANNED: dict[str, tuple[str, dict[str, Any], dict[str, Any] | None]] = {
    "yahtzee": ("yahtzee", {}, {"joker": "free"}),
    "sixzee": ("sixzee", {}, None),
    "ten-thousand": ("ten-thousand", {}, {"goal": 2000}),
    "zilch": ("zilch", {}, {"goal": 1000}),
    "piggy-six 3 to 30": ("piggy-six", {"players": 3, "target": 30}, {"players": 3, "target": 12}),
    "piggy-six robots 8,14": ("piggy-six", {"robots": [8, 14]}, {"robots": [8, 14], "target": 40}),
    "robots 30,30 to 30": (
        "piggy-six",
        {"robots": [30, 30], "target": 30},
        {"robots": [8, 14], "target": 20},
    ),
    "six-by-6 4": ("six-by-6", {"players": 4, "posting": "free"}, {"players": 3, "posting": "free"}),
    "aces-in-the-pot 8": ("aces-in-the-pot", {"players": 8}, {"players": 5}),
    "bouncer 4": ("bouncer", {"players": 4}, {"players": 3}),
    "killer": ("killer", {}, {"must_score": True}),
    "cameroon": ("cameroon", {}, {"objective": "win", "boxes": "full house"}),
    "mexico": ("mexico", {"players": 4}, {"players": 3}),
}


def program(name: str, *words: str) -> subprocess.CompletedProcess[str]:
    """A program of ``scripts/benched`` or ``scripts``, in a process of its own."""
    command = [sys.executable, "-m", f"scripts.{name}", *words]
    return subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)


def floor() -> dict[str, Any]:
    """What the machine can do of our kernel's work: maxima of six random rows each, on two threads."""
    done = program("benched.floor")
    return {"name": "G edge operations/s of", "target": "the floor", **json.loads(done.stdout)}


def run_solve(name: str, workers: int = 2) -> dict[str, Any]:
    """One solve in a process of its own, kernels compiled before."""
    game, parameters, target, runs = SOLVES[name]
    words = json.dumps([game, parameters, WARM_UP, workers])
    done = program("benched.solve", words, str(runs))
    return {"name": name, "target": target, **json.loads(done.stdout)}


def run_chain(name: str) -> dict[str, Any]:
    """The odds of one luck game from its start, kernels compiled before."""
    game, parameters, target = CHAINS[name]
    words = json.dumps([game, parameters, WARM_CHAINS])
    done = program("benched.odds", words)
    return {"name": name, "target": target, **json.loads(done.stdout)}


def run_table(name: str) -> dict[str, Any]:
    """One solve of a table, or of hidden dice, in a process of its own, kernels compiled before."""
    game, parameters, target = TABLES[name]
    words = json.dumps([game, parameters, None if name == "bluff" else WARM_TABLE])
    done = program("benched.kind", words)
    told = json.loads(done.stdout)
    limit = told["gain_limit"]
    proved = f"widest {told['widest']:.1e}" + ("" if limit is None else f", gain below {limit:.1e}")
    said = (
        f"{told['seconds']:.2f} s, {told['cpu']:.2f} s CPU, {told['memory_mb']} MB, {told['boards']:,} boards, {proved}"
    )
    return {"name": name, "target": target, "said": said, **told}


def planned() -> Iterator[dict[str, Any]]:
    """What solves were planned to take over what they took; on a crowded machine processor seconds tell more."""
    for name, words in PLANNED.items():
        told = json.loads(program("benched.planned", json.dumps(words)).stdout)
        ratios = {what: told[f"planned_{what}"] / told[what] for what in ("seconds", "memory_mb", "kept_mb")}
        ratios["half of CPU"] = 2 * told["planned_seconds"] / told["cpu"]
        said = ", ".join(f"{what} {ratio:.2f}" for what, ratio in ratios.items())
        said += f" ({told['seconds']:.2f} s, {told['cpu']:.2f} s CPU, {told['memory_mb']:.0f} MB)"
        yield {"name": f"planned/measured {name}", "target": "1/2 to 2", "said": said, **told}


def best_of(command: list[str], runs: int, env: dict[str, str] | None = None) -> float:
    """Median wall time of a whole process, seconds."""
    times = []
    for _ in range(runs):
        begin = time.perf_counter()
        subprocess.run(command, capture_output=True, check=True, env=env)
        times.append(time.perf_counter() - begin)
    return statistics.median(times)


def pig_ratio(ours: dict[str, Any]) -> dict[str, Any]:
    """Classic Pig against the hand-written solver of one game, CPU seconds of both."""
    outputs = [
        subprocess.run([sys.executable, str(BASELINE)], capture_output=True, text=True, check=True) for _ in range(5)
    ]
    baseline = min(float(output.stdout.split()[0]) for output in outputs)
    return {
        "name": "pig / baseline",
        "target": "3",
        "ours_cpu": ours["cpu"],
        "baseline_cpu": baseline,
        "ratio": ours["cpu"] / baseline,
    }


def warm_ask() -> list[dict[str, Any]]:
    """A whole ``rollwise ask`` from the cache against the start of Python with NumPy."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "ROLLWISE_CACHE": folder}
        rollwise = str(Path(sys.executable).with_name("rollwise"))
        questions = {
            "piggy-six": ["mine=43", "theirs=61", "turn=18"],
            "ten-thousand": ["mine=8400", "theirs=6300", "turn=300", "roll=1,5,5"],
            "shut-the-box": ["roll=5,3"],
            "yahtzee": ["filled=sixes:18,chance:23", "roll=2,2,3,4,6", "rolls_left=1"],
            "drop-dead": ["turn=14", "dice=3"],
            "sixzee": ["filled=ones:3,sixzee:60", "roll=1,3,3,3,5,6", "rolls_left=2"],  # is solved first: a minute
        }
        for game, fields in questions.items():
            command = [rollwise, "ask", game, *fields]
            subprocess.run(command, capture_output=True, check=True, env=env)
            numpy = best_of([sys.executable, "-c", "import numpy"], 9)
            ask = best_of(command, 9, env)
            rows.append(
                {"name": f"warm ask {game}", "target": "4", "seconds": ask, "numpy": numpy, "ratio": ask / numpy}
            )
    return rows


NEXT = {  # what a throw of all dice leads to: fields and the move
    "zilch": (["mine=2000", "theirs=3000"], "roll"),
    "sixzee": (["filled=ones:3,sixzee:60"], "roll"),  # is solved first: a minute
}


WHY = {  # the mistake of a sample round of the sheet, and a throw to keep dice of
    "zilch": ["mine=8500", "theirs=8800", "turn=400", "roll=4,5,6", "dice=3", "trio=4"],
    "sixzee": ["filled=ones:3,sixzee:60", "roll=1,3,3,3,5,6", "rolls_left=1"],  # is solved first: a minute
}


def warm_why() -> Iterator[dict[str, Any]]:
    """A whole ``rollwise ask --why`` from the cache."""
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "ROLLWISE_CACHE": folder}
        for game, fields in WHY.items():
            command = [sys.executable, "-m", "rollwise", "ask", game, *fields, "--why"]
            subprocess.run(command, capture_output=True, check=True, env=env)
            seconds = best_of(command, 9, env)
            yield {"name": f"warm why {game}", "target": "0.5 s", "said": f"{seconds:.2f} s", "seconds": seconds}


def warm_next() -> Iterator[dict[str, Any]]:
    """A whole ``rollwise ask --next`` from the cache, as JSON and as a person reads it."""
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "ROLLWISE_CACHE": folder}
        for game, (fields, move) in NEXT.items():
            command = [sys.executable, "-m", "rollwise", "ask", game, *fields, "--next", move]
            subprocess.run(command, capture_output=True, check=True, env=env)
            plain, read = best_of([*command, "--json"], 9, env), best_of(command, 9, env)
            said = f"{plain:.2f} s as JSON, {read:.2f} s in words"
            yield {"name": f"warm outcomes {game}", "target": "0.5 s", "said": said, "plain": plain, "read": read}


QUESTIONS = """
import json, statistics, sys, time
import rollwise
game, parameters, asked = json.loads(sys.argv[1])
def cpu(fields):
    begin = time.process_time()
    rollwise.ask(game, params=parameters, state=fields)
    return 1000 * (time.process_time() - begin)
for fields in asked[:3]:
    cpu(fields)
print(json.dumps({"another_board": statistics.median(map(cpu, asked[3:])),
                  "same_board": statistics.median(cpu(asked[-1]) for _ in asked)}))
"""
SETTLED = 3.0  # seconds; files that were written just now are opened for each question anew
N_QUESTIONS = 23  # the first three of a process are not counted

LOWER = ("three of a kind", "four of a kind", "full house", "small straight", "large straight")


def crossed_out(i: int) -> dict[str, int]:
    """Yahtzee's lower boxes by the bits of a number: each is another board."""
    return {box: 0 for place, box in enumerate(LOWER) if i >> place & 1} | {"sixes": 18}


# name: (game, parameters, fields of the i-th question, milliseconds for another board)
FURTHER: dict[str, tuple[str, dict[str, Any], Callable[[int], dict[str, Any]], str]] = {
    "pig": ("pig", {}, lambda i: {"mine": 2 * i, "theirs": 90 - 3 * i, "turn": 8}, "3 ms"),
    "piggy-six": ("piggy-six", {}, lambda i: {"mine": 2 * i, "theirs": 90 - 3 * i, "turn": 8}, ""),
    "ten-thousand": (
        "ten-thousand",
        {"goal": 5000},
        lambda i: {"mine": 1000 + 50 * i, "theirs": 3000 - 50 * i, "turn": 300, "roll": [1, 5, 5]},
        "",
    ),
    "zilch": (
        "zilch",
        {"goal": 2000},
        lambda i: {"mine": 750 + 50 * i, "theirs": 1900 - 50 * i, "roll": [1, 1, 5, 2, 3, 4]},
        "",
    ),
    "yahtzee": (
        "yahtzee",
        {},
        lambda i: {"filled": crossed_out(i), "roll": [2, 2, 3, 4, 6], "rolls_left": 1},
        "",
    ),
}


def further_questions() -> Iterator[dict[str, Any]]:
    """Milliseconds of CPU for a further question of one process, about another board and about the same."""
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "ROLLWISE_CACHE": folder}
        for name, (game, parameters, fields, target) in FURTHER.items():
            words = json.dumps([game, parameters, [fields(i) for i in range(N_QUESTIONS)]])
            command = [sys.executable, "-c", QUESTIONS, words]
            subprocess.run(command, stdout=subprocess.DEVNULL, check=True, env=env)  # solved and kept
            time.sleep(SETTLED)
            done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=env)
            told = json.loads(done.stdout)
            said = f"{told['another_board']:.1f} ms CPU, of the same board {told['same_board']:.2f} ms"
            yield {"name": f"another board {name}", "target": target, "said": said, **told}


# luck games whose solve is killed at half: a checkpoint is kept of each
RESUMED = {"thunderstorm 8": "65 %", "cops-and-robbers": "65 %", "bouncer 6": "65 %"}


def resumed(name: str) -> dict[str, Any]:
    """A solve that is killed when half its time is over, and begun again: the share of the whole that this takes."""
    game, parameters, _ = CHAINS[name]
    options = [word for key, value in parameters.items() for word in ("-p", f"{key}={value}")]
    command = [sys.executable, "-m", "rollwise", "solve", game, *options, "--yes"]

    def seconds(folder: str, most: float | None = None) -> float:
        begin = time.perf_counter()
        with subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, "ROLLWISE_CACHE": folder}
        ) as process:
            try:
                code = process.wait(most)
            except subprocess.TimeoutExpired:
                process.kill()
                return time.perf_counter() - begin
        if code or most is not None:
            raise SystemExit(f"{' '.join(command)} ended with {code} after {time.perf_counter() - begin:.1f} s")
        return time.perf_counter() - begin

    with tempfile.TemporaryDirectory() as folder:  # kernels are compiled before
        small = [sys.executable, "-m", "rollwise", "solve", game, "--yes"]
        subprocess.run(small, capture_output=True, check=True, env={**os.environ, "ROLLWISE_CACHE": folder})
    with tempfile.TemporaryDirectory() as folder:
        whole = seconds(folder)
    with tempfile.TemporaryDirectory() as folder:
        seconds(folder, whole / 2)
        second = seconds(folder)
    said = f"{100 * second / whole:.0f} % of the whole run, {second:.1f} s of {whole:.1f} s"
    return {
        "name": f"resume {name}",
        "target": RESUMED[name],
        "said": said,
        "whole": whole,
        "second": second,
        "share": second / whole,
    }


RULE = '''
def by_the_sheet(state, moves):
    """Looks at the sheet and plays the first move."""
    return moves[0 if "twos" in state["filled"] else -1]
'''
TEN_FILLED = (
    "filled=ones:3,twos:6,threes:9,fours:12,fives:15,three of a kind:20,four of a kind:0,full house:25,"
    "small straight:30,large straight:0"
)


def a_sheet_compared() -> dict[str, Any]:
    """A rule that looks at the score sheet, from ten filled boxes on: a whole process, the game being solved."""
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "ROLLWISE_CACHE": folder}
        rule = Path(folder, "rule.py")
        rule.write_text(RULE)
        command = [sys.executable, "-m", "rollwise"]
        subprocess.run([*command, "solve", "yahtzee"], capture_output=True, check=True, env=env)
        compare = [*command, "compare", "yahtzee", f"{rule}:by_the_sheet", TEN_FILLED]
        seconds = best_of(compare, 3, env)
    return {"name": "compare yahtzee, ten boxes", "target": "60 s", "said": f"{seconds:.1f} s", "seconds": seconds}


def the_page() -> Iterator[dict[str, Any]]:
    """A server under load, then in a browser the weight of a first visit and how soon a tap is answered."""
    told = json.loads(program("load", "--json").stdout.splitlines()[-1])
    said = f"p50 {told['p50']:.0f} ms, p95 {told['p95']:.0f} ms of {told['asks']:,} asks; "
    said += f"lost {told['lost']}, errors {told['errors']}; memory {told['before']:.0f} to {told['after']:.0f} MB"
    yield {"name": "page under load", "target": "p95 100 ms", "said": said, **told}
    for row in map(json.loads, program("web_timing", "--json").stdout.splitlines()):
        if row["what"] == "weight":
            target, said = "150 kB", f"{row['bytes'] / 1000:.1f} kB in {row['requests']} requests"
        else:
            target, said = "300 ms", f"{row['middle']:.0f} ms, slowest {row['slowest']:.0f}: {row['what']}"
        yield {"name": f"page {row['place']}", "target": target, "said": said, **row}


def line(row: dict[str, Any]) -> str:
    """One row for people."""
    if "said" in row:
        return f"{row['name']:28} {row['said']} (target {row['target'] or '-'})"
    if "edge_operations" in row:
        rate = row["edge_operations"] / row["seconds"] / 1e9
        return (
            f"{row['name']:24} {row['seconds']:8.2f} s (target {row['target'] or '-'})  {row['memory_mb']:5} MB  "
            f"{row['boards']:>9,} boards x {row['edges']:>7,} edges  {rate:5.2f} G edge operations/s  "
            f"value {row['value']:.12f}  width {row['width']:.1e} (widest {row['widest']:.1e})"
        )
    if "turns" in row:
        return (
            f"{row['name']:24} {row['seconds']:8.2f} s, {row['cpu']:.2f} s CPU (target {row['target']})  "
            f"{row['memory_mb']:5} MB  {row['boards']:>11,} boards x {row['results']} results, {row['levels']} levels, "
            f"{row['method']}  "
            f"width {row['width']:.1e}, of turns {row['turns_width']:.1e}"
        )
    rest = "  ".join(f"{key} {value:.3f}" for key, value in row.items() if isinstance(value, float))
    return f"{row['name']:24} {rest} (target {row['target']})"


# what is measured besides solves; one after the other, each row when it is known
OTHERS: dict[str, Callable[[], Iterable[dict[str, Any]]]] = {
    "floor": lambda: [floor()],
    "planned": planned,
    "ask": warm_ask,
    "next": warm_next,
    "why": warm_why,
    "questions": further_questions,
    "resume": lambda: map(resumed, RESUMED),
    "compare": lambda: [a_sheet_compared()],
    "page": the_page,
}


def main() -> None:
    """Measure what is named, or all."""
    if sys.argv[1:2] in (["oracle"], ["peers"]):
        words = [sys.executable, "-m", f"scripts.benched.{sys.argv[1]}", *sys.argv[2:]]
        sys.exit(subprocess.run(words, env=os.environ | {"PYTHONPATH": str(ROOT)}).returncode)
    names = [*SOLVES, *CHAINS, *TABLES, *OTHERS]
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"these alone, of: {', '.join(names)}")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all rows there too")
    given = parser.parse_args()
    wanted: list[str] = given.names
    for word in wanted:
        if word not in names:
            parser.error(f"'{word}' is not measured here; measured are: {', '.join(names)}")
    rows: list[dict[str, Any]] = []

    def report(row: dict[str, Any]) -> None:
        rows.append(row)
        print(line(row), flush=True)

    for name in SOLVES:
        if not wanted or name in wanted:
            report(run_solve(name))
            if name == "pig":
                report(pig_ratio(rows[-1]))
    for name in CHAINS:
        if not wanted or name in wanted:
            report(run_chain(name))
    for name in TABLES:
        if not wanted or name in wanted:
            report(run_table(name))
    for name, measured in OTHERS.items():
        if not wanted or name in wanted:
            for row in measured():
                report(row)
    if given.json:
        given.json.write_text(json.dumps(rows, indent=2))


if __name__ == "__main__":
    main()
