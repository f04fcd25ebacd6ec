"""A sheet for a target, wherever it is asked: what is said of it, and that no more is solved than it needs."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

import rollwise
from rollwise.match.play_lines import result_lines
from rollwise.parsing.validate import parse_game
from rollwise.policy_tables.files import read_description
from rollwise.questions.ask.text import verdict
from rollwise.solutions import lookup
from rollwise.solutions.identity import plain_parameters
from rollwise.solutions.turns import load_or_compile_turn
from rollwise.text.screen import screen

Run = Callable[..., tuple[int, str, str]]
REACH = {"objective": "reach"}
NUMBERS = {"ones": 3, "twos": 6, "threes": 9, "fours": 12, "fives": 15, "sixes": 18}  # with the bonus 98
LATE = {**NUMBERS, "three of a kind": 24, "full house": 25, "small straight": 30, "yahtzee": 0, "chance": 20}  # 197
SHEET = "filled=" + ",".join(f"{box}:{score}" for box, score in LATE.items())
ROLL = [2, 2, 2, 4, 5]
MID = {"filled": LATE, "roll": ROLL, "rolls_left": 1}


def test_at_a_target_other_dice_are_kept_than_for_the_mean() -> None:
    best = rollwise.ask("yahtzee", params=REACH, state={**MID, "target": 237})
    assert (best.best, rollwise.ask("yahtzee", state=MID).best) == (["keep 2 4 5"], ["keep 2 2 2"])
    assert best.label == "reach the target"


def test_what_is_not_said_of_a_target_is_as_usual_whatever_sheet_goes_on_alike() -> None:
    """A board stands for many sheets, and each has another total."""
    for filled in (LATE, {**NUMBERS, "three of a kind": 24, "yahtzee": 50, "chance": 21}):
        told = rollwise.ask("yahtzee", params=REACH, state={**MID, "filled": filled})
        assert (told.state["target"], told.state.get("mine")) == (250, None)
        assert rollwise.ask("yahtzee", params=REACH, state=told.state).value == told.value


def test_turns_are_told_by_whether_the_box_is_enough() -> None:
    reasons = rollwise.why("yahtzee", "keep 2 2 2", params=REACH, state={**MID, "target": 237})
    assert {part.called for part in reasons.parts} == {"large straight, enough", "four of a kind"}
    assert "reaches the target" in reasons.words
    last = {**LATE, "four of a kind": 0}
    reasons = rollwise.why("yahtzee", params=REACH, state={**MID, "filled": last, "target": 237})
    assert {part.called for part in reasons.parts} == {"large straight, enough", "large straight, too little"}


def test_what_follows_is_the_same_sheet_with_the_same_target() -> None:
    state = {**MID, "target": 237}
    told = rollwise.outcomes("yahtzee", "keep 2 4 5", params=REACH, state=state)
    assert {row.state["target"] for row in told.rows if row.state} == {237}
    assert all(row.state is None or row.state["filled"] == LATE for row in told.rows)
    scored = rollwise.outcomes("yahtzee", "score four of a kind", params=REACH, state=state).rows[0].state
    assert scored == {"filled": {**LATE, "four of a kind": 0}, "target": 237}


def test_the_odds_of_a_turn_are_those_of_the_plain_game() -> None:
    one, two = rollwise.odds("yahtzee", boxes="fives", params=REACH), rollwise.odds("yahtzee", boxes="fives")
    assert {**one.plain(), "parameters": 0} == {**two.plain(), "parameters": 0}


def test_the_mean_player_is_below_the_best_and_compare_says_by_how_much() -> None:
    numbers = rollwise.forecast("yahtzee", filled=LATE, at_least=[223, 300]).quantities
    best, mean = numbers["best_at_least"], numbers["at_least"]
    state = {"filled": LATE, "target": 223}
    assert rollwise.ask("yahtzee", params=REACH, state=state).value == pytest.approx(best.value["223"], rel=1e-14)
    assert best.value["223"] > mean.value["223"] + 0.01
    assert best.value["300"] == 0
    told = rollwise.compare("yahtzee", "for the mean", params=REACH, state=state)
    assert (told.best[0][0], told.rule[0][0]) == (best.value["223"], mean.value["223"])
    assert told.cost[1] <= told.best[0][0] - told.rule[0][0] <= told.cost[2]


def test_hundreds_that_only_mine_tells_of_count_for_both() -> None:
    hundred = {**LATE, "yahtzee": 50, "threes": 15, "small straight": 0}  # 223, and perhaps some hundreds
    one = rollwise.compare(
        "yahtzee", "for-the-mean", params=REACH, state={"filled": hundred, "target": 350, "mine": 323}
    )
    two = rollwise.compare(
        "yahtzee", "for-the-mean", params=REACH, state={"filled": hundred, "target": 250, "mine": 223}
    )
    assert (one.best, one.rule) == (two.best, two.rule)
    assert 0 < one.rule[0][0] <= one.best[0][0] < 1


@pytest.fixture(autouse=True)
def solved(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Which games were asked for; no test solves all of a game for a target, which takes minutes."""
    found: list[str] = []
    stored = lookup.load_or_solve

    def noted(game: Any, *how: Any, **more: Any) -> lookup.StoredSolution:
        found.append(f"{game.name} {game.part().solver_options().get('below')}")
        if found[-1] == "yahtzee nothing":
            how[0](load_or_compile_turn(game.part()))  # which may refuse it
            raise AssertionError(found)
        return stored(game, *how, **more)

    monkeypatch.setattr(lookup, "load_or_solve", noted)
    return found


