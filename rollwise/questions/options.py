"""Options and printing that the commands share."""

from __future__ import annotations

import inspect
import json
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial, wraps
from typing import Annotated, Any

import typer

from rollwise.parsing.consent import Consent, with_consent
from rollwise.solutions.notes import note
from rollwise.solver.model.errors import BadInput, RollwiseError

Game = Annotated[str, typer.Argument(metavar="GAME", help="the name of a game, as in 'rollwise list'")]
Parameters = Annotated[
    list[str] | None, typer.Option("-p", metavar="NAME=VALUE", help="a rule of the game, such as players=3; repeatable")
]
State = Annotated[
    list[str] | None, typer.Argument(metavar="FIELD=VALUE...", help="the state; 'rollwise rules GAME' lists the fields")
]
Json = Annotated[bool, typer.Option("--json", help="print the answer as JSON")]
Lengths = Annotated[bool, typer.Option("--lengths", help="also the game lengths of large games of luck")]
Force = Annotated[bool, typer.Option("--force", help="overwrite a file that rollwise did not write")]
Scheduler = Annotated[
    str | None,
    typer.Option("--scheduler", metavar="ADDRESS", help="a dask scheduler whose workers solve, tcp://HOST:8786"),
]
MostSeconds = Annotated[
    float | None, typer.Option("--most-seconds", metavar="N", help="skip solves planned to take longer; by default 100")
]
Exact = Annotated[bool, typer.Option("--exact", help="also fractions, where they are not too large")]
Yes = Annotated[bool, typer.Option("--yes", help="begin even a very large solve without asking")]
Command = Callable[..., None]


def examples_text(lines: Iterable[str]) -> str:
    """The examples below the help of a command; a blank line ends each line there."""
    return "\n\n".join(["Examples:", *lines])


def print_lines(lines: Iterable[str], color: bool | None = None) -> None:
    """Print lines, folded to the width of the screen; ``color`` forces colours on or off."""
    from rollwise.text.layout import fold_line
    from rollwise.text.screen import line_width

    wide = line_width()
    typer.echo("\n".join(part for line in lines for part in fold_line(line, wide)), color=color)


def print_json(plain: Any) -> None:
    """Print JSON."""
    typer.echo(json.dumps(plain, indent=2, allow_nan=False, ensure_ascii=False))


def print_answer(
    as_json: bool, plain: Callable[[], Any], lines: Callable[[], Iterable[str]], color: bool | None = None
) -> None:
    """Print an answer: ``plain()`` if ``as_json``, else its lines."""
    if as_json:
        print_json(plain())
    else:
        print_lines(lines(), color)


def parameters_typed(p: list[str] | None) -> dict[str, str]:
    """The parameters typed after ``-p``, as text by name."""
    from rollwise.parsing.validate import parse_assignments

    return parse_assignments(p or [], "parameter")


def question_typed(game: str, p: list[str] | None, state: list[str] | None) -> tuple[dict[str, str], dict[str, str]]:
    """The parameters and the fields that were typed, as text by name."""
    from rollwise.parsing.words import parse_typed_fields

    parameters = parameters_typed(p)
    return parameters, parse_typed_fields(game, parameters, state or [])


def terminal_lines() -> int | None:
    """The number of lines of the terminal; None if the output is no terminal."""
    import shutil

    return shutil.get_terminal_size().lines if sys.stdout.isatty() else None


def title(game: str) -> str:
    """A game's title."""
    from rollwise.games.registry import game_class

    return game_class(game).title


@contextmanager
def hint_without_scheduler(command: Sequence[str]) -> Iterator[None]:
    """Add to an error about the scheduler the ``command`` without it as a hint."""
    try:
        yield
    except BadInput as error:
        if error.field == "scheduler" and not error.hint:
            error.hint = shlex.join(["rollwise", *command])  # with the other options
        raise


def typed(prompt: str) -> str | None:
    """A line of input; None at its end. Input from a pipe is echoed as if typed."""
    is_seen = sys.stdin.isatty()
    print(prompt, end="", flush=True)
    line = sys.stdin.readline()
    if not line:
        print()
        return None
    if not is_seen:
        print(line.rstrip("\n"))
    return line


class NotBegun(RollwiseError):
    """Raised when the user declines a large solve."""

    def line(self) -> str:
        """The message, without the prefix of an error."""
        return str(self)


def with_yes(command: Command) -> Command:
    """The command with the option ``--yes``, which announces every large solve of its question."""

    @wraps(command)
    def announced(yes: bool, **arguments: Any) -> None:
        writes = arguments.get("as_json") or arguments.get("output") == "-"
        with with_consent(Consent(yes, "--yes", partial(announce, writes=writes))):
            command(**arguments)

    signature = inspect.signature(command, eval_str=True)
    added = inspect.Parameter("yes", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=Yes)
    announced.__signature__ = signature.replace(parameters=[*signature.parameters.values(), added])  # type: ignore[attr-defined]
    announced.__annotations__ = {name: each.annotation for name, each in signature.parameters.items()} | {"yes": Yes}
    return announced


def announce(line: str, refusal: str, *, writes: bool) -> None:
    """Print the cost of a solve, and ask for consent if it would be refused.

    Raises NotBegun if the user declines, BadInput without a terminal, or if a program reads the answer (``writes``).
    """
    if refusal and (writes or not (sys.stdin.isatty() and sys.stderr.isatty())):
        raise BadInput(refusal, hint=shlex.join(["rollwise", *sys.argv[1:], "--yes"]))
    note(line)
    if refusal and not typer.confirm("begin it?", err=True):
        raise NotBegun("not begun")
