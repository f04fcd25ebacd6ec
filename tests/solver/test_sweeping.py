"""Sweeps of several workers: the rule hears of all of them, and what fails in one of them ends them all."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from rollwise.games.registry import game
from rollwise.solver.components.team import GoesOn, Part, Sweeps, Team
from rollwise.solver.kinds import kind_of
from rollwise.solver.kinds.kind import Tools
from rollwise.solver.model.game import TurnGame
from rollwise.solver.turn.graph import compile_turn
from rollwise.solver.values.component import LargeComponent

SOON = 20.0  # seconds: whoever takes longer waits for ever


def swept(part: Part, goes_on: GoesOn) -> list[BaseException]:
    """What came out of two workers' sweeps of a part, between two that move nothing."""
    came: list[BaseException] = []

    def run() -> None:
        try:
            Team(2).run([Sweeps([still, part, still], goes_on)])
        except BaseException as error:
            came.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(SOON)
    assert not thread.is_alive()
    return came


def still(rank: int, workers: int) -> float:
    return 0.0


def test_the_rule_is_asked_after_each_sweep_with_the_most_that_any_worker_moved() -> None:
    moved, seen = {0: iter([0.5, 3.0, 0.1]), 1: iter([2.0, 1.0, 0.2])}, list[float]()

    def goes_on(most: float) -> bool:
        seen.append(most)
        return most > 0.2

    assert swept(lambda rank, workers: next(moved[rank]), goes_on) == []
    assert seen == [2.0, 3.0, 0.2]


def test_what_is_not_shared_one_worker_does_and_the_others_wait_for_the_next_step() -> None:
    done = list[tuple[int, int]]()

    def part(rank: int, workers: int) -> float:
        done.append((rank, workers))
        return 0.0

    Team(2).run([Sweeps([part], lambda most: len(done) < 3, share=False), [lambda: done.append((0, 0))]])
    assert done == [(0, 1), (0, 1), (0, 1), (0, 0)]


def test_short_runs_are_swept_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Against a robot whose score cannot change but to zero, boards of a sum are one: calls took most of the time."""
    seen, run = list[tuple[int, int]](), LargeComponent.run

    def running(self: LargeComponent, rank: int, team: Team) -> None:
        seen.append((len(self.runs), len(self.groups)))
        run(self, rank, team)

    monkeypatch.setattr(LargeComponent, "run", running)
    robots = game("piggy-six", {"robots": (20,), "target": 14})
    assert isinstance(robots, TurnGame)
    kind_of(robots).solve(robots, compile_turn(robots), Tools(workers=1))
    assert set(seen) == {(2, 2)}


def fails(*given: float) -> float:
    raise ArithmeticError(given)


@pytest.mark.parametrize(
    ("part", "goes_on", "given"),
    [(lambda rank, workers: fails(rank) if rank else 1.0, bool, (1,)), (lambda rank, workers: 1.0, fails, (1.0,))],
)
def test_what_fails_in_a_part_or_in_the_rule_comes_out(part: Part, goes_on: Callable[..., bool], given: object) -> None:
    (error,) = swept(part, goes_on)
    assert (type(error), error.args) == (ArithmeticError, (given,))