def test_no_question_about_a_sheet_solves_more_than_the_sheet(run: Run, tmp_path: Path, solved: list[str]) -> None:
    about = ["yahtzee", "-p", "objective=reach", SHEET]
    asked = [*about, "target=237", "roll=22245", "rolls_left=1"]
    record = tmp_path / "game.jsonl"
    match = rollwise.Match("yahtzee", params=REACH, state={**MID, "target": 237}, seed=1)
    match.play("keep 2 4 5")
    match.save(record)
    for words in (
        ["ask", *asked, "--next", "keep 2 4 5"],
        ["ask", *asked, "--why"],
        ["compare", "yahtzee", "for-the-mean", *about[1:], "target=237"],
        ["compare", "yahtzee", str(Path(__file__).parent / "test_reaching.py:first_move"), *about[1:], "target=237"],
        ["export", *asked, "-o", str(tmp_path / "late.csv")],
        ["quiz", *about, "target=237", "-n", "1", "--seed", "1", "--look", "50", "--json"],
        ["review", str(record)],
        ["forecast", "yahtzee", SHEET, "--at-least", "237"],
    ):
        before = len(solved)
        code, _, error = run(*words)
        assert code == 0, error
        assert len(solved) > before


@pytest.mark.parametrize("joker", ["forced", pytest.param("free", marks=pytest.mark.thorough)])
def test_a_best_chance_that_takes_long_is_not_worked_out_unasked(joker: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rollwise.questions.forecast.compute.MAX_QUICK_SHEETS", 0)
    told = rollwise.forecast("yahtzee", params={"joker": joker}, filled={**LATE, "chance": 30}, at_least=237)
    assert "best_at_least" not in told.quantities
    assert told.ask.startswith("rollwise ask yahtzee 'filled=ones:3")
    rules = "-p joker=free -p objective=reach" if joker == "free" else "-p objective=reach"  # those of whoever asked
    assert told.ask.endswith(f"chance:30' target=237 {rules}")


def first_move(state: Any, moves: Sequence[str]) -> str:
    """The first move."""
    return moves[0]


def test_what_cannot_be_is_said_in_a_line_and_nothing_is_begun(run: Run) -> None:
    for words, said in {
        "card yahtzee -p objective=reach": "yahtzee has a card for objective=score only",
        "export yahtzee -p objective=reach -o late.csv": "begins with a sheet: give filled, and target unless",
        "forecast yahtzee -p objective=reach": "yahtzee for a target has none",
        "ask sixzee -p objective=reach": "400,000 fit; later sheets are small enough",
        "ask yahtzee -p objective=reach filled=ones:3 mine=4": "these boxes and their bonuses make 3",
    }.items():
        code, out, error = run(*words.split())
        assert (code > 0, out, said in error.splitlines()[0]) == (True, "", True), error


def test_the_game_for_the_mean_is_called_as_before(run: Run) -> None:
    assert plain_parameters(parse_game("yahtzee", {"objective": "score"})) == {"joker": "forced"}
    known = [row["name"] for row in json.loads(run("rules", "sixzee", "--json")[1])["parameters"]]
    assert known == ["joker", "sixzee_bonus", "bonus_when", "objective", "ties", "players"]


def test_where_scores_are_worth_something_nobody_is_beaten(tmp_path: Path) -> None:
    last = {**LATE, "four of a kind": 22}
    how: dict[str, Any] = {"params": {"objective": "beat"}}
    start = {"filled": last, "worth": {200: "1/4", 259: 1}}
    state = {**MID, **start}
    assert ": expected worth 33.33 % against 29.17 %" in verdict(rollwise.ask("yahtzee", **how, state=state))
    told = rollwise.why("yahtzee", "keep 2 2 2", **how, state=state)
    assert "is worth 6.25 percentage points more than keeping 2 2 2" in told.words
    outcomes = rollwise.outcomes("yahtzee", "keep 2 4 5", **how, state=state)
    compared = rollwise.compare("yahtzee", first_move, **how, state=start)
    assert [outcomes.label, compared.values] == ["expected worth"] * 2
    made = rollwise.export("yahtzee", tmp_path / "late.parquet", **how, state=state)
    assert (read_description(made.path) or {})["label"] == "expected worth"
    match = rollwise.Match("yahtzee", **how, state={**state, "rolls_left": 0}, seed=1)
    match.play("score large straight")
    assert result_lines(match, [0], screen())[0] == "The game is over: your score is worth 25.00 %."
