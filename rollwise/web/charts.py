"""The charts of a review: where their marks stand, and how they are drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rollwise.text.html import UNSEEN, Html, element

WIDE, HIGH = 320.0, 120.0  # of the lines, without what is written beside them
MOST_POINTS = 400
THIN = 0.6  # a bar of nothing is still seen


@dataclass(frozen=True)
class ChartBar:
    """A bar from ``x`` on, in hundredths of the width; ``sort``: whole, good, bad or none."""

    x: float
    width: float
    sort: str


def waterfall(start: float, changes: Sequence[float], result: float) -> list[ChartBar]:
    """The start, each change from where the one before it ended, and the result, on one scale with 0 on it.

    >>> [(bar.x, bar.width, bar.sort) for bar in waterfall(0.5, [-0.25, 0.75], 1.0)]
    [(0.0, 50.0, 'whole'), (25.0, 25.0, 'bad'), (25.0, 75.0, 'good'), (0.0, 100.0, 'whole')]
    """
    ends, at = [(0.0, start)], start
    for change in changes:
        ends.append((at, at + change))
        at += change
    ends.append((0.0, result))
    low = min(min(pair) for pair in ends)
    span = max(max(pair) for pair in ends) - low or 1.0
    sorts = ["whole", *("good" if change > 0 else "bad" if change < 0 else "none" for change in changes), "whole"]
    return [_bar(pair, low, span, sort) for pair, sort in zip(ends, sorts, strict=True)]


def _bar(ends: tuple[float, float], low: float, span: float, sort: str) -> ChartBar:
    x, end = (100 * (value - low) / span for value in sorted(ends))
    width = max(end - x, THIN)
    return ChartBar(round(min(x, 100 - width), 2), round(width, 2), sort)


def drawn(bar: ChartBar) -> Html:
    """A bar at its place."""
    place = f'x="{bar.x}" y="1" width="{bar.width}" height="8"'
    return Html(f'<svg viewBox="0 0 100 10" {UNSEEN}><rect class="{bar.sort}" {place}/></svg>')


def curves(
    label: str, lines: Sequence[tuple[int, str, Sequence[float]]], ends: tuple[float, float], shown: Sequence[str]
) -> Html:
    """How values went: a line for each seat, with its name if it has any, on a scale with ``shown`` at its ends."""
    scale = "".join(f'<line class="grid" x2="{WIDE}" y1="{at}" y2="{at}"/>' for at in (0, HIGH / 2, HIGH))
    runs = "".join(f'<polyline class="run run{seat % 4}" points="{line(values, *ends)}"/>' for seat, _, values in lines)
    words = f'<text x="-5" y="4">{shown[1]}</text><text x="-5" y="{HIGH + 3}">{shown[0]}</text>'
    box = f"-44 -8 {WIDE + 48} {HIGH + 16}"
    keys = []
    for seat, name, _ in lines:
        key = f'<svg viewBox="0 0 24 8" {UNSEEN}><line class="run run{seat % 4}" x2="24" y1="4" y2="4"/></svg>'
        keys += [element("span.key", Html(key), name)] if name else []
    drawing = element("svg", Html(scale + runs + words), viewBox=box, role="img", aria_label=label)
    return element("figure.course.panel", drawing, element("figcaption", *keys))


def rounded_ends(values: Sequence[float], is_chance: bool) -> tuple[float, float]:
    """What a scale goes from and to: chances from 0 to 1, other values as far as they go, and never of no height.

    >>> rounded_ends([0.2, 0.4], True), rounded_ends([3.0, 3.0], False)
    ((0.0, 1.0), (2.0, 4.0))
    """
    if is_chance:
        return 0.0, 1.0
    low, high = min(values), max(values)
    return (low, high) if high > low else (low - 1, high + 1)


def line(values: Sequence[float], low: float, high: float) -> str:
    """The points of a line, high values at the top.

    >>> line([0.0, 1.0, 0.5], 0.0, 1.0)
    '0,120 160,0 320,60'
    """
    if len(values) < 2:
        values = [*values, *values]
    step = WIDE / (len(values) - 1)
    span = high - low
    return " ".join(
        f"{place * step:.4g},{HIGH - HIGH * (value - low) / span:.4g}" for place, value in enumerate(values)
    )


def thinned(places: int, most: int = MOST_POINTS) -> list[int]:
    """So many of these places at most, the first and the last among them.

    >>> thinned(3), thinned(10, 4)
    ([0, 1, 2], [0, 3, 6, 9])
    """
    if places <= most:
        return list(range(places))
    return [round(place * (places - 1) / (most - 1)) for place in range(most)]
