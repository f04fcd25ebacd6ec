"""Ours beside other programs, on the same models: bench.py peers [TASK ...] writes docs/peers.md.

Each peer has an environment of its own in --folder, made when it is not there. Each row is a process of its own, which
prints a line of JSON (``scripts/benched/foreign``, ``ours``); what it took and said is kept in peers.json beside this
file, so that single tasks can be measured again, and the page is what that file says.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
KEPT = Path(__file__).with_name("peers.json")
PAGE = ROOT / "docs" / "peers.md"
FOLDER = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "rollwise-peers"
RUNS = "3"
ROUNDING = Fraction(1, 10**13)  # of the value: a bound that misses by less forgot only that floats are rounded
Row = dict[str, Any]

# a peer: (its program in ``foreign``, what pip is asked for)
PEERS = {
    "stormpy": ("storm", ["stormpy==2.0.0"]),
    "open_spiel": ("spiel", ["open_spiel==2.0.2", "cvxpy"]),  # its value iteration imports cvxpy
    "quantecon": ("quant", ["quantecon==0.11.4"]),
    "icepool": ("ice", ["icepool==2.1.3"]),
}
STORM = {
    "plain": "value iteration",
    "sound": "its default, sound",
    "interval": "interval iteration, 1e-9",
    "exact": "fractions",
}
QUANT = {
    "policy_iteration": "policy iteration, discount 1 - 1e-13",
    "modified_policy_iteration": "modified policy iteration, the same discount",
}
ONE_PLAYER = "its own games are for two, and its value iteration takes games, no matrices"
DICE_ONLY = "works out dice: nothing in it looks for the best move"
NO_DUEL = {
    "stormpy": "reads no file of states of a game for two; one written for PRISM it builds, but its check gave nothing",
    "quantecon": "its dynamic programs have one player",
}


class Task(NamedTuple):
    """A model, and how each peer is asked: the words for its program by what the row says, or why it is not."""

    title: str
    game: str
    parameters: dict[str, Any]
    asked: dict[str, Any]
    explicit: bool = True
    odds: bool = False


def storm(question: str) -> dict[str, list[str]]:
    """Storm's four ways."""
    return {said: ["MODEL.drn", question, method, RUNS] for method, said in STORM.items()}


def quant(sense: str, methods: dict[str, str] = QUANT) -> dict[str, list[str]]:
    """QuantEcon's ways."""
    return {said: ["MODEL.npz", sense, method, RUNS] for method, said in methods.items()}


def race(title: str, game: str, **parameters: Any) -> Task:
    """Alone, the fewest turns."""
    asked: dict[str, Any] = {"stormpy": storm('R{"earned"}min=? [F "end"]'), "quantecon": quant("min")}
    return Task(title, game, parameters, {**asked, "open_spiel": ONE_PLAYER, "icepool": DICE_ONLY})


def duel(target: int) -> Task:
    """Classic Pig."""
    asked: dict[str, Any] = {
        "open_spiel": {"value iteration of its own Pig": [str(target), RUNS]},
        "icepool": DICE_ONLY,
    }
    return Task(f"Pig for two, to {target}", "pig", {"target": target}, asked | NO_DUEL, explicit=False)


def sheet(title: str, boxes: str, icepool: Any) -> Task:
    """The last boxes of Yahtzee."""
    methods = {"backward": "backward induction, 200 steps", "policy_iteration": QUANT["policy_iteration"]}
    asked: dict[str, Any] = {"stormpy": storm('R{"earned"}max=? [F "end"]'), "quantecon": quant("max", methods)}
    asked |= {"open_spiel": ONE_PLAYER, "icepool": icepool}
    return Task(title, "yahtzee", {"boxes": boxes}, asked)


def dice(title: str, what: str, game: str, **parameters: Any) -> Task:
    """Odds of throws."""
    no = {"stormpy": "not tried: takes chains, does not make them of dice", "quantecon": "not tried: likewise"}
    asked: dict[str, Any] = {
        "icepool": {"fractions": [what, RUNS]},
        **no,
        "open_spiel": "not tried: it plays and solves games",
    }
    return Task(title, game, parameters, asked, explicit=False, odds=True)


