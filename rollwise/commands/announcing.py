"""Large solves are told of before they begin, whichever command needs them, and the largest wait for a yes."""

from __future__ import annotations

import inspect
import shlex
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rollwise.answers.sizes import BYTES, in_thousands
from rollwise.solver.game.errors import BadInput, RollwiseError

if TYPE_CHECKING:
    from rollwise.answers.plan import SolvePlan
    from rollwise.solver.game.model import TurnGame

LONG = 600.0  # seconds from which on a solve waits for a yes,
SHARE = 0.8  # and of the memory, or the disk, that is free
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
        from rollwise.solved.games import ANNOUNCING

        writes = given.get("as_json") or given.get("output") == "-"

        def tell(game: TurnGame, plan: SolvePlan | None) -> None:
            announce(game, plan, is_allowed=yes, may_ask=not writes and sys.stdin.isatty() and sys.stderr.isatty())

        ANNOUNCING.append(tell)
        try:
            command(**given)
        finally:
            ANNOUNCING.remove(tell)

    here = inspect.signature(command, eval_str=True)
    added = inspect.Parameter("yes", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=Yes)
    announced.__signature__ = here.replace(parameters=[*here.parameters.values(), added])  # type: ignore[attr-defined]
    announced.__annotations__ = {name: each.annotation for name, each in here.parameters.items()} | {"yes": Yes}
    return announced


def announce(game: TurnGame, plan: SolvePlan | None = None, *, is_allowed: bool, may_ask: bool) -> None:
    """Say what a solve takes where it is not small; where that is very much, begin it only if somebody says yes.

    ``plan``: what its fractions take, where these are what is begun.

    Raises NotBegun where nobody does, and BadInput where nobody can.
    """
    from rollwise.asking.plan import plan_of
    from rollwise.cache.store import Store
    from rollwise.solved.identity import identity
    from rollwise.solved.notes import note

    of_fractions = plan is not None
    what = "has fractions that are not known yet: they take" if of_fractions else "is not solved yet: that takes"
    if plan is None:
        store, plan = Store(), plan_of(game)
        done = store.checkpoint(store.key(game.name, identity(game))).done() or 0.0
        plan = replace(plan, seconds=(1 - done) * plan.seconds)
        what = f"is solved to {100 * done:.0f} %: the rest takes" if done else what
    if plan.is_small:
        return
    line, reasons = f"{game} {what} {plan.takes}", too_much(plan)
    if reasons:
        line += f"; {' and '.join(reasons)}"
    if reasons and not is_allowed and not may_ask:
        without = "leave out --exact (the interval is certified), or " if of_fractions else ""
        raise BadInput(f"{line}; {without}say --yes to begin it", hint=shlex.join(["rollwise", *sys.argv[1:], "--yes"]))
    note(line)
    if reasons and not is_allowed and not typer.confirm("begin it?", err=True):
        raise NotBegun("not begun")


def too_much(plan: SolvePlan) -> list[str]:
    """Why a solve is not begun unasked."""
    from rollwise.cache.store import Store
    from rollwise.solved.room import free_disk, free_memory

    found = ["that is long"] if plan.seconds > LONG else []
    for needed, free, what in (
        (plan.memory, free_memory(), "memory"),
        (2 * plan.kept, free_disk(Store().root), "disk"),  # a checkpoint stands beside it
    ):
        if free is not None and needed > SHARE * free:
            found.append(f"only {in_thousands(free, BYTES)} of {what} is free")
    return found
