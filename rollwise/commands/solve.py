"""``solve``: a game's value at the start."""

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
    or_here,
    parameters_typed,
    tell,
    title,
)
from rollwise.solver.model.errors import BadInput


def solve_command(
    game: Game,
    lengths: Lengths = False,
    ties: Annotated[
        bool,
        typer.Option("--ties", help="at tables: how much other ways to break ties would change; solves twice more"),
    ] = False,
    plan: Annotated[
        bool, typer.Option("--plan", help="only say what solving it will take, about, and whether it is solved")
    ] = False,
    p: Parameters = None,
    as_json: Json = False,
    exact: Exact = False,
    scheduler: Scheduler = None,
) -> None:
    """Solve a game and say what its start is worth."""
    parameters = parameters_typed(p)
    if plan:
        from rollwise.asking.plan import plan as reckon
        from rollwise.text.plan import plan_lines

        reckoned = reckon(game, params=parameters)
        tell(as_json, reckoned.plain, lambda: plan_lines(reckoned))
        return
    if scheduler is not None and not exact:
        raise BadInput("--scheduler is for the passes of --exact", field="scheduler")
    from rollwise.asking.exact_over import passes_over
    from rollwise.asking.solve import solve
    from rollwise.text.advice import solution_lines

    with or_here(["solve", game]), passes_over(scheduler, game, parameters):
        solution = solve(game, params=parameters, exact=exact, lengths=lengths, ties=ties)
    tell(as_json, solution.plain_solution, lambda: solution_lines(solution, title(game), exact=exact))
