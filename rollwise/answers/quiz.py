"""What ``quiz`` answers with: positions with what every move is worth, and how a quiz went."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from rollwise.answers.advice import Advice, MoveAdvice
from rollwise.solver.model.jsonable import Jsonable


@dataclass(frozen=True)
class WrongRule(Jsonable):
    """A simple rule that chooses wrongly in a position: its name, what it does, its move, and what that loses.

    ``points``: of a rule that counts them, what its move makes at once; ``best_points``, what the best move does.
    """

    JSON = "rule help move loss points?(points best_points)"

    rule: str
    help: str
    move: str
    loss: float
    points: float | None = None
    best_points: float | None = None


@dataclass(frozen=True)
class QuizPosition(Jsonable):
    """One question of a quiz: a state with all that ``ask`` says of it, its ``advice``.

    ``choices`` are the moves in the game's own order, which gives nothing away. ``second_loss``: what the second-best
    move loses, or, where the best play is a mix (Bluff), the best move outside it. ``wrong``: the simple rules that
    choose wrongly here, the one that loses most first. ``command`` asks again.
    """

    JSON = "*advice choices second_loss wrong ask=command"

    advice: Advice
    choices: list[str]
    second_loss: float
    wrong: list[WrongRule]
    command: str

    @property
    def state(self) -> dict[str, Any]:
        """The fields of the question."""
        return self.advice.state

    @property
    def moves(self) -> list[MoveAdvice]:
        """The moves, best first."""
        return self.advice.moves

    @property
    def best(self) -> list[str]:
        """The moves that are equally good: no other is."""
        return self.advice.best

    def move(self, name: str) -> MoveAdvice:
        """What there is to say of one of the moves."""
        return next(move for move in self.moves if move.move == name)

    def is_right(self, name: str) -> bool:
        """Is this move as good as any: one of the best, one of the mix, or one that loses nothing?"""
        move = self.move(name)
        return name in self.best or move.loss <= 0 or bool(move.probability)


@dataclass(frozen=True)
class Quiz(Jsonable):
    """Positions, hardest first, and how they were found.

    ``least``: what the second-best move costs more than, in the game's unit; ``scale``: what hundredths it is given in.
    ``looked_at`` decisions, of so many ``games`` (0: they are from a file), ``differ``, and of these ``qualified``;
    ``dearest``: the most that a second-best move costs in any of them. ``broken_off``: games took so many questions
    that the last ones were not played to their end.
    """

    game: str
    parameters: dict[str, Any]
    objective: str
    unit: str
    least: float
    scale: int
    seed: int | None
    file: str | None
    games: int
    looked_at: int
    differ: int
    qualified: int
    dearest: float
    broken_off: bool
    positions: list[QuizPosition]


@dataclass(frozen=True)
class Answered:
    """An answer: the number of its question, the move, the best one, what it loses, and whether it was right."""

    number: int
    move: str
    best: str
    loss: float
    is_right: bool


@dataclass
class Score:
    """How a quiz went: the answers in order, and how many questions were ``shown`` instead, of ``questions``."""

    questions: int
    answers: list[Answered] = field(default_factory=list)
    shown: int = 0

    @property
    def right(self) -> int:
        """How many answers were right."""
        return sum(answer.is_right for answer in self.answers)

    @property
    def mean_loss(self) -> float:
        """What an answer lost, on average; 0 without any."""
        return sum(answer.loss for answer in self.answers) / max(1, len(self.answers))

    @property
    def worst(self) -> Answered | None:
        """The answer that lost most, the first of them; None where none lost anything."""
        worst = max(self.answers, key=lambda answer: answer.loss, default=None)
        return worst if worst is not None and worst.loss > 0 else None
