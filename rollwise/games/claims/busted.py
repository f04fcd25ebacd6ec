"""Busted: what each sum puts on the board or takes from it."""

from __future__ import annotations

from fractions import Fraction

from rollwise.games.claims import EXACTLY, IN_WORDS, Claim
from rollwise.games.claims.replay import ReplayPosition, by_seat, format_field, replay, turn_game
from rollwise.solver.model.dice import Faces

GAME = "busted"
SOURCE = "TACTIC rules for dice games"
EACH = 25  # chips of each of three players


def rolled(*thrown: Faces, **state: str) -> ReplayPosition:
    """Position after these rolls of the mover; without ``state`` from the start of the game."""
    at_the_start_of_a_turn = {"taken": False} if state else {}
    return replay(turn_game(GAME), {**state, **at_the_start_of_a_turn}, [(dice, None) for dice in thrown])


def paid(*thrown: Faces, **state: str) -> Fraction:
    """Chips that seat 0 loses; at the start it has 25."""
    before = int(state["chips"].split(",")[0]) if state else EACH
    return Fraction(before - by_seat(turn_game(GAME), rolled(*thrown, **state), "chips")[0])


def board_after(*thrown: Faces, **state: str) -> str:
    """Chips on the board, as space:chips."""
    return format_field(turn_game(GAME), rolled(*thrown, **state), "board")


CLAIMS = (
    Claim(
        "busted/example-empty-space",
        GAME,
        SOURCE,
        "A sum of 6 while space 6 is empty costs the roller so many chips.",
        "6 chips",
        EXACTLY,
        lambda: paid((2, 4)),
    ),
    Claim(
        "busted/occupied-space",
        GAME,
        SOURCE,
        "A sum of 6 while six chips lie on space 6 pays the roller so many.",
        "6 chips",
        EXACTLY,
        lambda: -paid((2, 4), chips="25,25,19", board="6:6"),
        "the chips that lie there; the board is ours",
    ),
    Claim(
        "busted/seven-always-pays",
        GAME,
        SOURCE,
        "The board after two sevens in a row: seven chips each time, whatever lies there.",
        "7:14",
        IN_WORDS,
        lambda: board_after((3, 4), (1, 6)),
        "stated in words: seven chips, regardless of those there already",
    ),
    Claim(
        "busted/two-takes-all",
        GAME,
        SOURCE,
        "With 3 chips on space 3 and 14 on space 7, 1-1 and then 2-4 bring the roller so many chips: all 17, less six.",
        "11 chips",
        EXACTLY,
        lambda: -paid((1, 1), (2, 4), chips="25,19,14", board="3:3,7:14"),
        "stated in words: all chips on the board, then the new roll is paid for; the board is ours",
    ),
    Claim(
        "busted/two-twice-fills-all",
        GAME,
        SOURCE,
        "The board after 1-1 and then 6-6, when the roller has chips enough.",
        "3:3,4:4,5:5,6:6,7:7,8:8,9:9,10:10,11:11",
        IN_WORDS,
        lambda: board_after((1, 1), (6, 6), chips="60,5,4", board="6:6"),
        "stated in words: every space gets as many chips as its number",
    ),
    Claim(
        "busted/too-few-for-all",
        GAME,
        SOURCE,
        "The same when the roller has 20 chips, those from the board included: as far as they go.",
        "3:3,4:4,5:5,6:6,7:2",
        IN_WORDS,
        lambda: board_after((1, 1), (6, 6), chips="14,35,20", board="6:6"),
        "stated in words: from the lowest space on, as far as possible",
    ),
)
