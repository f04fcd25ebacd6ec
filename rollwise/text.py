"""What all answers at the terminal share: numbers, tables, headings; and the answers of ``compare`` and ``odds``."""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

from rollwise.answer import shown_state, shown_value
from rollwise.display import length, line_width, ljust, rjust
from rollwise.labels import short_label

if TYPE_CHECKING:
    from rollwise.comparing import Comparison
    from rollwise.turn_odds import BestOdds, TurnOdds

SHORT = 24  # characters of a fraction that stands beside its number
LONG = 400  # and of one that is printed whole


class Answered(Protocol):
    """An answer of any command: it says what game it is of."""

    @property
    def parameters(self) -> dict[str, Any]:
        """The rule parameters by name."""


def wrapped(text: str, hanging: int = 0) -> list[str]:
    """Text in lines; words longer than a line stay whole."""
    return textwrap.wrap(
        text, line_width(), subsequent_indent=" " * hanging, break_long_words=False, break_on_hyphens=False
    )


def state_lines(state: str) -> list[str]:
    """A state in lines that end after a field or after a comma: names of boxes have spaces.

    >>> len(state_lines("filled=" + ",".join(["three of a kind:20"] * 8))) > 1
    True
    """
    lines = [""]
    for piece in re.split(r"(?<=,)|(?<= )(?=\w+=)", state):
        if lines[-1] and len(lines[-1]) + len(piece.rstrip()) > line_width():
            lines.append("")
        lines[-1] += piece
    return [line.rstrip() for line in lines if line]


def number(value: float, unit: str, places: int) -> str:
    """A value with its unit: chances in per cent."""
    return percent(value, places) if unit == "probability" else f"{value:.{places}f}"


def percent(chance: float, places: int) -> str:
    """A chance in per cent; what can happen is never shown as 0, and what can fail never as 100.

    >>> percent(0.5, 1), percent(1e-9, 2), percent(1 - 1e-9, 2), percent(1.0, 0)
    ('50.0 %', '<0.01 %', '>99.99 %', '100 %')
    """
    shown = f"{100 * chance:.{places}f}"
    step = 10.0**-places
    if chance > 0 and float(shown) == 0:
        return f"<{step:.{places}f} %"
    if chance < 1 and float(shown) >= 100:
        return f">{100 - step:.{places}f} %"
    return f"{shown.removeprefix('-') if float(shown) == 0 else shown} %"


def width(lower: float, upper: float, unit: str) -> str:
    """Half the width of an interval, rounded up."""
    half = (upper - lower) / 2 * (100 if unit == "probability" else 1)
    if half <= 0:
        return "exact"
    exponent = math.floor(math.log10(half))
    digit = math.ceil(half / 10**exponent)
    return f"± {digit}e{exponent:+03d}" if digit < 10 else f"± 1e{exponent + 1:+03d}"


