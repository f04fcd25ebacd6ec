"""The answer of ``why`` as a person reads it: a paragraph, then a table; printed digits add up."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from rollwise.answers.parts import in_steps
from rollwise.answers.spelling import shown_state
from rollwise.answers.why import LinePart, Part, Why
from rollwise.saying.blocks import Drawn, Sentence
from rollwise.saying.head import head
from rollwise.saying.layout import aligned, wrapped
from rollwise.saying.moves import doing
from rollwise.saying.numbers import number, percent
from rollwise.saying.screen import Screen, bar, length, ljust, paint, screen
from rollwise.saying.terminal import Blocks, printed
from rollwise.solver.play.endings_of_turn import PAST

NAMED = 3  # classes that a sentence names
FEWEST, MOST_PLACES = 2, 9  # digits after the point
CHANCE_STEP = 0.001  # of a chance that is printed
NONE, ALWAYS, BOUNDED = "-", "100.0 %", "bounded"
WIDEST_BAR, SHORTEST_BAR = 16, 4
PART = "part"
Cells = list[list[str]]  # a row of heads, one a class, and what these are together
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


def why_lines(found: Why, title: str, on: Screen | None = None) -> list[str]:
    """The whole answer of ``ask --why``; ``on``: the screen that it is for, by default what standard output shows."""
    on = screen(sys.stdout) if on is None else on
    blocks: list[Blocks] = [head(found, title, shown_state(found.state), found.assumed), Sentence([found.words])]
    blocks += map(Drawn, _table(found, on))
    if found.lines is not None:
        blocks.append(Drawn(_lines(found, found.lines, on)))
    return printed(blocks)


# --- in words --------------------------------------------------------------------------------------------------------


def paragraph(found: Why) -> str:
    """What the difference is, what the best move gains, and what it costs."""
    digits = Digits(found)
    steps = digits.parts([part.part for part in found.parts])
    often = [(_chance(part.chance), _chance(part.other_chance)) for part in found.parts]
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


def _steps(found: Why, is_other: bool) -> list[int]:
    """How often each class comes about after a move, in steps: each rounded by itself, as in every other answer."""
    return [round(chance / CHANCE_STEP) for chance in _of_move(found, "chance", is_other)]


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


def parts_table(found: Why) -> tuple[list[list[str]], int]:
    """The table in cells, heads first and the sums last; and how many columns each of the two moves has."""
    digits = Digits(found)
    names, sides, steps, losses = _cells(found, digits)
    both = [column for side in sides for column in _turned(side)]
    return _turned([names, *both, [PART, *map(digits.plain, steps)], *losses]), len(sides[0][0])


def meaning(found: Why) -> str:
    """What the columns of the table are."""
    told = "part: what the class makes of the difference, chance times how much it is worth more than "
    told += f"{doing(found.best if found.reference == found.value else found.other)}"
    told += "; pp: percentage points" if found.unit == "probability" else ""
    steps = [_steps(found, is_other) for is_other in (False, True)]
    told += "" if {sum(side) for side in steps} == {round(1 / CHANCE_STEP)} else "; chances are rounded one by one"
    rest = "; rest: what is still to come, against all that was before the turn" if found.has_points else ""
    return told + rest


def _cells(found: Why, digits: Digits) -> tuple[list[str], list[Cells], list[int], list[list[str]]]:
    """Names of classes, chance and value after both moves, parts in steps, and what seats lose; the sums come last."""
    parts, seats = digits.parts([part.part for part in found.parts]), _by_seat(found, digits)
    often = [_steps(found, is_other) for is_other in (False, True)]
    told = [
        place
        for place, _ in enumerate(found.parts)
        if any(column[place] for column in (*often, parts, *seats.values()))
    ]
    whole = [_side(found, digits, is_other) for is_other in (False, True)]
    sides = [[side[0], *(side[1 + place] for place in told), side[-1]] for side in whole]
    names = ["the turn ends", *(found.parts[place].called for place in told), "together"]
    steps = [*(parts[place] for place in told), digits.total]
    losses = [
        [f"seat {seat} loses", *(digits.plain(each) for each in [*(lost[place] for place in told), sum(lost)])]
        for seat, lost in seats.items()
    ]
    return names, sides, steps, losses


def _table(found: Why, on: Screen) -> list[list[str]]:
    """Classes, with chance and value after both moves, and what each makes of the difference; then what that means."""
    digits = Digits(found)
    names, sides, steps, losses = _cells(found, digits)
    ends = [[PART, *(_inked(digits.plain(each), each, on) for each in steps)], *losses]
    meant = [paint(line, "faint", on) for line in wrapped(meaning(found))]
    whole = _side_by_side(found, names, sides, ends, on)
    if _fits(whole, on):
        return [_with_bars(whole, steps, on), meant]
    apart = [_side_by_side(found, names, sides, ends[:1], on), _aligned([names, *ends], on)]
    if len(ends) > 1 and all(_fits(table, on) for table in apart):
        return [*apart, meant]
    return [_one_below_the_other(found, names, sides, ends, on), meant]


def _inked(text: str, steps: int, on: Screen) -> str:
    """What speaks for the best move in one colour, what speaks against it in another."""
    return paint(text, "good" if steps > 0 else "bad", on) if steps else text


def _by_seat(found: Why, digits: Digits) -> dict[int, list[int]]:
    """What each other seat loses by each class, in steps; nothing away from tables."""
    if found.seats is None:
        return {}
    return {
        seat: digits.parts([(part.seats or ())[seat] for part in found.parts], lost)
        for seat, lost in _losses(found, found.seats, digits).items()
    }


def _fits(lines: Sequence[str], on: Screen) -> bool:
    return max(map(length, lines)) <= on.width


def _aligned(columns_of: Sequence[Sequence[str]], on: Screen) -> list[str]:
    """Columns side by side, the heads strong, all but the first flush right."""
    table = [
        [paint(cell, "strong", on) if not place else cell for cell in row]
        for place, row in enumerate(_turned(columns_of))
    ]
    return aligned(table, right=range(1, len(columns_of)))


def _turned(columns_of: Sequence[Sequence[str]]) -> list[list[str]]:
    return [list(row) for row in zip(*columns_of, strict=True)]


def _side_by_side(
    found: Why, names: Sequence[str], sides: Sequence[Cells], ends: Sequence[Sequence[str]], on: Screen
) -> list[str]:
    """Everything of a class in one line, under the moves."""
    both = [column for side in sides for column in _turned(side)]
    table = [names, *both, *ends]
    return [*_over(_turned(table), found, len(sides[0][0])), *_aligned(table, on)]


def _with_bars(lines: Sequence[str], steps: Sequence[int], on: Screen) -> list[str]:
    """The same with bars of the parts, on a screen that has colour and room for them."""
    room = min(WIDEST_BAR, on.width - max(map(length, lines)) - 2)
    if not on.color or room < SHORTEST_BAR:
        return list(lines)
    most = max(map(abs, steps[:-1]), default=0) or 1
    wide = max(map(length, lines))
    drawn = ["", "", *(_inked(bar(abs(each) / most, room, on), each, on) for each in steps[:-1]), ""]
    return [f"{ljust(line, wide)}  {one}" if one else line for line, one in zip(lines, drawn, strict=True)]


def _one_below_the_other(
    found: Why, names: Sequence[str], sides: Sequence[Cells], ends: Sequence[Sequence[str]], on: Screen
) -> list[str]:
    """For each class what it makes of the difference, and below that the two moves, a line each."""
    moves = [found.best, found.other]
    both = list(zip(moves, sides, strict=True))
    cells = [[f"  {move}", *side[place]] for place in range(1, len(names)) for move, side in both]
    table = [["", *sides[0][0]], *cells]
    if max(map(length, aligned(table))) > on.width:
        for place, row in enumerate(cells):
            row[0] = "  other" if place % 2 else "  best"
    heads, *lines = aligned(table, right=range(1, len(table[0])))
    told = [paint(heads, "strong", on)]
    for place, name in enumerate(names[1:], 1):
        part = ", ".join([ends[0][place], *(f"{column[0]} {column[place]}" for column in ends[1:])])
        told += [*wrapped(f"{name}: {part}", hanging=2), *lines[2 * place - 2 : 2 * place]]
    return told


def _of_move(found: Why, name: str, is_other: bool) -> list[Any]:
    """What the classes have under this name after one of the two moves."""
    return [getattr(part, f"other_{name}" if is_other else name) for part in found.parts]


def _side(found: Why, digits: Digits, is_other: bool) -> list[list[str]]:
    """The columns of one move: heads, a row a class, and what they are together."""
    chances = _of_move(found, "chance", is_other)
    cells = list(map(_chance, chances))
    value = digits.value(found.other_value if is_other else found.value)
    if not found.has_points:
        worths = _of_move(found, "value", is_other)
        rows = [
            [chance, BOUNDED if part.called == PAST and chance != NONE else digits.value(worth)]
            for part, chance, worth in zip(found.parts, cells, worths, strict=True)
        ]
        return [["chance", "worth"], *rows, [percent(1.0, 1), value]]
    both = [_of_move(found, name, is_other) for name in ("points", "rest")]
    sums = [sum(chance * (mean or 0.0) for chance, mean in zip(chances, means, strict=True)) for means in both]
    rows = [[chance, *map(digits.value, means)] for chance, *means in zip(cells, *both, strict=True)]
    return [["chance", "points", "rest"], *rows, [percent(1.0, 1), *map(digits.value, sums)]]


def _chance(chance: float) -> str:
    """A chance in per cent; what can happen is never shown as 0."""
    return percent(1.0 if chance > 1 - 1e-12 else chance, 1) if chance else NONE


def _over(table: Sequence[Sequence[str]], found: Why, width: int) -> list[str]:
    """A line above the heads that says which columns are whose; none where the names are too long."""
    widths = [max(map(length, column)) for column in zip(*table, strict=True)]
    starts = [0, *accumulate(w + 2 for w in widths)]
    first, second, end = starts[1], starts[1 + width], starts[1 + 2 * width]
    best, other = found.best, found.other
    if len(best) > second - first - 2 or len(other) > end - second - 2:
        best, other = "best", "other"
    line = " " * first + best.rjust(second - first - 2)
    return [line + "  " + other.rjust(end - second - 2)]


def _lines(found: Why, lines: Sequence[LinePart], on: Screen) -> list[str]:
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
    for moves in ([found.best, found.other], ["best", "other"]):
        table = aligned([["line of the sheet", *moves, "part"], *cells], right=(1, 2, 3))
        if _fits(table, on):
            break
    return table
