"""Rules of thumb for Killer that look at the dice and not at the sheet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rollwise.games.policies import Policy, RuleOfThumb
from rollwise.solver.model.dice import Faces
from rollwise.solver.model.moves import keep_move, parse_move

Worth = Callable[[str], tuple[int, ...]]  # of a move that scores; the highest is played


def largest_group(dice: Faces) -> Faces:
    """Largest group of equal dice, the highest of several."""
    count = Counter(dice)
    face = max(count, key=lambda face: (count[face], face))
    return (face,) * count[face]


def fives_and_sixes(dice: Faces) -> Faces:
    """All dice of five and six."""
    return tuple(face for face in dice if face >= 5)


def points(move: str) -> tuple[int, ...]:
    """Points of a move that scores."""
    return (sum(int(word) for word in move.split() if word.isdigit()),)


def boxes_then_points(move: str) -> tuple[int, ...]:
    """Number of boxes that a move scores in, then its points."""
    return (sum(word.isdigit() for word in move.split()), *points(move))


def keep_then_score(keep: Callable[[Faces], Faces], worth: Worth) -> Policy:
    """Keep some dice of the first throw and throw the rest again, then score the move with the highest ``worth``."""

    def policy(state: Mapping[str, Any], moves: Sequence[str]) -> str:
        if "roll" not in state or state["roll"] is None:
            return moves[0]
        keeping = keep_move(keep(state["roll"]))
        if keeping in moves:
            return keeping
        scoring = [move for move in moves if parse_move(move).kind == "score" and move != "score nothing"]
        if scoring:
            return max(scoring, key=worth)
        return "keep nothing" if "keep nothing" in moves else moves[0]

    return policy


POLICIES = {
    "largest-group": RuleOfThumb(
        "keep the largest group of equal dice, then score as many points as possible",
        keep_then_score(largest_group, points),
    ),
    "most-boxes": RuleOfThumb(
        "keep the largest group of equal dice, then score in as many boxes as possible",
        keep_then_score(largest_group, boxes_then_points),
    ),
    "high-dice": RuleOfThumb(
        "keep fives and sixes, then score as many points as possible", keep_then_score(fives_and_sixes, points)
    ),
}
