"""The command ``quiz``: questions about positions in which a mistake costs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated

import typer

from rollwise.games.move_aliases import meaning, numbered
from rollwise.questions.options import Game, Json, Parameters, print_json, print_lines, question_typed, title, typed
from rollwise.questions.quiz import text
from rollwise.questions.quiz.compute import make_quiz
from rollwise.questions.quiz.data import Quiz, QuizAnswer, QuizPosition, QuizScore
from rollwise.solver.model.names import did_you_mean
from rollwise.text.layout import wrap_text
from rollwise.text.numbers import HUNDREDTHS
from rollwise.text.screen import screen

PROMPT = "> "
SHOW_WORDS, QUIT_WORDS = ("?", "help"), ("quit", "q", "exit")


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
    parameters, fields = question_typed(game, p, state)
    quiz = make_quiz(game, parameters, state=fields or None, seed=seed, n=questions, least=least, look=look, file=file)
    if as_json:
        print_json(quiz.plain())
    elif not quiz.positions:
        print_lines([text.no_position_line(quiz)])
    else:
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


def run_quiz(quiz: Quiz, title: str, read: Callable[[], str | None], say: Callable[[Sequence[str]], None]) -> QuizScore:
    """Ask the questions of a quiz. ``read`` returns a typed line, None at the end of the input."""
    score = QuizScore(len(quiz.positions))
    say(text.heading_lines(quiz, title))
    for number, position in enumerate(quiz.positions, 1):
        say(["", *text.question_lines(position, number, len(quiz.positions))])
        move = _answer(position, read, say)
        if move == QUIT_WORDS[0]:
            break
        if move is None:
            score.shown += 1
            say(text.solution_lines(position))
            continue
        is_right = position.is_right(move)
        lost = 0.0 if is_right else position.move(move).loss
        score.answers.append(QuizAnswer(number, move, position.best[0], lost, is_right))
        say(text.answer_lines(position, move))
    say(["", *text.score_lines(score, quiz.unit)])
    return score


def _answer(position: QuizPosition, read: Callable[[], str | None], say: Callable[[Sequence[str]], None]) -> str | None:
    """The chosen move, None to show the answer, or the word that ends the quiz."""
    while True:
        words = read()
        if words is None or words.casefold() in QUIT_WORDS:
            return QUIT_WORDS[0]
        if words in SHOW_WORDS:
            return None
        match = meaning(words, position.choices, listed=True)
        if match.move is not None:
            if match.note:
                say(wrap_text(f"{match.note}."))
            return match.move
        if words:
            problem = match.doubt or f"That is no move here{did_you_mean(words, position.choices)}"
            first, *_, last = numbered(position.choices)
            say(wrap_text(f"{problem}; say its number, {first} to {last}, or its words."))
