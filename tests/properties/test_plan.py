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


MEASURED = [  # seconds on two cores that had nothing else to do, by scripts/bench.py
    ("ten-thousand", {"goal": 5000}, 0.84),
    ("ten-thousand", {}, 4.43),
    ("zilch", {"goal": 5000}, 4.23),
    ("zilch", {}, 13.31),
    ("piggy-six", {}, 3.14),
    ("piggy-six", {"max_dice": 3}, 3.38),
    ("yahtzee", {}, 0.71),
    ("sixzee", {}, 29.82),
    ("sevens", {}, 1.91),
    ("cameroon", {}, 1.35),
    ("killer", {}, 13.45),
    ("killer", {"must_score": True}, 15.48),
]


@pytest.mark.parametrize(("name", "parameters", "seconds"), MEASURED)
def test_the_seconds_of_a_duel_or_a_sheet_are_within_four_times_of_what_was_measured(
    name: str, parameters: dict[str, object], seconds: float
) -> None:
    assert 1 / 2 < rollwise.plan(name, parameters).seconds / seconds < 4
