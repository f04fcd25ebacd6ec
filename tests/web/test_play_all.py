"""Every game can be played some way and looked back on."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from starlette.testclient import TestClient

import rollwise
from rollwise.door import the_game
from rollwise.solver.game.model import TurnGame
from tests.sizes import SIZES, Size
from tests.web.pressing import Page

LONG = ("martinetti", "drop-dead")  # whose first throw takes seconds to look past
FIRST = [size for size in {size.name: size for size in reversed(SIZES)}.values() if size.name not in LONG]
STEPS = 8


@pytest.mark.parametrize("size", FIRST, ids=str)
def test_every_game_is_played_by_one_person_with_a_coach(
    client: TestClient, play: Callable[[TurnGame], str], size: Size
) -> None:
    name = play(size.game)
    rollwise.solve(name)
    rng = random.Random(str(size))
    page = Page(client, client.get(f"/play/{name}"))
    assert page.status == 200
    page = page.press("start", seed="4", coach="on", throws=rng.choice(["program", "typed"]))
    for _ in range(STEPS):
        assert page.status == 200, page.html
        if page.over:
            break
        page = pressed(page, rng)
    if page.has("do", "undo"):
        assert page.press("do", "undo").status in (200, 400)
    if page.has("from"):
        assert page.press("from").status == 200


@pytest.mark.parametrize("name", [listed["name"] for listed in rollwise.list_games()])
def test_the_rules_on_the_page_before_the_first_step_are_those_of_the_game(client: TestClient, name: str) -> None:
    form, _ = Page(client, client.get(f"/play/{name}")).form_of("start", "1")
    rules = {key.removeprefix("p."): value for key, value in form.fields.items() if key.startswith("p.")}
    usual = the_game(name, {}).parameters()
    assert rules.keys() == usual.keys()
    assert the_game(name, {key: value for key, value in rules.items() if value}).parameters() == usual


def pressed(page: Page, rng: random.Random) -> Page:
    """Whatever can be done next."""
    moves = page.values("move")
    if moves:
        return page.press("move", rng.choice(moves))
    name = "throw" if page.has("do", "throw") else "on"
    return page.press("do", name)
