"""Games played in the browser are those that Python plays, and a page knows no more than its seat may see."""

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
from rollwise.solver.game.model import TurnGame
from rollwise.web import sitting
from rollwise.web.kept import HOUR, Matches
from rollwise.web.records import MOST_BYTES
from tests.sizes import SIZES
from tests.web.pressing import Page, begin, play_out, send

Play = Callable[[TurnGame], str]
PIG = {"p_target": "12"}
BLUFF = {"p_chips": "2"}


@pytest.fixture
def solved() -> Callable[..., None]:
    """Solves a game where it is not solved."""

    def solved(game: str, **params: Any) -> None:
        rollwise.solve(game, params)

    return solved


@pytest.fixture
def pig(client: TestClient) -> Callable[..., Page]:
    """Begins a short game of Pig."""
    rollwise.solve("pig", {"target": 12})
    return lambda **said: begin(client, "pig", **{**PIG, "seed": "5", **said})


@pytest.fixture
def bluff(client: TestClient) -> Callable[..., Page]:
    """Begins a short game of Bluff."""
    rollwise.solve("bluff", {"chips": 2})
    return lambda **said: begin(client, "bluff", **{**BLUFF, **said})


def replayed(record: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The same choices made in Python, with the same seed."""
    head = record[0]
    first = next((line["state"] for line in record[1:] if "state" in line), {})
    match = Match(head["game"], head["parameters"], state=first, seed=head["seed"])
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


LATE = (
    "ones:3,twos:6,threes:9,fours:12,fives:15,sixes:18,"
    "three of a kind:20,four of a kind:0,full house:25,small straight:30"
)
GAMES: dict[str, dict[str, str]] = {
    "pig": PIG,
    "yahtzee": {"s_filled": LATE},
    "bluff": BLUFF,
    "mexico": {"p_lives": "1"},
    "shut-the-box": {"p_players": "2"},
    "slam": {},
}


@pytest.mark.parametrize("name", GAMES)
def test_a_game_played_by_forms_is_the_match_that_python_plays(client: TestClient, name: str) -> None:
    said = GAMES[name]
    rollwise.solve(name, {key[2:]: value for key, value in said.items() if key.startswith("p_")})
    rng = random.Random(name)
    page = play_out(begin(client, name, seed="7", sit_0="person", **said), rng.choice)
    record = page.record
    assert record[-1]["result"]
    assert record == replayed(record)
    others = [line for line in record if "choice" in line and line["seat"] != 0]
    assert all(line["loss"] < 1e-9 for line in others)


def test_a_game_of_luck_is_played_by_throws_alone(client: TestClient, play: Play) -> None:
    size = next(size for size in SIZES if size.name == "cops-and-robbers")
    name = play(size.game)
    rollwise.solve(name)
    page = play_out(begin(client, name, seed="3", sit_0="person"), lambda moves: moves[0])
    match = Match(name, seed=3)
    while not match.over:
        match.throw()
    assert page.record == match.record()


def test_who_looks_on_presses_nothing_but_on(pig: Callable[..., Page]) -> None:
    page = pig(sit_0="best", sit_1="best")
    assert page.values("move") == []
    assert page.record[1:] == []
    page = page.press("do", "on")
    assert {line["seat"] for line in page.record[1:]} == {0}
    page = page.press("do", "end")
    assert page.over
    assert page.record == replayed(page.record)


# --- dice that are typed ---------------------------------------------------------------------------------------------


def test_dice_are_tapped_one_after_the_other(client: TestClient, solved: Callable[..., None]) -> None:
    solved("mexico", lives=1)
    page = begin(client, "mexico", p_lives="1", throws="typed")
    assert page.values("move") == []
    page = page.press("die", "3")
    assert throws(page) == [], "one die of two is no throw"
    page = page.press("die", "1")
    assert throws(page) == [[1, 3]]


def test_tapped_dice_can_be_cleared(client: TestClient, solved: Callable[..., None]) -> None:
    solved("mexico", lives=1)
    page = begin(client, "mexico", p_lives="1", throws="typed").press("die", "3").press("do", "untap")
    page = page.press("die", "6").press("die", "6")
    assert throws(page) == [[6, 6]]


@pytest.mark.parametrize("typed", ["13", "1 3", "3,1"])
def test_dice_are_typed_at_once(client: TestClient, solved: Callable[..., None], typed: str) -> None:
    solved("mexico", lives=1)
    page = begin(client, "mexico", p_lives="1", throws="typed").press("do", "type", dice=typed)
    assert throws(page) == [[1, 3]]


@pytest.mark.parametrize("typed", ["7", "1 2 3", "six", "", "٣ ٤", "9" * 150])
def test_dice_that_cannot_fall_are_told_in_a_line(pig: Callable[..., Page], typed: str) -> None:
    page = pig(throws="typed")
    before = page.record
    page = page.press("do", "type", dice=typed)
    assert page.status == 400
    assert 'role="alert"' in page.html
    assert page.record == before
    assert page.press("die", "5").status == 200


def test_the_best_players_real_dice_are_typed_too(pig: Callable[..., Page]) -> None:
    page = pig(throws="typed", sit_0="best", sit_1="person")
    assert "Seat 0: to throw" in page.html
    page = page.press("die", "4")
    assert page.record[2]["seat"] == 0
    assert throws(page) == [[4]]


# --- moves -----------------------------------------------------------------------------------------------------------


def test_without_a_coach_nothing_is_said_of_what_moves_are_worth(pig: Callable[..., Page]) -> None:
    page = pig().press("move", "roll")
    shown = re.sub(r"<textarea.*?</textarea>", "", page.html, flags=re.DOTALL)
    assert page.values("move") == Match.of(page.record).legal
    assert "%" not in shown
    assert "is-best" not in shown


def test_a_coach_says_what_moves_are_worth_and_what_one_cost(pig: Callable[..., Page]) -> None:
    page = pig(coach="on", throws="typed").press("die", "2")
    match = Match.of(page.record)
    worst = match.moves[-1]
    assert f"{100 * worst.value:.2f} %" in page.html
    page = page.press("move", worst.move)
    assert f"{worst.move} costs" in page.html
    page = page.press("coach_is", "off")
    assert "costs" not in page.html


@pytest.mark.parametrize("move", ["fly", "", "hold " * 200, "<script>"])
def test_a_move_that_cannot_be_made_is_told_in_a_line(client: TestClient, pig: Callable[..., Page], move: str) -> None:
    page = pig()
    told = send(client, "/play/pig", page.carried | {"move": move})
    assert told.status == 400
    assert 'role="alert"' in told.html
    assert "<script>" not in told.html.partition("<main")[2]
    assert told.record == page.record


def test_dice_are_kept_by_marking_them_on_the_table(client: TestClient, solved: Callable[..., None]) -> None:
    solved("yahtzee")
    page = begin(client, "yahtzee", s_filled=LATE, s_roll="1,3,5,5,6", s_rolls_left="2", seed="1")
    assert page.forms[0].ticks == [f"keep.{place}" for place in range(5)]
    page = page.press("do", "keep", keep_2="1", keep_3="1")
    assert page.record[1]["choice"] == "keep 5 5"
    page = page.press("do", "keep")
    assert page.record[3]["choice"] == "keep nothing"


# --- back ------------------------------------------------------------------------------------------------------------


def test_a_move_taken_back_and_made_again_brings_the_same_dice(pig: Callable[..., Page]) -> None:
    page = pig(seed="").press("move", "roll")
    again = page.press("move", "roll")
    back = again.press("do", "undo")
    while back.values("move") != page.values("move") or back.record[1:] != page.record[1:]:
        back = back.press("do", "undo")
    assert back.press("move", "roll").record == again.record


def test_nothing_is_taken_back_where_nothing_was_done(client: TestClient, pig: Callable[..., Page]) -> None:
    page = pig()
    assert not page.has("do", "undo")
    told = send(client, "/play/pig", page.carried | {"do": "undo"})
    assert told.status == 400
    assert told.record == page.record


def test_a_game_of_luck_goes_back_to_a_throw_of_ones_own(client: TestClient, solved: Callable[..., None]) -> None:
    solved("slam")
    page = begin(client, "slam", seed="3")
    later = page.press("do", "throw")
    assert later.press("do", "undo").record == page.record


def test_any_page_can_be_gone_on_from(pig: Callable[..., Page]) -> None:
    page = pig(seed="4").press("move", "roll")
    rolled, held = page.press("move", "roll"), page.press("move", "hold")
    assert rolled.record != held.record
    assert page.press("move", "roll").record == rolled.record


def test_a_game_outlives_the_server(pig: Callable[..., Page], client_of: Callable[..., TestClient]) -> None:
    page = pig(seed="4").press("move", "roll")
    told = send(client_of(), "/play/pig", page.carried | {"move": "hold"})
    assert told.record == page.press("move", "hold").record


def test_a_saved_game_goes_on(client: TestClient, pig: Callable[..., Page]) -> None:
    page = pig().press("move", "roll")
    lines = "\n".join(json.dumps(line) for line in page.record)
    told = send(client, "/play/pig", {"resume": "1", "record": lines, "sit.0": "person"})
    assert told.record == page.record


# --- dice that nobody can know ---------------------------------------------------------------------------------------


def test_dice_without_a_seed_cannot_be_computed_from_the_page(
    pig: Callable[..., Page], monkeypatch: pytest.MonkeyPatch
) -> None:
    page = pig(seed="")
    assert page.record[0]["seed"] is None
    thrown = set()
    for key in range(40):
        monkeypatch.setattr(sitting, "KEY", bytes([key]) * 32)
        thrown.add(tuple(page.press("move", "roll").record[2]["thrown"]))
    assert len(thrown) == 6, "the same page, another secret, other dice"


def test_a_seed_that_is_known_is_said_to_be(pig: Callable[..., Page]) -> None:
    assert "work the dice out" in pig(seed="5").html
    assert "Seed" not in pig(seed="").html


@pytest.mark.parametrize("seed", ["x", "-3", "1" * 19, "٣"])
def test_a_seed_is_a_number(pig: Callable[..., Page], seed: str) -> None:
    assert pig(seed=seed).status == 400


# --- hidden dice -----------------------------------------------------------------------------------------------------


def masked(page: Page) -> str:
    """The page but for the name of its game."""
    return re.sub(r'name="match" value="[^"]*"', "", page.html)


def two_hands(bluff: Callable[..., Page]) -> tuple[Page, Page]:
    """The same game twice, with other dice under the first caller's cup and the same call."""
    pages = []
    for dice in ("1 1 2", "5 6 6"):
        page = bluff(throws="typed", sit_0="person", sit_1="person").press("do", "see")
        pages.append(page.press("do", "type", dice=dice).press("move", "call 9"))
    return pages[0], pages[1]


def test_a_page_is_the_same_whatever_lies_under_the_others_cup(bluff: Callable[..., Page]) -> None:
    low, high = two_hands(bluff)
    for step in ((), ("do", "see"), ("move", "accept")):
        if step:
            low, high = low.press(*step), high.press(*step)
        assert masked(low) == masked(high)
        assert "record" not in low.carried
        assert "total" not in low.html


def test_the_cup_is_lifted_by_a_challenge(bluff: Callable[..., Page]) -> None:
    low, high = (page.press("do", "see").press("move", "challenge") for page in two_hands(bluff))
    assert "the cup is lifted: total 4" in low.html
    assert "the cup is lifted: total 17" in high.html


def test_between_two_people_stands_a_cover(bluff: Callable[..., Page]) -> None:
    page = bluff(sit_0="person", sit_1="person", seed="2")
    assert page.values("move") == []
    page = page.press("do", "see")
    page = page.press("move", "roll")
    total = re.search(r"total</dt><dd>(\d+)", page.html)
    assert total
    page = page.press("move", "call 18")
    assert page.values("move") == []
    assert "Seat 1" in page.html
    assert page.values("do") == ["see"]


def test_whoever_says_to_sit_elsewhere_sees_no_more(client: TestClient, bluff: Callable[..., Page]) -> None:
    low, high = two_hands(bluff)
    for seat in ("0", "1", "7", "x", "-1", ""):
        for act in ({}, {"do": "undo"} if seat == "?" else {}, {"coach_is": "on"}):
            seen = [send(client, "/play/bluff", page.carried | {"viewer": seat} | act) for page in (low, high)]
            low, high = seen
            assert masked(low) == masked(high), (seat, act)


def test_a_move_of_the_seat_before_is_not_told_what_it_cost_on_the_cover(bluff: Callable[..., Page]) -> None:
    page = bluff(throws="typed", coach="on", sit_0="person", sit_1="person").press("do", "see")
    page = page.press("do", "type", dice="1 1 2").press("move", "call 18")
    assert "cost" not in page.html
    assert "cost" not in page.press("do", "see").html


def test_the_best_players_dice_are_on_no_page(bluff: Callable[..., Page]) -> None:
    for seed in range(6):
        page = bluff(seed=str(seed), sit_0="best", sit_1="person")
        while not page.over and "call" in page.html and page.values("move") == ["accept", "challenge"]:
            assert "total" not in page.html
            assert "record" not in page.carried
            assert "#die-" not in re.sub(r"<symbol.*?</symbol>", "", page.html)
            page = page.press("move", "challenge")
            break
        assert page.status == 200


def test_real_dice_of_the_best_player_fall_unseen(bluff: Callable[..., Page]) -> None:
    page = bluff(throws="typed", sit_0="best", sit_1="person")
    assert page.values("die") == []
    assert page.values("move") == ["accept", "challenge"] or page.values("move") == ["challenge"]


def test_a_page_of_an_earlier_moment_is_told_where_the_game_stands(
    client: TestClient, bluff: Callable[..., Page]
) -> None:
    page = bluff(seed="2", sit_0="person", sit_1="person").press("do", "see")
    later = page.press("move", "roll")
    again = page.press("move", "roll")
    assert again.status == 400
    assert "earlier moment" in again.html
    assert again.press("do", "see").values("move") == later.values("move")


def test_a_game_that_the_server_does_not_know_is_gone(
    bluff: Callable[..., Page], client_of: Callable[..., TestClient]
) -> None:
    page = bluff(seed="2")
    told = send(client_of(), "/play/bluff", page.carried | {"move": "roll"})
    assert told.status == 410
    assert "no longer known" in told.html


def test_games_are_kept_for_an_hour_and_so_many_at_most() -> None:
    now = [0.0]
    kept = Matches(lambda: now[0], most=2)
    first = kept.put(None, {"record": []})
    assert first
    now[0] = HOUR
    assert kept.get(first[0])
    assert kept.put(first[0], {"record": []}, 1) == (first[0], 2)
    assert kept.put(first[0], {"record": []}, 1) is None, "that step was taken before"
    now[0] = 2 * HOUR + 1
    assert kept.get(first[0]) is None
    names = [kept.put(None, {"record": []}) for _ in range(3)]
    assert len(kept) == 2
    assert names[0]
    assert kept.get(names[0][0]) is None


def test_pages_with_hidden_dice_are_kept_by_no_browser(client: TestClient, bluff: Callable[..., Page]) -> None:
    page = bluff(seed="2")
    assert page.came.headers["Cache-Control"] == "no-store"
    told = client.post("/play/bluff", data=page.carried | {"move": "roll"}, headers={"HX-Request": "true"})
    assert "HX-Push-Url" not in told.headers
    assert 'hx-history="false"' in told.text


# --- what comes in ---------------------------------------------------------------------------------------------------


def changed(record: list[dict[str, Any]], rng: random.Random) -> Any:
    """A record with one thing in it that is other than it was."""
    found = json.loads(json.dumps(record))
    place: Any = found
    while True:
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        key = rng.choice(keys)
        if isinstance(place[key], dict | list) and place[key] and rng.random() < 0.75:
            place = place[key]
            continue
        place[key] = rng.choice([None, -1, 3, 10**30, 1.5, "x", [], {}, [[1]], True, {"mine": "a"}])
        return found


def test_a_record_changed_by_hand_is_answered_in_a_line(client: TestClient, pig: Callable[..., Page]) -> None:
    page = pig(coach="on", seed="4").press("move", "roll")
    while len(page.record) < 8 and page.values("move"):
        page = page.press("move", "roll")
    rng = random.Random(11)
    for _ in range(150):
        record = changed(page.record, rng)
        act = rng.choice([{"move": "roll"}, {"do": "undo"}, {"do": "throw"}, {"coach_is": "on"}, {"die": "3"}])
        told = send(client, "/play/pig", page.carried | {"record": json.dumps(record)} | act)
        assert told.status in (200, 400), (record, act, told.html)
        assert told.status == 200 or 'role="alert"' in told.html
        review = send(client, "/review", {"record": json.dumps(record)})
        assert review.status in (200, 400), record


@pytest.mark.parametrize(
    "record", ["", "[", "[]", "{}", "[{}]", "[1]", "null", "x\ny", '[{"rollwise":1}]', "[" * 5000, "NaN"]
)
def test_what_is_no_record_is_answered_in_a_line(client: TestClient, record: str) -> None:
    told = send(client, "/play/pig", {"record": record, "move": "roll"})
    assert told.status == 400
    assert 'role="alert"' in told.html


def test_a_record_of_other_rules_or_cut_is_answered_in_a_line(client: TestClient, pig: Callable[..., Page]) -> None:
    page = pig().press("move", "roll")
    head, *lines = page.record
    other = json.dumps([head | {"rules_version": 99}, *lines])
    assert "version 99" in send(client, "/play/pig", page.carried | {"record": other}).html
    text = "\n".join(json.dumps(line) for line in page.record)
    cut = send(client, "/play/pig", {"resume": "1", "record": text[:-9]})
    assert cut.status == 400
    assert "cut or damaged" in cut.html


def test_a_record_that_is_too_long_is_refused(client: TestClient, pig: Callable[..., Page]) -> None:
    page = pig()
    told = send(
        client, "/play/pig", page.carried | {"record": page.carried["record"] + " " * MOST_BYTES, "move": "roll"}
    )
    assert told.status == 413
    assert "too long" in told.html or "longer than" in told.html
    many = send(client, "/play/pig", {"record": "x" * 2_000_000})
    assert many.status == 413


def test_a_game_that_is_none_is_not_found(client: TestClient) -> None:
    assert client.get("/play/whist").status_code == 404
    assert send(client, "/play/whist", {"start": "1"}).status == 404


@pytest.mark.parametrize("query", ["p.target=x", "p.nothing=3", "mine=-4", "nothing=1", "p.target=" + "9" * 900])
def test_rules_and_fields_that_cannot_be_are_told_in_a_line(client: TestClient, query: str) -> None:
    told = client.get(f"/play/pig?{query}")
    assert told.status_code == 400
    assert 'role="alert"' in told.text


def test_a_game_can_begin_at_any_question(client: TestClient, pig: Callable[..., Page]) -> None:
    pig()
    page = Page(client, client.get("/play/pig?p.target=12&mine=8&theirs=3&turn=2"))
    page = page.press("start")
    assert Match.of(page.record).state == {"mine": 8, "theirs": 3, "turn": 2}


def test_a_game_that_is_not_solved_is_waited_for(client: TestClient, own_cache: object) -> None:
    told = begin(client, "pig", p_target="13", seed="6")
    assert told.status == 503
    form = next(form for form in told.forms if form.action == "/play/pig")
    assert form.fields == {"start": "1", "p.target": "13", "seed": "6"}


# --- the page --------------------------------------------------------------------------------------------------------


def test_htmx_gets_the_table_and_its_address(client: TestClient, pig: Callable[..., Page]) -> None:
    page = pig()
    told = client.post("/play/pig", data=page.carried | {"move": "roll"}, headers={"HX-Request": "true"})
    assert "<html" not in told.text
    assert told.text.count('id="table"') == 1
    assert 'id="said" hx-swap-oob' in told.text
    assert told.headers["HX-Push-Url"].startswith("/play/pig?step=")
    assert client.get(told.headers["HX-Push-Url"]).status_code == 200


@pytest.mark.parametrize("name", ["pig", "bluff", "shut-the-box", "slam"])
def test_pages_have_no_style_and_no_script_of_their_own(client: TestClient, name: str) -> None:
    said = GAMES[name]
    rollwise.solve(name, {key[2:]: value for key, value in said.items() if key.startswith("p_")})
    pages = [client.get(f"/play/{name}").text, begin(client, name, coach="on", seed="1", **said).html]
    for html in pages:
        assert " style=" not in html
        assert "<style" not in html
        assert not re.search(r"<script(?![^>]*\bsrc=)", html)
        assert not re.search(r"\son\w+=", html)
