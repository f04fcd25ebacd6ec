"""The command ``play``: a game in the terminal, at a real table or with dice thrown by the program."""

from __future__ import annotations

import secrets
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Annotated

import typer

from rollwise.match.match import SEED_LIMIT, Match
from rollwise.match.session import Session
from rollwise.policy_tables.overwrite import RECORD, writable_path
from rollwise.questions.options import Force, Parameters, State, print_lines, question_typed, typed
from rollwise.solver.model.errors import BadInput
from rollwise.solver.model.plain import parts, whole
from rollwise.text.screen import screen

ALL, NONE = "all", "none"
END_SIGNALS = ("SIGTERM", "SIGHUP")  # shutdown, closed terminal; not every system has both


def play_command(
    game: Annotated[
        str | None, typer.Argument(metavar="GAME", help="the name of a game, as in 'rollwise list'; none with --resume")
    ] = None,
    state: State = None,
    seats: Annotated[
        str, typer.Option("--seat", "--seats", metavar="0,2", help="the seats that you play: numbers, all or none")
    ] = "0",
    dice: Annotated[bool, typer.Option("--dice", help="the program rolls all dice; otherwise type your rolls")] = False,
    seed: Annotated[
        int | None, typer.Option("--seed", metavar="N", help="the program rolls; the same seed rolls the same dice")
    ] = None,
    save: Annotated[
        str | None, typer.Option("--save", metavar="FILE", help="write the record of the game to this file")
    ] = None,
    resume: Annotated[str | None, typer.Option("--resume", metavar="FILE", help="continue a saved game")] = (None),
    force: Force = False,
    p: Parameters = None,
) -> None:
    """Play a game against the best player, alone, or with others; type moves by number or name, ? for advice, or help.

    'rollwise rules GAME' lists the fields of a state to begin in.
    """
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
        match.seed = secrets.randbelow(SEED_LIMIT)
    if save is not None:
        writable_path(save, RECORD, force=force)
    on = screen(sys.stdout)
    path = save if save is not None else resume
    session = Session(match, humans, is_thrown, typed, lambda lines: print_lines(lines, on.color), on)
    with end_signals_as_interrupt():
        is_stopped = session.run(None if path is None else Path(path), force=force)
    if is_stopped:
        raise typer.Exit(1)


def seats_typed(words: str, match: Match) -> Sequence[int]:
    """The seats of the human players; raises BadInput."""
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


@contextmanager
def end_signals_as_interrupt() -> Iterator[None]:
    """Signals that end the process raise KeyboardInterrupt inside; signals that are ignored stay ignored."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    signals = [number for name in END_SIGNALS if (number := getattr(signal, name, None)) is not None]
    default_signals = [number for number in signals if signal.getsignal(number) is signal.SIG_DFL]
    for number in default_signals:
        signal.signal(number, stop)
    try:
        yield
    finally:
        for number in default_signals:
            signal.signal(number, signal.SIG_DFL)
