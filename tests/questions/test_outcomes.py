"""What a move leads to at the ends of ranges, and in what words; ``test_sampled.py`` has what holds of every game."""

from __future__ import annotations

from typing import Any

import pytest

from rollwise.parsing.validate import parse_fields, parse_game
from rollwise.questions.outcomes.compute import outcomes
from rollwise.solver.model.fields import NO_LIMIT
from rollwise.text.labels import measure_of
from rollwise.text.spelling import spelled

TOPS = [
    pytest.param("six-by-6", {"carry": 199, "posted": 0}, {}, marks=pytest.mark.thorough),
    pytest.param("drop-dead", {"scores": (30, 0), "mover": 1, "turn": 9999, "dice": 5}, {}, marks=pytest.mark.thorough),
    ("pig", {"turn": NO_LIMIT}, {"target": 20}),
    ("pig", {"turn": NO_LIMIT - 3}, {"target": 20}),
]


@pytest.mark.parametrize(("game", "state", "params"), TOPS)
def test_no_question_follows_that_cannot_be_asked(
    game: str, state: dict[str, Any], params: dict[str, Any], own_cache: Any
) -> None:
    found = outcomes(game, state=state, move="roll", params=params)
    past = [row for row in found.rows if row.state is None and row.ended is None]
    assert past
    for row in past:
        assert row.value is None
    for row in found.rows:
        if row.state is not None:
            parse_fields(parse_game(game, params), row.state)


STILL_IN = [
    ("slam", {"scores": (4, 2, 14), "mover": 2}, {"players": 3}),
    ("slam", {"scores": (0, 0, 1), "mover": 2}, {"players": 3}),
    ("thunderstorm", {"failures": (0, 5, 2), "mover": 1}, {"players": 3}),
    ("mexico", {"lives": (1, 2, 6)}, {"players": 3}),
]


@pytest.mark.parametrize(("game", "state", "params"), STILL_IN)
def test_who_is_still_in_is_not_told_to_be_out(game: str, state: dict[str, Any], params: dict[str, Any]) -> None:
    made = parse_game(game, params)
    given = parse_fields(made, state)
    told = spelled(given)
    for name in ("scores", "failures", "lives", "chips"):
        assert told.get(name) == given.get(name)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("pig", ("win", "probability", "max", "win")),
        ("shut-the-box", ("score", "points", "min", "expected final score")),
        ("slam", ("lose", "probability", "min", "lose")),
        ("cops-and-robbers", ("win", "probability", "max", "win")),  # of a seat: that its side wins
        ("high-dice", ("return", "chips", "max", "return of a chip")),
        ("six-by-6", ("mean_score", "points", "max", "mean final score")),
    ],
)
def test_what_is_counted_has_a_name_a_unit_what_is_good_and_a_few_words(name: str, told: tuple[str, ...]) -> None:
    of = measure_of(parse_game(name), {}, {})
    assert (of.name, of.unit, of.sense, of.label) == told
