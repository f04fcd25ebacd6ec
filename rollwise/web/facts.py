"""Odds, bets and further facts as plain data for a page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rollwise.answer import Advice
from rollwise.quantity_text import MEANS, TIE, bands, cheapest, said
from rollwise.solver.game.solution import Quantity
from rollwise.text import fraction, number, width
from rollwise.web.texts import text

MOST = 100.0  # the length of a bar, in per cent


@dataclass(frozen=True)
class Bar:
    """A name, a number, and how long its bar is."""

    name: str
    value: str
    length: float
    exact: str = ""
    interval: str = ""
    is_mover: bool = False


@dataclass(frozen=True)
class Chart:
    """Numbers of one sort side by side: by seat, or the outcomes of a distribution, and what is left out of it."""

    title: str
    bars: tuple[Bar, ...]
    rest: str = ""


@dataclass(frozen=True)
class Bets:
    """Bets with their numbers: heads by name, what they mean, and rows of a bet and its cells."""

    heads: tuple[str, ...]
    meanings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Facts:
    """All of it: by seat first, single numbers, bets, and distributions for a fold."""

    seats: tuple[Chart, ...] = ()
    numbers: tuple[Bar, ...] = ()
    bets: Bets | None = None
    spread: tuple[Chart, ...] = ()


def facts_of(advice: Advice) -> Facts:
    """The quantities of an answer."""
    seats, numbers, bets, spread = [], [], dict[str, Quantity](), []
    for name, quantity in advice.quantities.items():
        title = said(name, quantity)
        if name == TIE and quantity.exact == "0":
            continue
        if isinstance(quantity.exact, Mapping):
            bets[name] = quantity
        elif isinstance(quantity.value, Mapping):
            of = advice.quantities.get(MEANS.get(name) or name.removesuffix("_distribution"), quantity)
            unit = "" if of.unit == "probability" else f" ({of.unit})"
            spread.append(_histogram(title + unit, quantity))
        elif isinstance(quantity.value, list):
            seats.append(_by_seat(title, quantity, advice.mover))
        else:
            short = fraction(quantity.exact) or ""
            interval = width(quantity.lower, quantity.upper, quantity.unit)
            numbers.append(Bar(title, _number(quantity.value, quantity.unit), 0.0, short, interval))
    return Facts(tuple(seats), tuple(numbers), _bets(bets), tuple(spread))


def headline(advice: Advice) -> tuple[str, str]:
    """What to say of a game in which nobody chooses, in two pieces: the first number that there is."""
    for name, quantity in advice.quantities.items():
        if isinstance(quantity.exact, Mapping):
            return text("answer.luck"), cheapest(advice.quantities)
        if isinstance(quantity.value, list) and advice.mover < len(quantity.value):
            told = _number(quantity.value[advice.mover], quantity.unit)
            return text("answer.luck"), text(
                "answer.by_seat", seat=advice.mover, label=said(name, quantity), value=told
            )
        if not isinstance(quantity.value, Mapping | list):
            told = _number(quantity.value, quantity.unit)
            return text("answer.luck"), text("answer.one", label=said(name, quantity), value=told)
    return text("answer.luck"), ""


def _number(value: float, unit: str) -> str:
    return number(value, unit, 2) + ("" if unit == "probability" else f" {unit}")


def _by_seat(title: str, quantity: Quantity, mover: int) -> Chart:
    """A bar for each seat; numbers below nothing have none."""
    exacts = quantity.exact or [None] * len(quantity.value)
    most = 1.0 if quantity.unit == "probability" else max([*map(float, quantity.value), 1e-300])
    bars = [
        Bar(
            text("form.seat", seat=seat),
            _number(value, quantity.unit),
            max(0.0, MOST * value / most),
            fraction(exact) or "",
            width(low, high, quantity.unit),
            seat == mover,
        )
        for seat, (value, low, high, exact) in enumerate(
            zip(quantity.value, quantity.lower, quantity.upper, exacts, strict=True)
        )
    ]
    return Chart(title, tuple(bars))


def _histogram(title: str, quantity: Quantity) -> Chart:
    shown, rest = bands(quantity.value)
    most = max(shown.values())
    bars = [Bar(name, number(chance, "probability", 2), MOST * chance / most) for name, chance in shown.items()]
    told = [text("answer.others", chance=number(rest, "probability", 3))] if rest > 1e-9 else []
    if quantity.tail:
        past = f"{100 * quantity.tail['upper']:.1e} %"
        told.append(text("answer.tail", start=quantity.tail["from"], chance=past))
    return Chart(title, tuple(bars), " ".join(told))


def _bets(quantities: Mapping[str, Quantity]) -> Bets | None:
    """Bets, the best first."""
    if not quantities:
        return None
    bets = list(dict.fromkeys(bet for quantity in quantities.values() for bet in quantity.value))
    rows = [
        (
            bet,
            *(
                number(quantity.value[bet], quantity.unit, 2) if bet in quantity.value else ""
                for quantity in quantities.values()
            ),
        )
        for bet in bets
    ]
    heads = tuple(name.replace("_", " ") for name in quantities)
    meanings = tuple(said(name, quantity) for name, quantity in quantities.items())
    return Bets(heads, meanings, tuple(rows))
