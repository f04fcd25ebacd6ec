"""Sums of a score sheet: of its upper part, of its bonuses, and the total."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rollwise.solver.model.box_fields import Bonus, Scores
from rollwise.web.texts import text


@dataclass(frozen=True)
class Sum:
    """A computed line of a sheet."""

    id: str
    label: str
    value: str
    note: str = ""


def sums_of(id: str, field: Scores, sheet: Mapping[str, int], more: int) -> tuple[tuple[Sum, ...], tuple[Sum, ...]]:
    """Sums below the upper part, and sums below all boxes; ``more`` are points outside the boxes."""
    lines = [_bonus(f"{id}-bonus-{place}", bonus, field, sheet) for place, bonus in enumerate(field.bonuses)]
    earned = sum(bonus.points for bonus in field.bonuses if bonus.progress(sheet) >= bonus.enough)
    upper = [Sum(f"{id}-upper", text("form.upper"), str(bonus.progress(sheet))) for bonus in field.bonuses[:1]]
    total = Sum(f"{id}-total", text("form.total"), str(sum(sheet.values()) + earned + more))
    return (*upper, *lines[:1]), (*lines[1:], total)


def _bonus(id: str, bonus: Bonus, field: Scores, sheet: Mapping[str, int]) -> Sum:
    """Line of a bonus: its points, or the points still missing."""
    best = {box: max(field.allowed.get(box, [0])) for box in bonus.boxes}
    missing = bonus.enough - bonus.progress(sheet)
    if missing <= 0:
        return Sum(id, bonus.called, str(bonus.points))
    lost = bonus.progress({**best, **sheet}) < bonus.enough
    return Sum(id, bonus.called, "0" if lost else "", text("form.lost") if lost else text("form.to_go", count=missing))
