"""What the rule sheets say about odds and examples, and whether it is so.

A claim is data: what is stated, how precisely, and how to compute it from the game's own rules. Each module of this
package holds the claims of one game in ``CLAIMS``; games themselves are imported only when a claim is checked.
"""

from __future__ import annotations

import pkgutil
import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from fractions import Fraction
from importlib import import_module
from typing import Literal, TypeAlias

from rollwise.games import registry
from rollwise.solver.game.errors import ModelError, UnknownGame

Value: TypeAlias = Fraction | tuple[Fraction, ...] | str
NUMBER = re.compile(r"(\d{1,3}(?:,\d{3})+(?!\d)|\d+(?:\.\d+)?)(?:/(\d+))?(\s*%)?")


@dataclass(frozen=True)
class Precision:
    """How what is stated is compared with what is computed."""

    text: str
    agrees: Callable[[str, Value], bool]


@dataclass(frozen=True)
class Claim:
    """One statement of a rule sheet.

    ``compute`` returns the exact value: a number, several, or a text; where it depends on how a rule is read, it
    returns one value for each reading, the default reading first. ``reading`` tells how the statement is understood.
    ``slow``: computing it takes over a second or so, and is left to those who ask for it.
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


@dataclass(frozen=True)
class Verdict:
    """A claim and what became of it; ``exact`` and ``decimal`` are None where nothing could be computed."""

    id: str
    game: str
    source: str
    statement: str
    stated: str
    exact: str | None
    decimal: str | None
    verdict: Literal["confirmed", "refuted", "depends", "pending"]
    reading: str

    def plain(self) -> dict[str, str | None]:
        """As JSON shows it."""
        return asdict(self)


def claims(game: str | None = None) -> list[Claim]:
    """The claims about one game, or all; raises UnknownGame for a name that neither games nor claims know."""
    modules = sorted(module.name for module in pkgutil.iter_modules(__path__))
    every = [claim for name in modules for claim in getattr(import_module(f"{__name__}.{name}"), "CLAIMS", ())]
    wanted = game and registry.spelt(game)  # a claim may be of a game that is not there yet
    found = [claim for claim in every if game is None or claim.game in (game, wanted)]
    if game is not None and not found:
        registry.find(game)
    return found


def check(claim: Claim) -> Verdict:
    """Compute a claim and compare it; ``pending`` where it needs a game that is not there yet."""
    try:
        computed = claim.compute()
    except UnknownGame:
        return _verdict(claim, None, "pending", claim.reading)
    if not isinstance(computed, Mapping):
        agrees = claim.precision.agrees(claim.stated, computed)
        return _verdict(claim, computed, "confirmed" if agrees else "refuted", claim.reading)
    holds = [claim.precision.agrees(claim.stated, value) for value in computed.values()]
    told = "; ".join(f"{reading}: {shown(value)}" for reading, value in computed.items())
    return _verdict(
        claim,
        next(iter(computed.values())),
        "confirmed" if all(holds) else "depends" if any(holds) else "refuted",
        f"{claim.reading} ({told})" if claim.reading else told,
    )


def _verdict(
    claim: Claim,
    value: Value | None,
    verdict: Literal["confirmed", "refuted", "depends", "pending"],
    reading: str,
) -> Verdict:
    exact = None if value is None else shown(value)
    decimal = None if value is None or isinstance(value, str) else ", ".join(map(_decimal, _numbers(value)))
    return Verdict(claim.id, claim.game, claim.source, claim.statement, claim.stated, exact, decimal, verdict, reading)


def shown(value: Value) -> str:
    """A computed value as text, fractions exactly."""
    return value if isinstance(value, str) else ", ".join(map(str, _numbers(value)))


def _numbers(value: Fraction | tuple[Fraction, ...]) -> tuple[Fraction, ...]:
    return value if isinstance(value, tuple) else (value,)


def _decimal(number: Fraction) -> str:
    return str(number) if number.denominator == 1 else f"{float(number):.12g}"


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
