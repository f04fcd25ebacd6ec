"""Forecasts, kept from an earlier time or made now: beside the solved games."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from rollwise.cache.store import EntryBusy, Store, StoreError
from rollwise.solutions.identity import identity, is_here_alone
from rollwise.solutions.progress import Progress
from rollwise.solutions.sound import read_from, require
from rollwise.solutions.unkept import note_store_error, recall, remember
from rollwise.solver.kinds import kind_of
from rollwise.solver.kinds.kind import Solution
from rollwise.solver.model.game import TurnGame

if TYPE_CHECKING:
    from rollwise.solver.policy.flow import Forecast

LEAST = 1e-9  # of all chances together, that their sum is rounded by
QUICK = 0.5  # seconds up to which a forecast is not worth keeping


def kept_forecasts() -> Store:
    """Where forecasts are kept: beside the solved games, for no command that tells of these is about them."""
    return Store().part("forecasts")


def about_forecast(game: TurnGame) -> dict[str, Any]:
    """What a forecast depends on, beside its board."""
    return identity(game, [*kind_of(game).sources(game), "rollwise.solver.policy.forecast"])


def kept_or_made(opened: Solution, board: int) -> tuple[Forecast, dict[str, Any]]:
    """The forecast of a board of a solved game, and ``facts`` of the work."""
    game = opened.game
    about = {**about_forecast(game), "board": board}
    store = kept_forecasts()
    key = store.key(game.name, about)
    kept = recall(store, key) or _kept(store, key)
    if kept is not None:
        return kept
    began = time.perf_counter()
    with Progress(str(game), verb="forecasting") as progress:
        future = opened.forecast(board, progress.share)
    facts = {"boards": future.n_boards, "lost": future.lost, "seconds": round(time.perf_counter() - began, 3)}
    if facts["seconds"] > QUICK and not is_here_alone(about):
        plain = {**asdict(future), "chances": None}
        try:
            with store.lock(key, timeout=0):
                store.write(key, {"chances": future.chances}, {**about, "forecast": plain, "facts": facts})
        except EntryBusy:  # another process keeps the very same
            pass
        except StoreError as error:
            remember(store, key, (future, {**facts, "cached": False}), error)
    return future, {**facts, "cached": False}


def _kept(store: Store, key: str) -> tuple[Forecast, dict[str, Any]] | None:
    from rollwise.solver.policy.flow import Booked, Forecast  # with kernels, which a list of the cache does not need

    try:
        entry = store.read(key)
        if entry is None:
            return None
        store.use(key)
        with read_from(key):
            plain = dict(entry.manifest["forecast"])
            plain["lines"] = {line: Booked(**booked) for line, booked in plain["lines"].items()}
            facts = {name: entry.manifest["facts"][name] for name in ("boards", "lost", "seconds")}
            numbers = [plain[name] for name in ("off", "off_lines", "off_again", "lost", "n_boards")]
            numbers += [*facts.values(), *plain["again"].values()]
            numbers += [number for booked in plain["lines"].values() for number in (booked.mean, booked.chance)]
            require(all(type(number) in (int, float) and abs(number) < 1e18 for number in numbers), "a number")
            chances = np.array(entry.array("chances"))
            require(chances.dtype == np.float64 and chances.ndim == 1 and (chances >= 0).all(), "chances")
            require(abs(chances.sum() - 1) <= plain["lost"] + plain["off"] + LEAST, "chances")
            return Forecast(**{**plain, "chances": chances}), {**facts, "cached": True}
    except StoreError as error:  # damaged, or a folder that cannot be read
        note_store_error(error)
        with suppress(StoreError):
            store.remove(key)
        return None
