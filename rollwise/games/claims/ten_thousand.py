"""Ten Thousand: the chance of a first roll without a score, and the two turns that the sheet plays through."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

from rollwise.games.claims import EXACTLY, WHOLE_PERCENT, Claim
from rollwise.games.claims.replay import Step, chance_to_end, moves, replay, turn_game
from rollwise.solver.model.errors import ModelError
from rollwise.solver.model.game import TurnGame
from rollwise.solver.model.moves import parse_move

GAME = "ten-thousand"
SOURCE = "TACTIC rules for dice games"
STOP: Step = (None, "stop")


def alone() -> TurnGame:
    """One turn, whose points are the outcome."""
    return turn_game(GAME, players=1, objective="points")


def first_roll_nothing() -> Fraction:
    """P(six dice show nothing that scores)."""
    return chance_to_end(alone(), {})


def turn_points(*steps: Step) -> Fraction:
    """Points of a whole turn."""
    return replay(alone(), {}, steps).points


def worth(*dice: int) -> Fraction:
    """Most points that the dice of one roll can count."""
    played = replay(alone(), {"turn": 1000, "dice": len(dice)}, [(None, "roll"), (dice, None)])
    return Fraction(max((parse_move(move).points or 0 for move in moves(alone(), played)), default=0))


def threes_of_a_kind() -> tuple[Fraction, ...]:
    """Points of three twos, threes, fours, fives and sixes."""
    return tuple(worth(face, face, face) for face in (2, 3, 4, 5, 6))


def first_roll_that_ends() -> Fraction:
    """Points of a turn whose first roll is the sheet's example of nothing."""
    played = replay(alone(), {}, [((2, 6, 6, 3, 4, 4), None)])
    if not played.over:
        raise ModelError("the example roll does not end the turn")
    return played.points


def ones_one_by_one() -> tuple[Fraction, ...]:
    """Points that each of three ones adds, set aside in three rolls."""
    rolls: list[Step] = []
    earned = [Fraction(0)]
    for dice in ((1, 2, 3, 4, 6, 6), (1, 2, 3, 4, 6), (1, 2, 3, 4)):
        rolls.append((dice, "keep 1 for 100"))
        earned.append(turn_points(*rolls, (None, "stop")))
        rolls.append((None, "roll"))
    return tuple(after - before for before, after in pairwise(earned))


def all_six_again() -> Fraction:
    """Points of six dice set aside, then all six thrown again and a five kept."""
    return turn_points(
        ((1, 1, 1, 5, 5, 5), "keep 1 1 1 5 5 5 for 1500"), (None, "roll"), ((5, 2, 2, 3, 4, 6), "keep 5 for 50"), STOP
    )


def all_six_lost() -> Fraction:
    """Points of six dice set aside, then a roll of six that scores nothing."""
    return turn_points(((1, 1, 1, 5, 5, 5), "keep 1 1 1 5 5 5 for 1500"), (None, "roll"), ((2, 2, 3, 4, 6, 6), None))


def four_ones_and_a_five() -> Fraction:
    """Points of three ones of the first roll, then a one and a five, then a stop."""
    return turn_points(
        ((1, 1, 1, 3, 6, 4), "keep 1 1 1 for 1000"), (None, "roll"), ((1, 5, 2), "keep 1 5 for 150"), (None, "stop")
    )


def fours_lost() -> Fraction:
    """Points of three fours of the first roll, then a roll without a score."""
    return turn_points(((4, 4, 4, 3, 2, 6), "keep 4 4 4 for 400"), (None, "roll"), ((2, 2, 6), None))


CLAIMS = (
    Claim(
        "ten-thousand/first-roll-nothing",
        GAME,
        SOURCE,
        "The chance that the first roll of a turn scores nothing.",
        "3 %",
        WHOLE_PERCENT,
        first_roll_nothing,
    ),
    Claim(
        "ten-thousand/example-banked",
        GAME,
        SOURCE,
        "Keeping 1-1-1 of 1-1-1-3-6-4, then 1 and 5 of 1-5-2, and stopping earns this much.",
        "1,150 points",
        EXACTLY,
        four_ones_and_a_five,
    ),
    Claim(
        "ten-thousand/example-lost",
        GAME,
        SOURCE,
        "Keeping 4-4-4 of 4-4-4-3-2-6 and throwing 2-2-6 with the other three dice loses all of the turn's points.",
        "0 points",
        EXACTLY,
        fours_lost,
        "stated in words: all points of the turn are lost",
    ),
    "ten-thousand/three-ones",
    Claim(
        "ten-thousand/three-of-a-kind",
        GAME,
        SOURCE,
        "What three twos, three threes, three fours, three fives and three sixes of one roll count.",
        "200, 300, 400, 500, 600",
        EXACTLY,
        threes_of_a_kind,
    ),
    "ten-thousand/single-one",
    "ten-thousand/single-five",
    Claim(
        "ten-thousand/nothing-else-counts",
        GAME,
        SOURCE,
        "What a single two, three, four or six counts.",
        "0, 0, 0, 0",
        EXACTLY,
        lambda: tuple(worth(face) for face in (2, 3, 4, 6)),
        "the sheet lists what counts; taken to be all",
    ),
    Claim(
        "ten-thousand/example-nothing",
        GAME,
        SOURCE,
        "A first roll of 2-6-6-3-4-4 ends the turn with this many points.",
        "0 points",
        EXACTLY,
        first_roll_that_ends,
        "stated in words: no score of any kind",
    ),
    Claim(
        "ten-thousand/ones-in-separate-rolls",
        GAME,
        SOURCE,
        "What each of three ones counts that are set aside in three different rolls.",
        "100, 100, 100",
        EXACTLY,
        ones_one_by_one,
    ),
    Claim(
        "ten-thousand/all-six-again",
        GAME,
        SOURCE,
        "With 1-1-1-5-5-5 set aside all six dice may be thrown again: keeping a five then makes this total.",
        "1,550 points",
        EXACTLY,
        all_six_again,
        "the rolls are ours: 1,000 + 500 + 50",
    ),
    Claim(
        "ten-thousand/all-six-lost",
        GAME,
        SOURCE,
        "If the new roll of all six scores nothing, the turn earns this much.",
        "0 points",
        EXACTLY,
        all_six_lost,
        "the rolls are ours",
    ),
)
