"""The form as people fill it in: a score sheet with its sums, things drawn as what they are, only what can be."""

from __future__ import annotations

from itertools import pairwise

import pytest
from starlette.testclient import TestClient

from rollwise.games.sheets import SheetGame
from rollwise.parsing.validate import parse_game
from rollwise.web.forms import field_controls, parameter_controls
from tests.web.playing import HTMX, opened
from tests.web.test_address import ask_url, named

UPPER = {"ones": 3, "twos": 6, "threes": 9, "fours": 12, "fives": 15}
KINDS = {"three of a kind": 10, "four of a kind": 10, "five of a kind": 20}


@pytest.mark.parametrize(
    ("name", "sheet"),
    [
        ("yahtzee", {**UPPER, "sixes": 18}),
        ("yahtzee", {**UPPER, "sixes": 12}),
        ("sixzee", {**UPPER, "fives": 20, "sixes": 36}),
        ("sixzee", KINDS),
        ("sixzee", {**KINDS, "five of a kind": 0}),
    ],
)
def test_the_total_of_a_sheet_is_what_the_game_makes_of_it(name: str, sheet: dict[str, int]) -> None:
    game = parse_game(name)
    assert isinstance(game, SheetGame)
    made = named(f"/{name}?filled={','.join(f'{box}:{score}' for box, score in sheet.items())}", "filled")
    assert made.parts[-1][1][-1].value == str(game.shown(sheet))


def test_sums_of_a_sheet_follow_what_is_typed_and_count_further_yahtzees(client: TestClient) -> None:
    for sixes, told in (("", ("18 to go", "")), (",sixes:0", ("out of reach", "0")), (",sixes:18", ("", "35"))):
        line = named(f"/yahtzee?filled=ones:3,twos:6,threes:9,fours:12,fives:15{sixes}", "filled").parts[0][1][1]
        assert (line.note, line.value) == told
    page = opened(client, "/yahtzee/check?filled.ones=3&filled.chance=20", **HTMX)
    assert page.says("#filled-total") == "23"
    sheet = "filled=yahtzee:50,sixes:18,chance:30"
    for url in (f"/yahtzee?{sheet}&yahtzee_bonus=100", f"/yahtzee?p.objective=reach&{sheet}&mine=198"):
        boxes, sums = named(url, "filled").parts[-1]
        assert (boxes[-1].name, [tile.value for tile in boxes[-1].choices][:3]) == ("yahtzee_bonus", ["", "0", "100"])
        assert sums[-1].value == "198"
    problem = named(f"/yahtzee?{sheet}&yahtzee_bonus=200", "filled").problem
    assert "cannot be" in getattr(problem, "message", "")
    assert opened(client, "/yahtzee").html.count('name="yahtzee_bonus"') == 1


def test_a_seat_is_offered_as_a_player_and_boxes_of_two_stand_in_one_table(client: TestClient) -> None:
    (start,) = [each for each in parameter_controls(ask_url("/cops-and-robbers?p.start=1")) if each.name == "p.start"]
    told = [(tile.value, tile.label, tile.is_on) for tile in start.choices]
    assert told == [(str(seat), f"Player {seat + 1}", seat == 1) for seat in range(4)]
    (joker,) = [each for each in parameter_controls(ask_url("/sixzee")) if each.name == "p.joker"]
    assert [tile.label for tile in joker.choices] == ["yes", "no"]
    page = opened(client, "/killer?mine=threes&closed=ones")
    row = next(row for row in page.one("table.shared").find("tr") if row.words.startswith("threes"))
    names = [box["name"] for box in row.find("input")]
    assert names == ["mine.threes", "theirs.threes", "closed.threes"]
    assert ["checked" in box.attributes for box in row.find("input")] == [True, False, False]


def test_only_what_can_be_is_offered_dice_first_and_the_best_are_lit(pages: TestClient) -> None:
    for url in ("/zilch", "/zilch?turn=400&dice=5", "/zilch?turn=400&dice=2"):
        trio, must = named(url, "trio"), named(url, "must_roll")
        for value in [tile.value for tile in trio.choices[1:]]:
            assert not ask_url(f"{url}{'&' if '?' in url else '?'}trio={value}").problems
        assert trio.is_offered == url.endswith("dice=2")
        assert not must.is_offered
    found = field_controls(ask_url("/zilch?turn=400&dice=2"))
    ranks = [(each.template != "dice", each.of != "turn") for each in found]
    assert all(one <= other for one, other in pairwise(ranks))
    page = opened(pages, "/zilch?p.goal=500&p.opening=350&p.players=1&roll=1,1,1,2,3,4")
    assert page.one("#lit")["data-lit"] == "1,1,1"
