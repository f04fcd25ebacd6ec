"""The option ``--yes``: large solves are told of before they begin, and the largest are asked about at a terminal."""

from __future__ import annotations

import inspect
import shlex
import sys
from collections.abc import Callable
from functools import partial, wraps
from typing import Annotated, Any

import typer

from rollwise.parsing.consent import Door, at_door
from rollwise.solutions.notes import note
from rollwise.solver.model.errors import BadInput, RollwiseError

Yes = Annotated[bool, typer.Option("--yes", help="begin a solve that takes very much without being asked")]
Command = Callable[..., None]


class NotBegun(RollwiseError):
    """Somebody was asked, and said no."""

    def line(self) -> str:
        """What there is to say, and no error."""
        return str(self)


def with_yes(command: Command) -> Command:
    """The command with the option ``--yes``, telling of every large solve that it comes to."""

    @wraps(command)
    def announced(yes: bool, **given: Any) -> None:
        writes = given.get("as_json") or given.get("output") == "-"
        with at_door(Door(yes, "--yes", partial(announce, writes=writes))):
            command(**given)

    here = inspect.signature(command, eval_str=True)
    added = inspect.Parameter("yes", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=Yes)
    announced.__signature__ = here.replace(parameters=[*here.parameters.values(), added])  # type: ignore[attr-defined]
    announced.__annotations__ = {name: each.annotation for name, each in here.parameters.items()} | {"yes": Yes}
    return announced


def announce(line: str, refusal: str, *, writes: bool) -> None:
    """Print what a solve takes, and ask where it is refused.

    Raises NotBegun for a no, and BadInput where nobody can be asked, or the answer is for a program (``writes``).
    """
    if refusal and (writes or not (sys.stdin.isatty() and sys.stderr.isatty())):
        raise BadInput(refusal, hint=shlex.join(["rollwise", *sys.argv[1:], "--yes"]))
    note(line)
    if refusal and not typer.confirm("begin it?", err=True):
        raise NotBegun("not begun")
