"""The answer of ``why`` as a person reads it: a paragraph, then a table; printed digits add up."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from rollwise.advice_text import in_blocks
from rollwise.answer import shown_state
from rollwise.explained import LinePart, Part, Why
from rollwise.move_words import doing
from rollwise.parts import in_steps
from rollwise.solver.play.endings_of_turn import PAST
from rollwise.text import columns, heading_lines, number, percent, state_lines, wrapped

NAMED = 3  # classes that a sentence names
FEWEST, MOST_PLACES = 2, 9  # digits after the point
CHANCE_STEP = 0.001  # of a chance that is printed
NONE, ALWAYS = "-", "100.0 %"
WHOLLY = ("never", "always")


class Digits:
    """How the numbers of one answer are printed: values rounded, parts so that they add up to the difference of these.

    ``scale``: per cents for chances; ``places`` after the point, so many that the difference has two digits.
    """

    def __init__(self, found: Why) -> None:
        self.found, self.unit = found, found.unit
        self.scale = 100.0 if found.unit == "probability" else 1.0
        apart = abs(found.difference) * self.scale
        digits = next((n for n in range(FEWEST, MOST_PLACES) if apart * 10**n >= 10), MOST_PLACES)
        self.places = digits if apart else FEWEST
        self.step = 10.0**-self.places / self.scale
        better, worse = (round(value / self.step) for value in (found.value, found.other_value))
        self.total = better - worse if found.sense == "max" else worse - better

    def value(self, value: float | None) -> str:
        """A value, or that there is none."""
        return NONE if value is None else number(value, self.unit, self.places)

    def plain(self, steps: int, *, signed: bool = True) -> str:
        """So many steps, as a number without its unit."""
        shown = f"{abs(steps) * self.step * self.scale:.{self.places}f}"
        return shown if not signed or steps == 0 else ("+" if steps > 0 else "-") + shown

    def parts(self, parts: Sequence[float], total: int | None = None) -> list[int]:
        """Parts in steps."""
        return in_steps(parts, self.total if total is None else total, self.step)


def why_lines(found: Why, title: str) -> list[str]:
    """The whole answer of ``ask --why``."""
    blocks = [heading_lines(found, title) + state_lines(shown_state(found.state))]
    blocks += [wrapped(found.words), *_table(found)]
    if found.lines is not None:
        blocks.append(_lines(found, found.lines))
    return in_blocks(blocks)


# --- in words --------------------------------------------------------------------------------------------------------


def paragraph(found: Why) -> str:
    """What the difference is, what the best move gains, and what it costs."""
    digits = Digits(found)
    steps = digits.parts([part.part for part in found.parts])
    often = zip(*(_often(found, is_other) for is_other in (False, True)), strict=True)
    cases = [
        (part.part, each, f"{_case(part, digits, *told)} ({digits.plain(each)})")
        for part, each, told in zip(found.parts, steps, often, strict=True)
    ]
    said = [_verdict(found, digits)]
    for begins, sign in (("What it gains", 1), ("What it costs", -1)):
        some = sorted((case for case in cases if sign * case[1] > 0), key=lambda case: -abs(case[0]))
        named = [case for *_, case in some[:NAMED]]
        named += [f"the rest ({digits.plain(sum(each for _, each, _ in some[NAMED:]))})"] if some[NAMED:] else []
        said += [f"{begins}: {'; '.join(named)}."] if named else []
    if found.seats is not None and digits.total:
        said.append(_seats(found, found.seats, digits))
    if any(part.called == PAST and max(part.chance, part.other_chance) >= CHANCE_STEP / 2 for part in found.parts):
        said.append("What lies past a proven cut is only bounded, and counted at its worst.")
    return " ".join(said)


def _verdict(found: Why, digits: Digits) -> str:
    """How much better the best move is."""
    best, other = doing(found.best), doing(found.other)
    best = best[:1].upper() + best[1:]
    against = f"{digits.value(found.value)} against {digits.value(found.other_value)}"
    if digits.total == 0:
        return f"{best} and {other} are worth the same, as far as is printed: {against}."
    worth = digits.plain(digits.total, signed=False)
    if found.unit == "probability":
        return f"{best} wins {worth} percentage points more often than {other}: {against}."
    if found.sense == "min":
        return f"{best} saves {worth} {found.unit} against {other}: {against}."
    return f"{best} is worth {worth} {found.unit} more than {other}: {against}."


def _case(part: Part, digits: Digits, chance: str, other: str) -> str:
    """A class, and how it differs: in chance, or, where that is the same, in value."""
    if chance == other:
        return f"'{part.called}', worth {digits.value(part.value)}, against {digits.value(part.other_value)}"
    here = "never" if chance == NONE else "always" if chance == ALWAYS else f"in {chance} of cases"
    there = "none" if other == NONE else "all" if other == ALWAYS else f"{other}{' of cases' * (here in WHOLLY)}"
    return f"'{part.called}' {here}, against {there}"


def _often(found: Why, is_other: bool) -> list[str]:
    """How often each class comes about after a move, as it is printed everywhere."""
    chances = [part.other_chance if is_other else part.chance for part in found.parts]
    shown = in_steps(chances, round(1 / CHANCE_STEP), CHANCE_STEP)
    return [_chance(chance, steps) for chance, steps in zip(chances, shown, strict=True)]


def _seats(found: Why, losses: Sequence[float], digits: Digits) -> str:
    """What the other seats lose."""
    named = [
        f"seat {seat} {'loses' if lost >= 0 else 'gains'} {digits.plain(lost, signed=False)}"
        for seat, lost in _losses(found, losses, digits).items()
    ]
    return f"Of that {', '.join(named[:-1])} and {named[-1]}."


def _losses(found: Why, losses: Sequence[float], digits: Digits) -> dict[int, int]:
    """What each other seat loses, in steps: together what the mover gains."""
    others = [seat for seat in range(len(losses)) if seat != found.mover]
    return dict(zip(others, digits.parts([losses[seat] for seat in others]), strict=True))


# --- the table -------------------------------------------------------------------------------------------------------


def _table(found: Why) -> list[list[str]]:
    """Classes, with chance and value after both moves, and what each makes of the difference; then what that means."""
    table, width = parts_table(found)
    lines = columns(table, right=range(1, len(table[0])))
    return [[*_over(table, found, width), *lines], wrapped(meaning(found))]


def parts_table(found: Why) -> tuple[list[list[str]], int]:
    """The table in cells, heads first and the sums last; and how many columns each of the two moves has."""
    digits = Digits(found)
    sides = [_side(found, digits, is_other) for is_other in (False, True)]
    heads = ["the turn ends", *sides[0][0], *sides[1][0], "part"]
    parts = digits.parts([part.part for part in found.parts])
    rows = [
        [part.called, *one, *two, digits.plain(steps)]
        for part, one, two, steps in zip(found.parts, sides[0][1:-1], sides[1][1:-1], parts, strict=True)
    ]
    last = ["together", *sides[0][-1], *sides[1][-1], digits.plain(digits.total)]
    table = [heads, *rows, last]
    if found.seats is not None:
        for seat, lost in _losses(found, found.seats, digits).items():
            steps = digits.parts([(part.seats or ())[seat] for part in found.parts], lost)
            told = [digits.plain(each) for each in [*steps, sum(steps)]]
            for row, cell in zip(table, [f"seat {seat} loses", *told], strict=True):
                row.append(cell)
    return table, len(sides[0][0])


def meaning(found: Why) -> str:
    """What the columns of the table are."""
    told = "part: what the class makes of the difference, chance times how much it is worth more than "
    told += f"{doing(found.best if found.reference == found.value else found.other)}"
    told += "; pp: percentage points" if found.unit == "probability" else ""
    rest = "; rest: what is still to come, against all that was before the turn" if found.has_points else ""
    return told + rest


def _side(found: Why, digits: Digits, is_other: bool) -> list[list[str]]:
    """The columns of one move: heads, a row a class, and what they are together."""
    chances = [part.other_chance if is_other else part.chance for part in found.parts]
    cells = _often(found, is_other)
    value = digits.value(found.other_value if is_other else found.value)
    if not found.has_points:
        values = [digits.value(part.other_value if is_other else part.value) for part in found.parts]
        rows = [[chance, told] for chance, told in zip(cells, values, strict=True)]
        return [["chance", "worth"], *rows, [percent(1.0, 1), value]]
    points = [part.other_points if is_other else part.points for part in found.parts]
    rest = [part.other_rest if is_other else part.rest for part in found.parts]
    sums = [
        sum(chance * (mean or 0.0) for chance, mean in zip(chances, means, strict=True)) for means in (points, rest)
    ]
    rows = [
        [chance, digits.value(one), digits.value(two)] for chance, one, two in zip(cells, points, rest, strict=True)
    ]
    return [["chance", "points", "rest"], *rows, [percent(1.0, 1), *map(digits.value, sums)]]


def _chance(chance: float, steps: int) -> str:
    """A chance of so many steps in per cent; what can happen is never shown as 0."""
    whole = round(1 / CHANCE_STEP)
    if chance == 0:
        return NONE
    if steps == 0 or (steps == whole and chance < 1 - 1e-12):
        return percent(chance if steps else min(chance, CHANCE_STEP / 4), 1)
    return f"{100 * steps * CHANCE_STEP:.1f} %"


def _over(table: Sequence[Sequence[str]], found: Why, width: int) -> list[str]:
    """A line above the heads that says which columns are whose; none where the names are too long."""
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    starts = [0, *accumulate(w + 2 for w in widths)]
    first, second, end = starts[1], starts[1 + width], starts[1 + 2 * width]
    best, other = found.best, found.other
    if len(best) > second - first - 2 or len(other) > end - second - 2:
        best, other = "best", "other"
    line = " " * first + best.rjust(second - first - 2)
    return [line + "  " + other.rjust(end - second - 2)]


def _lines(found: Why, lines: Sequence[LinePart]) -> list[str]:
    """Every line of the sheet after both moves; those whose digits are the same stand in one."""
    digits = Digits(found)
    sums = [round(value / digits.step) for value in (found.value, found.other_value)]
    shown = [
        in_steps([line.value for line in lines], sums[0], digits.step),
        in_steps([line.other_value for line in lines], sums[1], digits.step),
    ]
    rows = [(line.line, one, two) for line, one, two in zip(lines, *shown, strict=True)]
    alike = [row for row in rows if row[1] == row[2]]
    told = [row for row in rows if row not in alike] if alike[1:] else rows
    if alike[1:]:
        told.append((f"{len(alike)} others, alike", sum(one for _, one, _ in alike), sum(two for *_, two in alike)))
    told.append(("together", sums[0], sums[1]))
    cells = [
        [name, digits.plain(one, signed=False), digits.plain(two, signed=False), digits.plain(one - two)]
        for name, one, two in told
    ]
    return columns([["line of the sheet", found.best, found.other, "part"], *cells], right=(1, 2, 3))
