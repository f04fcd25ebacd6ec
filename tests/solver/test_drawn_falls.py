"""A fall drawn by lot is one of those that a move has, as often as its chance says."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from rollwise.parsing.validate import parse_fields, parse_game
from rollwise.questions.question import all_fields
from rollwise.solutions.lookup import load_or_solve
from rollwise.solver.kinds.kind import Solution
from rollwise.solver.model.game import TurnGame
from rollwise.solver.turn.questions import question_moves
from rollwise.solver.turn.successors import ThrowOutcome
from tests.sizes import SIZES, Size, chooses

DRAWN = 300  # falls of each move
SPREAD, RARE = 5, 10  # standard deviations that a count may be off; how much one of what is rare may
ONE_OF_EACH = list({size.game.kind: size for size in SIZES[::-1] if chooses(size)}.values())  # of each kind


def known(fall: ThrowOutcome) -> Any:
    """What is told of a fall beside how likely it is."""
    word = fall.node and (type(fall.node).__name__, getattr(fall.node, "state", None))
    return replace(fall, chance=None, ways=0, node=None), word


def require_as_often(opened: Solution, made: TurnGame, fields: dict[str, Any]) -> None:
    position, random = made.locate(**fields), Random(3)
    asked = all_fields(made, fields, position)
    for move in question_moves(made, position.state):
        falls = opened.throw_outcomes(asked, position, move)
        if any(fall.chance is None for fall in falls):
            continue
        chances: dict[str, float] = {}
        for fall in falls:
            chances[repr(known(fall))] = chances.get(repr(known(fall)), 0.0) + float(fall.chance or 0)
        counts = Counter(repr(known(opened.sample_outcome(asked, position, move, random))) for _ in range(DRAWN))
        assert counts.keys() <= chances.keys()
        for what, chance in chances.items():
            off = SPREAD * math.sqrt(DRAWN * chance * (1 - chance))
            assert abs(counts[what] - DRAWN * chance) <= max(off, RARE)


@pytest.mark.parametrize("size", ONE_OF_EACH, ids=str)
def test_falls_are_drawn_as_often_as_they_fall(size: Size) -> None:
    require_as_often(load_or_solve(size.game).solution, size.game, {})


def test_a_throw_of_kept_dice_is_drawn_as_it_falls() -> None:
    made = parse_game("shut-the-box")
    fields = parse_fields(made, {"open": "1-6", "roll": "3,4"})
    require_as_often(load_or_solve(made).solution, made, fields)
