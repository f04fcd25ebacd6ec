"""``solve``: the value of a game at its start."""

from __future__ import annotations

from typing import Annotated

import typer

from rollwise.commands.options import (
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
from rollwise.solver.model.errors import BadInput


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
        from rollwise.asking.plan import plan as estimate_plan
        from rollwise.text.plan import plan_lines

        estimate = estimate_plan(game, params=parameters)
        print_answer(as_json, estimate.plain, lambda: plan_lines(estimate))
        return
    if scheduler is not None and not exact:
        raise BadInput("--scheduler is for the passes of --exact", field="scheduler")
    from rollwise.asking.cluster_passes import passes_on_cluster
    from rollwise.asking.solve import solve
    from rollwise.text.advice import solution_lines

    with hint_without_scheduler(["solve", game]), passes_on_cluster(scheduler, game, parameters):
        solution = solve(game, params=parameters, exact=exact, lengths=lengths, ties=ties)
    print_answer(as_json, solution.plain_solution, lambda: solution_lines(solution, title(game), exact=exact))
