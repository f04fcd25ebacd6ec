"""Text of the answer of ``why``: a paragraph, then a table; printed digits add up."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor
from typing import Any

from rollwise.questions.head import head
from rollwise.questions.why.data import LinePart, Why, WhyPart
from rollwise.solver.policy.endings_of_turn import PAST
from rollwise.text.blocks import Bar, CellTable, FirstThatFits, Inked, Sentence, TableCell
from rollwise.text.labels import aim
from rollwise.text.moves import gerund
from rollwise.text.numbers import MAX_PLACES, PP, TEXT_PLACES, difference_unit, number, percent, scaled
from rollwise.text.screen import Screen
from rollwise.text.spelling import shown_state
from rollwise.text.terminal import Blocks, render_text

MAX_NAMED = 3  # classes in a sentence
CHANCE_STEP = 0.001  # of a printed chance
NONE, ALWAYS, BOUNDED = "-", "100.0 %", "bounded"
BAR_CHARS = 16
EXTREME_FREQUENCIES, OF_TIME = ("never", "always"), " of the time"
PART = "part"
GOAL_VERBS = {"win": "wins", "reach": "reaches the target", "clear": "shuts every box"}


class Digits:
    """Number format of one answer: values are rounded, and parts add up to the difference of the rounded values.

    ``places``: decimal places, enough for two digits of the difference; ``step``: one unit of the last place.
    """

    def __init__(self, why: Why) -> None:
        self.why, self.unit = why, why.unit
        apart = abs(scaled(why.difference, why.unit))
        enough = (places for places in range(TEXT_PLACES, MAX_PLACES) if not apart or apart * 10**places >= 10)
        self.places = next(enough, MAX_PLACES)
        self.step = 10.0**-self.places / scaled(1.0, why.unit)
        better, worse = (round(value / self.step) for value in (why.value, why.other_value))
        self.total = better - worse if why.sense == "max" else worse - better

    def value(self, value: float | None) -> str:
        """A value as text; NONE for None."""
        return NONE if value is None else number(value, self.unit, self.places)

    def plain(self, steps: int, *, signed: bool = True) -> str:
        """A number of steps as text without a unit."""
        shown = f"{scaled(abs(steps) * self.step, self.unit):.{self.places}f}"
        return shown if not signed or steps == 0 else ("+" if steps > 0 else "-") + shown

    def parts(self, parts: Sequence[float], total: int | None = None) -> list[int]:
        """Parts in steps, rounded so that they add up to the total."""
        return rounded_parts(parts, self.total if total is None else total, self.step)


def why_lines(why: Why, title: str, on: Screen | None = None) -> list[str]:
    """The whole answer, for a terminal."""
    return render_text(why_blocks(why, title), on)


def why_blocks(why: Why, title: str) -> list[Blocks]:
    """The whole answer as blocks."""
    blocks: list[Blocks] = [head(why, title, shown_state(why.state), why.assumed), Sentence([why.words])]
    blocks += [_table(why), Sentence([column_meanings(why)], ink="faint")]
    return blocks if why.lines is None else [*blocks, _lines(why, why.lines)]


def rounded_parts(parts: Sequence[float], total: int, step: float) -> list[int]:
    """Parts as whole numbers of steps that add up to ``total`` steps, each next to the part: the largest remainders up.

    >>> rounded_parts([0.335, 0.335, 0.33], 100, 0.01), rounded_parts([0.126, -0.051], 8, 0.01)
    ([34, 33, 33], [13, -5])
    """
    if not parts:
        return []
    exact = [part / step for part in parts]
    rounded = [floor(number) for number in exact]
    missing, n = total - sum(rounded), len(parts)
    by_rest = sorted(range(n), key=lambda i: rounded[i] - exact[i])
    for place in range(n):  # more than one step each only where the total is not that of the parts
        rounded[by_rest[place]] += missing // n + (place < missing % n)
    return rounded


# --- in words --------------------------------------------------------------------------------------------------------


def paragraph(why: Why) -> str:
    """The difference of two moves in words: what the best move gains and what it costs."""
    digits = Digits(why)
    steps = digits.parts([part.part for part in why.parts])
    cases = [(part, n, f"{_case(part, digits)} ({digits.plain(n)})") for part, n in zip(why.parts, steps, strict=True)]
    sentences = [_verdict(why, digits)]
    for begins, sign in (("What it gains", 1), ("What it costs", -1)):
        some = sorted((case for case in cases if sign * case[1] > 0), key=lambda case: -abs(case[0].part))
        named = [case for *_, case in some[:MAX_NAMED]]
        named += [f"the rest ({digits.plain(sum(n for _, n, _ in some[MAX_NAMED:]))})"] if some[MAX_NAMED:] else []
        sentences += [f"{begins}: {'; '.join(named)}."] if named else []
    if why.seats is not None and digits.total:
        sentences.append(_seats_sentence(why, why.seats, digits))
    if any(part.called == PAST and max(part.chance, part.other_chance) >= CHANCE_STEP / 2 for part in why.parts):
        sentences.append("Endings after very many throws are only bounded, and counted at their worst.")
    return " ".join(sentences)


def _verdict(why: Why, digits: Digits) -> str:
    """The sentence on how much better the best move is."""
    best, other = gerund(why.best), gerund(why.other)
    best = best[:1].upper() + best[1:]
    against = f"{digits.value(why.value)} against {digits.value(why.other_value)}"
    if digits.total == 0:
        return f"{best} and {other} come to the same: {against}."
    worth = f"{digits.plain(digits.total, signed=False)} {difference_unit(why.unit)}"
    aimed = aim(why.objective, why.parameters, why.state)
    if why.unit == "probability" and aimed != "worth":
        does = GOAL_VERBS.get(aimed, GOAL_VERBS["win"])
        return f"{best} {does} {worth} more often than {other}: {against}."
    if why.sense == "min":
        return f"{best} saves {worth} against {other}: {against}."
    return f"{best} is worth {worth} more than {other}: {against}."


def _case(part: WhyPart, digits: Digits) -> str:
    """A class of outcomes and its difference: in chance or, if that is equal, in value; or in both, opposed."""
    chance, other = _frequency(part.chance), _frequency(part.other_chance)
    if chance == other:
        worth, less = digits.value(part.value), digits.value(part.other_value)
        return f"{part.called} as often, but worth {worth} instead of {less}"
    text = f"{part.called} {chance} instead of {other}"
    text = text if chance in EXTREME_FREQUENCIES else text.removesuffix(OF_TIME)
    if part.value is None or part.other_value is None or not part.chance or not part.other_chance:
        return text
    by_chance = (part.chance - part.other_chance) * ((part.value + part.other_value) / 2 - digits.why.reference)
    is_against = by_chance * part.part * (-1 if digits.why.sense == "min" else 1) < 0
    return f"{text}, but for {'more' if part.value > part.other_value else 'less'}" if is_against else text


def _frequency(chance: float) -> str:
    """A chance as a frequency in words."""
    shown = _chance(chance)
    return {NONE: EXTREME_FREQUENCIES[0], ALWAYS: EXTREME_FREQUENCIES[1]}.get(shown, shown + OF_TIME)


def _seats_sentence(why: Why, losses: Sequence[float], digits: Digits) -> str:
    """The sentence on the losses of the other seats."""
    named = [
        f"seat {seat} {'loses' if loss >= 0 else 'gains'} {digits.plain(loss, signed=False)}"
        for seat, loss in _losses(why, losses, digits).items()
    ]
    return f"Of that {', '.join(named[:-1])} and {named[-1]}."


def _losses(why: Why, losses: Sequence[float], digits: Digits) -> dict[int, int]:
    """The loss of each other seat in steps; they add up to the mover's gain."""
    others = [seat for seat in range(len(losses)) if seat != why.mover]
    return dict(zip(others, digits.parts([losses[seat] for seat in others]), strict=True))


