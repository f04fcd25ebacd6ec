"""Games played in the browser are those that Python plays, and whatever is sent to one is answered."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from typing import Any

import pytest
from starlette.testclient import TestClient

import rollwise
from rollwise import Match
from rollwise.web import sitting
from rollwise.web.limits import MAX_RECORD_BYTES
from tests.games.helping import thorough
from tests.web.playing import HTMX, LATE, begin, opened, play_out, refused
from tests.web.reading import Page

Begin = Callable[..., Page]


def replayed(record: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The same choices made in Python, with the same seed."""
    head = record[0]
    first: dict[str, Any] = next((line["state"] for line in record[1:] if "state" in line), {})
    match = Match(head["game"], params=head["parameters"], state=first, seed=head["seed"])
    choices = iter([line["choice"] for line in record if "choice" in line])
    while not match.over:
        if match.waiting:
            match.throw()
        else:
            match.play(next(choices))
    return match.record()


def throws(page: Page) -> list[list[int]]:
    """The dice that have fallen."""
    return [line["thrown"] for line in page.record[1:] if "thrown" in line]


GAMES: dict[str, dict[str, str]] = {
    "pig": {"p_target": "12"},
    "bluff": {"p_chips": "2"},
    "mexico": {"p_lives": "1"},
    "shut-the-box": {},
    "big-six": {},
}


@pytest.mark.parametrize("name", ["pig", "bluff", "big-six", *thorough("mexico", "shut-the-box")])
def test_a_game_played_by_forms_is_the_match_that_python_plays(client: TestClient, name: str) -> None:
    said = GAMES[name]
    rollwise.solve(name, params={key[2:]: value for key, value in said.items() if key.startswith("p_")})
    page = play_out(begin(client, name, seed="7", sit_0="person", **said), random.Random(name).choice)
    record = page.record
    assert record[-1]["result"]
    assert record == replayed(record)
    assert all(line["loss"] < 1e-9 for line in record if "choice" in line and line["seat"] != 0)


def test_who_looks_on_presses_nothing_but_on(pig: Begin, monkeypatch: pytest.MonkeyPatch) -> None:
    page = pig(sit_0="best", sit_1="best")
    assert (page.values("move"), page.record[1:]) == ([], [])
    assert {line["seat"] for line in page.press("do", "on").record[1:]} == {0}
    monkeypatch.setattr(sitting, "MAX_PROGRAM_STEPS", 6)
    some = page.press("do", "end")
    assert not some.over
    assert 1 < len(some.record) <= 7
    monkeypatch.undo()
    page = page.press("do", "end")
    assert page.over
    assert page.record == replayed(page.record) == play_out(some, min).record


def test_dice_are_tapped_or_typed_and_those_that_cannot_fall_told(client: TestClient, pig: Begin) -> None:
    begun = begin(client, "mexico", p_lives="1", throws="typed")
    assert begun.values("move") == []  # the only one is made for whoever throws real dice
    typed = [begun.press("do", "type", dice=dice) for dice in ("13", "1 3", "3,1")]
    tapped = begun.press("die", "3")
    assert throws(tapped) == [], "one die of two is no throw"
    cleared = tapped.press("do", "untap").press("die", "3")
    for page in (*typed, tapped.press("die", "1"), cleared.press("die", "1")):
        assert throws(page) == [[1, 3]]
    page = pig(throws="typed")
    for dice in ("7", "1 2 3", "six", "", "٣ ٤", "9" * 150):
        told = page.press("do", "type", dice=dice)
        assert refused(told)
        assert told.record == page.record
    assert told.press("die", "5").status == 200


def test_the_best_players_real_dice_are_typed_too_and_htmx_gets_the_table(pig: Begin, client: TestClient) -> None:
    page = pig(throws="typed", sit_0="best", sit_1="person")
    assert page.says("h2") == "Player 1: to throw"
    page = page.press("die", "4")
    assert (page.record[2]["seat"], throws(page)) == (0, [[4]])
    told = client.post("/play/pig", data=pig().carried | {"move": "roll"}, headers=HTMX)
    page = Page(told, client)
    assert (page.find("html"), len(page.find("#table")), "hx-swap-oob" in page.one("#said").attributes) == ([], 1, True)
    assert told.headers["HX-Push-Url"].startswith("/play/pig?step=")
    opened(client, told.headers["HX-Push-Url"])


