"""The option ``--yes``: large solves are announced, and the largest need consent at a terminal."""

from __future__ import annotations

import inspect
import shlex
import sys
from collections.abc import Callable
from functools import partial, wraps
from typing import Annotated, Any

import typer

from rollwise.parsing.consent import Consent, with_consent
from rollwise.solutions.notes import note
from rollwise.solver.model.errors import BadInput, RollwiseError

Yes = Annotated[bool, typer.Option("--yes", help="begin even a very large solve without asking")]
Command = Callable[..., None]


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
