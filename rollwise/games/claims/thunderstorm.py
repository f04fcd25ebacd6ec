"""Thunderstorm: the rounds that the sheet plays through, the failures that finish a house, and the winner."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from rollwise.games.claims import EXACTLY, IN_WORDS, Claim
from rollwise.games.claims.replay import ReplayPosition, by_seat, replay, turn_game
from rollwise.solver.model.dice import Faces
from rollwise.solver.model.errors import ModelError
from rollwise.solver.model.game import Goto

GAME = "thunderstorm"
SOURCE = "TACTIC rules for dice games"
PLAYERS = "ABCD"
THROWS: tuple[Faces, ...] = ((1, 1, 5, 3, 6, 5), (1, 2, 6, 4), (3, 3, 4), (1, 1, 5), (2,), (1,))
NOTHING, A_ONE = (2,), (1,)


def ones(faces: Faces, dice: int) -> int:
    """Number of ones in a throw, all that the game sees of it."""
    return faces.count(1)


def thrown(throws: Sequence[Faces], failures: str = "0,0,0,0", dice: int = 6) -> ReplayPosition:
    """Position after A, B, C and D throw these in turn."""
    game = turn_game(GAME, players=len(PLAYERS))
    return replay(game, {"failures": failures, "dice": dice}, [(faces, None) for faces in throws], ones)


def dice_passed() -> tuple[Fraction, ...]:
    """Dice that each player of the example gets, C at the end too."""
    passed = []
    for count in range(len(THROWS) + 1):
        node = thrown(THROWS[:count]).node
        if not isinstance(node, Goto):
            raise ModelError("the example ends the game")
        passed.append(Fraction(node.state[0]))
    return tuple(passed)


def failures_drawn() -> tuple[Fraction, ...]:
    """Lines in the houses of A, B, C and D after the example."""
    return tuple(map(Fraction, by_seat(turn_game(GAME, players=len(PLAYERS)), thrown(THROWS), "failures")))


def last_failure() -> Fraction:
    """Number of the failure that puts a player out."""
    for before in range(10):
        if 0 not in thrown([NOTHING], f"{before},0,0,0", dice=1).seats:
            return Fraction(before + 1)
    raise ModelError("nobody is out after ten failures")


def winner() -> str:
    """Winner when A, with a finished house, throws no 1 and only C remains."""
    shares = thrown([NOTHING], "6,-,0,-", dice=1).shares
    return PLAYERS[shares.index(Fraction(1))] if shares else "nobody"


CLAIMS = (
    Claim(
        "thunderstorm/example-dice",
        GAME,
        SOURCE,
        "The dice that A, B, C, D, A, B and C again throw in the example.",
        "6, 4, 3, 3, 1, 1, 6",
        EXACTLY,
        dice_passed,
    ),
    Claim(
        "thunderstorm/example-failures",
        GAME,
        SOURCE,
        "The lines that A, B, C and D have drawn by the end of the example.",
        "1, 0, 1, 0",
        EXACTLY,
        failures_drawn,
    ),
    Claim(
        "thunderstorm/example-next",
        GAME,
        SOURCE,
        "Who throws six dice again in the example.",
        "C",
        IN_WORDS,
        lambda: PLAYERS[thrown(THROWS).mover],
    ),
    Claim(
        "thunderstorm/last-failure",
        GAME,
        SOURCE,
        "So many throws without a 1 put a player out of the game.",
        "7",
        EXACTLY,
        last_failure,
    ),
    Claim(
        "thunderstorm/winner",
        GAME,
        SOURCE,
        "Who wins when A's house is struck and C is the only other player left.",
        "C",
        IN_WORDS,
        winner,
        "the players are ours; stated in words: the last player left",
    ),
)
