"""``solve``: the value of a game at its start, and the method and size of the solve.

The passes of an exact solve, each modulo a group of primes, may run on a cluster: each is one task.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Annotated, Any

import typer

from rollwise.arguments import check_arguments
from rollwise.cluster.run import require_scheduler, run_tasks
from rollwise.cluster.task import Task
from rollwise.parsing.validate import parse_fields, parse_game
from rollwise.questions.ask.compute import answer
from rollwise.questions.ask.data import Advice
from rollwise.questions.ask.text import solution_lines
from rollwise.questions.options import (
    Exact,
    Game,
    Json,
    Lengths,
    Parameters,
    Scheduler,
    hint_without_scheduler,
    parameters_typed,
    print_answer,
    title,
)
from rollwise.questions.plan import plan as estimate_plan, plan_lines
from rollwise.solutions.fractions import PASS_RUNNERS, is_long_solve_allowed, load_or_compute_fractions, run_pass
from rollwise.solutions.identity import plain_parameters
from rollwise.solutions.lookup import StoredSolution, accept_any_turn, answer_from_solution
from rollwise.solutions.progress import Progress
from rollwise.solver.exact.primes import Ints, PassResult
from rollwise.solver.kinds import kind_of
from rollwise.solver.kinds.kind import QueryOptions, Tools
from rollwise.solver.model.errors import BadInput


@check_arguments
def solve(
    game: str,
    *,
    params: Mapping[str, Any] | None = None,
    exact: bool = False,
    lengths: bool = False,
    ties: bool = False,
    yes: bool = False,
) -> Advice:
    """Solve a game, or take it from the cache, and return the value of its start.

    ``facts`` of the answer has ``boards``, ``method``, ``seconds`` (of the solve) and ``cached``; a table's
    ``quantities`` have ``gain``, the most that a single seat could gain by another policy. ``lengths`` and ``yes`` as
    in ``ask``. ``ties``: at tables, ``facts`` has ``unique_by_ties``: whether the shares stay the same under other
    tie-breaking (the last of equally good moves is played; or the one that is best for the next seat), with the
    largest ``difference`` of any seat at the start, and on any possible board (``anywhere``).

    >>> solution = solve("pig", params={"target": 3}, exact=True)
    >>> solution.exact
    '36/43'
    """
    model = parse_game(game, params)
    fields = parse_fields(model, {})
    options = QueryOptions(exact, lengths=lengths, ahead=load_or_compute_fractions, beyond=is_long_solve_allowed)
    solution = answer(model, fields, model.locate(**fields), options, of_all=True)
    facts = {name: solution.facts[name] for name in ("boards", "method", "seconds", "cached")}
    if ties:
        facts["unique_by_ties"] = answer_from_solution(model, accept_any_turn, _other_ties)
    return replace(solution, best=[], moves=[], facts=facts)


def _other_ties(stored: StoredSolution) -> dict[str, Any]:
    """The change of shares under other tie-breaking, as plain data."""
    with Progress(str(stored.game), verb="breaking ties otherwise") as progress:
        change = kind_of(stored.game).other_ties(stored.solution, Tools(progress.share))
    unique = change.anywhere <= change.radius
    return {"unique": unique, "difference": change.at_start, "anywhere": change.anywhere}


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


def solve_command(
    game: Game,
    lengths: Lengths = False,
    ties: Annotated[
        bool, typer.Option("--ties", help="at tables: how much other ways to break ties would change; two more solves")
    ] = False,
    plan: Annotated[
        bool, typer.Option("--plan", help="only estimate what solving takes, and show whether it is solved")
    ] = False,
    p: Parameters = None,
    as_json: Json = False,
    exact: Exact = False,
    scheduler: Scheduler = None,
) -> None:
    """Solve a game and show the value of its start."""
    parameters = parameters_typed(p)
    if plan:
        estimate = estimate_plan(game, params=parameters)
        print_answer(as_json, estimate.plain, lambda: plan_lines(estimate))
        return
    if scheduler is not None and not exact:
        raise BadInput("--scheduler is for the passes of --exact", field="scheduler")

    with hint_without_scheduler(["solve", game]), passes_on_cluster(scheduler, game, parameters):
        solution = solve(game, params=parameters, exact=exact, lengths=lengths, ties=ties)
    print_answer(as_json, solution.plain_solution, lambda: solution_lines(solution, title(game), exact=exact))
