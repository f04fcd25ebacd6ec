"""How a quiz went: right answers, and what the others lost."""

from __future__ import annotations

from dataclasses import dataclass, field


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
        found = max(self.answers, key=lambda answer: answer.loss, default=None)
        return found if found is not None and found.loss > 0 else None
