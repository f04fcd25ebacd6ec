"""Take pictures of the page, to be looked at: python -m scripts.screenshots [FOLDER] [--only NAME ...] [--keep]

The window, the fonts and the dice are always the same. Pictures land in FOLDER, or in a new one under the temporary
folder, which is printed. ``--keep`` copies those named in KEPT to docs/pictures/, and fails if they are larger together
than they may be. Games are solved into the user's cache, or ``ROLLWISE_CACHE``: at full size that takes minutes once.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

import rollwise
from scripts.browsing import ROOT, opened, served

PICTURES = ROOT / "docs" / "pictures"
STATIC = ROOT / "rollwise" / "web" / "static"
MOST = 1_500_000  # bytes of all kept pictures together
DESKTOP: dict[str, Any] = {"viewport": {"width": 1000, "height": 760}}
PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 780}, "device_scale_factor": 1.5, "has_touch": True}
SMALLEST: dict[str, Any] = {"viewport": {"width": 320, "height": 640}, "device_scale_factor": 2, "has_touch": True}
DARK: dict[str, Any] = {"color_scheme": "dark"}
SOLVING = 600_000  # milliseconds that a game may take to be solved before its picture


def as_it_comes(page: Page) -> None:
    """Nothing is done before the picture."""


@dataclass(frozen=True)
class Picture:
    """A place of the page, the window it is looked at in, and what is done there before the picture is taken."""

    name: str
    place: str
    window: dict[str, Any] = field(default_factory=lambda: DESKTOP)
    act: Callable[[Page], None] = as_it_comes
    whole: bool = True  # the whole page, or as much as the window shows


def reviewed(page: Page) -> None:
    """A game of Pig is loaded in which one player holds early and the other late."""
    match = rollwise.Match("pig", params={"target": 50}, seed=11)
    while not match.over:
        if match.waiting:
            match.throw()
        else:
            state, enough = match.state or {}, (10, 26)[match.mover]
            match.play("hold" if state["turn"] >= enough else match.legal[-1])
    page.locator("textarea[name=record]").fill("\n".join(json.dumps(line) for line in match.record()))
    page.locator("form[action='/review'] button").first.click()
    page.locator("figure.course").wait_for()


def begun(page: Page) -> None:
    """A game is begun, with the coach beside it, and two throws are made."""
    form = page.locator("form:has(button[name=start])")
    form.locator("input[name=coach]").check(force=True)
    form.locator("summary").click()
    form.locator("input[name=seed]").fill("7")
    form.locator("button[name=start]").click()
    page.locator("button[name=move][value=roll]").click()
    page.locator("label.keep").first.wait_for()


ZILCH = "/zilch?mine=1200&theirs=3000&turn=450&dice=2&trio=4&move=roll"
SIXZEE = "/sixzee?filled=ones:3,threes:12,sixes:24,3-2-1:0,low straight:0,chance:23&roll=1,3,3,3,5,6&rolls_left=2"
BOX = "/shut-the-box?open=1-9&roll=5,3&move=shut 8"
BLUFF = "/bluff?mine=3&theirs=4&total=4"
LUCK = "/thunderstorm?failures=3,2,4&dice=3"

EVERY = (
    Picture("home", "/"),
    Picture("home-phone", "/", PHONE, whole=False),
    Picture("zilch", ZILCH),
    Picture("zilch-phone", ZILCH, PHONE, whole=False),
    Picture("zilch-small", ZILCH, SMALLEST),
    Picture("zilch-dark", ZILCH, DESKTOP | DARK),
    Picture("sixzee", SIXZEE),
    Picture("sixzee-phone", SIXZEE, PHONE, whole=False),
    Picture("box", BOX),
    Picture("box-phone", BOX, PHONE, whole=False),
    Picture("box-dark", BOX, PHONE | DARK, whole=False),
    Picture("bluff", BLUFF),
    Picture("bluff-phone", BLUFF, PHONE | DARK, whole=False),
    Picture("luck", LUCK),
    Picture("luck-phone", LUCK, PHONE, whole=False),
    Picture("play-phone", "/play/yahtzee", PHONE, begun, whole=False),
    Picture("review", "/review", DESKTOP, reviewed),
    Picture("review-phone", "/review", PHONE, reviewed, whole=False),
    Picture("review-dark", "/review", DESKTOP | DARK, reviewed),
)
SOLVED: dict[str, dict[str, Any]] = {
    "zilch": {},
    "sixzee": {},
    "shut-the-box": {},
    "bluff": {},
    "thunderstorm": {},
    "yahtzee": {},
    "pig": {"target": 50},
}
KEPT = ("zilch", "zilch-phone", "sixzee", "box-dark", "bluff", "luck", "play-phone", "review")


def take(picture: Picture, page: Page, folder: Path) -> Path:
    """Open the place, wait until nothing moves, and take the picture."""
    page.goto(picture.place)
    picture.act(page)
    page.wait_for_load_state("networkidle")
    if page.locator(".waiting").count():
        sys.exit(f"{picture.place} is not solved, so there is no answer to take a picture of")
    file = folder / f"{picture.name}.png"
    page.screenshot(path=file, full_page=picture.whole, animations="disabled", caret="hide")
    return file


def keep(folder: Path) -> int:
    """Copy what is kept, of the pictures that are there, to the documents; how many bytes all of them are together."""
    PICTURES.mkdir(exist_ok=True)
    for old in PICTURES.glob("*.png"):
        if old.stem not in KEPT:
            old.unlink()
    for name in KEPT:
        if (folder / f"{name}.png").exists():
            shutil.copy(folder / f"{name}.png", PICTURES)
    return sum(file.stat().st_size for file in PICTURES.iterdir())


def draw_icon(browser: Browser) -> None:
    """The icon as phones of one maker want it: whole to its corners, and no drawing."""
    page = browser.new_page(viewport={"width": 180, "height": 180})
    page.set_content(f'<body style="margin: 0; background: #2c6a4d">{(STATIC / "icon.svg").read_text()}</body>')
    page.screenshot(path=STATIC / "touch-icon.png")
    page.close()


def main() -> None:
    """All pictures, or those that are named."""
    parser = argparse.ArgumentParser(description="take pictures of the page")
    parser.add_argument("folder", nargs="?", type=Path, help="where they go")
    parser.add_argument("--only", nargs="+", help="these alone", choices=[picture.name for picture in EVERY])
    parser.add_argument("--keep", action="store_true", help="copy the chosen ones to docs/pictures/")
    parser.add_argument("--icon", action="store_true", help="draw static/touch-icon.png of icon.svg, and no more")
    told = parser.parse_args()
    if told.icon:
        with sync_playwright() as playwright:
            return draw_icon(opened(playwright))
    folder = told.folder or Path(tempfile.mkdtemp(prefix="rollwise-pictures-"))
    folder.mkdir(parents=True, exist_ok=True)
    for game, parameters in SOLVED.items():
        rollwise.solve(game, params=parameters)
    with served(None) as address, sync_playwright() as playwright:
        browser = opened(playwright)
        for picture in EVERY:
            if told.only is None or picture.name in told.only:
                context = browser.new_context(base_url=address, reduced_motion="reduce", **picture.window)
                context.set_default_timeout(SOLVING)
                file = take(picture, context.new_page(), folder)
                print(f"{file} {file.stat().st_size:,} bytes", flush=True)
                context.close()
        browser.close()
    if told.keep:
        together = keep(folder)
        print(f"docs/pictures: {len(KEPT)} pictures, {together:,} bytes")
        if together > MOST:
            sys.exit(f"the pictures are larger together than {MOST:,} bytes")


if __name__ == "__main__":
    main()
