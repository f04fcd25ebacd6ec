"""Strategy cards: what they say, what they cost, how far the best play is from them, and how they look."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple
from pathlib import Path
from typing import Any

import pytest

import rollwise
from research.card_turns import STEP, exact_cost
from rollwise.games.card_policies import hold_by_bands, stop_by_dice
from rollwise.games.cards import CardNumbers, SimplerCard, list_cards, load_card
from rollwise.games.zilch import rules, scoring, turn as zilch_turn
from rollwise.parsing.validate import parse_game
from rollwise.questions.card.compute import card_costs, first_keeps
from rollwise.questions.card.data import Band, FinishBand, Keep
from rollwise.questions.card.text import FORMATS, render
from rollwise.questions.card.thresholds import boards_without_last_turn, count_violations
from rollwise.solutions.lookup import load_or_solve
from rollwise.solver.model.dice import throws
from tests.policy_tables.exports import there

DOCS = Path(__file__).resolve().parents[2] / "docs" / "cards"
Said = Callable[..., str]
PAGE = 66  # lines of a page
ALONE = 0  # of the sizes for which the card of Zilch was found
MARKS = {"zilch": pytest.mark.slow, "ten-thousand": pytest.mark.thorough, "piggy-six": pytest.mark.thorough}
every_card = pytest.mark.parametrize("game", list_cards())


def numbers(game: str) -> CardNumbers:
    """What is stored of a card."""
    return there(load_card(game))


@pytest.mark.slow
@pytest.mark.parametrize("game", ["pig", "piggy-six", "ten-thousand", "zilch"])
def test_a_card_costs_what_it_says(game: str) -> None:
    kept = numbers(game)
    cards: list[CardNumbers | SimplerCard] = [kept, *([kept.simpler] if kept.simpler else [])]
    is_pig = game in ("pig", "piggy-six")
    for card in cards:
        costs = card_costs(game, card.numbers) if is_pig else exact_cost(game, card.numbers)
        for cost, found in zip(map(there, (card.cost, card.cost_to_best)), map(there, costs), strict=True):
            assert astuple(found) == pytest.approx(astuple(cost), abs=1e-8 if is_pig else 1e-7)
            assert not is_pig or found.lower <= cost.value <= found.upper


def test_a_card_read_off_the_best_play_tells_its_cost() -> None:
    made = rollwise.card("pig", params={"target": 20})
    rows = [row for row in made.rows if isinstance(row, Band)]
    width = rows[0].mine[1] + 1
    table = [[row.hold_at or 0 for row in rows if row.mine[0] == first] for first in range(0, 20, width)]
    cost = rollwise.compare("pig", hold_by_bands(table, width), params={"target": 20}).cost[0]
    assert there(made.cost).value == pytest.approx(cost, abs=1e-12)
    assert 0 < cost < 0.01
    assert 0 < there(made.cost_to_best).upper <= there(made.cost).upper


def test_a_card_read_off_piggy_six_ends_the_round_with_its_own_totals() -> None:
    made = rollwise.card("piggy-six", params={"target": 10})
    assert [row.theirs for row in made.rows if isinstance(row, FinishBand)] == [(first, first) for first in range(10)]
    assert abs(there(made.cost).value) < 0.01


def holds(policy: Callable[[Mapping[str, Any], Sequence[str]], str], turns: Sequence[int], **state: Any) -> list[bool]:
    return [policy({"target": 20, "turn": turn, **state}, ["hold", "roll"]) == "hold" for turn in turns]


def test_first_in_the_round_reaching_the_target_is_not_yet_the_end() -> None:
    policy = hold_by_bands([[0, 0], [0, 0]], 10, [20, 24])
    assert holds(policy, (10, 13, 14), seat=0, mine=10, theirs=15) == [False, False, True]
    assert holds(policy, (10,), seat=1, mine=10, theirs=15) == [True]
    assert holds(policy, (11, 12), seat=1, mine=10, theirs=21) == [False, True]


def test_a_minimum_keeps_all_to_stop_and_less_to_roll() -> None:
    policy = stop_by_dice([[300, 300, 300, 400, 900, 900]], [0, 60, 120, 200, 300, 400])
    state = {"goal": 10000, "mine": 1000, "theirs": 1000, "turn": 0, "roll": (1, 2, 3, 4, 5, 6)}
    moves = ["keep 1 5 for 150", "keep 1 for 100", "keep 5 for 50"]
    assert policy(state, moves) == "keep 1 for 100"
    assert policy({**state, "turn": 300}, moves) == "keep 1 5 for 150"  # 450 with four dice left
    stops = ({"turn": 450, "dice": 4}, {"turn": 350, "dice": 4}, {"mine": 9700, "turn": 300, "dice": 5})
    assert [policy({**state, **more}, ["stop", "roll"]) for more in stops] == ["stop", "roll", "stop"]


def test_a_second_row_is_for_when_they_need_little() -> None:
    policy = stop_by_dice([[300] * 6, [600] * 6], [0] * 6, near=2000)
    state = {"goal": 10000, "mine": 1000, "turn": 400, "dice": 2}
    assert [policy({**state, "theirs": theirs}, ["stop", "roll"]) for theirs in (7950, 8000)] == ["stop", "roll"]


@every_card
def test_every_stored_card_is_of_the_default_rules_as_they_are_now(game: str) -> None:
    made, kept = rollwise.card(game), numbers(game)
    assert (kept.game, kept.rules_version) == (game, parse_game(game).rules_version)
    assert made.parameters == kept.parameters
    assert there(made.cost).lower <= there(made.cost).value <= there(made.cost).upper


def require_same_rules(game: str, place: int) -> None:
    """Where they are not: raise ``rules_version``, and search again (research/find_cards.py)."""
    small = numbers(game).small[place]
    assert rollwise.solve(game, params=small.parameters).value == pytest.approx(small.value, abs=1e-7)


@pytest.mark.parametrize(
    ("game", "place"),
    [
        pytest.param(game, place, marks=MARKS.get(game, ()))
        for game in list_cards()
        for place in range(len(numbers(game).small))  # none of Yahtzee, whose card is worked out below
    ],
)
def test_the_rules_of_a_card_are_those_for_which_it_was_found(game: str, place: int) -> None:
    require_same_rules(game, place)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:zilch is solved for this program alone")
@pytest.mark.parametrize(
    ("rule", "other"),
    [("SPECIALS", {"three pairs": 1000, "straight": 1450}), ("MIN_BANKED_POINTS", 300), ("CONSOLATION", 50)],
)
def test_a_changed_rule_would_be_noticed(
    rule: str, other: Any, monkeypatch: pytest.MonkeyPatch, own_cache: object
) -> None:
    for place in (scoring, zilch_turn, rules):
        if hasattr(place, rule):
            monkeypatch.setattr(place, rule, other)
    monkeypatch.setattr("rollwise.solver.turn.graph._GRAPHS", {})  # no turn that was compiled by the rules as they are
    with pytest.raises(AssertionError):
        require_same_rules("zilch", ALONE)


@pytest.mark.filterwarnings("ignore:pig is solved for this program alone")
def test_a_card_that_was_found_for_other_rules_is_not_shown(monkeypatch: pytest.MonkeyPatch, said: Said) -> None:
    for name in list_cards():
        cls = type(parse_game(name))
        monkeypatch.setattr(cls, "rules_version", cls.rules_version + 1)
    assert said("card zilch", "error: ", "was found for other rules", code=2).count("\n") == 1
    assert rollwise.card("pig", params={"target": 20}).found == "read off the best play"


@pytest.mark.slow
def test_the_card_of_yahtzee_is_the_best_of_the_first_turn() -> None:
    found = first_keeps(parse_game("yahtzee"))
    assert {str(left): moves for left, moves in found.items()} == numbers("yahtzee").numbers["keeps"]


def test_the_card_of_yahtzee_has_every_throw_twice(said: Said) -> None:
    rows = [row for row in rollwise.card("yahtzee").rows if isinstance(row, Keep)]
    assert {(row.rolls_left, row.roll) for row in rows} == {(left, roll) for left in (1, 2) for roll, _ in throws(5)}
    told = list(csv.DictReader(io.StringIO(said("card yahtzee --format csv"))))
    assert len(rows) == len(told) == 2 * 252
    assert told[0] == {"roll": "1 1 1 1 1", "rolls_left": "2", "move": "score yahtzee"}


def by_asking(target: int) -> tuple[int, int]:
    """Decisions that the best play of Pig comes to, and violations of a threshold, by questions, board by board."""
    decisions = violations = 0
    for mine in range(target):
        for theirs in range(target):
            best = {
                turn: rollwise.ask("pig", params={"target": target}, mine=mine, theirs=theirs, turn=turn).best
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


def test_violations_are_counted_as_questions_tell_them() -> None:
    game = parse_game("pig", {"target": 5})
    found = count_violations(load_or_solve(game).solution, boards_without_last_turn(game))
    assert (found.decisions, found.violations) == by_asking(5)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("pig", marks=pytest.mark.thorough),
        *(pytest.param(game, marks=pytest.mark.slow) for game in ("piggy-six", "ten-thousand", "zilch")),
    ],
)
def test_violations_are_those_that_the_card_tells(name: str) -> None:
    game, kept = parse_game(name), there(numbers(name).best_play)
    found = count_violations(
        load_or_solve(game).solution, boards_without_last_turn(game, kept.every // STEP if kept.every > 1 else 1)
    )
    assert (found.decisions, found.violations) == astuple(kept)[:2]
    assert found.violations > 0


@every_card
def test_a_card_fits_one_page_and_html_needs_nothing_from_elsewhere(game: str, said: Said) -> None:
    lines = said(f"card {game}").splitlines()
    assert len(lines) <= PAGE
    assert max(map(len, lines)) <= 80
    if game in ("pig", "yahtzee", "zilch"):
        markdown = said(f"card {game} --format markdown")
        assert markdown == (DOCS / f"{game}.md").read_text(encoding="utf-8"), f"rollwise card {game} -o docs/..."
    page = render(rollwise.card(game), "html")
    assert not re.search(r"https?:|src=|href=|@import|url\(", page)
    for wanted in ("@page { size: A4", "@media print", "prefers-color-scheme: dark", '<html lang="en">', "</html>"):
        assert wanted in page
    assert page.count("<tr>") <= PAGE


def test_a_card_is_written_as_its_file_is_named(said: Said, tmp_path: Path) -> None:
    card = rollwise.card("yahtzee")
    for suffix, form in zip(("txt", "md", "html", "csv"), FORMATS, strict=True):
        path = tmp_path / f"a.{suffix}"
        assert said(f"card yahtzee -o {path}") == f"{path}: the card of Yahtzee\n"
        mark = {"csv": "", "text": "\nA card by rollwise.\n"}.get(form, "\n<!-- A card by rollwise. -->\n")
        assert path.read_text(encoding="utf-8") == render(card, form) + mark
    assert said("card yahtzee -o - --format html") == render(card, "html")
