"""``sweep``: one game with several values of its rules; ``solve-all``: every game with every number of players."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Annotated

import typer

from rollwise.questions.options import (
    Game,
    Json,
    MostSeconds,
    Scheduler,
    hint_without_scheduler,
    parameters_typed,
    print_answer,
)
from rollwise.questions.sweep.compute import solve_all, sweep
from rollwise.questions.sweep.data import FAILED, SolvedRow
from rollwise.questions.sweep.text import sweep_lines
from rollwise.solutions.plans import UNASKED_SECONDS
from rollwise.solver.model.game import parameter_text


def sweep_command(
    game: Game,
    p: Annotated[
        list[str] | None,
        typer.Option("-p", metavar="NAME=VALUES", help="a rule of the game: 10..50, 10..50..5 or a,b,c; repeatable"),
    ] = None,
    most_seconds: MostSeconds = None,
    scheduler: Scheduler = None,
    as_json: Json = False,
) -> None:
    """Solve a game for several values of its rules, store all of them, and compare their starts."""
    params, most = parameters_typed(p), UNASKED_SECONDS if most_seconds is None else most_seconds
    print_rows(["sweep", game], as_json, lambda: sweep(game, params=params, most_seconds=most, scheduler=scheduler))


def solve_all_command(
    games: Annotated[list[str] | None, typer.Argument(metavar="GAME...", help="only these games")] = None,
    most_seconds: MostSeconds = None,
    scheduler: Scheduler = None,
    as_json: Json = False,
) -> None:
    """Solve every game with every number of players, and store all of them; a stopped run continues where it was."""
    most, some = UNASKED_SECONDS if most_seconds is None else most_seconds, games or []
    command = ["solve-all", *some]
    print_rows(command, as_json, lambda: solve_all(games=some, most_seconds=most, scheduler=scheduler))


def print_rows(command: Sequence[str], as_json: bool, make: Callable[[], list[SolvedRow]]) -> None:
    """Print a row for each of many games; exit with 1 if any has failed."""
    with hint_without_scheduler(command):
        rows = make()
    print_answer(as_json, lambda: [row.plain() for row in rows], lambda: sweep_lines(rows))
    failed = [row for row in rows if row.state == FAILED]
    for row in failed:
        print(f"error: {row.game}({parameter_text(row.said)}) has failed: {row.reason}", file=sys.stderr)
    if failed:
        raise typer.Exit(1)
