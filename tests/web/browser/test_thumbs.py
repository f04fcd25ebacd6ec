"""The ask page under a thumb: dice laid one by one, steps back to nothing said, and what stays where it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.web.browser.conftest import Open
from tests.web.browser.test_asking import named, says
from tests.web.browser.test_everywhere import ON_A_PHONE

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

SMALL, USUAL = {"width": 320, "height": 640}, {"width": 390, "height": 844}
ZILCH = "/zilch?p.goal=500&p.players=1"


def top(page: Page, wanted: str) -> float:
    """Where something begins."""
    box = page.locator(wanted).first.bounding_box()
    assert box is not None
    return box["y"]


def test_while_dice_are_laid_the_answer_before_stays_and_nothing_is_wrong(visit: Open) -> None:
    page = visit("/yahtzee?roll=1,1,2,3,6", viewport=USUAL)
    assert "tap" in (page.locator("input.typed").get_attribute("placeholder") or "")  # where taps are heard
    before = page.locator("#answer .move").count()
    assert before > 3
    page.locator("button[data-take='0']").click()
    says(page, "One die to come")
    page.locator("button[data-take='0']").click()
    says(page, "2 dice to come")
    assert page.locator("#answer .move").count() == before
    assert page.locator(".error:not(:empty), .wrong").count() == 0
    assert float(page.locator("#answer").evaluate("part => getComputedStyle(part).opacity")) < 1
    for face in (4, 5):
        page.locator(f"button[data-face='{face}']").click()
    page.wait_for_url("**roll=2,3,4,5,6**")
    assert page.locator(".coming").count() == 0
    assert page.locator("#answer").evaluate("part => getComputedStyle(part).opacity") == "1"


@pytest.mark.parametrize("viewport", [SMALL, USUAL], ids=["small", "usual"])
def test_dice_lie_in_one_row_and_what_is_tapped_stays_where_it_is(visit: Open, viewport: dict[str, Any]) -> None:
    page = visit(ZILCH, **{**ON_A_PHONE, "viewport": viewport})
    faces = top(page, "button[data-face]")
    for face in (1, 1, 5, 2, 3, 6):
        page.locator(f"button[data-face='{face}']").tap()
        assert top(page, "button[data-face]") == faces
    assert len({box["y"] for taken in page.locator("[data-take]").all() if (box := taken.bounding_box())}) == 1
    assert page.evaluate("() => document.documentElement.scrollWidth") <= viewport["width"]
    for taken in page.locator("[data-take]").all():
        box = taken.bounding_box()
        assert box is not None
        assert min(box["width"], box["height"]) >= 44


def test_a_step_below_the_lowest_says_nothing_again(visit: Open) -> None:
    page = visit("/bluff?p.chips=2")
    total = page.locator("#total")
    less, more = (page.locator(f"[data-field=total] button[data-step='{by}']") for by in (-1, 1))
    less.click()
    assert total.input_value() == ""
    more.click()
    assert total.input_value() == "3"
    page.wait_for_url("**total=3**")
    less.click()
    assert total.input_value() == ""
    page.wait_for_function("() => !location.search.includes('total')")
    page.locator("[data-field=call] button[data-step='1']").click()
    page.wait_for_url("**call=3**")
    assert named(page) == {"call": "3", "p.chips": "2"}


def test_steps_of_numbers_beside_each_other_are_in_line_and_end_at_the_lowest_that_there_is(visit: Open) -> None:
    page = visit("/pig?p.target=30&mine=1", viewport=USUAL)
    for part in (".stepper", ".help"):
        assert top(page, f"[data-field=mine] {part}") == top(page, f"[data-field=theirs] {part}")
    for _ in range(3):
        page.locator("[data-field=mine] button[data-step='-1']").click()
        assert page.locator("#mine").input_value() == "0"


def test_on_a_phone_the_part_of_a_class_is_in_sight_and_the_bar_of_the_verdict_leads_to_the_moves(visit: Open) -> None:
    page = visit("/yahtzee?roll=1,2,2,5,6", viewport=USUAL)
    assert top(page, "#answer .move") > USUAL["height"]
    page.locator("#verdict a").first.click()
    page.wait_for_function(
        "() => document.querySelector('#answer .move').getBoundingClientRect().top < innerHeight - 60"
    )
    page.locator("details.why summary").click()
    head = page.locator(".parts th", has_text="part").first
    head.wait_for()
    box = head.bounding_box()
    assert box is not None
    assert box["x"] + box["width"] <= USUAL["width"]
    assert "gradient" in page.locator(".scrolls").first.evaluate("part => getComputedStyle(part).backgroundImage")


@pytest.mark.parametrize("viewport", [SMALL, USUAL], ids=["small", "usual"])
def test_what_is_done_after_a_move_stands_below_it(visit: Open, viewport: dict[str, Any]) -> None:
    page = visit(f"{ZILCH}&roll=1,1,3,4,4,4", viewport=viewport)
    gaps = page.evaluate("""() => [...document.querySelectorAll(".move .then")].map((then) => {
        const words = document.createRange();
        words.selectNodeContents(then.closest("tr").querySelector("a"));
        return then.getBoundingClientRect().top - words.getBoundingClientRect().bottom;
    })""")
    assert len(gaps) >= 3
    assert min(gaps) >= -4, gaps  # lines are higher than their letters
    assert page.locator("tr.move th[role=rowheader]").count() >= 3
