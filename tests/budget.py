"""What tests cost in seconds of processor: the dearest files, a sum for each folder, and what is over the budget.

Counted are this process and those that it waited for; machine code that is made on the way, once a machine, is not. A
quick test may cost ``MAY_COST``, or stands in ``budget.toml`` with its reason: those that do neither are named at the
end of a run. Where ``ROLLWISE_BUDGET`` says a share of the whole run, as in the gate, a quick test over that fails it:
a share and not seconds, since the same test took 7 s on one machine and 11 on another.
"""

from __future__ import annotations

import os
import sys
import time
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

MAY_COST = 2.0
FILES_SHOWN = 10
EXCEPTIONS: dict[str, str] = tomllib.loads((Path(__file__).parent / "budget.toml").read_text())
BEGAN = pytest.StashKey[tuple[float, float]]()
LONG = ("thorough", "slow", "minutes", "browser", "dev")
PROCESSORS = os.cpu_count() or 1


def processor() -> float:
    """Seconds of processor of this process and of those that ended under it."""
    return sum(os.times()[:4])


class Budget:
    """The costs of a run: measured where a test runs, added up where the run is reported."""

    def __init__(self) -> None:
        self.compiling, self.depth, self.since = 0.0, 0, 0.0  # seconds of processor that went into machine code
        self.cost: dict[str, float] = {}
        self.quick: set[str] = set()
        self.failed = False

    def compiles(self, begins: bool) -> None:
        """Hear that machine code is being made, or is there."""
        if begins and not self.depth:
            self.since = processor()
        self.depth = max(0, self.depth + (1 if begins else -1))
        if not begins and not self.depth:
            self.compiling += processor() - self.since

    def spent(self) -> float:
        """Seconds so far, without those of compiling; compiling that failed never said that it ended."""
        self.depth = 0
        return processor() - self.compiling

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        compiles = sys.modules.get("rollwise.solver.turn.kernel_compiles")
        if compiles is not None:
            compiles.KERNEL_COMPILES.observer = self.compiles
        item.stash[BEGAN] = self.spent(), time.perf_counter()
        return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
        report: Any = yield
        if call.when == "teardown":
            began, start = item.stash[BEGAN]
            cost = min(self.spent() - began, PROCESSORS * (time.perf_counter() - start))  # the rest ended late
            report.user_properties.append(("processor", (round(cost, 3), not any(map(item.get_closest_marker, LONG)))))
        return report  # type: ignore[no-any-return]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        for name, told in report.user_properties:
            if name == "processor" and report.when == "teardown":
                assert isinstance(told, tuple | list)
                self.cost[report.nodeid] = told[0]
                if told[1]:
                    self.quick.add(report.nodeid)

    def over(self, most: float) -> list[str]:
        """Quick tests that cost more, the dearest first."""
        return sorted((test for test in self.quick if self.cost[test] > most), key=lambda test: -self.cost[test])

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        share = os.environ.get("ROLLWISE_BUDGET")
        if share and self.over(float(share) * sum(self.cost.values())) and session.exitstatus == pytest.ExitCode.OK:
            self.failed = True
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if len(self.cost) < 2:
            return
        say = terminalreporter.write_line
        terminalreporter.section("seconds of processor")
        for told, most in ((file_of, FILES_SHOWN), (folder_of, None)):
            total, count = Counter[str](), Counter(map(told, self.cost))
            for test, cost in self.cost.items():
                total[told(test)] += cost  # type: ignore[assignment]  # seconds
            for name, cost in total.most_common(most):
                say(f"{cost:8.1f}  {name}  ({count[name]} tests)")
            say("")
        say(f"{sum(self.cost.values()):8.1f}  all {len(self.cost)} tests")
        for test in self.over(MAY_COST):
            if test.partition("[")[0] not in EXCEPTIONS:
                say(f"{self.cost[test]:8.1f}  {test}: over {MAY_COST:.0f} s, and not in tests/budget.toml")
        if self.failed:
            share = float(os.environ["ROLLWISE_BUDGET"])
            say(f"FAILED: a quick test may cost {100 * share:g} % of all of them: {self.over(0)[0]}")


def file_of(test: str) -> str:
    """The file of a test."""
    return test.partition("::")[0]


def folder_of(test: str) -> str:
    """The folder of a test, two deep: ``tests/solver``; ``rollwise`` for its docstrings."""
    parts = file_of(test).split("/")
    return "/".join(parts[:2]) if parts[0] == "tests" else parts[0]
