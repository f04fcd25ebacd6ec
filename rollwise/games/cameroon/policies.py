"""Rules of thumb for Cameroon that look at the dice and not at the sheet.

Such a rule need not know the open boxes: it plays its first choice if that is legal, else the next one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from rollwise.games.cameroon.rules import Cameroon
from rollwise.games.cameroon.scoring import NUMBERS
from rollwise.games.policies import Policy, RuleOfThumb
from rollwise.solver.model.dice import Faces
from rollwise.solver.model.moves import parse_move


@cache
def points(move: str, dice: Faces, five_of_a_kind: int, big_straight: int, small_straight: int) -> int:
    """Points of a move that scores; -1 for any other move."""
    done = parse_move(move)
    game = Cameroon(True, five_of_a_kind, big_straight, small_straight)
    return game.points(done.box, dice) if done.kind == "score" else -1


def most_points(state: Mapping[str, Any], moves: Sequence[str]) -> str:
    """Play the move that scores most; any other move only where none scores."""
    dice = tuple(sorted((*state.get("kept", ()), *state["roll"])))
    pays = state["five_of_a_kind"], state["big_straight"], state["small_straight"]
    return max(moves, key=lambda move: points(move, dice, *pays))


def collecting(worth: Callable[[Faces], int]) -> Policy:
    """Score a special, else keep the dice with the highest ``worth``; at the end score the most."""

    def policy(state: Mapping[str, Any], moves: Sequence[str]) -> str:
        keeps = [move for move in moves if parse_move(move).kind == "keep"]
        scores = [move for move in moves if parse_move(move).kind == "score"]
        specials = [move for move in scores if parse_move(move).box not in NUMBERS]
        if specials or not keeps:
            return most_points(state, specials or moves)
        return max(keeps, key=lambda move: worth((*state.get("kept", ()), *parse_move(move).dice)))

    return policy


@cache
def equal_dice(dice: Faces) -> int:
    """Worth that prefers many equal dice, then high ones."""
    return 10 * len(dice) + sum(dice[:1]) if len(set(dice)) <= 1 else -len(dice)


@cache
def part_of_a_straight(dice: Faces) -> int:
    """Worth that prefers many different dice, but not both 1 and 6, which no straight has."""
    fits = len(set(dice)) == len(dice) and not {1, 6} <= set(dice)
    return 100 * len(dice) + sum(dice) if fits else -len(dice)


def score_at_once(state: Mapping[str, Any], moves: Sequence[str]) -> str:
    """Score the most that the first throw gives; if it gives nothing, throw all five again."""
    scores = [move for move in moves if parse_move(move).kind == "score"]
    if scores:
        return most_points(state, scores)
    return "keep nothing" if "keep nothing" in moves else moves[0]


POLICIES = {
    "largest-group": RuleOfThumb(
        "keep the largest group of equal dice, the higher of two, and score the most", collecting(equal_dice)
    ),
    "straights-first": RuleOfThumb(
        "keep what may become a straight, and score the most", collecting(part_of_a_straight)
    ),
    "score-at-once": RuleOfThumb(
        "score the most that the first throw gives, throw again only if it gives nothing", score_at_once
    ),
}
