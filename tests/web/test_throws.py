"""Where a throw leads: what stands for it on the page, its colour, and the page after it."""

from __future__ import annotations

import re
from itertools import product
from urllib.parse import urlencode

import numpy as np
import pytest
from starlette.testclient import TestClient

import rollwise
from tests.web.playing import opened
from tests.web.test_pages import RULES, url


def test_two_dice_are_a_square_and_a_throw_warm_that_is_better_than_its_move(pages: TestClient) -> None:
    cells = opened(pages, url("mexico roll")).find("a.heat")
    assert len([cell for cell in cells if "%" in cell.text and "(" in cell.text]) == 36
    colours = {name for cell in cells for name in cell["class"].split() if name[-1].isdigit()}
    assert {name[:4] for name in colours} == {"warm", "cold"}
    assert len([cell for cell in cells if "roll=1,2" in cell["href"]]) >= 2  # 1-2 and 2-1 lead to the same
    tiles = opened(pages, url("pig roll", turn=6)).find(".tall")
    rows = rollwise.outcomes("pig", state={"turn": 6}, move="roll", params=RULES["pig"]).rows
    changes = np.array([row.value for row in sorted(rows, key=lambda row: row.thrown[0].dice)])
    changes -= changes.mean()
    steps = np.round(4 * changes / abs(changes).max())
    assert list(steps) == [-4, 0, 1, 1, 1, 2]
    names = {-4: "cold4", 0: "mild", 1: "warm1", 2: "warm2"}
    assert [tile["class"].split()[-1] for tile in tiles] == [names[step] for step in steps]


def test_the_throw_that_leaves_the_least_chance_to_lose_is_the_greenest_and_outcomes_may_be_calls(
    pages: TestClient,
) -> None:
    page = opened(pages, "/slam?scores=10,12&move=roll").html
    table = page[page.index('class="cells outcomes"') :]
    assert table.index("warm4") < table.index("63.4 %")
    assert table.index("0.0 %") < table.index("63.4 %")
    assert "cold4" not in table[: table.index("0.0 %")]
    found = opened(pages, url("bluff challenge", mine=2, theirs=2, call=8)).one("#next")
    named = [cell.text for cell in found.inside if cell["scope"] == "row"]
    assert len(named) == len(set(named)) == 2, named
    assert "for certain" not in found.text
    assert all(link.text for link in found.find("a"))


def test_what_cannot_be_thrown_is_said_so_and_dice_that_settle_all_lead_on(pages: TestClient) -> None:
    for thrown in ("", "7", "1,1", "<script>alert(1)</script>", "1" * 400):
        place = f"{url('zilch/after roll', turn=200, dice=4)}&{urlencode({'thrown': thrown})}"
        assert "cannot be thrown" in opened(pages, place).html, thrown
    onward = opened(pages, "/six-by-6?roll=6,6,1,2,3,4").one("a.onward")
    assert onward.text == "Go on"
    assert opened(pages, onward["href"], 303).came.headers["location"] == "/six-by-6?carry=2&posted=2"
    assert not opened(pages, "/six-by-6").find("p.wrong")


def test_many_throws_are_told_together_counted_one_or_many_and_all_on_a_page(pages: TestClient) -> None:
    page = opened(pages, url("zilch roll", turn=200, dice=4))
    rows = page.one("table.outcomes").find("tbody")[0].find("tr")
    told = [row.find("span.then")[0].words for row in rows]
    assert all(re.search(r" · (1 throw|\d+ throws)$", each) for each in told), told
    assert any(re.match(r"Keep \d.* for \d+, roll · ", each) for each in told), told  # a move in words, not its name
    assert all(row.find("use") for row in rows[:-1])  # a throw of each, drawn
    shares = [row.find("small.ways")[0].words.replace(",", "").split(" of ") for row in rows]
    assert {ways for _, ways in shares} == {str(6**4)}
    assert sum(int(count) for count, _ in shares) == 6**4
    place, listed, parts = url("zilch/throws roll", turn=200, dice=4), list[str](), 0
    while place:  # it comes in parts
        part = opened(pages, place)
        listed += [link for row in part.find("th") for link in row.links()]
        place, parts = "".join(fold["hx-get"] for fold in part.find("details.more")), parts + 1
    assert (len(listed) == len(set(listed)) > 100, parts) == (True, 2)


@pytest.mark.parametrize(
    ("where", "thrown", "after"),
    [("/drop-dead?dice=3&move=roll", "4,3,6", "/drop-dead?turn=13&dice=3"), ("/slam?move=roll", "3,5,6", None)],
)
def test_of_several_throws_it_is_asked_which(where: str, thrown: str, after: str | None, pages: TestClient) -> None:
    form = opened(pages, where).one("form.thrown")
    pairs = {each["name"]: each["value"] for each in form.find("input")}
    assert "thrown" in pairs
    asked = f"{form['action']}?{urlencode({**pairs, 'thrown': thrown})}"
    location = opened(pages, asked, 303).came.headers["location"]
    assert after in (None, location)
    assert opened(pages, location).is_answered


def test_a_cell_of_a_square_is_its_pair_alone(pages: TestClient) -> None:
    for where in ("/high-dice?bank=3,4&move=roll", "/dice-roulette?bet=5&move=roll"):
        rows = opened(pages, where).one("table.square").find("tr")[1:]
        assert len(rows) == 6
        for (one, row), other in product(enumerate(rows, 1), range(1, 7)):
            low, high = sorted((one, other))
            told = f"{low} {high} ({'2.8 %' if one == other else '5.6 %'})"
            assert row.find("td")[other - 1].text.startswith(told), (one, other)


def test_where_the_other_player_is_next_it_is_said_so_before_and_after(pages: TestClient) -> None:
    held, stays = url("pig hold", mine=4, theirs=6, turn=3), url("pig roll", mine=4, theirs=6)
    (onward,) = opened(pages, held).one("#next").find(".onward")
    assert onward.text == "Go on: now it is their turn"
    following = opened(pages, onward["href"])
    assert "changed places" in following.one("p.turned").text
    assert following.is_answered
    assert "turned" not in " ".join(following.links())
    page = opened(pages, stays)
    assert not page.find("p.turned")
    links = set(page.one("#next").links())
    assert len(links) > 1
    assert len([link for link in links if "turned" in link]) == 1  # that of the one


@pytest.mark.parametrize("part", ["pig/next", "pig/throws", "pig/why", "slam/next", "slam/throws"])
def test_a_part_of_a_page_about_no_move_says_so(part: str, pages: TestClient) -> None:
    for move in ("5x3", "\ufffd"):
        page = opened(pages, url(f"{part} {move}"), 400)
        assert "is no move here" in page.one("p.error").text
        assert not page.find("table")
