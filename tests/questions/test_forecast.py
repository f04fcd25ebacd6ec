"""``forecast`` as programs meet it, and what is kept; what people read, and wrong words, are in ``forecast.txt``."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import rollwise
from rollwise.cache.store import Store
from rollwise.parsing.validate import parse_game
from rollwise.questions.forecast.data import round_numbers
from rollwise.solutions.forecasts import forecast_store
from rollwise.solutions.lookup import load_or_solve
from rollwise.solver.model.errors import BadInput

Capture = pytest.CaptureFixture[str]
Said = Callable[..., str]
LATE = "ones:3,twos:6,threes:9,fours:12,fives:15,sixes:18,three of a kind:20,four of a kind:0,full house:25,yahtzee:50"


@pytest.fixture(scope="module")
def solved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache of this module alone, for forecasts are cleared and damaged here, in which Yahtzee is solved."""
    folder = tmp_path_factory.mktemp("cache")
    entry = load_or_solve(parse_game("yahtzee"), quiet=True).key
    shutil.copytree(Store().root / entry, folder / entry)
    return folder


@pytest.fixture(autouse=True)
def cache_of_forecasts(solved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROLLWISE_CACHE", str(solved))


def test_high_scores_and_low_ones_add_up() -> None:
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


def test_the_mean_is_what_ask_says_and_what_is_on_the_sheet_is_counted() -> None:
    told = rollwise.forecast("yahtzee", filled=LATE).quantities
    value, mean = rollwise.ask("yahtzee", filled=LATE).value, told["mean_score"]
    assert value is not None
    assert mean.lower - 1e-9 <= value <= mean.upper + 1e-9
    assert told["lines"].value["fives"] == told["lines"].upper["fives"] == 15
    assert told["lines"].value["numbers bonus"] == 35
    assert told["line_chances"].value["numbers bonus"] == told["line_chances"].lower["numbers bonus"] == 1
    assert told["line_chances"].upper["four of a kind"] == 0


@pytest.mark.usefixtures("own_cache")
def test_a_forecast_that_took_a_while_is_kept(monkeypatch: pytest.MonkeyPatch, said: Said) -> None:
    monkeypatch.setattr("rollwise.solutions.forecasts.MIN_STORED_S", 0.0)
    first = rollwise.forecast("shut-the-box")
    again = rollwise.forecast("shut-the-box")
    assert (first.facts["cached"], again.facts["cached"]) == (False, True)
    assert again.plain()["quantities"] == first.plain()["quantities"]
    assert said("cache list", "1 solved game in").count("shut-the-box-") == 1  # a forecast is no solved game
    assert said("cache check").count("proved") == 1


def test_a_damaged_forecast_is_made_again(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.setattr("rollwise.solutions.forecasts.MIN_STORED_S", 0.0)
    forecast_store().clear()
    first = rollwise.forecast("yahtzee", filled=LATE)
    (file,) = forecast_store().root.glob("*/chances.npy")
    file.write_bytes(file.read_bytes()[:-8] + b"\x00\x00\x00\x00\x00\x00\x10\x40")
    again = rollwise.forecast("yahtzee", filled=LATE)
    assert not again.facts["cached"]
    assert "fails its checksum" in capsys.readouterr().err
    assert again.quantities["score_distribution"] == first.quantities["score_distribution"]


def test_what_cannot_be_foretold_is_refused() -> None:
    with pytest.raises(BadInput, match=r"at_least is a whole number, got 2\.5"):
        rollwise.forecast("yahtzee", at_least=[2.5])  # type: ignore[list-item]
    with pytest.raises(BadInput, match="a forecast begins before a throw; leave out what lies on the table"):
        rollwise.forecast("yahtzee", roll="1,1,2,3,4")


def test_round_numbers_are_not_many() -> None:
    assert list(round_numbers(151, 474)) == [175, 200, 225, 250, 275, 300, 325, 350, 375, 400, 425, 450]
    assert list(round_numbers(3, 3)) == [3]
