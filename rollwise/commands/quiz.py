"""The command ``quiz``: positions where a mistake costs, asked one by one."""

from __future__ import annotations

from typing import Annotated

import typer

from rollwise.commands.options import Game, Json, Parameters, question_typed, show, show_json, title
from rollwise.commands.play import typed
from rollwise.text.numbers import HUNDREDTHS

PROMPT = "> "


def quiz_command(
    game: Game,
    state: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="FIELD=VALUE...",
            help="the state that games are played from; 'rollwise rules GAME' lists the fields",
        ),
    ] = None,
    questions: Annotated[int, typer.Option("-n", metavar="N", help="so many questions")] = 10,
    least: Annotated[
        float,
        typer.Option(
            "--least",
            metavar="X",
            help=f"what the second-best move costs more than, in {HUNDREDTHS}",
        ),
    ] = 0.5,
    seed: Annotated[
        int | None, typer.Option("--seed", metavar="N", help="the same seed always asks the same; by default another")
    ] = None,
    look: Annotated[
        int, typer.Option("--look", metavar="N", help="play games until so many decisions were looked at")
    ] = 2000,
    file: Annotated[
        str | None,
        typer.Option("--file", metavar="FILE", help="positions of a record, or of a file with a state a line"),
    ] = None,
    p: Parameters = None,
    as_json: Json = False,
) -> None:
    """Ask about positions that people meet, where it matters what one does, hardest first, and keep the score.

    'rollwise rules GAME' lists the fields of a state to begin in.
    """
    from rollwise.asking.quiz import drawn_up

    parameters, fields = question_typed(game, p, state)
    how = {"seed": seed, "n": questions, "least": least, "look": look, "file": file}
    quiz = drawn_up(game, parameters, state=fields or None, **how)  # type: ignore[arg-type]
    if as_json:
        show_json(quiz.plain())
        return
    from rollwise.commands.quizzing import take
    from rollwise.text.quiz import none_line
    from rollwise.text.screen import screen

    if not quiz.positions:
        show([none_line(quiz)])
        return
    color = screen().color
    take(quiz, title(game), answer_typed, lambda lines: show(lines, color))


def answer_typed() -> str | None:
    """An answer that is typed; None at the end of the input, and at Ctrl-C."""
    try:
        line = typed(PROMPT)
    except KeyboardInterrupt:
        print()
        return None
    return None if line is None else line.strip()
