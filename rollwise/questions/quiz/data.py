"""The answer of ``quiz``: positions with the value of every move, and the score of a quiz."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from rollwise.questions.ask.data import Advice, MoveAdvice
from rollwise.solver.model.jsonable import SPREAD, Jsonable


@dataclass(frozen=True)
class WrongRule(Jsonable):
    """A simple rule that chooses wrongly in a position: its name and help line, its move, and the loss of that.

    ``points``: the immediate points of its move, for a rule that counts them; ``best_points``: those of the best move.
    """

    rule: str
    help: str
    move: str
    loss: float
    points: float | None = None
    best_points: float | None = None


@dataclass(frozen=True)
class QuizPosition(Jsonable):
    """One question of a quiz: a state with its ``advice`` from ``ask``.

    ``choices`` are the moves in the game's own order, which gives nothing away. ``second_loss``: the loss of the
    second-best move, or, where the best play is a mix (Bluff), of the best move outside it. ``wrong``: the simple rules
    that choose wrongly here, by descending loss. ``command`` repeats the question.
    """

    advice: Advice = field(metadata=SPREAD)
    choices: list[str]
    second_loss: float
    wrong: list[WrongRule]
    command: str = field(metadata={"key": "ask"})

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
        """The best moves, all equally good."""
        return self.advice.best

    def move(self, name: str) -> MoveAdvice:
        """The advice about one of the moves."""
        return next(move for move in self.moves if move.move == name)

    def is_right(self, name: str) -> bool:
        """True for one of the best moves, one of the mix, or one that loses nothing."""
        move = self.move(name)
        return name in self.best or move.loss <= 0 or bool(move.probability)


@dataclass(frozen=True)
class Quiz(Jsonable):
    """Positions, hardest first, and the counts of the search.

    ``least``: the second-best move costs more than this, in the game's unit; ``scale``: 100 of the hundredths it is in.
    ``looked_at`` decisions, of so many ``games`` (0: they are from a file), ``differ``, and of these ``qualified``;
    ``dearest``: the largest cost of a second-best move. ``broken_off``: True if games took so many questions that the
    last ones were stopped early.
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
class QuizAnswer:
    """An answer: the number of its question, its move, the best move, its loss, and whether it is right."""

    number: int
    move: str
    best: str
    loss: float
    is_right: bool


@dataclass
class QuizScore:
    """The score of a quiz: its answers in order, and the number ``shown`` instead, of ``questions``."""

    questions: int
    answers: list[QuizAnswer] = field(default_factory=list)
    shown: int = 0

    @property
    def right(self) -> int:
        """The number of right answers."""
        return sum(answer.is_right for answer in self.answers)

    @property
    def mean_loss(self) -> float:
        """The mean loss of the answers; 0 without any."""
        return sum(answer.loss for answer in self.answers) / max(1, len(self.answers))

    @property
    def worst(self) -> QuizAnswer | None:
        """The first answer of the largest loss; None if none lost anything."""
        worst = max(self.answers, key=lambda answer: answer.loss, default=None)
        return worst if worst is not None and worst.loss > 0 else None
