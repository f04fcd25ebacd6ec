"""Games that people ask for and that are not here: the nearest is named at every door, with what differs."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, product

import pytest
from starlette.testclient import TestClient

import rollwise
from rollwise.games.registry import NOT_HERE, REGISTRY, game, game_class, spelt
from rollwise.solver.model.game import TurnGame
from tests.web.playing import opened

Said = Callable[..., str]
KIN = {
    **dict.fromkeys(("farkle", "farkel", "Hot Dice", "zonk", "greed", "macke"), "ten-thousand zilch"),
    **dict.fromkeys(("yacht", "balut", "generala", "maxi yatzy", "poker dice", "kniffel"), "yahtzee"),
    **dict.fromkeys(("mia", "meyer"), "bluff mexico"),
    **{"dudo": "bluff", "pass the pigs": "pig", "bunco": "drop-dead", "double shutter": "shut-the-box"},
    **{"5000": "ten-thousand", "5,000": "ten-thousand"},
}


def hint_of(typed: str) -> str:
    """What is said of a game that is not here."""
    with pytest.raises(rollwise.UnknownGame) as raised:
        rollwise.ask(typed)
    assert str(raised.value) == f"there is no game '{typed}'"
    return raised.value.hint


def test_a_game_that_is_not_here_is_told_with_the_nearest_and_what_is_no_name_with_none() -> None:
    for typed, nearest in KIN.items():
        assert [name for name in REGISTRY if f"{name} (but: " in hint_of(typed)] == nearest.split()
    assert {typed: hint_of(typed) for typed in NOT_HERE} == NOT_HERE
    for typed in ("21", "4213", "big", "dice", "fight", "yacht club"):
        assert hint_of(typed) == "rollwise list"
    others = [*NOT_HERE, *(other for name in REGISTRY for other, _ in game_class(name).like)]
    assert [other for other in others if spelt(other)] == []  # what is here is like nothing


@pytest.mark.parametrize("typed", ["farkle", "Hot Dice", "5000", "can't stop"])
def test_the_same_is_said_at_every_door(typed: str, said: Said, pages: TestClient) -> None:
    hint, cards = hint_of(typed), sorted(f"/{name}" for name in KIN.get(typed, "").split())
    words = typed.replace("'", "\\'")
    for command in ("ask", "rules", "compare"):  # of which one takes no further word, and one does
        said(f"{command} {words}", f"error: there is no game '{typed}'\nhint: {hint}\n", code=2)
    assert pages.post("/api/ask", json={"game": typed}).json()["hint"] == hint
    assert sorted(opened(pages, f"/?find={typed}").links("a.card")) == cards
    assert hint in opened(pages, f"/{typed}", 404).says("main")
    assert hint in opened(pages, f"/play/{typed}", 404).says("main")
    assert hint in opened(pages, f"/{typed}/rules", 404).says("main")


def test_boxes_are_read_as_sheets_print_them() -> None:
    printed = {"3 of a kind": "three of a kind", "Aces": "ones", "4s": "fours", "Lg. Straight": "large straight"}
    sheet = game("yahtzee")
    assert isinstance(sheet, TurnGame)
    assert [sheet.fields()[0].parse(f"{typed}:0") for typed in printed] == [{box: 0} for box in printed.values()]
    assert {row.box for row in rollwise.odds("sixzee", boxes=["4s"], rolls=1).odds} == {"fours"}


def test_the_usual_rule_of_shut_the_box_leaves_what_answers_say() -> None:
    left = {frozenset[int](): 0.0}
    for open_ in (frozenset(some) for count in range(1, 10) for some in combinations(range(1, 10), count)):
        fits = {
            total: [left[open_ - shut] for shut in (*left, open_) if shut <= open_ and sum(shut) == total]
            for total in range(1, 13)
        }
        worth = {total: min(fits[total], default=float(sum(open_))) for total in fits}
        two = sum(worth[one + other] for one, other in product(range(1, 7), repeat=2)) / 36
        left[open_] = two if open_ & {7, 8, 9} else min(two, sum(worth[face] for face in range(1, 7)) / 6)
    usual, advice = left[frozenset(range(1, 10))], rollwise.ask("shut-the-box")
    assert f"{usual:.2f} points on average, this one {advice.value:.2f}" in advice.note
    assert advice.note in rollwise.rules("shut-the-box")["rules"]
    assert rollwise.ask("shut-the-box", params={"objective": "clear"}).note == ""
