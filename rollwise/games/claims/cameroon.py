"""Cameroon: what rolls score, when a number is closed, and that a roll that fits must be entered."""

from __future__ import annotations

from fractions import Fraction

from rollwise.games.claims import ALWAYS, EXACTLY, IN_WORDS, Claim
from rollwise.games.claims.replay import Step, describe_position, moves, replay, turn_game
from rollwise.solver.model.dice import Faces

GAME = "cameroon"
SOURCE = "TACTIC rules for dice games"
FOUR_FIVES: Step = ((5, 5, 5, 5, 2), "score fives")
THREE_FIVES: Step = ((5, 5, 5, 1, 2), "score fives")


def points(*steps: Step) -> Fraction:
    """Points of these turns together."""
    return replay(turn_game(GAME), {}, steps).points


def fives_closed() -> Fraction:
    """1 if the fives are closed to both after four and three of them, and not before."""
    game = turn_game(GAME)
    closed = [
        "fives" in describe_position(game, replay(game, {}, steps))["closed"]
        for steps in ([FOUR_FIVES], [FOUR_FIVES, THREE_FIVES])
    ]
    return Fraction(closed == [False, True])


def last_moves(roll: Faces) -> str:
    """Moves after the last throw of a first turn."""
    game = turn_game(GAME)
    return ", ".join(moves(game, replay(game, {"roll": roll, "rolls_left": 0}, [])))


CLAIMS = (
    Claim(
        "cameroon/example",
        GAME,
        SOURCE,
        "What four fives score for one player, and then three fives for the next.",
        "20, 15",
        EXACTLY,
        lambda: (points(FOUR_FIVES), points(FOUR_FIVES, THREE_FIVES) - points(FOUR_FIVES)),
    ),
    Claim(
        "cameroon/example-closed",
        GAME,
        SOURCE,
        "After that the fives are closed, as at least five dice have been entered there.",
        "closed",
        ALWAYS,
        fives_closed,
    ),
    "cameroon/three-fours",
    "cameroon/full-house",
    Claim(
        "cameroon/must-be-entered",
        GAME,
        SOURCE,
        "What a last throw of 1-2-4-4-6 allows while everything is open.",
        "score ones, score twos, score fours, score sixes",
        IN_WORDS,
        lambda: last_moves((1, 2, 4, 4, 6)),
    ),
)