BY_HAND = {"fractions, the search for the best keep written by hand": ["yahtzee", RUNS]}
TASKS = {
    "pig-alone": race("Pig alone to 100, fewest turns", "pig-alone", target=100),
    "ten-thousand-2000": race("Ten Thousand alone to 2,000, fewest turns", "ten-thousand", goal=2000, players=1),
    "ten-thousand-4000": race("Ten Thousand alone to 4,000, fewest turns", "ten-thousand", goal=4000, players=1),
    "pig-10": duel(10),
    "pig-20": duel(20),
    "pig-30": duel(30),
    "yahtzee-1": sheet("Yahtzee's turn, the yahtzee box open", "yahtzee", BY_HAND),
    "yahtzee-3": sheet(
        "Yahtzee, three boxes open", "full house,small straight,yahtzee", "as above, and no further: by hand"
    ),
    "bust": dice(
        "Odds that one to six dice bust in Zilch (ours: with the whole turn)",
        "bust",
        "zilch",
        players=1,
        objective="points",
    ),
    "sums": dice("Odds of each sum of two dice", "sums", "dice-roulette"),
}


def made(peer: str, folder: Path) -> Path | str:
    """The Python of a peer's environment, made if need be; or why there is none."""
    python = folder / peer / "bin" / "python"
    try:
        done, wanted = folder / peer / "installed", " ".join(PEERS[peer][1])
        if not done.exists() or done.read_text() != wanted:
            for command in (
                [sys.executable, "-m", "venv", "--clear", str(folder / peer)],
                [str(python), "-m", "pip", "install", "-q", *PEERS[peer][1]],
            ):
                subprocess.run(command, check=True, capture_output=True, text=True)
            done.write_text(wanted)
    except (subprocess.CalledProcessError, OSError) as error:
        last = ((getattr(error, "stderr", None) or str(error)).strip().splitlines() or ["no reason given"])[-1]
        return f"could not be installed: {last}"
    return python


