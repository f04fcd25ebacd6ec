"""Claim of a rule sheet, its comparison with the computed value, and the verdict."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeAlias

from rollwise.solver.model.errors import BadInput, ModelError, NotConverged, TooLarge, UnknownGame
from rollwise.solver.model.jsonable import Jsonable, fraction_text


@dataclass(frozen=True)
class Certified:
    """Number from a solved game: certified bounds, and the exact fraction where there is one."""

    lower: Fraction
    upper: Fraction
    exact: Fraction | None
    unit: str


Value: TypeAlias = Fraction | tuple[Fraction, ...] | str | Certified
VerdictName: TypeAlias = Literal["confirmed", "refuted", "depends", "pending", "unread"]


@dataclass(frozen=True)
class Claim:
    """Statement of a rule sheet.

    ``agrees`` compares the stated with a computed value: True, False, or None where the bounds do not decide it.
    ``compute`` returns the exact value: a number, several, or a text; where it depends on the reading of a rule, one
    value for each reading, the default first. ``reading`` is the reading of the statement. ``slow``: the computation
    takes over a second or so, and runs only on demand. ``fault``: the error of a row that cannot be read.
    ``otherwise``: a change that would make a refuted claim true, in words.
    """

    id: str
    game: str
    source: str
    statement: str
    stated: str
    agrees: Callable[[str, Value], bool | None]
    compute: Callable[[], Value | Mapping[str, Value]]
    reading: str = ""
    slow: bool = False
    fault: BadInput | None = None
    otherwise: Callable[[], str] = str


@dataclass(frozen=True)
class Verdict(Jsonable):
    """Verdict on a claim; ``exact`` and ``decimal`` are None where nothing could be computed."""

    id: str
    game: str
    source: str
    statement: str
    stated: str
    exact: str | None
    decimal: str | None
    verdict: VerdictName
    reading: str


def check(claim: Claim) -> Verdict:
    """Compute a claim and compare it; ``pending`` where it stays undecided.

    A claim stays undecided if it needs a game that does not exist yet, if its answer is too large to compute, or if the
    certified bounds of the answer contain the edge of the stated interval. Of several readings two may decide: true
    under one and false under another is ``depends``, whatever a third is.
    """
    try:
        computed = claim.compute()
    except UnknownGame:
        return _make_verdict(claim, None, "pending", claim.reading)
    except (TooLarge, NotConverged) as error:
        return _make_verdict(claim, None, "pending", _append_note(claim.reading, str(error)))
    by_reading = computed if isinstance(computed, Mapping) else {"": computed}
    agreements = {reading: claim.agrees(claim.stated, value) for reading, value in by_reading.items()}
    outcomes = set(agreements.values())
    notes = []
    for reading, value in by_reading.items():
        if agreements[reading] is None:
            notes.append(f"{reading}: not settled: {_describe_bounds(value)}".removeprefix(": "))
        elif reading:
            notes.append(f"{reading}: {_describe_bounds(value) if _is_bounded(value) else format_value(value)}")
    verdict: VerdictName = "confirmed" if True in outcomes else "refuted"
    if outcomes >= {True, False}:
        verdict = "depends"
    elif None in outcomes:
        verdict = "pending"
    if verdict == "refuted":
        notes += filter(None, [claim.otherwise()])
    return _make_verdict(claim, next(iter(by_reading.values())), verdict, _append_note(claim.reading, "; ".join(notes)))


def unread_verdict(claim: Claim, error: BadInput) -> Verdict:
    """Verdict on a claim that cannot be read, with the error."""
    return _make_verdict(claim, None, "unread", str(error))


def _append_note(reading: str, note: str) -> str:
    return f"{reading} ({note})" if reading and note else reading or note


def _is_bounded(value: Value) -> bool:
    """True for a number of which only bounds are certified."""
    return isinstance(value, Certified) and value.exact is None


def _describe_bounds(value: Value) -> str:
    """Certified bounds of a number without an exact fraction, in words."""
    assert isinstance(value, Certified)
    return f"the answer is certified to lie from {float(value.lower):.12g} to {float(value.upper):.12g}, no closer"


def _make_verdict(claim: Claim, value: Value | None, verdict: VerdictName, reading: str) -> Verdict:
    exact = decimal = None
    if isinstance(value, Certified) and value.exact is None:
        decimal = _certified_digits(value)
    elif value is not None:
        exact = format_value(value)
        decimal = None if isinstance(value, str) else ", ".join(map(_decimal, _numbers(value)))
    return Verdict(claim.id, claim.game, claim.source, claim.statement, claim.stated, exact, decimal, verdict, reading)


def format_value(value: Value) -> str:
    """Computed value as text, fractions exactly."""
    return value if isinstance(value, str) else ", ".join(map(fraction_text, _numbers(value)))


def _numbers(value: Fraction | tuple[Fraction, ...] | Certified) -> tuple[Fraction, ...]:
    if isinstance(value, Certified):
        if value.exact is None:
            raise ModelError(f"one exact number was wanted, got {_describe_bounds(value)}")
        return (value.exact,)
    return value if isinstance(value, tuple) else (value,)


def _decimal(number: Fraction) -> str:
    return fraction_text(number) if number.denominator == 1 else f"{float(number):.12g}"


def _certified_digits(value: Certified) -> str:
    """Digits, up to twelve after the point, to which both bounds round.

    >>> _certified_digits(Certified(Fraction("0.42018"), Fraction("0.42021"), None, "probability"))
    '0.4202'
    """
    for digits in range(12, -1, -1):
        low, high = (f"{float(bound):.{digits}f}" for bound in (value.lower, value.upper))
        if low == high:
            return low
    return f"{float((value.lower + value.upper) / 2):.3g}"
