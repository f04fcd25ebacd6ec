"""Luck games that were stopped go on from what was kept, to the same numbers; what does not fit is refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from rollwise.games.registry import game
from rollwise.solver.chains import forwards
from rollwise.solver.chains.forwards import visit
from rollwise.solver.chains.layout import Chain, lay_out
from rollwise.solver.chains.values import Elimination, eliminate
from rollwise.solver.game.errors import NotConverged
from rollwise.solver.game.model import TurnGame
from rollwise.solver.order import saving
from rollwise.solver.order.saving import KeptSolve, Resumable
from rollwise.solver.turn.graph import compile_turn

Checkpoint = tuple[dict[str, Any], dict[str, Any]]


@pytest.fixture(autouse=True)
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    """A checkpoint after every level, and every round."""
    for name, number in (("EVERY", -1.0), ("SHARE", 0.0), ("AGAIN", -1.0), ("SHARE_ONCE", 0.0)):
        monkeypatch.setattr(saving, name, number)


def laid(name: str, **parameters: Any) -> Chain:
    made = game(name, parameters)
    assert isinstance(made, TurnGame)
    return lay_out(made, compile_turn(made))


def keeping(kept: list[Checkpoint], begun: Checkpoint | None = None) -> KeptSolve:
    """Goes on from ``begun``, and notes each checkpoint in ``kept``."""

    @contextmanager
    def keep(solver: Resumable) -> Iterator[Callable[[], None]]:
        if begun is not None:
            arrays = {name: array.copy() for name, array in begun[0].items()}
            assert solver.fits(arrays, begun[1])
            solver.resume(arrays, begun[1])

        def save() -> None:
            arrays, state = solver.checkpoint()
            kept.append(({name: array.copy() for name, array in arrays.items()}, dict(state)))

        yield save

    return keep


@pytest.mark.parametrize(
    ("name", "parameters"),
    [("thunderstorm", {"players": 3}), ("finish", {"players": 3, "chips": 3}), ("big-six", {"chips": 2})],
)
def test_an_elimination_goes_on_from_any_level(name: str, parameters: dict[str, Any]) -> None:
    chain = laid(name, **parameters)
    kept: list[Checkpoint] = []
    whole = eliminate(chain, kept=keeping(kept))
    assert len(kept) == chain.n_levels
    for place in (0, len(kept) // 2, len(kept) - 1):
        later: list[Checkpoint] = []
        again = eliminate(chain, kept=keeping(later, kept[place]))
        assert (again.values == whole.values).all()
        assert (again.chance_error, again.turn_error) == (whole.chance_error, whole.turn_error)
        assert len(later) == chain.n_levels - place - 1


def test_spans_that_were_written_stay_as_they_are() -> None:
    kept: list[Checkpoint] = []
    eliminate(laid("thunderstorm", players=3), kept=keeping(kept))
    for (before, _), (after, _) in pairwise(kept):
        for name, rows in before.items():
            assert after[name].shape != rows.shape or (after[name] == rows).all()
    assert sum(map(len, kept[-1][0].values())) == laid("thunderstorm", players=3).n_boards


WRONG: list[Callable[[dict[str, Any], dict[str, Any]], Any]] = [
    lambda arrays, state: arrays.popitem(),
    lambda arrays, state: arrays.update(more=np.zeros(1)),
    lambda arrays, state: arrays["from_0"].fill(np.nan),
    lambda arrays, state: arrays["from_0"].fill(-1.0),
    lambda arrays, state: arrays.update(from_0=arrays["from_0"][:-1]),
    lambda arrays, state: arrays.update(from_0=arrays["from_0"].astype(np.float32)),
    lambda arrays, state: arrays.update(from_0=arrays["from_0"][:, :-2]),
    lambda arrays, state: state.pop("change"),
    lambda arrays, state: state["change"].append(0.0),
    lambda arrays, state: state.update(change=[float("nan")] * len(state["change"])),
    lambda arrays, state: state.update(change="0"),
    lambda arrays, state: state["spans"].insert(1, state["spans"][-1]),
    lambda arrays, state: state["spans"].append(state["spans"][-1] + 1),
    lambda arrays, state: state.update(spans=[]),
    lambda arrays, state: state.update(spans=["0"]),
]


@pytest.mark.parametrize("harm", WRONG, ids=range(len(WRONG)))
def test_what_is_no_checkpoint_of_the_elimination_does_not_fit(harm: Callable[..., Any]) -> None:
    chain = laid("thunderstorm", players=3)
    kept: list[Checkpoint] = []
    eliminate(chain, kept=keeping(kept))
    arrays, state = kept[2]
    assert Elimination(chain).fits(arrays, state)
    harm(arrays, state)
    assert not Elimination(chain).fits(arrays, state)


# --- visits -----------------------------------------------------------------------------------------------------------


def test_visits_go_on_from_any_round() -> None:
    chain = laid("bouncer", chips=4)
    start = chain.place(chain.game.boards().index_of(**chain.game.first_board()))
    kept: list[Checkpoint] = []
    whole = visit(chain, start, kept=keeping(kept))
    assert len(kept) > 12
    for place in (0, 3, len(kept) // 2, len(kept) - 1):
        later: list[Checkpoint] = []
        again = visit(chain, start, kept=keeping(later, kept[place]))
        assert (again.ended == whole.ended).all()
        assert (again.turns, again.missing) == (whole.turns, whole.missing)
        assert len(later) == len(kept) - place - 1


WRONG_ROUNDS: list[Callable[[dict[str, Any], dict[str, Any]], Any]] = [
    lambda arrays, state: arrays.pop("step"),
    lambda arrays, state: arrays.update(visits=arrays["visits"][1:]),
    lambda arrays, state: arrays.update(step=arrays["step"][1:]),
    lambda arrays, state: arrays["visits"].fill(np.inf),
    lambda arrays, state: arrays.update(visits=arrays["visits"].astype(np.float32)),
    lambda arrays, state: state.update(start=state["start"] + 1),
    lambda arrays, state: state.pop("pace"),
    lambda arrays, state: state["pace"].pop("half"),
    lambda arrays, state: state["pace"].update(half=0.0),
    lambda arrays, state: state["pace"].update(middle=float("nan")),
    lambda arrays, state: state["pace"].update(sizes=[0.5]),
    lambda arrays, state: state["pace"].update(sizes=3),
    lambda arrays, state: state["pace"].update(rounds=1.5),
    lambda arrays, state: state.update(pace=[]),
]


@pytest.mark.parametrize("harm", WRONG_ROUNDS, ids=range(len(WRONG_ROUNDS)))
def test_what_is_no_checkpoint_of_the_rounds_does_not_fit(harm: Callable[..., Any]) -> None:
    chain = laid("bouncer", chips=2)
    kept: list[Checkpoint] = []
    visit(chain, 0, kept=keeping(kept))
    arrays, state = kept[-1]
    rounds = forwards._Rounds(chain, 0)
    assert rounds.fits(arrays, state)
    harm(arrays, state)
    assert not rounds.fits(arrays, state)


def test_a_wrong_pace_costs_time_and_no_truth(monkeypatch: pytest.MonkeyPatch) -> None:
    chain = laid("bouncer", chips=3)
    start = chain.place(chain.game.boards().index_of(**chain.game.first_board()))
    kept: list[Checkpoint] = []
    whole = visit(chain, start, kept=keeping(kept))
    arrays, state = kept[-1]
    state["pace"] |= {"middle": 2.0, "half": 0.1, "ratio": 0.05}
    arrays["visits"] += 0.25
    again = visit(chain, start, kept=keeping([], (arrays, state)))
    assert np.abs(again.ended - whole.ended).max() <= again.missing + whole.missing
    monkeypatch.setattr(forwards, "MOST_TURNS", 3)
    with pytest.raises(NotConverged):
        visit(chain, start)
