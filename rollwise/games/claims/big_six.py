"""Big Six: effects of a roll on an empty and on an occupied space and of a 6, and the winner."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from rollwise.games.claims import ALWAYS, EXACTLY, IN_WORDS, Claim
from rollwise.games.claims.replay import ReplayPosition, by_seat, replay, turn_game

GAME = "big-six"
SOURCE = "TACTIC rules for dice games"
SPACES = range(1, 6)  # those that hold one chip
START_CHIPS = 2  # chips of each of two players, few enough that all spaces can be occupied


def rolled(face: int, chips: tuple[int, int] = (START_CHIPS, START_CHIPS), occupied: int = 0) -> ReplayPosition:
    """Position after seat 0 of two rolls this while the first ``occupied`` spaces are occupied."""
    game = turn_game(GAME)
    from rollwise.games.big_six.rules import move

    state = {"chips": chips, "board": tuple(range(1, occupied + 1))}
    return replay(game, state, [((face,), None)], outcome_of=move)


def got(face: int, occupied: int) -> tuple[int, int]:
    """Chips that the roller gets by this roll, and chips that the five spaces get."""
    played = rolled(face, occupied=occupied)
    return by_seat(turn_game(GAME), played, "chips")[0] - START_CHIPS, played.board["occupied"] - occupied


def part(cases: list[bool]) -> Fraction:
    """Share of True cases."""
    return Fraction(sum(cases), len(cases))


def empty_space_is_filled() -> Fraction:
    """Share of rolls of an empty space that move one chip from the roller to it."""
    return part([got(face, occupied) == (-1, 1) for occupied in (0, *SPACES) for face in SPACES if face > occupied])


def occupied_space_is_emptied() -> Fraction:
    """Share of rolls of an occupied space that move its chip to the roller."""
    return part([got(face, occupied) == (1, -1) for occupied in SPACES for face in SPACES if face <= occupied])


def six_is_always_put() -> Fraction:
    """Share of numbers of occupied spaces at which a 6 costs the roller a chip that no other space gets."""
    return part([got(6, occupied) == (-1, 0) for occupied in (0, *SPACES)])


def at_the_start() -> tuple[Fraction, ...]:
    """Chips of all seats at the start, with the most players."""
    game: Any = turn_game(GAME, players=6)
    return tuple(map(Fraction, game.first_board()["chips"]))


def winner_with_the_last_chip() -> str:
    """Winner after seat 0 puts its last chip, in words."""
    shares = {rolled(face, chips=(1, 3)).shares for face in (3, 6)}
    return "the first without chips" if shares == {(Fraction(1), Fraction(0))} else "somebody else"


CLAIMS = (
    Claim(
        "big-six/chips",
        GAME,
        SOURCE,
        "Chips of each of six players at the start.",
        "5, 5, 5, 5, 5, 5",
        EXACTLY,
        at_the_start,
        "stated once for all: 5 chips each",
    ),
    Claim(
        "big-six/empty-space",
        GAME,
        SOURCE,
        "A roll of an empty space puts a chip of the roller's there.",
        "put a chip there",
        ALWAYS,
        empty_space_is_filled,
        "the part of all rolls and numbers of occupied spaces for which it is so",
    ),
    Claim(
        "big-six/occupied-space",
        GAME,
        SOURCE,
        "A roll of an occupied space gives its chip to the roller.",
        "must take it",
        ALWAYS,
        occupied_space_is_emptied,
        "the part of all rolls and numbers of occupied spaces for which it is so",
    ),
    Claim(
        "big-six/six-is-out",
        GAME,
        SOURCE,
        "A 6 always puts a chip of the roller's out of the game, whatever lies on the board.",
        "always",
        ALWAYS,
        six_is_always_put,
        "the part of all numbers of occupied spaces for which it is so",
    ),
    Claim(
        "big-six/first-without-chips",
        GAME,
        SOURCE,
        "Who wins when the last chip of a player is put on a space, or goes out with a 6.",
        "the first without chips",
        IN_WORDS,
        winner_with_the_last_chip,
    ),
)
