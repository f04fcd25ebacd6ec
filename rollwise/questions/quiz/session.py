"""A quiz at the terminal: its questions, the cost of each answer, and the score."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rollwise.games.move_aliases import meaning, numbered
from rollwise.questions.quiz.data import Quiz, QuizAnswer, QuizPosition, QuizScore
from rollwise.questions.quiz.text import answer_lines, heading_lines, question_lines, score_lines, solution_lines
from rollwise.solver.model.names import did_you_mean
from rollwise.text.layout import wrap_text

SHOW_WORDS, QUIT_WORDS = ("?", "help"), ("quit", "q", "exit")


def run_quiz(quiz: Quiz, title: str, read: Callable[[], str | None], say: Callable[[Sequence[str]], None]) -> QuizScore:
    """Ask the questions of a quiz. ``read`` returns a typed line, None at the end of the input."""
    score = QuizScore(len(quiz.positions))
    say(heading_lines(quiz, title))
    for number, position in enumerate(quiz.positions, 1):
        say(["", *question_lines(position, number, len(quiz.positions))])
        move = _answer(position, read, say)
        if move == QUIT_WORDS[0]:
            break
        if move is None:
            score.shown += 1
            say(solution_lines(position))
            continue
        is_right = position.is_right(move)
        lost = 0.0 if is_right else position.move(move).loss
        score.answers.append(QuizAnswer(number, move, position.best[0], lost, is_right))
        say(answer_lines(position, move))
    say(["", *score_lines(score, quiz.unit)])
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
