"""Asking on the page: what a person does with fields, moves, throws and a thumb, and what stands there then."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

import pytest

from rollwise.games.registry import REGISTRY, game_class
from tests.web.browser.conftest import Open
from tests.web.browser.places import PLACES
from tests.web.browser.test_everywhere import ON_A_PHONE

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

DUEL = PLACES["a duel"]
SMALL, USUAL = {"width": 320, "height": 640}, {"width": 390, "height": 844}
ZILCH = "/zilch?p.goal=500&p.players=1"


def verdict(page: Page) -> str:
    """The sentence that is the answer."""
    return page.locator("#verdict").inner_text()


def says(page: Page, words: str) -> None:
    """Wait until the verdict has these words, and is the one to what was asked last."""
    page.locator("#verdict:not([aria-busy])").filter(has_text=words).wait_for()


def named(page: Page) -> dict[str, str]:
    """What the address says."""
    return {name: values[-1] for name, values in parse_qs(urlsplit(page.url).query).items()}


def test_well_known_games_stand_on_a_phone_without_scrolling_and_are_found(visit: Open) -> None:
    page = visit("/", viewport=USUAL)
    bottoms = page.locator(".known").evaluate_all("every => every.map(one => one.getBoundingClientRect().bottom)")
    known = sum(game_class(name).picture is not None for name in REGISTRY)
    assert (len(bottoms), max(bottoms) < USUAL["height"]) == (known, True)
    page.get_by_role("searchbox").fill("shut")
    page.wait_for_function("() => document.querySelectorAll('.card').length === 1")
    page.locator("a.card").click()
    page.wait_for_url("**/shut-the-box")


def test_a_field_that_is_typed_in_changes_address_and_verdict_which_is_told_to_who_cannot_see_it(visit: Open) -> None:
    page = visit("/pig?p.target=30&mine=12&theirs=20")
    assert "roll" in verdict(page)
    heard = page.locator("#verdict")
    assert (heard.get_attribute("role"), heard.get_attribute("aria-live")) == ("status", "polite")
    page.evaluate("() => { window.before = document.querySelector('#verdict'); }")
    page.fill("#turn", "18")
    says(page, "Hold")
    assert page.evaluate("() => window.before === document.querySelector('#verdict')")  # else nothing is heard
    assert named(page) == {"mine": "12", "theirs": "20", "turn": "18", "p.target": "30"}


def test_dice_are_put_on_the_table_and_taken_away_by_taps(visit: Open) -> None:
    page = visit("/shut-the-box")
    for face in (5, 3):
        page.locator(f"[data-field=roll] button[data-face='{face}']").focus()
        page.keyboard.press("Space")
    says(page, "Shut 8")
    assert named(page) == {"roll": "3,5"}
    assert page.evaluate("() => !!document.activeElement.closest('[data-dice]')")  # after the last die that fits
    page.locator("button[data-take='0']").click()
    assert page.locator("button[data-take]").count() == 1
    page.locator("[data-field=roll] button[data-face='6']").focus()
    page.keyboard.type("7")
    page.keyboard.press("Backspace")
    page.keyboard.type("62")  # digits lay dice while dice have the focus
    page.wait_for_url("**roll=2,6**")


def test_what_cannot_be_says_why_beside_its_field_and_what_is_new_takes_no_focus(visit: Open) -> None:
    page = visit(DUEL)
    page.fill("#mine", "44")
    page.locator("#error-mine:not(:empty)").wait_for()
    assert "44" in page.locator("#error-mine").inner_text()
    assert page.locator("#mine").get_attribute("aria-invalid") == "true"
    assert page.locator("#error-theirs").inner_text() == ""
    assert page.evaluate("() => document.activeElement.id") == "mine"
    page.fill("#mine", "12")
    page.locator("#error-mine:empty").wait_for(state="attached")
    says(page, "%")
    page.locator("#mine:not([aria-invalid])").wait_for()
    page.locator("details.why summary").click()  # why is told when its fold is opened
    page.locator("details.why table").wait_for()
    assert "bust" in page.locator("details.why").inner_text().lower()
    page.locator(".moves a[href*='move=roll']").focus()
    page.keyboard.press("Enter")
    page.locator("#next").wait_for()
    page.wait_for_function("() => !document.querySelector('.htmx-request, .htmx-settling, .htmx-swapping')")
    assert page.evaluate("() => document.activeElement !== document.body")


def test_a_turn_is_followed_to_its_end_and_leads_to_the_other_player(visit: Open) -> None:
    page = visit("/pig?p.target=30")
    for total in ("4", "8"):
        move(page, "roll")
        page.locator("#next .heat").nth(3).click()  # a four
        page.wait_for_url(f"**turn={total}**")
    move(page, "hold")
    page.locator("#next a.onward").click()
    page.wait_for_url("**theirs=8**")
    assert named(page) == {"theirs": "8", "p.target": "30", "turned": "1"}
    assert "other player" in page.locator(".turned").inner_text()
    move(page, "roll")
    page.locator("#next .heat").first.click()  # a one
    page.wait_for_url("**mine=8**")
    assert named(page) == {"mine": "8", "p.target": "30", "turned": "1"}


def move(page: Page, name: str) -> None:
    """Tap a move, and wait until what it leads to stands there."""
    page.locator(f".moves a[href*='move={name}']").click()
    page.locator("#next").wait_for()
    page.wait_for_url(f"**move={name}**")


def test_the_back_button_and_a_reload_keep_how_it_stands(visit: Open) -> None:
    page = visit("/pig?p.target=30&mine=12&theirs=20&turn=8")
    before = verdict(page)
    move(page, "roll")
    page.locator("#next .heat").nth(4).click()
    page.wait_for_url("**turn=13**")
    after = verdict(page)
    page.reload()
    assert verdict(page) == after
    page.go_back()
    says(page, before.splitlines()[0])
    assert (page.locator("#turn").input_value(), named(page)["move"]) == ("8", "roll")
    page.locator("#next").wait_for()
    page.go_back()
    page.locator("#next").wait_for(state="detached")
    assert "move" not in named(page)
    page.go_forward()
    page.locator("#next").wait_for()


def test_without_script_a_question_is_asked_and_followed(visit: Open) -> None:
    page = visit("/pig?p.target=30", java_script_enabled=False)
    page.fill("#turn", "8")
    page.locator("button.go").click()
    assert "Roll" in verdict(page)
    page.locator(".moves a[href*='move=roll']").click()
    page.locator("#next .heat").nth(3).click()
    assert page.locator("#turn").input_value() == "12"
    page.fill("#mine", "44")
    page.locator("button.go").click()
    assert "44" in page.locator("#error-mine").inner_text()


def test_everything_is_asked_and_followed_by_keyboard_alone(visit: Open) -> None:
    page = visit("/pig?p.target=30")
    tab_to(page, "#turn")
    page.keyboard.type("18")
    says(page, "Hold")
    tab_to(page, ".moves a[href*='move=hold']")
    page.keyboard.press("Enter")
    page.locator("#next").wait_for()
    tab_to(page, "#next a.onward")
    page.keyboard.press("Enter")
    page.wait_for_url("**theirs=18**")


def tab_to(page: Page, wanted: str) -> None:
    """Press Tab until the focus is there, and see that it is always seen."""
    for _ in range(80):
        page.keyboard.press("Tab")
        where = page.evaluate(
            """wanted => {
                const here = document.activeElement, style = getComputedStyle(here);
                const beside = here.nextElementSibling ? [getComputedStyle(here.nextElementSibling)] : [];
                const around = getComputedStyle(here.closest(".tile, .move, .card, .stepper, label") || here);
                const drawn = [style, around, getComputedStyle(here, "::after"), ...beside];
                const seen = drawn.some(one => one.outlineStyle !== "none" && parseFloat(one.outlineWidth) >= 2);
                return {found: here.matches(wanted), html: here.outerHTML.slice(0, 120), seen};
            }""",
            wanted,
        )
        assert where["seen"] or where["html"].startswith("<body"), f"the focus is not seen on {where['html']}"
        if where["found"]:
            return
    raise AssertionError(f"the focus does not come to {wanted}")


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
        page.locator(f"[data-field=roll] button[data-face='{face}']").click()
    page.wait_for_url("**roll=2,3,4,5,6**")
    assert page.locator(".coming").count() == 0
    assert page.locator("#answer").evaluate("part => getComputedStyle(part).opacity") == "1"


@pytest.mark.parametrize("viewport", [SMALL, USUAL], ids=["small", "usual"])
def test_dice_lie_in_one_row_and_what_is_done_after_a_move_below_it(visit: Open, viewport: dict[str, Any]) -> None:
    page = visit(ZILCH, **{**ON_A_PHONE, "viewport": viewport})
    faces = top(page, "button[data-face]")
    for face in (1, 1, 3, 4, 4, 4):
        page.locator(f"[data-field=roll] button[data-face='{face}']").tap()
        assert top(page, "button[data-face]") == faces
    boxes = [box for taken in page.locator("[data-take]").all() if (box := taken.bounding_box())]
    assert len({box["y"] for box in boxes}) == 1
    assert min(min(box["width"], box["height"]) for box in boxes) >= 44
    assert page.evaluate("() => document.documentElement.scrollWidth") <= viewport["width"]
    page.wait_for_url("**roll=1,1,3,4,4,4**")
    page.locator("#answer:not([aria-busy]) .move .then").first.wait_for()
    gaps = page.evaluate("""() => [...document.querySelectorAll(".move .then")].map((then) => {
        const words = document.createRange();
        words.selectNodeContents(then.closest("tr").querySelector("a"));
        return then.getBoundingClientRect().top - words.getBoundingClientRect().bottom;
    })""")
    assert len(gaps) >= 3
    assert min(gaps) >= -4, gaps  # lines are higher than their letters
    assert page.locator("tr.move th[role=rowheader]").count() >= 3


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
    for part in (".stepper", ".name"):
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
