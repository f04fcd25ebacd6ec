"""Switch every check and every certificate off in turn, and see that a test fails: python scripts/mutate.py

A check that no test needs may be gone tomorrow, and nobody would notice. Found here are, in the sources themselves, all
functions that are checks by name (``require_...``, ``check_...``, ``_refuse_...``, ``rows_hold``, ``fits``,
``same_type``) and that can refuse something; and, in ``mutate.toml`` beside this file, the comparisons that are
certificates, as small edits of the text. Each is switched off in a copy of the tree: an edit is made, or a check takes
everything (``None``, ``True``, or the function as it is with ``pass`` for every ``raise``). Then those tests are run
that are most likely to notice, as ``mutate.toml`` says them by source file. A mutant is

    killed      a test failed that passes without the mutation (it is run again so)
    SURVIVED    all tests passed: a test is missing, or the check does nothing and can go
    BROKEN      the tests could not be run, do not end, or fail without the mutation as well

and anything but killed makes the exit code 1.

    python scripts/mutate.py --list                     what would be switched off, and the tests that would be run
    python scripts/mutate.py --only cache/ --jobs 2     only mutants whose name has ``cache/`` in it, two at a time

    python scripts/mutate.py --table FILE               keep outcomes in FILE, as lines of JSON, and go on from them
    python scripts/mutate.py --sample 300 --seed 43     at most 300 mutants, drawn from all of them sorted by name

A rename changes the draw, so the table also holds a line with the seed and the names of the sample.
With a table a run that was stopped goes on, and a mutant that was killed is tried first with the test that killed it;
what the sources and tests of a mutant are is part of its line, so that after a change it is tried again. Machine code
is shared by all mutants but those of files that kernels stand in or take something from. Nothing outside a temporary
folder, and FILE, is written.
"""

from __future__ import annotations

import argparse
import ast
import compileall
import contextlib
import hashlib
import json
import os
import queue
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
FOLDERS = ("rollwise", "tests/reference")  # the last: slow twins that prove the others
CHECK = re.compile(r"_*(require|check|refuse)(_\w+)?|\w+_holds?|fits|same_type|_compare_size")
LISTED = ROOT / "scripts" / "mutate.toml"
NO_END = 1800  # seconds
ACCEPTS = {"None": "return None", "str | None": "return None", "bool": "return True"}
KERNELS = "rollwise/solver/turn/kernel_cache.py"  # where the sources of kernels are looked at
LOOKED_AT = "SOURCES = fingerprint(SOLVER)"
TAKEN_AS_GIVEN = 'fingerprint = lambda folder: "mutants"\nSOURCES = "mutants"'
LEFT_OUT = (".git", "__pycache__", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".hypothesis")


@dataclass(frozen=True)
class Mutant:
    """A source file with one check switched off.

    ``file`` is its path in the project, ``source`` its whole text with the mutation, ``tests`` what is run.
    """

    name: str
    file: str
    source: str
    tests: list[str]


@dataclass(frozen=True)
class Outcome:
    """What became of a mutant, by which test or why, and after how many seconds."""

    verdict: str
    by: str
    seconds: float = 0.0


# --- what to switch off ---------------------------------------------------------------------------------------------


def mutants() -> list[Mutant]:
    """All of them, by file: checks in the order of the source, then the listed edits."""
    listed = tomllib.loads(LISTED.read_text())
    found = []
    for file in sources():
        text = (ROOT / file).read_text()
        for name, function in checks(ast.parse(text)):
            if f"{file} {name}" not in listed["not_checks"]:
                found.append(Mutant(f"{file} {name}", file, accepting(text, function), tests_of(file, listed["tests"])))
    for edit in listed["edit"]:
        file, text = edit["file"], (ROOT / edit["file"]).read_text()
        if text.count(edit["old"]) != 1:
            raise SystemExit(f"{file} has {text.count(edit['old'])} times, not once: {edit['old']}")
        tests = [*edit.get("tests", []), *tests_of(file, listed["tests"])]
        found.append(Mutant(f"{file}: {edit['off']}", file, text.replace(edit["old"], edit["new"]), tests))
    return found


def sources() -> list[str]:
    """All source files of the product, each by its path in the project."""
    paths = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))]  # links are not followed
    return list(dict.fromkeys(str(path.resolve().relative_to(ROOT)) for path in paths))


def checks(tree: ast.AST, inside: str = "") -> Iterator[tuple[str, ast.FunctionDef]]:
    """(dotted name, function) of each check that can refuse something, by itself or by another check."""
    for node in ast.iter_child_nodes(tree):
        name = inside
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            name = f"{inside}.{node.name}".lstrip(".")
        if isinstance(node, ast.FunctionDef) and CHECK.fullmatch(node.name) and refuses(node):
            yield name, node
        yield from checks(node, name)