def column_meanings(why: Why) -> str:
    """The meaning of the columns of the table."""
    against = gerund(why.best if why.reference == why.value else why.other)
    text = f"part: what a line adds to the difference: how often, times how much more it is worth than {against}"
    text += f"; {PP}: {difference_unit(why.unit)}" if why.unit == "probability" else ""
    sums = {sum(_chance_steps(why, is_other)) for is_other in (False, True)}
    text += "" if sums == {round(1 / CHANCE_STEP)} else "; each chance is rounded by itself"
    rest = "; rest: what is still to come, less what was before the turn" if why.has_points else ""
    return text + rest


# --- the table -------------------------------------------------------------------------------------------------------


def parts_table(why: Why) -> tuple[list[list[str]], list[int], int]:
    """The table in cells, heads first and sums last; its parts in steps; the number of columns of each move.

    A row holds the class, its columns after both moves, its part, and the loss of each other seat. Rows whose printed
    numbers are all 0 are left out.
    """
    digits = Digits(why)
    parts = digits.parts([part.part for part in why.parts])
    losses = [
        (f"seat {seat} loses", digits.parts([(part.seats or ())[seat] for part in why.parts], total_loss), total_loss)
        for seat, total_loss in (_losses(why, why.seats, digits) if why.seats is not None else {}).items()
    ]
    sides = [_side(why, digits, is_other) for is_other in (False, True)]
    columns = [_chance_steps(why, False), _chance_steps(why, True), parts, *(total_loss for _, total_loss, _ in losses)]
    rows = [["the turn ends", *sides[0][0], *sides[1][0], PART, *(name for name, *_ in losses)]]
    steps = [0]
    for place, part in enumerate(why.parts):
        if any(column[place] for column in columns):
            numbers = [parts[place], *(total_loss[place] for _, total_loss, _ in losses)]
            rows.append([part.called, *sides[0][1 + place], *sides[1][1 + place], *map(digits.plain, numbers)])
            steps.append(parts[place])
    sums = [digits.total, *(total_loss for *_, total_loss in losses)]
    rows.append(["together", *sides[0][-1], *sides[1][-1], *map(digits.plain, sums)])
    return rows, [*steps, digits.total], len(sides[0][0])


