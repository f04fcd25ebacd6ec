"""What must hold of values whatever the game: on random positions, and between neighbours where the rules imply it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import rollwise
from rollwise.door import check_board, the_game
from rollwise.solver.game.errors import StateError
from rollwise.stored import Stored, stored
from tests.sizes import SIZES

relaxed = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def check(advice: Any, low: float, high: float) -> None:
    assert low <= advice.lower <= advice.value <= advice.upper <= high
    assert advice.best == [move.move for move in advice.moves][: len(advice.best)]
    for move in advice.moves:
        assert move.lower <= move.value <= move.upper
        assert move.loss >= 0
        assert (move.loss == 0) or move.move not in advice.best
    losses = [move.loss for move in advice.moves]
    assert losses == sorted(losses)


@relaxed
@given(mine=st.integers(0, 19), theirs=st.integers(0, 19), turn=st.integers(2, 19))
def test_pig_answers_are_probabilities_in_order(mine: int, theirs: int, turn: int) -> None:
    check(rollwise.ask("pig", {"target": 20}, mine=mine, theirs=theirs, turn=turn), 0, 1)


@relaxed
@given(mine=st.integers(0, 9), theirs=st.integers(0, 9), turn=st.integers(2, 20), seat=st.integers(0, 1))
def test_piggy_six_answers_are_probabilities_in_order(mine: int, theirs: int, turn: int, seat: int) -> None:
    check(rollwise.ask("piggy-six", {"target": 10}, mine=mine, theirs=theirs, turn=turn, seat=seat), 0, 1)


@relaxed
@given(roll=st.tuples(st.integers(1, 6), st.integers(1, 6)))
def test_shut_the_box_scores_lie_between_0_and_45(roll: tuple[int, int]) -> None:
    if roll not in ((5, 5), (6, 6)):
        check(rollwise.ask("shut-the-box", roll=roll), 0, 45)


@relaxed
@given(mine=st.integers(0, 9), theirs=st.integers(0, 9), dice=st.integers(1, 6))
def test_ten_thousand_answers_are_probabilities_in_order(mine: int, theirs: int, dice: int) -> None:
    turn = 300 + 50 * (6 - dice) if dice < 6 else 0
    check(
        rollwise.ask("ten-thousand", {"goal": 500}, mine=50 * mine, theirs=50 * theirs, turn=min(turn, 450), dice=dice)
        if dice in (1, 2, 6)
        else rollwise.ask("ten-thousand", {"goal": 500}, mine=50 * mine, theirs=50 * theirs),
        0,
        1,
    )


def values_of(name: str, **parameters: Any) -> tuple[Stored, np.ndarray[Any, Any]]:
    found = stored(the_game(name, parameters))
    shape = [len(r) for r in found.game.boards().ranges.values()]
    return found, found.opened.read(np.arange(int(np.prod(shape))))[0].reshape(shape)


@pytest.mark.parametrize(("name", "parameters"), [("pig", {"target": 30}), ("ten-thousand", {"goal": 700})])
def test_more_points_never_hurt_where_the_first_across_wins(name: str, parameters: dict[str, Any]) -> None:
    _, values = values_of(name, **parameters)
    assert (np.diff(values, axis=0) >= -1e-10).all()
    assert (np.diff(values, axis=1) <= 1e-10).all()


def test_a_longer_way_takes_more_turns() -> None:
    _, turns = values_of("ten-thousand", players=1, goal=1000)
    assert (np.diff(turns) <= 1e-10).all()


def test_the_shares_of_a_table_are_one_together() -> None:
    advice = rollwise.ask("shut-the-box", {"players": 4}, roll=[5, 3])
    assert advice.shares is not None
    assert sum(advice.shares) == pytest.approx(1, abs=1e-12)
    for move in advice.moves or []:
        assert sum(move.shares or []) == pytest.approx(1, abs=1e-12)


def test_a_distribution_sums_to_one_within_its_tail() -> None:
    score = rollwise.ask("drop-dead", turn=14, dice=3).quantities["score_distribution"]
    assert score.tail is not None
    assert 1 - score.tail["upper"] - 1e-12 <= sum(score.value.values()) <= 1 + 1e-12
    assert min(map(int, score.value)) == 14


@pytest.mark.usefixtures("own_cache")
def test_answers_from_the_cache_are_the_answers_that_were_stored() -> None:
    first, second = (rollwise.ask("piggy-six", {"target": 8}, mine=3, turn=4) for _ in range(2))
    assert (first.facts["cached"], second.facts["cached"]) == (False, True)
    assert first.plain() == second.plain()


def test_a_board_that_no_game_comes_to_is_refused_at_the_door() -> None:
    refused = set()
    for size in SIZES:
        space = size.game.boards()
        some = np.arange(min(space.size, 1 << 16))
        can_be = np.broadcast_to(size.game.possible(space.columns(some)), len(some))
        for index in np.flatnonzero(can_be)[:1].tolist():
            assert check_board(size.game, space.board(index)) == index
        for index in np.flatnonzero(~can_be)[:1].tolist():
            with pytest.raises(StateError, match=f"no game of {size.name} can come to "):
                check_board(size.game, space.board(index))
            refused.add(size.name)
    assert len(refused) > 5
    with pytest.raises(StateError, match="no game of pig can come to mine=-1 theirs=0"):
        check_board(the_game("pig", {"target": 10}), {"mine": -1, "theirs": 0})
