"""Aces in the Pot: where ones and sixes send the coins, which comes first, who does not roll, and the last coin."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from rollwise.games.claims import ALWAYS, EXACTLY, IN_WORDS, Claim
from rollwise.games.claims.replay import ReplayPosition, by_seat, replay, turn_game
from rollwise.solver.model.dice import Faces, throws

GAME = "aces-in-the-pot"
SOURCE = "TACTIC rules for dice games"
SAFE, SIX = (1, 2, 3, 4, 5, 1), (1, 2, 3, 4, 5, 6)  # three throws of both dice


def thrown(*dice: Faces, coins: str = "2,2,2,2", mover: int = 0) -> ReplayPosition:
    """Position after four players threw these, one after another."""
    game = turn_game(GAME)
    from rollwise.games.aces_in_the_pot.rules import LAST, coins_moved, last_coin_fate

    def outcome_of(faces: Faces, stage: str) -> Any:
        return last_coin_fate(faces) if stage == LAST else coins_moved(faces)

    return replay(game, {"coins": coins, "mover": mover}, [(faces, None) for faces in dice], outcome_of)


def coins_after(*dice: Faces, coins: str = "2,2,2,2", mover: int = 0) -> tuple[int, ...]:
    """Coins by seat after these throws."""
    return by_seat(turn_game(GAME), thrown(*dice, coins=coins, mover=mover), "coins")


def gone(faces: Faces, coins: str = "2,2,2,2") -> tuple[Fraction, ...]:
    """Coins that a throw of seat 0 sends into the pot, and to the player on the left."""
    before = tuple(map(int, coins.split(",")))
    after = coins_after(faces, coins=coins)
    return Fraction(sum(before) - sum(after)), Fraction(after[1] - before[1])


def other_throws_do_nothing() -> Fraction:
    """Share of throws without 1 and 6 that leave all coins where they are."""
    others = [faces for faces, _ in throws(2) if not {1, 6} & set(faces)]
    return Fraction(sum(not any(gone(faces)) for faces in others), len(others))


def rolls_after(coins: str) -> Fraction:
    """Seat that rolls after seat 0 has thrown neither 1 nor 6."""
    return Fraction(thrown((2, 5), coins=coins).mover)


def winner(*dice: Faces) -> str:
    """Winner with these triple throws when seat 2 has the last coin, in words."""
    played = thrown(*dice, coins="0,0,1,0", mover=2)
    return f"seat {played.shares.index(Fraction(1))}" if played.over else f"nobody, seat {played.mover} throws"


def last_coin_is_left() -> Fraction:
    """Coins outside the pot after a throw of two ones by the only player with coins, who has two."""
    return Fraction(sum(coins_after((1, 1), coins="2,0,0,0")))


CLAIMS = (
    Claim(
        "aces-in-the-pot/one",
        GAME,
        SOURCE,
        "Coins that a throw with a single 1 sends into the pot, and to the left.",
        "1, 0",
        EXACTLY,
        lambda: gone((1, 4)),
    ),
    Claim(
        "aces-in-the-pot/six",
        GAME,
        SOURCE,
        "Coins that a throw with a single 6 sends into the pot, and to the left.",
        "0, 1",
        EXACTLY,
        lambda: gone((3, 6)),
    ),
    Claim(
        "aces-in-the-pot/other-throws",
        GAME,
        SOURCE,
        "A throw without 1 and 6 moves no coin.",
        "no effect",
        ALWAYS,
        other_throws_do_nothing,
        "the part of all such throws for which it is so",
    ),
    Claim(
        "aces-in-the-pot/two-ones",
        GAME,
        SOURCE,
        "Coins that two ones send into the pot, and to the left.",
        "2, 0",
        EXACTLY,
        lambda: gone((1, 1)),
        "while others have coins too; the last coin outside stays out of the pot",
    ),
    Claim(
        "aces-in-the-pot/two-sixes",
        GAME,
        SOURCE,
        "Coins that two sixes send into the pot, and to the left, from a player who has two.",
        "0, 2",
        EXACTLY,
        lambda: gone((6, 6)),
    ),
    Claim(
        "aces-in-the-pot/two-sixes-one-coin",
        GAME,
        SOURCE,
        "Coins that two sixes send into the pot, and to the left, from a player who has one.",
        "0, 1",
        EXACTLY,
        lambda: gone((6, 6), coins="1,2,2,2"),
    ),
    Claim(
        "aces-in-the-pot/pot-before-neighbour",
        GAME,
        SOURCE,
        "Coins that 1-6 sends into the pot, and to the left, from a player who has one.",
        "1, 0",
        EXACTLY,
        lambda: gone((1, 6), coins="1,2,2,2"),
    ),
    Claim(
        "aces-in-the-pot/no-coins-no-roll",
        GAME,
        SOURCE,
        "Who rolls after seat 0 when seats 1 and 2 have no coins.",
        "seat 3",
        EXACTLY,
        lambda: rolls_after("2,0,0,2"),
        "the seats are ours; stated in words: without coins no roll",
    ),
    Claim(
        "aces-in-the-pot/still-in",
        GAME,
        SOURCE,
        "Who rolls after seat 0, which throws a 6, when seats 1 and 2 have had no coins.",
        "seat 1",
        EXACTLY,
        lambda: Fraction(thrown((6, 2), coins="2,0,0,2").mover),
        "the seats are ours; stated in words: the player on the right may pass a coin",
    ),
    Claim(
        "aces-in-the-pot/last-coin-stays",
        GAME,
        SOURCE,
        "Coins that are left outside the pot when nobody but the thrower of two ones has any.",
        "1 coin",
        EXACTLY,
        last_coin_is_left,
        "stated in words: play goes on until a single coin is left that has not gone into the pot",
    ),
    Claim(
        "aces-in-the-pot/three-throws",
        GAME,
        SOURCE,
        "Who wins when the holder of the last coin, seat 2, throws no 6 in three throws.",
        "seat 2",
        IN_WORDS,
        lambda: winner(SAFE),
        "the seats are ours",
    ),
    Claim(
        "aces-in-the-pot/three-throws-with-a-six",
        GAME,
        SOURCE,
        "Who wins when seat 2 throws a 6 among them, and seat 3, which gets coin and dice, does not.",
        "seat 3",
        IN_WORDS,
        lambda: winner(SIX, SAFE),
        "the seats are ours",
    ),
)
