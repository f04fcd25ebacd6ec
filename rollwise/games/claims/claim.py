"""A claim, how what it states is compared with what is computed, and the verdict."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeAlias

from rollwise.solver.model.errors import BadInput, ModelError, NotConverged, TooLarge, UnknownGame
from rollwise.solver.model.jsonable import Jsonable
from rollwise.solver.model.long_fractions import fraction_text


@dataclass(frozen=True)
class Certified:
    """A number that a solved game gives: certified bounds, and the fraction where there is one."""

    lower: Fraction
    upper: Fraction
    exact: Fraction | None
    unit: str


Value: TypeAlias = Fraction | tuple[Fraction, ...] | str | Certified
Settled: TypeAlias = Literal["confirmed", "refuted", "depends", "pending", "unread"]
NUMBER = re.compile(r"(\d{1,3}(?:,\d{3})+(?!\d)|\d+(?:\.\d+)?)(?:/(\d+))?(\s*%)?")


@dataclass(frozen=True)
class Precision:
    """How what is stated is compared with what is computed; None: the bounds of what is computed do not tell."""

    text: str
    agrees: Callable[[str, Value], bool | None]


@dataclass(frozen=True)
class Claim:
    """One statement of a rule sheet.

    ``compute`` returns the exact value: a number, several, or a text; where it depends on how a rule is read, it
    returns one value for each reading, the default reading first. ``reading`` tells how the statement is understood.
    ``slow``: computing it takes over a second or so, and is left to those who ask for it. ``fault``: why nothing can be
    computed, of a row that somebody wrote and nobody can read. ``otherwise``: what would make it true where it is
    refuted, in words.
    """

    id: str
    game: str
    source: str
    statement: str
    stated: str
    precision: Precision
    compute: Callable[[], Value | Mapping[str, Value]]
    reading: str = ""
    slow: bool = False
    fault: BadInput | None = None
    otherwise: Callable[[], str] = str


@dataclass(frozen=True)
class Verdict(Jsonable):
    """A claim and what became of it; ``exact`` and ``decimal`` are None where nothing could be computed."""

    id: str
    game: str
    source: str
    statement: str
    stated: str
    exact: str | None
    decimal: str | None
    verdict: Settled
    reading: str


def check(claim: Claim) -> Verdict:
    """Compute a claim and compare it; ``pending`` where that cannot be settled.

    So it is where a claim needs a game that is not there yet, or an answer that is too large to be found, or where what
    agrees with the claim ends between the certified bounds of the answer. Of several readings those that are settled
    may say enough: true under one and not under another is ``depends``, whatever a third is.
    """
    try:
        computed = claim.compute()
    except UnknownGame:
        return _verdict(claim, None, "pending", claim.reading)
    except (TooLarge, NotConverged) as error:
        return _verdict(claim, None, "pending", _with(claim.reading, str(error)))
    by_reading = computed if isinstance(computed, Mapping) else {"": computed}
    holds = {reading: claim.precision.agrees(claim.stated, value) for reading, value in by_reading.items()}
    known = set(holds.values())
    told = []
    for reading, value in by_reading.items():
        if holds[reading] is None:
            told.append(f"{reading}: not settled: {_bounds(value)}".removeprefix(": "))
        elif reading:
            told.append(f"{reading}: {_bounds(value) if _is_bounded(value) else shown(value)}")
    verdict: Settled = "confirmed" if True in known else "refuted"
    if known >= {True, False}:
        verdict = "depends"
    elif None in known:
        verdict = "pending"
    if verdict == "refuted":
        told += filter(None, [claim.otherwise()])
    return _verdict(claim, next(iter(by_reading.values())), verdict, _with(claim.reading, "; ".join(told)))


def unread(claim: Claim, error: BadInput) -> Verdict:
    """What became of a claim that cannot be read: what was wrong."""
    return _verdict(claim, None, "unread", str(error))


def _with(reading: str, told: str) -> str:
    return f"{reading} ({told})" if reading and told else reading or told


def _is_bounded(value: Value) -> bool:
    """Is nothing known of this number but bounds?"""
    return isinstance(value, Certified) and value.exact is None


def _bounds(value: Value) -> str:
    """What is known of a number whose fraction is not."""
    assert isinstance(value, Certified)
    return f"the answer is certified to lie from {float(value.lower):.12g} to {float(value.upper):.12g}, no closer"


def _verdict(
    claim: Claim,
    value: Value | None,
    verdict: Settled,
    reading: str,
) -> Verdict:
    exact = decimal = None
    if isinstance(value, Certified) and value.exact is None:
        decimal = _sure_digits(value)
    elif value is not None:
        exact = shown(value)
        decimal = None if isinstance(value, str) else ", ".join(map(_decimal, _numbers(value)))
    return Verdict(claim.id, claim.game, claim.source, claim.statement, claim.stated, exact, decimal, verdict, reading)


def shown(value: Value) -> str:
    """A computed value as text, fractions exactly."""
    return value if isinstance(value, str) else ", ".join(map(fraction_text, _numbers(value)))


def _numbers(value: Fraction | tuple[Fraction, ...] | Certified) -> tuple[Fraction, ...]:
    if isinstance(value, Certified):
        if value.exact is None:
            raise ModelError(f"one exact number was wanted, got {_bounds(value)}")
        return (value.exact,)
    return value if isinstance(value, tuple) else (value,)


def _decimal(number: Fraction) -> str:
    return fraction_text(number) if number.denominator == 1 else f"{float(number):.12g}"


def _sure_digits(value: Certified) -> str:
    """As many digits, up to twelve after the point, as both bounds round to.

    >>> _sure_digits(Certified(Fraction("0.42018"), Fraction("0.42021"), None, "probability"))
    '0.4202'
    """
    for digits in range(12, -1, -1):
        low, high = (f"{float(bound):.{digits}f}" for bound in (value.lower, value.upper))
        if low == high:
            return low
    return f"{float((value.lower + value.upper) / 2):.3g}"


# --- precision -----------------------------------------------------------------------------------------------------


def stated_numbers(stated: str) -> tuple[Fraction, ...]:
    """The numbers in a stated text: whole ones, decimals, fractions and percentages.

    >>> stated_numbers("1,150 points"), stated_numbers("14, 17")
    ((Fraction(1150, 1),), (Fraction(14, 1), Fraction(17, 1)))
    >>> stated_numbers("3 % or 1/36")
    (Fraction(3, 100), Fraction(1, 36))
    """
    return tuple(
        Fraction(number.replace(",", "")) / int(per or 1) / (100 if percent else 1)
        for number, per, percent in NUMBER.findall(stated)
    )


def rounded_to(step: Fraction, text: str) -> Precision:
    """Stated to a multiple of ``step``: the exact value rounds to it, a value midway to either side."""

    def agrees(stated: str, value: Value) -> bool:
        said = stated_numbers(stated)
        if isinstance(value, str) or not said:
            raise ModelError(f"a claim of '{stated}' cannot be compared with {shown(value)}")
        found = _numbers(value)
        return len(said) == len(found) and all(2 * abs(a - b) <= step for a, b in zip(said, found, strict=True))

    return Precision(text, agrees)


def more_than(bound: Fraction | int, text: str) -> Precision:
    """Stated without a figure: the value is more than ``bound``."""

    def agrees(stated: str, value: Value) -> bool:
        if not isinstance(value, Fraction):
            raise ModelError(f"a claim of '{stated}' cannot be compared with {shown(value)}")
        return value > bound

    return Precision(text, agrees)


def counted(number: int, text: str) -> Precision:
    """Stated in words that come to so many: the value is this number."""
    return Precision(text, lambda stated, value: value == number)


EXACTLY = rounded_to(Fraction(0), "exactly")
WHOLE_PERCENT = rounded_to(Fraction(1, 100), "to the whole percent")
IN_WORDS = Precision("word for word", lambda stated, value: stated == value)
IMPOSSIBLE = Precision("exactly", lambda stated, value: value == 0)
ALWAYS = Precision(
    "in every case", lambda stated, value: value == 1
)  # the value: the part of all cases in which it holds
MOSTLY = more_than(Fraction(1, 2), "in more than half of all cases")
