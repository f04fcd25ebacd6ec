"""Rows of the rule sheets that stand in TOML: they lie in the package, and each has its place among the others."""

from __future__ import annotations

from fractions import Fraction
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from rollwise import games
from rollwise.games.claims import Claim, check, claims
from rollwise.games.claims.claim import Certified
from rollwise.games.claims.sheets import Row, parse_rows
from rollwise.games.claims.stated import stated
from rollwise.games.claims.values import compute_row, make_claim
from rollwise.solver.model.errors import BadInput, ModelError

FOLDER = Path(games.__file__).parent
SHEETS = {
    room: parse_rows((FOLDER / room / "claims.toml").read_text(encoding="utf-8"), room, f"rollwise.games.{room}.claims")
    for room in sorted(path.parent.name for path in FOLDER.glob("*/claims.toml"))
}


def own(name: str) -> Row:
    return next(row for rows in SHEETS.values() for row in rows if row.id == name)


def test_every_row_is_a_claim_of_the_ledger() -> None:
    known = {claim.id: claim for claim in claims()}
    assert sum(map(len, SHEETS.values())) == len(known) == 247
    for rows in SHEETS.values():
        for row in rows:
            claim = known[row.id]
            assert row.id.startswith(f"{row.game}/")
            assert (claim.statement, claim.stated, claim.source) == (row.statement, row.stated.text, row.source)


def test_functions_that_rows_name_are_there_and_no_module_is_without_a_sheet() -> None:
    named: dict[str, set[str]] = {name: set() for name in SHEETS}
    for name, rows in SHEETS.items():
        for part in [part for row in rows for part in row.parts()]:
            named[name] |= {part.arguments["compute"]} if part.shape == "compute" else set()
            named[name] |= {part.agrees} if part.agrees else set()
    for name, functions in named.items():
        module = import_module(f"rollwise.games.{name}.claims") if (FOLDER / name / "claims.py").exists() else None
        assert all(callable(getattr(module, function, None)) for function in functions), name


def test_claims_keep_the_order_of_the_rule_sheet() -> None:
    names = [claim.id.removeprefix("killer/") for claim in claims("killer")]
    assert names == [
        *("trebles", "bulls-eye", "bulls-eye-differs", "doubles-one-pair", "doubles-two-pairs", "doubles-equal-pairs"),
        *("sequences", "two-sixes", "opening-needs-three", "example", "example-one-is-lost"),
    ]


WRONG = {
    "zilch/table-two-dice": ("55 %", "57 %", "55.5 %", "5/8"),
    "piggy-six/one-die-no-double-six": ("always", "1 %"),
    "killer/doubles-two-pairs": ("17 points", "19 points", "18.1"),
    "ten-thousand/three-ones": ("999", "1,001"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_row_with_another_figure_is_refuted(name: str) -> None:
    row = own(name)
    value = compute_row(row)
    assert isinstance(value, Fraction)
    chance = row.shape == "throw"
    assert row.stated.agrees(value, chance)
    for figure in WRONG[name]:
        assert stated(figure).agrees(value, chance) is False


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("42.0 %", "0.4195", "0.4205"),
        ("42 %", "0.415", "0.425"),
        ("42%", "0.415", "0.425"),
        ("42 percent", "0.415", "0.425"),
        ("0.420", "0.4195", "0.4205"),
        ("-0.5", "-0.55", "-0.45"),
        ("254 points", "253.5", "254.5"),
        ("1,150", "1149.5", "1150.5"),
        ("1,150.5 points", "1150.45", "1150.55"),
        ("1/36", "1/36", "1/36"),
        ("100/3 %", "1/3", "1/3"),
        ("30,6 %", "0.3055", "0.3065"),
        ("30,625 %", "0.306245", "0.306255"),
        ("0,125", "0.1245", "0.1255"),
        ("1 in 42", "2/85", "2/83"),
        ("1 in 1,296", "2/2593", "2/2591"),
        ("one in 1,296", "2/2593", "2/2591"),
        ("5 out of 1,296", "5/1296", "5/1296"),
        ("1/1,296", "1/1296", "1/1296"),
        ("one in six", "2/13", "2/11"),
        ("5 out of 36", "5/36", "5/36"),
        ("two thirds", "2/3", "2/3"),
        ("a half", "1/2", "1/2"),
        ("Twenty-five percent", "0.245", "0.255"),
        ("one thousand one hundred and fifty points", "1149.5", "1150.5"),
        ("No chance", "0", "0"),
        ("certain", "1", "1"),
    ],
)
def test_the_digits_that_are_stated_are_the_tolerance(text: str, low: str, high: str) -> None:
    said = stated(text)
    assert (said.low, said.high) == (Fraction(low), Fraction(high))
    tiny = Fraction(1, 10**12)
    for inside in (Fraction(low), Fraction(high)):
        assert said.agrees(inside)
    for outside in (Fraction(low) - tiny, Fraction(high) + tiny):
        assert said.agrees(outside) is False