def refuses(function: ast.FunctionDef) -> bool:
    """Does it raise, say no or call a check? Not so a hook that others fill in, nor what a ``with`` wraps."""
    inside = list(ast.walk(function))
    if any(isinstance(node, ast.Yield) for node in inside):
        return False
    says_no = returned(function) in ("bool", "str | None")
    return any(
        (isinstance(node, ast.Raise) and "NotImplementedError" not in ast.unparse(node))
        or (isinstance(node, ast.Return) and says_no)
        or (isinstance(node, ast.Call) and CHECK.fullmatch(ast.unparse(node.func).rpartition(".")[2]))
        for node in inside
    )


def returned(function: ast.FunctionDef) -> str:
    """The type that it returns, as it is written."""
    return ast.unparse(function.returns) if function.returns else ""


def accepting(text: str, function: ast.FunctionDef) -> str:
    """The source with a check that accepts whatever comes."""
    lines = text.splitlines(keepends=True)
    answer = ACCEPTS.get(returned(function))
    if answer is not None:
        spans: list[tuple[ast.stmt, ast.stmt, str]] = [(function.body[0], function.body[-1], answer)]
    else:
        spans = [(node, node, "pass") for node in ast.walk(function) if isinstance(node, ast.Raise)]
    for first, last, instead in sorted(spans, key=lambda span: -span[0].lineno):
        lines[first.lineno - 1 : last.end_lineno] = [" " * first.col_offset + instead + "\n"]
    return "".join(lines)


def tests_of(file: str, listed: dict[str, list[str]]) -> list[str]:
    """The tests for a source file: those of the longest path in the list that it begins with, and its rules' test."""
    longest = max((path for path in listed if file.startswith(path)), key=len)
    rules = [f"tests/games/test_{name}.py" for name in (Path(file).stem, Path(file).parent.name)]
    own = [test for test in rules if file.startswith("rollwise/games/") and (ROOT / test).exists()]
    return list(dict.fromkeys([*own, *listed[longest]]))


# --- trying it ------------------------------------------------------------------------------------------------------


class Trial:
    """Copies of the tree, one for each job, in which mutants are tried."""

    def __init__(self, folder: Path, jobs: int) -> None:
        self.folder = folder
        self.free: queue.Queue[Path] = queue.Queue()
        self.good: dict[str, bool] = {}  # tests that were run without a mutation
        for number in range(jobs):
            copy = folder / f"copy{number}"
            shutil.rmtree(copy, ignore_errors=True)
            shutil.copytree(ROOT, copy, symlinks=True, ignore=shutil.ignore_patterns(*LEFT_OUT))
            compileall.compile_dir(copy, quiet=2)
            self.free.put(copy)

    def outcome(self, mutant: Mutant, first: str | None = None) -> Outcome:
        """Try one mutant, with the test that killed it before first."""
        copy, began = self.free.get(), time.monotonic()
        try:
            share_kernels(copy, mutant)
            if first and (found := self.tried(copy, replace(mutant, tests=[first]))).verdict == "killed":
                return replace(found, seconds=time.monotonic() - began)
            return replace(self.tried(copy, mutant), seconds=time.monotonic() - began)
        finally:
            self.free.put(copy)

    def tried(self, copy: Path, mutant: Mutant) -> Outcome:
        """What becomes of a mutant in this copy."""
        path = copy / mutant.file
        before, times = path.read_text(), (path.stat().st_atime_ns, path.stat().st_mtime_ns)
        path.write_text(mutant.source)
        try:
            code, said = self.run(copy, mutant.tests)
        finally:
            path.write_text(before)
            os.utime(path, ns=times)  # so that what was compiled of it is taken again
        if code == 0:
            return Outcome("SURVIVED", " ".join(mutant.tests))
        failed = re.findall(r"^(?:FAILED|ERROR) (\S+::.+?)(?: - .*)?$", said, re.MULTILINE)
        if code != 1 or not failed:
            return Outcome("BROKEN", f"exit code {code}: {said.strip()[-300:]}")
        if failed[0] not in self.good:
            self.good[failed[0]] = self.run(copy, failed[:1])[0] == 0
        return Outcome("killed" if self.good[failed[0]] else "BROKEN", failed[0])

    def run(self, copy: Path, tests: list[str]) -> tuple[int, str]:
        """Run tests in a copy until one fails: exit code, output."""
        environment: dict[str, Any] = {"ROLLWISE_KERNELS": str(copy.with_name(f"{copy.name}-kernels")), **os.environ}
        environment |= {"PYTHONPATH": str(copy), "ROLLWISE_CACHE": str(copy.with_name(f"{copy.name}-solved"))}
        said = (
            "-x",
            "-q",
            "-m",
            "not slow and not minutes and not browser and not dev",
            "-n",
            "0",
            "-rfE",
            "--tb=no",
            "--no-header",
            "-p",
            "no:cacheprovider",
        )
        command = [sys.executable, "-B", "-m", "pytest", *said, *tests]
        try:
            done = subprocess.run(
                command, cwd=copy, env=environment, capture_output=True, text=True, timeout=NO_END, check=False
            )
        except subprocess.TimeoutExpired:
            return -1, f"not over after {NO_END} s"
        return done.returncode, done.stdout + done.stderr


