"""How heavy the page is and how soon it answers, in a real browser: python -m scripts.web_timing [--times N] [--json]

Weight: what a browser that knows nothing fetches for a place, as it comes over the wire. Answer: from the tap on a move
until what it leads to stands on the screen, and from the tap on a step or a tile until the new verdict does, each in a
game that is solved and has been asked before; the middle and the slowest of some taps. Games are solved first, into
the user's cache or ``ROLLWISE_CACHE``.
"""

from __future__ import annotations

import argparse
import json
import statistics
from collections.abc import Iterable
from typing import Any

from playwright.sync_api import Browser, Page, Request, sync_playwright

import rollwise
from scripts.browsing import PHONE, opened, served

PLACES = {
    "all games": "/",
    "pig": "/pig?mine=43&theirs=61&turn=18",
    "zilch": "/zilch?mine=1200&theirs=3000&turn=450&dice=2&trio=4",
    "yahtzee": "/yahtzee?filled=sixes:18,chance:23&roll=2,2,3,4,6&rolls_left=1",
    "shut-the-box": "/shut-the-box?open=1-9&roll=5,3",
    "bluff": "/bluff?mine=3&theirs=4&total=9",
    "thunderstorm": "/thunderstorm?failures=6,2,0&dice=1",
}
MOVE = "#answer .moves a >> nth=-1"
TAPPED = {  # what changes the question at once; one die of several would wait for the others
    "pig": "button.step >> nth=1",
    "zilch": "button.step >> nth=1",
    "yahtzee": "input[name=rolls_left][value='2']",
    "shut-the-box": ".tiles.boxes input >> nth=1",
}
SOLVED = ("pig", "zilch", "yahtzee", "shut-the-box", "bluff", "thunderstorm")
ANSWERED = """button => new Promise((found, failed) => {
    const answer = document.querySelector("#answer"), begin = performance.now();
    setTimeout(() => failed("no answer within 10 s"), 10000);
    new MutationObserver((_, watch) => {
        watch.disconnect();
        requestAnimationFrame(() => setTimeout(() => found(performance.now() - begin), 0));  // drawn by then
    }).observe(answer, {childList: true, subtree: true, characterData: true});
    button.click();
})"""


def weight(browser: Browser, address: str, place: str) -> dict[str, int]:
    """Bytes and requests of a first visit."""
    context = browser.new_context(base_url=address, viewport=PHONE)
    page = context.new_page()
    asked: list[Request] = []
    page.on("requestfinished", lambda request: asked.append(request))
    page.goto(place)
    page.wait_for_load_state("networkidle")
    sizes = [request.sizes() for request in asked]
    context.close()
    return {
        "bytes": sum(size["responseBodySize"] + size["responseHeadersSize"] for size in sizes),
        "requests": len(asked),
    }


def taps(browser: Browser, address: str, place: str, control: str, times: int) -> dict[str, float]:
    """Milliseconds from a tap to the answer, once it has been asked before."""
    context = browser.new_context(base_url=address, viewport=PHONE, has_touch=True)
    page = context.new_page()
    found = [tap(page, place, control) for _ in range(times + 1)][1:]
    context.close()
    return {"middle": round(statistics.median(found), 1), "slowest": round(max(found), 1)}


def tap(page: Page, place: str, control: str) -> float:
    """One of them, on the page as it comes."""
    page.goto(place)
    page.wait_for_load_state("networkidle")
    taken: float = page.locator(control).first.evaluate(ANSWERED)
    return taken


def measured(browser: Browser, address: str, times: int) -> Iterable[dict[str, Any]]:
    """All of it, line by line."""
    for name, place in PLACES.items():
        yield {"what": "weight", "place": name, **weight(browser, address, place)}
    for name, control in TAPPED.items():
        for what, chosen in {"a move": MOVE, "a step or a tile": control}.items():
            yield {"what": what, "place": name, **taps(browser, address, PLACES[name], chosen, times)}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="weight and answers of the page")
    parser.add_argument("--times", type=int, default=15, help="taps of each sort")
    parser.add_argument("--json", action="store_true", help="a line of JSON each")
    told = parser.parse_args()
    for game in SOLVED:
        rollwise.solve(game)
    with served(None) as address, sync_playwright() as playwright:
        browser = opened(playwright)
        for line in measured(browser, address, told.times):
            if told.json:
                print(json.dumps(line), flush=True)
            elif line["what"] == "weight":
                print(f"{line['place']:14} {line['bytes'] / 1000:6.1f} kB in {line['requests']} requests", flush=True)
            else:
                print(f"{line['place']:14} {line['middle']:6.1f} ms, slowest {line['slowest']:.1f}: {line['what']}")
        browser.close()


if __name__ == "__main__":
    main()
