"""A solve that was stopped goes on from what was kept, to the same numbers; what does not fit is refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from rollwise.games.pig.rules import Pig
from rollwise.games.registry import game
from rollwise.games.sixzee.rules import Sixzee
from rollwise.games.yahtzee.rules import Yahtzee
from rollwise.solver.components import checkpoints
from rollwise.solver.components.checkpoints import Checkpointing, Resumable
from rollwise.solver.markov_chains import rounds
from rollwise.solver.markov_chains.layout import Chain, lay_out
from rollwise.solver.markov_chains.rounds import run_rounds
from rollwise.solver.markov_chains.values import Elimination, eliminate
from rollwise.solver.model.errors import NotConverged
from rollwise.solver.model.game import TurnGame
from rollwise.solver.turn.graph import compile_turn
from rollwise.solver.values import board_solver
from rollwise.solver.values.board_solver import BoardSolver

Checkpoint = tuple[dict[str, Any], dict[str, Any]]


@pytest.fixture(autouse=True)
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    """A checkpoint after every level, and every round."""
    for name, number in (("INTERVAL_S", -1.0), ("SAVE_FACTOR", 0.0), ("ONCE_INTERVAL_S", -1.0), ("ONCE_FACTOR", 0.0)):
        monkeypatch.setattr(checkpoints, name, number)
    monkeypatch.setattr(board_solver, "BOARDS_PER_STEP", 50)


def copied(solver: Resumable) -> Checkpoint:
    arrays, state = solver.checkpoint()
    rows = state["done"] if solver.written_once else None
    return {name: array[:rows].copy() for name, array in arrays.items()}, dict(state)


# --- boards, level by level -------------------------------------------------------------------------------------------

SHEETS = [Yahtzee(boxes="ones,sixes,yahtzee,chance"), Sixzee(boxes="twos,three of a kind,3-2-1,sixzee")]


def new(made: TurnGame) -> BoardSolver:
    return BoardSolver(made, compile_turn(made), compiled=False)


def saved_checkpoints(solver: BoardSolver, stop_at: float) -> list[Checkpoint]:
    """What was kept after each level, until so much was done."""
    kept: list[Checkpoint] = []

    def progress(share: float) -> None:
        if share > stop_at:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        solver.solve(progress, lambda: kept.append(copied(solver)))
    return kept


@pytest.mark.parametrize("sheet", SHEETS, ids=str)
def test_a_stopped_solve_goes_on_from_its_last_level(sheet: TurnGame) -> None:
    whole = new(sheet).solve()
    for stop_at in (0.4, 0.95):
        kept, again = saved_checkpoints(new(sheet), stop_at), new(sheet)
        for arrays, state in kept:  # no level is in it that was not finished
            assert (np.isfinite(arrays["value"]) == (again.level_of >= state["level"])).all()
        assert again.fits(*kept[-1])
        again.resume(*kept[-1])
        found = again.solve()
        assert np.array_equal(found.values, whole.values, equal_nan=True)
        assert 0 < found.work.edge_operations < whole.work.edge_operations
        possible = again.level_of >= 0
        assert (found.radius[possible] > 0).all()
        assert (found.radius[possible] <= whole.radius[possible]).all()


# --- luck, level by level and round by round --------------------------------------------------------------------------


def laid(name: str, **parameters: Any) -> Chain:
    made = game(name, parameters)
    assert isinstance(made, TurnGame)
    return lay_out(made, compile_turn(made))


def keeping(kept: list[Checkpoint], begun: Checkpoint | None = None) -> Checkpointing:
    """Goes on from ``begun``, and notes each checkpoint in ``kept``."""

    @contextmanager
    def keep(solver: Resumable) -> Iterator[Callable[[], None]]:
        if begun is not None:
            arrays = {name: array.copy() for name, array in begun[0].items()}
            assert solver.fits(arrays, begun[1])
            solver.resume(arrays, begun[1])
        yield lambda: kept.append(copied(solver))

    return keep


@pytest.mark.parametrize(
    ("name", "parameters"),
    [("thunderstorm", {"players": 3}), ("finish", {"players": 3, "chips": 2}), ("big-six", {"chips": 2})],
)
def test_an_elimination_goes_on_from_any_level(name: str, parameters: dict[str, Any]) -> None:
    chain = laid(name, **parameters)
    kept: list[Checkpoint] = []
    whole = eliminate(chain, saving=keeping(kept))
    assert len(kept) == chain.n_levels
    for place in (0, len(kept) // 2, len(kept) - 1):
        later: list[Checkpoint] = []
        again = eliminate(chain, saving=keeping(later, kept[place]))
        assert (again.values == whole.values).all()
        assert (again.chance_error, again.turn_error) == (whole.chance_error, whole.turn_error)
        assert len(later) == chain.n_levels - place - 1
    for (before, _), (after, _) in pairwise(kept):  # rows that were written stay as they are
        assert (after["values"][: len(before["values"]), : chain.seats] == before["values"][:, : chain.seats]).all()
    assert len(kept[-1][0]["values"]) == chain.n_boards


def test_rounds_go_on_from_any_of_them() -> None:
    chain = laid("bouncer", chips=3)
    kept: list[Checkpoint] = []
    whole = run_rounds(chain, saving=keeping(kept))
    assert len(kept) > 12
    for place in (0, 3, len(kept) // 2, len(kept) - 1):
        later: list[Checkpoint] = []
        again = run_rounds(chain, saving=keeping(later, kept[place]))
        assert (again.values == whole.values).all()
        assert (again.chance_error, again.turn_error) == (whole.chance_error, whole.turn_error)
        assert len(later) == len(kept) - place - 1


def test_a_wrong_pace_costs_time_and_no_truth(monkeypatch: pytest.MonkeyPatch) -> None:
    chain = laid("bouncer", chips=2)
    kept: list[Checkpoint] = []
    whole = run_rounds(chain, saving=keeping(kept))
    arrays, state = kept[-1]
    state["pace"] |= {"middle": 2.0, "half": 0.1, "ratio": 0.05}
    arrays["numbers"] += 0.25
    again = run_rounds(chain, saving=keeping([], (arrays, state)))
    slack = (again.chance_error + whole.chance_error) * whole.values[:, -1:] * 1.01
    assert (np.abs(again.values - whole.values)[:, :-1] <= slack).all()
    monkeypatch.setattr(rounds, "MAX_ROUNDS", 3)
    with pytest.raises(NotConverged):
        run_rounds(chain)


# --- what does not fit ------------------------------------------------------------------------------------------------


@cache
def of_boards() -> tuple[Resumable, Checkpoint]:
    return new(Pig(20)), saved_checkpoints(new(Pig(20)), 0.5)[-1]


@cache
def of_elimination() -> tuple[Resumable, Checkpoint]:
    chain, kept = laid("thunderstorm", players=3), list[Checkpoint]()
    eliminate(chain, saving=keeping(kept))
    return Elimination(chain), kept[2]


@cache
def of_rounds() -> tuple[Resumable, Checkpoint]:
    chain, kept = laid("bouncer", chips=2), list[Checkpoint]()
    run_rounds(chain, saving=keeping(kept))
    return rounds.Rounds(chain), kept[-1]


WRONG: dict[Callable[[], tuple[Resumable, Checkpoint]], list[Callable[[dict[str, Any], dict[str, Any]], Any]]] = {
    of_boards: [
        lambda arrays, state: arrays.clear(),
        lambda arrays, state: arrays.pop("waits"),
        lambda arrays, state: arrays.update(value=arrays["value"][:-1]),
        lambda arrays, state: arrays.update(radius=arrays["radius"][:, None]),
        lambda arrays, state: arrays.update(value=arrays["value"].astype(np.float32)),
        lambda arrays, state: arrays["value"].fill(np.nan),
        lambda arrays, state: arrays["radius"].fill(-1),
        lambda arrays, state: arrays["waits"].fill(np.inf),
        lambda arrays, state: state.update(level=str(state["level"])),
        lambda arrays, state: state.update(level=-1),
        lambda arrays, state: state.update(level=state["level"] - 1),
        lambda arrays, state: state.update(level_radius=float("nan")),
        lambda arrays, state: state.update(slack="0"),
        lambda arrays, state: state.update(scale=-1.0),
        lambda arrays, state: state.update(methods=[3]),
        lambda arrays, state: state.update(methods=None),
        lambda arrays, state: state.pop("slack"),
    ],
    of_elimination: [
        lambda arrays, state: arrays.popitem(),
        lambda arrays, state: arrays.update(more=np.zeros(1)),
        lambda arrays, state: arrays["values"].fill(np.nan),
        lambda arrays, state: arrays["values"].fill(-1.0),
        lambda arrays, state: arrays.update(values=arrays["values"][:-1]),
        lambda arrays, state: arrays.update(values=arrays["values"].astype(np.float32)),
        lambda arrays, state: arrays.update(values=arrays["values"][:, :-2]),
        lambda arrays, state: state.pop("change"),
        lambda arrays, state: state["change"].append(0.0),
        lambda arrays, state: state.update(change=[float("nan")] * len(state["change"])),
        lambda arrays, state: state.update(change="0"),
        lambda arrays, state: state.update(done=state["done"] + 1),
        lambda arrays, state: (state.update(done=1), arrays.update(values=arrays["values"][:1])),
        lambda arrays, state: state.update(done="0"),
    ],
    of_rounds: [
        lambda arrays, state: arrays.pop("step"),
        lambda arrays, state: arrays.update(numbers=arrays["numbers"][1:]),
        lambda arrays, state: arrays.update(step=arrays["step"][1:]),
        lambda arrays, state: arrays["numbers"].fill(np.inf),
        lambda arrays, state: arrays.update(numbers=arrays["numbers"].astype(np.float32)),
        lambda arrays, state: state.pop("pace"),
        lambda arrays, state: state["pace"].pop("half"),
        lambda arrays, state: state["pace"].update(half=0.0),
        lambda arrays, state: state["pace"].update(middle=float("nan")),
        lambda arrays, state: state["pace"].update(sizes=[0.5]),
        lambda arrays, state: state["pace"].update(sizes=3),
        lambda arrays, state: state["pace"].update(rounds=1.5),
        lambda arrays, state: state.update(pace=[]),
    ],
}


@pytest.mark.parametrize(
    ("solve", "number"), [(solve, number) for solve in WRONG for number in range(len(WRONG[solve]))]
)
def test_what_is_no_checkpoint_of_a_solve_does_not_fit(
    solve: Callable[[], tuple[Resumable, Checkpoint]], number: int
) -> None:
    solver, kept = solve()
    arrays, state = deepcopy(kept)
    assert solver.fits(arrays, state)
    WRONG[solve][number](arrays, state)
    assert not solver.fits(arrays, state)
