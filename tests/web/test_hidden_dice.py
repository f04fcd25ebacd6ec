"""Dice that are hidden from a seat are on none of its pages, and covers stand between people."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from starlette.testclient import TestClient

import rollwise
from rollwise.web.kept import HOUR, Matches
from tests.web.pressing import Page, begin, play_out, send

Begin = Callable[..., Page]


@pytest.fixture
def bluff(client: TestClient) -> Begin:
    """Begins a short game of Bluff."""
    rollwise.solve("bluff", {"chips": 2})
    return lambda **said: begin(client, "bluff", p_chips="2", **said)


def masked(page: Page) -> str:
    """The page but for the name of its game, and for who looked last."""
    return re.sub(r'name="match" value="[^"]*"|<input type="hidden" name="viewer"[^>]*>', "", page.html)


def two_hands(bluff: Begin) -> tuple[Page, Page]:
    """The same game twice, with other dice under the first caller's cup and the same call."""
    pages = []
    for dice in ("1 1 2", "5 6 6"):
        page = bluff(throws="typed", sit_0="person", sit_1="person").press("do", "see")
        pages.append(page.press("do", "type", dice=dice).press("move", "call 9"))
    return pages[0], pages[1]


def test_a_page_is_the_same_whatever_lies_under_the_others_cup(bluff: Begin) -> None:
    low, high = two_hands(bluff)
    for step in ((), ("do", "see"), ("move", "accept")):
        if step:
            low, high = low.press(*step), high.press(*step)
        assert masked(low) == masked(high)
        assert "record" not in low.carried
        assert "total" not in low.html


def test_the_cup_is_lifted_by_a_challenge(bluff: Begin) -> None:
    low, high = (page.press("do", "see").press("move", "challenge") for page in two_hands(bluff))
    assert "the cup is lifted: total 4" in low.html
    assert "the cup is lifted: total 17" in high.html


def test_between_two_people_stands_a_cover(bluff: Begin) -> None:
    page = bluff(sit_0="person", sit_1="person", seed="2")
    assert page.values("move") == []
    page = page.press("do", "see")
    page = page.press("move", "roll")
    total = re.search(r"total</dt><dd>(\d+)", page.html)
    assert total
    page = page.press("move", "call 18")
    assert page.values("move") == []
    assert "Seat 1" in page.html
    assert page.values("do") == ["see"]


def test_whoever_says_to_sit_elsewhere_sees_no_more(client: TestClient, bluff: Begin) -> None:
    low, high = two_hands(bluff)
    for seat in ("0", "1", "7", "x", "-1", ""):
        low, high = (send(client, "/play/bluff", page.carried | {"viewer": seat}) for page in (low, high))
        assert masked(low) == masked(high), seat


def test_what_is_taken_back_stays_hidden(client: TestClient, bluff: Begin) -> None:
    low, high = (page.press("do", "see") for page in two_hands(bluff))
    assert not low.has("do", "undo"), "the last choice was the other seat's"
    low, high = (send(client, "/play/bluff", page.carried | {"do": "undo"}) for page in (low, high))
    assert low.status == 400
    assert masked(low) == masked(high)
    assert "no choice of yours" in low.html


def test_a_choice_of_ones_own_is_taken_back_before_the_phone_is_handed_on(bluff: Begin) -> None:
    page = bluff(seed="2", sit_0="person", sit_1="person").press("do", "see").press("move", "roll")
    page = page.press("move", "call 9").press("do", "see")
    back = page.press("move", "accept").press("do", "undo")
    assert back.values("move") == page.values("move") == ["accept", "challenge"]


def test_who_looks_on_sees_no_hidden_dice(bluff: Begin) -> None:
    page = bluff(seed="4", sit_0="best", sit_1="best")
    for _ in range(40):
        if page.over:
            break
        lifted = page.html.count("the cup is lifted")
        assert lifted or "#die-" not in re.sub(r"<symbol.*?</symbol>", "", page.html)
        assert "total</dt>" not in page.html
        page = page.press("do", "on")
    assert page.over


def test_a_move_of_the_seat_before_is_not_told_what_it_cost_on_the_cover(bluff: Begin) -> None:
    page = bluff(throws="typed", coach="on", sit_0="person", sit_1="person").press("do", "see")
    page = page.press("do", "type", dice="1 1 2").press("move", "call 18")
    assert "cost" not in page.html
    assert "cost" not in page.press("do", "see").html


def test_the_best_players_dice_are_on_no_page(bluff: Begin) -> None:
    for seed in range(6):
        page = bluff(seed=str(seed), sit_0="best", sit_1="person")
        while not page.over and "call" in page.html and page.values("move") == ["accept", "challenge"]:
            assert "total" not in page.html
            assert "record" not in page.carried
            assert "#die-" not in re.sub(r"<symbol.*?</symbol>", "", page.html)
            page = page.press("move", "challenge")
            break
        assert page.status == 200