def shapes_kernels(file: str) -> bool:
    """Do kernels stand in this file, or take something from it? Then a mutant of it has machine code of its own."""
    holders = [path for path in (ROOT / "rollwise" / "solver").rglob("*.py") if "@compiled(" in path.read_text()]
    module = f"rollwise.{file.removesuffix('.py').replace('/', '.')}"
    return any(
        file == path.relative_to(ROOT).as_posix() or f"from {module} import" in path.read_text() for path in holders
    )


def share_kernels(copy: Path, mutant: Mutant) -> None:
    """Machine code is looked for under one key, unless a kernel may be another one in this mutant."""
    path = copy / KERNELS
    text = (ROOT / KERNELS).read_text()
    assert LOOKED_AT in text
    if not shapes_kernels(mutant.file):
        text = text.replace(LOOKED_AT, TAKEN_AS_GIVEN)
    if path.read_text() != text:
        path.write_text(text)


# --- the table ------------------------------------------------------------------------------------------------------


def digest(mutant: Mutant) -> str:
    """What the outcome of a mutant hangs on: its source, and the files of its tests."""
    files = sorted({test.partition("::")[0] for test in mutant.tests})
    told = [mutant.source, *mutant.tests, *((ROOT / file).read_text() for file in files)]
    return hashlib.sha256("\0".join(told).encode()).hexdigest()[:16]


def read_table(path: Path | None) -> dict[str, dict[str, Any]]:
    """The last line of each mutant; a line that was cut off is none."""
    known: dict[str, dict[str, Any]] = {}
    for line in path.read_text().splitlines() if path and path.exists() else ():
        with contextlib.suppress(ValueError):
            told = json.loads(line)
            known[told["name"]] = told
    return known


def drawn(chosen: list[Mutant], size: int, seed: int) -> list[Mutant]:
    """At most ``size`` mutants in random order, the same for the same names and seed."""
    by_name = sorted(chosen, key=lambda mutant: mutant.name)
    return random.Random(seed).sample(by_name, min(size, len(by_name)))


def main() -> int:
    """See above."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", default="", metavar="PATTERN", help="only mutants whose name has this in it (regex)")
    parser.add_argument("--list", action="store_true", help="say what would be switched off, and stop")
    parser.add_argument("--jobs", type=int, default=1, help="so many at once")
    parser.add_argument("--table", type=Path, metavar="FILE", help="keep outcomes there, and go on from them")
    parser.add_argument("--sample", type=int, metavar="N", help="only N mutants, drawn at random from those of --only")
    parser.add_argument("--seed", type=int, default=0, help="the seed of that draw")
    parser.add_argument("--folder", type=Path, help="a folder for the copies, kept with what was compiled in it")
    given = parser.parse_args()
    chosen = [mutant for mutant in mutants() if re.search(given.only, mutant.name)]
    if given.sample is not None:
        chosen = drawn(chosen, given.sample, given.seed)
    if given.list:
        for mutant in chosen:
            print(f"{mutant.name}  [{' '.join(mutant.tests)}]")
        return 0
    known, counts = read_table(given.table), Counter[str]()
    if given.table and given.sample is not None:
        name = f"sample {given.sample}, seed {given.seed}"
        draw = {"name": name, "sample": [mutant.name for mutant in chosen]}
        if known.get(name) != draw:
            with given.table.open("a") as table:
                table.write(json.dumps(draw) + "\n")
    with tempfile.TemporaryDirectory(prefix="rollwise-mutants-") as folder:
        trial = Trial(given.folder or Path(folder), given.jobs)

        def tried(mutant: Mutant) -> Outcome:
            before = known.get(mutant.name, {})
            was_killed = before.get("verdict") == "killed"  # what was not may have been mended elsewhere
            if was_killed and before["digest"] == digest(mutant):
                return Outcome(before["verdict"], before["by"], before["seconds"])
            found = trial.outcome(mutant, before["by"] if was_killed else None)
            if given.table:
                line = {"name": mutant.name, **asdict(found), "digest": digest(mutant)}
                with given.table.open("a") as table:
                    table.write(json.dumps(line) + "\n")
            return found

        with ThreadPoolExecutor(given.jobs) as pool:
            for mutant, found in zip(chosen, pool.map(tried, chosen), strict=True):
                print(f"{found.verdict:8}  {found.seconds:5.0f} s  {mutant.name}  [{found.by}]", flush=True)
                counts[found.verdict] += 1
    print(", ".join(f"{count} {verdict}" for verdict, count in counts.items()) or "nothing of that name")
    return 0 if set(counts) == {"killed"} else 1


if __name__ == "__main__":
    sys.exit(main())