def test_a_coach_says_what_moves_are_worth_and_what_one_cost_and_without_one_nothing_is_said(pig: Begin) -> None:
    page = pig().press("move", "roll")
    shown = re.sub(r"<textarea.*?</textarea>", "", page.html, flags=re.DOTALL)
    assert page.values("move") == Match.of(page.record).legal
    assert ("%" in shown, "is-best" in shown) == (False, False)
    page = pig(coach="on", throws="typed").press("die", "2")
    worst = Match.of(page.record).moves[-1]
    assert f"{100 * worst.value:.1f} %" in page.html
    page = page.press("move", worst.move)
    assert f"{worst.move} costs" in page.html
    assert "costs" not in page.press("coach_is", "off").html


def test_dice_are_kept_by_marking_them_and_a_bet_is_chosen_before_the_first_throw(client: TestClient) -> None:
    rollwise.solve("yahtzee")
    page = begin(client, "yahtzee", s_filled=LATE, s_roll="1,3,5,5,6", s_rolls_left="2", seed="1")
    assert page.forms[0].ticks == [f"keep.{place}" for place in range(5)]
    boxes = {each["value"]: each.words for each in page.one("table.scores").find("button")}  # the sheet is the moves
    assert list(boxes) == [move for move in page.values("move") if move.startswith("score")] != []
    assert (boxes["score yahtzee"], boxes["score chance"]) == ("yahtzee: 0", "chance: 20")
    page = page.press("do", "keep", keep_2="1", keep_3="1")
    assert page.record[1]["choice"] == "keep 5 5"
    assert page.press("do", "keep").record[3]["choice"] == "keep nothing"
    page = opened(client, "/play/dice-roulette")
    assert page.form_of("start").fields["s.bet"] == "2"
    page = page.press("start", s_bet="odd", seed="3").press("do", "throw")
    assert page.record[1]["state"] == {"bet": "odd"}
    assert re.search(r"a chip staked brought back [02], the stake included", page.html)
    assert opened(client, "/play/dice-roulette?bet=even").press("start").status == 200


def test_the_end_says_who_has_won_and_what_ones_moves_cost(pig: Begin) -> None:
    page = pig(throws="typed", s_mine="6", s_theirs="3").press("die", "6")
    assert page.find(".on-table")[0].words == "You threw"  # the dice of a game whose dice do not stay lie there too
    assert page.one("#table").links("a.plain")[0].startswith("/pig?mine=6&theirs=3&turn=6")
    page = page.press("move", "hold")
    won, lost = page.find("th.moves-now"), page.find("td.moves-now")
    assert ([cell.words for cell in won], [cell.words for cell in lost]) == (["You"], ["12"])
    assert "final score" in page.says("#table")
    assert {element["data-seat"] for element in page.all.inside} - {""} == {"1"}  # whose name the phone may know
    assert len(page.find(".cup")) == 2
    page = pig(throws="typed").press("die", "6").press("move", "hold").press("die", "6").press("die", "6")
    while not page.over:
        page = page.press("die", "6") if page.has("die") else page.press("move", "hold")
    (loss,) = [line["loss"] for line in page.record if "choice" in line and line["seat"] == 0 and line["loss"]]
    told = f"One move of yours cost something: hold, {100 * loss:.2f} pp."
    assert page.find(".result")[0].text.endswith(told)


def test_a_move_taken_back_and_made_again_brings_the_same_dice(client: TestClient, pig: Begin) -> None:
    for page, act in (
        (pig(seed="", s_turn="2"), ("move", "roll")),
        (begin(client, "big-six", seed="3"), ("do", "throw")),
    ):
        again = page.press(*act)
        back = again.press("do", "undo")
        assert back.record == page.record
        assert back.press(*act).record == again.record


def test_a_choice_of_ones_own_is_taken_back_and_nothing_that_was_forced(pig: Begin) -> None:
    page = pig()
    for move in ("fly", "", "hold " * 200, "<script>", None):
        told = page.send(do="undo") if move is None else page.send(move=move)
        assert refused(told)
        assert told.record == page.record
    assert not page.has("do", "undo")  # nothing was done yet
    page = pig(throws="typed").press("die", "4")
    assert [line["choice"] for line in page.record if "choice" in line] == ["roll"]
    assert not page.has("do", "undo")
    assert page.press("move", "roll").press("die", "5").press("do", "undo").record[1:3] == page.record[1:3]
    held = page.press("move", "hold")  # the best player's turn comes after it
    assert held.press("do", "undo").values("move") == ["hold", "roll"]


