"""Six-Dice Zilch: what the odds and the rounds of the sheet need a program for."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

from rollwise.games.claims.replay import begin, moves, replay, turn_game
from rollwise.games.claims.throwing import chance
from rollwise.games.patterns import in_a_row, only_pairs
from rollwise.solver.model.dice import show, throws
from rollwise.solver.model.errors import ModelError

GAME = "zilch"
DICE = 6
STEP = 50


def more_dice_are_better() -> Fraction:
    """Least factor by which one die more raises the chance of three ones or sixes, from three dice to six."""
    chances = [chance(dice, "at least three ones or at least three sixes") for dice in range(3, DICE + 1)]
    return min(more / less for less, more in pairwise(chances))


def three_pairs(examples: Sequence[str]) -> str:
    """Examples that are three pairs."""
    return ", ".join(pairs for pairs in examples if only_pairs(tuple(map(int, pairs.replace(" ", "")))))


def straights() -> str:
    """Throws of six dice that are a straight."""
    return ", ".join(show(faces) for faces, _ in throws(DICE) if in_a_row(faces) == DICE)


def may_after(move: str) -> str:
    """Moves of B after counting 4-1-4-4-1-4 with ``move``, at a score from which 700 points are enough."""
    game = turn_game(GAME)
    played = replay(game, {"mine": 9500, "theirs": 10150}, [((4, 1, 4, 4, 1, 4), move)])
    return " or ".join(sorted(moves(game, played))) or "roll"  # without a choice, the dice are thrown


def needed() -> Fraction:
    """Least turn total with which B, at 8800 against 10150, wins by stopping."""
    game = turn_game(GAME)
    for total in range(DICE * STEP, game.parameters()["goal"], STEP):  # six dice score no less before six are thrown
        state = {"mine": 8800, "theirs": 10150, "turn": total, "dice": DICE}
        if "stop" not in moves(game, begin(game, state)):
            continue
        stopped = replay(game, state, [(None, "stop")])
        if stopped.over and stopped.shares[0] == 1:
            return Fraction(total)
    raise ModelError("no total wins")
