"""Slam: points of slams, the turn that the sheet plays through, and the void throw."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from rollwise.games.claims import EXACTLY, Claim
from rollwise.games.claims.replay import replay, turn_game
from rollwise.solver.model.dice import Faces, throws
from rollwise.solver.model.errors import ModelError
from rollwise.solver.model.game import Goto

SOURCE = "TACTIC rules for dice games"
SLAM = 3  # as in the sheet's example
GOAL = 15


def after(score: int, rolled: Sequence[Faces]) -> tuple[int, bool]:
    """(score after these throws of one turn, True while the turn goes on)."""
    played = replay(turn_game("slam"), {"scores": (score, 0)}, [(faces, None) for faces in rolled])
    if played.over:
        return GOAL, False
    if not isinstance(played.node, Goto):
        raise ModelError("neither a throw nor the end of the game comes next")
    reached: int = played.node.state[0]
    return reached, played.board["score"] == score and reached > score


def scores_of(slams: int, *before: int) -> tuple[Fraction, ...]:
    """The scores that throws with so many slams lead to, from these scores."""
    rolled = [faces for faces, _ in throws(3) if faces.count(SLAM) == slams]
    return tuple(map(Fraction, sorted({after(score, [faces])[0] for score in before for faces in rolled})))


def example() -> tuple[Fraction, ...]:
    """The score after each throw of the example turn, which the last one must end."""
    rolled = [(3, 1, 5), (2, 3, 6), (1, 4, 4)]
    scores = [after(0, rolled[:count]) for count in range(1, len(rolled) + 1)]
    if [still_on for _, still_on in scores] != [True, True, False]:
        raise ModelError("the example turn does not end with its third throw")
    return tuple(Fraction(score) for score, _ in scores)


def void() -> Fraction:
    """The score after a small slam at 14 points, which must end the turn."""
    score, still_on = after(14, [(3, 3, 5)])
    if still_on:
        raise ModelError("a void throw does not end the turn")
    return Fraction(score)


CLAIMS = (
    Claim(
        "slam/one-slam",
        "slam",
        SOURCE,
        "A single slam brings a player without points to this score.",
        "1",
        EXACTLY,
        lambda: scores_of(1, 0),
    ),
    Claim(
        "slam/small-slam",
        "slam",
        SOURCE,
        "A small slam brings a player without points to this score.",
        "5",
        EXACTLY,
        lambda: scores_of(2, 0),
    ),
    Claim(
        "slam/grand-slam",
        "slam",
        SOURCE,
        "A grand slam brings a player to this score, however many points there were before.",
        "15",
        EXACTLY,
        lambda: scores_of(3, *range(GOAL)),
    ),
    Claim(
        "slam/example",
        "slam",
        SOURCE,
        "In the example turn two throws with one slam each and a third with none, which ends it, lead to these scores.",
        "1, 2, 2",
        EXACTLY,
        example,
        "the other dice are not stated, and make no difference",
    ),
    Claim(
        "slam/void-throw",
        "slam",
        SOURCE,
        "A small slam at 14 points is void and ends the turn, so the score stays this.",
        "14",
        EXACTLY,
        void,
    ),
)
