"""Shut the Box: the turn that the sheet plays through, in both variants, and the first rolls that end at once."""

from __future__ import annotations

from fractions import Fraction

from rollwise.games.claims import EXACTLY, IN_WORDS, Claim
from rollwise.games.claims.replay import Step, moves, replay, turn_game
from rollwise.solver.model.dice import throws
from rollwise.solver.turn.graph import compile_turn

GAME = "shut-the-box"
SOURCE = "TACTIC rules for dice games"
FIRST_TWO: tuple[Step, ...] = (((5, 3), "shut 8"), ((6, 5), "shut 5 6"))


def moves_on_eleven() -> str:
    """Moves after the second roll of the example: no box has the number 11."""
    return ", ".join(moves(turn_game(GAME), replay(turn_game(GAME), {}, [FIRST_TWO[0], ((6, 5), None)])))


def highest_score() -> Fraction:
    """The highest score that any turn can end with, over the whole turn."""
    return Fraction(max(compile_turn(turn_game(GAME)).results))


def example() -> Fraction:
    """Score after boxes 8, 5 and 6 are shut and 2-6 fits nothing."""
    return replay(turn_game(GAME), {}, [*FIRST_TWO, ((2, 6), None)]).points


def example_partial() -> Fraction:
    """Score of the example in the variant, where the last roll may still shut box 2."""
    return replay(turn_game(GAME, variant="partial"), {}, [*FIRST_TWO, ((2, 6), "shut 2")]).points


def score_at_once(*dice: int) -> Fraction | None:
    """The score of a turn that its first roll ends; None where it goes on."""
    played = replay(turn_game(GAME), {}, [(dice, None)])
    return played.points if played.over else None


def scores_of_high_doubles() -> tuple[Fraction, ...]:
    """The scores after 5-5 and after 6-6."""
    return tuple(score for face in (5, 6) if (score := score_at_once(face, face)) is not None)


def first_rolls_that_end() -> str:
    """Every first roll that ends the turn."""
    return ", ".join("-".join(map(str, dice)) for dice, _ in throws(2) if score_at_once(*dice) is not None)


CLAIMS = (
    Claim(
        "shut-the-box/example-forced",
        GAME,
        SOURCE,
        "With box 8 shut, a roll of 6-5 leaves this move only.",
        "shut 5 6",
        IN_WORDS,
        moves_on_eleven,
        "stated in words: there is no choice",
    ),
    Claim(
        "shut-the-box/example",
        GAME,
        SOURCE,
        "Shutting 8 on 5-3, then 5 and 6 on 6-5, then rolling 2-6 leaves this score.",
        "26",
        EXACTLY,
        example,
    ),
    Claim(
        "shut-the-box/example-partial",
        GAME,
        SOURCE,
        "The same turn in the variant in which the last roll may be used in part, and shuts box 2.",
        "24",
        EXACTLY,
        example_partial,
        "variant=partial",
    ),
    Claim(
        "shut-the-box/first-roll-high-doubles",
        GAME,
        SOURCE,
        "A first roll of 5-5 and one of 6-6 end the turn with this score.",
        "45, 45",
        EXACTLY,
        scores_of_high_doubles,
    ),
    Claim(
        "shut-the-box/highest-score",
        GAME,
        SOURCE,
        "The highest score with which a turn can end.",
        "45",
        EXACTLY,
        highest_score,
    ),
    Claim(
        "shut-the-box/first-rolls-that-end",
        GAME,
        SOURCE,
        "The first rolls that end a turn at once.",
        "5-5, 6-6",
        IN_WORDS,
        first_rolls_that_end,
        "the sheet names these two; taken to mean that there are no others",
    ),
)
