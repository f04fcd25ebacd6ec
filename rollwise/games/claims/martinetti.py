"""Martinetti: the turn that the sheet plays through, and the best of all first rolls."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from rollwise.games.claims import EXACTLY, IN_WORDS, Claim
from rollwise.games.claims.replay import replay, turn_game
from rollwise.solver.model.dice import Faces, throws
from rollwise.solver.model.errors import ModelError
from rollwise.solver.model.game import Goto

SOURCE = "TACTIC rules for dice games"
EXAMPLE: tuple[Faces, ...] = ((1, 1, 4), (3, 5, 6), (1, 2, 6))


def crossed(rolled: Sequence[Faces]) -> tuple[int, bool]:
    """(squares crossed off after these rolls of a first turn, True once it is over)."""
    played = replay(turn_game("martinetti"), {}, [(faces, None) for faces in rolled])
    if not isinstance(played.node, Goto):
        raise ModelError("no roll comes next")
    count: int = played.node.state[0]
    return count, played.board["crossed"] == count


def example() -> tuple[Fraction, ...]:
    """Squares crossed off after each roll of the example turn, which the last one must end."""
    counts = [crossed(EXAMPLE[:rolls]) for rolls in range(1, len(EXAMPLE) + 1)]
    if [over for _, over in counts] != [False, False, True]:
        raise ModelError("the example turn does not end with its third roll")
    return tuple(Fraction(count) for count, _ in counts)


def first_rolls() -> dict[Faces, int]:
    """Number of squares that each first roll crosses off."""
    return {faces: crossed([faces])[0] for faces, _ in throws(3)}


def best_first_rolls() -> str:
    """The first rolls that cross off the most."""
    rolls = first_rolls()
    return ", ".join("-".join(map(str, faces)) for faces, count in rolls.items() if count == max(rolls.values()))


CLAIMS = (
    Claim(
        "martinetti/example",
        "martinetti",
        SOURCE,
        "In the example turn 1-1-4, 3-5-6 and 1-2-6, which ends it, leave so many squares crossed off.",
        "2, 3, 3",
        EXACTLY,
        example,
    ),
    Claim(
        "martinetti/best-first-roll",
        "martinetti",
        SOURCE,
        "The best of all first rolls.",
        "1-2-4",
        IN_WORDS,
        best_first_rolls,
        "best: it crosses off the most squares at once; all 56 rolls were tried",
    ),
    Claim(
        "martinetti/best-first-roll-crosses",
        "martinetti",
        SOURCE,
        "So many squares, from 1 upward, are crossed off by the best first roll.",
        "7",
        EXACTLY,
        lambda: Fraction(max(first_rolls().values())),
    ),
)
