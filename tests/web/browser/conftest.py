"""The page in a real browser: a server with small games already solved, and a Chromium without a window.

Where there is no browser the tests are skipped, and say why; with ``CI`` in the environment they fail instead.
A page that is opened here must behave: at the end of each test nothing may have gone wrong in its console, and nothing
may have been asked of any other host.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from scripts import browsing
from tests.web.browser.places import SOLVED

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

Open = Callable[..., "Page"]
SLOWEST = 10_000  # milliseconds that anything on a page may take


@pytest.fixture(scope="session")
def solved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache in which the games of ``places.SOLVED`` are solved."""
    _need_a_browser()
    cache = tmp_path_factory.mktemp("page") / "cache"
    browsing.solve(SOLVED, cache)
    return cache


@pytest.fixture(scope="session")
def server(solved: Path) -> Iterator[str]:
    """The address of a server in which they are solved."""
    with browsing.served(solved) as address:
        yield address


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium."""
    _need_a_browser()
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        found = browsing.opened(playwright)
        yield found
        found.close()


def _need_a_browser() -> None:
    why = browsing.missing()
    if why and os.environ.get("CI"):
        pytest.fail(f"{why}, and CI does without no test")
    if why:
        pytest.skip(why)


class Watched:
    """What a page said and asked for that it should not have."""

    def __init__(self, server: str) -> None:
        self.server = server
        self.wrong: list[str] = []

    def watch(self, context: BrowserContext) -> None:
        """Listen to all pages of a context."""
        context.on("console", lambda message: self._said(message.type, message.text))
        context.on("weberror", lambda error: self.wrong.append(f"script: {error.error}"))
        context.on("request", lambda request: self._asked(request.url))

    def _said(self, how: str, text: str) -> None:
        if how in ("error", "warning"):
            self.wrong.append(f"console: {text}")

    def _asked(self, url: str) -> None:
        if not url.startswith((f"{self.server}/", "data:")):
            self.wrong.append(f"asked of another: {url}")


@pytest.fixture
def watched(server: str) -> Iterator[Watched]:
    """Everything that went wrong on a page of this test; a test that provokes something empties it."""
    found = Watched(server)
    yield found
    assert found.wrong == []


@pytest.fixture
def visit(server: str, browser: Browser, watched: Watched) -> Iterator[Open]:
    """Open a place of the server in a browser that knows nothing: ``visit("/pig", viewport=...)``."""
    contexts: list[BrowserContext] = []

    def visit(place: str, **how: Any) -> Page:
        context = browser.new_context(**{"base_url": server, "viewport": browsing.DESKTOP, "locale": "en-GB", **how})
        context.set_default_timeout(SLOWEST)
        watched.watch(context)
        contexts.append(context)
        page = context.new_page()
        answer = page.goto(place)
        assert answer is not None
        assert answer.status == 200, f"{place}: {answer.status}"
        return page

    yield visit
    for context in contexts:
        context.close()


@pytest.fixture(scope="session")
def axe() -> str:
    """The source of axe-core, the checker of accessibility."""
    (file,) = (Path(__file__).parents[1] / "vendor").glob("axe-*.min.js")
    return file.read_text()
