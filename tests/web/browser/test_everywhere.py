"""What holds of every page: readable for all, wide enough for a phone, light, and nothing from elsewhere.

That no page has an error in its console, breaks its own Content-Security-Policy or asks another host for anything is
seen at the end of every test, by the fixture ``watched``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from scripts.browsing import PHONE
from tests.web.browser.conftest import Open
from tests.web.browser.places import PLACES

pytestmark = pytest.mark.browser

GRAVE = ("serious", "critical")
ON_A_PHONE: Any = {"viewport": PHONE, "has_touch": True, "is_mobile": True}
WIDE = """() => [...document.querySelectorAll("body *")]
    .filter(part => part.getBoundingClientRect().right > innerWidth + 0.5)
    .slice(0, 5).map(part => part.outerHTML.slice(0, 120))"""
THUMB = 44  # CSS pixels that a control is wide and high at least
TOO_SMALL = """least => {
    const inText = "p a, li p a, td a, dd a, small a", controls = "a, button, input, select, textarea, summary, label";
    const isOwn = part => {
        if (part.matches(".skip, input[type=hidden]") || part.matches(inText)) return false;
        if (part.matches("label") && !part.querySelector("input")) return false;  // the name of a control beside it
        return !(part.matches("input") && part.closest("label"));  // the label around it is what is tapped
    };
    const tapped = part => {  // a link may spread over what it stands in
        const after = getComputedStyle(part, "::after");
        let around = part;
        if (after.content !== "none" && after.position === "absolute" && after.inset === "0px")
            while (getComputedStyle(around).position === "static") around = around.parentElement;
        return around.getBoundingClientRect();
    };
    return [...document.querySelectorAll(controls)]
        .filter(part => isOwn(part) && part.checkVisibility({visibilityProperty: true, opacityProperty: true}))
        .map(part => [part, tapped(part)])
        .filter(([part, box]) => box.width && box.height && (box.height < least - 0.5 || box.width < least - 0.5))
        .map(([part, box]) => `${part.outerHTML.slice(0, 99)}: ${Math.round(box.width)} x ${Math.round(box.height)}`);
}"""


EVERY_PLACE = pytest.mark.parametrize("place", PLACES.values(), ids=PLACES.keys())
UNDER_WAY = "[aria-busy], .htmx-request, .htmx-settling, .htmx-swapping"
UNFOLD = "() => document.querySelectorAll('details').forEach(fold => { fold.open = true; })"


@EVERY_PLACE
def test_a_page_is_for_everybody_light_or_dark_and_for_phones(visit: Open, axe: str, place: str) -> None:
    page = visit(place)
    assert "rollwise" in page.title()
    assert page.locator("h1").count() == 1
    assert page.locator("html").get_attribute("lang") == "en"
    unfold(page)
    assert grave(page, axe) == []
    darken(page)
    assert grave(page, axe, ["color-contrast"]) == []
    fits_a_phone(visit(place, **ON_A_PHONE))


def unfold(page: Any) -> None:
    """All that is folded is open, and has come where it is fetched for that: until then it is pale."""
    page.evaluate(UNFOLD)
    page.wait_for_timeout(100)  # until it is asked for
    page.wait_for_function(f"() => !document.querySelector('{UNDER_WAY}')")


def darken(page: Any) -> None:
    """At night; no colour is on its way to another."""
    page.emulate_media(color_scheme="dark", reduced_motion="reduce")


def grave(page: Any, axe: str, rules: list[str] | None = None) -> list[str]:
    """Serious and critical findings on a page as it stands, by all rules or by these."""
    page.evaluate(axe)
    only = {"runOnly": rules} if rules else {}
    found = page.evaluate("only => axe.run(document, {resultTypes: ['violations'], ...only})", only)
    return [
        f"{violation['id']}: {node['html'][:160]} {node['failureSummary']}"
        for violation in found["violations"]
        if violation["impact"] in GRAVE
        for node in violation["nodes"]
    ]


def fits_a_phone(page: Any) -> None:
    """Nothing is wider than the screen, and no control smaller than a thumb."""
    page.evaluate(UNFOLD)
    assert page.evaluate("() => document.documentElement.scrollWidth") <= PHONE["width"], page.evaluate(WIDE)
    assert page.evaluate(TOO_SMALL, THUMB) == []


LARGE = """() => { document.documentElement.style.fontSize = "200%"; }"""
OVERLAP = """() => [...document.querySelectorAll(".hero, .move")].flatMap(around => {
    const said = "strong, .large b, .large span, .less, .onward, .then, .often, td.number, th a";
    const words = [...around.querySelectorAll(said)]
        .map(part => { const range = document.createRange(); range.selectNodeContents(part);
                       return [part, [...range.getClientRects()].filter(box => box.width > 1 && box.height > 1)]; });
    return words.flatMap(([one, boxes], place) => words.slice(place + 1)
        .filter(([other]) => !one.contains(other) && !other.contains(one))
        .filter(([, others]) => boxes.some(a => others.some(b => a.left < b.right - 4 && b.left < a.right - 4
            && a.top < b.bottom - 9 && b.top < a.bottom - 9)))  // lines are higher than their letters
        .map(([other]) => `${one.textContent} over ${other.textContent}`));
})"""


@pytest.mark.parametrize("place", [PLACES[name] for name in ("a sheet", "a mix", "luck", "what pages are made of")])
def test_text_of_twice_the_size_neither_overlaps_nor_is_wider_than_the_screen(visit: Open, place: str) -> None:
    page = visit(place, viewport={"width": 390, "height": 844})
    assert page.evaluate(OVERLAP) == []
    page.evaluate(LARGE)
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 390, page.evaluate(WIDE)
    assert page.evaluate(OVERLAP) == []


def test_components_are_pictured_in_both_schemes_and_the_switch_is_kept(visit: Open, tmp_path: Path) -> None:
    page, seen = visit("/components"), list[bytes]()
    for scheme, ground in (("light", "rgb(246, 242, 233)"), ("dark", "rgb(23, 24, 26)")):
        page.get_by_label("Colours").select_option(scheme)
        page.reload()
        assert page.evaluate("() => getComputedStyle(document.body).backgroundColor") == ground
        seen.append(page.screenshot(path=tmp_path / f"{scheme}.png", full_page=True))
    assert seen[0] != seen[1]


def test_fast_taps_say_nothing_in_the_console(visit: Open) -> None:
    page = visit(PLACES["a duel"])
    page.evaluate("""async () => {
        const more = document.querySelector("[data-field=turn] [data-step='1']");
        for (let tap = 0; tap < 12; tap++) { more.click(); await new Promise(done => setTimeout(done, 70)); }
        for (const link of document.querySelectorAll(".moves a, .hero .onward")) link.click();
    }""")
    page.wait_for_url("**turn=20**")
    page.wait_for_function(f"() => !document.querySelector('{UNDER_WAY}')")
