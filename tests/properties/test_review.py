"""A review of random games: sums hold for every seat, luck comes from outcomes, and a perfect player loses nothing."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

import rollwise
from rollwise import Match
from rollwise.games.registry import REGISTRY, find, game_class
from rollwise.reviewing import review
from rollwise.reviewing.told import LIMITS, Review, grade_of
from rollwise.solver.game.model import TurnGame
from rollwise.solver.kinds import kind_of
from scripts.review_random import Found, found_in, record_of
from tests.sizes import FOLLOW, SIZES, Size, cases

Play = Callable[[TurnGame], str]
GAMES, QUESTIONS = 3, 40  # of each size, and of each game at most
ROUNDING = 1e-12


def start_of(size: Size) -> dict[str, Any]:
    """What a throw brings depends on the bet, where there are bets."""
    return {"bet": "under 7"} if size.name == "dice-roulette" else {}


def require_sums(told: Review, lines: int) -> None:
    for seat in told.seats:
        size = max(1.0, abs(seat.start), abs(seat.result), abs(seat.luck))
        away = seat.start + seat.own + seat.others + seat.luck - seat.result
        assert abs(away) <= seat.off + ROUNDING * size * (lines + 1)
        assert seat.luck_adjusted == pytest.approx(seat.result - seat.luck)
        assert seat.mean_loss >= 0
    assert all(choice.loss > 0 for choice in told.choices)
    assert [choice.loss for choice in told.choices] == sorted((c.loss for c in told.choices), reverse=True)


@cases(FOLLOW)
def test_what_a_seat_began_with_and_all_that_changed_it_are_the_result(size: Size, play: Play) -> None:
    play(size.game)
    draw, found = Random(5), Found()
    for _ in range(GAMES):
        lines = record_of(size.game, draw, start_of(size), most=QUESTIONS)
        told = review(lines)
        require_sums(told, len(lines))
        if told.complete and told.unit == "probability" and len(told.seats) > 1 and size.game.outcome == "win":
            assert sum(seat.result for seat in told.seats) == pytest.approx(1.0)
        if not kind_of(size.game).chooses:
            assert all((seat.own, seat.others, seat.decisions) == (0.0, 0.0, 0) for seat in told.seats)
        assert review(lines) == told
        found.add(told, len(lines))
    assert found.widest <= 1


@cases(FOLLOW)
def test_who_always_plays_the_best_loses_nothing(size: Size, play: Play) -> None:
    play(size.game)
    lines = record_of(size.game, Random(2), start_of(size), choose=lambda spot: spot.best[0], most=QUESTIONS)
    told = review(lines)
    assert told.choices == []
    assert all(seat.own == 0 and seat.mean_loss == 0 for seat in told.seats)


DOZEN = [  # small sizes of a duel, alone, at a table, and of luck
    *("pig target=5", "piggy-six target=4", "piggy-six players=3 target=2", "piggy-six target=2 robots=(2,)"),
    *("shut-the-box", "shut-the-box players=3 boxes=4", "sevens goal=3 dice=2", "mexico lives=1", "yahtzee boxes=ones"),
    *("killer boxes=trebles", "martinetti crossing=free", "big-six"),
]


@pytest.mark.parametrize("name", DOZEN)
def test_luck_is_nothing_on_average_and_no_move_loses_less_than_nothing(name: str, play: Play) -> None:
    size = next(size for size in SIZES if str(size) == name)
    play(size.game)
    found = found_in(size.game, 20)
    assert found.wrong() == []
    assert found.complete > 0
    assert any(abs(luck) > 0 for game in found.luck for luck in game)


def test_a_grade_begins_at_its_limit() -> None:
    assert [grade_of(loss, 1, LIMITS) for loss in (0.00499, 0.005, 0.01999, 0.02, 0.04999, 0.05)] == [
        "fine",
        "inaccuracy",
        "inaccuracy",
        "mistake",
        "mistake",
        "blunder",
    ]
    assert [grade_of(loss, 100, (1, 1, 3)) for loss in (0.99, 1, 2.9, 3)] == ["fine", "mistake", "mistake", "blunder"]


@pytest.mark.parametrize("name", REGISTRY)
def test_each_version_of_the_rules_has_its_line(name: str) -> None:
    cls = game_class(find(name).name)
    assert sorted(cls.versions) == list(range(1, cls.rules_version + 1))
    assert all(line and "\n" not in line for line in cls.versions.values())


SHAPES: list[tuple[str, dict[str, Any]]] = [
    *((name, {}) for name in REGISTRY),
    ("zilch", {"players": 1, "objective": "turns"}),
    ("zilch", {"players": 1, "objective": "points"}),
    ("ten-thousand", {"players": 1, "objective": "turns"}),
    ("ten-thousand", {"players": 1, "objective": "points"}),
    ("shut-the-box", {"objective": "clear"}),
    ("shut-the-box", {"players": 2}),
    ("shut-the-box", {"players": 3}),
    ("cameroon", {"objective": "win"}),
    ("six-by-6", {"posting": "free"}),
    ("six-by-6", {"posting": "free", "players": 2}),
]


@pytest.mark.parametrize(("name", "parameters"), SHAPES, ids=str)
def test_chances_are_graded_by_hundredths_and_all_else_by_a_scale_of_its_own(
    name: str, parameters: dict[str, Any]
) -> None:
    made = game_class(name).of(**parameters)
    if made.measure == "win":
        assert made.scale == 1
    elif kind_of(made).chooses:
        assert made.scale > 1


def played(name: str, parameters: dict[str, Any], seed: int, most: int = 60) -> rollwise.Match:
    """A match of random moves; where the best play is a mix, of those that it makes."""
    match, draw = rollwise.Match(name, parameters, seed=seed), Random(seed)
    for _ in range(most):
        if match.over:
            break
        if match.waiting:
            match.throw()
        else:
            match.play(draw.choice([move for move in match.moves if move.probability != 0]).move)
    return match


def test_a_record_of_a_match_is_reviewed_as_the_match_itself(tmp_path: Path) -> None:
    match = played("pig", {"target": 12}, 3)
    match.save(tmp_path / "game.jsonl")
    told = rollwise.review(tmp_path / "game.jsonl")
    assert told.complete
    assert told.notes == []
    assert [seat.result for seat in told.seats] == match.result
    assert rollwise.review(match) == told
    assert rollwise.review(match.record()) == told
    assert rollwise.review((tmp_path / "game.jsonl").read_text().splitlines()) == told
    json.dumps(told.plain())


MATCHES: list[tuple[str, dict[str, Any]]] = [
    ("big-six", {}),
    ("bluff", {"chips": 1}),
    ("bluff", {"chips": 2}),
    ("mexico", {"lives": 1}),
    ("pay-the-rent", {}),
    ("pig", {"target": 12}),
    ("piggy-six", {"target": 8, "robots": "4,6"}),
    ("piggy-six", {"target": 8}),
    ("shut-the-box", {}),
    ("shut-the-box", {"players": 2}),
    ("zilch", {"players": 1, "goal": 500, "opening": 350}),
]


@pytest.mark.parametrize(("name", "parameters"), MATCHES, ids=str)
def test_what_a_match_says_of_itself_is_what_is_computed(name: str, parameters: dict[str, Any]) -> None:
    for seed in range(3):
        match = played(name, parameters, seed)
        lines = match.record()
        told = rollwise.review(lines)
        require_sums(told, len(lines))
        assert told.complete is match.over
        assert told.notes == ([] if match.over else [told.notes[0]])
        if match.over:
            assert [seat.result for seat in told.seats] == pytest.approx(match.result)
        mine = [line["loss"] for line in lines if line.get("loss")]
        assert sorted(choice.loss for choice in told.choices) == pytest.approx(sorted(mine))


def test_a_record_that_says_by_a_number_who_is_out_is_the_same() -> None:
    match = Match("slam", {"players": 3}, state={"scores": "15,2,0", "mover": 1}, seed=1)
    match.play("roll")
    match.throw()
    match.throw()
    told = json.dumps(match.record())
    assert '"-"' in told
    assert review(json.loads(told.replace('"-"', "15"))).seats == review(match).seats
