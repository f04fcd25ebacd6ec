"""What all answers at the terminal share: numbers, tables, headings; and the answers of ``compare`` and ``odds``.

Digits of a number, after its point, of per cents for chances: TOLD in a sentence, for nobody says more aloud; in a
table one more than its interval is sure of, for what lies beyond is noise, and MOST at most, for no player can tell
apart what differs by less (``--json`` has them all). Beside a bar stand TOLD. Parts that have to add up to a sum
(``--why``) have as many as their sum needs.

Width: no line is wider than the screen but for what cannot be broken, as a command to paste. ``columns`` lays out every
table so, and ``folded`` every other line as it is printed.
"""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Sequence
from itertools import chain, zip_longest
from typing import TYPE_CHECKING, Any, Protocol

from rollwise.answer import shown_state, shown_value
from rollwise.display import length, line_width, ljust, rjust
from rollwise.labels import short_label

if TYPE_CHECKING:
    from rollwise.comparing import Comparison
    from rollwise.turn_odds import BestOdds, TurnOdds

TOLD, MOST = 2, 4  # digits after the point: in a sentence, and at most in a table
LABEL, WORDS = 12, 20  # characters that a column of some words, and of many, has at least
BELOW = 4  # blanks before the columns that stand below a row
WHOLE: dict[str, Any] = {"break_long_words": False, "break_on_hyphens": False}
TOGETHER = re.compile(r"(?<=[\d±]) ")  # blanks that no line ends with: of "42 %", "± 2e-12"
SHORT = 24  # characters of a fraction that stands beside its number
LONG = 400  # and of one that is printed whole


class Answered(Protocol):
    """An answer of any command: it says what game it is of."""

    @property
    def parameters(self) -> dict[str, Any]:
        """The rule parameters by name."""


def wrapped(text: str, hanging: int = 0, before: str = "") -> list[str]:
    """Text in lines, ``before`` at the beginning of the first; words longer than a line stay whole."""
    rest = " " * hanging
    return textwrap.wrap(before + text, line_width(), subsequent_indent=rest, **WHOLE)


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


def folded(line: str) -> list[str]:
    """A line as lines that the screen has room for; commands to paste stay whole, and so does what is painted."""
    text = line.lstrip()
    if length(line) <= line_width() or "\x1b" in line or text.startswith("rollwise "):
        return [line]
    indent = len(line) - len(text)
    return wrapped(line, indent + 2 * bool(indent))


def number(value: float, unit: str, places: int = TOLD, *, signed: bool = False) -> str:
    """A value with its unit: chances in per cent; what is printed as nothing has no sign.

    >>> number(-1e-9, "points", 4), number(0.25, "points", signed=True), number(-1e-9, "points", signed=True)
    ('0.0000', '+0.25', '0.00')
    """
    if unit == "probability":
        return percent(value, places)
    shown = f"{value:{'+' * signed}.{places}f}"
    return shown if float(shown) else shown.lstrip("+-")


def digits(lower: float, upper: float, unit: str) -> int:
    """How many digits a number that is proved to lie between these has in a table.

    >>> digits(0.5, 0.5, "probability"), digits(0.1, 0.1004, "probability"), digits(244, 252, "points")
    (4, 3, 1)
    """
    half = (upper - lower) / 2 * (100 if unit == "probability" else 1)
    return MOST if half <= 0 else min(MOST, max(0, 1 - math.floor(math.log10(half))))


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


def columns(rows: Sequence[Sequence[str]], right: Sequence[int] = (), names: int = 1) -> list[str]:
    """Rows as aligned lines that the screen has room for; the columns in ``right`` are set flush right.

    Where a line is too short words go on below, in their column. Where that is not enough, numbers that are left over
    stand in a further table after the first ``names`` columns; words, and what has no room there, below their row.
    """
    least = [_least(column) for column in zip(*rows, strict=True)]
    beside = line_width() - sum(least[:names]) - 2 * names
    again = list(range(names)) if right and max(least[names:], default=0) <= beside else []
    groups, used = [[0]], least[0]
    for place in range(1, len(least)):
        if used + 2 + least[place] > line_width() and place >= names:
            groups.append(list(again))
            used = sum(least[name] + 2 for name in again) - 2 if again else BELOW - 2
        groups[-1].append(place)
        used += 2 + least[place]
    tables: list[list[list[str]]] = []
    for group in groups:
        wide = line_width() - (BELOW if tables and not again else 0)
        flush = [place for place, column in enumerate(group) if column in right]
        tables.append(_lines_of([[row[column] for column in group] for row in rows], flush, wide))
    if again:
        return list(chain(*chain(tables[0], *([[""], *table] for table in tables[1:]))))
    return [
        (" " * BELOW if part else "") + line
        for row in zip(*tables, strict=True)
        for part, lines in enumerate(row)
        for line in lines
        if line or not part
    ]


