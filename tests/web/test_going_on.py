"""A page in the middle of things: dice that are still to come, turns that are over, and where a throw leads."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import urlencode

import pytest
from starlette.testclient import TestClient

import rollwise
from tests.web.opening import opened, served
from tests.web.reading import Element, Page

HTMX = {"HX-Request": "true"}
SOLVED = {"pig": {"target": 12}, "bluff": {"chips": 2}, "shut-the-box": {}, "six-by-6": {}, "high-dice": {}}
SOLVED |= {"dice-roulette": {}, "drop-dead": {}, "slam": {}}


@pytest.fixture(scope="module")
def pages() -> Iterator[TestClient]:
    """The page; some games are solved, and no others."""
    with served(SOLVED) as client:
        yield client


def url(name: str, **fields: object) -> str:
    """An address with the rules of the solved games."""
    path, slash, under = name.partition("/")
    return f"/{path}{slash}{under}?" + urlencode({**fields, **{f"p.{k}": v for k, v in SOLVED.get(path, {}).items()}})


def next_of(page: Page) -> Element:
    return page.by_id("next")


# --- what does not fit ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("part", "name"), [("next", "pig"), ("throws", "pig"), ("why", "pig"), ("next", "slam"), ("throws", "slam")]
)
@pytest.mark.parametrize("move", ["5x3", "\ufffd"])
def test_a_part_of_a_page_about_no_move_says_so(part: str, name: str, move: str, pages: TestClient) -> None:
    page = opened(pages, url(f"{name}/{part}", move=move), 400)
    (error,) = page.all("p", of="error")
    assert "is no move here" in error.text
    assert not page.all("table")


def test_a_part_of_a_page_that_is_asked_what_there_is_not_leads_to_the_page_that_says_so(pages: TestClient) -> None:
    answer = pages.get("/dice-roulette/next?wrong=1")
    assert (answer.status_code, answer.headers["location"]) == (303, "/dice-roulette?wrong=1")
    assert "wrong" in opened(pages, "/dice-roulette?wrong=1").verdict


@pytest.mark.parametrize(("where", "wanted"), [("/shutthebox/check?open=1,9&x=%20", "/shut-the-box?open=1,9&x=%20")])
def test_a_game_by_another_name_is_on_the_same_host_and_scheme(where: str, wanted: str, pages: TestClient) -> None:
    assert pages.get(where).headers["location"] == wanted


# --- dice that are still to come --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("where", "wanted"),
    [
        ("/yahtzee/check?roll=2", "4 dice to come"),
        ("/yahtzee/check?roll=2,2,3,4", "One die to come"),
        ("/zilch/check?roll=1,5", "4 dice to come"),
        ("/zilch/check?turn=200&dice=2&roll=2", "One die to come"),
        ("/shut-the-box/check?roll=5", "One die to come"),
        ("/six-by-6/check?carry=1&posted=2&roll=3,4", "2 dice to come"),
        ("/mexico/check?results.0=5", "One die to come"),
        ("/cameroon/check?kept=6,6", "3 dice to come"),
        ("/cameroon/check?kept=6,6&roll=1", "2 dice to come"),
    ],
)
def test_while_dice_are_laid_it_is_said_how_many_are_to_come_and_the_answer_stays(
    where: str, wanted: str, pages: TestClient
) -> None:
    answer = pages.get(where, headers=HTMX)
    page = Page(answer.text)
    assert answer.headers["HX-Reswap"] == "none"
    assert wanted in page.verdict
    assert not page.all("p", of="wrong")
    assert not [error.text for error in page.all("p", of="error") if error.text]
    whole = opened(pages, where.replace("/check", ""))
    assert wanted in whole.verdict
    assert not whole.all("p", of="wrong")


@pytest.mark.parametrize("told", ["7", "2,7", "1,2,3,4,5,6", "x"])
def test_dice_that_cannot_lie_there_are_wrong(told: str, pages: TestClient) -> None:
    answer = pages.get(f"/yahtzee/check?roll={told}", headers=HTMX)
    assert "HX-Reswap" not in answer.headers
    assert Page(answer.text).all("p", of="wrong")


def test_where_no_dice_would_mend_a_state_it_is_wrong(pages: TestClient) -> None:
    answer = pages.get("/zilch/check?turn=200&dice=6&roll=2", headers=HTMX)
    assert "HX-Reswap" not in answer.headers
    assert Page(answer.text).all("p", of="wrong")


def test_dice_that_may_be_all_are_told_what_is_missing_then(pages: TestClient) -> None:
    assert "Or if these are all: turn=0 is impossible with 2 dice" in opened(pages, "/zilch?roll=1,5").verdict


# --- what is over -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("where", "first", "reason"),
    [
        ("/shut-the-box?open=1,2&roll=6,6", "The turn is over with 3 points", "roll 6 6 fits no open box"),
        ("/shut-the-box?open=none", "The turn is over with 0 points", "every box is shut"),
        ("/zilch?roll=2,2,3,3,4,6", "The turn is over", "scores nothing"),
        ("/six-by-6?carry=0&posted=2&roll=1,2,3,4", "The round is over with", "earns nothing"),
        ("/big-six?chips=0,5", "The game is over, seat 0 has no chips left and won", ""),
    ],
)
def test_what_is_over_is_no_fault(where: str, first: str, reason: str, pages: TestClient) -> None:
    page = opened(pages, where)
    (calm,) = page.all("p", of="calm")
    assert calm.inside[0].text.startswith(first)
    assert reason in calm.text
    assert not page.all("p", of="wrong")
    assert not [error.text for error in page.all("p", of="error") if error.text]


# --- where a throw leads ----------------------------------------------------------------------------------------------


def test_dice_that_settle_all_lead_on_to_what_they_leave(pages: TestClient) -> None:
    page = opened(pages, "/six-by-6?roll=6,6,1,2,3,4")
    (onward,) = page.all("a", of="onward")
    assert "what these dice leave" in onward.text
    assert pages.get(onward.attributes["href"]).headers["location"] == "/six-by-6?carry=2&posted=2"
    assert not opened(pages, "/six-by-6").all("p", of="wrong")


@pytest.mark.parametrize(
    ("where", "thrown", "after"),
    [
        ("/drop-dead?dice=3&move=roll", "4,3,6", "/drop-dead?turn=13&dice=3"),
        ("/slam?move=roll", "3,5,6", None),
        ("/six-by-6?carry=1&posted=3&move=roll", "1,2,2", None),
    ],
)
def test_where_a_cell_stands_for_several_throws_it_is_asked_which(
    where: str, thrown: str, after: str | None, pages: TestClient
) -> None:
    page = opened(pages, where)
    (form,) = page.all("form", of="thrown")
    pairs = {each.attributes["name"]: each.attributes.get("value", "") for each in form.inside if each.tag == "input"}
    assert "thrown" in pairs
    location = pages.get(f"{form.attributes['action']}?{urlencode({**pairs, 'thrown': thrown})}").headers["location"]
    assert after is None or location == after
    assert opened(pages, location).is_answered


@pytest.mark.parametrize("where", ["/high-dice?bank=3,4&move=roll", "/dice-roulette?bet=5&move=roll"])
def test_a_cell_of_a_square_is_its_pair_alone(where: str, pages: TestClient) -> None:
    page = opened(pages, where)
    (square,) = page.all("table", of="square")
    rows = [element for element in square.inside if element.tag == "tr"][1:]
    for one, row in enumerate(rows, 1):
        cells = [element.text for element in row.inside if element.tag == "td"]
        for other, said in enumerate(cells, 1):
            low, high = sorted((one, other))
            chance = "2.8 %" if one == other else "5.6 %"
            assert said.startswith(f"{low} {high} ({chance})"), (one, other, said)


def test_outcomes_without_dice_are_not_all_certain(pages: TestClient) -> None:
    page = opened(pages, url("bluff", mine=2, theirs=2, call=8, move="challenge"))
    named = [cell.text for cell in next_of(page).inside if cell.attributes.get("scope") == "row"]
    assert len(named) == len(set(named)) == 2, named
    assert "for certain" not in next_of(page).text
    assert all(link.text for link in next_of(page).inside if link.tag == "a")


def test_where_the_other_player_is_next_it_is_said_so_before_and_after(pages: TestClient) -> None:
    page = opened(pages, url("pig", mine=4, theirs=6, turn=3, move="hold"))
    (onward,) = [each for each in next_of(page).inside if each.has("onward")]
    assert onward.text == "Go on: now it is their turn"
    following = opened(pages, onward.attributes["href"])
    (line,) = following.all("p", of="turned")
    assert "changed places" in line.text
    assert following.is_answered
    assert "turned" not in " ".join(link.attributes["href"] for link in following.all("a"))
    assert not opened(pages, url("pig", mine=4, theirs=6, turn=3)).all("p", of="turned")


def test_a_turn_that_goes_on_changes_no_places(pages: TestClient) -> None:
    page = opened(pages, url("pig", mine=4, theirs=6, move="roll"))
    links = {each.text.strip()[:1]: each.attributes["href"] for each in next_of(page).inside if each.tag == "a"}
    turned = [href for href in links.values() if "turned" in href]
    assert len(links) > 1
    assert len(turned) <= 1  # that of the one


def test_throws_are_counted_one_and_many(pages: TestClient) -> None:
    rollwise.solve("zilch", {"goal": 500, "opening": 350, "players": 1})
    rules = "p.goal=500&p.opening=350&p.players=1"
    told = [small.text for small in next_of(opened(pages, f"/zilch?{rules}&move=roll")).inside if small.tag == "small"]
    assert told
    assert all(re.fullmatch(r"· (1 throw|\d+ throws)", small) for small in told), told


# --- not solved -------------------------------------------------------------------------------------------------------


def test_a_game_that_is_too_long_says_what_to_do_in_plain_words(pages: TestClient) -> None:
    page = opened(pages, "/sixzee")
    (box,) = page.all("div", of="waiting")
    assert "rollwise serve --allow-solve all" in box.text
    assert "rollwise solve sixzee" in box.text
    assert "players=" not in box.text


# --- words and tables -------------------------------------------------------------------------------------------------


def test_the_part_of_a_class_stands_beside_its_name_and_values_are_short(pages: TestClient) -> None:
    page = opened(pages, url("pig/why", mine=3, theirs=5, turn=2))
    (table,) = page.all("table", of="parts")
    rows = [[cell.text for cell in row.inside if cell.tag in ("th", "td")] for row in table.inside if row.tag == "tr"]
    assert rows[1][1] == "part"
    assert all(re.fullmatch(r"[+-]?\d+\.\d+", row[1]) for row in rows[2:])
    for cell in (cell for row in rows[2:] for cell in row[2:]):
        assert len(cell.removesuffix(" %").partition(".")[2]) <= 2, rows
    assert rows[0] == ["", "roll", "hold"] or rows[0] == ["", "hold", "roll"]


def test_every_game_has_a_line_of_whole_sentences_of_its_own(pages: TestClient) -> None:
    lines = [card.inside[-1].text for card in opened(pages, "/").all("a", of="card")]
    assert len(set(lines)) == len(lines)
    for line in lines:
        assert line.endswith((".", ")")), line
        assert 40 <= len(line) <= 200, line


@pytest.mark.parametrize(
    ("find", "wanted"),
    [("farkle", {"/zilch", "/ten-thousand"}), ("10000", {"/ten-thousand"}), ("six by six", {"/six-by-6"})],
)
def test_games_are_found_by_their_other_names(find: str, wanted: set[str], pages: TestClient) -> None:
    found = {card.attributes["href"] for card in opened(pages, f"/?find={find}").all("a", of="card")}
    assert wanted <= found
    assert len(found) <= len(wanted) + 2


def test_without_script_nothing_says_tap(pages: TestClient) -> None:
    for where in ("/shut-the-box", "/drop-dead?dice=3&move=roll"):
        boxes = [box for box in opened(pages, where).all("input", of="typed")]
        assert boxes
        assert all("tap" not in box.attributes["placeholder"] for box in boxes)


def test_the_bar_of_the_verdict_leads_to_the_moves(pages: TestClient) -> None:
    page = opened(pages, url("pig", turn=4))
    (link,) = [each for each in page.by_id("verdict").inside if each.tag == "a"]
    assert link.attributes["href"] == "#answer"
    assert link.text == page.verdict[: len(link.text)]