def measured(command: list[str], seconds: float, most_mb: float, env: dict[str, str]) -> Row:
    """What a process prints; where it gives up, takes too long or too much memory, ``said`` says so."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(command, cwd=ROOT, env=os.environ | env, stdout=out, stderr=errors)
        while process.poll() is None:
            took, held = used(process.pid)
            if took > seconds or held > most_mb:
                process.kill()
                process.wait()
                return {"said": f"not done in {seconds:,.0f} s" if took > seconds else f"more than {most_mb:,.0f} MB"}
            time.sleep(0.05)
        out.seek(0)
        errors.seek(0)
        if process.returncode:
            lines = errors.read().strip().splitlines()
            return {"said": f"gave up: {lines[-1] if lines else process.returncode}"}
        found: Row = json.loads(out.read())
        return found


def used(process: int) -> tuple[float, float]:
    """(seconds of processor, megabytes held) of a process."""
    with contextlib.suppress(OSError):
        words = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        seconds = (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")
        return seconds, int(words[21]) * os.sysconf("SC_PAGE_SIZE") / 1e6
    return 0.0, 0.0


# --- what the answers are worth ------------------------------------------------------------------------------------


def numbers(text: str) -> list[Fraction]:
    """Fractions and floats, as they were printed."""
    return [Fraction(word) for word in text.split()]


def judged(told: Row, truth: Row) -> Row:
    """A row with what its bound is and whether it holds, seen from our own proved bounds."""
    if "value" not in told:
        return told
    ours = list(zip(numbers(truth["lower"]), numbers(truth["upper"]), strict=True))
    values = numbers(told["value"])
    off = max(max(low - value, value - high, Fraction(0)) for (low, high), value in zip(ours, values, strict=True))
    row: Row = {key: told[key] for key in ("version", "seconds", "cpu", "build", "memory_mb") if key in told}
    row |= {"value": shown(told["value"]), "bound": "none", "holds": f"off by {float(off):.1e}"}
    if "lower" in told and "upper" in told:
        pairs = [
            (*mine, *theirs) for mine, *theirs in zip(ours, numbers(told["lower"]), numbers(told["upper"]), strict=True)
        ]
        missed = max(max(bottom - high, low - top, Fraction(0)) for low, high, bottom, top in pairs)
        inside = all(bottom <= low and high <= top for low, high, bottom, top in pairs)
        wide = max(top - bottom for *_, bottom, top in pairs) / 2
        exact = not wide and "/" in told["value"]
        row["bound"] = "exact" if exact else "one side" if wide > values[0] / 10 else f"± {float(wide):.0e}"
        rounded = " (rounding is left out)" if not exact and missed < ROUNDING * values[0] else ""
        held = "yes" if inside else "yes, as far as ours tells"
        row["holds"] = f"NO, by {float(missed):.1e}{rounded}" if missed else held
    if "stated" in told:
        off_by = f"; off by {float(off):.1e}" * (row["bound"] != "none")
        kept = "kept" if off <= Fraction(told["stated"]) else "NOT KEPT"
        row["holds"] += f"{off_by}, stated {told['stated']:.0e}: {kept}"
    return row


def shown(value: str) -> str:
    """A value for the page: what is long is shortened."""
    if " " in value:
        words = value.split()
        return f"{words[0]} … {words[-1]}, {len(words)} fractions"
    if "/" in value:
        digits = len(value.partition("/")[0])
        return value if len(value) < 24 else f"{float(Fraction(value)):.12f}, a fraction of {digits:,} digits"
    return f"{float(value):.12f}"


# --- one task ------------------------------------------------------------------------------------------------------


def ours(task: Task, run: Callable[..., Row]) -> Iterator[Row]:
    """Our own rows, the one in fractions last; machine code is compiled by a run before."""
    words = json.dumps([task.game, task.parameters])
    program = [sys.executable, "-m", "scripts.benched.ours", words]
    kept = task.game != "pig-alone" and "boxes" not in task.parameters
    for name, how in [((), "odds")] if task.odds else [((), "solve"), (("in fractions",), "exact")]:
        with tempfile.TemporaryDirectory() as before, tempfile.TemporaryDirectory() as folder:
            run([*program, how], {"ROLLWISE_CACHE": before})
            yield {"how": ", ".join(["first", *name]), **run([*program, how], {"ROLLWISE_CACHE": folder})}
            if kept and not name:
                yield {"how": "again, from its cache", **run([*program, how], {"ROLLWISE_CACHE": folder})}
            elif not name:
                yield {"how": "again in the same process", **run([*program, "again"], {"ROLLWISE_CACHE": folder})}


def rows_of(task: Task, folder: Path, run: Callable[..., Row]) -> tuple[Row, list[Row]]:
    """(the model, its rows)."""
    found = list(ours(task, run))
    truth = next((row for row in reversed(found) if "value" in row), None)
    if truth is None:
        raise SystemExit(f"{task.title}: ours {found[0]['said']}")
    rows = [{"who": "rollwise", **judged(row, truth), "how": row["how"]} for row in found]
    with tempfile.TemporaryDirectory() as models:
        model: Row = {}
        if task.explicit:
            write = [sys.executable, "-m", "scripts.benched.explicit", json.dumps([task.game, task.parameters])]
            model = run([*write, f"{models}/model"], {}, limit=600)
        for peer, ways in task.asked.items():
            if isinstance(ways, str):
                rows.append({"who": peer, "how": "", "said": ways})
                continue
            python = made(peer, folder)
            for how, words in ways.items():
                row: Row = {"said": python}
                if isinstance(python, Path):
                    told = [word.replace("MODEL", f"{models}/model") for word in words]
                    row = run([str(python), "-m", f"scripts.benched.foreign.{PEERS[peer][0]}", *told], {})
                rows.append({"who": peer, "how": how, **judged(row, truth)})
    return model, rows


# --- the page ------------------------------------------------------------------------------------------------------

HEAD = """# Other programs, side by side

What four public programs take for models of ours, and whether what they answer holds. Written by
`python scripts/bench.py peers`, which makes an environment for each.

Each row is a process of its own. *Build* are processor seconds of reading the model, which is written once, state by
state, as the game's file says it, without choices where one ends a race; *seconds* are the solve alone, *CPU* those of
all processors, the least of three runs, or of fewer where ten seconds are gone (ours: of one); *MB* the most memory
that the process held. Ours builds as it solves, in a process that starts with nothing kept, machine code compiled
before. *Holds* is told by our own proof: the fraction where there is one, else the interval. Each process has
{limit:,.0f} s of processor and {memory:,.0f} MB at most. An empty cell was not measured.

{date}; {machine}. {shared}

