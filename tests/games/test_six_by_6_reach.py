"""Six By 6 for a target: the best chance to score so much at least."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import rollwise
from rollwise.games.registry import game
from rollwise.games.six_by_6.variants import SixBy6Reach
from rollwise.solver.model.errors import ParameterError
from rollwise.solver.turn.graph import compile_turn
from rollwise.solver.values.board_solver import BoardSolver
from tests.games.six_by_6_by_hand import Array, round_worth

REACH = {"posting": "free", "objective": "reach"}


def by_hand(targets: Sequence[int], cap: int) -> list[Array]:
    """By posted and carry, the chances of all targets."""
    return round_worth(lambda score: (score[:, None] >= np.array(targets)) * 1.0, cap=cap)


@pytest.mark.parametrize("limit", [1, 4])
def test_chances_are_those_by_hand_on_every_board(limit: int) -> None:
    made = SixBy6Reach(posting="free", objective="reach", limit=limit)
    found = BoardSolver(made, compile_turn(made), compiled=False).solve()
    columns = made.boards().columns(np.arange(made.boards().size))
    wanted = np.array(by_hand(range(36 + limit + 12), limit))[columns.posted, columns.carry, columns.target]
    assert (abs(found.values - wanted) < found.radius + 1e-12).all()


@pytest.mark.thorough
def test_they_are_without_a_limit_too() -> None:
    asked = [(0, 0, 40), (0, 0, 21), (0, 0, 37), (5, 1, 50), (9, 2, 60), (0, 5, 35)]
    wanted = by_hand([target for _, _, target in asked], 110)
    for place, (carry, posted, target) in enumerate(asked):
        found: Any = rollwise.ask("six-by-6", params=REACH, carry=carry, posted=posted, target=target)
        assert found.lower - 1e-11 <= wanted[posted][carry, place] <= found.upper + 1e-11
        assert found.upper - found.lower < 1e-9


def test_whoever_wants_more_than_posting_makes_goes_on_and_who_holds_much_is_nearly_sure_of_any_target() -> None:
    asked: dict[str, Any] = {"carry": 3, "posted": 1, "roll": [1, 2, 3, 4, 5]}
    enough = 36 + 3 + 9
    best = [rollwise.ask("six-by-6", params=REACH, target=target, **asked).best for target in (enough, enough + 1)]
    assert best == [["post"], ["go on"]]
    found: Any = rollwise.ask("six-by-6", params=REACH, carry=199, target=90)
    assert 1 - 1e-9 < found.lower <= found.upper == 1


@pytest.mark.parametrize(
    ("parameters", "objective"),
    [({}, "reach"), ({}, "win"), ({"players": 2}, "score"), ({"players": 2, "posting": "free"}, "reach")],
)
def test_what_cannot_be_wanted_is_refused(parameters: dict[str, Any], objective: str) -> None:
    with pytest.raises(ParameterError, match=f"has objective score or reach alone with posting=free.* got {objective}"):
        game("six-by-6", {**parameters, "objective": objective})
