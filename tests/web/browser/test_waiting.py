"""A game that is not solved yet: what it takes is told, it is solved on a tap with its progress, and can be stopped."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rollwise.web.jobs import Job
from rollwise.web.templating import templates
from rollwise.web.unsolved import Waiting
from tests.web.browser.conftest import Open, Watched
from tests.web.browser.test_everywhere import ON_A_PHONE, darken, fits_a_phone, grave

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

SECONDS = "/ten-thousand?p.goal=12000"  # takes some to be solved
OTHERS = "/ten-thousand?p.goal=13000"  # the same with other rules, which no test solves to the end
GO, STOP = "form[action*='/solve'] button", "form[action*='/stop'] button"
LONG = 60_000  # milliseconds


def waits(page: Page) -> str:
    """What is said while there is no answer."""
    return page.locator(".waiting").inner_text()


def test_what_a_solve_takes_is_told_then_its_progress_and_then_the_answer_comes_by_itself(visit: Open) -> None:
    page = visit(SECONDS)
    assert "second" in waits(page)
    page.locator(GO).click()
    page.locator(".waiting progress").wait_for()
    seen = page.evaluate_handle(
        """() => { const shares = [];
            new MutationObserver(() => { const bar = document.querySelector("progress");
                if (bar && bar.hasAttribute("value")) shares.push(bar.value); })
                .observe(document.querySelector("#answer"), {childList: true, subtree: true, attributes: true});
            return shares; }"""
    )
    page.locator("#answer .moves, #answer tr.best").first.wait_for(timeout=LONG)
    page.locator("#verdict strong").wait_for()
    shares = seen.json_value()
    assert shares, "no progress was shown"
    assert shares == sorted(shares)
    assert page.locator(".waiting").count() == 0


def test_a_solve_is_begun_and_stopped_by_everybody_and_on_phones(visit: Open, axe: str) -> None:
    page = visit(OTHERS, **ON_A_PHONE)
    for button in (GO, STOP):
        page.locator(button).wait_for()
        fits_a_phone(page)
        assert grave(page, axe) == []
        darken(page)
        assert grave(page, axe, ["color-contrast"]) == []
        page.locator(button).click()
    page.locator(GO).wait_for()  # it can be begun again
    assert page.locator(STOP).count() == 0


@pytest.mark.parametrize(
    ("place", "record", "button", "comes", "title"),
    [
        ("/play/pig?p.target=26", "", "button[name=start]", "#table button[name=move]", "Pig"),
        (
            "/review",
            "pig target=27\nA: 5 6 hold\nB: 6 1",
            "form[action='/review'] button",
            "table.fall",
            "Review of Pig",
        ),
    ],
    ids=["play", "review"],
)
def test_what_waits_for_a_solve_comes_by_itself_once_it_is_solved(
    visit: Open, watched: Watched, place: str, record: str, button: str, comes: str, title: str
) -> None:
    page = visit(place)
    if record:
        page.locator("textarea[name=record]").fill(record)
    page.locator(button).first.click()
    assert "not solved yet" in page.locator("#table").inner_text()
    page.locator(comes).first.wait_for(timeout=LONG)
    assert page.locator("h1").all_inner_texts() == [title]
    watched.wrong = [wrong for wrong in watched.wrong if "503" not in wrong]  # the page that waits


def test_a_fold_whose_answer_is_late_shows_how_far_it_is_and_then_the_answer(visit: Open, watched: Watched) -> None:
    page, place, job = visit("/shut-the-box"), "/shut-the-box/ends?", Job(b"", state="running", id="x", share=0.25)
    waiting = Waiting(job)
    shown = {"part": True, "waiting": waiting, "game": "late", "action": place, "is_post": False, "in_answer": False}
    late = templates.get_template("late.html").render(shown)
    job.share = 0.75
    share = templates.get_template("progress.html").render(waiting=waiting).replace("\n", "")
    news = [f"event: {name}\ndata: {share}\n\n" for name in ("share", "over")]
    stream = {"content_type": "text/event-stream", "headers": {"Cache-Control": "no-store"}}
    told = iter(news[:1])  # the first connection hears the share, and those after it that it is over, however soon
    page.route("**/late/progress/x", lambda route: route.fulfill(body=next(told, "".join(news)), **stream))
    page.route(f"**{place}*", lambda route: route.fulfill(body=late, status=202, content_type="text/html"), times=1)
    page.locator("details.ends summary").click()
    page.locator(".fold .late progress[value='75']").wait_for()
    page.locator(".fold table.steps").wait_for(timeout=LONG)
    assert page.locator(".late").count() == 0
    watched.wrong.remove("console: [object Event]")  # the first news ended before it was over
