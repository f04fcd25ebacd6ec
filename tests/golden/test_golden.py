"""Numbers with a source: what a game is worth at the start, to every digit that the source gives."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import rollwise
import rollwise.questions.ask.data

HERE = Path(__file__).parent


def entries() -> Iterator[Any]:
    for file in sorted(HERE.glob("*.toml")):
        for entry in tomllib.loads(file.read_text())["value"]:
            game = file.stem.replace("_", "-")
            marks = [getattr(pytest.mark, mark) for mark in ("slow", "minutes") if entry.get(mark)]
            yield pytest.param(game, entry, id=f"{game}: {entry['what']}, {entry['mark']}", marks=marks)


@cache
def solved(game: str, parameters: str) -> rollwise.questions.ask.data.Advice:
    """The solution of one game and size, however many numbers are known of it."""
    return rollwise.solve(game, params=json.loads(parameters))


def bounds(game: str, entry: dict[str, Any]) -> tuple[float, float, str | None]:
    """(lower, upper, exact) of the number that an entry is about: the value, or ``quantity``, and what ``of`` it.

    Instead of either the share of a ``seat``, or how much a ``policy`` wins less than the best player against it.
    """
    if "policy" in entry:  # who wins so much more than half of all games loses as much less
        cost: Any = rollwise.compare(game, entry["policy"]).cost_to_best
        _, lower, upper = cost
        return 2 * lower, 2 * upper, None
    solution = solved(game, json.dumps(entry.get("parameters")))
    if "seat" in entry:
        assert solution.shares_lower is not None
        assert solution.shares_upper is not None
        return solution.shares_lower[entry["seat"]], solution.shares_upper[entry["seat"]], None
    if "quantity" not in entry:
        assert solution.lower is not None
        assert solution.upper is not None
        return solution.lower, solution.upper, solution.exact
    found: Any = solution.quantities[entry["quantity"]]
    if "of" not in entry:
        return found.lower, found.upper, found.exact
    place = entry["of"]
    return found.lower[place], found.upper[place], found.exact[place] if found.exact else None


@pytest.mark.parametrize(("game", "entry"), list(entries()))
def test_the_interval_holds_the_number_and_is_narrower_than_its_last_digit(game: str, entry: dict[str, Any]) -> None:
    lower, upper, exact = bounds(game, entry)
    number = Fraction(entry["value"])
    digits = 0 if "/" in entry["value"] else len(entry["value"].partition(".")[2])
    half_a_digit = Fraction(1, 2 * 10**digits) if digits else Fraction(0)
    if exact is not None:
        assert abs(Fraction(exact) - number) <= half_a_digit
    assert upper - lower < 2e-9
    assert Fraction(lower) <= number + half_a_digit
    assert Fraction(upper) >= number - half_a_digit


def test_every_number_says_where_it_comes_from() -> None:
    for game, entry in (case.values for case in entries()):
        assert entry["mark"] in ("published", "derived", "ours"), (game, entry)
        assert entry["source"], (game, entry)
