"""What a match tells, and what it is told: the worth of moves and outcomes, values and lines of JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from rollwise.answers.advice import Advice, MoveAdvice
from rollwise.answers.outcomes import OutcomeRow, Outcomes


def worth_of(row: OutcomeRow, seat: int) -> float | None:
    """What an outcome is worth to who made the move."""
    if row.value is not None or not row.shares:
        return row.value
    return row.shares[seat]


def judged(advice: Advice, found: Outcomes) -> MoveAdvice:
    """What a move is worth; one that is not advised, since another is never worse, too."""
    for move in advice.moves:
        if move.move == found.move:
            return move
    bounds = found.value, found.lower, found.upper
    assert None not in bounds
    assert advice.value is not None
    worse = (found.value or 0.0) - advice.value if advice.sense == "min" else advice.value - (found.value or 0.0)
    return MoveAdvice(found.move, *bounds, max(0.0, worse), label=advice.label)  # type: ignore[arg-type]


def result_of(
    row: OutcomeRow, lines: Sequence[Mapping[str, Any]], mover: int, seats: int, total: Fraction | int
) -> list[float]:
    """What a game that is over gives by seat; what was gained on the way is counted, as the lines of the record say."""
    if row.shares is not None:
        return [short(share) for share in row.shares]
    assert row.value is not None
    gained = sum(line["gained"] if line["seat"] == mover else -line["gained"] for line in lines if "gained" in line)
    own = row.value + gained
    if seats == 1:
        return [short(own)]
    other = total - own
    return [short(own), short(other)] if mover == 0 else [short(other), short(own)]


def short(number: Fraction | float) -> float:
    """Without a fraction where it has none."""
    return int(number) if number == int(number) else float(number)
