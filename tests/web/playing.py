"""Pages that tests open, and games that they begin and play out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from starlette.testclient import TestClient

from tests.web.reading import Page

HTMX: Any = {"HX-Request": "true"}
LATE = (
    "ones:3,twos:6,threes:9,fours:12,fives:15,sixes:18,"
    "three of a kind:20,four of a kind:0,full house:25,small straight:30"
)


def opened(client: TestClient, where: str, status: int = 200, **headers: str) -> Page:
    """A page; with headers, a part of one. A redirect is not followed."""
    page = Page(client.get(where, headers=headers, follow_redirects=False), client)
    assert page.status == status, f"{where}: {page.html[:300]}"
    return page


def posted(client: TestClient, where: str, sent: dict[str, str]) -> Page:
    """The page that comes where a form is sent."""
    return Page(client.post(where, data=sent), client)


def begin(client: TestClient, game: str, **said: str) -> Page:
    """Start a game: ``p_target="12"`` is a rule, ``s_mine="4"`` a field, ``sit_1="person"`` who sits there."""
    dotted = ("p_", "s_", "sit_")
    sent = {key.replace("_", ".", 1) if key.startswith(dotted) else key: value for key, value in said.items()}
    return posted(client, f"/play/{game}", {"start": "1", **sent})


def play_out(page: Page, choose: Callable[[list[str]], str], most: int = 400) -> Page:
    """Press on until the game is over: moves as they are chosen, dice thrown by the program."""
    for _ in range(most):
        assert page.status == 200, page.html
        if page.over:
            return page
        act = next((act for act in ("see", "throw", "end", "on") if page.has("do", act)), None)
        page = page.press("do", act) if act else page.press("move", choose(page.values("move")))
    raise AssertionError(f"not over after {most} steps")


def refused(page: Page, status: int = 400) -> str:
    """Why, in a line, on a page that says no."""
    assert page.status == status, page.html[:300]
    (alert,) = [element for element in page.all.inside if element["role"] == "alert"]
    return alert.words
