"""Facts about a card beside its numbers: its cost, and the distance of best play from thresholds."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Cost:
    """Cost of a card per game, in the game's unit: ``lower <= true value <= upper``."""

    value: float
    lower: float
    upper: float


@dataclass(frozen=True)
class BestPlay:
    """Distance of best play from thresholds: of its ``decisions`` (stop, or throw on) the ``violations``, where it
    throws on although it would stop with fewer points, all else equal. ``every``: step of both scores in the count.
    """

    decisions: int
    violations: int
    every: int
