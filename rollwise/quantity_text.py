"""Odds, bets and further facts as a person reads them: a line a number, a histogram a distribution."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from rollwise.display import bar_beside, line_width, screen
from rollwise.labels import quantity_label
from rollwise.solver.game.solution import Quantity
from rollwise.text import TOLD, aligned, columns, digits, exact_lines, fraction, number, width, wrapped

BARS = 40
SHOWN = 5e-5  # outcomes less likely are told together
TIE = "shared"  # which is left out where it cannot be
MEANS = {"score_distribution": "mean_score"}  # where what is distributed has another name


def quantity_lines(quantities: Mapping[str, Quantity], mover: int, exact: bool = False) -> list[list[str]]:
    """All quantities of an answer, in blocks; ``exact``: long fractions too."""
    bets, spread, plain = dict[str, Quantity](), dict[str, Quantity](), dict[str, Quantity]()
    for name, quantity in quantities.items():
        is_bet, is_spread = isinstance(quantity.exact, Mapping), isinstance(quantity.value, Mapping)
        if name != TIE or quantity.exact != "0":
            (bets if is_bet else spread if is_spread else plain)[name] = quantity
    blocks = _numbers(plain, mover, exact) if plain else []
    blocks += _bets(bets, exact) if bets else []
    for name, quantity in spread.items():
        of = quantities.get(MEANS.get(name) or name.removesuffix("_distribution"), quantity)
        unit = "" if of.unit == "probability" else f" ({of.unit})"
        blocks.append(wrapped(said(name, quantity) + unit) + _distribution(quantity.value, quantity.tail))
    return blocks


def said(name: str, quantity: Quantity) -> str:
    """What a quantity is, in words."""
    return quantity.label or quantity_label(name)


def _numbers(quantities: Mapping[str, Quantity], mover: int, exact: bool) -> list[list[str]]:
    """One line a number, and a seat."""
    rows: list[list[str]] = []
    fractions: list[str] = []
    for name, quantity in quantities.items():
        by_seat = isinstance(quantity.value, list)
        values, lowers, uppers, exacts = (
            part if by_seat and part else [part] * (len(quantity.value) if by_seat else 1)
            for part in (quantity.value, quantity.lower, quantity.upper, quantity.exact)
        )
        for seat, (value, lower, upper, told) in enumerate(zip(values, lowers, uppers, exacts, strict=True)):
            whose = f", seat {seat}{' (to move)' if seat == mover else ''}" if by_seat else ""
            unit = "" if quantity.unit == "probability" else f" {quantity.unit}"
            row = [
                said(name, quantity) + whose,
                number(value, quantity.unit, digits(lower, upper, quantity.unit)) + unit,
            ]
            rows.append([*row, width(lower, upper, quantity.unit)])
            fractions.append(told if told and "/" in told else "")
    rows = _on_the_point(rows)
    with_short = [[*row, fraction(told) or ""] for row, told in zip(rows, fractions, strict=True)]
    beside = max(map(len, aligned(with_short))) <= line_width()
    named = [(row[0], told) for row, told in zip(rows, fractions, strict=True)]
    below = [(label, told) for label, told in named if told and not (beside and fraction(told))]
    blocks = [columns(with_short if beside else rows)]
    return [*blocks, ["exactly", *exact_lines(below)]] if exact and below else blocks


def _on_the_point(rows: list[list[str]]) -> list[list[str]]:
    """The numbers of the second column with their points below each other."""
    before = max(len(row[1].partition(".")[0]) for row in rows)
    return [[row[0], " " * (before - len(row[1].partition(".")[0])) + row[1], *row[2:]] for row in rows]


def cheapest(quantities: Mapping[str, Quantity]) -> str:
    """The bets of which a chip brings back most, in a sentence; of one bet alone what it does."""
    chances, backs = quantities["chance"].value, quantities["return"].value
    top = max(backs.values())
    found = [bet for bet, back in backs.items() if back == top]
    chance = {number(chances[bet], "probability", 2) for bet in found}
    wins = f"wins {chance.pop()} of the time and " if len(chance) == 1 else ""
    brings = f"a chip on it {wins}brings back {top:.2f} on average, the stake included"
    which = f"Cheapest for the player: {' or '.join(found)}" if len(backs) > 1 else f"The bet: {found[0]}"
    return f"{which}; {brings}."


def _bets(quantities: Mapping[str, Quantity], exact: bool) -> list[list[str]]:
    """One line a bet, the best first; fractions in brackets where there is room for them, or they were asked for."""
    rows, right = _bet_table(quantities, fractions=True), range(1, 1 + len(quantities))
    if not exact and max(map(len, aligned(rows, right))) > line_width():
        rows = _bet_table(quantities, fractions=False)
    heads = [f"{name.replace('_', ' ')}: {said(name, quantity)}" for name, quantity in quantities.items()]
    return [wrapped(cheapest(quantities)), columns(rows, right), wrapped("; ".join(heads))]


def _bet_table(quantities: Mapping[str, Quantity], fractions: bool) -> list[list[str]]:
    bets = list(dict.fromkeys(bet for quantity in quantities.values() for bet in quantity.value))
    rows = [["bet", *(name.replace("_", " ") for name in quantities)]]
    for bet in bets:
        rows.append([bet, *(_bet(quantity, bet, fractions) for quantity in quantities.values())])
    return rows


def _bet(quantity: Quantity, bet: str, fractions: bool) -> str:
    if bet not in quantity.value:
        return ""
    shown, exact = number(quantity.value[bet], quantity.unit, 4), quantity.exact[bet]
    if "/" not in exact:
        return str(exact)
    return f"{shown} ({exact})" if fractions else shown


def _distribution(value: Mapping[str, float], tail: Mapping[str, Any] | None) -> list[str]:
    """A histogram: one line an outcome (or a range of outcomes, where there are many)."""
    shown, rest = bands(value)
    most, on = max(shown.values()), screen()
    rows = [
        [name, number(chance, "probability", TOLD), bar_beside(chance / most, BARS, on)]
        for name, chance in shown.items()
    ]
    lines = columns(rows, right=(0, 1))
    if rest > 1e-9:
        lines.append(f"all others together: {number(rest, 'probability')}")
    if tail:
        lines.append(f"{tail['from']} or more: at most {100 * tail['upper']:.1e} %, not listed one by one")
    return lines


def bands(value: Mapping[str, float]) -> tuple[dict[str, float], float]:
    """Chances of outcomes, or of ranges of outcomes where there are many; and the rest, of all that are unlikely."""
    outcomes = {int(outcome): chance for outcome, chance in value.items()}
    low, high = min(outcomes), max(outcomes)
    step = max(1, -(-(high - low + 1) // 32))
    grouped: dict[int, float] = {}
    for outcome, chance in outcomes.items():
        start = low + (outcome - low) // step * step
        grouped[start] = grouped.get(start, 0.0) + chance
    shown = {start: chance for start, chance in sorted(grouped.items()) if chance >= SHOWN}
    named = {str(start) if step == 1 else f"{start}-{start + step - 1}": chance for start, chance in shown.items()}
    return named, 1 - math.fsum(shown.values())
