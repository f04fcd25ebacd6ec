"""What is known of a card beside its numbers: what it costs, and how far the best play is from thresholds."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Cost:
    """What a card costs per game, in the game's unit: ``lower <= true value <= upper``."""

    value: float
    lower: float
    upper: float


@dataclass(frozen=True)
class BestPlay:
    """How far the best play is from thresholds: of its ``decisions`` (stop, or throw on) those at which it throws on
    although it would stop with fewer points, all else equal. ``every``: both scores were looked at in steps of so many
    points.
    """

    decisions: int
    violations: int
    every: int = 1
