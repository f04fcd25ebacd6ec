"""Speed of this machine relative to the reference machine of the cost model: measured, the best stored as a hint.

The measurement takes a hundredth of a second. Other processes make the machine look slow, never fast.
"""

from __future__ import annotations

import json
import socket
import time
from contextlib import suppress
from functools import cache
from pathlib import Path

import numpy as np

from rollwise.cache.files import write_whole
from rollwise.cache.store import Store, StoreError

HINT_FILE = "machine.json"  # in the folder of the cache; another machine that shares it, or has a copy, measures afresh
MAX_HINT_BYTES = 400  # that are read
N_LOOKUPS = 1 << 16  # numbers that are looked up at random and compared, as turns are backed up
N_TRIALS = 25  # the least time counts: other processes use this machine too
REFERENCE_S = 7e-5  # seconds of one trial on the machine on which the cost model was measured
MAX_RATE, MIN_RATE = 20.0, 0.05  # a hint outside is ignored
REWRITE_RATIO = 0.95  # a rate below this share of the hint is written


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
