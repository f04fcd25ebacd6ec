"""Forecasts of solved games: loaded from the cache, or computed now and stored."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from rollwise.cache.store import Entry, EntryBusy, Store, StoreError
from rollwise.solutions.entry_parsing import reading_entry, require
from rollwise.solutions.identity import identity, is_process_local
from rollwise.solutions.in_memory import read_stored, recall, remember
from rollwise.solutions.progress import Progress
from rollwise.solver.kinds import kind_of
from rollwise.solver.kinds.kind import Solution
from rollwise.solver.model.game import TurnGame

if TYPE_CHECKING:
    from rollwise.solver.policy.flow import Forecast

SUM_TOLERANCE = 1e-9  # rounding of the sum of all chances
MIN_STORED_S = 0.5  # seconds of work; a quicker forecast is not stored


def forecast_store() -> Store:
    """Store of forecasts, apart from the solved games, so that commands about those do not list them."""
    return Store().substore("forecasts")


def forecast_identity(game: TurnGame) -> dict[str, Any]:
    """Identity of a forecast: all that it depends on but its board."""
    return identity(game, [*kind_of(game).sources(game), "rollwise.solver.policy.forecast"])


def load_or_compute_forecast(solution: Solution, board: int) -> tuple[Forecast, dict[str, Any]]:
    """Forecast from a board of a solved game, and ``facts``: boards, lost chance, seconds, cached."""
    game = solution.game
    about = {**forecast_identity(game), "board": board}
    store = forecast_store()
    key = store.key(game.name, about)
    stored = recall(store, key) or read_stored(store, key, parse_forecast)
    if stored is not None:
        return stored
    began = time.perf_counter()
    with Progress(str(game), verb="forecasting") as progress:
        forecast = solution.forecast(board, progress.share)
    facts = {"boards": forecast.n_boards, "lost": forecast.lost, "seconds": round(time.perf_counter() - began, 3)}
    if facts["seconds"] > MIN_STORED_S and not is_process_local(about):
        plain = {**asdict(forecast), "chances": None}
        try:
            with suppress(EntryBusy), store.lock(key, timeout=0):  # busy: another process stores the same
                store.write(key, {"chances": forecast.chances}, {**about, "forecast": plain, "facts": facts})
        except StoreError as error:
            remember(store, key, (forecast, {**facts, "cached": False}), error)
    return forecast, {**facts, "cached": False}


def parse_forecast(entry: Entry) -> tuple[Forecast, dict[str, Any]]:
    """Forecast of an entry and its facts. Raises ``DamagedEntry``."""
    from rollwise.solver.policy.flow import Forecast, LineForecast  # brings kernels, which a cache list does not need

    with reading_entry(entry.key):
        plain = dict(entry.manifest["forecast"])
        plain["lines"] = {line: LineForecast(**row) for line, row in plain["lines"].items()}
        facts = {name: entry.manifest["facts"][name] for name in ("boards", "lost", "seconds")}
        numbers = [plain[name] for name in ("off", "off_lines", "off_again", "lost", "n_boards")]
        numbers += [*facts.values(), *plain["again"].values()]
        numbers += [number for row in plain["lines"].values() for number in (row.mean, row.chance)]
        require(all(type(number) in (int, float) and abs(number) < 1e18 for number in numbers), "a number")
        chances = np.array(entry.array("chances"))
        require(chances.dtype == np.float64 and chances.ndim == 1 and (chances >= 0).all(), "chances")
        require(abs(chances.sum() - 1) <= plain["lost"] + plain["off"] + SUM_TOLERANCE, "chances")
        return Forecast(**{**plain, "chances": chances}), {**facts, "cached": True}
