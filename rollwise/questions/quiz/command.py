"""The command ``quiz``: questions about positions in which a mistake costs."""

from __future__ import annotations

from typing import Annotated

import typer

from rollwise.questions.options import Game, Json, Parameters, print_json, print_lines, question_typed, title, typed
from rollwise.text.numbers import HUNDREDTHS

PROMPT = "> "


def quiz_command(
    game: Game,
    state: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="FIELD=VALUE...", help="the state to play games from; 'rollwise rules GAME' lists the fields"
        ),
    ] = None,
    questions: Annotated[int, typer.Option("-n", metavar="N", help="the number of questions")] = 10,
    least: Annotated[
        float, typer.Option("--least", metavar="X", help=f"least cost of the second-best move, in {HUNDREDTHS}")
    ] = 0.5,
    seed: Annotated[
        int | None, typer.Option("--seed", metavar="N", help="the same seed asks the same questions; random by default")
    ] = None,
    look: Annotated[
        int, typer.Option("--look", metavar="N", help="play games until so many decisions were checked")
    ] = 2000,
    file: Annotated[
        str | None,
        typer.Option("--file", metavar="FILE", help="positions of a record, or of a file with one state per line"),
    ] = None,
    p: Parameters = None,
    as_json: Json = False,
) -> None:
    """Ask about positions of real play in which a mistake costs, hardest first, and count the score.

    'rollwise rules GAME' lists the fields of a state to begin in.
    """
    from rollwise.questions.quiz.compute import make_quiz

    parameters, fields = question_typed(game, p, state)
    options = {"seed": seed, "n": questions, "least": least, "look": look, "file": file}
    quiz = make_quiz(game, parameters, state=fields or None, **options)  # type: ignore[arg-type]
    if as_json:
        print_json(quiz.plain())
        return
    from rollwise.questions.quiz.session import run_quiz
    from rollwise.questions.quiz.text import no_position_line
    from rollwise.text.screen import screen

    if not quiz.positions:
        print_lines([no_position_line(quiz)])
        return
    color = screen().color
    run_quiz(quiz, title(game), answer_typed, lambda lines: print_lines(lines, color))


def answer_typed() -> str | None:
    """A typed answer; None at the end of the input, and at Ctrl-C."""
    try:
        line = typed(PROMPT)
    except KeyboardInterrupt:
        print()
        return None
    return None if line is None else line.strip()