def test_real_dice_of_the_best_player_fall_unseen(bluff: Begin) -> None:
    page = bluff(throws="typed", sit_0="best", sit_1="person")
    assert page.values("die") == []
    assert page.values("move") == ["accept", "challenge"] or page.values("move") == ["challenge"]


def test_a_page_of_an_earlier_moment_is_told_where_the_game_stands(client: TestClient, bluff: Begin) -> None:
    page = bluff(seed="2", sit_0="person", sit_1="person").press("do", "see")
    later = page.press("move", "roll")
    again = page.press("move", "roll")
    assert again.status == 400
    assert "earlier moment" in again.html
    assert again.press("do", "see").values("move") == later.values("move")


def test_a_game_that_the_server_does_not_know_is_gone(bluff: Begin, client_of: Callable[..., TestClient]) -> None:
    page = bluff(seed="2")
    told = send(client_of(), "/play/bluff", page.carried | {"move": "roll"})
    assert told.status == 410
    assert "no longer known" in told.html


def test_games_are_kept_for_an_hour_and_so_many_at_most() -> None:
    now = [0.0]
    kept = Matches(lambda: now[0], most=2)
    first = kept.put(None, {"record": []})
    assert first
    now[0] = HOUR
    assert kept.get(first[0])
    assert kept.put(first[0], {"record": []}, 1) == (first[0], 2)
    assert kept.put(first[0], {"record": []}, 1) is None, "that step was taken before"
    now[0] = 2 * HOUR + 1
    assert kept.get(first[0]) is None
    names = [kept.put(None, {"record": []}) for _ in range(3)]
    assert len(kept) == 2
    assert names[0]
    assert kept.get(names[0][0]) is None


def test_pages_with_hidden_dice_are_kept_by_no_browser(client: TestClient, bluff: Begin) -> None:
    page = bluff(seed="2")
    assert page.came.headers["Cache-Control"] == "no-store"
    told = client.post("/play/bluff", data=page.carried | {"move": "roll"}, headers={"HX-Request": "true"})
    assert "HX-Push-Url" not in told.headers
    assert 'hx-history="false"' in told.text


def test_a_page_that_is_loaded_again_is_the_same_game(client: TestClient, bluff: Begin) -> None:
    begun = bluff(seed="2", sit_0="person", sit_1="person")
    address = begun.came.url.raw_path.decode()
    page = begun.press("do", "see").press("move", "roll").press("move", "call 18")
    again = Page(client, client.get(address))
    assert again.status == 200
    assert masked(again) == masked(page)
    assert again.press("do", "see").values("move") == page.press("do", "see").values("move")
    assert len(client.app.state.matches) == 1  # type: ignore[attr-defined]


def test_a_begun_game_leads_to_its_own_address(client: TestClient, bluff: Begin) -> None:
    bluff()
    told = client.post("/play/bluff", data={"start": "1", "p.chips": "2"}, follow_redirects=False)
    assert told.status_code == 303
    assert re.fullmatch(r"/play/bluff\?match=[\w-]{32}", told.headers["Location"])


def test_an_address_of_a_game_that_is_not_known_says_so(client: TestClient) -> None:
    told = client.get("/play/bluff?match=nobody")
    assert told.status_code == 410
    assert "no longer known" in told.text


def test_a_step_keeps_the_address_of_the_game(client: TestClient, bluff: Begin) -> None:
    page = bluff(seed="2")
    told = client.post("/play/bluff", data=page.carried | {"move": "roll"}, headers={"HX-Request": "true"})
    assert told.headers["HX-Replace-Url"] == f"/play/bluff?match={page.carried['match']}"


def test_the_game_that_was_left_longest_goes_first() -> None:
    kept = Matches(lambda: 0.0, most=2)
    first, second = kept.put(None, {"record": []}), kept.put(None, {"record": []})
    assert first
    assert second
    assert kept.put(*(first[0], {"record": []}, 1))
    assert kept.put(None, {"record": []})
    assert kept.get(first[0])
    assert kept.get(second[0]) is None


def test_a_game_that_is_gone_is_not_stored_again() -> None:
    assert Matches().put("nobody", {"record": []}, 1) is None


def test_at_the_end_nothing_is_covered_and_the_last_choice_can_be_taken_back(client: TestClient) -> None:
    rollwise.solve("bluff", {"chips": 1})
    begun = begin(client, "bluff", p_chips="1", seed="4", sit_0="person", sit_1="person")
    assert play_out(begun, lambda moves: moves[-1]).over
    page = Page(client, client.get(begun.came.url.raw_path.decode()))
    assert page.over
    assert not page.has("do", "see")
    assert not page.press("do", "undo").over
