"""Passes of an exact solve by the workers of a cluster: each, modulo primes of its own, is a task of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rollwise.cluster.anywhere import require_scheduler, spread
from rollwise.cluster.task import Task
from rollwise.parsing.validate import the_fields, the_game
from rollwise.solutions.fractions import PASSING, one_pass
from rollwise.solutions.identity import plain_parameters

if TYPE_CHECKING:
    from rollwise.solver.exact.primes import Ints, Passed


@contextmanager
def passes_over(scheduler: str | None, name: str, params: Mapping[str, Any]) -> Iterator[None]:
    """Where a scheduler is named its workers do all passes for the start of this game that are needed here."""
    if scheduler is None:
        yield
        return
    require_scheduler(scheduler)
    game = the_game(name, params)
    board = int(game.boards().index_of(**game.locate(**the_fields(game, {})).board))

    def over(groups: Sequence[Sequence[int]], others: Ints) -> Iterator[Passed]:
        about = (game.name, plain_parameters(game), board)
        tasks = [Task(one_pass, (*about, list(primes), others.tolist())) for primes in groups]
        came, wanted = dict[int, Any](), 0
        for place, passed in spread(tasks, scheduler):
            if isinstance(passed, BaseException):
                raise passed
            came[place] = passed
            while wanted in came:  # in the order of their primes
                yield came.pop(wanted)
                wanted += 1

    PASSING.append(over)
    try:
        yield
    finally:
        PASSING.remove(over)
