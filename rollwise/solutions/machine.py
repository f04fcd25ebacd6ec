"""How fast this machine is beside the one that plans are reckoned for: measured, and the best of it kept as a hint.

It takes a hundredth of a second, before a solve or a plan. Others who use the machine make it look slow, never fast.
"""

from __future__ import annotations

import json
import os
import socket
import time
from contextlib import suppress
from functools import cache
from pathlib import Path

import numpy as np

from rollwise.cache.store import Store, StoreError

NAME = "machine.json"  # in the folder of the cache; another machine that shares it, or has a copy, measures afresh
LONGEST = 400  # bytes that are read of it
SIZE = 1 << 16  # numbers that are looked up at random and compared, as turns are backed up
TRIES = 25  # the least time of so many counts: others use this machine too
USUAL = 7e-5  # seconds that the machine takes for it on which the rates of plans were measured
SLOWEST, FASTEST = 20.0, 0.05  # what a machine can be; another hint is none
NEWS = 0.95  # a rate that is lower by so much is written down


@cache
def rate() -> float:
    """How many times as long as planned things take here: 2 on a machine half as fast."""
    now = measured()
    try:
        place = Store().root / NAME
    except StoreError:
        return now
    known = kept(place)
    if known is None or now < NEWS * known:
        with suppress(OSError):  # then it is measured again next time
            place.parent.mkdir(parents=True, exist_ok=True)
            fresh = place.with_suffix(f".{os.getpid()}")
            fresh.write_text(json.dumps({"rate": now, "host": socket.gethostname()}))
            fresh.replace(place)
    return now if known is None else min(known, now)


def kept(place: Path) -> float | None:
    """The hint of an earlier time; None where there is none, or another machine's, or no number that can be."""
    try:
        if not place.is_file():  # reading a pipe could wait for ever
            return None
        with place.open("rb") as file:
            hint = json.loads(file.read(LONGEST))
        known = hint["rate"] if hint["host"] == socket.gethostname() else None
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    return known if type(known) is float and FASTEST <= known <= SLOWEST else None


def measured() -> float:
    """The rate as it is now."""
    values, index = np.arange(SIZE, dtype=np.float64), np.random.default_rng(0).integers(SIZE, size=SIZE)
    found, times = np.empty_like(values), list[float]()
    for _ in range(TRIES):
        began = time.perf_counter()
        np.take(values, index, out=found, mode="clip")
        np.maximum(found, values, out=found)
        times.append(time.perf_counter() - began)
    return float(f"{min(max(min(times) / USUAL, FASTEST), SLOWEST):.2g}")
