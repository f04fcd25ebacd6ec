"""Killer: scores of each category, and the turn that the sheet plays through."""

from __future__ import annotations

import re
from fractions import Fraction

from rollwise.games.claims import EXACTLY, IMPOSSIBLE, Claim
from rollwise.games.claims.replay import Step, moves, replay, turn_game
from rollwise.solver.model.dice import Faces

GAME = "killer"
SOURCE = "TACTIC rules for dice games"
FIRST: Step = ((1, 2, 4, 5, 5), "keep 5 5")
SECOND = (1, 3, 5)


def most(box: str, roll: Faces, opened: str = "none") -> Fraction:
    """Most points of the last throw of a turn in one box; 0 where it may not be entered there."""
    game = turn_game(GAME)
    played = replay(game, {"mine": opened, "roll": roll, "rolls_left": 0}, [])
    matches = [re.fullmatch(rf"score {box} (\d+)", move) for move in moves(game, played)]
    return Fraction(max((int(match[1]) for match in matches if match), default=0))


def example() -> Fraction:
    """Points of the example turn."""
    return replay(turn_game(GAME), {"mine": "threes"}, [FIRST, (SECOND, "score threes 3 + fives 15")]).points


def moves_with_ones() -> Fraction:
    """Share of the last moves of the example that enter the 1 among the ones."""
    game = turn_game(GAME)
    names = moves(game, replay(game, {"mine": "threes"}, [FIRST, (SECOND, None)]))
    return Fraction(sum("ones" in move for move in names), len(names))


CLAIMS = (
    "killer/trebles",
    "killer/bulls-eye",
    "killer/bulls-eye-differs",
    "killer/doubles-one-pair",
    "killer/doubles-two-pairs",
    "killer/doubles-equal-pairs",
    "killer/sequences",
    Claim(
        "killer/two-sixes",
        GAME,
        SOURCE,
        "What 6-6 scores among the sixes once these are opened.",
        "12 points",
        EXACTLY,
        lambda: most("sixes", (6, 6, 1, 2, 3), "sixes"),
    ),
    "killer/opening-needs-three",
    Claim(
        "killer/example",
        GAME,
        SOURCE,
        "With the threes opened before, keeping 5-5 of 1-2-4-5-5 and throwing 1-3-5 enters 15 fives and 3 threes.",
        "18 points",
        EXACTLY,
        example,
        "stated as 15 points and 3 points",
    ),
    Claim(
        "killer/example-one-is-lost",
        GAME,
        SOURCE,
        "The part of all entries open to that turn that use its 1 among the ones, which are not opened.",
        "cannot use",
        IMPOSSIBLE,
        moves_with_ones,
    ),
)
