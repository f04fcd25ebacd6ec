"""Charts of a review, as SVG: bars of a waterfall, and lines of values by move."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rollwise.text.html import DECORATIVE, Html, element

WIDTH, HEIGHT = 320.0, 120.0  # of the line chart in its own units, without labels
MAX_POINTS = 400
MIN_BAR_WIDTH = 0.6  # so that a bar of 0 stays visible


@dataclass(frozen=True)
class ChartBar:
    """A bar from ``x`` on, in hundredths of the width; ``sort`` is whole, good, bad or none."""

    x: float
    width: float
    sort: str


def waterfall(start: float, changes: Sequence[float], result: float) -> list[ChartBar]:
    """Waterfall chart: bars of the start, of each change from the end of the last, and of the result, on one scale.

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
    width = max(end - x, MIN_BAR_WIDTH)
    return ChartBar(round(min(x, 100 - width), 2), round(width, 2), sort)


def draw_bar(bar: ChartBar) -> Html:
    """SVG of a bar."""
    place = f'x="{bar.x}" y="1" width="{bar.width}" height="8"'
    return Html(f'<svg viewBox="0 0 100 10" {DECORATIVE}><rect class="{bar.sort}" {place}/></svg>')


def draw_lines(
    label: str, lines: Sequence[tuple[int, str, Sequence[float]]], ends: tuple[float, float], shown: Sequence[str]
) -> Html:
    """Line chart of values by move: a line and a key for each seat, on a scale with ``shown`` at its ends."""
    scale = "".join(f'<line class="grid" x2="{WIDTH}" y1="{at}" y2="{at}"/>' for at in (0, HEIGHT / 2, HEIGHT))
    runs = "".join(f'<polyline class="run run{seat % 4}" points="{points(run, *ends)}"/>' for seat, _, run in lines)
    words = f'<text x="-5" y="4">{shown[1]}</text><text x="-5" y="{HEIGHT + 3}">{shown[0]}</text>'
    box = f"-44 -8 {WIDTH + 48} {HEIGHT + 16}"
    keys = []
    for seat, name, _ in lines:
        key = f'<svg viewBox="0 0 24 8" {DECORATIVE}><line class="run run{seat % 4}" x2="24" y1="4" y2="4"/></svg>'
        keys += [element("span.key", Html(key), name)] if name else []
    drawing = element("svg", Html(scale + runs + words), viewBox=box, role="img", aria_label=label)
    return element("figure.course.panel", drawing, element("figcaption", *keys))


def scale_ends(values: Sequence[float], is_chance: bool) -> tuple[float, float]:
    """Ends of a scale: 0 and 1 for chances, else the extremes of the values, never equal.

    >>> scale_ends([0.2, 0.4], True), scale_ends([3.0, 3.0], False)
    ((0.0, 1.0), (2.0, 4.0))
    """
    if is_chance:
        return 0.0, 1.0
    low, high = min(values), max(values)
    return (low, high) if high > low else (low - 1, high + 1)


def points(values: Sequence[float], low: float, high: float) -> str:
    """Points of an SVG polyline, high values at the top.

    >>> points([0.0, 1.0, 0.5], 0.0, 1.0)
    '0,120 160,0 320,60'
    """
    if len(values) < 2:
        values = [*values, *values]
    step = WIDTH / (len(values) - 1)
    span = high - low
    return " ".join(
        f"{place * step:.4g},{HEIGHT - HEIGHT * (value - low) / span:.4g}" for place, value in enumerate(values)
    )


def thin_places(places: int, most: int = MAX_POINTS) -> list[int]:
    """At most ``most`` evenly spread places, the first and the last among them.

    >>> thin_places(3), thin_places(10, 4)
    ([0, 1, 2], [0, 3, 6, 9])
    """
    if places <= most:
        return list(range(places))
    return [round(place * (places - 1) / (most - 1)) for place in range(most)]