def columns(rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> list[str]:
    """Rows as aligned lines; the columns in ``right`` are set flush right. Cells may have colour."""
    widths = [max(map(length, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = [(rjust if i in right else ljust)(cell, w) for i, (cell, w) in enumerate(zip(row, widths, strict=True))]
        lines.append("  ".join(cells).rstrip())
    return lines


def fraction(exact: str | None) -> str | None:
    """A fraction that is short enough to stand beside its number; None for others."""
    return exact if exact is not None and len(exact) <= SHORT else None


def exact_lines(named: Sequence[tuple[str, str]]) -> list[str]:
    """Fractions by name, long ones in lines of their own, the longest shortened."""
    wide, lines = line_width(), []
    for name, exact in named:
        told = exact if len(exact) <= LONG else f"{exact[:24]}...{exact[-12:]} ({len(exact)} characters; see --json)"
        if len(name) + len(told) + 4 <= wide:
            lines.append(f"  {name}  {told}")
        else:
            lines += [f"  {name}", *(f"    {part}" for part in textwrap.wrap(told, wide - 4, break_on_hyphens=False))]
    return lines


def heading_lines(answer: Answered, title: str) -> list[str]:
    """The game and its rule parameters, in lines."""
    return wrapped(heading(answer, title), hanging=2)


def heading(answer: Answered, title: str) -> str:
    """The game and its rule parameters."""
    told = {name: value for name, value in answer.parameters.items() if value not in ([], ())}
    parameters = ", ".join(f"{name}={shown_value(value)}" for name, value in told.items())
    return f"{title} ({parameters})" if parameters else title


def measure_of(objective: str) -> str:
    """What a value counts, as a heading."""
    return short_label(objective, {})


def comparison_lines(found: Comparison, title: str) -> list[str]:
    """The whole answer of ``compare``."""
    unit = found.unit
    rows = [["", found.heading, _short_name(found.policy), "difference"]]
    for seat, (best, rule) in enumerate(zip(found.best, found.rule, strict=True)):
        rows.append(
            [f"seat {seat}" if len(found.best) > 1 else measure_of(found.objective)]
            + [number(value, unit, 4) for value in (best[0], rule[0], found.differences[seat])]
        )
    costs = [_cost_told(found.cost, found.label, unit)]
    if found.cost_to_best is not None:
        costs.append(_cost_told(found.cost_to_best, found.label_to_best, unit))
    elif found.others == "knows":
        costs.append("What it costs to the best player would take too much memory.")
    return [
        heading(found, title),
        *(wrapped(f"from {shown_state(found.state)}", 5) if found.state else []),
        *wrapped(f"{found.policy}: {found.help}" if found.help else found.policy),
        "",
        *(line for cost in costs for line in wrapped(cost)),
        "",
        *(["By seat, against a player who knows it:"] if found.others == "knows" else []),
        *columns(rows, right=(1, 2, 3)),
        *_of_table(found),
    ]


def _cost_told(cost: tuple[float, float, float], label: str, unit: str) -> str:
    """What a rule costs, in a sentence."""
    value, lower, upper = cost
    shown = number(value, unit, 4).replace(" %", " percentage points") + ("" if unit == "probability" else f" {unit}")
    what = "It costs nothing," if lower <= 0 <= upper else f"It costs {shown} per game"
    return f"{what} {width(lower, upper, unit)}{label.removeprefix('cost per game')}."


def _short_name(policy: str) -> str:
    """A rule's name without the file that it is in; of a table the file's name."""
    name = policy.rstrip("/").rpartition(":")[2].rpartition("/")[2]
    return name if len(name) <= SHORT else f"{name[: SHORT - 3]}..."


def _of_table(found: Comparison) -> list[str]:
    """What there is to say of a table: how much of play it holds, and whether it says what game it is of."""
    if found.table is None:
        return []
    lines = []
    reached, held = found.table["reached"], found.table["held"]
    if found.table["slice"]:
        share = f", {percent(held / reached, 1)}" if reached else ""
        lines += wrapped(
            f"The slice holds {held:,} of the {reached:,} decisions that play comes to while it may still come to one "
            f"of its rows{share}; outside them the best is played."
        )
    if not found.table["described"]:
        lines += wrapped(
            f"The table does not say what it is of; it was taken to be of {found.game} with these parameters."
        )
    return ["", *lines] if lines else []


def turn_odds_lines(found: TurnOdds, title: str, *, briefly: bool) -> list[str]:
    """The whole answer of ``odds``; briefly: a line for each box and aim, with the fraction for the most rolls only."""
    by_aim: dict[tuple[str, str], list[BestOdds]] = {}
    for odds in found.odds:
        by_aim.setdefault((odds.box, odds.aim), []).append(odds)
    rolls = [f"{n} {'roll' if n == 1 else 'rolls'}" for n in dict.fromkeys(odds.rolls for odds in found.odds)]
    notes = ["Each has its own best way to play. Plain scores of the dice: no jokers, no bonuses of the sheet."]
    if briefly:
        notes.append("Name a box to see all its fractions, or a number of rolls (--rolls); --json has everything.")
        rows = [["box", "going for", *rolls, "exactly" if len(rolls) == 1 else f"exactly, {rolls[-1]}"]]
        rows += [[*aim, *map(_best, told), told[-1].best.exact] for aim, told in by_aim.items()]
        right = range(2, 2 + len(rolls))
    else:
        rows = [["box", "going for", "with", "best", "exactly"]]
        rows += [
            [*aim, said, _best(odds), odds.best.exact]
            for aim, told in by_aim.items()
            for said, odds in zip(rolls, told, strict=True)
        ]
        right = range(3, 4)
    return [
        heading(found, title),
        "A turn that goes for one box and nothing else: the best chance, and the most points on average.",
        "",
        *columns(_said_once(rows), right),
        "",
        *notes,
    ]


def _best(odds: BestOdds) -> str:
    """The number in decimals; points stand under the digits of per cents."""
    return number(odds.best.value, odds.best.unit, 4) + ("" if odds.best.unit == "probability" else "  ")


def _said_once(rows: Sequence[list[str]]) -> list[list[str]]:
    """Rows in which a box, and an aim of it, is named in its first line only."""
    shown, before = [], ["", ""]
    for box, aim, *rest in rows:
        shown.append([box if box != before[0] else "", aim if [box, aim] != before else "", *rest])
        before = [box, aim]
    return shown
