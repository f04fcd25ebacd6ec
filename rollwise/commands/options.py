"""What the commands of the command line share: their options, and how they print."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rollwise.solver.model.errors import BadInput

if TYPE_CHECKING:
    from rollwise.answers.sweep import SolvedRow

Game = Annotated[str, typer.Argument(metavar="GAME", help="a game, as 'rollwise list' names it")]
Parameters = Annotated[
    list[str] | None,
    typer.Option("-p", metavar="NAME=VALUE", help="a rule of the game, as players=3; may be given again"),
]
State = Annotated[
    list[str] | None,
    typer.Argument(metavar="FIELD=VALUE...", help="the state; 'rollwise rules GAME' lists the fields"),
]
Json = Annotated[bool, typer.Option("--json", help="the answer as JSON")]
Lengths = Annotated[bool, typer.Option("--lengths", help="also of a large game of luck, how long games take")]
Force = Annotated[bool, typer.Option("--force", help="write over a file that is there and not ours")]
Scheduler = Annotated[
    str | None,
    typer.Option("--scheduler", metavar="ADDRESS", help="a dask scheduler whose workers solve, tcp://HOST:8786"),
]
MostSeconds = Annotated[
    float | None,
    typer.Option("--most-seconds", metavar="N", help="leave out what is planned to take longer; 100 if not said"),
]
Exact = Annotated[bool, typer.Option("--exact", help="fractions too, where they are not too large")]


def show(lines: Iterable[str], color: bool | None = None) -> None:
    """Print lines that the screen has room for; ``color``: those have colour, or not, wherever they are printed to."""
    from rollwise.text.layout import folded
    from rollwise.text.screen import line_width

    wide = line_width()
    typer.echo("\n".join(part for line in lines for part in folded(line, wide)), color=color)


def show_json(plain: Any) -> None:
    """Print JSON."""
    typer.echo(json.dumps(plain, indent=2, allow_nan=False, ensure_ascii=False))


def tell(
    as_json: bool, plain: Callable[[], Any], lines: Callable[[], Iterable[str]], color: bool | None = None
) -> None:
    """Print an answer: ``plain`` as JSON where that was wanted, else its lines."""
    if as_json:
        show_json(plain())
    else:
        show(lines(), color)


def parameters_typed(p: list[str] | None) -> dict[str, str]:
    """What was typed after each ``-p``, as text by name."""
    from rollwise.parsing.validate import split

    return split(p or [], "parameter")


def question_typed(game: str, p: list[str] | None, state: list[str] | None) -> tuple[dict[str, str], dict[str, str]]:
    """The parameters and the fields that were typed, as text by name."""
    from rollwise.parsing.words import fields_typed

    parameters = parameters_typed(p)
    return parameters, fields_typed(game, parameters, state or [])


def height() -> int | None:
    """How many lines a person sees at once; None where nobody looks at a terminal."""
    import shutil

    return shutil.get_terminal_size().lines if sys.stdout.isatty() else None


def title(game: str) -> str:
    """A game's title."""
    from rollwise.games.registry import find

    return find(game).title


@contextmanager
def or_here(command: Sequence[str]) -> Iterator[None]:
    """Where the scheduler is at fault, the hint is the ``command`` without it."""
    try:
        yield
    except BadInput as error:
        if error.field == "scheduler" and not error.hint:
            error.hint = shlex.join(["rollwise", *command])  # and all options that were typed but this one
        raise


def tell_rows(command: Sequence[str], as_json: bool, make: Callable[[], list[SolvedRow]]) -> None:
    """Print a row for each of many games; what has failed is an error."""
    from rollwise.answers.sweep import FAILED
    from rollwise.solver.model.game import in_a_line
    from rollwise.text.sweep import sweep_lines

    with or_here(command):
        rows = make()
    tell(as_json, lambda: [row.plain() for row in rows], lambda: sweep_lines(rows))
    failed = [row for row in rows if row.state == FAILED]
    for row in failed:
        print(f"error: {row.game}({in_a_line(row.said)}) has failed: {row.reason}", file=sys.stderr)
    if failed:
        raise typer.Exit(1)
