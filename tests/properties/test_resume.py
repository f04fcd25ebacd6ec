"""A solve that goes level by level and is stopped goes on from the last whole level, to the same numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rollwise.games.sixzee import Sixzee
from rollwise.games.yahtzee import Yahtzee
from rollwise.solver.boards.sweep import BoardSolver
from rollwise.solver.game.model import TurnGame
from rollwise.solver.order import saving
from rollwise.solver.turn.graph import compile_turn

GAMES = [
    Yahtzee(boxes="ones,threes,sixes,full house,yahtzee,chance"),
    Sixzee(boxes="twos,sixes,three of a kind,3-2-1,sixzee,chance"),
]
Checkpoint = tuple[dict[str, Any], dict[str, Any]]


@pytest.fixture(autouse=True)
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    """A checkpoint after every level."""
    for name, number in (("EVERY", -1.0), ("SHARE", 0.0), ("AGAIN", -1.0), ("SHARE_ONCE", 0.0)):
        monkeypatch.setattr(saving, name, number)


def new(game: TurnGame) -> BoardSolver:
    return BoardSolver(game, compile_turn(game), compiled=False)


def checkpoints(solver: BoardSolver, stop_at: float) -> list[Checkpoint]:
    """What was kept after each level, until so much was done."""
    kept: list[Checkpoint] = []

    def save() -> None:
        arrays, state = solver.checkpoint()
        kept.append(({name: array.copy() for name, array in arrays.items()}, dict(state)))

    def progress(share: float) -> None:
        if share > stop_at:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        solver.solve(progress, save)
    return kept


@pytest.mark.parametrize("game", GAMES, ids=str)
@pytest.mark.parametrize("stop_at", [0.4, 0.7, 0.95])
def test_a_stopped_solve_goes_on_from_its_last_level(game: TurnGame, stop_at: float) -> None:
    whole = new(game).solve()
    arrays, state = checkpoints(new(game), stop_at)[-1]
    again = new(game)
    assert again.fits(arrays, state)
    again.resume(arrays, state)
    found = again.solve()
    assert np.array_equal(found.values, whole.values, equal_nan=True)
    assert 0 < found.work.edge_operations < whole.work.edge_operations
    possible = again.level_of >= 0
    assert (found.radius[possible] > 0).all()
    assert (found.radius[possible] <= whole.radius[possible]).all()


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_a_level_that_was_not_finished_is_not_in_a_checkpoint(game: TurnGame) -> None:
    solver = new(game)
    for arrays, state in checkpoints(solver, 0.5):
        open_ = solver.level_of < state["level"]
        assert np.isnan(arrays["value"][open_]).all()
        assert np.isfinite(arrays["value"][solver.level_of >= state["level"]]).all()


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_a_checkpoint_that_says_more_than_it_has_is_refused(game: TurnGame) -> None:
    arrays, state = checkpoints(new(game), 0.5)[-1]
    assert not new(game).fits(arrays, {**state, "level": state["level"] - 1})
    assert not new(game).fits({name: array[:-1] for name, array in arrays.items()}, state)
    assert not new(game).fits({"value": arrays["value"]}, state)
    assert not new(game).fits(arrays, {**state, "level_radius": float("nan")})
