"""A quiz at the terminal: one question after the other, what each answer costs, and the score."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rollwise.answers.quiz import Answered, Quiz, QuizPosition, Score
from rollwise.games.move_aliases import meaning, numbered
from rollwise.solver.model.names import did_you_mean
from rollwise.text.layout import wrapped
from rollwise.text.quiz import answer_lines, heading_lines, question_lines, score_lines, solution_lines

SHOW, QUIT = ("?", "help"), ("quit", "q", "exit")


def take(quiz: Quiz, title: str, read: Callable[[], str | None], say: Callable[[Sequence[str]], None]) -> Score:
    """Ask the questions of a quiz. ``read`` gives a line that was typed, None where no more come."""
    score = Score(len(quiz.positions))
    say(heading_lines(quiz, title))
    for number, position in enumerate(quiz.positions, 1):
        say(["", *question_lines(position, number, len(quiz.positions))])
        move = _answer(position, read, say)
        if move == QUIT[0]:
            break
        if move is None:
            score.shown += 1
            say(solution_lines(position))
            continue
        is_right = position.is_right(move)
        lost = 0.0 if is_right else position.move(move).loss
        score.answers.append(Answered(number, move, position.best[0], lost, is_right))
        say(answer_lines(position, move))
    say(["", *score_lines(score, quiz.unit)])
    return score


def _answer(position: QuizPosition, read: Callable[[], str | None], say: Callable[[Sequence[str]], None]) -> str | None:
    """The move that somebody chooses, None to be shown the answer, or the word that ends the quiz."""
    while True:
        words = read()
        if words is None or words.casefold() in QUIT:
            return QUIT[0]
        if words in SHOW:
            return None
        meant = meaning(words, position.choices, listed=True)
        if meant.move is not None:
            if meant.note:
                say(wrapped(f"{meant.note}."))
            return meant.move
        if words:
            what = meant.doubt or f"That is no move here{did_you_mean(words, position.choices)}"
            first, *_, last = numbered(position.choices)
            say(wrapped(f"{what}; say its number, {first} to {last}, or its words."))
