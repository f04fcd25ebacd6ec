"""The command ``play``: a game in the terminal, at a real table or with dice thrown by the program."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated

import typer

from rollwise.commands.options import Force, Parameters, State, question_typed, show
from rollwise.solver.model.errors import BadInput

if TYPE_CHECKING:
    from rollwise.match.match import Match


ALL, NONE = "all", "none"
ENDS = ("SIGTERM", "SIGHUP")  # a machine that goes down, a terminal that is closed; not every system has both


def play_command(
    game: Annotated[
        str | None, typer.Argument(metavar="GAME", help="a game, as 'rollwise list' names it; none with --resume")
    ] = None,
    state: State = None,
    seats: Annotated[
        str, typer.Option("--seat", "--seats", metavar="0,2", help="whom you play: seats, all or none")
    ] = "0",
    dice: Annotated[bool, typer.Option("--dice", help="the program rolls for all; else type what is rolled")] = False,
    seed: Annotated[
        int | None, typer.Option("--seed", metavar="N", help="the program rolls, the same dice for the same seed")
    ] = None,
    save: Annotated[str | None, typer.Option("--save", metavar="FILE", help="where the record goes at the end")] = None,
    resume: Annotated[str | None, typer.Option("--resume", metavar="FILE", help="go on with a game that was saved")] = (
        None
    ),
    force: Force = False,
    p: Parameters = None,
) -> None:
    """Play a game against the best player, alone, or with others: moves by number or words, ? asks, help tells more.

    'rollwise rules GAME' lists the fields of a state to begin in.
    """
    from rollwise.match.match import SEEDS, Match
    from rollwise.match.session import Session
    from rollwise.policy_tables.ours import RECORD, to_write
    from rollwise.text.screen import screen

    if resume is not None:
        if game is not None or state or p or seed is not None:
            raise BadInput("--resume goes on with a game as it was saved: name no game, state, parameter or seed")
        match = Match.load(resume)
    elif game is None:
        raise BadInput("say which game, or --resume FILE", hint="rollwise play pig")
    else:
        parameters, fields = question_typed(game, p, state)
        match = Match(game, params=parameters, state=fields, seed=seed)
    humans = seats_typed(seats, match)
    is_thrown = dice or seed is not None
    if is_thrown and match.seed is None:
        import secrets

        match.seed = secrets.randbelow(SEEDS)
    if save is not None:
        to_write(save, RECORD, force=force)
    on = screen(sys.stdout)
    path = save if save is not None else resume
    session = Session(match, humans, is_thrown, typed, lambda lines: show(lines, on.color), on)
    with stopped_from_outside():
        is_stopped = session.run(None if path is None else Path(path), force=force)
    if is_stopped:
        raise typer.Exit(1)


def seats_typed(words: str, match: Match) -> Sequence[int]:
    """The seats of those who type; raises BadInput."""
    from rollwise.solver.model.plain import parts, whole

    if words in (ALL, NONE):
        return list(range(match.seats)) if words == ALL else []
    seats = [whole(part) for part in parts(words) or []]
    if not seats or any(seat is None or not 0 <= seat < match.seats for seat in seats):
        raise BadInput(
            f"seats of {match.game} are 0 to {match.seats - 1}, {ALL} or {NONE}, got {words}"
            if match.seats > 1
            else f"{match.game} is played alone here, by seat 0; got {words}",
            field="seats",
        )
    return sorted({seat for seat in seats if seat is not None})


def typed(prompt: str) -> str | None:
    """A line that is typed; None at the end of the input. What comes through a pipe is shown as if it were typed."""
    is_seen = sys.stdin.isatty()
    print(prompt, end="", flush=True)
    line = sys.stdin.readline()
    if not line:
        print()
        return None
    if not is_seen:
        print(line.rstrip("\n"))
    return line


@contextmanager
def stopped_from_outside() -> Iterator[None]:
    """What ends the process stops a game in here as Ctrl-C does; what somebody chose not to hear stays unheard."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    known = [number for name in ENDS if (number := getattr(signal, name, None)) is not None]
    unchosen = [number for number in known if signal.getsignal(number) is signal.SIG_DFL]
    for number in unchosen:
        signal.signal(number, stop)
    try:
        yield
    finally:
        for number in unchosen:
            signal.signal(number, signal.SIG_DFL)
