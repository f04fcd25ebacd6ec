"""Claims of the rule sheets: all first ones hold, and a wrong figure is noticed."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
from fractions import Fraction

import pytest

from games import registry
from games.claims import EXACTLY, IN_WORDS, WHOLE_PERCENT, Claim, check, claims, more_than, rounded_to, stated_numbers
from games.claims import Value as ClaimValue
from games.claims.replay import chance_to_end, replay, turn_game
from solver.errors import ModelError, UnknownGame

FIRST = {
    "drop-dead/example": "14, 17, 21",
    "piggy-six/one-die-no-double-six": "0",
    "piggy-six/three-dice-more-double-sixes": "8/3",
    "shut-the-box/example": "26",
    "shut-the-box/example-partial": "24",
    "shut-the-box/first-roll-high-doubles": "45, 45",
    "shut-the-box/first-rolls-that-end": "5-5, 6-6",
    "ten-thousand/example-banked": "1150",
    "ten-thousand/example-lost": "0",
    "ten-thousand/first-roll-nothing": "5/162",
}


def named(name: str) -> Claim:
    return next(claim for claim in claims() if claim.id == name)


def made_up(value: ClaimValue | dict[str, ClaimValue], stated: str, **others: object) -> Claim:
    about: dict[str, object] = {"precision": EXACTLY, "reading": "", **others}
    return Claim("pig/made-up", "pig", "nowhere", "made up", stated, compute=lambda: value, **about)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", FIRST)
def test_the_first_claims_are_confirmed(name: str) -> None:
    verdict = check(named(name))
    assert (verdict.verdict, verdict.exact) == ("confirmed", FIRST[name])


def test_every_claim_is_told_apart_and_complete() -> None:
    every = claims()
    assert len({claim.id for claim in every}) == len(every)
    for claim in every:
        assert claim.id.startswith(claim.game + "/")
        assert claim.source.endswith(".txt")
        assert claim.statement.endswith(".")
        assert claim.stated


def test_claims_of_one_game() -> None:
    assert {claim.game for claim in claims("ten-thousand")} == {"ten-thousand"}
    assert claims("yahtzee") == []


def test_a_name_that_no_game_has_is_refused() -> None:
    with pytest.raises(UnknownGame, match="did you mean 'drop-dead'"):
        claims("drop-ded")


@pytest.mark.parametrize("stated", ["2 %", "4 %", "3.0864 %"])
def test_a_wrong_figure_is_refuted(stated: str) -> None:
    claim = named("ten-thousand/first-roll-nothing")
    wrong = dataclasses.replace(claim, stated=stated, precision=EXACTLY if "." in stated else claim.precision)
    verdict = check(wrong)
    assert (verdict.verdict, verdict.exact, verdict.decimal) == ("refuted", "5/162", "0.0308641975309")


@pytest.mark.parametrize("stated", ["14, 17, 20", "14, 17"])
def test_each_of_several_numbers_counts(stated: str) -> None:
    assert check(dataclasses.replace(named("drop-dead/example"), stated=stated)).verdict == "refuted"


@pytest.mark.parametrize(
    ("value", "stated", "holds"),
    [
        (Fraction(5, 2) / 100, "3 %", True),  # midway: both neighbours are fair roundings
        (Fraction(5, 2) / 100, "2 %", True),
        (Fraction(2499, 100_000), "3 %", False),
        (Fraction(3501, 100_000), "3%", False),
        (Fraction(1, 2), "50 %", True),
    ],
)
def test_a_percentage_is_compared_to_the_whole_percent(value: Fraction, stated: str, holds: bool) -> None:
    verdict = check(made_up(value, stated, precision=WHOLE_PERCENT))
    assert verdict.verdict == ("confirmed" if holds else "refuted")


def test_other_precisions() -> None:
    two_decimals = rounded_to(Fraction(1, 100), "to two decimals")
    assert check(made_up(Fraction(1, 3), "0.33", precision=two_decimals)).verdict == "confirmed"
    assert check(made_up(Fraction(1, 3), "0.34", precision=two_decimals)).verdict == "refuted"
    assert check(made_up(Fraction(1), "more likely", precision=more_than(1, "more"))).verdict == "refuted"
    assert check(made_up("1-2", "1-2", precision=IN_WORDS)).decimal is None
    assert check(made_up("1-2", "1-3", precision=IN_WORDS)).verdict == "refuted"


def test_numbers_of_a_stated_text() -> None:
    assert list(stated_numbers("12,345,678 points")) == [12345678]
    assert stated_numbers("16.7 % (1/6)") == (Fraction(167, 1000), Fraction(1, 6))
    assert list(stated_numbers("14,17")) == [14, 17]


def test_a_claim_that_cannot_be_compared_is_a_mistake() -> None:
    with pytest.raises(ModelError, match="a claim of 'never' cannot be compared with 1"):
        check(made_up(Fraction(1), "never"))


@pytest.mark.parametrize(("second", "verdict"), [(1, "confirmed"), (2, "depends")])
def test_a_claim_may_depend_on_the_reading(second: int, verdict: str) -> None:
    found = check(made_up({"one way": Fraction(1), "another": Fraction(second)}, "1"))
    assert (found.verdict, found.exact, found.reading) == (verdict, "1", f"one way: 1; another: {second}")


def test_a_claim_that_holds_under_no_reading_is_refuted() -> None:
    found = check(made_up({"one way": Fraction(1), "another": Fraction(2)}, "3", reading="as read"))
    assert (found.verdict, found.reading) == ("refuted", "as read (one way: 1; another: 2)")


def test_a_claim_about_a_game_that_is_not_there_is_pending(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(registry.REGISTRY, "ten-thousand")
    verdict = check(named("ten-thousand/first-roll-nothing"))
    assert (verdict.verdict, verdict.exact, verdict.decimal) == ("pending", None, None)
    assert len(claims("ten-thousand")) == 3


def test_a_verdict_is_plain_data() -> None:
    plain = dataclasses.asdict(check(named("shut-the-box/example")))
    assert list(plain) == ["id", "game", "source", "statement", "stated", "exact", "decimal", "verdict", "reading"]
    assert json.loads(json.dumps(plain)) == plain


def test_listing_claims_imports_no_game() -> None:
    code = """if True:
        import sys
        from games import claims, registry
        claims.claims()
        print(*(listed.module for listed in registry.REGISTRY.values() if listed.module in sys.modules))
        """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


# --- playing examples again ----------------------------------------------------------------------------------------


def test_a_move_that_the_rules_do_not_give_is_refused() -> None:
    with pytest.raises(ModelError, match="no move 'shut 3 4' here, but shut 3 5, shut 8"):
        replay(turn_game("shut-the-box"), {}, [((5, 3), "shut 3 4")])


def test_dice_where_none_are_thrown_are_refused() -> None:
    game = turn_game("ten-thousand")
    with pytest.raises(ModelError, match="throws no dice here"):
        replay(game, {"roll": (1, 2, 2, 3, 4, 6)}, [((1, 2), None)])


def test_the_turn_passes_to_the_next_board() -> None:
    played = replay(turn_game("pig"), {"mine": 5, "theirs": 7}, [((6,), "roll"), ((2,), "hold"), ((1,), None)])
    assert played.board == {"mine": 13, "theirs": 7}
    assert not played.over


def test_a_won_game_is_over() -> None:
    played = replay(turn_game("pig", target=10), {"mine": 5, "theirs": 7}, [((6,), "hold")])
    assert played.over


def test_chance_that_a_throw_ends_the_turn() -> None:
    assert chance_to_end(turn_game("shut-the-box"), {}) == Fraction(2, 36)
    assert chance_to_end(turn_game("pig"), {}) == Fraction(1, 6)
