"""Playing on the page, against the best player and with others, and the review of what was played."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from scripts.browsing import PHONE
from tests.web.browser.conftest import Open
from tests.web.browser.test_everywhere import ON_A_PHONE, darken, fits_a_phone, grave

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

PIG = "/play/pig?p.target=30&seed=7"  # a game of some length
SHORT = "/play/pig?p.target=30&seed=7&mine=20&theirs=10"
BLUFF = "/play/bluff?p.chips=2"
BEGIN = "form:has(button[name=start])"


def start(page: Page) -> None:
    """Begin a game as it is offered."""
    page.locator("button[name=start]").click()
    page.locator("#table").wait_for()


def press(page: Page, button: str) -> None:
    """Press a button of the table, and wait for the table after it."""
    page.evaluate("() => { document.querySelector('#table').dataset.old = '1'; }")
    page.locator(button).first.click()
    page.locator("#table:not([data-old])").wait_for()


def play_on(page: Page) -> Iterator[None]:
    """Hold at 12, roll before that, to the end of the game."""
    while not page.locator(".result").count():
        held = page.locator("button[name=move][value=hold]")
        turn = int(page.locator(".state-facts dd").first.inner_text()) if held.count() else 0
        if page.locator("button[name=move]").count():
            press(page, "button[name=move][value=hold]" if turn >= 12 else "button[name=move][value=roll]")
        else:
            press(page, "button.onward")
        yield


def test_a_game_is_played_to_its_end_reviewed_kept_and_loaded_again(visit: Open) -> None:
    page = visit(PIG)
    page.locator(f"{BEGIN} input[name=coach]").check(force=True)
    start(page)
    assert "%" in page.locator("button[name=move]").first.inner_text()  # the coach tells what it is worth
    steps = sum(1 for _ in play_on(page))
    assert steps > 4
    page.locator("button[formaction='/review']").click()
    page.wait_for_url("**/review*")
    assert page.locator("figure.course polyline").count() >= 1
    assert page.locator("table.fall").count() == 2
    with page.expect_download() as told:
        page.locator("form[action='/review/record'] button").first.click()
    record = told.value.path().read_text()
    lines = [json.loads(line) for line in record.splitlines()]
    assert (lines[0]["game"], lines[0]["parameters"]) == ("pig", {"target": 30})
    assert sorted(lines[-1]["result"]) == [0, 1]
    falls = page.locator("table.fall").all_inner_texts()
    page.goto("/review")
    page.locator("textarea[name=record]").fill(record)
    page.locator("form[action='/review'] button").first.click()
    page.locator("table.fall").first.wait_for()
    # a record does not say which of its seats is whose
    assert page.locator("table.fall").all_inner_texts() == [told.replace("You", "Player 1") for told in falls]


def test_real_dice_are_tapped_a_choice_is_taken_back_and_by_keyboard_the_focus_is_never_lost(visit: Open) -> None:
    page = visit(PIG)
    page.locator(f"{BEGIN} input[name=throws][value=typed]").check(force=True)
    page.locator("button[name=start]").focus()
    page.keyboard.press("Enter")
    page.locator("#table").wait_for()
    press(page, "button[name=die][value='5']")
    assert page.locator(".state-facts dd").first.inner_text() == "5"
    press(page, "button[name=move][value=roll]")
    press(page, "button[name=die][value='1']")  # the turn is lost
    press(page, "button[value=undo]")
    assert page.locator("button[name=move]").all_inner_texts() == ["Hold", "Roll"]
    assert page.locator(".state-facts dd").first.inner_text() == "5"
    page.goto(PIG)
    start(page)
    for _ in range(3):
        page.evaluate("() => { document.querySelector('#table').dataset.old = '1'; }")
        for _ in range(30):
            page.keyboard.press("Tab")
            if page.evaluate("() => document.activeElement.matches('button[name=move], button.onward')"):
                break
        page.keyboard.press("Enter")
        page.locator("#table:not([data-old])").wait_for()
        page.wait_for_function("() => document.activeElement !== document.body")


def test_the_table_and_the_review_are_for_everybody_and_for_phones(visit: Open, axe: str) -> None:
    page = visit(SHORT, **ON_A_PHONE)

    def fits() -> None:
        page.emulate_media(color_scheme="light", reduced_motion="reduce")
        fits_a_phone(page)
        assert grave(page, axe) == []
        darken(page)
        assert grave(page, axe, ["color-contrast"]) == []

    start(page)
    press(page, "button[name=move][value=roll]")
    assert page.locator("#said").get_attribute("aria-live") == "polite"
    assert page.locator("#said").inner_text().strip()  # what happens is told to who cannot see it
    fits()
    for _ in play_on(page):
        pass
    fits()
    page.locator("button[formaction='/review']").click()
    page.wait_for_url("**/review*")
    fits()


def test_a_game_goes_on_after_the_page_is_loaded_again(visit: Open) -> None:
    page = visit(PIG)  # the page carries this one
    start(page)
    press(page, "button[name=move][value=roll]")
    board = page.locator(".board").inner_text()
    page.reload()
    page.locator("#table").wait_for()
    assert page.locator(".board").inner_text() == board
    page.get_by_text("Analyse this position").click()
    page.locator("#ask").wait_for()
    page.go_back()
    page.locator("#table").wait_for()
    assert page.locator(".board").inner_text() == board
    second = page.context.new_page()  # another tab offers it
    second.goto("/play/pig")
    second.locator("form.left-over button").click()
    second.locator("#table").wait_for()
    assert second.locator(".board").inner_text() == board
    for _ in play_on(second):
        pass
    end = second.locator(".result").inner_text()
    second.reload()
    second.locator(".result").wait_for()
    assert second.locator(".result").inner_text() == end
    second.goto("/play/pig")
    assert not second.locator("form.left-over").is_visible()


def test_names_are_typed_once_and_what_others_did_comes_one_after_the_other(visit: Open) -> None:
    page = visit(SHORT)
    page.locator("input[data-name='1']").first.fill("Ann")
    start(page)
    press(page, "button[name=move][value=roll]")
    press(page, "button[name=move][value=hold]")
    assert "Ann" in page.locator(".board").inner_text()
    assert page.locator(".happened .others .who").first.inner_text() == "Ann"
    coming = "() => document.querySelector('.happened .others').getAnimations({subtree: true}).length"
    assert page.evaluate(coming) > 1
    page.keyboard.press("Shift")  # whoever cannot wait
    assert page.evaluate(coming) == 0
    page.goto("/play/mexico?p.players=3&p.lives=1")
    assert page.locator("input[data-name='1']").first.input_value() == "Ann"


def test_a_review_is_gone_through_by_its_graph_its_slider_and_its_buttons_and_has_an_address(visit: Open) -> None:
    page = visit("/review", permissions=["clipboard-write"])
    page.locator("textarea[name=record]").fill("pig target=30\nAnn: 5 6 hold\nBen: 6 1\nAnn: 3 4 5 6 1")
    page.locator("form[action='/review'] button").first.click()
    page.locator("figure.course").wait_for()
    assert "r=" in page.url
    now = page.locator(".moments > .now")
    assert "Ann: roll" in now.inner_text()
    page.locator("button[data-by='1']").click()
    page.locator(".when input").press("ArrowRight")
    assert "Ann: hold" in now.inner_text()
    assert now.locator(".on-table").count() == 0
    box = page.locator("figure.course svg").first.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] - 5, box["y"] + box["height"] / 2)
    assert "So far" in now.inner_text()
    page.locator("ol.worst a[href^='#']").first.click()
    now.filter(has_text="Ann: hold").wait_for()  # its address changes first, the page hears of it a moment later
    page.locator("button[data-copy]").click()
    page.locator("button[data-copy]", has_text="Copied").wait_for()
    page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(); }")  # as on plain HTTP
    page.locator("button[data-copy]").click()
    page.locator("input.address").wait_for()
    assert page.url.startswith(page.evaluate("() => document.activeElement.value"))


def test_a_game_with_hidden_dice_is_the_same_after_the_page_is_loaded_again(visit: Open) -> None:
    page = visit(BLUFF)
    page.locator(f"{BEGIN} input[name='sit.1'][value=person]").check(force=True)
    start(page)
    for button in ("[value=see]", "[value=roll]", "[value='call 8']", "[value=see]", "[value=challenge]"):
        press(page, f"button{button}")
    board = page.locator(".board").inner_text()
    assert board.split() != ["Player", "1", "Player", "2", "2", "2"], "a chip is lost"
    address = page.url
    page.reload()
    assert page.url == address
    assert page.locator(".board").inner_text() == board
    page.goto("/play/bluff")
    page.locator("form.left-over button").click()
    page.locator("#table").wait_for()
    assert page.locator(".board").inner_text() == board


def test_dice_and_the_button_that_keeps_them_are_on_a_small_screen_without_scrolling(visit: Open) -> None:
    page = visit("/play/yahtzee", **ON_A_PHONE)
    start(page)
    press(page, "button[name=move]")
    for part in (page.locator(".keep").last, page.locator("button[value=keep]")):
        box = part.bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= PHONE["height"]
    assert page.locator(".scores").count() == 1
