"""Dice that are hidden from a seat are on none of its pages, and covers stand between people."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from starlette.testclient import TestClient

from rollwise.web.sitting import MATCH_LIFETIME_S, MatchStore
from tests.web.playing import HTMX, begin, opened, play_out, posted, refused
from tests.web.reading import Page

Begin = Callable[..., Page]
TWO = {"sit_0": "person", "sit_1": "person"}


@pytest.fixture
def bluff(client: TestClient) -> Begin:
    """Begins a short game of Bluff."""
    return lambda **said: begin(client, "bluff", p_chips="2", **said)


def masked(page: Page) -> str:
    """The page but for the name of its game, and for who looked last."""
    return re.sub(r'name="match" value="[^"]*"|<input type="hidden" name="viewer"[^>]*>', "", page.html)


def shows_dice(page: Page) -> bool:
    """Does a die lie on it, but for the pictures of all faces?"""
    return "#die-" in re.sub(r"<symbol.*?</symbol>", "", page.html)


@pytest.fixture
def hands(bluff: Begin) -> list[Page]:
    """The same game twice, with other dice under the first caller's cup and the same call."""
    begun = [bluff(throws="typed", **TWO).press("do", "see") for _ in range(2)]
    laid = [page.press("do", "type", dice=dice) for page, dice in zip(begun, ("1 1 2", "5 6 6"), strict=True)]
    return [page.press("move", "call 9") for page in laid]


def test_a_page_is_the_same_whatever_lies_under_the_others_cup(hands: list[Page]) -> None:
    for step in ("", *("0", "1", "7", "x", "-1", " "), "do see", "move accept"):  # seats: to say to sit elsewhere
        name, _, value = step.partition(" ")
        hands = [
            page.press(name, value) if value.strip() else page.send(viewer=name) if step else page for page in hands
        ]
        low, high = hands
        assert masked(low) == masked(high), step
        assert ("record" in low.carried, "total" in low.html) == (False, False)


def test_the_cup_is_lifted_by_a_challenge_and_by_nothing_that_is_taken_back(hands: list[Page]) -> None:
    seen = [page.press("do", "see") for page in hands]
    assert not seen[0].has("do", "undo"), "the last choice was the other seat's"
    backs = [page.send(do="undo") for page in seen]
    assert "made no choice" in refused(backs[0])
    assert masked(backs[0]) == masked(backs[1])
    for page, total in zip(seen, (4, 17), strict=True):
        assert f"the cup is lifted: total {total}" in page.press("move", "challenge").html


def test_between_two_people_stands_a_cover_and_a_choice_is_taken_back_before_it_is_lifted(bluff: Begin) -> None:
    page = bluff(seed="2", **TWO)
    assert page.values("move") == []
    page = page.press("do", "see").press("move", "roll")
    assert re.search(r"Under your cup</dt><dd>(\d+)", page.html)
    page = page.press("move", "call 9")
    assert (page.values("move"), page.values("do")) == ([], ["see"])
    assert "Player 2" in page.html
    page = page.press("do", "see")
    back = page.press("move", "accept").press("do", "undo")
    assert back.values("move") == page.values("move") == ["accept", "challenge"]
    page = bluff(throws="typed", coach="on", **TWO).press("do", "see")
    page = page.press("do", "type", dice="1 1 2").press("move", "call 18")
    assert ("cost" in page.html, "cost" in page.press("do", "see").html) == (False, False)


def test_who_looks_on_sees_no_hidden_dice(bluff: Begin) -> None:
    page = bluff(seed="4", sit_0="best", sit_1="best")
    while not page.over:
        assert "the cup is lifted" in page.html or not shows_dice(page)
        assert "total</dt>" not in page.html
        page = page.press("do", "on")


def test_the_best_players_dice_are_on_no_page_and_fall_unseen(bluff: Begin) -> None:
    called = 0
    for seed in range(3):
        page = bluff(seed=str(seed), sit_0="best", sit_1="person")
        assert page.status == 200
        if page.values("move") == ["accept", "challenge"]:
            assert ("total" in page.html, "record" in page.carried, shows_dice(page)) == (False, False, False)
            assert page.press("move", "challenge").status == 200
            called += 1
    assert called
    page = bluff(throws="typed", sit_0="best", sit_1="person")
    assert page.values("die") == []
    assert page.values("move") in (["accept", "challenge"], ["challenge"])


def test_pages_of_earlier_moments_and_of_games_that_are_gone(
    client: TestClient, bluff: Begin, client_of: Begin
) -> None:
    page = bluff(seed="2", **TWO).press("do", "see")
    later = page.press("move", "roll")
    again = page.press("move", "roll")
    assert "out of date" in refused(again)
    assert again.press("do", "see").values("move") == later.values("move")
    gone = Page(bluff(seed="2").came, client_of()).send(move="roll")  # type: ignore[arg-type]
    for page in (gone, opened(client, "/play/bluff?match=nobody", 410)):
        assert "no longer known" in refused(page, 410)


def test_games_are_kept_for_an_hour_and_so_many_at_most_of_which_that_goes_first_which_was_left_longest() -> None:
    now, game = [0.0], dict[str, Any](record=[])
    kept = MatchStore(lambda: now[0], max_matches=2)
    assert kept.put("nobody", game, 1) is None, "a game that is gone is not stored again"
    (first, _), (second, _) = kept.put(None, game) or ("", 0), kept.put(None, game) or ("", 0)
    now[0] = MATCH_LIFETIME_S
    assert kept.get(first)
    assert kept.put(first, game, 1) == (first, 2)
    assert kept.put(first, game, 1) is None, "that step was taken before"
    assert kept.put(None, game)
    assert (kept.get(first) is None, kept.get(second), len(kept)) == (False, None, 2)
    now[0] = 2 * MATCH_LIFETIME_S + 1
    assert kept.get(first) is None


def test_a_game_has_its_own_address_which_steps_keep(solved: None, client_of: Callable[..., TestClient]) -> None:
    client = client_of()
    begun = begin(client, "bluff", p_chips="2", seed="2", **TWO)
    address = begun.came.url.raw_path.decode()
    assert re.fullmatch(r"/play/bluff\?match=[\w-]{32}", address)
    assert begun.came.history[0].status_code == 303
    page = begun.press("do", "see").press("move", "roll").press("move", "call 18")
    again = opened(client, address)
    assert masked(again) == masked(page)
    assert again.press("do", "see").values("move") == page.press("do", "see").values("move")
    assert len(client.app.state.matches) == 1  # type: ignore[attr-defined]
    assert again.came.headers["Cache-Control"] == "no-store"  # no browser keeps it
    sent = again.press("do", "see").carried | {"move": "accept"}
    told = client.post("/play/bluff", data=sent, headers=HTMX)
    assert told.headers.get("HX-Replace-Url") == f"/play/bluff?match={sent['match']}"
    assert "HX-Push-Url" not in told.headers
    assert 'hx-history="false"' in told.text


def test_at_the_end_nothing_is_covered_and_it_is_taken_back_or_reviewed_then_alone(client: TestClient) -> None:
    begun = begin(client, "bluff", p_chips="1", seed="4", **TWO)
    assert not begun.has("from")
    assert posted(client, "/review", begun.carried).status == 400
    assert play_out(begun, lambda moves: moves[-1]).over
    page = opened(client, begun.came.url.raw_path.decode())
    assert page.over
    assert not page.has("do", "see")
    assert page.press("from", "table").status == 200
    assert not page.press("do", "undo").over
