"""What a run of tests cost is added up, and a quick test over the limit of the gate fails the run."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from tests.budget import MAY_COST, Budget, Compiling, file_of, folder_of

COSTS = {
    "tests/a/test_x.py::test_one[3]": 11.0,
    "tests/a/test_x.py::test_two": 2.5,
    "rollwise/parsing/validate.py::door": 0.1,
}
SLOW = "tests/a/test_x.py::test_slow"


@pytest.fixture
def budget() -> Budget:
    """A run of four tests, one of them slow."""
    found = Budget()
    for name, cost in {**COSTS, SLOW: 90.0}.items():
        told: Any = SimpleNamespace(nodeid=name, when="teardown", user_properties=[("processor", (cost, name != SLOW))])
        found.pytest_runtest_logreport(told)
    return found


def ended(budget: Budget) -> pytest.ExitCode:
    """The exit code of a run in which all tests passed."""
    session: Any = SimpleNamespace(exitstatus=pytest.ExitCode.OK)
    budget.pytest_sessionfinish(session)
    code: pytest.ExitCode = session.exitstatus
    return code


def test_quick_tests_over_the_budget_are_named_the_dearest_first(budget: Budget) -> None:
    assert budget.over(MAY_COST) == list(COSTS)[:2]
    assert (file_of(SLOW), folder_of(SLOW), folder_of("rollwise/parsing/validate.py::door")) == (
        "tests/a/test_x.py",
        "tests/a",
        "rollwise",
    )


@pytest.mark.parametrize(("limit", "code"), [("0.1", 1), ("0.11", 0), ("", 0)])
def test_a_quick_test_over_the_limit_fails_the_run(
    budget: Budget, limit: str, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROLLWISE_BUDGET", limit)
    assert ended(budget) == code


def test_what_compiling_costs_is_counted_once_though_kernels_are_made_inside_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seconds = iter([1.0, 4.0, 10.0, 11.0])
    monkeypatch.setattr("tests.budget.processor", lambda: next(seconds))
    compiling = Compiling()
    for begins in (True, True, False, False, True):  # the last one fails, and never says that it ended
        compiling(begins)
    assert compiling.so_far() == 3.0
    compiling(True)
    assert compiling.depth == 1
