"""What a person reads: every number says what it is, in plain words, and no line is wider than the terminal."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

import rollwise
from rollwise import Advice, MoveAdvice
from rollwise.advice_text import advice_lines, loss
from rollwise.forecasting import WITH_SCORES
from rollwise.games.registry import REGISTRY, game
from rollwise.labels import QUANTITIES, VALUES, value_label
from rollwise.solver.game.model import TurnGame
from rollwise.solver.kinds import kind_of
from rollwise.solver.turn.graph import compile_turn
from rollwise.text import percent

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(autouse=True)
def _eighty_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


# --- labels ----------------------------------------------------------------------------------------------------------

LABELS: list[tuple[str, dict[str, Any], dict[str, Any], str | None, str]] = [
    ("pig", {"target": 10}, {"turn": 4}, "max", "win"),
    ("shut-the-box", {}, {"roll": (5, 3)}, "min", "expected final score, low is good"),
    ("shut-the-box", {"objective": "clear"}, {"roll": (5, 3)}, "max", "every box shut"),
    ("shut-the-box", {"players": 2}, {"roll": (5, 3)}, "max", "win"),
    ("ten-thousand", {"players": 1, "goal": 500}, {}, "min", "expected turns to go, this one included, low is good"),
    ("ten-thousand", {"players": 1, "objective": "points"}, {}, "max", "expected points of this turn"),
]


@pytest.mark.parametrize(("name", "params", "asked", "sense", "label"), LABELS, ids=[row[4] for row in LABELS])
def test_a_value_and_every_move_say_what_they_are(
    name: str, params: dict[str, Any], asked: dict[str, Any], sense: str | None, label: str
) -> None:
    advice = rollwise.ask(name, params, state=asked)
    assert (advice.sense, advice.label) == (sense, label)
    told, solved = advice.plain(), rollwise.solve(name, params).plain_solution()
    assert (told["sense"], told["label"]) == (solved["sense"], solved["label"]) == (sense, label)
    assert [move["label"] for move in told["moves"]] == [label] * len(told["moves"])
    assert list(told)[list(told).index("label") + 1] == "value"


def test_where_nobody_chooses_sense_is_null_and_quantities_say_what_they_are(run: Run) -> None:
    for words in (("ask", "drop-dead"), ("solve", "drop-dead"), ("ask", "high-dice"), ("ask", "big-six")):
        told = json.loads(run(*words, "--json")[1])
        assert told["sense"] is None
        assert "label" not in told
        for name, quantity in told["quantities"].items():
            assert quantity["label"] == QUANTITIES[name]
    assert rollwise.ask("drop-dead").quantities["shared"].label == "tie for first, split among the wins"
    assert rollwise.ask("pay-the-rent").quantities["length"].label == "mean rolls until this pot is paid"


def test_every_objective_that_a_game_may_have_has_words() -> None:
    for listed in REGISTRY.values():
        made = game(listed.name)
        assert made.measure in VALUES
        for field in type(made).__dataclass_fields__.values():
            if field.name == "objective":
                assert set(field.metadata["choices"]) <= VALUES.keys()


def test_a_margin_is_the_final_one_where_the_difference_is_said() -> None:
    assert value_label("margin", "max", {}, {"difference": 0}) == "expected final margin, mine less theirs"
    assert value_label("margin", "max", {}, {}) == "expected margin still to come, mine less theirs"


# --- sentences -------------------------------------------------------------------------------------------------------


def said(run: Run, *words: str) -> str:
    code, out, err = run(*words)
    assert (code, err) == (0, "")
    assert max(map(len, out.splitlines())) <= 80
    return out


def in_one(text: str) -> str:
    """Lines as one."""
    return " ".join(text.split())


def test_a_forced_move_says_that_it_is_the_only_one(run: Run) -> None:
    out = said(run, "ask", "shut-the-box")
    assert "You can only roll; expected final score 24.63; low is good.\n" in out
    assert "loss" not in out
    assert "You can only roll; win 70." in said(run, "ask", "pig", "-p", "target=10")


def test_what_follows_a_keep_stands_in_the_sentence_and_in_the_table(run: Run) -> None:
    out = said(run, "ask", "ten-thousand", "-p", "goal=1000", "roll=1,5,2,3,4,6")
    assert ", then roll the other " in in_one(out)
    assert "move then win interval loss" in in_one(out)
    out = said(run, "ask", "zilch", "-p", "players=1", "-p", "goal=1000", "roll=1,2,3,4,5,6")
    assert "score straight roll all dice again" in in_one(out)


def test_the_best_keep_says_what_it_goes_for(run: Run, play: Callable[[TurnGame], str]) -> None:
    made = game("yahtzee", {"boxes": "full house,large straight"})
    assert isinstance(made, TurnGame)
    out = said(run, "ask", play(made), "roll=5,5,3,3,1", "rolls_left=1")
    assert "Keep 3 3 5 5, going for full house (33 %): expected final score " in in_one(out)


def test_equally_good_moves_are_named_as_far_as_proved() -> None:
    tie = [MoveAdvice(name, 0.5, 0.4, 0.6, 0.0, label="win") for name in ("hold", "roll", "pass")]
    advice = Advice("pig", {}, {}, 0, "win", "probability", "max", "win", 0.5, 0.4, 0.6, None, ["hold", "roll"], tie)
    assert advice_lines(advice, "Pig")[2] == "Hold or roll: equally good, as far as proved; win 50.00 %."


def test_low_is_good_is_said_once(run: Run) -> None:
    assert said(run, "ask", "shut-the-box", "roll=5,3").count("low is good") == 1


# --- numbers ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("places", range(7))
def test_what_can_happen_is_not_0_and_what_can_fail_is_not_100(places: int) -> None:
    for chance in (1e-15, 1e-12, 0.004, 0.5 * 10.0 ** -(places + 2) * 0.99):
        for shown in (percent(chance, places), percent(1 - chance, places)):
            number = float(shown.strip("<> %"))
            assert 0 < number < 100 or shown[0] in "<>", shown
            assert shown[0] != "<" or number > 0
            assert shown[0] != ">" or number < 100
    assert float(percent(0.0, places).strip(" %")) == 0
    assert float(percent(1.0, places).strip(" %")) == 100


def test_a_loss_is_not_shown_as_nothing() -> None:
    assert loss(1e-9, "points") == "<0.0001"
    assert loss(1e-9, "probability") == "<0.0001 pp"
    assert loss(0.0, "points") == "0.0000"


def test_long_fractions_are_shown_only_where_they_are_asked_for(run: Run) -> None:
    short, long = said(run, "ask", "big-six"), said(run, "ask", "big-six", "--exact")
    assert "442887063501818706733425" not in short
    assert "442887063501818706733425" in long
    assert "837242/52117" in said(run, "ask", "drop-dead", "--exact")


def test_exact_stands_beside_the_moves_or_below_them(run: Run) -> None:
    out = said(run, "ask", "shut-the-box", "roll=5,3", "--exact")
    assert "1083892259/51018336" in out
    out = said(run, "ask", "pig", "-p", "target=8", "turn=3", "--exact")
    assert "exactly" in out


# --- how much is listed ----------------------------------------------------------------------------------------------

MANY = ("ask", "ten-thousand", "-p", "goal=1000", "roll=1,1,5,5,2,3")


def listed(out: str) -> int:
    return sum("keep" in line for line in out.splitlines() if line.startswith(("*", "   ")))


def test_top_limits_the_moves_and_counts_the_rest(run: Run) -> None:
    n_all = listed(said(run, *MANY))
    out = said(run, *MANY, "--top", "3")
    assert listed(out) == 3
    assert f"   and {n_all - 3} more, down to " in out
    assert f"--top {n_all} lists them all" in out
    assert "more, down to" not in said(run, *MANY, "--top", str(n_all))
    assert listed(said(run, *MANY, "--top", "100")) == n_all
    assert len(json.loads(run(*MANY, "--top", "3", "--json")[1])["moves"]) == n_all
    assert run(*MANY, "--top", "0")[0] == 2


def test_as_many_moves_are_listed_as_fit() -> None:
    advice = rollwise.ask("ten-thousand", {"goal": 1000}, roll=(1, 1, 5, 5, 2, 3))
    full = advice_lines(advice, "Ten Thousand")
    assert advice_lines(advice, "Ten Thousand", height=len(full) + 1) == full
    for height in range(16, len(full) + 1):
        lines = advice_lines(advice, "Ten Thousand", height=height)
        assert len(lines) < height or listed("\n".join(lines)) == 5
        assert any("lists them all" in line for line in lines)


# --- what cannot be --------------------------------------------------------------------------------------------------


def test_a_forecast_tells_the_chance_of_0_points(run: Run, play: Callable[[TurnGame], str]) -> None:
    lines = said(run, "forecast", "shut-the-box").splitlines()
    head = next(i for i, line in enumerate(lines) if line.startswith("score "))
    assert lines[head].split()[:4] == ["score", "chance", "or", "less"]
    assert lines[head + 1].split()[:5] == ["0", "0.45", "%", "0.45", "%"]
    made = game("yahtzee", {"boxes": "full house,chance"})
    assert isinstance(made, TurnGame)
    out = said(run, "forecast", play(made))
    assert "line points on average 0 points more than 0" in in_one(out)


def test_the_games_that_can_be_forecast_are_named() -> None:
    found = []
    for name in REGISTRY:
        made = game(name)
        assert isinstance(made, TurnGame)
        if made.kind == "solo" and not kind_of(made).why_no_forecast(made, compile_turn(made)):
            found.append(name)
    assert sorted(found) == sorted(WITH_SCORES)


def test_too_large_for_fractions_says_what_else_can_be_asked(run: Run) -> None:
    told = "fractions are too large from here; leave out --exact (the interval is certified)"
    assert run("ask", "yahtzee", "--exact") == (1, "", f"error: {told} or fill more boxes\n")


def test_sources_are_called_by_title_and_author(run: Run) -> None:
    assert "Source: Six By 6, by Michael Williams" in said(run, "rules", "six-by-6")
    for words in (("list",), ("rules", "mexico"), ("rules", "yahtzee")):
        assert ".txt" not in run(*words)[1]


def test_a_game_that_always_starts_alike_says_nothing_of_its_start(run: Run) -> None:
    code, said, _ = run("solve", "dice-roulette")
    assert code == 0
    assert "at the start" not in said
    code, said, _ = run("solve", "drop-dead")
    assert code == 0
    assert "at the start: " in said


def test_where_nobody_chooses_nothing_is_called_best(run: Run) -> None:
    out = in_one(said(run, "ask", "dice-roulette"))
    assert "Cheapest for the player: odd or even; a chip on it wins 50.00 % of the time and brings back 1.00 on " in out
    paid = in_one(said(run, "ask", "dice-roulette", "-p", "pays=2:37"))
    assert "Cheapest for the player: 2; a chip on it wins 2.78 % of the time and brings back 1.03 on average" in paid
    alone = in_one(said(run, "ask", "high-dice"))
    assert "The bet: higher; a chip on it wins 44.44 % of the time and brings back 0.89 on average" in alone
    assert "best" not in out + paid + alone
