"""Sixzee: which dice fit which box, the bonuses of the sheet, and the value of a joker."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

from rollwise.games.claims import EXACTLY, IN_WORDS, Claim, Value, more_than
from rollwise.games.claims.replay import begin, moves, replay, turn_game
from rollwise.games.patterns import face_sum, in_a_row, only_pairs, only_triples, three_two_one
from rollwise.solver.model.dice import Faces, throws
from rollwise.solver.model.errors import ModelError
from rollwise.solver.model.moves import parse_move

GAME = "sixzee"
SOURCE = "Sixzee Rules, by freethedice.com"
DICE = 6
FACES = range(1, 7)
NUMBERS = ("ones", "twos", "threes", "fours", "fives", "sixes")
FOUR_OF_EACH = {box: 4 * face for face, box in enumerate(NUMBERS, start=1)}
ENOUGH = 84  # points of the number boxes that earn their bonus
FOURS = (4, 4, 4, 4, 4, 4)  # the sixzee of the sheet's examples
NO_JOKER, JOKER = {"sixzee": 0}, {"sixzee": 0, "fours": 16}  # sheets on which FOURS is none, and is one
FITS_LITTLE = (1, 1, 2, 2, 4, 6)  # fits number boxes and chance only


# --- dice and sums: no game is needed ------------------------------------------------------------------------------


def fitting(fits: Callable[[Faces], bool], *examples: str) -> str:
    """Examples, written as on the sheet, whose dice fit."""
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
    return {"filled": dict(filled), "roll": tuple(sorted(roll)), "rolls_left": 0}


def boxes(roll: Faces, filled: Mapping[str, int]) -> list[str]:
    """The boxes that may be filled now."""
    game = turn_game(GAME)
    return [parse_move(move).box for move in moves(game, begin(game, last_throw(roll, filled)))]


def gain(box: str, roll: Faces, filled: Mapping[str, int], **parameters: Any) -> Fraction:
    """Points of these dice in a box, bonuses included."""
    game = turn_game(GAME, **parameters)
    state = last_throw(roll, filled)
    return replay(game, state, [(None, f"score {box}")]).points - begin(game, state).points


def gains(names: Sequence[str], roll: Faces, filled: Mapping[str, int]) -> tuple[Fraction, ...]:
    """Points of these dice in several boxes, each filled first."""
    return tuple(gain(box, roll, filled) for box in names)


def turns_of_a_round() -> Fraction:
    """Number of turns until the sheet is full, with dice that earn no bonus."""
    game = turn_game(GAME)
    filled: dict[str, int] = {}
    while True:
        before = begin(game, last_throw(FITS_LITTLE, filled))
        move = moves(game, before)[0]
        after = replay(game, last_throw(FITS_LITTLE, filled), [(None, move)])
        if after.over:
            return Fraction(len(filled) + 1)
        filled[parse_move(move).box] = int(after.points - before.points)


def fours_in_fours() -> dict[str, str]:
    """Score of a sixzee of fours in the box of fours, with and without a joker."""
    if "fours" in boxes(FOURS, JOKER):
        raise ModelError("a filled box is offered again")
    return {"no joker, fours still open": str(gain("fours", FOURS, NO_JOKER)), "a joker, so fours is filled": "no move"}


def numbers_bonus(last: str, roll: Faces, **holding: int) -> Fraction:
    """Bonus with the last number box; the others have four dice each unless ``holding`` has other points."""
    sheet = {box: score for box, score in {**FOUR_OF_EACH, **holding}.items() if box != last}
    return gain(last, roll, sheet) - face_sum(roll, NUMBERS.index(last) + 1)


def bonus(box: str, roll: Faces, sheet: Mapping[str, int]) -> Fraction:
    """Gain of a box when the other boxes of its group have points over one of them having 0."""
    first = next(iter(sheet))
    return gain(box, roll, sheet) - gain(box, roll, {**sheet, first: 0})


def bonuses() -> tuple[Fraction, ...]:
    """Four bonuses, each earned with the last box of its group."""
    return (
        numbers_bonus("sixes", (6, 6, 6, 6, 1, 2)),
        bonus("five of a kind", (3, 3, 3, 3, 3, 1), {"three of a kind": 20, "four of a kind": 21}),
        bonus("two triples", (4, 4, 4, 1, 1, 1), {"3-2-1": 14, "three pairs": 12}),
        bonus("super straight", (1, 2, 3, 4, 5, 6), {"low straight": 20, "high straight": 30}),
    )


def straights_and_sixzee() -> tuple[Fraction, ...]:
    """Points of a low, high and super straight, and of a first sixzee."""
    return (
        gain("low straight", (1, 2, 3, 4, 6, 6), {}),
        gain("high straight", (2, 3, 4, 5, 6, 6), {}),
        gain("super straight", (1, 2, 3, 4, 5, 6), {}),
        gain("sixzee", FOURS, {}),
    )


def further_sixzee(box: str, bonus_when: str = "placed") -> Fraction:
    """Gain of a sixzee of fours in this box when the sixzee box has 60 over when it has 0."""
    with_60, with_0 = {**JOKER, "sixzee": 60}, {**JOKER, "sixzee": 0}
    return gain(box, FOURS, with_60, bonus_when=bonus_when) - gain(box, FOURS, with_0, bonus_when=bonus_when)


def box_of_five_equal() -> str:
    """Boxes that score the sum of all dice for five equal dice but not for four."""
    five, four = (3, 3, 3, 3, 3, 1), (3, 3, 3, 3, 1, 1)
    named = [box for box in boxes(five, {}) if box not in NUMBERS]
    return ", ".join(box for box in named if gain(box, five, {}) == sum(five) and gain(box, four, {}) == 0)


CLAIMS = (
    Claim(
        "sixzee/boxes",
        GAME,
        SOURCE,
        "The turns that a player has until every box is filled.",
        "17",
        EXACTLY,
        turns_of_a_round,
    ),
    Claim(
        "sixzee/four-of-each",
        GAME,
        SOURCE,
        "What the number boxes hold together with four dice of each face.",
        "84",
        EXACTLY,
        four_of_each,
    ),
    Claim(
        "sixzee/numbers-bonus",
        GAME,
        SOURCE,
        "The bonus for number boxes that hold 84, and for such that hold 83.",
        "30, 0",
        EXACTLY,
        lambda: (numbers_bonus("sixes", (6, 6, 6, 6, 1, 2)), numbers_bonus("sixes", (6, 6, 6, 6, 1, 2), ones=3)),
        "84 or more is stated, so 83 is not enough",
    ),
    Claim(
        "sixzee/five-sixes-no-ones",
        GAME,
        SOURCE,
        "With five dice of one face and four of the others, what the number boxes hold without a single one.",
        "84 or more",
        more_than(ENOUGH - 1, "84 or more"),
        fifth_die_for_the_ones,
        "said of more than four of any face, with five sixes as the example",
    ),
    Claim(
        "sixzee/five-sixes-more-to-drop",
        GAME,
        SOURCE,
        "With five sixes, no ones and four of each other face, how many dice more may be missing.",
        "some",
        more_than(0, "more than none"),
        more_to_drop,
        "the lowest dice are dropped first",
    ),
    Claim(
        "sixzee/five-sixes-bonus",
        GAME,
        SOURCE,
        "The bonus with five sixes, nothing in ones, and four dice of each other face.",
        "30",
        EXACTLY,
        lambda: numbers_bonus("sixes", (6, 6, 6, 6, 6, 1), ones=0),
    ),
    Claim(
        "sixzee/chance-never-zero",
        GAME,
        SOURCE,
        "The least that six dice can score in chance.",
        "impossible to score zero",
        more_than(0, "more than 0"),
        least_chance,
    ),
    Claim(
        "sixzee/three-pairs-examples",
        GAME,
        SOURCE,
        "Those of the three examples that are three pairs.",
        "22-33-22, 11-22-33, 33-33-33",
        IN_WORDS,
        lambda: fitting(only_pairs, "22-33-22", "11-22-33", "33-33-33"),
    ),
    Claim(
        "sixzee/two-triples-examples",
        GAME,
        SOURCE,
        "Those of the three examples that are two triples.",
        "444-111, 555-555, 333-666",
        IN_WORDS,
        lambda: fitting(only_triples, "444-111", "555-555", "333-666"),
    ),
    Claim(
        "sixzee/examples-score-their-sum",
        GAME,
        SOURCE,
        "What the six examples score, 22-33-22 to 33-33-33 in three pairs, 444-111 to 333-666 in two triples.",
        "14, 12, 18, 15, 30, 27",
        EXACTLY,
        lambda: (
            *(gain("three pairs", dice, {}) for dice in ((2, 2, 2, 2, 3, 3), (1, 1, 2, 2, 3, 3), (3,) * 6)),
            *(gain("two triples", dice, {}) for dice in ((1, 1, 1, 4, 4, 4), (5,) * 6, (3, 3, 3, 6, 6, 6))),
        ),
        "stated in words: the sum of all six dice, which is added up here",
    ),
    Claim(
        "sixzee/three-different-sets",
        GAME,
        SOURCE,
        "How many different faces a 3-2-1 has.",
        "3",
        EXACTLY,
        different_faces_of_3_2_1,
        "stated in words: the three sets are of different numbers",
    ),
    Claim(
        "sixzee/low-straights",
        GAME,
        SOURCE,
        "All low straights.",
        "1,2,3,4; 2,3,4,5; 3,4,5,6",
        IN_WORDS,
        lambda: straights(4),
        "the sheet says that it could be these; taken to mean that there are no others",
    ),
    Claim(
        "sixzee/high-straights",
        GAME,
        SOURCE,
        "All high straights.",
        "1,2,3,4,5; 2,3,4,5,6",
        IN_WORDS,
        lambda: straights(5),
        "the sheet says that it could be these; taken to mean that there are no others",
    ),
    Claim(
        "sixzee/super-straights", GAME, SOURCE, "All super straights.", "1,2,3,4,5,6", IN_WORDS, lambda: straights(6)
    ),
    Claim(
        "sixzee/straights-and-sixzee",
        GAME,
        SOURCE,
        "What low, high and super straight and a sixzee score.",
        "20, 30, 40, 60",
        EXACTLY,
        straights_and_sixzee,
    ),
    Claim(
        "sixzee/bonuses",
        GAME,
        SOURCE,
        "The bonuses for numbers, kinds, pairs and triples, and straights.",
        "30, 30, 30, 30",
        EXACTLY,
        bonuses,
        "each earned with the last box of its group, against the same sheet with a 0 in the first",
    ),
    Claim(
        "sixzee/five-of-a-kind-box",
        GAME,
        SOURCE,
        "The box that scores the sum of all dice from five equal dice on.",
        "four of a kind",
        IN_WORDS,
        box_of_five_equal,
        "the sheet at its word: its paragraph on five of a kind ends with the name of the box before",
    ),
    Claim(
        "sixzee/joker-scored-normally",
        GAME,
        SOURCE,
        "A joker 4-4-4-4-4-4 scored normally: in ones, and in three, four and five of a kind.",
        "0, 24, 24, 24",
        EXACTLY,
        lambda: gains(("ones", "three of a kind", "four of a kind", "five of a kind"), FOURS, JOKER),
        "the sixzee box holds 0, so no bonus of 100 comes on top",
    ),
    Claim(
        "sixzee/joker-in-its-own-number",
        GAME,
        SOURCE,
        "The same dice placed in fours.",
        "24",
        IN_WORDS,
        fours_in_fours,
        "listed among what a joker may do, but a joker needs the box of fours to be filled",
    ),
    Claim(
        "sixzee/joker-in-sums",
        GAME,
        SOURCE,
        "A joker 4-4-4-4-4-4 in 3-2-1, three pairs and two triples.",
        "24, 24, 24",
        EXACTLY,
        lambda: gains(("3-2-1", "three pairs", "two triples"), FOURS, JOKER),
        "the sixzee box holds 0, so no bonus of 100 comes on top",
    ),
    Claim(
        "sixzee/joker-in-straights",
        GAME,
        SOURCE,
        "A joker 4-4-4-4-4-4 in low, high and super straight.",
        "20, 30, 40",
        EXACTLY,
        lambda: gains(("low straight", "high straight", "super straight"), FOURS, JOKER),
        "the sixzee box holds 0, so no bonus of 100 comes on top",
    ),
    Claim(
        "sixzee/further-sixzee",
        GAME,
        SOURCE,
        "What 4-4-4-4-4-4 in chance earns on top once the sixzee box holds 60.",
        "100",
        EXACTLY,
        lambda: further_sixzee("chance"),
    ),
    Claim(
        "sixzee/further-sixzee-for-zero",
        GAME,
        SOURCE,
        "The same when the dice are placed in ones, where they score 0, though other boxes would score.",
        "100",
        EXACTLY,
        lambda: {
            "placed for more than 0": further_sixzee("ones", "placed"),
            "could be placed for more than 0": further_sixzee("ones", "possible"),
        },
        "the sheet says 'can place', at its word the second reading",
    ),
)
