"""Whatever is sent to a game in play is answered, in a line where it cannot be."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

import pytest
from starlette.testclient import TestClient

import rollwise
from rollwise import Match
from rollwise.web.records import MOST_BYTES
from tests.web.pressing import Page, begin, send

Begin = Callable[..., Page]


@pytest.fixture
def pig(client: TestClient) -> Begin:
    """Begins a short game of Pig."""
    rollwise.solve("pig", {"target": 12})
    return lambda **said: begin(client, "pig", **{"p_target": "12", "seed": "5", **said})


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


def test_a_record_changed_by_hand_is_answered_in_a_line(client: TestClient, pig: Begin) -> None:
    page = pig(coach="on", seed="4").press("move", "roll")
    while len(page.record) < 8 and page.values("move"):
        page = page.press("move", "roll")
    rng = random.Random(11)
    for _ in range(30):
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


def test_a_record_of_other_rules_or_cut_is_answered_in_a_line(client: TestClient, pig: Begin) -> None:
    page = pig().press("move", "roll")
    head, *lines = page.record
    other = json.dumps([head | {"rules_version": 99}, *lines])
    assert "version 99" in send(client, "/play/pig", page.carried | {"record": other}).html
    text = "\n".join(json.dumps(line) for line in page.record)
    cut = send(client, "/play/pig", {"resume": "1", "record": text[:-9]})
    assert cut.status == 400
    assert "cut or damaged" in cut.html


def test_a_record_that_is_too_long_is_refused(client: TestClient, pig: Begin) -> None:
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


def test_a_game_can_begin_at_any_question(client: TestClient, pig: Begin) -> None:
    pig()
    page = Page(client, client.get("/play/pig?p.target=12&mine=8&theirs=3&turn=2"))
    page = page.press("start")
    assert Match.of(page.record).state == {"mine": 8, "theirs": 3, "turn": 2}


def test_a_game_that_is_not_solved_is_waited_for(client: TestClient, own_cache: object) -> None:
    told = begin(client, "pig", p_target="13", seed="6")
    assert told.status == 503
    form = next(form for form in told.forms if form.action == "/play/pig")
    assert form.fields == {"start": "1", "p.target": "13", "seed": "6"}


def test_a_game_begins_by_the_rules_that_stand_on_its_page(client: TestClient, pig: Begin) -> None:
    pig()
    page = Page(client, client.get("/play/pig"))
    assert page.press("start", p_target="12").record[0]["parameters"] == {"target": 12}


def test_rules_that_are_used_leave_the_rest_of_the_page_as_it_was(client: TestClient) -> None:
    said = {"sit_0": "best", "throws": "typed", "seed": "77", "p_players": "3", "p_lives": "2"}
    page = Page(client, client.get("/play/mexico?roll=5,5&rolls_left=1")).press("rules", **said)
    assert page.status == 200
    fields = page.form_of("start", "1")[0].fields
    seats = {"sit.0": "best", "sit.1": "best", "sit.2": "best"}
    rules = {"p.players": "3", "p.lives": "2", "p.opener": "fixed"}
    assert fields == {**rules, **seats, "s.roll": "5,5", "s.rolls_left": "1", "throws": "typed", "seed": "77"}
    assert "coach" in page.form_of("start", "1")[0].ticks


def test_rules_that_cannot_be_are_told_on_the_page_where_they_stand(client: TestClient) -> None:
    page = Page(client, client.get("/play/pig")).press("start", p_target="0", seed="5")
    assert page.status == 400
    assert 'role="alert"' in page.html
    fields = page.form_of("start", "1")[0].fields
    assert (fields["p.target"], fields["seed"]) == ("0", "5")


@pytest.mark.parametrize("wrong", [{"loss": 1e300}, {"best": ["roll"], "value": "x"}, {"choice": "roll" * 60}])
def test_a_line_that_no_match_writes_is_named(client: TestClient, pig: Begin, wrong: dict[str, Any]) -> None:
    page = pig().press("move", "roll")
    head, choice, *rest = page.record
    told = send(client, "/play/pig", page.carried | {"record": json.dumps([head, choice | wrong, *rest]), "do": "see"})
    assert told.status == 400
    assert "line 2: " in told.html
