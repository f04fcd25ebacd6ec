"""Table of the games of a sweep, for the terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rollwise.questions.sweep.data import SolvedRow
from rollwise.solver.model.game import parameter_text
from rollwise.text.layout import align_columns
from rollwise.text.numbers import half_width, n_places, number


def sweep_lines(rows: Sequence[SolvedRow]) -> list[str]:
    """A line for each game: the value of its start, and the state of its solve."""
    labels = {row.label for row in rows if row.label}
    is_same = len(labels) == 1
    head = ["game", "parameters", "boards", "seconds", labels.pop() if is_same else "at the start", "interval", "state"]
    table = [head]
    for row in rows:
        parameters = parameter_text(row.said)
        if not row.label:
            table.append([row.game, parameters, "", "", "", "", f"{row.state}: {row.reason}"])
            continue
        value, interval = _value(row)
        value += "" if is_same or not value else f" {row.label}"
        table.append([row.game, parameters, f"{row.boards:,}", f"{row.seconds:.2f}", value, interval, row.state])
    states = Counter(row.state for row in rows)
    counts = "; ".join(f"{state}: {many}" for state, many in states.items())
    shown = [column for column in zip(*table, strict=True) if any(column[1:])]
    right = [place for place, column in enumerate(shown) if column[0] in ("boards", "seconds")]
    return [*align_columns([*zip(*shown, strict=True)], right=right, names=2), "", counts]


def _value(row: SolvedRow) -> tuple[str, str]:
    """The value and its interval; by seat the widest interval, and empty for bets."""
    bounds = (row.value, row.lower, row.upper)
    values, lower, upper = ([] if one is None else one if isinstance(one, list | tuple) else [one] for one in bounds)
    if not values:
        return "", ""
    low, high = max(zip(lower, upper, strict=True), key=lambda bounds: bounds[1] - bounds[0])
    places = n_places(low, high, row.unit)
    shown = " ".join(number(value, row.unit, places) for value in values)
    return shown, half_width(low, high, row.unit)