def _side(why: Why, digits: Digits, is_other: bool) -> list[list[str]]:
    """The columns of one move: heads, a row for each class, and the sums."""
    chances = _move_column(why, "chance", is_other)
    cells = list(map(_chance, chances))
    value = digits.value(why.other_value if is_other else why.value)
    if not why.has_points:
        worths = _move_column(why, "value", is_other)
        rows = [
            [chance, BOUNDED if part.called == PAST and chance != NONE else digits.value(worth)]
            for part, chance, worth in zip(why.parts, cells, worths, strict=True)
        ]
        return [["chance", "worth"], *rows, [ALWAYS, value]]
    both = [_move_column(why, name, is_other) for name in ("points", "rest")]
    sums = [sum(chance * (mean or 0.0) for chance, mean in zip(chances, means, strict=True)) for means in both]
    rows = [[chance, *map(digits.value, means)] for chance, *means in zip(cells, *both, strict=True)]
    return [["chance", "points", "rest"], *rows, [ALWAYS, *map(digits.value, sums)]]


def _move_column(why: Why, name: str, is_other: bool) -> list[Any]:
    """The values of one attribute of the classes after one of the two moves."""
    return [getattr(part, f"other_{name}" if is_other else name) for part in why.parts]


def _chance_steps(why: Why, is_other: bool) -> list[int]:
    """The chance of each class after a move in steps, each rounded by itself, as in every other answer."""
    return [round(chance / CHANCE_STEP) for chance in _move_column(why, "chance", is_other)]


