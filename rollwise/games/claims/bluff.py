"""Bluff: payments after a call is accepted or challenged."""

from __future__ import annotations

from fractions import Fraction

from rollwise.games.claims import ALWAYS, EXACTLY, Claim
from rollwise.games.claims.replay import Step, describe_position, moves, replay, turn_game
from rollwise.solver.model.moves import parse_move

GAME = "bluff"
SOURCE = "TACTIC rules for dice games"
TOTAL = 10  # of the caller's dice
CALLER = 0


def chips_after(*moves_made: str) -> tuple[Fraction, Fraction]:
    """Chips of the caller and of the other player, from five each."""
    game = turn_game(GAME)
    steps: list[Step] = [(None, move) for move in moves_made]
    played = replay(game, {"total": TOTAL}, steps)
    fields = describe_position(game, played)
    caller, other = ("mine", "theirs") if played.mover == CALLER else ("theirs", "mine")
    return Fraction(fields[caller]), Fraction(fields[other])


def calls_are_higher() -> Fraction:
    """Share of the calls after a call of 10 that are higher."""
    game = turn_game(GAME)
    accepted = {"mine": 5, "theirs": 4, "last": 10, "total": 9}  # the chip of the first caller is in the pot
    calls = [parse_move(move).dice[0] for move in moves(game, replay(game, accepted, []))]
    return Fraction(sum(call > 10 for call in calls), len(calls))


def challenger_starts() -> Fraction:
    """1 if the player who challenged starts the next round."""
    played = replay(turn_game(GAME), {"total": TOTAL}, [(None, "call 10"), (None, "challenge")])
    return Fraction(played.mover != CALLER)


CLAIMS = (
    Claim(
        "bluff/accepted",
        GAME,
        SOURCE,
        "Chips of the caller and the other player when a first call is accepted: the caller puts one into the pot.",
        "4, 5",
        EXACTLY,
        lambda: chips_after("call 12", "accept"),
        "stated in words, from five chips each",
    ),
    Claim(
        "bluff/true-call-challenged",
        GAME,
        SOURCE,
        "Their chips when a call of exactly the total is challenged: the caller gives one to the other.",
        "4, 6",
        EXACTLY,
        lambda: chips_after("call 10", "challenge"),
        "stated in words, from five chips each",
    ),
    Claim(
        "bluff/low-call-challenged",
        GAME,
        SOURCE,
        "Their chips when a call below the total is challenged: it counts as true.",
        "4, 6",
        EXACTLY,
        lambda: chips_after("call 7", "challenge"),
        "stated in words, from five chips each",
    ),
    Claim(
        "bluff/false-call-challenged",
        GAME,
        SOURCE,
        "Their chips when a call above the total is challenged: the other gives one to the caller.",
        "6, 4",
        EXACTLY,
        lambda: chips_after("call 12", "challenge"),
        "stated in words, from five chips each",
    ),
    Claim(
        "bluff/calls-rise",
        GAME,
        SOURCE,
        "After an accepted call every call that may follow is higher.",
        "a higher total",
        ALWAYS,
        calls_are_higher,
        "the part of all possible calls",
    ),
    Claim(
        "bluff/challenger-starts",
        GAME,
        SOURCE,
        "The player who has challenged starts the next round.",
        "the next round",
        ALWAYS,
        challenger_starts,
    ),
)
