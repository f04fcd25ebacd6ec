"""The pages on which questions are asked: every game, its moves and throws followed, and what does not fit."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlencode

import pytest
from starlette.testclient import TestClient

import rollwise
import rollwise.door
from rollwise.asking import question
from rollwise.cache.store import Store
from rollwise.door import the_fields
from rollwise.games.registry import REGISTRY
from rollwise.solver.game.model import TurnGame
from rollwise.stored import stored
from rollwise.web import address
from rollwise.web.app import make_app
from rollwise.web.settings import Settings
from tests.sizes import SIZES, Size
from tests.web.asking import few_questions
from tests.web.opening import opened, served
from tests.web.reading import Page

WEB = Path(rollwise.__file__).parent / "web"
HTMX = {"HX-Request": "true"}
FIRST = [next(size for size in SIZES if size.name == name) for name in REGISTRY]
EVIL = "<script>alert(1)</script>\"'&{{7*7}}"
SOLVED = {"zilch": {"goal": 500, "opening": 350, "players": 1}, "pig": {"target": 12}, "bluff": {"chips": 1}}
SOLVED |= {"big-six": {}, "mexico": {"players": 3, "lives": 1}, "shut-the-box": {}}


@pytest.fixture(scope="module")
def pages() -> Iterator[TestClient]:
    """The page; some games are solved, and no others."""
    with served(SOLVED) as client:
        yield client


def url(name: str, move: str = "", **fields: object) -> str:
    """An address with the rules of the solved games."""
    rules = {f"p.{parameter}": value for parameter, value in SOLVED.get(name, {}).items()}
    return f"/{name}?" + urlencode({**fields, **rules, **({"move": move} if move else {})})


# --- every game -------------------------------------------------------------------------------------------------------


def test_all_games_are_found_from_the_first_page(pages: TestClient) -> None:
    page = opened(pages, "/")
    links = [card.attributes["href"] for card in page.all("a", of="card")]
    assert sorted(links) == sorted(f"/{name}" for name in REGISTRY)


def test_games_are_found_by_words(pages: TestClient) -> None:
    assert [card.attributes["href"] for card in opened(pages, "/?find=Mexi").all("a", of="card")] == ["/mexico"]
    nothing = opened(pages, f"/?find={EVIL}")
    assert not nothing.all("a", of="card")
    assert "No game" in nothing.by_id("games").text


@pytest.mark.parametrize("size", FIRST, ids=str)
def test_a_game_is_asked_and_its_moves_and_throws_lead_to_answers(
    size: Size, pages: TestClient, play: Callable[[TurnGame], str]
) -> None:
    game = size.game
    play(game)
    stored(game)
    page = opened(pages, f"/{size.name}")
    assert page.is_answered, page.verdict
    for _ in range(3):
        links = [link.attributes["href"] for row in page.all("tr", of="move") for link in row.inside if link.tag == "a"]
        looked_at = opened(pages, links[-1].partition("#")[0]) if links else page
        assert looked_at.is_answered
        onward = [link for link in looked_at.all("a") if link.has("heat") or link.has("onward")]
        table = [link for link in looked_at.all("a") if link.attributes["href"].startswith(f"/{size.name}?roll=")]
        if not onward + table:
            break
        page = opened(pages, (onward + table)[-1].attributes["href"])
        assert page.is_answered, page.verdict


@pytest.mark.parametrize("size", FIRST, ids=str)
def test_a_game_is_asked_wherever_it_stands(size: Size, pages: TestClient, play: Callable[[TurnGame], str]) -> None:
    game = size.game
    play(game)
    stored(game)
    for fields in few_questions(size):
        page = opened(pages, address.page(game, the_fields(game, fields)))
        assert page.is_answered, (fields, page.verdict)


@pytest.mark.parametrize("name", REGISTRY)
def test_every_link_of_a_throw_is_an_address_as_the_page_writes_it(name: str) -> None:
    made = rollwise.door.the_game(name)
    given, _ = question(made, {})
    assert address.page(made, given) == f"/{name}"


# --- an answer --------------------------------------------------------------------------------------------------------


def test_the_sentence_says_what_to_do_and_what_it_is_worth(pages: TestClient) -> None:
    page = opened(pages, url("pig", turn=9, mine=2))
    advice = rollwise.ask("pig", SOLVED["pig"], turn=9, mine=2)
    assert page.verdict.lower().startswith((advice.best or [""])[0])
    assert f"{100 * (advice.value or 0):.2f} %" in page.verdict
    assert page.by_id("verdict").attributes["aria-live"] == "polite"


def test_moves_stand_best_first_with_value_and_loss(pages: TestClient) -> None:
    page, advice = opened(pages, url("pig", turn=9, mine=2)), rollwise.ask("pig", SOLVED["pig"], turn=9, mine=2)
    rows = [" ".join(row.text.split()) for row in page.all("tr", of="move")]
    assert len(rows) == 2
    for row, move in zip(rows, advice.moves or [], strict=True):
        assert row.lower().startswith(move.move)
        assert f"{100 * move.value:.2f} %" in row
    assert "best" in rows[0]
    assert f"−{100 * (advice.moves or [])[1].loss:.4f} pp" in rows[1]


def test_a_forced_move_is_said_to_be_forced_and_shows_what_it_leads_to(pages: TestClient) -> None:
    page = opened(pages, url("pig"))
    assert "You can only roll" in page.verdict
    assert "only move" in page.all("tr", of="move")[0].text
    follows = page.by_id("next").attributes["hx-get"]  # it comes after the answer, which does not wait for it
    part = Page(pages.get(follows, headers=HTMX).text)
    assert len(part.all("a", of="tall")) == 6  # one die, a tile for each face
    assert len(opened(pages, follows).all("a", of="tall")) == 6


def test_moves_that_are_equally_good_are_told_as_such(pages: TestClient) -> None:
    page = opened(pages, url("shut-the-box", open="1,2,3,4", roll="1,2"))
    assert page.is_answered
    advice = rollwise.ask("shut-the-box", open=[1, 2, 3, 4], roll=[1, 2])
    rows = [row for row in page.all("tr", of="move") if row.has("best")]
    assert len(rows) == len(advice.best or [])


def test_a_mix_is_told_with_how_often_each_move_is_made(pages: TestClient, play: Callable[[TurnGame], str]) -> None:
    game = next(size for size in SIZES if size.name == "bluff" and "dice" in size.parameters).game
    play(game)
    stored(game)
    asked = [{name: value} for name in ("total", "call") for value in range(1, 7)]
    found = {}
    for state in asked:
        with suppress(rollwise.BadInput):
            found[str(state)] = (
                state,
                [move for move in rollwise.ask("bluff", state=state).moves or [] if move.probability],
            )
    state, mixed = next(each for each in found.values() if len(each[1]) > 1)
    page = opened(pages, f"/bluff?{urlencode(state)}")
    assert page.verdict.startswith("Mix")
    told = [cell.text for cell in page.all("td", of="often") if cell.text]
    assert sorted(told) == sorted(f"play it {100 * (move.probability or 0):.2f} % of the time" for move in mixed)


def test_at_a_table_everybody_has_a_share(pages: TestClient) -> None:
    page = opened(pages, url("mexico", roll="6,4"))
    assert len([line for line in page.all("div", of="lined") if "Seat" in line.text]) == 3


def test_a_game_of_luck_tells_its_odds(pages: TestClient) -> None:
    page = opened(pages, "/big-six")
    assert page.verdict.startswith("Nothing to choose")
    assert "56.28 %" in page.verdict
    assert page.all("details", of="spread")


def test_bets_are_told_as_a_table(pages: TestClient) -> None:
    page = opened(pages, "/dice-roulette")
    assert (
        "Cheapest for the player: odd or even; a chip on it wins 50.00 % of the time and brings back 1.00 on average"
        in page.verdict
    )
    assert len(page.all("th")) > 15


def test_a_move_of_an_address_is_read_as_people_say_it(pages: TestClient) -> None:
    page = opened(pages, url("zilch", "take 1 1 1", roll="1,1,1,2,3,4"))
    told = "'take 1 1 1' is taken as keep 1 1 1 for 1000"
    assert f"{told}. Keep 1 1 1 for 1000: " in " ".join(page.by_id("next").text.split())
    assert page.all("tr", of="chosen")
    body = {"game": "zilch", "params": SOLVED["zilch"], "state": {"roll": [1, 1, 1, 2, 3, 4]}, "move": "take 1 1 1"}
    answer = pages.post("/api/outcomes", json=body).json()
    assert (answer["move"], answer["note"]) == ("keep 1 1 1 for 1000", told)


def test_the_choice_after_an_only_keep_is_on_the_page_as_at_the_terminal(pages: TestClient) -> None:
    page = opened(pages, url("zilch", turn=300, roll="1,2"))
    (row,) = page.all("tr", of="move")
    (move,) = rollwise.ask("zilch", SOLVED["zilch"], turn=300, roll=[1, 2]).moves or []
    assert move.then is not None
    assert move.then.other is not None
    told = f"then {move.then.move} the other one (or {move.then.other.move} {move.then.other.value:.2f})"
    assert told in " ".join(row.text.split())
    assert "You can only keep 1 for 100. Then " in page.verdict
    assert f" against {move.then.other.value:.2f} for " in page.verdict


def test_two_dice_are_a_square_of_what_they_lead_to(pages: TestClient) -> None:
    page = opened(pages, url("mexico", "roll"))
    cells = page.all("a", of="heat")
    assert len([cell for cell in cells if "%" in cell.text and "(" in cell.text]) == 36
    colours = {name for cell in cells for name in cell.attributes["class"].split() if name[-1].isdigit()}
    assert {name[:4] for name in colours} == {"warm", "cold"}
    both = [cell.attributes["href"] for cell in cells if "roll=1,2" in cell.attributes["href"]]
    assert len(both) >= 2  # 1-2 and 2-1 lead to the same


def test_colours_have_their_middle_at_the_value_of_the_move(pages: TestClient) -> None:
    page, found = (
        opened(pages, url("pig", "roll", turn=5)),
        rollwise.outcomes("pig", {"turn": 5}, "roll", SOLVED["pig"]),
    )
    for cell, row in zip(sorted(page.all("", of="tall"), key=lambda cell: cell.text), found.rows, strict=True):
        del row
        assert cell.attributes["class"].split()[-1].startswith(("warm", "cold", "mild"))
    bust = next(cell for cell in page.all("", of="tall") if "their turn" in cell.text)
    assert bust.has("cold4")


def test_what_was_thrown_leads_on(pages: TestClient) -> None:
    answer = pages.get(f"/zilch/after?{url('zilch').partition('?')[2]}&move=roll&thrown=5+3+1+1+4+2")
    assert answer.status_code == 303
    assert answer.headers["location"].startswith("/zilch?roll=1,1,2,3,4,5&p.")
    assert opened(pages, answer.headers["location"]).is_answered


@pytest.mark.parametrize("thrown", ["", "7", "1,1", EVIL, "1" * 400])
def test_what_cannot_be_thrown_is_said_so(pages: TestClient, thrown: str) -> None:
    asked = urlencode({"thrown": thrown})
    page = opened(pages, f"/zilch/after?{url('zilch').partition('?')[2]}&move=roll&{asked}")
    assert "cannot be thrown" in page.html


def test_many_throws_are_told_together_and_all_on_a_page(pages: TestClient) -> None:
    page = opened(pages, url("zilch", "roll"))
    assert page.all("div", of="outcome")
    listed = opened(pages, url("zilch", "roll").replace("/zilch?", "/zilch/throws?"))
    assert len(listed.all("tr")) > 400


def test_why_is_told_in_words_and_numbers_that_stand_in_a_fold(pages: TestClient) -> None:
    asked = url("pig", turn=9, mine=2).replace("/pig?", "/pig/why?")
    page, why = opened(pages, asked), rollwise.why("pig", {"turn": 9, "mine": 2}, params=SOLVED["pig"])
    text = " ".join(page.by_id("main").text.split())
    assert all(sentence in text for sentence in why.words.split(". "))
    part = pages.get(asked, headers=HTMX).text
    assert "<html" not in part
    assert why.parts[0].called in part
    fold = opened(pages, url("pig", turn=9, mine=2)).all("details", of="why")[0]
    assert fold.attributes["hx-get"].startswith("/pig/why?")


def test_why_of_a_move_compares_it_with_the_best(pages: TestClient) -> None:
    advice = rollwise.ask("shut-the-box", roll=[3, 5])
    worst = (advice.moves or [])[-1].move
    page = opened(pages, f"/shut-the-box/why?roll=3,5&move={worst.replace(' ', '+')}")
    assert worst in page.html


def test_the_throw_that_dice_are_taken_for_is_told_with_the_answer(pages: TestClient) -> None:
    page = opened(pages, url("mexico", roll="1,5"))
    assert "Taken as the first throw" in page.verdict
    assert "#field-rolls_left" in [link.attributes["href"] for link in page.by_id("verdict").inside if link.tag == "a"]
    assert "Which throw was this?" in page.by_id("field-rolls_left").text
    assert "Taken as" not in opened(pages, url("mexico", roll="1,5", rolls_left=2)).verdict


# --- while it is filled in --------------------------------------------------------------------------------------------


def test_a_part_of_the_page_comes_with_its_address(pages: TestClient) -> None:
    answer = pages.get(url("pig", turn=4, mine="").replace("/pig?", "/pig/check?"), headers=HTMX)
    assert answer.headers["HX-Replace-Url"] == "/pig?turn=4&p.target=12"
    assert "<html" not in answer.text
    assert 'id="verdict"' in answer.text
    assert "HX-Request" in answer.headers["vary"]
    clicked = pages.get(url("pig", "hold", turn=4).replace("/pig?", "/pig/answer?"), headers=HTMX)
    assert clicked.headers["HX-Push-Url"] == "/pig?turn=4&p.target=12&move=hold"


def test_a_part_asked_for_as_a_page_is_one(pages: TestClient) -> None:
    for below in ("check", "form", "answer"):
        assert opened(pages, url("pig", turn=4).replace("/pig?", f"/pig/{below}?")).is_answered


def test_the_reason_stands_beside_the_field_and_what_was_typed_stays(pages: TestClient) -> None:
    page = opened(pages, url("pig", turn="17x", mine=3))
    assert not page.is_answered
    assert "whole number" in page.by_id("error-turn").text
    box = page.by_id("turn").attributes
    assert box["value"] == "17x"
    assert box["aria-invalid"] == "true"
    assert "error-turn" in box["aria-describedby"]
    assert page.by_id("mine").attributes.get("aria-invalid") is None
    part = pages.get(url("pig", turn="17x").replace("/pig?", "/pig/check?"), headers=HTMX)
    assert "whole number" in Page(part.text).by_id("error-turn").text
    assert "HX-Replace-Url" not in part.headers


def test_a_state_that_no_play_comes_to_is_told_beside_its_field(pages: TestClient) -> None:
    page = opened(pages, "/shut-the-box?open=2-9")
    assert "until 7 8 9 are all shut" in page.by_id("error-open").text


def test_a_move_that_there_is_not_is_said_so_and_the_answer_stays(pages: TestClient) -> None:
    page = opened(pages, url("pig", "fly", turn=4))
    assert page.is_answered
    assert "is no move here" in page.html


@pytest.mark.parametrize("name", REGISTRY)
def test_nothing_typed_becomes_markup(name: str, pages: TestClient) -> None:
    made = rollwise.door.the_game(name)
    names = [field.name for field in made.fields()]
    rules = [f"p.{parameter}" for parameter in rollwise.door.known_parameters(name)]
    for control in (*names, *rules, "move", "nothing", f"p.{EVIL}", EVIL):
        page = opened(pages, f"/{name}?{urlencode({control: EVIL})}")
        assert "<script>alert" not in page.html
    pieces = {f"{control}.{EVIL}": EVIL for control in names}
    assert "<script>alert" not in opened(pages, f"/{name}?{urlencode(pieces)}", follow(pages, name, pieces)).html


def follow(pages: TestClient, name: str, pieces: dict[str, str]) -> int:
    """Where pieces say nothing, they are put into the address of nothing."""
    return pages.get(f"/{name}?{urlencode(pieces)}").status_code


def test_a_form_without_script_is_put_in_one_spelling(pages: TestClient) -> None:
    answer = pages.get("/shut-the-box?open.=&open.1=1&open.2=1&roll=")
    assert (answer.status_code, answer.headers["location"]) == (303, "/shut-the-box?open=1,2")


def test_a_game_by_another_name_is_where_it_stands(pages: TestClient) -> None:
    answer = pages.get("/Shut%20The%20Box?roll=3,5")
    assert answer.status_code == 303
    assert answer.headers["location"].endswith("/shut-the-box?roll=3,5")


def test_no_game_of_that_name_is_a_page_of_those_there_are(pages: TestClient) -> None:
    page = opened(pages, "/mexiko", 404)
    assert "mexico" in page.all("p", of="error")[0].text
    assert opened(pages, "/favicon.ico", 404).all("a", of="card")


# --- games that are not solved ----------------------------------------------------------------------------------------


@pytest.fixture
def solving(own_cache: Store) -> Iterator[TestClient]:
    """The page of a server that solves, with an empty cache."""
    with TestClient(make_app(), base_url="http://localhost:8606", follow_redirects=False) as client:
        yield client


def test_a_game_that_is_soon_solved_is_solved_when_it_is_asked(solving: TestClient) -> None:
    asked = "/pig?p.target=7"
    solving.headers["Sec-Fetch-Site"] = "none"  # the address was typed
    page = opened(solving, asked)
    assert page.verdict.startswith("Being solved")
    assert page.all("progress")
    job = page.all("div", of="news")[0].attributes["sse-connect"]
    with solving.stream("GET", job) as events:
        told = "".join(events.iter_text())
    assert told.count("event: over") == 1
    assert "<progress" in told
    assert opened(solving, asked).is_answered


def test_a_game_that_takes_longer_waits_for_a_button_and_can_be_stopped(
    solving: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rollwise.web.unsolved.SOON", 0.0)
    page = opened(solving, "/pig?p.target=9")
    assert page.verdict.startswith("Not solved yet")
    form = next(form for form in page.all("form") if form.attributes["action"].startswith("/pig/solve"))
    assert "That takes about" in page.by_id("answer").text
    here = {"Origin": "http://localhost:8606"}
    answer = solving.post(form.attributes["action"], headers=here)
    assert (answer.status_code, answer.headers["location"]) == (303, "/pig?p.target=9")
    page = opened(solving, "/pig?p.target=9")
    if page.verdict.startswith("Being solved"):
        stop = next(form for form in page.all("form") if form.attributes["action"].startswith("/pig/stop"))
        assert solving.post(stop.attributes["action"], headers=here).status_code == 303
    jobs = solving.app.state.jobs  # type: ignore[attr-defined]
    while any(not job.is_over for job in jobs._jobs.values()):
        time.sleep(0.05)
    assert opened(solving, "/pig?p.target=9").verdict


def test_a_game_that_is_not_solved_here_says_what_to_do_instead(own_cache: Store) -> None:
    with TestClient(make_app(Settings(allow_solve="none")), base_url="http://localhost:8606") as client:
        page = opened(client, "/pig?p.target=8&turn=3")
        assert not page.all("a", of="onward")
        assert "rollwise solve pig -p target=8" in page.by_id("answer").text
        opened(client, "/pig/why?p.target=8&turn=3&move=roll")


def test_the_throw_that_leaves_the_least_chance_to_lose_is_the_greenest_and_the_sentence_says_so(
    client: TestClient,
) -> None:
    rollwise.solve("slam")
    page = client.get("/slam?scores=10,12&move=roll").text
    assert "Roll: lose 57.0 % on average, from 63.4 % at worst to 0.0 % at best." in page
    table = page[page.index('class="cells outcomes"') :]
    assert table.index("warm4") < table.index("63.4 %")
    assert table.index("0.0 %") < table.index("63.4 %")
    assert "cold4" not in table[: table.index("0.0 %")]


def test_bars_of_a_mix_are_how_often_a_move_is_made(client: TestClient) -> None:
    rollwise.solve("bluff", {"chips": 2})
    assert (
        "win · bars: how often to make the move · proved" in client.get("/bluff?p.chips=2&mine=2&theirs=1&total=3").text
    )
    rollwise.solve("pig", {"target": 12})
    assert "win · bars from 0 to 100 % · proved" in client.get("/pig?p.target=12&turn=4").text
