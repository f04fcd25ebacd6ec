"""Plans of solves: time, memory and disk, estimated and announced before a solve begins; the machine's speed and room.

The speed is relative to the reference machine of the cost model: measured in a hundredth of a second, the best stored
as a hint. Other processes make the machine look slow, never fast.
"""

from __future__ import annotations

import json
import shutil
import socket
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from pathlib import Path

import numpy as np

from rollwise.cache.files import write_whole
from rollwise.cache.store import Store, StoreError
from rollwise.parsing.consent import CONSENT
from rollwise.solutions.identity import identity
from rollwise.solutions.turns import load_or_compile_turn
from rollwise.solver.kinds import kind_of
from rollwise.solver.model.game import TurnGame
from rollwise.solver.model.jsonable import Jsonable
from rollwise.solver.model.limits import free_addresses
from rollwise.text.numbers import BYTES, in_thousands, time_in_words

SMALL_SOLVE_S = 20.0  # at most, of a small solve
SMALL_SOLVE_BYTES = 1_000_000_000  # bytes of memory, likewise
CONTROL_GROUPS = (  # by version: folder of the groups, file of the limit, file of the use, reclaimable part of the use
    ("sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"),
    ("sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
)
HINT_FILE = "machine.json"  # in the folder of the cache; another machine that shares it, or has a copy, measures afresh
MAX_HINT_BYTES = 400  # that are read
N_LOOKUPS = 1 << 16  # numbers that are looked up at random and compared, as turns are backed up
N_TRIALS = 25  # the least time counts: other processes use this machine too
REFERENCE_S = 7e-5  # seconds of one trial on the machine on which the cost model was measured
MAX_RATE, MIN_RATE = 20.0, 0.05  # a hint outside is ignored
REWRITE_RATIO = 0.95  # a rate below this share of the hint is written


@dataclass(frozen=True)
class SolvePlan(Jsonable):
    """The estimated cost of a solve.

    Possible ``boards`` (estimated from a million on) and ``edges`` of the compiled turn; ``seconds`` on two idle cores
    of this machine, mostly right within a factor of two, without compiling the turn and, the first time on a machine,
    the kernels; bytes of ``memory``, those of the program included, and bytes ``kept`` in the cache, both approximate.
    ``solved``: True if the cache has the solution, or no question needs one. ``unrecorded``: results whose transitions
    are computed slowly, each with the reason.
    """

    boards: int
    edges: int
    seconds: float
    memory: int
    kept: int
    solved: bool
    unrecorded: tuple[str, ...] = ()

    @property
    def is_small(self) -> bool:
        """True if the solve is small enough to begin without an announcement."""
        return self.seconds <= SMALL_SOLVE_S and self.memory <= SMALL_SOLVE_BYTES

    @property
    def takes(self) -> str:
        """The cost in words: ``about 40 seconds, 300 MB of memory and 20 MB on disk``."""
        memory, disk = in_thousands(self.memory, BYTES), in_thousands(self.kept, BYTES)
        return f"about {time_in_words(self.seconds)}, {memory} of memory and {disk} on disk"


N_PLANS_CACHED = 64  # in this process
UNASKED_SECONDS, UNASKED_BYTES = 100.0, 2e9  # a solve that takes more time or memory waits for a yes,
FREE_SHARE = 0.8  # and so does one that takes more than this share of the free memory or disk


def plan_solve(game: TurnGame) -> SolvePlan:
    """Plan of solving a game or a part of one, whether or not it is solved already."""
    boards, edges, seconds, memory, disk, unrecorded = _estimate_work(game)
    return SolvePlan(boards, edges, float(f"{seconds * rate():.2g}"), memory, disk, False, unrecorded)


@lru_cache(N_PLANS_CACHED)
def _estimate_work(game: TurnGame) -> tuple[int, int, float, int, int, tuple[str, ...]]:
    """(boards, edges, seconds on the reference machine, memory, disk, unrecorded)."""
    from rollwise.solver.kinds.cost_model import PROGRAM_BYTES

    game = replace(game)  # a copy, so that the counted boards are not cached with the game
    work = kind_of(game).plan(game, game.turn_size() or load_or_compile_turn(game))
    return work.boards, work.edges, work.seconds, PROGRAM_BYTES + work.memory, work.disk, work.unrecorded


def announce(game: TurnGame, plan: SolvePlan | None = None) -> None:
    """Announce a solve to ``CONSENT``, which raises to stop it; ``plan``: of the game's fractions instead."""
    if CONSENT.get() is None:
        return
    if is_for_fractions := plan is not None:
        status = "has fractions that are not known yet: they take"
    else:
        store, plan = Store(), plan_solve(game)
        done = store.checkpoint(store.key(game.name, identity(game))).done() or 0.0
        plan = replace(plan, seconds=(1 - done) * plan.seconds)
        status = f"is solved to {100 * done:.0f} %: the rest takes" if done else "is not solved yet: that takes"
    announce_work(f"{game} {status}", plan, reasons_to_ask(plan), exact=is_for_fractions)


def reasons_to_ask(plan: SolvePlan) -> list[str]:
    """Reasons not to begin a solve without a yes."""
    reasons = ["that is long"] if plan.seconds > UNASKED_SECONDS else []
    reasons += ["that is much memory"] if plan.memory > UNASKED_BYTES else []
    for needed, free, resource in (
        (plan.memory, free_memory(), "memory"),
        (2 * plan.kept, free_disk(Store().root), "disk"),  # a checkpoint stands beside it
    ):
        if free is not None and needed > FREE_SHARE * free:
            reasons.append(f"only {in_thousands(free, BYTES)} of {resource} is free")
    return reasons


def announce_work(work: str, plan: SolvePlan, reasons: Sequence[str] = (), *, exact: bool = False) -> None:
    """Announce work that is not small; ``reasons``: why it waits for a yes; ``exact``: it only adds fractions."""
    consent = CONSENT.get()
    if consent is None or plan.is_small:
        return
    line = "; ".join(filter(None, (f"{work} {plan.takes}", " and ".join(reasons))))
    instead = f"leave out {consent.option.replace('yes', 'exact')} (the interval is certified), or " if exact else ""
    consent.announce(line, f"{line}; {instead}say {consent.option} to begin it" if reasons and not consent.yes else "")


def free_memory(root: Path = Path("/")) -> int | None:
    """Bytes that this process may still take; None where unknown. ``root``: folder of ``proc`` and ``sys``."""
    limits = [*_machine_memory(root), *_group_memory(root), free_addresses()]
    return max(0, min(byte_limits)) if (byte_limits := [limit for limit in limits if limit is not None]) else None


def free_disk(folder: Path) -> int | None:
    """Bytes that may still be written below a folder, which need not exist; None where unknown."""
    with suppress(OSError):
        existing = next(path for path in (folder, *folder.absolute().parents) if path.exists())
        return shutil.disk_usage(existing).free
    return None


def _machine_memory(root: Path) -> Iterator[int]:
    with suppress(OSError, ValueError, KeyError):
        yield 1024 * _read_numbers(root / "proc/meminfo")["MemAvailable:"]


def _group_memory(root: Path) -> Iterator[int]:
    """Free bytes of the process's group and of each one around it; a container may see only the outermost."""
    try:
        lines = (root / "proc/self/cgroup").read_text().splitlines()
    except (OSError, ValueError):
        return
    for line in lines:
        number, _, rest = line.partition(":")
        controllers, _, name = rest.partition(":")
        if number != "0" and "memory" not in controllers.split(","):
            continue
        top_folder, limit, used, reclaimable = CONTROL_GROUPS[0 if number == "0" else 1]
        own_group = Path(name.strip("/"))
        for group in dict.fromkeys([own_group, *own_group.parents, Path()]):
            with suppress(OSError, ValueError):  # ValueError: without a limit, "max"
                folder = root / top_folder / group
                limit_bytes, used_bytes = (int((folder / file).read_text()) for file in (limit, used))
                yield limit_bytes - used_bytes + _reclaimable_bytes(folder, reclaimable)


def _reclaimable_bytes(group: Path, name: str) -> int:
    with suppress(OSError, ValueError, KeyError):
        return _read_numbers(group / "memory.stat")[name]
    return 0


def _read_numbers(file: Path) -> dict[str, int]:
    """Numbers by name of a file with a name and a number a line."""
    return {name: int(number) for name, number, *_ in map(str.split, file.read_text().splitlines())}


@cache
def rate() -> float:
    """Factor by which planned seconds grow on this machine: 2 on one half as fast."""
    measured = measure_rate()
    try:
        path = Store().root / HINT_FILE
    except StoreError:
        return measured
    stored = read_hint(path)
    if stored is None or measured < REWRITE_RATIO * stored:
        with suppress(OSError):  # then it is measured again next time
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, json.dumps({"rate": measured, "host": socket.gethostname()}).encode())
    return measured if stored is None else min(stored, measured)


def read_hint(path: Path) -> float | None:
    """Rate in the hint file; None where there is none, or one of another machine, or no possible rate."""
    try:
        if not path.is_file():  # reading a pipe could wait for ever
            return None
        with path.open("rb") as file:
            hint = json.loads(file.read(MAX_HINT_BYTES))
        stored = hint["rate"] if hint["host"] == socket.gethostname() else None
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    return stored if type(stored) is float and MIN_RATE <= stored <= MAX_RATE else None


def measure_rate() -> float:
    """Rate measured now."""
    values, index = np.arange(N_LOOKUPS, dtype=np.float64), np.random.default_rng(0).integers(N_LOOKUPS, size=N_LOOKUPS)
    results, times = np.empty_like(values), list[float]()
    for _ in range(N_TRIALS):
        began = time.perf_counter()
        np.take(values, index, out=results, mode="clip")
        np.maximum(results, values, out=results)
        times.append(time.perf_counter() - began)
    return float(f"{min(max(min(times) / REFERENCE_S, MIN_RATE), MAX_RATE):.2g}")
