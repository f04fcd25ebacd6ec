"""Sevens: the dice left to throw again, the opener's limit on the others, and the score that is out."""

from __future__ import annotations

from fractions import Fraction

from rollwise.games.claims.replay import ReplayPosition, describe_position, moves, parse_steps, replay, turn_game
from rollwise.solver.model.errors import ModelError


def rolls_and_stop(play: str, **state: int) -> ReplayPosition:
    """Position after these steps, and after a stop where it is the only move."""
    game = turn_game("sevens")
    played = replay(game, state, parse_steps(play))
    return replay(game, state, parse_steps(f"{play}, stop")) if moves(game, played) == ["stop"] else played


def dice_left() -> Fraction:
    """Number of dice that the example may throw again after its first roll."""
    return Fraction(len(describe_position(turn_game("sevens"), rolls_and_stop("224566"))["left"]))


def one_roll_each() -> Fraction:
    """1 if an opener's single roll leaves the other a single roll too: the round is then scored, 18 against 6."""
    scores = describe_position(turn_game("sevens"), rolls_and_stop("224566: stop, 111111"))
    return Fraction(sorted((scores["mine"], scores["theirs"])) == [6, 18])


def out_at() -> Fraction:
    """The lowest total with which the opener is out after a round, the other having no points at all."""
    for before in range(60, 77):
        if rolls_and_stop("111256: stop, 123456", mine=before).over:  # the opener has 1-1 left, the other nothing
            return Fraction(before + 2)
    raise ModelError("no total is out")
