"""Slam: points of slams, the turn that the sheet plays through, and the void throw."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from rollwise.games.claims.replay import parse_steps, replay, turn_game
from rollwise.solver.model.dice import throws
from rollwise.solver.model.errors import ModelError
from rollwise.solver.model.game import Goto

SLAM = 3  # as in the sheet's example
GOAL = 15


def after(score: int, rolled: str) -> tuple[int, bool]:
    """(score after these throws of one turn, True while the turn goes on)."""
    played = replay(turn_game("slam"), {"scores": (score, 0)}, parse_steps(rolled))
    if played.over:
        return GOAL, False
    if not isinstance(played.node, Goto):
        raise ModelError("neither a throw nor the end of the game comes next")
    reached: int = played.node.state[0]
    return reached, played.board["score"] == score and reached > score


def scores_of(slams: int, before: Sequence[int] = (0,)) -> tuple[Fraction, ...]:
    """The scores that throws with so many slams lead to, from these scores."""
    rolled = ["".join(map(str, faces)) for faces, _ in throws(3) if faces.count(SLAM) == slams]
    return tuple(map(Fraction, sorted({after(score, faces)[0] for score in before for faces in rolled})))


def example() -> tuple[Fraction, ...]:
    """The score after each throw of the example turn, which the last one must end."""
    scores = [after(0, rolled) for rolled in ("315", "315, 236", "315, 236, 144")]
    if [still_on for _, still_on in scores] != [True, True, False]:
        raise ModelError("the example turn does not end with its third throw")
    return tuple(Fraction(score) for score, _ in scores)