def test_any_page_can_be_gone_on_from_though_the_server_is_another(pig: Begin, client_of: Begin) -> None:
    page = pig(seed="4").press("move", "roll")
    rolled, held = page.press("move", "roll"), page.press("move", "hold")
    assert rolled.record != held.record
    assert page.press("move", "roll").record == rolled.record
    assert Page(page.came, client_of()).press("move", "hold").record == held.record  # type: ignore[arg-type]
    lines = "\n".join(json.dumps(line) for line in page.record)
    saved = {"resume": "1", "record": lines, "sit.0": "person"}
    assert page.send("/play/pig", saved).record == page.record
    cut = page.send("/play/pig", saved | {"record": lines[:-9]})
    assert "cut or damaged" in refused(cut)


def test_a_game_can_begin_at_any_question_and_by_the_rules_that_stand_on_its_page(client: TestClient) -> None:
    page = opened(client, "/play/pig?p.target=12&mine=8&theirs=3&turn=2").press("start")
    assert Match.of(page.record).state == {"mine": 8, "theirs": 3, "turn": 2}
    assert opened(client, "/play/pig").press("start", p_target="12").record[0]["parameters"] == {"target": 12}
    said = {"sit_0": "best", "throws": "typed", "seed": "77", "p_players": "3", "p_lives": "2"}
    form = opened(client, "/play/mexico?roll=5,5&rolls_left=1").press("rules", **said).form_of("start")
    seats = {"sit.0": "best", "sit.1": "best", "sit.2": "best"}
    rules = {"p.players": "3", "p.lives": "2", "p.opener": "fixed"}
    assert form.fields == {**rules, **seats, "s.roll": "5,5", "s.rolls_left": "1", "throws": "typed", "seed": "77"}
    assert "coach" in form.ticks


def offered(page: Page, name: str) -> dict[str, str]:
    """What can be chosen of a list, with its words."""
    (chosen,) = [select for select in page.find("select") if select["name"] == name]
    return {option["value"]: option.words for option in chosen.find("option")}


def test_rules_and_fields_are_called_as_people_call_them_before_a_game_begins(client: TestClient) -> None:
    sixzee = opened(client, "/play/sixzee?p.joker=false&filled=ones:3&roll=1,2,3,4,5,6&rolls_left=2")
    said = sixzee.says("p.quiet")
    assert "Joker: no" in said
    assert "The game begins at: Your sheet: ones 3 · Dice on the table: 1, 2, 3, 4, 5, 6 · Rolls left: 2" in said
    assert offered(sixzee, "p.joker") == {"true": "yes", "false": "no"}
    cops = opened(client, "/play/cops-and-robbers?p.start=2")
    assert "Who begins: Player 3" in cops.says("p.quiet")
    assert offered(cops, "p.start") == {str(seat): f"Player {seat + 1}" for seat in range(4)}
    assert cops.form_of("start").fields["p.start"] == "2"
    assert "bonus too" in cops.says("option")
    assert "Your bet" in opened(client, "/play/dice-roulette").says("label")


def test_dice_without_a_seed_cannot_be_computed_from_the_page(pig: Begin, monkeypatch: pytest.MonkeyPatch) -> None:
    page, thrown = pig(seed=""), set[int]()
    assert page.record[0]["seed"] is None
    for key in range(10):
        monkeypatch.setattr(sitting, "SECRET_KEY", bytes([key]) * 32)
        thrown |= {*page.press("move", "roll").record[2]["thrown"]}
    assert len(thrown) > 3, "the same page, another secret, other dice"
    assert [pig(seed=seed).status for seed in ("x", "-3", "1" * 19, "٣")] == [400] * 4
    assert ("work the dice out" in pig(seed="5").html, "Seed" in page.html) == (True, False)


NO_RECORDS = ["", "[", "[]", "{}", "[{}]", "[1]", "null", "x\ny", '[{"rollwise":1}]', "[" * 5000, "NaN"]


def test_what_is_no_record_or_too_long_is_answered_in_a_line(pig: Begin) -> None:
    page = pig().press("move", "roll")
    head, choice, *rest = page.record
    for record in NO_RECORDS:
        assert refused(page.send(sent={"record": record, "move": "roll"})), record
    other = json.dumps([head | {"rules_version": 99}, choice, *rest])
    assert "version 99" in page.send(record=other).html
    for wrong in ({"loss": 1e300}, {"best": ["roll"], "value": "x"}, {"choice": "roll" * 60}):
        told = page.send(record=json.dumps([head, choice | wrong, *rest]), do="see")
        assert "line 2: " in refused(told)
    told = page.send(record=page.carried["record"] + " " * MAX_RECORD_BYTES, move="roll")
    assert (told.status, "too long" in told.html or "longer than" in told.html) == (413, True)
    assert page.send(sent={"record": "x" * 2_000_000}).status == 413
