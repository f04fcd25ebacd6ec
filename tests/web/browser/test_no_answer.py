"""The page while the server has not answered: nothing there is taken for an answer to another question.

What was asked before is there, is said to be old, and gives way to what is new.

The server is ended and started again, or the network is cut, or answers are held back on their way.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

import pytest

from scripts import browsing
from tests.web.browser.conftest import Open, Watched
from tests.web.browser.places import PLACES
from tests.web.browser.test_asking import named, says, verdict
from tests.web.browser.test_everywhere import ON_A_PHONE, darken, fits_a_phone, grave
from tests.web.browser.test_playing import PIG, start
from tests.web.browser.test_waiting import GO, OTHERS

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route

pytestmark = pytest.mark.browser

DUEL, SHEET = PLACES["a duel"], PLACES["a sheet"]
IS_OF_NO_ANSWER = r"Failed to load|htmx:|object Event|blocked by Playwright"
GONE = "The server does not answer. Your question is sent again as soon as it does."


@pytest.fixture(scope="module")
def mortal(solved: Path) -> Iterator[browsing.Server]:
    """A server that tests end."""
    server = browsing.Server(solved)
    server.start()
    yield server
    server.stop()


@pytest.fixture(autouse=True)
def forgiven(watched: Watched) -> Iterator[None]:
    """What a browser says of a request that fails is no fault here."""
    yield
    watched.wrong = [wrong for wrong in watched.wrong if not re.search(IS_OF_NO_ANSWER, wrong)]


def held(page: Page, where: str) -> list[Route]:
    """The requests to such a place, each held back until a test lets it go."""
    found: list[Route] = []
    page.route(where, lambda route: found.append(route))
    return found


def let_go(page: Page, routes: list[Route]) -> None:
    """All of them, those too that nobody waits for any more."""
    for route in routes:
        route.continue_()
    page.unroute_all()


def tells(page: Page, words: str) -> None:
    """Wait until this stands where people look for the answer, and no older answer does."""
    page.locator("#server").filter(has_text=words).wait_for()
    assert page.locator("#server").get_attribute("aria-live") == "polite"
    assert not page.locator("#verdict").is_visible()


def is_marked(page: Page) -> bool:
    """Is what stands there marked as no answer, in all ways?"""
    marks: list[bool] = page.evaluate("""() => {
        const answer = document.querySelector("#answer"), dimmed = getComputedStyle(answer).opacity < 1;
        const busy = ["#answer", "#verdict"].map(id => document.querySelector(id).getAttribute("aria-busy") === "true");
        return [dimmed, answer.inert, ...busy, document.querySelector("#server").textContent !== ""];
    }""")
    assert len(set(marks)) == 1, marks
    return marks[0]


def is_answered(page: Page, game: str) -> None:
    """Wait for the answer; it is the one to the question of the form, and of the address."""
    page.locator("#answer:not([aria-busy]):not([inert]) tr.best").first.wait_for()
    assert not is_marked(page)
    said = named(page)
    form = page.evaluate("() => Object.fromEntries(new FormData(document.querySelector('#ask')))")
    fields = {name: value for name, value in said.items() if name != "move" and not name.startswith("p.")}
    assert all(sorted(form[name]) == sorted(value) for name, value in fields.items() if name in form), (form, fields)
    params = {name[2:]: value for name, value in said.items() if name.startswith("p.")}
    told = page.request.post("/api/ask", data={"game": game, "params": params, "state": fields}).json()
    best = page.locator("tr.best th a").all()
    assert {parse_qs(urlsplit(link.get_attribute("href") or "").query)["move"][0] for link in best} == set(told["best"])
    assert f"{100 * told['value']:.1f}" in page.locator("tr.best .value").first.inner_text() or game == "yahtzee"


def test_a_change_marks_the_answer_at_once_and_a_late_answer_is_told(visit: Open) -> None:
    page = visit(DUEL)
    assert not is_marked(page)
    routes = held(page, "**/check?*")
    page.fill("#turn", "18")
    assert is_marked(page)
    assert page.locator("#server").inner_text() == "Working it out"
    assert "Roll" in verdict(page)  # as before, and marked
    tells(page, "No answer from the server yet")
    let_go(page, routes)
    says(page, "Hold")
    is_answered(page, "pig")
    routes = held(page, "**/answer?*")
    page.locator(".moves a[href*='move=roll']").click()
    page.fill("#turn", "17")
    is_answered(page, "pig")
    with page.expect_response("**/answer?*"):  # which never takes the place of a newer one
        let_go(page, routes)
    page.wait_for_timeout(100)
    is_answered(page, "pig")
    assert (named(page)["turn"], "move" in named(page)) == ("17", False)


def test_a_question_is_sent_again_once_the_server_is_back(
    visit: Open, mortal: browsing.Server, watched: Watched
) -> None:
    watched.server = mortal.address
    page = visit(DUEL, base_url=mortal.address)
    mortal.stop()
    page.fill("#turn", "18")
    tells(page, GONE)
    page.fill("#turn", "9")  # while it is gone
    assert is_marked(page)
    mortal.start()
    is_answered(page, "pig")
    assert named(page)["turn"] == "9"


def test_a_sheet_without_a_network_says_so_and_is_answered_with_one(visit: Open) -> None:
    page = visit(SHEET)
    page.locator("button[data-take='0']").click()
    says(page, "One die to come")
    assert page.evaluate("() => document.querySelector('#answer').inert")  # the older answer leads nowhere
    page.context.set_offline(True)
    page.locator("button[data-face='5']").click()
    tells(page, GONE)
    page.context.set_offline(False)
    is_answered(page, "yahtzee")
    assert named(page)["roll"] == "2,3,4,5,6"


def test_a_rule_that_is_typed_marks_the_answer_and_is_asked_before_the_field_is_left(visit: Open) -> None:
    page = visit("/pig?p.target=30&mine=12&theirs=20&turn=8")
    routes = held(page, "**/pig/typed?*")
    page.locator("#p-target").press("End")
    page.keyboard.press("Backspace")
    assert is_marked(page)
    page.keyboard.type("1")
    page.wait_for_timeout(900)
    assert is_marked(page)
    assert len(routes) == 1  # not one for each key
    let_go(page, routes)
    page.locator(".waiting, #answer tr.best").first.wait_for()  # with 31, a game that nobody has solved
    page.locator("#mine[max='30']").wait_for()
    assert page.evaluate("() => document.activeElement.id") == "p-target"
    assert (page.locator("#mine").input_value(), named(page)["p.target"]) == ("12", "31")


def test_a_rule_typed_halfway_drops_nothing_that_was_said_and_a_tap_on_a_move_after_it_is_not_lost(visit: Open) -> None:
    page = visit("/pig?p.target=30&mine=12&turn=8")
    page.fill("#p-target", "3")
    page.locator("#error-mine:not(:empty)").wait_for()
    assert page.locator("#mine").input_value() == "12"
    page.fill("#p-target", "30")
    is_answered(page, "pig")
    assert named(page) == {"mine": "12", "turn": "8", "p.target": "30"}
    page.locator(".moves a[href*='move=roll']").click()
    page.wait_for_url("**move=roll")
    page.locator("#next").wait_for()


def test_back_from_a_place_on_the_page_shows_the_answer_to_the_address(visit: Open) -> None:
    page = visit(DUEL)
    page.locator("#verdict a[href='#answer']").click()
    page.fill("#turn", "18")
    says(page, "Hold")
    page.go_back()
    says(page, "less: hold")
    is_answered(page, "pig")
    assert named(page)["turn"] == "8"


ROLL = "button[name=move][value=roll]"


def steps(page: Page) -> int:
    """How many steps of the game have been made."""
    return int(named(page).get("step", "0"))


def test_the_button_that_was_pressed_says_what_became_of_it(
    visit: Open, mortal: browsing.Server, watched: Watched
) -> None:
    watched.server = mortal.address
    page = visit(PIG, base_url=mortal.address)
    start(page)
    before = steps(page)
    routes, posts = held(page, "**/play/pig"), list[str]()
    page.on("request", lambda request: posts.append(request.url) if request.method == "POST" else None)
    page.locator(ROLL).click()
    assert "One moment" in page.locator(ROLL).inner_text()
    page.locator(ROLL).click(force=True)  # pressed twice
    page.locator(ROLL).filter(has_text="No answer").wait_for()
    assert len(routes) == 1
    mortal.stop()
    let_go(page, routes)
    page.locator("#server").filter(has_text="Press the same button").wait_for()
    assert "try again" in page.locator(ROLL).inner_text()
    page.wait_for_timeout(200)
    assert len(posts) == 1  # nothing is played that nobody presses
    mortal.start()
    page.evaluate("() => { document.querySelector('#table').dataset.old = '1'; }")
    page.locator(ROLL).click()
    page.locator("#table:not([data-old])").wait_for()
    assert steps(page) > before
    assert page.locator("#server").inner_text() == ""
    assert page.locator(".now").count() == 0
    page.go_back()
    page.locator("#table").wait_for()
    assert page.locator(".now, #table[aria-busy]").count() == 0


def test_the_news_of_a_solve_says_that_the_server_is_gone_and_goes_on_when_it_is_back(
    visit: Open, mortal: browsing.Server, watched: Watched
) -> None:
    watched.server = mortal.address
    page = visit(OTHERS, base_url=mortal.address)
    page.locator(GO).click()
    page.locator(".waiting progress").wait_for()
    mortal.stop()
    tells(page, GONE)
    mortal.start()
    page.locator(f"{GO}, #answer tr.best").first.wait_for()  # which knows nothing of the solve
    page.locator("#server:empty").wait_for(state="attached")


# --- what was asked before --------------------------------------------------------------------------------------------

PLAIN: Any = {"service_workers": "block", **ON_A_PHONE}  # as at a plain address of the network: no workers there
LIST, OLD, SAME = "#kept-list", "#kept-answer", "#kept-list .same"
STORED, STORE = "() => localStorage['rollwise-kept']", "kept => { localStorage['rollwise-kept'] = kept; }"
LEFT = "() => { window.dispatchEvent(new Event('pagehide')); }"
THROWS = """Object.defineProperty(window, "localStorage", { get() { throw new DOMException("", "SecurityError"); } });
    navigator.serviceWorker.register = () => Promise.reject(new Error("refused"));"""
FULL = """() => { for (let size = 2 ** 22; size >= 1;)
    try { localStorage[Math.random()] = "x".repeat(size); } catch { size = Math.floor(size / 2); } }"""
READY = "() => navigator.serviceWorker.ready.then(() => {})"  # from the next page on it is there
CACHED = "async () => (await (await caches.open((await caches.keys())[0])).keys()).map(({ url }) => url)"


def kept(page: Page) -> Any:
    """What is stored, with the answer that stands there: as when a page is left."""
    page.evaluate(LEFT)
    return json.loads(page.evaluate(STORED))


def cut(page: Page) -> None:
    """Without a network, ask."""
    page.context.set_offline(True)
    page.fill("#turn", "9")
    tells(page, GONE)


def test_a_server_on_this_machine_answers_without_a_network(visit: Open) -> None:
    page = visit(DUEL, **PLAIN)
    kept(page)
    page.evaluate("""() => { Object.defineProperty(navigator, "onLine", { get: () => false });
        window.dispatchEvent(new Event("offline")); }""")
    page.fill("#turn", "9")
    is_answered(page, "pig")
    page.wait_for_timeout(300)
    assert page.locator(f":is({OLD}, {LIST}):visible").count() == 0


def test_an_old_answer_is_said_to_be_old_and_gives_way_to_a_new_one(visit: Open, axe: str) -> None:
    page = visit(SHEET, **PLAIN)
    kept(page)
    page.goto(DUEL)
    (pig, _) = (found := kept(page))["list"]
    pig["at"] -= 86_400_000
    page.evaluate(STORE, json.dumps(found))
    cut(page)
    assert not page.locator(SAME).is_visible()  # nine were not asked
    page.fill("#turn", "8")
    page.locator(SAME).filter(has_text="from yesterday ").tap()
    assert re.search(r"From yesterday [\d:]+. The server does not answer.\s+Pig: .*8.*\s+Roll", page.inner_text(OLD))
    assert is_marked(page)  # what stands in the place of the answer is none
    assert page.locator(f"{OLD} :is(form, .said [id], .said a[href])").count() == 0
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 320
    darken(page)
    assert grave(page, axe) == []
    page.locator(f"{OLD} > button").tap()
    page.locator(f"{LIST} summary").tap()
    page.locator(f"{LIST} li a").last.tap()
    assert re.search(r"From today .*\s+Yahtzee: ", page.inner_text(OLD))
    page.context.set_offline(False)
    is_answered(page, "pig")
    assert page.locator(f":is({OLD}, {LIST}):visible").count() == 0


def test_a_store_that_is_damaged_full_or_of_another_version_offers_nothing_and_is_used_again(visit: Open) -> None:
    page = visit(DUEL, **PLAIN)
    found = kept(page)
    sound = found["list"]
    for bad, of in ((None, ""), ([None], ""), ([{**sound[0], "said": 1}], ""), (sound, "0.0"), (sound, "")):
        page.evaluate(STORE, json.dumps({"version": of or found["version"], "list": bad}))
        page.context.set_offline(True)
        page.wait_for_timeout(200)  # the server is asked first
        assert page.locator(LIST).is_visible() == (bad == sound and not of)
        page.context.set_offline(False)
    page.evaluate(STORE, "{")
    for turn, full in (("9", False), ("7", True)):
        if full:
            page.evaluate(FULL)
        page.fill("#turn", turn)
        page.wait_for_url(f"**turn={turn}**")
        is_answered(page, "pig")
        assert f"turn={turn}" in kept(page)["list"][0]["url"]


def test_a_browser_that_keeps_nothing_and_refuses_the_worker_answers_as_ever(visit: Open, watched: Watched) -> None:
    page = visit("/")
    page.context.add_init_script(THROWS)
    page.goto(DUEL)
    page.evaluate(LEFT)
    page.fill("#turn", "18")
    says(page, "Hold")
    assert watched.wrong == []
    cut(page)
    assert not page.locator(LIST).is_visible()


def test_tabs_share_what_is_kept_which_is_so_much_and_no_more_and_never_a_game_under_way(visit: Open) -> None:
    page = visit(DUEL, **PLAIN)
    found, tab = kept(page), page.context.new_page()
    tab.goto(SHEET)
    assert len(kept(tab)["list"]) == 2
    for size, most in ((1, 30), (40_000, 25)):
        many = [{**found["list"][0], "question": str(n), "said": "x" * size} for n in range(30)]
        page.evaluate(STORE, json.dumps({**found, "list": many}))
        tab.goto(SHEET)
        assert [one["question"] for one in kept(tab)["list"]][1:] == [str(n) for n in range(most - 1)]
    before = kept(tab)
    tab.reload()
    tab.locator("button[data-take='0']").click()
    says(tab, "One die to come")  # the answer that stands there is of another question
    assert [one["question"] for one in kept(tab)["list"]] == [one["question"] for one in before["list"]]
    before = kept(tab)
    tab.goto(PIG)
    start(tab)
    assert kept(tab) == before


def test_a_part_of_a_new_version_has_the_whole_page_come_anew(visit: Open) -> None:
    page = visit(DUEL, **PLAIN)

    def newer(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, headers={**answer.headers, "rollwise": "another"})

    page.route("**/check?*", newer)
    with page.expect_request(lambda request: request.is_navigation_request()):
        page.fill("#turn", "18")
    says(page, "Hold")


def test_without_a_server_the_worker_shows_what_is_kept_and_then_the_page(
    visit: Open, mortal: browsing.Server, watched: Watched, axe: str
) -> None:
    watched.server = mortal.address
    page = visit(SHEET, base_url=mortal.address, **ON_A_PHONE)
    page.goto(DUEL)
    kept(page)
    page.evaluate(READY)
    assert [url for url in page.evaluate(CACHED) if "/static/" not in url] == [f"{mortal.address}/kept"]
    mortal.stop()
    page.goto(f"{DUEL}&move=hold")
    assert re.search(r"From today .*\s+Pig: .*\s+Roll", page.inner_text(OLD))
    fits_a_phone(page)
    assert grave(page, axe) == []
    page.goto("/play/pig")
    page.locator(f"{LIST} li a").last.tap()
    assert "Yahtzee: " in page.inner_text(OLD)
    page.goto(DUEL)
    mortal.start()
    page.locator("#ask").wait_for()
    is_answered(page, "pig")
    page.evaluate("() => { navigator.serviceWorker.register('/sw.js?v=another'); }")
    page.wait_for_function("async () => (await caches.keys()).join() === 'rollwise-?v=another'")  # nothing of before


def test_a_page_of_another_site_begins_no_solve_through_the_worker_either(visit: Open, watched: Watched) -> None:
    page = visit("/")
    page.evaluate(READY)
    here, watched.server = watched.server, watched.server.replace("127.0.0.1", "localhost")
    page.goto(watched.server)
    page.evaluate("to => { document.querySelector('a').href = to; }", f"{here}/pig?p.target=29&turn=3")
    page.locator("a").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_url(f"{here}/pig?**")
    says(page, "Not solved yet")
    watched.wrong.clear()
