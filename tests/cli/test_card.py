"""Strategy cards: what they say, what they cost, how far the best play is from them, and how they look."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rollwise
from rollwise.card_pages import FORMATS, render
from rollwise.door import the_game
from rollwise.games.cards import known_cards, numbers_of
from rollwise.games.cards.rules import hold_by_bands, rule_of, stop_by_dice
from rollwise.ladders import decided_boards, steadiness
from rollwise.solver.game.dice import throws
from rollwise.stored import stored
from rollwise.strategy_card import Band, Finish, Keep, card_costs, first_keeps
from scripts import find_cards
from scripts.card_costs import pig_cost, piggy_six_cost
from scripts.card_turns import STEP, exact_cost

DOCS = Path(__file__).resolve().parents[2] / "docs" / "cards"
Run = Callable[..., tuple[int, str, str]]
PAGE = 66  # lines of a page


# --- what it costs ---------------------------------------------------------------------------------------------------


def assert_costs_what_it_says(game: str) -> None:
    numbers = numbers_of(game)
    assert numbers is not None
    for found, kept in zip(card_costs(game, numbers.numbers), (numbers.cost, numbers.cost_to_best), strict=True):
        assert found is not None
        assert kept is not None
        assert astuple(found) == pytest.approx(astuple(kept), abs=1e-8)
        assert found.lower <= kept.value <= found.upper


def test_the_card_of_pig_costs_what_it_says() -> None:
    assert_costs_what_it_says("pig")


@pytest.mark.slow
def test_the_card_of_piggy_six_costs_what_it_says() -> None:
    assert_costs_what_it_says("piggy-six")


def test_a_card_read_off_the_best_play_tells_its_cost() -> None:
    made = rollwise.card("pig", {"target": 50})
    rows = [row for row in made.rows if isinstance(row, Band)]
    table = [[row.hold_at or 0 for row in rows if row.mine[0] == first] for first in range(0, 50, 5)]
    cost = rollwise.compare("pig", hold_by_bands(table, 5), {"target": 50}).cost
    assert made.cost is not None
    assert made.cost.value == pytest.approx(cost[0], abs=1e-12)
    assert 0 < made.cost.value < 0.01
    assert made.cost_to_best is not None
    assert 0 < made.cost_to_best.upper <= made.cost.upper


def test_a_card_read_off_piggy_six_ends_the_round_with_its_own_totals() -> None:
    made = rollwise.card("piggy-six", {"target": 20})
    ends = [row.theirs for row in made.rows if isinstance(row, Finish)]
    assert ends == [(first, first + 1) for first in range(0, 20, 2)]
    assert made.cost is not None
    assert abs(made.cost.value) < 0.01


# --- what it says ----------------------------------------------------------------------------------------------------


def holds(policy: Callable[[Mapping[str, Any], Sequence[str]], str], **state: Any) -> bool:
    return policy(state, ["hold", "roll"]) == "hold"


def test_bands_hold_at_their_threshold_or_when_that_wins() -> None:
    policy = hold_by_bands([[12, 0], [9, 7]], 10)
    here = {"target": 20, "mine": 4, "theirs": 9}
    assert [holds(policy, turn=turn, **here) for turn in (11, 12, 15)] == [False, True, True]
    go = {"target": 20, "mine": 4, "theirs": 10}
    assert [holds(policy, turn=turn, **go) for turn in (15, 16)] == [False, True]
    assert [holds(policy, turn=turn, target=20, mine=14, theirs=3) for turn in (5, 6)] == [False, True]


def test_first_in_the_round_reaching_the_target_is_not_yet_the_end() -> None:
    policy = hold_by_bands([[0, 0], [0, 0]], 10, [20, 24])
    here = {"target": 20, "mine": 10, "theirs": 15}
    assert [holds(policy, turn=turn, seat=0, **here) for turn in (10, 13, 14)] == [False, False, True]
    assert holds(policy, turn=10, seat=1, **here)
    last = {"target": 20, "mine": 10, "theirs": 21, "seat": 1}
    assert [holds(policy, turn=turn, **last) for turn in (11, 12)] == [False, True]


def test_a_minimum_keeps_all_to_stop_and_less_to_roll() -> None:
    policy = stop_by_dice([[300, 300, 300, 400, 900, 900]], [0, 60, 120, 200, 300, 400])
    state = {"goal": 10000, "mine": 1000, "theirs": 1000, "turn": 0, "roll": (1, 2, 3, 4, 5, 6)}
    moves = ["keep 1 5 for 150", "keep 1 for 100", "keep 5 for 50"]
    assert policy(state, moves) == "keep 1 for 100"
    assert policy({**state, "turn": 300}, moves) == "keep 1 5 for 150"  # 450 with four dice left
    assert policy({**state, "turn": 450, "dice": 4}, ["stop", "roll"]) == "stop"
    assert policy({**state, "turn": 350, "dice": 4}, ["stop", "roll"]) == "roll"
    assert policy({**state, "mine": 9700, "turn": 300, "dice": 5}, ["stop", "roll"]) == "stop"


def test_a_second_row_is_for_when_they_need_little() -> None:
    policy = stop_by_dice([[300] * 6, [600] * 6], [0] * 6, near=2000)
    state = {"goal": 10000, "mine": 1000, "turn": 400, "dice": 2}
    assert [policy({**state, "theirs": theirs}, ["stop", "roll"]) for theirs in (7950, 8000)] == ["stop", "roll"]


@pytest.mark.parametrize("game", known_cards())
def test_every_stored_card_is_of_the_default_rules_as_they_are_now(game: str) -> None:
    made, numbers = rollwise.card(game), numbers_of(game)
    assert numbers is not None
    assert numbers.game == game
    assert numbers.rules_version == the_game(game).rules_version
    assert made.parameters == numbers.parameters
    assert made.cost is not None
    assert made.cost.lower <= made.cost.value <= made.cost.upper


@pytest.mark.parametrize("game", [name for name in known_cards() if name != "yahtzee"])  # that one is worked out below
def test_the_rules_of_a_card_are_those_for_which_it_was_found(game: str) -> None:
    """Where they are not: raise ``rules_version``, and search again (scripts/find_cards.py)."""
    numbers = numbers_of(game)
    assert numbers is not None
    assert numbers.small
    for small in numbers.small:
        found = rollwise.solve(game, small.parameters)
        assert found.value == pytest.approx(small.value, abs=1e-7)


@pytest.mark.parametrize(
    ("rule", "other"), [("SPECIALS", {"three pairs": 1000, "straight": 1450}), ("LEAST", 300), ("CONSOLATION", 50)]
)
def test_a_changed_rule_would_be_noticed(
    rule: str, other: Any, monkeypatch: pytest.MonkeyPatch, own_cache: object
) -> None:
    monkeypatch.setattr(f"rollwise.games.zilch.{rule}", other)
    with pytest.raises(AssertionError):
        test_the_rules_of_a_card_are_those_for_which_it_was_found("zilch")


def test_a_card_that_was_found_for_other_rules_is_not_shown(monkeypatch: pytest.MonkeyPatch, run: Run) -> None:
    for name in known_cards():
        cls = type(the_game(name))
        monkeypatch.setattr(cls, "rules_version", cls.rules_version + 1)
    code, out, err = run("card", "zilch")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "was found for other rules" in err
    assert rollwise.card("pig", {"target": 20}).found == "read off the best play"


def test_the_card_of_yahtzee_is_the_best_of_the_first_turn() -> None:
    rows = [row for row in rollwise.card("yahtzee").rows if isinstance(row, Keep)]
    assert len(rows) == 2 * 252
    assert {(row.rolls_left, row.roll) for row in rows} == {(left, roll) for left in (1, 2) for roll, _ in throws(5)}
    numbers = numbers_of("yahtzee")
    assert numbers is not None
    found = first_keeps(the_game("yahtzee"))
    assert {str(left): moves for left, moves in found.items()} == numbers.numbers["keeps"]


# --- how far the best play is from thresholds ------------------------------------------------------------------------


def by_asking(target: int) -> tuple[int, int]:
    """The same count by questions, board by board: decisions that the best play of Pig comes to, and violations."""
    decisions = violations = 0
    for mine in range(target):
        for theirs in range(target):
            best = {
                turn: rollwise.ask("pig", {"target": target}, mine=mine, theirs=theirs, turn=turn).best or []
                for turn in range(2, target)
            }
            reached, stopped = set(range(2, 7)), False
            for turn in range(2, target):
                if turn in reached:
                    decisions += 1
                    violations += stopped and "hold" not in best[turn]
                    if "roll" in best[turn]:
                        reached |= set(range(turn + 2, turn + 7))
                stopped |= "hold" in best[turn]
    return decisions, violations


@pytest.mark.parametrize("target", [5, 9])
def test_violations_are_counted_as_questions_tell_them(target: int) -> None:
    game = the_game("pig", {"target": target})
    found = steadiness(stored(game).opened, decided_boards(game))
    assert (found.decisions, found.violations) == by_asking(target)


@pytest.mark.parametrize(
    "name", ["pig", *(pytest.param(game, marks=pytest.mark.slow) for game in ("piggy-six", "ten-thousand", "zilch"))]
)
def test_violations_are_those_that_the_card_tells(name: str) -> None:
    game, numbers = the_game(name), numbers_of(name)
    assert numbers is not None
    assert numbers.best_play is not None
    every = numbers.best_play.every
    boards = decided_boards(game, every // STEP if every > 1 else 1)
    found = steadiness(stored(game).opened, boards)
    assert (found.decisions, found.violations) == astuple(numbers.best_play)[:2]
    assert found.violations > 0


# --- how it looks ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", ["pig", "zilch", "yahtzee"])
def test_the_pages_in_docs_are_what_the_command_prints(game: str, run: Run) -> None:
    code, out, _ = run("card", game, "--format", "markdown")
    assert code == 0
    assert out == (DOCS / f"{game}.md").read_text(encoding="utf-8"), f"rollwise card {game} -o docs/cards/{game}.md"


@pytest.mark.parametrize("game", known_cards())
def test_the_text_fits_one_page(game: str, run: Run) -> None:
    code, out, _ = run("card", game)
    assert code == 0
    assert len(out.splitlines()) <= PAGE
    assert max(map(len, out.splitlines())) <= 80


@pytest.mark.parametrize("game", known_cards())
def test_html_needs_nothing_from_elsewhere_and_is_for_paper_and_both_screens(game: str) -> None:
    page = render(rollwise.card(game), "html")
    assert not re.search(r"https?:|src=|href=|@import|url\(", page)
    for wanted in ("@page { size: A4", "@media print", "prefers-color-scheme: dark", '<html lang="en">', "</html>"):
        assert wanted in page
    assert page.count("<tr>") <= PAGE


def test_csv_has_all_throws_of_yahtzee(run: Run) -> None:
    _, out, _ = run("card", "yahtzee", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert len(rows) == 504
    assert rows[0] == {"roll": "1 1 1 1 1", "rolls_left": "2", "move": "score yahtzee"}


def test_json_has_rows_cost_and_violations(run: Run) -> None:
    code, out, _ = run("card", "pig", "--json")
    told = json.loads(out)
    assert code == 0
    words = told.pop("words")
    assert told == rollwise.card("pig").plain()
    assert words[0].startswith("Hold as soon as")
    assert any("to a player who knows it" in line and "to the best player" in line for line in words)
    assert told["rows"][0] == {"mine": [0, 9], "theirs": [0, 9], "hold_at": told["rows"][0]["hold_at"]}
    assert set(told["cost"]) == set(told["cost_to_best"]) == {"label", "value", "lower", "upper"}
    assert 0 < told["cost_to_best"]["upper"] < told["cost"]["lower"]
    assert "a player who knows the rule" in told["cost"]["label"]
    assert "the best player" in told["cost_to_best"]["label"]
    assert told["found"] == "best found"
    assert told["best_play"]["violations"] <= told["best_play"]["decisions"]


def test_a_card_is_written_as_its_file_is_named(run: Run, tmp_path: Path) -> None:
    for name, form in (("a.html", "html"), ("a.md", "markdown"), ("a.csv", "csv"), ("a.txt", "text")):
        code, out, _ = run("card", "yahtzee", "--output", str(tmp_path / name))
        assert (code, out) == (0, f"{tmp_path / name}: the card of Yahtzee\n")
        assert (tmp_path / name).read_text(encoding="utf-8") == render(rollwise.card("yahtzee"), form)


def test_a_dash_writes_to_standard_output(run: Run) -> None:
    code, out, _ = run("card", "yahtzee", "--output", "-", "--format", "html")
    assert code == 0
    assert out == render(rollwise.card("yahtzee"), "html")


def test_a_game_without_a_card_names_those_that_have_one(run: Run) -> None:
    code, _, err = run("card", "sevens")
    assert code == 2
    assert all(game in err for game in known_cards())


def test_other_rules_than_the_stored_ones_are_told_what_there_is(run: Run) -> None:
    code, _, err = run("card", "piggy-six", "-p", "max_dice=3")
    assert code == 2
    assert "max_dice=2" in err
    assert "hint: rollwise card piggy-six" in err


def test_another_format_is_told_what_there_is(run: Run) -> None:
    code, _, err = run("card", "pig", "--format", "pdf")
    assert code == 2
    assert all(form in err for form in FORMATS)


def test_a_folder_that_is_not_there_is_told_before_anything_is_worked_out(run: Run) -> None:
    code, _, err = run("card", "pig", "--output", "nowhere/pig.html")
    assert code == 2
    assert "no folder 'nowhere'" in err


# --- the search ------------------------------------------------------------------------------------------------------


def test_the_fast_costs_of_the_search_are_those_of_compare() -> None:
    table = np.full((20, 20), 20)
    table[4:8, 10:15] = 5
    wanted = rollwise.compare("pig", hold_by_bands(table.tolist(), 1), {"target": 20}).cost
    assert pig_cost(table, 20) == pytest.approx(wanted[0], abs=1e-9)
    table[:, :] = 7
    wanted = rollwise.compare("piggy-six", hold_by_bands(table.tolist(), 1, [20] * 20), {"target": 20}).cost
    assert piggy_six_cost(table, np.full(20, 20), 20)[0] == pytest.approx(wanted[0], abs=1e-7)


@pytest.mark.parametrize(
    ("game", "params"),
    [
        ("ten-thousand", {"goal": 600}),
        pytest.param("zilch", {"goal": 400, "opening": 350}, marks=pytest.mark.slow),
    ],
)
def test_the_turns_of_a_card_at_once_cost_what_compare_says(game: str, params: dict[str, Any]) -> None:
    numbers = {
        "near": 150,
        "table": [[250, 350, 500, 600, 600, 600], [400, 400, 500, 500, 300, 300]],
        "worth": [0, 50, 150, 300, 450, 600],
    }
    told = rollwise.compare(game, rule_of(game, numbers), params)
    for wanted, found in zip((told.cost, told.cost_to_best), exact_cost(game, numbers, params), strict=True):
        assert wanted is not None
        assert found.lower <= wanted[0] <= found.upper
        assert found.value == pytest.approx(wanted[0], abs=1e-6)


def test_a_search_that_was_stopped_goes_on_from_there(own_cache: object) -> None:
    asked: list[list[int]] = []

    def cost(numbers: list[int]) -> float:
        asked.append(numbers)
        if len(asked) == 12:
            raise KeyboardInterrupt
        return float((numbers[0] - 7) ** 2 + (numbers[1] - 3) ** 2)

    def others(numbers: list[int], at: int) -> list[list[int]]:
        return [list(range(numbers[at] + 1, 20)), list(range(numbers[at] - 1, -1, -1))]

    family = find_cards.Family(lambda: [[0, 0], [19, 19], [7, 0]], cost, others, lambda numbers: {})
    with pytest.raises(KeyboardInterrupt):
        find_cards.descend("toy", family)
    assert find_cards.descend("toy", family) == [7, 3]
    assert [7, 0] in asked


@pytest.mark.slow
@pytest.mark.parametrize("game", ["ten-thousand", "zilch"])
def test_the_cards_of_ten_thousand_and_zilch_cost_what_they_say(game: str) -> None:
    numbers = numbers_of(game)
    assert numbers is not None
    assert numbers.simpler is not None
    for card, played in ((numbers, numbers.numbers), (numbers.simpler, numbers.simpler.numbers)):
        for found, cost in zip(exact_cost(game, played), (card.cost, card.cost_to_best), strict=True):
            assert cost is not None
            assert astuple(found) == pytest.approx(astuple(cost), abs=1e-7)
