"""Sizes of turns that take long to compile: ``turn_sizes.toml``, by ``scripts/turn_sizes.py``."""

from __future__ import annotations

import tomllib
from typing import Any

from rollwise.games.data_files import text_of
from rollwise.solver.model.game import TurnSize


def measured_turn_size(game: Any) -> TurnSize | None:
    """Size of the turn of a game to a ``goal``, linear between two measured goals; None outside them."""
    of_game = tomllib.loads(text_of(__package__, "turn_sizes")).get(game.name, {})
    (low, *lowest), (high, *highest) = of_game.get(game.objective, [[0], [0]])
    if not low <= game.goal <= high:
        return None
    n_edges, *sizes = (a + (b - a) * (game.goal - low) // (high - low) for a, b in zip(lowest, highest, strict=True))
    return TurnSize(n_edges, tuple(zip(sizes[::2], sizes[1::2], strict=True)), tuple(of_game["some_results"]))
