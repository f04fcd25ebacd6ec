"""``forecast`` as people and programs meet it: the page, the JSON, what is kept, and what a wrong word gets."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import rollwise
from rollwise.cache.store import Store
from rollwise.door import the_game
from rollwise.forecasting import kept_forecasts, round_numbers
from rollwise.solver.game.errors import BadInput
from rollwise.stored import stored

Capture = pytest.CaptureFixture[str]
Run = Callable[..., tuple[int, str, str]]
LATE = "ones:3,twos:6,threes:9,fours:12,fives:15,sixes:18,three of a kind:20,four of a kind:0,full house:25,yahtzee:50"


@pytest.fixture(scope="module")
def solved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache of this module alone, for forecasts are cleared and damaged here, in which Yahtzee is solved."""
    folder = tmp_path_factory.mktemp("cache")
    entry = stored(the_game("yahtzee"), quiet=True).key
    shutil.copytree(Store().root / entry, folder / entry)
    return folder


@pytest.fixture(autouse=True)
def cache_of_forecasts(solved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROLLWISE_CACHE", str(solved))


def test_the_page_tells_score_and_lines(run: Run) -> None:
    code, out, err = run("forecast", "yahtzee", f"filled={LATE}", "--at-least", "300")
    assert (code, err) == (0, "")
    first, asked, *page = out.splitlines()
    assert asked.startswith("filled=ones:3,twos:6")
    assert max(map(len, page)) <= 100
    assert first == "Yahtzee (joker=forced)"
    assert "points on average ±" in out
    assert "end with at most" in out
    assert "P(at least 300)" in out
    for line in ("small straight", "numbers bonus", "yahtzee bonus"):
        assert f"\n{line} " in out
    assert " times\n" in out


def test_the_page_of_a_game_without_a_sheet(run: Run) -> None:
    code, out, _ = run("forecast", "shut-the-box", "-p", "variant=partial", "--at-least", "100")
    assert code == 0
    assert "P(at least 100)  0.0000 %  exact" in out
    assert "\nline " not in out


def test_json_has_the_names_of_fields_md(run: Run) -> None:
    code, out, _ = run("forecast", "yahtzee", f"filled={LATE}", "--json", "--at-least", "333")
    assert code == 0
    told = json.loads(out)
    assert told["state"]["filled"]["full house"] == 25
    quantities = told["quantities"]
    assert list(quantities) == [
        "mean_score",
        "standard_deviation",
        "percentiles",
        "score_distribution",
        "at_least",
        "at_most",
        "lines",
        "line_chances",
        "line_numbers",
    ]
    for quantity in quantities.values():
        assert quantity.keys() == {"label", "value", "lower", "upper", "exact", "unit"}
        parts = [quantity[part] for part in ("lower", "value", "upper")]
        rows = zip(*(part.values() for part in parts), strict=True) if isinstance(parts[0], dict) else [parts]
        assert all(low <= value <= high for low, value, high in rows)
    assert "333" in quantities["at_least"]["value"]
    assert told["lost"] == 0


def test_scores_are_asked_for_in_lists_or_again_and_low_ones_by_at_most(run: Run) -> None:
    code, out, _ = run("forecast", "shut-the-box", "--at-most", "0,10", "--at-least", "20", "--at-least", "30, 1")
    assert code == 0
    asked = [line.partition(")")[0] for line in out.splitlines() if line.startswith("P(")]
    assert asked == ["P(at least 20", "P(at least 30", "P(at least 1", "P(at most 0", "P(at most 10"]
    told = rollwise.forecast("shut-the-box", at_most=[-1, 0, 44, 45], at_least=[1, "45"]).quantities
    assert rollwise.forecast("shut-the-box", at_least="1,45").asked == (1, 45)
    most, least = told["at_most"], told["at_least"]
    assert (most.upper["-1"], most.lower["45"]) == (0, 1)
    for one, other in ((most.value["0"], least.value["1"]), (most.value["44"], least.value["45"])):
        assert one + other == pytest.approx(1, abs=1e-15)
    assert 0 < most.lower["0"] < most.value["0"] < most.upper["0"] < 0.01
    assert most.upper["0"] - most.lower["0"] < 1e-12 * most.value["0"] * 10


def test_the_numbers_fit_each_other() -> None:
    told = rollwise.forecast("yahtzee", filled=LATE, at_least=[0, 250, 9999]).quantities
    scores = np.array([int(score) for score in told["score_distribution"].value])
    chances = np.array(list(told["score_distribution"].value.values()))
    mean = told["mean_score"].value
    assert chances.sum() == pytest.approx(1, abs=1e-12)
    assert (scores * chances).sum() == pytest.approx(mean, rel=1e-12)
    assert np.sqrt(((scores - mean) ** 2 * chances).sum()) == pytest.approx(told["standard_deviation"].value, rel=1e-12)
    assert sum(told["lines"].value.values()) == pytest.approx(mean, rel=1e-12)
    assert told["at_least"].value["0"] == told["at_least"].lower["0"] == 1
    assert told["at_least"].value["9999"] == told["at_least"].upper["9999"] == 0
    assert told["at_least"].value["250"] == pytest.approx(chances[scores >= 250].sum(), abs=1e-12)
    median = told["percentiles"].value["50"]
    assert chances[scores <= median].sum() >= 0.5 > chances[scores < median].sum()


def test_the_mean_is_what_ask_says() -> None:
    told = rollwise.forecast("yahtzee", filled=LATE).quantities["mean_score"]
    value = rollwise.ask("yahtzee", filled=LATE).value
    assert value is not None
    assert told.lower - 1e-9 <= value <= told.upper + 1e-9


def test_what_is_on_the_sheet_is_counted() -> None:
    told = rollwise.forecast("yahtzee", filled=LATE).quantities
    assert told["lines"].value["fives"] == told["lines"].upper["fives"] == 15
    assert told["lines"].value["numbers bonus"] == 35
    assert told["line_chances"].value["numbers bonus"] == told["line_chances"].lower["numbers bonus"] == 1
    assert told["line_chances"].upper["four of a kind"] == 0


@pytest.mark.usefixtures("own_cache")
def test_a_forecast_that_took_a_while_is_kept(monkeypatch: pytest.MonkeyPatch, run: Run) -> None:
    monkeypatch.setattr("rollwise.forecasting.QUICK", 0.0)
    first = rollwise.forecast("shut-the-box")
    again = rollwise.forecast("shut-the-box")
    assert (first.facts["cached"], again.facts["cached"]) == (False, True)
    assert {name: one.plain() for name, one in again.quantities.items()} == {
        name: one.plain() for name, one in first.quantities.items()
    }
    _, out, _ = run("cache", "list")
    assert "1 solved games" in out
    assert out.count("shut-the-box-") == 1  # a forecast is no solved game
    code, out, _ = run("cache", "check")
    assert (code, out.count("proved")) == (0, 1)


def test_a_damaged_forecast_is_made_again(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.setattr("rollwise.forecasting.QUICK", 0.0)
    kept_forecasts().clear()
    first = rollwise.forecast("yahtzee", filled=LATE)
    (file,) = kept_forecasts().root.glob("*/chances.npy")
    file.write_bytes(file.read_bytes()[:-8] + b"\x00\x00\x00\x00\x00\x00\x10\x40")
    again = rollwise.forecast("yahtzee", filled=LATE)
    assert not again.facts["cached"]
    assert "fails its checksum" in capsys.readouterr().err
    assert again.quantities["score_distribution"] == first.quantities["score_distribution"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("forecast yatzee", "error: there is no game 'yatzee'; did you mean 'yahtzee'?"),
        ("forecast pig", "final score (yahtzee, sixzee, shut-the-box); pig is a duel"),
        (
            "forecast yahtzee roll=1,1,2,3,4",
            "error: a forecast begins before a throw; leave out what lies on the table",
        ),
        ("forecast yahtzee filled=ones:7", "box 'ones' can hold 0 to 5, got 7"),
        ("forecast yahtzee fill=ones:3", "yahtzee has no field 'fill' (did you mean 'filled'?)"),
        ("forecast yahtzee at_least=3", "no field 'at_least'"),
        ("forecast yahtzee --at-least many", "error: at_least is a whole number, got 'many'"),
        ("forecast yahtzee -p boxes=ones", "has no parameter 'boxes'"),
    ],
)
def test_bad_input_gets_one_line(words: str, message: str, run: Run) -> None:
    code, out, err = run(*words.split())
    assert (code, out) == (2, "")
    assert message in err
    assert [line.partition(": ")[0] for line in err.splitlines()] in (["error"], ["error", "hint"])


def test_at_least_is_a_whole_number_in_python_too() -> None:
    with pytest.raises(BadInput, match=r"at_least is a whole number, got 2\.5"):
        rollwise.forecast("yahtzee", at_least=[2.5])  # type: ignore[list-item]


def test_round_numbers_are_not_many() -> None:
    assert list(round_numbers(151, 474)) == [175, 200, 225, 250, 275, 300, 325, 350, 375, 400, 425, 450]
    assert list(round_numbers(3, 3)) == [3]
