"""Sevens: the turn that the sheet plays through, the opener's limit on the others, and the score that is out."""

from __future__ import annotations

from fractions import Fraction

from rollwise.games.claims import ALWAYS, EXACTLY, Claim
from rollwise.games.claims.replay import ReplayPosition, Step, describe_position, moves, replay, turn_game
from rollwise.solver.model.errors import ModelError

GAME = "sevens"
SOURCE = "TACTIC rules for dice games"
FIRST = (2, 2, 4, 5, 6, 6)
SECOND = (1, 6, 1, 2)
TWO_LEFT = (1, 1, 1, 2, 5, 6)  # 1-6 and 2-5 are set aside, 1-1 is left
NONE_LEFT = (1, 2, 3, 4, 5, 6)
SIX_LEFT = (1, 1, 1, 1, 1, 1)


def rolls_and_stop(*thrown: Step, **state: int) -> ReplayPosition:
    """Position after these steps, and after a stop where it is the only move."""
    game = turn_game(GAME)
    played = replay(game, state, thrown)
    return replay(game, state, [*thrown, (None, "stop")]) if moves(game, played) == ["stop"] else played


def dice_left() -> Fraction:
    """Number of dice that the example may throw again after its first roll."""
    game = turn_game(GAME)
    return Fraction(len(describe_position(game, replay(game, {}, [(FIRST, None)]))["left"]))


def example() -> Fraction:
    """Result of the opener with the second roll."""
    game = turn_game(GAME)
    return Fraction(describe_position(game, replay(game, {}, [(FIRST, "roll"), (SECOND, "stop")]))["result"])


def one_roll_each() -> Fraction:
    """1 if an opener's single roll leaves the other a single roll too: the round is then scored, 18 against 6."""
    game = turn_game(GAME)
    played = rolls_and_stop((FIRST, "stop"), (SIX_LEFT, None))
    scores = describe_position(game, played)
    return Fraction(sorted((scores["mine"], scores["theirs"])) == [6, 18])


def out_at() -> Fraction:
    """The lowest total with which the opener is out after a round, the other having no points at all."""
    for before in range(60, 77):
        if rolls_and_stop((TWO_LEFT, "stop"), (NONE_LEFT, None), mine=before).over:
            return Fraction(before + 2)
    raise ModelError("no total is out")


CLAIMS = (
    Claim(
        "sevens/example-dice-left",
        GAME,
        SOURCE,
        "After a first roll of 2-2-4-5-6-6 so many dice are left: 5-2 is set aside.",
        "4 dice",
        EXACTLY,
        dice_left,
    ),
    Claim(
        "sevens/example",
        GAME,
        SOURCE,
        "Then 1-6-1-2 is thrown, 1-6 is set aside, and stopping scores this much.",
        "3 points",
        EXACTLY,
        example,
    ),
    Claim(
        "sevens/opener-limits-the-others",
        GAME,
        SOURCE,
        "When the opener stops after one roll, the other player's first roll counts.",
        "only once",
        ALWAYS,
        one_roll_each,
        "checked with rolls of ours, which leave 18 and 6",
    ),
    Claim("sevens/out", GAME, SOURCE, "The total at which a player is out.", "77 points", EXACTLY, out_at),
)
