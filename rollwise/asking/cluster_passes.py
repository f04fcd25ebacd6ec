"""Passes of an exact solve on a cluster: each pass, modulo a group of primes, is one task."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rollwise.cluster.run import require_scheduler, run_tasks
from rollwise.cluster.task import Task
from rollwise.parsing.validate import parse_fields, parse_game
from rollwise.solutions.fractions import PASS_RUNNERS, run_pass
from rollwise.solutions.identity import plain_parameters

if TYPE_CHECKING:
    from rollwise.solver.exact.primes import Ints, PassResult


@contextmanager
def passes_on_cluster(scheduler: str | None, name: str, params: Mapping[str, Any]) -> Iterator[None]:
    """Let the workers of ``scheduler`` run all passes for this game's start inside; without one, change nothing."""
    if scheduler is None:
        yield
        return
    require_scheduler(scheduler)
    game = parse_game(name, params)
    board = int(game.boards().index_of(**game.locate(**parse_fields(game, {})).board))

    def run_passes(groups: Sequence[Sequence[int]], others: Ints) -> Iterator[PassResult]:
        subject = (game.name, plain_parameters(game), board)
        tasks = [Task(run_pass, (*subject, list(primes), others.tolist())) for primes in groups]
        results, next_place = dict[int, Any](), 0
        for place, passed in run_tasks(tasks, scheduler):
            if isinstance(passed, BaseException):
                raise passed
            results[place] = passed
            while next_place in results:  # in the order of their primes
                yield results.pop(next_place)
                next_place += 1

    PASS_RUNNERS.append(run_passes)
    try:
        yield
    finally:
        PASS_RUNNERS.remove(run_passes)
