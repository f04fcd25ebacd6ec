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


def replayed(record: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The same choices made in Python, with the same seed."""
    head = record[0]
    first: dict[str, Any] = next((line["state"] for line in record[1:] if "state" in line), {})
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
    page = pig(seed="", s_turn="2")
    again = page.press("move", "roll")
    back = again.press("do", "undo")
    assert back.record == page.record
    assert back.press("move", "roll").record == again.record


def test_nothing_is_taken_back_where_nothing_was_done(client: TestClient, pig: Callable[..., Page]) -> None:
    page = pig()
    assert not page.has("do", "undo")
    told = send(client, "/play/pig", page.carried | {"do": "undo"})
    assert told.status == 400
    assert told.record == page.record


def test_what_was_forced_is_not_taken_back(pig: Callable[..., Page]) -> None:
    page = pig(throws="typed").press("die", "4")
    assert [line["choice"] for line in page.record if "choice" in line] == ["roll"]
    assert not page.has("do", "undo")
    page = page.press("move", "roll").press("die", "5")
    assert page.press("do", "undo").record[1:3] == page.record[1:3]


def test_the_choice_before_the_best_players_turn_is_taken_back(pig: Callable[..., Page]) -> None:
    page = pig(throws="typed").press("die", "4").press("move", "hold")
    assert page.has("do", "undo")
    assert page.press("do", "undo").values("move") == ["hold", "roll"]


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


def test_a_game_that_takes_long_to_solve_is_solved_when_somebody_says_so(
    client: TestClient, own_cache: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rollwise.web.unsolved.SOON", -1.0)
    page = begin(client, "pig", p_target="13", seed="6")
    assert page.has("solve")
    page = page.press("solve")
    assert page.status == 503
    assert "/pig/progress/" in page.html
    assert not page.has("solve"), "it is under way"
    job = re.search(r"/pig/progress/(\w+)", page.html)
    assert job
    client.get(f"/pig/progress/{job[1]}")  # ends when the solve does
    form = next(form for form in page.forms if form.action == "/play/pig")
    assert send(client, "/play/pig", form.fields).record[0]["parameters"] == {"target": 13}


def test_a_bet_is_chosen_before_the_first_throw(client: TestClient, solved: Callable[..., None]) -> None:
    solved("dice-roulette")
    page = Page(client, client.get("/play/dice-roulette"))
    assert page.form_of("start", "1")[0].fields["s.bet"] == "2"
    page = page.press("start", s_bet="odd", seed="3").press("do", "throw")
    assert page.record[1]["state"] == {"bet": "odd"}
    assert re.search(r"a chip staked brought back [02], the stake included", page.html)
    assert Page(client, client.get("/play/dice-roulette?bet=even")).press("start").status == 200


def test_what_ones_moves_cost_is_told_in_a_sentence(pig: Callable[..., Page]) -> None:
    page = pig(throws="typed").press("die", "6").press("move", "hold")
    for die in "66":
        page = page.press("die", die)
    while not page.over:
        page = page.press("die", "6") if page.has("die") else page.press("move", "hold")
    told = re.search(r'class="result">([^<]*)<', page.html)
    assert told
    lost = [line["loss"] for line in page.record if "choice" in line and line["seat"] == 0 and line["loss"]]
    assert len(lost) == 1
    assert told[1].endswith(f"One move of yours cost something: hold, {100 * lost[0]:.2f} pp.")


def test_every_page_leads_to_the_review(client: TestClient) -> None:
    for place in ("/", "/pig", "/play/pig"):
        assert 'href="/review"' in client.get(place).text


def test_the_program_does_so_much_in_one_step_and_then_waits(
    pig: Callable[..., Page], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sitting, "MOST_STEPS", 6)
    page = pig(sit_0="best", sit_1="best").press("do", "end")
    assert not page.over
    assert 1 < len(page.record) <= 7
    assert play_out(page, lambda moves: moves[0]).over


def test_the_only_move_is_made_for_whoever_throws_real_dice(pig: Callable[..., Page]) -> None:
    assert pig(throws="typed").has("die")
    assert pig().values("move") == ["roll"]


def test_the_page_that_waits_listens_for_what_is_told(
    client: TestClient, own_cache: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rollwise.web.unsolved.SOON", -1.0)
    pages = [begin(client, "pig", p_target="11").press("solve")]
    job = re.search(r"/pig/progress/(\w+)", pages[0].html)
    assert job
    record = "pig target=11\nA: 5 hold\nB: 6"
    pages.append(send(client, "/review", {"record": record}))
    told = set(re.findall(r"^event: (\w+)", client.get(f"/pig/progress/{job[1]}").text, re.MULTILINE))
    for page in pages:
        if "sse-connect" in page.html:
            heard = re.findall(r'sse-close="(\w+)"|sse-swap="(\w+)"|sse:(\w+)', page.html)
            assert {"".join(names) for names in heard} >= told
            assert "over" in told
