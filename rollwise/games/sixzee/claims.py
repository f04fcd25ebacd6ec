"""Sixzee: which dice fit which box, sums of the number boxes, and turns of a round."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

from rollwise.games.claims import Value
from rollwise.games.claims.replay import begin, moves, replay, turn_game
from rollwise.games.claims.scoring import score
from rollwise.games.patterns import face_sum, in_a_row, only_pairs, only_triples, three_two_one
from rollwise.solver.model.dice import Faces, throws
from rollwise.solver.model.moves import parse_move

GAME = "sixzee"
DICE = 6
FACES = range(1, 7)
NUMBERS = ("ones", "twos", "threes", "fours", "fives", "sixes")
ENOUGH = 84  # points of the number boxes that earn their bonus


# --- dice and sums: no game is needed ------------------------------------------------------------------------------


def fitting(pattern: str, examples: Sequence[str]) -> str:
    """Examples, written as on the sheet, whose dice fit."""
    fits = {"only_pairs": only_pairs, "only_triples": only_triples}[pattern]
    return ", ".join(example for example in examples if fits(tuple(map(int, example.replace("-", "")))))


def straights(length: int) -> str:
    """All sets of so many faces in a row."""
    rows = [faces for faces in combinations(FACES, length) if in_a_row(faces) >= length]
    return "; ".join(",".join(map(str, faces)) for faces in rows)


def four_of_each() -> Fraction:
    """Points of the number boxes with four dice of each face."""
    return Fraction(sum(face_sum((face,) * 4, face) for face in FACES))


def without_ones(five_of: int) -> Fraction:
    """Points of the number boxes with five dice of a face other than one, four of the others, and no ones."""
    return four_of_each() - face_sum((1,) * 4, 1) + five_of


def fifth_die_for_the_ones() -> dict[str, Value]:
    """Points of the number boxes without ones, with a fifth die of some face."""
    return {
        "five sixes, as in the example": without_ones(6),
        "five of any face, the least of all": min(without_ones(face) for face in FACES if face != 1),
    }


def more_to_drop() -> dict[str, Value]:
    """Number of dice that may be missing besides the four ones, with five sixes, while 84 is still reached."""
    spare = without_ones(6) - ENOUGH
    dice_values = [face for face in FACES if 1 < face < 6 for _ in range(4)]
    lowest_first = [sum(dice_values[: count + 1]) for count in range(len(dice_values))]
    dropped = sum(dropped_sum <= spare for dropped_sum in lowest_first)
    return {
        "some: at least one die": Fraction(dropped),
        "some: several, the dice after the first": Fraction(dropped - 1),
    }


def different_faces_of_3_2_1() -> tuple[Fraction, ...]:
    """Numbers of different faces in throws that fit 3-2-1."""
    return tuple(sorted({Fraction(len(set(dice))) for dice, _ in throws(DICE) if three_two_one(dice)}))


def least_chance() -> Fraction:
    """The smallest sum of six dice."""
    return Fraction(min(sum(dice) for dice, _ in throws(DICE)))


# --- the game's own sheet ------------------------------------------------------------------------------------------


def last_throw(roll: Faces, filled: Mapping[str, int]) -> dict[str, Any]:
    """The question about these dice after the last throw of a turn."""
    return {"filled": dict(filled), "roll": roll, "rolls_left": 0}


def boxes(roll: Faces, filled: Mapping[str, int]) -> list[str]:
    """The boxes that may be filled now."""
    game = turn_game(GAME)
    return [parse_move(move).box for move in moves(game, begin(game, last_throw(roll, filled)))]


def turns_of_a_round() -> Fraction:
    """Number of turns until the sheet is full, with dice that earn no bonus."""
    game, dice = turn_game(GAME), (1, 1, 2, 2, 4, 6)  # fits number boxes and chance only
    filled: dict[str, int] = {}
    while True:
        before = begin(game, last_throw(dice, filled))
        move = moves(game, before)[0]
        after = replay(game, last_throw(dice, filled), [(None, move)])
        if after.over:
            return Fraction(len(filled) + 1)
        filled[parse_move(move).box] = int(after.points - before.points)


def fours_in_fours() -> dict[str, str]:
    """Score of a sixzee of fours in the box of fours, with and without a joker."""
    points = score(turn_game(GAME), (4,) * 6, "fours", {"filled": {"sixzee": 0}})
    with_joker = "a score" if "fours" in boxes((4,) * 6, {"sixzee": 0, "fours": 16}) else "no move"
    return {"no joker, fours still open": str(points), "a joker, so fours is filled": with_joker}


def box_of_five_equal() -> str:
    """Boxes that score the sum of all dice for five equal dice but not for four."""
    game, five, four = turn_game(GAME), (1, 3, 3, 3, 3, 3), (1, 1, 3, 3, 3, 3)
    named = [box for box in boxes(five, {}) if box not in NUMBERS]
    return ", ".join(box for box in named if score(game, five, box) == sum(five) and score(game, four, box) == 0)
