"""``sweep``: one game with several values of its rules; ``solve-all``: every game; and the table of these games."""

from __future__ import annotations

import sys
from collections import Counter
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
from rollwise.solutions.plans import UNASKED_SECONDS
from rollwise.solver.model.game import parameter_text
from rollwise.text.layout import align_columns
from rollwise.text.numbers import half_width, n_places, number


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


def sweep_lines(rows: Sequence[SolvedRow]) -> list[str]:
    """A line for each game: the value of its start, and the state of its solve."""
    labels = {row.label for row in rows if row.label}
    is_same = len(labels) == 1
    head = ["game", "parameters", "boards", "seconds", labels.pop() if is_same else "at the start", "interval", "state"]
    table = [head]
    for row in rows:
        parameters = parameter_text(row.said)
        if not row.label:
            table.append([row.game, parameters, "", "", "", "", f"{row.state}: {row.reason}"])
            continue
        value, interval = _value(row)
        value += "" if is_same or not value else f" {row.label}"
        table.append([row.game, parameters, f"{row.boards:,}", f"{row.seconds:.2f}", value, interval, row.state])
    states = Counter(row.state for row in rows)
    counts = "; ".join(f"{state}: {many}" for state, many in states.items())
    shown = [column for column in zip(*table, strict=True) if any(column[1:])]
    right = [place for place, column in enumerate(shown) if column[0] in ("boards", "seconds")]
    return [*align_columns([*zip(*shown, strict=True)], right=right, names=2), "", counts]


def _value(row: SolvedRow) -> tuple[str, str]:
    """The value and its interval; by seat the widest interval, and empty for bets."""
    bounds = (row.value, row.lower, row.upper)
    values, lower, upper = ([] if one is None else one if isinstance(one, list | tuple) else [one] for one in bounds)
    if not values:
        return "", ""
    low, high = max(zip(lower, upper, strict=True), key=lambda bounds: bounds[1] - bounds[0])
    places = n_places(low, high, row.unit)
    shown = " ".join(number(value, row.unit, places) for value in values)
    return shown, half_width(low, high, row.unit)
