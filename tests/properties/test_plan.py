"""What a solve will take is told before it, and games that are worked out when asked are neither swept nor kept."""

from __future__ import annotations

from pathlib import Path

import pytest

import rollwise
from rollwise.cache.store import Store
from rollwise.games.registry import REGISTRY, game_class
from rollwise.solver.kinds import kind_of
from rollwise.solver.kinds.kind import Tools
from tests.sizes import SIZES, Size

ALONE = [name for name in REGISTRY if not kind_of(game_class(name)).keeps]


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_a_plan_counts_what_the_solve_then_finds(size: Size) -> None:
    kind = kind_of(size.game)
    plan = kind.plan(size.game, size.graph)
    solved = kind.solve(size.game, size.graph, Tools())
    assert plan.boards == solved.facts["boards"]
    assert plan.edges == size.graph.n_edges
    kept = sum(array.nbytes for array in solved.arrays.values())
    assert plan.kept <= 2 * kept <= 4 * plan.kept or plan.kept == kept == 0
    assert plan.memory >= plan.kept


def test_races_pots_most_points_and_bets_are_worked_out_when_asked() -> None:
    wanted = {"drop-dead", "slam", "martinetti", "six-by-6", "pay-the-rent", "dice-roulette", "high-dice"}
    assert set(ALONE) == wanted


@pytest.mark.parametrize("name", ALONE)
def test_nothing_is_kept_of_a_game_that_is_worked_out_when_asked(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROLLWISE_CACHE", str(tmp_path))
    answers = [rollwise.solve(name) for _ in range(2)]
    assert answers[0].quantities == answers[1].quantities != {}
    assert [answer.facts["cached"] for answer in answers] == [False, False]
    assert answers[0].facts["method"] == "one player's chain, followed exactly when asked"
    assert Store().entries() == []
    assert not any(tmp_path.rglob("*.npy"))


@pytest.mark.parametrize("name", ALONE)
def test_nothing_is_swept_of_a_game_that_is_worked_out_when_asked(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def swept(*_: object, **__: object) -> None:
        raise AssertionError("swept")

    monkeypatch.setattr("rollwise.solver.boards.sweep.BoardSolver.solve", swept)
    monkeypatch.setattr("rollwise.solver.chains.layout.lay_out", swept)
    assert rollwise.ask(name).quantities
