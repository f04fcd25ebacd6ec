"""What a review keeps of the questions it has looked at is bounded, and does not change what it says."""

from __future__ import annotations

from random import Random

import pytest

from rollwise.door import the_game
from rollwise.reviewing import review, spots
from rollwise.stored import stored
from scripts.review_random import record_of


def test_a_review_that_forgets_at_every_step_says_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    game = the_game("zilch", {"goal": 500, "opening": 350})
    lines = record_of(game, Random(3))
    told = review(lines).plain()
    monkeypatch.setattr(spots, "MOST_KEPT", 0)
    monkeypatch.setattr(spots, "_SPOTS", {})
    assert record_of(game, Random(3)) == lines
    assert review(lines).plain() == told


def test_no_more_than_so_many_moves_and_outcomes_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spots, "MOST_KEPT", 100)
    monkeypatch.setattr(spots, "_SPOTS", {})
    game = the_game("pig", {"target": 30})
    most, draw = 0, Random(1)
    for _ in range(30):
        record_of(game, draw)
        for each in spots._SPOTS.values():
            found = each._kept.values()
            outcomes = sum(len(led.every) for spot in found for led in spot._leads.values())
            most = max(most, len(found) + sum(len(spot.moves) for spot in found) + outcomes)
    assert 80 < most < 130


def test_the_questions_of_a_few_games_are_kept_and_no_game_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spots, "MOST_GAMES", 2)
    monkeypatch.setattr(spots, "_SPOTS", {})
    opened = [stored(the_game("pig", {"target": target})).opened for target in (5, 6, 7)]
    kept = [spots.spots_of(each) for each in opened]
    assert spots.spots_of(opened[2]) is kept[2]
    assert spots.spots_of(opened[0]) is not kept[0]
    assert len(spots._SPOTS) == 2