def aligned(rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> list[str]:
    """The same for those who lay their tables out themselves: a line a row, however wide. Cells may have colour."""
    return list(chain(*_lines_of(rows, right)))


def _least(column: Sequence[str]) -> int:
    """How narrow a column may become."""
    words = max(length(word) for cell in column for word in TOGETHER.sub("\xa0", cell).split(" "))
    wide = max(map(length, column))
    return max(words, min(wide, max(LABEL, min(WORDS, wide // 2))))


def _lines_of(rows: Sequence[Sequence[str]], right: Sequence[int], wide: int | None = None) -> list[list[str]]:
    """The lines of each row; the columns that are narrowed are those of which this breaks the fewest cells."""
    by_column = list(zip(*rows, strict=True))
    widths = [max(map(length, column)) for column in by_column]
    least = [_least(column) for column in by_column] if wide else widths
    while wide and sum(widths) + 2 * (len(widths) - 1) > wide and widths != least:
        broken = [sum(length(cell) >= have for cell in column) for column, have in zip(by_column, widths, strict=True)]
        wider = [place for place, have in enumerate(widths) if have > least[place]]
        widths[min(wider, key=lambda place: (broken[place], -widths[place]))] -= 1
    lays = [rjust if place in right else ljust for place in range(len(widths))]
    return [
        [
            "  ".join(lay(cell, have) for lay, cell, have in zip(lays, line, widths, strict=True)).rstrip()
            for line in cells
        ]
        for cells in (zip_longest(*map(_in_lines, row, widths), fillvalue="") for row in rows)
    ]


def _in_lines(cell: str, wide: int) -> list[str]:
    if length(cell) <= wide:
        return [cell]
    return [part.replace("\xa0", " ") for part in textwrap.wrap(TOGETHER.sub("\xa0", cell), wide, **WHOLE)]


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


def comparison_lines(found: Comparison, title: str) -> list[str]:
    """The whole answer of ``compare``."""
    unit = found.unit
    rows = [["", found.heading, _short_name(found.policy), "difference"]]
    for seat, (best, rule) in enumerate(zip(found.best, found.rule, strict=True)):
        rows.append(
            [f"seat {seat}" if len(found.best) > 1 else short_label(found.objective, {})]
            + [number(value, unit, MOST) for value in (best[0], rule[0], found.differences[seat])]
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
    shown = number(value, unit).replace(" %", " percentage points") + ("" if unit == "probability" else f" {unit}")
    what = "It costs nothing" if lower <= 0 <= upper else f"It costs {shown} per game"
    return f"{what}{label.removeprefix('cost per game')}; proved to {width(lower, upper, unit)}."


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
    right: Sequence[int] = range(3, 4)
    notes = ["Each has its own best way to play. Plain scores of the dice: no jokers, no bonuses of the sheet."]
    if briefly:
        notes.append("Name a box to see all its fractions, or a number of rolls (--rolls); --json has everything.")
        rows = [["box", "going for", *rolls, "exactly" if len(rolls) == 1 else f"exactly, {rolls[-1]}"]]
        rows += [[*aim, *map(_best, told), told[-1].best.exact] for aim, told in by_aim.items()]
        right = range(2, 2 + len(rolls))
        if len(aligned(_said_once(rows))[0]) > line_width():
            rows = [row[:-1] for row in rows]  # the note says how to see the fractions
    else:
        rows = [["box", "going for", "with", "best", "exactly"]]
        rows += [
            [*aim, said, _best(odds), odds.best.exact]
            for aim, told in by_aim.items()
            for said, odds in zip(rolls, told, strict=True)
        ]
    return [
        heading(found, title),
        "A turn that goes for one box and nothing else: the best chance, and the most points on average.",
        "",
        *columns(_said_once(rows), right, names=2),
        "",
        *notes,
    ]


def _best(odds: BestOdds) -> str:
    """The number in decimals; points stand under the digits of per cents."""
    return number(odds.best.value, odds.best.unit, MOST) + ("" if odds.best.unit == "probability" else "  ")


def _said_once(rows: Sequence[list[str]]) -> list[list[str]]:
    """Rows in which a box, and an aim of it, is named in its first line only."""
    shown, before = [], ["", ""]
    for box, aim, *rest in rows:
        shown.append([box if box != before[0] else "", aim if [box, aim] != before else "", *rest])
        before = [box, aim]
    return shown