def _chance(chance: float) -> str:
    """A chance in per cent; only an impossible event is shown as NONE."""
    return percent(1.0 if chance > 1 - 1e-12 else chance, 1) if chance else NONE


def _table(why: Why) -> FirstThatFits:
    """The table in several layouts: a row for each class; the losses of seats apart; or a row for each move."""
    texts, steps, width = parts_table(why)
    part, end = 1 + 2 * width, len(texts[0])  # the column of parts, and that of bars of the parts
    largest = max(map(abs, steps[:-1])) or 1
    rows: list[list[TableCell]] = [[Inked(head, "strong") for head in texts[0]]]
    for row, step in zip(texts[1:], steps[1:], strict=True):
        rows.append([*row[:part], Inked(row[part], _ink(step)), *row[part + 1 :]])
    bars: list[TableCell] = ["", *(Bar(abs(step) / largest, BAR_CHARS, _ink(step)) for step in steps[1:-1]), ""]
    over = [(why.best, "best", width), (why.other, "other", width)]
    whole = [[*row, bar] for row, bar in zip(rows, bars, strict=True)]
    ways = [[CellTable(whole, range(1, end), ranks={end: 1}, over=over)]]
    if end > part + 1:
        moves = CellTable([row[: part + 1] for row in rows], range(1, part + 1), over=over)
        ways.append([moves, CellTable([[row[0], *row[part:]] for row in rows], range(1, end))])
    for names in ((why.best, why.other), ("best", "other")):
        ways.append([_stacked_table(texts, steps, width, names)])
    return FirstThatFits(ways)


def _stacked_table(
    texts: Sequence[Sequence[str]], steps: Sequence[int], width: int, moves: tuple[str, str]
) -> CellTable:
    """The table with, for each class, its part, and below it a row for each move."""
    heads, part = texts[0], 1 + 2 * width
    rows: list[list[TableCell]] = [["", *(Inked(head, "strong") for head in heads[1 : 1 + width])]]
    above = {}
    for row, step in zip(texts[1:], steps[1:], strict=True):
        losses = (f"{head} {cell}" for head, cell in zip(heads[part + 1 :], row[part + 1 :], strict=True))
        above[len(rows)] = Sentence([f"{row[0]}: {', '.join([row[part], *losses])}"], hanging=2, ink=_ink(step))
        rows += [[f"  {moves[0]}", *row[1 : 1 + width]], [f"  {moves[1]}", *row[1 + width : part]]]
    return CellTable(rows, range(1, 1 + width), above=above)


def _ink(steps: int) -> str:
    """The colour of a part for or against the best move."""
    return "good" if steps > 0 else "bad" if steps else ""


def _lines(why: Why, lines: Sequence[LinePart]) -> FirstThatFits:
    """Every line of the sheet after both moves; lines with equal printed numbers share a row."""
    digits = Digits(why)
    sums = [round(value / digits.step) for value in (why.value, why.other_value)]
    best = digits.parts([line.value for line in lines], sums[0])
    other = digits.parts([line.other_value for line in lines], sums[1])
    rows = [(line.line, one, two) for line, one, two in zip(lines, best, other, strict=True)]
    alike = [row for row in rows if row[1] == row[2]]
    if len(alike) > 1:
        rows = [row for row in rows if row not in alike]
        rows.append((f"{len(alike)} others, alike", sum(one for _, one, _ in alike), sum(two for *_, two in alike)))
    rows.append(("together", sums[0], sums[1]))
    plain = [
        [name, digits.plain(one, signed=False), digits.plain(two, signed=False), digits.plain(one - two)]
        for name, one, two in rows
    ]
    heads = [["line of the sheet", *moves, PART] for moves in ((why.best, why.other), ("best", "other"))]
    return FirstThatFits([[CellTable([head, *plain], (1, 2, 3))] for head in heads])
