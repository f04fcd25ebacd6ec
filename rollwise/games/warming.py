"""The games that ``rollwise warm`` solves and forecasts: the fewest that compile all kernels but the largest games'."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

Sizes = Sequence[tuple[str, Mapping[str, int]]]

SOLVED: Sizes = (
    ("pig", {}),  # duels
    ("zilch", {"goal": 2500}),  # and their levels of few boards
    ("piggy-six", {"players": 3, "target": 20}),  # tables
    ("thunderstorm", {"players": 5}),  # luck
)
FORECAST: Sizes = (("yahtzee", {}),)
