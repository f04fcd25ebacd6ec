"""Pages about a game: its rules, its card, a quiz that stands in its address, and an answer to hand on."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest
import segno
from starlette.requests import Request
from starlette.testclient import TestClient

from rollwise.games.registry import REGISTRY
from rollwise.parsing.validate import parse_game
from rollwise.questions.card.compute import card
from rollwise.questions.card.data import Keep
from rollwise.questions.quiz.compute import make_quiz
from rollwise.solver.kinds import kind_of
from rollwise.web.about import QUIZ_CANDIDATES, SENTENCE_END, draw_throws
from rollwise.web.guard import origin_of
from tests.web.playing import opened

QUIZ = "/pig/quiz?p.target=12&seed=3"


@pytest.mark.parametrize("name", REGISTRY)
def test_the_rules_of_a_game_stand_whole_on_a_page_and_who_chooses_is_quizzed(pages: TestClient, name: str) -> None:
    page, game = opened(pages, f"/{name}/rules"), parse_game(name)
    assert len(page.one("ul.told").find("li")) == len(SENTENCE_END.split(game.rules))
    assert (f"/{name}/quiz" in page.links()) == kind_of(game).has_decisions


def test_cards_and_rules_are_drawn_and_no_page_of_a_game_leads_to_itself(pages: TestClient) -> None:
    told = {name: opened(pages, f"/{name}/rules").one("ul.told").find("svg.rolled") for name in ("mexico", "sixzee")}
    assert [each["aria-label"] for each in told["mexico"]] == ["2 1", "6 6", "1 1", "6 5", "3 1", "2 1"]
    assert (told["sixzee"], draw_throws("<b> 1-1-x", set())) == ([], "&lt;b&gt; 1-1-x")
    for place in ("/", "/review", "/pig", "/pig/rules", "/pig/card", QUIZ):
        assert not {place, place.partition("?")[0]} & set(opened(pages, place).links()), place
    page, rows = opened(pages, "/yahtzee/card"), card("yahtzee").rows
    first = next(row for row in rows if isinstance(row, Keep) and row.move.startswith("score"))
    assert "".join(map(str, first.roll)) in page.says("table.long")
    assert ("/yahtzee" in page.links("a.onward"), "rollwise ask" in page.says("main")) == (True, False)
    assert "there is no card for mexico" in opened(pages, "/mexico/card", 400).says("p.error")
    assert "/mexico/card" not in opened(pages, "/mexico/rules").links()


def test_a_quiz_asks_tells_and_counts_from_its_address_alone(pages: TestClient) -> None:
    positions = make_quiz("pig", {"target": 12}, seed=3, look=QUIZ_CANDIDATES).positions
    page, right = opened(pages, QUIZ), 0
    for at, position in enumerate(positions, 1):
        assert f"Question {at} of {len(positions)}, {right} right so far" in page.says("main")
        moves = page.links("a.choice")
        assert [link.partition("move=")[2] for link in moves] == position.choices
        told, is_right = opened(pages, moves[-1]), position.is_right(position.choices[-1])
        assert is_right or {len(digits) for digits in re.findall(r"\d\.(\d+)", told.says("div.panel"))} == {1}
        assert told.says(".what").startswith("Right." if is_right else "That costs")
        right += is_right
        page = opened(pages, told.find("a.onward")[0]["href"])
    assert page.says(".what") == f"{right} of {len(positions)} right"


def test_a_quiz_without_a_seed_takes_one_and_whatever_is_typed_is_answered(pages: TestClient) -> None:
    new = pages.get("/pig/quiz?p.target=12&x=1", follow_redirects=False)
    assert re.fullmatch(r"/pig/quiz\?p\.target=12&seed=\d+", new.headers["location"])
    for typed in ("at=0", "at=999", "at=-1&right=x", "move=fly", "right=99"):
        assert pages.get(f"{QUIZ}&{typed}").status_code == 200
    assert "has no choices" in opened(pages, "/slam/quiz?seed=1", 400).says("p.error")
    assert pages.get("/chess/quiz?seed=1").status_code == 404
    other = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image"}
    for where in (QUIZ, "/shut-the-box/ends"):  # no other site has something long worked out
        assert pages.get(where, headers=other).status_code == 403
    unsolved = pages.get("/pig/quiz?p.target=77&seed=1", follow_redirects=False)
    assert unsolved.headers["location"] == "/pig?p.target=77"


def test_an_answer_is_handed_on_by_its_own_address_as_link_code_and_picture(pages: TestClient) -> None:
    place, answer = "/pig?mine=6&turn=4&p.target=12", "http://192.168.1.20:8606/pig?mine=6&turn=4&p.target=12"
    asked = opened(pages, place)
    share = next(link for link in asked.links() if "/share" in link)
    assert not opened(pages, share).find("figure.code")  # no phone comes to localhost
    page = opened(pages, share, host="192.168.1.20:8606")
    code = segno.make(answer, error="l", micro=False).svg_inline(light="#fff", omitsize=True)
    assert page.one("input.address")["value"] == answer
    assert page.find("path")[-1]["d"] == (re.findall(' d="([^"]*)"', code) or [""])[-1] != ""
    came = pages.get(page.one("img.picture")["src"])
    said = " ".join(ElementTree.fromstring(came.text).itertext())
    assert came.headers["content-type"].startswith("image/svg+xml")
    assert [asked.find(part)[0].words in said for part in (".number", ".what")] == [True, True]
    none = pages.get("/pig/share?mine=300&p.target=12", follow_redirects=False)
    assert none.headers["location"] == "/pig?mine=300&p.target=12"  # where the form says why
    several = pages.get("/bluff/share?p.players=4", follow_redirects=False)
    assert several.headers["location"] == "/bluff?p.players=4"  # which has no answer


@pytest.mark.parametrize("where", [QUIZ, "/shut-the-box/ends"])
def test_no_other_site_has_something_long_worked_out(pages: TestClient, where: str) -> None:
    other = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image"}
    assert pages.get(where, headers=other).status_code == 403


def test_the_address_of_a_page_behind_a_proxy_is_as_whoever_looks_at_it_has_it() -> None:
    for before, origin in (
        ("https://dice.example/pig", "https://dice.example"),
        ("https://x.org/", "http://dice.example"),
    ):
        headers = [(b"host", b"dice.example"), (b"referer", before.encode())]
        scope = {"type": "http", "scheme": "http", "path": "/", "query_string": b"", "headers": headers}
        assert origin_of(Request(scope)) == origin