{summary}
"""
SHARED = "Load averages when tasks began: {:.1f} to {:.1f}; above 1 others used the machine too, and *CPU* tells more."
SUMMARY = (
    "Of {} bounds that others gave {} hold, {} miss by rounding alone, {} do not hold. Of {} answers that "
    "state a precision, {} keep it."
)


def page(record: Row) -> str:
    """The whole page, as the record says it."""
    loads = [task["load"] for task in record["tasks"].values()]
    others = [row for task in record["tasks"].values() for row in task["rows"] if row["who"] != "rollwise"]
    held = [row["holds"] for row in others if row.get("bound", "none") != "none"]
    rounded = sum("rounding" in holds for holds in held)
    wrong = sum(holds.startswith("NO") for holds in held) - rounded
    stated = [row["holds"] for row in others if ", stated" in row.get("holds", "")]
    summary = SUMMARY.format(
        len(held), len(held) - rounded - wrong, rounded, wrong, len(stated), sum("NOT" not in holds for holds in stated)
    )
    parts = [HEAD.format(**record["about"], shared=SHARED.format(min(loads), max(loads)), summary=summary)]
    parts += [section(task.title, **record["tasks"][name]) for name, task in TASKS.items() if name in record["tasks"]]
    return "\n".join(parts)


def section(title: str, model: Row, rows: list[Row], load: float) -> str:
    """One model and its table."""
    lines = [f"## {title}", ""]
    if "states" in model:
        size = f"{model['states']:,} states, {model['choices']:,} choices, {model['entries']:,} chances"
        lines += [f"{size}, written in {model['seconds']:.1f} s.", ""]
    elif model:
        lines += [f"The model was not written: {model['said']}.", ""]
    lines += ["| program | how | build | seconds | CPU | MB | value | bound | holds |"]
    lines += ["| :-- | :-- | --: | --: | --: | --: | :-- | :-- | :-- |"]
    return "\n".join([*lines, *map(line, rows), ""])


def line(row: Row) -> str:
    """One row of the table."""
    who = f"{row['who']} {row.get('version', '')}".strip()
    if "said" in row:
        return f"| {who} | {row['how']} | | | | | {row['said']} | | |"
    build = f"{row['build']:.2f}" if "build" in row else ""
    known = [row.get(key) for key in ("seconds", "cpu")]
    times = ["" if took is None else f"{took:.2g}" if took < 10 else f"{took:,.0f}" for took in known]
    times = [build, *times, f"{row['memory_mb']:,}"]
    return "| " + " | ".join([who, row["how"], *times, row["value"], row["bound"], row["holds"]]) + " |"


def machine() -> str:
    """What it ran on."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    name = next((line.partition(": ")[2] for line in lines if line.startswith("model name")), platform.machine())
    return f"{os.cpu_count()} cores of {name}, Python {platform.python_version()}"


def main() -> None:
    """Measure tasks, keep what came, write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tasks", nargs="*", metavar="TASK", help=f"these alone, of: {', '.join(TASKS)}")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="of the environments (%(default)s)")
    parser.add_argument("--limit", type=float, default=120, help="seconds of processor for each process (%(default)s)")
    parser.add_argument("--memory", type=float, default=8000, help="megabytes of each process (%(default)s)")
    given = parser.parse_args()
    wrong = [name for name in given.tasks if name not in TASKS]
    if wrong:
        parser.error(f"no task {wrong[0]}; there are {', '.join(TASKS)}")

    def run(command: list[str], env: dict[str, str], limit: float = given.limit) -> Row:
        return measured(command, limit, given.memory, env)

    record: Row = json.loads(KEPT.read_text()) if KEPT.exists() else {"tasks": {}}
    about = {"date": f"{datetime.date.today():%Y-%m-%d}", "machine": machine()}
    record["about"] = about | {"limit": given.limit, "memory": given.memory}
    for name in given.tasks or TASKS:
        load = os.getloadavg()[0]
        model, rows = rows_of(TASKS[name], given.folder, run)
        record["tasks"][name] = {"model": model, "rows": rows, "load": load}
        print(section(TASKS[name].title, model, rows, load), flush=True)
        KEPT.write_text(json.dumps(record, indent=1) + "\n")
        PAGE.write_text(page(record))


if __name__ == "__main__":
    main()
