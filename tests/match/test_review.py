"""A review: luck comes to nothing, grades and versions, and what is kept of questions is bounded.

What holds of the review of every game is in ``test_sampled.py``.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

import rollwise
from rollwise import Match
from rollwise.games.registry import REGISTRY, game_class
from rollwise.match import spots
from rollwise.match.review.compute import review
from rollwise.match.review.data import GRADE_LIMITS, grade_of
from rollwise.parsing.validate import parse_game
from rollwise.solver.kinds import kind_of
from rollwise.solver.model.game import TurnGame
from scripts.review_random import found_in, record_of
from tests.sizes import SIZES

Play = Callable[[TurnGame], str]
LUCKY = [  # one of each kind
    *(
        "pig target=6",
        "piggy-six target=2 robots=(2,)",
        "yahtzee boxes=ones",
        "shut-the-box players=3 boxes=4",
        "big-six",
    )
]


@pytest.mark.parametrize("name", LUCKY)
def test_luck_is_nothing_on_average_and_no_move_loses_less_than_nothing(name: str, play: Play) -> None:
    size = next(size for size in SIZES if str(size) == name)
    play(size.game)
    found = found_in(size.game, 8)
    assert found.wrong() == []
    assert found.complete > 0
    assert any(abs(luck) > 0 for game in found.luck for luck in game)


@pytest.mark.parametrize(
    ("scale", "limits", "begins"),
    [
        (1, GRADE_LIMITS, {"inaccuracy": 0.005, "mistake": 0.02, "blunder": 0.05}),
        (100, (1, 1, 3), {"mistake": 1, "blunder": 3}),
    ],
)
def test_a_grade_begins_at_its_limit(scale: float, limits: tuple[float, ...], begins: dict[str, float]) -> None:
    for before, (grade, loss) in zip(["fine", *begins], begins.items(), strict=False):
        assert (grade_of(loss * 0.999, scale, limits), grade_of(loss, scale, limits)) == (before, grade)


def test_each_version_of_the_rules_has_its_line() -> None:
    for cls in map(game_class, REGISTRY):
        assert sorted(cls.versions) == list(range(1, cls.rules_version + 1)), cls
        assert all(line and "\n" not in line for line in cls.versions.values()), cls


SHAPES: list[tuple[str, dict[str, Any]]] = [
    *((name, {}) for name in REGISTRY),
    ("zilch", {"players": 1, "objective": "turns"}),
    ("zilch", {"players": 1, "objective": "points"}),
    ("zilch", {"players": 1, "objective": "reach"}),
    ("ten-thousand", {"players": 1, "objective": "turns"}),
    ("ten-thousand", {"players": 1, "objective": "points"}),
    ("shut-the-box", {"objective": "clear"}),
    ("shut-the-box", {"players": 2}),
    ("shut-the-box", {"players": 3}),
    ("cameroon", {"objective": "win"}),
    ("six-by-6", {"posting": "free"}),
    ("six-by-6", {"posting": "free", "players": 2}),
]


def test_chances_are_graded_by_hundredths_and_all_else_by_a_scale_of_its_own() -> None:
    for name, parameters in SHAPES:
        made = game_class(name).of(**parameters)
        assert made.scale == 1 if made.measure == "win" else made.scale > 1 or not kind_of(made).has_decisions, made


def test_a_record_of_a_match_is_reviewed_as_the_match_itself(tmp_path: Path) -> None:
    match, draw = Match("pig", params={"target": 12}, seed=3), Random(3)
    while not match.over:
        match.throw() if match.waiting else match.play(draw.choice(match.moves).move)
    match.save(tmp_path / "game.jsonl")
    told = rollwise.review(tmp_path / "game.jsonl")
    assert (told.complete, told.notes, [seat.result for seat in told.seats]) == (True, [], match.result)
    for same in (match, match.record(), (tmp_path / "game.jsonl").read_text().splitlines()):
        assert rollwise.review(same) == told
    json.dumps(told.plain())


def test_a_record_that_says_by_a_number_who_is_out_is_the_same() -> None:
    match = Match("slam", params={"players": 3}, state={"scores": "15,2,0", "mover": 1}, seed=1)
    match.play("roll")
    match.throw()
    match.throw()
    told = json.dumps(match.record())
    assert '"-"' in told
    assert review(json.loads(told.replace('"-"', "15"))).seats == review(match).seats


# --- what is kept of questions ---------------------------------------------------------------------------------------


def test_a_review_that_forgets_at_every_step_says_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    game = parse_game("pig", {"target": 12})
    lines = record_of(game, Random(3))
    told = review(lines).plain()
    monkeypatch.setattr(spots, "MAX_CACHED_OUTCOMES", 0)
    monkeypatch.setattr(spots, "_CACHES", {})
    assert record_of(game, Random(3)) == lines
    assert review(lines).plain() == told


def test_no_more_than_so_many_moves_and_outcomes_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spots, "MAX_CACHED_OUTCOMES", 100)
    monkeypatch.setattr(spots, "_CACHES", {})
    game = parse_game("pig", {"target": 30})
    most, draw = 0, Random(1)
    for _ in range(8):
        record_of(game, draw)
        for each in spots._CACHES.values():
            found = each._spots.values()
            outcomes = sum(len(led.every) for spot in found for led in spot._branches.values())
            most = max(most, len(found) + sum(len(spot.moves) for spot in found) + outcomes)
    assert 80 < most < 130