def test_a_figure_is_compared_with_one_number_and_a_word_with_a_word() -> None:
    with pytest.raises(ModelError, match="cannot be compared with"):
        stated("hold").agrees(Fraction(1, 36))
    assert stated("1/36").agrees("hold") is stated("1/36").agrees((Fraction(1, 36), Fraction(1, 6))) is False


def test_a_row_whose_value_nobody_here_can_find_is_refused() -> None:
    asked = '[[claim]]\nid = "a"\ngame = "pig"\nstatement = "so"\nstated = "1/2"\nask = {}\n'
    (row,) = parse_rows(asked, "sheet.toml")
    with pytest.raises(BadInput, match=r"sheet.toml, claim 1 \(a\): ask is not known here"):
        make_claim(row)


def test_a_verdict_that_is_not_settled_says_between_what_the_answer_lies() -> None:
    row = own("zilch/table-one-die")
    bounds = Certified(Fraction("0.32"), Fraction("0.34"), None, "probability")
    claim = next(claim for claim in claims("zilch") if claim.id == row.id)
    object.__setattr__(claim, "compute", lambda: bounds)
    found = check(claim)
    assert (found.verdict, found.exact, found.decimal) == ("pending", None, "0.3")
    assert found.reading == "not settled: the answer is certified to lie from 0.32 to 0.34, no closer"


CLOSE, OPEN = Fraction("0.33"), Certified(Fraction("0.32"), Fraction("0.34"), None, "probability")
FAR, SURE = Fraction("0.5"), Certified(Fraction("0.331"), Fraction("0.332"), None, "probability")


@pytest.mark.parametrize(
    ("values", "verdict"),
    [
        ([OPEN, OPEN], "pending"),
        ([CLOSE, OPEN, OPEN], "pending"),
        ([FAR, OPEN, OPEN], "pending"),
        ([OPEN, CLOSE, FAR], "depends"),  # whatever the open one is
        ([SURE, CLOSE], "confirmed"),  # bounds settle it too
    ],
)
def test_readings_of_which_some_are_not_settled_are_told_with_what_is_known(values: list[Any], verdict: str) -> None:
    by_reading = {f"reading {number}": value for number, value in enumerate(values)}
    found = check(
        Claim(
            "zilch/made-up",
            "zilch",
            "x",
            "Made up.",
            "33 %",
            lambda text, value: stated(text).agrees(value),
            lambda: by_reading,
        )
    )
    assert found.verdict == verdict
    for number, value in enumerate(values):
        lies = (
            "not settled: the answer is certified to lie from 0.32 to 0.34, no closer" if value is OPEN else str(value)
        )
        assert value is SURE or f"reading {number}: {lies}" in found.reading
    assert found.plain()["decimal"] == {CLOSE: "0.33", FAR: "0.5", OPEN: "0.3", SURE: "0.33"}[values[0]]


@pytest.mark.parametrize(("code", "agrees"), [("", True), ("rollwise.games.pig.claims", False)])
def test_a_whole_number_of_a_rule_sheet_is_exact_and_one_of_a_users_sheet_has_the_tolerance_of_its_digits(
    code: str, agrees: bool
) -> None:
    claim = '[[claim]]\nid = "a"\ngame = "pig"\nstatement = "b"\nstated = 7\nask = {}\n'
    (row,) = parse_rows(claim, "sheet.toml", code)
    assert row.stated.agrees(Fraction(7)) is True
    assert row.stated.agrees(Fraction(15, 2)) is agrees
